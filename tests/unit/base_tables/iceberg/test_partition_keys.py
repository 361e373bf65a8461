"""What partition fields of Iceberg become: columns, and values as Hive spells them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import parse_transform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from hive_views.base_tables.iceberg.keys import PartitionKeys
from hive_views.hive.row import Column


def field(transform: str, number: int = 1000, source: int = 1, name: str = "k") -> PartitionField:
    return PartitionField(source, number, parse_transform(transform), name)


def keys(specs: Sequence[PartitionSpec], *schemas: Schema) -> PartitionKeys:
    """Those of the last spec, in the last schema."""
    metadata = SimpleNamespace(
        spec=lambda: specs[-1], partition_specs=specs, schema=lambda: schemas[-1], schemas=schemas
    )
    return PartitionKeys(metadata)


def one(transform: str, type_: IcebergType) -> PartitionKeys:
    return keys([PartitionSpec(field(transform))], Schema(NestedField(1, "c", type_)))


def spelled(transform: str, type_: IcebergType, value: Any) -> str | None:
    [text] = one(transform, type_).reader(0, (1000,))((value,))
    return text


@pytest.mark.parametrize("transform", ["year", "month", "hour"])
@given(value=st.integers(-10_000, 1_000_000))
def test_counts_since_1970_are_spelled_as_iceberg_writes_them_for_people(transform: str, value: int) -> None:
    if transform != "hour":
        value %= 5_000
    expected = parse_transform(transform).to_human_string(TimestampType(), value)
    assert spelled(transform, TimestampType(), value) == expected


@pytest.mark.parametrize(
    ("transform", "value", "text"),
    [
        ("year", 56, "2026"),
        ("year", -1, "1969"),
        ("month", 679, "2026-08"),
        ("month", -1, "1969-12"),
        ("hour", 496399, "2026-08-18-07"),
        ("hour", -1, "1969-12-31-23"),
    ],
)
def test_years_months_and_hours_are_texts_that_sort(transform: str, value: int, text: str) -> None:
    assert one(transform, TimestampType()).columns == (Column("k", "string"),)
    assert spelled(transform, TimestampType(), value) == text


@given(days=st.integers(-100_000, 1_000_000))
def test_a_day_is_a_date_whether_avro_says_so_or_gives_a_number(days: int) -> None:
    expected = (date(1970, 1, 1) + timedelta(days=days)).isoformat()
    assert spelled("day", TimestampType(), days) == expected
    assert spelled("day", TimestampType(), date.fromisoformat(expected)) == expected
    assert expected == parse_transform("day").to_human_string(DateType(), days)


ZONED = datetime(2026, 8, 21, 9, 30, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("type_", "hive_type", "value", "text"),
    [
        (BooleanType(), "boolean", False, "false"),
        (IntegerType(), "int", -7, "-7"),
        (LongType(), "bigint", 2**62, str(2**62)),
        (FloatType(), "float", 0.5, "0.5"),
        (DoubleType(), "double", 1e10, "1.0E10"),
        (DecimalType(10, 2), "decimal(10,2)", Decimal("1.50"), "1.5"),
        (DateType(), "date", date(2026, 8, 21), "2026-08-21"),
        (TimeType(), "string", time(7, 30), "07:30:00"),
        (TimestampType(), "timestamp", datetime(2026, 8, 21, 7, 30), "2026-08-21 07:30:00.0"),  # noqa: DTZ001 - Hive has none
        (TimestamptzType(), "timestamp", ZONED, "2026-08-21 07:30:00.0"),
        (TimestampType(), "timestamp", 1_500_000, "1970-01-01 00:00:01.5"),
        (TimestampNanoType(), "timestamp", 1_000_000_001, "1970-01-01 00:00:01.000000001"),
        (TimestampNanoType(), "timestamp", -1_500_000_000, "1969-12-31 23:59:58.5"),
        (StringType(), "string", "", ""),
        (StringType(), "string", "None", "None"),
        (UUIDType(), "string", uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (UUIDType(), "string", uuid.UUID(int=7).bytes, "00000000-0000-0000-0000-000000000007"),
        (BinaryType(), "string", b"\x00\xff", "AP8="),
        (FixedType(2), "string", b"\x00\xff", "AP8="),
    ],
)
def test_values_of_columns_are_spelled_as_hive_spells_them(
    type_: IcebergType, hive_type: str, value: Any, text: str
) -> None:
    found = one("identity", type_)
    assert found.columns == (Column("k", hive_type),)
    assert found.reader(0, (1000,))((value,)) == (text,)
    assert found.reader(0, (1000,))((None,)) == (None,)


def test_buckets_are_numbers_and_truncated_values_are_of_their_column() -> None:
    assert one("bucket[16]", StringType()).columns == (Column("k", "int"),)
    assert spelled("bucket[16]", StringType(), 3) == "3"
    assert one("truncate[10]", LongType()).columns == (Column("k", "bigint"),)
    assert spelled("truncate[10]", LongType(), -10) == "-10"


@pytest.mark.parametrize("transform", ["void", "zorder"])
def test_fields_without_values_that_mean_anything_are_left_out(transform: str) -> None:
    spec = PartitionSpec(field(transform, 1000, 1, "a"), field("identity", 1001, 2, "b"))
    found = keys([spec], Schema(NestedField(1, "a", StringType()), NestedField(2, "b", StringType())))
    assert found.columns == (Column("b", "string"),)
    assert found.reader(0, (1000, 1001))(("x", "y")) == ("y",)


def test_files_of_an_older_spec_have_values_for_the_fields_that_it_had() -> None:
    old = PartitionSpec(field("day", 1000, 1, "ts_day"), field("identity", 1001, 2, "site"), spec_id=0)
    new = PartitionSpec(field("identity", 1001, 2, "place"), field("hour", 1002, 1, "ts_hour"), spec_id=1)
    found = keys([old, new], Schema(NestedField(1, "ts", TimestampType()), NestedField(2, "site", StringType())))
    assert [key.name for key in found.columns] == ["place", "ts_hour"]
    assert found.reader(0, (1000, 1001))((20_000, "x")) == ("x", None)
    assert found.reader(1, (1001, 1002))(("x", 0)) == ("x", "1970-01-01-00")


def test_field_numbers_that_specs_of_version_1_share_do_not_mix_fields_up() -> None:
    old = PartitionSpec(field("identity", 1000, 1, "a"), spec_id=0)
    new = PartitionSpec(field("identity", 1000, 2, "b"), spec_id=1)
    found = keys([old, new], Schema(NestedField(1, "a", StringType()), NestedField(2, "b", StringType())))
    assert found.reader(0, (1000,))(("x",)) == (None,)


def test_a_column_that_was_dropped_still_has_the_type_it_had() -> None:
    before = Schema(NestedField(1, "a", LongType()), NestedField(2, "b", StringType()))
    after = Schema(NestedField(2, "b", StringType()), schema_id=1)
    assert keys([PartitionSpec(field("identity"))], before, after).columns == (Column("k", "bigint"),)
