"""What is restored, or copied, owns no files: a real metastore deletes nothing when it is dropped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.estate import backup, copy_views, restore
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views.catalog_setup import COLUMNS, SELECT, plain_view_row

OF_TABLES = {"EXTERNAL": "FALSE", "storage_handler": "com.example.Handler", "external.table.purge": "true"}


def drop_as_engines_do(hms: HiveMetastore, name: TableIdentifier) -> None:
    """With its data, as Hive and Spark drop a view."""
    hms._ask(Call("drop_table", str(name), writes=True), name.namespace, name.name, True)


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A directory of somebody else."""
    directory = tmp_path / "precious"
    directory.mkdir()
    (directory / "data").write_text("kept")
    return directory


def pointing(row: Row, directory: Path, **more: str) -> Row:
    return replace(
        row,
        location=f"file:{directory}",
        parameters={**row.parameters, **OF_TABLES, **more},
        serde_parameters={"path": f"file:{directory}", "serialization.format": "1"},
    )


@pytest.mark.parametrize("kind", ["plain", "managed"])
def test_no_drop_after_a_restore_deletes_what_a_row_in_the_archive_points_to(
    hms: HiveMetastore, namespace: str, precious: Path, tmp_path: Path, kind: str
) -> None:
    name, metastore = TableIdentifier(namespace, "v"), MemoryMetastore()
    source = ViewCatalog(metastore, warehouse=f"file:{tmp_path}/source")
    source.create_namespace(namespace, location=f"file:{tmp_path}/source/ns")
    if kind == "plain":
        pointer = f"file:{precious}/v.metadata.json"
        metastore.create_row(pointing(plain_view_row(namespace, "v"), precious, metadata_location=pointer))
    else:
        source.create_view(name, sql={"hive": SELECT}, schema=COLUMNS)
        metastore.swap_row(pointing(metastore.load_row(name), precious), expected=None)
    archive = str(tmp_path / "a.zip")
    backup(source, archive)

    target = ViewCatalog(hms, warehouse=f"file:{tmp_path}/views")
    (planned,) = restore(target, archive, dry_run=True)
    assert planned.state is State.PLANNED
    named = ("storage_handler", "EXTERNAL", *((f"file:{precious}", "metadata_location") if kind == "plain" else ()))
    assert [one for one in named if one not in str(planned.reason)] == []
    (done,) = restore(target, archive)
    assert (done.state, "left out" in str(done.reason)) == (State.DONE, True)
    row = hms.load_row(name)
    assert (row.location, "path" in row.serde_parameters) == (None, False)
    assert OF_TABLES.keys().isdisjoint(row.parameters)
    (again,) = restore(target, archive)
    assert again.state is State.UNCHANGED

    drop_as_engines_do(hms, name)
    assert (precious / "data").read_text() == "kept"


def test_no_drop_of_a_copy_deletes_what_the_row_of_the_source_points_to(
    hms: HiveMetastore, namespace: str, precious: Path, tmp_path: Path
) -> None:
    metastore, name = MemoryMetastore(), TableIdentifier(namespace, "v")
    source = ViewCatalog(metastore, warehouse=f"file:{tmp_path}/source")
    source.create_namespace(namespace, location=f"file:{tmp_path}/source/ns")
    source.create_view(name, sql={"hive": SELECT}, schema=COLUMNS)
    metastore.swap_row(pointing(metastore.load_row(name), precious), expected=None)
    (outcome,) = copy_views(source, ViewCatalog(hms, warehouse=f"file:{tmp_path}/views"), str(name))
    assert (outcome.state, "storage_handler" in str(outcome.reason)) == (State.DONE, True)
    row = hms.load_row(name)
    assert (row.location, OF_TABLES.keys() & row.parameters.keys()) == (None, set())
    drop_as_engines_do(hms, name)
    assert (precious / "data").read_text() == "kept"
