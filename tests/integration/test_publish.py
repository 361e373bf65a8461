"""Publishing from real Hive tables and views: the whole run, on the embedded metastore and on the in-memory one."""

from __future__ import annotations

import json
import logging
import math
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryBaseTable
from hive_views.base_tables.port import PartitionListing
from hive_views.errors import (
    Answer,
    CommitFailedError,
    CommitStateUnknownError,
    CorruptMetadataError,
    HiveViewsError,
    InvalidInputError,
    InvalidPartitionError,
    MetastoreUnavailableError,
    NoSuchTableError,
    NoSuchViewError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.plan import Plan
from hive_views.publishing.publish import apply_plan, plan_publish, publish
from hive_views.readiness.dependency_digest import DependencyDigest
from hive_views.readiness.rules import column, requires, when
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.failing.wire import WireProxy

DS, HR = Column("ds", "string"), Column("hr", "string")
HOURS = ("00", "01", "02")
NOW_MS = 1_787_270_400_000
DAILY = "SELECT count(*) AS clicks, ds FROM web.clicks GROUP BY ds"


class HiveLake:
    """Hive tables and views in a namespace, as their writers see them."""

    def __init__(self, metastore: Metastore, namespace: str, path: Path) -> None:
        self.metastore = metastore
        self.namespace = namespace
        self._path = path
        self.catalog = self.catalog_on(metastore)

    def catalog_on(self, metastore: Metastore) -> ViewCatalog:
        settings = CommitSettings(clock_ms=lambda: NOW_MS, retry_timeout_s=10.0, settle_timeout_s=0.2)
        return ViewCatalog(metastore, warehouse=f"file://{self._path}/views", settings=settings)

    def name(self, table: str) -> str:
        return f"{self.namespace}.{table}"

    def table(self, name: str, keys: Sequence[Column], *values: tuple[str, ...], **changes: Any) -> str:
        row = Row(
            identifier=TableIdentifier(self.namespace, name),
            table_type="MANAGED_TABLE",
            owner="ada",
            location=f"file:{self._path}/{name}",
            columns=(Column("user_id", "bigint"),),
            partition_keys=tuple(keys),
            input_format="org.apache.hadoop.mapred.TextInputFormat",
            output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            serde_library="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
        )
        self.metastore.create_row(replace(row, **changes))
        self.load(name, *values)
        return self.name(name)

    def load(self, name: str, *values: tuple[str, ...]) -> None:
        partitions = [Partition(one, has_descriptor=True) for one in values]
        if partitions:
            self.metastore.add_partitions(TableIdentifier(self.namespace, name), partitions, if_not_exists=False)

    def view(self, name: str = "daily", key: str = "string") -> str:
        self.catalog.create_view(
            self.name(name),
            sql={"hive": DAILY},
            schema=[("clicks", "bigint"), ("ds", key)],
            partitioned_on=["ds"],
        )
        return self.name(name)

    def declared(self, name: str = "daily") -> list[str]:
        return sorted(self.catalog.partitions(self.name(name)).names())

    def parameters(self, partition: str, name: str = "daily") -> dict[str, str]:
        [(_, found)] = self.catalog.partitions(self.name(name)).load([partition])
        return {key: value for key, value in found.parameters.items() if key != "transient_lastDdlTime"}


class CallingTable(MemoryBaseTable):
    """A table during whose listing something else happens."""

    def __init__(self, name: str, happens: Callable[[], object], *days: str) -> None:
        super().__init__(name, [DS], [(day,) for day in days])
        self._happens = happens

    def list_partitions(self) -> PartitionListing:
        listing = super().list_partitions()
        self._happens()
        return listing


def hours(day: str, there: Sequence[str] = HOURS) -> list[tuple[str, str]]:
    return [(day, hour) for hour in there]


class Publishing:
    """What publishing does on any metastore; inherit it and give the fixtures ``metastore`` and ``calls``."""

    @pytest.fixture
    def calls(self) -> list[str]:
        """The calls that ``metastore`` makes, in its own words."""
        raise NotImplementedError

    @pytest.fixture
    def metastore(self, calls: list[str]) -> Metastore:
        raise NotImplementedError

    LOAD, NAMES, ADD = "load_row", "partition_names", "add_partitions"

    @pytest.fixture
    def lake(self, metastore: Metastore, tmp_path: Path) -> HiveLake:
        namespace = f"publish_{uuid.uuid4().hex[:12]}"
        metastore.create_namespace(namespace, location=f"file:{tmp_path}")
        return HiveLake(metastore, namespace, tmp_path)

    def test_a_day_is_declared_once_all_its_hours_are_there(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS, HR], *hours("2026-08-20"), *hours("2026-08-21", ["00", "02"]))
        rule = requires(clicks, ds=column("ds"), hr=HOURS)
        view = lake.view()

        first = publish(lake.catalog, view, rule)
        assert first.view == view
        assert first.added == ("ds=2026-08-20",)
        assert first.waiting == {"ds=2026-08-21": (f"{clicks}: hr 01 of ds=2026-08-21 is missing",)}
        assert lake.declared() == ["ds=2026-08-20"]

        again = publish(lake.catalog, view, rule)
        assert (again.added, again.already_published) == ((), ("ds=2026-08-20",))
        assert again.waiting == first.waiting

        lake.load("clicks", ("2026-08-21", "01"))
        late = publish(lake.catalog, view, rule)
        assert (late.added, late.already_published, late.waiting) == (("ds=2026-08-21",), ("ds=2026-08-20",), {})
        assert lake.declared() == ["ds=2026-08-20", "ds=2026-08-21"]

    def test_a_day_is_declared_once_every_table_and_view_under_it_has_it(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS, HR], *hours("2026-08-20"), *hours("2026-08-21"), *hours("2026-08-22"))
        users = lake.table("users", [Column("day", "date")], ("2026-08-20",), ("2026-08-22",))
        countries = lake.table("countries", [])
        other, view = lake.view("other"), lake.view()
        lake.catalog.partitions(other).add([{"ds": "2026-08-20"}, {"ds": "2026-08-21"}])
        rules = [
            requires(clicks, ds=column("ds"), hr=HOURS),
            requires(users, day=column("ds")),
            requires(countries),
            requires(other, ds=column("ds")),
        ]
        report = publish(lake.catalog, view, *rules)
        assert report.added == ("ds=2026-08-20",)
        assert report.waiting == {
            "ds=2026-08-21": (f"{users}: day=2026-08-21 is missing",),
            "ds=2026-08-22": (f"{other}: ds=2026-08-22 is missing",),
        }

    def test_values_are_declared_in_the_spelling_of_the_views_type(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [Column("day", "int")], ("7",), ("10",))
        view = lake.view(key="tinyint")
        lake.load("clicks", ("300",))
        assert publish(lake.catalog, view, requires(clicks, day=column("ds"))).added == ("ds=7", "ds=10")

    def test_a_dry_run_decides_and_writes_nothing(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",), ("2026-08-21",))
        view = lake.view()
        lake.catalog.partitions(view).add([{"ds": "2026-08-20"}])
        before = lake.catalog.load_view(view).metadata_location
        rule = requires(clicks, ds=column("ds"))
        report = publish(lake.catalog, view, rule, dry_run=True, app_id="nightly", run_version=1)
        assert (report.added, report.already_published, report.dry_run) == (
            ("ds=2026-08-21",),
            ("ds=2026-08-20",),
            True,
        )
        assert lake.declared() == ["ds=2026-08-20"]
        assert lake.catalog.load_view(view).metadata_location == before

    def test_bounds_and_candidates_limit_a_run(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], *[(f"2026-08-{day}",) for day in range(20, 25)])
        view = lake.view()
        rule = requires(clicks, ds=column("ds"))
        bounds = {"since": {"ds": "2026-08-21"}, "until": {"ds": "2026-08-22"}}
        assert publish(lake.catalog, view, rule, **bounds).added == ("ds=2026-08-21", "ds=2026-08-22")
        report = publish(lake.catalog, view, rule, candidates=[{"ds": "2026-08-24"}, {"ds": "2026-08-25"}])
        assert report.added == ("ds=2026-08-24",)
        assert report.waiting == {"ds=2026-08-25": (f"{clicks}: ds=2026-08-25 is missing",)}

    def test_a_partition_records_who_published_it_and_on_what(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS, HR], *hours("2026-08-20"), *hours("2026-08-21", HOURS[:1]))
        view = lake.view()
        publish(lake.catalog, view, requires(clicks, ds=column("ds")), parameters={"ticket": "DATA-1"})
        parameters = lake.parameters("ds=2026-08-20")
        inputs = json.loads(parameters.pop("hive-views.inputs"))
        assert len(parameters.pop("hive-views.published-rule")) == 16
        assert parameters == {"hive-views.published-by": "hive_views", "ticket": "DATA-1"}
        fingerprint, table_id = inputs[clicks].pop("fingerprint"), inputs[clicks].pop("table-id")
        assert [*inputs[clicks].pop("asked").values()] == [str(DependencyDigest.on(hours("2026-08-20")))]
        assert table_id == str(lake.catalog.metastore.load_row(TableIdentifier.of(clicks)).create_time_s)
        inputs[clicks].pop("directories", None)  # which only a real metastore gives to partitions
        assert inputs == {clicks: {"format": "hive", "partitions": 3, "listed-at-ms": NOW_MS}}
        inputs = json.loads(lake.parameters("ds=2026-08-21")["hive-views.inputs"])
        assert inputs[clicks].pop("fingerprint") != fingerprint
        assert [*inputs[clicks].pop("asked").values()] == [str(DependencyDigest.on(hours("2026-08-21", HOURS[:1])))]
        assert inputs[clicks].pop("table-id") == table_id
        inputs[clicks].pop("directories", None)
        assert inputs == {clicks: {"format": "hive", "partitions": 1, "listed-at-ms": NOW_MS}}

    def test_what_somebody_else_declares_meanwhile_is_not_counted_as_ours(self, lake: HiveLake) -> None:
        view = lake.view()
        plan = plan_publish(
            lake.catalog, view, when(lambda _: True), candidates=[{"ds": "2026-08-20"}, {"ds": "2026-08-21"}]
        )
        lake.catalog.partitions(view).add([{"ds": "2026-08-20"}], parameters={"by": "hand"})
        report = apply_plan(lake.catalog, plan)
        assert (report.added, report.already_published) == (("ds=2026-08-21",), ("ds=2026-08-20",))
        assert lake.parameters("ds=2026-08-20") == {"by": "hand"}

    def test_a_plan_is_saved_and_applied_later(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",))
        view = lake.view()
        plan = plan_publish(lake.catalog, view, requires(clicks, ds=column("ds")))
        assert lake.declared() == []
        report = apply_plan(lake.catalog, Plan.from_json(plan.to_json()))
        assert report.added == ("ds=2026-08-20",)
        assert json.loads(lake.parameters("ds=2026-08-20")["hive-views.inputs"])[clicks]["partitions"] == 1

    def test_a_plan_is_not_applied_to_another_view_that_got_the_name(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",))
        view = lake.view()
        plan = plan_publish(lake.catalog, view, requires(clicks, ds=column("ds")))
        lake.catalog.drop_view(view)
        lake.view()
        with pytest.raises(InvalidInputError, match="Make a new plan"):
            apply_plan(lake.catalog, plan)
        assert lake.declared() == []

    @pytest.mark.parametrize("count", [0, 1, 501])
    def test_round_trips_are_two_a_table_two_for_the_view_and_two_for_each_500(
        self, lake: HiveLake, calls: list[str], count: int
    ) -> None:
        clicks, users = lake.table("clicks", [DS, HR]), lake.table("users", [])
        view = lake.view(key="int")
        rules = [requires(clicks) | requires(users), requires(clicks) | when(lambda _: True)]
        candidates = [{"ds": number} for number in range(count)]
        # The first run records its rules, which takes a commit; later ones find them recorded.
        publish(lake.catalog, view, *rules, candidates=[])
        calls.clear()
        report = publish(lake.catalog, view, *rules, candidates=candidates, fingerprints=False)
        assert len(report.added) == count
        tables = [self.LOAD, self.LOAD, self.NAMES]
        assert calls == [self.LOAD, *tables, self.NAMES, *[self.LOAD, self.ADD] * math.ceil(count / 500)]

    # -- runs --------------------------------------------------------------------------------------------------------

    def test_a_version_that_is_done_does_nothing_again(self, lake: HiveLake, calls: list[str]) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",))
        view = lake.view()
        rule = requires(clicks, ds=column("ds"))
        assert publish(lake.catalog, view, rule, app_id="nightly", run_version=7).added == ("ds=2026-08-20",)
        parameters = lake.parameters("ds=2026-08-20")
        assert parameters["hive-views.published-by"] == "nightly"
        assert parameters["hive-views.published-version"] == "7"

        lake.load("clicks", ("2026-08-21",))
        calls.clear()
        again = publish(lake.catalog, view, rule, app_id="nightly", run_version=7)
        assert again.skipped
        assert (again.added, again.waiting) == ((), {})
        assert calls == [self.LOAD]
        assert apply_plan(lake.catalog, plan_publish(lake.catalog, view, rule), app_id="nightly", run_version=7).skipped
        assert lake.declared() == ["ds=2026-08-20"]

        later = publish(lake.catalog, view, rule, app_id="nightly", run_version=8)
        assert later.added == ("ds=2026-08-21",)

    def test_recording_runs_makes_no_version_of_the_view(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",))
        view = lake.view()
        publish(lake.catalog, view, requires(clicks, ds=column("ds")), app_id="nightly", run_version=7)
        loaded = lake.catalog.load_view(view)
        assert len(loaded.versions) == len(loaded.history) == 1
        assert loaded.properties == {}
        assert loaded.differences == ()

    def test_a_lower_version_is_refused(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",))
        view = lake.view()
        rule = requires(clicks, ds=column("ds"))
        publish(lake.catalog, view, rule, app_id="nightly", run_version=10)
        lake.load("clicks", ("2026-08-21",))
        with pytest.raises(CommitFailedError, match=r"Run 9 of nightly .*run 10 has begun"):
            publish(lake.catalog, view, rule, app_id="nightly", run_version=9)
        assert lake.declared() == ["ds=2026-08-20"]
        assert publish(lake.catalog, view, rule, app_id="hourly", run_version=1).added == ("ds=2026-08-21",)

    def test_a_job_that_wakes_up_after_a_later_one_began_cannot_act(self, lake: HiveLake) -> None:
        view = lake.view()
        days = MemoryBaseTable("web.clicks", [DS], [("2026-08-21",)])
        rule = requires("web.clicks", ds=column("ds"))

        def a_later_run() -> None:
            tables = {"web.clicks": days}
            publish(lake.catalog, view, rule, app_id="nightly", run_version=8, base_tables=tables)

        asleep = CallingTable("web.clicks", a_later_run, "2026-08-20", "2026-08-21")
        with pytest.raises(CommitFailedError, match=r"Run 7 of nightly .*run 8 has begun"):
            publish(lake.catalog, view, rule, app_id="nightly", run_version=7, base_tables={"web.clicks": asleep})
        assert lake.declared() == ["ds=2026-08-21"]

    def test_a_run_whose_twin_was_faster_does_nothing(self, lake: HiveLake) -> None:
        view = lake.view()
        days = MemoryBaseTable("web.clicks", [DS], [("2026-08-21",)])
        rule = requires("web.clicks", ds=column("ds"))

        def its_twin() -> None:
            publish(lake.catalog, view, rule, app_id="nightly", run_version=7, base_tables={"web.clicks": days})

        slower = CallingTable("web.clicks", its_twin, "2026-08-20", "2026-08-21")
        report = publish(lake.catalog, view, rule, app_id="nightly", run_version=7, base_tables={"web.clicks": slower})
        assert report.skipped
        assert lake.declared() == ["ds=2026-08-21"]

    def test_a_version_that_only_began_is_continued(self, lake: HiveLake) -> None:
        view = lake.view(key="int")
        candidates = [{"ds": number} for number in range(700)]
        options = {"candidates": candidates, "app_id": "nightly", "run_version": 7}

        with self.failing_second_add(lake) as failing, pytest.raises(HiveViewsError) as failure:
            publish(failing, view, when(lambda _: True), **options)
        assert len(failure.value.added) == 500
        assert len(lake.declared()) == 500

        report = publish(lake.catalog, view, when(lambda _: True), **options)
        assert (len(report.added), len(report.already_published), report.skipped) == (200, 500, False)
        assert len(lake.declared()) == 700
        assert publish(lake.catalog, view, when(lambda _: True), **options).skipped

    def failing_second_add(self, lake: HiveLake) -> AbstractContextManager[ViewCatalog]:
        """A catalog on the same metastore whose second batch fails without having been added."""
        raise NotImplementedError

    def test_two_runs_at_once_declare_everything_once(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS])
        view = lake.view(key="int")
        rule = requires(clicks) | when(lambda _: True)
        candidates = [{"ds": number} for number in range(600)]

        def run(_: int) -> tuple[str, ...]:
            return publish(lake.catalog, view, rule, candidates=candidates, app_id="nightly", run_version=7).added

        with ThreadPoolExecutor(2) as pool:
            added = [name for names in pool.map(run, range(2)) for name in names]
        assert sorted(added) == lake.declared()
        assert len(added) == 600

    # -- mistakes ----------------------------------------------------------------------------------------------------

    def test_bad_input_is_refused_before_anything_is_written(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",))
        blob = lake.table("blob", [Column("at", "timestamp")])
        view = lake.view(key="date")
        before = lake.catalog.load_view(view).metadata_location
        good = requires(clicks, ds=column("ds"))
        cases: list[tuple[type[Exception], str, tuple[Any, ...], dict[str, Any]]] = [
            (NoSuchTableError, "nothing", (good, requires(lake.name("nothing"))), {}),
            (InvalidInputError, "no partition column 'dss'", (good, requires(clicks, dss=column("ds"))), {}),
            (InvalidInputError, "not a partition column of the view", (good, requires(clicks, ds=column("d"))), {}),
            (InvalidInputError, "Cannot compare", (good, requires(blob, at=column("ds"))), {}),
            (InvalidInputError, "format='parquet'", (requires(clicks, format="parquet"),), {}),
            (InvalidInputError, "No rules are recorded", (), {}),
            (InvalidInputError, "which partitions to consider", (requires(clicks),), {}),
            (InvalidInputError, "together", (good,), {"run_version": None}),
            (InvalidInputError, "hive-views.inputs", (good,), {"parameters": {"hive-views.inputs": "x"}}),
            (InvalidPartitionError, "yesterday", (good,), {"since": {"ds": "yesterday"}}),
            (InvalidPartitionError, "not a partition column", (good,), {"candidates": [{"day": "2026-08-20"}]}),
            (InvalidPartitionError, "note", (good,), {"parameters": {"note": "x" * 4001}}),
            (NoSuchTableError, "no table at /nowhere/users", (good, requires("/nowhere/users", format="delta")), {}),
            (InvalidInputError, "its location|namespace.name", (good, requires("/data/t", format="hive")), {}),
        ]
        for kind, message, rules, options in cases:
            with pytest.raises(kind, match=message):
                publish(lake.catalog, view, *rules, **{"app_id": "nightly", "run_version": 7, **options})
        assert lake.declared() == []
        assert lake.catalog.load_view(view).metadata_location == before

    def test_a_view_without_partition_columns_cannot_be_published(self, lake: HiveLake) -> None:
        lake.catalog.create_view(
            lake.name("flat"), sql={"hive": DAILY}, schema=[("clicks", "bigint"), ("ds", "string")]
        )
        with pytest.raises(InvalidPartitionError, match="no partition columns"):
            publish(lake.catalog, lake.name("flat"), when(lambda _: True))
        with pytest.raises(NoSuchViewError):
            publish(lake.catalog, lake.name("missing"), when(lambda _: True))

    @pytest.mark.parametrize(
        ("parameters", "kind", "message"),
        [
            ({"table_type": "ICEBERG"}, CorruptMetadataError, "has the format iceberg"),
            ({"spark.sql.sources.provider": "hudi"}, UnsupportedFeatureError, "its format is hudi"),
        ],
    )
    def test_a_table_that_cannot_be_read_is_not_taken_for_an_empty_one(
        self, lake: HiveLake, parameters: dict[str, str], kind: type[Exception], message: str
    ) -> None:
        """The metastore lists no partitions for it; ``requires(table) | ...`` would go on as if nothing were loaded."""
        users = lake.table("users", [], parameters={**parameters, "EXTERNAL": "TRUE"})
        view = lake.view()
        with pytest.raises(kind, match=message):
            publish(lake.catalog, view, requires(users) | when(lambda _: True), candidates=[{"ds": "2026-08-20"}])
        assert lake.declared() == []

    def test_a_table_can_be_read_by_a_reader_of_ones_own(self, lake: HiveLake) -> None:
        view = lake.view()
        tables = {
            "s3://lake/users": MemoryBaseTable("s3://lake/users", [DS], [("2026-08-20",)]),
            "Web.Clicks": MemoryBaseTable("web.clicks", [DS], [("2026-08-20",), ("2026-08-21",)]),
        }
        rule = requires("s3://lake/users", ds=column("ds")) & requires("web.clicks", ds=column("ds"))
        report = publish(lake.catalog, view, rule, base_tables=tables)
        assert report.added == ("ds=2026-08-20",)
        assert report.waiting == {"ds=2026-08-21": ("s3://lake/users: ds=2026-08-21 is missing",)}
        with pytest.raises(InvalidInputError, match="has the format hive, not delta"):
            publish(lake.catalog, view, requires("s3://lake/users", format="delta"), base_tables=tables)


class TestOnTheMemoryMetastore(Publishing):
    @pytest.fixture
    def calls(self) -> list[str]:
        return []

    @pytest.fixture
    def metastore(self, calls: list[str]) -> Metastore:
        return MemoryMetastore(on_call=calls.append)

    @contextmanager
    def failing_second_add(self, lake: HiveLake) -> Iterator[ViewCatalog]:
        yield lake.catalog_on(_FailingSecondAdd(lake.metastore))

    def test_a_run_that_is_overtaken_while_it_adds_does_not_pass_for_the_latest(
        self, lake: HiveLake, caplog: pytest.LogCaptureFixture
    ) -> None:
        view = lake.view()
        overtaking = _Overtaken(
            lake.metastore,
            lambda: publish(lake.catalog, view, when(lambda _: True), candidates=[], app_id="nightly", run_version=8),
        )
        candidates = [{"ds": "2026-08-20"}]
        with caplog.at_level(logging.WARNING, "hive_views.publishing"):
            report = publish(
                lake.catalog_on(overtaking),
                view,
                when(lambda _: True),
                candidates=candidates,
                app_id="nightly",
                run_version=7,
            )
        assert report.added == ("ds=2026-08-20",)
        assert "run 8" in caplog.text
        with pytest.raises(CommitFailedError, match="run 8"):
            publish(lake.catalog, view, when(lambda _: True), candidates=[], app_id="nightly", run_version=7)


class _Delegate:
    """A metastore that passes every verb on."""

    def __init__(self, metastore: Metastore) -> None:
        self._metastore = metastore

    def __getattr__(self, verb: str) -> Any:
        return getattr(self._metastore, verb)


class _FailingSecondAdd(_Delegate):
    def __init__(self, metastore: Metastore) -> None:
        super().__init__(metastore)
        self._adds = 0

    def add_partitions(self, *arguments: Any, **options: Any) -> Any:
        self._adds += 1
        if self._adds == 2:
            raise MetastoreUnavailableError("The metastore went away.", answer=Answer.NOT_SENT)
        return self._metastore.add_partitions(*arguments, **options)


class _Overtaken(_Delegate):
    def __init__(self, metastore: Metastore, happens: Callable[[], object]) -> None:
        super().__init__(metastore)
        self._happens = happens

    def add_partitions(self, *arguments: Any, **options: Any) -> Any:
        self._happens()
        return self._metastore.add_partitions(*arguments, **options)


class TestOnTheEmbeddedMetastore(Publishing):
    LOAD, NAMES, ADD = "get_table_req", "get_partition_names", "add_partitions_req"

    @pytest.fixture
    def calls(self) -> list[str]:
        return []

    @pytest.fixture
    def metastore(self, metastore_uri: str, calls: list[str]) -> Iterator[Metastore]:
        self.uri = metastore_uri
        with closing(HiveMetastore(metastore_uri, on_call=calls.append)) as metastore:
            yield metastore

    @contextmanager
    def failing_second_add(self, lake: HiveLake) -> Iterator[ViewCatalog]:
        with self.behind_a_wire(lake) as (wire, catalog):
            wire.after("add_partitions_req", lambda: wire.drop_request("add_partitions_req"))
            yield catalog

    @contextmanager
    def behind_a_wire(self, lake: HiveLake) -> Iterator[tuple[WireProxy, ViewCatalog]]:
        with WireProxy.before_uri(self.uri) as wire, closing(HiveMetastore(wire.uri)) as metastore:
            yield wire, lake.catalog_on(metastore)

    def test_a_run_whose_last_answer_is_lost_finds_what_it_has_declared(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",), ("2026-08-21",))
        view = lake.view()
        with self.behind_a_wire(lake) as (wire, catalog):
            wire.drop_answer("add_partitions_req")
            report = publish(catalog, view, requires(clicks, ds=column("ds")), app_id="nightly", run_version=7)
        assert report.added == ("ds=2026-08-20", "ds=2026-08-21")
        assert lake.declared() == ["ds=2026-08-20", "ds=2026-08-21"]

    def test_a_run_whose_last_request_is_lost_is_completed_by_running_it_again(self, lake: HiveLake) -> None:
        clicks = lake.table("clicks", [DS], ("2026-08-20",), ("2026-08-21",))
        view = lake.view()
        rule = requires(clicks, ds=column("ds"))
        with self.behind_a_wire(lake) as (wire, catalog):
            wire.drop_request("add_partitions_req")
            with pytest.raises(CommitStateUnknownError, match="if_not_exists=True"):
                publish(catalog, view, rule, app_id="nightly", run_version=7)
        assert lake.declared() == []
        report = publish(lake.catalog, view, rule, app_id="nightly", run_version=7)
        assert (report.added, report.already_published) == (("ds=2026-08-20", "ds=2026-08-21"), ())
        assert publish(lake.catalog, view, rule, app_id="nightly", run_version=7).skipped
