"""The tables and views that a view reads, by the text in its row."""

from __future__ import annotations

from contextlib import suppress

from hive_views.errors import InvalidIdentifierError, InvalidInputError, UnsupportedFeatureError
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog, referenced_tables
from hive_views.views.row.row_text import text_for_plain_readers


def tables_in(text: str, dialect: str, namespace: str, catalog: str | None = None) -> tuple[TableIdentifier, ...]:
    """The tables and views of the metastore that a text names, each once; none of a text that cannot be parsed."""
    found: dict[TableIdentifier, None] = {}
    # SQLSyntaxError is one of these.
    with suppress(InvalidInputError, UnsupportedFeatureError):
        for name in referenced_tables(QueryText(text, dialect), namespace, catalog):
            with suppress(InvalidIdentifierError):
                found |= {TableIdentifier(*name): None} if len(name) == 2 else {}
    return tuple(found)


def read_by(row: Row) -> tuple[TableIdentifier, ...]:
    """The tables and views of the metastore that a view reads; none for a table."""
    text = text_for_plain_readers(row)
    return tables_in(text.sql, text.dialect, text.namespace[-1], other_catalog(text.catalog)) if row.is_view else ()
