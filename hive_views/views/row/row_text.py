"""The query that a row carries, as its engine reads it: one reader, which refuses nothing and says what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from hive_views.hive.row import Row
from hive_views.views.row import spark_row
from hive_views.views.row.content import TRINO_VIEW
from hive_views.views.row.projection import UNREADABLE_TEXT
from hive_views.views.row.trino_view import document_in, has_document, is_trino_view

Part = Literal["text", "namespace", "query columns"]
PARTS: tuple[Part, ...] = get_args(Part)

_NOT_A_VIEW_OF_TRINO = (
    f"it has the parameter {TRINO_VIEW} without the comment of Trino's views, and Trino does not read it"
)


@dataclass(frozen=True)
class RowText:
    """The query of a row, with what engines say beside it.

    Attributes:
        sql: the query; empty where there is none, as of a table.
        dialect: what it is written in: ``hive``, ``spark`` or ``trino``.
        namespace: where its names resolve; the database of the row where it does not say.
        catalog: where they resolve, as the engine calls it; None for Spark's own, and where the row does not say.
        settings: of the session in which Spark wrote it.
        query_columns: what its own columns are called, by position; empty where the row does not say.
        document: Trino's, which holds it.
        unread: by part, why it could not be read, as the end of a sentence about the row.
    """

    sql: str
    dialect: str
    namespace: tuple[str, ...]
    catalog: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    query_columns: Sequence[str] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    unread: Mapping[Part, str] = field(default_factory=dict)

    def need(self, *parts: Part) -> RowText:
        """The same, for a caller that cannot do without these parts.

        Raises:
            ValueError: one of them could not be read.
        """
        for part in parts:
            if part in self.unread:
                raise ValueError(self.unread[part])
        return self


def dialect_of(row: Row) -> str:
    """The dialect of the text that a row carries, by what engines say there beside it."""
    if TRINO_VIEW in row.parameters and (is_trino_view(row) or has_document(row)):
        return "trino"
    return "spark" if spark_row.is_by_spark(row) else "hive"


def text_of(row: Row) -> RowText:
    """The query of a row, as far as it can be read."""
    dialect = dialect_of(row)
    if dialect == "trino":
        return _of_trino(row)
    unread: dict[Part, str] = {}
    if (row.expanded_text or "").strip() in ("", UNREADABLE_TEXT):
        unread["text"] = "it has no text"
    elif TRINO_VIEW in row.parameters:
        unread["text"] = _NOT_A_VIEW_OF_TRINO
    catalog: str | None = None
    namespace: tuple[str, ...] = (row.identifier.namespace,)
    try:
        catalog, namespace = spark_row.catalog_and_namespace(row.parameters, row.identifier.namespace)
    except ValueError as error:
        unread["namespace"] = str(error)
    sql = (row.expanded_text or row.original_text or "") if row.is_view else ""
    if dialect == "hive":
        return RowText(sql, dialect, namespace, unread=unread)
    columns: Sequence[str] = ()
    try:
        columns = spark_row.query_columns(row)
    except ValueError as error:
        unread["query columns"] = str(error)
    return RowText(sql, dialect, namespace, catalog, spark_row.settings(row), columns, unread=unread)


def text_for_plain_readers(row: Row) -> RowText:
    """The query as Hive and Spark read it where there is no document of Trino's: they know nothing of its parameter."""
    if has_document(row):
        return text_of(row)
    return text_of(replace(row, parameters={key: value for key, value in row.parameters.items() if key != TRINO_VIEW}))


def _of_trino(row: Row) -> RowText:
    database = row.identifier.namespace
    try:
        if not is_trino_view(row):
            raise ValueError(_NOT_A_VIEW_OF_TRINO)
        document = document_in(row.original_text)
    except ValueError as error:
        return RowText("", "trino", (database,), unread={"text": str(error)})
    schema, catalog = document.get("schema"), document.get("catalog")
    namespace = schema if isinstance(schema, str) and schema else database
    known = catalog if isinstance(catalog, str) and catalog else None
    return RowText(document["originalSql"], "trino", (namespace,), known, document=document)
