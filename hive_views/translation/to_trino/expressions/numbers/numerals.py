"""Numbers as texts: hexadecimal and other numerals, and numbers with commas."""

from __future__ import annotations

from typing import Any

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.numbers.arithmetic import as_number
from hive_views.translation.to_trino.expressions.numbers.decimal_arithmetic import is_decimal, sizes_of
from hive_views.translation.to_trino.expressions.numbers.whole_numbers import written_number
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, cast, operation
from hive_views.translation.translation_findings import Kind, Reason

SIGNED_DIGITS = Reason(
    "signed-hex",
    Kind.EDGE,
    "a sign in front of a hexadecimal digit, such as -f, makes it NULL",
    engines=(("Hive", "takes it as a negative byte"), ("Trino", "NULL")),
)
LEAST_BIGINT = Reason(
    "least-bigint",
    Kind.EDGE,
    "the number -9223372036854775808 becomes another text",
    engines=(("Hive", "the digits of -1"), ("Spark", "the same"), ("Trino", "its own")),
)
NUMERAL = Reason(
    "numeral",
    Kind.STRICTER,
    "it fails where a text is no number of that base, or too large a one",
    engines=(("Hive", "takes the digits in front, 0 without one"), ("Spark", "the same"), ("Trino", "fails")),
)
HALVES = Reason(
    "rounding-of-halves",
    Kind.DIFFERENT,
    "Trino rounds halves up, and a fraction as it is written",
    engines=(("Hive", "2.5 without digits is 2, and 0.145 with two 0.14"), ("Trino", "3, and 0.15")),
)


def _refused(call: Call, term: Term, compiling: Compiling) -> Exception:
    return compiling.refused(call.node, reasons.CONVERSION.because(f"{term.type} as an argument of {call.name}"))


def _hex(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    term = compiling.term(given)
    if term.type in WHOLE:
        return _hex_of_whole(term)
    if term.type == "binary":
        return called("to_hex", "string", term)
    if term.type == "string" or term.type.startswith("varchar"):
        return called("to_hex", "string", called("to_utf8", "binary", term))
    raise _refused(call, term, compiling)


def _hex_of_whole(term: Term) -> Term:
    digits = called("to_hex", "string", called("to_big_endian_64", "binary", term))
    return called("regexp_replace", "string", digits, "'^0+(?=.)'")


def _unhex(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    term = compiling.term(given)
    if term.type != "string" and not term.type.startswith("varchar"):
        raise _refused(call, term, compiling)
    if compiling.source == "hive":
        compiling.report(call.node, SIGNED_DIGITS)
    even = called("IF", "string", f"length({term.sql}) % 2 = 1", f"'0' || {term.operand}", term)
    return called("TRY", "binary", called("from_hex", "binary", even))


def _binary(call: Call, compiling: Compiling) -> Term:
    (given,) = call.arguments
    term = compiling.term(given)
    if term.type not in WHOLE:
        raise _refused(call, term, compiling)
    return _in_base_2(term, given, compiling)


def _in_base_2(term: Term, node: Any, compiling: Compiling) -> Term:
    """To the source, a negative number has all of its 64 bits."""
    digits = called("to_base", "string", term, "2")
    if (written_number(node, compiling) or -1) > 0:
        return digits
    rest = called("to_base", "string", called("bitwise_and", "bigint", term, "9223372036854775807"), "2")
    return called("IF", "string", f"{term.operand} < 0", f"'1' || lpad({rest.sql}, 63, '0')", digits)


def _converted(call: Call, compiling: Compiling) -> Term:
    """``conv`` between bases that are written."""
    given, *bases = call.arguments
    before, after = (written_number(one, compiling) for one in bases)
    if before is None or after is None or not (2 <= before <= 36 and 2 <= after <= 36):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    term = compiling.term(given)
    if term.type in WHOLE and before == 10:
        if after not in (2, 16):
            raise compiling.refused(call.node, reasons.NOT_KNOWN)
        if term.type == "bigint":
            compiling.report(call.node, LEAST_BIGINT)
        return _hex_of_whole(term) if after == 16 else _in_base_2(term, given, compiling)
    if term.type != "string":
        raise _refused(call, term, compiling)
    compiling.report(call.node, NUMERAL)
    if compiling.source == "spark":
        term = called("NULLIF", "string", term, "''")
    # Behind a digit, a sign is not one.
    value = called("from_base", "bigint", operation("string", "'0' ||", term).sql, str(before))
    if after == 10:
        return cast(value, "string")
    digits = called("to_base", "string", value, str(after))
    return called("upper", "string", digits) if after > 10 else digits


def _formatted(call: Call, compiling: Compiling) -> Term:
    given, digits = call.arguments[0], written_number(call.arguments[1], compiling)
    if digits is None or not 0 <= digits <= 38:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    term = compiling.term(given)
    if term.type in WHOLE:
        text = called("format", "string", "'%,d'", term)
        if digits:
            text = operation("string", text, f"|| '.{'0' * digits}'")
    elif is_decimal(term.type) or term.type in ("float", "double"):
        if not is_decimal(term.type) or sizes_of(term.type)[1] > digits:
            compiling.report(call.node, HALVES)
        text = called("format", "string", f"'%,.{digits}f'", as_number(term, term.type, given, compiling))
    else:
        raise _refused(call, term, compiling)
    if written_number(given, compiling) is not None:
        return text
    # Of NULL, format makes the text 'null'.
    return called("IF", "string", f"{term.operand} IS NOT NULL", text)


NODES: NodeRules = {}
CALLS: CallRules = {
    "bin": _binary,
    "conv": _converted,
    "format_number": _formatted,
    "hex": _hex,
    "unhex": _unhex,
}
