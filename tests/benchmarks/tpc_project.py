"""A project of any number of views in six levels: tables of TPC-DS, its queries as they are, and views on those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path

import sqlglot

from hive_views.analysis import analyze_query
from hive_views.hive.row import Column, Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from tests.support.texts.tpc import tpc_ds

LEVELS = ("stage", "core", "reports", "marts", "joined", "shown")
"""The namespaces: columns of tables, tables, queries of TPC-DS, and three levels on those."""

OF_A_COPY = 300
"""So many views are on one copy of the views of tables; more views are further copies, in namespaces of their own."""


@dataclass(frozen=True)
class MadeProject:
    """Files of a project, by path, and what they need of the metastore."""

    files: Mapping[str, str]
    namespaces: tuple[str, ...]

    @property
    def views(self) -> list[str]:
        """The names, each after those that it reads."""
        return [path.removesuffix(".sql").replace("/", ".") for path in self.files if path.endswith(".sql")]

    def write(self, directory: Path) -> None:
        for path, text in self.files.items():
            file = directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


def tpc_project(views: int = OF_A_COPY, name: str = "tpc") -> MadeProject:
    """A project of so many views, a tenth or less of them of the last level; a third have a text in Trino's SQL too."""
    files = {"project.toml": f'name = "{name}"\n'}
    copies = range(-(-views // OF_A_COPY))
    namespaces = {copy: {level: f"{level}_{copy}" if copy else level for level in LEVELS} for copy in copies}
    for copy in copies:
        of_copy = min(OF_A_COPY, views - copy * OF_A_COPY)
        files |= islice(_files(namespaces[copy]), of_copy)
    return MadeProject(files, tuple(one for names in namespaces.values() for one in names.values()))


def make_tables(metastore: Metastore, namespaces: tuple[str, ...] = (), location: str | None = None) -> None:
    """The tables of TPC-DS in the database ``tpc``, and databases; ``location`` is a directory for them."""
    for namespace in ("tpc", *namespaces):
        metastore.create_namespace(namespace, location=location and f"{location}/{namespace}")
    for table, pairs in tpc_ds().tables.items():
        row = Row(
            TableIdentifier("tpc", table),
            "MANAGED_TABLE",
            columns=_columns(pairs),
            input_format="org.apache.hadoop.mapred.TextInputFormat",
            output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            serde_library="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
        )
        metastore.create_row(row)


def _columns(pairs: list[tuple[str, str]]) -> tuple[Column, ...]:
    return tuple(Column(name, type_) for name, type_ in pairs)


def _files(names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    stage, core, reports, marts, joined, shown = (names[level] for level in LEVELS)
    tables = tpc_ds().tables
    for table, pairs in tables.items():
        columns = ",\n  ".join(f"{name} AS {name}_" for name, _ in pairs)
        yield f"{stage}/{table}.sql", f"CREATE OR REPLACE VIEW {table}\nAS\nSELECT\n  {columns}\nFROM tpc.{table}\n"
    for table, pairs in tables.items():
        listed = ",\n  ".join(f"{name} COMMENT 'column {number} of {table}'" for number, (name, _) in enumerate(pairs))
        text = f"SELECT * FROM {stage}.{table}"
        yield f"{core}/{table}.sql", f"CREATE OR REPLACE VIEW {table} (\n  {listed}\n)\nAS\n{text}\n"
    queries = _queries()
    for query in queries:
        head = f"USE {core};\nCREATE OR REPLACE VIEW {reports}.q{query.number}"
        comment = f"COMMENT 'TPC-DS {query.number}'\nTBLPROPERTIES ('team' = 'tpc', 'number' = '{query.number}')"
        further = f"DIALECT trino AS\n{query.trino}\n" if query.trino else ""
        yield f"{reports}/q{query.number}.sql", f"{head}\n{comment}\nAS\n{query.text}\n{further}"
    each = (OF_A_COPY - 2 * len(tables) - len(queries)) // 3
    for number, query in enumerate(islice(cycle(queries), each)):
        key, top = f"`{query.columns[0].name}`", f"`{query.columns[-1].name}`"
        text = (
            f"SELECT count(*) AS n, max({top}) AS top, CAST({key} AS STRING) AS k\nFROM {reports}.q{query.number}\n"
            f"GROUP BY CAST({key} AS STRING)\nHAVING count(*) > {number}"
        )
        partitioned = "\nPARTITIONED ON (k)" if number % 5 == 0 else ""
        yield f"{marts}/m{number}.sql", f"CREATE OR REPLACE VIEW m{number}{partitioned}\nAS\n{text}\n"
    for number in range(each):
        other = (number + 1) % each
        text = f"SELECT a.k, a.n + b.n AS n\nFROM {marts}.m{number} a\nJOIN {marts}.m{other} b\n  ON a.k = b.k"
        further = f"DIALECT trino AS\n{text}\n" if number % 3 == 0 else ""
        yield f"{joined}/j{number}.sql", f"CREATE OR REPLACE VIEW j{number}\nAS\n{text}\n{further}"
    for number in range(OF_A_COPY):
        one, other = number % each, (number * 7 + 3) % each
        text = (
            f"SELECT k, n FROM {joined}.j{one} WHERE n > {number}\nUNION ALL\nSELECT k, n FROM {joined}.j{other} "
            f"WHERE k IN (SELECT k FROM {marts}.m{other})"
        )
        yield f"{shown}/s{number}.sql", f"CREATE OR REPLACE VIEW s{number} COMMENT 'shown'\nAS\n{text}\n"


@dataclass(frozen=True)
class _Query:
    number: int
    text: str
    trino: str | None
    columns: tuple[Column, ...]


@cache
def _queries() -> tuple[_Query, ...]:
    """Those whose columns have names of their own, and types that are certain."""
    benchmark = tpc_ds()
    known = {("core", table): _columns(pairs) for table, pairs in benchmark.tables.items()}
    found = []
    for number, text in benchmark.queries.items():
        [hive] = sqlglot.transpile(text, read="spark", write="hive", pretty=True)
        columns = analyze_query(QueryText(hive, "hive"), "core", known).columns
        names = {one.name for one in columns}
        if None in names or len(names) < len(columns) or any(one.type is None for one in columns):
            continue
        trino = sqlglot.transpile(text, read="spark", write="trino", pretty=True)[0] if number % 2 else None
        typed = tuple(Column(str(one.name), str(one.type)) for one in columns)
        found.append(_Query(number, hive, trino, typed))
    return tuple(found)
