"""Arithmetic and operators of bits."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.casting import converted_term
from hive_views.translation.to_trino.expressions.dates import added
from hive_views.translation.to_trino.expressions.literals import negative_number
from hive_views.translation.to_trino.expressions.numbers.decimal_arithmetic import (
    DECIMAL_OVERFLOW,
    MAX_PRECISION,
    decimal_operand,
    is_decimal,
    sizes_of,
)
from hive_views.translation.to_trino.expressions.numbers.decimal_arithmetic import computed as computed_decimal
from hive_views.translation.to_trino.expressions.numbers.whole_numbers import (
    OVERFLOW,
    is_written_nonzero,
    largest,
    may_be_out_of_range,
    written_number,
)
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, cast, operation
from hive_views.translation.translation_findings import Kind, Reason

PRECEDENCE = Reason(
    "precedence",
    Kind.UNSUPPORTED,
    "engines read these operators in different orders: put brackets around the one that comes first",
    engines=(
        ("Hive", "7 ^ 2 & 3 is (7 ^ 2) & 3, and '1' || 2 + 3 is '1' || (2 + 3)"),
        ("Spark", "7 ^ 2 & 3 is 7 ^ (2 & 3), and '1' || 2 + 3 is ('1' || 2) + 3"),
    ),
)
ANSI_TYPES = Reason(
    "ansi-types",
    Kind.UNSUPPORTED,
    "the type of its result depends on whether Spark follows the rules of ANSI",
    engines=(("Spark", "1 + '1' is a double, 1 + a float is a float"), ("Spark, ANSI", "a bigint, and a double")),
)
TOO_DEEP = Reason("depth", Kind.UNSUPPORTED, "it has more operators beside each other than can be read")
OF_TIMES = Reason("arithmetic-of-times", Kind.UNSUPPORTED, "it is not known how to compute with these times in Trino")

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "div",
}
_FIRST = ("*", "/", "%", "div")
_BITS: dict[type[exp.Expr], str] = {
    exp.BitwiseAnd: "bitwise_and",
    exp.BitwiseOr: "bitwise_or",
    exp.BitwiseXor: "bitwise_xor",
}
_SHIFTS: dict[str, str] = {
    "shiftleft": "bitwise_left_shift",
    "shiftright": "bitwise_right_shift_arithmetic",
    "shiftrightunsigned": "bitwise_right_shift",
}
_DEEPEST = 150
_TIMES = ("date", "timestamp", "interval")
_FRACTIONS = ("float", "double")


def as_number(term: Term, type_: str, node: Any, compiling: Compiling) -> Term:
    """An operand as a number of another type; what Trino converts by itself as the source does stays as it is."""
    coerces = {"float": WHOLE, "double": (*WHOLE, "float")}.get(type_, ())
    is_narrower = type_ in WHOLE and term.type in WHOLE and WHOLE.index(term.type) <= WHOLE.index(type_)
    if term.type == type_ or term.type in coerces or is_narrower:
        return term
    return converted_term(term, type_, node, compiling)


def _arithmetic(node: exp.Binary, compiling: Compiling) -> Term:
    inside: Any = node
    depth = 0
    while isinstance(inside, exp.Binary):
        inside, depth = inside.this, depth + 1
    if depth > _DEEPEST:
        raise compiling.refused(node, TOO_DEEP)
    if _is_of_times(node.this, compiling) or _is_of_times(node.expression, compiling):
        if isinstance(node, (exp.Add, exp.Sub)):
            return added(node, compiling)
        raise compiling.refused(node, OF_TIMES)
    above = node.parent
    is_of_joined = isinstance(above, exp.DPipe) and above.expression is node and isinstance(node, (exp.Add, exp.Sub))
    if is_of_joined and compiling.source == "spark":
        raise compiling.refused(node, PRECEDENCE)
    return _computed(_OPERATORS[type(node)], node, node.this, node.expression, compiling)


def _is_of_times(node: Any, compiling: Compiling) -> bool:
    derived = compiling.query.type_of(node)
    found = derived.hive if compiling.source == "hive" else derived.spark
    return isinstance(node.unnest(), exp.Interval) or (found is not None and found.startswith(_TIMES))


def _computed(operator: str, node: Any, left: Any, right: Any, compiling: Compiling) -> Term:
    one, other = _bare(left, operator, compiling), _bare(right, operator, compiling, is_left=False)
    _check_ansi(operator, node, {one.type, other.type}, compiling)
    type_ = compiling.type_of(node)
    if is_decimal(type_):
        one, other = decimal_operand(left, one, compiling), decimal_operand(right, other, compiling)
        if operator in ("/", "%"):
            other = _not_zero(other, right, compiling)
        return computed_decimal(operator, one, other, type_, node, compiling)
    if not (type_ in WHOLE or type_ in _FRACTIONS) or (operator == "div" and not {one.type, other.type} <= set(WHOLE)):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    one, other = as_number(one, type_, left, compiling), as_number(other, type_, right, compiling)
    if operator in ("/", "div"):
        if type_ not in (one.type, other.type):
            one = cast(one, type_)
        if operator == "div" and written_number(right, compiling) in (None, -1):
            compiling.report(node, OVERFLOW)
        # Hive fails where a whole number is divided by zero, as Trino does.
        is_failing = operator == "div" and compiling.source == "hive"
        return operation(type_, one, "/", other if is_failing else _not_zero(other, right, compiling))
    if operator == "%":
        return operation(type_, one, "%", _not_zero(other, right, compiling))
    if type_ in WHOLE and may_be_out_of_range(_largest_result(operator, left, right, compiling), type_):
        compiling.report(node, OVERFLOW)
    return operation(type_, one, operator, other)


def _bare(node: Any, operator: str, compiling: Compiling, *, is_left: bool = True) -> Term:
    """An operand, without brackets where the order of operators, which is that of the source, says the same."""
    term, inside = compiling.term(node), _OPERATORS.get(type(node))
    is_first = inside in _FIRST and operator not in _FIRST
    is_bare = inside is not None and (is_first or (is_left and (inside in _FIRST) == (operator in _FIRST)))
    return Term(term.sql, term.type) if is_bare else term


def _largest_result(operator: str, left: Any, right: Any, compiling: Compiling) -> int:
    one, other = largest(left, compiling), largest(right, compiling)
    return one * other if operator == "*" else one + other


def _check_ansi(operator: str, node: Any, types: set[str], compiling: Compiling) -> None:
    if compiling.source != "spark" or operator == "/" or not types & set(WHOLE):
        return
    if types - set(WHOLE) & {"float", "string"} or any(one.startswith(("char", "varchar")) for one in types):
        raise compiling.refused(node, ANSI_TYPES)


def _not_zero(term: Term, node: Any, compiling: Compiling) -> Term:
    """A divisor, of which zero becomes NULL, as the quotient does in the source."""
    return term if is_written_nonzero(node, compiling) else called("NULLIF", term.type, term, "0")


def _positive_remainder(call: Call, compiling: Compiling) -> Term:
    """``pmod``: in Hive of the sign of the divisor; Spark leaves a remainder that is not negative as it is."""
    left, right = call.arguments
    one, other = compiling.term(left), compiling.term(right)
    _check_ansi("%", call.node, {one.type, other.type}, compiling)
    type_ = compiling.type_of(call.node)
    if is_decimal(type_):
        one, other = decimal_operand(left, one, compiling), decimal_operand(right, other, compiling)
        step = type_
        (precision, scale), *sizes = (sizes_of(one_type) for one_type in (type_, one.type, other.type))
        if precision == MAX_PRECISION or any(precision - scale < size[0] - size[1] for size in sizes):
            compiling.report(call.node, DECIMAL_OVERFLOW)
    else:
        step = "int" if type_ in ("tinyint", "smallint") else type_
        one, other = as_number(one, step, left, compiling), as_number(other, step, right, compiling)
        if step != type_:
            one = cast(one, step)
        elif type_ in WHOLE and may_be_out_of_range(2 * largest(right, compiling), type_):
            compiling.report(call.node, OVERFLOW)
    remainder = operation(step, one, "%", _not_zero(other, right, compiling))
    moved = operation(step, operation(step, remainder.sql, "+", other), "%", other)
    # Of a fraction, digits are lost on the way.
    is_positive = (written_number(right, compiling) or 0) > 0 and type_ not in _FRACTIONS
    if compiling.source == "spark" and not is_positive:
        moved = called("IF", step, f"{remainder.sql} < 0", moved, remainder)
    return moved if step == type_ and not is_decimal(type_) else cast(moved, type_)


def _negated(node: Any, compiling: Compiling) -> Term:
    found = negative_number(node, compiling) if isinstance(node, exp.Neg) else None
    if found is not None:
        return found
    inside = node.this
    if _is_of_times(inside, compiling):
        raise compiling.refused(node, OF_TIMES)
    term, type_ = compiling.term(inside), compiling.type_of(node)
    if type_ in WHOLE and may_be_out_of_range(largest(inside, compiling), type_):
        compiling.report(node, OVERFLOW)
    return Term(f"-{as_number(term, type_, inside, compiling).operand}", type_, is_whole=False)


def _positive(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    return as_number(compiling.term(given), compiling.type_of(call.node), given, compiling)


def _bits(node: exp.Binary, compiling: Compiling) -> Term:
    _check_brackets(node, compiling)
    type_ = compiling.type_of(node)
    given = [_whole(part, compiling) for part in (node.this, node.expression)]
    return _from_bigint(called(_BITS[type(node)], "bigint", *given), type_)


def _from_bigint(term: Term, type_: str) -> Term:
    return term if type_ == "bigint" else cast(term, type_)


def _check_brackets(node: exp.Binary, compiling: Compiling) -> None:
    """Refuse what the tree may have in another order than the source."""
    others = (*_BITS, exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.DPipe)
    for one in (node.this, node.expression, node.parent):
        is_other = isinstance(one, others) and type(one) is not type(node)
        if is_other or (isinstance(node, exp.BitwiseXor) and one is not node.parent and type(one) in _OPERATORS):
            raise compiling.refused(node, PRECEDENCE)


def _whole(node: Any, compiling: Compiling) -> Term:
    term = compiling.term(node)
    if term.type not in WHOLE:
        raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to a whole number"))
    return term


def _inverted(node: exp.BitwiseNot, compiling: Compiling) -> Term:
    term = _whole(node.this, compiling)
    return _from_bigint(called("bitwise_not", "bigint", term), compiling.type_of(node))


def _shift_operator(node: exp.Binary, compiling: Compiling) -> Term:
    if compiling.source == "hive":
        raise compiling.refused(node, reasons.NOT_KNOWN)
    _check_brackets(node, compiling)
    name = "shiftleft" if isinstance(node, exp.BitwiseLeftShift) else "shiftright"
    return _shifted(Call(node, name, (node.this, node.expression)), compiling)


def _shifted(call: Call, compiling: Compiling) -> Term:
    """The source shifts by the lowest bits of the second number, of which Trino's functions take all."""
    left, right = call.arguments
    type_ = compiling.type_of(call.node)
    term, bits = _whole(left, compiling), 63 if type_ == "bigint" else 31
    number_ = written_number(right, compiling)
    if number_ is not None:
        by = Term(str(number_ & bits), "int")
    else:
        by = cast(called("bitwise_and", "bigint", _whole(right, compiling), str(bits)), "int")
    return called(_SHIFTS[call.name], type_, term if term.type == type_ else cast(term, type_), by)


NODES: NodeRules = {
    **dict.fromkeys(_OPERATORS, _arithmetic),
    **dict.fromkeys(_BITS, _bits),
    exp.Neg: _negated,
    exp.Negative: _negated,
    exp.BitwiseNot: _inverted,
    exp.BitwiseLeftShift: _shift_operator,
    exp.BitwiseRightShift: _shift_operator,
}
CALLS: CallRules = {
    "pmod": _positive_remainder,
    "positive": _positive,
    **dict.fromkeys(_SHIFTS, _shifted),
}
