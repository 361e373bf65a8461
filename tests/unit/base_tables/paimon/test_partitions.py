"""Partition columns of Paimon tables: types, and values in binary rows."""

from __future__ import annotations

import re
import struct
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views.base_tables.paimon.keys import PartitionReader, hive_type_of
from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.hive.conversion import convert, spelled
from hive_views.hive.types import parse_hive_type

# Of a table that Paimon 1.2.0 wrote: ds '2024-01-01', hr 1.
_BY_JAVA = bytes.fromhex(
    "00000002" "0000000000000000" "0a00000018000000" "0100000000000000" "323032342d30312d3031000000000000"
)  # fmt: skip


def _read(types: list[str], row: bytes) -> tuple[str | None, ...]:
    return PartitionReader([(f"c{i}", type_) for i, type_ in enumerate(types)], "web.clicks").values(row)


def _row(word: bytes, tail: bytes = b"", header: int = 0) -> bytes:
    """A row of one field."""
    return struct.pack(">i", 1) + header.to_bytes(8, "little") + word.ljust(8, b"\0") + tail


@pytest.mark.parametrize(
    ("paimon", "hive"),
    [
        ("STRING", "string"),
        ("STRING NOT NULL", "string"),
        ("VARCHAR(7)", "varchar(7)"),
        ("VARCHAR(2147483647)", "string"),
        ("VARCHAR(65536) NOT NULL", "string"),
        ("CHAR(3)", "char(3)"),
        ("CHAR(256)", "string"),
        ("TINYINT", "tinyint"),
        ("SMALLINT", "smallint"),
        ("INT", "int"),
        ("INTEGER NOT NULL", "int"),
        ("BIGINT", "bigint"),
        ("BOOLEAN", "boolean"),
        ("FLOAT", "float"),
        ("DOUBLE", "double"),
        ("DECIMAL(10, 2)", "decimal(10,2)"),
        ("NUMERIC(5)", "decimal(5,0)"),
        ("DECIMAL", "decimal(10,0)"),
        ("DATE", "date"),
        ("TIMESTAMP", "timestamp"),
        ("TIMESTAMP(3) NOT NULL", "timestamp"),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", "timestamp"),
        ("TIMESTAMP_LTZ(6)", "timestamp"),
    ],
)
def test_a_type_of_paimon_is_one_of_hive(paimon: str, hive: str) -> None:
    assert hive_type_of(paimon, column="ds", table="web.clicks") == hive


@pytest.mark.parametrize("type_", ["TIME(3)", "BINARY(3)", "BYTES", "VARIANT", '{"type": "ARRAY"}', "INT(3)"])
def test_a_type_whose_values_hive_does_not_know_is_refused_by_name(type_: str) -> None:
    with pytest.raises(
        UnsupportedFeatureError, match=r"web\.clicks: its partition column ds has .*" + re.escape(type_)
    ):
        hive_type_of(type_, column="ds", table="web.clicks")


def test_a_row_that_java_wrote_has_its_values() -> None:
    assert _read(["STRING", "INT"], _BY_JAVA) == ("2024-01-01", "1")


@pytest.mark.parametrize(
    ("type_", "row", "text"),
    [
        ("STRING", _row(b"1234567\x87"), "1234567"),
        ("STRING", _row(struct.pack("<II", 8, 16), b"12345678"), "12345678"),
        ("STRING", _row(b"\0" * 7 + b"\x80"), ""),
        ("STRING", _row(b"None\0\0\0\x84"), "None"),
        ("STRING", _row(struct.pack("<II", 21, 16), b"__DEFAULT_PARTITION__"), "__DEFAULT_PARTITION__"),
        ("STRING", _row("é日".encode() + b"\0\0\x85"), "é日"),
        ("CHAR(3)", _row(b"a\0\0\0\0\0\0\x81"), "a  "),
        ("TINYINT", _row(b"\xff"), "-1"),
        ("SMALLINT", _row(b"\x00\x80"), "-32768"),
        ("INT", _row(b"\xff\xff\xff\x7f"), "2147483647"),
        ("BIGINT", _row(struct.pack("<q", -(2**63))), "-9223372036854775808"),
        ("BOOLEAN", _row(b"\1"), "true"),
        ("BOOLEAN", _row(b"\0"), "false"),
        ("FLOAT", _row(struct.pack("<f", 0.1)), "0.1"),
        ("DOUBLE", _row(struct.pack("<d", 1e10)), "1.0E10"),
        ("DATE", _row(struct.pack("<i", 20686)), "2026-08-21"),
        ("DATE", _row(struct.pack("<i", -1)), "1969-12-31"),
        ("DECIMAL(10, 2)", _row(struct.pack("<q", 150)), "1.5"),
        ("DECIMAL(18, 2)", _row(struct.pack("<q", -1)), "-0.01"),
        ("DECIMAL(19, 2)", _row(struct.pack("<II", 1, 16), b"\xff".ljust(16, b"\0")), "-0.01"),
        ("DECIMAL(38, 0)", _row(struct.pack("<II", 16, 16), (10**38 - 1).to_bytes(16, "big")), "9" * 38),
        ("TIMESTAMP(3)", _row(struct.pack("<q", -1)), "1969-12-31 23:59:59.999"),
        ("TIMESTAMP(0)", _row(struct.pack("<q", 0)), "1970-01-01 00:00:00.0"),
        ("TIMESTAMP(6)", _row(struct.pack("<II", 7000, 16), struct.pack("<q", 1)), "1970-01-01 00:00:00.001007"),
        ("TIMESTAMP(9)", _row(struct.pack("<II", 7010, 16), struct.pack("<q", 1)), "1970-01-01 00:00:00.00100701"),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", _row(struct.pack("<II", 0, 16), bytes(8)), "1970-01-01 00:00:00.0"),
    ],
)
def test_a_value_is_spelled_as_hive_spells_it(type_: str, row: bytes, text: str) -> None:
    assert _read([type_], row) == (text,)


