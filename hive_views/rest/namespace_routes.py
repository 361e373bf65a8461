"""The routes of namespaces: list, load, exists, create, drop, properties."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from hive_views.errors import AlreadyExistsError, InvalidInputError, NotFoundError, UnavailableError
from hive_views.hive.row import COMMENT, NamespaceRow
from hive_views.persisted import OWN_PREFIX
from hive_views.rest.api import NO_CONTENT, ApiRequest, ApiResponse, existing_level, one_level
from hive_views.rest.bodies import CreateNamespace, UpdateNamespaceProperties, body_of
from hive_views.rest.pages import page
from hive_views.rest.request_errors import RequestError
from hive_views.storage.locations import client_location
from hive_views.views.changes.client_updates import request_hash
from hive_views.views.commit import namespace_changes

# As Iceberg's HiveCatalog calls them.
_LOCATION = "location"
_OWNER = "hive.metastore.database.owner"
_OWN = (_LOCATION, _OWNER, COMMENT)
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
    _check_names(given)
    _check_owner(request, name, given)
    location = client_location(given[_LOCATION]) if given.get(_LOCATION) else None
    if location:
        # The metastore makes the directory, with its own rights; those it has of its own are beside its first one.
        request.client_catalog.check_places(_FIRST, [location])
    owner = given.get(_OWNER) or request.owner
    wanted = NamespaceRow(name, location, owner, given.get(COMMENT), _parameters(given))
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
    if _LOCATION in removals or _LOCATION in updates:
        raise InvalidInputError("Cannot change the location of a namespace: its tables and views stay where they are.")
    if _OWNER in removals or not updates.get(_OWNER, "somebody"):
        raise InvalidInputError("Cannot remove the owner of a namespace: give it another one.")
    _check_names([*removals, *updates])
    row = request.metastore.load_namespace(request.namespace)
    before = _properties(row)
    changed = _changed(row, updates, removals)
    if changed.owner != row.owner:
        _check_owner(request, row.name, updates)
    if changed != row:
        namespace_changes.alter(request.metastore, row, changed)
    removed = [key for key in removals if key in before]
    missing = [key for key in removals if key not in before]
    return ApiResponse({"updated": sorted(updates), "removed": removed, "missing": missing})


def _check_names(keys: Iterable[str]) -> None:
    reserved = next((key for key in keys if key.startswith(OWN_PREFIX)), None)
    if reserved:
        raise InvalidInputError(
            f"Cannot use the property {reserved!r}: names that start with {OWN_PREFIX} are reserved."
        )


def _check_owner(request: ApiRequest, name: str, properties: Mapping[str, str]) -> None:
    request.served.run_as(request.owner).check(f"namespace {name}", properties.get(_OWNER), _OWNER)


def _loaded(row: NamespaceRow) -> ApiResponse:
    return ApiResponse({"namespace": [row.name], "properties": _properties(row)})


def _properties(row: NamespaceRow) -> dict[str, str]:
    own = {_LOCATION: row.location, _OWNER: row.owner, COMMENT: row.comment}
    shown = {key: value for key, value in row.parameters.items() if not key.startswith(OWN_PREFIX)}
    return {**shown, **{key: value for key, value in own.items() if value}}


def _changed(row: NamespaceRow, updates: Mapping[str, str], removals: Collection[str]) -> NamespaceRow:
    parameters = {**row.parameters, **_parameters(updates)}
    return replace(
        row,
        owner=updates.get(_OWNER, row.owner),
        comment=None if COMMENT in removals else updates.get(COMMENT, row.comment),
        parameters={key: value for key, value in parameters.items() if key not in removals},
    )


def _parameters(properties: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in properties.items() if key not in _OWN}
