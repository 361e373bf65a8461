"""Several statements, one after the other.

What lives here: the order, the current database on the way, and what is told of a script that stops. What must not:
what any statement does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive_views.ddl.execute import execute_statement
from hive_views.ddl.grammar.parse import ScriptStatement, parse_script
from hive_views.ddl.grammar.statements import UseNamespace
from hive_views.ddl.result import StatementResult
from hive_views.ddl.session import Session
from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.views.verbs import ViewVerbs


def execute_script(catalog: ViewVerbs, text: str, session: Session, *, skip: int = 0) -> list[StatementResult]:
    """Execute the statements of a script in their order, after all of them were read; USE holds for those behind it.

    The first error ends it, and what was done before stays done. The error is that of the statement, with a message
    that says which one it was, and the fields ``statement`` (its number, from 1), ``text``, ``script_line``, and
    ``done``: the results of those before it. When the cause is mended, run the whole script again, if its statements
    can be repeated (IF NOT EXISTS, OR REPLACE, IF EXISTS), or leave those out that were done.

    Args:
        catalog: where the views are.
        text: statements with semicolons between them.
        session: what the first statement starts with.
        skip: so many statements at the beginning are left out, but not USE.

    Raises:
        SQLSyntaxError: a statement cannot be read; nothing was done.
        HiveViewsError: of the statement that failed.
    """
    if skip < 0:
        raise InvalidInputError(f"Cannot skip {skip} statements: give the number of those that were done before.")
    statements = parse_script(text, session.dialect)
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
    # The place in the query is not the place in the script.
    place = {"line": None, "column": None} if error.fields.get("line") else {}
    fields = {"statement": number, "text": at.text, "script_line": at.line, "done": done}
    message = str(error)
    if len(statements) > 1:
        before = f"{number - 1} before it were done" if number > 1 else "none was done before it"
        message = f"Statement {number} of {len(statements)}, in line {at.line}: {message} ({before}.)"
    return type(error)(message, **{**error.fields, **place, **fields})
