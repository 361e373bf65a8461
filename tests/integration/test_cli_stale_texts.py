"""Stale texts in the shell, on the embedded metastore."""

from __future__ import annotations

from pathlib import Path

from hive_views import ViewCatalog
from tests.integration.conftest import Run


def test_a_stale_text_is_shown_until_it_is_true_again(
    run: Run, catalog: ViewCatalog, namespace: str, here: Path
) -> None:
    name = f"{namespace}.daily"
    sql = {"hive": "SELECT 1 AS a", "trino": "SELECT 1 AS a", "other:acme": "one"}
    catalog.create_view(name, sql=sql, schema=[("a", "int")])
    (here / "two.sql").write_text("SELECT 2 AS a")
    changed = run("alter", name, "--sql", "hive=two.sql")
    assert f"`hive-views alter {name} --still-true trino` says so." in changed.out
    assert f"`hive-views alter {name} --sql other:acme=FILE` changes it" in changed.out
    assert "trino is stale: its SQL did not change" in run("show", name).out
    assert run("show", name, "--output", "json").document["stale_dialects"] == ["trino", "acme"]
    printed = run("sql", name, "--dialect", "trino")
    assert printed.out == "SELECT 1 AS a\n"
    assert "the trino SQL is stale" in printed.err
    checked = run("check", name)
    assert (checked.code, checked.out.count("text-stale")) == (6, 2)
    assert "trino (stale)" in run("history", name).out.splitlines()[2]
    assert "+trino" in run("diff", name).out
    done = run("alter", name, "--still-true", "Trino", "--drop-dialect", "other:acme", "--output", "json").document
    assert (done["changed"], done["stale_dialects"]) == (True, [])
    assert run("check", name).code == 0
    assert "version 2 of view" in run("sql", name, "--dialect", "trino", "--version", "2").err
    assert run("alter", name, "--sql", "hive=two.sql", "--same-meaning").out.startswith("Nothing to alter")
    (here / "three.sql").write_text("SELECT 1 + 1 AS a")
    assert run("alter", name, "--sql", "hive=three.sql", "--same-meaning", "--dry-run").out.count("it is stale") == 0
    assert run("replace", name, "--sql", "hive=three.sql", "--sql", "trino=two.sql").out.count("it is stale") == 0
    assert run("alter", name, "--still-true", "presto").code == 3
    assert run("alter", name).code == 2
