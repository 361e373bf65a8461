"""The rules that are recorded with a view when it is published, and what works by them: revalidate and status."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import CommitFailedError, CorruptMetadataError, HiveViewsError, InvalidInputError
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.persisted import PUBLISHED_WITH
from hive_views.publishing import writing
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.publish_each import publish_each, publish_lazily
from hive_views.publishing.ledger.recorded_rules import RecordedRules, property_name, recorded_rules
from hive_views.publishing.status import status
from hive_views.readiness.language import rule_text
from hive_views.readiness.rules import Rule, column, requires, when
from hive_views.views.commit.changing import commit_own_properties
from tests.support.tables.publishing_lake import CLICKS, DAY, FIRST, HR, SECOND, USERS, Lake, make_lake
from tests.support.views.catalog_setup import create

LONG = requires(CLICKS, ds=column("ds"), known_empty=[{"ds": f"day {number:06d}"} for number in range(300)])


@pytest.fixture
def lake() -> Lake:
    lake = make_lake()
    lake.history().append(("2026-08-20",), ("2026-08-21",))
    return lake


def properties_of(lake: Lake) -> dict[str, str]:
    properties = lake.catalog.load_view(lake.view).metadata.properties
    return {key: text for key, text in properties.items() if key.startswith(PUBLISHED_WITH)}


def location_of(lake: Lake) -> str:
    return lake.catalog.load_view(lake.view).metadata_location


class TestRecording:
    def test_rules_and_bounds_are_recorded_with_the_view_by_application(self, lake: Lake) -> None:
        lake.publish(DAY, since={"ds": "2026-08-20"})
        lake.publish(DAY, requires(CLICKS), app_id="nightly", run_version=7)
        first, second = recorded_rules(properties_of(lake))
        assert (first.publication, first.published_by, first.rule) == ("hive_views", "hive_views", rule_text(DAY))
        assert (first.since, first.until) == ({"ds": "2026-08-20"}, {})
        assert (second.publication, second.read_rule()) == ("nightly", DAY & requires(CLICKS))

    @pytest.mark.parametrize("options", [{}, {"app_id": "nightly", "run_version": 7}])
    def test_a_repeated_run_commits_nothing_for_them(self, lake: Lake, options: dict[str, Any]) -> None:
        lake.publish(DAY, **options)
        before = location_of(lake)
        assert lake.publish(DAY, **options).added == ()
        assert location_of(lake) == before

    def test_other_rules_take_the_place_of_those_before(self, lake: Lake) -> None:
        lake.publish(DAY)
        lake.publish(DAY & requires(CLICKS))
        [recorded] = recorded_rules(properties_of(lake))
        assert recorded.read_rule() == DAY & requires(CLICKS)

    def test_a_run_of_given_candidates_keeps_the_bounds(self, lake: Lake) -> None:
        lake.publish(DAY, until={"ds": "2026-08-21"})
        before = location_of(lake)
        lake.publish(DAY, candidates=[{"ds": "2026-08-20"}])
        assert location_of(lake) == before

    @pytest.mark.parametrize(("bound", "warns"), [("2026-8-1", True), ("2026-08-01", False), ("2026-08", False)])
    def test_a_bound_that_is_spelled_as_no_partition_is_warned_of(
        self, lake: Lake, caplog: pytest.LogCaptureFixture, bound: str, warns: bool
    ) -> None:
        lake.publish(DAY, since={"ds": bound})
        assert (f"since ds={bound!r} is compared as text" in caplog.text) is warns

    def test_a_dry_run_records_nothing(self, lake: Lake) -> None:
        lake.publish(DAY, dry_run=True)
        assert properties_of(lake) == {}

    def test_a_misspelt_option_is_refused_before_anything_is_done(self, lake: Lake) -> None:
        for verb in (lake.publish, lake.plan, lake.revalidate):
            with pytest.raises(TypeError, match=r"'sinc'\. Did you mean 'since'"):
                verb(DAY, sinc={"ds": "2026-08-20"})
        with pytest.raises(TypeError, match="'dry_run'"):
            lake.plan(DAY, dry_run=True)
        assert (lake.declared(), properties_of(lake)) == ([], {})

    def test_publications_are_carried_out_when_they_are_called_for_and_lazily_one_by_one(self, lake: Lake) -> None:
        for view in ("default.other", "default.third"):
            create(lake.catalog, view, partitioned_on=["ds"])
        both = [
            Publication(view, [requires(lake.view, ds=column("ds"))]) for view in ("default.other", "default.third")
        ]
        lake.publish(DAY)
        outcomes = publish_lazily(lake.catalog, both)
        assert lake.catalog.partitions("default.other").names() == []
        assert next(outcomes).state == "published"
        assert lake.catalog.partitions("default.third").names() == []
        publish_each(lake.catalog, both)
        assert lake.catalog.partitions("default.third").names() == lake.declared()

    def test_publications_of_one_view_are_recorded_by_their_names(self, lake: Lake) -> None:
        old = Publication(lake.view, [requires("memory.x")], name="old days / 1", until={"ds": "1"})
        new = Publication(lake.view, [requires("memory.x")], name="new", since={"ds": "2"})
        assert [one.state for one in publish_each(lake.catalog, [old, new])] == ["failed", "failed"]
        ten = Publication(lake.view, [requires("memory.x")], name="ten", since={"ds": "10"})
        with pytest.raises(InvalidInputError, match="may judge the same partitions"):
            publish_each(lake.catalog, [replace(ten, name="nine", since=None, until={"ds": "9"}), ten])
        for one in (old, new):
            lake.publish(DAY, since=one.since, until=one.until, publication=one.name)
        assert [one.publication for one in recorded_rules(properties_of(lake))] == ["new", "old days / 1"]
        assert all(key.isascii() and " " not in key for key in properties_of(lake))

    @pytest.mark.parametrize("rule", [LONG, DAY & when(lambda values: True)], ids=["too long", "a function"])
    def test_rules_that_cannot_be_recorded_are_no_failure_and_the_reason_is(self, lake: Lake, rule: Rule) -> None:
        lake.publish(rule)
        [text] = properties_of(lake).values()
        assert len(text) <= MAX_PARTITION_PARAMETER
        assert text.isascii()
        before = location_of(lake)
        lake.publish(rule)
        assert location_of(lake) == before
        with pytest.raises(InvalidInputError, match=r"not recorded with the view: .*Pass the rules, or"):
            lake.revalidate()
        [one] = status(lake.catalog, base_tables=lake.tables)
        assert one.error is not None
        assert "not recorded" in one.error

    def test_a_function_is_never_imported_for_what_is_recorded(self, lake: Lake) -> None:
        lake.publish(when("os.path:isabs"), candidates=[])
        [recorded] = recorded_rules(properties_of(lake))
        assert recorded.rule == 'when("posixpath:isabs")'
        with pytest.raises(InvalidInputError, match=r"cannot be used: .*Pass the rules, or"):
            recorded.read_rule()

    def test_what_cannot_be_recorded_stops_no_run(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def refuse(*_: object) -> None:
            raise CommitFailedError("somebody was faster")

        monkeypatch.setattr(writing, "commit_own_properties", refuse)
        with caplog.at_level(logging.WARNING, logger="hive_views.publishing"):
            assert lake.publish(DAY).added == (FIRST, SECOND)
        assert "were not recorded: somebody was faster" in caplog.text

    @pytest.mark.parametrize("text", ["", "[]", "7", "{}", '{"publication":"a","published-by":"b","since":7}'])
    def test_a_record_that_nobody_here_wrote_is_corrupt_and_replaced_by_the_next_run(
        self, lake: Lake, text: str
    ) -> None:
        key = property_name("hive_views")
        commit_own_properties(lake.catalog.engine, lake.view, lambda _: {key: text})
        with pytest.raises(CorruptMetadataError, match="not a record of the rules"):
            lake.revalidate()
        [one] = status(lake.catalog, base_tables=lake.tables)
        assert one.error is not None
        lake.publish(DAY, candidates=[{"ds": "2026-08-20"}])
        assert json.loads(properties_of(lake)[key])["rules"] == rule_text(DAY)


class TestRevalidation:
    def test_it_needs_no_rules_once_they_are_recorded(self, lake: Lake) -> None:
        lake.publish(DAY)
        clicks = lake.tables[CLICKS]
        clicks.append(("2026-08-20",))  # type: ignore[attr-defined]
        assert lake.revalidate() == lake.revalidate(DAY)
        assert lake.states() == {FIRST: "changed", SECOND: "current"}

    def test_a_record_of_partition_columns_that_are_gone_is_no_failure(self, lake: Lake) -> None:
        lake.publish(DAY)
        rule = rule_text(requires(CLICKS, ds=column("gone")))
        obsolete = RecordedRules("old", "hive_views", rule, since={"gone": "2026-08-01"})
        commit_own_properties(lake.catalog.engine, lake.view, lambda _: obsolete.to_set({}))
        assert set(lake.revalidate().in_state("current")) == {FIRST, SECOND}

    @pytest.mark.parametrize("why", ["dropped", "of other columns", "not recorded"])
    def test_a_publication_whose_rules_cannot_be_used_is_unknown_beside_others_and_an_error_alone(
        self, lake: Lake, why: str
    ) -> None:
        users = lake.history(USERS)
        users.append(("2026-08-21",))
        rule = requires(USERS, ds=column("ds")) & when(lambda _: True, reason="ours")
        rule = rule if why == "not recorded" else requires(USERS, ds=column("ds"))
        lake.publish(rule, app_id="users", run_version=1, candidates=[{"ds": "2026-08-21"}])
        lake.publish(DAY)
        if why == "dropped":
            del lake.tables[USERS]
        elif why == "of other columns":
            lake.history(USERS, (HR,))
        found = lake.revalidate().partitions
        assert (found[FIRST].state, found[SECOND].state) == ("current", "unknown")
        assert "users" in found[SECOND].reasons[0]
        with pytest.raises(HiveViewsError, match="users"):
            lake.revalidate(candidates=[{"ds": "2026-08-21"}])

    def test_without_a_record_the_rules_must_be_given(self, lake: Lake) -> None:
        lake.catalog.partitions(lake.view).add([{"ds": "2026-08-20"}])
        with pytest.raises(InvalidInputError, match=r"The rules that default.* was published with are not recorded\."):
            lake.revalidate()

    def test_each_partition_is_judged_by_the_rules_of_the_publication_that_declared_it(self, lake: Lake) -> None:
        users = lake.history(USERS)
        users.append(("2026-08-21",))
        by_users = requires(USERS, ds=column("ds"))
        lake.publish(DAY, app_id="clicks", run_version=1, until={"ds": "2026-08-20"})
        lake.publish(by_users, app_id="users", run_version=1, since={"ds": "2026-08-21"})
        users.append(("2026-08-21",), ("2026-08-20",))
        assert lake.states() == {FIRST: "current", SECOND: "changed"}

    def test_what_no_recorded_publication_declared_is_unknown(self, lake: Lake) -> None:
        lake.publish(DAY, until={"ds": "2026-08-20"})
        lake.catalog.partitions(lake.view).add([{"ds": "2026-08-21"}])
        found = lake.revalidate().partitions
        assert (found[FIRST].state, found[SECOND].state) == ("current", "unknown")
        assert found[SECOND].reasons == ("the rules that it was published with are not recorded",)

    def test_candidates_and_bounds_limit_what_is_looked_at(self, lake: Lake) -> None:
        lake.publish(DAY)
        assert list(lake.states(since={"ds": "2026-08-21"})) == [SECOND]
        assert list(lake.states(DAY, candidates=[{"ds": "2026-08-20"}])) == [FIRST]


class TestStatus:
    def test_it_shows_how_far_each_publication_is(self, lake: Lake) -> None:
        users = lake.history(USERS)
        users.append(("2026-08-20",))
        both = DAY & requires(USERS, ds=column("ds"))
        lake.publish(both)
        [one] = status(lake.catalog, "default", base_tables=lake.tables)
        assert (one.view, one.publication, one.published, one.last_published) == (lake.view, "hive_views", 1, FIRST)
        assert (one.ready, list(one.waiting)) == ((), [SECOND])
        assert "web.users" in one.waiting[SECOND][0]
        users.append(("2026-08-21",))
        [one] = status(lake.catalog, base_tables=lake.tables)
        assert (one.ready, one.waiting, one.error) == ((SECOND,), {}, None)
        assert lake.declared() == [FIRST], "nothing is written"

    def test_failures_come_first_and_runs_that_have_not_ended_next(self, lake: Lake) -> None:
        for name in ("a_done", "b_killed", "c_broken"):
            create(lake.catalog, f"default.{name}", partitioned_on=["ds"])
        Lake(lake.catalog, lake.tables, "default.a_done").publish(DAY, app_id="nightly", run_version=1)
        killed = Lake(lake.catalog, lake.tables, "default.b_killed")
        killed.publish(DAY, app_id="nightly", run_version=1)
        commit_own_properties(
            lake.catalog.engine,
            "default.b_killed",
            lambda _: {"hive-views.publish.nightly": "2 started"},
        )
        gone = requires("web.gone", ds=column("ds"))
        tables = {"web.gone": lake.history("web.gone")}
        Lake(lake.catalog, tables, "default.c_broken").publish(gone)
        del lake.tables["web.gone"]
        found = status(lake.catalog, base_tables=lake.tables)
        assert [one.view for one in found] == ["default.c_broken", "default.b_killed", "default.a_done"]
        assert "web.gone" in str(found[0].error)
        assert found[1].unfinished_run == 2

    def test_views_that_were_never_published_are_left_out(self, lake: Lake) -> None:
        assert status(lake.catalog, base_tables=lake.tables) == []

    def test_where_each_run_is_given_its_candidates_only_what_is_published_is_shown(self, lake: Lake) -> None:
        lake.publish(requires(CLICKS), candidates=[{"ds": "2026-08-20"}])
        [one] = status(lake.catalog, base_tables=lake.tables)
        assert (one.last_published, one.ready, one.waiting, one.error) == (FIRST, (), {}, None)
