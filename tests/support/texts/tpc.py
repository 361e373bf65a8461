"""The queries of TPC-DS and TPC-H in Spark's dialect, and the tables that they read, from DuckDB's extensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import sqlglot

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
    return _read("tpcds", "dsdgen")


def tpc_h() -> Benchmark:
    """TPC-H: 22 queries."""
    return _read("tpch", "dbgen")


def _read(name: str, generate: str) -> Benchmark:
    import duckdb

    [extension] = Path(import_module(f"duckdb_extension_{name}").__path__[0]).rglob("*.duckdb_extension")
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as connection:
        connection.execute(f"LOAD '{extension}'")
        connection.execute(f"CALL {generate}(sf = 0)")
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
