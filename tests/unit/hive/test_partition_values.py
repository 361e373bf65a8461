"""Values of partitions (hive/partition_values.py, hive/conversion.py); what Hive does is asked in tests/interop."""

from __future__ import annotations

import itertools
import math
import pickle
from datetime import date, datetime, time, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_views.errors import InvalidPartitionError, InvalidSchemaError
from hive_views.hive.partition_values import (
    check_key_type,
    normalise_partial_spec,
    normalise_spec,
    normalise_value,
    typed_value,
)
from hive_views.hive.row import Column

KEYS = (Column("ds", "string"), Column("hr", "int"), Column("day", "date"))
KEY_TYPES = [
    *("tinyint", "smallint", "int", "bigint", "boolean", "float", "double", "decimal(10,2)", "string", "char(3)"),
    *("varchar(7)", "date", "timestamp"),
]


class NotATime(datetime):
    """A missing time as pandas has it: a datetime that is not equal to itself."""

    def __ne__(self, other: object) -> bool:
        return True


def normalised(value: object, type_: str = "string") -> str:
    return normalise_value(value, type_, key="k")


@pytest.mark.parametrize(
    ("type_", "value", "stored"),
    [
        *(("int", "011", "11"), ("int", "+5", "5"), ("int", "-0", "0"), ("int", 7, "7"), ("int", True, "1")),
        *(("int", Decimal("5.0"), "5"), ("int", 1e2, "100"), ("bigint", 2**63 - 1, "9223372036854775807")),
        *(("tinyint", "-128", "-128"), ("smallint", 32767, "32767"), ("INTEGER", "1", "1")),
        *(("decimal(10,2)", "1.50", "1.5"), ("decimal(10,2)", "1.005", "1.01"), ("decimal(10,2)", -1, "-1")),
        *(("decimal(10,2)", "0.00", "0"), ("decimal(10,2)", "-0.001", "0"), ("decimal(10,2)", 1e7, "10000000")),
        *(("decimal(38,0)", "9" * 38, "9" * 38), ("decimal", "2.5", "3")),
        ("decimal(10,2)", Decimal("12345678.99"), "12345678.99"),
        *(("date", "2026-8-1", "2026-08-01"), ("date", date(2026, 8, 1), "2026-08-01")),
        ("date", " 2026-08-01\n", "2026-08-01"),
        ("date", "2026-08-01 10:00:00", "2026-08-01"),
        ("date", datetime.fromisoformat("2026-08-01 10:00"), "2026-08-01"),
        ("timestamp", "2026-8-1 1:2:3", "2026-08-01 01:02:03.0"),
        ("timestamp", date(2026, 8, 1), "2026-08-01 00:00:00.0"),
        ("timestamp", "2026-08-01 10:00:00.120000000", "2026-08-01 10:00:00.12"),
        ("timestamp", datetime.fromisoformat("2026-08-01 10:00:00.000001"), "2026-08-01 10:00:00.000001"),
        *(("boolean", "TRUE", "true"), ("boolean", "False", "false")),
        *(("boolean", False, "false"), ("boolean", 2, "true")),
        *(("double", "1e10", "1.0E10"), ("double", 12345678, "1.2345678E7"), ("double", "0.0001", "1.0E-4")),
        *(("double", -0.0, "-0.0"), ("double", "Infinity", "Infinity"), ("double", -math.inf, "-Infinity")),
        *(("double", " .5D ", "0.5"), ("double", "NaN", "NaN"), ("double", 2**-24, "5.960464477539063E-8")),
        *(("double", 5e-324, "4.9E-324"), ("double", 100, "100.0")),
        *(("double", 9999999.0, "9999999.0"), ("double", 0.001, "0.001")),
        *(("float", 0.1, "0.1"), ("float", "16777217", "1.6777216E7"), ("float", Decimal("1e-45"), "1.4E-45")),
        *(("string", " a", " a"), ("string", 10, "10"), ("string", True, "true"), ("string", Decimal("1.50"), "1.5")),
        *(("string", Decimal("1E+2"), "100"), ("string", 1e10, "1.0E10"), ("string", date(2020, 1, 1), "2020-01-01")),
        ("string", datetime.fromisoformat("2020-01-01 00:00"), "2020-01-01 00:00:00"),
        ("string", datetime.fromisoformat("2020-01-01 00:00:00.500000"), "2020-01-01 00:00:00.5"),
        *(("varchar(3)", "abcdef", "abc"), ("varchar(2)", "😀😀😀", "😀😀"), ("varchar(9)", True, "TRUE")),
        *(("char(3)", "ab", "ab "), ("char(3)", "abcdef", "abc"), ("char(3)", 7, "7  ")),
    ],
)  # fmt: skip
def test_a_value_is_stored_in_hives_spelling_for_its_type(type_: str, value: object, stored: str) -> None:
    assert normalised(value, type_) == stored
    assert normalised(stored, type_) == stored


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        *(("int", " 5"), ("int", "5.0"), ("int", "1e3"), ("int", "abc")),
        *(("int", "1_0"), ("int", "٣"), ("int", date(2020, 1, 1))),
        *(("tinyint", 128), ("tinyint", "-129"), ("smallint", "32768"), ("int", 2**31), ("bigint", -(2**63) - 1)),
        *(("int", 5.5), ("int", Decimal("5.5")), ("int", Decimal("1e999999")), ("int", math.inf), ("int", "9" * 5000)),
        *(("decimal(5,2)", "999.995"), ("decimal(5,2)", "1,0")),
        *(("decimal(5,2)", "NaN"), ("decimal(5,2)", Decimal("sNaN"))),
        *(("decimal(5,2)", math.inf), ("decimal(5,2)", "1e999999")),
        *(("decimal(5,2)", date(2020, 1, 1)), ("decimal(38,38)", 1)),
        *(("date", "2026-02-30"), ("date", "20260801"), ("date", "2026-08-01T00:00:00")),
        *(("date", 1), ("date", "0000-01-01")),
        *(("timestamp", "2026-08-01 24:00:00"), ("timestamp", "2026-08-01 10:00:00.1234567"), ("timestamp", 1)),
        ("timestamp", datetime(2026, 8, 1, tzinfo=timezone.utc)),
        ("date", datetime(2026, 8, 1, tzinfo=timezone.utc)),
        *(("boolean", "yes"), ("boolean", "1"), ("boolean", date(2020, 1, 1)), ("boolean", Decimal("NaN"))),
        *(("double", "1e400"), ("double", "nan"), ("double", "0x1"), ("double", 10**400), ("double", Decimal("sNaN"))),
        *(("double", Decimal("1e400")), ("float", "3.5e38"), ("float", date(2020, 1, 1))),
        *(("string", 10**38), ("decimal(5,2)", 10**30), ("string", Decimal("1e-500")), ("string", Decimal("Infinity"))),
        ("string", datetime(2026, 8, 1, tzinfo=timezone.utc)),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused_with_hives_error_number(type_: str, value: object) -> None:
    with pytest.raises(InvalidPartitionError, match=r"of partition column k .*its type takes .*\(Hive error 10248\)"):
        normalised(value, type_)


