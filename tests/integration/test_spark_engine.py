"""A Spark that is asked about queries: the values of all types, exactly, and why it refuses a query."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from hive_views.engines.engine_protocol import QueryRefusedError, RowsWanted
from hive_views.engines.engine_values import type_of
from hive_views.engines.spark_engine import SparkEngine
from hive_views.sql.query import QueryText

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

LONG = Decimal("12345678901234567890.12345678901234567")
VALUES = [
    ("boolean", "true", True),
    ("tinyint", "-128Y", -128),
    ("smallint", "32767S", 32767),
    ("int", "-2147483648", -2147483648),
    ("bigint", "9223372036854775807", 9223372036854775807),
    ("float", "CAST(0.1 AS float)", 0.10000000149011612),
    ("double", "1e300D", 1e300),
    ("double", "double('-infinity')", -math.inf),
    ("decimal(38,18)", "CAST('12345678901234567890.123456789012345670' AS decimal(38,18))", LONG),
    ("string", "'a\\\\\"\\n \\u00e4\\ud83d\\ude00 '", 'a\\"\n ä😀 '),
    ("char(5)", "CAST('ab ' AS char(5))", "ab"),
    ("varchar(5)", "CAST('ab ' AS varchar(5))", "ab "),
    ("binary", "X'00FF10'", b"\x00\xff\x10"),
    ("date", "DATE '0001-01-01'", "0001-01-01"),
    ("date", "DATE '9999-12-31'", "9999-12-31"),
    ("timestamp", "TIMESTAMP '1969-12-31 23:59:59.999999'", "1969-12-31 23:59:59.999999000"),
    ("timestamp", "TIMESTAMP '2026-03-29 02:30:00'", "2026-03-29 02:30:00.000000000"),
    ("array<int>", "array(1, NULL)", (1, None)),
    ("map<int,string>", "map(1, CAST(NULL AS string))", {1: None}),
    ("struct<a:date,b:array<string>>", "named_struct('a', CAST(NULL AS date), 'b', array(''))", (None, ("",))),
]
NAMES = tuple(f"v{at}" for at, _ in enumerate(VALUES))
TYPES = [type_ for type_, _, _ in VALUES]


@pytest.fixture
def engine(spark: Any) -> SparkEngine:
    """On a session of another zone, where 02:30 of 29 March 2026 is no time, and without ANSI mode."""
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    session.conf.set("spark.sql.ansi.enabled", "false")
    return SparkEngine(session)


def rows(engine: SparkEngine, text: str, types: list[str], *order: int, limit: int = 10) -> tuple[tuple[Any, ...], ...]:
    names = [f"v{at}" for at, _ in enumerate(types)]
    wanted = [type_of(name, type_) for name, type_ in zip(names, types, strict=True)]
    return engine.rows(QueryText(text, "spark"), RowsWanted(names, wanted, order, limit))


def test_values_of_all_types_are_returned_exactly(engine: SparkEngine) -> None:
    selected = ", ".join(f"{text} AS v{at}" for at, (_, text, _) in enumerate(VALUES))
    nothing = ", ".join(f"CAST(NULL AS {type_}) AS v{at}" for at, type_ in enumerate(TYPES))
    # Spark keeps the length of a text in tables only.
    told = [type_.partition("(")[0].replace("varchar", "string").replace("char", "string") for type_ in TYPES]
    found = engine.columns(QueryText(f"SELECT {selected}", "spark"))
    assert [one.name for one in found] == list(NAMES)
    assert [(one.type or "").partition("(")[0] for one in found] == told
    text = f"SELECT {selected} UNION ALL SELECT {nothing}"
    assert rows(engine, text, TYPES, 3) == (tuple(None for _ in VALUES), tuple(value for _, _, value in VALUES))


def test_values_that_are_not_equal_to_themselves_and_zeros_with_a_sign_are_kept(engine: SparkEngine) -> None:
    [[nan, zero]] = rows(engine, "SELECT double('NaN') AS v0, -0.0D AS v1", ["double", "double"])
    assert math.isnan(nan)
    assert math.copysign(1, zero) == -1


def test_the_first_rows_are_those_with_null(engine: SparkEngine) -> None:
    text = "SELECT * FROM VALUES (2, 'b'), (NULL, 'a'), (2, NULL) AS t (v0, v1)"
    assert rows(engine, text, ["int", "string"], 0, 1, limit=2) == ((None, "a"), (2, None))


def test_what_ansi_mode_does_not_convert_is_refused_with_the_reason(engine: SparkEngine) -> None:
    with pytest.raises(QueryRefusedError, match="CAST_INVALID_INPUT"):
        rows(engine, "SELECT CAST('x' AS int) AS v0", ["int"])


def test_a_query_that_spark_does_not_know_is_refused_with_its_place(engine: SparkEngine) -> None:
    with pytest.raises(QueryRefusedError, match="nowhere") as refused:
        engine.columns(QueryText("SELECT 1,\n  nowhere AS v0", "spark"))
    assert (refused.value.line, refused.value.column) == (2, 3)
