"""Conversions to dates and timestamps."""

from __future__ import annotations

from hive_views.translation.to_trino.expressions.casting import conversion_reasons as reasons
from hive_views.translation.to_trino.expressions.casting.how_converted import TEXTS, WHOLE, Conversion, Rule
from hive_views.translation.to_trino.expressions.casting.to_texts import as_string
from hive_views.translation.to_trino.terms import Term, string

_IN_HIVE = r"^\s*\d{4}-\d{1,2}-\d{1,2}( \d{1,2}:\d{1,2}:\d{1,2}(\.\d{1,6})?)?\s*$|^\s*(\d{4}-0*[1-9]|\d\d:\d)"
_IN_SPARK = (
    r"^\s*\d{4}-\d{1,2}-\d{1,2}([ T]\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{1,6})?)?)?\s*$"
    r"|^\s*(\d{4}-0*[1-9]|\d{4}\s*$|T?\d{1,2}:\d)"
)
"""What Trino reads as the source does; or else the start of a text that it may read otherwise, on which Trino fails.
There is no such start in a text that is NULL to all of them, as 'abc' and '0000-00-00' are."""

_DAY_IN_SPARK = r"^(\d{4}-\d{1,2}-\d{1,2})((-01){0,2}|[ T].*)$"
"""A day, in a text with two more parts behind it; with one or none behind those that are only a month or a year."""


def _text_to_timestamp(given: Conversion) -> Term:
    text = as_string(given)
    if given.is_hive:
        given.report(reasons.DATE_TEXT)
        return given.made(f"CAST(regexp_extract({text.term.sql}, {string(_IN_HIVE)}) AS timestamp(6))")
    given.report(reasons.TIMESTAMP_TEXT)
    found = f"regexp_extract({text.term.sql}, {string(_IN_SPARK)})"
    return given.made(f"CAST(replace({found}, 'T', ' ') AS timestamp(6))")


def _text_to_date(given: Conversion) -> Term:
    if given.is_hive:
        return given.through(_text_to_timestamp(given).sql).cast
    given.report(reasons.LONG_YEAR)
    text = as_string(given).term.sql
    return given.through(f"regexp_extract(trim({text}) || '-01-01', {string(_DAY_IN_SPARK)}, 1)").try_cast


def _cast(given: Conversion) -> Term:
    return given.cast


def _number(given: Conversion) -> Term:
    raise given.refused(reasons.EPOCH)


_NUMBERS = ("boolean", *WHOLE, "float", "double", "decimal")

RULES: dict[tuple[str, str], Rule] = {
    **{(one, "timestamp"): _text_to_timestamp for one in TEXTS},
    **{(one, "date"): _text_to_date for one in TEXTS},
    ("date", "timestamp"): _cast,
    ("timestamp", "date"): _cast,
    **{(one, "timestamp"): _number for one in _NUMBERS},
    **{(time, one): _number for one in _NUMBERS for time in ("date", "timestamp")},
}
