"""The routes of tables: Iceberg tables of the metastore, to be read and no more.

A client fails on a server without tables where it asks for one, as for what a view reads.
"""

from __future__ import annotations

import zlib
from typing import Any

from hive_views.errors import CorruptMetadataError, InvalidInputError, NoSuchTableError
from hive_views.hive.row import POINTER, TABLE_TYPE, Row
from hive_views.rest.call import DONE, Answer, Call
from hive_views.rest.pages import list_rows
from hive_views.rest.request_errors import RequestError
from hive_views.spec.serde import MOST_BYTES, is_compressed
from hive_views.spec.strict_json import read_json
from hive_views.spec.unpacking import gunzip

_ICEBERG = "iceberg"
# Structs in structs of a schema have three each.
_MOST_LEVELS = 500


def list_tables(call: Call) -> Answer:
    return list_rows(call, call.served.catalog.metastore.list_table_names(call.namespace), _is_iceberg_table)


def table_exists(call: Call) -> Answer:
    _row(call)
    return DONE


def load_table(call: Call) -> Answer:
    snapshots = call.query.get("snapshots", "all")
    if snapshots not in ("all", "refs"):
        raise InvalidInputError(f"Cannot use {snapshots!r} as snapshots: it is all or refs.")
    location = _row(call).parameters[POINTER]
    is_gzip = is_compressed(location)
    metadata = _metadata(call.served.catalog.storage.read_bytes(location), location, is_gzip=is_gzip)
    if snapshots == "refs":
        metadata["snapshots"] = _named_snapshots(metadata, location)
    return Answer({"metadata-location": location, "metadata": metadata, "config": {}})


def refuse(call: Call) -> Answer:  # noqa: ARG001 - a route's signature
    raise RequestError(
        406,
        "UnsupportedOperationException",
        "Tables are read-only over REST. Write them with a catalog on the metastore itself (Iceberg's HiveCatalog, "
        "type=hive) or by the engine's own tables.",
    )


def _is_iceberg_table(row: Row) -> bool:
    return not row.is_view and row.parameters.get(TABLE_TYPE, "").lower() == _ICEBERG and POINTER in row.parameters


def _row(call: Call) -> Row:
    row = call.served.catalog.metastore.load_row(call.table)
    if not _is_iceberg_table(row):
        raise NoSuchTableError(f"{call.table} is not an Iceberg table.", identifier=str(call.table))
    return row


def _metadata(content: bytes, location: str, *, is_gzip: bool) -> dict[str, Any]:
    try:
        tree = read_json(gunzip(content, MOST_BYTES) if is_gzip else content, max_depth=_MOST_LEVELS)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise CorruptMetadataError(f"Cannot read {location}: {error}.", location=location) from error
    if not isinstance(tree, dict):
        raise CorruptMetadataError(f"Cannot read {location}: it is no JSON object.", location=location)
    return tree


def _named_snapshots(metadata: dict[str, Any], location: str) -> list[Any]:
    try:
        named = {ref["snapshot-id"] for ref in metadata.get("refs", {}).values()}
        return [one for one in metadata.get("snapshots", []) if one["snapshot-id"] in named]
    except (AttributeError, KeyError, TypeError) as error:
        message = f"Cannot read {location}: its refs and snapshots are none of Iceberg's."
        raise CorruptMetadataError(message, location=location) from error
