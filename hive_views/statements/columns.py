"""The columns of a view that a statement defines: given, told by an engine, or derived where that is certain.

What lives here: the three ways, and what the column list of CREATE VIEW makes of them. What must not: which types are
certain (sql/output_types.py), which tables tell their columns (base_tables/columns.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hive_views.base_tables.columns import columns_of
from hive_views.errors import InvalidSchemaError, NoSuchTableError
from hive_views.hive.columns import ColumnsInput
from hive_views.hive.row import Column
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.schema import NestedField, Schema
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.output_types import OutputType, output_types
from hive_views.sql.query import output_columns
from hive_views.sql.statements.values import OutputColumn
from hive_views.sql.tables import referenced_tables
from hive_views.statements.refusals import COLUMN_COUNT, DUPLICATE_COLUMN, NO_SUCH_TABLE, hive_error, numbered
from hive_views.statements.session import Session

_WAYS_OUT = "Give the columns with schema=, or let Spark derive them (hive_views.spark)."


def columns_for(
    metastore: Metastore,
    query: str,
    dialect: str,
    session: Session,
    imposed: Sequence[OutputColumn] | None = None,
) -> ColumnsInput:
    """The columns of a view with this query; ``imposed`` are the names and comments of its column list.

    Columns that are not given have names as Hive makes them (``_c1`` for the second, if it is an expression without an
    alias), and no comments but those of the column list.

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
    elif session.columns_of is not None:
        told = session.columns_of(query, dialect, session.namespace)
        names = _names_in(found, [name for name, _, _ in told])
        columns = [(name, type_) for name, (_, type_, _) in zip(names, told, strict=True)]
    else:
        columns = _derived(metastore, query, dialect, session.namespace)
        _refuse_duplicates([column[0] for column in columns])
    return columns if imposed is None else _renamed(columns, imposed)


def _names_in(found: Sequence[str | None] | None, told: Sequence[str]) -> Sequence[str]:
    """Names as Hive makes them, where the text has them; Spark calls an expression by its text."""
    if found is None or len(found) != len(told):
        return told
    return [f"_c{position}" if name is None else name for position, name in enumerate(found)]


def _derived(metastore: Metastore, query: str, dialect: str, namespace: str) -> list[tuple[str, str]]:
    if dialect not in ROW_DIALECTS:
        raise InvalidSchemaError(f"Which columns a {dialect} text has, is not known here. {_WAYS_OUT}")
    tables = {}
    for name in referenced_tables(query, dialect, namespace):
        if len(name) > 2:
            raise InvalidSchemaError(
                f"{'.'.join(name)} is in another catalog, whose tables are not known here. {_WAYS_OUT}"
            )
        identifier = TableIdentifier(*name)
        with hive_error(NO_SUCH_TABLE, NoSuchTableError):
            row = metastore.load_row(identifier)
        key = (identifier.namespace, identifier.name)
        tables[key] = [(column.name, column.type) for column in columns_of(row)]
    found = output_types(query, dialect, namespace, tables)
    _refuse_uncertain(found)
    return [(one.name or f"_c{position}", str(one.type)) for position, one in enumerate(found)]


def _refuse_uncertain(found: Sequence[OutputType]) -> None:
    unknown = [one.text for one in found if one.type is None]
    if unknown:
        raise InvalidSchemaError(
            f"The types of {len(unknown)} columns of the query are not certain without an engine: "
            f"{', '.join(unknown)}. A CAST makes a type certain. {_WAYS_OUT}",
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
