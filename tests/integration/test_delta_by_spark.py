"""Delta tables as Spark changes them, with partition values that paths escape: rows are counted as Spark does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.delta.table import DeltaBaseTable
from hive_views.base_tables.port import PartitionListing
from hive_views.storage.files import Files
from tests.integration.lake import SparkLake
from tests.support.tables.writable import grown, sizes

pytestmark = [pytest.mark.connectors, pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")]

VALUES = ("plain", "a b", "50%", "\N{LATIN SMALL LETTER A WITH DIAERESIS}/\N{CJK UNIFIED IDEOGRAPH-65E5}")
LAST = VALUES[-1]


class _Table:
    """A table by its directory; each step is followed by a listing, which Spark and all older listings confirm."""

    def __init__(self, spark: Any, directory: Path) -> None:
        self.name = f"delta.`{directory}`"
        self._spark = spark
        self._reader = DeltaBaseTable("clicks", str(directory), Files())
        self._listings: list[PartitionListing] = []

    def step(self, statement: str) -> None:
        self._spark.sql(statement.replace("{t}", self.name)).collect()
        listing = self._reader.list_partitions()
        counted = self._spark.sql(f"SELECT ds, count(*) FROM {self.name} GROUP BY ds").collect()
        assert {values: records for values, (_, records) in sizes(listing).items()} == {
            (ds,): records for ds, records in counted
        }, statement
        assert listing.snapshot
        for earlier in self._listings:
            assert earlier.snapshot
            assert grown(earlier, self._reader.changes(earlier.snapshot, listing.snapshot)) == sizes(listing), statement
        self._listings.append(listing)


@pytest.fixture
def delta_spark(lake: SparkLake) -> Any:
    """A session whose own catalog is Delta's: without it, Spark changes no table that is named by its path."""
    session = lake.spark.newSession()
    session.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    session.conf.set("spark.databricks.delta.snapshotPartitions", "1")
    session.conf.set("spark.sql.shuffle.partitions", "1")
    return session


def test_rows_are_counted_after_all_that_spark_does_to_a_table_and_to_its_shallow_clones(
    delta_spark: Any, tmp_path: Path
) -> None:
    source, clone = (
        _Table(delta_spark, tmp_path / name) for name in ("source \N{LATIN SMALL LETTER U WITH DIAERESIS} 1%", "c")
    )
    rows = ", ".join(f"({n}, '{value}')" for value in VALUES for n in range(8))
    source.step(
        "CREATE TABLE {t} (n INT, ds STRING) USING delta PARTITIONED BY (ds) "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    source.step(f"INSERT INTO {{t}} SELECT /*+ REPARTITION(1) */ * FROM VALUES {rows}")
    source.step("DELETE FROM {t} WHERE n < 2")
    clone.step(f"CREATE TABLE {{t}} SHALLOW CLONE {source.name}")
    clone.step("DELETE FROM {t} WHERE n = 5")
    clone.step(f"OPTIMIZE {{t}} WHERE ds = '{LAST}'")
    clone.step("REORG TABLE {t} WHERE ds = '50%' APPLY (PURGE)")
    clone.step(f"DELETE FROM {{t}} WHERE ds = '{LAST}'")
    clone.step("RESTORE TABLE {t} TO VERSION AS OF 1")
    source.step("RESTORE TABLE {t} TO VERSION AS OF 1")
