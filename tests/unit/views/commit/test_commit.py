"""The road of a commit: which protection it takes, what a writer killed on it leaves, what is read back."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import (
    CommitFailedError,
    NoSuchViewError,
    SQLSyntaxError,
    UnsupportedFeatureError,
    ViewDriftedError,
)
from hive_views.hive.row import POINTER, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Lock
from hive_views.spec.identifiers import TableIdentifier
from tests.support.failing.faulty_metastore import (
    FaultyMetastore,
    Killed,
    killed_after,
    killed_before,
    lost_after,
    meanwhile,
    never_sent,
)
from tests.support.views.catalog_setup import (
    BETTER,
    create,
    files_of,
    nothing_written,
)
from tests.support.views.quick_catalog import NAME, catalog_on

# -- which protection --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", ["auto", "never"])
def test_without_a_check_and_without_a_lock_nothing_is_written(lock: str) -> None:
    """Servers before HIVE-26882 accept a wrong expected value and overwrite silently."""
    metastore = MemoryMetastore(enforces_swap=False, grants_locks=False)
    catalog = catalog_on(metastore, lock=lock)
    create(catalog, str(NAME))
    writes: list[Callable[[], Any]] = [
        lambda: catalog.alter_view(NAME, comment="x"),
        lambda: catalog.rename_view(NAME, "sales.renamed"),
        lambda: catalog.register_view(NAME, catalog.load_view(NAME).metadata_location, overwrite=True),
        lambda: catalog.repair_view(NAME),
    ]
    for write in writes:
        with nothing_written(catalog, NAME), pytest.raises(UnsupportedFeatureError, match="HIVE-26882") as refusal:
            write()
        assert ("lock='auto'" in str(refusal.value)) is (lock == "never")


def test_a_server_without_the_check_is_written_under_its_lock_alone() -> None:
    metastore = MemoryMetastore(enforces_swap=False)
    create(catalog_on(metastore), str(NAME))
    with pytest.raises(UnsupportedFeatureError, match="lock='auto'"):
        catalog_on(metastore, lock="never").alter_view(NAME, comment="x")


def test_always_refuses_to_write_without_a_lock() -> None:
    metastore = MemoryMetastore(grants_locks=False)
    create(catalog_on(metastore), str(NAME))
    catalog = catalog_on(metastore, lock="always")
    with nothing_written(catalog, NAME), pytest.raises(UnsupportedFeatureError, match="lock='always'"):
        catalog.alter_view(NAME, comment="x")


def test_a_database_that_cannot_compare_needs_the_lock() -> None:
    metastore = MemoryMetastore(compares_swap=False)
    catalog = catalog_on(metastore, lock="never")
    create(catalog, str(NAME))
    with nothing_written(catalog, NAME), pytest.raises(UnsupportedFeatureError):
        catalog.alter_view(NAME, comment="x")


def test_a_database_that_cannot_compare_is_asked_to_once() -> None:
    """Each try takes such a server 20 seconds."""
    calls: list[str] = []
    catalog = catalog_on(MemoryMetastore(compares_swap=False, on_call=calls.append))
    create(catalog, str(NAME))
    for number in range(3):
        catalog.alter_view(NAME, comment=str(number))
    assert calls.count("swap_row") == 4


def test_the_lock_is_held_from_before_the_read_until_after_the_swap() -> None:
    calls: list[str] = []
    metastore = MemoryMetastore(on_call=calls.append)
    catalog = catalog_on(metastore)
    create(catalog, str(NAME))
    calls.clear()
    catalog.alter_view(NAME, comment="x")
    assert calls == ["lock", "load_row", "swap_row"]
    lock = metastore.lock(NAME, timeout_s=0.0)
    assert lock, "it was released"


def test_the_lock_is_released_when_the_change_fails() -> None:
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore)
    create(catalog, str(NAME))
    with pytest.raises(SQLSyntaxError):
        catalog.alter_view(NAME, sql={"hive": "no SQL"})
    assert metastore.lock(NAME, timeout_s=0.0)


def test_a_lock_that_is_never_free_is_given_up_and_its_holder_named() -> None:
    calls: list[str] = []
    metastore = MemoryMetastore(lock_timeout_s=0.01, on_call=calls.append)
    catalog = catalog_on(metastore)
    create(catalog, str(NAME))
    assert metastore.lock(NAME)
    with nothing_written(catalog, NAME), pytest.raises(CommitFailedError, match="is locked by") as refusal:
        catalog.alter_view(NAME, comment="x")
    assert calls.count("lock") == 3, "that of the creation, the other's, and ours once"
    assert threading.current_thread().name in refusal.value.holder


def test_a_commit_that_lost_its_lock_writes_nothing_and_is_run_again() -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_on(metastore)
    create(catalog, str(NAME))
    ran: list[int] = []

    def lose(run: Callable[[], Lock]) -> Lock:
        lock = run()

        def lost() -> None:
            ran.append(len(files_of(catalog)))
            raise CommitFailedError("Lock 1 was lost.")

        return replace(lock, ensure_held=lost)

    metastore.on("lock", lose)
    assert catalog.alter_view(NAME, comment="x").comment == "x"
    assert ran == [2], "the new file was there"
    assert len(files_of(catalog)) == 2, "and was replaced by that of the second run"


@pytest.mark.parametrize(
    ("flags", "lock"),
    [
        ({}, "auto"),
        ({}, "never"),
        ({"grants_locks": False}, "auto"),
        ({"enforces_swap": False}, "auto"),
        ({"compares_swap": False}, "auto"),
    ],
)
def test_no_acknowledged_commit_of_many_threads_is_lost(flags: dict[str, bool], lock: str) -> None:
    metastore = MemoryMetastore(**flags)  # type: ignore[arg-type]
    catalog = catalog_on(metastore, lock=lock, retry_timeout_s=60.0)
    create(catalog, str(NAME), properties={"version.history.num-entries": "100"})

    def add(number: int) -> None:
        for step in range(5):
            text = f"{BETTER} HAVING count(*) > {number * 100 + step}"
            catalog.replace_view(NAME, sql={"hive": text, "trino": text})

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(add, number) for number in range(6)]:
            done.result()
    view = catalog.load_view(NAME)
    assert [entry.version_id for entry in view.history] == list(range(1, 32))
    texts = [version.sql_in("trino") for version in view.versions]
    assert len({text.sql for text in texts if text}) == 31
    assert len(files_of(catalog)) == 31


# -- killed writers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [killed_before, killed_after])
def test_a_writer_killed_around_its_swap_leaves_a_whole_view(fault: Any) -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_on(metastore)
    create(catalog, str(NAME))
    metastore.on("swap_row", fault)
    with pytest.raises(Killed):
        catalog.alter_view(NAME, comment="x")
    loaded = catalog.load_view(NAME)
    assert loaded.comment == ("x" if fault is killed_after else None)
    assert loaded.differences == ()
    assert len(files_of(catalog)) == 2
    assert catalog.alter_view(NAME, comment="y").comment == "y"


# -- what the database keeps -------------------------------------------------------------------------------------------


class Latin1Metastore(MemoryMetastore):
    """On MariaDB with the official schema: what is not latin1 becomes a question mark, and the call succeeds."""

    def _stored(self, row: Row) -> Row:
        stored = super()._stored(row)
        columns = tuple(replace(column, comment=self._kept(column.comment)) for column in stored.columns)
        return replace(
            stored,
            columns=columns,
            original_text=self._kept(stored.original_text),
            expanded_text=self._kept(stored.expanded_text),
            parameters={key: self._kept(value) or "" for key, value in stored.parameters.items()},
        )

    @staticmethod
    def _kept(text: str | None) -> str | None:
        return text.encode("cp1252", "replace").decode("cp1252") if text is not None else None


GREEK = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks WHERE page = 'Ωmega é' GROUP BY user_id, ds -- Ω"
GREEK_COLUMNS = [("user_id", "bigint"), ("clicks", "bigint", "Σ"), ("ds", "string")]


def test_what_a_latin1_database_does_not_keep_is_reported_and_does_not_stand_in_the_way(
    caplog: pytest.LogCaptureFixture,
) -> None:
    catalog = catalog_on(Latin1Metastore())
    with caplog.at_level(logging.WARNING, "hive_views"):
        view = create(catalog, str(NAME), sql={"hive": GREEK}, schema=GREEK_COLUMNS, comment="Ω")
    assert {(found.kind, found.what) for found in view.differences} == {
        ("needs repair", "columns"),
        ("needs repair", "original text"),
        ("needs repair", "parameter comment"),
    }
    assert "did not keep" in caplog.text
    assert "'\\u03a9mega" in view.row.expanded_text.lower() if view.row.expanded_text else False
    assert view.original_sql("hive") == GREEK
    altered = catalog.alter_view(NAME, set_properties={"k": "v"})
    assert altered.original_sql("hive") == GREEK
    assert altered.comment == "Ω"


def test_a_change_behind_a_lossy_row_is_still_noticed() -> None:
    metastore = Latin1Metastore()
    catalog = catalog_on(metastore)
    create(catalog, str(NAME), sql={"hive": GREEK}, schema=GREEK_COLUMNS)
    row = metastore.load_row(NAME)
    metastore.swap_row(replace(row, expanded_text=f"{row.expanded_text} LIMIT 1"), expected=None)
    with pytest.raises(ViewDriftedError):
        catalog.alter_view(NAME, set_properties={"k": "v"})


@pytest.mark.parametrize("fault", [never_sent, lost_after])
def test_a_commit_is_done_although_the_row_cannot_be_read_back(fault: Any, caplog: pytest.LogCaptureFixture) -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_on(metastore)
    create(catalog, str(NAME))
    metastore.on("load_row", fault, after=1, times=10)
    with caplog.at_level(logging.WARNING, "hive_views"):
        assert catalog.alter_view(NAME, comment="Ω").comment == "Ω"
    metastore.clear()
    assert "is unknown" in caplog.text
    assert catalog.load_view(NAME).comment == "Ω"


def test_a_commit_gives_its_own_view_although_another_came_on_top() -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_on(metastore)
    other = catalog_on(metastore, catalog.warehouse, lock="never")
    create(catalog, str(NAME))
    metastore.on("load_row", meanwhile(lambda: other.alter_view(NAME, comment="theirs")), after=1)
    ours = catalog.alter_view(NAME, comment="Ω")
    assert ours.comment == "Ω"
    assert ours.row.parameters[POINTER] == ours.metadata_location
    assert ours.differences == ()
    assert catalog.load_view(NAME).comment == "theirs"


# -- the log -----------------------------------------------------------------------------------------------------------


def test_each_commit_is_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    catalog = catalog_on(MemoryMetastore())
    with caplog.at_level(logging.INFO, "hive_views"):
        first = create(catalog, str(NAME))
        second = catalog.replace_view(NAME, sql={"hive": BETTER, "trino": BETTER})
        catalog.rename_view(NAME, "sales.renamed")
        catalog.drop_view("sales.renamed")
    assert [record.getMessage() for record in caplog.records] == [
        f"committed sales.daily: version 1, None -> {first.metadata_location}",
        f"committed sales.daily: version 2, {first.metadata_location} -> {second.metadata_location}",
        "renamed sales.daily to sales.renamed",
        f"dropped sales.renamed; its last file is {second.metadata_location}",
    ]


def test_a_commit_on_a_view_that_is_not_there_asks_the_server_for_nothing_else() -> None:
    catalog = catalog_on(MemoryMetastore(), lock="never")
    with pytest.raises(NoSuchViewError):
        catalog.alter_view(NAME, comment="x")


class TornOnce(MemoryMetastore):
    """Reads a row while a commit lands, once: the pointer is the new one, the rest is what was there before."""

    torn: Row | None = None

    def load_row(self, identifier: TableIdentifier) -> Row:
        row = super().load_row(identifier)
        before, self.torn = self.torn, None
        if before is None:
            return row
        return replace(before, parameters={**before.parameters, POINTER: row.parameters[POINTER]})


def test_a_row_that_was_read_while_a_commit_landed_is_read_again_and_is_no_drift() -> None:
    metastore = TornOnce()
    catalog = catalog_on(metastore, lock="never")
    create(catalog, str(NAME))
    before = metastore.load_row(NAME)
    catalog.alter_view(NAME, comment="landed")
    metastore.torn = before
    assert catalog.load_view(NAME).differences == ()
    metastore.torn = before
    assert catalog.alter_view(NAME, set_properties={"k": "v"}).comment == "landed"


def test_escapes_that_trino_does_not_read_are_reported_when_a_text_is_new(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", logger="hive_views")
    catalog = catalog_on(MemoryMetastore())
    one = {"hive": "SELECT 'it\\'s' AS a", "trino": "SELECT 'x' AS a"}
    create(catalog, str(NAME), sql=one, schema=[("a", "string")])
    assert not caplog.messages
    catalog.replace_view(NAME, sql={"hive": "SELECT 'Ω' AS a", "trino": "SELECT 'Ω' AS a"})
    # Not the text: PySpark has it written as JSON, where this is spelled otherwise.
    assert any(r"Trino takes the backslashes in '\u03a9' literally" in one for one in caplog.messages)
    caplog.clear()
    catalog.alter_view(NAME, set_properties={"k": "v"})
    assert not caplog.messages
