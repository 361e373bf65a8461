"""Normalised partition values, judged by the code that Hive 2.3.10 runs for ALTER VIEW ... ADD PARTITION."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from hive_views.errors import InvalidPartitionError
from hive_views.hive.partition_values import normalise_value
from hive_views.sql.quoting import quote_literal
from tests.interop.partition_constants import CONSTANTS, TEXTS

REFUSED = None
SLOW_PEER = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


def ours(value: object, type_: str) -> str | None:
    try:
        return normalise_value(value, type_, key="k")
    except InvalidPartitionError:
        return REFUSED


WRAPS = "Hive takes the low bits of a number that is out of range; Hive 4 refuses it"
ROLLS = "Hive 2.3 takes a day or time that does not exist for a later one; Hive 4 refuses it"
ANY_TEXT = "Hive 2.3 takes every text for true; Hive 4 knows 'false'"
CUT = "a number given for a whole one loses its fraction, while the same as text is refused"
SATURATES = "what is too large becomes the largest number or Infinity"
CALENDAR = "java.sql.Date has the Julian calendar before 1582; Hive 4, Spark and Python have not"
FOREIGN_DIGITS = "Java's parsers take digits of other scripts; a value typed in them is more likely a mistake"
SIGNS = "Java's parsers take a sign, and many digits, in any part of a date or time"
MILLIS = "Hive 2.3 cuts a text to milliseconds, but keeps the microseconds of a TIMESTAMP constant"
SESSION = "what time a number says, and what number a time, depends on version and session"
ROUNDED_TWICE = "Hive rounds to 38 digits first, and then to the scale"
BLANK_EXPONENT = "Hive forgives an exponent without digits when a blank follows"
NO_DIGIT = "Hive wants a digit before the point when anything follows the fraction"
BIG_EXPONENT = "Hive refuses a large exponent even where the number is 0 or rounds to it"
HEXADECIMAL = "a hexadecimal float is not worth a parser"
ONE_BLANK = "a value that ends in a blank is one with the value without it on MySQL and MariaDB"
EMPTY = "the metastore cannot tell an empty value from NULL; Hive refuses it one step later"

DIFFERENCES: list[tuple[str, str, object, str | None, str | None, str]] = [
    ("tinyint", "'128'", "128", "-128", REFUSED, WRAPS),
    ("tinyint", "300", 300, "44", REFUSED, WRAPS),
    ("smallint", "'32768'", "32768", "-32768", REFUSED, WRAPS),
    ("int", "2147483648", 2**31, "-2147483648", REFUSED, WRAPS),
    ("int", "5.5", Decimal("5.5"), "5", REFUSED, CUT),
    ("bigint", "1.9", 1.9, "1", REFUSED, CUT),
    ("int", "1e30", 1e30, "2147483647", REFUSED, SATURATES),
    ("double", "'1e400'", "1e400", "Infinity", REFUSED, SATURATES),
    ("float", "'3.4e39'", "3.4e39", "Infinity", REFUSED, SATURATES),
    ("date", "'2026-02-30'", "2026-02-30", "2026-03-02", REFUSED, ROLLS),
    ("date", "'2026-12-31 23:59:60'", "2026-12-31 23:59:60", "2027-01-01", REFUSED, ROLLS),
    ("date", "'0000-01-01'", "0000-01-01", "0001-01-01", REFUSED, ROLLS),
    ("timestamp", "'2026-08-01 24:00:00'", "2026-08-01 24:00:00", "2026-08-02 00:00:00.0", REFUSED, ROLLS),
    ("timestamp", "'2026-08-01 10:60:00'", "2026-08-01 10:60:00", "2026-08-01 11:00:00.0", REFUSED, ROLLS),
    ("date", "'1582-10-10'", "1582-10-10", "1582-10-20", "1582-10-10", CALENDAR),
    ("date", "'1500-02-29'", "1500-02-29", "1500-02-29", REFUSED, CALENDAR),
    ("date", "'2026-+8-01'", "2026-+8-01", "2026-08-01", REFUSED, SIGNS),
    ("timestamp", "'2026-08-01 001:2:3'", "2026-08-01 001:2:3", "2026-08-01 01:02:03.0", REFUSED, SIGNS),
    ("timestamp", "'2026-08-01 10:00:-1'", "2026-08-01 10:00:-1", "2026-08-01 09:59:59.0", REFUSED, SIGNS),
    (
        "timestamp",
        "'2026-08-01 10:00:00.123456'",
        "2026-08-01 10:00:00.123456",
        "2026-08-01 10:00:00.123",
        "2026-08-01 10:00:00.123456",
        MILLIS,
    ),
    (
        "timestamp",
        "'2026-08-01 10:00:00.1234567'",
        "2026-08-01 10:00:00.1234567",
        "2026-08-01 10:00:00.123",
        REFUSED,
        MILLIS,
    ),
    ("timestamp", "1", 1, "1970-01-01 00:00:00.001", REFUSED, SESSION),
    (
        "int",
        "timestamp '2020-01-01 00:00:00'",
        datetime.fromisoformat("2020-01-01 00:00:00"),
        "1577836800",
        REFUSED,
        SESSION,
    ),
    (
        "double",
        "timestamp '2020-01-01 00:00:00'",
        datetime.fromisoformat("2020-01-01 00:00:00"),
        "1.5778368E9",
        REFUSED,
        SESSION,
    ),
    ("int", "'٣'", "٣", "3", REFUSED, FOREIGN_DIGITS),
    ("date", "'٢٠٢٦-08-01'", "٢٠٢٦-08-01", "2026-08-01", REFUSED, FOREIGN_DIGITS),
    ("boolean", "'false'", "false", "true", "false", ANY_TEXT),
    ("boolean", "'no'", "no", "true", REFUSED, ANY_TEXT),
    ("boolean", "'0'", "0", "true", REFUSED, ANY_TEXT),
    ("double", "'0x1p3'", "0x1p3", "8.0", REFUSED, HEXADECIMAL),
    ("decimal(10,2)", "'0.0049" + "9" * 50 + "'", "0.0049" + "9" * 50, "0.01", "0", ROUNDED_TWICE),
    ("decimal(10,2)", "'1E '", "1E ", "1", REFUSED, BLANK_EXPONENT),
    ("decimal(10,2)", "'0e100'", "0e100", REFUSED, "0", BIG_EXPONENT),
    ("decimal(10,2)", "'1e-999999'", "1e-999999", REFUSED, "0", BIG_EXPONENT),
    ("decimal(10,2)", "'.5 '", ".5 ", REFUSED, "0.5", NO_DIGIT),
    ("decimal(10,2)", "'.5e1'", ".5e1", REFUSED, "5", NO_DIGIT),
    ("string", "'a '", "a ", "a ", REFUSED, ONE_BLANK),
    ("varchar(3)", "'ab cd'", "ab cd", "ab ", REFUSED, ONE_BLANK),
    ("string", "''", "", "", REFUSED, EMPTY),
    ("char(3)", "'  '", "  ", "   ", REFUSED, EMPTY),
    ("boolean", "''", "", "false", REFUSED, ANY_TEXT),
]


@pytest.mark.parametrize(("type_", "text"), [(type_, text) for type_, texts in TEXTS.items() for text in texts])
def test_a_text_is_stored_as_hive_stores_it(hive_compiler: Any, type_: str, text: str) -> None:
    assert ours(text, type_) == hive_compiler.stores(quote_literal(text), type_)


@pytest.mark.parametrize(("type_", "literal", "value"), CONSTANTS)
def test_a_python_value_is_stored_as_hive_stores_the_constant(
    hive_compiler: Any, type_: str, literal: str, value: object
) -> None:
    assert ours(value, type_) == hive_compiler.stores(literal, type_)


@pytest.mark.parametrize(("type_", "literal", "value", "in_hive", "in_ours", "reason"), DIFFERENCES)
def test_a_difference_from_hive_is_one_we_know(
    hive_compiler: Any, type_: str, literal: str, value: object, in_hive: str | None, in_ours: str | None, reason: str
) -> None:
    assert hive_compiler.stores(literal, type_) == in_hive, f"Hive changed: {reason}"
    assert ours(value, type_) == in_ours, reason


@pytest.mark.parametrize(("type_", "text"), [(type_, text) for type_, texts in TEXTS.items() for text in texts])
def test_hive_stores_a_normalised_value_unchanged(hive_compiler: Any, type_: str, text: str) -> None:
    value = ours(text, type_)
    if value is not None:
        assert ours(value, type_) == value
        assert hive_compiler.stores(quote_literal(value), type_) == value


@SLOW_PEER
@given(text=st.text("0123456789+-. eEL_", max_size=22), type_=st.sampled_from(["int", "bigint"]))
def test_any_text_for_a_whole_number_is_hives(hive_compiler: Any, text: str, type_: str) -> None:
    assert ours(text, type_) == hive_compiler.converts(text, type_)


@SLOW_PEER
@given(number=st.integers(-(2**64), 2**64), zeros=st.integers(0, 3), plus=st.booleans())
def test_any_whole_number_is_hives(hive_compiler: Any, number: int, zeros: int, plus: bool) -> None:
    text = f"{'-' if number < 0 else '+' if plus else ''}{'0' * zeros}{abs(number)}"
    assert ours(text, "bigint") == hive_compiler.converts(text, "bigint")


@SLOW_PEER
@given(
    text=st.text("0123456789+-.eE", max_size=14)
    | st.from_regex(r"[+-]?[0-9]{0,12}\.?[0-9]{0,12}(e[+-]?[0-9])?", fullmatch=True),
    type_=st.sampled_from(["decimal(10,2)", "decimal(38,18)", "decimal(5,5)", "decimal(3,0)"]),
)
def test_any_text_for_a_decimal_is_hives(hive_compiler: Any, text: str, type_: str) -> None:
    # See BIG_EXPONENT and NO_DIGIT.
    assume(not re.search(r"e[+-]?[0-9]{2}", text.lower()) and not re.match(r"[+-]?\.[0-9]+e", text.lower()))
    assert ours(text, type_) == hive_compiler.converts(text, type_)


@SLOW_PEER
@given(
    day=st.dates(min_value=date(1583, 1, 1)),
    time=st.none() | st.times(),
    padded=st.booleans(),
    margins=st.tuples(st.text(" \t\n", max_size=2), st.text(" \t\n", max_size=2)),
)
def test_any_day_in_any_spelling_is_hives(
    hive_compiler: Any, day: date, time: Any, padded: bool, margins: tuple[str, str]
) -> None:
    text = day.isoformat() if padded else f"{day.year}-{day.month}-{day.day}"
    if time is not None:
        text += f" {time.isoformat('seconds') if padded else f'{time.hour}:{time.minute}:{time.second}'}"
    text = text.join(margins)
    assert ours(text, "date") == hive_compiler.converts(text, "date") == day.isoformat()


@SLOW_PEER
@given(text=st.text("0123456789-: .", max_size=24) | st.from_regex(r"20[0-9]{2}-[0-9]{1,2}-[0-9]{1,2}", fullmatch=True))
def test_a_text_taken_for_a_day_or_time_is_the_same_in_hive(hive_compiler: Any, text: str) -> None:
    for type_ in ("date", "timestamp"):
        value = ours(text, type_)
        assert value is REFUSED or value == hive_compiler.converts(text, type_)


@SLOW_PEER
@given(number=st.floats(allow_nan=False))
@example(number=2e23)
def test_any_double_is_spelled_as_java_spells_it(hive_jvm: Any, number: float) -> None:
    value = normalise_value(number, "double", key="k")
    in_java = hive_jvm.java.util.Objects.toString(number)
    assert hive_jvm.java.lang.Double.parseDouble(value) == number
    # Before JDK 19, Double.toString writes more digits than needed for some numbers (JDK-4511638).
    assert value == in_java or len(value) < len(in_java)
