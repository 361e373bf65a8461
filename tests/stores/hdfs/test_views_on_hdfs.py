"""Views whose files are on HDFS, and tables that others write there: nothing is lost, and nothing published early."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

import hive_views
from hive_views import ViewCatalog, column, marked_done, publish
from hive_views.base_tables.opening import open_base_table
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.commit.engine import CommitSettings
from tests.stores.tables_of_each_format import KEYS, delta, iceberg, paimon
from tests.support.processes.hdfs import Hdfs
from tests.support.tables.writable import WritableTableWithHistory

pytestmark = pytest.mark.pinned

TEXT = {"hive": "SELECT 1 AS a, 'x' AS ds"}
COLUMNS = [("a", "int"), ("ds", "string")]
DAYS = [{"ds": f"2026-08-{day}"} for day in range(10, 20)]


@pytest.fixture
def catalog(hdfs: Hdfs, directory: str) -> ViewCatalog:
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    return ViewCatalog(metastore, MetadataStorage(hdfs.options), warehouse=f"{directory}/views")


def create(catalog: ViewCatalog) -> None:
    catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS, partitioned_on=["ds"])


def test_no_acknowledged_change_is_lost(hdfs: Hdfs, catalog: ViewCatalog) -> None:
    create(catalog)

    def change(writer: int) -> None:
        own = ViewCatalog(catalog.metastore, MetadataStorage(hdfs.options), warehouse=catalog.warehouse)
        for number in range(2):
            own.alter_view("sales.v", set_properties={f"{writer}-{number}": "done"})
            own.partitions("sales.v").add([{"ds": f"{writer}-{number}"}])

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(change, range(3)))
    done = {f"{writer}-{number}" for writer in range(3) for number in range(2)}
    assert done <= catalog.load_view("sales.v").properties.keys()
    assert {one["ds"] for one in catalog.partitions("sales.v").values()} == done


def test_views_go_through_an_archive_a_drop_and_a_cleaning(catalog: ViewCatalog, directory: str) -> None:
    create(catalog)
    catalog.partitions("sales.v").add(DAYS)
    for number in range(3):
        catalog.alter_view("sales.v", comment=f"{number}")
    view = catalog.alter_view("sales.v", comment="more")
    archive = f"{directory}/backups/v.zip"
    hive_views.estate.backup(catalog, archive)
    hive_views.estate.backup(catalog, archive, overwrite=True)
    target = ViewCatalog(MemoryMetastore(), catalog.storage, warehouse=f"{directory}/restored")
    assert not hive_views.estate.restore(target, archive, create_namespaces=True).failed
    assert target.load_view("sales.v").uuid == view.uuid
    assert len(target.partitions("sales.v").names()) == len(DAYS)
    files = catalog.storage.files
    before = files.list_tree(catalog.warehouse or "", lambda _: False)
    later = before[-1].modified_at_ms or 0
    settings = CommitSettings(clock_ms=lambda: later + 2 * 86_400_000)
    in_two_days = ViewCatalog(catalog.metastore, catalog.storage, warehouse=catalog.warehouse, settings=settings)
    assert not hive_views.estate.clean(in_two_days, "sales.*", older_than=timedelta(days=1)).failed
    after = files.list_tree(catalog.warehouse or "", lambda _: False)
    assert 0 < len(after) < len(before)
    catalog.drop_view("sales.v")
    assert not hive_views.estate.undrop(catalog, "sales.v").failed
    assert catalog.load_view("sales.v").uuid == view.uuid
    assert len(catalog.partitions("sales.v").names()) == len(DAYS)
    assert not hive_views.estate.check(catalog).findings


def test_a_done_marker_that_hadoop_wrote_is_seen_at_once(hdfs: Hdfs, catalog: ViewCatalog, directory: str) -> None:
    day, table = f"{directory}/clicks/ds=2026-08-21", TableIdentifier("sales", "clicks")
    row = Row(table, "MANAGED_TABLE", "ada", f"{directory}/clicks", (Column("a", "int"),), partition_keys=KEYS)
    catalog.metastore.create_row(row)
    partition = Partition(("2026-08-21",), has_descriptor=True, location=day)
    catalog.metastore.add_partitions(table, [partition], if_not_exists=False)
    create(catalog)
    rule = marked_done("sales.clicks", ds=column("ds"), by="success-file")
    hdfs.fs().create(hdfs.path(f"{day}/part-0")).close()
    assert not publish(catalog, "sales.v", rule, dry_run=True).added
    hdfs.fs().create(hdfs.path(f"{day}/_SUCCESS")).close()
    assert publish(catalog, "sales.v", rule, dry_run=True).added == ("ds=2026-08-21",)
    hdfs.fs().delete(hdfs.path(f"{day}/_SUCCESS"), False)
    assert not publish(catalog, "sales.v", rule).added


@pytest.mark.parametrize("written", [delta, iceberg, paimon])
def test_tables_of_other_formats_are_read(
    hdfs: Hdfs,
    files: Files,
    directory: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: Callable[[Path], tuple[WritableTableWithHistory, Path]],
) -> None:
    # Delta's library has a client of its own, which asks NameNodes by Hadoop's protocol.
    monkeypatch.setenv("HADOOP_CONF_DIR", str(hdfs.write_configuration(tmp_path)))
    table, local = written(tmp_path)
    table.append(("2026-08-21",))
    hdfs.copy(local, f"{directory}/t")
    reader = open_base_table(MemoryMetastore(), f"{directory}/t", files=files)
    assert set(reader.list_partitions().values) == {("2026-08-21",)}


def test_a_child_of_a_fork_and_the_end_of_a_process_wait_for_nobody(hdfs: Hdfs, files: Files, directory: str) -> None:
    files.write(f"{directory}/v", b"1")
    program = f"""
import multiprocessing, sys
from hive_views.storage.files import Files
files = Files({hdfs.options!r})
def read(_):
    return files.read({f"{directory}/v"!r})
assert read(0) == b"1"
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(read, range(4)) == [b"1"] * 4
assert list(files.read_all([{f"{directory}/v"!r}] * 20)) == [b"1"] * 20
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
