"""What a real Spark reads and counts of views: published partitions, older versions, rows of each partition."""

from __future__ import annotations

import uuid
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from hive_views import View
from hive_views.errors import (
    InvalidInputError,
    InvalidPartitionError,
    NoSuchPartitionError,
    NoSuchTableError,
    NoSuchVersionError,
    SQLSyntaxError,
)
from hive_views.hive.row import Column, Partition, Row
from hive_views.spark import PartitionAnalysis, analyze, read_published, read_version
from hive_views.spark.analyser.query_plans import scans
from hive_views.spark.analyser.scans import scan_of
from hive_views.spec.identifiers import TableIdentifier
from tests.integration.conftest import Run
from tests.integration.lake import FORMATS, HOURLY, NAMES, SparkLake, each

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


def scanned(lake: SparkLake, frame: Any) -> tuple[str, ...]:
    """The partitions that the only scan of a frame reads."""
    [scan] = [scan for leaf in scans(lake.spark, frame) if (scan := scan_of(lake.spark, leaf))]
    assert scan.filters()
    return scan.list_partitions() or ()


def rows(frame: Any) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


@pytest.fixture
def hourly(lake: SparkLake, request: pytest.FixtureRequest) -> View:
    """A view of the test's own over the table that the test asks for, with the partitions of 21 August and one more."""
    table = getattr(request, "param", "clicks")
    name = f"v_{uuid.uuid4().hex[:12]}"
    query = f"SELECT count(*) AS clicks, ds, hr FROM {{}}.{table} GROUP BY ds, hr"
    view = lake.view(name, query, HOURLY, "ds", "hr")
    hours = [{"ds": "2026-08-21", "hr": 0}, {"ds": "2026-08-21", "hr": 1}, {"ds": "2026-08-22", "hr": 5}]
    lake.catalog.partitions(view.identifier).add(hours)
    return view


