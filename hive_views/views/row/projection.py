"""Projects a metadata file to the metastore row that points to it.

The metadata file is authoritative; the row is a correct VIRTUAL_VIEW for engines that read nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from hive_views.errors import CorruptMetadataError, InvalidInputError, PartitionColumnsError
from hive_views.hive.row import (
    COMMENT,
    DDL_TIME,
    POINTER,
    PREVIOUS_POINTER,
    TABLE_TYPE,
    VIEW_UUID,
    VIRTUAL_VIEW,
    Column,
    Row,
)
from hive_views.hive.types import hive_type
from hive_views.persisted import (
    FINGERPRINT,
    FOR_ENGINE,
    INCARNATION,
    ORIGINAL_SQL,
    OWN_PREFIX,
    OWNS,
    PARTITIONED_ON,
    PENDING_KEYS,
    TEXT_DIALECT,
    TRINO_CATALOG,
)
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.strict_json import read_json
from hive_views.spec.updates import DROP_DIALECT_ALLOWED
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.sql.expand import expand
from hive_views.sql.query import QueryText
from hive_views.sql.tables import names_as_written
from hive_views.views.row.content import ENGINE_PREFIXES, TRINO_VIEW, RowContent
from hive_views.views.row.hive_iceberg_view import is_read_from_file
from hive_views.views.row.reserved_properties import row_properties
from hive_views.views.row.spark_row import SETTINGS_PREFIX
from hive_views.views.row.star_columns import star_columns
from hive_views.views.row.trino_view import trino_content
from hive_views.views.row.version import hive_types, row_dialect, spark_settings

ICEBERG_VIEW = "ICEBERG-VIEW"
INPUT_FORMAT = "org.apache.hadoop.mapred.TextInputFormat"
_OUTPUT_FORMAT = "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat"

UNREADABLE_TEXT = "SELECT * FROM `plain readers of the metastore cannot read this view, an Iceberg catalog can`"
"""The text of a row whose version has none that means the same to plain readers: each engine prints what it misses."""

# What Spark's ALTER VIEW and Iceberg Java leave behind. Spark believes these more than the columns of the row, so that
# a stale copy silently shows an old definition (SPARK-36905, SPARK-37046).
_LEFTOVERS = frozenset(("current-schema", FINGERPRINT, TEXT_DIALECT, PENDING_KEYS, DDL_TIME, TRINO_VIEW))

# Properties that mean something to us, so that a row never has them when the file has not.
WATCHED = frozenset((COMMENT, DROP_DIALECT_ALLOWED))


def is_in_iceberg(row: Row) -> bool:
    """Whether a row is of a table of Iceberg or a view of this library, which Iceberg's catalogs have."""
    return row.parameters.get(TABLE_TYPE, "").upper() in ("ICEBERG", ICEBERG_VIEW)


def user_properties(metadata: ViewMetadata) -> dict[str, str]:
    """The properties without those this library keeps for itself."""
    return {
        key: value for key, value in metadata.properties.items() if key == FOR_ENGINE or not key.startswith(OWN_PREFIX)
    }


def partitioned_on(metadata: ViewMetadata) -> tuple[str, ...]:
    """The partition columns declared in the metadata, in lower case and in their order; () for none."""
    declared = metadata.properties.get(PARTITIONED_ON)
    if declared is None:
        return ()
    try:
        return tuple(str(name) for name in read_json(declared))
    except (ValueError, TypeError) as e:
        raise CorruptMetadataError(
            f"The view's property {PARTITIONED_ON} is {declared!r}, not a JSON list of column names."
        ) from e


