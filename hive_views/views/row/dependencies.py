"""What the row of a view reads, as far as its text says."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from hive_views.errors import InvalidIdentifierError, InvalidInputError, UnsupportedFeatureError
from hive_views.hive.row import Row
from hive_views.persisted import TEXT_DIALECT
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog, referenced_tables
from hive_views.views.row.drift import catalog_of, dialect_of, namespace_of
from hive_views.views.row.trino_view import document_in, is_trino_view


@dataclass(frozen=True)
class RowQuery:
    """The text of a row as its engine reads it.

    Attributes:
        text: empty for a table.
        dialect: what it is written in.
        namespace: the database of names without one.
        catalog: where names without one resolve, if not in the metastore.
    """

    text: str
    dialect: str
    namespace: str
    catalog: str | None = None


def query_of(row: Row) -> RowQuery:
    """The text of a view, in Trino's form that in its document."""
    if is_trino_view(row):
        with suppress(ValueError):
            document = document_in(row.original_text)
            namespace = str(document.get("schema") or row.identifier.namespace)
            return RowQuery(document["originalSql"], "trino", namespace, other_catalog(document.get("catalog")))
    dialect = row.parameters.get(TEXT_DIALECT) or dialect_of(row)
    return RowQuery(text_of(row), dialect, namespace_of(row), catalog_of(row))


def text_of(row: Row) -> str:
    """The text of a view as plain readers get it; empty for a table."""
    return (row.expanded_text or row.original_text or "") if row.is_view else ""


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
    query = query_of(row)
    return tables_in(query.text, query.dialect, query.namespace, query.catalog) if row.is_view else ()
