"""The routes of namespaces: list, load, exists, create, drop, properties."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from hive_views.errors import AlreadyExistsError, InvalidInputError, NotFoundError, UnavailableError
from hive_views.hive.row import COMMENT, NamespaceRow
from hive_views.persisted import OWN_PREFIX
from hive_views.rest.bodies import CreateNamespace, UpdateNamespaceProperties
from hive_views.rest.call import DONE, Answer, Call, existing_level, one_level
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


def list_namespaces(call: Call) -> Answer:
    parent = call.query.get("parent")
    if parent:
        call.served.catalog.metastore.load_namespace(existing_level(parent))
        return Answer({"namespaces": [], "next-page-token": None})
    names, token = page(call.served.catalog.list_namespaces(), call.query)
    return Answer({"namespaces": [[name] for name in names], "next-page-token": token})


def load_namespace(call: Call) -> Answer:
    row = call.served.catalog.metastore.load_namespace(call.namespace)
    return Answer({"namespace": [row.name], "properties": _properties(row)})


def namespace_exists(call: Call) -> Answer:
    call.served.catalog.metastore.load_namespace(call.namespace)
    return DONE


def create_namespace(call: Call) -> Answer:
    body = call.body(CreateNamespace)
    _check_names(body.properties)
    _check_owner(call, one_level(body.namespace), body.properties)
    metastore = call.served.catalog.metastore
    location = client_location(body.properties[_LOCATION]) if body.properties.get(_LOCATION) else None
    if location:
        # The metastore makes the directory, with its own rights; those it has of its own are beside its first one.
        call.served.client_catalog(call.owner).check_places(_FIRST, [location])
    wanted = NamespaceRow(
        one_level(body.namespace),
        location,
        body.properties.get(_OWNER) or call.owner,
        body.properties.get(COMMENT),
        _parameters(body.properties),
    )
    try:
        namespace_changes.create(metastore, wanted, request_hash("create-namespace", call.key))
    except AlreadyExistsError as error:
        said = f"Namespace already exists: {wanted.name}. {error}"
        raise RequestError(409, "AlreadyExistsException", said) from error
    try:
        made = metastore.load_namespace(wanted.name)
    except (NotFoundError, UnavailableError):
        # It was created all the same.
        made = wanted
    return Answer({"namespace": [wanted.name], "properties": _properties(made)})


def drop_namespace(call: Call) -> Answer:
    namespace_changes.drop(call.served.catalog.metastore, call.namespace)
    return DONE


def update_properties(call: Call) -> Answer:
    body = call.body(UpdateNamespaceProperties)
    removals, updates = body.removals or (), body.updates or {}
    both = sorted(set(removals) & set(updates))
    if both:
        raise RequestError(422, "UnprocessableEntityException", f"Cannot set and remove the same property: {both[0]}.")
    if _LOCATION in removals or _LOCATION in updates:
        raise InvalidInputError("Cannot change the location of a namespace: its tables and views stay where they are.")
    if _OWNER in removals or not updates.get(_OWNER, "somebody"):
        raise InvalidInputError("Cannot take its owner from a namespace: give it another one.")
    _check_names([*removals, *updates])
    metastore = call.served.catalog.metastore
    row = metastore.load_namespace(call.namespace)
    before = _properties(row)
    changed = _changed(row, updates, removals)
    if changed.owner != row.owner:
        _check_owner(call, row.name, updates)
    if changed != row:
        namespace_changes.alter(metastore, row, changed)
    removed = [key for key in removals if key in before]
    missing = [key for key in removals if key not in before]
    return Answer({"updated": sorted(updates), "removed": removed, "missing": missing})


def _check_names(keys: Iterable[str]) -> None:
    """
    Raises:
        InvalidInputError: one is ours.
    """
    for key in keys:
        if key.startswith(OWN_PREFIX):
            raise InvalidInputError(
                f"Cannot use property {key!r}: names that start with {OWN_PREFIX} are not for users."
            )


def _check_owner(call: Call, name: str, properties: Mapping[str, str]) -> None:
    """
    Raises:
        InvalidInputError: the namespace would be somebody's whom the client may not name.
    """
    call.served.run_as(call.owner).check(f"namespace {name}", properties.get(_OWNER), _OWNER)


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
