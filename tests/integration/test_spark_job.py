"""Publications as tasks of Spark executors: in this process, and as an application on workers of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hive_views.cli import spark_job
from hive_views.errors import InvalidInputError, UnsupportedFeatureError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.publish_each import publish_each
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import column, requires, when
from hive_views.spark import PublishedPartition
from hive_views.spark.publishing.job import publish_all, publish_as_job
from hive_views.spark.sessions.local_session import _java_home
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.integration import kills_executor
from tests.support.tables.daily_views import DAYS, make_clicks, make_daily_view

# PySpark leaves the socket of a result to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

NAMES = [f"ds={day}" for day in DAYS]


DAILY = Expectation("daily")


@pytest.fixture
def clicks(hms: HiveMetastore, namespace: str, tmp_path: Path) -> str:
    return make_clicks(hms, namespace, tmp_path)


def views(catalog: ViewCatalog, namespace: str, clicks: str, number: int) -> list[str]:
    names = [f"{namespace}.daily_{n}" for n in range(number)]
    for name in names:
        make_daily_view(catalog, name, clicks)
    return names


def reads(catalog: ViewCatalog, view: str) -> dict[str, str | None]:
    """What is recorded of each partition."""
    return {name: one.parameters.get("hive-views.reads") for name, one in catalog.partitions(view).load()}


@pytest.mark.peer("java")
class TestInThisProcess:
    def test_a_failing_publication_does_not_stop_the_others(
        self, spark: Any, catalog: ViewCatalog, namespace: str, clicks: str
    ) -> None:
        first, second, third = views(catalog, namespace, clicks, 3)
        asked = requires(clicks, ds=column("ds"))
        open_day = DAYS[2]
        result = publish_all(
            spark,
            catalog,
            [
                # It comes behind the one that publishes what it requires.
                Publication(second, [requires(first, ds=column("ds"))]),
                Publication(first, [asked, when(lambda day: day["ds"] != open_day, reason="the day is open")]),
                Publication(third, [asked, when(lambda day: 1 / 0 > 1)]),
                Publication(f"{namespace}.gone", [asked]),
            ],
            slices=2,
        )
        found = {row["view"]: row for row in result.collect()}
        assert [found[view]["state"] for view in (first, second, third)] == ["published", "published", "failed"]
        assert found[first]["added"] == NAMES[:2]
        assert found[first]["waiting"] == {NAMES[2]: ["the day is open"]}
        assert found[third]["error_type"] == "ZeroDivisionError"
        assert found[f"{namespace}.gone"]["error"] == f"There is no view {namespace}.gone."
        assert catalog.partitions(second).names() == NAMES[:2]
        assert catalog.partitions(third).names() == []

    def test_reading_the_result_publishes_nothing_again_and_a_table_keeps_it(
        self, spark: Any, catalog: ViewCatalog, namespace: str, clicks: str
    ) -> None:
        [view] = views(catalog, namespace, clicks, 1)
        job = [Publication(view, [requires(clicks, ds=column("ds"))])]
        table = f"{namespace}.publications"
        result = publish_all(spark, catalog, job, table=table)
        catalog.partitions(view).drop([{"ds": DAYS[0]}])
        assert [row["state"] for row in result.collect()] == ["published"]
        assert catalog.partitions(view).names() == NAMES[1:]
        publish_all(spark, catalog, job, table=table, dry_run=True)
        kept = spark.table(table).orderBy("started_at_ms").select("state", "added").collect()
        assert [tuple(row) for row in kept] == [("published", NAMES), ("ready", NAMES[:1])]

    def test_executors_tell_what_is_late(self, spark: Any, catalog: ViewCatalog, namespace: str, clicks: str) -> None:
        [view] = views(catalog, namespace, clicks, 1)
        asked = requires(clicks, ds=column("ds"))
        late = Publication(view, [asked], since={"ds": "2020-01-01"}, until={"ds": "2020-01-02"}, expected=DAILY)
        [outcome] = publish_as_job(spark, catalog, [late])
        assert outcome.late == {"ds=2020-01-01": 1577923200, "ds=2020-01-02": 1578009600}

    def test_a_strict_publication_of_a_view_that_reads_everything_fails_alone(
        self, spark: Any, catalog: ViewCatalog, namespace: str, clicks: str
    ) -> None:
        [fine] = views(catalog, namespace, clicks, 1)
        whole = f"{namespace}.whole"
        catalog.create_view(
            whole,
            sql={"hive": f"SELECT o.user_id AS clicks, c.ds FROM {clicks} c JOIN {clicks} o ON o.user_id = c.user_id"},
            schema=[("clicks", "bigint"), ("ds", "string")],
            partitioned_on=["ds"],
        )
        strict = [Publication(view, [requires(clicks, ds=column("ds"))], strict=True) for view in (whole, fine)]
        refused, published = publish_all(spark, catalog, strict).collect()
        assert (refused["state"], published["state"]) == ("failed", "published")
        assert clicks in refused["error"]
        assert catalog.partitions(whole).names() == []
        with pytest.raises(UnsupportedFeatureError, match="as a Spark job"):
            publish_each(catalog, strict)

    def test_a_publication_that_records_its_reads_does_so_on_the_driver(
        self, spark: Any, catalog: ViewCatalog, namespace: str, clicks: str
    ) -> None:
        recorded, other = views(catalog, namespace, clicks, 2)
        rule = requires(clicks, ds=column("ds"))
        job = [
            Publication(other, [requires(recorded, ds=column("ds"))]),
            Publication(recorded, [rule], record_reads=True),
        ]
        found = {row["view"]: row for row in publish_all(spark, catalog, job).collect()}
        assert {row["state"] for row in found.values()} == {"published"}
        assert {view: row["process"].endswith(f":{os.getpid()}") for view, row in found.items()} == {
            recorded: True,
            other: False,
        }
        assert reads(catalog, recorded) == {name: f'{{"{clicks}":["{name}"]}}' for name in NAMES}
        assert reads(catalog, other) == dict.fromkeys(NAMES)
        with pytest.raises(UnsupportedFeatureError, match="as a Spark job"):
            publish_each(catalog, job)

    def test_a_callback_hears_of_each_partition_and_fails_only_the_publication_it_raises_for(
        self, spark: Any, catalog: ViewCatalog, namespace: str, clicks: str
    ) -> None:
        first, second = views(catalog, namespace, clicks, 2)
        job = [Publication(view, [requires(clicks, ds=column("ds"))]) for view in (first, second)]
        reported: list[tuple[str, str]] = []

        def note(one: PublishedPartition) -> None:
            if (one.view, one.partition) == (first, NAMES[1]) and len(reported) < 2:
                raise LookupError(one.partition)
            reported.append((one.view, one.partition))

        assert [
            row["state"] for row in publish_all(spark, catalog, job, dry_run=True, on_published=note).collect()
        ] == [
            "ready",
            "ready",
        ]
        assert reported == []
        failed, fine = publish_all(spark, catalog, job, on_published=note).collect()
        assert (failed["state"], failed["error_type"], failed["added"]) == ("failed", "LookupError", NAMES)
        assert (fine["state"], fine["added"]) == ("published", NAMES)
        assert reported == [*((first, name) for name in NAMES if name != NAMES[1]), *((second, name) for name in NAMES)]
        assert [row["state"] for row in publish_all(spark, catalog, job, on_published=note).collect()] == [
            "current"
        ] * 2
        assert reported[2 * len(NAMES) - 1 :] == [(first, NAMES[1])]
        assert reads(catalog, first) == reads(catalog, second) == {name: f'{{"{clicks}":["{name}"]}}' for name in NAMES}

    def test_a_view_with_constants_is_judged_by_given_values_or_by_a_partition_that_it_has(
        self, spark: Any, catalog: ViewCatalog, namespace: str, clicks: str
    ) -> None:
        made_up, given, declared = (f"{namespace}.{name}" for name in ("made_up", "given", "declared"))
        for name in (made_up, given, declared):
            catalog.create_view(
                name,
                sql={"hive": f"SELECT user_id AS clicks, ds, 'eu' AS region FROM {clicks}"},
                schema=[("clicks", "bigint"), ("ds", "string"), ("region", "string")],
                partitioned_on=["ds", "region"],
            )
        first, second = ({"ds": day, "region": "eu"} for day in DAYS[:2])
        catalog.partitions(declared).add([first])
        judged: dict[str, bool | dict[str, object]] = {made_up: True, given: {"region": "eu"}, declared: True}
        job = [
            Publication(view, [requires(clicks, ds=column("ds"))], candidates=[second], strict=strict)
            for view, strict in judged.items()
        ]
        found = {outcome["view"]: outcome for outcome in publish_all(spark, catalog, job).collect()}
        assert {view: outcome["state"] for view, outcome in found.items()} == {
            made_up: "failed",
            given: "published",
            declared: "published",
        }
        assert "or as strict={...} to a publication" in found[made_up]["error"]

    def test_what_contradicts_itself_or_cannot_travel_publishes_nothing(
        self, spark: Any, catalog: ViewCatalog, namespace: str, clicks: str
    ) -> None:
        [view] = views(catalog, namespace, clicks, 1)
        job = [Publication(view, [requires(clicks, ds=column("ds"))])]
        with pytest.raises(InvalidInputError, match="both publish"):
            publish_all(spark, catalog, [*job, Publication(view, [requires(clicks)], name="again")])
        with pytest.raises(InvalidInputError, match="no publication"):
            publish_all(spark, catalog, [])
        with pytest.raises(InvalidInputError, match="only in this process"):
            publish_all(spark, ViewCatalog(MemoryMetastore()), job)
        assert catalog.partitions(view).names() == []


@pytest.mark.timeout(900)
@pytest.mark.peer("java")
@pytest.mark.spark
@pytest.mark.pinned
def test_an_executor_killed_in_the_middle_leaves_everything_published_once(
    java: Path, metastore_uri: str, catalog: ViewCatalog, namespace: str, clicks: str, tmp_path: Path
) -> None:
    names = views(catalog, namespace, clicks, 6)
    file, mark = tmp_path / "publications.toml", tmp_path / "killed"
    rule = f"requires('{clicks}', ds=column('ds'))"
    publications = [f'[defaults]\napp_id = "nightly"\nrules = ["{rule}"]']
    publications += [f'[[publication]]\nview = "{name}"' for name in (*names, f"{namespace}.gone")]
    publications[4] += f"\nrules = [\"{rule} & when('kills_executor:not_again')\"]"
    file.write_text("\n".join(publications))
    ended = submit(
        tmp_path,
        *("--master", "local-cluster[2,1,1024]"),
        *("--conf", "spark.executor.memory=512m", "--conf", "spark.ui.enabled=false"),
        *("--conf", f"spark.executorEnv.{kills_executor.MARK}={mark}"),
        *("--py-files", str(kills_executor.__file__)),
        str(Path(spark_job.__path__[0]) / "__main__.py"),
        *("--uri", metastore_uri, "--output", "json"),
        *("publish", "--file", str(file), "--run-version", "7", "--slices", "2"),
    )
    assert ended.returncode == 1, ended.stderr
    outcomes = {one["identifier"]: one for one in json.loads(ended.stdout)["publications"]}
    assert mark.read_text().isdigit(), "an executor was killed"
    assert outcomes[f"{namespace}.gone"]["state"] == "failed"
    assert len({one["process"] for one in outcomes.values()}) > 1, "more than one executor worked"
    # What a lost task had published is skipped when it is repeated: this version was done.
    assert {outcomes[name]["state"] for name in names} <= {"published", "skipped"}
    assert outcomes[names[3]]["state"] == "published"
    for name in names:
        assert catalog.partitions(name).names() == NAMES
        assert catalog.load_view(name).metadata.properties["hive-views.publish.nightly"] == "7 done"


@pytest.mark.peer("java")
@pytest.mark.spark
@pytest.mark.pinned
def test_a_file_s_partitions_are_reported_to_openlineage(
    java: Path, metastore_uri: str, catalog: ViewCatalog, namespace: str, clicks: str, tmp_path: Path
) -> None:
    pytest.importorskip("openlineage.client")
    names = views(catalog, namespace, clicks, 2)
    file, events = tmp_path / "publications.toml", tmp_path / "events.json"
    rule = f"requires('{clicks}', ds=column('ds'))"
    file.write_text("\n".join(f'[[publication]]\nview = "{name}"\nrules = ["{rule}"]' for name in names))
    transport = {"type": "file", "log_file_path": str(events), "append": True}
    (tmp_path / "openlineage.yml").write_text(json.dumps({"transport": transport}))
    ended = submit(
        tmp_path,
        *("--master", "local[1]", "--conf", "spark.ui.enabled=false"),
        *("--conf", "spark.sql.catalogImplementation=hive"),
        *("--conf", f"spark.hadoop.hive.metastore.uris={metastore_uri}"),
        str(Path(spark_job.__path__[0]) / "__main__.py"),
        *("--uri", metastore_uri, "--output", "json"),
        *("publish", "--file", str(file), "--openlineage", "hive://metastore:9083", "--table", f"{namespace}.outcomes"),
    )
    assert ended.returncode == 0, ended.stderr + ended.stdout
    reported = [json.loads(line) for line in events.read_text().splitlines()]
    completed = [event for event in reported if event["eventType"] == "COMPLETE"]
    table = catalog.metastore.load_row(TableIdentifier(namespace, "outcomes"))
    assert {"name", "view", "state", "added", "waiting"} <= {one.name for one in table.columns}
    assert [event["job"]["name"] for event in completed] == [f"publish.{name}" for name in names for _ in NAMES]
    assert [
        event["inputs"][0]["inputFacets"]["subset"]["inputCondition"]["partitions"][0]["identifier"]
        for event in completed
    ] == NAMES * 2


_STARTS_QUICKLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def submit(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``spark-submit`` of the Spark that is installed here."""
    import pyspark

    home = Path(pyspark.__file__).parent
    return subprocess.run(
        [home / "bin" / "spark-submit", "--driver-java-options", _STARTS_QUICKLY, *arguments],
        cwd=directory,
        env={
            **os.environ,
            "JAVA_HOME": _java_home(directory / "java"),
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
        },
        capture_output=True,
        text=True,
        check=False,
    )
