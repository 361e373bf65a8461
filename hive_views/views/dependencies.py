"""What the row of a view reads, as far as its text says.

What lives here: the text that plain readers get, and the tables and views that it names. What must not: following
them, looking one up.
"""

from __future__ import annotations

from contextlib import suppress

from hive_views.errors import InvalidIdentifierError, InvalidInputError, UnsupportedFeatureError
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.tables import referenced_tables


def text_of(row: Row) -> str:
    """The text of a view as plain readers get it; empty for a table."""
    return (row.expanded_text or row.original_text or "") if row.is_view else ""


def tables_in(text: str, dialect: str, namespace: str) -> tuple[TableIdentifier, ...]:
    """The tables and views of the metastore that a text names, each once; none of a text that nobody here can read."""
    found: dict[TableIdentifier, None] = {}
    # SQLSyntaxError is one of these.
    with suppress(InvalidInputError, UnsupportedFeatureError):
        for name in referenced_tables(text, dialect, namespace):
            with suppress(InvalidIdentifierError):
                found |= {TableIdentifier(*name): None} if len(name) == 2 else {}
    return tuple(found)


def read_by(row: Row) -> tuple[TableIdentifier, ...]:
    """The tables and views that a view reads; none for a table."""
    return tables_in(text_of(row), "hive", row.identifier.namespace) if row.is_view else ()
