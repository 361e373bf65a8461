"""The columns of table-generating functions: explode, posexplode, inline, stack, json_tuple and others."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, both
from hive_views.analysis.tree.typing.context import Context
from hive_views.analysis.tree.typing.nested import part_types
from hive_views.analysis.tree.typing.results import arguments, computed, plain
from hive_views.hive.types import parse_hive_type

GeneratedColumns = tuple[tuple[str | None, DerivedType], ...]
"""Default names (None where Hive and Spark use different ones) and types."""

_STRING, _INT = both("string"), both("int")


def generated_columns(function: Any, context: Context) -> GeneratedColumns | None:
    """The columns of a table-generating function, in LATERAL VIEW or a select list; None where they are not known."""
    call = function.this if isinstance(function, exp.Aliases) else function.unalias()
    name = call.name.lower() if isinstance(call, exp.Anonymous) else context.written_name(call)
    name = name.removesuffix("_outer")
    given = arguments(call)
    if name in ("explode", "posexplode"):
        return _exploded(context.of(given[0]), with_position=name == "posexplode")
    if name == "inline":
        return _inlined(context.of(given[0]))
    if name == "stack":
        return _stacked(given, context)
    if name == "json_tuple":
        return tuple((f"c{number}", _STRING) for number in range(len(given) - 1))
    if name == "parse_url_tuple":
        only_hive = DerivedType("string", None, "Spark has no parse_url_tuple")
        return tuple((f"c{number}", only_hive) for number in range(len(given) - 1))
    return None


def _exploded(collection: DerivedType, *, with_position: bool) -> GeneratedColumns | None:
    parts = part_types(collection)
    if parts is None:
        return None
    if len(parts) == 2:
        named = tuple(zip(("key", "value"), parts, strict=True))
        # Hive cannot number the entries of a map.
        return None if with_position else named
    # Hive calls the element val there, and Spark col.
    return (("pos", _INT), (None, parts[0])) if with_position else (("col", parts[0]),)


def _inlined(structs: DerivedType) -> GeneratedColumns | None:
    parts = part_types(structs)
    if parts is None or len(parts) != 1 or parts[0].hive is None or parts[0].spark is None:
        return None
    in_hive, in_spark = (parse_hive_type(one).field_names for one in (parts[0].hive, parts[0].spark))
    if len(in_hive) != len(in_spark) or not in_hive or len(set(in_hive)) != len(in_hive):
        return None
    return tuple(
        (name if name == other.lower() else None, _beside(parts[0], number))
        for number, (name, other) in enumerate(zip(in_hive, in_spark, strict=True))
    )


def _beside(struct: DerivedType, number: int) -> DerivedType:
    return computed([struct], lambda given: given[0].parts[number], lambda given: plain(given[0].parts[number]))


def _stacked(given: list[Any], context: Context) -> GeneratedColumns | None:
    count, values = given[0], given[1:]
    if not (isinstance(count, exp.Literal) and count.name.isdigit() and int(count.name)):
        return None
    width = -(-len(values) // int(count.name))
    columns = ([context.of(one) for one in values[place::width]] for place in range(width))
    return tuple((f"col{number}", _one_of(types)) for number, types in enumerate(columns))


def _one_of(types: list[DerivedType]) -> DerivedType:
    kinds = {one for one in types if one.certain != "void"}
    if len(kinds) != 1:
        return DerivedType(why="its rows have different types")
    return computed([kinds.pop()], lambda given: given[0], lambda given: plain(given[0]))
