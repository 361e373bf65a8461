"""Whether a text is one query, and what its output columns are called.

What lives here: questions about one text. What must not: changes to a text (expand.py), names of tables (tables.py).
"""

from __future__ import annotations

from hive_views.sql import _parser
from hive_views.sql.dialects import canonical_dialect


def check_query(sql: str, dialect: str) -> None:
    """Make sure that the text can be a view: exactly one query that only reads.

    A semicolon and comments behind it are tolerated. Engines are stricter than this check, which knows no table and no
    function. In a dialect that no parser here knows, any text is taken that is not empty.

    Raises:
        SQLSyntaxError: it is not; the fields ``line`` and ``column`` (from 1) say where, when known, and ``expected``
            what should have been there.
        InvalidInputError: the dialect is not a name.
    """
    dialect = canonical_dialect(dialect)
    if not sql.strip():
        raise _parser.syntax_error(sql, dialect, "it is empty; expected a SELECT.", expected="SELECT")
    if _parser.is_known(dialect):
        _parser.check(sql, dialect)


def output_columns(sql: str, dialect: str) -> tuple[str | None, ...] | None:
    """The names of the query's output columns, None for a column without one.

    Set operations take their names from the first branch. The answer is None where the text does not say: a star, a
    table generating function without aliases, or a dialect that no parser here knows.

    Raises:
        SQLSyntaxError: the text is not exactly one query.
        InvalidInputError: the dialect is not a name.
    """
    dialect = canonical_dialect(dialect)
    return _parser.output_names(sql, dialect) if _parser.is_known(dialect) else None
