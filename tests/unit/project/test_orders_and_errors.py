"""In which order views are made, and what becomes of the others when one of them cannot be made."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.project import Action, Plan
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.views.projects import clicks_table, content_of, plan_files
from tests.support.views.quick_catalog import catalog_on
from tests.unit.project.project_directory import applied

CLICKS = "SELECT id, page, ds FROM web.clicks"


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    for namespace in ("web", "other"):
        catalog.create_namespace(namespace)
    clicks_table(catalog.metastore)
    return catalog


def _steps(plan: Plan) -> list[str]:
    return [f"{step.action.value} {step.view}" for step in plan.steps]


def _places(plan: Plan) -> list[tuple[str, int | None]]:
    return [(error.file, error.line) for error in plan.errors]


@pytest.mark.parametrize(
    ("files", "order"),
    [
        pytest.param({"web.a": "SELECT id FROM z", "web.z": CLICKS}, "z a", id="direct"),
        pytest.param(
            {**{f"web.v{n:02}": f"SELECT id, page, ds FROM v{n + 1:02}" for n in range(40)}, "web.v40": CLICKS},
            " ".join(f"v{n:02}" for n in reversed(range(41))),
            id="deep",
        ),
        pytest.param(
            {
                "web.a": "SELECT b.id FROM b JOIN c ON b.id = c.id",
                "web.b": "SELECT * FROM d",
                "web.c": "SELECT * FROM d",
                "web.d": CLICKS,
            },
            "d (b c|c b) a",
            id="diamond",
        ),
        pytest.param({"other.a": "SELECT id FROM web.z", "web.z": CLICKS}, "z a", id="another database"),
        pytest.param({"web.a": "SELECT id FROM WEB.`Z`", "web.z": CLICKS}, "z a", id="another case"),
        pytest.param(
            {"web.a": "SELECT id FROM web.clicks WHERE id IN (SELECT id FROM z)", "web.z": CLICKS},
            "z a",
            id="in a subquery",
        ),
        pytest.param(
            {
                "web.a": f"CREATE OR REPLACE VIEW a AS\n{CLICKS}\nDIALECT trino AS\nSELECT id, page, ds FROM web.z\n",
                "web.z": CLICKS,
            },
            "z a",
            id="in one dialect only",
        ),
        pytest.param(
            {"web.a": "WITH z AS (SELECT id FROM web.clicks) SELECT id FROM z", "web.z": "SELECT id FROM a"},
            "a z",
            id="a name of WITH is no view",
        ),
        pytest.param(
            {"other.a": "USE web;\nCREATE OR REPLACE VIEW other.a AS\nSELECT id FROM z\n", "web.z": CLICKS},
            "z a",
            id="names resolve in the database of USE",
        ),
    ],
)
def test_views_are_made_after_those_that_they_read(
    catalog: ViewCatalog, tmp_path: Path, files: dict[str, str], order: str
) -> None:
    made = plan_files(catalog, tmp_path, files)
    assert made.errors == ()
    assert re.fullmatch(order, " ".join(step.view.name for step in made.steps))
    applied(catalog, made)
    assert content_of(catalog).keys() == files.keys()
    assert plan_files(catalog, tmp_path, files).steps == ()


def test_a_view_that_cannot_be_read_is_the_only_one_that_is_wrong(catalog: ViewCatalog, tmp_path: Path) -> None:
    files = {
        "web.a": "SELECT id FROM bad",
        "web.aa": "SELECT id FROM a",
        "web.bad": "SELECT id,, page FROM web.clicks",
        "web.good": CLICKS,
    }
    made = plan_files(catalog, tmp_path, files)
    assert _places(made) == [("web/bad.sql", 2)]
    assert _steps(made) == ["create web.good"]


@pytest.mark.parametrize("text", ["SELECT nothing FROM web.clicks", "SELECT id FROM web.nothing"])
def test_an_unknown_name_has_its_place_and_no_consequences(catalog: ViewCatalog, tmp_path: Path, text: str) -> None:
    made = plan_files(catalog, tmp_path, {"web.a": "SELECT * FROM bad", "web.bad": text, "web.good": CLICKS})
    assert _places(made) == [("web/bad.sql", 2)]
    assert "nothing" in made.errors[0].message
    assert _steps(made) == ["create web.good"]


def test_each_view_of_a_circle_says_the_way_and_those_outside_are_made(catalog: ViewCatalog, tmp_path: Path) -> None:
    files = {
        "web.a": "SELECT id FROM b",
        "web.b": "SELECT id FROM c",
        "web.c": "SELECT id FROM a",
        "web.itself": "SELECT id FROM itself",
        "web.reader": "SELECT id FROM a",
        "web.good": CLICKS,
    }
    made = plan_files(catalog, tmp_path, files)
    assert [one.file for one in made.errors] == ["web/a.sql", "web/b.sql", "web/c.sql", "web/itself.sql"]
    assert "web.a -> web.b -> web.c -> web.a" in made.errors[0].message
    assert _steps(made) == ["create web.good"]


def test_a_circle_through_a_view_outside_of_the_project_is_one(catalog: ViewCatalog, tmp_path: Path) -> None:
    catalog.create_view("web.a", sql={"hive": CLICKS})
    catalog.create_view("other.outside", sql={"hive": "SELECT id FROM web.a"})
    made = plan_files(catalog, tmp_path, {"web.a": "SELECT id FROM other.outside"})
    assert [one.file for one in made.errors] == ["web/a.sql"]
    assert "web.a -> other.outside -> web.a" in made.errors[0].message
    assert made.steps == ()


def test_two_views_that_change_places_are_no_circle(catalog: ViewCatalog, tmp_path: Path) -> None:
    files = {"web.a": "SELECT id, page, ds FROM b", "web.b": CLICKS}
    applied(catalog, plan_files(catalog, tmp_path, files))
    files = {"web.a": CLICKS, "web.b": "SELECT id, page, ds FROM a"}
    made = plan_files(catalog, tmp_path, files)
    assert (made.errors, _steps(made)) == ((), ["replace web.a", "replace web.b"])
    applied(catalog, made)
    assert content_of(catalog)["web.b"].texts == {"hive": files["web.b"]}
    assert plan_files(catalog, tmp_path, files).steps == ()


@pytest.mark.parametrize("what", ["a table", "a plain view"])
def test_what_is_no_managed_view_is_never_replaced(catalog: ViewCatalog, tmp_path: Path, what: str) -> None:
    name, columns = TableIdentifier("web", "taken"), (Column("id", "int"),)
    row = Row(name, "MANAGED_TABLE", columns=columns)
    if what == "a plain view":
        row = Row(name, VIRTUAL_VIEW, columns=columns, original_text="SELECT 1 AS id", expanded_text="SELECT 1 AS `id`")
    catalog.metastore.create_row(row)
    before = catalog.metastore.load_row(name)
    files = {"web.reader": "SELECT id FROM taken", "web.taken": CLICKS, "web.good": CLICKS}
    made = plan_files(catalog, tmp_path, files, overwrite=["*.*"])
    assert [one.file for one in made.errors] == ["web/taken.sql"]
    assert _steps(made) == ["create web.good"]
    assert catalog.metastore.load_row(name) == before


def test_a_missing_database_is_said_once_and_is_no_reason_against_others(catalog: ViewCatalog, tmp_path: Path) -> None:
    files = {"missing.a": CLICKS, "missing.b": "SELECT id FROM a", "web.good": CLICKS}
    made = plan_files(catalog, tmp_path, files)
    assert made.errors
    assert {one.file for one in made.errors} <= {"missing/a.sql", "missing/b.sql"}
    assert all("missing" in one.message for one in made.errors)
    assert _steps(made) == ["create web.good"]


def test_views_are_dropped_before_those_that_they_read_and_after_what_reads_them_no_more(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    files = {
        "web.a": CLICKS,
        "web.b": "SELECT id FROM a",
        "web.c": "SELECT id FROM b",
        "web.stays": "SELECT id FROM c",
    }
    applied(catalog, plan_files(catalog, tmp_path, files))
    without = {"web.stays": "SELECT id FROM web.clicks"}
    assert _steps(plan_files(catalog, tmp_path, without)) == ["replace web.stays"]
    made = plan_files(catalog, tmp_path, without, prune=True)
    assert _steps(made) == ["replace web.stays", "drop web.c", "drop web.b", "drop web.a"]
    assert [[str(name) for name in step.needs] for step in made.steps[1:]] == [["web.stays"], ["web.c"], ["web.b"]]
    applied(catalog, made)
    assert content_of(catalog).keys() == {"web.stays"}


def test_what_the_project_did_not_create_is_never_dropped(catalog: ViewCatalog, tmp_path: Path) -> None:
    catalog.create_view("web.theirs", sql={"hive": CLICKS})
    applied(catalog, plan_files(catalog, tmp_path, {"web.ours": CLICKS, "web.theirs": f"{CLICKS} LIMIT 1"}))
    made = plan_files(catalog, tmp_path, {}, prune=True)
    assert _steps(made) == ["drop web.ours"]
    assert made.steps[0].action is Action.DROP
