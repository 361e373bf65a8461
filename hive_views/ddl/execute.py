"""Executes one statement: parse it, check its query, and call the function for its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hive_views.ddl import show_and_describe, view_changes, view_definitions
from hive_views.ddl.grammar import statements
from hive_views.ddl.grammar.parse import parse_statement
from hive_views.ddl.refusals import NO_SUCH_DATABASE, hive_error
from hive_views.ddl.result import StatementResult
from hive_views.ddl.session import Session
from hive_views.errors import (
    HiveViewsError,
    NoSuchNamespaceError,
    NoSuchTableError,
    SQLSyntaxError,
    TranslationRefusedError,
)
from hive_views.hive.columns import ColumnsInput
from hive_views.messages.excerpt import offset_of, place_of
from hive_views.spec.identifiers import check_namespace
from hive_views.sql.dialects import check_dialect
from hive_views.sql.query import QueryText
from hive_views.translation import Finding
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.definition import check_texts


def _use(catalog: ViewCatalog, statement: statements.UseNamespace, session: Session) -> StatementResult:  # noqa: ARG001
    namespace = catalog.metastore.load_namespace(statement.namespace).name
    return StatementResult(f"The current database is {namespace}.", namespace)


_EXECUTED_BY: dict[type, Callable[[ViewCatalog, Any, Session], StatementResult]] = {
    statements.CreateView: view_definitions.create_view,
    statements.AlterViewAs: view_definitions.alter_view_as,
    statements.AddDialect: view_definitions.add_dialect,
    statements.ReplaceDialect: view_definitions.replace_dialect,
    statements.AddTranslation: view_definitions.add_translation,
    statements.ReplaceTranslation: view_definitions.replace_translation,
    statements.DropDialect: view_definitions.drop_dialect,
    statements.KeepDialect: view_definitions.keep_dialect,
    statements.RollBackView: view_definitions.roll_back_view,
    statements.SetProperties: view_changes.set_properties,
    statements.UnsetProperties: view_changes.unset_properties,
    statements.RenameView: view_changes.rename_view,
    statements.DropView: view_changes.drop_view,
    statements.AddPartitions: view_changes.add_partitions,
    statements.DropPartitions: view_changes.drop_partitions,
    statements.PublishView: view_changes.publish_view,
    statements.ShowViews: show_and_describe.show_views,
    statements.ShowPartitions: show_and_describe.show_partitions,
    statements.ShowProperties: show_and_describe.show_properties,
    statements.ShowColumns: show_and_describe.show_columns,
    statements.ShowCreateView: show_and_describe.show_create_view,
    statements.DescribeView: show_and_describe.describe_view,
    statements.UseNamespace: _use,
}


_WITH_QUERIES = (
    statements.CreateView,
    statements.AlterViewAs,
    statements.AddDialect,
    statements.ReplaceDialect,
)


def execute(
    catalog: ViewCatalog,
    sql: str,
    *,
    dialect: str = "hive",
    schema: ColumnsInput | None = None,
    namespace: str = "default",
) -> StatementResult:
    """Execute one statement about views: Hive's DDL, SHOW and DESCRIBE, and what this library adds.

    ``hive_views.ddl.grammar`` has the grammar, ``hive_views.ddl`` the differences from Hive. No session is kept: USE
    returns its database in the result's ``namespace``, to be passed to the next call.

    Args:
        catalog: where the views are.
        sql: the statement; a semicolon after it is allowed.
        dialect: the dialect of the query in CREATE VIEW and ALTER VIEW AS: ``hive`` or ``spark``.
        schema: the output columns of such a query, as for ``create_view``; a column list in the statement renames
            them. Without it they are derived as by ``create_view``. ``hive_views.spark.sql`` asks Spark.
        namespace: the current database, in which unqualified names are resolved.

    Returns:
        What was done, or the requested rows.

    Raises:
        SQLSyntaxError: it is not a supported statement, or more than one.
        UncertainColumnsError: columns cannot be derived; the error names them.
        HiveViewsError: the error of the corresponding catalog method, with Hive's error number where it has one.
    """
    session = Session(check_namespace(namespace), check_dialect(dialect), schema)
    statement = parse_statement(sql, session.dialect)
    try:
        return execute_statement(catalog, statement, session)
    except (SQLSyntaxError, NoSuchTableError, TranslationRefusedError) as error:
        raise placed_in(error, statement, sql) from error


def execute_statement(catalog: ViewCatalog, statement: statements.ViewStatement, session: Session) -> StatementResult:
    """Execute a parsed statement.

    Raises:
        HiveViewsError: as ``execute``.
    """
    if isinstance(statement, _WITH_QUERIES):
        # An existing view may be for Hive alone.
        made = statement if isinstance(statement, statements.CreateView) else None
        properties = dict(made.properties) if made and not made.replace else None
        check_texts(_texts_of(statement), properties)
    with hive_error(NO_SUCH_DATABASE, NoSuchNamespaceError):
        return _EXECUTED_BY[type(statement)](catalog, statement, session)


def _texts_of(statement: object) -> dict[str, QueryText]:
    """The texts of a statement by dialect, in the order written."""
    if isinstance(statement, statements.CreateView):
        return statement.texts
    return {statement.query.dialect: statement.query} if isinstance(statement, _WITH_QUERIES) else {}


def placed_in(error: HiveViewsError, statement: object, script: str, before: int = 0) -> HiveViewsError:
    """An error about a query of a statement, with its place in the text that the statement is part of.

    Args:
        error: what ``execute_statement`` raised.
        statement: what it was given.
        script: the whole text.
        before: an offset in it, between the statement and the one before.
    """
    if isinstance(error, TranslationRefusedError):
        return _refusal_placed_in(error, statement, script, before)
    if not isinstance(error, (SQLSyntaxError, NoSuchTableError)):
        return error
    start = _start_of_text(error.dialect, statement, script, before)
    if error.offset is None or start < 0:
        return replace(error, line=None, column=None, offset=None)
    offset = start + error.offset
    line, column = place_of(script, offset)
    there, here = (f" at line {at[0]}, column {at[1]}:" for at in ((error.line, error.column), (line, column)))
    return replace(error, message=error.message.replace(there, here, 1), line=line, column=column, offset=offset)


def _start_of_text(dialect: str | None, statement: object, script: str, before: int) -> int:
    """The offset of the text in a dialect, by default the first one; -1 where it is not found."""
    texts, start = _texts_of(statement), -1
    for one, query in texts.items():
        start = script.find(query, before)
        if start < 0 or one == dialect or dialect not in texts:
            break
        before = start + len(query)
    return start


def _refusal_placed_in(
    error: TranslationRefusedError, statement: object, script: str, before: int
) -> TranslationRefusedError:
    """With the whole text as the source, and the places in it of what was found, if the source is in it."""
    dialect, text = error.source
    start = _start_of_text(dialect, statement, script, before)
    if _texts_of(statement).get(dialect) != text or start < 0 or not error.findings:
        return error
    findings = tuple(_finding_placed_in(one, text, script, start) for one in error.findings)
    said = error.message.partition(str(error.findings[0]))[0]
    return replace(error, message=f"{said}{' '.join(map(str, findings))}", findings=findings, source=(dialect, script))


def _finding_placed_in(finding: Finding, text: str, script: str, start: int) -> Finding:
    if finding.line is None:
        return finding
    line, column = place_of(script, start + offset_of(text, finding.line, finding.column or 1))
    return replace(finding, line=line, column=column)
