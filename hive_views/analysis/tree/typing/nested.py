"""Types of arrays, maps and structs, of their parts, and of functions of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, beside
from hive_views.analysis.tree.typing import spark_collections
from hive_views.analysis.tree.typing.branches import of_branches
from hive_views.analysis.tree.typing.context import Context, Rule, Rules
from hive_views.analysis.tree.typing.operands import operand
from hive_views.analysis.tree.typing.results import OfTypes, by_name, computed, fixed, of_first, plain
from hive_views.hive.types import HiveType

_FIELD_NAME = re.compile(r"\w+", re.ASCII)
_EMPTY = "Hive and Spark have different types for nothing but NULL"
_NO_FIELD = "not a struct with such a field"
_PLAIN = (exp.Literal, exp.Null, exp.Boolean)
_OPERATORS = (exp.Cast, exp.Case, exp.If, exp.Neg, exp.Not, exp.Add, exp.Sub, exp.Mul)
_NAMES = "Hive and Spark name the fields differently"


def field_type(struct: DerivedType, name: str) -> DerivedType:
    """The type of a field of a struct; of an array of structs, that of the array of this field of each."""
    return computed(
        [struct], lambda given: _field(given[0], name), lambda given: _field(plain(given[0]), name), _NO_FIELD
    )


def _field(type_: HiveType, name: str) -> HiveType | None:
    if type_.name == "array" and type_.parts[0].name == "struct":
        found = _field(type_.parts[0], name)
        return found and HiveType("array", parts=(found,))
    if type_.name != "struct":
        return None
    named = zip(type_.field_names, type_.parts, strict=True)
    fields = [part for own, part in named if own.lower() == name.lower()]
    return fields[0] if len(fields) == 1 else None


def part_types(collection: DerivedType) -> tuple[DerivedType, ...] | None:
    """The type of the elements of an array, or those of the keys and values of a map; None for anything else."""
    kinds = {type_.partition("<")[0] for type_ in (collection.hive, collection.spark) if type_}
    if kinds not in ({"array"}, {"map"}):
        return None
    return tuple(
        computed([collection], lambda given, n=n: given[0].parts[n], lambda given, n=n: plain(given[0].parts[n]))  # type: ignore[misc]
        for n in range(1 if kinds == {"array"} else 2)
    )


def _dot(dot: exp.Dot, context: Context) -> DerivedType:
    if isinstance(dot.expression, exp.Identifier):
        return field_type(context.of(dot.this), dot.expression.name)
    return DerivedType(why=f"the result of {dot.this.name}.{dot.expression.name} is not known")


def _element(bracket: exp.Bracket, context: Context) -> DerivedType:
    parts = part_types(context.of(bracket.this))
    is_one = len(bracket.expressions) == 1 and not isinstance(bracket.expressions[0], exp.Slice)
    # With an offset it is Spark's element_at.
    if parts and is_one and bracket.args.get("offset"):
        return beside(None, parts[-1].spark, "not every Hive has element_at")
    if parts and is_one:
        return parts[-1]
    return DerivedType(why=context.of(bracket.this).why or "not an element of an array or map")


def _array(node: exp.Array, context: Context) -> DerivedType:
    return computed([_one_of(node.expressions, context)], _collected("array"), _collected("array"))


def _map(node: exp.VarMap, context: Context) -> DerivedType:
    parts = [_one_of(node.args[part].expressions, context) for part in ("keys", "values")]
    return computed(parts, _collected("map"), _collected("map"))


def _one_of(nodes: Sequence[Any], context: Context) -> DerivedType:
    """The type of one of several elements; that of NULL alone is a string in Hive."""
    found = of_branches([operand(node, context) for node in nodes], context) if nodes else DerivedType(why=_EMPTY)
    return DerivedType(why=_EMPTY) if "void" in (found.hive, found.spark) else found


def _collected(name: str) -> OfTypes:
    return lambda parts: HiveType(name, parts=tuple(parts))


def _named_struct(node: exp.Struct, context: Context) -> DerivedType:
    if context.written_name(node) != "named_struct":
        return _struct(node, context)
    names = [one.name for one in node.expressions]
    return _struct_of(node, context, [name.lower() for name in names], names)


def _struct(node: exp.Struct, context: Context) -> DerivedType:
    """A struct whose fields Hive numbers, and Spark names after columns and aliases."""
    numbered = [f"col{number}" for number in range(1, len(node.expressions) + 1)]
    return _struct_of(node, context, numbered, [_name_in_spark(one) for one in node.expressions])


def _name_in_spark(field: exp.Expr) -> str | None:
    value = field.expression.unnest()
    if isinstance(value, exp.Column):
        return value.name
    is_call = isinstance(value, exp.Func) and "start" in value.meta
    return field.name if is_call or isinstance(value, (*_PLAIN, *_OPERATORS)) else None


def _struct_of(
    node: exp.Struct, context: Context, in_hive: Sequence[str | None], in_spark: Sequence[str | None]
) -> DerivedType:
    def of(types: Sequence[HiveType], names: Sequence[str | None]) -> HiveType | None:
        known = tuple(name for name in names if name and _FIELD_NAME.fullmatch(name))
        return HiveType("struct", parts=tuple(types), field_names=known) if len(known) == len(types) > 0 else None

    given = [context.of(one.expression) for one in node.expressions]
    why = _NAMES if in_hive != in_spark else None
    return computed(given, lambda types: of(types, in_hive), lambda types: of([*map(plain, types)], in_spark), why)


def _part(kind: str, number: int, result: str) -> Any:
    def of(types: Sequence[HiveType]) -> HiveType | None:
        return HiveType(result, parts=(types[0].parts[number],)) if types[0].name == kind else None

    return of


def _in_spark(rule: Any) -> Any:
    return lambda given: rule([*map(plain, given)])


_KEYS, _VALUES = _part("map", 0, "array"), _part("map", 1, "array")
_ITEMS = _part("array", 0, "array")

NAMED: dict[str, Rule] = {
    **fixed(
        {
            "int": "size",
            "boolean": "array_contains",
            "array<string>": "split xpath",
            "array<array<string>>": "sentences",
            "map<string,string>": "str_to_map",
        }
    ),
    **of_first(_KEYS, _in_spark(_KEYS), "map_keys"),
    **of_first(_VALUES, _in_spark(_VALUES), "map_values"),
    **of_first(_ITEMS, _in_spark(_ITEMS), "sort_array"),
}


RULES: Rules = {
    exp.Dot: _dot,
    exp.Bracket: _element,
    exp.Array: _array,
    exp.VarMap: _map,
    exp.Struct: _named_struct,
    **dict.fromkeys(
        (exp.ArraySize, exp.ArrayContains, exp.RegexpSplit, exp.StrToMap, exp.MapKeys, exp.ArraySort),
        by_name({**NAMED, **spark_collections.NAMED}),
    ),
}
