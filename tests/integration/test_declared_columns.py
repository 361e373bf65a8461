"""Columns of tables that Spark makes in each format: what is read without an engine is what Spark itself says."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from hive_views.analysis.query_analysis import declared_type
from hive_views.base_tables.declared_columns import columns_of_tables
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spark.analyser.query_schema import columns_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files

COMMON = "a BIGINT COMMENT 'number', p DECIMAL(10,2), b BINARY, d DATE, r DOUBLE, ok BOOLEAN"
NESTED = "m MAP<STRING, ARRAY<INT>>, s STRUCT<x: INT, y: STRUCT<z: DATE>>"
OF_THE_SERDE = "from deserializer"
TIMES = "t TIMESTAMP, n TIMESTAMP_NTZ"
HIVE = "ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.{}'"
BY_HIVE = {
    "avro": (f"{COMMON}, {NESTED}, c VARCHAR(7), h CHAR(2), t TIMESTAMP", "STORED AS AVRO"),
    "orc": (f"{COMMON}, {NESTED}, c VARCHAR(7), tiny TINYINT, t TIMESTAMP", "STORED AS ORC"),
    "opencsv": ("a BIGINT, d DATE", HIVE.format("OpenCSVSerde")),
    "regex": ("a BIGINT, d DATE", f"{HIVE.format('RegexSerDe')} WITH SERDEPROPERTIES ('input.regex' = '(.*) (.*)')"),
}
EVERYTHING = f"{COMMON}, {NESTED}, c VARCHAR(7), tiny TINYINT, v VARIANT, {TIMES}, ds STRING"
BY_SPARK = {"parquet": EVERYTHING, "csv": f"a BIGINT COMMENT 'number', c CHAR(3), {TIMES}, ds STRING"}


@pytest.fixture
def database(spark: Any) -> str:
    name = f"declared_{uuid.uuid4().hex[:12]}"
    spark.sql(f"CREATE DATABASE {name}")
    return name


def compare(spark: Any, hms: HiveMetastore, database: str, *tables: str) -> dict[str, list[str]]:
    """Compare what is read of tables with what Spark says, and give the columns of each that are not certain."""
    found = columns_of_tables(hms, Files(), [TableIdentifier(database, name) for name in tables])
    assert not found.unknown, found.unknown
    assert not found.missing
    for name in tables:
        by_spark = columns_of(spark, f"SELECT * FROM {database}.{name}", "hive", any_type=True)
        read = found.columns[database, name]
        assert [(one.name, declared_type(one.type).spark) for one in read] == [one[:2] for one in by_spark], name
        comments = [comment if comment != OF_THE_SERDE else None for _, _, comment in by_spark]
        assert [one.comment for one in read] == comments, name
    return {
        name: [column.name for column in found.columns[database, name] if not declared_type(column.type).certain]
        for name in tables
    }


def test_rows_of_tables_say_what_spark_says(spark: Any, hms: HiveMetastore, database: str) -> None:
    for name, (columns, clauses) in BY_HIVE.items():
        spark.sql(f"CREATE TABLE {database}.{name} ({columns}) PARTITIONED BY (ds STRING) {clauses}")
    for provider, columns in BY_SPARK.items():
        spark.sql(f"CREATE TABLE {database}.{provider} ({columns}) USING {provider} PARTITIONED BY (ds)")
    uncertain = compare(spark, hms, database, *BY_HIVE, *BY_SPARK)
    assert uncertain == {**{name: [] for name in BY_HIVE}, "parquet": ["v", "n"], "csv": ["n"]}


@pytest.mark.connectors
def test_the_metadata_of_delta_and_iceberg_tables_say_what_spark_says(
    lake_spark: Any, connectors: list[Any], hms: HiveMetastore, database: str, tmp_path: Path
) -> None:
    if not connectors:
        pytest.skip("the connectors of Delta and Iceberg for this Spark cannot be fetched")
    lake_spark.sql(f"CREATE TABLE {database}.made ({EVERYTHING}) USING parquet PARTITIONED BY (ds)")
    location = f"file:{tmp_path}/delta"
    lake_spark.table(f"{database}.made").write.format("delta").partitionBy("ds").save(location)
    lake_spark.sql(f"CREATE TABLE {database}.delta USING delta LOCATION '{location}'")
    lake_spark.sql(
        f"CREATE TABLE {database}.iceberg ({COMMON}, {NESTED}, {TIMES}, ds STRING) USING iceberg PARTITIONED BY (ds)"
    )
    uncertain = compare(lake_spark, hms, database, "delta", "iceberg")
    assert uncertain == {"delta": ["v", "n"], "iceberg": ["t", "n"]}
