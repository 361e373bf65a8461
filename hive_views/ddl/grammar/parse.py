"""From a text to statements: which statement it is, and where the next one starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from hive_views.ddl.grammar.alter import alter_view
from hive_views.ddl.grammar.create import create_view, drop_view
from hive_views.ddl.grammar.publish_view import publish_view
from hive_views.ddl.grammar.reader import Reader, is_name
from hive_views.ddl.grammar.show import (
    describe_view,
    show_columns,
    show_create_view,
    show_partitions,
    show_properties,
    show_views,
    use,
)
from hive_views.ddl.grammar.statements import ViewStatement
from hive_views.errors import SQLSyntaxError
from hive_views.sql.dialects import check_dialect
from hive_views.sql.syntax_errors import statement_error

MAX_SCRIPT = 10_000_000
"""Characters of the longest script: some 250,000 partitions, read in seconds with less than a gigabyte."""

_HEADS: dict[tuple[str, ...], Callable[[Reader], ViewStatement]] = {
    ("CREATE", "VIEW"): create_view,
    ("CREATE", "OR", "REPLACE", "VIEW"): partial(create_view, replace=True),
    ("ALTER", "VIEW"): alter_view,
    ("DROP", "VIEW"): drop_view,
    ("SHOW", "VIEWS"): show_views,
    ("SHOW", "PARTITIONS"): show_partitions,
    ("SHOW", "TBLPROPERTIES"): show_properties,
    ("SHOW", "COLUMNS"): show_columns,
    ("SHOW", "CREATE", "TABLE"): show_create_view,
    ("SHOW", "CREATE", "VIEW"): show_create_view,
    ("DESCRIBE",): describe_view,
    ("DESC",): describe_view,
    ("USE",): use,
    ("PUBLISH", "VIEW"): publish_view,
}


@dataclass(frozen=True)
class ScriptStatement:
    """A statement of a script: its value, its text without the semicolon, and the line (from 1) it starts on."""

    statement: ViewStatement
    text: str
    line: int


def parse_statement(sql: str, dialect: str = "hive") -> ViewStatement:
    """The one statement in the text; semicolons after it are allowed.

    Args:
        sql: the statement, in the grammar that ``hive_views.ddl.grammar`` describes.
        dialect: the dialect of queries in it that do not name theirs (``ADD DIALECT`` does).

    Raises:
        SQLSyntaxError: it is not a statement, or more than one; ``line`` and ``column`` (from 1), ``found`` and
            ``expected`` say what is wrong, and ``excerpt`` of sql/syntax_errors.py shows it.
        InvalidInputError: the dialect is not a name.
    """
    reader = _reader(sql, dialect)
    if reader.at_end():
        raise reader.unexpected("a statement")
    found = _statement(reader)
    while reader.accept(";"):
        pass
    if not reader.at_end():
        raise reader.unexpected(
            "the end of the text", hint="Only one statement is allowed here; execute_script executes several."
        )
    return found


def parse_script(sql: str, dialect: str = "hive") -> tuple[ScriptStatement, ...]:
    """All statements in the text, separated by semicolons; all of them are read before any is returned.

    Raises:
        SQLSyntaxError: as for ``parse_statement``; the place is that in the whole text.
        InvalidInputError: the dialect is not a name.
    """
    return tuple(_statements(_reader(sql, dialect)))


def is_view_statement(sql: str) -> bool:
    """Whether the text begins like a statement that ``parse_statement`` reads, whatever follows.

    SHOW, DESCRIBE and USE begin alike for tables: only a metastore knows whether the name is that of a view.
    """
    try:
        reader = Reader(sql, "hive")
        head = _taken_head(reader)
        if head[0] in ("DESCRIBE", "DESC"):
            return is_name(reader.token) or reader.at("EXTENDED")
    except SQLSyntaxError:
        return False
    return True


def _reader(sql: str, dialect: str) -> Reader:
    if len(sql) > MAX_SCRIPT:
        problem = f"it has {len(sql):,} characters; the limit is {MAX_SCRIPT:,}."
        raise statement_error(sql, 0, problem, found=f"{len(sql):,} characters")
    return Reader(sql, check_dialect(dialect))


def _statements(reader: Reader) -> Iterator[ScriptStatement]:
    line, counted = 1, 0
    while True:
        while reader.accept(";"):
            pass
        if reader.at_end():
            return
        start = reader.token.start
        statement = _statement(reader)
        line, counted = line + reader.sql.count("\n", counted, start), start
        yield ScriptStatement(statement, reader.sql[start : reader.position], line)


def _statement(reader: Reader) -> ViewStatement:
    found = _HEADS[_taken_head(reader)](reader)
    reader.end()
    return found


def _taken_head(reader: Reader) -> tuple[str, ...]:
    """The first words, which are consumed."""
    taken: tuple[str, ...] = ()
    while taken not in _HEADS:
        ahead = [head[len(taken) :] for head in _HEADS if head[: len(taken)] == taken]
        if reader.token.keyword not in {words[0] for words in ahead}:
            if taken:
                raise reader.unexpected(*(" ".join(words) for words in ahead))
            first = dict.fromkeys(words[0] for words in ahead)
            raise reader.unexpected(*first, hint="Only statements about views are supported.")
        taken = (*taken, reader.take().keyword)
    return taken
