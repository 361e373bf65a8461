"""Several statements in order, and the error of one that fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive_views.ddl.execute import execute_statement, placed_in
from hive_views.ddl.grammar.parse import ScriptStatement, parse_script
from hive_views.ddl.grammar.statements import UseNamespace, ViewStatement
from hive_views.ddl.result import StatementResult
from hive_views.ddl.session import Session
from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.messages.counted import counted
from hive_views.messages.script_position import ScriptPosition
from hive_views.spec.identifiers import check_namespace
from hive_views.sql.dialects import check_dialect
from hive_views.views.catalog import ViewCatalog


def execute_script(
    catalog: ViewCatalog, sql: str, *, dialect: str = "hive", namespace: str = "default", skip: int = 0
) -> list[StatementResult]:
    """Execute the statements of a script in order, after parsing all of them; USE applies to the statements after it.

    The first error stops the script; statements before it are not undone. The message says which statement failed, and
    the field ``script`` has its number, line and text, and the results of the statements before it. Once the cause is
    fixed, run the whole script again if its statements can be repeated (IF NOT EXISTS, OR REPLACE, IF EXISTS), or skip
    those that succeeded.

    Args:
        catalog: where the views are.
        sql: statements, separated by semicolons.
        dialect: the dialect of the queries in CREATE VIEW and ALTER VIEW AS: ``hive`` or ``spark``.
        namespace: the current database at the start.
        skip: the number of statements to skip at the start; USE is still executed.

    Returns:
        One result for each executed statement.

    Raises:
        SQLSyntaxError: a statement cannot be parsed; nothing was executed.
        HiveViewsError: the error of the statement that failed.
    """
    return execute_in_session(catalog, sql, Session(check_namespace(namespace), check_dialect(dialect)), skip=skip)


def execute_in_session(catalog: ViewCatalog, sql: str, session: Session, *, skip: int = 0) -> list[StatementResult]:
    """Execute a script as ``execute_script`` does, in a session that may know the columns of queries.

    Raises:
        SQLSyntaxError, HiveViewsError: as ``execute_script``.
        InvalidInputError: the session has the columns of one query, and the script has several statements.
    """
    if skip < 0:
        raise InvalidInputError(
            f"Cannot skip {skip} statements: skip is the number of statements that were already executed."
        )
    statements = parse_script(sql, session.dialect)
    if session.schema is not None and len(statements) > 1:
        raise InvalidInputError(
            "The given columns are those of one query, and the script has several statements: execute that one alone."
        )
    done: list[StatementResult] = []
    for number, each in enumerate(statements, start=1):
        if number <= skip and not isinstance(each.statement, UseNamespace):
            continue
        try:
            result = execute_statement(catalog, each.statement, session)
        except HiveViewsError as error:
            before = len("\n".join(sql.split("\n")[: each.line - 1]))
            placed = placed_in(error, each.statement, sql, before)
            raise _stopped(placed, each, number, statements, done) from error
        done.append(result)
        session = replace(session, namespace=result.namespace)
    return done


def _stopped(
    error: HiveViewsError,
    at: ScriptStatement[ViewStatement],
    number: int,
    statements: Sequence[ScriptStatement[ViewStatement]],
    done: list[StatementResult],
) -> HiveViewsError:
    message = error.message
    if len(statements) > 1:
        before = f"{counted(number - 1, 'statement')} before it succeeded"
        message = f"Statement {number} of {len(statements)}, on line {at.line}: {message} ({before}.)"
    return replace(error, message=message, script=ScriptPosition(number, at.line, at.text, tuple(done)))
