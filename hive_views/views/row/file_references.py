"""Parts of a row that point to files, or make an engine treat it as a table that has some.

When a table or view is dropped, a metastore deletes its location unless it is EXTERNAL, and Hive lets its storage
handler delete what it stores. Therefore nothing of that kind is taken over from a row of another metastore.
"""

from __future__ import annotations

from dataclasses import replace

from hive_views.hive.row import POINTER, PREVIOUS_POINTER, STORAGE_HANDLER, TABLE_TYPE, Row
from hive_views.messages.enumerated import all_of

_AVRO_SCHEMA = "avro.schema.url"
_OF_TABLES = frozenset(("external", "external.table.purge", STORAGE_HANDLER, "paimon_location", _AVRO_SCHEMA))
OF_FILES = _OF_TABLES | {TABLE_TYPE, POINTER, PREVIOUS_POINTER}
"""Parameters of rows, in lower case, that say where a table has files, or who deletes them."""

_PATHS = ("path", _AVRO_SCHEMA)


def without_files(row: Row) -> Row:
    """The row without what points to files; a plain view loses nothing by that, since it has none."""
    return replace(
        row,
        location=None,
        parameters={key: value for key, value in row.parameters.items() if key.lower() not in OF_FILES},
        serde_parameters={key: value for key, value in row.serde_parameters.items() if not is_path(key)},
    )


def is_path(key: str) -> bool:
    """Whether a parameter of a serde is the location of files: Spark's location of a table, a schema of Avro."""
    return key.lower() in _PATHS


def left_out(row: Row, *, is_ours: bool, dry_run: bool) -> str | None:
    """A sentence that says what ``without_files`` removes from a row; None if that is nothing.

    For a view of this library neither the pointer nor a directory that Iceberg Java wrote is named: each view has its
    own.
    """
    found = [f"the location {row.location}"] if row.location and not is_ours else []
    of_files = _OF_TABLES if is_ours else OF_FILES
    found += [f"the parameter {key}" for key in sorted(row.parameters) if key.lower() in of_files]
    found += [f"the {key} {value}" for key, value in sorted(row.serde_parameters.items()) if is_path(key)]
    if not found:
        return None
    verb = "would be left out" if dry_run else "was left out" if len(found) == 1 else "were left out"
    what = all_of(found)
    return f"{what[0].upper()}{what[1:]} {verb}, for a view has no files that may go with it."