def row_columns(metadata: ViewMetadata) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """The columns of the row and its partition keys, in Hive's types, from the current schema.

    Raises:
        InvalidSchemaError: a type has no counterpart in Hive, or the columns do not end in the partition columns.
    """
    narrower = hive_types(metadata.current_version)
    columns = tuple(
        Column(
            name=field.name.lower(),
            type=narrower.get(field.name.lower()) or hive_type(field.type, column=field.name),
            comment=field.doc or None,
        )
        for field in metadata.current_schema.fields
    )
    keys = partitioned_on(metadata)
    split = len(columns) - len(keys)
    if tuple(column.name for column in columns[split:]) != keys or (keys and split <= 0):
        raise PartitionColumnsError(
            f"The view is partitioned on ({', '.join(keys)}), but its columns "
            f"({', '.join(column.name for column in columns)}) do not end in these, after at least one other.",
            columns=[column.name for column in columns],
        )
    return columns[:split], columns[split:]


def check_plain_readers(version: ViewVersion, identifier: TableIdentifier) -> None:
    """
    Raises:
        InvalidInputError: there is neither a ``hive`` nor a ``spark`` text, so that Hive and Spark cannot read the row.
    """
    if row_dialect(version) not in ("hive", "spark"):
        raise InvalidInputError(
            f"View {identifier} only has SQL in {', '.join(version.dialects) or 'no dialect'}: add 'hive' or "
            f"'spark', which plain readers of the metastore understand."
        )


def check_names(query: QueryText, catalog: str | None, identifier: TableIdentifier) -> None:
    """Make sure that a text for the row means the same to plain readers and to readers of the metadata file.

    Names that are not full resolve in the catalog of the version in the file, and in the metastore in the row.

    Raises:
        InvalidInputError: the text has such names, and ``catalog``, in which they resolve, is not the metastore.
    """
    dialect = query.dialect
    if _is_metastore(catalog, dialect):
        return
    # Only Spark has names of catalogs.
    full, example = (3, "spark_catalog.database.table") if dialect == "spark" else (2, "database.table")
    short = [".".join(name) for name in names_as_written(query) if len(name) < full]
    if short:
        raise InvalidInputError(
            f"Cannot write the {dialect} SQL of {identifier} to a row: its names resolve in the catalog "
            f"{catalog}, those of a row in the metastore, and it has {', '.join(short)}. Write them as "
            f"{example}, or replace the view: names resolve in the metastore then.",
            identifier=str(identifier),
        )


def _is_metastore(catalog: str | None, dialect: str) -> bool:
    """Whether readers of a text find the tables of the metastore in a catalog of this name."""
    return not catalog or catalog.lower() in (METASTORE_CATALOGS if dialect == "hive" else ("spark_catalog",))


def check_row_text(
    metadata: ViewMetadata, identifier: TableIdentifier, read: Mapping[str, QueryText] | None = None
) -> None:
    """Make sure that plain readers of the row can be given a text of the current version.

    ``read`` are texts that were read already, by dialect.

    Raises:
        InvalidInputError: as ``row_texts``; not for rows in Trino's form, nor for adopted ones.
    """
    if _is_made_of_texts(metadata):
        row_texts(metadata, identifier, read)


def row_texts(
    metadata: ViewMetadata, identifier: TableIdentifier, read: Mapping[str, QueryText] | None = None
) -> tuple[str, str, str]:
    """The dialect that the row's text is written in, the text as typed, and the expanded text.

    Raises:
        InvalidInputError: there is neither a ``hive`` nor a ``spark`` text, its names resolve elsewhere, or plain
            readers cannot read it.
    """
    version = metadata.current_version
    check_plain_readers(version, identifier)
    dialect = "hive" if version.sql_in("hive") else "spark"
    representation = version.sql_in(dialect)
    assert representation is not None
    typed = version.summary.get(ORIGINAL_SQL + dialect, representation.sql)
    written_by_us = dialect == "hive" and ORIGINAL_SQL + dialect in version.summary
    if written_by_us:
        return dialect, typed, representation.sql
    known = (read or {}).get(dialect)
    query = known if known == representation.sql else QueryText(representation.sql, dialect)
    check_names(query, version.default_catalog, identifier)
    star = star_columns(metadata) if dialect == "spark" else None
    columns, namespace = metadata.current_schema.names, version.namespace_or(identifier.namespace)
    expanded = _expanded(
        query, dialect, tuple(columns), namespace, identifier.name, None if star is None else tuple(star)
    )
    return dialect, typed, expanded


