"""What a plan says of its consequences: views that break, types, partitions, stale texts, drift, contracts."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.errors import InvalidInputError
from hive_views.project.plans.project_plan import Action
from hive_views.project.plans.sentences import notes
from hive_views.views.catalog import ViewCatalog
from tests.unit.project.planned_files import ProjectFiles, catalog_with_users


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return catalog_with_users(tmp_path)


@pytest.fixture
def files(catalog: ViewCatalog, tmp_path: Path) -> ProjectFiles:
    return ProjectFiles(catalog, tmp_path / "project")


def outside(catalog: ViewCatalog, name: str, query: str, *columns: tuple[str, str]) -> None:
    """A view that is no part of the project."""
    catalog.create_view(f"web.{name}", sql={"hive": query}, schema=columns)


def test_a_view_outside_the_project_that_would_break_refuses_the_plan(
    catalog: ViewCatalog, files: ProjectFiles
) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.apply()
    outside(catalog, "near", "SELECT n FROM web.base", ("n", "bigint"))
    outside(catalog, "far", "SELECT n FROM web.near", ("n", "bigint"))
    files.view("base", "SELECT id FROM users")
    made = files.plan()
    assert [one.view for one in made.breakages] == ["web.far", "web.near"]
    assert all(list(map(str, one.causes)) == ["web.base"] for one in made.breakages)
    assert [one.view for one in made.refusals] == ["web.far", "web.near"]
    near = made.refusals[1]
    assert "allow_breaking=['web.near']" in str(near)
    assert "--allow-breaking web.near" in near.in_shell
    assert "allow_breaking" not in near.in_shell
    assert made.summary() == "1 to replace; 2 views would break."
    allowed = files.plan(allow_breaking=["web.*"])
    assert not allowed.refusals
    assert all(one.is_allowed for one in allowed.breakages)


def test_a_view_of_the_project_that_is_changed_along_does_not_break(files: ProjectFiles) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.view("top", "SELECT n FROM base")
    files.apply()
    files.view("base", "SELECT id FROM users")
    [broken] = files.plan().breakages
    assert (broken.view, [one.code for one in broken.findings]) == ("web.top", ["column-gone"])
    files.view("top", "SELECT id FROM base")
    made = files.plan()
    assert [str(one.view) for one in made.steps] == ["web.base", "web.top"]
    assert not made.breakages
    assert not made.refusals


def test_the_causes_of_a_breakage_are_the_steps_that_it_reads_and_no_others(
    catalog: ViewCatalog, files: ProjectFiles
) -> None:
    for name in ("base", "middle", "beside"):
        files.view(name, "SELECT id, n FROM base" if name == "middle" else "SELECT id, n FROM users")
    files.apply()
    outside(catalog, "near", "SELECT n FROM web.middle", ("n", "bigint"))
    for name in ("base", "middle", "beside"):
        files.view(name, "SELECT id FROM base" if name == "middle" else "SELECT id FROM users")
    [broken] = files.plan().breakages
    assert list(map(str, broken.causes)) == ["web.base", "web.middle"]


def test_a_view_that_is_broken_already_is_no_consequence(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.apply()
    outside(catalog, "near", "SELECT missing, n FROM web.base", ("missing", "int"), ("n", "bigint"))
    files.view("base", "SELECT id FROM users")
    assert not files.plan().breakages


def test_columns_and_types_that_change_are_said(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.apply()
    outside(catalog, "near", "SELECT id FROM web.base", ("id", "bigint"))
    files.view("base", "SELECT cast(id AS bigint) AS id, iso FROM users")
    made = files.plan()
    [step] = made.steps
    assert [(one.name, one.before, one.after) for one in step.columns] == [
        ("id", "int", "bigint"),
        ("n", "bigint", None),
        ("iso", None, "string"),
    ]
    assert made.impact is not None
    assert [(one.view, one.column, one.before, one.after) for one in made.impact.type_changes] == [
        ("web.near", "id", "int", "bigint")
    ]
    assert not made.refusals


def test_a_dialect_that_does_not_follow_is_stale(files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users DIALECT trino AS SELECT id FROM users")
    files.apply()
    files.view("base", "SELECT id + 1 AS id FROM users DIALECT trino AS SELECT id FROM users")
    [step] = files.plan().steps
    assert step.stale == ("trino",)


PARTITIONED = "(id, iso)"


def test_declared_partitions_whose_meaning_changes_are_counted(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("days", "SELECT id, iso FROM users", columns=PARTITIONED, clauses="PARTITIONED ON (iso)")
    files.view("other", "SELECT id, iso FROM users", columns=PARTITIONED, clauses="PARTITIONED ON (iso)")
    files.apply()
    for name in ("days", "other"):
        catalog.partitions(f"web.{name}").add([{"iso": "x"}, {"iso": "y"}])
    files.view("days", "SELECT n AS id, iso FROM users", columns=PARTITIONED, clauses="PARTITIONED ON (iso)")
    files.view("other", "SELECT id, iso FROM users", columns=PARTITIONED, clauses="COMMENT 'c' PARTITIONED ON (iso)")
    made = files.plan()
    assert {str(one.view): (one.action, one.published) for one in made.steps} == {
        "web.days": (Action.REPLACE, 2),
        "web.other": (Action.ALTER, 0),
    }
    (files.directory / "web/other.sql").unlink()
    made = files.plan(prune=True)
    assert {str(one.view): (one.action, one.published) for one in made.steps} == {
        "web.days": (Action.REPLACE, 2),
        "web.other": (Action.DROP, 2),
    }


def test_partition_columns_that_would_orphan_partitions_are_an_error_of_the_file(
    catalog: ViewCatalog, files: ProjectFiles
) -> None:
    files.view("days", "SELECT id, iso FROM users", columns=PARTITIONED, clauses="PARTITIONED ON (iso)")
    files.apply()
    catalog.partitions("web.days").add([{"iso": "x"}])
    files.view("days", "SELECT id, iso FROM users", columns=PARTITIONED)
    made = files.plan()
    [error] = made.errors
    assert error.file == "web/days.sql"
    assert "has 1 partition" in error.message
    assert not made.steps


def test_what_somebody_else_has_changed_refuses_the_plan_until_it_is_to_be_overwritten(
    catalog: ViewCatalog, files: ProjectFiles
) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.apply()
    catalog.replace_view("web.base", sql={"hive": "SELECT n FROM web.users"}, schema=[("n", "bigint")])
    made = files.plan()
    [step], [refusal] = made.steps, made.refusals
    assert step.drift is not None
    assert "was changed by hive_views at " in str(refusal)
    assert str(refusal).endswith("or pass overwrite=['web.base'].")
    assert refusal.in_shell.endswith("or use --overwrite web.base.")
    assert not files.plan(overwrite=["web.b*"]).refusals


def test_a_view_of_another_project_refuses_the_plan(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.apply()
    files.write("project.toml", 'name = "other"\n')
    files.view("base", "SELECT id FROM users")
    [refusal] = files.plan().refusals
    assert str(refusal).startswith("web.base belongs to the project web.")
    assert "--overwrite web.base" in refusal.in_shell
    assert not files.plan(overwrite=["web.base"]).refusals


def test_a_view_that_is_dropped_and_read_by_another_refuses_the_plan(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.view("stays", "SELECT id, n FROM users")
    files.apply()
    outside(catalog, "near", "SELECT n FROM web.base", ("n", "bigint"))
    (files.directory / "web/base.sql").unlink()
    assert not files.plan().steps
    made = files.plan(prune=True)
    [broken] = made.breakages
    assert [one.code for one in broken.findings] == ["source-gone"]
    assert list(map(str, broken.causes)) == ["web.base"]
    assert [one.view for one in made.refusals] == ["web.near"]


@pytest.mark.parametrize(
    ("contract", "problem"),
    [
        ("id int", None),
        ("N BIGINT, `id` integer", None),
        ("", "cannot be read"),
        ("id", "cannot be read"),
        ("id int, n money", "cannot be read"),
        ("id int); DROP TABLE web.users; ALTER TABLE a REPLACE COLUMNS (n int", "cannot be read"),
        ("id int -- a comment", None),
        ("ID int, missing string", "promises a column missing, which it would not have"),
        ("id int, m bigint", "promises a column m, which it would not have. Keep"),
        ("idd int", "which it would not have (it would have id)"),
        ("id bigint", "promises id as bigint, and it would be int"),
    ],
)
def test_a_contract_that_would_be_broken_is_an_error_of_the_file(
    files: ProjectFiles, contract: str, problem: str | None
) -> None:
    files.view("base", "SELECT id, n FROM users", clauses=f"TBLPROPERTIES ('contract' = '{contract}')")
    made = files.plan()
    if problem is None:
        assert made.errors == ()
        return
    [error] = made.errors
    assert problem in error.message
    assert (error.file, error.line, error.column) == ("web/base.sql", 2, 16)
    assert error.excerpt is not None
    assert error.excerpt.splitlines()[1].index("^") == 15


def test_a_contract_is_kept_by_columns_that_are_nested_and_in_another_order(files: ProjectFiles) -> None:
    contract = "tags array<struct<a:int, b:decimal(10,2)>>, id int"
    files.view("base", "SELECT id, tags, n FROM users", clauses=f"TBLPROPERTIES ('contract' = '{contract}')")
    made = files.plan()
    assert made.errors == ()
    assert len(made.steps) == 1


def test_a_pattern_without_two_parts_is_refused(files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    for option in ("allow_breaking", "overwrite"):
        with pytest.raises(InvalidInputError):
            files.plan(**{option: ["base"]})


def test_a_second_plan_says_nothing_and_looks_at_no_other_view(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    files.apply()
    made = files.plan()
    assert (made.steps, made.impact, made.refusals) == ((), None, ())
    assert made.summary() == "Nothing to do; 1 unchanged."


def test_a_text_in_another_dialect_of_a_changed_view_breaks_by_what_is_dropped_after_it(files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    files.view("top", "SELECT id FROM base DIALECT trino AS SELECT id FROM base")
    files.apply()
    (files.directory / "web/base.sql").unlink()
    files.view("top", "SELECT id FROM users DIALECT trino AS SELECT id + 0 AS id FROM base")
    made = files.plan(prune=True)
    assert [(one.action, str(one.view)) for one in made.steps] == [
        (Action.REPLACE, "web.top"),
        (Action.DROP, "web.base"),
    ]
    [broken] = made.breakages
    assert broken.view == "web.top"
    assert [(one.code, one.details["dialect"]) for one in broken.findings] == [("source-gone", "trino")]
    assert list(map(str, broken.causes)) == ["web.base"]


def test_of_a_view_that_no_release_has_written_the_plan_says_who_changed_it_last(
    catalog: ViewCatalog, files: ProjectFiles
) -> None:
    catalog.create_view("web.older", sql={"hive": "SELECT id FROM users"})
    files.view("older", "SELECT id FROM users WHERE id > 1")
    (step,) = files.plan().steps
    assert step.taken_over is not None
    assert step.taken_over.by == "hive_views"
    assert any("No release of the project has written it yet" in note for note in notes(step))
    files.apply()
    files.view("older", "SELECT id FROM users WHERE id > 2")
    (step,) = files.plan().steps
    assert step.taken_over is None
