"""Greek, Japanese and emoji on a metastore whose database is Latin 1, as MariaDB's official schema is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_views import View, ViewCatalog
from tests.interop.engines.conftest import Engines, SparkProcess
from tests.support.containers.engines import Hive, Trino

SERVER = "4.0.1 on MariaDB, latin1"
LABEL = "καλημέρα 日本語 😀"
ROW = (1, LABEL, "2026-08-21")


def proves(engine: str) -> pytest.MarkDecorator:
    operation = "Greek, Japanese, emoji: literals"
    return pytest.mark.matrix(engine=engine, operation=operation, server=SERVER, result="as written")


@pytest.fixture(scope="session")
def engines(engines_on: Callable[[str], Engines]) -> Engines:
    """The engines on the metastore 4.0.1 on MariaDB."""
    return engines_on("mariadb")


@pytest.fixture
def labelled(catalog: ViewCatalog, namespace: str, web: str) -> View:
    """A view with Greek, Japanese and emoji in its literals, and names that Latin 1 has."""
    select = f"SELECT user_id, '{LABEL}' AS label, ds FROM {web}.clicks WHERE page = 'Ω / é 😀'"
    return catalog.create_view(
        f"{namespace}.labelled",
        sql={"hive": select, "trino": select},
        schema=[("user_id", "bigint"), ("label", "string"), ("ds", "string")],
        partitioned_on=["ds"],
    )


@proves("Hive 4.0.1")
def test_hive_reads_literals_as_they_were_written(labelled: View, hive: Hive) -> None:
    assert hive.rows(f"SELECT * FROM {labelled.identifier}") == [ROW]


@pytest.mark.matrix(
    engine="Trino 476",
    operation="Greek, Japanese, emoji: literals",
    server=SERVER,
    result="as written, with hive.hive-views.legacy-translation",
)
def test_trino_reads_literals_as_they_were_written_with_its_older_translation(labelled: View, trino: Trino) -> None:
    assert trino.rows(f"SELECT * FROM hive_legacy.{labelled.identifier}") == [ROW]


@proves("Spark 4.1.4")
def test_spark_reads_literals_as_they_were_written(labelled: View, spark_4: SparkProcess) -> None:
    assert spark_4.rows(f"SELECT * FROM {labelled.identifier}") == [ROW]