# A commit makes the row of a text several times: to check it, to write it, to compare it.
@lru_cache(maxsize=16)
def _expanded(
    query: QueryText,
    dialect: str,
    columns: tuple[str, ...],
    namespace: str,
    view_name: str,
    star_columns: tuple[str, ...] | None,
) -> str:
    assert query.dialect == dialect  # texts that are equal in two dialects are two
    # Who makes a version decides who has to read it; one that is there may be older than that.
    return expand(
        query, columns=columns, namespace=namespace, view_name=view_name, star_columns=star_columns, readers=()
    )


def project(
    metadata: ViewMetadata,
    *,
    identifier: TableIdentifier,
    location: str,
    previous_location: str | None,
    owner: str | None,
    current: Row | None = None,
    replaced: ViewMetadata | None = None,
    owns: bool = False,
) -> Row:
    """The row for ``metadata`` in the file at ``location``.

    ``current`` is the existing row, whose owner and foreign parameters are kept, and ``replaced`` its metadata:
    properties of it that are no longer in ``metadata`` are removed from the row. With ``owns`` the row proves that the
    files of this incarnation are its own.

    Raises:
        InvalidSchemaError: a row cannot have the columns of the metadata.
    """
    content = _content(metadata, identifier)
    parameters = dict(current.parameters) if current else {}
    for key in tuple(parameters):
        gone = replaced is not None and key in replaced.properties
        if gone or key in _LEFTOVERS or key in WATCHED or key.startswith(ENGINE_PREFIXES):
            del parameters[key]
    parameters |= row_properties(metadata)
    parameters |= {VIEW_UUID: metadata.view_uuid, TABLE_TYPE: ICEBERG_VIEW, POINTER: location}
    parameters |= content.parameters
    if owns:
        parameters[OWNS] = metadata.properties[INCARNATION]
    parameters.pop(PREVIOUS_POINTER, None)
    if previous_location:
        parameters[PREVIOUS_POINTER] = previous_location
    dialect = row_dialect(metadata.current_version)
    if dialect and dialect != "hive":
        parameters[TEXT_DIALECT] = dialect
    # Hive's own reader goes by these.
    formats = current if current and is_read_from_file(current) else content
    row = Row(
        identifier=identifier,
        table_type=VIRTUAL_VIEW,
        owner=(current.owner if current else None) or owner,
        location=None,
        columns=content.columns,
        partition_keys=content.partition_keys,
        input_format=formats.input_format,
        output_format=formats.output_format,
        serde_library=formats.serde_library,
        serde_parameters=formats.serde_parameters,
        original_text=content.original_text,
        expanded_text=content.expanded_text,
        parameters=parameters,
        create_time_s=current.create_time_s if current else 0,
        native=current.native if current else None,
    )
    return replace(row, parameters={**parameters, FINGERPRINT: fingerprint(row)})


def _content(metadata: ViewMetadata, identifier: TableIdentifier) -> RowContent:
    version, keys = metadata.current_version, partitioned_on(metadata)
    found = RowContent.kept_by(version)
    if _is_made_of_texts(metadata):
        return _content_of_ours(metadata, identifier)
    if row_dialect(version) == "trino" and not keys:
        return trino_content(
            version.sql_in("trino").sql,  # type: ignore[union-attr]  # it is that of the row
            metadata.current_schema.fields,
            hive_types(version),
            comment=metadata.properties.get(COMMENT),
            catalog=version.default_catalog or version.summary.get(TRINO_CATALOG),
            schema=version.default_namespace[-1] if version.default_namespace else None,
            found=found,
        )
    assert found is not None
    if tuple(key.name for key in found.partition_keys) == keys:
        return found
    # The view was partitioned in another way after the version was made.
    columns, partition_keys = row_columns(metadata)
    return replace(found, columns=columns, partition_keys=partition_keys)


