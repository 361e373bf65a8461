"""PUBLISH VIEW, which is ours.

What lives here: its grammar. What must not: when a partition is ready.
"""

from __future__ import annotations

from hive_views.ddl.grammar.partition_clauses import equals, new_column, partition, partition_values
from hive_views.ddl.grammar.reader import Reader
from hive_views.ddl.grammar.statements import Constant, PartitionColumn, PublishView, Requirement
from hive_views.readiness.text_form import MAX_RANGE

"""Values of the longest range that is spelled out: one more than the minutes of a week or the days of 27 years."""


def publish_view(reader: Reader) -> PublishView:
    """What is behind PUBLISH VIEW."""
    name = reader.qualified_name()
    candidates = []
    if reader.at("PARTITION"):
        candidates.append(partition(reader))
        while reader.accept(","):
            candidates.append(partition(reader))
    if not reader.accept("REQUIRES"):
        raise reader.refuse("," if candidates else "PARTITION", "REQUIRES")
    requirements = [_requirement(reader)]
    while reader.accept(","):
        requirements.append(_requirement(reader))
    since = partition_values(reader) if reader.accept("SINCE") else None
    until = partition_values(reader) if reader.accept("UNTIL") else None
    ahead = () if until else ("UNTIL",) if since else (",", "SINCE", "UNTIL")
    reader.end(*ahead)
    return PublishView(name, tuple(requirements), tuple(candidates), since, until)


def _requirement(reader: Reader) -> Requirement:
    table = reader.qualified_name("the name of a table")
    if not reader.at("("):
        return Requirement(table)
    given: set[str] = set()
    return Requirement(table, reader.list_of(lambda: _condition(reader, given)))


def _condition(reader: Reader, given: set[str]) -> tuple[str, PartitionColumn | tuple[Constant, ...]]:
    column = new_column(reader, given)
    if reader.accept("IN"):
        return column, tuple(value for values in reader.list_of(lambda: _values(reader)) for value in values)
    if not reader.at("=", "=="):
        raise reader.refuse("=", "IN")
    equals(reader)
    if reader.at_name():
        return column, PartitionColumn(reader.name())
    return column, (_value(reader),)


def _values(reader: Reader) -> tuple[Constant, ...]:
    """One value, or ``'00' TO '23'``: whole numbers, of as many digits as the first if they are strings."""
    token = reader.token
    first = _value(reader)
    if not reader.accept("TO"):
        return (first,)
    last = _value(reader)
    numbers = (_whole_number(first), _whole_number(last))
    if type(first) is not type(last) or numbers[0] is None or numbers[1] is None or numbers[1] < numbers[0]:
        hint = "Both are whole numbers or both are texts of digits, and the first is not above the second."
        raise reader.refuse("a range", token=token, hint=hint)
    if numbers[1] - numbers[0] >= MAX_RANGE:
        raise reader.refuse("a shorter range", token=token, hint=f"A range has {MAX_RANGE:,} values at most.")
    whole = range(numbers[0], numbers[1] + 1)
    return tuple(str(number).zfill(len(first)) for number in whole) if isinstance(first, str) else tuple(whole)


def _value(reader: Reader) -> Constant:
    if reader.at("NULL"):
        raise reader.refuse("a constant", hint="NULL is no value; leave the column out if any will do.")
    return reader.constant()


def _whole_number(value: Constant) -> int | None:
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
