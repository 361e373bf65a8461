"""One view, one row: created once, and every engine reads the same numbers.

Iceberg's Java asks a metastore in a way that 4.0.1 does not answer any more: it reads the same view on 3.1.3.
"""

from __future__ import annotations

import gzip
import uuid
from functools import partial
from pathlib import Path

import pytest
from pyiceberg.view.metadata import ViewMetadata

from hive_views import View, ViewCatalog
from tests.interop.clicks import BASE_ROWS, COLUMNS, ROWS
from tests.interop.engines.conftest import SparkProcess
from tests.support.containers.engines import Hive, Rows, Trino
from tests.support.containers.metastores import MetastoreServers
from tests.support.java.connectors import ICEBERG_VERSION
from tests.support.java.iceberg_java import started

proves = partial(pytest.mark.matrix, operation="One view, one row", result="the same numbers in all")
on_3_1 = partial(proves, server="3.1.3 on PostgreSQL")
on_4_0 = partial(proves, server="4.0.1 on PostgreSQL")


@on_4_0(engine="Hive 4.0.1")
@on_4_0(engine="Trino 476")
@on_4_0(engine="Spark 4.1.4")
@on_4_0(engine="PyIceberg 0.12.0")
def test_a_view_that_is_created_once_gives_the_same_numbers_in_every_engine(
    view: View, hive: Hive, trino: Trino, spark_4: SparkProcess
) -> None:
    select = f"SELECT user_id, clicks, ds FROM {view.identifier} ORDER BY ds, user_id"
    answers = {
        "Hive": hive.rows(select),
        "Trino": trino.rows(select),
        "Spark": spark_4.rows(select),
        "PyIceberg": in_order(trino.rows(text_that_pyiceberg_reads(view, "trino"))),
    }
    assert answers == dict.fromkeys(answers, ROWS)


@on_3_1(engine="Spark 4.1.4")
@on_3_1(engine=f"Iceberg {ICEBERG_VERSION} on Spark 4.1.4")
@on_3_1(engine="PyIceberg 0.12.0")
def test_the_same_row_is_read_by_iceberg_java_too(
    java: Path,
    iceberg_jar: Path,
    metastore_servers: MetastoreServers,
    tmp_path: Path,
) -> None:
    server = metastore_servers.shared("3.1.3", "postgres")
    catalog = ViewCatalog(server.client, warehouse=str(tmp_path / "views"))
    web, sales = (f"{word}_{uuid.uuid4().hex[:12]}" for word in ("web", "sales"))
    for namespace in (web, sales):
        server.client.create_namespace(namespace, location=f"file:{tmp_path / namespace}")
    with started(java, [iceberg_jar], server.uri, tmp_path) as iceberg:
        iceberg.sql(f"CREATE TABLE {web}.clicks (user_id BIGINT, page STRING, ds STRING) STORED AS PARQUET")
        iceberg.sql(f"INSERT INTO {web}.clicks VALUES {BASE_ROWS}")
        text = f"SELECT user_id, count(*) AS clicks, ds FROM {web}.clicks GROUP BY user_id, ds"
        view = catalog.create_view(
            f"{sales}.daily",
            sql={"hive": text, "spark": text.replace(web, f"spark_catalog.{web}")},
            schema=COLUMNS,
            partitioned_on=["ds"],
        )
        select = f"SELECT user_id, clicks, ds FROM {view.identifier} ORDER BY ds, user_id"
        answers = {
            "Spark": iceberg.sql(select),
            "Iceberg": iceberg.sql(select.replace(sales, f"ice.{sales}")),
            "PyIceberg": in_order(iceberg.sql(text_that_pyiceberg_reads(view, "spark"))),
        }
    assert answers == dict.fromkeys(answers, ROWS)


def in_order(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: (row[2], row[0]))


def text_that_pyiceberg_reads(view: View, dialect: str) -> str:
    """The text of a dialect, from the file that the row points to, by PyIceberg's model of it; it runs no SQL."""
    content = gzip.decompress(Path(view.row.parameters["metadata_location"].removeprefix("file://")).read_bytes())
    found = ViewMetadata.model_validate_json(content)
    (version,) = [one for one in found.versions if one.version_id == found.current_version_id]
    return {one.root.dialect: one.root.sql for one in version.representations}[dialect]
