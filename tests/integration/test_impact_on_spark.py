"""What ``impact`` says before is what a real Spark fails to read afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException

from hive_views import ViewCatalog
from hive_views.estate import impact
from hive_views.metastore.thrift.hms import HiveMetastore

pytestmark = [pytest.mark.pinned, pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")]

COLUMNS = ("id int", "iso string", "n int")
OURS = {
    "listed": ("SELECT id, iso FROM {}.users", "id int", "iso string"),
    "filtered": ("SELECT id FROM {}.users WHERE iso = 'x'", "id int"),
    "everything": ("SELECT * FROM {}.users", *COLUMNS),
    "number": ("SELECT n FROM {}.users", "n int"),
    "summed": ("SELECT id FROM {}.users GROUP BY id HAVING sum(n) > 0", "id int"),
    "over": ("SELECT id FROM {}.listed", "id int"),
    "chosen": ("SELECT CASE WHEN id > 0 THEN n ELSE 0 END AS n FROM {}.users", "n int"),
}
SPARKS = {"spark_star": "SELECT * FROM {}.users", "spark_number": "SELECT n FROM {}.users"}


CHANGES = {
    "DROP COLUMN iso": ("id int", "n int"),
    "CHANGE n n bigint": ("id int", "iso string", "n bigint"),
    "CHANGE n n date": ("id int", "iso string", "n date"),
    "ADD COLUMNS (z int)": (*COLUMNS, "z int"),
}


def test_the_views_that_spark_fails_on_are_those_that_are_named(
    hms: HiveMetastore, namespace: str, spark: Any, tmp_path: Path
) -> None:
    catalog = ViewCatalog(hms, warehouse=f"file://{tmp_path}/views")
    make_table(spark, namespace, COLUMNS)
    for name, (query, *schema) in OURS.items():
        pairs = [tuple(one.split()) for one in schema]
        catalog.create_view(f"{namespace}.{name}", sql={"hive": query.format(namespace)}, schema=pairs)
    for name, query in SPARKS.items():
        spark.sql(f"CREATE VIEW {namespace}.{name} AS {query.format(namespace)}")
    said = {change: impact(catalog, f"ALTER TABLE users {change}", namespace=namespace).broken for change in CHANGES}
    views = [f"{namespace}.{name}" for name in (*OURS, *SPARKS)]
    for change, columns in CHANGES.items():
        make_table(spark, namespace, columns)
        assert (change, tuple(sorted(one for one in views if not is_read(spark, one)))) == (change, said[change])


def make_table(spark: Any, namespace: str, columns: Sequence[str]) -> None:
    spark.sql(f"DROP TABLE IF EXISTS {namespace}.users")
    spark.sql(f"CREATE TABLE {namespace}.users ({', '.join(columns)}) STORED AS PARQUET")


def is_read(spark: Any, view: str) -> bool:
    try:
        return bool(spark.table(view).schema)
    except AnalysisException:
        return False
