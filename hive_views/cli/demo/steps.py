"""The story of the demonstration, step by step. Every number in it is checked."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive_views.cli.demo import calls, data
from hive_views.cli.demo.calls import body_of
from hive_views.cli.demo.explained import scans_of
from hive_views.cli.demo.screen import Screen
from hive_views.errors import HiveViewsError, UnsupportedFeatureError
from hive_views.publishing.report import PublishReport
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

VIEW = "nyc.departures"
LATE_DAY = "ds=2013-02-21"


@dataclass(frozen=True)
class Stage:
    """What the steps work with. ``spark`` is a plain session: it knows the metastore and nothing of this library."""

    screen: Screen
    home: Path
    catalog: ViewCatalog
    spark: Any
    flights: Path
    weather: Path

    @property
    def uri(self) -> str:
        return f"local://{self.home}"

    def check(self, holds: bool, what: str, found: object) -> None:
        """Say what has been shown.

        Raises:
            HiveViewsError: it is not so.
        """
        if not holds:
            raise HiveViewsError(f"The demonstration went wrong. It should have shown: {what} But found: {found}")
        self.screen.good(what)


def start(screen: Screen, uri: str) -> ViewCatalog:
    screen.step("A metastore")
    screen.say("A real Hive 2.3.10 server on Derby, from the jars inside PySpark. It ends with its last user.")
    screen.code(f'uri = "{uri}"\n{body_of(calls.connect)}', "python")
    with screen.working("Starting the metastore"):
        catalog = calls.connect(uri)
    screen.good(f"{catalog.metastore.facts().address} answers.")
    return catalog


def load(stage: Stage) -> None:
    screen, spark = stage.screen, stage.spark
    screen.step("Two Hive tables, loaded by Spark")
    screen.say(
        "Every flight from New York in January and February 2013, a partition for each day; the weather at the three "
        "airports, a partition for each day and hour."
    )
    screen.code(f"CREATE DATABASE nyc;\n{data.FLIGHTS};\n{data.WEATHER};", "sql")
    with screen.working("Making the tables"):
        data.read_files(spark, stage.flights, stage.weather, stage.home)
        for statement in ("CREATE DATABASE nyc", data.FLIGHTS, data.WEATHER):
            spark.sql(statement)
    screen.code(f"{data.LOAD_FLIGHTS};\n{data.LOAD_WEATHER};", "sql")
    with screen.working("Loading the flights"):
        spark.sql(data.LOAD_FLIGHTS)
    with screen.working("Loading the weather, some 1,400 partitions"):
        spark.sql(data.LOAD_WEATHER)
    tables = {name: base_partitions(stage, name) for name in ("nyc.flights", "nyc.weather")}
    screen.table(("TABLE", "PARTITIONS", "SUCH AS"), [(name, len(names), names[-1]) for name, names in tables.items()])


def create(stage: Stage) -> None:
    screen = stage.screen
    screen.step("A view on both, for Hive, Spark and Trino")
    screen.say("Delays, wind and visibility by day and airport. Spark says which columns the query has.")
    screen.code(f'select = """\n{data.SELECT}"""', "python")
    screen.code(body_of(calls.create), "python")
    with screen.working("Creating the view"):
        view = calls.create(stage.catalog, stage.spark, data.SELECT)
    stage.check(view.dialects == ("hive", "trino"), "The view has two texts.", view.dialects)
    stage.check(view.partitioned_on == ("ds",), "The view is partitioned on ds.", view.partitioned_on)
    screen.table(
        ("COLUMN", "TYPE", "", "COMMENT"),
        [
            (column.name, column.type, "partition" if column in view.partition_keys else "", column.comment)
            for column in view.columns
        ],
    )
    screen.say("The row in the metastore points to its metadata file:")
    screen.code(view.metadata_location, "text")


def publish(stage: Stage) -> None:
    screen = stage.screen
    screen.step("Publish the days that are complete")
    screen.say("A day is ready when its flights are there and all 24 hours of its weather are.")
    report = _publish(stage)
    complete = complete_days(stage)
    stage.check(set(report.added) == complete, "Exactly the complete days are declared.", report.added)
    stage.check(bool(report.waiting), "Some days are waiting.", report.waiting)


def read_with_spark(stage: Stage) -> None:
    screen, spark = stage.screen, stage.spark
    screen.step("Read it with plain Spark SQL")
    screen.say("The session has no jar and no setting of this library. To it this is a view in the metastore.")
    screen.code("DESCRIBE nyc.departures", "sql")
    described = [tuple(row) for row in spark.sql("DESCRIBE nyc.departures").collect()]
    screen.table(("COLUMN", "TYPE", "COMMENT"), described)
    stage.check(("# Partition Information", "", "") in described, "Spark shows the partition column.", described)

    screen.say("Spark lists partitions of tables only, so the list of a view's partitions comes from this library:")
    screen.code("SHOW PARTITIONS nyc.departures", "sql")
    screen.code(textwrap.fill(refusal(spark, "SHOW PARTITIONS nyc.departures"), 76), "text")
    screen.code(body_of(calls.partition_names), "python")
    names = calls.partition_names(stage.catalog)
    screen.code(f"{len(names)} names: {', '.join(names[:2])}, ... {names[-1]}", "text")
    stage.check(set(names) == complete_days(stage), "The list is that of the complete days.", names)

    screen.code(data.THE_DAY, "sql")
    _totals(stage)
    screen.code(f"EXPLAIN FORMATTED\n{data.THE_DAY}", "sql")
    plan = spark.sql(f"EXPLAIN FORMATTED {data.THE_DAY}").first()[0]
    scans = scans_of(plan)
    screen.table(
        ("SCAN OF", "READS", "OF", "PARTITIONS, BY"),
        [
            (scan.table, scan.partitions, len(base_partitions(stage, scan.table)), scan.filter_on("ds"))
            for scan in scans
        ],
    )
    read = {scan.table: scan.partitions for scan in scans if f"= {data.DAY}" in scan.filter_on("ds")}
    told = "The predicate on the view's partition column prunes both tables: 1 day, 24 hours."
    stage.check(read == {"nyc.flights": 1, "nyc.weather": 24}, told, plan)


def correct(stage: Stage) -> None:
    screen = stage.screen
    screen.step("Correct the query; the partitions stay")
    flights = stage.spark.sql(data.FLIGHTS_OF_THE_DAY).first()[0]
    counted = flights_of(stage)
    screen.say(
        f"The table has {flights} flights on {data.DAY}, the view only {counted}: at 6 in the morning the station at "
        f"LGA sent nothing, and the JOIN drops the flights of that hour. It must be a LEFT JOIN."
    )
    stage.check(counted < flights, f"The view has lost {flights - counted} flights.", counted)
    before = calls.partition_names(stage.catalog)
    screen.code('better = select.replace("JOIN", "LEFT JOIN")', "python")
    screen.code(body_of(calls.replace), "python")
    calls.replace(stage.catalog, data.BETTER)
    stage.check(flights_of(stage) == flights, f"The view has all {flights} flights now.", flights_of(stage))
    after = calls.partition_names(stage.catalog)
    stage.check(after == before, f"All {len(before)} partitions are still declared.", after)
    screen.say("What has happened, asked from the shell:")
    screen.code(f"$ export HIVE_VIEWS_URI={stage.uri}", "console")
    run_command(stage, "history", VIEW)
    run_command(stage, "diff", VIEW)


def undo(stage: Stage) -> None:
    screen = stage.screen
    screen.step("Undo it")
    screen.say("Whatever the reason, at night the old version must be back: its text is current again, as typed.")
    screen.code(body_of(calls.roll_back), "python")
    view = calls.roll_back(stage.catalog)
    stage.check(
        view.original_sql("hive") == data.SELECT, "The first text is back, byte for byte.", view.original_sql("hive")
    )
    history = [entry.version_id for entry in view.history]
    stage.check(history == [1, 2, 1], "The history says so: versions 1, 2, 1 were current.", history)


def race(stage: Stage) -> None:
    screen = stage.screen
    screen.step("Two writers at the same moment")
    screen.say("One brings the correction back, the other says whose view it is. Each has a connection of its own.")
    screen.code(f"{body_of(calls.release_again)}\n\n{body_of(calls.name_a_team)}", "python")
    together = threading.Barrier(2)

    def write(change: Any) -> None:
        with ViewCatalog.connect(stage.uri) as catalog:
            catalog.load_view(VIEW)
            together.wait(timeout=60)
            change(catalog)

    with ThreadPoolExecutor(2) as writers:
        for written in [writers.submit(write, change) for change in (calls.release_again, calls.name_a_team)]:
            written.result()
    view = stage.catalog.load_view(VIEW)
    stage.check(view.original_sql("hive") == data.BETTER, "The correction is in.", view.original_sql("hive"))
    stage.check(view.properties.get("team") == "network operations", "So is the team.", view.properties)


def publish_again(stage: Stage) -> None:
    screen = stage.screen
    screen.step("Publish again")
    report = _publish(stage)
    stage.check(not report.added, "Nothing is declared twice.", report.added)


def late_hour(stage: Stage) -> None:
    screen = stage.screen
    screen.step("A late hour arrives")
    screen.say("The missing hour is delivered at last (nobody has measured it; the hour before stands in for it):")
    screen.code(data.LATE_HOUR, "sql")
    with screen.working("Loading the hour"):
        stage.spark.sql(data.LATE_HOUR)
    report = _publish(stage)
    stage.check(report.added == (LATE_DAY,), "Just that day has become ready.", report.added)


def from_delta(stage: Stage) -> None:
    screen = stage.screen
    screen.step("The same weather, as a Delta table")
    screen.say(
        "The days are dropped, and published again by what a Delta table holds: its log is read, no data file and no "
        "Spark. This copy was made before the late hour."
    )
    location = stage.home / "weather_delta"
    data.write_delta(stage.weather, location)
    screen.code(f'weather = "{location}"\n{body_of(calls.publish_from_delta)}', "python")
    report = calls.publish_from_delta(stage.catalog, str(location))
    _show(stage, report)
    stage.check(
        set(report.added) == complete_days(stage) - {LATE_DAY} and LATE_DAY in report.waiting,
        "The same days are ready, but for the one whose hour came late.",
        report,
    )


def over_rest(stage: Stage) -> None:
    screen = stage.screen
    screen.step("The same view over Iceberg's REST protocol")
    screen.say(
        "A server gives the views of the metastore to Trino, Spark, StarRocks and all others that speak the protocol. "
        "PyIceberg is Python alone: no Java."
    )
    with _serving(stage) as uri:
        screen.code(f'uri = "{uri}"\n{body_of(calls.load_over_rest)}', "python")
        with screen.working("Loading the view"):
            loaded = _loaded(uri)
    ours = stage.catalog.load_view(VIEW)
    history = [entry.version_id for entry in loaded.history()]
    stage.check(
        history == [entry.version_id for entry in ours.history], f"PyIceberg sees its history: {history}.", history
    )
    text = loaded.sql_for("trino")
    stage.check(
        text is not None and text.sql == data.BETTER,
        "And the text for Trino, as it is now.",
        text,
    )


STORY = (create, publish, read_with_spark, correct, undo, race, publish_again, late_hour, from_delta, over_rest)


def sum_up(stage: Stage) -> None:
    view = stage.catalog.load_view(VIEW)
    names = calls.partition_names(stage.catalog)
    versions = ", ".join(str(entry.version_id) for entry in view.history)
    stage.screen.table(
        ("WHAT", "HOW MANY"),
        [
            ("versions of the view that were current", versions),
            ("partitions declared", len(names)),
            ("days waiting", len(base_partitions(stage, "nyc.flights")) - len(names)),
        ],
    )


def invite(stage: Stage) -> None:
    """Say what can be tried on what is left."""
    screen = stage.screen
    screen.say(f"Everything is in {stage.home}. To play on:")
    screen.code(
        f"""\
