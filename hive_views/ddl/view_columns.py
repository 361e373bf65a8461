"""The columns of a view that a statement defines: given, found by an engine, or derived from text and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from hive_views.ddl.grammar.statements import OutputColumn
from hive_views.ddl.refusals import (
    COLUMN_COUNT,
    DUPLICATE_COLUMN,
    NO_SUCH_COLUMN,
    NO_SUCH_FUNCTION,
    NO_SUCH_TABLE,
    hive_error,
    numbered,
)
from hive_views.ddl.session import Session
from hive_views.errors import (
    InvalidIdentifierError,
    InvalidSchemaError,
    NoSuchTableError,
    SQLSyntaxError,
    UncertainColumnsError,
)
from hive_views.hive.columns import ColumnsInput, schema_from
from hive_views.hive.row import Column
from hive_views.hive.types import hive_type
from hive_views.messages.counted import counted
from hive_views.spec.schema import NestedField, Schema
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.changes.query_columns import NameAndType, columns_with_star, derive_columns, named_as_in_hive

_TYPES_IN_LIST = "CREATE VIEW takes types in its column list, as in (user_id BIGINT, ds)."
_NUMBERS = {"UNRESOLVED_ROUTINE": NO_SUCH_FUNCTION, "UNRESOLVED_COLUMN": NO_SUCH_COLUMN}
"""Hive's errors by the conditions of Spark that mean the same."""


@dataclass(frozen=True)
class ViewColumns:
    """The columns of a view, and the names that its query gives them by position; None where the text says them."""

    columns: ColumnsInput
    of_query: Sequence[str] | None = None


def columns_for(
    tables: Tables,
    query: QueryText,
    session: Session,
    imposed: Sequence[OutputColumn] | None = None,
) -> ViewColumns:
    """The columns of a view with this query; ``imposed`` are the names, types and comments of its column list.

    Columns that are not given get the names that Hive generates (sql/hive_names.py), and comments only from the column
    list. A type of the column list is taken in place of that of the query, which then need not be certain. Where all
    have one, the query may be in any dialect.

    Raises:
        InvalidSchemaError: the column list and the query have different numbers of columns (Hive error 10089), or two
            columns have the same name (10036).
        SQLSyntaxError: the query names a column (10004) or, according to an engine, a function (10011) that does not
            exist.
        UncertainColumnsError: there is no engine to ask, and types that are not given are not certain; the error
            names these columns.
        NoSuchTableError: the query names a table that does not exist (10001).
    """
    found = query.output_names
    if imposed is not None and found is not None:
        _check_count(imposed, len(found))
    _refuse_duplicates([name for name in found or () if name is not None])
    own: Sequence[str] | None = None
    types = [column.type for column in imposed or ()]
    if session.schema is not None:
        columns: ColumnsInput = session.schema
        if imposed is not None and found is None:
            known = columns_with_star(tables, query, session.namespace)
            own = [one.name or one.text for one in known] if known else schema_from(columns)[0].names
    else:
        try:
            with hive_error(NO_SUCH_TABLE, NoSuchTableError), _numbered_by_condition():
                named = _named_by_query(tables, query, session, types)
        except (UncertainColumnsError, InvalidIdentifierError) as error:
            if not imposed or None in types:
                raise replace(error, message=f"{error.message} {_TYPES_IN_LIST}") from error
            return ViewColumns([(one.name, one.type, one.comment) for one in imposed])
        _refuse_duplicates([name for name, _ in named])
        columns, own = named, [name for name, _ in named]
    return ViewColumns(columns if imposed is None else _renamed(columns, imposed), own)


def _named_by_query(
    tables: Tables, query: QueryText, session: Session, types: Sequence[str | None]
) -> list[NameAndType]:
    if session.columns_of is None or query.dialect not in ROW_DIALECTS:
        return derive_columns(tables, {query.dialect: query}, session.namespace, types)
    found_by_engine = [(name, type_) for name, type_, _ in session.columns_of(query, query.dialect, session.namespace)]
    return named_as_in_hive(tables, query, session.namespace, found_by_engine, types)


def names_types_and_comments(columns: ColumnsInput) -> list[tuple[str, str, str | None]]:
    """The columns with their Hive types, however they were given; a comment that is None is none."""
    schema, narrower = schema_from(columns)
    return [
        (field.name, narrower.get(field.name.lower()) or hive_type(field.type, column=field.name), field.doc)
        for field in schema.fields
    ]


@contextmanager
def _numbered_by_condition() -> Iterator[None]:
    """Put Hive's number to what the text of the query has wrong, found here or by Spark."""
    try:
        yield
    except SQLSyntaxError as error:
        condition = (error.condition or "").partition(".")[0]
        raise replace(error, message=numbered(error.message, _NUMBERS.get(condition))) from error


def _renamed(columns: ColumnsInput, imposed: Sequence[OutputColumn]) -> ColumnsInput:
    if any(one.type for one in imposed):
        columns = names_types_and_comments(columns)
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
    return as_.name, as_.type or type_, as_.comment or (comment[0] if comment else None)


def _check_count(imposed: Sequence[OutputColumn], count: int) -> None:
    if len(imposed) != count:
        names, columns = counted(len(imposed), "name"), counted(count, "column")
        message = f"The column list has {names}, but the query has {columns}: name each column once."
        raise InvalidSchemaError(numbered(message, COLUMN_COUNT), columns=[column.name for column in imposed])


def _refuse_duplicates(names: Sequence[str]) -> None:
    """Hive requires distinct names in the query even where a column list gives others."""
    twice = sorted(name for name, count in Counter(name.lower() for name in names).items() if count > 1)
    if twice:
        message = f"Two columns of the query have the same name ({', '.join(twice)}): give each its own alias."
        raise InvalidSchemaError(numbered(message, DUPLICATE_COLUMN), columns=twice)
