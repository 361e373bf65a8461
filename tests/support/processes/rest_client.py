"""A client of a REST server on a metastore in memory, and the bodies that Iceberg's Java client sends."""

from __future__ import annotations

import uuid
from typing import Any

from starlette.testclient import TestClient

from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.rest.access import Access
from hive_views.rest.application import create_app
from hive_views.rest.request_limits import Limits
from hive_views.rest.served import ServedCatalogs
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.on_drift import Drift
from tests.support.views.quick_catalog import catalog_on

PREFIX = "/v1/hive"
VIEWS = f"{PREFIX}/namespaces/sales/views"
VIEW = f"{VIEWS}/daily"

SCHEMA = {
    "type": "struct",
    "schema-id": 5,
    "fields": [
        {"id": 3, "name": "id", "required": True, "type": "int", "doc": "unique ID"},
        {"id": 4, "name": "ds", "required": False, "type": "string"},
    ],
}


class RestClient(TestClient):
    """A client, and the catalog behind the server."""

    catalog: ViewCatalog

    def error(self, method: str, url: str, **given: Any) -> tuple[int, str, str]:
        """Status, type and text of an answer that is an error."""
        answer = self.request(method, url, **given)
        error = answer.json()["error"]
        assert error["code"] == answer.status_code
        return answer.status_code, error["type"], error["message"]


def rest_client(
    metastore: Metastore | None = None,
    *,
    access: Access | None = None,
    limits: Limits | None = None,
    client_names: dict[str, str] | None = None,
    on_drift: Drift = "fail",
    warehouse: str | None = None,
    threads: int = 40,
    allowed: AllowedLocations | None = None,
    users: frozenset[str] | None = None,
) -> RestClient:
    catalog = catalog_on(metastore or MemoryMetastore(), warehouse)
    served = ServedCatalogs(
        {"hive": catalog}, client_names=client_names, on_drift=on_drift, allowed=allowed, users=users
    )
    client = RestClient(create_app(served, access=access, limits=limits, threads=threads))
    client.catalog = catalog
    return client


def version(sql: str = "SELECT id, ds FROM clicks", dialect: str = "spark", **given: Any) -> dict[str, Any]:
    return {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 5,
        "summary": {"engine-name": "spark"},
        "default-namespace": ["sales"],
        "representations": [{"type": "sql", "sql": sql, "dialect": dialect}],
        **given,
    }


def creation(name: str = "daily", **given: Any) -> dict[str, Any]:
    return {"name": name, "view-version": version(**given), "schema": SCHEMA, "properties": {"team": "web"}}


def replacement(view_uuid: str, sql: str, dialect: str = "spark", **given: Any) -> dict[str, Any]:
    """Another text on the columns that the view has."""
    return {
        "requirements": [{"type": "assert-view-uuid", "uuid": view_uuid}],
        "updates": [
            {"action": "add-view-version", "view-version": version(sql, dialect, **{"schema-id": 0, **given})},
            {"action": "set-current-view-version", "view-version-id": -1},
        ],
    }


def key() -> dict[str, str]:
    """The header of a request that can be told from others."""
    return {"Idempotency-Key": str(uuid.uuid4())}
