"""The PARTITION clauses of all statements."""

from __future__ import annotations

from hive_views.ddl.grammar.reader import Reader
from hive_views.ddl.grammar.statements import Comparison, Constant, Operator, PartitionValues

_OPERATORS: dict[str, Operator] = {
    "=": "=",
    "==": "=",
    "!=": "!=",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}


def partition(reader: Reader) -> PartitionValues:
    """``PARTITION (ds='2026-08-01', hr=1)``."""
    reader.expect("PARTITION")
    return partition_values(reader)


def partition_values(reader: Reader) -> PartitionValues:
    """``(ds='2026-08-01', hr=1)``; of two values for a column, Hive uses the last, which hides a mistake."""
    given: set[str] = set()

    def value() -> tuple[str, Constant]:
        column = new_column(reader, given)
        equals(reader)
        return column, reader.constant()

    return PartitionValues(reader.list_of(value))


def new_column(reader: Reader, given: set[str]) -> str:
    """The name of a partition column without a value so far."""
    token = reader.token
    column = reader.name("a partition column")
    if column.lower() in given:
        raise reader.unexpected("another column", token=token, hint="Give each column one value.")
    given.add(column.lower())
    return column


def equals(reader: Reader) -> None:
    """``=`` or ``==``, which Hive's lexer does not tell apart."""
    if not reader.at("=", "=="):
        raise reader.unexpected("=")
    reader.take()


def partition_filter(reader: Reader) -> tuple[Comparison, ...]:
    """``PARTITION (ds > '2026-08-01', hr != 1)``."""
    reader.expect("PARTITION")
    return reader.list_of(lambda: _comparison(reader))


def _comparison(reader: Reader) -> Comparison:
    column = reader.name("a partition column")
    operator = _OPERATORS.get(reader.token.keyword)
    if operator is None:
        raise reader.unexpected(*_OPERATORS)
    reader.take()
    return Comparison(column, operator, reader.constant())
