"""What works with a Spark Connect client, on a real server, and what is refused there."""

from __future__ import annotations

import gc
import uuid
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from hive_views import ViewCatalog, column, has_at_least, marked_done, requires, when
from hive_views import publish as publish_without_spark
from hive_views.base_tables.opening import open_base_table
from hive_views.errors import InvalidInputError, InvalidSchemaError, SQLSyntaxError, UnsupportedFeatureError
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.batch.publication import Publication
from hive_views.spark import (
    analyze,
    check_strict,
    inputs_of,
    publish,
    publish_all,
    read_published,
    read_version,
    schema_of,
    spark_base_tables,
)
from hive_views.spark.sessions.session_beside import session_beside
from tests.integration.lake import SparkLake
from tests.support.java.connectors import iceberg_catalog

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


@pytest.fixture
def view(remote: Any, hms: HiveMetastore, spark: Any, namespace: str, tmp_path: Any) -> tuple[ViewCatalog, str]:
    spark.sql(f"CREATE TABLE {namespace}.t (n INT, c CHAR(3)) PARTITIONED BY (ds STRING) STORED AS PARQUET")
    spark.sql(f"INSERT INTO {namespace}.t PARTITION (ds = 'a') VALUES (1, 'x'), (2, 'y')")
    spark.sql(f"INSERT INTO {namespace}.t PARTITION (ds = 'b') VALUES (3, 'z')")
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    query = f"SELECT n, c, ds FROM {namespace}.t"
    schema = schema_of(remote, query)
    assert [type_ for _, type_, _ in schema] == ["int", "char(3)", "string"]
    catalog.create_view(f"{namespace}.v", sql={"hive": query}, schema=schema, partitioned_on=["ds"])
    catalog.partitions(f"{namespace}.v").add([{"ds": "a"}])
    return catalog, f"{namespace}.v"


def test_our_session_leaves_the_threads_of_others_alone_when_it_is_collected(
    remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PySpark's ``__del__`` closes the client, and so ends the threads of all: in the midst of their work it hung."""
    closed: list[Any] = []

    def close(client: Any) -> None:
        closed.append(client)

    monkeypatch.setattr(type(remote.client), "close", close)
    with session_beside(remote, {}) as session:
        assert session.sql("SELECT 1").collect() == [(1,)]
        client = session.client
    found = weakref.ref(session)
    del session
    gc.collect()
    assert found() is None
    assert client not in closed


def test_columns_are_derived(remote: Any, view: tuple[ViewCatalog, str]) -> None:
    with pytest.raises(InvalidSchemaError, match="Column bad"):
        schema_of(remote, "SELECT NULL AS bad")
    with pytest.raises(SQLSyntaxError, match="no_such_column"):
        schema_of(remote, "SELECT no_such_column")


def test_published_partitions_are_read_and_counted(remote: Any, view: tuple[ViewCatalog, str]) -> None:
    catalog, name = view
    assert sorted(row.n for row in read_published(remote, catalog, name).collect()) == [1, 2]
    assert {key: one.rows for key, one in analyze(remote, catalog, name).items()} == {"ds=a": 2}


def test_hive_tables_are_listed(remote: Any, view: tuple[ViewCatalog, str]) -> None:
    catalog, name = view
    table = name.replace(".v", ".t")
    listing = spark_base_tables(remote, table)[table].list_partitions()
    own = open_base_table(catalog.metastore, table).list_partitions()
    assert (list(listing.values), listing.keys) == ([("a",), ("b",)], own.keys)
    assert listing.table_id == own.table_id is not None


def test_rules_by_what_spark_connect_does_not_report_of_hive_tables_are_refused_with_the_remedy(
    remote: Any, view: tuple[ViewCatalog, str]
) -> None:
    catalog, name = view
    table = name.replace(".v", ".t")
    tables = spark_base_tables(remote, table)
    publish_without_spark(catalog, name, requires(table, ds=column("ds")), base_tables=tables)
    assert catalog.partitions(name).names() == ["ds=a", "ds=b"]
    for rule in (
        has_at_least(table, ds=column("ds"), records=1),
        marked_done(table, ds=column("ds"), by="success-file"),
        marked_done(table, ds=column("ds"), by="parameter", name="quality", value="checked"),
    ):
        with pytest.raises(InvalidInputError, match=r"through Spark Connect\. Leave it out of base_tables="):
            publish_without_spark(catalog, name, rule, base_tables=tables)


@pytest.mark.connectors
def test_iceberg_tables_are_listed_as_they_are_now(remote: Any, lake: SparkLake, metastore_uri: str) -> None:
    """Iceberg's catalog keeps tables as it has read them, unless it is configured otherwise."""
    for key, value in iceberg_catalog("lake", "SparkCatalog", metastore_uri).items():
        if "cache-enabled" not in key:
            remote.conf.set(key, value)
    name = lake.name(f"t_{uuid.uuid4().hex[:12]}")
    lake.spark.sql(f"CREATE TABLE ice.{name} (n INT, at TIMESTAMP) USING iceberg PARTITIONED BY (at)")
    reader = spark_base_tables(remote, f"lake.{name}")[name]
    for row in ("(1, TIMESTAMP '2026-08-21 07:30:00Z')", "(2, NULL)"):
        lake.spark.sql(f"INSERT INTO ice.{name} VALUES {row}")
        listing = reader.list_partitions()
        own = open_base_table(lake.catalog.metastore, name).list_partitions()
        assert own.statistics
        assert listing.statistics
        assert dict(zip(listing.values, listing.statistics, strict=True)) == dict(
            zip(own.values, own.statistics, strict=True)
        )
        assert (listing.keys, listing.snapshot) == (own.keys, own.snapshot)


def test_publications_are_carried_out_by_the_executors_of_the_server(
    remote: Any, spark: Any, view: tuple[ViewCatalog, str]
) -> None:
    catalog, name = view
    base, table = name.replace(".v", ".t"), name.replace(".v", ".publications")
    job = [
        Publication(name, [requires(base, ds=column("ds")), when(lambda day: day["ds"] != "a")]),
        Publication(name.replace(".v", ".gone"), [requires(base, ds=column("ds"))]),
    ]
    result = publish_all(remote, catalog, job, table=table)
    assert [(row["state"], row["added"]) for row in result.collect()] == [("published", ["ds=b"]), ("failed", [])]
    assert catalog.partitions(name).names() == ["ds=a", "ds=b"]
    assert spark.table(table).count() == 2


def test_a_strict_publication_fails_since_its_plans_cannot_be_seen(remote: Any, view: tuple[ViewCatalog, str]) -> None:
    catalog, name = view
    strict = Publication(name, [requires(name.replace(".v", ".t"), ds=column("ds"))], strict=True)
    [outcome] = publish_all(remote, catalog, [strict]).collect()
    assert (outcome["state"], outcome["error_type"]) == ("failed", "UnsupportedFeatureError")
    assert "Spark Connect" in outcome["error"]
    assert catalog.partitions(name).names() == ["ds=a"]


@pytest.mark.parametrize(
    "call",
    [
        lambda remote, catalog, name: inputs_of(remote, name),
        lambda remote, catalog, name: check_strict(remote, name),
        lambda remote, catalog, name: read_version(remote, catalog, name, version=1),
        publish,
    ],
)
def test_what_needs_plans_is_refused(
    remote: Any, view: tuple[ViewCatalog, str], call: Callable[[Any, ViewCatalog, str], object]
) -> None:
    with pytest.raises(UnsupportedFeatureError, match="Spark Connect"):
        call(remote, *view)
