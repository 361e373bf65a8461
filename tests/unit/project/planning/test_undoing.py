"""A release is undone exactly, whatever it did, and so is its undo; what was changed since refuses the whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import InvalidInputError, NotFoundError, RefusedPlanError
from hive_views.estate import copy_views
from hive_views.metastore.memory import MemoryMetastore
from hive_views.project import Plan, apply, plan_undo, releases
from hive_views.project.planning.make_plan import plan
from hive_views.project.plans.plan_document import from_document, to_document
from hive_views.project.plans.project_plan import Action
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.support.views.foreign_writers import hive_create_or_replace
from tests.support.views.quick_catalog import catalog_on
from tests.unit.project.project_directory import BETTER, SELECT, statement, write_project

BEFORE = {
    "sales.daily": statement("daily", SELECT, rest="COMMENT 'c' PARTITIONED ON (ds) TBLPROPERTIES ('k'='v')"),
    "sales.users": statement(
        "users", "SELECT user_id FROM daily", columns="user_id", dialects="DIALECT trino AS SELECT user_id FROM daily"
    ),
    "sales.old": statement("old", "SELECT page FROM web.clicks", columns="page STRING COMMENT 'p'"),
}
AFTER = {
    "sales.daily": statement("daily", f"{BETTER} HAVING count(*) > 1", rest="COMMENT 'd' TBLPROPERTIES ('l'='w')"),
    "sales.users": statement("users", "SELECT user_id, clicks FROM daily", columns="user_id, clicks"),
    "sales.new": statement("new", "SELECT user_id FROM users", columns="user_id"),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


@pytest.fixture
def applied(catalog: ViewCatalog, project: Path) -> Callable[..., str]:
    def apply_files(files: dict[str, str], **options: Any) -> str:
        report = apply(catalog, plan(catalog, write_project(project, files), **options))
        assert report.is_complete
        return report.release

    return apply_files


def _undone(catalog: ViewCatalog, project: Path, release: str, **options: Any) -> Plan:
    # As through a file.
    planned = from_document(to_document(plan_undo(catalog, project, release, **options)))
    report = apply(catalog, planned)
    assert report.is_complete, report.document()
    return planned


def _said(catalog: ViewCatalog) -> dict[str, object]:
    """What all views say, without how they came to say it."""
    return {str(name): _content(catalog.load_view(name)) for name in catalog.list_views("sales")}


def _content(view: View) -> object:
    row = view.row
    return (
        view.properties,
        view.partitioned_on,
        view.columns,
        view.current_version.representations,
        {dialect: view.original_sql(dialect) for dialect in view.dialects},
        view.current_version.default_namespace,
        view.stale_dialects,
        (row.original_text, row.expanded_text, row.columns, row.partition_keys),
        view.differences,
    )


def test_create_replace_alter_and_drop_are_undone_exactly_and_the_undo_too(
    catalog: ViewCatalog, project: Path, applied: Callable[..., str]
) -> None:
    first = applied(BEFORE)
    before = _said(catalog)
    release = applied(AFTER, prune=True)
    after = _said(catalog)
    assert before.keys() ^ after.keys() == {"sales.old", "sales.new"}
    planned = _undone(catalog, project, release)
    assert {str(step.view): step.action for step in planned.steps} == {
        "sales.old": Action.UNDROP,
        "sales.new": Action.DROP,
        "sales.users": Action.RESTORE,
        "sales.daily": Action.RESTORE,
    }
    order = [str(step.view) for step in planned.steps]
    assert order.index("sales.new") < order.index("sales.users") < order.index("sales.daily")
    assert {str(one) for step in planned.steps if str(step.view) == "sales.daily" for one in step.needs} == {
        "sales.users"
    }
    assert _said(catalog) == before
    assert plan(catalog, write_project(project, BEFORE)).steps == ()
    again = _undone(catalog, project, planned.release)
    assert _said(catalog) == after
    assert plan(catalog, write_project(project, AFTER)).steps == ()
    _undone(catalog, project, again.release)
    assert _said(catalog) == before
    _undone(catalog, project, first)
    assert _said(catalog) == {}


def test_an_earlier_release_is_undone_after_a_later_one_was(
    catalog: ViewCatalog, project: Path, applied: Callable[..., str]
) -> None:
    applied(BEFORE)
    before = _said(catalog)
    one = applied({**BEFORE, "sales.old": BEFORE["sales.old"].replace("'p'", "'q'")})
    two = applied({**BEFORE, "sales.old": BEFORE["sales.old"].replace("'p'", "'r'")})
    refused = plan_undo(catalog, project, one)
    assert refused.steps == ()
    assert [str(refusal) for refusal in refused.refusals] == [
        f"sales.old was changed since by the release {two} (columns). Leave it as it is with exclude=['sales.old']."
    ]
    with pytest.raises(RefusedPlanError):
        apply(catalog, refused)
    _undone(catalog, project, two)
    _undone(catalog, project, one)
    assert _said(catalog) == before
    listed = {one.id: one for one in releases(catalog, project)}
    assert len(listed) == 5
    assert listed[one].undone_by is not None
    assert listed[two].undone_by is not None
    assert dict(listed[two].views) == {"sales.old": "replace"} or dict(listed[two].views) == {"sales.old": "alter"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda catalog: catalog.alter_view("sales.users", set_properties={"a": "b"}), "properties"),
        (lambda catalog: catalog.alter_view("sales.users", sql={"hive": "SELECT 1L, 2L"}), "sql hive"),
        (lambda catalog: catalog.drop_view("sales.users"), "dropped since"),
        (
            lambda catalog: catalog.metastore.swap_row(
                hive_create_or_replace(catalog.load_view("sales.users").row, "SELECT 3L AS user_id, 4L AS clicks"),
                expected=None,
            ),
            "behind its metadata file",
        ),
    ],
)
def test_what_was_changed_since_refuses_the_whole_unless_it_is_excluded(
    catalog: ViewCatalog,
    project: Path,
    applied: Callable[..., str],
    change: Callable[[ViewCatalog], object],
    told: str,
) -> None:
    applied(BEFORE)
    release = applied({**BEFORE, **{name: AFTER[name] for name in ("sales.daily", "sales.users")}})
    change(catalog)
    refused = plan_undo(catalog, project, release)
    assert [one.view for one in refused.refusals] == ["sales.users"]
    assert told in str(refused.refusals[0])
    with pytest.raises(RefusedPlanError):
        apply(catalog, refused)
    allowed = plan_undo(catalog, project, release, exclude=["sales.users"], allow_breaking=["sales.users"])
    assert [str(step.view) for step in allowed.steps] == ["sales.daily"]
    assert apply(catalog, allowed).is_complete


def test_a_change_that_was_answered_or_undone_by_hand_does_not_count(
    catalog: ViewCatalog, project: Path, applied: Callable[..., str]
) -> None:
    applied(BEFORE)
    before = _said(catalog)
    release = applied({**BEFORE, "sales.old": BEFORE["sales.old"].replace("'p'", "'q'")})
    catalog.alter_view("sales.old", set_properties={"a": "b"})
    catalog.alter_view("sales.old", remove_properties=["a"])
    catalog.tag_view("sales.old", "t")
    _undone(catalog, project, release)
    assert _said(catalog) == before
    assert plan_undo(catalog, project, release).steps == ()


def test_a_created_view_that_others_read_is_dropped_only_if_they_may_break(
    catalog: ViewCatalog, project: Path, applied: Callable[..., str]
) -> None:
    release = applied(BEFORE)
    catalog.create_view("sales.outside", sql={"hive": "SELECT page FROM sales.old"}, schema=[("page", "string")])
    refused = plan_undo(catalog, project, release)
    assert [one.view for one in refused.refusals] == ["sales.outside"]
    _undone(catalog, project, release, allow_breaking=["sales.*"])
    assert [str(one) for one in catalog.list_views("sales")] == ["sales.outside"]


def test_partitions_come_back_with_a_view_that_was_dropped(
    catalog: ViewCatalog, project: Path, applied: Callable[..., str]
) -> None:
    applied({"sales.daily": BEFORE["sales.daily"]})
    catalog.partitions("sales.daily").add([{"ds": "2026-01-01"}])
    before = _said(catalog)
    release = applied({}, prune=True, allow_breaking=["sales.*"])
    _undone(catalog, project, release)
    assert _said(catalog) == before
    assert list(catalog.partitions("sales.daily").names()) == ["ds=2026-01-01"]


def test_a_release_of_which_versions_have_expired_is_refused_for_these(
    catalog: ViewCatalog, project: Path, applied: Callable[..., str]
) -> None:
    applied(BEFORE)
    release = applied({**BEFORE, "sales.old": AFTER["sales.new"].replace("VIEW new", "VIEW old"), **AFTER})
    for number in range(11):
        catalog.alter_view("sales.users", sql={"hive": f"SELECT {number}L, 2L"})
    refused = plan_undo(catalog, project, release)
    told = [str(one) for one in refused.refusals if one.view == "sales.users"]
    (known,) = told
    assert known.startswith("What the release did to sales.users is not known: the version has expired. Leave it")
    (record, _) = releases(catalog, project)
    assert record.unknown == 1


def test_a_copy_is_no_part_of_the_release_and_a_renamed_view_is(
    catalog: ViewCatalog, project: Path, applied: Callable[..., str]
) -> None:
    applied({"sales.old": BEFORE["sales.old"]})
    release = applied({"sales.old": BEFORE["sales.old"].replace("'p'", "'q'")})
    catalog.create_namespace("copies")
    assert not copy_views(catalog, catalog, "sales.*", names={"sales": "copies"}).failed
    catalog.register_view("sales.same", catalog.load_view("sales.old").metadata_location)
    catalog.rename_view("sales.same", "sales.zzz")
    assert [str(step.view) for step in plan_undo(catalog, project, release).steps] == ["sales.old"]
    catalog.drop_view("sales.zzz")
    catalog.rename_view("sales.old", "sales.older")
    planned = _undone(catalog, project, release)
    assert [str(step.view) for step in planned.steps] == ["sales.older"]
    assert catalog.load_view("sales.older").columns[0].comment == "p"
    assert catalog.load_view("copies.old").columns[0].comment == "q"
    with catalog_on(MemoryMetastore()) as other:
        copy_views(catalog, other, "sales.*")
        assert releases(other, "shop") == ()


def test_a_release_that_nobody_knows_is_not_found(catalog: ViewCatalog, project: Path, tmp_path: Path) -> None:
    write_project(project, {})
    with pytest.raises(NotFoundError, match="release '2-x' of the project shop"):
        plan_undo(catalog, project, "2-x")
    with pytest.raises(InvalidInputError, match=r"project\.toml"):
        plan_undo(catalog, tmp_path, "2-x")
    assert releases(catalog, project) == ()


def test_releases_are_shown_with_when_who_and_what(
    catalog: ViewCatalog, project: Path, applied: Callable[..., str]
) -> None:
    first = applied(BEFORE)
    undo = _undone(catalog, project, first)
    newest, oldest = releases(catalog, "shop")
    assert (newest.id, newest.release.undoes, oldest.undone_by) == (undo.release, first, undo.release)
    assert set(oldest.views.items()) == {(name, "create") for name in BEFORE}
    assert oldest.document()["steps"] == 3
    assert first in releases(catalog, "shop")._repr_html_()
