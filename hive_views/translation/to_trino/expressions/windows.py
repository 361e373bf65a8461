"""Functions over windows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.after_calls import AfterCall
from hive_views.translation.to_trino.expressions.aggregates import aggregated, read_aggregate
from hive_views.translation.to_trino.expressions.sort_keys import NULL_ORDER, direction
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, cast
from hive_views.translation.translation_findings import Kind, Reason

WINDOW = Reason("window", Kind.UNSUPPORTED, "it is not known how to say this window in Trino")

_RANKS = ("row_number", "rank", "dense_rank", "ntile")
_SHARES = ("percent_rank", "cume_dist")
_AT = ("lag", "lead")
_OF_FRAME = {
    **dict.fromkeys(("first_value", "first", "any_value"), "first_value"),
    **dict.fromkeys(("last_value", "last"), "last_value"),
    "nth_value": "nth_value",
}
_NEEDING_ORDER = ("rank", "dense_rank", *_SHARES, *_AT)
_PARTS = ("partition_by", "order", "spec")


def _window(node: exp.Window, compiling: Compiling) -> Term:
    function: Any = node.this
    nulls = ""
    while isinstance(function, (exp.IgnoreNulls, exp.RespectNulls)):
        nulls = "IGNORE NULLS" if isinstance(function, exp.IgnoreNulls) else nulls
        function = function.this
    call = read_aggregate(function, compiling)
    if call is None:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    definition = _definition(node, compiling)
    after = AfterCall(window=_in_brackets(definition, compiling))
    if call.name in _NEEDING_ORDER and not definition.args.get("order"):
        raise compiling.refused(node, WINDOW.because("no ORDER BY"))
    if call.name in _RANKS or call.name in _SHARES:
        return _rank(call, compiling, after)
    if call.name in _AT or call.name in _OF_FRAME:
        found = _value(call, compiling, replace(after, nulls=nulls))
    else:
        if nulls:
            raise compiling.refused(node, reasons.NOT_KNOWN)
        of_group = aggregated(call, compiling, after)
        if of_group is None:
            raise compiling.refused(node, reasons.NO_RULE_FOR_FUNCTION.because(call.name))
        found = of_group
    return found


def _definition(node: exp.Window, compiling: Compiling) -> Any:
    """The window itself: that of the WINDOW clause for a name."""
    for name, value in node.args.items():
        if name not in ("this", "alias", "over", *_PARTS) and value:
            raise compiling.refused(node, WINDOW.because(name))
    alias = node.args.get("alias")
    if alias is None:
        return node
    select = node.find_ancestor(exp.Select)
    named = (select.args.get("windows") or ()) if select is not None else ()
    found = [one for one in named if one.name.lower() == alias.name.lower()]
    if len(found) != 1 or found[0].args.get("alias") or any(node.args.get(part) for part in _PARTS):
        raise compiling.refused(node, WINDOW.because("it is made of another one"))
    return found[0]


def _in_brackets(window: Any, compiling: Compiling) -> str:
    parts = []
    keys = window.args.get("partition_by") or ()
    if keys:
        parts.append("PARTITION BY " + ", ".join(compiling.term(one).sql for one in keys))
    order = window.args.get("order")
    if order is not None:
        parts.append("ORDER BY " + ", ".join(_key(one, compiling) for one in order.expressions))
    spec = window.args.get("spec")
    if spec is not None:
        parts.append(_frame(spec, window, compiling))
    return f"({' '.join(parts)})"


def _key(key: Any, compiling: Compiling) -> str:
    return f"{compiling.term(key.this).sql} {direction(key, key.this, compiling, NULL_ORDER)}"


def _frame(spec: Any, window: Any, compiling: Compiling) -> str:
    kind = str(spec.args.get("kind") or "").upper()
    ends = [spec.args.get(name) for name in ("start", "end")]
    if kind not in ("ROWS", "RANGE") or spec.args.get("exclude"):
        raise compiling.refused(window, WINDOW.because(kind))
    if kind == "RANGE" and any(isinstance(one, exp.Expr) for one in ends):
        order = window.args.get("order")
        keys: list[Any] = order.expressions if order is not None else []
        # Trino adds the number to the key, so that they have to be of one type.
        if len(keys) != 1 or compiling.term(keys[0].this).type != "int":
            raise compiling.refused(window, WINDOW.because("RANGE with a number, by what is no int"))
    start = _end(spec.args.get("start"), spec.args.get("start_side"), window, compiling)
    if spec.args.get("end") is None:
        return f"{kind} {start}"
    return f"{kind} BETWEEN {start} AND {_end(spec.args['end'], spec.args.get('end_side'), window, compiling)}"


def _end(value: Any, side: Any, window: Any, compiling: Compiling) -> str:
    if isinstance(value, exp.Literal):
        if value.is_string or not value.name.isdigit():
            raise compiling.refused(window, WINDOW.because(value.name))
        text = value.name
    elif isinstance(value, str) and value.upper() in ("UNBOUNDED", "CURRENT ROW"):
        text = value.upper()
    else:
        raise compiling.refused(window, WINDOW.because("a frame that is no plain number"))
    return f"{text} {side.upper()}" if side and text != "CURRENT ROW" else text


def _rank(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    type_ = compiling.type_of(call.node)
    buckets = list(call.arguments) if call.name == "ntile" else []
    if len(call.arguments) != len(buckets) or not all(_is_positive(one) for one in buckets):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    found = after.call(call.name, type_, *[str(one.name) for one in buckets])
    return cast(found, type_) if call.name in _RANKS else found


def _is_positive(node: Any, least: int = 1) -> bool:
    """Whether it is a whole number that large, as written."""
    is_number = isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit()
    return is_number and least <= int(node.name) < 2**31


def _value(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    if call.is_distinct or not call.arguments:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    value, *others = call.arguments
    term = compiling.term(value)
    if term.type.startswith(("char", "varchar")) and compiling.source == "spark":
        term = compiling.converted(value, "string")
    given: list[str | Term] = [term]
    if call.name in _AT:
        if len(others) > 2 or not all(_is_positive(one, 0) for one in others[:1]):
            raise compiling.refused(call.node, reasons.NOT_KNOWN)
        given += [one.name for one in others[:1]]
        given += [_default(one, term.type, compiling) for one in others[1:]]
        return after.call(call.name, term.type, *given)
    if call.name == "nth_value" and len(others) == 1 and _is_positive(others[0]):
        given.append(others[0].name)
    elif others or call.name == "nth_value":
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return after.call(_OF_FRAME[call.name], term.type, *given)


def _default(node: Any, type_: str, compiling: Compiling) -> Term:
    """What LAG and LEAD give outside of the partition: engines cast it to the type of the value."""
    term = compiling.term(node)
    if term.type in (type_, "void"):
        return cast(term, type_) if term.type == "void" else term
    if term.type in WHOLE and type_ in WHOLE and WHOLE.index(term.type) < WHOLE.index(type_):
        return cast(term, type_)
    if term.type == "int" and type_ in (*WHOLE, "float", "double") and _is_positive(node, 0) and int(node.name) < 128:
        return cast(term, type_)
    raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to {type_}"))


NODES: NodeRules = {exp.Window: _window}
CALLS: CallRules = {}
