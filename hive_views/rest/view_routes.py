"""The routes of views: list, exists, load, create, replace, rename, drop, register."""

from __future__ import annotations

from hive_views.errors import (
    AlreadyExistsError,
    CorruptMetadataError,
    InvalidInputError,
    NoSuchNamespaceError,
    NoSuchVersionError,
    NoSuchViewError,
    TableAlreadyExistsError,
    UnsupportedFeatureError,
)
from hive_views.rest.bodies import CommitView, CreateView, Identifier, RegisterView, Rename
from hive_views.rest.call import DONE, Answer, Call, one_level
from hive_views.rest.pages import list_rows
from hive_views.rest.request_errors import RequestError
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.view import is_iceberg_view, is_lost


def list_views(call: Call) -> Answer:
    names = call.served.catalog.metastore.list_view_names(call.namespace)
    # One that points to no file would be missing when it is loaded.
    return list_rows(call, names, lambda row: is_iceberg_view(row) and not is_lost(row))


def load_view(call: Call) -> Answer:
    try:
        return Answer(call.served.answer(call.served.client_catalog(call.owner).load(call.view)))
    except (CorruptMetadataError, InvalidInputError, NoSuchVersionError, UnsupportedFeatureError) as error:
        # A client that loads all views of a namespace goes on after this status, and ends at any other.
        message = f"View cannot be loaded: {call.view}. {error.shell_message}"
        raise RequestError(404, "NotFoundException", message) from error


def view_exists(call: Call) -> Answer:
    call.served.client_catalog(call.owner).check_exists(call.view)
    return DONE


def create_view(call: Call) -> Answer:
    body = call.body(CreateView)
    view = call.served.client_catalog(call.owner).create(
        TableIdentifier(call.namespace, body.name),
        body.view_version,
        body.columns,
        properties=body.properties,
        location=body.location,
        key=call.key,
    )
    return Answer(call.served.answer(view))


def replace_view(call: Call) -> Answer:
    body = call.body(CommitView)
    catalog = call.served.client_catalog(call.owner)
    view = catalog.commit(call.view, body.changes(), view_uuid=body.view_uuid(), key=call.key)
    return Answer(call.served.answer(view))


def drop_view(call: Call) -> Answer:
    call.served.client_catalog(call.owner).drop(call.view, key=call.key)
    return DONE


def rename_view(call: Call) -> Answer:
    body = call.body(Rename)
    source, target = _named(body.source), _named(body.destination)
    try:
        call.served.client_catalog(call.owner).rename(source, target, key=call.key)
    except AlreadyExistsError as error:
        what = "Table" if isinstance(error, TableAlreadyExistsError) else "View"
        message = f"Cannot rename {_written(body.source)} to {_written(body.destination)}. {what} already exists."
        raise RequestError(409, "AlreadyExistsException", message) from error
    except NoSuchNamespaceError as error:
        message = f"Namespace does not exist: {target.namespace}"
        raise RequestError(404, "NoSuchNamespaceException", message) from error
    except NoSuchViewError as error:
        raise RequestError(
            404, "NoSuchViewException", f"View does not exist: {_written(body.source)}. {error.shell_message}"
        ) from error
    return DONE


def register_view(call: Call) -> Answer:
    body = call.body(RegisterView)
    view = call.served.client_catalog(call.owner).register(
        TableIdentifier(call.namespace, body.name), body.metadata_location, overwrite=body.overwrite, key=call.key
    )
    return Answer(call.served.answer(view))


def _written(identifier: Identifier) -> str:
    return ".".join([*identifier.namespace, identifier.name])


def _named(identifier: Identifier) -> TableIdentifier:
    return TableIdentifier(one_level(identifier.namespace), identifier.name)
