"""Earlier versions in the shell: as of a time, by tag, and rolling back to them; on the embedded metastore."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from hive_views import View, ViewCatalog
from tests.integration.conftest import Run


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str) -> View:
    """Two versions: of one column, and of two."""
    name = f"{namespace}.daily"
    catalog.create_view(name, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    return catalog.replace_view(name, sql={"hive": "SELECT 1 AS a, 2 AS b"}, schema=[("a", "int"), ("b", "int")])


def test_a_version_is_found_by_its_time(run: Run, view: View) -> None:
    name = str(view.identifier)
    first_ms = view.history[0].timestamp_ms
    first = datetime.fromtimestamp(first_ms / 1000, timezone.utc).isoformat(timespec="milliseconds")
    assert run("sql", name, "--as-of", first, "--original").out == "SELECT 1 AS a\n"
    shown = run("show", name, "--as-of", first, "--output", "json").document
    assert (shown["version_id"], shown["current_version_id"], shown["current_since_ms"]) == (1, 2, first_ms)
    assert [column["name"] for column in shown["columns"]] == ["a"]
    lines = run("show", name, "--as-of", first).out
    assert "The current version is 2." in lines
    before = run("show", name, "--as-of", "2001-01-01")
    assert before.code == 3
    assert "its history begins at" in before.err
    assert run("sql", name, "--as-of", "lately").code == 2
    assert run("sql", name, "--as-of", first, "--version", "1").code == 2
    assert run("roll-back", name, "--as-of", first).out.startswith(f"Rolled back {name}: version 2 -> 1,")


def test_of_a_version_that_was_rolled_back_to_the_period_is_shown_that_the_time_falls_in(
    run: Run, view: View, catalog: ViewCatalog
) -> None:
    back = catalog.roll_back_view(view.identifier, to_version=1)
    first, _, third = (entry.timestamp_ms for entry in back.history)
    for since_ms in (first, third):
        when = datetime.fromtimestamp(since_ms / 1000, timezone.utc).isoformat(timespec="milliseconds")
        shown = run("show", str(view.identifier), "--as-of", when, "--output", "json").document
        assert (shown["version_id"], shown["current_since_ms"]) == (1, since_ms)


def test_a_version_is_tagged_shown_and_rolled_back_to(run: Run, view: View, catalog: ViewCatalog) -> None:
    name = str(view.identifier)
    rehearsed = run("tag", name, "release-1", "--version", "1", "--dry-run")
    assert rehearsed.out == f"Tag release-1 of {name} would name version 1.\n"
    assert catalog.load_view(name).tags == {}
    assert run("tag", name, "release-1", "--version", "1").out == f"Tag release-1 of {name} names version 1.\n"
    assert run("tag", name, "release-1", "--version", "1").out.startswith("Nothing to do: ")
    assert run("history", name).out.splitlines()[1].endswith("release-1")
    assert run("history", name, "--output", "json").document["tags"] == {"release-1": 1}
    assert "release-1 (version 1)" in run("show", name).out
    assert run("sql", name, "--tag", "release-1", "--original").out == "SELECT 1 AS a\n"
    refused = run("tag", name, "release-1")
    assert refused.code == 4
    assert f"`hive-views tag {name} release-1 --move` moves it" in refused.err
    back = run("roll-back", name, "--tag", "release-1", "--output", "json").document
    assert back["version_id"] == 1
    assert run("tag", name, "release-1", "--delete", "--output", "json").document["tags"] == {}
    assert run("tag", name, "release-1", "--delete").code == 3


def test_a_tagged_version_from_before_the_history_is_listed(run: Run, view: View, catalog: ViewCatalog) -> None:
    name = str(view.identifier)
    catalog.tag_view(name, "release-1", version=1)
    catalog.alter_view(name, set_properties={"version.history.num-entries": "1"})
    for number in (3, 4):
        catalog.replace_view(name, sql={"hive": f"SELECT 1 AS a, {number} AS b"})
    assert run("history", name).out.splitlines()[-1] == "Older versions kept by a tag: release-1 (version 1)"


@pytest.mark.parametrize("options", [(), ("--version", "1", "--tag", "x"), ("--as-of", "2026-01-01", "--tag", "x")])
def test_a_roll_back_says_in_one_way_where_to(run: Run, view: View, options: tuple[str, ...]) -> None:
    ended = run("roll-back", str(view.identifier), *options)
    assert ended.code == 2
    assert "exactly one of" in ended.err
