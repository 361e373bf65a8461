"""Changing the columns of a view that has partitions, where one alter fails inside the metastore (Hive 3 and 4).

Two swaps do it, and what a killed writer, a third writer or a lost answer leaves between them is mended.
"""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from hive_views.errors import CommitFailedError, InvalidPartitionError, MetastoreUnavailableError, ViewDriftedError
from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.metadata import ViewMetadata
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import (
    FaultyMetastore,
    Killed,
    killed_before,
    lost_after,
    meanwhile,
    never_sent,
)
from tests.support.views.catalog_setup import BETTER, COLUMNS, WIDER, WIDER_COLUMNS, create, files_of
from tests.support.views.quick_catalog import NAME, catalog_on


def widen(catalog: ViewCatalog) -> View:
    return catalog.replace_view(NAME, sql={"hive": WIDER, "trino": WIDER}, schema=WIDER_COLUMNS)


@pytest.fixture
def metastore() -> FaultyMetastore:
    """Hive 4: checks swaps, and cannot change the columns of a view with partitions in one call."""
    return FaultyMetastore(MemoryMetastore(null_descriptor_alter_fails=True))


@pytest.fixture
def catalog(metastore: FaultyMetastore) -> ViewCatalog:
    catalog = catalog_on(metastore, lock="never")
    create(catalog, str(NAME), partitioned_on=["ds"])
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    return catalog


@pytest.fixture
def interrupted(metastore: FaultyMetastore, catalog: ViewCatalog) -> ViewCatalog:
    """A writer was killed between the two swaps that change the columns."""
    metastore.on("swap_row", killed_before, after=2)
    with pytest.raises(Killed):
        widen(catalog)
    assert metastore.load_row(NAME).partition_keys == ()
    return catalog


def test_columns_change_in_two_swaps_where_one_does_not_do(metastore: FaultyMetastore, catalog: ViewCatalog) -> None:
    before = len(files_of(catalog))
    widened = widen(catalog)
    row = metastore.load_row(NAME)
    assert [column.name for column in row.columns] == ["user_id", "country", "clicks"]
    assert [column.name for column in row.partition_keys] == ["ds"]
    assert PENDING_KEYS not in row.parameters
    assert [entry.version_id for entry in widened.history] == [1, 2]
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21"]
    assert catalog.load_view(NAME).differences == ()
    assert len(files_of(catalog)) == before + 2, "the new one, and the copy that the first swap pointed to"


def test_the_next_load_puts_back_what_a_killed_writer_took_away(
    interrupted: ViewCatalog, metastore: FaultyMetastore, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "hive_views"):
        loaded = interrupted.load_view(NAME)
    assert "put back the partition keys" in caplog.text
    assert loaded.differences == ()
    assert [entry.version_id for entry in loaded.history] == [1]
    row = metastore.load_row(NAME)
    assert [column.name for column in row.partition_keys] == ["ds"]
    assert PENDING_KEYS not in row.parameters
    assert interrupted.load_view(NAME).differences == ()
    assert interrupted.partitions(NAME).names() == ["ds=2026-08-21"]


def test_the_next_commit_finishes_what_a_killed_writer_began(interrupted: ViewCatalog) -> None:
    assert [entry.version_id for entry in widen(interrupted).history] == [1, 2]
    assert interrupted.load_view(NAME).differences == ()
    assert interrupted.partitions(NAME).names() == ["ds=2026-08-21"]


def test_an_interrupted_view_is_renamed_with_its_keys(interrupted: ViewCatalog) -> None:
    interrupted.rename_view(NAME, "sales.renamed")
    assert interrupted.load_view("sales.renamed").differences == ()
    assert interrupted.partitions("sales.renamed").names() == ["ds=2026-08-21"]


def test_an_interrupted_view_is_dropped(interrupted: ViewCatalog) -> None:
    """Its keys are put back first: Hive 3 cannot drop partitions whose values do not fit the keys."""
    interrupted.drop_view(NAME)
    assert not interrupted.view_exists(NAME)


def test_a_reader_does_not_fail_where_the_keys_cannot_be_put_back(
    interrupted: ViewCatalog, metastore: FaultyMetastore, caplog: pytest.LogCaptureFixture
) -> None:
    metastore.on("swap_row", never_sent)
    with caplog.at_level(logging.WARNING, "hive_views"):
        loaded = interrupted.load_view(NAME)
    assert "were not put back" in caplog.text
    assert [(found.kind, found.what) for found in loaded.differences] == [("needs repair", "partition keys")]
    with pytest.raises(InvalidPartitionError):
        metastore.drop_row(NAME)


