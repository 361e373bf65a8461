"""The tables and views that rows of plain and adopted views name, where each engine finds them."""

from __future__ import annotations

import pytest

from hive_views.ddl.cycles import refuse_cycle
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from hive_views.views.row.dependencies import read_by
from hive_views.views.row.trino_view import text_with
from tests.support.views.catalog_setup import table_row
from tests.support.views.quick_catalog import NAME, catalog_on

TEXT = "SELECT a FROM t JOIN web.u USING (a) JOIN spark_catalog.web.v USING (a)"


def spark_row(text: str, catalog: str, namespace: str) -> Row:
    return Row(
        NAME,
        "VIRTUAL_VIEW",
        original_text=text,
        expanded_text=text,
        parameters={
            "spark.sql.create.version": "3.5.8",
            "view.catalogAndNamespace.numParts": "2",
            "view.catalogAndNamespace.part.0": catalog,
            "view.catalogAndNamespace.part.1": namespace,
        },
    )


def trino_row(sql: str, **where: str) -> Row:
    document = {"originalSql": sql, "columns": [{"name": "a", "type": "integer"}], **where}
    return Row(
        NAME,
        "VIRTUAL_VIEW",
        original_text=text_with(document),
        expanded_text="/* Presto View */",
        parameters={"presto_view": "true", "comment": "Presto View"},
    )


READ = {
    "Spark's in another database": (spark_row(TEXT, "spark_catalog", "other"), ["other.t", "web.u", "web.v"]),
    "Spark's in another catalog": (spark_row(TEXT, "ice", "other"), ["web.v"]),
    "Trino's": (
        trino_row("SELECT a FROM t, web.u, hive.web.v", catalog="hive", schema="other"),
        ["other.t", "web.u", "web.v"],
    ),
    "Trino's in another catalog": (trino_row("SELECT a FROM t, hive.web.v", catalog="lake", schema="other"), ["web.v"]),
    "Trino's without a catalog": (trino_row("SELECT a FROM hive.web.v"), ["web.v"]),
    "a table": (table_row("sales", "daily"), []),
}


@pytest.mark.parametrize("kind", READ)
def test_a_row_reads_what_its_engine_finds_by_the_names_in_it(kind: str) -> None:
    row, names = READ[kind]
    assert [str(name) for name in read_by(row)] == names


def test_a_cycle_through_a_view_that_spark_made_in_another_database_is_refused() -> None:
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore)
    catalog.create_namespace("other")
    metastore.create_row(spark_row("SELECT a FROM b", "spark_catalog", "other"))
    with pytest.raises(InvalidInputError, match=r"other\.b -> sales\.daily -> other\.b"):
        refuse_cycle(metastore, TableIdentifier("other", "b"), QueryText(f"SELECT a FROM {NAME}", "hive"), "other")
