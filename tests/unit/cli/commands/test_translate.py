"""The command translate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from tests.unit.estate_of_clicks import clicks_estate


@pytest.fixture(autouse=True)
def estate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = clicks_estate(f"file://{tmp_path}")
    # A memory: metastore lives in one process, and each call of the command makes one.
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)


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
    assert lines[0].startswith("-:1:8: my_udf(page): it is not known which function of Trino answers the same: my_udf.")
    assert lines[0].endswith("[function]")
    assert lines[1:3] == ["SELECT my_udf(page) AS a,", "       ^"]
    assert lines[3].startswith("-:2:3: ")
    assert lines[-1] == "Cannot translate - from hive to trino."


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
