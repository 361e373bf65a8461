"""Hive tables read through a Spark session: all that the metastore reports, or their partitions alone."""

from __future__ import annotations

from typing import Any

from hive_views.base_tables.hive import HiveBaseTable
from hive_views.base_tables.port import BaseTable, PartitionListing
from hive_views.spark.base_tables.session_metastore import HiveClient, SparkMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files

# Objects come a call for each partition, or for those with the same values but the last: all names tell which.
_OBJECTS_IN_ONE_CALL = 100_000


class SparkHiveTable(HiveBaseTable):
    """A Hive table, by Spark's own client of the metastore; it reports what ``HiveBaseTable`` reports.

    Of the marks of writers it does not report events, which Spark does not ask for. Statistics, fingerprints,
    parameters and directories cost a call for each partition that is asked for, or one for all that differ in the last
    column.

    Args:
        spark: a classic SparkSession with Hive.
        identifier: the table.
        client: that of the session.
        path: the name in Spark's SQL, quoted.
        files: the storage of its partitions; asked for ``_SUCCESS`` files only.
    """

    def __init__(self, spark: Any, identifier: TableIdentifier, client: HiveClient, *, path: str, files: Files) -> None:
        metastore = SparkMetastore(spark, path, client)
        row = metastore.load_row(identifier)
        super().__init__(metastore, row, files=files, objects_in_one_call=_OBJECTS_IN_ONE_CALL)


class ListedHiveTable(BaseTable):
    """A Hive table by SHOW PARTITIONS, for sessions without a client of the metastore that could report more.

    Args:
        spark: a SparkSession, classic or Connect.
        identifier: the table.
        path: the name in Spark's SQL, quoted.
        read_through: as ``BaseTable.read_through``.
    """

    format = "hive"

    def __init__(self, spark: Any, identifier: TableIdentifier, *, path: str, read_through: str) -> None:
        metastore = SparkMetastore(spark, path)
        self._table = HiveBaseTable(metastore, metastore.load_row(identifier))
        self.name = self._table.name
        self.read_through = read_through

    def list_partitions(self) -> PartitionListing:
        """As ``HiveBaseTable`` does."""
        return self._table.list_partitions()
