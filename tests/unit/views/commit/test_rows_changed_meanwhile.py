"""What an engine writes into a row after it was judged, and before it is replaced, is never overwritten.

Engines take no lock and leave the pointer alone; the time of the last change is the same within one second, where a
client sends back what it read, and where the server does not compare it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import (
    CommitFailedError,
    InvalidSchemaError,
    NoSuchViewError,
    TableAlreadyExistsError,
    UnsupportedFeatureError,
)
from hive_views.estate import adopt, hand_back
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import DDL_TIME, POINTER, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views import intake
from hive_views.views.catalog import ViewCatalog
from hive_views.views.intake import bring_back, import_over
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.row.released import half_released
from hive_views.views.view import is_iceberg_view
from tests.support.failing.faulty_metastore import FaultyMetastore, Killed, killed_before, meanwhile, never_sent
from tests.support.plain_rows import plain_view, plain_views
from tests.support.views.catalog_setup import (
    BETTER,
    COLUMNS,
    SELECT,
    WIDER,
    WIDER_COLUMNS,
    create,
    files_of,
    plain_view_row,
)
from tests.support.views.foreign_writers import spark_create_or_replace
from tests.support.views.quick_catalog import NAME, catalog_on

PLAIN = plain_view_row(NAME.namespace, NAME.name)
THEIRS = "SELECT `a` AS `u`, `b` AS `ds` FROM `web`.`theirs`"

SERVERS: dict[str, tuple[dict[str, Any], bool]] = {
    "in the same second": ({"clock": lambda: 1795252366.0}, False),
    "the time of the last change is sent back": ({}, True),
    "swaps are not checked": ({"enforces_swap": False}, False),
    "values cannot be compared": ({"compares_swap": False}, False),
}


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest) -> tuple[ViewCatalog, Callable[[], None]]:
    """A catalog, and what an engine does to its view meanwhile."""
    options, sends_time_back = SERVERS[request.param]
    metastore = MemoryMetastore(**options)

    def alter() -> None:
        row = metastore.load_row(NAME)
        kept = {key: value for key, value in row.parameters.items() if key != DDL_TIME or sends_time_back}
        changed = replace(row, original_text=THEIRS, expanded_text=THEIRS, parameters=kept)
        metastore.swap_row(changed, expected=None)

    return catalog_on(metastore), alter


def once_at(catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch, verb: str, act: Callable[[], None]) -> None:
    """``act`` once after the next call of the storage's ``verb``."""
    real, acts = getattr(catalog.storage, verb), [act]

    def call(*arguments: Any, **named: Any) -> Any:
        answer = real(*arguments, **named)
        if acts:
            acts.pop()()
        return answer

    monkeypatch.setattr(catalog.storage, verb, call)


def row_of(catalog: ViewCatalog) -> Row:
    return catalog.metastore.load_row(NAME)


