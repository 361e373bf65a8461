"""``watch``: what changes is told once, and a round that finds nothing costs a call for each table."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from fsspec.implementations.local import LocalFileSystem

from hive_views.errors import InvalidInputError, MetastoreUnavailableError
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import FENCING, PUBLISHED_BY
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.watch import PublicationChange, watch
from hive_views.publishing.ledger.recorded_rules import recorded_rules
from hive_views.publishing.publish import publish
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.language import read_rule
from hive_views.readiness.rules import column, requires, when
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.tables.daily_views import make_clicks, make_daily_view

DAY = read_rule('requires("web.clicks", ds=column("ds"))')


class Server(MemoryMetastore):
    """A metastore in memory that counts what is asked, and can be down."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.loaded: list[str] = []
        self.is_down = False
        self.down_after: int | None = None
        super().__init__(on_call=self._on_call)

    def load_row(self, identifier: TableIdentifier) -> Row:
        self.loaded.append(str(identifier))
        return super().load_row(identifier)

    def _on_call(self, verb: str) -> None:
        self.asked[verb] += 1
        if self.is_down or (self.down_after is not None and self.asked.total() > self.down_after):
            raise MetastoreUnavailableError("The metastore does not answer.")


class Lake:
    """Tables of clicks with views of them, and a clock that steps from round to round."""

    def __init__(self, tmp_path: Path, tables: Sequence[str] = ("web",)) -> None:
        self.server, self.now_ms = Server(), 1_787_270_400_000
        settings = CommitSettings(clock_ms=lambda: self.now_ms)
        self.catalog = ViewCatalog(self.server, warehouse=f"file://{tmp_path}/views", settings=settings)
        self.catalog.create_namespace("sales")
        self.clicks = {}
        for namespace in tables:
            self.catalog.create_namespace(namespace)
            self.clicks[namespace] = make_clicks(self.server, namespace, tmp_path, ["2026-08-20"])

    def view(self, name: str = "daily", table: str = "web") -> str:
        make_daily_view(self.catalog, f"sales.{name}", self.clicks.get(table, table))
        return f"sales.{name}"

    def load(self, day: str, namespace: str = "web") -> None:
        self.server.add_partitions(
            TableIdentifier(namespace, "clicks"), [Partition((day,), has_descriptor=True)], if_not_exists=False
        )

    def rounds(
        self, publications: Sequence[Publication], *between: Callable[[], object], pauses: list[float] | None = None
    ) -> list[list[tuple[str, str, tuple[str, ...]]]]:
        """What each round told; between two of them, one thing happens, and after the last nothing."""
        told: list[list[PublicationChange]] = [[]]
        self.costs: list[dict[str, int]] = []
        self.server.asked.clear()
        left = iter(between)

        def ended(seconds: float) -> bool:
            if not seconds:
                return False
            if pauses is not None:
                pauses.append(seconds)
            self.now_ms += int(seconds * 1000)
            self.costs.append(dict(self.server.asked))
            happens = next(left, None)
            if happens:
                happens()
                told.append([])
                self.server.asked.clear()
                self.server.loaded.clear()
            return happens is None

        for change in watch(self.catalog, publications, ended=ended):
            told[-1].append(change)
        self.told = told
        return [[(one.kind, one.publication, tuple(one.partitions)) for one in ones] for ones in told]


def nothing() -> None: ...


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


def test_each_change_is_told_once_and_only_changes_are(lake: Lake) -> None:
    needs_users = Publication(lake.view(), [DAY & requires("web.users", ds=column("ds"))])

    def users() -> None:
        make_users(lake, "2026-08-21")

    assert lake.rounds(
        [needs_users],
        nothing,
        users,
        nothing,
        lambda: lake.load("2026-08-21"),
        lambda: lake.load("2026-08-22"),
    ) == [
        [("failed", "sales.daily", ())],
        [],
        [("recovered", "sales.daily", ()), ("waiting", "sales.daily", ("ds=2026-08-20", "ds=2026-08-21"))],
        [],
        [("declared", "sales.daily", ("ds=2026-08-21",))],
        [("waiting", "sales.daily", ("ds=2026-08-22",))],
    ]
    [failed] = lake.told[0]
    assert "web.users" in failed.document()["error"]
    [waiting] = lake.told[5]
    assert waiting.partitions == {"ds=2026-08-22": ("web.users: ds=2026-08-22 is missing",)}


def make_users(lake: Lake, *days: str) -> None:
    users = TableIdentifier("web", "users")
    lake.server.create_row(
        Row(users, "EXTERNAL_TABLE", partition_keys=(Column("ds", "string"),), location="file:/nowhere")
    )
    loaded = [Partition((day,), has_descriptor=True) for day in days]
    lake.server.add_partitions(users, loaded, if_not_exists=False)


