"""Functions of arrays and maps that Spark has, and not every release of Hive: their types are Spark's alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, beside
from hive_views.analysis.tree.typing.context import Context, Rule
from hive_views.analysis.tree.typing.results import arguments, plain
from hive_views.hive.types import HiveType, parse_hive_type

_OfTypes = Callable[[Sequence[HiveType]], "HiveType | None"]


def _in_spark(rule: _OfTypes, name: str) -> Rule:
    def of(node: Any, context: Context) -> DerivedType:
        types = [context.of(one).spark for one in arguments(node) if one is not None]
        known = [plain(parse_hive_type(type_)) for type_ in types if type_ is not None]
        found = rule(known) if known and len(known) == len(types) else None
        return beside(None, None if found is None else str(found), f"not every Hive has {name}")

    return of


def _first(types: Sequence[HiveType]) -> HiveType | None:
    return types[0] if types[0].name == "array" else None


def _all(types: Sequence[HiveType]) -> HiveType | None:
    return types[0] if types[0].name in ("array", "map") and len(set(types)) == 1 else None


def _part(types: Sequence[HiveType]) -> HiveType | None:
    return types[0].parts[-1] if types[0].name in ("array", "map") else None


def _flat(types: Sequence[HiveType]) -> HiveType | None:
    is_nested = types[0].name == "array" and types[0].parts[0].name == "array"
    return types[0].parts[0] if is_nested else None


def _repeated(types: Sequence[HiveType]) -> HiveType | None:
    return HiveType("array", parts=(types[0],)) if types[0].name != "void" else None


def _numbers(types: Sequence[HiveType]) -> HiveType | None:
    return HiveType("array", parts=(types[0],)) if {one.name for one in types} == {"int"} else None


def _with_new(types: Sequence[HiveType]) -> HiveType | None:
    return types[0] if len(types) == 2 and types[0].name == "array" and types[0].parts[0] == types[1] else None


def _of_arrays(types: Sequence[HiveType]) -> HiveType | None:
    if [one.name for one in types] != ["array", "array"]:
        return None
    return HiveType("map", parts=(types[0].parts[0], types[1].parts[0]))


def _entries(types: Sequence[HiveType]) -> HiveType | None:
    if types[0].name != "map":
        return None
    return HiveType("array", parts=(HiveType("struct", parts=types[0].parts, field_names=("key", "value")),))


_RULES: dict[str, _OfTypes] = {
    "array_append array_prepend": _with_new,
    "array_compact array_distinct array_remove array_sort slice": _first,
    "array_except array_intersect array_union map_concat": _all,
    "array_max array_min element_at get try_element_at": _part,
    "array_repeat": _repeated,
    "array_size": lambda _types: HiveType("int"),
    "flatten": _flat,
    "map_entries": _entries,
    "map_from_arrays": _of_arrays,
    "sequence": _numbers,
}
NAMED: dict[str, Rule] = {name: _in_spark(rule, name) for names, rule in _RULES.items() for name in names.split()}

NODES = (
    *(exp.ArrayAppend, exp.ArrayCompact, exp.ArrayDistinct, exp.ArrayExcept, exp.ArrayIntersect, exp.ArrayMax),
    *(exp.ArrayMin, exp.ArrayPrepend, exp.ArrayRemove, exp.ArraySlice, exp.Flatten, exp.GenerateSeries, exp.Map),
)
