"""Functions of Spark that take a function: ``transform(a, x -> x + 1)``, and the variables in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, beside
from hive_views.analysis.tree.typing.context import Context, Rule, Rules
from hive_views.analysis.tree.typing.lambda_variables import declaring, variables_of
from hive_views.analysis.tree.typing.results import arguments, plain
from hive_views.hive.types import HiveType, parse_hive_type

_ONLY_SPARK = "Hive has no functions that take a function"
_BOOLEAN = HiveType("boolean")
_OF_ELEMENTS = ("transform", "filter", "exists", "forall")
_OF_MAPS = ("transform_values", "map_filter")


def _in_spark(type_: HiveType | str | None) -> DerivedType:
    return beside(None, None if type_ is None else str(type_), _ONLY_SPARK)


def _type(node: Any, context: Context) -> HiveType | None:
    found = context.of(node).spark
    return plain(parse_hive_type(found)) if found else None


def _parts(node: Any, context: Context, kind: str) -> Sequence[HiveType | None]:
    """The types of the elements of an array, or of the keys and values of a map."""
    found = _type(node, context)
    return found.parts if found is not None and found.name == kind else (None, None)


def _variable(node: exp.Identifier, context: Context) -> DerivedType:
    function = declaring(node)
    if function is None:
        return DerivedType(why="its type is not known")
    call: Any = function.parent
    given = [one for one in arguments(call) if one is not None]
    types = _variables(context.written_name(call), given, function, context)
    at = variables_of(function).index(node.name.lower())
    return _in_spark(types[at] if at < len(types) else None)


def _variables(name: str, given: list[Any], function: exp.Lambda, context: Context) -> Sequence[HiveType | None]:
    """The types of the variables of a function that is given to another one."""
    at = next(at for at, one in enumerate(given) if one is function)
    if name in _OF_ELEMENTS and at == 1:
        return (_parts(given[0], context, "array")[0], HiveType("int"))
    if name in _OF_MAPS and at == 1:
        return _parts(given[0], context, "map")
    if name == "zip_with" and at == 2:
        return tuple(_parts(one, context, "array")[0] for one in given[:2])
    if name in ("aggregate", "reduce") and at == 2:
        return (_type(given[1], context), _parts(given[0], context, "array")[0])
    if name in ("aggregate", "reduce") and at == 3:
        return (_type(given[1], context),)
    return ()


def _result(name: str) -> Rule:
    def of(node: Any, context: Context) -> DerivedType:
        given = [one for one in arguments(node) if one is not None]
        bodies = [one.this for one in given if isinstance(one, exp.Lambda)]
        for one in (given[0], *bodies):
            if context.of(one).spark is None:
                return DerivedType(why=context.of(one).why)
        return _in_spark(_of_call(name, given, _type(bodies[-1], context), context) if bodies else None)

    return of


def _of_call(name: str, given: list[Any], body: HiveType | None, context: Context) -> HiveType | None:
    first = _type(given[0], context)
    if body is None:
        return None
    match name:
        case "transform" | "zip_with":
            return HiveType("array", parts=(body,))
        case "filter" | "map_filter":
            return first
        case "forall":
            return _BOOLEAN
        case "transform_values" if first is not None and first.name == "map":
            return HiveType("map", parts=(first.parts[0], body))
        case "aggregate" | "reduce":
            return body
    return None


_NAMES = ("transform", "forall", "zip_with", "map_filter", "transform_values", "aggregate", "reduce")

NAMED: dict[str, Rule] = {name: _result(name) for name in _NAMES}
NODES = (exp.Transform, exp.Reduce)

RULES: Rules = {exp.ArrayFilter: _result("filter"), exp.Identifier: _variable}
"""By the kind: in front of a bracket, the word FILTER is not only that function."""