def test_a_plain_view_that_is_altered_while_its_file_is_written_is_adopted_as_it_is_then(
    server: tuple[ViewCatalog, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog, alter = server
    catalog.metastore.create_row(PLAIN)
    once_at(catalog, monkeypatch, "write", alter)
    (outcome,) = adopt(catalog, str(NAME))
    assert outcome.state is State.DONE
    assert row_of(catalog).expanded_text == THEIRS
    view = catalog.load_view(NAME)
    assert view.sql_for("hive").sql == THEIRS
    assert view.differences == ()
    assert len(files_of(catalog)) == 1


def test_a_view_that_is_altered_while_it_is_released_is_released_as_it_is(
    server: tuple[ViewCatalog, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog, alter = server
    create(catalog, str(NAME))
    other = catalog_on(catalog.metastore, catalog.warehouse)
    once_at(other, monkeypatch, "read", alter)
    other.release_view(NAME)
    row = row_of(catalog)
    assert row.expanded_text == THEIRS
    assert not is_iceberg_view(row)
    assert POINTER not in row.parameters


@pytest.mark.parametrize("lost", ["replaced", "half released"])
def test_what_has_the_name_is_not_overwritten_where_it_changes_while_a_view_is_brought_back(
    server: tuple[ViewCatalog, Callable[[], None]], monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    catalog, alter = server
    view = create(catalog, str(NAME))
    row = row_of(catalog)
    if lost == "replaced":
        catalog.metastore.drop_row(NAME)
        catalog.metastore.create_row(spark_create_or_replace(row, f"{SELECT} LIMIT 7"))
    else:
        catalog.metastore.swap_row(half_released(row), expected=None)
    found = find_by_name(catalog.engine, NAME)
    assert found
    files = files_of(catalog)
    once_at(catalog, monkeypatch, "write", alter)
    with pytest.raises(CommitFailedError, match="another writer"):
        bring_back(catalog.engine, found, on_drift="overwrite")
    assert row_of(catalog).expanded_text == THEIRS
    assert files_of(catalog) == files
    found = find_by_name(catalog.engine, NAME)
    assert found
    assert bring_back(catalog.engine, found, on_drift="overwrite").uuid == view.uuid


def test_what_has_the_name_is_not_overwritten_where_it_changed_after_the_file_was_found(
    server: tuple[ViewCatalog, Callable[[], None]],
) -> None:
    catalog, alter = server
    view = create(catalog, str(NAME))
    catalog.metastore.drop_row(NAME)
    catalog.metastore.create_row(spark_create_or_replace(view.row, f"{SELECT} LIMIT 7"))
    found = find_by_name(catalog.engine, NAME)
    assert found
    files = files_of(catalog)
    alter()
    with pytest.raises(CommitFailedError, match="another writer"):
        bring_back(catalog.engine, found, on_drift="overwrite")
    assert row_of(catalog).expanded_text == THEIRS
    assert files_of(catalog) == files


def test_what_has_the_name_is_not_overwritten_where_it_changes_while_a_file_is_registered_over_it(
    server: tuple[ViewCatalog, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog, alter = server
    view = create(catalog, str(NAME))
    once_at(catalog, monkeypatch, "write", alter)
    with pytest.raises(CommitFailedError, match="another writer"):
        catalog.register_view(NAME, view.metadata_location, overwrite=True)
    assert row_of(catalog).expanded_text == THEIRS


def test_a_file_with_other_keys_is_not_registered_over_a_partition_that_came_while_it_was_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    catalog = catalog_on(MemoryMetastore())
    create(catalog, str(NAME), partitioned_on=["ds"])
    other = create(catalog, "sales.other")
    files = files_of(catalog)

    def add_partition() -> None:
        catalog.metastore.add_partitions(NAME, [Partition(values=("2026-08-21",))], if_not_exists=False)

    once_at(catalog, monkeypatch, "write", add_partition)
    with pytest.raises(InvalidSchemaError, match="10217"):
        catalog.register_view(NAME, other.metadata_location, overwrite=True)
    assert [key.name for key in row_of(catalog).partition_keys] == ["ds"]
    assert files_of(catalog) == files


def test_a_view_whose_file_is_gone_is_not_replaced_where_it_changes_meanwhile(
    server: tuple[ViewCatalog, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog, alter = server
    view = create(catalog, str(NAME))
    other = catalog.create_view("sales.other", sql={"hive": BETTER}, schema=COLUMNS)
    catalog.storage.delete(view.metadata_location)
    once_at(catalog, monkeypatch, "write", alter)
    with pytest.raises(CommitFailedError, match="another writer"):
        import_over(catalog.engine, row_of(catalog), other.metadata, location=view.location)
    assert row_of(catalog).expanded_text == THEIRS


def test_a_file_is_not_registered_over_a_table_that_took_the_name_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = catalog_on(MemoryMetastore())
    view = create(catalog, str(NAME))
    table = replace(PLAIN, table_type="EXTERNAL_TABLE", original_text=None, expanded_text=None)

    def replace_by_a_table() -> None:
        catalog.metastore.drop_row(NAME)
        catalog.metastore.create_row(table)

    once_at(catalog, monkeypatch, "list_together", replace_by_a_table)
    with pytest.raises(TableAlreadyExistsError):
        catalog.register_view(NAME, view.metadata_location, overwrite=True)
    assert row_of(catalog).table_type == "EXTERNAL_TABLE"


# -- adopting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_partitioned", [False, True])
def test_a_plain_view_that_is_dropped_after_it_was_judged_is_missing_and_no_file_stays(is_partitioned: bool) -> None:
    catalog = catalog_on(MemoryMetastore())
    views = [one for one in plain_views("hive-4.0.1") if bool(one.partitions) is is_partitioned and one.error is None]
    row = plain_view("hive-4.0.1", views[0].name).row
    catalog.create_namespace(row.identifier.namespace, if_not_exists=True)
    catalog.metastore.create_row(row)
    # The server has been asked whether it checks swaps.
    catalog.metastore.enforces_swap(row.identifier)
    catalog.metastore.drop_row(row.identifier)
    with pytest.raises(NoSuchViewError):
        intake.adopt(catalog.engine, row.identifier, row=row)
    assert files_of(catalog) == []


class Timeless(MemoryMetastore):
    """Rows have no time of their last change."""

    def load_row(self, identifier: TableIdentifier) -> Row:
        row = super().load_row(identifier)
        return replace(row, parameters={key: value for key, value in row.parameters.items() if key != DDL_TIME})


def test_a_row_with_nothing_that_a_swap_could_compare_is_adopted_under_a_lock_alone() -> None:
    catalog = catalog_on(Timeless())
    catalog.metastore.create_row(PLAIN)
    with pytest.raises(UnsupportedFeatureError, match="lock = always"):
        catalog.adopt_view(NAME)
    assert files_of(catalog) == []
    locking = catalog_on(catalog.metastore, catalog.warehouse, lock="always")
    assert locking.adopt_view(NAME).differences == ()


# -- releasing ---------------------------------------------------------------------------------------------------------


def test_keys_that_an_interrupted_change_took_away_are_put_back_before_a_view_becomes_plain() -> None:
    """A plain view has no marker that says which they were, and its partitions would be nobody's."""
    metastore = FaultyMetastore(MemoryMetastore(null_descriptor_alter_fails=True))
    catalog = catalog_on(metastore, lock="never")
    create(catalog, str(NAME), partitioned_on=["ds"])
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    metastore.on("swap_row", killed_before, after=2)
    with pytest.raises(Killed):
        catalog.replace_view(NAME, sql={"hive": WIDER, "trino": WIDER}, schema=WIDER_COLUMNS)
    metastore.clear()
    row = metastore.load_row(NAME)
    assert PENDING_KEYS in row.parameters
    metastore.swap_row(replace(row, expanded_text=THEIRS), expected=None)

    metastore.on("swap_row", never_sent)
    catalog.release_view(NAME)
    row = metastore.load_row(NAME)
    assert [key.name for key in row.partition_keys] == ["ds"]
    assert row.expanded_text == THEIRS
    assert not metastore.pending()


def test_a_row_that_has_lost_its_pointer_is_not_released_as_the_one_that_had_it() -> None:
    catalog = catalog_on(MemoryMetastore())
    create(catalog, str(NAME))
    expected = row_of(catalog)
    lost = {key: value for key, value in expected.parameters.items() if key != POINTER}
    catalog.metastore.swap_row(replace(expected, expanded_text=THEIRS, parameters=lost), expected=None)
    found = row_of(catalog)
    with pytest.raises(CommitFailedError, match="changed by another writer meanwhile"):
        intake.release(catalog.engine, NAME, expected=expected)
    assert row_of(catalog) == found
    catalog.release_view(NAME)
    assert row_of(catalog).expanded_text == THEIRS
    assert "uuid" not in row_of(catalog).parameters


def test_a_row_that_changes_between_the_swaps_of_a_release_is_released_only_where_nobody_expects_another() -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_on(metastore)
    create(catalog, str(NAME))
    expected = row_of(catalog)

    def alter() -> None:
        metastore.swap_row(replace(row_of(catalog), expanded_text=THEIRS), expected=None)

    metastore.on("load_row", meanwhile(alter), after=2)
    with pytest.raises(CommitFailedError, match="meanwhile"):
        intake.release(catalog.engine, NAME, expected=expected)
    assert not metastore.pending()
    assert row_of(catalog).expanded_text == THEIRS
    catalog.release_view(NAME)
    assert row_of(catalog).expanded_text == THEIRS
    assert POINTER not in row_of(catalog).parameters


def test_a_half_released_row_that_changes_after_it_was_judged_is_not_released(
    server: tuple[ViewCatalog, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog, alter = server
    create(catalog, str(NAME))
    expected = row_of(catalog)
    catalog.metastore.swap_row(half_released(expected), expected=None)
    other = catalog_on(catalog.metastore, catalog.warehouse)
    # What was expected is read as readers should have it, by its file.
    once_at(other, monkeypatch, "read", alter)
    with pytest.raises(CommitFailedError, match="meanwhile"):
        intake.release(other.engine, NAME, expected=expected)
    row = row_of(catalog)
    assert row.expanded_text == THEIRS
    assert POINTER in row.parameters
    other.release_view(NAME)
    assert row_of(catalog).expanded_text == THEIRS
    assert POINTER not in row_of(catalog).parameters


def test_another_view_that_took_the_name_while_one_was_released_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = catalog_on(MemoryMetastore(), lock="never")
    create(catalog, str(NAME))
    other = catalog_on(catalog.metastore, catalog.warehouse)

    def recreate() -> None:
        catalog.drop_view(NAME)
        create(catalog, str(NAME))

    once_at(other, monkeypatch, "read", recreate)
    with pytest.raises(NoSuchViewError, match="now refers to a different view"):
        other.release_view(NAME)
    assert catalog.load_view(NAME).differences == ()


def test_many_views_are_released_with_those_whose_release_was_interrupted() -> None:
    catalog = catalog_on(MemoryMetastore())
    view = create(catalog, str(NAME))
    catalog.metastore.swap_row(half_released(row_of(catalog)), expected=None)
    (planned,) = hand_back(catalog, "sales.*", dry_run=True)
    (outcome,) = hand_back(catalog, "sales.*")
    assert (planned.state, outcome.state) == (State.PLANNED, State.DONE)
    assert outcome.details["metadata_location"] == view.metadata_location
    assert POINTER not in row_of(catalog).parameters
    assert [one.state for one in hand_back(catalog, "sales.*")] == [State.UNCHANGED]
