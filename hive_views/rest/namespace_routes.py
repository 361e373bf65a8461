"""The routes of namespaces: list, load, exists, create, drop, properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hive_views.errors import AlreadyExistsError, NotFoundError, UnavailableError
from hive_views.hive.row import NamespaceRow
from hive_views.rest.api import NO_CONTENT, ApiRequest, ApiResponse, existing_level, one_level
from hive_views.rest.bodies import CreateNamespace, UpdateNamespaceProperties, body_of
from hive_views.rest.pages import page
from hive_views.rest.request_errors import RequestError
from hive_views.storage.locations import client_location
from hive_views.views.changes.client_updates import request_hash
from hive_views.views.commit import namespace_changes

_FIRST = "default"


def list_namespaces(request: ApiRequest) -> ApiResponse:
    parent = request.query.get("parent")
    if parent:
        request.metastore.load_namespace(existing_level(parent))
        return ApiResponse({"namespaces": [], "next-page-token": None})
    names, token = page(request.served.catalog.list_namespaces(), request.query)
    return ApiResponse({"namespaces": [[name] for name in names], "next-page-token": token})


def load_namespace(request: ApiRequest) -> ApiResponse:
    return _loaded(request.metastore.load_namespace(request.namespace))


def namespace_exists(request: ApiRequest) -> ApiResponse:
    request.metastore.load_namespace(request.namespace)
    return NO_CONTENT


def create_namespace(request: ApiRequest) -> ApiResponse:
    body = body_of(CreateNamespace, request.body)
    name, given = one_level(body.namespace), body.properties
    wanted = namespace_changes.row_with(name, given)
    _check_owner(request, name, given)
    location = client_location(wanted.location) if wanted.location else None
    if location:
        # The metastore makes the directory, with its own rights; those it has of its own are beside its first one.
        request.client_catalog.check_places(_FIRST, [location])
    wanted = replace(wanted, location=location, owner=wanted.owner or request.owner)
    try:
        namespace_changes.create(request.metastore, wanted, request_hash("create-namespace", request.key))
    except AlreadyExistsError as error:
        message = f"Namespace already exists: {name}. {error}"
        raise RequestError(409, "AlreadyExistsException", message) from error
    try:
        return _loaded(request.metastore.load_namespace(name))
    except (NotFoundError, UnavailableError):
        # It was created all the same.
        return _loaded(wanted)


def drop_namespace(request: ApiRequest) -> ApiResponse:
    namespace_changes.drop(request.metastore, request.namespace)
    return NO_CONTENT


def update_properties(request: ApiRequest) -> ApiResponse:
    body = body_of(UpdateNamespaceProperties, request.body)
    removals, updates = body.removals or (), body.updates or {}
    both = sorted(set(removals) & set(updates))
    if both:
        raise RequestError(422, "UnprocessableEntityException", f"Cannot set and remove the same property: {both[0]}.")
    namespace_changes.check_update(updates, removals)
    row = request.metastore.load_namespace(request.namespace)
    before = namespace_changes.properties_of(row)
    changed = namespace_changes.updated(row, updates, removals)
    if changed.owner != row.owner:
        _check_owner(request, row.name, updates)
    if changed != row:
        namespace_changes.alter(request.metastore, row, changed)
    removed = [key for key in removals if key in before]
    missing = [key for key in removals if key not in before]
    return ApiResponse({"updated": sorted(updates), "removed": removed, "missing": missing})


def _check_owner(request: ApiRequest, name: str, properties: Mapping[str, str]) -> None:
    owner = namespace_changes.OWNER
    request.served.run_as(request.owner).check(f"namespace {name}", properties.get(owner), owner)


def _loaded(row: NamespaceRow) -> ApiResponse:
    return ApiResponse({"namespace": [row.name], "properties": namespace_changes.properties_of(row)})
