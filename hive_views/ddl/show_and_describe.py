"""SHOW and DESCRIBE, answered with rows as in Hive."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hive_views.ddl.declared_view import declaring_statement, has_bare_names
from hive_views.ddl.description import described, details_of_partition, details_of_view
from hive_views.ddl.grammar.statement_text import script_text, written_name
from hive_views.ddl.grammar.statements import (
    DescribeView,
    ShowColumns,
    ShowCreateView,
    ShowPartitions,
    ShowProperties,
    ShowViews,
)
from hive_views.ddl.refusals import NO_PARTITION_FOUND, NOT_PARTITIONED, hive_error, numbered, own_view
from hive_views.ddl.result import Row, StatementResult
from hive_views.ddl.session import Session
from hive_views.errors import InvalidInputError, InvalidPartitionError, NoSuchPartitionError
from hive_views.hive.row import Column, Partition
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.messages.counted import counted
from hive_views.spec.identifiers import check_namespace
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.view import View


def show_views(catalog: ViewCatalog, statement: ShowViews, session: Session) -> StatementResult:
    """SHOW VIEWS: all views of a database, including plain ones, as in Hive."""
    namespace = check_namespace(statement.namespace or session.namespace)
    names = catalog.metastore.list_view_names(namespace)
    if not names:
        catalog.metastore.load_namespace(namespace)
    if statement.pattern is not None:
        wanted = _pattern(statement.pattern)
        names = [name for name in names if wanted.fullmatch(name)]
    return _answer(session, None, ("tab_name",), ((name,) for name in sorted(names)))


def show_partitions(catalog: ViewCatalog, statement: ShowPartitions, session: Session) -> StatementResult:
    """SHOW PARTITIONS, sorted as text."""
    view = own_view(catalog, statement.name, session, statement="SHOW PARTITIONS")
    with hive_error(NOT_PARTITIONED, InvalidPartitionError):
        partitions = catalog.partitions(view.identifier)
    matching = statement.matching.as_dict() if statement.matching else None
    return _answer(session, view, ("partition",), ((name,) for name in sorted(partitions.names(matching))))


def show_properties(catalog: ViewCatalog, statement: ShowProperties, session: Session) -> StatementResult:
    """SHOW TBLPROPERTIES: all parameters of the row, as in Hive, or one of them."""
    view = own_view(catalog, statement.name, session, statement="SHOW TBLPROPERTIES")
    found = dict(view.row.parameters)
    if statement.key is not None:
        missing = f"Table {view.identifier} does not have property: {statement.key}"
        found = {statement.key: found.get(statement.key, missing)}
    return _answer(session, view, ("prpt_name", "prpt_value"), sorted(found.items()))


def show_columns(catalog: ViewCatalog, statement: ShowColumns, session: Session) -> StatementResult:
    """SHOW COLUMNS, in the order of the query."""
    view = own_view(catalog, statement.name, session, statement="SHOW COLUMNS")
    return _answer(session, view, ("field",), ((column.name,) for column in view.columns))


def show_create_view(catalog: ViewCatalog, statement: ShowCreateView, session: Session) -> StatementResult:
    """SHOW CREATE TABLE or VIEW: one row with the statement that recreates the view, without its history."""
    view = own_view(catalog, statement.name, session, statement="SHOW CREATE TABLE")
    text = creating_text(view, catalog.engine.tables)
    return _answer(session, view, ("createtab_stmt",), [(text,)])


def describe_view(catalog: ViewCatalog, statement: DescribeView, session: Session) -> StatementResult:
    """DESCRIBE [EXTENDED | FORMATTED] of a view, one of its partitions, or one of its columns."""
    view = own_view(catalog, statement.name, session, statement="DESCRIBE")
    columns = ("col_name", "data_type", "comment")
    partition = _partition(catalog, view, statement) if statement.partition else None
    if statement.column:
        return _answer(session, view, columns, [_column_inside(view, statement.column)])
    rows = described(view, with_headings=statement.detail == "formatted")
    if statement.detail and partition:
        rows += details_of_partition(view, partition, formatted=statement.detail == "formatted")
    elif statement.detail:
        rows += details_of_view(view, formatted=statement.detail == "formatted")
    return _answer(session, view, columns, rows)


def creating_text(view: View, tables: Tables) -> str:
    """The statement that recreates the view, with all that Hive's own SHOW CREATE TABLE loses.

    These are comments of columns, PARTITIONED ON, properties, the queries as typed, and types that are not certain.
    USE comes first if the queries have names without a database.
    """
    statement = declaring_statement(view, tables)
    text = script_text([statement])
    if any(map(has_bare_names, statement.texts.values())):
        text = f"USE {written_name(view.current_version.namespace_or(view.identifier.namespace))};\n{text}"
    return text


def _partition(catalog: ViewCatalog, view: View, statement: DescribeView) -> Partition:
    assert statement.partition is not None
    with hive_error(NOT_PARTITIONED, InvalidPartitionError):
        partitions = catalog.partitions(view.identifier)
    name = partitions.name_of(statement.partition.as_dict())
    found = next((partition for _, partition in partitions.load([name])), None)
    if found is None:
        message = f"View {view.identifier} has no partition {name}: SHOW PARTITIONS lists them."
        raise NoSuchPartitionError(numbered(message, NO_PARTITION_FOUND), partitions=[name])
    return found


def _column_inside(view: View, path: tuple[str, ...]) -> Row:
    """A column, or what is inside it: a field of a struct, ``$elem$``, ``$key$``, ``$value$``."""
    column = next((one for one in view.columns if one.name == path[0].lower()), None)
    if column is None:
        raise _no_column(view, path[:1])
    type_ = parse_hive_type(column.type)
    for depth, step in enumerate(path[1:], start=2):
        inside = _inside(type_, step.lower())
        if inside is None:
            raise _no_column(view, path[:depth])
        type_ = inside
    whole = Column(path[-1].lower(), str(type_), column.comment if len(path) == 1 else None)
    return (whole.name, whole.type, whole.comment)


def _inside(type_: HiveType, step: str) -> HiveType | None:
    names = {"array": ("$elem$",), "map": ("$key$", "$value$")}.get(type_.name, type_.field_names)
    return next((part for name, part in zip(names, type_.parts, strict=False) if name.lower() == step), None)


def _no_column(view: View, path: tuple[str, ...]) -> InvalidInputError:
    return InvalidInputError(
        f"View {view.identifier} has no column {'.'.join(path)}; its columns are "
        f"{', '.join(f'{column.name} {column.type}' for column in view.columns)}.",
        columns=[".".join(path)],
    )


def _pattern(pattern: str) -> re.Pattern[str]:
    """Hive's patterns: ``*`` matches any characters, ``|`` separates alternatives; case does not matter.

    Hive 4 has ``%`` in place of ``*``. No name contains it, so both are accepted.
    """
    alternatives = (".*".join(map(re.escape, re.split(r"[*%]", one.strip()))) for one in pattern.split("|"))
    return re.compile("|".join(alternatives), re.IGNORECASE)


def _answer(session: Session, view: View | None, columns: tuple[str, ...], rows: Iterable[Row]) -> StatementResult:
    found = tuple(rows)
    return StatementResult(
        f"{counted(len(found), 'row')}.",
        session.namespace,
        str(view.identifier) if view else None,
        columns=columns,
        rows=found,
    )
