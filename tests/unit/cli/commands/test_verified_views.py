"""Translated SQL of views that engines verify before it is stored: --verify of create, replace and alter."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from hive_views.errors import UnavailableError
from hive_views.translation import Checked
from hive_views.views.catalog import ViewCatalog
from tests.unit.estate_of_clicks import clicks_estate
from tests.unit.told_engine import Told

HIVE, TRINO = "hive://ann@hive", "trino://ann@trino/lake"
COLUMNS = [("p", "string"), ("u", "string")]


@pytest.fixture(autouse=True)
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ViewCatalog:
    catalog = clicks_estate(f"file://{tmp_path}")
    # A memory: metastore lives in one process, and each call of the command makes one.
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)
    monkeypatch.chdir(tmp_path)
    for function in ("upper", "lower"):
        Path(f"{function}.sql").write_text(f"SELECT page AS p, {function}(page) AS u FROM web.clicks")
    return catalog


@pytest.fixture(autouse=True)
def engines(monkeypatch: pytest.MonkeyPatch) -> dict[str, Told]:
    """Engines by their addresses, which find what they are told."""
    engines = {HIVE: Told("Hive", (("a", "A"),), COLUMNS), TRINO: Told("Trino", (("a", "A"),), COLUMNS)}

    def connecting(address: str, *_: Any) -> Any:
        return nullcontext(engines[address])

    monkeypatch.setattr("hive_views.engines.verifying.connecting", connecting)
    return engines


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", *arguments])


def create(*options: str) -> Result:
    columns = ("--column", "p string", "--column", "u string")
    return run("create", "sales.v", "--sql", "hive=upper.sql", *columns, "--translate", "trino", *options)


def test_what_engines_confirm_is_kept_and_shown(catalog: ViewCatalog, engines: dict[str, Told]) -> None:
    created = create("--verify", HIVE, "--verify", TRINO, "--verify-rows", "10")
    assert (created.exit_code, "Verified: Trino 7 returns the same rows as Hive 7: all 1." in created.stderr) == (
        0,
        True,
    )
    (proof,) = catalog.load_view("sales.v").translations["trino"].proofs
    assert (proof.checked, proof.rows, proof.is_complete) == (Checked.ROWS, 1, True)
    assert "Trino 7 returns the same rows as Hive 7: all 1" in run("show", "sales.v").stdout
    assert any('upper("clicks"."page")' in text for text in engines[TRINO].asked)


def test_a_view_is_not_created_with_sql_that_answers_something_else(
    catalog: ViewCatalog, engines: dict[str, Told]
) -> None:
    engines[TRINO] = Told("Trino", (("a", "\x1b]52;c\x07"),), COLUMNS)
    refused = create("--verify", HIVE, "--verify", TRINO, "--verify-rows", "10")
    assert (refused.exit_code, refused.stdout) == (6, "sales.v is not changed: an engine finds a difference.\n")
    assert "In u:" in refused.stderr
    assert "\x1b" not in refused.stderr
    assert not catalog.view_exists("sales.v")


def test_a_view_is_not_changed_either(catalog: ViewCatalog, engines: dict[str, Told]) -> None:
    create()
    before = catalog.load_view("sales.v").metadata_location
    engines[TRINO] = Told("Trino", columns=[("p", "string")])
    for verb in ("alter", "replace"):
        refused = run("--output", "json", verb, "sales.v", "--sql", "hive=lower.sql", "--verify", TRINO)
        document = json.loads(refused.stdout)
        assert (refused.exit_code, document["changed"]) == (6, False)
        assert document["verification"]["trino"]["differences"][0]["kind"] == "columns"
    assert catalog.load_view("sales.v").metadata_location == before


def test_sql_that_was_translated_before_can_be_verified_later(catalog: ViewCatalog) -> None:
    create()
    assert run("alter", "sales.v", "--verify", TRINO, "--dry-run").exit_code == 0
    assert catalog.load_view("sales.v").translations["trino"].proofs == ()
    assert run("alter", "sales.v", "--verify", TRINO).exit_code == 0
    (proof,) = catalog.load_view("sales.v").translations["trino"].proofs
    assert proof.checked is Checked.COLUMNS
    location = catalog.load_view("sales.v").metadata_location
    assert run("alter", "sales.v", "--verify", TRINO).exit_code == 0
    assert catalog.load_view("sales.v").metadata_location == location
    run("alter", "sales.v", "--sql", "hive=lower.sql")
    assert catalog.load_view("sales.v").translations["trino"].proofs == ()


def test_an_engine_that_does_not_answer_leaves_all_as_it_was(
    catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connecting(*_: Any) -> Any:
        raise UnavailableError("Trino does not answer.")

    monkeypatch.setattr("hive_views.engines.verifying.connecting", connecting)
    assert create("--verify", TRINO).exit_code == 7
    assert not catalog.view_exists("sales.v")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--verify-rows", "3"), "--verify-rows needs --verify."),
        (("--verify", HIVE), "--verify is for translated SQL in the dialect of the engine: there is none."),
        (("--verify", "mysql://x"), "mysql"),
    ],
)
def test_what_cannot_be_verified(catalog: ViewCatalog, options: tuple[str, ...], says: str) -> None:
    refused = create(*options)
    assert (refused.exit_code, says in refused.stderr) == (2, True), refused.stderr
    assert not catalog.view_exists("sales.v")
