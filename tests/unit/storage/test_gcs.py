"""Google's storage is asked for many things at once: its client, against a server that has only names."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from hive_views.errors import StorageFailure
from hive_views.storage.metadata_files import MetadataStorage

pytest.importorskip("gcsfs")

VIEW = "gs://lake/v"


class Names:
    """A bucket of names, of which some may not be deleted."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.kept: set[str] = set()
        self.requests: Counter[str] = Counter()
        names = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                names.requests["list"] += 1
                asked = {key: value[0] for key, value in parse_qs(urlsplit(self.path).query).items()}
                found = sorted(one for one in names.there if one.startswith(asked["prefix"]))
                if asked.get("delimiter"):
                    found = [one for one in found if "/" not in one.removeprefix(asked["prefix"])]
                page = found[: int(asked["maxResults"])]
                items = [{"name": one, "size": "1", "updated": "2026-11-01T00:00:00Z"} for one in page]
                self._answer(200, json.dumps({"kind": "storage#objects", "items": items}).encode())

            def do_DELETE(self) -> None:
                names.requests["delete"] += 1
                self._answer(*names.delete(self.path))

            def do_POST(self) -> None:
                names.requests["batch"] += 1
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                answers = [names.delete(path) for path in re.findall(r"DELETE (\S+) HTTP", body)]
                parts = [f"--b\r\n\r\nHTTP/1.1 {status} x\r\n\r\n{text.decode()}\r\n" for status, text in answers]
                self._answer(200, "".join([*parts, "--b--"]).encode(), "multipart/mixed; boundary=b")

            def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # Its client sends batches to Google alone, which it knows by this.
        self.url = f"http://127.0.0.1:{self._server.server_port}/storage.googleapis.com"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def delete(self, path: str) -> tuple[int, bytes]:
        name = unquote(path.partition("?")[0].rpartition("/")[2])
        if name in self.kept:
            return 403, json.dumps({"error": {"code": 403, "message": "no permission"}}).encode()
        if name not in self.there:
            return 404, json.dumps({"error": {"code": 404, "message": f"No such object: lake/{name}"}}).encode()
        self.there.remove(name)
        return 204, b""

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def names() -> Iterator[Names]:
    server = Names()
    yield server
    server.close()


@pytest.fixture
def storage(names: Names) -> MetadataStorage:
    return MetadataStorage({"token": "anon", "endpoint_url": names.url})


def test_many_files_are_deleted_by_a_request_for_a_hundred(names: Names, storage: MetadataStorage) -> None:
    names.there = {f"v/{number}" for number in range(150)} | {"v/others", "v/[1]", "v/*"}
    assert storage.delete_all([f"{VIEW}/{number}" for number in range(150)] + [f"{VIEW}/[1]", f"{VIEW}/*"]) == {}
    assert names.there == {"v/others"}
    assert names.requests == {"batch": 2}


def test_files_that_are_gone_are_deleted_and_those_that_are_left_have_what_is_said_of_them(
    names: Names, storage: MetadataStorage
) -> None:
    names.there = {"v/1", "v/2", "v/3"}
    names.kept = {"v/3"}
    left = storage.delete_all([f"{VIEW}/{name}" for name in ("1", "gone", "2", "3")])
    assert {location: error.failure for location, error in left.items()} == {f"{VIEW}/3": StorageFailure.FORBIDDEN}
    assert names.there == {"v/3"}


def test_directories_that_lie_side_by_side_are_listed_by_one_request(names: Names, storage: MetadataStorage) -> None:
    names.there = {"v/metadata/1", "v/metadata/in/2", "v/partitions/3", "v/4"}
    directories = [f"{VIEW}/metadata", f"{VIEW}/partitions"]
    listed = storage.list_together(directories)
    assert names.requests == {"list": 1}
    assert listed == {one: storage.list_infos(one) for one in directories}
    assert [info.location for infos in listed.values() for info in infos] == [
        f"{VIEW}/metadata/1",
        f"{VIEW}/partitions/3",
    ]
    names.there |= {f"v/a/{number}" for number in range(500)}
    assert storage.list_together(directories) == listed
