"""Publishing with a real Spark at hand: base tables listed by it, the strict check, what each partition reads."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from hive_views import View, column, requires
from hive_views.base_tables.detect import open_base_table
from hive_views.base_tables.port import TableWithHistory
from hive_views.errors import InvalidInputError, NoSuchTableError, UnsupportedFeatureError
from hive_views.spark import PublishedPartition, openlineage_events, publish, spark_base_tables
from hive_views.spark.inputs import Inputs, InputTable
from hive_views.spark.publishing import reads_text
from tests.integration.lake import HOURLY, NAMES, Lake, each

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


class TestBaseTables:
    @pytest.mark.parametrize("table", each("clicks", "lines", "users", "ice", "events"))
    def test_spark_lists_what_the_own_reader_lists(self, lake: Lake, table: str) -> None:
        name = lake.name(table)
        by_spark = spark_base_tables(lake.spark, name)[name].list_partitions()
        own = open_base_table(lake.catalog.metastore, name).list_partitions()
        assert (by_spark.table, by_spark.format, by_spark.snapshot) == (own.table, own.format, own.snapshot)
        assert [(key.name, key.type) for key in by_spark.keys] == [(key.name, key.type) for key in own.keys]
        assert sorted(by_spark.values) == sorted(own.values)
        if own.statistics and by_spark.statistics:
            counted = {
                values: (one.files, one.records, one.bytes)
                for values, one in zip(own.values, own.statistics, strict=True)
            }
            for values, one in zip(by_spark.values, by_spark.statistics, strict=True):
                assert counted[values] == (one.files, one.records, one.bytes)

    @pytest.mark.connectors
    def test_a_listing_is_of_the_newest_snapshot_after_each_change(self, lake: Lake) -> None:
        name = lake.name(f"t_{uuid.uuid4().hex[:12]}")
        lake.spark.sql(f"CREATE TABLE ice.{name} (n INT, ds STRING) USING iceberg PARTITIONED BY (ds)")
        reader = spark_base_tables(lake.spark, f"ice.{name}")[name]
        empty = reader.list_partitions()
        assert (empty.snapshot, list(empty.values)) == (None, [])
        lake.spark.sql(f"INSERT INTO ice.{name} VALUES (1, 'a'), (2, NULL)")
        first = reader.list_partitions()
        lake.spark.sql(f"DELETE FROM ice.{name} WHERE ds = 'a'")
        second = reader.list_partitions()
        assert (set(first.values), set(second.values)) == ({("a",), (None,)}, {(None,)})
        assert isinstance(reader, TableWithHistory)
        assert first.snapshot
        assert second.snapshot
        assert set(reader.changes(first.snapshot, second.snapshot).partitions) == {("a",)}

    def test_null_is_none(self, lake: Lake) -> None:
        name = lake.name(f"t_{uuid.uuid4().hex[:12]}")
        lake.spark.sql(f"CREATE TABLE {name} (n INT) PARTITIONED BY (ds STRING) STORED AS PARQUET")
        lake.spark.sql(f"INSERT INTO {name} VALUES (1, NULL), (2, 'a/b')")
        assert sorted(spark_base_tables(lake.spark, name)[name].list_partitions().values, key=str) == [
            ("a/b",),
            (None,),
        ]

    @pytest.mark.parametrize("table", each("delta", "hourly_clicks"))
    def test_what_spark_cannot_list_without_opening_data_is_refused(self, lake: Lake, table: str) -> None:
        with pytest.raises(UnsupportedFeatureError, match="base_tables="):
            spark_base_tables(lake.spark, lake.name(table))

    def test_an_unknown_table_is_refused(self, lake: Lake) -> None:
        with pytest.raises(NoSuchTableError, match="no_such"):
            spark_base_tables(lake.spark, lake.name("no_such"))


class TestPublish:
    @pytest.fixture(params=each("clicks", "ice"))
    def view(self, lake: Lake, request: pytest.FixtureRequest) -> View:
        name = f"v_{uuid.uuid4().hex[:12]}"
        query = f"SELECT count(*) AS clicks, ds, hr FROM {{}}.{request.param} GROUP BY ds, hr"
        return lake.view(name, query, HOURLY, "ds", "hr")

    def test_partitions_are_declared_with_what_they_read_and_told(self, lake: Lake, view: View) -> None:
        [table] = view.tables()
        told: list[PublishedPartition] = []
        rule = requires(table, ds=column("ds"), hr=column("hr"))
        tables = spark_base_tables(lake.spark, table)
        report = publish(lake.spark, lake.catalog, view.identifier, rule, base_tables=tables, on_published=told.append)
        assert sorted(report.added) == list(NAMES)
        assert [one.partition for one in told] == list(report.added)
        assert all([one.partition] == list(one.inputs.tables[0].partitions or ()) for one in told)
        stored = dict(lake.catalog.partitions(view.identifier).load())
        assert {name: json.loads(one.parameters["hive-views.reads"]) for name, one in stored.items()} == {
            name: {table: [name]} for name in NAMES
        }
        again = publish(lake.spark, lake.catalog, view.identifier, rule, on_published=told.append)
        assert (again.added, len(told)) == ((), 4)

    def test_a_dry_run_tells_nobody(self, lake: Lake, view: View) -> None:
        [table] = view.tables()
        rule = requires(table, ds=column("ds"), hr=column("hr"))

        def fail(published: PublishedPartition) -> None:
            raise AssertionError(published)

        report = publish(lake.spark, lake.catalog, view.identifier, rule, dry_run=True, on_published=fail)
        assert len(report.added) == 4
        assert lake.catalog.partitions(view.identifier).names() == []

    def test_a_view_that_is_not_strict_is_published_only_if_that_is_said(self, lake: Lake) -> None:
        name = f"v_{uuid.uuid4().hex[:12]}"
        query = "SELECT count(*) AS clicks, page AS ds FROM {}.clicks GROUP BY page"
        view = lake.view(name, query, [("clicks", "bigint"), ("ds", "string")], "ds")
        rule = requires(lake.name("clicks"), ds="2026-08-21")
        candidates = [{"ds": "/"}]
        with pytest.raises(InvalidInputError, match="is not strict"):
            publish(lake.spark, lake.catalog, view.identifier, rule, candidates=candidates)
        assert lake.catalog.partitions(view.identifier).names() == []
        report = publish(lake.spark, lake.catalog, view.identifier, rule, candidates=candidates, strict=False)
        assert report.added == ("ds=%2F",)


@pytest.mark.parametrize(
    ("partitions", "told"),
    [
        (3, lambda name: {name: ["ds=0", "ds=1", "ds=2"]}),
        (2000, lambda name: {name: 2000}),
        (None, lambda name: {name: None}),
    ],
)
def test_what_a_partition_reads_is_shortened_to_what_a_metastore_holds(partitions: int | None, told: Any) -> None:
    names = None if partitions is None else tuple(f"ds={n}" for n in range(partitions))
    inputs = Inputs((InputTable("web.v", "view"), InputTable("web.t", "hive", names)), {})
    assert json.loads(reads_text(inputs)) == told("web.t")
    assert len(reads_text(inputs)) <= 4000


def test_published_partitions_become_openlineage_events(tmp_path: Path) -> None:
    pytest.importorskip("openlineage.client")
    from openlineage.client import OpenLineageClient

    log = tmp_path / "events.json"
    client = OpenLineageClient(config={"transport": {"type": "file", "log_file_path": str(log), "append": True}})
    tables = (
        InputTable("web.hourly", "view"),
        InputTable("web.clicks", "hive", ("ds=a/hr=0", "ds=a/hr=1")),
        InputTable("web.users", "hive", ("",)),
    )
    inputs = Inputs(tables, {"ds": (("web.clicks", "ds"),), "clicks": ()})
    openlineage_events("hive://metastore:9083", client=client)(PublishedPartition("sales.daily", "ds=a", inputs))
    client.close()

    start, complete = map(json.loads, log.read_text().splitlines())
    assert [event["eventType"] for event in (start, complete)] == ["START", "COMPLETE"]
    assert start["run"]["runId"] == complete["run"]["runId"]
    assert complete["job"] == {"namespace": "hive_views", "name": "publish.sales.daily", "facets": {}}
    read = {dataset["name"]: dataset for dataset in complete["inputs"]}
    assert {dataset["namespace"] for dataset in read.values()} == {"hive://metastore:9083"}
    condition = read["web.clicks"]["inputFacets"]["subset"]["inputCondition"]
    assert [one["dimensions"] for one in condition["partitions"]] == [{"ds": "a", "hr": "0"}, {"ds": "a", "hr": "1"}]
    assert read["web.users"]["inputFacets"] == read["web.hourly"]["inputFacets"] == {}
    [written] = complete["outputs"]
    assert written["name"] == "sales.daily"
    assert written["outputFacets"]["subset"]["outputCondition"]["partitions"][0]["identifier"] == "ds=a"
    fields = written["facets"]["columnLineage"]["fields"]
    assert [field["field"] for field in fields["ds"]["inputFields"]] == ["ds"]
    assert fields["clicks"]["inputFields"] == []
