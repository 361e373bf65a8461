"""Functions whose answers are the same or not by the values of their arguments: positions, patterns, domains."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.patching_rules import Patching, wrap
from hive_views.translation.in_place.text_places import NoPlaceError
from hive_views.translation.reading_nodes import Call
from hive_views.translation.time_zones import DAY_OF_CHANGE, LOCAL_TIMES
from hive_views.translation.translation_findings import ELEMENT_ORDER, Kind, Reason

BEYOND_BMP = Reason(
    "beyond-bmp",
    Kind.EDGE,
    "of a text with characters beyond U+FFFF, such as emoji",
    (("Hive", "counts two for each"), ("Spark", "counts one")),
)
FROM_THE_END = Reason(
    "position-from-the-end",
    Kind.DIFFERENT,
    "of a text that is shorter than the position from its end",
    (("Hive", "the empty text"), ("Spark", "the text")),
)
EMPTY_TEXT = Reason(
    "empty-text",
    Kind.EDGE,
    "of the empty text in another one, engines and releases find another position",
)
EMPTY_PATTERN = Reason("pattern", Kind.UNSUPPORTED, "of an empty pattern, engines make other results")
PATTERN_OF_VALUE = Reason(
    "pattern-of-column",
    Kind.DIFFERENT,
    "a pattern that is not written there may be empty, of which engines make other results",
)
NEGATIVE_ROOT = Reason("negative-root", Kind.DIFFERENT, "of a negative number", (("Hive", "NULL"), ("Spark", "NaN")))
NEGATIVE_DIVISOR = Reason(
    "negative-divisor", Kind.UNSUPPORTED, "of a divisor that is not a positive number written there, the results differ"
)
OPTIONAL_GROUP = Reason(
    "optional-group",
    Kind.DIFFERENT,
    "of a group in the regular expression that may match nothing",
    (("Hive", "NULL"), ("Spark", "the empty text")),
)
NULL_IN_ARRAY = Reason(
    "null-in-array",
    Kind.DIFFERENT,
    "of an array that is NULL, or has NULL in it, and not the value",
    (("Hive", "false"), ("Spark", "NULL")),
)
SIZE_OF_NULL = Reason(
    "size-of-null", Kind.DIFFERENT, "of NULL", (("Hive", "-1"), ("Spark", "-1, and NULL where ANSI mode is on"))
)
DATE_PATTERN = Reason(
    "date-pattern",
    Kind.UNSUPPORTED,
    "a letter in this pattern means something else to one engine, or nothing; y M d H h m s SSS a E D are alike",
)
ZONE = Reason("time-zone", Kind.UNSUPPORTED, "engines know other zones than UTC and Region/City differently")
FAR_DATES = Reason("far-dates", Kind.EDGE, "of days that lead beyond the years that a date has, results differ")
LAST_OF_MONTH = Reason(
    "last-of-month",
    Kind.DIFFERENT,
    "of the last day of a month",
    (("Hive", "the last day of the other month"), ("Spark", "the same day of the other month")),
)
TRUNC_UNIT = Reason(
    "trunc-unit", Kind.UNSUPPORTED, "only the units MM, MON, MONTH, YY, YEAR, YYYY and QUARTER are alike, in capitals"
)
URL_PART = Reason("url-part", Kind.UNSUPPORTED, "of a text that is no URL, engines find other paths")
WRITTEN_ONLY = Reason(
    "not-known",
    Kind.UNSUPPORTED,
    "it is not known whether both engines answer the same unless this argument is written there",
)

_UNITS = ("MM", "MON", "MONTH", "YY", "YEAR", "YYYY", "QUARTER")
_URL_PARTS = ("HOST", "QUERY", "REF", "PROTOCOL", "AUTHORITY", "USERINFO")
_DATE_PATTERN = re.compile(
    r"(?:y{1,2}|y{4}|M{1,4}|d{1,2}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|SSS|a|E{3,4}|D|[^A-Za-z']|'[^']*')*"
)
_ZONE = re.compile(r"UTC|[A-Z][a-z]+/[A-Z][A-Za-z_]+")
_MAY_BE_NOTHING = re.compile(r"\)[?*]|\)\{0|\|")
_PATH = re.compile(r"\$(\.\w+|\[\d+\])*")


def number(node: Any) -> float | None:
    """A number that is written there."""
    value = node.unnest()
    sign = 1
    if isinstance(value, exp.Neg):
        sign, value = -1, value.this.unnest()
    if isinstance(value, exp.Literal) and not value.is_string:
        return sign * float(value.name)
    return None


def text(node: Any) -> str | None:
    """A text that is written there."""
    value = node.unnest()
    return value.name if isinstance(value, exp.Literal) and value.is_string else None


def substring(call: Call, patching: Patching) -> None:
    """Positions from 1, or from the end."""
    start = number(call.arguments[1])
    if patching.kind(call.arguments[0]) in ("string", "varchar"):
        patching.report(call.node, BEYOND_BMP)
    if start is None or start < -1 or (start < 0 and len(call.arguments) > 2):
        patching.report(call.node, FROM_THE_END)


def position(call: Call, patching: Patching) -> None:
    """INSTR(text, part)."""
    if not text(call.arguments[1]):
        patching.report(call.node, EMPTY_TEXT)


def location(call: Call, patching: Patching) -> None:
    """LOCATE(part, text, start)."""
    if not text(call.arguments[0]) and len(call.arguments) > 2:
        patching.report(call.node, EMPTY_TEXT)


def pattern(call: Call, patching: Patching) -> None:
    """A regular expression as the second argument."""
    written = text(call.arguments[1])
    if written == "":
        raise patching.refused(call.node, EMPTY_PATTERN)
    if written is None:
        patching.report(call.node, PATTERN_OF_VALUE)


def extraction(call: Call, patching: Patching) -> None:
    """REGEXP_EXTRACT: of a group that matches nothing, Hive makes NULL."""
    pattern(call, patching)
    written = text(call.arguments[1])
    is_whole = len(call.arguments) > 2 and number(call.arguments[2]) == 0
    if not is_whole and (written is None or _MAY_BE_NOTHING.search(written)):
        patching.report(call.node, OPTIONAL_GROUP)


def replacement(call: Call, patching: Patching) -> None:
    """REPLACE: of the empty text, Hive puts something between all characters."""
    written = text(call.arguments[1])
    if written == "":
        raise patching.refused(call.node, EMPTY_PATTERN)
    if written is None:
        patching.report(call.node, EMPTY_TEXT)


def padding(call: Call, patching: Patching) -> None:
    """LPAD and RPAD, of a length and a text that are written there."""
    if (number(call.arguments[1]) or -1) < 0 or not text(call.arguments[2]):
        raise patching.refused(call.node, WRITTEN_ONLY)
    if patching.kind(call.arguments[0]) in ("string", "varchar"):
        patching.report(call.node, BEYOND_BMP)


def first_parts(call: Call, patching: Patching) -> None:
    """SUBSTRING_INDEX."""
    if number(call.arguments[2]) is None or not text(call.arguments[1]):
        raise patching.refused(call.node, WRITTEN_ONLY)


def digest(call: Call, patching: Patching) -> None:
    """SHA2: other numbers of bits are NULL in Spark."""
    if number(call.arguments[1]) not in (0, 224, 256, 384, 512):
        raise patching.refused(call.node, WRITTEN_ONLY)


def chosen(call: Call, patching: Patching) -> None:
    """ELT: of an index that there is not, Spark fails by the ANSI rules."""
    index = number(call.arguments[0])
    if (index is None or not 0 < index < len(call.arguments)) and patching.target == "spark":
        patching.report(call.node, reasons.ANSI)


def json_path(call: Call, patching: Patching) -> None:
    """GET_JSON_OBJECT."""
    if not _PATH.fullmatch(text(call.arguments[1]) or ""):
        raise patching.refused(call.node, WRITTEN_ONLY)


def part_of_url(call: Call, patching: Patching) -> None:
    """PARSE_URL."""
    if text(call.arguments[1]) not in _URL_PARTS:
        raise patching.refused(call.node, URL_PART)
    if patching.target == "spark":
        patching.report(call.node, reasons.ANSI)


def rounded(call: Call, patching: Patching) -> None:
    """ROUND and BROUND to digits that are written there."""
    digits = number(call.arguments[1])
    if digits is None:
        raise patching.refused(call.node, WRITTEN_ONLY)
    if digits < 0 and patching.target == "spark":
        patching.report(call.node, reasons.ANSI)


def formatted(call: Call, patching: Patching) -> None:
    """FORMAT_NUMBER: of less than no digits, Spark makes NULL, and Hive fails."""
    if (number(call.arguments[1]) or 0) < 0:
        raise patching.refused(call.node, reasons.NOT_KNOWN.because("less than no digits"))


def logarithm(call: Call, patching: Patching) -> None:
    """LOG(base, x)."""
    if (number(call.arguments[0]) or 0) <= 1:
        raise patching.refused(call.node, WRITTEN_ONLY)


def days(call: Call, patching: Patching) -> None:
    """DATE_ADD and DATE_SUB."""
    if number(call.arguments[1]) is None and patching.kind(call.arguments[1]) == "int":
        patching.report(call.node, FAR_DATES)


def date_pattern(call: Call, patching: Patching) -> None:
    """A pattern of a date as the last argument."""
    written = text(call.arguments[-1])
    if written is None or not _DATE_PATTERN.fullmatch(written):
        raise patching.refused(call.node, DATE_PATTERN)


def zone(call: Call, patching: Patching) -> None:
    """A zone as the last argument."""
    if not _ZONE.fullmatch(text(call.arguments[-1]) or ""):
        raise patching.refused(call.node, ZONE)
    if text(call.arguments[-1]) != "UTC":
        patching.report(call.node, LOCAL_TIMES)


def of_change(call: Call, patching: Patching) -> None:
    """MONTHS_BETWEEN of a timestamp."""
    patching.report(call.node, DAY_OF_CHANGE)


def truncated(call: Call, patching: Patching) -> None:
    """The unit of TRUNC."""
    if text(call.arguments[1]) not in _UNITS:
        raise patching.refused(call.node, TRUNC_UNIT)


def contained(call: Call, patching: Patching) -> None:
    """ARRAY_CONTAINS."""
    if patching.source == "hive":
        wrap(call.node, patching, "coalesce(", ", false)")
    else:
        patching.report(call.node, NULL_IN_ARRAY)


def size(call: Call, patching: Patching) -> None:
    """SIZE."""
    if patching.source == "hive":
        wrap(call.node, patching, "coalesce(", ", -1)")
    else:
        patching.report(call.node, SIZE_OF_NULL)


def collected(call: Call, patching: Patching) -> None:
    """COLLECT_LIST and COLLECT_SET."""
    patching.report(call.node, ELEMENT_ORDER)


def root(call: Call, patching: Patching) -> None:
    """SQRT: the edit keeps NaN, for which Spark says that it is greater than any number."""
    one = call.arguments[0]
    value = number(one)
    if value is not None and value >= 0:
        return
    try:
        start, end = patching.places.of_column(one.unnest())
    except NoPlaceError:
        patching.report(call.node, NEGATIVE_ROOT)
        return
    if patching.source == "spark":
        patching.report(call.node, NEGATIVE_ROOT)
        return
    written = str(patching.query.text)[start:end]
    wrap(call.node, patching, f"CASE WHEN {written} >= 0 THEN ", " END")


def remainder(call: Call, patching: Patching) -> None:
    """PMOD, of which the sign of the divisor decides."""
    divisor = number(call.arguments[1])
    if divisor is None or divisor <= 0:
        raise patching.refused(call.node, NEGATIVE_DIVISOR)


def divided(call: Call, patching: Patching) -> None:
    """MOD: by zero, Spark fails by the ANSI rules."""
    if not number(call.arguments[1]) and patching.target == "spark":
        patching.report(call.node, reasons.ANSI)
