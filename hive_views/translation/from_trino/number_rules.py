"""Functions of numbers."""

from __future__ import annotations

from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.common_types import MOST_TURNED, sizes_of
from hive_views.translation.from_trino.constant_rules import written_number
from hive_views.translation.from_trino.target_terms import WHOLE, CallRules, Compiling, NodeRules, Term, called, cast
from hive_views.translation.from_trino.text_rules import arguments
from hive_views.translation.reading_nodes import Call


def _absolute(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    term = compiling.term(one)
    if term.name not in (*WHOLE, "decimal", "double"):
        raise compiling.refused(call.node, reasons.TYPES.because(term.type))
    sizes = sizes_of(term.type)
    if term.name == "decimal" and sizes is not None and sizes[0] > MOST_TURNED:
        raise compiling.refused(call.node, reasons.DECIMAL_SIZES)
    if term.name in WHOLE:
        compiling.report(call.node, reasons.OVERFLOW)
    return cast(called("abs", term.type, term), term.type)


def _rounded(call: Call, compiling: Compiling) -> Term:
    """To whole numbers: behind the point, engines round doubles by other rules, and make other decimals."""
    (one,) = arguments(call, 1, 1, compiling)
    term, name = compiling.term(one), "ceil" if call.name == "ceiling" else call.name
    if term.name in WHOLE:
        return term
    if term.name == "decimal":
        digits, scale = sizes_of(term.type) or (0, 0)
        if scale == 0 or digits > MOST_TURNED:
            raise compiling.refused(call.node, reasons.DECIMAL_SIZES)
        type_ = f"decimal({digits - scale + 1},0)"
        return cast(called(name, type_, term), type_)
    if term.type != "double" or name != "round":
        raise compiling.refused(call.node, reasons.TYPES.because(f"{name} of {term.type}"))
    return called("round", "double", term)


def _sign(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    term = compiling.term(one)
    if term.name not in WHOLE:
        raise compiling.refused(call.node, reasons.TYPES.because(term.type))
    return cast(called("sign", term.type, term), term.type)


def _power(call: Call, compiling: Compiling) -> Term:
    base, exponent = arguments(call, 2, 2, compiling)
    term, number = compiling.term(base), written_number(exponent)
    if term.name not in (*WHOLE, "double") or number is None or number < 1:
        raise compiling.refused(call.node, reasons.TYPES.because(f"a power of {term.type}"))
    return called("power", "double", term, str(number))


NODES: NodeRules = {}
CALLS: CallRules = {
    "abs": _absolute,
    **dict.fromkeys(("round", "floor", "ceil", "ceiling"), _rounded),
    "sign": _sign,
    **dict.fromkeys(("power", "pow"), _power),
}
