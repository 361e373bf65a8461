"""Files whose views have texts that are translated from another one: planned, applied, exported and undone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.engines.engine_protocol import EngineColumn, QueryRefusedError
from hive_views.errors import OutdatedPlanError
from hive_views.project import export, plan_undo
from hive_views.project.directory.project_files import read_project
from hive_views.project.plans.plan_document import from_document, to_document
from hive_views.project.plans.plan_markdown import as_markdown
from hive_views.project.plans.project_plan import Action, Plan
from hive_views.project.validating.validate_project import validate_project
from hive_views.project.validating.validation import Validation, Verdict
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from tests.unit.project.planned_files import ProjectFiles, catalog_with_users
from tests.unit.project.project_directory import applied, carried_out

TRANSLATED = "\nDIALECT trino TRANSLATED FROM hive"
QUERY = "SELECT id, n + 1 AS n\nFROM users"


@pytest.fixture
def files(tmp_path: Path) -> ProjectFiles:
    return ProjectFiles(catalog_with_users(tmp_path), tmp_path / "project")


def done(files: ProjectFiles) -> Plan:
    """The plan for the files, applied as its document says; nothing is left to do."""
    planned = from_document(to_document(files.plan()))
    applied(files.catalog, planned)
    again = files.plan()
    assert (again.steps, again.errors) == ((), ())
    return planned


def trino(files: ProjectFiles, name: str = "v") -> str:
    return " ".join(files.catalog.load_view(f"web.{name}").original_sql("trino").split())


def change_type_of_users(files: ProjectFiles, name: str, type_: str) -> None:
    metastore = files.catalog.metastore
    row = metastore.load_row(TableIdentifier("web", "users"))
    columns = tuple(replace(one, type=type_) if one.name == name else one for one in row.columns)
    metastore.swap_row(replace(row, columns=columns), expected=None)


def test_a_file_says_from_what_a_text_is_translated(files: ProjectFiles) -> None:
    files.view("v", QUERY + TRANSLATED)
    created = done(files)
    assert trino(files) == 'SELECT "users"."id" AS "id", "users"."n" + 1 AS "n" FROM "users"'
    assert files.catalog.load_view("web.v").translations["trino"].source == "hive"
    files.view("v", QUERY.replace("1", "2") + TRANSLATED)
    [step] = files.plan().steps
    assert [one.heading for one in step.differences] == ["sql hive", "sql trino"]
    assert step.stale == ()
    assert '+  "users"."n" + 2 AS "n"' in as_markdown(files.plan()).splitlines()
    done(files)
    assert '"n" + 2' in trino(files)
    assert [step.action for step in created.steps] == [Action.CREATE]


def test_what_is_refused_is_an_error_at_its_place_in_the_file(files: ProjectFiles) -> None:
    query = "-- é\nSELECT my_udf(id) AS a,\n  other_udf(n) AS b\nFROM users"
    files.view("v", query + TRANSLATED, columns="(a BIGINT, b BIGINT)")
    planned = files.plan()
    assert planned.steps == ()
    said = [(one.place, one.message.partition(": it is")[0]) for one in planned.errors]
    assert said == [
        ("web/v.sql:4:8", "Cannot translate the hive SQL to trino: my_udf(id)"),
        ("web/v.sql:5:3", "Cannot translate the hive SQL to trino: other_udf(n)"),
    ]
    assert {one.message[-6:] for one in planned.errors} == {" [udf]"}
    assert planned.errors[1].excerpt == "  other_udf(n) AS b\n  ^"


def test_differences_are_allowed_by_their_codes(files: ProjectFiles) -> None:
    files.view("v", "SELECT id FROM users ORDER BY id LIMIT 1" + TRANSLATED)
    [error] = files.plan().errors
    assert error.message.endswith("[null-order]")
    files.view("v", f"SELECT id FROM users ORDER BY id LIMIT 1{TRANSLATED} ALLOW 'nul-order'")
    [error] = files.plan().errors
    assert (error.place, error.message) == (
        "web/v.sql:1:1",
        "No difference has the code 'nul-order'. Did you mean 'null-order'?",
    )
    files.view("v", f"SELECT id FROM users ORDER BY id LIMIT 1{TRANSLATED} ALLOW 'null-order'")
    done(files)
    assert files.catalog.load_view("web.v").translations["trino"].allow == ("null-order",)
    files.view("v", f"SELECT id FROM users{TRANSLATED} ALLOW 'null-order'")
    done(files)
    files.view("v", f"SELECT id FROM users{TRANSLATED}")
    [step] = files.plan().steps
    assert [one.heading for one in step.differences] == ["translations"]
    done(files)
    assert files.catalog.load_view("web.v").translations["trino"].allow == ()


def test_a_text_of_which_something_else_would_come_now_is_a_step(files: ProjectFiles) -> None:
    files.view("v", QUERY + TRANSLATED, columns="(id, n BIGINT)")
    done(files)
    change_type_of_users(files, "n", "int")
    planned = files.plan()
    assert [(step.action, [one.heading for one in step.differences]) for step in planned.steps] == [
        (Action.ALTER, ["sql trino"])
    ]
    change_type_of_users(files, "n", "bigint")
    with pytest.raises(OutdatedPlanError, match=r"The trino SQL of web\.v would be another translation"):
        carried_out(files.catalog, planned)
    assert files.plan().steps == ()
    change_type_of_users(files, "n", "int")
    done(files)
    assert trino(files) == 'SELECT "users"."id" AS "id", CAST("users"."n" + 1 AS bigint) AS "n" FROM "users"'
    change_type_of_users(files, "n", "array<int>")
    assert [one.place for one in files.plan().errors][:1] == ["web/v.sql:3:12"]


def test_a_text_follows_the_columns_of_a_view_that_the_same_plan_changes(files: ProjectFiles) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.view("v", "SELECT id, n + 1 AS n\nFROM base" + TRANSLATED, columns="(id, n BIGINT)")
    done(files)
    files.view("base", "SELECT id, CAST(n AS INT) AS n FROM users")
    planned = done(files)
    assert [(step.action, step.view.name) for step in planned.steps] == [
        (Action.REPLACE, "base"),
        (Action.REPLACE, "v"),
    ]
    assert 'CAST("base"."n" + 1 AS bigint)' in trino(files)
    files.view("base", "SELECT id, iso AS n FROM users")
    change = files.plan(allow_breaking=["*.*"])
    assert change.errors == () or all(one.file == "web/v.sql" for one in change.errors)
    files.view("base", "SELECT id, array(n) AS n FROM users")
    assert {one.file for one in files.plan().errors} == {"web/v.sql"}


def test_a_text_that_somebody_else_has_changed_becomes_the_translation_again(files: ProjectFiles) -> None:
    files.view("v", QUERY + TRANSLATED)
    done(files)
    files.catalog.alter_view("web.v", sql={"trino": "SELECT id, n FROM users"})
    [step] = files.plan().steps
    assert step.drift is not None
    applied(files.catalog, files.plan(overwrite=["web.v"]))
    assert '"n" + 1' in trino(files)
    assert files.catalog.load_view("web.v").stale_dialects == ()
    assert files.plan().steps == ()


def test_a_text_by_hand_is_another_one_than_the_same_text_translated(files: ProjectFiles) -> None:
    files.view("v", QUERY + TRANSLATED)
    first = done(files)
    text = files.catalog.load_view("web.v").original_sql("trino")
    files.view("v", f"{QUERY}\nDIALECT trino AS {text}")
    second = done(files)
    view = files.catalog.load_view("web.v")
    assert (view.translations, view.original_sql("trino")) == ({}, text)
    files.view("v", QUERY.replace("1", "2") + f"\nDIALECT trino AS {text}")
    [step] = files.plan().steps
    assert step.stale == ("trino",)
    undo = plan_undo(files.catalog, files.directory, second.release)
    assert [[one.heading for one in step.differences] for step in undo.steps] == [["translations"]]
    applied(files.catalog, from_document(to_document(undo)))
    record = files.catalog.load_view("web.v").translations["trino"]
    assert (record.source, record.allow) == ("hive", ())
    assert first.release != second.release


def test_an_undo_restores_the_text_and_from_what_it_was_translated(files: ProjectFiles) -> None:
    files.view("v", QUERY + TRANSLATED)
    done(files)
    before = files.catalog.load_view("web.v")
    files.view("v", QUERY.replace("1", "2"))
    changed = done(files)
    assert files.catalog.load_view("web.v").dialects == ("hive",)
    applied(files.catalog, plan_undo(files.catalog, files.directory, changed.release))
    after = files.catalog.load_view("web.v")
    assert (after.original_sql("trino"), after.translations) == (before.original_sql("trino"), before.translations)
    files.view("v", QUERY + TRANSLATED)
    assert files.plan().steps == ()


def test_a_translated_text_is_exported_as_such_and_read_back(files: ProjectFiles, tmp_path: Path) -> None:
    text = """CREATE OR REPLACE VIEW v (
  id,
  n COMMENT 'x'
)
AS
SELECT id, n
FROM users ORDER BY id LIMIT 1
DIALECT spark TRANSLATED FROM hive ALLOW 'null-order'
DIALECT trino TRANSLATED FROM hive ALLOW 'null-order';
"""
    files.write("web/v.sql", text)
    done(files)
    export(files.catalog, tmp_path / "other")
    assert (tmp_path / "other/web/v.sql").read_text() == text
    assert [one.state.value for one in export(files.catalog, tmp_path / "other")] == ["unchanged"]
    # One that is stale too: nothing then takes it for one that is true.
    files.catalog.alter_view("web.v", sql={"hive": "SELECT my_udf(id) AS id, n FROM users"})
    assert set(files.catalog.load_view("web.v").stale_dialects) == {"spark", "trino"}
    export(files.catalog, tmp_path / "third")
    assert "DIALECT trino TRANSLATED FROM hive ALLOW" in (tmp_path / "third/web/v.sql").read_text()
    assert [one.file for one in ProjectFiles(files.catalog, tmp_path / "third").plan().errors] == ["web/v.sql"]


def test_hive_sql_can_be_the_translated_one(files: ProjectFiles) -> None:
    def write(query: str) -> None:
        files.write("web/v.sql", f"CREATE VIEW v DIALECT hive TRANSLATED FROM spark DIALECT spark AS {query}")

    write("SELECT id, n FROM users WHERE id = (SELECT max(id) FROM users)")
    [error] = files.plan().errors
    assert error.place == "web/v.sql:1:110"
    files.write(
        "web/v.sql", "CREATE VIEW v DIALECT hive TRANSLATED FROM spark DIALECT spark AS SELECT id, n FROM users"
    )
    done(files)
    assert files.catalog.load_view("web.v").row.original_text == "SELECT id, n FROM users"
    files.write(
        "web/v.sql", "CREATE VIEW v DIALECT hive TRANSLATED FROM spark DIALECT spark AS SELECT id, 1 AS n FROM users"
    )
    assert [step.action for step in done(files).steps] == [Action.REPLACE]
    assert files.catalog.load_view("web.v").row.original_text == "SELECT id, 1 AS n FROM users"


class TrinoThatRefuses:
    """Analyzes nothing, and keeps what it was asked."""

    name, dialect, dialects, catalogs = "Trino", "trino", ("trino",), ("hive",)
    reads_translated = takes_with_in_subqueries = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def version(self) -> str | None:
        return None

    def columns(self, query: QueryText) -> tuple[EngineColumn, ...]:
        self.asked.append(str(query))
        if "refused" in query:
            raise QueryRefusedError("no", 1, 8)
        return EngineColumn("id", "int"), EngineColumn("n", "bigint")


def validated(files: ProjectFiles) -> tuple[Validation, list[str]]:
    engine = TrinoThatRefuses()
    project, errors = read_project(files.directory)
    return validate_project(files.catalog, project, errors, engine), engine.asked  # type: ignore[arg-type]


def test_an_engine_validates_what_comes_of_a_translation(files: ProjectFiles) -> None:
    files.view("v", QUERY + TRANSLATED)
    for _ in range(2):
        found, [asked] = validated(files)
        assert [(one.dialect, one.verdict) for one in found.texts] == [("trino", Verdict.VALID)]
        assert " ".join(asked.split()).startswith('SELECT "users"."id" AS "id", "users"."n" + 1 AS "n" FROM ')
        files.apply()
    files.view("v", "SELECT id AS refused, n FROM users" + TRANSLATED)
    [text] = validated(files)[0].texts
    assert (text.verdict, text.message, text.line) == (Verdict.INVALID, "no", None)
    files.view("v", "SELECT my_udf(id) AS id, n FROM users" + TRANSLATED, columns="(id INT, n)")
    [text] = validated(files)[0].texts
    assert (text.verdict, text.message) == (Verdict.NOT_VALIDATED, "It was not translated from hive.")
