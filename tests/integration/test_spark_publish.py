"""Publishing with a real Spark at hand: base tables listed by it, the strict check, what each partition reads."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from hive_views import View, column, has_at_least, quiet_for, requires, revalidate
from hive_views import publish as publish_without_spark
from hive_views.analysis.query_analysis import Clause
from hive_views.errors import InvalidInputError
from hive_views.spark import PublishedPartition, openlineage_events, publish, spark_base_tables
from hive_views.spark.analyser.query_inputs import Inputs, InputTable
from hive_views.spark.publishing.recording import reads_text
from tests.integration.lake import HOURLY, NAMES, SparkLake, each

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


class TestPublish:
    @pytest.fixture(params=each("clicks", "ice"))
    def view(self, lake: SparkLake, request: pytest.FixtureRequest) -> View:
        name = f"v_{uuid.uuid4().hex[:12]}"
        query = f"SELECT count(*) AS clicks, ds, hr FROM {{}}.{request.param} GROUP BY ds, hr"
        return lake.view(name, query, HOURLY, "ds", "hr")

    def test_partitions_are_declared_with_what_they_read_and_reported(self, lake: SparkLake, view: View) -> None:
        [table] = view.tables()
        reported: list[PublishedPartition] = []
        rule = requires(table, ds=column("ds"), hr=column("hr"))
        tables = spark_base_tables(lake.spark, table)
        report = publish(
            lake.spark, lake.catalog, view.identifier, rule, base_tables=tables, on_published=reported.append
        )
        assert sorted(report.added) == list(NAMES)
        assert [one.partition for one in reported] == list(report.added)
        assert all([one.partition] == list(one.inputs.tables[0].partitions or ()) for one in reported)
        stored = dict(lake.catalog.partitions(view.identifier).load())
        assert {name: json.loads(one.parameters["hive-views.reads"]) for name, one in stored.items()} == {
            name: {table: [name]} for name in NAMES
        }
        again = publish(lake.spark, lake.catalog, view.identifier, rule, on_published=reported.append)
        assert (again.added, len(reported)) == ((), 4)

    def test_rules_by_amounts_and_quiet_are_judged_through_spark_and_what_was_read_is_known_again_without(
        self, lake: SparkLake, view: View
    ) -> None:
        [table] = view.tables()
        waiting = quiet_for(table, ds=column("ds"), hr=column("hr"), seconds=1_000_000)
        rule = has_at_least(table, ds=column("ds"), hr=column("hr"), files=1, bytes=1)
        for one, expected in ((waiting, []), (rule, list(NAMES))):
            tables = spark_base_tables(lake.spark, table)
            publish(lake.spark, lake.catalog, view.identifier, one, base_tables=tables)
            assert sorted(lake.catalog.partitions(view.identifier).names()) == expected
        states = revalidate(lake.catalog, view.identifier, rule).partitions
        assert {one.state for one in states.values()} == {"current"}, "as the readers without Spark see it"

    def test_what_lost_its_base_partition_is_retracted_and_nothing_of_a_recreated_table(
        self, lake: SparkLake, tmp_path: Path
    ) -> None:
        base, name = f"t_{uuid.uuid4().hex[:12]}", f"v_{uuid.uuid4().hex[:12]}"
        table = lake.name(base)
        create = f"CREATE TABLE {table} (n INT) PARTITIONED BY (ds STRING) STORED AS PARQUET LOCATION '{tmp_path}/t'"
        lake.spark.sql(create)
        lake.spark.sql(f"INSERT INTO {table} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
        view = lake.view(name, f"SELECT n, ds FROM {{}}.{base}", [("n", "int"), ("ds", "string")], "ds")
        rule = requires(table, ds=column("ds"))
        tables = spark_base_tables(lake.spark, table)
        assert len(publish_without_spark(lake.catalog, view.identifier, rule, base_tables=tables).added) == 3
        lake.spark.sql(f"ALTER TABLE {table} DROP PARTITION (ds = 'a')")
        report = publish_without_spark(lake.catalog, view.identifier, rule, base_tables=tables, retract=True)
        assert report.retracted == ("ds=a",)
        lake.spark.sql(f"DROP TABLE {table}")
        # A metastore knows the second in which a table was made, and nothing finer.
        time.sleep(1.1)
        lake.spark.sql(create)
        lake.spark.sql(f"ALTER TABLE {table} ADD PARTITION (ds = 'b')")
        report = publish_without_spark(lake.catalog, view.identifier, rule, base_tables=tables, retract=True)
        assert (report.retracted, list(report.kept)) == ((), ["ds=c"])
        assert "recreated" in report.kept["ds=c"]

    def test_a_dry_run_calls_no_callback(self, lake: SparkLake, view: View) -> None:
        [table] = view.tables()
        rule = requires(table, ds=column("ds"), hr=column("hr"))

        def fail(published: PublishedPartition) -> None:
            raise AssertionError(published)

        report = publish(lake.spark, lake.catalog, view.identifier, rule, dry_run=True, on_published=fail)
        assert len(report.added) == 4
        assert lake.catalog.partitions(view.identifier).names() == []

    def test_a_partition_is_never_seen_without_what_it_reads_and_is_reported_by_the_next_run_if_not_by_its_own(
        self, lake: SparkLake, view: View
    ) -> None:
        [table] = view.tables()
        rule = requires(table, ds=column("ds"), hr=column("hr"))
        seen: list[dict[str, str]] = []

        def fail(published: PublishedPartition) -> None:
            seen.append({name: one.parameters["hive-views.reads"] for name, one in partitions.load()})
            raise LookupError(published.partition)

        partitions = lake.catalog.partitions(view.identifier)
        with pytest.raises(LookupError, match=NAMES[0]):
            publish(lake.spark, lake.catalog, view.identifier, rule, on_published=fail)
        assert seen == [{name: json.dumps({table: [name]}, separators=(",", ":")) for name in NAMES}] * 3, "in a row"
        reported: list[PublishedPartition] = []
        assert publish(lake.spark, lake.catalog, view.identifier, rule, on_published=reported.append).added == ()
        assert [one.partition for one in reported] == list(NAMES)
        assert all([one.partition] == list(one.inputs.tables[0].partitions or ()) for one in reported)

    def test_a_view_that_is_not_strict_is_published_only_if_that_is_said(self, lake: SparkLake) -> None:
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
    ("partitions", "expected"),
    [
        (3, lambda name: {name: ["ds=0", "ds=1", "ds=2"]}),
        (2000, lambda name: {name: 2000}),
        (None, lambda name: {name: None}),
    ],
)
def test_what_a_partition_reads_is_shortened_to_what_a_metastore_holds(partitions: int | None, expected: Any) -> None:
    names = None if partitions is None else tuple(f"ds={n}" for n in range(partitions))
    inputs = Inputs((InputTable("web.v", "view"), InputTable("web.t", "hive", names)), {})
    assert json.loads(reads_text(inputs)) == expected("web.t")
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
    filters = {("web.users", "age"): (Clause.JOIN, Clause.WHERE)}
    inputs = Inputs(tables, {"ds": (("web.clicks", "ds"),), "clicks": ()}, filters)
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
    lineage = written["facets"]["columnLineage"]
    [direct] = lineage["fields"]["ds"]["inputFields"]
    assert (direct["field"], direct["transformations"]) == ("ds", [{"type": "DIRECT"}])
    assert lineage["fields"]["clicks"]["inputFields"] == []
    [indirect] = lineage["dataset"]
    assert (indirect["name"], indirect["field"]) == ("web.users", "age")
    assert [(one["type"], one["subtype"]) for one in indirect["transformations"]] == [
        ("INDIRECT", "JOIN"),
        ("INDIRECT", "FILTER"),
    ]
