"""The command impact: what would break, for people, programs and CI, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views.quick_catalog import NAME, catalog_on

DROP = "ALTER TABLE sales.clicks DROP COLUMN page"


@pytest.fixture(autouse=True)
def _catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = catalog_on(MemoryMetastore(), f"file://{tmp_path}", owner="ada")
    columns = tuple(Column(name, "string") for name in ("page", "ds", "hr"))
    catalog.metastore.create_row(Row(TableIdentifier("sales", "clicks"), "MANAGED_TABLE", columns=columns))
    query = "SELECT page, ds FROM sales.clicks"
    schema = [("page", "string"), ("ds", "string")]
    catalog.create_view(NAME, sql={"hive": query}, schema=schema, partitioned_on=["ds"])
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", "impact", *arguments])


def test_findings_exit_with_6_and_have_their_partitions() -> None:
    result = run(DROP)
    assert result.exit_code == 6
    assert "column-gone (error)" in result.stdout
    assert "clicks has no column 'page'" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "1 view reads what changes, 1 would break: 1 column-gone. 1 declared partition of 1 view hangs on them."
    )


def test_what_breaks_nothing_exits_with_0_and_shows_other_types() -> None:
    result = run("ALTER TABLE sales.clicks CHANGE page page varchar(9)")
    assert (result.exit_code, "string -> varchar(9)" in result.stdout) == (0, True)


def test_json_has_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "migration.sql").write_text(f"-- one\n{DROP};\nALTER TABLE sales.clicks ADD COLUMNS (z int);")
    result = run("--file", str(tmp_path / "migration.sql"), "--output", "json")
    document = json.loads(result.stdout)
    assert result.exit_code == 6
    assert document["statements"] == [DROP, "ALTER TABLE sales.clicks ADD COLUMNS (z int)"]
    assert [(one["identifier"], one["code"]) for one in document["findings"]] == [("sales.daily", "column-gone")]
    assert document["broken"] == ["sales.daily"]
    assert document["partitions"] == [{"identifier": "sales.daily", "partitions": 1, "publications": []}]
    assert document["before"] == document["solved"] == document["type_changes"] == document["not_known"] == []


@pytest.mark.parametrize(("format_", "mark"), [("sarif", '"ruleId": "column-gone"'), ("junit", "<failure")])
def test_formats_for_ci(format_: str, mark: str) -> None:
    assert run(DROP, "--output", format_).stdout.count(mark) == 1


def test_a_mistake_is_shown_at_its_place_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "migration.sql"
    file.write_text("USE sales;\nALTER VIEW daily AS\n  SELECT pag, ds FROM clicks;\n")
    result = run("--file", str(file))
    assert result.exit_code == 2
    assert "Did you mean 'page'?" in result.stderr
    assert f"{file}:3:10" in result.stderr
