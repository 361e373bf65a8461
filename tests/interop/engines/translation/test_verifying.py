"""Translated queries, verified on Hive, Spark and Trino."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import hive_views
from hive_views.cli import cli
from hive_views.engines.verification import DifferenceKind, Verification
from hive_views.engines.verifying import verify, verify_texts
from hive_views.errors import UnavailableError, UnsupportedFeatureError
from hive_views.sql.query import QueryText
from hive_views.translation import Checked
from tests.interop.engines.conftest import Engines
from tests.support.translation.asking import Bench
from tests.support.translation.rows import COLUMNS, COUNT, DATABASE, TABLES
from tests.support.translation.verdicts import translated

# PySpark leaves the socket of a collect() to the collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

NESTED = ("ai", "ast", "m", "st", "ars")
PLAIN = ", ".join(name for name in ("id", *COLUMNS) if name not in NESTED)


@pytest.fixture
def addresses(bench: Bench, engines: Engines) -> list[str]:
    """Those of Hive and Trino, which have the tables of the bench."""
    return [engines.hive.address, f"{engines.trino.address}/hive"]


@pytest.fixture
def spark_on_bench(bench: Bench, spark: Any, bench_files: Path) -> Iterator[Any]:
    """A session of Spark with these tables, which are on the metastore of this test alone."""
    spark.sql(f"CREATE DATABASE {DATABASE}")
    for table, columns in TABLES.items():
        named = ", ".join(f"`{name}` {type_}" for name, type_ in columns)
        spark.sql(f"CREATE TABLE {DATABASE}.{table} ({named}) USING orc LOCATION '{bench_files / table}'")
    yield spark
    for table in TABLES:
        spark.sql(f"DROP TABLE {DATABASE}.{table}")
    spark.sql(f"DROP DATABASE {DATABASE}")


def beside(addresses: list[Any], original: str, trino: str, rows: int | None, source: str = "hive") -> Verification:
    """What is said of a text of Trino that is given for a translation."""
    texts = QueryText(original, source), QueryText(trino, "trino")
    columns = translated(original, source, "trino").columns
    return verify_texts(*texts, addresses, namespace=DATABASE, columns=columns, rows=rows)


@pytest.mark.parametrize(("rows", "compared"), [(COUNT, COUNT), (7, 7)])
def test_hive_and_trino_return_the_same_values_of_all_types(addresses: list[str], rows: int, compared: int) -> None:
    found = verify(translated(f"SELECT {PLAIN} FROM t", "hive", "trino"), addresses, rows=rows)
    assert not found.differences
    [proof] = found.proofs
    assert (proof.checked, proof.rows, proof.is_complete) == (Checked.ROWS, compared, rows == COUNT)
    assert str(proof.beside) == "Hive 4.0.1"
    assert str(proof.engine) == "Trino 476"


# What a Spark returns is in tests/integration/test_spark_engine.py, for the newest one too.
@pytest.mark.pinned
def test_spark_and_trino_return_the_same_values_of_all_types(spark_on_bench: Any, addresses: list[str]) -> None:
    engines = [spark_on_bench, addresses[1]]
    all_of_it = translated("SELECT * FROM t", "spark", "trino")
    for rows in (COUNT, 7):
        found = verify(all_of_it, engines, rows=rows)
        assert not found.differences
        assert [proof.rows for proof in found.proofs] == [rows]
    with pytest.raises(UnsupportedFeatureError, match="engines do not order by m"):
        verify(translated("SELECT m FROM t", "spark", "trino"), engines, rows=7)
    # What Spark cannot convert in ANSI mode; the other way round it is Trino that fails.
    wrong = beside(engines, "SELECT CAST(s AS int) AS i FROM t", "SELECT i FROM t", 7, "spark")
    assert [one.kind for one in wrong.differences] == [DifferenceKind.REFUSED]
    assert "CAST_INVALID_INPUT" in wrong.differences[0].says[0]
    nested = beside(engines, "SELECT id, m FROM t", "SELECT id, if(id = 3, NULL, m) AS m FROM t", COUNT, "spark")
    assert [[row.columns for row in one.rows] for one in nested.differences] == [[("m",)]]


def test_trino_alone_says_whether_the_columns_are_the_same(addresses: list[str]) -> None:
    trino = addresses[1:]
    query = "SELECT i AS a, s AS b FROM t"
    [proof] = verify(translated(query, "hive", "trino"), trino).proofs
    assert (proof.checked, proof.rows) == (Checked.COLUMNS, None)
    for text, kind, says in (
        (
            "SELECT l AS a, s AS b FROM t",
            DifferenceKind.COLUMNS,
            "Column a is bigint by Trino, and int in the original",
        ),
        (
            "SELECT i AS a, s AS c FROM t",
            DifferenceKind.COLUMNS,
            "Column 2 is called c by Trino, and b in the original",
        ),
        ("SELECT i AS a FROM t", DifferenceKind.COLUMNS, "finds 1 column in the trino SQL, not 2"),
        ("SELECT no AS a, s AS b FROM t", DifferenceKind.REFUSED, "Column 'no' cannot be resolved"),
    ):
        found = beside(trino, query, text, None)
        assert (found.proofs, [one.kind for one in found.differences]) == ((), [kind])
        assert says in found.differences[0].says[0]


def test_a_wrong_translation_is_found_by_its_rows(addresses: list[str]) -> None:
    query = "SELECT id, s FROM t WHERE id < 5"
    for rows in (10, 2):
        found = beside(addresses, query, "SELECT id, if(id = 2, concat(s, '!'), s) AS s FROM t WHERE id < 5", rows)
        [difference] = found.differences
        assert (found.proofs, difference.kind) == ((), DifferenceKind.ROWS)
        [row] = difference.rows
        assert row.columns == ("s",)
        assert row.original
        assert row.translated == (2, f"{row.original[1]}!")
    # Four rows and more than four; a row twice.
    twice = "SELECT id, s FROM t WHERE id < 5 UNION ALL SELECT id, s FROM t WHERE id = 4"
    for text, rows in (("SELECT id, s FROM t", 4), (twice, 10)):
        assert [one.kind for one in beside(addresses, query, text, rows).differences] == [DifferenceKind.ROWS]
    failing = beside(addresses, "SELECT id AS i FROM t", "SELECT CAST(s AS integer) AS i FROM t", 10)
    [difference] = failing.differences
    assert difference.says[0].startswith("Trino 476 fails to run the trino SQL: Cannot cast")


def test_what_hive_does_not_return_exactly_is_refused(addresses: list[str]) -> None:
    with pytest.raises(UnsupportedFeatureError, match="rows of column ai: Hive returns arrays, maps and structs as"):
        verify(translated("SELECT id, ai FROM t", "hive", "trino"), addresses, rows=7)


@pytest.mark.parametrize("address", ["trino://nobody@127.0.0.1:1/hive", "hive://nobody:Secret9@127.0.0.1:1"])
def test_an_engine_that_does_not_answer_proves_nothing(addresses: list[str], address: str) -> None:
    engines = [address if one.startswith(address[:5]) else one for one in addresses]
    with pytest.raises(UnavailableError) as failed:
        verify(translated("SELECT id FROM t", "hive", "trino"), engines, rows=7)
    assert "127.0.0.1" in str(failed.value)
    assert "Secret9" not in str(failed.value)


def test_the_command_verifies_what_it_translates(addresses: list[str], engines: Engines, tmp_path: Path) -> None:
    query = tmp_path / "query.sql"
    query.write_text(
        f"WITH c AS (SELECT i, s FROM {DATABASE}.t) SELECT c.i, max(c.s) AS longest FROM c GROUP BY c.i;\n"
    )
    command = ["--uri", engines.metastore.uri, "translate", str(query), "--verify-rows", "100"]
    verified = [argument for address in addresses for argument in ("--verify", address)]
    ended = CliRunner().invoke(cli, [*command, *verified, "--output", "json"])
    assert ended.exit_code == 0, ended.output
    document = json.loads(ended.stdout)
    [proof] = document["verification"]["proofs"]
    assert (proof["rows"], proof["is_complete"]) == (16, True)
    found = hive_views.translate(query.read_text(), tables={"bench.t": TABLES["t"]})
    assert found.text == document["text"]
    assert proof["digest"] == hive_views.verify(found, addresses[1:]).proofs[0].digest
