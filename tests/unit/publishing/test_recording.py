"""What a run records of its rules: computed before anything is written, and never a reason to fail."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.persisted import PUBLISHED_RULE, PUBLISHED_WITH
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.publish_each import publish_one
from hive_views.publishing.ledger.fencing import Run
from hive_views.publishing.ledger.recorded_rules import RecordedRules, recorded_rules
from hive_views.publishing.publish import apply_plan, publish_request
from hive_views.publishing.request import PublishRequest
from hive_views.publishing.status import status
from hive_views.publishing.writing import Writing
from hive_views.readiness.rules import Rule, all_of, any_of, column, requires, when
from tests.support.tables.publishing_lake import CLICKS, DAY, FIRST, SECOND, USERS, Lake, make_lake


@pytest.fixture
def lake() -> Lake:
    lake = make_lake()
    lake.history().append(("2026-08-20",), ("2026-08-21",))
    return lake


def recorded(lake: Lake) -> list[RecordedRules]:
    return recorded_rules(lake.catalog.load_view(lake.view).metadata.properties)


def commits_of(lake: Lake) -> int:
    file = lake.catalog.load_view(lake.view).metadata_location.rsplit("/", 1)[1]
    return int(file.split("-")[0])


def run_of_nightly(lake: Lake) -> str:
    return lake.catalog.load_view(lake.view).metadata.properties["hive-views.publish.nightly"]


def deeply_nested() -> Rule:
    return reduce(lambda inner, number: (all_of if number % 2 else any_of)(DAY, inner), range(150), DAY)


class TestRulesWithoutAText:
    def test_a_rule_that_is_nested_too_deeply_to_be_written_is_published(self, lake: Lake) -> None:
        assert lake.publish(deeply_nested(), app_id="nightly", run_version=1).added == (FIRST, SECOND)
        assert run_of_nightly(lake) == "1 done"
        assert len(recorded(lake)) == 1

    def test_so_is_one_with_a_function_whose_module_fails_when_it_is_imported(
        self, lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "fails_on_import.py").write_text("raise RuntimeError('no cluster here')")
        monkeypatch.syspath_prepend(str(tmp_path))

        def is_open(_: object) -> bool:
            return True

        is_open.__module__, is_open.__qualname__ = "fails_on_import", "is_open"
        assert lake.publish(DAY & when(is_open)).added == (FIRST, SECOND)
        [one] = recorded(lake)
        assert one.unrecorded
        assert "fails_on_import" not in sys.modules

    def test_a_run_of_a_file_succeeds_as_well(self, lake: Lake) -> None:
        lake.catalog.create_view(
            "default.of_view",
            sql={"hive": "SELECT count(*) AS n, ds FROM default.daily GROUP BY ds"},
            schema=[("n", "bigint"), ("ds", "string")],
            partitioned_on=["ds"],
        )
        lake.publish(DAY)
        below = requires(lake.view, ds=column("ds"))
        rule = reduce(lambda inner, number: (all_of if number % 2 else any_of)(below, inner), range(150), below)
        outcome = publish_one(lake.catalog, Publication("default.of_view", [rule]))
        assert (outcome.state, outcome.added) == ("published", (FIRST, SECOND))


class TestNamesOfPublications:
    @pytest.mark.parametrize("name", [7, "", b"x", "x" * 201])
    def test_one_that_cannot_be_recorded_is_refused_before_anything_is_written(self, lake: Lake, name: Any) -> None:
        with pytest.raises(InvalidInputError, match="as the name of a publication: it must be a string of 1 to 200"):
            lake.publish(DAY, publication=name)
        assert (lake.declared(), recorded(lake)) == ([], [])

    def test_a_record_has_room_whatever_its_name_and_bounds_are(self, lake: Lake) -> None:
        bounds = {"since": {"ds": "é" * 240}, "until": {"ds": "é" * 250}}
        rule = requires(CLICKS, ds=column("ds"), known_empty=[{"ds": f"day {day:06d}"} for day in range(300)])
        lake.publish(rule, publication="\U0001f389" * 200, **bounds)
        properties = lake.catalog.load_view(lake.view).metadata.properties
        [text] = [text for key, text in properties.items() if key.startswith(PUBLISHED_WITH)]
        assert len(text) <= MAX_PARTITION_PARAMETER
        assert "takes" in json.loads(text)["unrecorded"]


class TestRunsOfAnApplication:
    def test_one_that_was_overtaken_leaves_the_rules_of_the_later_run(self, lake: Lake) -> None:
        rules = RecordedRules("nightly", "nightly", str(DAY))
        overtaken = Writing(
            lake.catalog, lake.catalog.partitions(lake.view), lake.plan(DAY), Run("nightly", 1), "nightly"
        )
        assert overtaken.begin(rules)
        lake.publish(DAY & requires(CLICKS), app_id="nightly", run_version=2)
        overtaken.finish(rules)
        [one] = recorded(lake)
        assert one.read_rule() == DAY & requires(CLICKS)
        assert run_of_nightly(lake) == "2 done"


class TestRunsOfGivenCandidates:
    def test_other_rules_for_some_leave_the_record_of_all(self, lake: Lake) -> None:
        lake.publish(DAY, until={"ds": "2026-08-20"})
        users = lake.history(USERS)
        users.append(("2026-08-21",))
        lake.publish(requires(USERS, ds=column("ds")), candidates=[{"ds": "2026-08-21"}])
        [one] = recorded(lake)
        assert (one.read_rule(), one.until, one.candidates_given) == (DAY, {"ds": "2026-08-20"}, False)

    def test_the_newest_rules_are_recorded_where_each_run_is_given_its_own(self, lake: Lake) -> None:
        lake.publish(DAY, candidates=[{"ds": "2026-08-20"}])
        lake.publish(DAY & requires(CLICKS), candidates=[{"ds": "2026-08-21"}])
        [one] = recorded(lake)
        assert (one.read_rule(), one.candidates_given) == (DAY & requires(CLICKS), True)

    def test_a_run_that_looks_at_all_takes_their_place(self, lake: Lake) -> None:
        lake.publish(requires(CLICKS), candidates=[{"ds": "2026-08-20"}])
        lake.publish(DAY, since={"ds": "2026-08-20"})
        [one] = recorded(lake)
        assert (one.read_rule(), one.candidates_given) == (DAY, False)


def test_a_partition_published_by_other_rules_is_not_current(lake: Lake) -> None:
    """What the rules that are recorded now do not mention may have changed."""
    users = lake.history(USERS)
    users.append(("2026-08-20",))
    lake.publish(DAY & requires(USERS, ds=column("ds")), publication="daily", candidates=[{"ds": "2026-08-20"}])
    lake.publish(DAY, publication="daily")
    users.append(("2026-08-20",))
    found = lake.revalidate().partitions
    assert (found[FIRST].state, found[SECOND].state) == ("unknown", "current")
    assert "published by an earlier rule" in found[FIRST].reasons[0]
    assert lake.states(DAY) == {FIRST: "current", SECOND: "current"}, "rules that are given ask about their tables only"


def forget_rule_of(lake: Lake, *names: str) -> None:
    """Leave the partition as an earlier version of hive_views has published it."""
    lake.catalog.partitions(lake.view).set_parameters(list(names), {PUBLISHED_RULE: ""})


EDITED = {
    "an alternative taken away": (DAY | requires(USERS, ds=column("ds")), requires(USERS, ds=column("ds"))),
    "both asked for": (DAY | requires(USERS, ds=column("ds")), DAY & requires(USERS, ds=column("ds"))),
}


@pytest.mark.parametrize("is_recorded", [True, False], ids=["", "published before rules were recorded"])
@pytest.mark.parametrize("edit", EDITED)
def test_a_day_is_not_judged_by_a_rule_that_was_edited_since(lake: Lake, edit: str, is_recorded: bool) -> None:
    before, after = EDITED[edit]
    lake.history(USERS).append(("2026-08-21",))
    assert lake.publish(before, publication="daily").added == (FIRST, SECOND)
    if not is_recorded:
        forget_rule_of(lake, FIRST, SECOND)
    lake.publish(after, publication="daily", until={"ds": "2026-08-25"})
    found = lake.revalidate().partitions[FIRST]
    assert (found.state, "published by an earlier rule" in found.reasons[0]) == ("unknown", True)
    assert lake.states(before)[FIRST] == "current", "the rules that it was published by may be given"


class TestSeveralPublications:
    def test_a_partition_is_judged_by_the_rules_of_its_own(self, lake: Lake) -> None:
        lake.publish(DAY, publication="a")
        lake.publish(DAY & requires(CLICKS), publication="b", since={"ds": "2026-08-21"})
        assert lake.states() == {FIRST: "current", SECOND: "current"}

    def test_a_partition_that_may_be_of_either_is_unknown_where_their_rules_differ(self, lake: Lake) -> None:
        lake.publish(DAY, publication="a")
        lake.publish(DAY & requires(CLICKS), publication="b", since={"ds": "2026-08-21"})
        forget_rule_of(lake, SECOND)
        found = lake.revalidate().partitions
        assert (found[FIRST].state, found[SECOND].state) == ("current", "unknown")
        assert "any of a, b, whose rules differ" in found[SECOND].reasons[0]

    def test_it_is_judged_where_they_are_the_same(self, lake: Lake) -> None:
        lake.publish(DAY, publication="a")
        lake.publish(DAY, publication="b", since={"ds": "2026-08-21"})
        assert lake.states() == {FIRST: "current", SECOND: "current"}

    def test_one_that_nothing_was_declared_by_is_not_read(self, lake: Lake) -> None:
        lake.publish(DAY & when("os.path:isabs", reason="x"), app_id="dead", run_version=1, candidates=[])
        lake.publish(DAY, app_id="alive", run_version=1)
        assert lake.states() == {FIRST: "current", SECOND: "current"}

    def test_one_that_ended_can_be_removed(self, lake: Lake) -> None:
        gone = requires("web.gone", ds=column("ds"))
        lake.history("web.gone")
        lake.publish(gone, publication="dead")
        lake.publish(DAY, publication="alive")
        del lake.tables["web.gone"]
        assert [one.error is None for one in status(lake.catalog, base_tables=lake.tables)] == [False, True]
        lake.catalog.alter_view(lake.view, remove_properties=["hive-views.published-with.dead"])
        [one] = status(lake.catalog, base_tables=lake.tables)
        assert (one.publication, one.error) == ("alive", None)
        with pytest.raises(InvalidInputError):
            lake.catalog.alter_view(lake.view, remove_properties=["hive-views.publish.alive"])
        with pytest.raises(InvalidInputError):
            lake.catalog.alter_view(lake.view, set_properties={"hive-views.published-with.alive": "{}"})


class TestStatus:
    def test_an_application_whose_first_run_did_not_end_is_shown(self, lake: Lake) -> None:
        """It ends after it has begun, and before it declares anything."""
        request = PublishRequest.of(lake.view, DAY, app_id="nightly", run_version=1, base_tables=lake.tables)
        with pytest.raises(InvalidPartitionError):
            publish_request(lake.catalog, request, lambda _: {FIRST: {"note": "é"}})
        [one] = status(lake.catalog, base_tables=lake.tables)
        assert (one.publication, one.rules, one.unfinished_run) == ("nightly", str(DAY), 1)
        assert one.ready == (FIRST, SECOND)

    def test_beginning_and_ending_are_two_commits_with_the_rules(self, lake: Lake) -> None:
        before = commits_of(lake)
        lake.publish(DAY, app_id="nightly", run_version=1)
        assert commits_of(lake) == before + 2

    def test_nothing_is_ready_where_each_run_is_given_its_candidates(self, lake: Lake) -> None:
        lake.publish(DAY, candidates=[{"ds": "2026-08-20"}])
        [one] = status(lake.catalog, base_tables=lake.tables)
        assert (one.last_published, one.ready, one.waiting, one.error) == (FIRST, (), {}, None)


@pytest.mark.parametrize("wrong", ["hr=00", "ds=2026-08-22/hr=00", "ds="])
def test_a_plan_with_a_name_that_is_none_of_the_view_declares_nothing(lake: Lake, wrong: str) -> None:
    plan = lake.plan(DAY)
    many = [f"ds=day {number:04d}" for number in range(600)]
    with pytest.raises(InvalidPartitionError):
        apply_plan(lake.catalog, replace(plan, ready={name: {CLICKS: 1} for name in [*many, wrong]}))
    assert lake.declared() == []


class TestRunsWithoutAName:
    def test_bounds_that_grow_narrower_take_no_commit(self, lake: Lake) -> None:
        lake.publish(DAY, since={"ds": "2026-08-20"})
        before = commits_of(lake)
        lake.publish(DAY, since={"ds": "2026-08-21"})
        assert commits_of(lake) == before
        assert recorded(lake)[0].since == {"ds": "2026-08-20"}

    def test_bounds_that_let_others_in_are_recorded(self, lake: Lake) -> None:
        for until in ("2026-08-20", "2026-08-21"):
            lake.publish(DAY, until={"ds": until})
        assert recorded(lake)[0].until == {"ds": "2026-08-21"}
        assert lake.states() == {FIRST: "current", SECOND: "current"}

    def test_other_rules_are_recorded_with_their_bounds(self, lake: Lake) -> None:
        lake.publish(DAY)
        lake.publish(DAY & requires(CLICKS), since={"ds": "2026-08-21"})
        [one] = recorded(lake)
        assert (one.read_rule(), one.since) == (DAY & requires(CLICKS), {"ds": "2026-08-21"})

    @pytest.mark.parametrize("options", [{"publication": "daily"}, {"app_id": "nightly", "run_version": 1}])
    def test_bounds_of_a_publication_with_a_name_are_always_recorded(self, lake: Lake, options: dict[str, Any]) -> None:
        lake.publish(DAY, since={"ds": "2026-08-20"}, **options)
        if "run_version" in options:
            options = {**options, "run_version": 2}
        lake.publish(DAY, since={"ds": "2026-08-21"}, **options)
        assert recorded(lake)[0].since == {"ds": "2026-08-21"}
