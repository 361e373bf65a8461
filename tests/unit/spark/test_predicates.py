"""The condition that selects partitions of a view. What must not: Spark."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_views.hive.row import Column
from hive_views.spark.analyser.predicates import predicate

DS, HR, DAY = Column("ds", "string"), Column("hr", "int"), Column("day", "date")


@pytest.mark.parametrize(
    ("keys", "partitions", "text"),
    [
        ([DS], [], "false"),
        ([DS], [("a",)], "`ds` = 'a'"),
        ([DS], [("b",), ("a",)], "`ds` IN ('a', 'b')"),
        ([DS], [("it's",)], r"`ds` = 'it\'s'"),
        ([HR], [("2",), ("1",), ("3",)], "`hr` BETWEEN CAST('1' AS int) AND CAST('3' AS int)"),
        ([HR], [("9",), ("10",)], "`hr` IN (CAST('9' AS int), CAST('10' AS int))"),
        (
            [DAY],
            [("2026-02-28",), ("2026-03-01",), ("2026-03-02",), ("2026-03-09",)],
            (
                "(`day` BETWEEN CAST('2026-02-28' AS date) AND CAST('2026-03-02' AS date) "
                "OR `day` = CAST('2026-03-09' AS date))"
            ),
        ),
        ([DS, HR], [("a", "1"), ("b", "1")], "((`ds` IN ('a', 'b') AND `hr` = CAST('1' AS int)))"),
        (
            [DS, HR],
            [("a", "1"), ("b", "1"), ("b", "2")],
            (
                "((`ds` = 'a' AND `hr` = CAST('1' AS int)) OR "
                "(`ds` = 'b' AND `hr` IN (CAST('1' AS int), CAST('2' AS int))))"
            ),
        ),
        ([Column("c", "char(3)")], [("a  ",)], "`c` = 'a  '"),
    ],
)
def test_partitions_are_named_in_few_words(keys: list[Column], partitions: list[tuple[str, ...]], text: str) -> None:
    assert predicate(keys, partitions) == text


def test_a_year_of_hours_is_a_short_text() -> None:
    partitions = [
        (f"2026-{month:02d}-{day:02d}", str(hr)) for month in range(1, 13) for day in range(1, 29) for hr in range(24)
    ]
    assert len(predicate([DAY, HR], partitions)) < 2000


@given(st.sets(st.tuples(st.sampled_from("abc"), st.integers(-3, 6), st.sampled_from("xy"))))
def test_it_holds_for_these_partitions_and_no_others(chosen: set[tuple[str, int, str]]) -> None:
    keys = [DS, HR, Column("k", "string")]
    condition = predicate(keys, [(ds, str(hr), k) for ds, hr, k in chosen])
    everything = [(ds, hr, k) for ds in "abc" for hr in range(-3, 7) for k in "xy"]
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE TABLE t (ds TEXT, hr INT, k TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", everything)
        assert set(connection.execute(f"SELECT * FROM t WHERE {condition}")) == chosen
    finally:
        connection.close()


def test_of_many_constants_a_metastore_gets_bounds_and_the_condition_stays_exact() -> None:
    # 600 to 999 of them break Derby, and what Spark makes of more is for one list only.
    days = [(date(2012, 1, 1) + timedelta(days=number)).isoformat() for number in range(0, 1400, 2)]
    chosen = {(ds, number % 5, "x" if number % 3 else "y y") for number, ds in enumerate(days)}
    condition = predicate([DS, HR, Column("k", "string")], [(ds, str(hr), k) for ds, hr, k in chosen])
    # Spark passes a conjunct on if it understands the whole of it, and passes no <=>.
    bounds = "`ds` BETWEEN '2012-01-01' AND '2015-10-30' AND `hr` BETWEEN CAST('0' AS int) AND CAST('4' AS int) AND "
    kept_here = "((`ds` <=> '2012-01-01' AND `hr` <=> CAST('0' AS int) AND `k` <=> 'y y') OR ("
    assert condition.startswith(bounds + kept_here), "texts of several shapes are in no order that all databases know"
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE TABLE t (ds TEXT, hr INT, k TEXT)")
        everything = [(ds, hr, k) for ds in days for hr in range(-1, 6) for k in ("x", "y y")]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", everything)
        found = set(connection.execute(f"SELECT * FROM t WHERE {condition.replace('<=>', 'IS')}"))
    finally:
        connection.close()
    assert found == chosen
