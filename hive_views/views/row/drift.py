"""Compares a row with its metadata file, and tells the two kinds of difference apart.

A row *needs repair* if it has the content of the file in a form that harms readers or partitions (after a commit by
Iceberg Java: location set, partition columns twice, texts copied): projecting again repairs it and loses nothing. It
has *drifted* if it has content that the file does not have (ALTER VIEW by Spark or Hive): projecting again would
overwrite another program's change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from hive_views.errors import InvalidSchemaError
from hive_views.hive.row import COMMENT, POINTER, Column, Row
from hive_views.hive.types import hive_type
from hive_views.persisted import FINGERPRINT, PENDING_KEYS
from hive_views.spec.metadata import ViewMetadata
from hive_views.views.row.content import ENGINE_PREFIXES, TRINO_VIEW, RowContent
from hive_views.views.row.projection import UNREADABLE_TEXT, WATCHED, fingerprint, project, user_properties
from hive_views.views.row.reserved_properties import row_properties
from hive_views.views.row.spark_row import SETTINGS_PREFIX
from hive_views.views.row.trino_view import properties_in
from hive_views.views.row.version import original_sql

# Iceberg Java's, which no reader of a view's row can use.
_JAVA_FORMATS = "org.apache.hadoop.mapred.File"
_NAME_SPACE = "view.catalogAndNamespace."


@dataclass(frozen=True)
class RowDifference:
    """One difference between a row and its metadata file."""

    kind: Literal["needs repair", "drifted"]
    what: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.what}: found {self.found}, expected {self.expected} ({self.kind})"


def is_as_written(row: Row) -> bool:
    """Whether the row is as our last commit wrote it, by a new fingerprint, since writers carry the old one along."""
    return row.parameters.get(FINGERPRINT) == fingerprint(row) and PENDING_KEYS not in row.parameters


def differences(row: Row, metadata: ViewMetadata) -> tuple[RowDifference, ...]:
    """The harmful differences between a row and its metadata; () if there are none.

    Harmless and not compared: serde, buckets, times, statistics, owner, parameters that the file does not have.
    """
    same_properties = all(row.parameters.get(key) == metadata.properties.get(key) for key in _watched(metadata))
    if same_properties and is_as_written(row):
        return ()
    return tuple(_compare(row, metadata))


def _compare(row: Row, metadata: ViewMetadata) -> Iterator[RowDifference]:
    if row.location is not None:
        yield RowDifference("needs repair", "location", row.location, "none: DROP VIEW would delete the directory")
    try:
        expected = project(
            metadata,
            identifier=row.identifier,
            location=row.parameters[POINTER],
            previous_location=None,
            owner=row.owner,
            current=row,
        )
    except InvalidSchemaError as e:
        found = f"columns ({_names(row.columns)}), partition keys ({_names(row.partition_keys)})"
        yield RowDifference("drifted", "partition columns", found, str(e))
        return
    if _is_by_java(row) and row.input_format != expected.input_format:
        yield RowDifference("needs repair", "input format", str(row.input_format), expected.input_format or "none")
    yield from _compare_columns(row, expected, metadata)
    yield from _compare_texts(row, expected, metadata)
    yield from _compare_parameters(row, expected, metadata)


def _compare_columns(row: Row, expected: Row, metadata: ViewMetadata) -> Iterator[RowDifference]:
    pending = PENDING_KEYS in row.parameters and not row.partition_keys
    if row.partition_keys != expected.partition_keys:
        found, wanted = _columns(row.partition_keys), _columns(expected.partition_keys)
        same = pending or _is_lossy_copy(found, wanted) or _are_keys_by_java(row, expected)
        yield RowDifference(_kind(same), "partition keys", found, wanted)
    if row.columns == expected.columns:
        return
    # Iceberg Java lists every column, partition columns too, in the types it knows.
    java = tuple(
        Column(field.name.lower(), hive_type(field.type, column=field.name), field.doc or None)
        for field in metadata.current_schema.fields
    )
    doubled = row.columns in (java, (*expected.columns, *expected.partition_keys))
    found, wanted = _columns(row.columns), _columns(expected.columns)
    yield RowDifference(_kind(doubled or _is_lossy_copy(found, wanted)), "columns", found, wanted)


def _are_keys_by_java(row: Row, expected: Row) -> bool:
    """Whether keys differ in comments only, in a row by Iceberg Java: it keeps them, whatever its new schema says."""
    names = [[(key.name, key.type) for key in each.partition_keys] for each in (row, expected)]
    return names[0] == names[1] and _is_by_java(row)


def _is_by_java(row: Row) -> bool:
    return row.input_format is not None and row.input_format.startswith(_JAVA_FORMATS)


def _compare_texts(row: Row, expected: Row, metadata: ViewMetadata) -> Iterator[RowDifference]:
    known = {*_texts_by_java(row, metadata), UNREADABLE_TEXT}
    if row.expanded_text != expected.expanded_text:
        same = row.expanded_text in known or _is_lossy_copy(row.expanded_text, expected.expanded_text)
        yield RowDifference(_kind(same), "expanded text", _text(row.expanded_text), _text(expected.expanded_text))
    if row.original_text != expected.original_text:
        same = row.original_text in {*known, expected.expanded_text}
        same = same or _is_lossy_copy(row.original_text, expected.original_text)
        yield RowDifference(_kind(same), "original text", _text(row.original_text), _text(expected.original_text))


def _texts_by_java(row: Row, metadata: ViewMetadata) -> set[str | None]:
    """What Iceberg Java leaves in both texts: its text for ``hive``, or the first one, unchanged.

    Before 1.11 it never updated them after the creation, so that they may be those of an older version.
    """
    stale = _is_by_java(row)
    versions = metadata.versions if stale else (metadata.current_version,)
    texts: set[str | None] = {original_sql(version, "hive") for version in versions} if stale else set()
    for version in versions:
        hive = version.sql_in("hive")
        texts |= {text.sql for text in ((hive,) if hive else version.sql_representations[:1])}
    return texts


def _namespaces_by_java(row: Row, metadata: ViewMetadata) -> set[str]:
    """The databases that a row of Iceberg Java may say: it leaves the parameters of the row before, as texts."""
    if not _is_by_java(row):
        return set()
    return {
        row.identifier.namespace,
        *(version.default_namespace[-1] for version in metadata.versions if version.default_namespace),
    }


def _compare_parameters(row: Row, expected: Row, metadata: ViewMetadata) -> Iterator[RowDifference]:
    watched = _watched(metadata)
    for key in sorted({*row.parameters, *expected.parameters}):
        found, wanted = row.parameters.get(key), expected.parameters.get(key)
        engines = key.startswith(ENGINE_PREFIXES) or key == TRINO_VIEW
        if found == wanted or not (engines or key in watched):
            continue
        same = (engines and found is None and _says_nothing(key, row, metadata)) or _is_lossy_copy(found, wanted)
        same = same or (key == f"{_NAME_SPACE}part.1" and found in _namespaces_by_java(row, metadata))
        same = same or (key == COMMENT and found == metadata.properties.get(key))
        yield RowDifference(_kind(same), f"parameter {key}", _text(found), _text(wanted))


def _says_nothing(key: str, row: Row, metadata: ViewMetadata) -> bool:
    """Whether a missing parameter of those that engines write means nothing.

    Iceberg Java writes none of them, and a text written here names its databases itself. In a text as Spark wrote it, a
    missing setting has a meaning: a session without ANSI mode (3.x) records none.
    """
    is_as_found = RowContent.kept_by(metadata.current_version) is not None
    return _is_by_java(row) or (key.startswith(_NAME_SPACE) and not is_as_found)


def _watched(metadata: ViewMetadata) -> set[str]:
    return {*row_properties(metadata), *WATCHED}


def _kind(same: bool) -> Literal["needs repair", "drifted"]:
    """The kind of a difference, given whether the row has the same content nevertheless."""
    return "needs repair" if same else "drifted"


def _is_lossy_copy(found: str | None, written: str | None) -> bool:
    """Whether a latin1 database stores ``written`` as ``found``: with question marks for what it cannot hold."""
    if found is None or written is None or len(found) != len(written):
        return False
    return all(f == w or (f == "?" and not w.isascii()) for f, w in zip(found, written, strict=True))


def changed_by(found: Iterable[RowDifference]) -> str:
    """Who most likely changed the row, for a message: Spark, Iceberg, or another writer."""
    what = [difference.what for difference in found]
    if any(name.startswith("parameter spark.sql.") for name in what):
        return "Spark (ALTER VIEW)"
    if "location" in what or "input format" in what:
        return "an Iceberg engine"
    return "another writer"


def redefines(row: Row, metadata: ViewMetadata) -> bool:
    """Whether another writer changed the definition of the view, and not only properties.

    The definition is its text, its columns, and the settings of the session in which Spark reads the text.
    """
    definition = {"expanded text", "columns", "partition keys", "partition columns"}
    settings = f"parameter {SETTINGS_PREFIX}"
    return any(
        found.kind == "drifted" and (found.what in definition or found.what.startswith(settings))
        for found in differences(row, metadata)
    )


def changed_properties(row: Row, metadata: ViewMetadata) -> dict[str, str]:
    """View properties whose values in the row differ from the file (SET TBLPROPERTIES by another writer)."""
    known, said = _user_properties_of_row(metadata), properties_in(row)
    found = {key: said[key] for key in {*known, *WATCHED} if key in said}
    return {
        key: value
        for key, value in found.items()
        if value != known.get(key) and not _is_lossy_copy(value, known.get(key))
    }


def removed_properties(row: Row, metadata: ViewMetadata) -> tuple[str, ...]:
    """View properties that the row does not have (UNSET TBLPROPERTIES by another writer)."""
    said = properties_in(row)
    return tuple(key for key in _user_properties_of_row(metadata) if key not in said)


def _user_properties_of_row(metadata: ViewMetadata) -> dict[str, str]:
    of_row = row_properties(metadata)
    return {key: value for key, value in user_properties(metadata).items() if key in of_row}


def _names(columns: Iterable[Column]) -> str:
    return ", ".join(column.name for column in columns)


def _columns(columns: Iterable[Column]) -> str:
    return "(" + ", ".join(f"{c.name} {c.type}" + (f" '{c.comment}'" if c.comment else "") for c in columns) + ")"


def _text(text: str | None) -> str:
    if text is None:
        return "nothing"
    return repr(text if len(text) <= 200 else f"{text[:197]}...")
