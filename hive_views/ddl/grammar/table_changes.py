"""ALTER TABLE and DROP TABLE, as far as they change names and columns, in the forms of Hive and of Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hive_views.ddl.grammar.column_types import column_type
from hive_views.ddl.grammar.reader import Reader
from hive_views.ddl.grammar.statements import AlterViewAs, CreateView, DropView, Name, RenameView, UseNamespace
from hive_views.hive.row import Column

_FORMS = ("ADD COLUMNS", "DROP COLUMN", "REPLACE COLUMNS", "RENAME COLUMN", "RENAME TO", "CHANGE", "ALTER COLUMN")
NO_CHANGE = "Only statements that change names, columns or views are supported: leave out the others."


@dataclass(frozen=True)
class Place:
    """Where a column goes: behind another one, or to the front (None)."""

    after: str | None


@dataclass(frozen=True)
class NewColumn:
    """A column with its type, and where it goes; by default it is the last one, or stays where it is."""

    column: Column
    place: Place | None = None


@dataclass(frozen=True)
class AddColumns:
    name: Name
    columns: tuple[NewColumn, ...]


@dataclass(frozen=True)
class ReplaceColumns:
    name: Name
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class DropColumns:
    name: Name
    columns: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True)
class ChangeColumn:
    """Another name, type, comment or place for a column; what is None stays."""

    name: Name
    column: str
    to: str | None = None
    type: str | None = None
    comment: str | None = None
    place: Place | None = None


@dataclass(frozen=True)
class RenameTable:
    name: Name
    to: Name


@dataclass(frozen=True)
class DropTable:
    name: Name
    if_exists: bool = False


TableChange: TypeAlias = AddColumns | ReplaceColumns | DropColumns | ChangeColumn | RenameTable | DropTable
Change: TypeAlias = TableChange | CreateView | AlterViewAs | RenameView | DropView | UseNamespace
"""A statement that may change what views read."""


def alter_table(reader: Reader) -> TableChange:
    """What follows ALTER TABLE."""
    name = reader.qualified_name("the name of a table")
    if reader.accept("ADD"):
        _one_of(reader, "COLUMNS", "COLUMN")
        return AddColumns(name, _added(reader))
    if reader.accept("DROP"):
        _one_of(reader, "COLUMN", "COLUMNS")
        return _dropped(reader, name)
    if reader.accept("REPLACE"):
        reader.expect("COLUMNS")
        replaced = ReplaceColumns(name, reader.list_of(lambda: _column(reader)))
        _cascade(reader)
        return replaced
    if reader.accept("RENAME"):
        if reader.accept("TO"):
            return RenameTable(name, reader.qualified_name("the name of a table"))
        reader.expect("COLUMN")
        column = _column_name(reader)
        reader.expect("TO")
        return ChangeColumn(name, column, to=_column_name(reader))
    if reader.accept("CHANGE"):
        return _changed(reader, name, may_rename=True)
    if reader.accept("ALTER"):
        return _changed(reader, name, may_rename=False)
    raise reader.unexpected(*_FORMS, hint=NO_CHANGE)


def drop_table(reader: Reader) -> DropTable:
    """What follows DROP TABLE."""
    if_exists = reader.is_given("EXISTS")
    dropped = DropTable(reader.qualified_name("the name of a table"), if_exists)
    reader.accept("PURGE")
    return dropped


def _one_of(reader: Reader, *words: str) -> None:
    if not reader.at(*words):
        raise reader.unexpected(*words, hint=NO_CHANGE)
    reader.take()


def _added(reader: Reader) -> tuple[NewColumn, ...]:
    def column() -> NewColumn:
        return NewColumn(_column(reader), _place(reader))

    if reader.at("("):
        columns = reader.list_of(column)
        _cascade(reader)
        return columns
    # Spark's form.
    found = [column()]
    while reader.accept(","):
        found.append(column())
    return tuple(found)


def _dropped(reader: Reader, name: Name) -> DropColumns:
    if_exists = reader.is_given("EXISTS")
    if reader.at("("):
        return DropColumns(name, reader.list_of(lambda: _column_name(reader)), if_exists)
    found = [_column_name(reader)]
    while reader.accept(","):
        found.append(_column_name(reader))
    return DropColumns(name, tuple(found), if_exists)


def _changed(reader: Reader, name: Name, *, may_rename: bool) -> ChangeColumn:
    """``[COLUMN] a b type [COMMENT 'x'] [FIRST|AFTER c]`` of Hive; ``[COLUMN] a TYPE t``, ``COMMENT``, ... of Spark."""
    reader.accept("COLUMN")
    column = _column_name(reader)
    if reader.at("TYPE") and reader.after_next().keyword != "TYPE":
        # Not Hive's ``CHANGE a type type``, though no table has such a column.
        reader.take()
        return ChangeColumn(name, column, type=column_type(reader))
    if reader.at("COMMENT", "FIRST", "AFTER") and not _names_a_column(reader):
        comment = reader.string("a comment") if reader.accept("COMMENT") else None
        return ChangeColumn(name, column, comment=comment, place=_place(reader))
    if reader.at("SET", "DROP"):
        # NOT NULL and DEFAULT change no type, and no name.
        return ChangeColumn(name, _nullability(reader, column))
    if not may_rename:
        raise reader.unexpected("TYPE", "COMMENT", "FIRST", "AFTER", "SET NOT NULL", "DROP NOT NULL")
    new = _column(reader)
    changed = ChangeColumn(name, column, new.name, new.type, new.comment, _place(reader))
    _cascade(reader)
    return changed


def _names_a_column(reader: Reader) -> bool:
    """Whether a word that may begin a clause is the new name of a column, with a type behind it."""
    following = reader.after_next()
    return reader.at("COMMENT", "FIRST") and following.kind == "word" and following.keyword != "CASCADE"


def _nullability(reader: Reader, column: str) -> str:
    is_set = reader.accept("SET")
    if not is_set:
        reader.expect("DROP")
    reader.expect("NOT", "NULL")
    return column


def _column_name(reader: Reader) -> str:
    name = reader.name("a column")
    if reader.at("."):
        raise reader.unexpected("a column", hint="Fields inside a column are not supported: change the whole column.")
    return name


def _column(reader: Reader) -> Column:
    name = _column_name(reader)
    type_ = column_type(reader)
    if reader.accept("NOT"):
        reader.expect("NULL")
    return Column(name, type_, reader.string("a comment") if reader.accept("COMMENT") else None)


def _place(reader: Reader) -> Place | None:
    if reader.accept("FIRST"):
        return Place(None)
    return Place(_column_name(reader)) if reader.accept("AFTER") else None


def _cascade(reader: Reader) -> None:
    if reader.at("CASCADE", "RESTRICT"):
        reader.take()