def test_what_a_publication_declares_is_there_for_the_next_one_in_the_same_round(lake: Lake) -> None:
    by_day = Publication(lake.view("by_day", "web"), [DAY])
    weekly = Publication(lake.view("weekly", "sales.by_day"), [requires("sales.by_day", ds=column("ds"))])
    assert lake.rounds([weekly, by_day], nothing, lambda: lake.load("2026-08-21")) == [
        [("declared", "sales.by_day", ("ds=2026-08-20",)), ("declared", "sales.weekly", ("ds=2026-08-20",))],
        [],
        [("declared", "sales.by_day", ("ds=2026-08-21",)), ("declared", "sales.weekly", ("ds=2026-08-21",))],
    ]


def test_retracted_partitions_are_told_and_their_loss_is_looked_at_twice(lake: Lake) -> None:
    one = Publication(lake.view(), [DAY], retract=True)
    lake.load("2026-08-21")

    def lose() -> None:
        lake.server.drop_partitions(TableIdentifier("web", "clicks"), ["ds=2026-08-21"], if_exists=False)

    rounds = lake.rounds([one], nothing, lose)
    assert rounds[1:] == [[], [("retracted", "sales.daily", ("ds=2026-08-21",))]]


def test_a_round_of_200_publications_that_finds_nothing_is_one_call_a_table_and_one_for_each_100_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    namespaces = [f"web{number}" for number in range(10)]
    lake = Lake(tmp_path, namespaces)
    publications = [
        Publication(lake.view(f"v{number:03d}", one), [requires(lake.clicks[one], ds=column("ds"))], app_id="nightly")
        for number, one in zip(range(200), itertools.cycle(namespaces))
    ]

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("A file or directory was asked for.")

    def watched() -> None:
        for verb in ("ls", "find", "info", "exists", "cat_file", "open", "modified"):
            monkeypatch.setattr(LocalFileSystem, verb, refuse)

    told = lake.rounds(publications, nothing, watched, nothing)
    assert [len(ones) for ones in told] == [200, 0, 0, 0]
    # One for the table of each namespace, and 200 views.
    assert [*lake.costs[2:]] == [{"partition_names": 10, "load_rows": 12}] * 2


def test_a_table_that_many_publications_are_about_is_read_once_a_round(lake: Lake) -> None:
    publications = [Publication(lake.view(f"v{number}"), [DAY]) for number in range(5)]
    lake.rounds(publications, nothing, lambda: lake.load("2026-08-21"))
    # Each view itself is read, and its partitions before and after; the table's partitions and row once for all.
    names_of_views = 5
    assert lake.costs[2]["partition_names"] == names_of_views + 1


def test_only_what_is_about_a_table_that_changed_is_judged(tmp_path: Path) -> None:
    lake = Lake(tmp_path, ["web0", "web1"])
    publications = [Publication(lake.view(one), [requires(lake.clicks[one], ds=column("ds"))]) for one in lake.clicks]
    rounds = lake.rounds(publications, nothing, nothing, lambda: lake.load("2026-08-21", "web0"))
    assert rounds[3] == [("declared", "sales.web0", ("ds=2026-08-21",))]
    # The row of the view is loaded to publish it, and not that of the other one.
    assert "sales.web0" in lake.server.loaded
    assert "sales.web1" not in lake.server.loaded


def test_what_waits_by_more_than_partitions_is_judged_in_each_round(lake: Lake) -> None:
    ready: list[bool] = []
    one = Publication(lake.view(), [DAY & when(lambda _: bool(ready))])
    assert lake.rounds([one], nothing, lambda: ready.append(True), nothing) == [
        [("waiting", "sales.daily", ("ds=2026-08-20",))],
        [],
        [("declared", "sales.daily", ("ds=2026-08-20",))],
        [],
    ]
    assert "load_row" not in lake.costs[3], "nothing waits any more"


def test_an_outage_is_told_once_and_tried_again_after_growing_pauses(lake: Lake) -> None:
    publications = [Publication(lake.view(name), [DAY]) for name in ("a", "b")]
    pauses: list[float] = []

    def down() -> None:
        lake.server.is_down = True

    def up() -> None:
        lake.server.is_down = False
        lake.load("2026-08-21")

    rounds = lake.rounds(publications, down, nothing, nothing, nothing, nothing, nothing, up, pauses=pauses)
    assert [len(ones) for ones in rounds] == [2, 1, 0, 0, 0, 0, 0, 3]
    [[unavailable], *_, [*declared, available]] = rounds[1:]
    assert (unavailable[0], available[0]) == ("unavailable", "available")
    assert {one[0] for one in declared} == {"declared"}
    assert "does not answer" in str(lake.told[1][0].document()["error"])
    assert pauses == [60, 60, 120, 240, 480, 600, 600, 60]


def test_an_outage_in_the_middle_of_a_round_is_no_failure_of_each_publication(lake: Lake) -> None:
    publications = [Publication(lake.view(name), [DAY]) for name in ("a", "b", "c")]
    lake.server.down_after = 12
    first, second = lake.rounds(publications, lambda: setattr(lake.server, "down_after", None))
    kinds = [one[0] for one in first]
    assert kinds.count("unavailable") == 1
    assert "failed" not in kinds
    assert sorted(one[1] for one in [*first, *second] if one[0] == "declared") == ["sales.a", "sales.b", "sales.c"]


