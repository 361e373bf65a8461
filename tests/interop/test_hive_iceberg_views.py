"""Iceberg views of Hive's own (HIVE-29578), made by its description, beside Spark and Iceberg Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from tests.interop.clicks import PAGES, Ask
from tests.support.java.iceberg_java import Iceberg
from tests.support.views.foreign_writers import JAVA_INPUT_FORMAT, hive_create_iceberg_view

pytestmark = [
    pytest.mark.peer("iceberg-spark"),
    # PySpark leaves the socket of every collect() and first() to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


def proves(operation: str, result: str) -> pytest.MarkDecorator:
    return pytest.mark.matrix(
        engine="Hive's own Iceberg views (HIVE-29578), by description",
        operation=operation,
        result=result,
        server="2.3.10 on Derby",
    )


@pytest.fixture
def of_hive(catalog: ViewCatalog, namespace: str, web: str, tmp_path: Path) -> Row:
    text = f"select `clicks`.`user_id` as `u`, `clicks`.`page` as `p`, `clicks`.`ds` as `ds` from `{web}`.`clicks`"
    name = TableIdentifier(namespace, "of_hive")
    return hive_create_iceberg_view(catalog.metastore, catalog.storage, name, f"file:{tmp_path}/of_hive", text)


COLUMNS = [("u", "bigint"), ("p", "string"), ("ds", "string")]


@proves("a view that it made, and our changes of it", "found by Iceberg; plain Spark needs the class of the handler")
def test_a_view_that_hive_made_keeps_its_handler_and_is_found_by_iceberg(
    of_hive: Row, catalog: ViewCatalog, iceberg: Iceberg, web: str, ask: Ask
) -> None:
    name = of_hive.identifier
    assert [row[:2] for row in iceberg.sql(f"DESCRIBE ice.{name}")] == COLUMNS
    where = "clicks WHERE page != '/'"
    texts = dict.fromkeys(("hive", "spark"), f"SELECT user_id AS u FROM {web}.{where}")
    texts["spark"] = texts["spark"].replace(web, f"spark_catalog.{web}")
    row = catalog.replace_view(name, sql=texts, schema=[("u", "bigint")]).row
    assert row.parameters["storage_handler"] == of_hive.parameters["storage_handler"]
    assert row.input_format == JAVA_INPUT_FORMAT
    assert iceberg.sql(f"SELECT * FROM ice.{name}") == [(1,)]
    with pytest.raises(Exception, match="Error in loading storage handler"):
        ask(f"SELECT * FROM {name}")


@proves("a view that it made, repaired with on_drift='adopt'", "read by plain Spark")
def test_without_the_handler_plain_spark_reads_it_too(
    of_hive: Row, catalog: ViewCatalog, iceberg: Iceberg, ask: Ask
) -> None:
    name = of_hive.identifier
    assert "storage_handler" not in catalog.repair_view(name, on_drift="adopt").row.parameters
    assert ask(f"SELECT * FROM {name}") == PAGES
    assert [row[:2] for row in iceberg.sql(f"DESCRIBE ice.{name}")] == COLUMNS


@proves("a view that it made, partitioned by us", "refused, until told to take the handler away")
def test_partitions_take_the_handler_away(of_hive: Row, catalog: ViewCatalog, web: str, ask: Ask) -> None:
    name, text = of_hive.identifier, f"SELECT user_id, ds FROM {web}.clicks"
    schema = [("user_id", "bigint"), ("ds", "string")]
    with pytest.raises(ValueError, match="cannot have partitions"):
        catalog.replace_view(name, sql={"hive": text}, schema=schema, partitioned_on=["ds"])
    catalog.replace_view(name, sql={"hive": text}, schema=schema, partitioned_on=["ds"], on_drift="adopt")
    catalog.partitions(name).add([{"ds": "2026-08-21"}])
    assert "storage_handler" not in catalog.load_view(name).row.parameters
    assert ask(f"SELECT * FROM {name} WHERE ds = '2026-08-22'") == [(1, "2026-08-22")]
