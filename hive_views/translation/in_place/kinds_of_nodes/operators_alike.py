"""Operators that compute: arithmetic, bits, ``||``, parts of times, elements of arrays and maps."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.kinds_of_nodes.casts_alike import DECIMAL_AS_TEXT, TEXT_AS_DATE
from hive_views.translation.in_place.kinds_of_nodes.literals_alike import shortened
from hive_views.translation.in_place.patching_rules import FRACTIONS, NUMBERS, WHOLE, NodeRules, Patching, is_text
from hive_views.translation.in_place.text_places import NoPlaceError
from hive_views.translation.time_zones import CLOCK_CHANGE, SESSION_ZONE
from hive_views.translation.translation_findings import Kind, Reason

TEXT_AND_NUMBER = Reason(
    "text-and-number",
    Kind.UNSUPPORTED,
    "a text and a number are converted to other types; cast the text to the type that is meant",
    (
        ("Hive", "compares them as doubles"),
        ("Spark", "reads the text as the type of the number, by the ANSI rules as a bigint or double"),
    ),
)
FLOAT_AND_OTHER = Reason(
    "float-and-other",
    Kind.UNSUPPORTED,
    "a float and another number are computed in different types; cast both to double",
)
TRUTH_AS_TEXT = Reason(
    "truth-as-text",
    Kind.UNSUPPORTED,
    "a truth value is written differently",
    (("Hive 2", "true"), ("Hive 4", "TRUE"), ("Spark", "true")),
)
INTERVAL = Reason(
    "interval",
    Kind.UNSUPPORTED,
    "a date and an interval are of different types; use date_add or add_months",
    (("Hive", "a timestamp, for days"), ("Spark", "a date")),
)

MANY_DIGITS = Reason(
    "many-digits", Kind.UNSUPPORTED, "of decimals with 38 digits, engines and releases make different values, or NULL"
)

MOST_DIGITS = 38


def _not_zero(node: Any) -> bool:
    value = node.unnest()
    value = value.this if isinstance(value, exp.Neg) else value
    return isinstance(value, exp.Literal) and not value.is_string and float(value.name) != 0


def as_double(node: Any, patching: Patching) -> bool:
    """Make a double of a text column that meets a number in a text of Hive; False where that cannot be edited."""
    if patching.source != "hive":
        return False
    try:
        place = patching.places.of_column(node.unnest())
    except NoPlaceError:
        return False
    patching.wrap(*place, "cast(", " as double)")
    patching.report(node, reasons.ANSI)
    return True


def _arithmetic(node: Any, patching: Patching) -> None:
    sides = (node.this, node.expression)
    kinds = [patching.kind(one) for one in sides]
    if any(kind in ("date", "timestamp") or kind.startswith("interval") for kind in kinds) or any(
        isinstance(one.unnest(), exp.Interval) for one in sides
    ):
        return _of_times(node, kinds, patching)
    if any(map(is_text, kinds)):
        _text_in_arithmetic(node, sides, kinds, patching)
        return None
    if not set(kinds) <= set(NUMBERS):
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES)
    if isinstance(node, exp.Div):
        is_stricter = not _not_zero(node.expression)
    elif isinstance(node, (exp.Mod, exp.IntDiv)):
        if isinstance(node, exp.IntDiv) and not set(kinds) <= set(WHOLE):
            raise patching.refused(node, reasons.NOT_OF_THESE_TYPES)
        if isinstance(node, exp.Mod) and "float" in kinds and set(kinds) != {"float"} and "double" not in kinds:
            raise patching.refused(node, FLOAT_AND_OTHER)
        is_stricter = not _not_zero(node.expression)
    else:
        if "float" in kinds and not set(kinds) <= set(FRACTIONS):
            raise patching.refused(node, FLOAT_AND_OTHER)
        is_stricter = set(kinds) <= set(WHOLE)
    _of_many_digits(node, kinds, patching)
    short = [isinstance(one, exp.Literal) and not one.is_string and shortened(one, patching) for one in sides]
    if any(short) and set(kinds) <= {"tinyint", "smallint", "int", "decimal"}:
        # Of the shorter number, Spark computes the type of Hive.
        patching.settle(node)
    if is_stricter and patching.target == "spark":
        patching.report(node, reasons.ANSI)
    return None


def digits_of(node: Any, patching: Patching) -> int:
    """The digits of a decimal; 0 for another type."""
    derived = patching.type_of(node)
    found = re.match(r"decimal\((\d+)", (derived.hive if patching.source == "hive" else derived.spark) or "")
    return int(found[1]) if found else 0


def _of_many_digits(node: Any, kinds: list[str], patching: Patching) -> None:
    is_wide = max(digits_of(one, patching) for one in (node, node.this, node.expression)) >= MOST_DIGITS
    if is_wide and (set(kinds) & set(FRACTIONS) or not isinstance(node, (exp.Add, exp.Sub))):
        raise patching.refused(node, MANY_DIGITS)


def _text_in_arithmetic(node: Any, sides: Any, kinds: list[str], patching: Patching) -> None:
    if isinstance(node, exp.IntDiv) or not set(kinds) - {"decimal"} <= {"string", "varchar", *WHOLE, *FRACTIONS}:
        raise patching.refused(node, TEXT_AND_NUMBER)
    texts = [one for one, kind in zip(sides, kinds, strict=True) if is_text(kind)]
    if any(isinstance(one.unnest(), exp.Literal) for one in texts):
        raise patching.refused(node, TEXT_AND_NUMBER)
    for one in texts:
        if not as_double(one, patching):
            raise patching.refused(node, TEXT_AND_NUMBER)


def _of_times(node: Any, kinds: list[str], patching: Patching) -> None:
    right = node.expression.unnest()
    if isinstance(right, exp.Interval):
        is_written = right.this is not None and (right.this.is_string or right.this.is_number)
        if kinds[0] not in ("date", "timestamp") or not is_written:
            raise patching.refused(node, INTERVAL)
        if kinds[0] == "timestamp" or _unit(right) not in ("YEAR", "MONTH"):
            patching.report(node, CLOCK_CHANGE)
        if kinds[0] == "date" and _unit(right) == "DAY":
            _as_timestamp(node, patching)
        return
    raise patching.refused(node, INTERVAL if "interval" in "".join(kinds) else reasons.NOT_OF_THESE_TYPES)


def _as_timestamp(node: Any, patching: Patching) -> None:
    """Make a timestamp of a date to which days are added, as Hive does; in Hive, nothing is to be edited for Spark."""
    try:
        if patching.target != "spark":
            raise NoPlaceError
        date = node.this.unnest()
        is_call = not isinstance(date, (exp.Column, exp.Literal))
        place = patching.places.of_call(date) if is_call else patching.places.of_column(date)
    except NoPlaceError:
        raise patching.refused(node, INTERVAL) from None
    patching.wrap(*place, "cast(", " as timestamp)")
    patching.settle(node)


def _unit(interval: exp.Interval) -> str:
    unit = interval.args.get("unit")
    return unit.name.upper().removesuffix("S") if isinstance(unit, exp.Var) else ""


def _interval(node: exp.Interval, patching: Patching) -> tuple[Any, ...]:
    name = _unit(node)
    if name not in ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND") or not node.this.name.lstrip("-").isdigit():
        raise patching.refused(node, INTERVAL)
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    if not isinstance(parent, (exp.Add, exp.Sub)):
        raise patching.refused(node, INTERVAL)
    patching.settle(node)
    return ()


def _negated(node: exp.Neg, patching: Patching) -> None:
    kind = patching.kind(node.this)
    if isinstance(node.this, exp.Literal):
        # The type of -1.0 is that of the number.
        if patching.type_of(node).certain is None and node.this.name != str(2**31):
            patching.settle(node)
        return
    if kind not in NUMBERS:
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES)
    if kind in WHOLE and patching.target == "spark":
        patching.report(node, reasons.ANSI)


def _bits(node: Any, patching: Patching) -> None:
    parts = [one for one in (node.this, node.args.get("expression")) if one is not None]
    if not {patching.kind(one) for one in parts} <= set(WHOLE):
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES)


def _joined(node: exp.DPipe, patching: Patching) -> None:
    kinds = [patching.kind(one) for one in (node.this, node.expression)]
    for one, kind in zip((node.this, node.expression), kinds, strict=True):
        if kind == "decimal":
            patching.report(one, DECIMAL_AS_TEXT)
        elif kind == "boolean":
            raise patching.refused(one, TRUTH_AS_TEXT)
        elif kind == "char":
            raise patching.refused(one, reasons.PADDED)
        elif kind not in ("string", "varchar", *WHOLE, *FRACTIONS, "date", "timestamp", "void"):
            raise patching.refused(one, reasons.NOT_OF_THESE_TYPES)


def _extract(node: exp.Extract, patching: Patching) -> tuple[Any, ...]:
    """The parts of a second are a decimal in Spark."""
    unit, kind = node.this.name.lower(), patching.kind(node.expression)
    if is_text(kind):
        patching.report(node, TEXT_AS_DATE)
    is_day = unit in ("year", "month", "day", "dayofweek", "week", "quarter") and kind in ("date", "timestamp")
    if not is_text(kind) and not is_day and not (unit in ("hour", "minute") and kind == "timestamp"):
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES)
    return (node.expression,)


def _element(node: exp.Bracket, patching: Patching) -> None:
    """An element of an array, or the value of a key of a map."""
    kind, index = patching.kind(node.this), patching.kind(node.expressions[0])
    if len(node.expressions) != 1 or node.args.get("offset"):
        raise patching.refused(node, reasons.NOT_KNOWN)
    if kind == "array" and index in ("tinyint", "smallint", "int"):
        if patching.target == "spark":
            patching.report(node, reasons.ANSI)
    elif kind != "map" or not is_text(index):
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES)


def _now(node: Any, patching: Patching) -> tuple[Any, ...]:
    patching.report(node, SESSION_ZONE)
    return ()


def _field(node: exp.Dot, patching: Patching) -> tuple[Any, ...]:
    if not isinstance(node.expression, exp.Identifier) or patching.kind(node.this) not in ("struct", "array"):
        raise patching.refused(node, reasons.NOT_KNOWN)
    return (node.this,)


NODES: NodeRules = {
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv), _arithmetic),
    exp.Interval: _interval,
    exp.Neg: _negated,
    **dict.fromkeys((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot), _bits),
    exp.DPipe: _joined,
    exp.Extract: _extract,
    exp.Bracket: _element,
    exp.Dot: _field,
    exp.CurrentDate: _now,
    exp.CurrentTimestamp: _now,
}
