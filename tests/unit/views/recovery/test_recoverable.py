"""Which file is what is left of a name that had several views, and which is a live view's: the same for every verb."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.errors import AlreadyExistsError, NoSuchViewError
from hive_views.estate import adopt, check, list_dropped, undrop
from hive_views.estate.each.outcomes import State
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import INCARNATION
from hive_views.spec.serde import metadata_directory, next_location
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.creation import import_view
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import Killed
from tests.support.views.catalog_setup import plain_view_row
from tests.support.views.foreign_writers import hive_unset_property
from tests.support.views.quick_catalog import catalog_on

NAME = "sales.b"


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore(), warehouse=str(tmp_path))
    catalog.create_namespace("web")
    return catalog


def create(catalog: ViewCatalog, name: str = NAME, number: int = 1) -> View:
    return catalog.create_view(name, sql={"hive": f"SELECT {number} AS a"}, schema=[("a", "int")])


def left(catalog: ViewCatalog, name: str = NAME) -> str | None:
    """The file that all verbs find; they agree."""
    found = find_by_name(catalog.engine, name)
    listed = [one.metadata_location for one in list_dropped(catalog, name)]
    if found is None:
        assert listed == []
        with pytest.raises(NoSuchViewError):
            undrop(catalog, name)
        return None
    planned = [one.details["metadata_location"] for one in undrop(catalog, name, on_drift="overwrite", dry_run=True)]
    assert listed == planned == [found.metadata_location]
    return found.metadata_location


def test_a_copy_with_an_old_history_is_what_is_left_and_not_the_view_that_was_dropped_before_it(
    catalog: ViewCatalog,
) -> None:
    source = create(catalog, "sales.a")
    create(catalog, number=2)
    catalog.drop_view(NAME)
    copy = import_view(catalog.engine, NAME, source.metadata, row=source.row)
    catalog.drop_view(NAME)
    assert left(catalog) == copy.metadata_location


def test_of_three_lives_the_last_is_meant_whatever_the_numbers_of_their_files_are(catalog: ViewCatalog) -> None:
    source = create(catalog, "sales.a")
    create(catalog)
    for number in range(3):
        catalog.alter_view(NAME, comment=f"life 1, {number}")
    catalog.drop_view(NAME)
    import_view(catalog.engine, NAME, source.metadata, row=source.row)
    catalog.drop_view(NAME)
    last = create(catalog, number=3)
    assert last.metadata_location.rpartition("/")[2].startswith("00000-")
    catalog.drop_view(NAME)
    assert left(catalog) == last.metadata_location


def test_a_view_that_was_recreated_is_found_beside_hundreds_of_files_with_higher_numbers(catalog: ViewCatalog) -> None:
    first = create(catalog)
    location = first.metadata_location
    for number in range(150):
        location = next_location(first.metadata, location, f"{number:036}")
        catalog.storage.write(location, first.metadata)
    catalog.drop_view(NAME)
    last = create(catalog, number=2)
    catalog.drop_view(NAME)
    assert left(catalog) == last.metadata_location


@pytest.mark.parametrize("lost", ["dropped", "replaced"])
def test_a_view_is_found_beside_hundreds_of_newer_files_of_one_that_was_renamed(
    catalog: ViewCatalog, lost: str
) -> None:
    create(catalog)
    catalog.rename_view(NAME, "sales.c")
    last = create(catalog, number=2)
    catalog.metastore.drop_row(last.identifier)
    location = catalog.load_view("sales.c").metadata_location
    for number in range(150):
        location = next_location(last.metadata, location, f"{number:036}")
        catalog.storage.write(location, catalog.load_view("sales.c").metadata)
    if lost == "replaced":
        catalog.metastore.create_row(plain_view_row("sales", "b"))
        with pytest.raises(AlreadyExistsError, match="was a managed view"):
            catalog.adopt_view(NAME)
    assert left(catalog) == last.metadata_location


def test_a_view_that_lost_its_pointer_is_found_beside_hundreds_of_newer_files_of_one_that_was_renamed(
    catalog: ViewCatalog,
) -> None:
    create(catalog)
    catalog.rename_view(NAME, "sales.c")
    last = create(catalog, number=2)
    location = last.metadata_location
    for number in range(150):
        location = next_location(last.metadata, location, f"{number:036}")
        catalog.storage.write(location, catalog.load_view("sales.c").metadata)
    catalog.metastore.swap_row(hive_unset_property(last.row, "metadata_location"), expected=None)
    assert left(catalog) == last.metadata_location


def test_what_an_adoption_left_that_was_killed_is_not_the_last_file_of_the_view_before_it(
    catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(catalog)
    last = catalog.replace_view(NAME, sql={"hive": "SELECT 2 AS a"})
    catalog.drop_view(NAME)
    catalog.metastore.create_row(plain_view_row("sales", "b"))
    with monkeypatch.context() as patch:
        patch.setattr(catalog.metastore, "swap_row", _kill)
        with pytest.raises(Killed):
            catalog.adopt_view(NAME, new_history=True)
    assert len(catalog.storage.list_metadata_files(metadata_directory(last.metadata))) == 3
    assert left(catalog) == last.metadata_location
    assert [one.state for one in undrop(catalog, NAME)] == [State.FAILED]
    assert [one.state for one in undrop(catalog, NAME, on_drift="adopt")] == [State.DONE]
    assert catalog.load_view(NAME).versions[:2] == last.versions


def _kill(*_: object, **__: object) -> None:
    raise Killed


def move_elsewhere(catalog: ViewCatalog) -> None:
    catalog.rename_view(NAME, "sales.c")
    catalog.alter_view("sales.c", location="memory://elsewhere")
    catalog.alter_view("sales.c", comment="its file is elsewhere now")


@pytest.mark.parametrize(
    "go_on",
    [
        move_elsewhere,
        lambda catalog: catalog.rename_view(NAME, "web.b"),
        lambda catalog: (move_elsewhere(catalog), catalog.rename_view("sales.c", "web.c")),
    ],
    ids=["renamed, with another location", "renamed into another namespace", "both"],
)
def test_nothing_is_left_of_a_view_that_is_elsewhere(
    catalog: ViewCatalog, go_on: Callable[[ViewCatalog], object]
) -> None:
    create(catalog)
    go_on(catalog)
    assert left(catalog) is None
    with pytest.raises(NoSuchViewError) as error:
        catalog.load_view(NAME)
    assert "undrop" not in str(error.value)
    catalog.metastore.create_row(plain_view_row("sales", "b"))
    assert [finding for finding in check(catalog, NAME).findings if finding.code == "replaced-row"] == []
    assert [one.state for one in adopt(catalog, NAME)] == [State.DONE]


def test_a_row_that_has_lost_its_pointer_keeps_its_files(catalog: ViewCatalog) -> None:
    view = create(catalog)
    catalog.rename_view(NAME, "sales.c")
    row = catalog.metastore.load_row(replace(view.identifier, name="c"))
    catalog.metastore.swap_row(hive_unset_property(row, "metadata_location"), expected=None)
    assert left(catalog) is None


def test_files_from_before_incarnations_are_of_the_row_with_their_uuid(catalog: ViewCatalog) -> None:
    view = create(catalog, "sales.c")
    old = {key: value for key, value in view.metadata.properties.items() if not key.startswith("hive-views.")}
    moved = view.metadata.model_copy(update={"properties": old})
    file = f"{metadata_directory(create(catalog).metadata)}/00007-{'f' * 36}.metadata.json"
    catalog.drop_view(NAME)
    catalog.storage.write(file, moved)
    # Later than the drop for a file system that counts in ticks, too.
    os.utime(file.removeprefix("file://"), (time.time() + 1, time.time() + 1))
    assert left(catalog) == file
    row = catalog.metastore.load_row(view.identifier)
    parameters = {key: value for key, value in row.parameters.items() if key != INCARNATION}
    catalog.metastore.swap_row(replace(row, parameters=parameters), expected=None)
    assert left(catalog) != file


def test_the_rows_of_all_views_are_read_once_for_many_plain_views_with_former_files(tmp_path: Path) -> None:
    calls: list[str] = []
    catalog = catalog_on(MemoryMetastore(on_call=calls.append), warehouse=str(tmp_path))
    for number in range(10):
        create(catalog, f"sales.v{number}")
        catalog.drop_view(f"sales.v{number}")
        catalog.metastore.create_row(plain_view_row("sales", f"v{number}"))
    calls.clear()
    assert [one.state for one in adopt(catalog, "sales.*")] == [State.FAILED] * 10
    assert calls.count("list_view_names") == 1 + len(catalog.list_namespaces())
