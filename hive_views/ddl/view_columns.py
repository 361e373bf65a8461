"""The columns of a view that a statement defines: given, told by an engine, or derived where that is certain.

What lives here: the three ways, and what the column list of CREATE VIEW makes of them. What must not: which types are
certain (sql/output_types.py), which tables tell their columns (base_tables/declared_columns.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hive_views.base_tables.declared_columns import columns_of
from hive_views.ddl.grammar.statements import OutputColumn
from hive_views.ddl.refusals import (
    COLUMN_COUNT,
    DUPLICATE_COLUMN,
    NO_SUCH_FUNCTION,
    NO_SUCH_TABLE,
    hive_error,
    numbered,
)
from hive_views.ddl.session import ColumnsOf, Session
from hive_views.errors import InvalidIdentifierError, InvalidSchemaError, NoSuchTableError, SQLSyntaxError
from hive_views.hive.columns import ColumnsInput
from hive_views.hive.row import Column
from hive_views.messages.remedies import GiveColumns
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.schema import NestedField, Schema
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.hive_names import hive_names, hive_types, named_items
from hive_views.sql.output_types import OutputType, output_types
from hive_views.sql.query import output_columns
from hive_views.sql.tables import referenced_tables

_NO_SUCH_FUNCTION = "UNRESOLVED_ROUTINE"
"""What Spark calls it."""


def columns_for(
    metastore: Metastore,
    query: str,
    dialect: str,
    session: Session,
    imposed: Sequence[OutputColumn] | None = None,
) -> ColumnsInput:
    """The columns of a view with this query; ``imposed`` are the names and comments of its column list.

    Columns that are not given have names as Hive makes them (sql/hive_names.py), and no comments but those of the
    column list.

    Raises:
        InvalidSchemaError: the column list has another number of names than the query has columns (Hive error 10089),
            two columns have one name (10036), or types are not certain; the error names these columns.
        NoSuchTableError: no engine is asked, and the query names a table that does not exist (10001).
        UnsupportedFeatureError: likewise, and the row of a table does not tell its columns.
    """
    found = output_columns(query, dialect)
    if imposed is not None and found is not None:
        _check_count(imposed, len(found))
    _refuse_duplicates([name for name in found or () if name is not None])
    if session.schema is not None:
        columns: ColumnsInput = session.schema
    else:
        where = (query, dialect, session.namespace)
        typed = _told(session.columns_of, *where) if session.columns_of else _derived(metastore, *where)
        named = _as_hive_has_them(metastore, *where, typed)
        _refuse_duplicates([name for name, _ in named])
        columns = named
    return columns if imposed is None else _renamed(columns, imposed)


def _told(columns_of_query: ColumnsOf, query: str, dialect: str, namespace: str) -> list[tuple[str, str]]:
    try:
        with hive_error(NO_SUCH_TABLE, NoSuchTableError):
            return [(name, type_) for name, type_, _ in columns_of_query(query, dialect, namespace)]
    except SQLSyntaxError as error:
        if error.condition and error.condition.startswith(_NO_SUCH_FUNCTION):
            raise replace(error, message=numbered(error.message, NO_SUCH_FUNCTION)) from error
        raise


def _as_hive_has_them(
    metastore: Metastore, query: str, dialect: str, namespace: str, columns: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    def is_table(name: tuple[str, ...]) -> bool:
        try:
            return len(name) <= 2 and not metastore.load_row(TableIdentifier(*(namespace, *name)[-2:])).is_view
        except (InvalidIdentifierError, NoSuchTableError):
            return False  # an engine may know more tables than the metastore

    items = named_items(query, dialect)
    names = hive_names(items, [name for name, _ in columns], is_table)
    types = hive_types(items, [type_ for _, type_ in columns])
    unknown = [told for (told, _), type_ in zip(columns, types, strict=True) if type_ is None]
    if unknown:
        raise InvalidSchemaError(
            f"Hive and Spark count the digits of {', '.join(unknown)} differently. A CAST makes the type certain.",
            remedy=GiveColumns(),
            columns=unknown,
        )
    return [(name, str(type_)) for name, type_ in zip(names, types, strict=True)]


def _derived(metastore: Metastore, query: str, dialect: str, namespace: str) -> list[tuple[str, str]]:
    if dialect not in ROW_DIALECTS:
        raise InvalidSchemaError(f"Which columns a {dialect} text has, is not known here.", remedy=GiveColumns())
    tables = {}
    for name in referenced_tables(query, dialect, namespace):
        if len(name) > 2:
            raise InvalidSchemaError(
                f"{'.'.join(name)} is in another catalog, whose tables are not known here.", remedy=GiveColumns()
            )
        identifier = TableIdentifier(*name)
        with hive_error(NO_SUCH_TABLE, NoSuchTableError):
            row = metastore.load_row(identifier)
        key = (identifier.namespace, identifier.name)
        tables[key] = [(column.name, column.type) for column in columns_of(row)]
    found = output_types(query, dialect, namespace, tables)
    _refuse_uncertain(found)
    return [(one.name or one.text, str(one.type)) for one in found]


def _refuse_uncertain(found: Sequence[OutputType]) -> None:
    unknown = [one.text for one in found if one.type is None]
    if unknown:
        raise InvalidSchemaError(
            f"The types of {len(unknown)} columns of the query are not certain without an engine: "
            f"{', '.join(unknown)}. A CAST makes a type certain.",
            remedy=GiveColumns(),
            columns=unknown,
        )


def _renamed(columns: ColumnsInput, imposed: Sequence[OutputColumn]) -> ColumnsInput:
    fields: Sequence[Any] = columns.fields if isinstance(columns, Schema) else columns
    _check_count(imposed, len(fields))
    renamed = [_named(one, as_) for one, as_ in zip(fields, imposed, strict=True)]
    return columns.model_copy(update={"fields": tuple(renamed)}) if isinstance(columns, Schema) else renamed


def _named(column: NestedField | Column | Sequence[str | None], as_: OutputColumn) -> Any:
    if isinstance(column, NestedField):
        return column.model_copy(update={"name": as_.name, "doc": as_.comment or column.doc})
    if isinstance(column, Column):
        return replace(column, name=as_.name, comment=as_.comment or column.comment)
    _, type_, *comment = column
    return as_.name, type_, as_.comment or (comment[0] if comment else None)


def _check_count(imposed: Sequence[OutputColumn], count: int) -> None:
    if len(imposed) != count:
        message = f"The column list has {len(imposed)} names, and the query has {count} columns: name each of them."
        raise InvalidSchemaError(numbered(message, COLUMN_COUNT), columns=[column.name for column in imposed])


def _refuse_duplicates(names: Sequence[str]) -> None:
    """Hive wants the names of the query apart even where a column list gives others."""
    twice = sorted(name for name, count in Counter(name.lower() for name in names).items() if count > 1)
    if twice:
        message = f"Two columns of the query are called {', '.join(twice)}: give each of them an alias of its own."
        raise InvalidSchemaError(numbered(message, DUPLICATE_COLUMN), columns=twice)
