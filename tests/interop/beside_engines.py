"""Random queries as the analysis, Spark 4.1 and, by hand, Hive 2.3.10 understand them.

``python -m tests.interop.beside_engines 10000 --seed 7`` counts what is wrong, and names what is not certain most
often; ``--hive`` asks Hive too, which takes half a second for a query and needs its jars (hive_2.py).
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hive_views.analysis import OutputColumn, QueryAnalysis, analyze_query
from hive_views.hive.row import Column
from hive_views.metastore.embedded.java import find_java
from hive_views.spark.sessions.local_session import errors_not_logged, local_session
from hive_views.sql.query import QueryText
from tests.interop.plan_sources import PlanSources, analysed
from tests.interop.random_queries import TABLES, RandomQueries, columns_of
from tests.support.java.hive_2 import Hive2, hive_2

_EVERY = 500


class Comparison:
    """Queries that were compared so far, each as a text of Hive and of Spark in turns.

    Attributes:
        wrong: what the analysis says otherwise than an engine.
        refused: how many of the queries Spark did not take.
        outputs: how many output columns were compared.
        certain: how many of their types were certain.
        in_hive: how many queries Hive took.
        uncertain: how often a type was not certain, by the reason.
    """

    def __init__(
        self, sessions: dict[str, Any], database: str, hive: Hive2 | None = None, *, plans_each: int = 1
    ) -> None:
        self.wrong: list[str] = []
        self.uncertain: Counter[str] = Counter()
        self.refused = self.outputs = self.certain = self.in_hive = self._count = 0
        self._sessions, self._database, self._hive, self._plans_each = sessions, database, hive, plans_each
        self._tables = {
            (database, table): [Column(name, type_) for name, type_ in columns_of(table)] for table in TABLES
        }

    def add(self, query: str) -> None:
        """Compare one more."""
        from pyspark.errors import PySparkException

        dialect = "hive" if self._count % 2 or self._hive else "spark"
        self._count += 1
        try:
            with errors_not_logged():
                expected, read_plan = analysed(self._sessions[dialect], query)
        except PySparkException:
            self.refused += 1
            return
        analysis = analyze_query(QueryText(query, dialect), self._database, self._tables)
        found_by_hive = self._types_in_hive(query)
        if analysis.unknown or len(analysis.columns) != len(expected):
            self.wrong.append(f"{dialect}: {analysis.unknown} or too few columns: {query}")
            return
        for place, (column, (name, type_)) in enumerate(zip(analysis.columns, expected, strict=True)):
            self._compare(column, type_, found_by_hive[place] if found_by_hive else None, f"{dialect} {name}: {query}")
        if self._count % self._plans_each == 0:
            self._trace(analysis, read_plan(), query)

    def _trace(self, analysis: QueryAnalysis, plan: PlanSources, query: str) -> None:
        for column, sources in zip(analysis.columns, plan.outputs, strict=True):
            found = {(*source.table, source.name) for source in column.sources}
            if found != sources or column.has_more_sources:
                self.wrong.append(f"sources {sorted(found)} instead of {sorted(sources)}: {column.text}: {query}")
        uses = {(*use.column.table, use.column.name) for use in analysis.uses}
        # Under USING the analyser hands on columns that the text does not name.
        if not plan.needed <= uses <= plan.named:
            self.wrong.append(f"uses more {sorted(uses - plan.named)}, less {sorted(plan.needed - uses)}: {query}")

    def _compare(self, column: OutputColumn, in_spark: str, in_hive: str | None, where: str) -> None:
        self.outputs += 1
        if column.type is None:
            self.uncertain[re.sub(r"\d+", "#", str(column.derived.why))] += 1
            return
        self.certain += 1
        if column.type != in_spark or in_hive not in (None, column.type):
            self.wrong.append(f"type {column.type}, by Spark {in_spark}, by Hive {in_hive}: {where}")

    def _types_in_hive(self, query: str) -> list[str] | None:
        from py4j.protocol import Py4JJavaError

        try:
            found = self._hive.types(query) if self._hive else None
        except (AssertionError, Py4JJavaError):  # refused, or a fault of Hive's
            return None
        self.in_hive += found is not None
        return found


def create_tables(spark: Any, database: str) -> dict[str, Any]:
    """Create the tables; a session with them for texts of each dialect, which differ by ANSI mode."""
    sessions = {"hive": spark.newSession(), "spark": spark.newSession()}
    spark.sql(f"CREATE DATABASE {database}")
    for table in TABLES:
        spark.sql(f"CREATE TABLE {database}.{table} ({_declared(table)}) USING parquet")
    for dialect, session in sessions.items():
        session.conf.set("spark.sql.ansi.enabled", dialect == "spark")
        session.catalog.setCurrentDatabase(database)
    return sessions


def _declared(table: str) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in columns_of(table))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("queries", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=None, help="of the random numbers (default: any)")
    parser.add_argument("--hive", action="store_true", help="ask Hive 2.3.10 too, of queries that it may take")
    chosen = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if chosen.seed is None else chosen.seed
    print(f"--seed {seed}", flush=True)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        in_memory = {"spark.sql.catalogImplementation": "in-memory"}
        spark = stack.enter_context(local_session("", scratch / "spark", app_name="beside", settings=in_memory))
        hive = stack.enter_context(hive_2(find_java(), scratch)) if chosen.hive else None
        if hive:
            hive.set("hive.strict.checks.cartesian.product", "false")
            for table in TABLES:
                hive.rows(f"CREATE TABLE {table} ({_declared(table)})")
        compared = Comparison(create_tables(spark, "random"), "random", hive)
        queries = RandomQueries(seed, in_hive=chosen.hive)
        for number in range(1, chosen.queries + 1):
            compared.add(queries.query())
            if number % _EVERY == 0 or number == chosen.queries:
                print(
                    f"{number} queries, {compared.refused} refused by Spark, {compared.in_hive} taken by Hive; "
                    f"{compared.outputs} columns, {compared.certain} types certain; {len(compared.wrong)} wrong",
                    flush=True,
                )
    print("\n".join(compared.wrong))
    for why, count in compared.uncertain.most_common(30):
        print(f"{count:>7} {why}")
    return 1 if compared.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
