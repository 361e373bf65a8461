"""TPC-DS and TPC-H for engines: tables on Parquet files with the rows, and the queries, which name their database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp

from hive_views.hive.row import Column
from tests.support.texts.tpc import Benchmark, tpc_ds, tpc_h, write_rows

SCALE = 0.01
EMPTY = frozenset(
    f"tpcds {number}"
    for number in (
        *(3, 4, 8, 10, 11, 19, 24, 25, 30, 31, 37, 39, 41, 44, 49, 54, 58, 64, 65, 73, 74, 82, 83, 85, 91, 93),
    )
)
"""The queries without any rows at this scale, of those that are translated to Trino: they prove little."""

_TRINO_TYPES = {"int": "integer", "string": "varchar"}


@dataclass(frozen=True)
class Tpc:
    """The benchmarks for engines, each with its tables in a database that is called as it is.

    Attributes:
        queries: the texts by name, as ``tpcds 14``: in Spark's dialect, and read by Hive alike.
        columns: those of all tables.
    """

    benchmarks: tuple[Benchmark, ...]
    queries: Mapping[str, str]
    columns: Mapping[tuple[str, str], list[Column]]

    @property
    def databases(self) -> list[str]:
        return [one.name for one in self.benchmarks]


def tpc() -> Tpc:
    """All 121 queries."""
    benchmarks = (tpc_ds(), tpc_h())
    return Tpc(
        benchmarks,
        {
            f"{one.name} {number}": _in_database(text, one)
            for one in benchmarks
            for number, text in sorted(one.queries.items())
        },
        {
            (one.name, table): [Column(*column) for column in columns]
            for one in benchmarks
            for table, columns in one.tables.items()
        },
    )


def _in_database(text: str, benchmark: Benchmark) -> str:
    tree: Any = sqlglot.parse_one(text, read="spark")
    own = {one.alias for one in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.name not in own:
            table.set("db", exp.to_identifier(benchmark.name))
    # Each engine calls an output without an alias otherwise.
    for at, output in enumerate(tree.selects, 1):
        if not output.output_name and not output.is_star:
            output.replace(exp.alias_(output.copy(), f"c{at}"))
    return str(tree.sql("spark", pretty=True))


def make_tpc_tables(made: Tpc, directory: Path, trino: Callable[[str], object], spark: Callable[[str], object]) -> None:
    """Write the rows, and make the tables in the metastore of Trino and Hive, and in a Spark with its own catalog.

    Args:
        made: the benchmarks.
        directory: for the files, which the engines see.
        trino: runs a statement; Hive takes a second for each.
        spark: likewise.
    """
    for benchmark in made.benchmarks:
        files = directory / benchmark.name
        write_rows(benchmark.name, files, SCALE)
        trino(f"CREATE SCHEMA {benchmark.name}")
        spark(f"CREATE DATABASE {benchmark.name}")
        for table, columns in benchmark.tables.items():
            name, location = f"{benchmark.name}.{table}", f"file:{files / table}"
            in_trino = ", ".join(f"{one} {_TRINO_TYPES.get(type_, type_)}" for one, type_ in columns)
            trino(f"CREATE TABLE {name} ({in_trino}) WITH (format = 'PARQUET', external_location = '{location}')")
            in_spark = ", ".join(f"{one} {type_}" for one, type_ in columns)
            spark(f"CREATE TABLE {name} ({in_spark}) USING parquet LOCATION '{location}'")