def test_a_refusal_names_column_value_type_and_what_fits() -> None:
    with pytest.raises(InvalidPartitionError) as error:
        normalise_value("abc", "int", key="hr")
    assert str(error.value) == (
        "Cannot use 'abc' as a value of partition column hr (int): its type takes a whole number from -2147483648 to "
        "2147483647, without spaces. (Hive error 10248)"
    )
    assert error.value.key == "hr"


@pytest.mark.parametrize("type_", KEY_TYPES)
def test_what_fits_is_said_for_every_type(type_: str) -> None:
    with pytest.raises(InvalidPartitionError, match=r"its type takes (a|true) .*Hive error 10248"):
        normalised(datetime(2026, 8, 1, tzinfo=timezone.utc), type_)


def test_a_number_of_thousands_of_digits_is_refused_as_any_other() -> None:
    for type_ in ("string", "int", "decimal(10,2)"):
        with pytest.raises(InvalidPartitionError, match=r"Cannot use a huge int as .*Hive error 10248"):
            normalised(10**5000, type_)


@pytest.mark.parametrize("value", [None, math.nan, NotATime(2026, 8, 1)])
@pytest.mark.parametrize("type_", ["string", "int", "double", "timestamp"])
def test_null_is_refused(value: object, type_: str) -> None:
    with pytest.raises(InvalidPartitionError, match="it is NULL"):
        normalised(value, type_)


