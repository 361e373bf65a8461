"""Commands that are for many views as for one: what they select, leave, ask, and print of each view."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.plain_rows.broken import BROKEN, sound_row
from tests.support.views.quick_catalog import catalog_on

DAILY, WEEKLY, PLAIN = "sales.daily", "sales.weekly", "sales.plain"


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ViewCatalog:
    """Two views with two versions, and a plain one."""
    catalog = catalog_on(MemoryMetastore(), f"file://{tmp_path}", owner="ada")
    for name in (DAILY, WEEKLY):
        catalog.create_view(name, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        catalog.replace_view(name, sql={"hive": "SELECT 2 AS a"})
    text = "SELECT 1 AS `a`"
    columns = (Column("a", "int"),)
    plain = Row(TableIdentifier.of(PLAIN), VIRTUAL_VIEW, "ada", None, columns, original_text=text, expanded_text=text)
    catalog.metastore.create_row(plain)
    # A memory: metastore lives in one process, and each call of the command makes one.
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)
    return catalog


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", *arguments], stdin)


def states(result: Result) -> dict[str, str]:
    return {one["identifier"]: one["state"] for one in json.loads(result.stdout)["views"]}


def versions(catalog: ViewCatalog) -> list[int]:
    return [catalog.load_view(name).metadata.current_version_id for name in (DAILY, WEEKLY)]


@pytest.mark.parametrize("selection", [("sales.*",), ("--namespace", "sales"), ("--all",)])
def test_views_of_a_pattern_are_rolled_back_and_plain_ones_left(
    catalog: ViewCatalog, selection: tuple[str, ...]
) -> None:
    result = run("roll-back", *selection, "--version", "1", "--output", "json")
    assert result.exit_code == 0
    assert states(result) == {DAILY: "done", WEEKLY: "done", PLAIN: "left"}
    assert versions(catalog) == [1, 1]
    assert f"`hive-views adopt {PLAIN}`" in result.stdout


def test_a_dry_run_on_a_pattern_changes_nothing(catalog: ViewCatalog) -> None:
    result = run("roll-back", "sales.*", "--version", "1", "--dry-run", "--output", "json")
    assert states(result) == {DAILY: "planned", WEEKLY: "planned", PLAIN: "left"}
    assert versions(catalog) == [2, 2]
    assert run("drop", "sales.*", "--purge", "--dry-run").exit_code == 0
    assert versions(catalog) == [2, 2]


def test_one_view_that_fails_does_not_stop_the_others_and_the_command_ends_with_1(catalog: ViewCatalog) -> None:
    catalog.tag_view(WEEKLY, "before", version=1)
    result = run("roll-back", "sales.*", "--tag", "before", "--output", "json")
    assert result.exit_code == 1
    assert states(result) == {DAILY: "failed", WEEKLY: "done", PLAIN: "left"}
    assert versions(catalog) == [2, 1]


def test_of_many_views_equal_outcomes_are_one_line_and_failures_the_last_with_their_names(catalog: ViewCatalog) -> None:
    for number in range(20):
        catalog.metastore.create_row(sound_row(TableIdentifier("sales", f"v{number:02}"), number))
    for number in range(12):
        catalog.metastore.create_row(BROKEN["no_text"](TableIdentifier("sales", f"broken{number:02}")))
    catalog.metastore.create_row(BROKEN["no_columns"](TableIdentifier("sales", "other")))
    result = run("adopt", "sales.*")
    lines = result.stdout.splitlines()
    assert lines[0] == "21 adopted: sales.plain, sales.v00, sales.v01 and 18 more."
    ten = ", ".join(f"sales.broken{number:02}" for number in range(10))
    assert [line.split()[:2] for line in lines[2:-3]] == [
        ["sales.daily", "unchanged"],
        ["sales.weekly", "unchanged"],
        ["sales.other", "failed"],
    ]
    assert lines[-3:] == [
        f"12 failed (BrokenViewError): {ten} and 2 more. For example: View sales.broken00 is broken: it has no text.",
        "",
        "36 views: 21 adopted, 2 unchanged, 13 failed (BrokenViewError).",
    ]
    assert len(states(run("adopt", "sales.*", "--output", "json"))) == 36


def test_a_tag_is_given_to_many_views_moved_and_taken_away(catalog: ViewCatalog) -> None:
    assert states(run("tag", DAILY, WEEKLY, "before", "--output", "json")) == {DAILY: "done", WEEKLY: "done"}
    assert catalog.load_view(WEEKLY).tags == {"before": 2}
    again = run("tag", "--namespace", "sales", "before", "--output", "json")
    assert states(again) == {DAILY: "unchanged", WEEKLY: "unchanged", PLAIN: "left"}
    assert "2 unchanged" in run("tag", "--all", "before").stdout
    catalog.untag_view(DAILY, "before")
    removed = run("tag", "sales.*", "before", "--delete", "--if-exists", "--output", "json")
    assert (removed.exit_code, states(removed)) == (0, {DAILY: "unchanged", WEEKLY: "done", PLAIN: "left"})
    assert run("tag", "sales.*", "before", "--delete").exit_code == 1


def test_a_tag_that_is_missing_is_no_error_where_that_is_said(catalog: ViewCatalog) -> None:
    assert run("tag", DAILY, "gone", "--delete").exit_code == 3
    result = run("tag", DAILY, "gone", "--delete", "--if-exists")
    assert (result.exit_code, result.stdout) == (0, f"Nothing to do: {DAILY} has no tag gone.\n")
    assert run("tag", DAILY, "new", "--if-exists").exit_code == 2


def test_many_rows_are_repaired(catalog: ViewCatalog) -> None:
    row = catalog.metastore.load_row(TableIdentifier.of(DAILY))
    parameters = {**row.parameters, "comment": "changed by somebody"}
    catalog.metastore.swap_row(replace(row, parameters=parameters), expected=None)
    result = run("repair", "sales.*", "--on-drift", "overwrite", "--output", "json")
    assert states(result) == {DAILY: "done", WEEKLY: "unchanged", PLAIN: "left"}
    assert catalog.load_view(DAILY).differences == ()


class TestDrop:
    def test_a_pattern_needs_an_answer_where_nobody_can_give_one(self, catalog: ViewCatalog) -> None:
        result = run("drop", "sales.*")
        assert result.exit_code == 2
        assert "This drops 2 views. Confirm with --yes" in result.stderr
        assert len(catalog.list_views("sales")) == 2

    def test_a_pattern_is_dropped_with_yes_and_plain_views_stay(self, catalog: ViewCatalog) -> None:
        result = run("drop", "sales.*", "--yes", "--output", "json")
        assert (result.exit_code, states(result)) == (0, {DAILY: "done", WEEKLY: "done", PLAIN: "left"})
        assert catalog.list_views("sales") == []
        assert catalog.metastore.load_row(TableIdentifier.of(PLAIN)).is_view
        assert all(one["metadata_location"] for one in json.loads(result.stdout)["views"] if one["state"] == "done")

    @pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, 0), ("n\n", 1, 2)])
    def test_on_a_terminal_the_command_asks(
        self, catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, left: int
    ) -> None:
        monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True)
        result = run("drop", "--namespace", "sales", stdin=answer)
        assert result.exit_code == code
        assert "Drop 2 views?" in result.stderr
        assert ("Nothing was dropped." in result.stderr) is bool(left)
        assert len(catalog.list_views("sales")) == left

    def test_names_are_dropped_at_once(self, catalog: ViewCatalog) -> None:
        assert run("drop", DAILY, WEEKLY).exit_code == 0
        assert catalog.list_views("sales") == []

    def test_what_does_not_exist_is_no_error_where_that_is_said(self, catalog: ViewCatalog) -> None:
        assert run("drop", DAILY, "sales.gone").exit_code == 3
        assert run("drop", "sales.x*").exit_code == 3
        assert len(catalog.list_views("sales")) == 2
        assert run("drop", "sales.x*", "--if-exists").exit_code == 0
        result = run("drop", DAILY, "sales.gone", "nowhere.gone", "--if-exists", "--output", "json")
        assert (result.exit_code, states(result)) == (0, {DAILY: "done"})


@pytest.mark.parametrize("command", [("roll-back", "--version", "1"), ("tag", "x"), ("repair",), ("drop",)])
def test_without_a_view_nothing_is_done(catalog: ViewCatalog, command: tuple[str, ...]) -> None:
    result = run(*command)
    assert result.exit_code == 2
    assert "Specify the views" in result.stderr
    assert versions(catalog) == [2, 2]


@pytest.mark.parametrize("version", [("--version", "1"), ("--tag", "first"), ("--as-of", "TIME")])
@pytest.mark.parametrize("command", ["show", "sql", "diff", "roll-back"])
def test_a_version_is_named_in_the_same_three_ways(
    catalog: ViewCatalog, command: str, version: tuple[str, str]
) -> None:
    view = catalog.tag_view(DAILY, "first", version=1)
    began = datetime.fromtimestamp(view.history[0].timestamp_ms / 1000, timezone.utc)
    option, value = version
    value = began.isoformat(timespec="milliseconds") if value == "TIME" else value
    document = json.loads(run(command, DAILY, option, value, "--output", "json").stdout)
    assert (document["from"] if command == "diff" else document["version_id"]) in (1, "1", "version 1")


def test_two_ways_to_name_what_is_compared_are_refused(catalog: ViewCatalog) -> None:
    assert run("diff", DAILY, "1", "--tag", "x").exit_code == 2
    assert run("diff", DAILY, "1", "2").exit_code == 0


@pytest.mark.parametrize(
    ("former", "told"),
    [
        (("roll-back", DAILY, "1"), "--version"),
        (("roll-back", DAILY, "--to-version", "1"), "--version"),
        (("roll-back", DAILY, "--to-tag=first"), "--tag"),
        (("release", DAILY), "hand-back"),
        (("status", "sales"), "--namespace"),
    ],
)
def test_former_words_are_accepted_with_a_line_on_stderr(
    catalog: ViewCatalog, former: tuple[str, ...], told: str
) -> None:
    catalog.tag_view(DAILY, "first", version=1)
    result = run(*former)
    assert (result.exit_code, len(result.stderr.splitlines())) == (0, 1)
    assert told in result.stderr


def test_no_help_has_a_former_word() -> None:
    shown = run("roll-back", "--help").stdout + run("--help").stdout
    assert [word for word in ("--to-", "release ") if word in shown] == []


def test_status_and_revalidate_take_patterns(catalog: ViewCatalog) -> None:
    assert "No publications: none of these views was ever published." in run("status", "sales.*").stdout
    assert run("status", "sales.x*").exit_code == 3
    result = run("revalidate", "sales.*")
    assert (result.exit_code, result.stdout) == (0, "None of these views was ever published.\n")
    assert run("revalidate", "sales.*", "--require", "requires('a.b')").exit_code == 2
    named = run("revalidate", DAILY, WEEKLY, "--output", "json")
    assert named.exit_code == 1
    assert [one["identifier"] for one in json.loads(named.stdout)["views"]] == [DAILY, WEEKLY]
