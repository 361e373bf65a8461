"""Partitions of Paimon tables: the types of their columns, and the binary rows that hold their values.

A binary row is its number of fields (4 bytes, big-endian), then a header of a row kind (8 bits) and one bit a field
that says NULL, in whole words of 8 bytes, then a word for each field, then what did not fit into a word; all of that is
little-endian, and offsets count from the header.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal

from hive_views.base_tables.port import PartitionValues
from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.hive.conversion import Value, convert, spelled, spelled_since_1970
from hive_views.hive.types import HiveType, parse_hive_type

_TYPE = re.compile(r"([A-Z_ ]+?) *(?:\( *(\d+) *(?:, *(\d+) *)?\))?( WITH LOCAL TIME ZONE)?(?: NOT NULL| NULL)?")
_SAME_IN_HIVE = frozenset(("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "date", "string"))
_OTHER_NAMES = {"integer": "int", "numeric": "decimal", "dec": "decimal", "timestamp_ltz": "timestamp"}
# Paimon's own sync to Hive makes string of what is longer than Hive's types.
_LONGEST = {"char": 255, "varchar": 65535}
_NUMBERS = {
    "tinyint": "b",
    "smallint": "<h",
    "int": "<i",
    "bigint": "<q",
    "float": "<f",
    "double": "<d",
    "boolean": "?",
}

_WORD = 8
_MAX_COMPACT_DIGITS = 18
_MAX_COMPACT_FRACTION = 3
_Reader = Callable[[bytes, int], str]


def hive_type_of(paimon_type: str, *, column: str, table: str) -> str:
    """The Hive type of a partition column; TIMESTAMP WITH LOCAL TIME ZONE is a ``timestamp``, read in UTC.

    Raises:
        UnsupportedFeatureError: Hive has no such type of partition columns (TIME, BINARY, nested types).
    """
    hive, _ = _types(paimon_type, column, table)
    return str(hive)


class PartitionReader:
    """Reads the partitions of one table; each is decoded once, because many files have the same.

    Args:
        types: Paimon's types of the partition columns, by name and in their order.

    Raises:
        UnsupportedFeatureError: as ``hive_type_of``.
    """

    def __init__(self, types: Sequence[tuple[str, str]], table: str) -> None:
        self._table = table
        self._readers = [_reader(*_types(type_, column, table)) for column, type_ in types]
        self._first = (len(types) + 8 + 63) // 64 * _WORD
        self._known: dict[bytes, PartitionValues] = {}

    def values(self, row: bytes) -> PartitionValues:
        """The values in a binary row; () for a table without partition columns.

        Raises:
            CorruptMetadataError: it is no such row.
        """
        found = self._known.get(row)
        if found is None:
            try:
                found = self._known[row] = self._decoded(row)
            except (struct.error, IndexError, ValueError, OverflowError) as e:
                raise CorruptMetadataError(
                    f"Cannot read a partition of {self._table} from the bytes {row.hex()}: {e}.", table=self._table
                ) from e
        return found

    def _decoded(self, row: bytes) -> PartitionValues:
        [arity] = struct.unpack_from(">i", row)
        if arity != len(self._readers):
            raise ValueError(f"it has {arity} values for {len(self._readers)} columns")
        body = row[4:]
        is_null = [body[(8 + i) // 8] >> (8 + i) % 8 & 1 for i in range(arity)]
        # The row says NULL by itself; partition.default-name is only the name of its directory.
        return tuple(
            None if null else read(body, self._first + i * _WORD)
            for i, (read, null) in enumerate(zip(self._readers, is_null, strict=True))
        )


def _types(paimon_type: str, column: str, table: str) -> tuple[HiveType, int]:
    """Hive's type, and the precision of a timestamp or decimal."""
    match = _TYPE.fullmatch(paimon_type.strip().upper())
    name, first, second, _ = match.groups() if match else ("", None, None, None)
    name = _OTHER_NAMES.get(name.lower(), name.lower())
    if name in _SAME_IN_HIVE and not first:
        return parse_hive_type(name), 0
    if name in _LONGEST:
        length = int(first or 1)
        return parse_hive_type(f"{name}({length})" if length <= _LONGEST[name] else "string"), 0
    if name == "decimal":
        return parse_hive_type(f"decimal({first or 10},{second or 0})"), int(first or 10)
    if name == "timestamp":
        return parse_hive_type(name), int(first or 6)
    raise UnsupportedFeatureError(
        f"Cannot read the partitions of {table}: its partition column {column} has Paimon's type {paimon_type}, and no "
        f"partition column of Hive has such values.",
        table=table,
    )


def _reader(type_: HiveType, precision: int) -> _Reader:
    if type_.name in ("string", "char", "varchar"):
        return lambda row, at: _spelled(_bytes_at(row, at).decode("utf-8"), type_)
    if type_.name == "date":
        return lambda row, at: _spelled(date(1970, 1, 1) + timedelta(days=_number(row, at, "<i")), type_)
    if type_.name == "timestamp":
        return lambda row, at: _timestamp(row, at, is_compact=precision <= _MAX_COMPACT_FRACTION)
    if type_.name == "decimal":
        return lambda row, at: _decimal(row, at, type_, is_compact=precision <= _MAX_COMPACT_DIGITS)
    code = _NUMBERS[type_.name]
    return lambda row, at: _spelled(struct.unpack_from(code, row, at)[0], type_)


def _spelled(value: Value, type_: HiveType) -> str:
    if type_.name == "string":
        return str(value)
    converted = convert(value, type_)
    if converted is None:
        raise ValueError(f"{value!r} is not a value of {type_}")
    return spelled(converted, type_)


def _number(row: bytes, at: int, code: str) -> int:
    return int(struct.unpack_from(code, row, at)[0])


def _bytes_at(row: bytes, at: int) -> bytes:
    """The bytes in the word, when its last byte says so, or where it points to."""
    mark = row[at + _WORD - 1]
    if mark & 0x80:
        return row[at : at + (mark & 0x7F)]
    length, offset = struct.unpack_from("<II", row, at)
    if offset + length > len(row):
        raise ValueError(f"it ends before the {length} bytes at {offset}")
    return row[offset : offset + length]


def _decimal(row: bytes, at: int, type_: HiveType, *, is_compact: bool) -> str:
    unscaled = _number(row, at, "<q") if is_compact else int.from_bytes(_bytes_at(row, at), "big", signed=True)
    sign, digits, _ = Decimal(unscaled).as_tuple()
    return _spelled(Decimal((sign, digits, -type_.sizes[1])), type_)


def _timestamp(row: bytes, at: int, *, is_compact: bool) -> str:
    if is_compact:
        return spelled_since_1970(_number(row, at, "<q") * 1_000_000)
    nanoseconds, offset = struct.unpack_from("<II", row, at)
    return spelled_since_1970(_number(row, offset, "<q") * 1_000_000 + nanoseconds)
