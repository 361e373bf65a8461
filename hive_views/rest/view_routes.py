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
from hive_views.rest.api import NO_CONTENT, ApiRequest, ApiResponse, one_level
from hive_views.rest.bodies import CommitView, CreateView, Identifier, RegisterView, Rename, body_of
from hive_views.rest.pages import list_rows
from hive_views.rest.request_errors import RequestError
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.view import View, is_iceberg_view, is_lost


def list_views(request: ApiRequest) -> ApiResponse:
    names = request.metastore.list_view_names(request.namespace)
    # One that points to no file would be missing when it is loaded.
    return list_rows(request, names, lambda row: is_iceberg_view(row) and not is_lost(row))


def load_view(request: ApiRequest) -> ApiResponse:
    try:
        return _loaded(request, request.client_catalog.load(request.view))
    except (CorruptMetadataError, InvalidInputError, NoSuchVersionError, UnsupportedFeatureError) as error:
        # A client that loads all views of a namespace goes on after this status, and stops at any other.
        message = f"View cannot be loaded: {request.view}. {error.shell_message}"
        raise RequestError(404, "NotFoundException", message) from error


def view_exists(request: ApiRequest) -> ApiResponse:
    request.client_catalog.check_exists(request.view)
    return NO_CONTENT


def create_view(request: ApiRequest) -> ApiResponse:
    body = body_of(CreateView, request.body)
    view = request.client_catalog.create(
        TableIdentifier(request.namespace, body.name),
        body.view_version,
        body.columns,
        properties=body.properties,
        location=body.location,
        key=request.key,
    )
    return _loaded(request, view)


def replace_view(request: ApiRequest) -> ApiResponse:
    body = body_of(CommitView, request.body)
    changes = [one.update() for one in body.updates]
    view = request.client_catalog.commit(request.view, changes, view_uuid=body.view_uuid(), key=request.key)
    return _loaded(request, view)


def drop_view(request: ApiRequest) -> ApiResponse:
    request.client_catalog.drop(request.view, key=request.key)
    return NO_CONTENT


def rename_view(request: ApiRequest) -> ApiResponse:
    body = body_of(Rename, request.body)
    source, target = _named(body.source), _named(body.destination)
    try:
        request.client_catalog.rename(source, target, key=request.key)
    except AlreadyExistsError as error:
        what = "Table" if isinstance(error, TableAlreadyExistsError) else "View"
        message = f"Cannot rename {_written(body.source)} to {_written(body.destination)}. {what} already exists."
        raise RequestError(409, "AlreadyExistsException", message) from error
    except NoSuchNamespaceError as error:
        message = f"Namespace does not exist: {target.namespace}"
        raise RequestError(404, "NoSuchNamespaceException", message) from error
    except NoSuchViewError as error:
        message = f"View does not exist: {_written(body.source)}. {error.shell_message}"
        raise RequestError(404, "NoSuchViewException", message) from error
    return NO_CONTENT


def register_view(request: ApiRequest) -> ApiResponse:
    body = body_of(RegisterView, request.body)
    name = TableIdentifier(request.namespace, body.name)
    view = request.client_catalog.register(name, body.metadata_location, overwrite=body.overwrite, key=request.key)
    return _loaded(request, view)


def _loaded(request: ApiRequest, view: View) -> ApiResponse:
    return ApiResponse(request.served.loaded(view))


def _written(identifier: Identifier) -> str:
    return ".".join([*identifier.namespace, identifier.name])


def _named(identifier: Identifier) -> TableIdentifier:
    return TableIdentifier(one_level(identifier.namespace), identifier.name)
