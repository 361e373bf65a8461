"""Warnings about rows that some readers misread or cannot read."""

from __future__ import annotations

from collections.abc import Iterator

from hive_views.hive.row import Row
from hive_views.persisted import TEXT_DIALECT
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import literals_that_coral_misreads
from hive_views.views.row.projection import UNREADABLE_TEXT


def stale_text(dialect: str) -> str:
    """That a text of a view is stale."""
    return f"the {dialect} SQL is stale: it did not change when that in other dialects did, and may mean something else"


def warnings_of(row: Row) -> Iterator[str]:
    """Warnings about the text of a row, which nothing else would show."""
    if row.expanded_text == UNREADABLE_TEXT:
        yield (
            "no SQL of this version means the same to plain readers of the metastore, so they get an error; add SQL "
            "in dialect 'hive' with full names for them"
        )
        return
    dialect = row.parameters.get(TEXT_DIALECT, "hive")
    # Trino gives other rows, without an error.
    text = row.expanded_text or ""
    misread = literals_that_coral_misreads(QueryText(text, dialect)) if dialect in ROW_DIALECTS else ()
    if misread:
        yield (
            f"Trino takes the backslashes in {', '.join(misread)} literally, unless its catalog has "
            f"hive.hive-views.legacy-translation=true; Hive and Spark read them as escapes"
        )
