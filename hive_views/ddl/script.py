"""Several statements, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive_views.ddl.execute import execute_statement
from hive_views.ddl.grammar.parse import ScriptStatement, parse_script
from hive_views.ddl.grammar.statements import UseNamespace
from hive_views.ddl.result import StatementResult
from hive_views.ddl.session import Session
from hive_views.errors import HiveViewsError, InvalidInputError, ScriptPosition, SQLSyntaxError
from hive_views.spec.identifiers import check_namespace
from hive_views.sql.dialects import check_dialect
from hive_views.views.catalog import ViewCatalog


def execute_script(
    catalog: ViewCatalog, sql: str, *, dialect: str = "hive", namespace: str = "default", skip: int = 0
) -> list[StatementResult]:
    """Execute the statements of a script in their order, after all of them were read; USE holds for those behind it.

    The first error ends it, and what was done before stays done. The error is that of the statement, with a message
    that says which one it was, and the field ``script``: its number, line and text, and the results of those before it.
    When the cause is repaired, run the whole script again, if its statements
    can be repeated (IF NOT EXISTS, OR REPLACE, IF EXISTS), or leave those out that were done.

    Args:
        catalog: where the views are.
        sql: statements with semicolons between them.
        dialect: what the queries of CREATE VIEW and ALTER VIEW AS are written in: ``hive`` or ``spark``.
        namespace: the current database at the beginning.
        skip: so many statements at the beginning are left out, but not USE.

    Returns:
        One result for each statement that was executed.

    Raises:
        SQLSyntaxError: a statement cannot be read; nothing was done.
        HiveViewsError: of the statement that failed.
    """
    return execute_in_session(catalog, sql, Session(check_namespace(namespace), check_dialect(dialect)), skip=skip)


def execute_in_session(catalog: ViewCatalog, sql: str, session: Session, *, skip: int = 0) -> list[StatementResult]:
    """Execute a script as ``execute_script`` does, with what a session knows of the columns of queries.

    Raises:
        SQLSyntaxError, HiveViewsError: as ``execute_script``.
        InvalidInputError: the session has the columns of one query, and the script has several statements.
    """
    if skip < 0:
        raise InvalidInputError(f"Cannot skip {skip} statements: give the number of those that were done before.")
    statements = parse_script(sql, session.dialect)
    if session.schema is not None and len(statements) > 1:
        raise InvalidInputError("The columns given are those of one query: execute its statement by itself.")
    done: list[StatementResult] = []
    for number, each in enumerate(statements, start=1):
        if number <= skip and not isinstance(each.statement, UseNamespace):
            continue
        try:
            result = execute_statement(catalog, each.statement, session)
        except HiveViewsError as error:
            raise _stopped(error, each, number, statements, done) from error
        done.append(result)
        session = replace(session, namespace=result.namespace)
    return done


def _stopped(
    error: HiveViewsError,
    at: ScriptStatement,
    number: int,
    statements: Sequence[ScriptStatement],
    done: list[StatementResult],
) -> HiveViewsError:
    if isinstance(error, SQLSyntaxError):
        # The place in the query is not the place in the script.
        error = replace(error, line=None, column=None)
    message = error.message
    if len(statements) > 1:
        before = f"statements before it that succeeded: {number - 1}"
        message = f"Statement {number} of {len(statements)}, in line {at.line}: {message} ({before}.)"
    return replace(error, message=message, script=ScriptPosition(number, at.line, at.text, tuple(done)))
