"""From a text to statements: which statement it is, and where the next one starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

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
from hive_views.ddl.grammar.statements import AlterViewAs, RenameView, ViewStatement
from hive_views.ddl.grammar.table_changes import NO_CHANGE, Change, alter_table, drop_table
from hive_views.errors import SQLSyntaxError
from hive_views.sql.dialects import check_dialect
from hive_views.sql.syntax_errors import statement_error

MAX_SCRIPT = 10_000_000
"""Characters of the longest script: some 250,000 partitions, read in seconds with less than a gigabyte."""

_Statement = TypeVar("_Statement")
_Heads = Mapping[tuple[str, ...], Callable[[Reader], _Statement]]

_HEADS: _Heads[ViewStatement] = {
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


def _change_of_view(reader: Reader) -> AlterViewAs | RenameView:
    start = reader.token
    changed = alter_view(reader)
    if isinstance(changed, AlterViewAs | RenameView):
        return changed
    raise reader.unexpected("ALTER VIEW ... AS", "ALTER VIEW ... RENAME TO", token=start)


_CHANGES: _Heads[Change] = {
    ("ALTER", "TABLE"): alter_table,
    ("DROP", "TABLE"): drop_table,
    ("CREATE", "VIEW"): create_view,
    ("CREATE", "OR", "REPLACE", "VIEW"): partial(create_view, replace=True),
    ("ALTER", "VIEW"): _change_of_view,
    ("DROP", "VIEW"): drop_view,
    ("USE",): use,
}


@dataclass(frozen=True)
class ScriptStatement(Generic[_Statement]):
    """A statement of a script: its value, its text without the semicolon, and the line (from 1) it starts on."""

    statement: _Statement
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
    found = _statement(reader, _HEADS)
    while reader.accept(";"):
        pass
    if not reader.at_end():
        raise reader.unexpected(
            "the end of the text", hint="Only one statement is allowed here; execute_script executes several."
        )
    return found


def parse_script(sql: str, dialect: str = "hive") -> tuple[ScriptStatement[ViewStatement], ...]:
    """All statements in the text, separated by semicolons; all of them are read before any is returned.

    Raises:
        SQLSyntaxError: as for ``parse_statement``; the place is that in the whole text.
        InvalidInputError: the dialect is not a name.
    """
    return tuple(_statements(_reader(sql, dialect), _HEADS))


def parse_changes(sql: str, dialect: str = "hive") -> tuple[ScriptStatement[Change], ...]:
    """All statements in the text, as ``parse_script``, but those of a migration: what may change what views read.

    Raises:
        SQLSyntaxError: as for ``parse_script``; also for a statement that changes neither names nor columns.
        InvalidInputError: the dialect is not a name.
    """
    return tuple(_statements(_reader(sql, dialect), _CHANGES))


def is_view_statement(sql: str) -> bool:
    """Whether the text begins like a statement that ``parse_statement`` reads, whatever follows.

    SHOW, DESCRIBE and USE begin alike for tables: only a metastore knows whether the name is that of a view.
    """
    try:
        reader = Reader(sql, "hive")
        head = _taken_head(reader, _HEADS)
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


def _statements(reader: Reader, heads: _Heads[_Statement]) -> Iterator[ScriptStatement[_Statement]]:
    line, counted = 1, 0
    while True:
        while reader.accept(";"):
            pass
        if reader.at_end():
            return
        start = reader.token.start
        statement = _statement(reader, heads)
        line, counted = line + reader.sql.count("\n", counted, start), start
        yield ScriptStatement(statement, reader.sql[start : reader.position], line)


def _statement(reader: Reader, heads: _Heads[_Statement]) -> _Statement:
    found = heads[_taken_head(reader, heads)](reader)
    reader.end()
    return found


def _taken_head(reader: Reader, heads: _Heads[Any]) -> tuple[str, ...]:
    """The first words, which are consumed."""
    taken: tuple[str, ...] = ()
    while taken not in heads:
        ahead = [head[len(taken) :] for head in heads if head[: len(taken)] == taken]
        if reader.token.keyword not in {words[0] for words in ahead}:
            if taken:
                raise reader.unexpected(*(" ".join(words) for words in ahead))
            first = dict.fromkeys(words[0] for words in ahead)
            hint = NO_CHANGE if heads is _CHANGES else "Only statements about views are supported."
            raise reader.unexpected(*first, hint=hint)
        taken = (*taken, reader.take().keyword)
    return taken
