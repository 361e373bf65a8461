"""The bench itself: all engines read the same rows, no value is taken for another, and each difference is found."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.translation.answers import Answer, NotRead, Refused
from tests.support.translation.asking import Bench, Values
from tests.support.translation.comparing import differing, differing_types, differing_values, same_value
from tests.support.translation.rows import COLUMNS, COUNT, TABLES, rows_of
from tests.support.translation.value_types import read_type, same_types

ALL = ("hive-2.3", "hive-4.0", "spark", "spark-ansi", "trino", "hive-4.0-tasks")
NAN = float("nan")


@pytest.mark.parametrize("table", TABLES)
def test_all_engines_read_the_same_rows(bench: Bench, table: str) -> None:
    found = bench.ask_all(f"SELECT * FROM bench.{table}", ALL)
    first = found["hive-2.3"]
    assert isinstance(first, Answer)
    assert {engine: differing(first, answer) for engine, answer in found.items()} == dict.fromkeys(ALL)
    assert len(first.rows) == len(rows_of(table))
    types = {engine: differing_types(first, answer) for engine, answer in found.items() if isinstance(answer, Answer)}
    # Spark has no char once it has read the table.
    with_char = "column t.c: char(5) and string" if table == "t" else None
    assert types == {**dict.fromkeys(ALL), "spark": with_char, "spark-ansi": with_char}


def test_every_engine_reads_what_was_written(bench: Bench) -> None:
    named = ("id", "b", "l", "n2", "s", "bin", "ai", "ast", "m", "st", "ars", "dt", "ts")
    written = [dict(zip([name for name, _ in TABLES["t"]], row, strict=True)) for row in rows_of("t")]
    for engine in ALL:
        for name, values in zip(named, bench.values(engine, named), strict=True):
            assert isinstance(values, Values), f"{engine}: {name}: {values}"
            assert list(values.values) == [_form(name, row[name]) for row in written], f"{engine}: {name}"


def _form(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "ts":
        return value.isoformat(" ", "microseconds") + "000"
    return value.isoformat() if name == "dt" else bytes(value).hex() if name == "bin" else value


def test_every_value_of_a_column_is_in_the_table() -> None:
    for at, (name, (_, values)) in enumerate(COLUMNS.items(), 1):
        there = {repr(row[at]) for row in rows_of("t")}
        assert len(values) <= COUNT, name
        assert len(there) == len({repr(value) for value in values}), name


def test_a_query_that_fails_for_one_expression_is_asked_for_the_others(bench: Bench) -> None:
    asked = ("id", "no_such_column", "s", "cast(s2 AS int)", "i + 1.5")
    found = {engine: bench.values(engine, asked) for engine in bench.engines}
    refused = {engine: [isinstance(one, Refused) and one.at_run for one in values] for engine, values in found.items()}
    fails = [False, False, False, True, False]
    assert refused == {**dict.fromkeys(bench.engines, [False] * 5), "spark-ansi": fails, "trino": fails}
    assert all(isinstance(values[1], Refused) and "no_such_column" in str(values[1]) for values in found.values())


@pytest.mark.parametrize("engine", ["hive-2.3", "hive-4.0", "hive-4.0-tasks"])
def test_what_jobs_of_hive_return_is_read_as_it_is(bench: Bench, engine: str) -> None:
    columns = "id, ai, ast, ars, array('') AS e, array(array(cast(NULL AS int))) AS nn"
    by_jobs = bench.ask(engine, f"SELECT DISTINCT {columns} FROM bench.t ORDER BY id")
    assert differing(by_jobs, bench.ask("hive-2.3", f"SELECT {columns} FROM bench.t")) is None
    assert [row[0] for row in by_jobs.rows] == list(range(1, COUNT + 1))


def test_rows_are_compared_in_order_where_the_query_has_one(bench: Bench) -> None:
    up = bench.ask("trino", "SELECT id FROM bench.t ORDER BY id")
    down = bench.ask("spark", "SELECT id FROM bench.t ORDER BY id DESC")
    assert differing(up, down) is None
    assert differing(up, down, in_order=True) == "row 1, column id: 1 and 25; rows (1,) and (25,)"


DIFFERENT: tuple[tuple[Any, Any], ...] = (
    (None, "NULL"),
    (None, ""),
    ("", " "),
    (None, 0),
    (1, True),
    (1, 1.0),
    (0.0, -0.0),
    (NAN, None),
    (NAN, float("inf")),
    (1.0, 1.00000001),
    (Decimal("1.5"), Decimal("1.51")),
    ("a\tb", "a b"),
    ([], None),
    ([None], []),
    ([1, 2], [2, 1]),
    ({"a": None}, {}),
    ((None, None), None),
    ([(1, "x")], [(1, "y")]),
)


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=repr)
def test_two_values_are_not_one(one: Any, other: Any) -> None:
    assert not same_value(one, other)
    answers = [Answer((("a", "int"), ("b", "string")), ((1, value), (2, None))) for value in (one, other)]
    assert (
        differing(*answers, in_order=True)
        == f"row 1, column b: {one!r} and {other!r}; rows {(1, one)!r} and {(1, other)!r}"
    )


SAME: tuple[tuple[Any, Any], ...] = (
    (NAN, NAN),
    (0.1 + 0.2, 0.3),
    (Decimal("1.50"), Decimal("1.5")),
    ([NAN, (1, None)], [NAN, (1, None)]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
)


@pytest.mark.parametrize(("one", "other"), SAME, ids=repr)
def test_two_values_are_one(one: Any, other: Any) -> None:
    assert same_value(one, other)


def test_rows_are_compared_as_often_as_they_are_there() -> None:
    once, twice = (Answer((("a", "int"),), rows) for rows in (((1,), (2,), (2,)), ((1,), (1,), (2,))))
    assert differing(once, twice) is not None
    assert differing(once, Answer(once.columns, once.rows[1:])) == "3 and 2 rows"
    assert differing(once, Answer((), ())) == "1 and 0 columns"


def test_a_refusal_is_like_another_one_only() -> None:
    answer, refused, not_read = Answer((), ()), Refused("no"), NotRead("what?")
    assert differing(refused, Refused("never")) is None
    assert differing(answer, refused) == "one refuses: an answer / no"
    assert differing(refused, not_read) == "one is not read: no / what?"
    assert differing_values(Values("int", (1,)), refused) == "one refuses: an answer / no"


TYPES = (
    ("string", "varchar", True),
    ("string", "varchar(3)", True),
    ("varchar(3)", "varchar(4)", False),
    ("char(3)", "char(4)", False),
    ("int", "integer", True),
    ("int", "bigint", False),
    ("float", "real", True),
    ("decimal(10,2)", "decimal(10, 2)", True),
    ("decimal(10,2)", "decimal(11, 2)", False),
    ("timestamp", "timestamp(3)", True),
    ("timestamp", "timestamp(3) with time zone", False),
    ("binary", "varbinary", True),
    ("array<map<string,int>>", "array(map(varchar, integer))", True),
    ("struct<a:int,b:array<double>>", "row(a integer, b array(double))", True),
    ("struct<a:int,b:string>", "row(integer, varchar(1))", True),
    ("struct<a b:int>", 'row("a b" integer)', True),
    ("struct<a:int>", "row(b integer)", False),
    ("interval_day_time", "INTERVAL DAY TO SECOND", True),
)


@pytest.mark.parametrize(("one", "other", "same"), TYPES)
def test_types_are_the_same_across_engines(one: str, other: str, same: bool) -> None:
    assert same_types(read_type(one), read_type(other)) is same
