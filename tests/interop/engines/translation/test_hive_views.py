"""What Hive answers for a view, Trino answers for the view's translated text: queries as views have them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from typing import Any

import pytest

from hive_views.hive.row import Column
from hive_views.translation import translate
from tests.interop.engines.translation.other_tables import files_of
from tests.interop.engines.translation.sampling import some
from tests.support.java.hive_2 import Hive2
from tests.support.translation.asking import Bench
from tests.support.translation.cases import hive_views as cases
from tests.support.translation.comparing import differing
from tests.support.translation.engines import HiveServer
from tests.support.translation.rows import DATABASE, TABLES
from tests.support.translation.verdicts import judge_query, judge_translation

_DATABASE = "hive_views_cases"
_VISITS = [Column("id", "int"), Column("k", "string"), Column("day", "date"), Column("region", "string")]
_TABLES = {
    **{(DATABASE, name): [Column(*one) for one in columns] for name, columns in TABLES.items()},
    (_DATABASE, "visits"): _VISITS,
}
_PARTITIONS = [("2021-01-01", "eu"), ("2021-01-02", "eu"), ("2021-01-01", "us"), ("2020-12-31", "a b/=")]


class Hives:
    """Both releases of Hive, which run the same statements."""

    def __init__(self, hive_2: Hive2, address: str) -> None:
        self._hive_2 = hive_2
        self._address = address

    def run(self, *statements: str) -> None:
        for statement in statements:
            self._hive_2.rows(statement)
        with closing(HiveServer(self._address, statements)):
            pass


@pytest.fixture(scope="module")
def hives(bench: Bench, engines: Any, hive_2: Hive2) -> Iterator[Hives]:
    """With a database that has a partitioned table."""
    location = f"file:{files_of(bench)}/{_DATABASE}"
    create = f"CREATE DATABASE {_DATABASE} LOCATION '{location}'"
    columns = "id int, k string"
    bench.ask("spark", create)
    bench.ask(
        "spark",
        f"CREATE TABLE {_DATABASE}.visits ({columns}, day date, region string) USING orc PARTITIONED BY (day, region)"
        f" LOCATION '{location}/visits'",
    )
    values = ", ".join(f"(DATE '{day}', '{region}')" for day, region in _PARTITIONS)
    bench.ask(
        "spark",
        f"INSERT INTO {_DATABASE}.visits SELECT u.id, u.k, p.day, p.region FROM {DATABASE}.u u CROSS JOIN"
        f" (VALUES {values}) AS p (day, region)",
    )
    partitions = " ".join(f"PARTITION (day='{day}', region='{region}')" for day, region in _PARTITIONS)
    found = Hives(hive_2, engines.hive.address)
    found.run(
        create,
        f"CREATE EXTERNAL TABLE {_DATABASE}.visits ({columns}) PARTITIONED BY (day date, region string) STORED AS ORC"
        f" LOCATION '{location}/visits'",
        f"ALTER TABLE {_DATABASE}.visits ADD {partitions}",
    )
    yield found
    drop = f"DROP DATABASE {_DATABASE} CASCADE"
    bench.ask("spark", drop)
    found.run(drop)


def test_the_same_rows(bench: Bench) -> None:
    queries = some(list(chain.from_iterable(cases.SAME.values())))
    judged = [judge_query(bench, "hive", "trino", query) for query in queries]
    assert not [str(one) for one in judged if one.verdict != "same"]


@pytest.mark.parametrize("query", cases.PARTITIONED)
def test_a_partitioned_table(bench: Bench, hives: Hives, query: str) -> None:
    judged = judge_translation(bench, query, translate(query, tables=_TABLES))
    assert judged.verdict == "same", str(judged)


@pytest.mark.parametrize("number", range(len(cases.VIEW_ON_VIEW)))
def test_a_view_on_a_view(bench: Bench, hives: Hives, number: int) -> None:
    inner, outer = cases.VIEW_ON_VIEW[number]
    outer = outer.replace("inner_view", f"{_DATABASE}.inner_{number}")
    hives.run(
        f"CREATE VIEW {_DATABASE}.inner_{number} AS {inner}",
        f"CREATE VIEW {_DATABASE}.outer_{number} AS {outer}",
    )
    query = f"SELECT * FROM {_DATABASE}.outer_{number}"
    columns = {
        name: [
            Column(column.rpartition(".")[2], type_)
            for column, type_ in bench.ask("hive-2.3", f"SELECT * FROM {_DATABASE}.{name}").columns
        ]
        for name in (f"inner_{number}", f"outer_{number}")
    }
    tables = {**_TABLES, **{(_DATABASE, name): found for name, found in columns.items()}}
    of_inner = translate(inner, tables=tables, columns=columns[f"inner_{number}"]).text
    of_outer = translate(outer, tables=tables, columns=columns[f"outer_{number}"]).text
    assert of_inner
    assert of_outer
    answer = bench.ask("trino", of_outer.replace(f'"{_DATABASE}"."inner_{number}"', f"({of_inner})"))
    for engine in ("hive-2.3", "hive-4.0"):
        assert differing(bench.ask(engine, query), answer) is None, engine
    assert [name for name, _ in answer.columns] == [one.name for one in columns[f"outer_{number}"]]