def test_what_an_engine_writes_before_the_keys_are_put_back_stays(
    interrupted: ViewCatalog, metastore: FaultyMetastore
) -> None:
    theirs = "SELECT `c`.`user_id`, `c`.`clicks`, `c`.`ds` FROM `web`.`theirs` `c`"

    def alter_view_as() -> None:
        metastore.swap_row(replace(metastore.load_row(NAME), expanded_text=theirs), expected=None)

    # The first look finds the marker, the second one is under the lock.
    metastore.on("enforces_swap", meanwhile(alter_view_as))
    assert interrupted.load_view(NAME).row.partition_keys == ()
    assert metastore.load_row(NAME).expanded_text == theirs
    loaded = interrupted.load_view(NAME)
    assert [key.name for key in loaded.row.partition_keys] == ["ds"]
    assert metastore.load_row(NAME).expanded_text == theirs
    assert not metastore.pending()


def test_a_reader_leaves_the_keys_to_whoever_holds_the_lock(
    interrupted: ViewCatalog, metastore: FaultyMetastore
) -> None:
    locking = catalog_on(metastore, interrupted.warehouse)
    lock = metastore.lock(NAME)
    assert [found.what for found in locking.load_view(NAME).differences] == ["partition keys"]
    lock.release()
    assert locking.load_view(NAME).differences == ()


def test_two_readers_at_once_put_the_keys_back_once(interrupted: ViewCatalog, metastore: FaultyMetastore) -> None:
    other = catalog_on(metastore, interrupted.warehouse, lock="never")
    metastore.on("swap_row", meanwhile(lambda: other.load_view(NAME)))
    assert interrupted.load_view(NAME).differences == ()
    assert interrupted.load_view(NAME).differences == ()


def test_keys_that_somebody_else_put_back_first_are_left_alone(
    interrupted: ViewCatalog, metastore: FaultyMetastore
) -> None:
    other = catalog_on(metastore, interrupted.warehouse, lock="never")
    metastore.on("load_row", meanwhile(lambda: other.load_view(NAME)), after=1)
    assert interrupted.load_view(NAME).differences == ()
    assert not metastore.pending()


def test_a_third_writer_between_the_swaps_wins_and_the_change_is_run_again(
    metastore: FaultyMetastore, catalog: ViewCatalog
) -> None:
    third = catalog_on(metastore, catalog.warehouse, lock="never")
    metastore.on("swap_row", meanwhile(lambda: third.alter_view(NAME, comment="between")), after=2)
    widened = widen(catalog)
    assert widened.comment == "between"
    assert [entry.version_id for entry in widened.history] == [1, 2]
    loaded = catalog.load_view(NAME)
    assert loaded.differences == ()
    assert loaded.metadata == widened.metadata
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21"]


def test_a_third_writer_that_changes_columns_between_the_swaps_wins_too(
    metastore: FaultyMetastore, catalog: ViewCatalog
) -> None:
    third = catalog_on(metastore, catalog.warehouse, lock="never")
    columns = [("who", "bigint"), *COLUMNS[1:]]
    rename = BETTER.replace("user_id,", "user_id AS who,", 1)

    def replace_between() -> None:
        third.replace_view(NAME, sql={"hive": rename, "trino": rename}, schema=columns)

    metastore.on("swap_row", meanwhile(replace_between), after=2)
    widened = widen(catalog)
    assert [entry.version_id for entry in widened.history] == [1, 2, 3]
    assert widened.schema.names == ("user_id", "country", "clicks", "ds")
    assert catalog.load_view(NAME).differences == ()


def altered(row: Row, **parameters: str) -> Row:
    return replace(row, parameters={**row.parameters, **parameters})


def test_a_property_that_an_engine_sets_between_the_swaps_is_kept(
    metastore: FaultyMetastore, catalog: ViewCatalog
) -> None:
    """An engine that neither locks nor swaps: ALTER VIEW SET TBLPROPERTIES leaves the pointer alone."""

    def set_property() -> None:
        metastore.swap_row(altered(metastore.load_row(NAME), theirs="1"), expected=None)

    metastore.on("load_row", meanwhile(set_property), after=2)
    widened = widen(catalog)
    assert metastore.load_row(NAME).parameters["theirs"] == "1"
    assert widened.schema.names == ("user_id", "country", "clicks", "ds")
    assert catalog.load_view(NAME).differences == ()
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21"]


def test_a_text_that_an_engine_sets_between_the_swaps_is_refused_to_be_overwritten(
    metastore: FaultyMetastore, catalog: ViewCatalog
) -> None:
    theirs = "SELECT `c`.`user_id`, `c`.`clicks`, `c`.`ds` FROM `web`.`theirs` `c`"

    def alter_view_as() -> None:
        row = metastore.load_row(NAME)
        # The row lists all columns meanwhile, since it has no keys.
        columns = (*row.columns, Column("ds", "string"))
        theirs_row = replace(row, original_text=theirs, expanded_text=theirs, columns=columns)
        metastore.swap_row(theirs_row, expected=None)

    metastore.on("load_row", meanwhile(alter_view_as), after=2)
    with pytest.raises(ViewDriftedError):
        widen(catalog)
    loaded = catalog.load_view(NAME)
    assert {(found.kind, found.what) for found in loaded.differences} == {
        ("drifted", "expanded text"),
        ("drifted", "original text"),
    }
    row = metastore.load_row(NAME)
    assert row.expanded_text == theirs
    assert [key.name for key in row.partition_keys] == ["ds"], "put back"
    assert [column.name for column in row.columns] == ["user_id", "clicks"]
    assert PENDING_KEYS not in row.parameters
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21"]


