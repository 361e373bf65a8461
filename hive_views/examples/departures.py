"""The library on real data and a real metastore, step by step: what ``hive-views demo`` runs. Every number is checked.

    python -m hive_views.examples.departures

The body of a block ``with screen.shown_code():`` is printed, then run.
"""

# ruff: noqa: PLC0415 - of an optional package a reader is to see the import where it is used

from __future__ import annotations

import shlex
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from hive_views.errors import HiveViewsError
from hive_views.examples import flight_data as data
from hive_views.examples.explained import scans_of
from hive_views.examples.processes import clean_exit_on_sigterm, home_directory, run_command, serving
from hive_views.examples.screen import Screen
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.publishing.publish import publish
from hive_views.publishing.report import PublishReport
from hive_views.readiness.rules import column, requires
from hive_views.spark.analyser.query_schema import schema_of
from hive_views.spark.sessions.local_session import local_session
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

VIEW = "nyc.departures"
LATE_DAY = "ds=2013-02-21"


def run_demo(keep: Path | None, console: Console) -> None:
    """Show the library on real data, on an embedded metastore and a local Spark.

    Args:
        keep: an empty or new directory to keep everything in; None: one that is removed at the end.
        console: where it is shown.

    Raises:
        InvalidInputError: ``keep`` is not empty.
        UnsupportedFeatureError: Java, PySpark or the data are missing.
        HiveViewsError: a result is not as described.
    """
    began = time.monotonic()
    files = data.find_files()
    screen = Screen(console)
    with ExitStack() as stack:
        stack.enter_context(clean_exit_on_sigterm())
        home = stack.enter_context(home_directory(keep))
        catalog = stack.enter_context(start(screen, f"local://{home}"))
        with screen.working("Starting Spark"):
            server = stack.enter_context(LocalMetastore(home))
            assert server.uri
            spark = stack.enter_context(local_session(server.uri, home / "warehouse", app_name="hive-views demo"))
        stage = Stage(screen, home, catalog, spark)
        load(stage, *files)
        create(stage)
        publish_complete_days(stage)
        read_with_spark(stage)
        correct(stage)
        undo(stage)
        race(stage)
        publish_again(stage)
        late_hour(stage)
        from_delta(stage, files[1])
        over_rest(stage)
        screen.step("Summary")
        sum_up(stage)
        with screen.working("Stopping Spark and the metastore"):
            stack.close()
    kept = "no processes are left running" if keep else "no processes are left running, and no files"
    screen.good(f"Done in {time.monotonic() - began:.0f} seconds; {kept}.")
    if keep is not None:
        suggest_next_steps(stage)


@dataclass(frozen=True)
class Stage:
    """What the steps work with. ``spark`` is a plain session, which knows nothing of this library."""

    screen: Screen
    home: Path
    catalog: ViewCatalog
    spark: Any

    @property
    def uri(self) -> str:
        return f"local://{self.home}"

    def check(self, holds: bool, what: str, found: object) -> None:
        """Say what has been shown.

        Raises:
            HiveViewsError: it does not hold.
        """
        if not holds:
            raise HiveViewsError(f"The demonstration failed. Expected: {what} Found: {found}")
        self.screen.good(what)


def start(screen: Screen, uri: str) -> ViewCatalog:
    screen.step("A metastore")
    screen.say("A real Hive 2.3.10 server on Derby, from the jars in PySpark. It stops when nothing uses it any more.")
    screen.code(f'uri = "{uri}"', "python")
    with screen.shown_code(), screen.working("Starting the metastore"):
        catalog = ViewCatalog.connect(uri)
    screen.good(f"{catalog.metastore.facts().address} answers.")
    return catalog


