"""The command, on the embedded metastore."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from hive_views import View, ViewCatalog, column, execute, publish, read_rule, requires
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.ledger.recorded_rules import recorded_rules
from hive_views.spec.identifiers import TableIdentifier
from tests.integration.conftest import Run

SELECT = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
BETTER = "SELECT user_id, count(DISTINCT page) AS clicks, ds\nFROM web.clicks\nGROUP BY user_id, ds"
COLUMNS = [("user_id", "bigint"), ("clicks", "bigint", "how often"), ("ds", "string")]
COLUMN_OPTIONS = ["--column", "user_id bigint", "--column", "clicks bigint 'how often'", "--column", "ds string"]
SECRET = "hunter2-and-more"


@pytest.fixture
def name(namespace: str) -> str:
    return f"{namespace}.daily"


@pytest.fixture
def view(catalog: ViewCatalog, name: str) -> View:
    return catalog.create_view(
        name,
        sql={"hive": SELECT, "trino": SELECT},
        schema=COLUMNS,
        partitioned_on=["ds"],
        comment="Clicks by day",
        properties={"team": "web"},
    )


@pytest.fixture
def sql(tmp_path: Path) -> Path:
    file = tmp_path / "daily.sql"
    file.write_text(BETTER)
    return file


@pytest.fixture
def clicks(hms: HiveMetastore, namespace: str, tmp_path: Path) -> TableIdentifier:
    """A Hive table by day and hour: the 21st has both hours of this short day, the 22nd one."""
    table = TableIdentifier(namespace, "clicks")
    keys = (Column("ds", "string"), Column("hr", "string"))
    row = Row(
        table,
        "EXTERNAL_TABLE",
        owner="ada",
        location=f"file:{tmp_path}/clicks",
        columns=(Column("user_id", "bigint"),),
        partition_keys=keys,
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        parameters={"EXTERNAL": "TRUE"},
    )
    hms.create_row(row)
    values = [("2026-08-21", "00"), ("2026-08-21", "01"), ("2026-08-22", "00")]
    hms.add_partitions(table, [Partition(value, has_descriptor=True) for value in values], if_not_exists=False)
    return table


class TestCreate:
    def test_a_view_is_made_of_files_and_columns(self, run: Run, catalog: ViewCatalog, name: str, sql: Path) -> None:
        ended = run(
            *("--output", "json", "create", name, "--sql", f"hive={sql}", "--sql", f"trino={sql}", *COLUMN_OPTIONS),
            *("--partitioned-on", "ds", "--comment", "Clicks", "--property", "team=web", "--property", "a=b=c"),
        )
        view = catalog.load_view(name)
        assert ended.document == {
            "identifier": name,
            "uuid": view.uuid,
            "version_id": 1,
            "metadata_location": view.metadata_location,
            "changed": True,
            "repaired": [],
            "stale_dialects": [],
            "translations": {},
            "dry_run": False,
        }
        assert view.original_sql("hive") == view.original_sql("trino") == BETTER
        assert view.columns == tuple(Column(*column) for column in COLUMNS)
        assert view.partitioned_on == ("ds",)
        assert view.comment == "Clicks"
        assert {"team": "web", "a": "b=c"}.items() <= view.properties.items()

    def test_a_text_can_come_from_stdin_and_columns_from_what_show_lists(
        self, run: Run, catalog: ViewCatalog, view: View, namespace: str, tmp_path: Path
    ) -> None:
        shown = run("show", str(view.identifier), "--output", "json")
        (tmp_path / "columns.json").write_text(shown.out)
        ended = run(
            *("create", f"{namespace}.again", "--sql", "hive=-", "--schema", str(tmp_path / "columns.json")),
            stdin=BETTER,
        )
        assert ended.code == 0, ended.err
        again = catalog.load_view(f"{namespace}.again")
        assert again.columns == view.columns
        assert ended.out == f"Created {namespace}.again: version 1, {again.metadata_location}\n"

    def test_a_dry_run_shows_the_view_and_makes_none(
        self, run: Run, catalog: ViewCatalog, name: str, sql: Path, tmp_path: Path
    ) -> None:
        before = sorted(tmp_path.rglob("*"))
        ended = run("create", name, "--sql", f"hive={sql}", *COLUMN_OPTIONS, "--partitioned-on", "ds", "--dry-run")
        assert ended.code == 0, ended.err
        assert ended.out.startswith(f"Would create {name}: version 1.\n")
        assert "+clicks bigint 'how often'\n" in ended.out
        assert not catalog.view_exists(name)
        assert sorted(tmp_path.rglob("*")) == before

    def test_a_name_that_is_taken_ends_with_4_unless_that_does_not_matter(
        self, run: Run, view: View, sql: Path
    ) -> None:
        call = ("create", str(view.identifier), "--sql", f"hive={sql}", *COLUMN_OPTIONS)
        refused = run(*call)
        assert (refused.code, refused.out) == (4, "")
        assert "a view has this name" in refused.err
        assert run(*call, "--if-not-exists", "--output", "json").document["changed"] is False

    def test_a_syntax_error_points_to_the_place_in_the_file(self, run: Run, name: str, sql: Path) -> None:
        sql.write_text("SELECT user_id\nFROM web.clicks WHERE (")
        ended = run("create", name, "--sql", f"hive={sql}", "--column", "user_id bigint")
        assert (ended.code, ended.out) == (2, "")
        assert f"{sql}:2:" in ended.err
        assert "\nFROM web.clicks WHERE (\n" in ended.err
        assert ended.err.rstrip().endswith("^")
        assert "Traceback" not in ended.err

    def test_a_namespace_that_does_not_exist_ends_with_3(self, run: Run, sql: Path) -> None:
        ended = run("create", "no_such_namespace.v", "--sql", f"hive={sql}", *COLUMN_OPTIONS, "--dry-run")
        assert (ended.code, ended.out) == (3, "")
        assert "no_such_namespace" in ended.err

    @pytest.mark.spark
    @pytest.mark.pinned
    def test_spark_can_say_which_columns_the_query_has(
        self, run_process: Run, catalog: ViewCatalog, clicks: TableIdentifier, name: str
    ) -> None:
        ended = run_process(
            *("create", name, "--sql", "hive=-", "--schema-from-spark", "--partitioned-on", "ds"),
            stdin="SELECT user_id, count(*) AS n, ds FROM clicks GROUP BY user_id, ds",
        )
        assert ended.code == 0, ended.err
        assert len(ended.err.splitlines()) == 1, ended.err
        assert "DROP DATABASE ... CASCADE" in ended.err, (
            "without a warehouse its files are in the directory of its database"
        )
        assert catalog.load_view(name).columns == (
            Column("user_id", "bigint"),
            Column("n", "bigint"),
            Column("ds", "string"),
        )

    def test_spark_has_nothing_to_say_of_a_text_that_it_does_not_read(self, run: Run, name: str, sql: Path) -> None:
        ended = run("replace", name, "--sql", f"trino={sql}", "--schema-from-spark")
        assert (ended.code, ended.out) == (3, "")
        ended = run("create", name, "--sql", f"trino={sql}", "--schema-from-spark", "--dry-run")
        assert (ended.code, ended.out) == (2, "")
        assert "hive or spark" in ended.err


class TestChanges:
    def test_replace_makes_a_version_once(self, run: Run, catalog: ViewCatalog, view: View, sql: Path) -> None:
        call = ("replace", str(view.identifier), "--sql", f"hive={sql}", "--sql", f"trino={sql}", "--output", "json")
        assert run(*call).document | {"uuid": "", "metadata_location": ""} == {
            "identifier": str(view.identifier),
            "uuid": "",
            "version_id": 2,
            "metadata_location": "",
            "changed": True,
            "repaired": [],
            "stale_dialects": [],
            "translations": {},
            "dry_run": False,
        }
        assert catalog.load_view(view.identifier).original_sql("trino") == BETTER
        assert run(*call).document["changed"] is False

    def test_a_dry_run_of_replace_shows_what_would_change_and_changes_nothing(
        self, run: Run, catalog: ViewCatalog, view: View, sql: Path
    ) -> None:
        before = catalog.load_view(view.identifier)
        call = ("replace", str(view.identifier), "--sql", f"hive={sql}", "--sql", f"trino={sql}", "--dry-run")
        ended = run(*call, "--comment", "Visitors")
        assert ended.out.startswith(f"Would replace {view.identifier}: version 1 -> 2.\n")
        for line in ("-comment = Clicks by day", "+comment = Visitors", f"-{SELECT}", "+FROM web.clicks"):
            assert line in ended.out.splitlines()
        document = run(*call, "--output", "json").document
        assert (document["dry_run"], document["version_id"]) == (True, 2)
        assert set(document["diff"]) == {"sql hive", "sql trino"}
        assert document["metadata_location"] == view.metadata_location
        assert catalog.load_view(view.identifier) == before

    def test_a_dialect_that_would_be_lost_ends_with_2(self, run: Run, view: View, sql: Path) -> None:
        ended = run("replace", str(view.identifier), "--sql", f"hive={sql}")
        assert (ended.code, ended.out) == (2, "")
        assert "trino" in ended.err

    def test_alter_changes_one_text_and_properties(self, run: Run, catalog: ViewCatalog, view: View, sql: Path) -> None:
        ended = run(
            *("alter", str(view.identifier), "--sql", f"trino={sql}", "--comment", "Visitors"),
            *("--property", "sla=6h", "--remove-property", "team"),
        )
        assert ended.code == 0, ended.err
        altered = catalog.load_view(view.identifier)
        assert (altered.original_sql("hive"), altered.original_sql("trino")) == (SELECT, BETTER)
        assert altered.comment == "Visitors"
        assert "team" not in altered.properties
        assert altered.properties["sla"] == "6h"

    def test_a_version_comes_back_and_the_history_shows_it(self, run: Run, catalog: ViewCatalog, view: View) -> None:
        catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        rehearsed = run("roll-back", str(view.identifier), "--version", "1", "--dry-run")
        assert rehearsed.out.startswith(f"Would roll back {view.identifier}: version 2 -> 1.\n")
        assert run("roll-back", str(view.identifier), "--version", "1").code == 0
        history = run("history", str(view.identifier), "--output", "json").document["history"]
        assert [entry["version_id"] for entry in history] == [1, 2, 1]
        assert history[0]["dialects"] == ["hive", "trino"]
        assert history[0]["engine"].startswith("hive_views ")
        lines = run("history", str(view.identifier)).out.splitlines()
        assert [line.split()[:3] for line in lines[:1]] == [["CURRENT", "SINCE", "VERSION"]]
        assert len(lines) == 4
        assert run("roll-back", str(view.identifier), "--version", "9").code == 3

    def test_the_name_can_change_and_the_view_can_be_dropped_and_brought_back(
        self, run: Run, catalog: ViewCatalog, view: View, namespace: str
    ) -> None:
        catalog.partitions(view.identifier).add([{"ds": "2026-08-21"}])
        assert run("rename", str(view.identifier), f"{namespace}.weekly", "--dry-run").code == 0
        assert catalog.view_exists(view.identifier)
        assert run("rename", str(view.identifier), f"{namespace}.weekly").code == 0
        rehearsed = run("drop", f"{namespace}.weekly", "--dry-run", "--purge", "--output", "json")
        assert rehearsed.document["dropped"] == f"{namespace}.weekly"
        assert catalog.view_exists(f"{namespace}.weekly")
        dropped = run("drop", f"{namespace}.weekly", "--output", "json").document
        assert not catalog.view_exists(f"{namespace}.weekly")
        assert run("drop", f"{namespace}.weekly").code == 3
        assert run("drop", f"{namespace}.weekly", "--if-exists").code == 0
        assert run("register", f"{namespace}.weekly", dropped["metadata_location"], "--dry-run").code == 0
        assert not catalog.view_exists(f"{namespace}.weekly")
        assert run("register", f"{namespace}.weekly", dropped["metadata_location"]).code == 0
        assert catalog.load_view(f"{namespace}.weekly").uuid == view.uuid
        assert run("partitions", "restore", f"{namespace}.weekly").out == "ds=2026-08-21\n"

    def test_a_purge_names_the_files_first_and_then_deletes_them(
        self, run: Run, catalog: ViewCatalog, view: View
    ) -> None:
        rehearsed = run("drop", str(view.identifier), "--purge", "--dry-run")
        assert view.metadata_location in rehearsed.out.splitlines()
        assert run("drop", str(view.identifier), "--purge").code == 0
        assert catalog.storage.list_files(f"{view.location}/metadata") == []

    def test_a_purge_says_on_stderr_and_in_its_document_what_it_left(
        self, run: Run, catalog: ViewCatalog, view: View, namespace: str
    ) -> None:
        twin = f"{namespace}.twin"
        assert run("register", twin, view.metadata_location).code == 0
        reported = run("drop", twin, "--purge", "--output", "json")
        assert reported.document["left"] == [view.metadata_location]
        assert f"1 files stay in {view.location}/metadata" in reported.err
        assert catalog.load_view(view.identifier).metadata == view.metadata

    def test_a_view_whose_file_is_lost_can_be_dropped(self, run: Run, catalog: ViewCatalog, view: View) -> None:
        catalog.storage.delete(view.metadata_location)
        assert run("show", str(view.identifier)).code == 1
        assert run("drop", str(view.identifier)).code == 0
        assert not catalog.view_exists(view.identifier)


class TestDrift:
    @pytest.fixture
    def drifted(self, catalog: ViewCatalog, view: View) -> View:
        text = "SELECT `user_id`, 7 AS `clicks`, `ds` FROM `web`.`clicks`"
        row = replace(view.row, original_text=text, expanded_text=text)
        catalog.metastore.swap_row(row, expected=view.metadata_location)
        return view

    def test_a_check_ends_with_6_and_shows_what_differs(self, run: Run, drifted: View) -> None:
        ended = run("show", str(drifted.identifier), "--check", "--output", "json")
        assert ended.code == 6
        assert {(found["kind"], found["what"]) for found in ended.document["differences"]} >= {
            ("drifted", "expanded text")
        }
        assert "Row drifted: expanded text" in run("show", str(drifted.identifier)).out
        assert run("show", str(drifted.identifier)).code == 0

    def test_a_check_of_a_row_in_order_ends_with_0(self, run: Run, view: View) -> None:
        assert run("show", str(view.identifier), "--check").code == 0

    def test_a_commit_over_a_foreign_change_ends_with_4_unless_on_drift_decides(
        self, run: Run, catalog: ViewCatalog, drifted: View
    ) -> None:
        name = str(drifted.identifier)
        assert run("alter", name, "--comment", "x").code == 4
        assert run("repair", name).code == 4
        rehearsed = run("repair", name, "--on-drift", "adopt", "--dry-run")
        assert rehearsed.code == 0, rehearsed.err
        assert "7 AS `clicks`" in rehearsed.out
        mended = run("repair", name, "--on-drift", "overwrite", "--output", "json").document
        assert mended["changed"] is True
        assert any("expanded text" in difference for difference in mended["repaired"])
        assert catalog.load_view(name).differences == ()
        assert run("repair", name, "--output", "json").document["changed"] is False

    def test_other_commands_warn_of_it_on_stderr(self, run: Run, drifted: View) -> None:
        ended = run("sql", str(drifted.identifier), "--original")
        assert ended.out == f"{SELECT}\n"
        assert "WARNING" in ended.err
        assert "expanded text" in ended.err


class TestReading:
    def test_show_prints_everything_as_one_document(self, run: Run, catalog: ViewCatalog, view: View) -> None:
        catalog.partitions(view.identifier).add([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])
        assert run("show", str(view.identifier), "--output", "json").document == {
            "identifier": str(view.identifier),
            "uuid": view.uuid,
            "version_id": 1,
            "current_version_id": 1,
            "tags": {},
            "metadata_location": view.metadata_location,
            "comment": "Clicks by day",
            "owner": view.owner,
            "current_since_ms": view.history[-1].timestamp_ms,
            "engine": f"hive_views {view.current_version.summary['engine-version']}",
            "columns": [
                {"name": "user_id", "type": "bigint", "comment": None, "partition": False},
                {"name": "clicks", "type": "bigint", "comment": "how often", "partition": False},
                {"name": "ds", "type": "string", "comment": None, "partition": True},
            ],
            "partitioned_on": ["ds"],
            "partitions": {"count": 2, "last": "ds=2026-08-22"},
            "dialects": ["hive", "trino"],
            "row_text_dialect": "hive",
            "properties": {"comment": "Clicks by day", "team": "web"},
            "location": view.location,
            "differences": [],
            "release": None,
            "stale_dialects": [],
            "translations": {},
        }

    def test_show_prints_the_same_for_people(self, run: Run, catalog: ViewCatalog, view: View) -> None:
        catalog.partitions(view.identifier).add([{"ds": "2026-08-21"}])
        lines = [line.split() for line in run("show", str(view.identifier)).out.splitlines()]
        assert lines[:2] == [[str(view.identifier)], ["Clicks", "by", "day"]]
        for line in (
            ["Partitions", "1,", "last", "ds=2026-08-21"],
            ["Dialects", "hive,", "trino"],
            ["Metadata", view.metadata_location],
            ["Row", "matches", "the", "metadata", "file"],
            ["clicks", "bigint", "how", "often"],
            ["ds", "string", "partition"],
            ["team", "web"],
        ):
            assert line in lines

    def test_the_last_partition_is_the_greatest_value_and_not_the_greatest_text(
        self, run: Run, catalog: ViewCatalog, name: str
    ) -> None:
        catalog.create_view(
            name, sql={"hive": "SELECT a, hr FROM web.t"}, schema=[("a", "int"), ("hr", "int")], partitioned_on=["hr"]
        )
        catalog.partitions(name).add([{"hr": 9}, {"hr": 10}])
        assert run("show", name, "--output", "json").document["partitions"]["last"] == "hr=10"

    def test_a_text_that_is_not_for_hive_is_noted(self, run: Run, catalog: ViewCatalog, name: str) -> None:
        catalog.create_view(name, sql={"spark": "SELECT 1 AS a"}, schema=[("a", "int")])
        assert "Plain readers get the spark SQL" in run("show", name).out

    def test_sql_prints_the_text_alone(self, run: Run, catalog: ViewCatalog, view: View) -> None:
        replaced = catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        name = str(view.identifier)
        assert run("sql", name).out == replaced.sql_for("hive").sql + "\n"
        assert run("sql", name, "--original").out == BETTER + "\n"
        assert run("sql", name, "--dialect", "TRINO", "--version", "1").out == SELECT + "\n"
        assert run("sql", name, "--original", "--version", "1", "--output", "json").document == {
            "identifier": name,
            "version_id": 1,
            "dialect": "hive",
            "sql": SELECT,
        }

    @pytest.mark.parametrize("options", [("--dialect", "presto"), ("--version", "9")])
    def test_a_text_that_is_not_there_ends_with_3(self, run: Run, view: View, options: tuple[str, ...]) -> None:
        ended = run("sql", str(view.identifier), *options)
        assert (ended.code, ended.out) == (3, "")

    def test_diff_compares_texts_columns_and_properties(self, run: Run, catalog: ViewCatalog, view: View) -> None:
        name = str(view.identifier)
        alone = run("diff", name)
        assert (alone.code, alone.out) == (3, "")
        catalog.replace_view(
            name, sql={"hive": BETTER, "trino": SELECT}, schema=[COLUMNS[0], ("clicks", "int"), COLUMNS[2]]
        )
        catalog.alter_view(name, set_properties={"team": "core"})
        lines = run("diff", name).out.splitlines()
        assert "--- version 1, sql hive" in lines
        assert "+++ version 2, sql hive" in lines
        for line in (
            f"-{SELECT}",
            "+FROM web.clicks",
            "-clicks bigint 'how often'",
            "+clicks int",
            "-team = web",
            "+team = core",
        ):
            assert line in lines
        assert not any("sql trino" in line for line in lines)
        back = run("diff", name, "2", "1", "--output", "json").document
        assert (back["from"], back["to"]) == ("version 2", "version 1")
        assert f"+{SELECT}" in back["diff"]["sql hive"]
        assert run("diff", name, "7").code == 3

    def test_list_gives_one_name_a_line(self, run: Run, catalog: ViewCatalog, view: View, namespace: str) -> None:
        catalog.create_view(f"{namespace}.a_first", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        assert run("list", f"{namespace}.*").out == f"{namespace}.a_first\n{view.identifier}\n"
        assert run("list", f"{namespace}.*", "--output", "json").document == {
            "views": [
                {"identifier": f"{namespace}.a_first", "kind": "managed"},
                {"identifier": str(view.identifier), "kind": "managed"},
            ]
        }
        assert str(view.identifier) in run("list").out.splitlines()
        missing = run("list", "no_such_namespace.*")
        assert (missing.code, missing.out) == (3, "")

    def test_a_pipe_gets_whole_lines_without_colours(self, run: Run, catalog: ViewCatalog, name: str) -> None:
        text = "SELECT " + ", ".join(f"column_number_{number}" for number in range(40)) + " FROM web.t"
        columns = [(f"column_number_{number}", "int", "a long comment " * 12) for number in range(40)]
        catalog.create_view(name, sql={"hive": text, "trino": text}, schema=columns, comment="[bold]no markup[/bold]")
        shown = run("show", name)
        assert "\x1b" not in shown.out
        assert all(line == line.rstrip() for line in shown.out.splitlines())
        assert "[bold]no markup[/bold]" in shown.out.splitlines()
        assert sum(line.startswith("column_number_") for line in shown.out.splitlines()) == 40
        assert run("sql", name, "--dialect", "trino").out == text + "\n"


class TestNamespaces:
    def test_a_namespace_is_made_once_and_listed(
        self, run: Run, catalog: ViewCatalog, namespace: str, tmp_path: Path
    ) -> None:
        name = f"{namespace}_more"
        call = ("namespaces", "create", name, "--location", f"file:{tmp_path}/{name}")
        assert run(*call, "--dry-run").out == f"Would create namespace {name}.\n"
        assert name not in run("namespaces", "list").out.splitlines()
        assert run(*call).out == f"Created namespace {name}.\n"
        assert name in run("namespaces", "list", "--output", "json").document["namespaces"]
        assert run(*call).code == run(*call, "--dry-run").code == 4
        again = run(*call, "--if-not-exists", "--output", "json")
        assert again.document == {"namespace": name, "created": False, "dry_run": False}
        assert run("namespaces", "create", "no-name").code == 2


class TestCompletion:
    def _offered(self, run: Run, *words: str, **environment: str) -> list[str]:
        completing = {"COMP_WORDS": " ".join(["hive-views", *words]), "COMP_CWORD": str(len(words))}
        ended = run(_HIVE_VIEWS_COMPLETE="bash_complete", **completing, **environment)
        assert ended.err == ""
        return [line.removeprefix("plain,") for line in ended.out.split()]

    def test_the_shell_completes_views_and_namespaces(
        self, run: Run, catalog: ViewCatalog, view: View, namespace: str
    ) -> None:
        name = str(view.identifier)
        assert self._offered(run, "show", name[:-2]) == [name]
        assert name in self._offered(run, "partitions", "add", namespace)
        assert name in self._offered(run, "list", namespace)
        assert self._offered(run, "list", "--namespace", namespace) == [namespace]
        assert self._offered(run, "show", f"{namespace}.no_such") == []

    def test_what_is_not_there_is_completed_silently(self, run: Run, tmp_path: Path) -> None:
        for uri in ("thrift://127.0.0.1:1", f"local://{tmp_path}/none", "nonsense", ""):
            assert self._offered(run, "show", "a", HIVE_VIEWS_URI=uri) == []
        assert not (tmp_path / "none").exists()
        assert self._offered(run, "--config", str(tmp_path), "--catalog", "p") == []

    def test_the_shell_completes_catalogs_of_the_configuration_file(self, run: Run, here: Path) -> None:
        (here / "hive-views.toml").write_text('[catalogs.prod]\nuri = "memory:"\n[catalogs.dev]\nuri = "memory:"\n')
        assert self._offered(run, "--catalog", "p") == ["prod"]


class TestPartitions:
    def test_an_interrupt_says_what_was_added_and_how_to_finish(
        self, catalog: ViewCatalog, view: View, here: Path, configured: Mapping[str, str]
    ) -> None:
        name = str(view.identifier)
        outside, inside = pty.openpty()
        path = {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry), "COLUMNS": "100"}
        command = subprocess.Popen(
            [sys.executable, "-c", "from hive_views.cli import main; main()", "partitions", "add", name, "-"],
            cwd=here,
            env={**os.environ, **path, **configured, "TERM": "xterm"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=inside,
        )
        os.close(inside)
        assert command.stdin
        command.stdin.write("\n".join(f"ds={number}" for number in range(20_000)).encode())
        command.stdin.close()
        screen = b""
        while b"500/20000" not in screen and (part := os.read(outside, 65536)):
            screen += part
        command.send_signal(signal.SIGINT)
        with suppress(OSError):  # how Linux says that nobody writes to a terminal any more
            while part := os.read(outside, 65536):
                screen += part
        os.close(outside)
        assert command.wait() == 130
        [found] = re.findall(r"Interrupted: ([\d,]+) of 20,000 partitions of (\S+) had been added", screen.decode())
        added = int(found[0].replace(",", ""))
        assert found[1] == name
        assert 500 <= added < 20_000
        assert b"--if-not-exists" in screen
        assert b"Traceback" not in screen
        assert added <= len(catalog.partitions(name).names()) <= added + 500

    def test_partitions_are_added_listed_and_dropped(self, run: Run, catalog: ViewCatalog, name: str) -> None:
        catalog.create_view(
            name,
            sql={"hive": "SELECT a, ds, hr FROM web.t"},
            schema=[("a", "int"), ("ds", "string"), ("hr", "int")],
            partitioned_on=["ds", "hr"],
        )
        added = run("partitions", "add", name, "ds=2026-08-21,hr=7", "ds=2026-08-21/hr=8", "--parameter", "by=me")
        assert added.out == "ds=2026-08-21/hr=7\nds=2026-08-21/hr=8\n"
        again = ("partitions", "add", name, "-")
        lines = "ds=2026-08-21/hr=8\nds=a%2Cb%2Fc/hr=1\n\n"
        assert run(*again, stdin=lines).code == 4
        rehearsed = run(*again, "--if-not-exists", "--dry-run", "--output", "json", stdin=lines)
        assert rehearsed.document == {"added": ["ds=a,b%2Fc/hr=1"], "dry_run": True}
        assert len(catalog.partitions(name).names()) == 2
        assert run(*again, "--if-not-exists", stdin=lines).out == "ds=a,b%2Fc/hr=1\n"

        assert run("partitions", "list", name, "ds=2026-08-21").out == "ds=2026-08-21/hr=7\nds=2026-08-21/hr=8\n"
        [first, *_] = run("partitions", "list", name, "--long", "--output", "json").document["partitions"]
        assert first["name"] == "ds=2026-08-21/hr=7"
        assert first["parameters"]["by"] == "me"
        assert "by = me" in run("partitions", "list", name, "--long").out

        assert run("partitions", "drop", name, "ds=2026-08-21", "--dry-run").out.count("\n") == 2
        dropped = run("partitions", "drop", name, "ds=2026-08-21")
        assert dropped.out == "ds=2026-08-21/hr=7\nds=2026-08-21/hr=8\n"
        assert f"2 partitions of {name} dropped." in dropped.err
        assert catalog.partitions(name).names() == ["ds=a,b%2Fc/hr=1"]
        assert run("partitions", "drop", name, "ds=2026-08-21").code == 3
        assert run("partitions", "drop", name, "ds=2026-08-21", "--if-exists").code == 0

    def test_values_that_do_not_fit_end_with_2(self, run: Run, view: View) -> None:
        ended = run("partitions", "add", str(view.identifier), "hour=7")
        assert (ended.code, ended.out) == (2, "")
        assert "ds" in ended.err


class TestPublish:
    def test_ready_partitions_are_declared_and_the_others_wait_with_reasons(
        self, run: Run, catalog: ViewCatalog, view: View, clicks: TableIdentifier
    ) -> None:
        call = ("publish", str(view.identifier), "--require", f"requires('{clicks}', ds=column('ds'), hr=range(2))")
        rehearsed = run(*call, "--dry-run", "--output", "json").document
        assert (rehearsed["added"], rehearsed["dry_run"]) == (["ds=2026-08-21"], True)
        assert catalog.partitions(view.identifier).names() == []

        ended = run(*call, "--fail-if-waiting")
        assert ended.code == 6
        lines = [line.split(maxsplit=2) for line in ended.out.splitlines()]
        assert lines[0] == [f"{view.identifier}:", "1", "declared, 0 already published, 1 waiting."]
        assert ["ds=2026-08-21", "declared"] in lines
        waiting = next(line for line in lines if line[0] == "ds=2026-08-22")
        assert waiting[1] == "waiting"
        assert "hr 1 of ds=2026-08-22 is missing" in waiting[2]
        assert catalog.partitions(view.identifier).names() == ["ds=2026-08-21"]

        document = run(*call, "--output", "json").document
        assert (document["added"], document["already_published"]) == ([], ["ds=2026-08-21"])
        assert list(document["waiting"]) == ["ds=2026-08-22"]
        later = run(*call, "--since", "ds=2026-08-22", "--output", "json").document
        assert (later["already_published"], list(later["waiting"])) == ([], ["ds=2026-08-22"])
        given = run(*call, "--partition", "ds=2026-08-21", "--until", "ds=2026-08-30", "--fail-if-waiting")
        assert given.code == 0

    def test_days_that_are_expected_are_late_until_they_are_declared(
        self, run: Run, view: View, clicks: TableIdentifier
    ) -> None:
        name, rule = str(view.identifier), f"requires('{clicks}', ds=column('ds'), hr=range(2))"
        expected = ("--expected", "0 0 * * 5,6", "--late-after", "6h", "--time-zone", "Europe/Berlin")
        bounds = ("--since", "ds=2026-08-20", "--until", "ds=2026-08-28", "--known-empty", "ds=2026-08-28")
        ended = run("publish", name, "--require", rule, *expected, *bounds, "--fail-if-late")
        assert (ended.code, ended.out.splitlines()[0]) == (
            6,
            f"{name}: 1 declared, 0 already published, 1 waiting, 1 of them late.",
        )
        found = run("status", name, "--fail-if-late", "--output", "json")
        [state] = found.document["publications"]
        # The end of the Saturday in Berlin is 22 o'clock in UTC.
        assert (found.code, state["late_since_s"]) == (6, {"ds=2026-08-22": 1787457600})
        assert (state["due"], state["skipped"]) == ([], ["ds=2026-08-28"])
        assert datetime.fromisoformat(state["last_published_at"]).tzinfo is not None
        printed = run("status", name).out
        assert f"{name}  late   ds=2026-08-21" in printed
        assert "ds=2026-08-22  late   2026-08-23 04:00:00 UTC" in printed
        assert "! late   # declared   o known to be empty   . missing" in printed
        assert run("status", name).code == 0

    @pytest.mark.parametrize(
        ("options", "problem"),
        [
            (("--expected", "dayly"), "give hourly, daily, weekly, monthly, a cron expression of five fields"),
            (("--late-after", "6h"), "require --expected"),
            (("--expected", "daily", "--late-after", "6"), "give a number with a unit, such as '6h'"),
            (("--expected", "hourly", "--expected-column", "ds=yyyyMMdd"), "has the hour"),
        ],
    )
    def test_an_expectation_that_cannot_be_met_is_refused(
        self, run: Run, view: View, clicks: TableIdentifier, options: tuple[str, ...], problem: str
    ) -> None:
        ended = run("publish", str(view.identifier), "--require", f"requires('{clicks}', ds=column('ds'))", *options)
        assert (ended.code, ended.out) == (2, "")
        assert problem in " ".join(ended.err.split())

    def test_publications_of_one_view_with_names_keep_their_rules(
        self, run: Run, catalog: ViewCatalog, view: View, clicks: TableIdentifier
    ) -> None:
        rules = {
            name: f"requires('{clicks}', ds=column('ds'), hr=range({hours}))"
            for name, hours in (("early", 2), ("late", 3))
        }
        for name, rule in rules.items():
            assert run("publish", str(view.identifier), "--require", rule, "--publication", name).code == 0
        recorded = recorded_rules(catalog.load_view(view.identifier).metadata.properties)
        assert {one.publication: one.read_rule() for one in recorded} == {
            name: read_rule(rule) for name, rule in rules.items()
        }

    def test_every_entrance_reads_the_same_rule(
        self, run: Run, catalog: ViewCatalog, name: str, clicks: TableIdentifier, tmp_path: Path
    ) -> None:
        """Whole numbers meet texts with leading zeros: Python, the command, a file, SQL."""
        rule = f"requires('{clicks}', ds=column('ds'), hr=range(2))"
        file = tmp_path / "publications.toml"
        entrances: dict[str, Callable[[str], object]] = {
            "python": lambda view: publish(catalog, view, requires(str(clicks), ds=column("ds"), hr=range(2))),
            "text": lambda view: publish(catalog, view, read_rule(rule)),
            "command": lambda view: run("publish", view, "--require", rule),
            "file": lambda view: run("publish", "--file", str(file), "--only", view),
            "sql": lambda view: execute(catalog, f"PUBLISH VIEW {view} WHEN {rule}"),
        }
        for entrance, publish_through in entrances.items():
            view = f"{name}_{entrance}"
            catalog.create_view(view, sql={"hive": SELECT}, schema=COLUMNS, partitioned_on=["ds"])
            file.write_text(f'[[publication]]\nview = "{view}"\nrules = ["{rule}"]')
            publish_through(view)
            assert catalog.partitions(view).names() == ["ds=2026-08-21"], entrance

    @pytest.mark.parametrize(
        ("columns", "problem"),
        [
            ("sd=column('ds')", "has no partition column 'sd'; it has ds (string), hr (string). Did you mean 'ds'?"),
            ("ds=column('day_')", "'day_'), compared with "),
            ("ds=column('d')", "is not a partition column of the view; it has ds (string). Did you mean 'ds'?"),
        ],
    )
    def test_an_unknown_column_is_named_with_the_nearest(
        self, run: Run, view: View, clicks: TableIdentifier, columns: str, problem: str
    ) -> None:
        ended = run("publish", str(view.identifier), "--require", f"requires('{clicks}', {columns})")
        assert ended.code == 2
        assert problem in ended.err

    def test_requirements_have_the_words_of_python(
        self, run: Run, catalog: ViewCatalog, view: View, clicks: TableIdentifier
    ) -> None:
        rule = (
            f"requires('{clicks}', ds=timestamp(column('ds')).formatted('yyyy-MM-dd'), hr=range(2), "
            f"known_empty=[{{'ds': '2026-08-22', 'hr': 1}}], format='hive')"
        )
        assert run("publish", str(view.identifier), "--require", rule).code == 0
        assert catalog.partitions(view.identifier).names() == ["ds=2026-08-21", "ds=2026-08-22"]
        misspelt = run("publish", str(view.identifier), "--require", f"requires('{clicks}', ds=timestmp('ds'))")
        assert misspelt.code == 2
        assert "Did you mean 'timestamp'?" in misspelt.err
        assert misspelt.err.splitlines()[-1].strip() == "^"
        other_format = f"requires('{clicks}', ds=column('ds'), format='delta')"
        other = run("publish", str(view.identifier), "--require", other_format)
        assert other.code == 2
        assert "has the format hive, not delta" in other.err

    def test_a_run_that_was_done_is_skipped(self, run: Run, view: View, clicks: TableIdentifier) -> None:
        call = (
            "publish",
            str(view.identifier),
            "--require",
            f"requires('{clicks}', ds=column('ds'))",
            "--app-id",
            "job",
            "--run-version",
            "1",
        )
        assert run(*call, "--output", "json").document["added"] == ["ds=2026-08-21", "ds=2026-08-22"]
        assert run(*call, "--output", "json").document["skipped"] is True
        assert "this run was already completed" in run(*call).out

    def test_the_days_are_shown_as_a_calendar(self, run: Run, view: View, clicks: TableIdentifier) -> None:
        lines = run(
            "publish", str(view.identifier), "--require", f"requires('{clicks}', ds=column('ds'), hr=range(2))"
        ).out.splitlines()
        august = next(line for line in lines if line.startswith("2026-08"))
        assert august.split() == ["2026-08", "+", "w"]
        assert "+ declared now" in lines[-1]
        assert "w waiting" in lines[-1]
        assert max(len(line) for line in lines[-3:]) <= 80

    def test_what_has_lost_base_partitions_is_retracted_when_asked_for(
        self, run: Run, catalog: ViewCatalog, hms: HiveMetastore, view: View, clicks: TableIdentifier
    ) -> None:
        call = ("publish", str(view.identifier), "--require", f"requires('{clicks}', ds=column('ds'), hr=range(2))")
        assert run(*call).code == 0
        hms.drop_partitions(clicks, ["ds=2026-08-21/hr=01"], if_exists=False)
        assert run(*call, "--output", "json").document["retracted"] == []
        rehearsed = run(*call, "--retract", "--dry-run")
        assert ["ds=2026-08-21", "would", "be", "retracted"] in [line.split() for line in rehearsed.out.splitlines()]
        assert catalog.partitions(view.identifier).names() == ["ds=2026-08-21"]
        document = run(*call, "--retract", "--output", "json").document
        assert (document["retracted"], document["kept"]) == (["ds=2026-08-21"], {})
        assert catalog.partitions(view.identifier).names() == []


class TestRevalidate:
    def test_what_changed_under_published_partitions_is_reported(
        self, run: Run, catalog: ViewCatalog, hms: HiveMetastore, view: View, clicks: TableIdentifier
    ) -> None:
        rule = ("--require", f"requires('{clicks}', ds=column('ds'))")
        call = ("revalidate", str(view.identifier), *rule, "--fail-if-changed")
        assert run(*call).out == f"{view.identifier}: no partitions.\n"
        run("publish", str(view.identifier), *rule)
        ended = run(*call)
        assert (ended.code, ended.out.splitlines()[0]) == (0, f"{view.identifier}: 2 current.")
        ended = run(*call, "--metastore-only")
        assert (ended.code, ended.out.splitlines()[0]) == (0, f"{view.identifier}: 2 current by the metastore.")
        found = run(*call, "--metastore-only", "--output", "json").document["partitions"]
        assert {one["state"] for one in found.values()} == {"current by the metastore"}
        catalog.partitions(view.identifier).drop([{"ds": "2026-08-22"}])
        assert run("publish", str(view.identifier), *rule, "--max-fingerprints", "0").code == 0
        assert run(*call, "--output", "json").document["partitions"]["ds=2026-08-22"]["state"] == "unknown"
        catalog.partitions(view.identifier).drop([{"ds": "2026-08-22"}])
        run("publish", str(view.identifier), *rule)

        hms.drop_partitions(clicks, ["ds=2026-08-21/hr=01", "ds=2026-08-22/hr=00"], if_exists=False)
        ended = run(*call)
        assert ended.code == 6
        assert ended.out.splitlines()[0] == f"{view.identifier}: 1 changed, 1 missing."
        assert any(line.split() == ["2026-08", "~", "-"] for line in ended.out.splitlines())
        found = run(*call, "--output", "json").document["partitions"]
        assert {name: one["state"] for name, one in found.items()} == {
            "ds=2026-08-21": "changed",
            "ds=2026-08-22": "missing",
        }
        assert "1 of its partitions instead of 2" in found["ds=2026-08-21"]["reasons"][0]
        later = run(*call, "--since", "ds=2026-08-22", "--output", "json").document["partitions"]
        assert list(later) == ["ds=2026-08-22"]
        assert run("revalidate", str(view.identifier), *rule).code == 0

    def test_what_follows_is_planned_and_carried_out(
        self, run: Run, catalog: ViewCatalog, hms: HiveMetastore, view: View, clicks: TableIdentifier, tmp_path: Path
    ) -> None:
        name = str(view.identifier)
        run("publish", name, "--require", f"requires('{clicks}', ds=column('ds'))")
        assert "no published partition has changed" in run("revalidate", name, "--plan").out
        hms.drop_partitions(clicks, ["ds=2026-08-21/hr=01", "ds=2026-08-22/hr=00"], if_exists=False)
        lines = run("revalidate", name, "--plan").out.splitlines()
        assert lines[0] == f"{name}: 1 to be republished, 1 left."
        rows = {line.split()[0]: line.split()[1] for line in lines[2:] if line.startswith("ds=")}
        assert rows == {"ds=2026-08-21": "mark", "ds=2026-08-22": "left"}
        plan = run("revalidate", name, "--plan", "--redeclare", "--output", "json").document
        assert plan["views"][0]["partitions"]["ds=2026-08-21"]["action"] == "redeclare"
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        created = dict(catalog.partitions(name).load())["ds=2026-08-21"].create_time_s
        assert run("revalidate", name, "--republish").out.splitlines()[0] == f"{name}: 1 marked, 1 left."
        assert run("revalidate", name).out.splitlines()[0] == f"{name}: 1 current, 1 missing."
        assert dict(catalog.partitions(name).load())["ds=2026-08-21"].create_time_s == created

        # What the plan was made for is no longer as it was.
        applied = run("revalidate", "--apply", str(tmp_path / "plan.json"), "--output", "json").document["views"]
        assert (applied[0]["redeclared"], sorted(applied[0]["left"])) == ([], ["ds=2026-08-21", "ds=2026-08-22"])

        catalog.metastore.add_partitions(
            clicks, [Partition(("2026-08-21", "05"), has_descriptor=True)], if_not_exists=False
        )
        done = run("revalidate", name, "--republish", "--redeclare", "--output", "json").document["views"]
        assert [(one["identifier"], one["redeclared"]) for one in done] == [(name, ["ds=2026-08-21"])]
        assert run("revalidate", name).out.splitlines()[0] == f"{name}: 1 current, 1 missing."

    @pytest.mark.parametrize(
        "given",
        [
            ("--plan", "--republish"),
            ("--apply", __file__),
            ("--redeclare",),
            ("--plan", "--fail-if-changed"),
            ("--no-downstream",),
        ],
    )
    def test_options_that_contradict_each_other_are_refused(self, run: Run, view: View, given: tuple[str, ...]) -> None:
        assert run("revalidate", str(view.identifier), *given).code == 2

    def test_equal_lines_are_one(self, run: Run, catalog: ViewCatalog, view: View, clicks: TableIdentifier) -> None:
        catalog.partitions(view.identifier).add([{"ds": f"2026-07-{day:02}"} for day in range(1, 31)])
        rule = f"requires('{clicks}', ds=column('ds'))"
        lines = run("revalidate", str(view.identifier), "--require", rule).out.splitlines()
        assert lines[0] == f"{view.identifier}: 30 unknown."
        assert lines[2].startswith("ds=2026-07-01 ... ds=2026-07-30 (30)  unknown  ")
        assert not lines[3].startswith("ds=")

    def test_a_call_that_says_nothing_is_a_mistake(self, run: Run, view: View) -> None:
        assert run("revalidate").code == 2
        assert run("revalidate", str(view.identifier), "--only", "x").code == 2
        never = run("revalidate", str(view.identifier))
        assert never.code == 2
        assert "was published with are not recorded. Give them with --require" in never.err


class TestDoctor:
    def test_all_is_shown_on_one_screen(self, run: Run, view: View, tmp_path: Path) -> None:
        ended = run("--warehouse", str(tmp_path / "views"), "doctor")
        assert ended.code == 0, ended.out + ended.err
        assert len(ended.out.splitlines()) <= 24
        for expected in (
            "compare-and-swap: enforced",
            "locks: granted",
            "a file was written",
            "notification listener: off",
        ):
            assert expected in ended.out
        lines = [line.split(maxsplit=2) for line in ended.out.splitlines()]
        assert ["warehouse", str(tmp_path / "views"), "argument"] in lines
        assert any(line[:1] == ["uri"] and line[2] == "environment variable HIVE_VIEWS_URI" for line in lines)

    def test_something_wrong_exits_with_6_and_with_what_to_do(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        ended = run("--warehouse", str(tmp_path / "file" / "below"), "doctor", "--output", "json")
        assert ended.code == 6
        [storage] = [check for check in ended.document["checks"] if check["name"] == "storage"]
        assert storage["ok"] is False
        assert storage["advice"]

    def test_no_metastore_exits_with_7_and_no_traceback(self, run: Run) -> None:
        ended = run("--uri", "thrift://127.0.0.1:1", "doctor")
        assert (ended.code, ended.out) == (7, "")
        assert "127.0.0.1:1" in ended.err
        assert "Traceback" not in ended.err


class TestOutput:
    def test_an_error_is_one_json_document_on_stderr(self, run: Run) -> None:
        ended = run("show", "default.no_such_view", "--output", "json")
        assert (ended.code, ended.out) == (3, "")
        error = json.loads(ended.err)["error"]
        assert (error["class"], error["code"]) == ("NoSuchViewError", "not_found")
        assert error["details"]["identifier"] == "default.no_such_view"

    def test_a_missing_namespace_and_a_misspelt_view_are_said_to_be_so(self, run: Run, view: View) -> None:
        misspelt = run("show", f"{view.identifier.namespace}.dayly")
        assert (misspelt.code, "Did you mean" in misspelt.err, str(view.identifier) in misspelt.err) == (3, True, True)
        missing = run("show", "no_such_namespace.v", "--output", "json")
        assert json.loads(missing.err)["error"]["class"] == "NoSuchNamespaceError"

    @pytest.mark.parametrize(("location", "code"), [("http://", 2), ("s4://lake/v", 7), ("/dev/null/v", 7)])
    def test_a_bad_location_is_one_line(self, run: Run, view: View, location: str, code: int) -> None:
        ended = run("alter", str(view.identifier), "--location", location)
        assert (ended.code, ended.out) == (code, "")
        # The log warns on stderr, too: of a file that could neither be written nor deleted.
        [line] = [line for line in ended.err.splitlines() if not line.startswith("WARNING: ")]
        assert line.startswith("Error: Cannot ")
        assert location in line
        assert "Traceback" not in ended.err

    def test_an_empty_location_is_a_usage_error(self, run: Run, view: View) -> None:
        ended = run("alter", str(view.identifier), "--location", "")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.splitlines()[-1].startswith("Error: Specify at least one of --sql, ")

    def test_advice_is_in_the_words_of_the_command(self, run: Run, catalog: ViewCatalog, view: View) -> None:
        run("drop", str(view.identifier))
        lost = run("show", str(view.identifier))
        assert f"`hive-views undrop {view.identifier}` " in lost.err
        assert "undrop(" not in lost.err

    def test_with_logs_stdout_stays_one_document(self, run: Run, view: View) -> None:
        ended = run("-v", "--output", "json", "alter", str(view.identifier), "--comment", "x")
        assert ended.document["changed"] is True
        assert "hive_views.views.commit.engine" in ended.err
        quiet = run("--output", "json", "alter", str(view.identifier), "--comment", "y")
        assert quiet.document["changed"] is True
        assert quiet.err == ""

    def test_the_traceback_is_shown_only_on_demand(self, run: Run) -> None:
        assert "Traceback" not in run("show", "default.no_such_view").err
        verbose = run("--verbose", "show", "default.no_such_view")
        assert verbose.code == 3
        assert "Traceback" in verbose.err
        assert verbose.err.rstrip().endswith("Error: There is no view default.no_such_view.")

    def test_a_setting_that_does_not_exist_ends_with_2_and_the_nearest_known_one(self, run: Run) -> None:
        ended = run("list", HIVE_VIEWS_WAREHOUS="x")
        assert (ended.code, ended.out) == (2, "")
        assert "HIVE_VIEWS_WAREHOUSE" in ended.err

    @pytest.mark.parametrize("call", [("doctor",), ("-v", "list"), ("-v", "show", "default.no_such_view")])
    def test_secrets_are_never_shown(self, run: Run, call: tuple[str, ...]) -> None:
        ended = run(
            *call,
            HIVE_VIEWS_PASSWORD=SECRET,
            HIVE_VIEWS_STORAGE_OPTIONS=json.dumps({"secret": SECRET, "nested": {"key": SECRET}}),
            HIVE_VIEWS_WAREHOUSE=f"memory://ada:{SECRET}@views",
        )
        assert SECRET not in ended.out + ended.err
        if call == ("doctor",):
            assert "storage_options" in ended.out

    @pytest.mark.parametrize("call", [("doctor",), ("-v", "list"), ("metastore", "status")])
    def test_a_password_in_the_uri_is_never_shown(self, run: Run, call: tuple[str, ...]) -> None:
        ended = run(*call, HIVE_VIEWS_URI=f"thrift://ada:{SECRET}@127.0.0.1:1")
        assert ended.code != 0
        assert SECRET not in ended.out + ended.err
        assert "127.0.0.1:1" in ended.out + ended.err

    def test_a_named_catalog_of_the_file_is_used(
        self, run: Run, metastore_uri: str, view: View, tmp_path: Path
    ) -> None:
        file = tmp_path / "settings.toml"
        file.write_text(f'[catalogs.dev]\nuri = "{metastore_uri}"\n[catalogs.gone]\nuri = "thrift://127.0.0.1:1"')
        assert run("--config", str(file), "--catalog", "dev", "show", str(view.identifier), HIVE_VIEWS_URI="").code == 0
        assert run("--config", str(file), "--catalog", "gone", "list", HIVE_VIEWS_URI="").code == 7

    def test_the_version_is_that_of_the_package(self, run_process: Run) -> None:
        from importlib.metadata import version

        assert run_process("--version").out == f"hive-views {version('hive_views')}\n"


class TestMetastore:
    def test_a_server_is_started_looked_at_and_stopped(self, run_process: Run, java: Path, tmp_path: Path) -> None:
        home = tmp_path / "metastore"
        assert run_process("metastore", "status", str(home), "--output", "json").document["running"] is False
        try:
            started = run_process("metastore", "start", str(home))
            assert started.code == 0, started.err
            found = run_process("--uri", f"local://{home}", "metastore", "status", "--output", "json").document
            assert (found["running"], found["persistent"]) == (True, True)
            assert started.out.startswith(f"{found['uri']} is running in {home}")
            assert run_process("--uri", found["uri"], "list", "default.*").code == 0
            assert run_process("--uri", f"local://{home}", "list", "default.*").code == 0
            assert LocalMetastore(home).status().running
        finally:
            stopped = run_process("metastore", "stop", str(home))
        assert stopped.code == 0
        assert stopped.out == f"Stopped {found['uri']}, which was running in {home} (process {found['pid']}).\n"
        assert run_process("metastore", "stop", str(home)).out == f"No metastore is running in {home}.\n"

    @pytest.mark.parametrize(
        "call",
        [
            ("list", "default.*"),
            ("show", "default.v"),
            ("doctor",),
            ("drop", "default.v", "--if-exists"),
            ("execute", "CREATE VIEW v AS SELECT 1 AS a", "--dry-run"),
        ],
    )
    def test_a_command_that_needs_a_metastore_makes_none(
        self, run_process: Run, tmp_path: Path, call: tuple[str, ...]
    ) -> None:
        home = tmp_path / "mistyped path"
        ended = run_process(*call, HIVE_VIEWS_URI=f"local://{home}")
        assert ended.code == 3
        assert f"There is no metastore in {home}. Check the path, or create one:" in " ".join(ended.err.split())
        assert f"hive-views metastore start '{home}'" in " ".join(ended.err.split())
        assert not home.exists()

    def test_a_command_starts_the_server_it_needs_and_ends_it(
        self, run_process: Run, java: Path, tmp_path: Path
    ) -> None:
        home = tmp_path / "metastore"
        (tmp_path / "v.sql").write_text("SELECT 1 AS a")
        uri = f"local://{home}"
        made = run_process(
            "create", "default.v", "--sql", f"hive={tmp_path}/v.sql", "--column", "a int", HIVE_VIEWS_URI=uri
        )
        assert made.code == 0, made.err
        assert f"file://{home}/views/default.db/v/metadata/" in made.out
        assert not LocalMetastore(home).status().running