@pytest.mark.parametrize("value", [b"a", ["a"], {"a": 1}, time(10, 0), 1j, object])
def test_a_value_of_another_kind_is_refused(value: object) -> None:
    with pytest.raises(InvalidPartitionError, match=r"values are not of type .*: give str, int") as error:
        normalised(value)
    assert pickle.loads(pickle.dumps(error.value)).key == "k"


@pytest.mark.parametrize("type_", ["binary", "array<int>", "struct<a:int>", "map<int,int>", "void"])
def test_a_column_of_a_type_without_text_has_no_value(type_: str) -> None:
    with pytest.raises(InvalidPartitionError, match="no partition has a value of this type"):
        normalised("a", type_)


@pytest.mark.parametrize(("value", "type_"), [("", "string"), ("", "varchar(3)"), ("", "char(3)"), ("   ", "char(3)")])
def test_an_empty_value_is_refused(value: str, type_: str) -> None:
    with pytest.raises(InvalidPartitionError, match="it is empty"):
        normalised(value, type_)


@pytest.mark.parametrize(
    "word",
    [
        "__HIVE_DEFAULT_PARTITION__",
        "__HIVE_DEFAULT_ZOOKEEPER_PARTITION__",
        "_INTERMEDIATE_ORIGINAL",
        "_INTERMEDIATE_ARCHIVED",
        "_INTERMEDIATE_EXTRACTED",
    ],
)
def test_a_value_with_a_word_that_hive_reserves_is_refused(word: str) -> None:
    with pytest.raises(InvalidPartitionError, match=rf"contains {word}.*\(Hive error 10111\)"):
        normalised(f"x{word}x")


@pytest.mark.parametrize(("value", "type_"), [("a ", "string"), ("ab cd", "varchar(3)"), (" ", "string")])
def test_a_value_that_ends_in_a_blank_is_refused(value: str, type_: str) -> None:
    with pytest.raises(InvalidPartitionError, match="it ends with a space"):
        normalised(value, type_)


@pytest.mark.parametrize("value", ["a\t", "a\n", "\x01", "\x7f", "a\xa0", "/ = % :", "日本", "😀", "A", "."])
def test_other_characters_are_kept(value: str) -> None:
    assert normalised(value) == value


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "\udc00x"])
def test_a_character_that_no_database_holds_is_refused(value: str) -> None:
    with pytest.raises(InvalidPartitionError, match="no UTF-8 text column holds"):
        normalised(value)


def test_a_value_has_at_most_255_characters() -> None:
    assert normalised("x" * 255) == "x" * 255
    with pytest.raises(InvalidPartitionError, match="it has 256 characters") as error:
        normalised("x" * 256)
    assert len(str(error.value)) < 300


def test_an_emoji_counts_as_two_characters() -> None:
    assert normalised("😀" * 127) == "😀" * 127
    with pytest.raises(InvalidPartitionError, match="it has 256 characters"):
        normalised("😀" * 128)


def test_a_spec_gives_its_values_in_the_order_of_the_columns() -> None:
    spec = {"day": date(2026, 8, 21), "HR": "07", "ds": 20260821}
    assert normalise_spec(spec, KEYS) == ("20260821", "7", "2026-08-21")


def test_a_partial_spec_gives_what_it_has_by_name_in_lower_case() -> None:
    keys = (Column("DS", "string"), *KEYS[1:])
    assert normalise_partial_spec({"Day": "2026-8-1", "Ds": "a"}, keys) == {"ds": "a", "day": "2026-08-01"}
    assert list(normalise_partial_spec({"day": "2026-8-1", "ds": "a"}, keys)) == ["ds", "day"]
    assert normalise_partial_spec({}, keys) == {}


def test_missing_columns_are_named() -> None:
    with pytest.raises(InvalidPartitionError, match=r"no value for hr, day: give .* \(ds string, hr int, day date\)"):
        normalise_spec({"ds": "a"}, KEYS)


@pytest.mark.parametrize("normalise", [normalise_spec, normalise_partial_spec])
def test_unknown_columns_are_named(normalise: Any) -> None:
    with pytest.raises(
        InvalidPartitionError, match=r"'date' in .* is not a partition column; those of the view are \(ds"
    ):
        normalise({"ds": "a", "hr": 1, "date": "2026-08-01"}, KEYS)