def load(stage: Stage, flights: Path, weather: Path) -> None:
    screen, spark = stage.screen, stage.spark
    screen.step("Two Hive tables, loaded by Spark")
    screen.say(
        "All flights from New York in January and February 2013, with a partition for each day, and the weather at the "
        "three airports, with a partition for each day and hour."
    )
    screen.code(f"CREATE DATABASE nyc;\n{data.FLIGHTS};\n{data.WEATHER};", "sql")
    with screen.working("Creating the tables"):
        data.read_files(spark, flights, weather, stage.home)
        for statement in ("CREATE DATABASE nyc", data.FLIGHTS, data.WEATHER):
            spark.sql(statement)
    screen.code(f"{data.LOAD_FLIGHTS};\n{data.LOAD_WEATHER};", "sql")
    with screen.working("Loading the flights"):
        spark.sql(data.LOAD_FLIGHTS)
    with screen.working("Loading the weather, about 1,400 partitions"):
        spark.sql(data.LOAD_WEATHER)
    tables = {name: base_partitions(stage, name) for name in ("nyc.flights", "nyc.weather")}
    screen.table(
        ("TABLE", "PARTITIONS", "FOR EXAMPLE"), [(name, len(names), names[-1]) for name, names in tables.items()]
    )


def create(stage: Stage) -> None:
    screen, catalog, spark, select = stage.screen, stage.catalog, stage.spark, data.SELECT
    screen.step("A view on both, for Hive, Spark and Trino")
    screen.say("Delays, wind and visibility by day and airport. Spark derives the columns of the query.")
    screen.code(f'select = """\n{select}"""', "python")
    with screen.shown_code(), screen.working("Creating the view"):
        view = catalog.create_view(
            "nyc.departures",
            sql={"hive": select, "trino": select},
            schema=schema_of(spark, select),
            partitioned_on=["ds"],
            comment="Departures and weather by day and airport",
        )
    stage.check(view.dialects == ("hive", "trino"), "The view has SQL in two dialects.", view.dialects)
    stage.check(view.partitioned_on == ("ds",), "The view is partitioned on ds.", view.partitioned_on)
    screen.table(
        ("COLUMN", "TYPE", "", "COMMENT"),
        [(one.name, one.type, "partition" if one in view.partition_keys else "", one.comment) for one in view.columns],
    )
    screen.say("The row in the metastore points to its metadata file:")
    screen.code(view.metadata_location, "text")


def publish_complete_days(stage: Stage) -> None:
    stage.screen.step("Publish the days that are complete")
    stage.screen.say("A day is ready when its flights and all 24 hours of its weather have arrived.")
    report = published(stage)
    stage.check(set(report.added) == complete_days(stage), "Exactly the complete days are declared.", report.added)
    stage.check(bool(report.waiting), "Some days are waiting.", report.waiting)


def published(stage: Stage) -> PublishReport:
    catalog = stage.catalog
    with stage.screen.shown_code():
        report = publish(
            catalog,
            "nyc.departures",
            requires("nyc.flights", ds=column("ds")),
            requires("nyc.weather", ds=column("ds"), hr=range(24)),
        )
    show(stage, report)
    return report


def read_with_spark(stage: Stage) -> None:
    screen, spark, catalog = stage.screen, stage.spark, stage.catalog
    screen.step("Read it with plain Spark SQL")
    screen.say("This session has no jars or settings of this library. It reads an ordinary view from the metastore.")
    screen.code("DESCRIBE nyc.departures", "sql")
    described = [tuple(row) for row in spark.sql("DESCRIBE nyc.departures").collect()]
    screen.table(("COLUMN", "TYPE", "COMMENT"), described)
    stage.check(("# Partition Information", "", "") in described, "Spark shows the partition column.", described)

    screen.say("Spark only lists the partitions of tables, so the partitions of a view are listed with this library:")
    screen.code("SHOW PARTITIONS nyc.departures", "sql")
    screen.code(textwrap.fill(refusal(spark, "SHOW PARTITIONS nyc.departures"), 76), "text")
    with screen.shown_code():
        names = catalog.partitions("nyc.departures").names()
    screen.code(f"{len(names)} names: {', '.join(names[:2])}, ... {names[-1]}", "text")
    stage.check(set(names) == complete_days(stage), "The partitions are the complete days.", names)

    screen.code(data.THE_DAY, "sql")
    frame = spark.sql(data.THE_DAY)
    screen.table([name.upper() for name in frame.columns], [tuple(row) for row in frame.collect()])
    screen.code(f"EXPLAIN FORMATTED\n{data.THE_DAY}", "sql")
    plan = spark.sql(f"EXPLAIN FORMATTED {data.THE_DAY}").first()[0]
    scans = scans_of(plan)
    screen.table(
        ("SCAN OF", "READS", "OF", "PARTITIONS, BY"),
        [(one.table, one.partitions, len(base_partitions(stage, one.table)), one.filter_on("ds")) for one in scans],
    )
    read = {scan.table: scan.partitions for scan in scans if f"= {data.DAY}" in scan.filter_on("ds")}
    told = "The predicate on the view's partition column prunes both tables: 1 day, 24 hours."
    stage.check(read == {"nyc.flights": 1, "nyc.weather": 24}, told, plan)


