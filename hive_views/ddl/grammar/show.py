"""SHOW, DESCRIBE and USE."""

from __future__ import annotations

from typing import Literal

from hive_views.ddl.grammar.partition_clauses import partition
from hive_views.ddl.grammar.reader import Reader, is_name
from hive_views.ddl.grammar.statements import (
    DescribeView,
    Name,
    ShowColumns,
    ShowCreateView,
    ShowPartitions,
    ShowProperties,
    ShowViews,
    UseNamespace,
)

_PRETTY = "Hive 3 removed PRETTY: write FORMATTED."


def show_views(reader: Reader) -> ShowViews:
    """What follows SHOW VIEWS."""
    namespace = _database(reader)
    if not reader.accept("LIKE") and reader.token.kind != "string" and not reader.at_name():
        reader.end(*([] if namespace else ["IN", "FROM"]), "LIKE")
        return ShowViews(namespace)
    return ShowViews(namespace, reader.name() if reader.at_name() else reader.string("a pattern"))


def show_partitions(reader: Reader) -> ShowPartitions:
    """What follows SHOW PARTITIONS; the WHERE, ORDER BY and LIMIT of Hive 4 are not supported."""
    name = reader.qualified_name()
    matching = partition(reader) if reader.at("PARTITION") else None
    reader.end(*([] if matching else ["PARTITION"]))
    return ShowPartitions(name, matching)


def show_properties(reader: Reader) -> ShowProperties:
    """What follows SHOW TBLPROPERTIES."""
    name = reader.qualified_name()
    if not reader.accept("("):
        reader.end("(")
        return ShowProperties(name)
    key = reader.string("a key in quotes")
    reader.expect(")")
    return ShowProperties(name, key)


def show_columns(reader: Reader) -> ShowColumns:
    """What follows SHOW COLUMNS."""
    if not reader.at("FROM", "IN"):
        raise reader.unexpected("FROM", "IN")
    reader.take()
    name = reader.qualified_name()
    if name.namespace is not None:
        reader.end(hint="The name already includes its database." if reader.at("FROM", "IN") else None)
        return ShowColumns(name)
    namespace = _database(reader)
    reader.end(*([] if namespace else ["FROM", "IN"]))
    return ShowColumns(Name(namespace, name.name))


def show_create_view(reader: Reader) -> ShowCreateView:
    """What follows SHOW CREATE TABLE and SHOW CREATE VIEW, which Hive 4.0.1 still refuses."""
    return ShowCreateView(reader.qualified_name())


def describe_view(reader: Reader) -> DescribeView:
    """What follows DESCRIBE; options count as options only if a name follows, as they can be names themselves."""
    detail: Literal["extended", "formatted"] | None = None
    if reader.accept("EXTENDED"):
        detail = "extended"
    elif reader.at("FORMATTED", "PRETTY", "SCHEMA"):
        following = reader.after_next()
        if is_name(following) or following.keyword == "EXTENDED":
            if not reader.at("FORMATTED"):
                hint = _PRETTY if reader.at("PRETTY") else "Only views can be described here."
                raise reader.unexpected("the name of a view", hint=hint)
            reader.take()
            detail = "formatted"
    name = reader.qualified_name()
    values = partition(reader) if reader.at("PARTITION") else None
    column: list[str] = []
    if reader.at_name():
        column.append(reader.name())
        while reader.accept("."):
            column.append(reader.name("a field"))
    possible = ["."] if column else ["a column"] if values else ["PARTITION", "a column"]
    reader.end(*possible)
    return DescribeView(name, detail, values, tuple(column))


def use(reader: Reader) -> UseNamespace:
    """What follows USE."""
    return UseNamespace(reader.name("a database"))


def _database(reader: Reader) -> str | None:
    return reader.name("a database") if reader.accept("IN") or reader.accept("FROM") else None
