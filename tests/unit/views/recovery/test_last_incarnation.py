"""Undrop brings back the view that was dropped, as it was: no other life of its name, no file nobody committed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hive_views.errors import Answer, MetastoreUnavailableError, StorageUnavailableError
from hive_views.estate import list_dropped, undrop
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import POINTER, Partition
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.view import View
from tests.support.views.catalog_setup import plain_view_row
from tests.support.views.foreign_writers import hive_unset_property
from tests.unit.views.recovery.lives import NAME, a_while_later, create, dropped_by_spark, found, killed_at, replace


@pytest.fixture
def elsewhere(tmp_path: Path) -> str:
    return f"file://{tmp_path}/elsewhere"


MOVES: dict[str, Callable[[ViewCatalog, str], object]] = {
    "location": lambda catalog, place: catalog.alter_view(NAME, location=place),
    "write.metadata.path": lambda catalog, place: catalog.alter_view(
        NAME, set_properties={"write.metadata.path": f"{place}/files"}
    ),
}
DROPS: dict[str, Callable[[ViewCatalog], object]] = {
    "by us": lambda catalog: catalog.drop_view(NAME),
    "by Spark": dropped_by_spark,
}
ENDS = {**DROPS, "released": lambda catalog: catalog.release_view(NAME)}
moves = pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
drops = pytest.mark.parametrize("drop", DROPS.values(), ids=DROPS)


@moves
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("further", [0, 2])
def test_a_view_whose_files_went_elsewhere_comes_back_as_it_was_and_not_as_it_was_before_that(
    catalog: ViewCatalog,
    elsewhere: str,
    move: Callable[[ViewCatalog, str], object],
    end: Callable[[ViewCatalog], object],
    further: int,
) -> None:
    create(catalog)
    move(catalog, elsewhere)
    last = catalog.load_view(NAME)
    for number in range(further):
        last = replace(catalog, 2 + number)
    end(catalog)
    left = find_by_name(catalog.engine, NAME)
    assert left is not None
    assert left.metadata_location == last.metadata_location
    assert [one.state for one in undrop(catalog, str(NAME))] == [State.DONE]
    assert catalog.load_view(NAME).history == last.history


@drops
def test_a_view_that_never_had_its_files_where_they_are_by_default_is_found_by_its_name(
    catalog: ViewCatalog, elsewhere: str, drop: Callable[[ViewCatalog], object]
) -> None:
    last = create(catalog, location=elsewhere)
    drop(catalog)
    assert found(catalog).metadata_location == last.metadata_location


@moves
def test_a_lost_pointer_of_a_view_whose_files_went_elsewhere_is_found_by_what_its_row_still_says(
    catalog: ViewCatalog, elsewhere: str, move: Callable[[ViewCatalog, str], object]
) -> None:
    create(catalog)
    move(catalog, elsewhere)
    last = replace(catalog, 2)
    killed_at("swap_row", catalog, lambda catalog: replace(catalog, 3))
    catalog.metastore.swap_row(hive_unset_property(catalog.metastore.load_row(NAME), POINTER), expected=None)
    left = found(catalog)
    assert (left.metadata_location, left.known_by, left.doubts) == (last.metadata_location, "row", ())
    assert [one.state for one in undrop(catalog, str(NAME), on_drift="adopt")] == [State.DONE]
    assert catalog.load_view(NAME).history == last.history


@drops
def test_of_a_view_that_was_renamed_and_one_that_got_its_name_each_comes_back_under_its_own(
    catalog: ViewCatalog, drop: Callable[[ViewCatalog], object]
) -> None:
    first = create(catalog)
    catalog.rename_view(NAME, "sales.old")
    a_while_later(catalog)
    second = create(catalog, number=2)
    a_while_later(catalog)
    first = catalog.alter_view("sales.old", comment="written later, into the directory of the other one")
    drop(catalog)
    (catalog.drop_view if drop is DROPS["by us"] else lambda name: dropped_by_spark(catalog, name))("sales.old")
    assert found(catalog).metadata_location == second.metadata_location
    assert found(catalog, "sales.old").metadata_location == first.metadata_location


@drops
def test_a_view_that_got_the_name_of_a_dropped_one_is_what_was_dropped_last(
    catalog: ViewCatalog, drop: Callable[[ViewCatalog], object]
) -> None:
    create(catalog)
    drop(catalog)
    a_while_later(catalog)
    second = create(catalog, "sales.w", 2)
    catalog.rename_view("sales.w", NAME)
    drop(catalog)
    assert found(catalog).metadata_location == second.metadata_location
    assert find_by_name(catalog.engine, "sales.w") is None, "it no longer had that name"
    assert [str(one.identifier) for one in list_dropped(catalog)] == [str(NAME)]


@drops
def test_a_view_that_got_its_name_back_is_found_under_it_alone(
    catalog: ViewCatalog, drop: Callable[[ViewCatalog], object]
) -> None:
    view = create(catalog)
    catalog.rename_view(NAME, "sales.w")
    catalog.rename_view("sales.w", NAME)
    drop(catalog)
    assert found(catalog).metadata_location == view.metadata_location
    assert find_by_name(catalog.engine, "sales.w") is None


def test_a_rename_that_another_program_made_is_noted_by_the_drop_of_ours(catalog: ViewCatalog) -> None:
    view = create(catalog)
    row, other = catalog.metastore.load_row(NAME), TableIdentifier("sales", "w")
    catalog.metastore.rename_row(NAME, replace_name(row, other), expected=row.parameters[POINTER])
    catalog.drop_view(other)
    assert find_by_name(catalog.engine, NAME) is None
    assert found(catalog, other).metadata_location == view.metadata_location


def replace_name(row: object, name: TableIdentifier) -> object:
    return type(row)(**{**row.__dict__, "identifier": name})  # type: ignore[arg-type]


def tagged(catalog: ViewCatalog) -> View:
    return catalog.tag_view(NAME, "release")


@pytest.mark.parametrize("attempt", range(4))
def test_a_file_whose_commit_never_happened_does_not_beat_one_that_made_no_version(
    catalog: ViewCatalog, attempt: int
) -> None:
    """By their names alone each of both is the last about every second time."""
    create(catalog)
    killed_at("swap_row", catalog, lambda catalog: replace(catalog, 3))
    a_while_later(catalog)
    last = tagged(catalog)
    dropped_by_spark(catalog)
    left = found(catalog)
    assert left.metadata_location == last.metadata_location
    assert (left.known_by, left.document()["certain"]) == ("search", False)
    assert "It may also be" in " ".join(left.doubts)


def test_a_file_whose_commit_never_happened_is_passed_over_where_the_drop_was_noted(catalog: ViewCatalog) -> None:
    create(catalog)
    last = tagged(catalog)
    killed_at("swap_row", catalog, lambda catalog: replace(catalog, 3))
    catalog.drop_view(NAME)
    left = found(catalog)
    assert (left.metadata_location, left.known_by, left.doubts) == (last.metadata_location, "note", ())


@pytest.mark.parametrize("move", [None, *MOVES.values()], ids=["in place", *MOVES])
def test_a_note_of_a_drop_that_never_happened_does_not_beat_what_was_committed_after_it(
    catalog: ViewCatalog, elsewhere: str, move: Callable[[ViewCatalog, str], object] | None
) -> None:
    create(catalog)
    killed_at("drop_row", catalog, DROPS["by us"])
    a_while_later(catalog)
    if move:
        move(catalog, elsewhere)
    replace(catalog, 2)
    last = replace(catalog, 3)
    dropped_by_spark(catalog)
    left = found(catalog)
    assert left.metadata_location == last.metadata_location
    assert left.doubts


def test_a_drop_that_certainly_did_not_happen_leaves_no_note(
    catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = create(catalog)
    before = catalog.storage.list_files(f"{view.location}/metadata")

    def refused(*_: object) -> None:
        raise MetastoreUnavailableError("no connection", answer=Answer.NOT_SENT)

    monkeypatch.setattr(catalog.metastore, "drop_row", refused)
    with pytest.raises(MetastoreUnavailableError, match="no connection"):
        catalog.drop_view(NAME)
    assert catalog.storage.list_files(f"{view.location}/metadata") == before


def test_a_new_view_of_the_name_that_spark_dropped_is_what_was_dropped_last(catalog: ViewCatalog) -> None:
    create(catalog)
    catalog.drop_view(NAME)
    a_while_later(catalog)
    second = create(catalog, number=2)
    dropped_by_spark(catalog)
    left = found(catalog)
    assert left.metadata_location == second.metadata_location
    assert "Nothing shows that it was ever current" in " ".join(left.doubts)


def test_a_view_that_was_purged_does_not_come_back_as_what_it_was_brought_back_from(catalog: ViewCatalog) -> None:
    create(catalog)
    catalog.drop_view(NAME)
    undrop(catalog, str(NAME))
    assert catalog.drop_view(NAME, purge=True).left
    assert find_by_name(catalog.engine, NAME) is None
    assert list_dropped(catalog) == ()


def test_a_view_that_was_brought_back_and_renamed_is_not_dropped(catalog: ViewCatalog) -> None:
    create(catalog)
    for drop in DROPS.values():
        drop(catalog)
        undrop(catalog, str(NAME))
    catalog.rename_view(NAME, "sales.w")
    assert find_by_name(catalog.engine, NAME) is None
    assert list_dropped(catalog) == ()


def test_what_was_dropped_before_a_purged_view_of_the_name_is_as_recoverable_as_it_was(catalog: ViewCatalog) -> None:
    first = create(catalog)
    catalog.drop_view(NAME)
    a_while_later(catalog)
    create(catalog, number=2)
    catalog.drop_view(NAME, purge=True)
    left = found(catalog)
    assert (left.metadata_location, left.doubts) == (first.metadata_location, ())


def test_a_view_all_of_whose_files_were_deleted_is_no_error(catalog: ViewCatalog, elsewhere: str) -> None:
    last = create(catalog, location=elsewhere)
    catalog.drop_view(NAME)
    catalog.storage.delete(last.metadata_location)
    assert find_by_name(catalog.engine, NAME) is None
    assert list_dropped(catalog).not_known == {}


def create_partitioned(catalog: ViewCatalog) -> None:
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a, 'x' AS ds"}, schema=[("a", "int"), ("ds", "string")],
                        partitioned_on=["ds"])  # fmt: skip
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])


def test_partitions_that_changed_after_a_drop_that_never_happened_are_uncertain(catalog: ViewCatalog) -> None:
    create_partitioned(catalog)
    killed_at("drop_row", catalog, DROPS["by us"])
    catalog.partitions(NAME).add([{"ds": "2026-08-23"}])
    catalog.partitions(NAME).drop([{"ds": "2026-08-21"}])
    dropped_by_spark(catalog)
    (outcome,) = undrop(catalog, str(NAME))
    assert outcome.details["partitions_uncertain"] == ["ds=2026-08-21", "ds=2026-08-23"]
    assert catalog.partitions(NAME).names() == [f"ds=2026-08-{day}" for day in (21, 22, 23)]


def test_partitions_that_hive_declared_come_back_after_a_drop_of_ours(catalog: ViewCatalog) -> None:
    create_partitioned(catalog)
    by_hive = [Partition(values=(f"2026-08-{day}",)) for day in (23, 24)]
    catalog.metastore.add_partitions(NAME, by_hive, if_not_exists=False)
    catalog.metastore.drop_partitions(NAME, ["ds=2026-08-21"], if_exists=False)
    catalog.drop_view(NAME)
    assert found(catalog).has_journal
    (outcome,) = undrop(catalog, str(NAME))
    assert outcome.state is State.DONE
    assert catalog.partitions(NAME).names() == [f"ds=2026-08-{day}" for day in (21, 22, 23, 24)]
    assert outcome.details["partitions_uncertain"] == ["ds=2026-08-21"], "Hive dropped it"


def test_a_drop_that_cannot_be_noted_is_refused_and_says_how_to_do_without(
    catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(catalog)

    def broken(location: str, content: bytes) -> None:
        raise StorageUnavailableError("The bucket is gone.", location=location)

    monkeypatch.setattr(catalog.storage, "write_bytes", broken)
    with pytest.raises(StorageUnavailableError, match=r"sales\.b was left unchanged.*DROP VIEW in Hive or Spark"):
        catalog.drop_view(NAME)
    assert catalog.view_exists(NAME)


def test_what_is_left_of_a_replaced_view_is_found_by_its_note_too(catalog: ViewCatalog, elsewhere: str) -> None:
    create(catalog)
    catalog.alter_view(NAME, location=elsewhere)
    last = replace(catalog, 2)
    dropped_by_spark(catalog)
    catalog.metastore.create_row(plain_view_row("sales", "b"))
    assert found(catalog).metadata_location == last.metadata_location


def test_files_that_were_copied_again_with_their_storage_are_not_taken_for_later_ones(catalog: ViewCatalog) -> None:
    """A bucket that comes back from a backup has the times of the copying, in any order."""
    create(catalog, number=7)
    dropped_by_spark(catalog)
    create(catalog)
    last = tagged(catalog)
    killed_at("swap_row", catalog, lambda catalog: replace(catalog, 3))
    catalog.drop_view(NAME)
    assert catalog.warehouse
    files = [one for one in Path(catalog.warehouse.removeprefix("file://")).rglob("*") if one.is_file()]
    for number, file in enumerate(sorted(files, key=lambda one: (not one.name.endswith(".whereabouts"), one.name))):
        later = time.time() + 90_000 + number
        os.utime(file, (later, later))
    left = found(catalog)
    assert (left.metadata_location, left.known_by) == (last.metadata_location, "note")
