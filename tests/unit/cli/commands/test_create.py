"""`hive-views create` without columns, on a metastore in the memory of the process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli

Create = Callable[..., Result]


@pytest.fixture
def create(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Create:
    monkeypatch.chdir(tmp_path)

    def create(text: str, *options: str, dialect: str = "hive") -> Result:
        (tmp_path / "v.sql").write_text(text)
        catalog = ["--uri", "memory:", "--warehouse", str(tmp_path)]
        return CliRunner().invoke(cli, [*catalog, "create", "default.v", "--sql", f"{dialect}=v.sql", *options])

    return create


def test_columns_that_are_not_given_are_derived(create: Create) -> None:
    done = create("SELECT 1 AS a, 'x' AS ds", "--partitioned-on", "ds", "--dry-run", "--output", "json")
    assert done.exit_code == 0, done.output
    assert [line for line in json.loads(done.stdout)["diff"]["columns"] if line[:1] == "+" and line[:3] != "+++"] == [
        "+a int",
        "+ds string",
    ]


def test_columns_that_are_not_certain_are_named_with_the_options_that_give_them(create: Create) -> None:
    failed = create("SELECT own(1) AS two")
    assert failed.exit_code == 2
    assert "these columns of the query are not certain: two (the result of own is not known)." in failed.stderr
    assert "--column" in failed.stderr
    assert "--schema-from-spark" in failed.stderr
    assert "schema=" not in failed.stderr


def test_an_unknown_column_is_shown_in_its_line_with_the_nearest(create: Create) -> None:
    failed = create("WITH t AS (SELECT 1 AS day)\nSELECT dya FROM t")
    assert failed.exit_code == 2
    assert "t has no column 'dya'. Did you mean 'day'?" in failed.stderr
    assert failed.stderr.endswith("v.sql:2:8\nSELECT dya FROM t\n       ^\n")


def test_an_unknown_table_is_shown_in_its_line(create: Create) -> None:
    failed = create("SELECT day\nFROM default.vv")
    assert failed.exit_code == 3
    assert "at line 2, column 6: there is no table or view default.vv." in failed.stderr
    assert failed.stderr.endswith("v.sql:2:6\nFROM default.vv\n     ^\n")
