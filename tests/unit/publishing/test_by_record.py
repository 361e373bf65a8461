"""Publishing without rules: by those that are recorded with the view, or for other partitions than a file says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.persisted import PUBLISHED_BY, PUBLISHED_RULE, PUBLISHED_VERSION
from hive_views.publishing.batch.publication import Publication, check_publications, with_overrides
from hive_views.publishing.ledger.recorded_rules import recorded_rules
from hive_views.publishing.publish import publish_request
from hive_views.publishing.scope import Scope
from hive_views.publishing.status import status
from hive_views.readiness.rules import Rule, requires, when
from tests.support.tables.publishing_lake import CLICKS, DAY, FIRST, SECOND, USERS, Lake

THIRD = "ds=2026-08-22"


def parameters_of(lake: Lake, name: str) -> dict[str, str]:
    [(_, partition)] = lake.catalog.partitions(lake.view).load([name])
    return dict(partition.parameters)


def metadata_location(lake: Lake) -> str:
    return lake.catalog.load_view(lake.view).metadata_location


@pytest.fixture
def nightly(lake: Lake) -> MemoryTableWithHistory:
    """A publication of an application from the second day on; the third day came after its last run."""
    table = lake.history()
    table.append(("2026-08-20",), ("2026-08-21",))
    assert lake.publish(DAY, app_id="nightly", run_version=7, since={"ds": "2026-08-21"}).added == (SECOND,)
    table.append(("2026-08-22",))
    return table


def test_the_recorded_rules_and_bounds_apply_and_the_record_stays(lake: Lake, nightly: MemoryTableWithHistory) -> None:
    before = metadata_location(lake)
    report = lake.publish()
    assert (report.added, report.already_published) == ((THIRD,), (SECOND,))
    assert metadata_location(lake) == before


def test_partitions_are_those_of_the_recorded_application_though_no_run_of_it_declared_them(
    lake: Lake, nightly: MemoryTableWithHistory
) -> None:
    lake.publish()
    [by_run, by_record] = (parameters_of(lake, name) for name in (SECOND, THIRD))
    assert by_record[PUBLISHED_BY] == by_run[PUBLISHED_BY] == "nightly"
    assert by_record[PUBLISHED_RULE] == by_run[PUBLISHED_RULE]
    assert PUBLISHED_VERSION not in by_record
    # So they are judged and retracted like the others, and counted with them.
    assert lake.states() == {SECOND: "current", THIRD: "current"}
    [one] = status(lake.catalog, base_tables=lake.tables)
    assert (one.publication, one.published, one.unfinished_run) == ("nightly", 2, None)
    nightly.delete(("2026-08-22",))
    assert lake.publish(retract=True).retracted == (THIRD,)


def test_with_a_version_it_is_a_run_of_the_application_fenced_as_any_other(
    lake: Lake, nightly: MemoryTableWithHistory
) -> None:
    assert lake.publish(run_version=7).skipped
    with pytest.raises(HiveViewsError, match="run 7 has begun"):
        lake.publish(run_version=6)
    assert lake.publish(app_id="nightly", run_version=8).added == (THIRD,)
    assert parameters_of(lake, THIRD)[PUBLISHED_VERSION] == "8"


@pytest.mark.parametrize(
    ("options", "added"),
    [
        ({"candidates": [{"ds": "2026-08-20"}]}, (FIRST,)),
        ({"since": {"ds": "2026-08-20"}}, (FIRST, THIRD)),
        ({"until": {"ds": "2026-08-21"}}, ()),
    ],
)
def test_given_partitions_and_bounds_take_the_place_of_the_recorded_ones_for_this_call(
    lake: Lake, nightly: MemoryTableWithHistory, options: dict[str, Any], added: tuple[str, ...]
) -> None:
    before = metadata_location(lake)
    assert lake.publish(**options).added == added
    assert metadata_location(lake) == before
    assert set(lake.states().values()) == {"current"}


def test_of_several_publications_one_must_be_named(lake: Lake, nightly: MemoryTableWithHistory) -> None:
    lake.publish(DAY, publication="early", until={"ds": "2026-08-19"})
    with pytest.raises(InvalidInputError, match=r"several publications: early, nightly\."):
        lake.publish()
    with pytest.raises(InvalidInputError, match="no publication 'late'; it has: early"):
        lake.publish(publication="late")
    with pytest.raises(InvalidInputError, match="no publication of the application 'hourly'; it has: early"):
        lake.publish(app_id="hourly")
    with pytest.raises(HiveViewsError) as found:
        lake.publish()
    assert "--publication" in found.value.shell_message
    assert lake.publish(publication="nightly").added == (THIRD,)


def test_a_partition_outside_the_bounds_is_refused_where_it_may_be_another_publication_s(
    lake: Lake, nightly: MemoryTableWithHistory
) -> None:
    lake.publish(DAY & requires(CLICKS, ds="2026-08-24"), publication="early", until={"ds": "2026-08-20"})
    with pytest.raises(InvalidInputError, match=r"ds=2026-08-20 .* outside the bounds .*\(since ds=2026-08-21\)"):
        lake.publish(publication="nightly", candidates=[{"ds": "2026-08-20"}])
    assert lake.declared() == [SECOND]


def test_what_is_not_recorded_or_cannot_be_used_is_an_error_that_names_the_way_out(
    lake: Lake,
) -> None:
    lake.history().append(("2026-08-20",))
    with pytest.raises(InvalidInputError, match=r"never published\. Pass the rules") as found:
        lake.publish()
    assert "--require" in found.value.shell_message
    lake.publish(DAY, publication="given", candidates=[{"ds": "2026-08-20"}])
    with pytest.raises(InvalidInputError, match=r"given its partitions, .* Give candidates="):
        lake.publish()
    assert lake.publish(candidates=[{"ds": "2026-08-20"}]).already_published == (FIRST,)


@pytest.mark.parametrize("rule", [when(lambda _: True), when("os.path:exists")], ids=["without a name", "named"])
def test_no_function_is_imported_because_a_record_names_it(lake: Lake, rule: Rule) -> None:
    lake.history()
    lake.publish(DAY & rule)
    lake.history().append(("2026-08-20",))
    with pytest.raises(InvalidInputError, match=r"(not recorded|imports a function).* Pass the rules"):
        lake.publish()
    assert lake.declared() == []


class TestOfAFile:
    @pytest.fixture
    def publications(self, lake: Lake) -> list[Publication]:
        lake.history().append(("2026-08-20",), ("2026-08-21",), ("2026-08-22",))
        early = Publication(lake.view, [DAY & requires(USERS)], name="early", until={"ds": "2026-08-20"}, app_id="a")
        late = Publication(lake.view, [DAY], name="late", since={"ds": "2026-08-21"}, app_id="b")
        return [early, late]

    def test_the_run_looks_at_what_it_is_given_and_records_what_the_file_says(
        self, lake: Lake, publications: list[Publication]
    ) -> None:
        one = with_overrides(publications, publications[1], Scope(candidates=({"ds": "2026-08-22"},)))
        # The application needs no version for it.
        check_publications([one])
        report = publish_request(lake.catalog, replace(one.request(), base_tables=lake.tables))
        assert (report.added, parameters_of(lake, THIRD)[PUBLISHED_BY]) == ((THIRD,), "b")
        [recorded] = recorded_rules(lake.catalog.load_view(lake.view).metadata.properties)
        assert (recorded.publication, recorded.published_by, recorded.since) == ("late", "b", {"ds": "2026-08-21"})
        assert not recorded.candidates_given

    def test_it_does_not_leave_its_bounds_where_the_file_has_another_publication_of_the_view(
        self, lake: Lake, publications: list[Publication]
    ) -> None:
        one = with_overrides(publications, publications[1], Scope(since={"ds": "2026-08-20"}))
        with pytest.raises(InvalidInputError, match=r"ds=2026-08-20 .* outside the bounds"):
            publish_request(lake.catalog, replace(one.request(), base_tables=lake.tables))
        alone = with_overrides(publications[1:], publications[1], Scope(since={"ds": "2026-08-20"}))
        report = publish_request(lake.catalog, replace(alone.request(), base_tables=lake.tables))
        assert report.added == (FIRST, SECOND, THIRD)
