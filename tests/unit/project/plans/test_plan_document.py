"""Plans as JSON: nothing is lost, and what is damaged, edited or of another version is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import InvalidInputError
from hive_views.project.plans.plan_document import from_document, read_plan, to_document, write_plan
from hive_views.project.plans.project_plan import Plan
from hive_views.sql.query import QueryText
from tests.unit.project.planned_files import ProjectFiles, catalog_with_users


@pytest.fixture
def made(tmp_path: Path) -> Plan:
    """A plan with a step, a drift, a breakage, refusals and an error."""
    catalog = catalog_with_users(tmp_path)
    files = ProjectFiles(catalog, tmp_path / "project")
    query = "SELECT id, n, 'é\u2028' AS t  -- comment\nFROM users"
    files.view("base", f"{query} DIALECT trino AS {query}", columns="(id COMMENT 'x', n, t)")
    files.apply()
    catalog.create_view("web.near", sql={"hive": "SELECT n FROM web.base"}, schema=[("n", "bigint")])
    catalog.alter_view("web.base", set_properties={"a": "b"})
    files.view("base", query.replace(" n,", ""), columns="(id BIGINT COMMENT 'x', t)", clauses="COMMENT 'c'")
    files.view("wrong", "SELECT missing FROM users")
    return files.plan()


def test_nothing_is_lost(made: Plan, tmp_path: Path) -> None:
    assert made.steps[0].drift
    assert made.breakages
    assert len(made.refusals) == 2
    assert made.errors
    write_plan(made, tmp_path / "plan.json")
    read = read_plan(tmp_path / "plan.json")
    assert read == made
    assert [(str(one), one.in_shell) for one in read.refusals] == [(str(one), one.in_shell) for one in made.refusals]
    [step] = read.steps
    assert step.definition is not None
    text = step.definition.texts["hive"]
    assert isinstance(text, QueryText)
    assert text.dialect == "hive"
    assert str(step.differences) == str(made.steps[0].differences)


def test_the_format_version_is_named(made: Plan) -> None:
    assert next(iter(to_document(made).items())) == ("format-version", 1)


def test_what_is_translated_has_another_version_and_is_in_no_other_plan(tmp_path: Path, made: Plan) -> None:
    [step] = to_document(made)["steps"]
    assert "translated" not in step
    assert "translations" not in step["definition"]
    files = ProjectFiles(catalog_with_users(tmp_path), tmp_path / "other")
    files.view("v", "SELECT id FROM users\nDIALECT trino TRANSLATED FROM hive ALLOW 'null-order'")
    files.view("w", "SELECT n FROM users")
    translating = files.plan()
    document = to_document(translating)
    assert document["format-version"] == 2
    first, second = document["steps"]
    said = {"dialect": "trino", "source": "hive", "allow": ["null-order"]}
    assert first["definition"]["translations"] == {"trino": said}
    assert " ".join(first["translated"]["trino"].split()) == 'SELECT "users"."id" AS "id" FROM "users"'
    assert "translated" not in second
    write_plan(translating, tmp_path / "plan.json")
    read = read_plan(tmp_path / "plan.json")
    assert read == translating
    assert read.steps[0].definition == translating.steps[0].definition


def other_version(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "format-version": 3}


def edited(document: dict[str, Any]) -> dict[str, Any]:
    document["steps"][0]["definition"]["texts"]["hive"] = "SELECT 1"
    return document


def with_another_key(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "more": 1}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (other_version, "it has the format version 3, and this hive_views reads versions 1 and 2"),
        (edited, "it was changed since it was written, or is damaged"),
        (with_another_key, "it was changed since it was written, or is damaged"),
        (lambda _: [], "it is not the JSON of a plan"),
        (lambda _: {"version": 1}, "it is not the JSON of a plan"),
        (lambda _: None, "it is not the JSON of a plan"),
    ],
)
def test_what_is_no_plan_any_more_is_refused(made: Plan, change: Any, problem: str) -> None:
    document = change(json.loads(json.dumps(to_document(made))))
    with pytest.raises(InvalidInputError) as caught:
        from_document(document)
    assert problem in caught.value.message
    assert "`hive-views plan DIR -o FILE`" in caught.value.shell_message
    assert "hive_views.project.write_plan" in str(caught.value)


def test_a_file_that_ends_early_is_refused_by_its_name(made: Plan, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    write_plan(made, file)
    file.write_text(file.read_text()[:-100])
    with pytest.raises(InvalidInputError, match=r"plan.json: Cannot read a plan: it is not JSON"):
        read_plan(file)
    with pytest.raises(InvalidInputError, match="Cannot read the plan"):
        read_plan(tmp_path / "missing.json")
