"""Rules beyond the presence of partitions: amounts, quiet, marks, commits, watermarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryBaseTable, MemoryTableWithHistory
from hive_views.base_tables.port import (
    Commit,
    PartitionChange,
    PartitionListing,
    PartitionValues,
    Snapshot,
    Statistics,
)
from hive_views.errors import CorruptMetadataError, InvalidInputError, UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.listings.base_table_states import open_tables, read_details
from hive_views.publishing.plan import Plan
from hive_views.readiness.observations import DetailRequest, Details, LateChanges, Mark
from hive_views.readiness.rules import (
    Rule,
    all_of,
    column,
    committed_with,
    has_at_least,
    marked_done,
    negate,
    quiet_for,
    requires,
    timestamp,
    watermark_passed,
)
from tests.support.tables.publishing_plans import DS, HR, NOW_MS, ONE, hours, planned, table

# -- amounts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["records", "files", "bytes"])
def test_the_partitions_together_must_have_at_least_so_much(what: str) -> None:
    rule = has_at_least("web.clicks", ds=column("ds"), **{what: 1000})  # type: ignore[arg-type]
    assert planned(rule, hours(400, 600, what=what)).ready == {"ds=1": {"web.clicks": 2}}
    plan = planned(rule, hours(400, 599, what=what))
    assert plan.waiting == {"ds=1": (f"web.clicks: 999 {what} of ds=1, and at least 1,000 are required",)}


def test_the_partitions_whose_amount_is_asked_must_be_there() -> None:
    rule = has_at_least("web.clicks", ds=column("ds"), hr=range(3), records=1)
    assert planned(rule, hours(7, 7)).waiting == {"ds=1": ("web.clicks: hr 2 of ds=1 is missing",)}


def test_an_amount_that_is_not_reported_makes_a_partition_wait_unless_the_others_suffice() -> None:
    listing = table({("1", "0"): Statistics(), ("1", "1"): Statistics(records=5)})
    assert planned(has_at_least("web.clicks", ds=column("ds"), records=5), listing).ready
    rule = has_at_least("web.clicks", ds=column("ds"), records=6)
    reasons = ("web.clicks: it is not reported how many records of ds=1 there are",)
    assert planned(rule, listing).waiting == {"ds=1": reasons}
    assert planned(negate(rule), listing, candidates=ONE).waiting == {"ds=1": reasons}, "it is unknown, so it waits too"


def test_statistics_are_asked_for_only_where_they_matter() -> None:
    asked: list[DetailRequest] = []

    def details(one: DetailRequest) -> Details:
        asked.append(one)
        return Details(statistics={"web.clicks": {("2", "0"): Statistics(records=9)}})

    rule = all_of(has_at_least("web.clicks", ds=column("ds"), records=1), requires("web.users", day=column("ds")))
    listing = table({(ds, "0"): None for ds in "1234"})
    users = PartitionListing("web.users", "hive", (Column("day", "string"),), [("2",), ("3",), ("4",)])
    plan = planned(rule, listing, users, details=details, declared=["ds=3"], until={"ds": "3"})
    assert [one.statistics for one in asked] == [{"web.clicks": {("2", "0"): None}}]
    assert (list(plan.ready), list(plan.waiting)) == (["ds=2"], ["ds=1"])


def test_a_partition_that_is_gone_when_its_statistics_are_read_waits() -> None:
    rule = has_at_least("web.clicks", ds=column("ds"), files=1)
    assert planned(rule, table({("1", "0"): None})).waiting


def test_nothing_is_read_where_the_partitions_say_enough() -> None:
    def details(_: DetailRequest) -> Details:
        raise AssertionError("nothing was to be read")

    assert planned(requires("web.clicks", ds=column("ds")), hours(1), details=details).ready
    assert planned(has_at_least("web.clicks", ds=column("ds"), records=1), hours(1), details=details).ready


@pytest.mark.parametrize("seconds", [600, 600.5])
def test_data_must_have_been_quiet_for_so_long(seconds: float) -> None:
    rule = quiet_for("web.clicks", ds=column("ds"), seconds=seconds)
    long_ago = NOW_MS - 10**9
    assert planned(rule, hours(long_ago, NOW_MS - 601_000, what="modified_at_ms")).ready
    plan = planned(rule, hours(long_ago, NOW_MS - 599_000, what="modified_at_ms"))
    assert plan.waiting["ds=1"][0].startswith("web.clicks: data of ds=1 arrived 599 s ago, and 60")


def test_data_whose_time_is_not_reported_are_not_quiet() -> None:
    listing = table({("1", "0"): Statistics(modified_at_ms=1), ("1", "1"): Statistics(records=1)})
    plan = planned(quiet_for("web.clicks", ds=column("ds"), seconds=1), listing)
    assert plan.waiting == {"ds=1": ("web.clicks: it is not reported when data of ds=1 last arrived",)}


QUIET = quiet_for("web.clicks", ds=column("ds"), seconds=600)
BEFORE_MS = NOW_MS - 600_000


def busy(modified_at_ms: int | None, committed_at_ms: int | None = NOW_MS) -> PartitionListing:
    """Of a table with history, whose newest commit is of this time."""
    newest = Snapshot("9", "t1", committed_at_ms)
    return table({("1", "0"): Statistics(modified_at_ms=modified_at_ms)}, snapshot=newest)


def since(timestamp_ms: int, *, is_all: bool = True, **changes: PartitionChange) -> Details:
    late = LateChanges({("1", hr[1:]): one for hr, one in changes.items()}, is_all)
    return Details(changes={("web.clicks", timestamp_ms): late})


def changed(modified_at_ms: int | None, *, rewrites_only: bool = False) -> PartitionChange:
    return PartitionChange(("9",), rewrites_only, 0, modified_at_ms=modified_at_ms)


@pytest.mark.parametrize(
    "change", [changed(None, rewrites_only=True), changed(None)], ids=["compacted", "rows deleted"]
)
@pytest.mark.parametrize("written_at_ms", [NOW_MS - 5, None])
def test_files_that_are_young_for_another_reason_than_data_are_quiet(
    change: PartitionChange, written_at_ms: int | None
) -> None:
    assert planned(QUIET, busy(NOW_MS - 5)).waiting
    assert planned(QUIET, busy(written_at_ms), details=since(BEFORE_MS, h0=change)).ready


def test_data_come_when_they_are_committed_and_not_when_files_are_written() -> None:
    waiting = planned(QUIET, busy(1), details=since(BEFORE_MS, h0=changed(NOW_MS - 7_000))).waiting
    assert waiting["ds=1"][0].startswith("web.clicks at snapshot 9: data of ds=1 arrived 7 s ago")


@pytest.mark.parametrize("is_all", [True, False], ids=["untouched", "not reported"])
def test_young_files_that_no_commit_explains_are_not_quiet(is_all: bool) -> None:
    """The clock of a commit may be behind, or the log cleaned up."""
    assert planned(QUIET, busy(NOW_MS - 5), details=since(BEFORE_MS, is_all=is_all)).waiting
    assert planned(QUIET, busy(BEFORE_MS), details=since(BEFORE_MS, is_all=is_all)).ready


def test_where_only_the_last_commits_are_reported_their_data_count_and_their_compactions_prove_nothing() -> None:
    late = since(BEFORE_MS, is_all=False, h0=changed(NOW_MS - 7_000))
    assert planned(QUIET, busy(1), details=late).waiting
    compacted = since(BEFORE_MS, is_all=False, h0=changed(None, rewrites_only=True))
    assert planned(QUIET, busy(NOW_MS - 5), details=compacted).waiting
    assert planned(QUIET, busy(1), details=compacted).ready


def test_history_is_asked_only_where_something_was_committed_within_the_time() -> None:
    asked: list[DetailRequest] = []

    def details(one: DetailRequest) -> Details:
        asked.append(one)
        return Details()

    assert planned(QUIET, busy(BEFORE_MS, BEFORE_MS), details=details).ready
    assert planned(QUIET & requires("web.clicks", ds="2"), busy(1), candidates=ONE, details=details).waiting
    assert planned(QUIET, hours(1, what="modified_at_ms"), details=details).ready, "a table without history"
    assert not asked
    assert planned(QUIET, busy(BEFORE_MS, BEFORE_MS + 1), details=details).ready
    assert planned(QUIET, busy(BEFORE_MS, None), details=details).ready, "nobody records when it was committed"
    assert [list(one.changes) for one in asked] == [[("web.clicks", BEFORE_MS)]] * 2


@pytest.mark.parametrize("error", [CorruptMetadataError("broken"), UnsupportedFeatureError("new")])
def test_a_history_that_cannot_be_read_is_unknown_and_no_failure(error: Exception) -> None:
    class Broken(MemoryTableWithHistory):
        def commits(self, until: Snapshot) -> Iterator[Commit]:
            raise error

    assert "data of ds=1 arrived 0 s ago" in judged(Broken("web.clicks", (DS, HR), clock_ms=lambda: NOW_MS))


def test_of_a_history_that_is_too_long_to_be_read_the_last_commits_count() -> None:
    now_ms = NOW_MS - 300_000
    clicks = MemoryTableWithHistory("web.clicks", (DS, HR), clock_ms=lambda: now_ms)
    for hour in range(1_200):
        clicks.append(("9", str(hour)))
    clicks.append(("1", "0"))
    listing = clicks.list_partitions()
    # As a format reports it whose files were written long before they are committed.
    old = replace(listing, statistics=[Statistics(modified_at_ms=1) for _ in listing.values])
    listings = {"web.clicks": old}
    plan = planned(QUIET, old, details=partial(read_details, {"web.clicks": clicks}, listings))
    assert "data of ds=1 arrived 300 s ago" in plan.waiting["ds=1"][0]


def judged(clicks: MemoryTableWithHistory) -> str:
    """Why a partition is not quiet to which the only commit has added data."""
    clicks.append(("1", "0"))
    listings = {"web.clicks": clicks.list_partitions()}
    plan = planned(QUIET, *listings.values(), details=partial(read_details, {"web.clicks": clicks}, listings))
    [reason] = plan.waiting["ds=1"]
    return reason


@pytest.mark.parametrize(
    "options", [{}, {"records": 0}, {"files": -1}, {"bytes": 1.5}, {"records": True}, {"records": "7"}]
)
def test_an_amount_is_a_whole_number_from_one(options: Any) -> None:
    with pytest.raises(InvalidInputError, match="whole number of at least 1"):
        has_at_least("web.clicks", **options)


@pytest.mark.parametrize("seconds", [0, -1, True, "10", float("inf"), float("nan")])
def test_quiet_lasts_longer_than_nothing(seconds: Any) -> None:
    with pytest.raises(InvalidInputError, match="seconds above 0"):
        quiet_for("web.clicks", seconds=seconds)


def test_columns_whose_names_are_options_are_given_in_a_mapping() -> None:
    keys = tuple(Column(name, "string") for name in ("records", "format"))
    listing = PartitionListing("web.clicks", "x", keys, [("7", "csv")], statistics=[Statistics(records=3)])
    rule = has_at_least("web.clicks", {"records": column("ds"), "format": "csv"}, records=3)
    assert list(planned(rule, listing).ready) == ["ds=7"]


# -- marks -------------------------------------------------------------------------------------------------------------

HOURS = table({("1", "0"): None, ("1", "1"): None, ("1", "2"): None})


def marks(mark: Mark, *values: PartitionValues) -> Details:
    return Details(marked={("web.clicks", mark): frozenset(values)})


@pytest.mark.parametrize(
    ("options", "mark"),
    [
        ({"by": "event"}, Mark("event")),
        ({"by": "paimon"}, Mark("paimon")),
        ({"by": "success-file"}, Mark("success-file", "_SUCCESS")),
        ({"by": "success-file", "name": "_DONE"}, Mark("success-file", "_DONE")),
        ({"by": "parameter", "name": "state", "value": True}, Mark("parameter", "state", "true")),
    ],
)
def test_every_partition_that_is_there_must_be_marked(options: dict[str, Any], mark: Mark) -> None:
    rule = marked_done("web.clicks", ds=column("ds"), **options)
    assert planned(rule, HOURS, details=marks(mark, ("1", "0"), ("1", "1"), ("1", "2"))).ready
    plan = planned(rule, HOURS, details=marks(mark, ("1", "1")))
    assert plan.waiting == {"ds=1": (f"web.clicks: hr=0, hr=2 of ds=1 are not marked done ({mark})",)}


def test_partitions_that_must_be_marked_must_be_there_unless_known_to_be_empty() -> None:
    marked = marks(Mark("event"), ("1", "0"), ("1", "1"), ("1", "2"))
    rule = marked_done("web.clicks", ds=column("ds"), hr=range(4), by="event")
    assert planned(rule, HOURS, details=marked).waiting == {"ds=1": ("web.clicks: hr 3 of ds=1 is missing",)}
    rule = marked_done("web.clicks", ds=column("ds"), hr=range(4), by="event", known_empty=[{"hr": 3}])
    assert planned(rule, HOURS, details=marked).ready


def test_one_partition_that_is_not_marked_is_named_by_the_view() -> None:
    rule = marked_done("web.clicks", ds=column("ds"), hr=column("hr"), by="event")
    plan = planned(rule, table({("1", "7"): None}), keys=(DS, HR))
    assert plan.waiting == {"ds=1/hr=7": ("web.clicks: ds=1/hr=7 is not marked done (event LOAD_DONE)",)}


@pytest.mark.parametrize(
    "options",
    [
        {"by": "magic"},
        {"by": "parameter"},
        {"by": "parameter", "name": "done"},
        {"by": "parameter", "value": "x"},
        {"by": "event", "name": "x"},
        {"by": "event", "value": "x"},
        {"by": "success-file", "name": "a/b"},
        {"by": "paimon", "name": "x"},
    ],
)
def test_marks_that_contradict_themselves_are_refused(options: Any) -> None:
    with pytest.raises(InvalidInputError):
        marked_done("web.clicks", **options)


# -- commits -----------------------------------------------------------------------------------------------------------

SNAPSHOT = Snapshot("8812", "t")
EMPTY = PartitionListing("web.clicks", "delta", (), [()], SNAPSHOT)


def commits(*properties: Mapping[str, str]) -> Details:
    """All that the table ever had, newest first."""
    commits = [Commit(SNAPSHOT, "WRITE", one) for one in properties]
    return Details(commits={"web.clicks": [*commits[:-1], replace(commits[-1], is_first=True)]})


def test_one_commit_must_have_all_properties() -> None:
    rule = committed_with("web.clicks", {"userMetadata.ds": column("ds"), "job": "loader"})
    together = commits({}, {"userMetadata.ds": "1", "job": "loader"})
    apart = commits({"userMetadata.ds": "1"}, {"userMetadata.ds": "2", "job": "loader"}, {"job": "loader"})
    assert planned(rule, EMPTY, details=together, candidates=ONE).ready
    plan = planned(rule, EMPTY, details=apart, candidates=ONE)
    reason = "web.clicks at snapshot 8812: userMetadata.ds=1/job=loader is missing among its commits"
    assert plan.waiting == {"ds=1": (reason,)}


def test_properties_compare_by_the_type_of_the_views_column() -> None:
    rule = committed_with("web.clicks", {"day": column("ds").formatted("yyyyMMdd"), "hour": column("hr")})
    candidates = [{"ds": "2026-08-21", "hr": 7}]
    details = commits({"day": "20260821", "hour": "07"})
    assert planned(rule, EMPTY, details=details, keys=(Column("ds", "date"), HR), candidates=candidates).ready


def test_of_several_values_each_must_have_been_committed() -> None:
    rule = committed_with("web.clicks", {"hour": [0, 1, 2]})
    plan = planned(rule, EMPTY, details=commits({"hour": "00"}, {"hour": "2"}), candidates=ONE)
    assert plan.waiting == {"ds=1": ("web.clicks at snapshot 8812: hour 1 is missing among its commits",)}


@pytest.mark.parametrize("properties", [None, {}, "ds", {"ds": None}, {"ds": []}])
def test_a_commit_is_asked_for_by_properties(properties: Any) -> None:
    with pytest.raises(InvalidInputError):
        committed_with("web.clicks", properties)


# -- watermarks --------------------------------------------------------------------------------------------------------

DAY_END_MS = NOW_MS + 86_400_000


def at_watermark(watermark_ms: int | None) -> PartitionListing:
    return PartitionListing("web.clicks", "paimon", (), [()], Snapshot("7", "t", watermark_ms=watermark_ms))


@pytest.mark.parametrize(
    ("asked", "keys", "candidate", "end_ms", "options"),
    [
        (column("ds"), (DS,), {"ds": "2026-08-21"}, DAY_END_MS, {}),
        (column("ds"), (Column("ds", "date"),), {"ds": "2026-08-21"}, DAY_END_MS, {}),
        (column("ds").parsed("yyyyMMdd"), (DS,), {"ds": "20260821"}, DAY_END_MS, {}),
        (column("ds").parsed("yyyy-MM"), (DS,), {"ds": "2026-08"}, 1_788_220_800_000, {}),
        (column("ds").parsed("yyyy-MM"), (DS,), {"ds": "2026-12"}, 1_798_761_600_000, {}),
        (column("ds").parsed("yyyy"), (DS,), {"ds": "2026"}, 1_798_761_600_000, {}),
        (timestamp(column("ds"), hour=column("hr")), (DS, HR), {"ds": "2026-08-20", "hr": 23}, NOW_MS, {}),
        (column("ds"), (DS,), {"ds": "2026-08-21"}, DAY_END_MS + 600_000, {"delay_seconds": 600}),
        (column("ds"), (DS,), {"ds": "2026-08-21"}, DAY_END_MS - 7_200_000, {"time_zone": "Europe/Berlin"}),
        # Where clocks are put back, the day has 25 hours.
        (column("ds"), (DS,), {"ds": "2026-10-25"}, 1_792_969_200_000, {"time_zone": "Europe/Berlin"}),
    ],
)
def test_the_watermark_must_have_passed_the_end_of_the_partition(
    asked: Any, keys: Sequence[Column], candidate: dict[str, object], end_ms: int, options: dict[str, Any]
) -> None:
    rule = watermark_passed("web.clicks", asked, **options)
    assert planned(rule, at_watermark(end_ms), keys=keys, candidates=[candidate]).ready
    assert planned(rule, at_watermark(end_ms - 1), keys=keys, candidates=[candidate]).waiting


def test_a_watermark_that_is_too_low_is_reported_with_what_it_must_pass() -> None:
    plan = planned(
        watermark_passed("web.clicks", column("ds")), at_watermark(NOW_MS), candidates=[{"ds": "2026-08-21"}]
    )
    reason = "the watermark 2026-08-21 00:00:00 UTC is before 2026-08-22 00:00:00 UTC"
    assert plan.waiting == {"ds=2026-08-21": (f"web.clicks at snapshot 7: {reason}",)}


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize(("watermark_ms", "ds"), [(None, "2026-08-21"), (NOW_MS, "yesterday")])
def test_where_it_is_unknown_whether_the_watermark_passed_the_partition_waits(
    watermark_ms: int | None, ds: str, negated: bool
) -> None:
    rule = watermark_passed("web.clicks", column("ds"))
    plan = planned(negate(rule) if negated else rule, at_watermark(watermark_ms), candidates=[{"ds": ds}])
    assert plan.waiting


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ("ds", {}),
        (column("ds").formatted("yyyyMMdd"), {}),
        (timestamp(column("ds"), hour=range(24)), {}),
        (column("ds"), {"time_zone": "Nowhere"}),
        (column("ds"), {"time_zone": None}),
        (column("ds"), {"delay_seconds": -1}),
    ],
)
def test_a_watermark_is_asked_for_one_timestamp(asked: Any, options: Any) -> None:
    with pytest.raises(InvalidInputError):
        watermark_passed("web.clicks", asked, **options)


def test_a_timestamp_without_a_year_cannot_be_passed() -> None:
    rule = watermark_passed("web.clicks", timestamp(hour=column("hr")))
    with pytest.raises(InvalidInputError, match="hr of the view has no year"):
        planned(rule, at_watermark(NOW_MS), keys=(DS, HR), candidates=[{"ds": "1", "hr": 7}])


# -- reading -----------------------------------------------------------------------------------------------------------


def read(
    rule: Rule, *tables: MemoryBaseTable | MemoryTableWithHistory, keys: Sequence[Column] = (DS,), **o: Any
) -> Plan:
    opened = open_tables(MemoryMetastore(), rule, {one.name: one for one in tables})
    listings = {name: table.list_partitions() for name, table in opened.items()}
    return planned(rule, *listings.values(), keys=keys, details=partial(read_details, opened, listings), **o)


def test_commits_and_watermarks_are_read_from_the_table_as_of_its_pin() -> None:
    clicks = MemoryTableWithHistory("web.clicks", (DS,))
    rule = committed_with("web.clicks", {"ds": column("ds")}) & watermark_passed("web.clicks", column("ds"))
    candidates = [{"ds": "2026-08-21"}]
    assert read(rule, clicks, candidates=candidates).waiting, "a table without any commit"
    clicks.append(("x",), properties={"ds": "2026-08-21"})
    clicks.append(("y",), watermark_ms=DAY_END_MS)
    assert read(rule, clicks, candidates=candidates).ready


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (committed_with("web.clicks", {"ds": "1"}), "has no commits"),
        (watermark_passed("web.clicks", column("ds")), "no watermark"),
    ],
)
def test_a_rule_that_a_table_cannot_answer_is_refused_before_anything_is_read(rule: Rule, message: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"web\.clicks is a hive table, which .*{message}"):
        read(rule, MemoryBaseTable("web.clicks", (DS,)))


def test_a_table_with_history_has_no_marks_of_the_metastore() -> None:
    rule = marked_done("web.clicks", ds=column("ds"), by="event")
    with pytest.raises(InvalidInputError, match=r"web\.clicks is a delta table, which has no done markers"):
        read(rule, MemoryTableWithHistory("web.clicks", (DS,)))


def test_a_reader_that_does_not_derive_from_the_port_is_refused() -> None:
    reader: Any = SimpleNamespace(name="web.clicks", format="hive")
    with pytest.raises(InvalidInputError, match=r"web\.clicks with a SimpleNamespace: a reader .* BaseTable"):
        read(requires("web.clicks", ds=column("ds")), reader)


def test_each_table_is_listed_once_however_many_rules_speak_of_it() -> None:
    class Counted(MemoryTableWithHistory):
        listed = 0

        def list_partitions(self) -> PartitionListing:
            self.listed += 1
            return super().list_partitions()

    clicks = Counted("web.clicks", (DS,))
    clicks.append(("1",), records=9)
    rule = all_of(
        requires("web.clicks", ds=column("ds")),
        has_at_least("Web.Clicks", ds=column("ds"), records=9),
        negate(requires("web.clicks", ds="2")),
    )
    assert read(rule, clicks).ready == {"ds=1": {"web.clicks": 1}}
    assert clicks.listed == 1
