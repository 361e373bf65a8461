"""ALTER VIEW, in Hive's forms and in ours."""

from __future__ import annotations

from hive_views.ddl.grammar.create import properties_list
from hive_views.ddl.grammar.partition_clauses import equals, partition, partition_filter
from hive_views.ddl.grammar.reader import Reader
from hive_views.ddl.grammar.statements import (
    AddDialect,
    AddPartitions,
    AddTranslation,
    AlterViewAs,
    DropDialect,
    DropPartitions,
    KeepDialect,
    Name,
    RenameView,
    ReplaceDialect,
    ReplaceTranslation,
    RollBackView,
    SetProperties,
    UnsetProperties,
    ViewStatement,
)
from hive_views.ddl.grammar.translated_text import translated_text

_NO_COMMAS = "Separate partitions to add with spaces; only partitions to drop have commas."
_NO_LOCATION = "A partition of a view cannot have a LOCATION."
_REPLICATION = "Partitions of a view are not replicated: remove FOR REPLICATION."


def alter_view(reader: Reader) -> ViewStatement:
    """What follows ALTER VIEW."""
    name = reader.qualified_name()
    if reader.accept("ROLL", "BACK", "TO", "VERSION"):
        return RollBackView(name, _version(reader))
    if reader.accept("REPLACE", "DIALECT"):
        return _text_in_dialect(reader, name, ReplaceDialect, ReplaceTranslation)
    if reader.accept("KEEP", "DIALECT"):
        return KeepDialect(name, _last_dialect(reader))
    # Hive allows a meaningless AS before any form.
    has_as = reader.accept("AS")
    if reader.accept("SET", "TBLPROPERTIES"):
        return SetProperties(name, properties_list(reader))
    if reader.accept("UNSET", "TBLPROPERTIES"):
        return _unset(reader, name)
    if reader.accept("RENAME", "TO"):
        return RenameView(name, reader.qualified_name())
    if reader.accept("ADD"):
        return _add(reader, name)
    if reader.accept("DROP"):
        return DropDialect(name, _last_dialect(reader)) if reader.accept("DIALECT") else _drop(reader, name)
    if not has_as and not reader.at("SELECT", "WITH", "("):
        forms = ("AS", "SELECT", "SET", "UNSET", "RENAME", "ADD", "DROP", "REPLACE DIALECT", "KEEP DIALECT")
        raise reader.unexpected(*forms, "ROLL BACK TO VERSION")
    return AlterViewAs(name, reader.query())


def _text_in_dialect(
    reader: Reader,
    name: Name,
    given: type[AddDialect | ReplaceDialect],
    translated: type[AddTranslation | ReplaceTranslation],
) -> ViewStatement:
    dialect = reader.dialect_name()
    found = translated_text(reader, dialect)
    if found:
        return translated(name, found[0])
    reader.expect("AS")
    return given(name, reader.query(dialect))


def _last_dialect(reader: Reader) -> str:
    dialect = reader.dialect_name()
    reader.end()
    return dialect


def _version(reader: Reader) -> int:
    token = reader.token
    number = reader.constant() if token.kind == "number" else None
    if not token.text.isdigit() or not isinstance(number, int):
        raise reader.unexpected("a version number", token=token)
    return number


def _unset(reader: Reader, name: Name) -> UnsetProperties:
    if_exists = reader.is_given("EXISTS")
    with_values: bool | None = None

    def key() -> str:
        # Hive allows values and ignores them, but either all keys have one or none has.
        nonlocal with_values
        text = reader.string("a key in quotes")
        with_values = reader.at("=", "==") if with_values is None else with_values
        if with_values:
            equals(reader)
            reader.string("a value in quotes")
        return text

    return UnsetProperties(name, tuple(dict.fromkeys(reader.list_of(key))), if_exists)


def _add(reader: Reader, name: Name) -> ViewStatement:
    if reader.accept("DIALECT"):
        return _text_in_dialect(reader, name, AddDialect, AddTranslation)
    if_not_exists = reader.is_given("NOT", "EXISTS")
    if not reader.at("PARTITION"):
        raise reader.unexpected("PARTITION", *([] if if_not_exists else ["IF NOT EXISTS", "DIALECT"]))
    partitions = [partition(reader)]
    while reader.at("PARTITION"):
        partitions.append(partition(reader))
    hints = {",": _NO_COMMAS, "LOCATION": _NO_LOCATION}
    reader.end("PARTITION", hint=hints.get(reader.token.keyword))
    return AddPartitions(name, tuple(partitions), if_not_exists)


def _drop(reader: Reader, name: Name) -> DropPartitions:
    if_exists = reader.is_given("EXISTS")
    matching = [partition_filter(reader)]
    while reader.accept(","):
        matching.append(partition_filter(reader))
    # Hive allows PURGE and ignores it: a partition of a view has no files.
    purge = reader.accept("PURGE")
    hints = {"PARTITION": "Separate partitions to drop with commas.", "FOR": _REPLICATION}
    reader.end(*([] if purge else [",", "PURGE"]), hint=hints.get(reader.token.keyword))
    return DropPartitions(name, tuple(matching), if_exists)