def correct(stage: Stage) -> None:
    screen, catalog, select = stage.screen, stage.catalog, data.SELECT
    screen.step("Correct the query and keep the partitions")
    flights = stage.spark.sql(data.FLIGHTS_OF_THE_DAY).first()[0]
    counted = flights_of(stage)
    screen.say(
        f"The table has {flights} flights on {data.DAY}, but the view only {counted}: at 6 in the morning, the station "
        f"at LGA reported nothing, and the JOIN drops the flights of that hour. It must be a LEFT JOIN."
    )
    stage.check(counted < flights, f"The view has lost {flights - counted} flights.", counted)
    before = catalog.partitions(VIEW).names()
    with screen.shown_code():
        better = select.replace("JOIN", "LEFT JOIN")
        view = catalog.replace_view("nyc.departures", sql={"hive": better, "trino": better})
    stage.check(flights_of(stage) == flights, f"The view has all {flights} flights now.", flights_of(stage))
    after = catalog.partitions(view.identifier).names()
    stage.check(after == before, f"All {len(before)} partitions are still declared.", after)
    screen.say("The history and the change, in the shell:")
    screen.code(f"$ export HIVE_VIEWS_URI={stage.uri}", "console")
    run_command(screen, stage.home, "history", VIEW)
    run_command(screen, stage.home, "diff", VIEW)


def undo(stage: Stage) -> None:
    screen, catalog = stage.screen, stage.catalog
    screen.step("Roll back")
    screen.say("Suppose that the old version is needed again: its query becomes current, exactly as it was written.")
    with screen.shown_code():
        view = catalog.roll_back_view("nyc.departures", to_version=1)
    text = view.original_sql("hive")
    stage.check(text == data.SELECT, "The first query is back, byte for byte.", text)
    history = [entry.version_id for entry in view.history]
    stage.check(history == [1, 2, 1], "The history shows it: versions 1, 2, 1 were current.", history)


def race(stage: Stage) -> None:
    screen = stage.screen
    screen.step("Two concurrent writers")
    screen.say("One rolls forward to the correction, the other sets the owning team. Each has its own connection.")
    with screen.shown_code():

        def bring_back(catalog: ViewCatalog) -> None:
            catalog.roll_back_view("nyc.departures", to_version=2)

        def name_a_team(catalog: ViewCatalog) -> None:
            catalog.alter_view(
                "nyc.departures",
                set_properties={"team": "network operations"},
            )

    together = threading.Barrier(2)

    def write(change: Callable[[ViewCatalog], None]) -> None:
        with ViewCatalog.connect(stage.uri) as catalog:
            catalog.load_view(VIEW)
            together.wait(timeout=60)
            change(catalog)

    with ThreadPoolExecutor(2) as writers:
        for written in [writers.submit(write, change) for change in (bring_back, name_a_team)]:
            written.result()
    view = stage.catalog.load_view(VIEW)
    stage.check(view.original_sql("hive") == data.BETTER, "The correction is current.", view.original_sql("hive"))
    stage.check(view.properties.get("team") == "network operations", "The team is set as well.", view.properties)


def publish_again(stage: Stage) -> None:
    stage.screen.step("Publish again")
    report = published(stage)
    stage.check(not report.added, "Nothing is declared twice.", report.added)


def late_hour(stage: Stage) -> None:
    screen = stage.screen
    screen.step("A late hour arrives")
    screen.say("The missing hour is finally delivered (it was never measured; the previous hour stands in for it):")
    screen.code(data.LATE_HOUR, "sql")
    with screen.working("Loading the hour"):
        stage.spark.sql(data.LATE_HOUR)
    report = published(stage)
    stage.check(report.added == (LATE_DAY,), "Only that day has become ready.", report.added)


