"""The queries of TPC-DS and TPC-H in Trino: they return the rows that they return in Spark, or are refused.

A run asks each fifth of the 121 queries; ``TRANSLATIONS=all`` asks all, and then Spark in ANSI mode and Hive 4.0.1 too,
which takes seconds for a query. tests/interop/translation.md says how many are refused, and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from hive_views.translation import translate
from tests.interop.engines.translation.sampling import are_all_asked, fifths
from tests.interop.tpc_tables import EMPTY, Tpc, make_tpc_tables, tpc
from tests.support.translation.answers import Answer, Refused
from tests.support.translation.asking import Bench
from tests.support.translation.comparing import differing, differing_types

pytestmark = pytest.mark.peer("duckdb")

READ_BY = {"hive": ("spark", "hive-4.0"), "spark": ("spark", "spark-ansi")}
"""The first one says what a text means, and the others must not contradict.

Hive 4.0.1 does not answer ten of the texts that are translated: two are not in its grammar, and for eight its jobs have
more counters than they may have.
"""


@pytest.fixture(scope="module")
def benchmarks(bench: Bench, engines: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tpc]:
    pytest.importorskip("duckdb_extension_tpcds", reason="DuckDB's extensions are missing, which have the rows")
    made = tpc()
    make_tpc_tables(made, tmp_path_factory.mktemp("tpc"), engines.trino.rows, lambda sql: bench.ask("spark", sql))
    yield made
    # With CASCADE Trino drops all tables at once, each over a connection of its own. Hive 4.0.1 then waits for itself:
    # what drops holds all connections to the database, and waits for what opens one.
    for benchmark in made.benchmarks:
        for table in benchmark.tables:
            engines.trino.rows(f"DROP TABLE {benchmark.name}.{table}")
        engines.trino.rows(f"DROP SCHEMA {benchmark.name}")


@pytest.mark.parametrize("fifth", fifths())
@pytest.mark.parametrize("source", READ_BY)
def test_the_rows_are_those_of_spark(bench: Bench, benchmarks: Tpc, source: str, fifth: int) -> None:
    read_by = READ_BY[source] if are_all_asked() else READ_BY[source][:1]
    asked = list(benchmarks.queries.items())[fifth::5]
    wrong, same, empty = [], set(), set()
    for name, text in asked:
        translated = translate(text, source, "trino", tables=benchmarks.columns).text
        if translated is None:
            continue
        answers = bench.ask_each({**dict.fromkeys(read_by, text), "trino": translated})
        if differences := list(_differences(answers)):
            wrong.append(f"{name}: {differences}\n{text}\n{translated}")
            continue
        same.add(name)
        if not bench.ask("trino", translated).rows:
            empty.add(name)
    assert not wrong, "\n".join(wrong)
    print(f"{len(asked)} queries: {len(same)} are translated and return the same rows, {len(empty)} of them none")
    assert empty == EMPTY & same
    assert len(same) > len(asked) / 3


def _differences(answers: Mapping[str, Answer | Refused]) -> Iterator[str]:
    meant, of_trino = answers["spark"], answers["trino"]
    if isinstance(meant, Refused) or isinstance(of_trino, Refused):
        yield from (f"{engine} refuses: {answer}" for engine, answer in answers.items() if isinstance(answer, Refused))
        return
    for engine, answer in answers.items():
        if not isinstance(answer, Refused) and (difference := differing(meant, answer)):
            yield f"{engine}: {difference}"
    if difference := differing_types(meant, of_trino):
        yield f"trino: {difference}"
    if _names(meant) != _names(of_trino):
        yield f"trino: columns {_names(of_trino)} instead of {_names(meant)}"


def _names(answer: Answer) -> list[str]:
    return [name.lower() for name, _ in answer.columns]
