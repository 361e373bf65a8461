"""Hive's types as text and in Iceberg (hive/types.py); how Hive itself reads them is asked in tests/interop."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_views.errors import InvalidSchemaError
from hive_views.hive.types import hive_type, iceberg_type, parse_hive_type, survives_round_trip
from hive_views.spec.schema import IcebergType, ListType, MapType, NestedField, StructType

PAIRS = [
    ("boolean", "boolean"),
    ("int", "int"),
    ("bigint", "long"),
    ("float", "float"),
    ("double", "double"),
    ("decimal(10,2)", "decimal(10, 2)"),
    ("string", "string"),
    ("date", "date"),
    ("timestamp", "timestamp"),
    ("binary", "binary"),
]


def numbered() -> Callable[[tuple[str, ...]], int]:
    numbers = itertools.count(1)
    return lambda path: next(numbers)


def to_iceberg(text: str) -> IcebergType:
    return iceberg_type(text, numbered(), column="c")


@pytest.mark.parametrize(("hive", "iceberg"), PAIRS)
def test_a_type_with_a_counterpart_goes_both_ways(hive: str, iceberg: str) -> None:
    assert to_iceberg(hive) == iceberg
    assert hive_type(iceberg, column="c") == hive
    assert survives_round_trip(hive)


@pytest.mark.parametrize(
    ("hive", "iceberg"),
    [
        *(("tinyint", "int"), ("smallint", "int"), ("char(3)", "string"), ("varchar(7)", "string")),
        *(
            ("INTEGER", "int"),
            ("double precision", "double"),
            ("Numeric(5,1)", "decimal(5, 1)"),
            ("numeric", "decimal(10, 0)"),
        ),
        *(("decimal", "decimal(10, 0)"), ("decimal(5)", "decimal(5, 0)"), ("timestamptz", "timestamptz")),
        ("TIMESTAMP WITH LOCAL  TIME ZONE", "timestamptz"),
    ],
)
def test_a_hive_type_becomes_the_iceberg_type_that_holds_its_values(hive: str, iceberg: str) -> None:
    assert to_iceberg(hive) == iceberg


@pytest.mark.parametrize(
    ("iceberg", "hive"),
    [
        *(("time", "string"), ("uuid", "string"), ("fixed[16]", "binary"), ("timestamptz", "timestamp")),
        *(("decimal(38,38)", "decimal(38,38)"), ("decimal( 9 , 0 )", "decimal(9,0)")),
    ],
)
def test_an_iceberg_type_is_written_as_icebergs_java_writes_it(iceberg: str, hive: str) -> None:
    assert hive_type(iceberg, column="c") == hive


@pytest.mark.parametrize(
    "iceberg",
    [
        "timestamp_ns",
        "timestamptz_ns",
        "variant",
        "unknown",
        "geometry",
        "geometry(srid:0)",
        "geography",
        "decimal(39, 2)",
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_an_iceberg_type_that_hive_lacks_is_refused_with_the_column(iceberg: str, inside: bool) -> None:
    type_: IcebergType = ListType(element_id=1, element=iceberg) if inside else iceberg
    with pytest.raises(InvalidSchemaError, match="clicked_at") as error:
        hive_type(type_, column="clicked_at")
    assert iceberg in str(error.value)
    assert error.value.columns == ["clicked_at"]


@pytest.mark.parametrize(
    "hive",
    [
        "uniontype<int,string>",
        "void",
        "interval_year_month",
        "interval_day_time",
        "interval year to month",
        "array<void>",
    ],
)
def test_a_hive_type_that_iceberg_lacks_is_refused_with_the_column(hive: str) -> None:
    with pytest.raises(InvalidSchemaError, match=r"Column payload .*no counterpart"):
        iceberg_type(hive, numbered(), column="payload")


def test_nested_types_go_both_ways_with_an_id_for_every_part() -> None:
    text = "struct<id:bigint,tags:array<string>,seen:map<string,struct<at:timestamp>>>"
    type_ = to_iceberg(text)
    assert type_ == StructType(
        fields=(
            NestedField(id=1, name="id", type="long"),
            NestedField(id=2, name="tags", type=ListType(element_id=4, element="string")),
            NestedField(
                id=3,
                name="seen",
                type=MapType(
                    key_id=5,
                    key="string",
                    value_id=6,
                    value=StructType(fields=(NestedField(id=7, name="at", type="timestamp"),)),
                ),
            ),
        )
    )
    assert hive_type(type_, column="c") == text


def test_ids_are_asked_for_by_path() -> None:
    asked: list[tuple[str, ...]] = []

    def ids(path: tuple[str, ...]) -> int:
        asked.append(path)
        return len(asked)

    iceberg_type("struct<a:array<int>,b:map<string,struct<c:int>>>", ids, column="c")
    assert asked == [("a",), ("b",), ("a", "element"), ("b", "key"), ("b", "value"), ("b", "value", "c")]


@pytest.mark.parametrize(
    "hive", ["tinyint", "smallint", "char(3)", "varchar(7)", "array<tinyint>", "struct<a:map<string,varchar(2)>>"]
)
def test_a_type_narrower_than_its_counterpart_does_not_survive(hive: str) -> None:
    assert not survives_round_trip(hive)


def test_a_time_with_zone_survives_although_the_row_spells_it_timestamp() -> None:
    assert survives_round_trip("timestamp with local time zone")


@pytest.mark.parametrize(
    ("typed", "spelled"),
    [
        *(
            ("STRING", "string"),
            ("  int ", "int"),
            ("DECIMAL( 10 , 2 )", "decimal(10,2)"),
            ("varchar(007)", "varchar(7)"),
        ),
        *(("Array < Int >", "array<int>"), ("MAP<string,\n int>", "map<string,int>")),
        *(("struct<A:Int, b : string>", "struct<A:int,b:string>"), ("struct<`a b`:int>", "struct<a b:int>")),
        *(
            ("struct<a b:int>", "struct<a b:int>"),
            ("struct<a-b:int>", "struct<a-b:int>"),
            ("struct<`x``y`:int>", "struct<x`y:int>"),
        ),
        ("struct<date:date,t:timestamp with local time zone>", "struct<date:date,t:timestamp with local time zone>"),
    ],
)
def test_a_type_is_read_in_any_case_and_with_blanks(typed: str, spelled: str) -> None:
    assert str(parse_hive_type(typed)) == spelled


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a type is expected, at character 1"),
        ("long", "no such type, at character 1"),
        ("text", "no such type"),
        ("array<long>", "no such type, at character 7"),
        ("array<int", "'>' is expected, at character 10"),
        ("array<int>>", "text after the type, at character 11"),
        ("array<int,int>", "array is made of 1 type, not of 2"),
        ("map<string>", "map is made of 2 types, not of 1"),
        ("map", "'<' is expected"),
        ("struct<a int>", "the name of a struct field and ':' are expected, at character 8"),
        ("struct<:int>", "the name of a struct field"),
        ("struct<a:int b:int>", "no such type, at character 10"),
        ("struct<a:int;b:int>", "',' is expected, at character 13"),
        ("struct<`a` int>", "':' is expected"),
        ("varchar", "varchar needs a length between 1 and 65535"),
        ("varchar(0)", "varchar needs a length"),
        ("char(256)", "char needs a length between 1 and 255"),
        ("char(x)", "a number is expected"),
        ("varchar(٣)", "a number is expected"),
        ("varchar(3,4)", r"'\)' is expected"),
        ("decimal(39)", "the precision of Hive's decimal is between 1 and 38"),
        ("decimal(0,0)", "the precision of Hive's decimal is between 1 and 38"),
        ("decimal(5,6)", "the scale of a decimal is at most its precision"),
        ("int comment", "no such type"),
        ("array<" * 200 + "int" + ">" * 200, "nested more than 100 deep"),
    ],
)
def test_what_is_no_type_is_refused_with_the_place(text: str, problem: str) -> None:
    with pytest.raises(InvalidSchemaError, match=problem):
        parse_hive_type(text)


def test_a_column_is_named_when_its_type_cannot_be_read() -> None:
    with pytest.raises(InvalidSchemaError, match="Column clicks: Cannot read 'long'"):
        iceberg_type("long", numbered(), column="clicks")


@pytest.mark.parametrize("name", ["a-b", "a/b", "a:b", "a,b", "a<b", "a`b", "", "😀"])
def test_a_struct_field_that_hive_cannot_read_is_refused_with_the_column(name: str) -> None:
    type_ = StructType(fields=(NestedField(id=1, name=name, type="int"),))
    with pytest.raises(InvalidSchemaError, match="Column address has a struct field"):
        hive_type(type_, column="address")


@pytest.mark.parametrize("name", ["a b", "a.b", "$a", "1", "é", "日本", "_", "Int"])
def test_a_struct_field_keeps_its_name_and_case(name: str) -> None:
    type_ = StructType(fields=(NestedField(id=1, name=name, type="int"),))
    assert hive_type(type_, column="c") == f"struct<{name}:int>"


def test_struct_fields_that_differ_in_case_only_are_refused() -> None:
    with pytest.raises(InvalidSchemaError, match="Column c has two struct fields named 'A'"):
        iceberg_type("struct<a:int,A:int>", numbered(), column="c")


@given(st.text("abint<>:,() 19", max_size=30) | st.from_regex(r"struct<[a-c :]+(int|date)[ ,>]", fullmatch=True))
def test_any_text_is_refused_or_a_type_whose_spelling_is_the_same_type(text: str) -> None:
    try:
        type_ = parse_hive_type(text)
    except InvalidSchemaError:
        return
    assert parse_hive_type(str(type_)) == type_
