"""CAST, by the types from which and to which it converts."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.casts import written_type
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.patching_rules import FRACTIONS, WHOLE, NodeRules, Patching, is_text
from hive_views.translation.translation_findings import Kind, Reason

TEXT_AS_DATE = Reason(
    "text-as-date",
    Kind.DIFFERENT,
    "a text is read as a date or time; where it is not exactly YYYY-MM-DD [hh:mm:ss], engines and releases differ",
    (
        ("Hive 2", "reads '2020-02-30' as the first of March"),
        ("Hive 4", "makes NULL of it, and a date of '2020-01-31abc'"),
        ("Spark", "makes NULL of both, and fails where ANSI mode is on"),
    ),
)
TEXT_AS_BOOLEAN = Reason(
    "text-as-boolean",
    Kind.UNSUPPORTED,
    "engines and releases read a text as different truth values; compare it with the texts that are meant",
    (
        ("Hive 2", "'false' is true, as is any other text that is not empty"),
        ("Hive 4", "'false', 'no', 'off' and '0' are false, and others true"),
        ("Spark", "'abc' is NULL, or fails where ANSI mode is on"),
    ),
)
BLANKS_AROUND_NUMBER = Reason(
    "blanks-around-number",
    Kind.EDGE,
    "a number with blanks around it in a text is read by some",
    (("Hive 2", "NULL"), ("Hive 4", "the number"), ("Spark", "the number")),
)
NUMBER_AS_TIME = Reason(
    "number-as-time",
    Kind.UNSUPPORTED,
    "a number is read as a time in different units; use from_unixtime",
    (("Hive 2", "milliseconds"), ("Hive 4", "milliseconds"), ("Spark", "seconds")),
)
DECIMAL_AS_TEXT = Reason(
    "decimal-as-text",
    Kind.DIFFERENT,
    "releases of Hive write a decimal with and without the zeros at its end",
    (("Hive 2", "2.5"), ("Hive 4", "2.50"), ("Spark", "2.50")),
)
OVERFLOW = Reason(
    "decimal-overflow",
    Kind.DIFFERENT,
    "a decimal that does not fit into the whole number",
    (("Hive", "NULL"), ("Spark", "takes its last digits in base 2, or fails where ANSI mode is on")),
)
CUT = Reason(
    "varchar-cast",
    Kind.UNSUPPORTED,
    "a text that is longer than the varchar: write substr(CAST(... AS string), 1, n)",
    (("Hive", "is cut"), ("Spark", "is not")),
)
WIDENED_FLOAT = Reason(
    "widened-float",
    Kind.EDGE,
    "where the float becomes a double, whole numbers beyond 2^24 differ in their last digits",
    (("Hive", "those of the float"), ("Spark", "all, as it leaves the float out")),
)
TINY_NUMBER = Reason(
    "tiny-number",
    Kind.EDGE,
    "of a number too small for any decimal, such as 5e-324",
    (("Hive", "NULL"), ("Spark", "0")),
)

_DIGITS = {"tinyint": 2, "smallint": 4, "int": 9, "bigint": 18}
"""Digits of which all numbers fit."""
_ALL_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19, "boolean": 1}
_NUMBER = re.compile(r"[+-]?\d{1,9}")
_FRACTION = re.compile(r"[+-]?\d{1,9}(\.\d{1,9})?")


def _cast(node: exp.Cast, patching: Patching) -> tuple[Any, ...]:
    type_ = written_type(node.to)
    if type_ is None:
        raise patching.refused(node, reasons.NOT_KNOWN)
    if not patching.places.is_written_cast(node):
        _typed_literal(node, patching)
        return ()
    if patching.source == "spark" and patching.places.is_tried(node):
        raise patching.refused(node, reasons.ONLY_IN.because("Hive has no TRY_CAST"))
    if _of_literal(node, parse_hive_type(type_)):
        return ()
    convert(node, node.this, parse_hive_type(type_), patching)
    return (node.this,)


def _typed_literal(node: exp.Cast, patching: Patching) -> None:
    """``DATE '2020-01-31'``, ``10L``."""
    patching.settle(node)
    if node.this.is_string and node.this.meta.get("start") is not None and not is_date(node.this.name):
        patching.report(node, TEXT_AS_DATE)
    derived = patching.type_of(node)
    if derived.certain is None:
        raise patching.refused(node, reasons.TYPE_NOT_KNOWN.because(derived.why or "a literal"))


def _of_literal(node: exp.Cast, type_: HiveType) -> bool:
    """Whether it is a cast of a literal that all read alike."""
    value = node.this.unnest()
    if not isinstance(value, exp.Literal) or not value.is_string:
        return False
    if type_.name in ("date", "timestamp"):
        return is_date(value.name)
    if type_.name in ("int", "bigint"):
        return bool(_NUMBER.fullmatch(value.name))
    return type_.name in FRACTIONS and bool(_FRACTION.fullmatch(value.name))


def is_date(text: str) -> bool:
    """Whether a text is a date or time as all read it."""
    layout = "%Y-%m-%d %H:%M:%S" if " " in text else "%Y-%m-%d"
    try:
        return datetime.strptime(text, layout).strftime(layout) == text  # noqa: DTZ007 - as written
    except ValueError:
        return False


def convert(node: Any, value: Any, type_: HiveType, patching: Patching) -> None:
    """Accept, edit or refuse the conversion of a value that a node makes."""
    kind, to = patching.kind(value), type_.name
    if to == "varchar" and is_text(kind):
        _check_length(node, value, type_, patching)
        return
    if kind in ("void", to) and to != "decimal":
        return
    if kind == "char":
        raise patching.refused(node, reasons.PADDED)
    rule = (
        _to_whole
        if to in WHOLE
        else _to_fraction
        if to in FRACTIONS
        else {
            "boolean": _to_boolean,
            "string": _to_string,
            "varchar": _to_string,
            "date": _to_date,
            "timestamp": _to_date,
            "binary": _to_binary,
            "decimal": _to_decimal,
        }.get(to)
    )
    if rule is None or not rule(node, value, type_, patching):
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES.because(f"{kind or 'unknown'} to {type_}"))


def _check_length(node: Any, value: Any, type_: HiveType, patching: Patching) -> None:
    """Refuse a length that may cut a text."""
    derived = patching.type_of(value)
    of = parse_hive_type((derived.hive if patching.source == "hive" else derived.spark) or "string")
    literal = value.unnest()
    if isinstance(literal, exp.Literal) and literal.is_string and len(literal.name) <= type_.sizes[0]:
        return
    if of.name != "varchar" or of.sizes[0] > type_.sizes[0] or patching.source == "spark":
        raise patching.refused(node, CUT)


def _stricter(node: Any, patching: Patching) -> bool:
    if patching.target == "spark":
        patching.report(node, reasons.ANSI)
    return True


def _sizes(value: Any, patching: Patching) -> tuple[int, int]:
    derived = patching.type_of(value)
    type_ = parse_hive_type((derived.hive if patching.source == "hive" else derived.spark) or "")
    return type_.sizes[0], type_.sizes[1]


def _to_boolean(node: Any, value: Any, _type: HiveType, patching: Patching) -> bool:
    kind = patching.kind(value)
    if is_text(kind):
        raise patching.refused(node, TEXT_AS_BOOLEAN)
    return kind in (*WHOLE, *FRACTIONS) or (kind == "decimal" and _sizes(value, patching)[0] < 38)


def _to_whole(node: Any, value: Any, type_: HiveType, patching: Patching) -> bool:
    kind = patching.kind(value)
    if kind == "boolean" or (kind in WHOLE and WHOLE.index(kind) <= WHOLE.index(type_.name)):
        return True
    if kind in WHOLE or kind in FRACTIONS:
        return _stricter(node, patching)
    if is_text(kind):
        patching.report(node, BLANKS_AROUND_NUMBER)
        return _stricter(node, patching)
    if kind == "decimal":
        precision, scale = _sizes(value, patching)
        if precision - scale > _DIGITS[type_.name]:
            patching.report(node, OVERFLOW)
        return True
    return False


def _to_fraction(node: Any, value: Any, type_: HiveType, patching: Patching) -> bool:
    kind = patching.kind(value)
    if type_.name == "float" and kind in ("int", "bigint"):
        patching.report(node, WIDENED_FLOAT)
    if kind == "decimal":
        return _sizes(value, patching)[0] < 38
    return kind == "boolean" or kind in (*WHOLE, *FRACTIONS) or (is_text(kind) and _stricter(node, patching))


def _to_string(node: Any, value: Any, type_: HiveType, patching: Patching) -> bool:
    kind = patching.kind(value)
    if type_.name == "varchar" and not is_text(kind):
        return False
    if kind == "decimal":
        patching.report(node, DECIMAL_AS_TEXT)
        return True
    if kind == "boolean":
        if patching.source == "hive":
            patching.wrap(*patching.places.of_call(node), "upper(", ")")
        else:
            patching.wrap(*patching.places.of_call(node), "lower(", ")")
        return True
    return is_text(kind) or kind in (*WHOLE, *FRACTIONS, "date", "timestamp", "binary")


def _to_date(node: Any, value: Any, type_: HiveType, patching: Patching) -> bool:
    kind = patching.kind(value)
    if is_text(kind):
        patching.report(node, TEXT_AS_DATE)
        return _stricter(node, patching)
    if type_.name == "timestamp" and kind in ("boolean", "decimal", *WHOLE, *FRACTIONS):
        raise patching.refused(node, NUMBER_AS_TIME)
    return kind in ("date", "timestamp")


def _to_binary(_node: Any, value: Any, _type: HiveType, patching: Patching) -> bool:
    return is_text(patching.kind(value))


def _to_decimal(node: Any, value: Any, type_: HiveType, patching: Patching) -> bool:
    kind = patching.kind(value)
    whole = type_.sizes[0] - type_.sizes[1]
    if kind in _ALL_DIGITS:
        return whole >= _ALL_DIGITS[kind] or _stricter(node, patching)
    if kind == "decimal":
        precision, scale = _sizes(value, patching)
        return (
            precision - scale < whole
            or (precision - scale, scale) == (whole, type_.sizes[1])
            or _stricter(node, patching)
        )
    if kind in FRACTIONS:
        patching.report(node, TINY_NUMBER)
        return _stricter(node, patching)
    if is_text(kind):
        patching.report(node, BLANKS_AROUND_NUMBER)
        return _stricter(node, patching)
    return False


NODES: NodeRules = {exp.Cast: _cast, exp.TryCast: _cast}
