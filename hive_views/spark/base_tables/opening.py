"""Which reader through Spark a table has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hive_views.base_tables.formats import FILE_SOURCES
from hive_views.base_tables.opening import table_name
from hive_views.base_tables.port import BaseTable
from hive_views.errors import UnsupportedFeatureError
from hive_views.spark.base_tables.hive import ListedHiveTable, SparkHiveTable
from hive_views.spark.base_tables.iceberg import SparkIcebergTable
from hive_views.spark.base_tables.session_metastore import described, hive_client
from hive_views.spark.sessions.session_beside import is_connect
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.quoting import quote_identifier
from hive_views.storage.files import Files

_SESSION_CATALOG = "spark_catalog"


def spark_base_tables(spark: Any, *names: str, files: Files | None = None) -> dict[str, BaseTable]:
    """Readers for these tables, for ``publish(base_tables=...)``; they report what the library's own readers do.

    Of Hive tables Spark does not see events (``marked_done(by="event")``), and through Spark Connect, or without Hive,
    it reports which partitions there are and nothing else; rules that ask for more are refused. Statistics, marks and
    fingerprints of Hive partitions cost more calls than without Spark: pass ``fingerprints=False`` to ``publish`` where
    ``revalidate`` is not used.

    Args:
        spark: a SparkSession, classic or Connect.
        names: ``namespace.name`` of Hive and Iceberg tables; ``catalog.namespace.name`` in another catalog of Spark's,
            for which rules name ``namespace.name``.
        files: where the metadata files of Iceberg tables are read: one small file for each.

    Raises:
        NoSuchTableError: the session does not know a table.
        UnsupportedFeatureError: a table of another format. Delta tables are listed by the library's own reader.
    """
    found = (_open(spark, name, files or Files()) for name in names)
    return {table.name: table for table in found}


def _open(spark: Any, name: str, files: Files) -> BaseTable:
    parts = re.findall(r"`[^`]+`|[^.`]+", name)
    path = ".".join(quote_identifier(part.strip("`")) for part in parts)
    table = table_name(".".join(name.split(".")[-2:]))
    described_as: Mapping[str, str] = dict(described(spark, path))
    provider = described_as.get("Provider", "").lower()
    if provider == "iceberg":
        return SparkIcebergTable(spark, table, files, path=path)
    if provider in FILE_SOURCES and described_as.get("Type") != "VIEW":
        return _open_hive(spark, TableIdentifier.of(table), path, described_as.get("Catalog", _SESSION_CATALOG), files)
    raise UnsupportedFeatureError(
        f"Cannot list the partitions of {name} through Spark: it is a {provider or 'view'}, and Spark lists those of "
        f"Hive and Iceberg tables without opening data files. Leave it out of base_tables= to read it without Spark.",
        table=name,
    )


def _open_hive(spark: Any, identifier: TableIdentifier, path: str, catalog: str, files: Files) -> BaseTable:
    client = hive_client(spark) if catalog == _SESSION_CATALOG else None
    if client:
        return SparkHiveTable(spark, identifier, client, path=path, files=files)
    through = "Spark Connect" if is_connect(spark) else "a catalog of Spark other than Hive's"
    return ListedHiveTable(spark, identifier, path=path, read_through=through)
