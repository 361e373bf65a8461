"""The command ``execute`` as a process, on the embedded metastore."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest

from hive_views import TableIdentifier, ViewCatalog
from hive_views.hive.row import Column, Row
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.integration.conftest import Run

SCRIPT = """\
CREATE VIEW daily (u COMMENT 'user', n, ds) COMMENT 'by day' PARTITIONED ON (ds) AS
  SELECT user_id, count(*), ds FROM clicks GROUP BY user_id, ds;
ALTER VIEW daily ADD PARTITION (ds = '2026-08-01') PARTITION (ds = '2026-08-02');
SHOW PARTITIONS daily;
DESCRIBE daily;
"""


@pytest.fixture
def database(hms: HiveMetastore, namespace: str, tmp_path: Path) -> str:
    """A database with the table ``clicks``."""
    hms.create_row(
        Row(
            TableIdentifier(namespace, "clicks"),
            "EXTERNAL_TABLE",
            columns=(Column("user_id", "bigint"), Column("price", "decimal(10,2)")),
            partition_keys=(Column("ds", "string"),),
            location=f"file:{tmp_path}/clicks",
        )
    )
    return namespace


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "views.sql"
    file.write_text(SCRIPT, encoding="utf-8")
    return str(file)


def test_a_file_is_executed_in_its_database(run: Run, catalog: ViewCatalog, database: str, script: str) -> None:
    ended = run("execute", "-f", script, "--database", database)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == [
        f"Created {database}.daily: version 1.",
        f"Added 2 partitions of {database}.daily.",
        "ds=2026-08-01",
        "ds=2026-08-02",
        "col_name                 data_type  comment",
        "u                        bigint     user",
        "n                        bigint",
        "ds                       string",
        "",
        "# Partition Information",
        "# col_name               data_type  comment",
        "ds                       string",
    ]
    view = catalog.load_view(f"{database}.daily")
    assert (view.comment, view.partitioned_on) == ("by day", ("ds",))


def test_statements_come_from_the_argument_or_from_stdin_and_results_as_json(run: Run, database: str) -> None:
    document = run(
        "--output", "json", "execute", f"USE {database}; CREATE VIEW v AS SELECT 1 AS a; SHOW VIEWS"
    ).document
    assert [one["database"] for one in document["statements"]] == [database] * 3
    assert document["statements"][1] == {
        "done": f"Created {database}.v: version 1.",
        "identifier": f"{database}.v",
        "changed": True,
        "partitions": [],
        "columns": [],
        "rows": [],
        "database": database,
    }
    assert document["statements"][2]["rows"] == [["v"]]
    # Editors on Windows put a mark before the text.
    described = run("execute", "-f", "-", "--output", "json", stdin=f"\ufeffDESC {database}.v").document
    assert described["statements"][0]["rows"] == [["a", "int", None]]


def test_what_show_create_prints_can_be_executed(run: Run, catalog: ViewCatalog, database: str, script: str) -> None:
    run("execute", "-f", script, "--database", database)
    text = run("execute", f"SHOW CREATE TABLE {database}.daily").out
    before = catalog.load_view(f"{database}.daily")
    catalog.drop_view(before.identifier)
    assert run("execute", "-f", "-", stdin=text).code == 0
    after = catalog.load_view(before.identifier)
    assert (after.columns, after.row.expanded_text) == (before.columns, before.row.expanded_text)


def test_a_syntax_error_shows_its_line_with_a_caret_and_nothing_is_done(
    run: Run, catalog: ViewCatalog, database: str, tmp_path: Path
) -> None:
    file = tmp_path / "broken.sql"
    file.write_text("CREATE VIEW v AS SELECT 1 AS a;\nALTER VIEW v ADD PARTITION (ds = -1);\n", encoding="utf-8")
    ended = run("execute", "-f", str(file), "--database", database)
    assert (ended.code, ended.out) == (2, "")
    _, place, line, caret = ended.err.splitlines()
    assert place == f"{file}:2:34"
    assert line == "ALTER VIEW v ADD PARTITION (ds = -1);"
    assert caret == " " * line.index("-") + "^"
    assert not catalog.view_exists(f"{database}.v")


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_file_that_stops_says_what_was_done_and_goes_on_with_skip(
    run: Run, catalog: ViewCatalog, database: str, tmp_path: Path, output: str
) -> None:
    file = tmp_path / "views.sql"
    file.write_text("CREATE VIEW a AS SELECT 1 AS x;\nCREATE VIEW b AS SELECT x FROM missing;\nDROP VIEW a", "utf-8")
    arguments = ("execute", "-f", str(file), "--database", database, "--output", output)
    ended = run(*arguments)
    assert ended.code == 3
    assert "Statement 2 of 3, on line 2" in ended.err
    assert "Hive error 10001" in ended.err
    if output == "json":
        document = json.loads(ended.out)
        assert [one["identifier"] for one in document["statements"]] == [f"{database}.a"]
        assert (document["failed"]["statement"], document["failed"]["line"]) == (2, 2)
    else:
        assert ended.out == f"Created {database}.a: version 1.\n"
    assert catalog.view_exists(f"{database}.a")
    assert run(*arguments, "--skip", "2").code == 0
    assert not catalog.view_exists(f"{database}.a")


def test_a_dry_run_reports_what_would_be_done_and_writes_nothing(
    run: Run, catalog: ViewCatalog, database: str, script: str
) -> None:
    ended = run("execute", "-f", script, "--database", database, "--dry-run")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[:4] == [
        f"Dry run: Created {database}.daily: version 1.",
        f"Dry run: Added 2 partitions of {database}.daily.",
        "ds=2026-08-01",
        "ds=2026-08-02",
    ]
    assert not catalog.view_exists(f"{database}.daily")


@pytest.mark.spark
@pytest.mark.pinned
def test_columns_are_given_or_asked_of_spark_where_they_are_not_certain(
    run: Run, run_process: Run, catalog: ViewCatalog, database: str
) -> None:
    statement = "CREATE VIEW v AS SELECT price * 2.50 AS total FROM clicks"
    refused = run("execute", statement, "--database", database)
    assert refused.code == 2
    assert "total" in refused.err
    given = run("execute", statement, "--database", database, "--column", "total decimal(20,3) 'more'")
    assert given.code == 0, given.err
    (column,) = catalog.load_view(f"{database}.v").columns
    assert (column.type, column.comment) == ("decimal(20,3)", "more")
    reported = run_process("execute", statement.replace(" v ", " w "), "--database", database, "--schema-from-spark")
    assert reported.code == 0, reported.err
    (column,) = catalog.load_view(f"{database}.w").columns
    assert column.type == "decimal(13,3)"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "either SQL or --file"),
        (("SHOW VIEWS", "-f", "-"), "either SQL or --file"),
        (("-f", "nowhere.sql"), "nowhere.sql"),
        (("SHOW VIEWS", "--skip", "-1"), "--skip"),
        (("SHOW VIEWS", "--column", "a int", "--schema-from-spark"), "at most one of"),
    ],
)
def test_calls_that_contradict_themselves_are_refused(run: Run, arguments: tuple[str, ...], expected: str) -> None:
    ended = run("execute", *arguments)
    assert ended.code == 2
    assert expected in ended.err


def test_the_exit_code_is_that_of_the_error(run: Run, database: str) -> None:
    codes = {
        f"USE nowhere_{uuid.uuid4().hex[:8]}": 3,
        "ALTER VIEW missing SET TBLPROPERTIES ('a' = 'b')": 3,
        "CREATE VIEW clicks AS SELECT 1 AS a": 4,
        "SELECT 1": 2,
    }
    assert {text: run("execute", text, "--database", database).code for text in codes} == codes
