r"""The tables that every engine reads: ``bench.t`` with a column of each type, ``bench.u`` to join it, and no rows.

What engines read differently from one file is not in them: dates before the Gregorian calendar, and parts of a
millisecond, which Trino reads only where it is told to. NaN, the infinities and -0.0 are in ``d2`` alone.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

DATABASE = "bench"
OTHER_ZONE = "America/Los_Angeles"
"""The time zone of the sessions that are not in that of their engine."""

_TEXTS = [
    *("abc", None, "", " ", "ABC abc", "trailing  ", "  leading", "100%", "a_b", "back\\slash", "it's", 'say "x"'),
    *(
        "grüße",
        "ÇİI\u0131ß\u017f",
        "😀 smile",
        "e\u0301te\u0301",
        "日本語",
        "a,b,c",
        "a\tb\nc",
        "NULL",
        "\\N",
        "a.b.c",
        "key=v&k2=w",
    ),
    *("Hello World foo-bar", '{"a": 1, "b": "x", "c": [1, null]}'),
]
_NUMBERS = [
    *("10", " 7 ", "1.5", "-0", "1e3", "abc", "", "true", "2020-01-31", None, "+5", "0x10", "007", "1,000", "-12.50"),
    *("9223372036854775808", "99999999999999999999999999999999999999", "NaN", "Infinity", ".5", "5.", "1_000", "128"),
    *("\t8\n", "false"),
]
_DATES = [
    *("2020-01-31", "2020-02-30", "2020-1-5", " 2020-01-31 ", "2020-01-31 10:11:12", "2020-01-31T10:11:12", None),
    *("2020-01-31 10:11:12.123456", "31/01/2020", "20200131", "2020-01", "2020", "", "abc", "2020-12-31 24:00:00"),
    *("2019-02-29", "0000-00-00", "9999-12-31", "2020-01-31 25:00:00", "1970-01-01 00:00:00", "2020-01-31 10:11"),
    *("2020-01-31Z", "2020-13-01", "2020-02-29", "2020-01-31 10:11:12 UTC"),
]
_DAYS = [
    *("2020-01-31", None, "1970-01-01", "1969-12-31", "1900-01-01", "2999-12-31", "2000-02-29", "2020-02-29"),
    *("2019-02-28", "2020-12-31", "2021-01-01", "2021-01-03", "2021-01-04", "1999-12-31", "2024-03-31", "2020-03-01"),
    *("2020-07-04", "1900-02-28", "2100-02-28"),
]
_TIMES = [
    *("2020-02-29 12:34:56.789", None, "1970-01-01 00:00:00", "1969-12-31 23:59:59", "1900-01-01 00:00:00"),
    *("2999-12-31 23:59:59.999", "2020-03-29 02:30:00", "2020-01-31 00:00:00", "2020-12-31 23:59:59.500"),
    *("2021-01-01 00:00:00.001", "2019-02-28 10:00:00", "2000-01-01 12:00:00", "2020-10-25 01:30:00.100"),
    *("1999-12-31 23:59:59.999", "2020-01-31 10:11:12", "2001-09-09 01:46:40", "1950-06-15 08:09:10"),
    # Before and after clocks change in Los Angeles.
    *("2020-03-07 12:00:00", "2020-03-08 01:30:00", "2020-03-08 12:00:00"),
    *("2020-11-01 00:30:00", "2020-11-01 01:30:00", "2020-11-01 12:00:00"),
]
COLUMNS: dict[str, tuple[str, list[Any]]] = {
    "b": ("boolean", [True, False, None, True, False, False, True]),
    "ti": ("tinyint", [0, 1, None, -1, 127, -128, 2, 5, -3, 10, 100]),
    "si": ("smallint", [0, None, 1, -1, 32767, -32768, 3, 12, -7, 1000, 255]),
    "i": ("int", [1, 2, None, 0, -1, 2147483647, -2147483648, 7, -7, 10, 100, 3, 65, 1000000, 1582934400, 20200131]),
    "j": ("int", [2, None, 3, 0, -2, 1, -2147483648, 2147483647, 5, -3, 10, 4, 0]),
    "l": ("bigint", [0, 1, None, -1, 2**63 - 1, -(2**63), 2**53 + 1, 1580465472, 1580465472123, 10, -10, 3, 2**31, 42]),
    "f": (
        "float",
        [0.0, 0.1, None, -1.5, 3.4028234663852886e38, 1.401298464324817e-45, 2.5, 1e10, -0.5, 16777216.0, 3.0],
    ),
    "d": (
        "double",
        [
            0.0,
            0.1,
            None,
            -1.5,
            1.7976931348623157e308,
            5e-324,
            2.5,
            3.5,
            -2.5,
            1e20,
            1e-07,
            1234567.891,
            0.5,
            100.0,
            1000000000000000.0,
            0.30000000000000004,
            -10000000.0,
            9007199254740992.0,
        ],
    ),
    "d2": ("double", [float("nan"), float("inf"), None, float("-inf"), -0.0, 0.0, 1.0, -1.0, 2.0, float("nan")]),
    "n": (
        "decimal(10,2)",
        [
            "0",
            "1.50",
            None,
            "-1.50",
            "99999999.99",
            "-99999999.99",
            "0.01",
            "2.50",
            "3.50",
            "-2.50",
            "10",
            "1234.56",
            "0.05",
        ],
    ),
    "n2": (
        "decimal(38,10)",
        [
            "0",
            "1.5",
            None,
            "9999999999999999999999999999.9999999999",
            "-9999999999999999999999999999.9999999999",
            "0.0000000001",
            "123456789.0123456789",
            "-2.5",
            "100",
        ],
    ),
    "s": ("string", _TEXTS),
    "s2": ("string", _NUMBERS),
    "c": ("char(5)", ["abc", None, "", "abcde", "a b", "ÜÖ", "12", "x  ", "%_", "-5"]),
    "v": (
        "varchar(10)",
        ["abc", None, "", "abcdefghij", "trail  ", "12", " 12", "é😀", "1.5", "TRUE", "2020-01-31", "x"],
    ),
    "dt": ("date", _DAYS),
    "ts": ("timestamp", _TIMES),
    "ds": ("string", _DATES),
    "bin": ("binary", [b"abc", None, b"", b"\x00", b"\xff\xfe", b"\x00\x01\x7f\x80", "grüße".encode(), b"12"]),
    "ai": (
        "array<int>",
        [[1, 2, 3], None, [], [None], [1, None, 3], [3, 1, 2], [2147483647, -2147483648], [1, 1, 2], [5], [0, -1]],
    ),
    "ast": (
        "array<string>",
        [
            ["a", "b"],
            None,
            [],
            [None],
            ["", " "],
            ["b", None, "a"],
            ["a,b", "c:d", 'q"'],
            ["x", "x"],
            ["10", "9"],
            ["é😀"],
            ["back\\slash", "tab\tnew\nline"],
            ["NULL", "null"],
        ],
    ),
    "m": (
        "map<string,int>",
        [
            {"a": 1, "b": 2},
            None,
            {},
            {"a": None},
            {"": 0},
            {"b": 2, "a": 1},
            {"k x": -1, 'q"': 7},
            {"é😀": 3},
            {"x": 2147483647},
        ],
    ),
    "st": (
        "struct<a:int,b:string>",
        [(1, "x"), None, (None, None), (2, ""), (None, "y"), (-1, "a,b"), (2147483647, 'q"\\'), (1, "x"), (0, "é😀")],
    ),
    "ars": (
        "array<struct<a:int,b:string>>",
        [[(1, "x"), (2, "y")], None, [], [None], [(None, None)], [(3, ""), None], [(0, "a:b,c"), (0, "a:b,c")]],
    ),
}
"""The columns after ``id``: their types, and the values that they take in turn, each from another place."""

COUNT = 25
_U = [
    (1, "a", 10),
    (2, "b", 20),
    (2, "b", 21),
    (3, None, 30),
    (None, "c", 40),
    (7, "", None),
    (99, "abc", 0),
    (None, None, 1),
]
TABLES: dict[str, list[tuple[str, str]]] = {
    "t": [("id", "int"), *((name, type_) for name, (type_, _) in COLUMNS.items())],
    "u": [("id", "int"), ("k", "string"), ("x", "int")],
    "e": [("id", "int"), ("k", "string"), ("x", "int")],
}
"""The columns of each table, with their types in Hive's words."""