$ export HIVE_VIEWS_URI={shlex.quote(stage.uri)}
$ hive-views list
$ hive-views show nyc.departures
$ hive-views sql nyc.departures --dialect trino
$ hive-views diff nyc.departures 1 2
$ hive-views partitions list nyc.departures --long
$ hive-views publish nyc.departures \\
    --require 'requires("nyc.flights", ds=column("ds"))' \\
    --require 'requires("nyc.weather", ds=column("ds"), hr=range(24))'
$ hive-views doctor""",
        "console",
    )
    screen.say("Or with a Spark of your own, on a server that stays until you stop it:")
    screen.code(
        """\
$ hive-views metastore start            # prints its address, thrift://...
$ spark-sql --conf spark.hadoop.hive.metastore.uris=thrift://...
$ hive-views metastore stop""",
        "console",
    )


def base_partitions(stage: Stage, table: str) -> list[str]:
    return sorted(stage.catalog.metastore.partition_names(TableIdentifier.of(table)))


def complete_days(stage: Stage) -> set[str]:
    """The days with flights and 24 hours of weather, counted by hand."""
    hours = Counter(name.partition("/")[0] for name in base_partitions(stage, "nyc.weather"))
    return {day for day in base_partitions(stage, "nyc.flights") if hours[day] == 24}


def flights_of(stage: Stage) -> int:
    """What the view says of the day."""
    return int(stage.spark.sql(data.FLIGHTS_IN_THE_VIEW).first()[0])


def refusal(spark: Any, statement: str) -> str:
    """How Spark refuses a statement, in one line."""
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - an optional package

    try:
        spark.sql(statement)
    except AnalysisException as error:
        return str(error).partition(" SQLSTATE")[0].strip()
    raise HiveViewsError(f"The demonstration went wrong: Spark was expected to refuse {statement}")


def run_command(stage: Stage, *arguments: str) -> None:
    """Run the command ``hive-views`` as a process of its own, and show what it prints."""
    stage.screen.code(f"$ {shlex.join(('hive-views', *arguments))}", "console")
    done = subprocess.run(  # noqa: S603 - this interpreter, this package
        [*_COMMAND, *arguments],
        cwd=stage.home,
        env=_environment(stage),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise HiveViewsError(f"The demonstration went wrong: {done.stderr}")
    stage.screen.code(done.stdout, "diff")


_COMMAND = (sys.executable, "-c", "from hive_views.cli import main; main()")


def _environment(stage: Stage) -> dict[str, str]:
    # What this machine has configured elsewhere must not matter, and the package is found where this process found it.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HIVE_VIEWS_")}
    import_path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    return {**clean, "HIVE_VIEWS_URI": stage.uri, "XDG_CONFIG_HOME": str(stage.home), "PYTHONPATH": import_path}


def _loaded(uri: str) -> Any:
    try:
        return calls.load_over_rest(uri)
    except ImportError as error:
        raise UnsupportedFeatureError(
            f"The demonstration needs the package pyiceberg ({error}). Install it with: pip install 'hive_views[demo]'"
        ) from error


@contextmanager
def _serving(stage: Stage) -> Iterator[str]:
    """Run ``hive-views serve`` meanwhile; the address is that of a free port."""
    stage.screen.code("$ hive-views serve --port 0", "console")
    with subprocess.Popen(  # noqa: S603 - this interpreter, this package
        [*_COMMAND, "serve", "--port", "0"], cwd=stage.home, env=_environment(stage), stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        try:
            said = server.stderr.readline()
            served = re.search(r"https?://\S+", said)
            if not served:
                raise HiveViewsError(f"The demonstration went wrong: {said}{server.stderr.read()}")
            stage.screen.code(said, "text")
            yield served[0]
        finally:
            server.terminate()


def _publish(stage: Stage) -> PublishReport:
    screen = stage.screen
    screen.code(body_of(calls.publish_complete_days), "python")
    report = calls.publish_complete_days(stage.catalog)
    _show(stage, report)
    return report


def _show(stage: Stage, report: PublishReport) -> None:
    screen = stage.screen
    screen.table(
        ("DECLARED NOW", "BEFORE", "WAITING"), [(len(report.added), len(report.already_published), len(report.waiting))]
    )
    screen.table(("WAITING", "FOR"), [(day, "; ".join(reasons)) for day, reasons in report.waiting.items()])


def _totals(stage: Stage) -> None:
    frame = stage.spark.sql(data.THE_DAY)
    stage.screen.table([name.upper() for name in frame.columns], [tuple(row) for row in frame.collect()])
