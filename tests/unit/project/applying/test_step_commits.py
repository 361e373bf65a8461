"""Each step of a plan is one commit that says what it was, keeps what is not the files', and is not done twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.errors import AlreadyExistsError, OutdatedPlanError
from hive_views.estate import backup, copy_views, list_dropped, restore
from hive_views.hive.row import POINTER
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import PROJECT, RELEASE
from hive_views.project.applying.release_mark import Release, current_mark, last_mark, marks_in
from hive_views.project.applying.step_commit import StepCommits
from hive_views.project.planning.make_plan import plan
from hive_views.project.plans.project_plan import Action, Earlier, FoundView, Step
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.version import original_sql
from tests.support.views.foreign_writers import hive_create_or_replace
from tests.support.views.quick_catalog import catalog_on
from tests.unit.project.project_directory import (
    BETTER,
    SELECT,
    carried_out,
    planned_and_done,
    statement,
    write_project,
)

DAILY = {"sales.daily": statement("daily", SELECT, rest="COMMENT 'by day' TBLPROPERTIES ('team'='a', 'tier'='1')")}


def test_a_view_is_created_as_its_file_says_and_says_which_release_did(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned = planned_and_done(catalog, tmp_path, DAILY)
    view = catalog.load_view("sales.daily")
    assert view.properties == {"comment": "by day", "team": "a", "tier": "1"}
    assert view.metadata.properties[PROJECT] == "shop"
    mark = current_mark(view.metadata)
    assert mark is not None
    assert (mark.release.id, mark.step, mark.action, mark.before) == (planned.release, 1, "create", None)
    assert mark.properties == view.properties
    assert plan(catalog, tmp_path).steps == ()


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (statement("daily", SELECT, rest="COMMENT 'better'"), Action.ALTER),
        (statement("daily", BETTER, rest="COMMENT 'by day' TBLPROPERTIES ('team'='a', 'tier'='1')"), Action.REPLACE),
        (statement("daily", SELECT, dialects=f"DIALECT trino AS {SELECT}"), Action.ALTER),
        (statement("daily", SELECT, rest="PARTITIONED ON (ds)"), Action.REPLACE),
        (
            statement("daily", "SELECT name, ds FROM web.clicks", columns="name VARCHAR(7), ds STRING"),
            Action.REPLACE,
        ),
        (
            statement("daily", "SELECT name, ds FROM clicks", columns="n, d")
            .replace("CREATE", "USE web;\nCREATE", 1)
            .replace("VIEW daily", "VIEW sales.daily"),
            Action.REPLACE,
        ),
    ],
)
def test_a_change_says_all_of_the_view_and_a_second_plan_is_empty(
    catalog: ViewCatalog, tmp_path: Path, text: str, action: Action
) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    before = catalog.load_view("sales.daily")
    planned = planned_and_done(catalog, tmp_path, {"sales.daily": text})
    assert [step.action for step in planned.steps] == [action]
    view = catalog.load_view("sales.daily")
    mark = current_mark(view.metadata)
    assert mark is not None
    assert (mark.before, mark.properties_before) == (before.metadata.current_version_id, before.properties)
    assert mark.partitioned_on == view.partitioned_on
    assert view.metadata.properties[PROJECT] == "shop"
    assert len(view.history) == 2
    assert plan(catalog, tmp_path).steps == ()
    assert view.differences == ()


def test_a_text_dropped_from_the_file_goes_and_comes_back_by_a_restore(catalog: ViewCatalog, tmp_path: Path) -> None:
    two = {"sales.daily": statement("daily", SELECT, dialects=f"DIALECT trino AS {SELECT}")}
    planned_and_done(catalog, tmp_path, two)
    before = catalog.load_view("sales.daily")
    planned_and_done(catalog, tmp_path, DAILY)
    assert catalog.load_view("sales.daily").dialects == ("hive",)
    restored = _restored(catalog, before.metadata.current_version_id, dict(before.properties))
    assert set(restored.dialects) == {"hive", "trino"}
    assert restored.properties == {}
    assert restored.original_sql("trino") == SELECT
    assert [entry.version_id for entry in restored.history] == [1, 2, 3]
    assert restored.current_version.representations == before.current_version.representations
    assert plan(catalog, write_project(tmp_path, two)).steps == ()


def _restored(catalog: ViewCatalog, version: int, properties: dict[str, str], keys: tuple[str, ...] = ()):
    step = Step(Action.RESTORE, TableIdentifier("sales", "daily"), earlier=Earlier(version, properties, keys))
    view = StepCommits(catalog, Release("2-undo", "shop", 2, "me", "1"), checked=False).commit(step, 1)
    assert view is not None
    mark = current_mark(view.metadata)
    assert mark is not None
    assert (mark.action, mark.release.undoes) == ("restore", "1")
    return view


def test_partition_columns_and_partitions_of_a_view_survive_what_does_not_change_them(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    by_day = {"sales.daily": statement("daily", SELECT, rest="PARTITIONED ON (ds)")}
    planned_and_done(catalog, tmp_path, by_day)
    catalog.partitions("sales.daily").add([{"ds": "2026-01-01"}])
    catalog.tag_view("sales.daily", "good")
    before = catalog.load_view("sales.daily")
    planned_and_done(catalog, tmp_path, {"sales.daily": statement("daily", BETTER, rest="PARTITIONED ON (ds)")})
    view = _restored(catalog, before.metadata.current_version_id, {}, ("ds",))
    assert view.partitioned_on == ("ds",)
    assert view.tags == before.tags
    assert list(catalog.partitions("sales.daily").names()) == ["ds=2026-01-01"]


def test_the_same_text_given_by_another_verb_makes_no_new_version(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    before = catalog.load_view("sales.daily")
    catalog.replace_view("sales.daily", sql={"hive": SELECT})
    assert catalog.load_view("sales.daily").metadata_location == before.metadata_location


def test_a_mark_makes_no_text_stale_and_a_stale_one_stays_so(catalog: ViewCatalog, tmp_path: Path) -> None:
    both = statement("daily", SELECT, dialects=f"DIALECT trino AS {SELECT} HAVING count(*) > 1")
    planned_and_done(catalog, tmp_path, {"sales.daily": both})
    assert catalog.load_view("sales.daily").stale_dialects == ()
    catalog.alter_view("sales.daily", sql={"hive": BETTER})
    assert catalog.load_view("sales.daily").stale_dialects == ("trino",)
    planned = plan(
        catalog, write_project(tmp_path, {"sales.daily": both.replace(SELECT, BETTER, 1).replace("AS\n", "AS\n")})
    )
    assert planned.steps == ()
    catalog.alter_view("sales.daily", set_properties={"a": "b"})
    carried_out(catalog, plan(catalog, tmp_path))
    assert catalog.load_view("sales.daily").stale_dialects == ("trino",)


@pytest.mark.parametrize("kind", ["properties", "text"])
def test_a_view_changed_since_the_plan_is_left_as_it_is(catalog: ViewCatalog, tmp_path: Path, kind: str) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    planned = plan(catalog, write_project(tmp_path, {"sales.daily": statement("daily", BETTER)}))
    if kind == "text":
        catalog.alter_view("sales.daily", sql={"hive": SELECT.replace("count(*)", "max(1L)")})
    else:
        catalog.alter_view("sales.daily", set_properties={"other": "x"})
    before = catalog.load_view("sales.daily")
    with pytest.raises(OutdatedPlanError, match="plan again"):
        carried_out(catalog, planned)
    assert catalog.load_view("sales.daily").metadata_location == before.metadata_location


def test_other_columns_than_planned_are_refused(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    planned = plan(catalog, write_project(tmp_path, {"sales.daily": statement("daily", BETTER)}))
    step = replace(planned.steps[0], resulting=(("user_id", "string"),))
    with pytest.raises(OutdatedPlanError, match="user_id bigint, clicks bigint, ds string"):
        carried_out(catalog, replace(planned, steps=(step,)))


def test_the_same_plan_carried_out_twice_writes_once(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned = planned_and_done(catalog, tmp_path, DAILY)
    created = catalog.load_view("sales.daily")
    carried_out(catalog, planned)
    assert catalog.load_view("sales.daily").metadata_location == created.metadata_location
    planned = planned_and_done(catalog, tmp_path, {"sales.daily": statement("daily", BETTER)})
    replaced = catalog.load_view("sales.daily")
    carried_out(catalog, planned)
    assert catalog.load_view("sales.daily").metadata_location == replaced.metadata_location
    planned = planned_and_done(catalog, tmp_path, {}, prune=True)
    assert [step.action for step in planned.steps] == [Action.DROP]
    assert not catalog.view_exists("sales.daily")
    carried_out(catalog, planned)


def test_a_view_that_somebody_else_has_created_is_not_taken_for_ours(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned = plan(catalog, write_project(tmp_path, DAILY))
    catalog.create_view("sales.daily", sql={"hive": "SELECT 1L AS a"}, schema=[("a", "bigint")])
    with pytest.raises(AlreadyExistsError):
        carried_out(catalog, planned)
    assert catalog.load_view("sales.daily").original_sql("hive") == "SELECT 1L AS a"


def test_a_dropped_view_comes_back_from_the_very_file_that_was_marked(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    before = catalog.load_view("sales.daily")
    planned_and_done(catalog, tmp_path, {}, prune=True)
    (dropped,) = list_dropped(catalog)
    mark = current_mark(dropped.metadata)
    assert mark is not None
    assert (mark.action, mark.before) == ("drop", before.metadata.current_version_id)
    found = FoundView(dropped.metadata_location, "")
    earlier = Earlier(mark.before, dict(mark.properties_before), mark.partitioned_on_before)
    step = Step(Action.UNDROP, before.identifier, found, earlier=earlier, resulting=_columns(before))
    commits = StepCommits(catalog, Release("3-undo", "shop", 3, "me", "2"))
    view = commits.commit(step, 1)
    assert view is not None
    assert view.properties == before.properties
    assert view.original_sql("hive") == SELECT
    assert plan(catalog, write_project(tmp_path, DAILY)).steps == ()
    again = commits.commit(step, 1)
    assert again is not None
    assert again.metadata_location == view.metadata_location


def _columns(view):
    return tuple((column.name, column.type) for column in view.columns)


def test_a_drop_whose_view_was_changed_after_it_was_marked_is_refused(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    planned = plan(catalog, write_project(tmp_path, {}), prune=True)
    commits = StepCommits(catalog, Release(planned.release, "shop", 1, "me"))
    commits._commit(planned.steps[0], 1, lambda base, _: base)
    catalog.alter_view("sales.daily", set_properties={"a": "b"})
    with pytest.raises(OutdatedPlanError):
        commits.commit(planned.steps[0], 1)
    assert catalog.view_exists("sales.daily")


def test_a_drop_that_was_killed_after_its_mark_is_finished(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    planned = plan(catalog, write_project(tmp_path, {}), prune=True)
    commits = StepCommits(catalog, Release(planned.release, "shop", 1, "me"))
    commits._commit(planned.steps[0], 1, lambda base, _: base)
    assert commits.commit(planned.steps[0], 1) is None
    assert not catalog.view_exists("sales.daily")


def test_a_view_renamed_since_the_plan_is_not_said_to_be_dropped(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    planned = plan(catalog, write_project(tmp_path, {}), prune=True)
    catalog.rename_view("sales.daily", "sales.hourly")
    with pytest.raises(OutdatedPlanError, match="dropped or renamed"):
        carried_out(catalog, planned)
    assert catalog.view_exists("sales.hourly")


def test_what_a_row_said_that_an_engine_has_changed_is_in_the_history(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned_and_done(catalog, tmp_path, DAILY)
    row = catalog.metastore.load_row(TableIdentifier("sales", "daily"))
    theirs = SELECT.replace("count(*)", "max(2L)")
    catalog.metastore.swap_row(hive_create_or_replace(row, theirs), expected=None)
    planned = plan(catalog, tmp_path)
    assert planned.steps[0].drift is not None
    carried_out(catalog, planned)
    view = catalog.load_view("sales.daily")
    assert view.original_sql("hive") == SELECT
    mark = current_mark(view.metadata)
    assert mark is not None
    assert mark.before is not None
    assert original_sql(view.version(mark.before), "hive") == theirs


def test_marks_stay_with_a_view_that_is_renamed_or_restored_and_say_nothing_in_a_copy(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    planned_and_done(catalog, tmp_path / "project", DAILY)
    catalog.rename_view("sales.daily", "sales.hourly")
    renamed = catalog.load_view("sales.hourly")
    assert last_mark(renamed.metadata, "shop") is not None
    archive = str(tmp_path / "archive.zip")
    backup(catalog, archive, "sales.*")
    catalog.drop_view("sales.hourly")
    assert not restore(catalog, archive).failed
    back = catalog.load_view("sales.hourly")
    assert last_mark(back.metadata, "shop") is not None
    assert back.metadata.properties[PROJECT] == "shop"
    with catalog_on(MemoryMetastore()) as other:
        assert not copy_views(catalog, other, "sales.*").failed
        copy = other.load_view("sales.hourly")
        assert RELEASE in copy.current_version.summary
        assert list(marks_in(copy.metadata)) == []
        assert PROJECT not in copy.metadata.properties
        assert not copy_views(catalog, other, "sales.*").failed, "a second copy changes nothing"
        assert other.load_view("sales.hourly").metadata_location == copy.metadata_location


def test_ten_releases_keep_the_version_before_the_last_one(catalog: ViewCatalog, tmp_path: Path) -> None:
    for number in range(12):
        text = statement("daily", SELECT, rest=f"COMMENT '{number}'")
        planned_and_done(catalog, tmp_path, {"sales.daily": text})
    view = catalog.load_view("sales.daily")
    mark = current_mark(view.metadata)
    assert mark is not None
    assert mark.before in {one.version_id for one in view.metadata.versions}
    assert len(view.metadata.versions) == 10
    assert POINTER in view.row.parameters