def test_what_an_engine_writes_while_the_copy_for_the_first_swap_is_written_is_not_overwritten(
    metastore: FaultyMetastore, catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Storage may be slow, and the pointer that the first swap compares is not what an ALTER VIEW changes."""
    theirs = "SELECT `c`.`user_id`, `c`.`clicks`, `c`.`ds` FROM `web`.`theirs` `c`"
    looking = catalog_on(metastore, catalog.warehouse, lock="never", look_again_after_s=0.0)
    write, writes = looking.storage.write, 0

    def alter_view_as_the_copy_is_written(location: str, metadata: ViewMetadata) -> None:
        nonlocal writes
        write(location, metadata)
        writes += 1
        if writes == 2:
            altered = replace(metastore.load_row(NAME), original_text=theirs, expanded_text=theirs)
            metastore.swap_row(altered, expected=None)

    monkeypatch.setattr(looking.storage, "write", alter_view_as_the_copy_is_written)
    before = len(files_of(catalog))
    with pytest.raises(ViewDriftedError):
        widen(looking)
    assert writes == 2
    row = metastore.load_row(NAME)
    assert row.expanded_text == theirs
    assert [key.name for key in row.partition_keys] == ["ds"]
    assert len(files_of(catalog)) == before


def test_keys_that_an_engine_puts_back_between_the_swaps_make_the_change_run_again() -> None:
    """Hive 3.1: a stale row written without a check; the second swap would fail inside the metastore."""
    metastore = FaultyMetastore(MemoryMetastore(enforces_swap=False, null_descriptor_alter_fails=True))
    catalog = catalog_on(metastore)
    create(catalog, str(NAME), partitioned_on=["ds"])
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    stale = altered(metastore.load_row(NAME), theirs="1")
    metastore.on("swap_row", meanwhile(lambda: metastore.swap_row(stale, expected=None)), after=2)
    widened = widen(catalog)
    assert widened.schema.names == ("user_id", "country", "clicks", "ds")
    assert metastore.load_row(NAME).parameters["theirs"] == "1"
    assert catalog.load_view(NAME).differences == ()
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21"]


def test_a_writer_that_read_before_the_first_swap_is_refused(metastore: FaultyMetastore, catalog: ViewCatalog) -> None:
    """The first swap moves the pointer, so that nobody restores the keys with the old columns by accident."""
    stale = metastore.load_row(NAME)
    refusals: list[CommitFailedError] = []

    def write_stale() -> None:
        with pytest.raises(CommitFailedError) as refusal:
            metastore.swap_row(stale, expected=stale.parameters[POINTER])
        refusals.append(refusal.value)

    metastore.on("swap_row", meanwhile(write_stale), after=2)
    widen(catalog)
    assert len(refusals) == 1
    assert catalog.load_view(NAME).differences == ()


def test_a_first_swap_that_lost_a_race_leaves_no_copy(metastore: FaultyMetastore, catalog: ViewCatalog) -> None:
    other = catalog_on(metastore, catalog.warehouse, lock="never")
    before = len(files_of(catalog))
    metastore.on("swap_row", meanwhile(lambda: other.alter_view(NAME, comment="first")), after=1)
    assert widen(catalog).comment == "first"
    assert len(files_of(catalog)) == before + 3, "theirs, ours, and one copy"


@pytest.mark.parametrize("swap", [1, 2])
def test_answers_lost_at_either_swap_are_settled(metastore: FaultyMetastore, catalog: ViewCatalog, swap: int) -> None:
    metastore.on("swap_row", lost_after, after=swap)
    assert [entry.version_id for entry in widen(catalog).history] == [1, 2]
    assert catalog.load_view(NAME).differences == ()


def test_a_second_swap_that_never_left_is_repaired_by_the_next_load(
    metastore: FaultyMetastore, catalog: ViewCatalog
) -> None:
    metastore.on("swap_row", never_sent, after=2)
    with pytest.raises(MetastoreUnavailableError):
        widen(catalog)
    loaded = catalog.load_view(NAME)
    assert loaded.differences == ()
    assert [entry.version_id for entry in loaded.history] == [1]


def test_two_swaps_work_where_the_database_cannot_compare() -> None:
    metastore = MemoryMetastore(null_descriptor_alter_fails=True, compares_swap=False)
    catalog = catalog_on(metastore)
    create(catalog, str(NAME), partitioned_on=["ds"])
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    widen(catalog)
    assert catalog.load_view(NAME).differences == ()
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21"]
