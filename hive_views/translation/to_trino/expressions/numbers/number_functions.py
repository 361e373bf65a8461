"""Functions of numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.numbers.arithmetic import as_number
from hive_views.translation.to_trino.expressions.numbers.decimal_arithmetic import (
    DECIMAL_OVERFLOW,
    exactly,
    is_decimal,
    sizes_of,
)
from hive_views.translation.to_trino.expressions.numbers.whole_numbers import (
    OVERFLOW,
    largest,
    may_be_out_of_range,
    written_number,
)
from hive_views.translation.to_trino.terms import CallRules, Compiling, Term, called, cast
from hive_views.translation.translation_findings import Kind, Reason

ROUNDED_NAN = Reason(
    "rounded-nan",
    Kind.EDGE,
    "NaN and the infinities are rounded differently",
    (("Hive 2, Trino", "leave them"), ("Hive 4", "makes NULL of them in some queries")),
)
NO_ANGLE = Reason(
    "no-angle",
    Kind.DIFFERENT,
    "releases of Hive differ on numbers that are no sine or cosine, such as 2",
    engines=(("Hive 2.3", "NaN"), ("Hive 4.0", "NULL"), ("Trino", "NaN")),
)
DIGITS_WRITTEN = Reason("digits", Kind.UNSUPPORTED, "the number of digits is not written as a number, or too large")

_FRACTIONS = ("float", "double")


def _double(node: Any, compiling: Compiling) -> Term:
    """An argument of a function of Trino that takes doubles, to which Trino converts other numbers by itself."""
    return as_number(compiling.term(node), "double", node, compiling)


def _of_doubles(name: str, call: Call, compiling: Compiling) -> Term:
    return called(name, compiling.type_of(call.node), *(_double(one, compiling) for one in call.arguments))


def _of_one_double(template: str, call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    text = template.format(_double(given, compiling).sql)
    return Term(text, compiling.type_of(call.node), is_whole=template.startswith("tan"))


def _is_above(node: Any, limit: int, compiling: Compiling) -> bool:
    number = written_number(node, compiling)
    return number is not None and number > limit


def _defined(name: str, call: Call, compiling: Compiling) -> Term:
    """A function that is NULL where a number has no logarithm; Trino makes NaN or infinity of it."""
    (given,) = call.arguments
    term = _double(given, compiling)
    value = called(name, "double", term)
    return value if _is_above(given, 0, compiling) else called("IF", "double", f"{term.operand} <= 0", "NULL", value)


def _root(call: Call, compiling: Compiling) -> Term:
    """To Spark and Trino, roots of negative numbers are NaN."""
    (given,) = call.arguments
    term = _double(given, compiling)
    value = called("sqrt", "double", term)
    if compiling.source == "spark" or _is_above(given, -1, compiling):
        return value
    return called("IF", "double", f"{term.operand} < 0", "NULL", value)


def _logarithm(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) == 1:
        return _defined("ln", call, compiling)
    base, given = call.arguments
    terms = _double(base, compiling), _double(given, compiling)
    least = 1 if compiling.source == "hive" else 0
    undefined = [
        f"{term.operand} <= {limit}"
        for node, term, limit in ((base, terms[0], least), (given, terms[1], 0))
        if not _is_above(node, limit, compiling)
    ]
    value = called("log", "double", *terms)
    return called("IF", "double", " OR ".join(undefined), "NULL", value) if undefined else value


def _arc(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    if compiling.source == "hive" and abs(2 if (number := written_number(given, compiling)) is None else number) > 1:
        compiling.report(call.node, NO_ANGLE)
    return _of_doubles(call.name, call, compiling)


def _absolute(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    type_ = compiling.type_of(call.node)
    term = compiling.term(given)
    if type_ in WHOLE and may_be_out_of_range(largest(given, compiling), type_):
        compiling.report(call.node, OVERFLOW)
    return called("abs", type_, exactly(as_number(term, type_, given, compiling), type_))


def _to_whole(name: str, call: Call, compiling: Compiling) -> Term:
    """``floor`` and ``ceil``."""
    given = call.arguments[0]
    type_ = compiling.type_of(call.node)
    term = compiling.term(given)
    if is_decimal(type_):
        return exactly(called(name, f"decimal({sizes_of(term.type)[0]},-1)", term), type_)
    if term.type == "bigint" and compiling.source == "hive":
        # Hive rounds it as a double.
        compiling.report(call.node, OVERFLOW)
        return cast(cast(term, "double"), type_)
    if term.type in WHOLE:
        return exactly(term, type_)
    compiling.report(call.node, OVERFLOW)
    return cast(called(name, "double", as_number(term, "double", given, compiling)), type_)


def _rounded(call: Call, compiling: Compiling) -> Term:
    """Hive and Spark round what a number is as it is written: 0.285 to 0.29, of which Trino's ``round`` makes 0.28."""
    given = call.arguments[0]
    digits = written_number(call.arguments[1], compiling) if len(call.arguments) > 1 else 0
    if digits is None or not -18 <= digits < 38:
        raise compiling.refused(call.node, DIGITS_WRITTEN)
    type_, term = compiling.type_of(call.node), compiling.term(given)
    if type_ in WHOLE:
        if digits >= 0:
            return term
        if may_be_out_of_range(largest(given, compiling) + 5 * 10 ** (-digits - 1), type_):
            compiling.report(call.node, OVERFLOW)
        return called("round", type_, term, str(digits))
    if is_decimal(type_):
        return _rounded_decimal(term, digits, type_, call, compiling)
    if digits < -4:
        raise compiling.refused(call.node, DIGITS_WRITTEN)
    if compiling.source == "hive" and written_number(given, compiling) is None:
        compiling.report(call.node, ROUNDED_NAN)
    term = as_number(term, type_, given, compiling)
    written = cast(exactly(term, "double"), "string")
    if digits >= 0:
        exact = Term(f"TRY_CAST({written.sql} AS decimal(38, {digits}))", "")
    else:
        # The value as it is, with some digits to spare.
        exact = called("round", "", f"TRY_CAST({written.sql} AS decimal(38, 18))", str(digits))
    # What has no room in a decimal has no digits there, or is NaN or infinite.
    return called("COALESCE", type_, cast(exact, type_), term)


