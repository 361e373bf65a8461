"""Greek, Japanese and emoji through every engine: the right rows and names, or a loss that is reported."""

from __future__ import annotations

import logging

import pytest

from hive_views import View, ViewCatalog
from tests.interop.engines.conftest import SparkProcess
from tests.support.containers.engines import Hive, Trino

SERVER = "4.0.1 on PostgreSQL"
LITERALS = "Greek, Japanese, emoji: literals"
COMMENTS = "Greek, Japanese, emoji: names of columns, comments"
LABEL = "καλημέρα 日本語 😀"
ROW = (1, LABEL, "2026-08-21")


def proves(engine: str, operation: str) -> pytest.MarkDecorator:
    return pytest.mark.matrix(engine=engine, operation=operation, server=SERVER, result="as written")


@pytest.fixture
def polyglot(catalog: ViewCatalog, namespace: str, web: str) -> View:
    """A view with Greek, Japanese and emoji in all places that take them."""
    select = f"SELECT user_id AS `χρήστης`, '{LABEL}' AS `日本`, ds FROM {web}.clicks WHERE page = 'Ω / é 😀'"
    return catalog.create_view(
        f"{namespace}.polyglot",
        sql={"hive": select, "trino": select.replace("`", '"')},
        schema=[("χρήστης", "bigint", "ποιος"), ("日本", "string", "挨拶 😀"), ("ds", "string")],
        partitioned_on=["ds"],
        comment="τι; 何 😀",
    )


@proves("Hive 4.0.1", LITERALS)
@proves("Hive 4.0.1", COMMENTS)
def test_hive_returns_rows_names_and_comments_as_they_were_written(polyglot: View, hive: Hive) -> None:
    assert hive.rows(f"SELECT * FROM {polyglot.identifier}") == [ROW]
    assert hive.rows(f"SELECT `χρήστης` FROM {polyglot.identifier} WHERE `日本` = '{LABEL}'") == [(1,)]
    reported = hive.rows(f"DESCRIBE {polyglot.identifier}")
    assert reported[:2] == [("χρήστης", "bigint", "ποιος"), ("日本", "string", "挨拶 😀")]


@pytest.mark.matrix(
    engine="Trino 476", operation=LITERALS, server=SERVER, result="as written, with hive.hive-views.legacy-translation"
)
def test_trino_returns_rows_as_they_were_written_with_its_older_translation(
    polyglot: View, namespace: str, trino: Trino
) -> None:
    assert trino.rows(f"SELECT * FROM hive_legacy.{polyglot.identifier}") == [ROW]
    view = f"hive_legacy.{polyglot.identifier}"
    assert trino.rows(f'SELECT "χρήστης" FROM {view} WHERE "日本" = \'{LABEL}\'') == [(1,)]


@pytest.mark.matrix(
    engine="Trino 476",
    operation=LITERALS,
    server=SERVER,
    result="as the six characters of an escape by its default translation; told at the commit",
)
def test_what_trino_does_not_read_as_it_was_written_is_reported_at_the_commit(
    catalog: ViewCatalog, namespace: str, trino: Trino, caplog: pytest.LogCaptureFixture
) -> None:
    """Pinned, so that we notice when Coral learns to read escapes."""
    one = {"hive": "SELECT 'Ω' AS a", "trino": "SELECT 'Ω' AS a"}
    with caplog.at_level(logging.WARNING, logger="hive_views"):
        made = catalog.create_view(f"{namespace}.omega", sql=one, schema=[("a", "string")])
    assert trino.rows(f"SELECT a FROM {made.identifier}") == [(r"\u03a9",)]
    assert "hive.hive-views.legacy-translation" in caplog.text
    assert r"\u03a9" in caplog.text


@proves("Trino 476", COMMENTS)
def test_trino_returns_names_and_comments_as_they_were_written(polyglot: View, namespace: str, trino: Trino) -> None:
    reported = [(name, comment) for name, _, _, comment in trino.rows(f"DESCRIBE {polyglot.identifier}")]
    assert reported[:2] == [("χρήστης", "ποιος"), ("日本", "挨拶 😀")]
    where = f"WHERE catalog_name = 'hive' AND schema_name = '{namespace}'"
    assert trino.rows(f"SELECT comment FROM system.metadata.table_comments {where}") == [("τι; 何 😀",)]


@proves("Spark 4.1.4", LITERALS)
@proves("Spark 4.1.4", COMMENTS)
def test_spark_returns_rows_names_and_comments_as_they_were_written(polyglot: View, spark_4: SparkProcess) -> None:
    assert spark_4.rows(f"SELECT * FROM {polyglot.identifier}") == [ROW]
    assert spark_4.rows(f"SELECT `χρήστης` FROM {polyglot.identifier} WHERE `日本` = '{LABEL}'") == [(1,)]
    reported = spark_4.rows(f"DESCRIBE {polyglot.identifier}")
    assert reported[:2] == [("χρήστης", "bigint", "ποιος"), ("日本", "string", "挨拶 😀")]


def test_the_row_holds_all_of_it_and_literals_in_ascii(polyglot: View, catalog: ViewCatalog) -> None:
    found = catalog.load_view(polyglot.identifier)
    assert (found.differences, found.comment) == ((), "τι; 何 😀")
    assert LABEL not in str(found.row.expanded_text)
    assert LABEL in str(found.row.original_text)
    assert "`日本`" in str(found.row.expanded_text)