@pytest.mark.parametrize("type_", ["STRING", "INT", "TIMESTAMP(6)", "DECIMAL(38, 2)"])
def test_null_is_none_for_every_type(type_: str) -> None:
    assert _read([type_], _row(b"", header=1 << 8)) == (None,)


def test_the_57th_column_has_its_null_bit_in_a_second_word() -> None:
    row = struct.pack(">i", 57) + bytes(8) + b"\1".ljust(8, b"\0") + b"".join(struct.pack("<q", i) for i in range(57))
    assert _read(["INT"] * 57, row) == (*map(str, range(56)), None)


def test_a_table_without_partition_columns_has_one_partition() -> None:
    assert _read([], bytes(12)) == ()


@pytest.mark.parametrize(
    ("type_", "row"),
    [
        ("STRING", b""),
        ("STRING", _BY_JAVA),
        ("STRING", _row(b"\xff\0\0\0\0\0\0\x81")),
        ("STRING", _row(struct.pack("<II", 8, 400), b"12345678")),
        ("BIGINT", _row(b"")[:-1]),
        ("DATE", _row(b"\xff\xff\xff\x7f")),
        ("DECIMAL(2, 0)", _row(struct.pack("<q", 100))),
        ("CHAR(3)", _row(b"")[:12]),
    ],
)
def test_bytes_that_are_no_such_row_are_reported_with_the_table(type_: str, row: bytes) -> None:
    with pytest.raises(CorruptMetadataError, match=r"web\.clicks"):
        _read([type_], row)


_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "STRING": st.text(st.characters(codec="utf-8"), max_size=12),
    "TINYINT": st.integers(-(2**7), 2**7 - 1),
    "SMALLINT": st.integers(-(2**15), 2**15 - 1),
    "INT": st.integers(-(2**31), 2**31 - 1),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "BOOLEAN": st.booleans(),
    "DOUBLE": st.floats(allow_nan=False),
    "DATE": st.dates(),
    "DECIMAL(10, 2)": st.decimals(Decimal(-(10**7)), Decimal(10**7), places=2),
    "DECIMAL(38, 5)": st.decimals(Decimal(-(10**32)), Decimal(10**32), places=5),
    "TIMESTAMP(6)": st.datetimes(min_value=datetime(1000, 1, 1)),  # noqa: DTZ001
}


@pytest.mark.peer("pypaimon")
@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(sorted(_VALUES)).flatmap(lambda type_: st.tuples(st.just(type_), st.none() | _VALUES[type_])),
        min_size=1,
        max_size=6,
    )
)
def test_what_pypaimon_writes_is_read_as_hive_spells_it(fields: list[tuple[str, Any]]) -> None:
    pytest.importorskip("pypaimon")
    from pypaimon.schema.data_types import AtomicType, DataField
    from pypaimon.table.row.generic_row import GenericRow, GenericRowSerializer

    types = [DataField(i, f"c{i}", AtomicType(type_)) for i, (type_, _) in enumerate(fields)]
    row = GenericRowSerializer.to_bytes(GenericRow([value for _, value in fields], types))
    assert _read([type_ for type_, _ in fields], row) == tuple(
        None if value is None else _in_hive(type_, value) for type_, value in fields
    )


def _in_hive(paimon_type: str, value: str | float | Decimal | date) -> str:
    if isinstance(value, str):
        return value
    type_ = parse_hive_type(hive_type_of(paimon_type, column="c", table="t"))
    converted = convert(value, type_)
    assert converted is not None
    return spelled(converted, type_)
