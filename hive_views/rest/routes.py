"""The function for each kind of request."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hive_views.rest import namespace_routes, table_routes, view_routes
from hive_views.rest.api import ApiRequest, ApiResponse


class Route(NamedTuple):
    """One kind of request; clients get a list of those that are served."""

    method: str
    path: str
    respond: Callable[[ApiRequest], ApiResponse]
    writes: bool = False
    is_served: bool = True

    @property
    def endpoint(self) -> str:
        """As the list of endpoints in the specification has it."""
        return f"{self.method} /v1/{{prefix}}{self.path}"


_NAMESPACE = "/namespaces/{namespace}"
_VIEWS, _VIEW = f"{_NAMESPACE}/views", f"{_NAMESPACE}/views/{{view}}"
_TABLES, _TABLE = f"{_NAMESPACE}/tables", f"{_NAMESPACE}/tables/{{table}}"

ROUTES = (
    Route("GET", "/namespaces", namespace_routes.list_namespaces),
    Route("POST", "/namespaces", namespace_routes.create_namespace, writes=True),
    Route("GET", _NAMESPACE, namespace_routes.load_namespace),
    Route("HEAD", _NAMESPACE, namespace_routes.namespace_exists),
    Route("DELETE", _NAMESPACE, namespace_routes.drop_namespace, writes=True),
    Route("POST", f"{_NAMESPACE}/properties", namespace_routes.update_properties, writes=True),
    Route("GET", _VIEWS, view_routes.list_views),
    Route("POST", _VIEWS, view_routes.create_view, writes=True),
    Route("GET", _VIEW, view_routes.load_view),
    Route("HEAD", _VIEW, view_routes.view_exists),
    Route("POST", _VIEW, view_routes.replace_view, writes=True),
    Route("DELETE", _VIEW, view_routes.drop_view, writes=True),
    Route("POST", "/views/rename", view_routes.rename_view, writes=True),
    Route("POST", f"{_NAMESPACE}/register-view", view_routes.register_view, writes=True),
    Route("GET", _TABLES, table_routes.list_tables),
    Route("GET", _TABLE, table_routes.load_table),
    Route("HEAD", _TABLE, table_routes.table_exists),
    Route("POST", _TABLES, table_routes.refuse, writes=True, is_served=False),
    Route("POST", _TABLE, table_routes.refuse, writes=True, is_served=False),
    Route("DELETE", _TABLE, table_routes.refuse, writes=True, is_served=False),
    Route("POST", "/tables/rename", table_routes.refuse, writes=True, is_served=False),
    Route("POST", f"{_NAMESPACE}/register", table_routes.refuse, writes=True, is_served=False),
    Route("POST", "/transactions/commit", table_routes.refuse, writes=True, is_served=False),
)

ENDPOINTS = ["GET /v1/config", *(route.endpoint for route in ROUTES if route.is_served)]
