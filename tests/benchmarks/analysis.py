"""What the analysis of a query takes, from its text: the queries of TPC-DS and TPC-H, and those of about 100 lines."""

from __future__ import annotations

import time
from collections.abc import Iterator

from hive_views.analysis import analyze_query
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText
from tests.benchmarks.figures import Figure
from tests.support.texts.tpc import tpc_ds, tpc_h

_OF_100_LINES = range(80, 121)


def measure_analysis(rounds: int) -> Iterator[Figure]:
    """Seconds of each query, the median of its rounds; what is to be reached is that of 100 lines."""
    seconds: dict[int, list[float]] = {}
    every: list[float] = []
    for benchmark in (tpc_ds(), tpc_h()):
        tables = {
            ("tpc", name): [Column(column, type_) for column, type_ in columns]
            for name, columns in benchmark.tables.items()
        }
        for text in benchmark.queries.values():
            taken = sorted(_seconds(text, tables) for _ in range(rounds))[rounds // 2]
            every.append(taken)
            seconds.setdefault(text.count("\n") + 1, []).append(taken)
    of_100_lines = [taken for lines, found in seconds.items() if lines in _OF_100_LINES for taken in found]
    yield Figure(f"analyze the {len(every)} queries of TPC-DS and TPC-H", every, [], None)
    yield Figure(f"analyze the {len(of_100_lines)} of 80 to 120 lines", of_100_lines, [], 0.010)


def _seconds(text: str, tables: dict[tuple[str, str], list[Column]]) -> float:
    started = time.perf_counter()
    analyze_query(QueryText(text, "spark"), "tpc", tables)
    return time.perf_counter() - started
