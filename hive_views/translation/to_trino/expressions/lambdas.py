"""Functions of Spark that take a function: ``transform(a, x -> x + 1)``, and the variables in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.lambda_variables import declaring
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, cast, quoted
from hive_views.translation.translation_findings import Kind, Reason

FUNCTION = Reason("lambda", Kind.UNSUPPORTED, "it is not known how to say this function in Trino")

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


def _variable(node: exp.Identifier, compiling: Compiling) -> Term:
    if declaring(node) is None:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return Term(_name(node), compiling.type_of(node))


def _name(variable: exp.Identifier) -> str:
    """A variable in Trino: no column, and no variable of a rule, is called like this."""
    name = f"{variable.name.lower()}_"
    return name if _PLAIN.fullmatch(name) else quoted(name)


def _function(node: Any, count: int, compiling: Compiling, type_: str | None = None) -> str:
    """A function with so many variables.

    Raises:
        RefusedError: it has another number, is none, or its value is not of the type.
    """
    if not isinstance(node, exp.Lambda) or len(node.expressions) != count:
        raise compiling.refused(node, FUNCTION.because(f"it needs {count} variable(s)"))
    body = compiling.term(node.this)
    if type_ is not None and body.type != type_:
        raise compiling.refused(node, FUNCTION.because(f"its value is {body.type}, and not {type_}"))
    names = [_name(one) for one in node.expressions]
    value = cast(body, body.type) if type_ == "string" else body
    return f"{names[0] if count == 1 else '(' + ', '.join(names) + ')'} -> {value.sql}"


def _called(function: str, variables: int, type_: str | None = None) -> Callable[[Call, Compiling], Term]:
    """A function that Trino has under a name, its last argument a function."""

    def rule(call: Call, compiling: Compiling) -> Term:
        *values, given = call.arguments
        if len(values) != (2 if function == "zip_with" else 1):
            raise compiling.refused(call.node, FUNCTION)
        result = compiling.type_of(call.node)
        terms = [compiling.term(one) for one in values]
        return called(function, result, *terms, _function(given, variables, compiling, type_))

    return rule


def any_element(node: exp.Exists, compiling: Compiling) -> Term:
    """``exists(a, x -> ...)``.

    Raises:
        RefusedError: it cannot be translated.
    """
    if compiling.source != "spark":
        raise compiling.refused(node, reasons.NOT_KNOWN)
    given = _function(node.args["expression"], 1, compiling, "boolean")
    return called("any_match", "boolean", compiling.term(node.this), given)


def _aggregate(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) not in (3, 4):
        raise compiling.refused(call.node, FUNCTION)
    array, first, merge, *finish = call.arguments
    type_ = compiling.type_of(first)
    if type_ == "void":
        raise compiling.refused(first, FUNCTION.because("write the type of NULL, as in CAST(NULL AS int)"))
    start = compiling.term(first)
    merged = _function(merge, 2, compiling, type_)
    finished = _function(finish[0], 1, compiling) if finish else "s -> s"
    result = compiling.type_of(call.node)
    begun = cast(start, type_) if type_ == "string" else start
    return called("reduce", result, compiling.term(array), begun, merged, finished)


NODES: NodeRules = {exp.Identifier: _variable}
CALLS: CallRules = {
    "transform": _called("transform", 1),
    "filter": _called("filter", 1, "boolean"),
    "forall": _called("all_match", 1, "boolean"),
    "zip_with": _called("zip_with", 2),
    "map_filter": _called("map_filter", 2, "boolean"),
    "transform_values": _called("transform_values", 2),
    "aggregate": _aggregate,
    "reduce": _aggregate,
}
