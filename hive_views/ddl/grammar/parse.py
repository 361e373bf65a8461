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
"""Characters of the longest script: some 250,000 partitions, read in seconds and in less than a gigabyte."""

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
    """The one statement in the text; a semicolon behind it is tolerated.

    Args:
        sql: the statement, in the grammar that ``hive_views.ddl.grammar`` describes.
        dialect: of the queries in it that do not say theirs (``ADD DIALECT`` does); the words around them are Hive's.

    Raises:
        SQLSyntaxError: it is none, or more than one; the fields ``line`` and ``column`` (from 1), ``found`` and
            ``expected`` say what is wrong, and ``excerpt`` of sql/syntax_errors.py shows it.
        InvalidInputError: the dialect is not a name.
    """
    reader = _reader(sql, dialect)
    if reader.at_end():
        raise reader.refuse("a statement")
    found = _statement(reader)
    while reader.accept(";"):
        pass
    if not reader.at_end():
        raise reader.refuse("the end of the text", hint="Several statements are a script.")
    return found


def parse_script(sql: str, dialect: str = "hive") -> tuple[ScriptStatement, ...]:
    """All statements in the text, with semicolons between them. None is given before all of them are read.

    Raises:
        SQLSyntaxError: as for ``parse_statement``; the place is that in the whole text.
        InvalidInputError: the dialect is not a name.
    """
    return tuple(_statements(_reader(sql, dialect)))


def is_view_statement(sql: str) -> bool:
    """Whether the first words are those of a statement that is read here, whatever follows them.

    SHOW, DESCRIBE and USE have the same words for tables: whether the name is a view's, only a metastore knows.
    """
    try:
        reader = Reader(sql, 0, "hive")
        head = _taken_head(reader)
        if head[0] in ("DESCRIBE", "DESC"):
            return is_name(reader.token) or reader.at("EXTENDED")
    except SQLSyntaxError:
        return False
    return True


def _reader(sql: str, dialect: str) -> Reader:
    if len(sql) > MAX_SCRIPT:
        problem = f"it has {len(sql):,} characters, and {MAX_SCRIPT:,} is the most that is read."
        raise statement_error(sql, 0, problem, found=f"{len(sql):,} characters")
    return Reader(sql, 0, check_dialect(dialect))


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
        yield ScriptStatement(statement, reader.sql[start : reader.behind], line)


def _statement(reader: Reader) -> ViewStatement:
    found = _HEADS[_taken_head(reader)](reader)
    reader.end()
    return found


def _taken_head(reader: Reader) -> tuple[str, ...]:
    """The first words, which are taken."""
    taken: tuple[str, ...] = ()
    while taken not in _HEADS:
        ahead = [head[len(taken) :] for head in _HEADS if head[: len(taken)] == taken]
        if reader.token.keyword not in {words[0] for words in ahead}:
            if taken:
                raise reader.refuse(*(" ".join(words) for words in ahead))
            first = dict.fromkeys(words[0] for words in ahead)
            raise reader.refuse(*first, hint="Only statements about views are read here.")
        taken = (*taken, reader.take().keyword)
    return taken
