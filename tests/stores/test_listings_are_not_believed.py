"""What a process has listed says nothing of what is there now: file systems of fsspec keep listings for ever."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog, column, marked_done, publish
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from tests.stores.kinds import EACH, STORES, Store

pytestmark = pytest.mark.parametrize("store", EACH, indirect=True)

TEXT, BETTER = {"hive": "SELECT 1 AS a"}, {"hive": "SELECT 2 AS a"}
COLUMNS = [("a", "int")]


@pytest.fixture
def user_fs(store: Store) -> Any:
    return store.fs_of_users()


@pytest.fixture
def other_fs(store: Store) -> Any:
    return store.fs_of_users(is_of_another_process=True)


@pytest.fixture
def catalog(store: Store, metastore: MemoryMetastore) -> ViewCatalog:
    """With the very options of the user's file system."""
    return ViewCatalog(metastore, MetadataStorage(store.server.options), warehouse=f"{store.lake}/views")


@pytest.fixture
def elsewhere(catalog: ViewCatalog, other_fs: Any) -> ViewCatalog:
    """The same views in another process: nothing that this one has listed reaches its file system."""

    class Elsewhere(MetadataStorage):
        def write_bytes(self, location: str, content: bytes) -> None:
            other_fs.pipe_file(location, content)

    return ViewCatalog(catalog.metastore, Elsewhere(catalog.storage.files.options), warehouse=catalog.warehouse)


def list_all(fs: Any, *directories: str) -> None:
    for directory in directories:
        fs.find(directory)
        fs.ls(directory)
        fs.glob(f"{directory}/*")


def test_a_view_loads_and_changes_whatever_was_listed_before(
    store: Store, catalog: ViewCatalog, elsewhere: ViewCatalog, user_fs: Any
) -> None:
    view = catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS)
    directory = view.metadata_location.rpartition("/")[0]
    list_all(user_fs, store.lake, directory)
    catalog.storage.list_infos(directory)
    elsewhere.replace_view("sales.v", sql=BETTER, schema=COLUMNS)
    assert catalog.load_view("sales.v").metadata.current_version_id == 2
    assert not hive_views.estate.check(catalog).findings
    assert catalog.alter_view("sales.v", comment="more").metadata.current_version_id == 2


def test_a_user_who_wants_listings_kept_does_not_get_them_for_views(
    store: Store, elsewhere: ViewCatalog, metastore: MemoryMetastore
) -> None:
    storage = MetadataStorage({**store.server.options, "use_listings_cache": True, "skip_instance_cache": False})
    catalog = ViewCatalog(metastore, storage, warehouse=elsewhere.warehouse)
    directory = catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS).metadata_location.rpartition("/")[0]
    storage.list_infos(directory)
    storage.list_files(directory)
    elsewhere.replace_view("sales.v", sql=BETTER, schema=COLUMNS)
    assert catalog.load_view("sales.v").metadata.current_version_id == 2


@pytest.mark.promise(
    what="done markers",
    holds="one by another process is seen at once, and no more once it is deleted",
    stores=STORES,
)
def test_a_done_marker_is_seen_when_it_was_written_and_no_more_when_it_was_removed(
    store: Store, catalog: ViewCatalog, metastore: MemoryMetastore, user_fs: Any, other_fs: Any
) -> None:
    lake = store.lake
    directory = f"{lake}/clicks/ds=2026-08-21"
    table = TableIdentifier("sales", "clicks")
    columns = (Column("a", "int"),)
    row = Row(table, "MANAGED_TABLE", "ada", f"{lake}/clicks", columns, partition_keys=(Column("ds", "string"),))
    metastore.create_row(row)
    metastore.add_partitions(
        table, [Partition(("2026-08-21",), has_descriptor=True, location=directory)], if_not_exists=False
    )
    catalog.create_view(
        "sales.daily",
        sql={"hive": "SELECT a, ds FROM sales.clicks"},
        schema=[("a", "int"), ("ds", "string")],
        partitioned_on=["ds"],
    )
    user_fs.pipe_file(f"{directory}/part-0", b"1")
    rule = marked_done("sales.clicks", ds=column("ds"), by="success-file")
    list_all(user_fs, lake, directory)
    catalog.storage.list_infos(directory)
    assert not publish(catalog, "sales.daily", rule, dry_run=True).added
    other_fs.pipe_file(f"{directory}/_SUCCESS", b"")
    assert publish(catalog, "sales.daily", rule, dry_run=True).added == ("ds=2026-08-21",)
    list_all(user_fs, lake, directory)
    catalog.storage.list_infos(directory)
    other_fs.rm_file(f"{directory}/_SUCCESS")
    assert not publish(catalog, "sales.daily", rule).added


@pytest.mark.parametrize("listed_by", ["the user", "us"])
def test_no_question_about_a_file_is_answered_from_a_listing(
    store: Store, user_fs: Any, other_fs: Any, listed_by: str
) -> None:
    files, lake = Files(store.server.options), store.lake
    files.write(f"{lake}/d/old", b"1")
    if listed_by == "us":
        files.list(f"{lake}/d")
        files.list_infos(f"{lake}/d")
        files.list_directories(lake)
        list(files.list_tree(lake, lambda name: False))
    list_all(user_fs, lake, f"{lake}/d")
    other_fs.pipe_file(f"{lake}/d/new", b"22")
    other_fs.rm_file(f"{lake}/d/old")
    assert files.read(f"{lake}/d/new") == b"22"
    assert files.exists(f"{lake}/d/new")
    assert not files.exists(f"{lake}/d/old")
    assert files.modified_at_ms(f"{lake}/d/new")
    assert files.list(f"{lake}/d") == [f"{lake}/d/new"]
    for infos in (files.list_infos(f"{lake}/d"), files.list_tree(lake, lambda name: False)):
        assert [(one.location, one.size) for one in infos] == [(f"{lake}/d/new", 2)]
    files.download(f"{lake}/d/new", content := BytesIO())
    assert content.getvalue() == b"22"
    with pytest.raises(FileNotFoundError):
        files.read(f"{lake}/d/old")
