"""A client of a REST catalog over one connection, with the requests that Iceberg's Java client sends."""

from __future__ import annotations

import http.client
import json
import time
import uuid
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

_SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "user_id", "required": False, "type": "long"},
        {"id": 2, "name": "clicks", "required": False, "type": "long", "doc": "how often"},
        {"id": 3, "name": "ds", "required": False, "type": "string"},
    ],
}
# Both servers close a connection that was idle for 30 s.
_STALE_S = 20.0


class RestClient:
    """A client of the views of one namespace. Not for two threads at once.

    Args:
        address: of the server.
        namespace: in which views are.
    """

    def __init__(self, address: str, namespace: str) -> None:
        self.address, self._namespace = address, namespace
        self._uuids: dict[str, str] = {}
        split = urlsplit(address)
        assert split.hostname
        assert split.port
        self.port = split.port
        self._connection = http.client.HTTPConnection(split.hostname, split.port)
        self._used_s = time.monotonic()
        self._prefix = ""
        prefix = self.ask("GET", "/config")["overrides"].get("prefix")
        self._prefix = f"/{prefix}" if prefix else ""

    def another(self) -> RestClient:
        """A client of the same server over a connection of its own."""
        return RestClient(self.address, self._namespace)

    def view(self, name: str) -> str:
        """The path of a view."""
        return f"{self._prefix}/namespaces/{self._namespace}/views/{name}"

    def load(self, name: str) -> bytes:
        """The answer as it came: what a client makes of it is no server's time."""
        return self._fetch("GET", self.view(name))

    def list(self, namespace: str) -> Any:
        return self.ask("GET", f"{self._prefix}/namespaces/{namespace}/views?pageToken=")

    def create(self, name: str, *, versions_kept: int = 10) -> None:
        """Create a view."""
        body = {
            "name": name,
            "location": None,
            "view-version": self._version(0),
            "schema": _SCHEMA,
            "properties": {"version.history.num-entries": str(versions_kept), "engine_version": "Spark 4.1.4"},
        }
        made = self.ask("POST", f"{self._prefix}/namespaces/{self._namespace}/views", body)
        self._uuids[name] = made["metadata"]["view-uuid"]

    def commit(self, name: str, number: int) -> None:
        """Add a version to a view that this client has created; its text is another for each number."""
        body = {
            "requirements": [{"type": "assert-view-uuid", "uuid": self._uuids[name]}],
            "updates": [
                {"action": "add-view-version", "view-version": self._version(number)},
                {"action": "set-current-view-version", "view-version-id": -1},
            ],
        }
        self.ask("POST", self.view(name), body)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The answer's document."""
        return json.loads(self._fetch(method, path, body))

    def _fetch(self, method: str, path: str, body: object = None) -> bytes:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        if time.monotonic() - self._used_s > _STALE_S:
            self._connection.close()  # http.client opens it again
        self._used_s = time.monotonic()
        self._connection.request(method, f"/v1{path}", content, headers)
        answer = self._connection.getresponse()
        found = answer.read()
        assert answer.status == http.HTTPStatus.OK, (method, path, answer.status, found[:500])
        return found

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> RestClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _version(self, number: int) -> dict[str, object]:
        sql = f"SELECT user_id, count(*) AS clicks, ds FROM web.clicks WHERE user_id > {number} GROUP BY user_id, ds"
        return {
            "version-id": 1,
            "timestamp-ms": time.time_ns() // 1_000_000,
            "schema-id": 0,
            "summary": {"engine-name": "spark", "engine-version": "4.1.4"},
            "default-namespace": [self._namespace],
            "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
        }
