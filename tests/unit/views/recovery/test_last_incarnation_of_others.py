"""Undrop where other programs, settings or databases had a hand in it: what it brings back, and how sure that is."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.errors import NoSuchViewError
from hive_views.estate import list_dropped, undrop
from hive_views.hive.row import POINTER
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import OWNS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import next_location
from hive_views.views.catalog import ViewCatalog
from hive_views.views.recovery.recoverable import find_by_name
from tests.support.views import foreign_writers
from tests.support.views.catalog_setup import plain_view_row
from tests.support.views.quick_catalog import catalog_on
from tests.unit.views.recovery.lives import NAME, a_while_later, create, dropped_by_spark, killed_at
from tests.unit.views.recovery.lives import replace as replaced

OTHER = TableIdentifier("sales", "w")


def located(place: str) -> Callable[[ViewMetadata], ViewMetadata]:
    return lambda one: one.model_copy(update={"properties": {**one.properties, "write.metadata.path": place}})


def renamed_by_hive(catalog: ViewCatalog) -> TableIdentifier:
    row = catalog.metastore.load_row(NAME)
    catalog.metastore.rename_row(NAME, replace(row, identifier=OTHER), expected=row.parameters[POINTER])
    return OTHER


def moved_by_java(catalog: ViewCatalog) -> TableIdentifier:
    foreign_writers.java_commit(catalog.metastore, catalog.storage, NAME, located(f"{catalog.warehouse}/elsewhere"))
    return NAME


def registered_by_java(catalog: ViewCatalog) -> TableIdentifier:
    row = catalog.metastore.load_row(NAME)
    catalog.drop_view(NAME)
    told = {key: value for key, value in row.parameters.items() if key != OWNS}
    catalog.metastore.create_row(replace(row, identifier=OTHER, parameters=told))
    return OTHER


def read_with_another_warehouse(catalog: ViewCatalog) -> TableIdentifier:
    return NAME


@pytest.mark.parametrize("act", [renamed_by_hive, moved_by_java, registered_by_java, read_with_another_warehouse])
def test_what_we_change_of_a_view_after_others_had_it_in_hand_is_found_by_its_name(
    catalog: ViewCatalog, act: Callable[[ViewCatalog], TableIdentifier]
) -> None:
    create(catalog)
    name = act(catalog)
    a_while_later(catalog)
    if act is read_with_another_warehouse:
        catalog = catalog_on(catalog.metastore, warehouse=f"{catalog.warehouse}/another")
    for number in (2, 3):
        last = replaced(catalog, number, name)
    words = len(list(Path(str(catalog.warehouse).removeprefix("file://")).rglob(f"{name.name}/**/*-here*.whereabouts")))
    assert words == 1, "what has been said once is not said with each change"
    dropped_by_spark(catalog, name)
    found = find_by_name(catalog.engine, name)
    assert found is not None
    assert found.metadata_location == last.metadata_location
    assert found.doubts
    if act is renamed_by_hive:
        assert find_by_name(catalog.engine, NAME) is None, "it no longer had that name"


def test_with_another_warehouse_a_note_of_before_is_not_taken_for_the_last_one(tmp_path: Path) -> None:
    metastore = MemoryMetastore()
    before, now = (catalog_on(metastore, warehouse=f"{tmp_path}/{place}") for place in ("before", "now"))
    create(now)
    now.drop_view(NAME)
    a_while_later(now)
    create(before, number=2)
    last = replaced(now, 3)
    dropped_by_spark(now)
    found = find_by_name(now.engine, NAME)
    assert found is not None
    assert found.metadata_location == last.metadata_location


def test_two_spellings_of_a_directory_are_one(tmp_path: Path) -> None:
    catalog = catalog_on(MemoryMetastore(warehouse=f"file:{tmp_path}"), warehouse=f"file://{tmp_path}")
    create(catalog)
    dropped_by_spark(catalog)
    found = find_by_name(catalog.engine, NAME)
    assert found is not None
    assert len(found.doubts) == 1, "it is no rival of itself"


def dropped_by_us(catalog: ViewCatalog) -> None:
    catalog.drop_view(NAME)


def renamed(catalog: ViewCatalog) -> None:
    catalog.rename_view(NAME, OTHER)


def purged(catalog: ViewCatalog) -> None:
    catalog.drop_view(NAME, purge=True)


def renamed_and_purged(catalog: ViewCatalog) -> None:
    catalog.rename_view(NAME, OTHER)
    catalog.drop_view(OTHER, purge=True)


def created_by_us(catalog: ViewCatalog) -> None:
    create(catalog)


def created_by_java(catalog: ViewCatalog) -> None:
    place = f"{catalog.warehouse}/{NAME.namespace}.db/{NAME.name}"
    foreign_writers.java_create(catalog.metastore, catalog.storage, NAME, place)


@pytest.mark.parametrize("make", [created_by_us, created_by_java])
@pytest.mark.parametrize("end", [renamed, purged, renamed_and_purged])
@pytest.mark.parametrize("changes", [1, 70])
def test_what_a_view_was_brought_back_from_is_not_dropped_however_often_the_view_was_changed_since(
    catalog: ViewCatalog, make: Callable[[ViewCatalog], None], end: Callable[[ViewCatalog], None], changes: int
) -> None:
    make(catalog)
    catalog.drop_view(NAME)
    undrop(catalog, str(NAME))
    for number in range(changes):
        catalog.alter_view(NAME, comment=f"c{number}")
    end(catalog)
    assert find_by_name(catalog.engine, NAME) is None
    assert list_dropped(catalog) == ()


def test_a_view_of_which_an_earlier_file_was_registered_is_dropped_still(catalog: ViewCatalog) -> None:
    first = create(catalog)
    last = replaced(catalog, 2)
    catalog.drop_view(NAME)
    catalog.register_view(NAME, first.metadata_location)
    catalog.rename_view(NAME, OTHER)
    found = find_by_name(catalog.engine, NAME)
    assert found is not None
    assert found.metadata_location == last.metadata_location


def test_a_view_of_javas_that_we_changed_and_renamed_is_not_dropped(catalog: ViewCatalog) -> None:
    created_by_java(catalog)
    catalog.alter_view(NAME, comment="ours")
    catalog.rename_view(NAME, OTHER)
    assert find_by_name(catalog.engine, NAME) is None


def test_a_note_of_a_drop_that_never_happened_does_not_beat_what_we_changed_after_it_where_java_had_changed_it_before(
    catalog: ViewCatalog,
) -> None:
    create(catalog)
    foreign_writers.java_commit(catalog.metastore, catalog.storage, NAME)
    killed_at("drop_row", catalog, dropped_by_us)
    a_while_later(catalog)
    last = replaced(catalog, 2)
    dropped_by_spark(catalog)
    found = find_by_name(catalog.engine, NAME)
    assert found is not None
    assert found.metadata_location == last.metadata_location
    assert found.doubts


@pytest.mark.parametrize("place", [None, "made here"])
@pytest.mark.parametrize("changes", [0, 1])
def test_a_view_that_java_moved_leaves_nothing_that_comes_back_when_it_is_purged(
    catalog: ViewCatalog, place: str | None, changes: int
) -> None:
    create(catalog, **({"location": f"{catalog.warehouse}/{place}"} if place else {}))
    moved_by_java(catalog)
    for number in range(changes):
        replaced(catalog, number)
    assert catalog.drop_view(NAME, purge=True).left == ()
    assert find_by_name(catalog.engine, NAME) is None


def test_what_was_changed_in_a_released_view_is_missed_by_the_answer(catalog: ViewCatalog) -> None:
    create(catalog)
    catalog.release_view(NAME)
    row = catalog.metastore.load_row(NAME)
    changed = foreign_writers.spark_alter_view_as(row, "SELECT 7 AS a", row.columns)
    catalog.metastore.swap_row(changed, expected=None)
    dropped_by_spark(catalog)
    found = find_by_name(catalog.engine, NAME)
    assert found is not None
    assert "later changes of the plain view are not in it" in str(found)
    assert "A view of this name was handed back on" in str(found)
    assert not found.document()["certain"]


def test_what_is_noted_of_a_view_is_not_said_of_one_of_another_database_in_the_same_directory(tmp_path: Path) -> None:
    catalog = ViewCatalog(MemoryMetastore())
    for namespace in ("a", "b"):
        catalog.create_namespace(namespace, location=f"file://{tmp_path}/same")
    create(catalog, "a.v")
    other = create(catalog, "b.v", 2)
    dropped_by_spark(catalog, "b.v")
    catalog.drop_view("a.v")
    found = find_by_name(catalog.engine, "b.v")
    assert found is not None
    assert found.metadata_location == other.metadata_location


def test_a_view_that_nothing_shows_to_have_been_there_does_not_hide_the_one_before_it(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    first = create(catalog)
    catalog.drop_view(NAME)
    a_while_later(catalog)
    killed_at("create_row", catalog, lambda catalog: create(catalog, number=2, location=f"file://{tmp_path}/elsewhere"))
    found = find_by_name(catalog.engine, NAME)
    assert found is not None
    assert first.metadata_location in " ".join(found.doubts)


@pytest.mark.parametrize("commits", [0, 1], ids=["made of our first file", "made of one of its own"])
def test_of_a_row_without_its_pointer_a_file_of_javas_that_was_never_current_is_not_certain(
    catalog: ViewCatalog, commits: int
) -> None:
    last = create(catalog).metadata_location
    for _ in range(commits):
        base = last
        last = foreign_writers.java_commit(catalog.metastore, catalog.storage, NAME)
    a_while_later(catalog)
    base = base if commits else last
    never = next_location(catalog.storage.read(base), base, str(uuid.uuid4()))
    catalog.storage.write(never, located("memory://nowhere")(catalog.storage.read(base)))
    row = foreign_writers.hive_unset_property(catalog.metastore.load_row(NAME), POINTER)
    catalog.metastore.swap_row(row, expected=None)
    found = find_by_name(catalog.engine, NAME)
    assert found is not None
    if commits:
        assert last in " ".join(found.doubts)
    else:
        assert (found.metadata_location, found.doubts) == (last, ())


def test_a_rename_that_was_killed_leaves_the_view_under_its_new_name(catalog: ViewCatalog) -> None:
    create(catalog)
    killed_at("rename_row", catalog, lambda catalog: catalog.rename_view(NAME, OTHER))
    a_while_later(catalog)
    last = replaced(catalog, 2)
    dropped_by_spark(catalog)
    found = find_by_name(catalog.engine, OTHER)
    assert found is not None
    assert found.metadata_location == last.metadata_location
    with pytest.raises(NoSuchViewError, match="renamed"):
        undrop(catalog, str(NAME))


def left_there(catalog: ViewCatalog) -> None:
    """It lives."""


@pytest.mark.parametrize("tells", [True, False], ids=["Hive 3", "Hive 2"])
@pytest.mark.parametrize("end", [dropped_by_us, dropped_by_spark])
@pytest.mark.parametrize("end_of_other", [dropped_by_us, dropped_by_spark, left_there])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_another_metastore_has_in_the_same_warehouse_is_not_taken_for_ours_and_certain(
    tmp_path: Path,
    tells: bool,
    end: Callable[[ViewCatalog], None],
    end_of_other: Callable[[ViewCatalog], None],
    is_first: bool,
) -> None:
    ours, other = (catalog_on(MemoryMetastore(tells_identity=tells), warehouse=str(tmp_path)) for _ in range(2))
    locations = {}
    for catalog, ending in [(ours, end), (other, end_of_other)] if is_first else [(other, end_of_other), (ours, end)]:
        locations[catalog] = create(catalog).metadata_location
        a_while_later(catalog)
        ending(catalog)
        a_while_later(catalog)
    found = find_by_name(ours.engine, NAME)
    assert found is not None
    if tells:
        assert found.metadata_location == locations[ours]
        assert bool(found.doubts) == (end is dropped_by_spark)
    else:
        assert found.doubts


def test_a_view_of_another_metastore_does_not_take_the_place_of_one_that_left_the_name(tmp_path: Path) -> None:
    ours, other = (catalog_on(MemoryMetastore(), warehouse=str(tmp_path)) for _ in range(2))
    create(ours)
    renamed(ours)
    create(other)
    assert find_by_name(ours.engine, NAME) is None
    assert list_dropped(ours) == ()


def test_a_view_of_another_metastore_was_not_replaced_by_a_plain_view_of_ours(tmp_path: Path) -> None:
    ours, other = (catalog_on(MemoryMetastore(), warehouse=str(tmp_path)) for _ in range(2))
    create(other)
    ours.metastore.create_row(plain_view_row(NAME.namespace, NAME.name))
    assert find_by_name(ours.engine, NAME) is None
    assert len(ours.adopt_view(NAME).history) == 1
    assert other.load_view(NAME).history


def test_what_a_lost_metastore_had_is_found_by_the_one_that_takes_its_place(tmp_path: Path) -> None:
    lost, new = (catalog_on(MemoryMetastore(), warehouse=str(tmp_path)) for _ in range(2))
    create(lost)
    last = lost.rename_view(NAME, OTHER).metadata_location
    (found,) = list_dropped(new)
    assert (found.identifier, found.metadata_location) == (OTHER, last)
    assert "in another metastore" in str(found)


@pytest.mark.parametrize("end", [left_there, lambda catalog: dropped_by_spark(catalog, OTHER)], ids=["lives", "gone"])
def test_on_hive_2_a_view_that_came_back_twice_beside_one_that_left_the_name_is_certain(
    tmp_path: Path, end: Callable[[ViewCatalog], None]
) -> None:
    catalog = catalog_on(MemoryMetastore(tells_identity=False), warehouse=str(tmp_path))
    create(catalog)
    catalog.rename_view(NAME, OTHER)
    end(catalog)
    create(catalog)
    for _ in range(3):
        catalog.drop_view(NAME)
        found = find_by_name(catalog.engine, NAME)
        assert found is not None
        assert found.doubts == ()
        undrop(catalog, str(NAME))