def _is_made_of_texts(metadata: ViewMetadata) -> bool:
    """Whether the row is neither in Trino's form nor one that was adopted."""
    version = metadata.current_version
    in_trinos_form = row_dialect(version) == "trino" and not partitioned_on(metadata)
    return not in_trinos_form and RowContent.kept_by(version) is None


def _content_of_ours(metadata: ViewMetadata, identifier: TableIdentifier) -> RowContent:
    version = metadata.current_version
    columns, keys = row_columns(metadata)
    try:
        dialect, typed, expanded = row_texts(metadata, identifier)
    except InvalidInputError:
        # Another engine's. A row that fails is better than one that reads other tables of the same names.
        dialect, typed, expanded = "spark", UNREADABLE_TEXT, UNREADABLE_TEXT
    settings = spark_settings(version)
    if dialect != "hive":
        # A row that does not pin the mode is read with ANSI off, whatever the reader's session says.
        settings = {"spark.sql.ansi.enabled": "true", **settings}
    return RowContent(
        original_text=typed,
        expanded_text=expanded,
        columns=columns,
        partition_keys=keys,
        input_format=INPUT_FORMAT,
        output_format=_OUTPUT_FORMAT,
        parameters={
            "view.catalogAndNamespace.numParts": "2",
            "view.catalogAndNamespace.part.0": "spark_catalog",
            # Where functions are found, and names that only Spark knows for such: IDENTIFIER('t').
            "view.catalogAndNamespace.part.1": (
                version.namespace_or(identifier.namespace)
                if _is_metastore(version.default_catalog, dialect)
                else identifier.namespace
            ),
            **{SETTINGS_PREFIX + name: value for name, value in settings.items()},
        },
    )


def fingerprint(row: Row) -> str:
    """A short hash of everything that readers take from a row: texts, columns, keys, location, namespace, pointer."""
    said = (
        row.table_type.upper(),
        row.location,
        row.input_format,
        [(c.name, c.type, c.comment) for c in (*row.columns, *row.partition_keys)],
        len(row.partition_keys),
        row.original_text,
        row.expanded_text,
        row.parameters.get(POINTER),
        sorted((key, value) for key, value in row.parameters.items() if key.startswith(ENGINE_PREFIXES)),
    )
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]


def without_keys(row: Row, location: str) -> Row:
    """The row between the two swaps that change the columns of a partitioned view: unpartitioned, with a marker.

    The marker holds the keys, for people and tools that have to repair the row without its metadata file.
    """
    keys = json.dumps([[key.name, key.type, key.comment] for key in row.partition_keys])
    parameters = {**row.parameters, POINTER: location, PREVIOUS_POINTER: row.parameters[POINTER], PENDING_KEYS: keys}
    return replace(row, partition_keys=(), location=None, parameters=parameters)


def with_keys(row: Row, keys: tuple[Column, ...]) -> Row:
    """A row that another writer changed between the two swaps, partitioned again, with that change."""
    names = {key.name for key in keys}
    columns = tuple(column for column in row.columns if column.name not in names)
    parameters = {key: value for key, value in row.parameters.items() if key != PENDING_KEYS}
    return replace(row, columns=columns, partition_keys=keys, parameters=parameters)


def is_same_row(found: Row, written: Row) -> bool:
    """Whether a row is as it was written, in everything that readers take from it and in all parameters."""
    has, wanted = ({k: v for k, v in row.parameters.items() if k != DDL_TIME} for row in (found, written))
    return has == wanted and fingerprint(found) == fingerprint(written)


def is_ascii(row: Row) -> bool:
    """Whether every metastore database can hold the row's texts, columns and parameters."""
    texts = [row.original_text or "", row.expanded_text or "", *row.parameters, *row.parameters.values()]
    for column in (*row.columns, *row.partition_keys):
        texts += [column.name, column.type, column.comment or ""]
    return all(text.isascii() for text in texts)
