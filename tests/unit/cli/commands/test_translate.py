"""The command translate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hive_views import ViewCatalog
from hive_views.cli import cli
from hive_views.config import Settings
from tests.unit.estate_of_clicks import clicks_estate
from tests.unit.told_engine import Told


@pytest.fixture(autouse=True)
def estate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = clicks_estate(f"file://{tmp_path}")
    # A memory: metastore lives in one process, and each call of the command makes one.
    monkeypatch.setattr(Settings, "connect", lambda given: _with_functions(catalog, given.udfs))


def _with_functions(catalog: ViewCatalog, udfs: Mapping[str, Any]) -> ViewCatalog:
    return ViewCatalog(catalog.metastore, catalog.storage, settings=replace(catalog.settings, udfs=udfs))


def run(*arguments: str, sql: str) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", "translate", "-", *arguments], input=sql)


def test_the_query_is_the_output() -> None:
    result = run(sql="SELECT user_id, count(*) AS n FROM web.clicks GROUP BY user_id")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        'SELECT\n  "clicks"."user_id" AS "user_id",\n  count(*) AS "n"\n'
        'FROM "web"."clicks"\nGROUP BY "clicks"."user_id"\n'
    )


def test_a_refusal_shows_each_place_with_its_code_and_ends_with_6() -> None:
    result = run("--database", "web", sql="SELECT my_udf(page) AS a,\n  hash(page) AS b\nFROM clicks")
    assert result.exit_code == 6
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0].startswith(
        "-:1:8: my_udf(page): it is a function of users (UDF), and the setting udfs does not say"
    )
    assert lines[0].endswith("it has no entry for my_udf. [udf]")
    assert lines[1:3] == ["SELECT my_udf(page) AS a,", "       ^"]
    assert lines[3].startswith("-:2:3: ")
    assert lines[-1] == "Cannot translate - from hive to trino."


def test_a_function_of_a_user_is_that_of_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    udfs = {"mine": {"type": "string", "arguments": ["string"], "hive": "my_udf", "trino": "lake.udf.mine"}}
    monkeypatch.setenv("HIVE_VIEWS_UDFS", json.dumps(udfs))
    result = run(sql="SELECT my_udf(page) AS a FROM web.clicks")
    assert result.exit_code == 0, result.stderr
    assert 'lake.udf.mine("clicks"."page") AS "a"' in result.stdout


def test_no_terminal_obeys_what_is_refused() -> None:
    result = run(sql="SELECT my_udf('\x1b]52;c;cm0gLXJm\x07') AS a FROM web.clicks")
    assert result.exit_code == 6
    assert "\x1b" not in result.stderr
    assert "\x07" not in result.stderr
    assert "my_udf(" in result.stderr


def test_json_has_all_of_it() -> None:
    document = json.loads(run("--output", "json", sql="SELECT upper(page) AS p FROM web.clicks").stdout)
    assert document["status"] == "translated"
    assert document["functions"] == ["upper"]
    assert document["text"].startswith("SELECT\n")
    [finding] = document["findings"]
    assert (finding["code"], finding["kind"], finding["line"], finding["column"]) == ("letter-case", "edge", 1, 8)
    assert finding["engines"]["Trino"]


def test_hive_to_spark_is_the_text_itself_where_both_answer_the_same() -> None:
    text = "SELECT  user_id,   page -- as written\nFROM web.clicks"
    assert run("--to", "spark", sql=text).stdout == f"{text}\n"


@pytest.mark.parametrize(
    ("arguments", "sql", "said"),
    [
        (("--to", "mysql"), "SELECT 1 AS a", "Cannot translate hive SQL to mysql"),
        (("--to", "trinoo"), "SELECT 1 AS a", "Did you mean 'trino'?"),
        (("--allow", "letters"), "SELECT 1 AS a", "No difference has the code 'letters'."),
        (("--allow", "letter-case"), "SELECT 1 AS a", "which is of the kind edge: only differences can be allowed"),
        ((), "SELECT page FROM web.click", "There is no table or view web.click. Did you mean 'web.clicks'?"),
        ((), "SELECT pag FROM web.clicks", "clicks has no column 'pag'. Did you mean 'page'?"),
        ((), "SELECT page FROM", "FROM"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], sql: str, said: str) -> None:
    result = run(*arguments, sql=sql)
    assert result.exit_code not in (0, 6)
    assert said.lower() in result.stderr.lower()


PAGES = "SELECT page FROM web.clicks"
VERIFIED = ("--verify", "hive://ann@hive", "--verify", "trino://ann@trino/lake", "--verify-rows", "10")


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> dict[str, Told]:
    """By their addresses, with one page."""
    told = {
        address: Told(name, (("home",),), [("page", "string")])
        for address, name in (("hive://ann@hive", "Hive"), ("trino://ann@trino/lake", "Trino"))
    }

    def connecting(engine: str, *_: Any) -> Any:
        return nullcontext(told[engine])

    monkeypatch.setattr("hive_views.engines.verifying.connecting", connecting)
    return told


def test_a_verified_query_is_the_output(engines: dict[str, Told]) -> None:
    result = run(*VERIFIED, sql=PAGES)
    assert (result.exit_code, result.stdout) == (0, 'SELECT\n  "clicks"."page" AS "page"\nFROM "web"."clicks"\n')
    assert result.stderr == "Verified: Trino 7 returns the same rows as Hive 7: all 1.\n"
    document = json.loads(run(*VERIFIED, "--output", "json", sql=PAGES).stdout)
    [proof] = document["verification"]["proofs"]
    assert proof["digest"].startswith("sha256:")
    assert (proof["checked"], proof["rows"], proof["is_complete"]) == ("rows", 1, True)
    assert (proof["engine"], proof["beside"]) == ({"name": "Trino", "version": "7"}, {"name": "Hive", "version": "7"})
    assert "verification" not in json.loads(run("--output", "json", sql=PAGES).stdout)


def test_a_query_that_answers_something_else_is_no_output(engines: dict[str, Told]) -> None:
    engines["trino://ann@trino/lake"] = Told("Trino", (("\x1b]52;c;cm0gLXJm\x07\nVerified",),), [("page", "string")])
    result = run(*VERIFIED, sql=PAGES)
    assert (result.exit_code, result.stdout) == (6, "")
    assert result.stderr.splitlines()[1:] == [
        "  In page:",
        "    original:    page 'home'",
        "    translation: page '\\x1b]52;c;cm0gLXJm\\x07\\nVerified'",
    ]
    document = json.loads(run(*VERIFIED, "--output", "json", sql=PAGES).stdout)
    assert document["verification"]["proofs"] == []
    assert document["verification"]["differences"][0]["kind"] == "rows"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--verify-rows", "10"), "--verify-rows needs --verify."),
        (("--verify-rows", "ten"), "'ten' is not a valid integer"),
        ((*VERIFIED, "--verify-rows", "0"), "Cannot compare 0 rows"),
        (VERIFIED[2:], "Also give an engine that reads the original SQL, of the dialect hive: to compare rows"),
        (("--verify", "spark"), "An engine of the dialect spark cannot verify a translation from hive to trino."),
        (("--verify", "trino://ann:Secret9@host/hive"), "Trino takes passwords over TLS only"),
        (("--verify", "trino://ann@127.0.0.1:1/hive"), "Trino failed: "),
        (("--to", "hive", "--from", "spark", "--verify", "hive://ann:Secret9@127.0.0.1:1"), "HiveServer2 at 127.0.0.1"),
    ],
)
def test_an_engine_that_cannot_be_asked_is_named(arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments, sql=PAGES)
    assert result.exit_code not in (0, 6)
    assert said in result.stderr
    assert "Secret9" not in result.stderr
    assert result.stdout == ""
