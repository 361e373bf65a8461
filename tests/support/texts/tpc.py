"""TPC-DS and TPC-H, from DuckDB's extensions: the queries in Spark's dialect, the tables that they read, their rows."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlglot

_GENERATORS = {"tpcds": "dsdgen", "tpch": "dbgen"}
_TYPES = {"integer": "int", "varchar": "string"}
"""DuckDB's names of types that Hive and Spark call otherwise; it declares no lengths."""


@dataclass(frozen=True)
class Benchmark:
    """One of the benchmarks.

    Attributes:
        queries: the texts by their numbers.
        tables: for each table the names and types of its columns.
    """

    name: str
    queries: Mapping[int, str]
    tables: Mapping[str, list[tuple[str, str]]]


def tpc_ds() -> Benchmark:
    """TPC-DS: 99 queries."""
    return _read("tpcds")


def tpc_h() -> Benchmark:
    """TPC-H: 22 queries."""
    return _read("tpch")


def write_rows(benchmark: str, directory: Path, scale: float) -> None:
    """Write the rows of each table into ``directory/table/rows.parquet``; they are the same in each run.

    Args:
        benchmark: ``tpcds`` or ``tpch``.
        directory: a new one is made here.
        scale: of the benchmark; at 1 it has a gigabyte.
    """
    with closing(_generated(benchmark, scale)) as connection:
        for [table] in connection.execute("SELECT table_name FROM information_schema.tables").fetchall():
            file = directory / table / "rows.parquet"
            file.parent.mkdir(parents=True)
            connection.execute(f"COPY {table} TO '{file}' (FORMAT parquet)")


def _generated(benchmark: str, scale: float) -> Any:
    """A connection to a database with the tables of a benchmark; without rows where the scale is 0."""
    import duckdb

    [extension] = Path(import_module(f"duckdb_extension_{benchmark}").__path__[0]).rglob("*.duckdb_extension")
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{extension}'")
    connection.execute(f"CALL {_GENERATORS[benchmark]}(sf = {scale})")
    return connection


def _read(name: str) -> Benchmark:
    with closing(_generated(name, 0)) as connection:
        texts = connection.execute(f"SELECT query_nr, query FROM {name}_queries()").fetchall()
        columns = connection.execute(
            "SELECT table_name, column_name, lower(data_type) FROM information_schema.columns "
            "ORDER BY table_name, ordinal_position"
        ).fetchall()
    tables: dict[str, list[tuple[str, str]]] = {}
    for table, column, type_ in columns:
        tables.setdefault(table, []).append((column, _TYPES.get(type_, type_)))
    return Benchmark(name, {number: _in_spark(text) for number, text in texts}, tables)


def _in_spark(text: str) -> str:
    [translated] = sqlglot.transpile(text, read="duckdb", write="spark", pretty=True)
    return translated