def rows_of(table: str) -> list[tuple[Any, ...]]:
    """The rows of a table, as PySpark takes them."""
    if table != "t":
        return list(_U) if table == "u" else []
    found = []
    for id_ in range(COUNT):
        values = (
            values[(id_ + 2 * at) % len(values)] if at > 3 else values[id_ % len(values)]
            for at, (_, values) in enumerate(COLUMNS.values())
        )
        pairs = zip(COLUMNS.values(), values, strict=True)
        found.append((id_ + 1, *(_python(type_, value) for (type_, _), value in pairs)))
    return found


def _python(type_: str, value: Any) -> Any:
    if value is None:
        return None
    if type_.startswith("decimal"):
        return Decimal(value)
    if type_ == "date":
        return dt.date.fromisoformat(value)
    if type_ == "timestamp":
        return dt.datetime.fromisoformat(value)
    return bytearray(value) if type_ == "binary" else value


def create_in_hive(location: str) -> list[str]:
    """Statements that make the tables in Hive, on the files that are below a directory."""
    statements = [f"CREATE DATABASE {DATABASE} LOCATION 'file:{location}'"]
    for table, columns in TABLES.items():
        named = ", ".join(f"`{name}` {type_}" for name, type_ in columns)
        statements.append(
            f"CREATE EXTERNAL TABLE {DATABASE}.{table} ({named}) STORED AS ORC LOCATION 'file:{location}/{table}'"
        )
    return statements


def create_in_spark(location: str) -> list[str]:
    """Statements that make the tables in Spark."""
    statements = [f"CREATE DATABASE {DATABASE} LOCATION 'file:{location}'"]
    for table, columns in TABLES.items():
        named = ", ".join(f"`{name}` {type_}" for name, type_ in columns)
        statements.append(f"CREATE TABLE {DATABASE}.{table} ({named}) USING orc LOCATION 'file:{location}/{table}'")
    return statements
