"""The format of a base table, read from its row as engines write them, or from its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.formats import FORMATS, detect_format, formats_at
from hive_views.base_tables.opening import open_base_table
from hive_views.errors import InvalidIdentifierError, InvalidInputError, NoSuchTableError, UnsupportedFeatureError
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files

NAME = TableIdentifier("default", "clicks")
DS = Column("ds", "string")


def row(parameters: Mapping[str, str] | None = None, **changes: Any) -> Row:
    return Row(**{"identifier": NAME, "table_type": "MANAGED_TABLE", "parameters": parameters or {}, **changes})


ROWS = {
    "a Hive table": (
        row({"transactional": "true"}, input_format="org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"),
        "hive",
    ),
    "an external table": (row({"EXTERNAL": "TRUE"}, table_type="EXTERNAL_TABLE"), "hive"),
    "a Spark table in files": (
        row({"spark.sql.sources.provider": "parquet", "spark.sql.partitionProvider": "catalog"}),
        "hive",
    ),
    "a Hive table made by Spark": (row({"spark.sql.sources.provider": "hive"}), "hive"),
    "a Paimon format table": (row({"type": "format-table", "table_type": "PARQUET", "file.format": "parquet"}), "hive"),
    "a materialized view": (row(table_type="MATERIALIZED_VIEW"), "hive"),
    "an Iceberg view": (row({"table_type": "ICEBERG-VIEW"}, table_type=VIRTUAL_VIEW), "view"),
    "a plain view": (row(table_type=VIRTUAL_VIEW.lower()), "view"),
    "Iceberg": (row({"table_type": "ICEBERG", "metadata_location": "s3://x"}, table_type="EXTERNAL_TABLE"), "iceberg"),
    "Iceberg in lower case": (row({"table_type": "iceberg"}), "iceberg"),
    "Iceberg by its handler": (
        row({"storage_handler": "org.apache.iceberg.mr.hive.HiveIcebergStorageHandler"}),
        "iceberg",
    ),
    "Delta by Spark": (row({"spark.sql.sources.provider": "delta"}), "delta"),
    "Delta by Databricks": (row({"spark.sql.sources.provider": "DELTA"}), "delta"),
    "Delta by its handler": (row({"storage_handler": "io.delta.hive.DeltaStorageHandler"}), "delta"),
    "Delta by another tool": (row({"provider": "delta"}), "delta"),
    "Delta by its type": (row({"table_type": "DELTA"}), "delta"),
    "Paimon by its formats": (row(input_format="org.apache.paimon.hive.mapred.PaimonInputFormat"), "paimon"),
    "Paimon of old": (row(input_format="org.apache.flink.table.store.mapred.TableStoreInputFormat"), "paimon"),
    "Paimon by its type": (row({"table_type": "PAIMON"}), "paimon"),
    "Paimon by its handler": (row({"storage_handler": "org.apache.paimon.hive.PaimonStorageHandler"}), "paimon"),
    "Paimon by its location": (row({"paimon_location": "s3://x"}), "paimon"),
    "Hudi": (row({"spark.sql.sources.provider": "hudi"}), "hudi"),
    "Hudi by its formats": (row(input_format="org.apache.hudi.hadoop.HoodieParquetInputFormat"), "hudi"),
    "HBase": (row({"storage_handler": "org.apache.hadoop.hive.hbase.HBaseStorageHandler"}), "HBaseStorageHandler"),
    "a database behind Spark": (row({"spark.sql.sources.provider": "jdbc"}), "jdbc"),
}


@pytest.mark.parametrize("case", ROWS)
def test_the_format_is_read_from_the_row(case: str) -> None:
    found, expected = ROWS[case]
    assert detect_format(found) == expected


@pytest.mark.parametrize("case", [case for case, (_, format_) in ROWS.items() if format_ not in FORMATS])
def test_a_format_that_cannot_be_read_is_refused_before_any_partition_is_asked_for(case: str) -> None:
    """The metastore would list no partitions, as if nothing had been loaded."""
    calls: list[str] = []
    metastore = MemoryMetastore(on_call=calls.append)
    found, format_ = ROWS[case]
    metastore.create_row(found)
    with pytest.raises(UnsupportedFeatureError, match=rf"default\.clicks.*{format_}.*reads hive, view"):
        open_base_table(metastore, "default.clicks")
    assert calls == ["create_row", "load_row"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"spark.sql.sources.provider": "parquet"},
        {"spark.sql.sources.provider": "parquet", "spark.sql.partitionProvider": "filesystem"},
    ],
)
def test_a_table_whose_partitions_only_spark_knows_is_refused(parameters: dict[str, str]) -> None:
    for partitioned in (
        row(parameters, partition_keys=(DS,)),
        row({**parameters, "spark.sql.sources.schema.numPartCols": "1"}),
    ):
        metastore = MemoryMetastore()
        metastore.create_row(partitioned)
        with pytest.raises(UnsupportedFeatureError, match="RECOVER PARTITIONS"):
            open_base_table(metastore, "default.clicks")
    metastore = MemoryMetastore()
    metastore.create_row(row(parameters))
    assert open_base_table(metastore, "default.clicks").list_partitions().values == [()]


def test_a_format_that_is_given_must_be_the_one_found() -> None:
    metastore = MemoryMetastore()
    metastore.create_row(row())
    assert open_base_table(metastore, "default.clicks", "hive").format == "hive"
    with pytest.raises(InvalidInputError, match="has the format hive, not delta"):
        open_base_table(metastore, "default.clicks", "delta")
    with pytest.raises(InvalidInputError, match=r"format='parquet'.*hive, view, iceberg, delta, paimon"):
        open_base_table(metastore, "default.clicks", "parquet")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["_delta_log/00000000000000000000.json"], ("delta",)),
        (["metadata/00000-a.metadata.json"], ("iceberg",)),
        (["metadata/v1.metadata.json", "metadata/version-hint.text"], ("iceberg",)),
        (["metadata/00000-a.gz.metadata.json"], ("iceberg",)),
        (["schema/schema-0"], ("paimon",)),
        (["schema/schema-3", "snapshot/snapshot-7"], ("paimon",)),
        (["_delta_log/00000000000000000000.json", "metadata/v1.metadata.json"], ("delta", "iceberg")),
        (["metadata/other.json", "schema/notes.txt", "ds=a/part-0.parquet"], ()),
        ([], ()),
    ],
)
def test_the_format_is_read_from_the_files(tmp_path: Path, files: list[str], expected: tuple[str, ...]) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert formats_at(Files(), str(tmp_path)) == formats_at(Files(), f"{tmp_path}/") == expected


def test_a_name_without_a_table_is_refused() -> None:
    with pytest.raises(NoSuchTableError, match=r"default\.clicks"):
        open_base_table(MemoryMetastore(), "default.clicks")
    with pytest.raises(InvalidIdentifierError):
        open_base_table(MemoryMetastore(), "clicks")
