"""Conversions to numbers."""

from __future__ import annotations

import re

from hive_views.translation.to_trino.expressions.casting import conversion_reasons as reasons
from hive_views.translation.to_trino.expressions.casting.how_converted import TEXTS, WHOLE, Conversion, Rule
from hive_views.translation.to_trino.expressions.casting.to_texts import as_string
from hive_views.translation.to_trino.terms import Term, string

_FRACTION_IN_HIVE = r"^(\s*[+-]?)(?:(\d+)\.|\.\d)\d*\s*$"
_FRACTION_IN_SPARK = r"^(\s*[+-]?)(\d*)\.\d*\s*$"
_NEGATIVE_ZERO = re.compile(r"'\s*-[0.]+(?:[eE].*)?'")
_WITHOUT_FRACTION = "$10$2"
"""The sign, a 0, which counts for nothing, and the digits in front of the point, of which there may be none."""


def _widened(given: Conversion) -> Term:
    """To a type that has every value, or the nearest one, as Trino makes it too."""
    return given.cast


def _whole_to_float(given: Conversion) -> Term:
    if not given.is_hive and given.of.name in ("int", "bigint"):
        given.report(reasons.WIDENED_FLOAT)
    return given.cast


def _whole_to_whole(given: Conversion) -> Term:
    if WHOLE[given.of.name] <= WHOLE[given.to.name]:
        return given.cast
    return _narrowed(given)


def _narrowed(given: Conversion) -> Term:
    if given.is_try:
        return given.try_cast
    given.report(reasons.OVERFLOW)
    return given.cast


def _double_to_whole(given: Conversion) -> Term:
    # Trino rounds where the others cut.
    return _narrowed(given.through(f"truncate({given.term.sql})"))


def _decimal_to_whole(given: Conversion) -> Term:
    precision, scale = given.of.sizes
    cut = given.through(f"truncate({given.term.sql})") if scale else given
    if precision - scale < WHOLE[given.to.name]:
        return cut.cast
    return cut.try_cast if given.is_hive else _narrowed(cut)


def _text_to_whole(given: Conversion) -> Term:
    text = as_string(given)
    if given.is_try:
        given.report(reasons.OTHER_DIGITS)
        return text.try_cast
    given.report(reasons.BLANKS if given.is_hive and given.of.name != "char" else reasons.OTHER_DIGITS)
    fraction = _FRACTION_IN_HIVE if given.is_hive else _FRACTION_IN_SPARK
    return text.through(f"regexp_replace({text.term.sql}, {string(fraction)}, {string(_WITHOUT_FRACTION)})").try_cast


def _text_to_double(given: Conversion) -> Term:
    if given.is_hive and _NEGATIVE_ZERO.fullmatch(given.term.sql):
        raise given.refused(reasons.NEGATIVE_ZERO)
    if not given.is_hive:
        given.report(reasons.NAMES_OF_NUMBERS)
    return as_string(given).try_cast


def _decimal_to_double(given: Conversion) -> Term:
    precision, scale = given.of.sizes
    if given.is_hive and precision - scale > 26:
        given.report(reasons.LARGE_DECIMAL)
    return given.cast


def _text_to_decimal(given: Conversion) -> Term:
    text = as_string(given)
    if given.is_hive:
        given.report(reasons.OTHER_DIGITS)
        return text.through(f"trim({text.term.sql}, ' ')" if given.of.name != "char" else text.term.sql).try_cast
    return text.through(f"trim({text.term.sql})").try_cast


def _whole_to_decimal(given: Conversion) -> Term:
    precision, scale = given.to.sizes
    return given.cast if precision - scale >= WHOLE[given.of.name] else given.try_cast


def _double_to_decimal(given: Conversion) -> Term:
    if given.is_hive:
        given.report(reasons.TINY_DOUBLE)
    return given.try_cast


def _float_to_decimal(given: Conversion) -> Term:
    if given.is_hive:
        return given.try_cast
    # Spark goes through the double, with digits that the float does not have.
    return given.through(f"CAST({given.term.sql} AS double)").try_cast


def _decimal_to_decimal(given: Conversion) -> Term:
    (precision, scale), (new_precision, new_scale) = given.of.sizes, given.to.sizes
    # A digit that is rounded may be one digit more in front of the point.
    more = 0 if new_scale >= scale else 1
    return given.cast if new_precision - new_scale >= precision - scale + more else given.try_cast


RULES: dict[tuple[str, str], Rule] = {
    **{(one, other): _whole_to_whole for one in WHOLE for other in WHOLE if one != other},
    **{(one, other): _widened for one in ("boolean", *WHOLE) for other in ("float", "double")},
    **{(one, "float"): _whole_to_float for one in WHOLE},
    **{("boolean", other): _widened for other in (*WHOLE, "decimal")},
    ("float", "double"): _widened,
    ("double", "float"): _widened,
    ("decimal", "double"): _decimal_to_double,
    ("decimal", "float"): _decimal_to_double,
    **{(one, other): _double_to_whole for one in ("float", "double") for other in WHOLE},
    **{("decimal", other): _decimal_to_whole for other in WHOLE},
    **{(one, other): _text_to_whole for one in TEXTS for other in WHOLE},
    **{(one, other): _text_to_double for one in TEXTS for other in ("float", "double")},
    **{(one, "decimal"): _text_to_decimal for one in TEXTS},
    **{(one, "decimal"): _whole_to_decimal for one in WHOLE},
    ("double", "decimal"): _double_to_decimal,
    ("float", "decimal"): _float_to_decimal,
    ("decimal", "decimal"): _decimal_to_decimal,
}
