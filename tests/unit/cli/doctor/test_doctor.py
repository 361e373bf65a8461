"""What doctor finds out of each kind of server and storage."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hive_views import CommitSettings, ViewCatalog
from hive_views.cli.doctor.metastore_checks import _LOCKED_NAME, Check, examine
from hive_views.errors import MetastoreUnavailableError
from hive_views.hive.row import VIRTUAL_VIEW, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Capabilities, Lock, ServerFacts
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier


def checks(metastore: MemoryMetastore, *, with_view: bool = True, warehouse: str = "memory://w") -> dict[str, Check]:
    catalog = ViewCatalog(metastore, warehouse=warehouse)
    if with_view:
        catalog.create_view("default.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    return {check.name: check for check in examine(catalog)}


def test_all_is_well_with_a_server_that_has_everything() -> None:
    found = checks(MemoryMetastore())
    assert all(check.ok for check in found.values())
    assert list(found) == [
        *("metastore", "compare-and-swap", "locks", "storage", "directory of views"),
        *("notification listener", "listeners after a change", "columns of partitioned views", "clock"),
    ]


def test_without_a_view_the_swap_is_reported_to_be_not_verified() -> None:
    found = checks(MemoryMetastore(), with_view=False)["compare-and-swap"]
    assert found.ok is None
    assert "no view" in found.found


def test_a_view_in_any_namespace_serves_to_prove_the_swap() -> None:
    metastore = MemoryMetastore()
    metastore.create_namespace("zz")
    catalog = ViewCatalog(metastore, warehouse="memory://w")
    catalog.create_view("zz.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    assert {check.name: check.ok for check in examine(catalog)}["compare-and-swap"] is True


def test_a_server_that_does_not_check_the_swap_is_reported_and_no_problem_while_locks_protect() -> None:
    found = checks(MemoryMetastore(enforces_swap=False))["compare-and-swap"]
    assert found.ok is True
    assert "HIVE-26882" in found.found
    assert "keep lock = auto" in found.found


def test_a_server_that_does_not_check_the_swap_needs_locks_that_the_settings_allow() -> None:
    metastore = MemoryMetastore(enforces_swap=False)
    checks(metastore)
    found = examined(metastore, settings=CommitSettings(lock="never"))["compare-and-swap"]
    assert found.ok is False
    assert "set lock = auto" in str(found.advice)


def test_a_database_that_cannot_compare_is_reported_once_a_swap_has_shown_it() -> None:
    metastore = MemoryMetastore(compares_swap=False)
    assert "enforced" in checks(metastore)["compare-and-swap"].found
    ViewCatalog(metastore).alter_view("default.v", comment="x")
    found = examined(metastore)["compare-and-swap"]
    assert (found.ok, "cannot compare" in found.found) == (True, True)


def test_two_swaps_are_reported_once_a_change_of_columns_has_needed_them() -> None:
    metastore = MemoryMetastore(null_descriptor_alter_fails=True)
    catalog = ViewCatalog(metastore, warehouse="memory://w2")
    catalog.create_view(
        "default.p",
        sql={"hive": "SELECT 1 AS a, 'x' AS ds"},
        schema=[("a", "int"), ("ds", "string")],
        partitioned_on=["ds"],
    )
    catalog.partitions("default.p").add([{"ds": "x"}])
    assert "or in two swaps" in examined(metastore)["columns of partitioned views"].found
    columns = [("a", "bigint"), ("ds", "string")]
    catalog.replace_view("default.p", sql={"hive": "SELECT 2 AS a, 'x' AS ds"}, schema=columns)
    assert "in two swaps: a single call fails" in examined(metastore)["columns of partitioned views"].found


def test_a_server_with_neither_check_nor_locks_is_reported_to_protect_nothing() -> None:
    metastore = MemoryMetastore(grants_locks=False)
    catalog = ViewCatalog(metastore, warehouse="memory://w")
    catalog.create_view("default.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    metastore._enforces_swap = False
    found = {check.name: check for check in examine(catalog)}
    assert found["locks"].ok is False
    assert "Nothing protects concurrent commits" in str(found["compare-and-swap"].advice)


def test_missing_locks_are_no_problem_where_the_settings_do_not_want_any() -> None:
    catalog = ViewCatalog(MemoryMetastore(grants_locks=False), settings=CommitSettings(lock="never"))
    assert {check.name: check.ok for check in examine(catalog)}["locks"] is True


def test_a_lock_that_somebody_holds_is_proof_that_locks_are_granted() -> None:
    metastore = MemoryMetastore()
    held = metastore.lock(_LOCKED_NAME)
    assert held
    found = checks(metastore)["locks"]
    assert found.ok is True
    assert "is locked by" in found.found


def test_looking_leaves_no_lock_and_no_file(tmp_path: Path) -> None:
    metastore = MemoryMetastore()
    checks(metastore, with_view=False, warehouse=str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert not metastore._locks


def test_a_warehouse_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = checks(MemoryMetastore(), with_view=False, warehouse=str(tmp_path / "file" / "below"))["storage"]
    assert found.ok is False
    assert str(tmp_path) in found.found


def test_a_listener_is_reported() -> None:
    assert "on" in checks(MemoryMetastore(listener=True))["notification listener"].found
    assert checks(MemoryMetastore())["notification listener"].found == "off"


@pytest.mark.parametrize(
    ("clock", "ok"), [(time.time, True), (lambda: time.time() + 60, False), (lambda: time.time() - 60, False)]
)
def test_clocks_may_differ_by_seconds_only(clock: Callable[[], float], ok: bool) -> None:
    assert checks(MemoryMetastore(clock=clock))["clock"].ok is ok


def test_a_metastore_that_does_not_answer_is_an_error_and_no_check() -> None:
    with pytest.raises(MetastoreUnavailableError):
        list(examine(ViewCatalog(HiveMetastore("thrift://127.0.0.1:1", connect_timeout_s=1))))


class _Silent(MemoryMetastore):
    """A server that answers some calls only."""

    def __init__(self, *silent: str) -> None:
        super().__init__()
        self._silent = silent

    def _answer(self, verb: str) -> None:
        if verb in self._silent:
            raise MetastoreUnavailableError(f"{verb} was not answered.")

    def enforces_swap(self, identifier: TableIdentifier) -> bool:
        self._answer("enforces_swap")
        return super().enforces_swap(identifier)

    def lock(self, identifier: TableIdentifier, *, timeout_s: float | None = None) -> Lock | None:
        self._answer("lock")
        return super().lock(identifier, timeout_s=timeout_s)

    def facts(self) -> ServerFacts:
        facts = super().facts()
        if "facts" in self._silent:
            return replace(facts, clock_offset_s=None)
        return facts

    def capabilities(self) -> Capabilities:
        return Capabilities() if "facts" in self._silent else super().capabilities()


def examined(metastore: MemoryMetastore, **settings: Any) -> dict[str, Check]:
    catalog = ViewCatalog(metastore, **settings)
    return {check.name: check for check in examine(catalog)}


def test_a_swap_that_cannot_be_asked_about_is_reported_to_be_not_verified() -> None:
    metastore = _Silent("enforces_swap")
    metastore.create_row(Row(TableIdentifier("default", "plain"), VIRTUAL_VIEW))
    found = examined(metastore)["compare-and-swap"]
    assert (found.ok, found.found) == (None, "not verified: enforces_swap was not answered.")


def test_a_lock_manager_that_fails_is_a_problem() -> None:
    found = examined(_Silent("lock"))["locks"]
    assert (found.ok, found.found) == (False, "lock was not answered.")


def test_what_a_server_does_not_report_is_no_problem() -> None:
    found = examined(_Silent("facts"))
    assert [found[name].ok for name in ("notification listener", "clock")] == [None, None]


def test_without_a_warehouse_the_directory_of_the_default_namespace_is_tried(tmp_path: Path) -> None:
    assert str(tmp_path) in examined(MemoryMetastore(warehouse=str(tmp_path)))["storage"].found
    assert examined(MemoryMetastore(warehouse=""))["storage"].ok is None


@pytest.mark.parametrize(
    ("listeners", "ok", "shown"),
    [
        ((), True, "none"),
        (("org.example.A", "org.example.B"), True, "org.example.A, org.example.B: they may report an error"),
        (None, None, "not reported"),
    ],
)
def test_listeners_that_are_called_after_a_change_are_reported_with_what_they_do_to_answers(
    listeners: tuple[str, ...] | None, ok: bool | None, shown: str
) -> None:
    class Listening(MemoryMetastore):
        def facts(self) -> ServerFacts:
            return replace(super().facts(), listeners=listeners)

    found = checks(Listening())["listeners after a change"]
    assert found.ok is ok
    assert found.found.startswith(shown)


@pytest.mark.parametrize(
    ("server", "warehouse", "ok"),
    [
        ("memory://server", None, None),
        ("memory://server", "memory://server", None),
        ("memory://server", "memory://views", True),
        ("file:/server", "file:///server/", None),
        ("s3a://lake/server", "s3://lake/server", None),
        ("s3a://lake/server", "s3://lake/views", True),
    ],
)
def test_views_whose_files_go_with_their_database_are_warned_of(
    server: str, warehouse: str | None, ok: bool | None
) -> None:
    catalog = ViewCatalog(MemoryMetastore(warehouse=server), warehouse=warehouse)
    found = {check.name: check for check in examine(catalog)}["directory of views"]
    assert found.ok is ok
    assert "DROP DATABASE ... CASCADE" in found.found
    assert (found.advice is None) is (ok is True)
