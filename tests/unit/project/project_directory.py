"""A project in a directory of a test, and its plans carried out step by step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hive_views.project import apply
from hive_views.project.applying.release_mark import Release
from hive_views.project.applying.step_commit import StepCommits
from hive_views.project.planning.make_plan import plan
from hive_views.project.plans.project_plan import Plan
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.support.views.projects import write_project as written

NAME = "shop"
COLUMNS = "user_id BIGINT, clicks BIGINT, ds STRING"
SELECT = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
BETTER = "SELECT user_id, count(DISTINCT page) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"


def statement(name: str, text: str, columns: str = COLUMNS, rest: str = "", dialects: str = "") -> str:
    """The text of a file of a project."""
    return f"CREATE OR REPLACE VIEW {name} ({columns}) {rest} AS\n{text}\n{dialects}"


def write_project(directory: Path, files: Mapping[str, str], name: str = NAME) -> Path:
    """The directory as a project of exactly these files, by view."""
    return written(directory, files, name)


def carried_out(catalog: ViewCatalog, planned: Plan) -> list[View | None]:
    """Each step of a plan, committed."""
    assert planned.errors == ()
    release = Release(planned.release, planned.project, catalog.settings.clock_ms(), "me", planned.undoes)
    commits = StepCommits(catalog, release)
    return [commits.commit(step, number) for number, step in enumerate(planned.steps, 1)]


def planned_and_done(catalog: ViewCatalog, directory: Path, files: Mapping[str, str], *, prune: bool = False) -> Plan:
    """The plan for these files, carried out."""
    planned = plan(catalog, write_project(directory, files), prune=prune)
    carried_out(catalog, planned)
    return planned


def applied(catalog: ViewCatalog, planned: Plan) -> None:
    """A plan that can be applied as a whole, applied."""
    assert not planned.errors, planned.errors
    assert not planned.refusals, planned.refusals
    report = apply(catalog, planned)
    assert len(report.done) == len(planned.steps), report