def test_a_partition_that_was_dropped_by_hand_is_declared_again_within_an_hour(lake: Lake) -> None:
    one = Publication(lake.view(), [DAY])

    def drop() -> None:
        lake.catalog.partitions("sales.daily").drop([{"ds": "2026-08-20"}])

    rounds = lake.rounds([one], drop, *[nothing] * 60)
    assert [ones for ones in rounds if ones] == [[("declared", "sales.daily", ("ds=2026-08-20",))]] * 2


def test_partitions_are_those_of_the_application_and_no_run_is_recorded(lake: Lake) -> None:
    lake.rounds([Publication(lake.view(), [DAY], app_id="nightly")])
    [(_, partition)] = lake.catalog.partitions("sales.daily").load()
    assert partition.parameters[PUBLISHED_BY] == "nightly"
    properties = lake.catalog.load_view("sales.daily").metadata.properties
    assert [one.publication for one in recorded_rules(properties)] == ["nightly"]
    assert not [key for key in properties if key.startswith(FENCING)]
    with pytest.raises(InvalidInputError, match="leave the version out"):
        watch(lake.catalog, [Publication("sales.daily", [DAY], app_id="nightly", run_version=1)], ended=lambda _: True)


def test_by_the_record_the_rules_are_those_that_are_recorded_now(lake: Lake) -> None:
    view = lake.view()
    publish(lake.catalog, view, DAY, until={"ds": "2026-08-20"})
    one = Publication.of_record(lake.catalog.load_view(view))

    def others() -> None:
        lake.load("2026-08-21")
        publish(lake.catalog, view, DAY & when(lambda _: False), until={"ds": "2026-08-19"}, publication="other")
        publish(lake.catalog, view, DAY, until={"ds": "2026-08-22"}, candidates=None)

    assert lake.rounds([one], others, lambda: lake.load("2026-08-22")) == [
        [],
        [],
        [("declared", view, ("ds=2026-08-22",))],
    ]


def test_what_is_late_is_told_though_nothing_arrives_and_the_end_is_when_all_that_is_expected_is_there(
    lake: Lake,
) -> None:
    lake.load("2026-08-21")
    # It is midnight after this day when the watch begins.
    one = Publication(
        lake.view(), [DAY], since={"ds": "2026-08-21"}, expected=Expectation("daily", late_after=timedelta(minutes=2))
    )
    lake.now_ms = int(datetime(2026, 8, 22, 23, 59, 30, tzinfo=timezone.utc).timestamp() * 1000)
    lake.catalog.partitions(one.view).add([{"ds": "2026-08-21"}])
    publications = [one, Publication(lake.view("endless"), [DAY])]
    assert lake.rounds(publications[:1], nothing, nothing) == [[]], "all that is expected is there"
    rounds = lake.rounds(publications, *[nothing] * 4, lambda: lake.load("2026-08-22"), nothing)
    assert [[(kind, days) for kind, name, days in ones if name == one.view] for ones in rounds] == [
        [],
        [("waiting", ("ds=2026-08-22",))],
        [],
        [("late", ("ds=2026-08-22",))],
        [],
        [("declared", ("ds=2026-08-22",))],
        [],
    ]
    [late] = lake.told[3]
    assert late.late_since_s == {"ds=2026-08-22": int(datetime(2026, 8, 23, 0, 2, tzinfo=timezone.utc).timestamp())}
    assert "ds=2026-08-22 is missing" in late.partitions["ds=2026-08-22"][0]


def test_it_ends_between_two_publications(lake: Lake) -> None:
    publications = [Publication(lake.view(name), [DAY]) for name in ("a", "b")]
    told = list(watch(lake.catalog, publications, ended=lambda _: bool(lake.catalog.partitions("sales.a").names())))
    assert [one.publication for one in told] == ["sales.a"]
    assert lake.catalog.partitions("sales.b").names() == []


def test_each_round_tells_whoever_could_not_be_told_before_and_what_is_late_by_now(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hive_views.publishing.notifying.receivers.LEFT_ALONE_S", 0)
    directory = tmp_path / "events"

    def at(day: int, hour: int) -> None:
        lake.now_ms = int(datetime(2026, 8, day, hour, tzinfo=timezone.utc).timestamp() * 1000)

    at(22, 1)
    daily = Expectation("daily", timedelta(hours=6))
    target = str(directory / "events.jsonl")
    publication = Publication(lake.view(), [DAY], since={"ds": "2026-08-20"}, expected=daily, notify=target)
    lake.load("2026-08-22")
    lake.rounds([publication], directory.mkdir, nothing, lambda: at(22, 7), nothing)
    events = [json.loads(line) for line in (directory / "events.jsonl").read_text().splitlines()]
    assert [(one["data"]["kind"], one["subject"]) for one in events] == [
        ("declared", "ds=2026-08-20"),
        ("declared", "ds=2026-08-22"),
        ("late", "ds=2026-08-21"),
    ]
