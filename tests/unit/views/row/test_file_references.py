"""What of a row points to files gets into no row that is made of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.estate import adopt, backup, copy_views, hand_back, move_views, restore, undrop
from hive_views.hive.row import POINTER, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.row.file_references import left_out, without_files
from tests.support.views.catalog_setup import plain_view_row
from tests.support.views.quick_catalog import catalog_on

NAME = TableIdentifier("sales", "v")
OF_TABLES = {"EXTERNAL": "TRUE", "storage_handler": "com.example.Handler", "paimon_location": "file:/w/t"}
OF_TABLES |= {"external.table.purge": "true", "Storage_Handler": "com.example.Handler", "avro.schema.url": "file:/w/s"}
PATHS = {"path": "file:/w/t", "Path": "file:/w/t", "avro.schema.url": "file:/w/s"}


def pointing(row: Row) -> Row:
    return replace(
        row,
        location="file:/w/t",
        parameters={**row.parameters, **OF_TABLES},
        serde_parameters={**PATHS, "serialization.format": "1"},
    )


def assert_without_files(row: Row) -> None:
    assert row.location is None
    assert PATHS.keys().isdisjoint(row.serde_parameters)
    assert OF_TABLES.keys().isdisjoint(row.parameters)


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    catalog.metastore.create_row(pointing(plain_view_row("sales", "v")))
    return catalog


@pytest.mark.parametrize("verb", [copy_views, move_views])
def test_of_a_view_that_was_adopted_so_a_copy_has_nothing_of_it(catalog: ViewCatalog, verb: type) -> None:
    adopt(catalog, "sales.v")
    target = catalog_on(MemoryMetastore())
    assert verb(catalog, target, "sales.v").failed == ()
    assert_without_files(target.metastore.load_row(NAME))
    assert target.metastore.load_row(NAME).serde_parameters == {"serialization.format": "1"}
    hand_back(target, "sales.v")
    assert_without_files(target.metastore.load_row(NAME))


def test_of_a_plain_view_an_archive_gives_nothing_of_it_and_a_dry_run_names_all(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    backup(catalog, f"{tmp_path}/a")
    target = catalog_on(MemoryMetastore())
    [planned] = restore(target, f"{tmp_path}/a", dry_run=True).outcomes
    for what in ("the location", *(f"the parameter {key}" for key in OF_TABLES), *(f"the {key}" for key in PATHS)):
        assert what.lower() in str(planned.reason).lower()
    assert restore(target, f"{tmp_path}/a").failed == ()
    assert_without_files(target.metastore.load_row(NAME))


def test_a_view_that_comes_back_in_the_place_of_a_plain_one_has_nothing_of_it() -> None:
    catalog = catalog_on(MemoryMetastore())
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    catalog.metastore.drop_row(NAME)
    catalog.metastore.create_row(pointing(plain_view_row("sales", "v")))
    assert undrop(catalog, "sales.v", on_drift="overwrite").failed == ()
    assert_without_files(catalog.metastore.load_row(NAME))


def test_what_is_left_out_is_named_once_and_only_where_there_is_any() -> None:
    row = plain_view_row("sales", "v")
    assert (left_out(row, is_ours=False, dry_run=True), without_files(row)) == (None, row)
    found = left_out(replace(row, location="file:/w/t"), is_ours=False, dry_run=True)
    assert found == "The location file:/w/t would be left out, for a view has no files that may go with it."
    ours = replace(row, location="file:/w/t", parameters={POINTER: "file:/w/t/v.metadata.json", "EXTERNAL": "TRUE"})
    assert "The parameter EXTERNAL was left out" in str(left_out(ours, is_ours=True, dry_run=False))
