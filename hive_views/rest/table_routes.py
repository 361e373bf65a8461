"""The routes of tables: the Iceberg tables of the metastore, read-only.

On a server without tables, clients fail where they ask for one, such as a table that a view reads.
"""

from __future__ import annotations

import zlib
from typing import Any

from hive_views.errors import CorruptMetadataError, InvalidInputError, NoSuchTableError
from hive_views.hive.row import POINTER, TABLE_TYPE, Row
from hive_views.rest.api import NO_CONTENT, ApiRequest, ApiResponse
from hive_views.rest.pages import list_rows
from hive_views.rest.request_errors import RequestError
from hive_views.spec.serde import MOST_BYTES, is_compressed
from hive_views.spec.strict_json import read_json
from hive_views.spec.unpacking import gunzip

_ICEBERG = "iceberg"
# Structs in structs of a schema have three each.
_MOST_LEVELS = 500


def list_tables(request: ApiRequest) -> ApiResponse:
    return list_rows(request, request.metastore.list_table_names(request.namespace), _is_iceberg_table)


def table_exists(request: ApiRequest) -> ApiResponse:
    _row(request)
    return NO_CONTENT


def load_table(request: ApiRequest) -> ApiResponse:
    snapshots = request.query.get("snapshots", "all")
    if snapshots not in ("all", "refs"):
        raise InvalidInputError(f"Cannot use {snapshots!r} as snapshots: write all or refs.")
    location = _row(request).parameters[POINTER]
    metadata = _metadata(request.served.catalog.storage.read_bytes(location), location)
    if snapshots == "refs":
        metadata["snapshots"] = _named_snapshots(metadata, location)
    return ApiResponse({"metadata-location": location, "metadata": metadata, "config": {}})


def refuse(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - a route's signature
    raise RequestError(
        406,
        "UnsupportedOperationException",
        "Tables are read-only over REST. Write them with a catalog on the metastore itself (Iceberg's HiveCatalog, "
        "type=hive) or with the engine's own tables.",
    )


def _is_iceberg_table(row: Row) -> bool:
    return not row.is_view and row.parameters.get(TABLE_TYPE, "").lower() == _ICEBERG and POINTER in row.parameters


def _row(request: ApiRequest) -> Row:
    row = request.metastore.load_row(request.table)
    if not _is_iceberg_table(row):
        raise NoSuchTableError(f"{request.table} is not an Iceberg table.", identifier=str(request.table))
    return row


def _metadata(content: bytes, location: str) -> dict[str, Any]:
    try:
        text = gunzip(content, MOST_BYTES) if is_compressed(location) else content
        tree = read_json(text, max_depth=_MOST_LEVELS)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise CorruptMetadataError(f"Cannot read {location}: {error}.", location=location) from error
    if not isinstance(tree, dict):
        raise CorruptMetadataError(f"Cannot read {location}: it is not a JSON object.", location=location)
    return tree


def _named_snapshots(metadata: dict[str, Any], location: str) -> list[Any]:
    try:
        named = {ref["snapshot-id"] for ref in metadata.get("refs", {}).values()}
        return [one for one in metadata.get("snapshots", []) if one["snapshot-id"] in named]
    except (AttributeError, KeyError, TypeError) as error:
        message = f"Cannot read {location}: its refs and snapshots are not those of an Iceberg table."
        raise CorruptMetadataError(message, location=location) from error