def test_a_column_given_twice_in_different_case_is_refused() -> None:
    with pytest.raises(InvalidPartitionError, match="given twice"):
        normalise_spec({"ds": "a", "DS": "b", "hr": 1, "day": "2026-08-01"}, KEYS)


@pytest.mark.parametrize("spec", ["ds=a", ["a", 1], None, {1: "a"}, [("ds", "a")]])
def test_a_spec_that_is_no_mapping_of_names_is_refused(spec: Any) -> None:
    with pytest.raises(InvalidPartitionError, match="give values by column"):
        normalise_spec(spec, KEYS)


def test_a_spec_whose_name_is_too_long_is_refused() -> None:
    keys = [Column(name, "string") for name in "abcd"]
    with pytest.raises(InvalidPartitionError, match="the metastore holds 767"):
        normalise_spec(dict.fromkeys("abcd", "x" * 200), keys)


@pytest.mark.parametrize("type_", KEY_TYPES)
def test_primitive_types_can_be_types_of_partition_columns(type_: str) -> None:
    check_key_type(type_, "k")


@pytest.mark.parametrize(
    "type_",
    [
        *("binary", "array<int>", "map<int,int>", "struct<a:int>", "uniontype<int,string>", "void"),
        *("interval_day_time", "timestamp with local time zone"),
    ],
)
def test_types_without_a_text_of_their_own_cannot_be_a_partition_columns(type_: str) -> None:
    with pytest.raises(InvalidSchemaError, match=r"Column payload of type .* cannot be a partition column") as error:
        check_key_type(type_, "payload")
    assert (error.value.columns, error.value.type) == (["payload"], type_)


@pytest.mark.parametrize(
    ("type_", "stored", "value"),
    [
        *(("int", "10", 10), ("bigint", "-5", -5)),
        *(("decimal(10,2)", "1.5", Decimal("1.5")), ("double", "1.0E10", 1e10)),
        *(("boolean", "false", False), ("date", "2026-08-01", date(2026, 8, 1))),
        *(("string", "a ", "a "), ("char(3)", "ab ", "ab")),
        ("timestamp", "2026-08-01 10:00:00.5", datetime.fromisoformat("2026-08-01 10:00:00.500000")),
        *(("int", "007", 7), ("date", "2026-8-1", date(2026, 8, 1))),
        *(("int", "abc", None), ("date", "today", None), ("int", "__HIVE_DEFAULT_PARTITION__", None)),
        *(("string", "__HIVE_DEFAULT_PARTITION__", None), ("binary", "a", None)),
    ],
)  # fmt: skip
def test_a_stored_value_is_read_as_its_type_and_as_null_where_hive_reads_null(
    type_: str, stored: str, value: object
) -> None:
    found = typed_value(stored, type_)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("type_", "ascending"),
    [
        ("int", ["-10", "-9", "0", "9", "10"]),
        ("decimal(10,2)", ["-1.5", "-1", "0", "9.99", "10"]),
        ("double", ["-Infinity", "-1.0E10", "9.0", "10.0", "1.0E10"]),
        ("date", ["0001-01-01", "1999-12-31", "2026-08-01"]),
        ("timestamp", ["2026-08-01 09:59:59.999", "2026-08-01 10:00:00.0", "2026-08-01 10:00:00.1"]),
        ("string", ["10", "9", "A", "a", "é", "日"]),
        ("boolean", ["false", "true"]),
    ],
)
def test_typed_values_are_ordered_as_the_type_is(type_: str, ascending: list[str]) -> None:
    typed: list[Any] = [typed_value(text, type_) for text in ascending]
    assert all(earlier < later for earlier, later in itertools.pairwise(typed))


@given(
    st.sampled_from(KEY_TYPES),
    st.text(max_size=20) | st.integers() | st.floats() | st.decimals() | st.dates() | st.datetimes(),
)
def test_any_value_is_refused_or_stored_in_a_spelling_that_stays(type_: str, value: object) -> None:
    try:
        stored = normalised(value, type_)
    except InvalidPartitionError:
        return
    assert normalised(stored, type_) == stored
    typed = typed_value(stored, type_)
    assert typed is not None
    if typed == typed:  # noqa: PLR0124 - a double may be NaN
        assert normalised(typed, type_) == stored
