"""CREATE VIEW and DROP VIEW."""

from __future__ import annotations

from hive_views.ddl.grammar.partition_clauses import equals
from hive_views.ddl.grammar.reader import Reader
from hive_views.ddl.grammar.statements import CreateView, DropView, OutputColumn

_CLAUSES = ("COMMENT", "PARTITIONED ON", "TBLPROPERTIES", "AS")
_ORDER = "The order of clauses, each at most once, is: (columns) COMMENT, PARTITIONED ON, TBLPROPERTIES, AS."


def create_view(reader: Reader, *, replace: bool = False) -> CreateView:
    """What follows CREATE [OR REPLACE] VIEW."""
    if replace and reader.at("IF"):
        raise reader.unexpected("the name of a view", hint="OR REPLACE and IF NOT EXISTS cannot be combined.")
    if_not_exists = reader.is_given("NOT", "EXISTS")
    name = reader.qualified_name()
    columns = reader.list_of(lambda: _column(reader)) if reader.at("(") else None
    comment = reader.string("a comment") if reader.accept("COMMENT") else None
    partitioned_on: tuple[str, ...] = ()
    if reader.accept("PARTITIONED", "ON"):
        partitioned_on = reader.list_of(lambda: reader.name("a column"))
    properties = properties_list(reader) if reader.accept("TBLPROPERTIES") else ()
    if not reader.accept("AS"):
        done = max(place for place, clause in enumerate((True, comment, partitioned_on, properties)) if clause)
        possible = _CLAUSES[done:] if done or columns else ("(", *_CLAUSES)
        late = reader.at("(", "COMMENT", "PARTITIONED", "TBLPROPERTIES")
        raise reader.unexpected(*possible, hint=_ORDER if late else None)
    return CreateView(
        name,
        reader.query(),
        replace=replace,
        if_not_exists=if_not_exists,
        columns=columns,
        comment=comment,
        partitioned_on=partitioned_on,
        properties=properties,
    )


def drop_view(reader: Reader) -> DropView:
    """What follows DROP VIEW."""
    if_exists = reader.is_given("EXISTS")
    return DropView(reader.qualified_name(), if_exists)


def properties_list(reader: Reader) -> tuple[tuple[str, str], ...]:
    """``('key'='value', ...)``; of two values for a key the last one counts, as in Hive."""

    def pair() -> tuple[str, str]:
        key = reader.string("a key in quotes")
        equals(reader)
        return key, reader.string("a value in quotes")

    return tuple(dict(reader.list_of(pair)).items())


def _column(reader: Reader) -> OutputColumn:
    name = reader.name("a column")
    if reader.accept("COMMENT"):
        return OutputColumn(name, reader.string("a comment"))
    if not reader.at(",", ")"):
        raise reader.unexpected("COMMENT", ",", ")", hint="Types are those of the query." if reader.at_name() else None)
    return OutputColumn(name)
