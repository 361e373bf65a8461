"""Operators: arithmetic, comparisons, logic; LIKE and ||."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.translation.folded_branches import CONTRADICTORY, is_contradictory
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.cast_rules import common, converted, texts, widened
from hive_views.translation.from_trino.common_types import MOST_DIGITS, common_type, sizes_of
from hive_views.translation.from_trino.constant_rules import written_number, written_text
from hive_views.translation.from_trino.day_rules import days_later
from hive_views.translation.from_trino.target_terms import (
    WHOLE,
    CallRules,
    Compiling,
    NodeRules,
    Term,
    called,
    cast,
    operation,
)
from hive_views.translation.in_place.kinds_of_nodes.conditions_alike import NULL_COLLECTION
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino.expressions.comparisons.compared_values import NAN
from hive_views.translation.to_trino.expressions.comparisons.like import LIKE_NEWLINE

_SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ARITHMETIC: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
_COMPARED = ("boolean", *WHOLE, "decimal", "double", "string", "varchar", "date", "timestamp", "float")


def _compared(node: exp.Binary, compiling: Compiling) -> Term:
    left, right = comparable([node.this, node.expression], node, compiling)
    return operation("boolean", left, _SIGNS[type(node)], right)


def comparable(nodes: list[Any], node: Any, compiling: Compiling) -> list[Term]:
    """Values as they are compared, all of one type.

    Raises:
        RefusedError: it is not known that engines compare them alike.
    """
    own = [compiling.term(one) for one in nodes]
    are_whole = not isinstance(node, exp.In) and {term.type for term in own} <= set(WHOLE)
    terms = own if are_whole else common(nodes, node, compiling)
    if terms[0].name not in _COMPARED or any(isinstance(one.unnest(), exp.Null) for one in nodes):
        raise compiling.refused(node, reasons.TYPES.because(f"{terms[0].type} compared"))
    is_number = isinstance(node, (exp.EQ, exp.In)) and all(isinstance(one.unnest(), exp.Literal) for one in nodes[1:])
    if terms[0].name in ("float", "double") and not is_number:
        compiling.report(node, NAN)
    return terms


def _distinct(node: Any, compiling: Compiling) -> Term:
    left, right = comparable([node.this, node.expression], node, compiling)
    same = operation("boolean", left, "<=>", right)
    return same if isinstance(node, exp.NullSafeEQ) else operation("boolean", "NOT", same)


def _between(node: exp.Between, compiling: Compiling) -> Term:
    if node.args.get("symmetric"):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    value, low, high = comparable([node.this, node.args["low"], node.args["high"]], node, compiling)
    above, below = operation("boolean", value, ">=", low), operation("boolean", value, "<=", high)
    return operation("boolean", above, "AND", below)


def _in(node: exp.In, compiling: Compiling) -> Term:
    if node.args.get("query") is not None or not node.expressions:
        raise compiling.refused(node, reasons.PART_OF_QUERY.because("a subquery in a condition of this form"))
    value, *items = comparable([node.this, *node.expressions], node, compiling)
    return operation("boolean", value, f"IN ({', '.join(one.sql for one in items)})")


def _logic(node: exp.Connector, compiling: Compiling) -> Term:
    if is_contradictory(node):
        raise compiling.refused(node, CONTRADICTORY)
    word = "AND" if isinstance(node, exp.And) else "OR"
    parts: list[str | Term] = []
    for one in node.flatten():
        parts += [word, _boolean(one, node, compiling)]
    return operation("boolean", *parts[1:])


def _not(node: exp.Not, compiling: Compiling) -> Term:
    return operation("boolean", "NOT", _boolean(node.this, node, compiling))


def _boolean(part: Any, node: Any, compiling: Compiling) -> Term:
    term = compiling.term(part)
    if term.type != "boolean":
        raise compiling.refused(node, reasons.TYPES.because(f"a condition of the type {term.type}"))
    return term


def _is(node: exp.Is, compiling: Compiling) -> Term:
    if not isinstance(node.expression, exp.Null):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    term = compiling.term(node.this)
    if compiling.target == "hive" and parse_hive_type(term.type).parts:
        compiling.report(node, NULL_COLLECTION)
    return operation("boolean", term, "IS NULL")


def _computed(node: Any, compiling: Compiling) -> Term:
    if isinstance(node.expression, exp.Interval) and isinstance(node, (exp.Add, exp.Sub)):
        return days_later(node, compiling)
    terms = [compiling.term(one) for one in (node.this, node.expression)]
    return _arithmetic(_ARITHMETIC[type(node)], [node.this, node.expression], terms, node, compiling)


def _modulus(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) != 2:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    terms = [compiling.term(one) for one in call.arguments]
    return _arithmetic("%", list(call.arguments), terms, call.node, compiling)


def _arithmetic(sign: str, nodes: list[Any], terms: list[Term], node: Any, compiling: Compiling) -> Term:
    type_ = common_type([term.type for term in terms])
    kinds = {term.name for term in terms}
    if "float" in kinds:
        raise compiling.refused(node, reasons.REAL)
    if "decimal" in kinds and "double" not in kinds:
        return _of_decimals(sign, terms, node, compiling)
    if type_ in WHOLE:
        return _of_whole(sign, nodes, terms, type_, node, compiling)
    if type_ != "double" or sign == "%":
        raise compiling.refused(node, reasons.TYPES.because(f"{terms[0].type} {sign} {terms[1].type}"))
    left, right = (converted(term, "double", node, compiling) for term in terms)
    if sign == "/" and not _is_never_zero(nodes[1]):
        compiling.report(node, reasons.DOUBLE_BY_ZERO)
    return operation("double", left, sign, right)


def _of_whole(sign: str, nodes: list[Any], terms: list[Term], type_: str, node: Any, compiling: Compiling) -> Term:
    if sign not in ("/", "%"):
        compiling.report(node, reasons.OVERFLOW)
        return operation(type_, terms[0], sign, terms[1])
    if not _is_never_zero(nodes[1]):
        compiling.report(node, reasons.WHOLE_BY_ZERO)
    if sign == "%":
        return operation(type_, terms[0], sign, terms[1])
    if written_number(nodes[1]) in (None, -1):
        compiling.report(node, reasons.OVERFLOW)
    return cast(operation(type_, terms[0], "div", terms[1]), type_)


def _of_decimals(sign: str, terms: list[Term], node: Any, compiling: Compiling) -> Term:
    if sign == "/":
        raise compiling.refused(node, reasons.DECIMAL_QUOTIENT)
    sizes = [sizes_of(term.type) for term in terms]
    if sign == "%" or sizes[0] is None or sizes[1] is None:
        raise compiling.refused(node, reasons.TYPES.because(f"{terms[0].type} {sign} {terms[1].type}"))
    (digits, scale), (other_digits, other_scale) = sizes[0], sizes[1]
    if sign == "*":
        found = digits + other_digits, scale + other_scale
        # Hive and Spark give a product one digit more.
        is_exact = found[0] < MOST_DIGITS
    else:
        both = max(scale, other_scale)
        found = max(digits - scale, other_digits - other_scale) + both + 1, both
        is_exact = found[0] <= MOST_DIGITS
    if not is_exact:
        raise compiling.refused(node, reasons.DECIMAL_SIZES)
    if compiling.target == "hive" and (sign == "*" or any(term.type in WHOLE and term.sql.isdigit() for term in terms)):
        raise compiling.refused(node, reasons.LOST_CAST)
    left, right = (
        widened(term, f"decimal({one[0]},{one[1]})") for term, one in zip(terms, (sizes[0], sizes[1]), strict=True)
    )
    type_ = f"decimal({found[0]},{found[1]})"
    return cast(operation(type_, left, sign, right), type_)


def _is_never_zero(node: Any) -> bool:
    """Whether a divisor is a number other than zero that is written there, or ``nullif(x, 0)``."""
    plain = node.unnest()
    if isinstance(plain, exp.Nullif):
        return written_number(plain.expression) == 0
    if isinstance(plain, exp.Neg):
        plain = plain.this.unnest()
    return isinstance(plain, exp.Literal) and not plain.is_string and float(plain.name) != 0


def _joined(node: Any, compiling: Compiling) -> Term:
    parts = [texts(compiling.term(one), one, compiling) for one in (node.this, node.expression)]
    return called("concat", "string", *parts)


def _like(node: exp.Like, compiling: Compiling) -> Term:
    pattern = written_text(node.expression)
    value = texts(compiling.term(node.this), node, compiling)
    if pattern is None or "\\" in pattern:
        raise compiling.refused(node, reasons.NOT_KNOWN.because("a pattern that is not written there, or a backslash"))
    if compiling.target == "hive" and ("_" in pattern or "%" in pattern.strip("%")):
        compiling.report(node, LIKE_NEWLINE)
    word = "NOT LIKE" if node.args.get("negate") else "LIKE"
    return operation("boolean", value, word, compiling.term(node.expression))


NODES: NodeRules = {
    **dict.fromkeys(_SIGNS, _compared),
    **dict.fromkeys(_ARITHMETIC, _computed),
    **dict.fromkeys((exp.NullSafeEQ, exp.NullSafeNEQ), _distinct),
    exp.Between: _between,
    exp.In: _in,
    exp.And: _logic,
    exp.Or: _logic,
    exp.Not: _not,
    exp.Is: _is,
    exp.DPipe: _joined,
    exp.Like: _like,
}
CALLS: CallRules = {"mod": _modulus}
