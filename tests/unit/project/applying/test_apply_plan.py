"""A plan is applied whole, or up to what fails; what needs that is left; and again until it is complete."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.errors import (
    Answer,
    CommitFailedError,
    CommitStateUnknownError,
    LockTimeoutError,
    MetastoreUnavailableError,
    OutdatedPlanError,
    RefusedPlanError,
)
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import RELEASE
from hive_views.project import apply
from hive_views.project.applying.release_id import lock_of_project, new_release_id
from hive_views.project.planning.make_plan import plan
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.changing import commit_own_properties
from tests.support.views.quick_catalog import catalog_on
from tests.unit.project.project_directory import BETTER, SELECT, statement, write_project

ON = "SELECT user_id, clicks FROM daily"
THREE = {
    "sales.daily": statement("daily", SELECT),
    "sales.users": statement("users", ON, columns="user_id, clicks"),
    "sales.apart": statement("apart", "SELECT page FROM web.clicks", columns="page STRING"),
}


def test_all_steps_are_done_in_order_and_the_report_says_so(catalog: ViewCatalog, tmp_path: Path) -> None:
    seen: list[tuple[Outcome, int, int]] = []
    planned = plan(catalog, write_project(tmp_path, THREE))
    report = apply(catalog, planned, on_step=lambda *one: seen.append(one))
    assert report.is_complete
    assert report.is_locked
    assert [(one.view, one.state) for one, _, _ in seen] == [(str(step.view), State.DONE) for step in planned.steps]
    assert [(number, total) for _, number, total in seen] == [(1, 3), (2, 3), (3, 3)]
    assert report.summary() == f"Release {planned.release}: 3 views: 3 applied."
    assert report.document()["views"][0]["action"] == "create"
    assert "sales.daily" in report._repr_html_()
    assert plan(catalog, tmp_path).steps == ()
    assert apply(catalog, plan(catalog, tmp_path)).summary() == "There was nothing to do."


def test_a_plan_with_errors_or_refusals_writes_nothing_and_says_all(catalog: ViewCatalog, tmp_path: Path) -> None:
    bad = {**THREE, "sales.wrong": "CREATE VIEW wrong AS SELECT nothing FROM web.clicks", "sales.worse": "DROP"}
    with pytest.raises(RefusedPlanError) as refused:
        apply(catalog, plan(catalog, write_project(tmp_path, bad)))
    assert {one.file for one in refused.value.errors} == {"sales/wrong.sql", "sales/worse.sql"}
    assert "sales/wrong.sql" in refused.value.message
    assert "sales/worse.sql" in refused.value.message
    assert not catalog.list_views("sales")
    apply(catalog, plan(catalog, write_project(tmp_path, THREE)))
    catalog.create_view("sales.outside", sql={"hive": "SELECT page FROM sales.apart"}, schema=[("page", "string")])
    other = {**THREE, "sales.apart": statement("apart", "SELECT ds FROM web.clicks", columns="ds STRING")}
    with pytest.raises(RefusedPlanError) as refused:
        apply(catalog, plan(catalog, write_project(tmp_path, other)))
    assert "--allow-breaking sales.outside" in refused.value.shell_message
    assert "allow_breaking=['sales.outside']" in str(refused.value)
    assert apply(catalog, plan(catalog, tmp_path, allow_breaking=["sales.outside"])).is_complete


def test_views_changed_since_the_plan_are_found_before_anything_is_written(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    apply(catalog, plan(catalog, write_project(tmp_path, THREE)))
    changed = {name: text.replace("AS\n", "COMMENT 'c' AS\n") for name, text in THREE.items()}
    changed["sales.new"] = statement("new", "SELECT ds FROM web.clicks", columns="ds STRING")
    planned = plan(catalog, write_project(tmp_path, changed))
    catalog.alter_view("sales.users", set_properties={"a": "b"})
    catalog.drop_view("sales.apart")
    catalog.create_view("sales.new", sql={"hive": "SELECT 1L AS a"}, schema=[("a", "bigint")])
    before = catalog.load_view("sales.daily").metadata_location
    with pytest.raises(OutdatedPlanError) as outdated:
        apply(catalog, planned)
    assert set(outdated.value.views) == {"sales.users", "sales.apart", "sales.new"}
    assert catalog.load_view("sales.daily").metadata_location == before


def test_what_needs_a_failed_step_is_left_and_the_rest_is_done(
    catalog: ViewCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(catalog, write_project(tmp_path, THREE))
    create = catalog.metastore.create_row

    def refusing(row: object) -> None:
        if row.identifier.name == "daily":  # type: ignore[attr-defined]
            raise CommitFailedError("no")
        create(row)  # type: ignore[arg-type]

    monkeypatch.setattr(catalog.metastore, "create_row", refusing)
    report = apply(catalog, planned)
    assert [one.view for one in report.failed] == ["sales.daily"]
    assert [one.view for one in report.left] == ["sales.users"]
    assert report.left[0].reason == "It needs sales.daily, which was not done."
    assert [one.view for one in report.done] == ["sales.apart"]
    assert not report.is_complete
    monkeypatch.undo()
    again = apply(catalog, planned)
    assert again.is_complete
    assert {one.view: one.state for one in again.outcomes} == {
        "sales.apart": State.UNCHANGED,
        "sales.daily": State.DONE,
        "sales.users": State.DONE,
    }
    assert len(catalog.load_view("sales.apart").history) == 1


def test_an_unknown_outcome_leaves_what_depends_on_it(
    catalog: ViewCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(catalog, write_project(tmp_path, THREE))
    create = catalog.metastore.create_row

    def unknown(row: object) -> None:
        if row.identifier.name == "daily":  # type: ignore[attr-defined]
            raise CommitStateUnknownError("nobody knows")
        create(row)  # type: ignore[arg-type]

    monkeypatch.setattr(catalog.metastore, "create_row", unknown)
    report = apply(catalog, planned)
    assert isinstance(report.failed[0].error, CommitStateUnknownError)
    assert [one.view for one in report.left] == ["sales.users"]


def test_a_metastore_that_goes_away_ends_the_apply_and_a_second_one_completes_it(
    catalog: ViewCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(catalog, write_project(tmp_path, THREE))
    create, calls = catalog.metastore.create_row, []

    def going(row: object) -> None:
        calls.append(row)
        if len(calls) == 2:
            monkeypatch.setattr(catalog.metastore, "list_namespaces", gone)
            gone()
        create(row)  # type: ignore[arg-type]

    def gone(*_: object) -> None:
        raise MetastoreUnavailableError("gone", answer=Answer.NOT_SENT)

    monkeypatch.setattr(catalog.metastore, "create_row", going)
    report = apply(catalog, planned)
    assert [one.state for one in report.outcomes] == [State.DONE, State.FAILED, State.NOT_TRIED]
    monkeypatch.undo()
    assert apply(catalog, planned).is_complete


def test_a_project_that_is_being_applied_is_locked_by_its_name(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned = plan(catalog, write_project(tmp_path, THREE))
    held = catalog.metastore.lock(lock_of_project("shop"))
    assert held is not None
    with pytest.raises(LockTimeoutError, match="Another apply of the project shop is under way, by ") as refused:
        apply(catalog, planned, lock_timeout_s=0.01)
    assert str(refused.value.holder) in refused.value.message
    assert not catalog.list_views("sales")
    held.release()
    assert apply(catalog, planned, lock_timeout_s=0.01).is_complete
    free = catalog.metastore.lock(lock_of_project("shop"), timeout_s=0.01)
    assert free is not None


def test_a_lock_that_is_lost_ends_the_apply(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned = plan(catalog, write_project(tmp_path, THREE))
    metastore = catalog.metastore
    assert isinstance(metastore, MemoryMetastore)
    report = apply(catalog, planned, on_step=lambda *_: metastore.expire_locks())
    assert [one.state for one in report.outcomes] == [State.DONE, State.NOT_TRIED, State.NOT_TRIED]
    assert "lock" in str(report.left[0].reason)


def test_a_metastore_without_locks_is_named_in_the_report(tmp_path: Path) -> None:
    with catalog_on(MemoryMetastore(grants_locks=False)) as catalog:
        files = {"sales.one": statement("one", "SELECT 1 AS a", columns="a INT")}
        report = apply(catalog, plan(catalog, write_project(tmp_path, files)))
        assert report.is_complete
        assert "grants no locks" in report.summary()
        # The copy in which a plan is made has no row of the view before it is asked for.
        files = {"sales.one": statement("one", "SELECT 2 AS a", columns="a INT")}
        assert apply(catalog, plan(catalog, write_project(tmp_path, files))).is_complete


def test_ids_sort_by_time_and_names_of_locks_are_names_of_the_metastore() -> None:
    assert new_release_id(0)[:16] == "19700101T000000-"
    assert new_release_id(1_000) > new_release_id(0)
    assert new_release_id(0) != new_release_id(0)
    assert lock_of_project("My-Shop") == TableIdentifier("default", "hive_views_project_my_shop")
    assert len(lock_of_project("a" * 300).name) == 128


def test_a_mark_says_how_many_steps_its_release_has(catalog: ViewCatalog, tmp_path: Path) -> None:
    planned = plan(catalog, write_project(tmp_path, THREE))
    apply(catalog, replace(planned))
    assert '"steps": 3' in catalog.load_view("sales.daily").current_version.summary[RELEASE]
    assert BETTER != SELECT


def test_a_publication_between_plan_and_apply_does_not_refuse_the_plan(catalog: ViewCatalog, tmp_path: Path) -> None:
    before, after = (
        {"sales.days": statement("days", f"{text} -- {text.count('DISTINCT')}", rest="PARTITIONED ON (ds)")}
        for text in (SELECT, BETTER)
    )
    apply(catalog, plan(catalog, write_project(tmp_path, before)))
    planned = plan(catalog, write_project(tmp_path, after))
    commit_own_properties(catalog.engine, "sales.days", lambda _: {"hive-views.publish.app": "1"})
    assert apply(catalog, planned).is_complete
    again = plan(catalog, write_project(tmp_path, before))
    catalog.alter_view("sales.days", set_properties={"team": "web"})
    with pytest.raises(OutdatedPlanError):
        apply(catalog, again)
