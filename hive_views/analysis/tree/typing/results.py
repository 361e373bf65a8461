"""The result types of functions: fixed, or computed for each engine from the types of arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, beside
from hive_views.analysis.tree.typing.context import Context, Rule
from hive_views.hive.types import HiveType, parse_hive_type

OfTypes = Callable[[Sequence[HiveType]], "HiveType | str | None"]
"""The type of a result in one engine, from those of arguments; None where it is not known."""


def computed(given: Sequence[DerivedType], hive: OfTypes, spark: OfTypes, why: str | None = None) -> DerivedType:
    """A type that each engine computes from those of arguments; ``why`` if they differ or one is not known."""
    unknown = next((one.why for one in given if one.why and None in (one.hive, one.spark)), None)
    return beside(_by(hive, [one.hive for one in given]), _by(spark, [one.spark for one in given]), unknown or why)


def _by(rule: OfTypes, types: Sequence[str | None]) -> str | None:
    known = [parse_hive_type(type_) for type_ in types if type_ is not None]
    result = rule(known) if len(known) == len(types) else None
    return None if result is None else str(result)


def fixed(by_type: Mapping[str, str]) -> dict[str, Rule]:
    """Functions with one result type in both engines, whatever they are given; by that type, names in one text."""
    return {name: _always(DerivedType(type_, type_)) for type_, names in by_type.items() for name in names.split()}


def by_engine(hive: str | None, spark: str | None, names: str, why: str | None = None) -> dict[str, Rule]:
    """Functions whose one result type is not the same in both engines."""
    return dict.fromkeys(names.split(), _always(beside(hive, spark, why)))


def of_first(hive: OfTypes, spark: OfTypes, names: str, why: str | None = None) -> dict[str, Rule]:
    """Functions whose result type follows from that of their first argument."""

    def rule(node: Any, context: Context) -> DerivedType:
        return computed([context.of(arguments(node)[0])], hive, spark, why)

    return dict.fromkeys(names.split(), rule)


def _always(type_: DerivedType) -> Rule:
    return lambda _node, _context: type_


def arguments(call: Any) -> list[Any]:
    """The arguments of a function, its subject first; sqlglot does not keep the order of the text for all."""
    if isinstance(call, (exp.Anonymous, exp.Concat, exp.ConcatWs, exp.Array, exp.Chr)):
        return list(call.expressions)
    others = [value for name, value in call.args.items() if name != "this"]
    return [call.this, *(one for one in others if isinstance(one, exp.Expr)), *call.expressions]


def plain(type_: HiveType) -> HiveType:
    """The type without lengths, as Spark takes a value out of its column or gives it to a function."""
    if type_.name in ("char", "varchar"):
        return HiveType("string")
    return HiveType(type_.name, type_.sizes, tuple(map(plain, type_.parts)), type_.field_names)


def by_name(named: Mapping[str, Rule]) -> Rule:
    """The rule for nodes that stand for several functions: that of the name as written."""

    def rule(node: Any, context: Context) -> DerivedType:
        name = context.written_name(node)
        found = named.get(name)
        return found(node, context) if found else DerivedType(why=f"the result of {name} is not known")

    return rule
