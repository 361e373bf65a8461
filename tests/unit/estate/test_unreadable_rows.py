"""One row that the metastore fails on is the failure of one view, however many were asked for with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hive_views import status
from hive_views.errors import Answer, HiveViewsError, MetastoreUnavailableError, NoSuchNamespaceError
from hive_views.estate import (
    adopt,
    backup,
    copy_views,
    describe_views,
    hand_back,
    list_dropped,
    move_views,
    report,
    restore,
)
from hive_views.estate.checks.checking import check
from hive_views.estate.each.outcomes import Outcome, Outcomes, State
from hive_views.estate.each.selection import select_rows
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.views.catalog_setup import COLUMNS, SELECT, plain_view_row
from tests.support.views.quick_catalog import catalog_on

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
    "release": (lambda catalog, _: hand_back(catalog, "sales.*"), State.DONE),
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


@pytest.fixture
def target(tmp_path: Path) -> FailingOnSome:
    """Has a view ``sales.b`` whose row cannot be read."""
    metastore = FailingOnSome()
    catalog_on(metastore, warehouse=str(tmp_path / "target")).create_view("sales.b", sql={"hive": "SELECT 1 AS a"})
    metastore.bad = {"b"}
    return metastore


INTO: dict[str, Callable[[ViewCatalog, ViewCatalog, str], Outcomes]] = {
    "copy": lambda source, target, _: copy_views(source, target, "sales.*", on_conflict="replace"),
    "move": lambda source, target, _: move_views(source, target, "sales.*", on_conflict="replace"),
    "restore": lambda _, target, archive: restore(target, archive, on_conflict="replace"),
}


@pytest.mark.parametrize("verb", INTO)
def test_a_row_of_the_target_fails_one_view_and_the_others_are_put_there(
    catalog: ViewCatalog, metastore: FailingOnSome, target: FailingOnSome, tmp_path: Path, verb: str
) -> None:
    metastore.bad = set()
    archive = str(tmp_path / "a.zip")
    backup(catalog, archive)
    there = catalog_on(target, warehouse=str(tmp_path / "target"))
    outcomes = INTO[verb](catalog, there, archive)
    states = {one.view: one.state for one in outcomes}
    assert states == {"sales.a": State.DONE, "sales.b": State.FAILED, "sales.c": State.DONE}
    assert "row of sales.b cannot be read" in str(outcomes.failed[0].reason)
    target.bad = set()
    assert there.load_view("sales.b").sql_for("hive").sql == "SELECT 1 AS a"


def test_a_copy_whose_row_cannot_be_read_back_fails_alone(
    catalog: ViewCatalog, metastore: FailingOnSome, tmp_path: Path
) -> None:
    metastore.bad = set()
    there = FailingOnSome()

    def spoil(verb: str) -> None:
        there.bad = {"b"} if verb == "create_row" else there.bad

    there._on_call = spoil
    outcomes = copy_views(catalog, catalog_on(there, warehouse=str(tmp_path / "there")), "sales.*")
    assert [one.view for one in outcomes.failed] == ["sales.b"]


def test_a_list_names_it_among_the_others(catalog: ViewCatalog) -> None:
    found = {str(one.identifier): one.kind for one in describe_views(catalog, "sales.*")}
    assert found == {"sales.a": "managed", "sales.b": "unreadable", "sales.c": "managed"}
    assert {str(one.identifier) for one in describe_views(catalog)} == found.keys()


def test_a_report_has_it_and_the_others(catalog: ViewCatalog) -> None:
    page = report(catalog).html
    assert all(f"sales.{name}" in page for name in "abc")


def test_a_status_says_that_it_is_not_known(catalog: ViewCatalog) -> None:
    (found,) = status(catalog)
    assert (found.view, "NullPointerException" in str(found.error)) == ("sales.b", True)


def test_a_list_of_what_was_dropped_does_not_take_its_name_for_free(
    catalog: ViewCatalog, metastore: FailingOnSome
) -> None:
    catalog.drop_view("sales.a")
    found = list_dropped(catalog)
    # Whose the files of the other are cannot be said without all rows.
    assert sorted(map(str, found.not_known)) == ["sales.a", "sales.b"]
    metastore.bad = set()
    assert [str(one.identifier) for one in list_dropped(catalog)] == ["sales.a"]


def test_progress_counts_it(catalog: ViewCatalog) -> None:
    seen: list[tuple[str, int, int]] = []

    def on_outcome(outcome: Outcome, number: int, of: int) -> None:
        seen.append((outcome.view, number, of))

    hand_back(catalog, "sales.*", on_outcome=on_outcome)
    assert seen == [("sales.b", 1, 3), ("sales.a", 2, 3), ("sales.c", 3, 3)]


@pytest.mark.parametrize("pattern", ["sales.*", "sales.b"])
def test_a_check_does_not_know_it_and_looks_at_the_others(catalog: ViewCatalog, pattern: str) -> None:
    report = check(catalog, pattern)
    assert report.views == (("sales.a", "sales.c") if pattern == "sales.*" else ())
    assert [one.view for one in report.not_known if one.about == "row"] == ["sales.b"]


def test_a_view_that_reads_it_is_not_said_to_read_what_is_gone(catalog: ViewCatalog) -> None:
    query = "SELECT b.user_id, b.clicks, c.ds FROM sales.b JOIN sales.c ON true"
    catalog.replace_view("sales.a", sql={"hive": query}, schema=COLUMNS)
    report = check(catalog, "sales.a")
    assert "source-gone" not in report.counts
    assert "sales.b cannot be looked at" in " ".join(one.reason for one in report.not_known)