def _rounded_decimal(term: Term, digits: int, type_: str, call: Call, compiling: Compiling) -> Term:
    (precision, scale), (kept, kept_scale) = sizes_of(term.type), sizes_of(type_)
    if precision - scale > kept - kept_scale or (digits < 0 and precision == 38):
        compiling.report(call.node, DECIMAL_OVERFLOW)
    return exactly(term if digits >= 0 else called("round", "", term, str(digits)), type_)


def _rounded_half_even(call: Call, compiling: Compiling) -> Term:
    digits = written_number(call.arguments[1], compiling) if len(call.arguments) > 1 else 0
    type_, term = compiling.type_of(call.node), compiling.term(call.arguments[0])
    if digits is not None and digits >= 0 and type_ in WHOLE:
        return term
    raise compiling.refused(call.node, reasons.NOT_KNOWN)


def _sign(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    type_, term = compiling.type_of(call.node), compiling.term(given)
    if term.type in WHOLE or is_decimal(term.type):
        return cast(called("sign", "", term), type_)
    term = as_number(term, "double", given, compiling)
    if compiling.source == "spark":
        return called("sign", type_, exactly(term, "double"))
    # Of NaN, Hive makes -1.0, and of -0.0, 0.0.
    return Term(
        f"CASE WHEN {term.operand} > 0 THEN DOUBLE '1' WHEN {term.operand} = 0 THEN 0 "
        f"WHEN {term.operand} IS NOT NULL THEN -1 END",
        type_,
    )


def _factorial(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    term = compiling.term(given)
    if term.type not in ("tinyint", "smallint", "int"):
        raise compiling.refused(call.node, reasons.CONVERSION.because(f"{term.type} to int"))
    steps = called("reduce", "bigint", f"sequence(1, {term.sql})", "BIGINT '1'", "(s, x) -> s * x", "s -> s")
    return Term(
        f"CASE WHEN {term.operand} = 0 THEN 1 WHEN {term.operand} BETWEEN 1 AND 20 THEN {steps.sql} END", "bigint"
    )


def _nondeterministic(call: Call, compiling: Compiling) -> Term:
    raise compiling.refused(call.node, reasons.NONDETERMINISTIC)


def _constant(call: Call, compiling: Compiling) -> Term:
    if call.arguments:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return called(call.name, "double")


def _is_nan(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    compiling.type_of(call.node)
    return called("COALESCE", "boolean", called("is_nan", "boolean", _double(given, compiling)), "false")


def _count_of_bits(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    type_, term = compiling.type_of(call.node), compiling.term(given)
    if term.type not in WHOLE:
        raise compiling.refused(call.node, reasons.CONVERSION.because(f"{term.type} to bigint"))
    return cast(called("bit_count", "bigint", term, "64"), type_)


def _bucket(call: Call, compiling: Compiling) -> Term:
    given, low, high, count = call.arguments
    type_ = compiling.type_of(call.node)
    least, most, buckets = (written_number(one, compiling) for one in (low, high, count))
    # From the highest to the lowest, Trino counts a number between two buckets to the other one.
    if least is None or most is None or buckets is None or least >= most or buckets < 1:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    term = _double(given, compiling)
    if compiling.term(given).type in _FRACTIONS:
        # Of NaN, Trino has no bucket and fails.
        term = called("IF", term.type, f"NOT is_nan({term.sql})", term)
    return called("width_bucket", type_, term, *map(compiling.term, (low, high, count)))


def _same_name(names: str) -> dict[str, Any]:
    return {name: partial(_of_doubles, name) for name in names.split()}


CALLS: CallRules = {
    **_same_name("cbrt exp sin cos tan atan degrees radians sinh cosh tanh atan2 power"),
    "pow": partial(_of_doubles, "power"),
    "cot": partial(_of_one_double, "DOUBLE '1' / tan({})"),
    "csc": partial(_of_one_double, "DOUBLE '1' / sin({})"),
    "sec": partial(_of_one_double, "DOUBLE '1' / cos({})"),
    "acos": _arc,
    "asin": _arc,
    "abs": _absolute,
    "ceil": partial(_to_whole, "ceiling"),
    "ceiling": partial(_to_whole, "ceiling"),
    "floor": partial(_to_whole, "floor"),
    "round": _rounded,
    "bround": _rounded_half_even,
    "sqrt": _root,
    "ln": partial(_defined, "ln"),
    "log2": partial(_defined, "log2"),
    "log10": partial(_defined, "log10"),
    "log": _logarithm,
    "sign": _sign,
    "signum": _sign,
    "factorial": _factorial,
    "e": _constant,
    "pi": _constant,
    "isnan": _is_nan,
    "bit_count": _count_of_bits,
    "width_bucket": _bucket,
    **dict.fromkeys(("rand", "randn", "random"), _nondeterministic),
}
NODES: dict[type[exp.Expr], Any] = {}
