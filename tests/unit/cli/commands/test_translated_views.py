"""SQL of views that is translated: --translate and --allow of create, replace and alter, and what shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from hive_views.translation import RULES_VERSION
from hive_views.views.catalog import ViewCatalog
from tests.unit.estate_of_clicks import clicks_estate

UPPER = "SELECT page AS p, upper(page) AS u\nFROM web.clicks"
LOWER = "SELECT page AS p, lower(page) AS u\nFROM web.clicks"
REFUSED = "SELECT page AS p,\n  my_udf(page) AS u\nFROM web.clicks WHERE hash(page) > 1"
SORTED = "SELECT page AS p, upper(page) AS u\nFROM web.clicks ORDER BY page LIMIT 3"
COLUMNS = ("--column", "p string", "--column", "u string")


@pytest.fixture(autouse=True)
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ViewCatalog:
    catalog = clicks_estate(f"file://{tmp_path}")
    # A memory: metastore lives in one process, and each call of the command makes one.
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)
    monkeypatch.chdir(tmp_path)
    for name, text in (("upper", UPPER), ("lower", LOWER), ("refused", REFUSED), ("sorted", SORTED)):
        (tmp_path / f"{name}.sql").write_text(text)
    return catalog


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", *arguments])


def create(file: str = "upper", *options: str) -> Result:
    return run("create", "sales.v", "--sql", f"hive={file}.sql", *COLUMNS, *options)


def test_a_dry_run_shows_the_sql_that_would_be_made(catalog: ViewCatalog) -> None:
    shown = create("upper", "--translate", "trino", "--dry-run")
    assert shown.exit_code == 0
    assert (
        shown.stdout.splitlines()[1] == f"  trino: translated from hive (rules {RULES_VERSION}); findings: letter-case"
    )
    assert '+  upper("clicks"."page") AS "u"' in shown.stdout
    assert not catalog.view_exists("sales.v")


def test_a_refusal_in_a_script_has_its_place_in_the_file(tmp_path: Path) -> None:
    script = f"USE sales;\nCREATE VIEW v (p STRING, u STRING) AS\n{REFUSED}\nDIALECT trino TRANSLATED FROM hive;\n"
    (tmp_path / "script.sql").write_text(script)
    failed = run("execute", "--file", "script.sql")
    assert failed.exit_code == 6
    assert "script.sql:4:3: my_udf(page): " in failed.stderr
    assert "\n  my_udf(page) AS u\n  ^\n" in failed.stderr


def test_what_rare_values_do_is_told_once(catalog: ViewCatalog) -> None:
    done = create("upper", "--translate", "Trino=Hive")
    assert done.stderr.count("[letter-case]") == 1
    assert done.stderr.startswith("WARNING: view sales.v: the trino SQL: line 1, column 19: upper(page): ")
    assert run("alter", "sales.v", "--sql", "hive=lower.sql").stderr == ""
    assert run("alter", "sales.v", "--translate", "trino").stdout.startswith("Nothing to alter")
    assert 'lower("clicks"."page")' in str(catalog.load_view("sales.v").original_sql("trino"))


def test_a_refusal_shows_each_place_in_the_file_and_ends_with_6(catalog: ViewCatalog) -> None:
    refused = create("refused", "--translate", "trino")
    assert (refused.exit_code, refused.stdout) == (6, "")
    lines = refused.stderr.splitlines()
    assert lines[0] == "Error: Cannot translate the SQL of sales.v from hive to trino."
    assert lines[1].startswith("refused.sql:2:3: my_udf(page): ")
    assert lines[1].endswith(" [udf]")
    assert lines[2:4] == ["  my_udf(page) AS u", "  ^"]
    assert lines[4].startswith("refused.sql:3:23: hash(page): ")
    assert not catalog.view_exists("sales.v")


def test_a_refusal_of_sql_that_the_view_has_names_the_view(catalog: ViewCatalog) -> None:
    assert create("refused").exit_code == 0
    refused = run("alter", "sales.v", "--translate", "trino")
    assert refused.exit_code == 6
    assert refused.stderr.splitlines()[1].startswith("sales.v (hive):2:3: my_udf(page)")
    assert "  ^" in refused.stderr.splitlines()


def test_a_refusal_in_json_has_the_findings() -> None:
    error = json.loads(create("refused", "--translate", "trino", "--output", "json").stderr)["error"]
    assert (error["class"], error["code"], error["exit_code"]) == ("TranslationRefusedError", "check_failed", 6)
    assert (error["details"]["source"], error["details"]["dialect"]) == ("hive", "trino")
    first = error["details"]["findings"][0]
    assert (first["code"], first["kind"], first["line"], first["column"]) == ("udf", "unsupported", 2, 3)


def test_no_terminal_obeys_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.sql").write_text("SELECT page AS p, my_udf('\x1b]52;c;cm0gLXJm\x07') AS u FROM web.clicks")
    refused = create("bad", "--translate", "trino")
    assert (refused.exit_code, "\x1b" in refused.stderr) == (6, False)


def test_a_difference_that_is_allowed_is_shown_and_stays_so() -> None:
    assert create("sorted", "--translate", "trino").exit_code == 6
    done = create("sorted", "--translate", "trino", "--allow", "null-order")
    assert (
        f"trino: translated from hive (rules {RULES_VERSION}); allowed: null-order; findings: letter-case"
        in done.stdout
    )
    assert "[null-order]" not in done.stderr
    shown = json.loads(run("show", "sales.v", "--output", "json").stdout)["translations"]["trino"]
    findings = ["letter-case", "null-order"]
    assert shown == {
        "source": "hive",
        "rules_version": RULES_VERSION,
        "allow": ["null-order"],
        "findings": findings,
        "proofs": [],
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("create", "sales.x", "--sql", "hive=upper.sql", "--allow", "null-order"), "specify --translate"),
        (("alter", "sales.joined", "--comment", "x", "--allow", "null-order"), "specify --translate"),
        (("replace", "sales.joined", "--sql", "hive=upper.sql", "--allow", "null-order"), "specify --translate"),
        (("alter", "sales.joined", "--translate", "trino", "--translate", "trino=spark"), "is given twice"),
        (("alter", "sales.joined", "--translate", "trinoo"), "Did you mean 'trino'?"),
        (("alter", "sales.joined", "--translate", "trino", "--allow", "nul-order"), "Did you mean 'null-order'?"),
        (("alter", "sales.joined"), "--translate"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: tuple[str, ...], said: str) -> None:
    refused = run(*arguments)
    assert (refused.exit_code, said in refused.stderr) == (2, True), refused.stderr


def test_the_source_is_hive_or_else_spark_that_is_not_translated_itself(catalog: ViewCatalog) -> None:
    columns = [("p", "string"), ("u", "string")]
    catalog.create_view("sales.s", sql={"spark": LOWER}, schema=columns)
    assert "trino: translated from spark" in run("alter", "sales.s", "--translate", "trino").stdout
    assert "hive: translated from spark" in run("alter", "sales.s", "--translate", "hive").stdout
    # The hive SQL is itself translated now.
    assert run("alter", "sales.s", "--translate", "trino").stdout.startswith("Nothing to alter")
    refused = run("alter", "sales.s", "--translate", "trino=hive")
    assert (refused.exit_code, "itself translated from spark" in refused.stderr) == (2, True)
    refused = run("alter", "sales.joined", "--translate", "hive")
    assert (refused.exit_code, "it has none in spark, only in hive" in refused.stderr) == (3, True)


def test_sql_that_cannot_be_translated_any_more_is_stale_with_the_way_out() -> None:
    create("sorted", "--translate", "trino", "--allow", "null-order")
    changed = run("alter", "sales.v", "--sql", "hive=refused.sql")
    assert changed.exit_code == 0
    assert "the trino SQL stays as it was: Cannot translate the SQL of sales.v from hive to trino" in changed.stderr
    again = "`hive-views alter sales.v --translate trino=hive --allow null-order` translates it again, or says why not."
    assert again in changed.stdout
    assert (
        f"trino was translated from hive (rules {RULES_VERSION}); allowed: null-order" in run("show", "sales.v").stdout
    )
    assert "trino is stale" in run("show", "sales.v").stdout
    checked = run("check", "sales.v")
    assert (checked.exit_code, checked.stdout.count("text-stale (warning)")) == (6, 1)
    assert "It cannot be translated again. Cannot translate" in checked.stdout
    # Back to SQL that can be.
    assert "trino: translated from hive" in run("replace", "sales.v", "--sql", "hive=lower.sql").stdout
    assert run("check", "sales.v").exit_code == 0


def test_sql_given_by_hand_is_not_translated_any_more() -> None:
    create("upper", "--translate", "trino")
    changed = run("alter", "sales.v", "--sql", "trino=lower.sql", "--same-meaning")
    assert "  trino: no longer translated from hive" in changed.stdout.splitlines()
    assert "translated from" not in run("show", "sales.v").stdout
    lines = run("diff", "sales.v").stdout.splitlines()
    assert lines[0] == "--- version 1, translations"
    assert lines[3] == f"-trino: translated from hive (rules {RULES_VERSION}); findings: letter-case"


def test_lists_say_briefly_what_is_translated(catalog: ViewCatalog) -> None:
    create("upper", "--translate", "trino", "--translate", "spark")
    history = run("history", "sales.v")
    assert "spark (from hive), hive, trino (from hive)" in history.stdout
    entry = json.loads(run("history", "sales.v", "--output", "json").stdout)["history"][0]
    assert {one: record["source"] for one, record in entry["translations"].items()} == {
        "spark": "hive",
        "trino": "hive",
    }
    assert "trino (from hive)" in catalog.load_view("sales.v")._repr_html_()
