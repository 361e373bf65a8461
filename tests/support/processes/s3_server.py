"""An S3 server of the tests: moto as a process of its own, which counts what it is asked."""

from __future__ import annotations

import re
import subprocess
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.processes.object_store_server import ObjectStoreServer
from tests.support.processes.own_environments import python_with
from tests.support.processes.starting import accepts, address_of, ended

# Beside the tests it would lift botocore beyond what s3fs takes.
MOTO = ("moto[server,s3]==5.2.5",)
_LISTENS = re.compile(r"Running on (http://127\.0\.0\.1:\d+)")
_LINE = re.compile(r"(GET|PUT|HEAD|POST|DELETE) /([^/ ?]+)(/?[^ ?]*)(\?\S*)? HTTP/1\.1")


class S3Server(ObjectStoreServer):
    """A running server."""

    def __init__(self, url: str, log: Path) -> None:
        super().__init__(url)
        self._log = log
        self._seen = 0

    def options_at(self, url: str) -> dict[str, Any]:
        return {"key": "ada", "secret": "love", "endpoint_url": url, "client_kwargs": {"region_name": "us-east-1"}}

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": "ada",
            "AWS_SECRET_ACCESS_KEY": "love",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.url,
        }

    @property
    def iceberg_properties(self) -> dict[str, str]:
        keys = {"s3.access-key-id": "ada", "s3.secret-access-key": "love", "s3.region": "us-east-1"}
        return {"s3.endpoint": self.url, **keys}

    def client(self, service: str) -> Any:
        """A client of the server for what is no business of a catalog."""
        import botocore.session

        given = {"aws_access_key_id": "ada", "aws_secret_access_key": "love", "region_name": "us-east-1"}
        return botocore.session.Session().create_client(service, endpoint_url=self.url, **given)

    def new_bucket(self) -> str:
        """The name of a bucket that was made."""
        import s3fs

        bucket = f"lake-{uuid.uuid4().hex[:12]}"
        s3fs.S3FileSystem(**self.options).call_s3("create_bucket", Bucket=bucket)
        return bucket

    def new_lake(self) -> str:
        return f"s3://{self.new_bucket()}"

    def upload(self, directory: Path, location: str) -> str:
        """Copy a local directory to a location, which it returns."""
        import s3fs

        s3fs.S3FileSystem(**self.options).put(f"{directory}/", f"{location}/", recursive=True)
        return location

    def requests(self) -> Mapping[str, int]:
        """How many requests of each kind it was sent since the last time it was asked."""
        lines = self._log.read_text()
        found = Counter(_kind(*line) for line in _LINE.findall(lines[self._seen :]))
        self._seen = len(lines)
        return dict(found)


def _kind(method: str, bucket: str, key: str, query: str) -> str:
    if not key.strip("/"):
        return {"GET": "LIST", "POST": "DELETE many"}.get(method, f"{method} bucket")
    return method


@contextmanager
def s3_server(directory: Path) -> Iterator[S3Server]:
    """A server until the block ends; its log is in the directory. The test skips where it cannot be installed."""
    python = python_with("moto", MOTO)
    log = directory / "s3.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [python, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"], stdout=file, stderr=file, cwd=directory
        )
    with ended(process):
        yield S3Server(address_of(process, log, _LISTENS, accepts), log)
