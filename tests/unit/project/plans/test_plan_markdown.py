"""A plan as a comment on a pull request: whatever texts contain, nothing leaves its block, and nobody is mentioned."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from hive_views.messages.remedy import Remedy
from hive_views.project.directory.file_error import FileError
from hive_views.project.plans.plan_markdown import MOST_CHARACTERS, as_markdown
from hive_views.project.plans.project_plan import Plan
from tests.unit.project.planned_files import ProjectFiles, catalog_with_users

HOSTILE = "````\n</details>\n@octo-org/team #12 GH-7 ~~~ <img src=x> | **b** https://github.com/o/r/issues/1"


@pytest.fixture
def files(tmp_path: Path) -> ProjectFiles:
    return ProjectFiles(catalog_with_users(tmp_path), tmp_path / "project")


def hostile(files: ProjectFiles) -> Plan:
    files.view("base", "SELECT id FROM users")
    files.apply()
    files.view("base", f"SELECT id, '{HOSTILE}' AS t FROM users", clauses=f"COMMENT '{HOSTILE}'")
    made = files.plan()
    assert made.steps
    error = FileError(f"web/{HOSTILE}.sql", 1, 1, HOSTILE, f"{HOSTILE}\n^")
    return replace(made, errors=(error,), refusals=(Remedy.alike(HOSTILE),), project=HOSTILE)


def test_texts_stay_within_their_blocks(files: ProjectFiles) -> None:
    tokens = MarkdownIt().parse(as_markdown(hostile(files)))
    fences = [one.content for one in tokens if one.type == "fence"]
    assert len(fences) == 2
    assert fences[0] == f"{HOSTILE}\n^\n"
    assert "+</details>\n" in fences[1]
    html = [one.content.strip() for one in tokens if one.type == "html_block"]
    assert html == ["<details><summary>replace <code>web.base</code></summary>", "</details>"]
    inline = [one for token in tokens for one in token.children or ()]
    assert {one.type for one in inline} <= {"text", "code_inline", "strong_open", "strong_close"}


def test_nobody_is_mentioned_and_no_issue_is_linked(files: ProjectFiles) -> None:
    tokens = MarkdownIt().parse(as_markdown(hostile(files)))
    inline = [one for token in tokens for one in token.children or ()]
    outside_of_code = " ".join(one.content for one in inline if one.type == "text")
    assert "octo-org" in outside_of_code
    assert not re.search(r"@\w|#\d|GH-\d|://", outside_of_code)


def test_a_long_plan_is_cut_and_says_so(files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    files.apply()
    files.view(
        "base", "SELECT id" + "".join(f"\n, 'a longer text {one}' AS c{one}" for one in range(60)) + " FROM users"
    )
    made = files.plan()
    text = as_markdown(replace(made, steps=made.steps * 60))
    assert MOST_CHARACTERS - 5_000 < len(text) <= MOST_CHARACTERS
    [said] = re.findall(r"\*\*(\d+) parts of this plan left out\*\*", text)
    assert int(said) + text.count("<details>") == 60
    assert text.count("<details>") == text.count("</details>")


def test_a_diff_that_is_too_long_alone_is_cut(files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    files.apply()
    files.view("base", "SELECT id" + "".join(f"\n, '{'x' * 90}' AS c{one}" for one in range(150)) + "\nFROM users")
    text = as_markdown(files.plan())
    assert len(text) < MOST_CHARACTERS
    assert re.search(r"\.\.\. and [\d,]+ more lines\n```\n", text)
