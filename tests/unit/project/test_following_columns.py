"""Views whose files are as they were, and whose columns are others, since those of a view that they read are."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.project import Plan
from hive_views.project.applying.release_mark import Release
from hive_views.project.applying.step_commit import StepCommits
from hive_views.views.catalog import ViewCatalog
from tests.support.views.projects import clicks_table, content_of, plan_files
from tests.support.views.quick_catalog import catalog_on
from tests.unit.project.project_directory import applied

BEFORE = "SELECT id, page FROM web.clicks"
AFTER = "SELECT CAST(id AS STRING) AS id, page, ds FROM web.clicks"
READERS = {
    "web.b": "SELECT id, page FROM a",
    "web.c": "SELECT * FROM b",
    "web.d": "SELECT length(page) AS n FROM b",
    "web.star": "SELECT * FROM a",
}


@pytest.fixture
def catalog() -> ViewCatalog:
    return _catalog()


def _catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    catalog.create_namespace("web")
    clicks_table(catalog.metastore)
    return catalog


def _commit_first_step(catalog: ViewCatalog, plan: Plan) -> None:
    """As an apply that is killed after it."""
    StepCommits(catalog, Release(plan.release, plan.project, 1, "ada")).commit(plan.steps[0], 1)


@pytest.mark.parametrize("is_killed", [False, True], ids=["whole", "killed after the first step"])
def test_what_reads_a_changed_view_is_what_the_same_files_make_of_an_empty_metastore(
    catalog: ViewCatalog, tmp_path: Path, is_killed: bool
) -> None:
    applied(catalog, plan_files(catalog, tmp_path, {"web.a": BEFORE, **READERS}))
    files = {"web.a": AFTER, **READERS}
    made = plan_files(catalog, tmp_path, files, allow_breaking=["*.*"])
    if is_killed:
        _commit_first_step(catalog, made)
        made = plan_files(catalog, tmp_path, files, allow_breaking=["*.*"])
    applied(catalog, made)
    fresh = _catalog()
    applied(fresh, plan_files(fresh, tmp_path, files))
    assert content_of(catalog) == content_of(fresh)
    assert plan_files(catalog, tmp_path, files).steps == ()