class TestPublished:
    @pytest.mark.parametrize("hourly", each(*FORMATS), indirect=True)
    def test_only_published_partitions_are_read(self, lake: SparkLake, hourly: View) -> None:
        frame = read_published(lake.spark, lake.catalog, hourly.identifier)
        assert scanned(lake, frame) == NAMES[:2]
        assert rows(frame) == [(1, "2026-08-21", 0), (1, "2026-08-21", 1)]

    def test_what_a_foreign_writer_declared_that_is_no_value_is_passed_over(
        self, lake: SparkLake, hourly: View
    ) -> None:
        foreign = Partition(("2026-08-21", "noon"))
        lake.catalog.metastore.add_partitions(hourly.identifier, [foreign], if_not_exists=False)
        frame = read_published(lake.spark, lake.catalog, hourly.identifier)
        assert rows(frame) == [(1, "2026-08-21", 0), (1, "2026-08-21", 1)]
        assert set(analyze(lake.spark, lake.catalog, hourly.identifier)) == {*NAMES[:2], "ds=2026-08-22/hr=5"}

    @pytest.mark.parametrize("table", each("clicks", "ice"))
    def test_nothing_published_is_no_rows_with_the_columns_of_the_view(self, lake: SparkLake, table: str) -> None:
        frame = read_published(lake.spark, lake.catalog, lake.name(f"hourly_{table}"))
        assert frame.collect() == []
        assert frame.schema.simpleString() == "struct<clicks:bigint,ds:string,hr:int>"

    def test_thousands_of_partitions_are_a_short_condition(self, lake: SparkLake, hourly: View) -> None:
        days = [f"2025-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 29)]
        partitions = lake.catalog.partitions(hourly.identifier)
        partitions.add({"ds": ds, "hr": hr} for ds in days for hr in range(6))
        frame = read_published(lake.spark, lake.catalog, hourly.identifier)
        assert scanned(lake, frame) == NAMES[:2]
        assert len(rows(frame)) == 2

    @pytest.mark.pinned
    def test_years_of_days_are_read_and_counted_on_a_metastore_that_takes_no_long_condition(
        self, lake: SparkLake, hourly: View
    ) -> None:
        partitions = lake.catalog.partitions(hourly.identifier)
        before = date(2026, 8, 21)
        days = [{"ds": (before - timedelta(days=number)).isoformat(), "hr": number % 3} for number in range(1, 5001)]
        for known, more in ((0, 900), (900, 5000)):
            partitions.add(days[known:more])
            frame = read_published(lake.spark, lake.catalog, hourly.identifier)
            assert rows(frame) == [(1, "2026-08-21", 0), (1, "2026-08-21", 1)]
        found = analyze(lake.spark, lake.catalog, hourly.identifier, [*days[:700], {"ds": "2026-08-21", "hr": 1}])
        assert {name: one.rows for name, one in found.items() if one.rows} == {NAMES[1]: 1}

    def test_a_view_without_partition_columns_is_refused(self, lake: SparkLake) -> None:
        view = lake.view(f"v_{uuid.uuid4().hex[:12]}", "SELECT name FROM {}.users", [("name", "string")])
        with pytest.raises(InvalidPartitionError):
            read_published(lake.spark, lake.catalog, view.identifier)


class TestVersion:
    @pytest.fixture
    def changed(self, lake: SparkLake, hourly: View) -> View:
        """A second version over the same table, with other columns and another text."""
        query = hourly.sql_for("hive").sql.replace("count(*) AS clicks", "max(page) AS page")
        columns = [("page", "string"), *HOURLY[1:]]
        lake.catalog.replace_view(hourly.identifier, sql={"hive": query}, schema=columns)
        return lake.catalog.load_view(hourly.identifier)

    @pytest.mark.parametrize("hourly", each(*FORMATS), indirect=True)
    def test_an_older_definition_is_read_with_its_columns_and_prunes(self, lake: SparkLake, changed: View) -> None:
        frame = read_version(lake.spark, lake.catalog, changed.identifier, version=1)
        assert frame.columns == ["clicks", "ds", "hr"]
        assert (1, "2026-08-21", 0) in rows(frame)
        assert scanned(lake, frame.where("ds = '2026-08-22'")) == (NAMES[2],)
        now = read_version(lake.spark, lake.catalog, changed.identifier, version=2)
        assert ("/a", "2026-08-21", 1) in rows(now)
        assert scanned(lake, now.where("ds = '2026-08-22'")) == (NAMES[2],)

    def test_a_timestamp_picks_the_version_that_was_current_then(self, lake: SparkLake, changed: View) -> None:
        first, second = (entry.timestamp_ms for entry in changed.history)

        def columns(as_of: Any) -> list[str]:
            return list(read_version(lake.spark, lake.catalog, changed.identifier, as_of=as_of).columns)

        assert columns(second - 1) == ["clicks", "ds", "hr"]
        assert columns(second) == ["page", "ds", "hr"]
        assert columns(datetime.now(timezone.utc)) == ["page", "ds", "hr"]
        with pytest.raises(NoSuchVersionError):
            columns(first - 1)

    @pytest.mark.parametrize("choice", [{}, {"version": 1, "as_of": 1}])
    def test_it_is_said_in_one_way_which_version(self, lake: SparkLake, hourly: View, choice: dict[str, int]) -> None:
        with pytest.raises(InvalidInputError, match="version="):
            read_version(lake.spark, lake.catalog, hourly.identifier, **choice)

    def test_an_unknown_version_is_refused(self, lake: SparkLake, hourly: View) -> None:
        with pytest.raises(NoSuchVersionError):
            read_version(lake.spark, lake.catalog, hourly.identifier, version=7)

    @pytest.mark.parametrize(("dialect", "value"), [("hive", None), ("spark", "error")])
    def test_a_text_is_read_in_the_mode_it_was_written_for(
        self, lake: SparkLake, dialect: str, value: str | None
    ) -> None:
        from pyspark.errors import NumberFormatException

        name = lake.name(f"v_{uuid.uuid4().hex[:12]}")
        query = f"SELECT CAST(page AS INT) AS n FROM {lake.name('clicks')}"
        lake.catalog.create_view(name, sql={dialect: query}, schema=[("n", "int")])
        before = lake.spark.conf.get("spark.sql.ansi.enabled")
        frame = read_version(lake.spark, lake.catalog, name, version=1)
        assert lake.spark.conf.get("spark.sql.ansi.enabled") == before
        if value is None:
            assert {row.n for row in frame.collect()} == {None}
        else:
            with pytest.raises(NumberFormatException):
                frame.collect()

    def test_a_text_that_spark_3_wrote_without_ansi_mode_is_read_without(self, lake: SparkLake) -> None:
        """Spark 3 records the mode only where a session changed it."""
        name = TableIdentifier.of(lake.name(f"v_{uuid.uuid4().hex[:12]}"))
        query = "SELECT CAST(page AS INT) AS n FROM clicks"
        spark = {
            "spark.sql.create.version": "3.5.8",
            "view.catalogAndNamespace.numParts": "2",
            "view.catalogAndNamespace.part.0": "spark_catalog",
            "view.catalogAndNamespace.part.1": name.namespace,
        }
        lake.catalog.metastore.create_row(
            Row(
                name,
                "VIRTUAL_VIEW",
                columns=(Column("n", "int"),),
                original_text=query,
                expanded_text=query,
                parameters=spark,
            )
        )
        lake.catalog.adopt_view(name)
        frames = lake.spark.table(str(name)), read_version(lake.spark, lake.catalog, name, version=1)
        assert [{row.n for row in frame.collect()} for frame in frames] == [{None}, {None}]

    def test_tables_that_are_gone_are_named(self, lake: SparkLake) -> None:
        name = lake.name(f"v_{uuid.uuid4().hex[:12]}")
        query = f"SELECT n FROM {lake.name('gone')}"
        lake.catalog.create_view(name, sql={"hive": query}, schema=[("n", "int")])
        with pytest.raises(NoSuchTableError, match="gone"):
            read_version(lake.spark, lake.catalog, name, version=1)


class TestAnalyze:
    def test_rows_and_aggregates_of_all_partitions_are_kept_with_them(self, lake: SparkLake, hourly: View) -> None:
        found = analyze(lake.spark, lake.catalog, hourly.identifier, aggregates={"clicks": "sum(clicks)"})
        assert found == {
            NAMES[0]: PartitionAnalysis(1, {"clicks": "1"}),
            NAMES[1]: PartitionAnalysis(1, {"clicks": "1"}),
            "ds=2026-08-22/hr=5": PartitionAnalysis(0, {"clicks": None}),
        }
        stored = {name: one.parameters for name, one in lake.catalog.partitions(hourly.identifier).load()}
        assert {name: parameters["hive-views.rows"] for name, parameters in stored.items()} == dict.fromkeys(
            found, "1"
        ) | {"ds=2026-08-22/hr=5": "0"}
        assert stored[NAMES[0]]["hive-views.aggregate.clicks"] == "1"
        assert "hive-views.aggregate.clicks" not in stored["ds=2026-08-22/hr=5"]
        assert int(stored[NAMES[0]]["hive-views.analyzed-at-ms"]) > 1_700_000_000_000

    def test_the_command_shows_rows(self, lake: SparkLake, hourly: View, run: Run) -> None:
        analyze(lake.spark, lake.catalog, hourly.identifier, [{"ds": "2026-08-22", "hr": 5}])
        shown = run("partitions", "list", str(hourly.identifier), "--long", "--output", "json").document["partitions"]
        assert {one["name"]: one["rows"] for one in shown} == {
            NAMES[0]: None,
            NAMES[1]: None,
            "ds=2026-08-22/hr=5": 0,
        }

    def test_it_is_one_job(self, lake: SparkLake, hourly: View) -> None:
        context = lake.spark.sparkContext
        context.setJobGroup("analyze", "analyze")
        try:
            analyze(lake.spark, lake.catalog, hourly.identifier)
            jobs = context.statusTracker().getJobIdsForGroup("analyze")
        finally:
            context.setLocalProperty("spark.jobGroup.id", None)
        # An adaptive query runs its stages as jobs of their own: one that reads, one that counts.
        assert 1 <= len(jobs) <= 2

    def test_chosen_partitions_only(self, lake: SparkLake, hourly: View) -> None:
        found = analyze(lake.spark, lake.catalog, hourly.identifier, [{"ds": "2026-08-21", "hr": "01"}])
        assert found == {NAMES[1]: PartitionAnalysis(1)}

    def test_values_are_stored_as_ascii(self, lake: SparkLake, hourly: View) -> None:
        analyze(lake.spark, lake.catalog, hourly.identifier, aggregates={"text": "max('Ω')"})
        _, first = next(iter(lake.catalog.partitions(hourly.identifier).load([NAMES[0]])))
        assert first.parameters["hive-views.aggregate.text"] == "\\u03a9"

    def test_what_cannot_be_stored_or_counted_is_refused(self, lake: SparkLake, hourly: View) -> None:
        with pytest.raises(NoSuchPartitionError):
            analyze(lake.spark, lake.catalog, hourly.identifier, [{"ds": "2026-08-30", "hr": 0}])
        with pytest.raises(InvalidInputError, match="Ω"):
            analyze(lake.spark, lake.catalog, hourly.identifier, aggregates={"Ω": "count(*)"})
        with pytest.raises(SQLSyntaxError, match="no_such_column"):
            analyze(lake.spark, lake.catalog, hourly.identifier, aggregates={"a": "sum(no_such_column)"})
        with pytest.raises(InvalidInputError):
            analyze(lake.spark, lake.catalog, hourly.identifier, aggregates={"long": "repeat('x', 4001)"})