def from_delta(stage: Stage, measured: Path) -> None:
    screen, catalog = stage.screen, stage.catalog
    screen.step("The same weather, as a Delta table")
    screen.say(
        "The days are dropped, then published again by the partitions of a Delta table: only its log is read, without "
        "data files and without Spark. This copy was made before the late hour."
    )
    weather = str(stage.home / "weather_delta")
    data.write_delta(measured, Path(weather))
    screen.code(f'weather = "{weather}"', "python")
    with screen.shown_code():
        partitions = catalog.partitions("nyc.departures")
        partitions.drop([{"ds": name.removeprefix("ds=")} for name in partitions.names()])
        report = publish(
            catalog,
            "nyc.departures",
            requires("nyc.flights", ds=column("ds")),
            requires(weather, format="delta", ds=column("ds"), hr=range(24)),
        )
    show(stage, report)
    stage.check(
        set(report.added) == complete_days(stage) - {LATE_DAY} and LATE_DAY in report.waiting,
        "The same days are ready, except the one whose hour was late.",
        report,
    )


def over_rest(stage: Stage) -> None:
    screen = stage.screen
    screen.step("The same view over the Iceberg REST protocol")
    screen.say(
        "A server provides the views of the metastore to Trino, Spark, StarRocks and every other client of the "
        "protocol. PyIceberg is pure Python, without Java."
    )
    with serving(screen, stage.home) as uri:
        screen.code(f'uri = "{uri}"', "python")
        try:
            with screen.shown_code():
                from pyiceberg.catalog import load_catalog

                views = load_catalog("hive", type="rest", uri=uri)
                loaded = views.load_view("nyc.departures")
        except ImportError as error:
            raise data.is_missing("pyiceberg", error) from error
    ours = [entry.version_id for entry in stage.catalog.load_view(VIEW).history]
    history = [entry.version_id for entry in loaded.history()]
    stage.check(history == ours, f"PyIceberg loads its history: {history}.", history)
    text = loaded.sql_for("trino")
    stage.check(text is not None and text.sql == data.BETTER, "It also loads the current SQL for Trino.", text)


def sum_up(stage: Stage) -> None:
    names = stage.catalog.partitions(VIEW).names()
    versions = ", ".join(str(entry.version_id) for entry in stage.catalog.load_view(VIEW).history)
    stage.screen.table(
        ("WHAT", "NUMBER"),
        [
            ("versions of the view that were current", versions),
            ("partitions declared", len(names)),
            ("days waiting", len(base_partitions(stage, "nyc.flights")) - len(names)),
        ],
    )


def suggest_next_steps(stage: Stage) -> None:
    """Suggest what to try with what was kept."""
    stage.screen.say(f"Everything is in {stage.home}. To experiment with it:")
    stage.screen.code(data.TO_TRY.format(uri=shlex.quote(stage.uri)), "console")
    stage.screen.say("Or with your own Spark, on a server that runs until you stop it:")
    stage.screen.code(data.WITH_A_SPARK, "console")


# -- what the steps ask ------------------------------------------------------------------------------------------------


def show(stage: Stage, report: PublishReport) -> None:
    numbers = len(report.added), len(report.already_published), len(report.waiting)
    stage.screen.table(("DECLARED NOW", "BEFORE", "WAITING"), [numbers])
    stage.screen.table(("WAITING", "FOR"), [(day, "; ".join(reasons)) for day, reasons in report.waiting.items()])


def base_partitions(stage: Stage, table: str) -> list[str]:
    return sorted(stage.catalog.metastore.partition_names(TableIdentifier.of(table)))


def complete_days(stage: Stage) -> set[str]:
    """The days with flights and 24 hours of weather, counted independently."""
    hours = Counter(name.partition("/")[0] for name in base_partitions(stage, "nyc.weather"))
    return {day for day in base_partitions(stage, "nyc.flights") if hours[day] == 24}


def flights_of(stage: Stage) -> int:
    """The number of flights of the day in the view."""
    return int(stage.spark.sql(data.FLIGHTS_IN_THE_VIEW).first()[0])


def refusal(spark: Any, statement: str) -> str:
    """Spark's error for a statement, in one line."""
    from pyspark.errors import AnalysisException

    try:
        spark.sql(statement)
    except AnalysisException as error:
        return str(error).partition(" SQLSTATE")[0].strip()
    raise HiveViewsError(f"The demonstration failed: Spark was expected to reject {statement}")


if __name__ == "__main__":
    run_demo(None, Console())
