"""One row that the metastore fails on is the failure of one view, however many were asked for with it.

What lives here: rows that a metastore answers with an error for. What must not: a metastore that does not answer
(test_selected_views.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hive_views import adopt, backup, copy_views, move_views, release
from hive_views.errors import Answer, HiveViewsError, MetastoreUnavailableError, NoSuchNamespaceError
from hive_views.estate.check.checking import check
from hive_views.estate.outcomes import Outcome, Outcomes, State
from hive_views.estate.selection import select_rows
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.contract.catalog_setup import COLUMNS, SELECT, plain_view_row
from tests.unit.quick_catalog import catalog_on

MANY = 250


class FailingOnSome(MemoryMetastore):
    """Fails on some rows, as where the database behind it has half a row."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.bad: set[str] = set()
        self.answer = Answer.FAILED

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        rows = super().load_rows(namespace, names)
        self._fail(names)
        return rows

    def load_row(self, identifier: TableIdentifier) -> Row:
        row = super().load_row(identifier)
        self._fail([identifier.name])
        return row

    def _fail(self, names: Sequence[str]) -> None:
        if not self.bad.isdisjoint(names):
            raise MetastoreUnavailableError("The metastore failed: NullPointerException.", answer=self.answer)


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def metastore(calls: list[str]) -> FailingOnSome:
    return FailingOnSome(on_call=calls.append)


@pytest.fixture
def plain(metastore: FailingOnSome) -> FailingOnSome:
    metastore.create_namespace("sales")
    for number in range(MANY):
        metastore.create_row(plain_view_row("sales", f"v{number:03}"))
    return metastore


@pytest.fixture
def catalog(metastore: FailingOnSome, tmp_path: Path) -> ViewCatalog:
    catalog = catalog_on(metastore, warehouse=str(tmp_path / "w"))
    for name in ("a", "b", "c"):
        catalog.create_view(f"sales.{name}", sql={"hive": SELECT}, schema=COLUMNS)
    metastore.bad = {"b"}
    return catalog


def test_where_all_is_well_a_hundred_rows_are_a_call(plain: FailingOnSome, calls: list[str]) -> None:
    calls.clear()
    assert len(select_rows(plain, ["sales.*"])) == MANY
    assert calls == ["list_view_names", *["load_rows"] * 3]


def test_the_names_that_fail_are_found_in_few_calls_and_all_others_are_read(
    plain: FailingOnSome, calls: list[str]
) -> None:
    plain.bad = {"v007", "v008", "v249"}
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    calls.clear()
    found = select_rows(plain, ["sales.*"], unreadable.__setitem__)
    assert {name.name for name in unreadable} == plain.bad
    assert {row.identifier.name for row in found} == {f"v{number:03}" for number in range(MANY)} - plain.bad
    assert calls.count("load_rows") < 3 + 14 * len(plain.bad)


def test_where_all_rows_must_be_known_the_error_names_the_one_that_cannot_be_read(plain: FailingOnSome) -> None:
    plain.bad = {"v120"}
    with pytest.raises(MetastoreUnavailableError, match="row of sales.v120 cannot be read") as raised:  # noqa: RUF043
        select_rows(plain, ["sales.*"])
    assert raised.value.identifier == "sales.v120"


def test_a_metastore_that_gives_no_answer_is_not_asked_again(plain: FailingOnSome, calls: list[str]) -> None:
    plain.bad, plain.answer = {"v007"}, Answer.NONE
    calls.clear()
    with pytest.raises(MetastoreUnavailableError):
        select_rows(plain, ["sales.*"], lambda *_: None)
    assert calls.count("load_rows") == 1


def test_a_namespace_that_is_missing_is_asked_for_once(plain: FailingOnSome, calls: list[str]) -> None:
    calls.clear()
    with pytest.raises(NoSuchNamespaceError):
        select_rows(plain, ["web.a", "web.b"], lambda *_: None)
    assert calls.count("load_rows") == 1


Verb = Callable[[ViewCatalog, Path], Outcomes]
VERBS: dict[str, tuple[Verb, State]] = {
    "adopt": (lambda catalog, _: adopt(catalog, "sales.*"), State.UNCHANGED),
    "release": (lambda catalog, _: release(catalog, "sales.*"), State.DONE),
    "back up": (lambda catalog, directory: backup(catalog, str(directory / "a.zip"), "sales.*"), State.DONE),
    "copy": (lambda catalog, directory: copy_views(catalog, other(directory), "sales.*"), State.DONE),
    "move": (lambda catalog, directory: move_views(catalog, other(directory), "sales.*"), State.DONE),
}


def other(directory: Path) -> ViewCatalog:
    return catalog_on(MemoryMetastore(), warehouse=str(directory / "other"))


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_reports_it_as_failed_and_does_the_others(catalog: ViewCatalog, tmp_path: Path, verb: str) -> None:
    do, done = VERBS[verb]
    outcomes = do(catalog, tmp_path)
    assert {one.view: one.state for one in outcomes} == {"sales.a": done, "sales.b": State.FAILED, "sales.c": done}
    (failed,) = outcomes.failed
    assert "row of sales.b cannot be read" in str(failed.reason)


def test_progress_counts_it(catalog: ViewCatalog) -> None:
    seen: list[tuple[str, int, int]] = []

    def on_outcome(outcome: Outcome, number: int, of: int) -> None:
        seen.append((outcome.view, number, of))

    release(catalog, "sales.*", on_outcome=on_outcome)
    assert seen == [("sales.b", 1, 3), ("sales.a", 2, 3), ("sales.c", 3, 3)]


@pytest.mark.parametrize("pattern", ["sales.*", "sales.b"])
def test_a_check_does_not_know_it_and_looks_at_the_others(catalog: ViewCatalog, pattern: str) -> None:
    report = check(catalog, pattern)
    assert report.views == (("sales.a", "sales.c") if pattern == "sales.*" else ())
    assert [one.view for one in report.not_known if one.about == "row"] == ["sales.b"]


def test_a_view_that_reads_it_is_not_said_to_read_what_is_gone(catalog: ViewCatalog) -> None:
    catalog.replace_view("sales.a", sql={"hive": "SELECT * FROM sales.b JOIN sales.c ON true"}, schema=COLUMNS)
    report = check(catalog, "sales.a")
    assert "source-gone" not in report.counts
    assert "sales.b cannot be looked at" in " ".join(one.reason for one in report.not_known)
