"""Tables of any columns, with rows made of those of ``bench.t``: dirty values, extremes, NULL, and nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count

from hive_views.hive.row import Column
from tests.support.translation.asking import Bench
from tests.support.translation.rows import DATABASE
from tests.support.translation.value_types import Type, read_type

Tables = Mapping[tuple[str, str], Sequence[Column]]
"""The columns of tables, by database and name."""

_LEAVES = {
    "boolean": "b",
    "tinyint": "ti",
    "smallint": "si",
    # Small numbers so that rows find each other in joins.
    "int": "CASE WHEN id < 15 THEN id % 6 WHEN (id + {at}) % 2 = 0 THEN i ELSE j END",
    "bigint": "CASE WHEN id < 9 THEN id % 6 ELSE l END",
    "float": "f",
    "double": "CASE WHEN (id + {at}) % 3 = 0 THEN id % 6 ELSE d END",
    "date": "dt",
    "timestamp": "ts",
    "binary": "bin",
}
_MILD = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "nullif(id % 6, 4)"),
    **dict.fromkeys(("float", "double"), "nullif(id % 6, 4) / 2"),
}
"""Instead of these: numbers that nothing fails for, and NULL."""
_TEXT = "CASE (id + {at}) % 4 WHEN 0 THEN s WHEN 1 THEN s2 WHEN 2 THEN ds ELSE CAST(id % 6 AS STRING) END"


def files_of(bench: Bench) -> str:
    """The directory with the files of the bench's tables, which all engines see."""
    described = dict(row[:2] for row in bench.ask("spark", f"DESCRIBE DATABASE {DATABASE}").rows)
    return str(described["Location"]).removeprefix("file:")


def create(tables: Tables, directory: str, spark: Callable[[str], object], *, mild: bool = False) -> list[str]:
    """Make tables in Spark with their rows, and return the statements that make them in Hive.

    Args:
        tables: in databases that are not there yet.
        directory: of ``files_of``; tables of the same columns have the same files.
        spark: runs a statement.
        mild: with small numbers alone.
    """
    leaves = {**_LEAVES, **_MILD} if mild else _LEAVES
    statements = []
    for database in dict.fromkeys(database for database, _ in tables):
        statement = f"CREATE DATABASE {database} LOCATION 'file:{directory}/{database}'"
        spark(statement)
        statements.append(statement)
    written: dict[tuple[Column, ...], str] = {}
    for (database, name), columns in tables.items():
        named = ", ".join(f"`{column.name}` {column.type}" for column in columns)
        is_new = tuple(columns) not in written
        location = written.setdefault(tuple(columns), f"file:{directory}/{database}/{name}")
        spark(f"CREATE TABLE {database}.`{name}` ({named}) USING orc LOCATION '{location}'")
        if is_new:
            spark(f"INSERT INTO {database}.`{name}` {_rows(columns, leaves)}")
        statements.append(f"CREATE EXTERNAL TABLE {database}.`{name}` ({named}) STORED AS ORC LOCATION '{location}'")
    return statements


def drop(tables: Tables) -> list[str]:
    """The statements that drop what ``create`` made, in Hive or Spark; files stay."""
    return [f"DROP DATABASE {database} CASCADE" for database in dict.fromkeys(database for database, _ in tables)]


def _rows(columns: Sequence[Column], leaves: Mapping[str, str]) -> str:
    numbers = count()
    values = ", ".join(_value(read_type(column.type), numbers, leaves) for column in columns)
    return f"SELECT {values} FROM {DATABASE}.t"


def _value(type_: Type, numbers: count[int], leaves: Mapping[str, str]) -> str:
    at = next(numbers)
    match type_.name:
        case "array":
            one, other = (_value(type_.parts[0], numbers, leaves) for _ in range(2))
            some = f"WHEN 2 THEN array({one}) WHEN 3 THEN array({one}, {other}, {one}) ELSE array(NULL, {other})"
            return f"CASE (id + {at}) % 5 WHEN 0 THEN NULL WHEN 1 THEN array() {some} END"
        case "map":
            one, other = (_value(type_.parts[1], numbers, leaves) for _ in range(2))
            some = f"WHEN 2 THEN map('foo', {one}) ELSE map('', {one}, 'é 1', {other})"
            return f"CASE (id + {at}) % 5 WHEN 0 THEN NULL WHEN 1 THEN map() {some} END"
        case "struct":
            pairs = zip(type_.fields, type_.parts, strict=True)
            fields = ", ".join(f"'{name}', {_value(part, numbers, leaves)}" for name, part in pairs)
            return f"CASE WHEN (id + {at}) % 7 = 0 THEN NULL ELSE named_struct({fields}) END"
        case "string":
            return _TEXT.format(at=at)
        case "char" | "varchar":
            return f"substr({_TEXT.format(at=at)}, 1, {type_.parameters[0]})"
        case "decimal":
            return f"CAST(n AS decimal{type_.parameters or ''})"
        case name:
            return leaves[name].format(at=at)
