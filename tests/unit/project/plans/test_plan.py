"""A plan as values: its one line, and what a notebook shows of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.messages.remedy import Remedy
from hive_views.project.directory.file_error import FileError
from hive_views.project.plans.project_plan import Action, Breakage, Plan, Step
from hive_views.spec.identifiers import TableIdentifier
from tests.unit.project.planned_files import ProjectFiles, catalog_with_users

A, B, C = (TableIdentifier("web", name) for name in "abc")


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (Plan("r", "web"), "Nothing to do."),
        (Plan("r", "web", unchanged=(A, B)), "Nothing to do; 2 unchanged."),
        (Plan("r", "web", leftover=(A,)), "Nothing to do; 1 without a file."),
        (Plan("r", "web", errors=(FileError("f", None, None, "m"),)), "1 error in files."),
        (
            Plan(
                "r",
                "web",
                (Step(Action.DROP, C), Step(Action.REPLACE, A), Step(Action.CREATE, B)),
                breakages=(Breakage("web.x", (), ()),),
                leftover=(C,),
            ),
            "1 to create, 1 to replace, 1 to drop; 1 view would break.",
        ),
    ],
)
def test_one_line_says_what_would_be_done(plan: Plan, said: str) -> None:
    assert plan.summary() == said
    assert plan.has_changes == bool(plan.steps)


def test_a_notebook_shows_steps_with_their_diffs_and_obeys_nothing_in_them(tmp_path: Path) -> None:
    files = ProjectFiles(catalog_with_users(tmp_path), tmp_path / "project")
    files.view("base", "SELECT id FROM users")
    files.apply()
    files.view("base", "SELECT id, '<script>' AS t FROM users")
    files.view("wrong", "SELECT missing FROM users")
    made = files.plan()
    shown = Plan(**{**vars(made), "refusals": (Remedy.alike("why <b>not</b>"),)})._repr_html_()
    assert "Plan of the project web: 1 error in files; 1 to replace." in shown
    assert "web/base.sql" in shown
    assert "web/wrong.sql:3" in shown
    assert "<ins>+SELECT id, &#39;&lt;script&gt;&#39; AS t FROM users" in shown
    assert "why &lt;b&gt;not&lt;/b&gt;" in shown
    assert "<script>" not in shown
