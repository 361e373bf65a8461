"""A dry run of a catalog does all that the real run does, and leaves nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views import View, ViewCatalog, estate
from hive_views.errors import (
    AlreadyExistsError,
    CorruptMetadataError,
    DialectDroppedError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchPartitionError,
    NoSuchVersionError,
    NoSuchViewError,
    PartitionAlreadyExistsError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
    ViewDriftedError,
)
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.unwritten_files import UnwrittenFiles

NAME = TableIdentifier("default", "daily")
SELECT = "SELECT user_id, ds FROM web.clicks"
BETTER = "SELECT user_id + 1 AS user_id, ds FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("ds", "string")]


class _Recorder(MemoryMetastore):
    """A metastore that records which verbs were called."""

    def __init__(self) -> None:
        self.called: list[str] = []
        super().__init__(on_call=self.called.append)


READS = {"load_namespace", "load_row", "partition_names", "load_partitions", "list_view_names", "load_rows"}


@pytest.fixture
def metastore() -> _Recorder:
    return _Recorder()


@pytest.fixture
def catalog(metastore: _Recorder, tmp_path_factory: pytest.TempPathFactory) -> ViewCatalog:
    catalog = ViewCatalog(metastore, MetadataStorage(), warehouse=str(tmp_path_factory.mktemp("views")))
    catalog.create_view(NAME, sql={"hive": SELECT, "trino": SELECT}, schema=COLUMNS, partitioned_on=["ds"])
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])
    catalog.replace_view(NAME, sql={"hive": BETTER, "trino": BETTER})
    return catalog


def files_of(catalog: ViewCatalog, view: View) -> list[str]:
    return [
        file for part in ("metadata", "partitions") for file in catalog.storage.list_files(f"{view.location}/{part}")
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.create_view("default.new", sql={"hive": SELECT}, schema=COLUMNS),
        lambda c: c.replace_view(NAME, sql={"hive": SELECT, "trino": BETTER}),
        lambda c: c.alter_view(NAME, set_properties={"team": "x"}, comment="c"),
        lambda c: c.roll_back_view(NAME, to_version=1),
        lambda c: c.rename_view(NAME, "default.new"),
        lambda c: c.drop_view(NAME, purge=True),
        lambda c: c.partitions(NAME).add([{"ds": "2026-08-23"}]),
        lambda c: c.partitions(NAME).drop([{"ds": "2026-08-21"}]),
    ],
    ids=["create", "replace", "alter", "roll back", "rename", "drop", "add partitions", "drop partitions"],
)
def test_nothing_is_written_and_no_lock_is_taken(
    catalog: ViewCatalog, metastore: _Recorder, change: Callable[[ViewCatalog], object]
) -> None:
    view, names = catalog.load_view(NAME), catalog.partitions(NAME).names()
    files = catalog.storage.list_files(f"{view.location}/metadata") + catalog.storage.list_files(
        f"{view.location}/partitions"
    )
    metastore.called.clear()
    change(catalog.dry_run(NAME, "default.new"))
    assert set(metastore.called) <= READS
    assert catalog.load_view(NAME) == view
    assert not catalog.view_exists("default.new")
    assert catalog.partitions(NAME).names() == names
    assert (
        catalog.storage.list_files(f"{view.location}/metadata")
        + catalog.storage.list_files(f"{view.location}/partitions")
        == files
    )


def test_what_comes_out_is_what_the_real_run_makes(catalog: ViewCatalog) -> None:
    def definition(catalog: ViewCatalog) -> tuple[object, ...]:
        view = catalog.replace_view(NAME, sql={"hive": SELECT + " WHERE true", "trino": SELECT}, comment="c")
        row = catalog.metastore.load_row(NAME)
        return view.current_version.representations, view.schema, view.properties, row.expanded_text, row.partition_keys

    assert definition(catalog.dry_run(NAME)) == definition(catalog)


def test_partitions_that_would_be_added_or_dropped_are_named(catalog: ViewCatalog) -> None:
    partitions = catalog.dry_run(NAME).partitions(NAME)
    assert partitions.add([{"ds": "2026-08-22"}, {"ds": "2026-08-23"}], if_not_exists=True) == ["ds=2026-08-23"]
    assert partitions.drop([{"ds": "2026-08-21"}]) == ["ds=2026-08-21"]


def test_the_files_that_a_purge_would_delete_are_named(catalog: ViewCatalog) -> None:
    expected = files_of(catalog, catalog.load_view(NAME))
    rehearsed = catalog.dry_run(NAME)
    rehearsed.drop_view(NAME, purge=True)
    assert isinstance(rehearsed.storage, UnwrittenFiles)
    assert sorted(rehearsed.storage.deleted) == sorted(expected)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda c: c.create_view(NAME, sql={"hive": SELECT}, schema=COLUMNS), ViewAlreadyExistsError),
        (lambda c: c.create_view("default.t", sql={"hive": SELECT}, schema=COLUMNS), TableAlreadyExistsError),
        (lambda c: c.rename_view(NAME, "default.t"), TableAlreadyExistsError),
        (lambda c: c.replace_view("default.new", sql={"hive": SELECT}), NoSuchViewError),
        (lambda c: c.replace_view(NAME, sql={"hive": SELECT}), DialectDroppedError),
        (lambda c: c.roll_back_view(NAME, to_version=7), NoSuchVersionError),
        (lambda c: c.partitions(NAME).add([{"ds": "2026-08-21"}]), PartitionAlreadyExistsError),
        (lambda c: c.partitions(NAME).drop([{"ds": "2026-08-20"}]), NoSuchPartitionError),
    ],
)
def test_what_the_real_run_refuses_is_refused(
    catalog: ViewCatalog, change: Callable[[ViewCatalog], object], refusal: type[Exception]
) -> None:
    catalog.metastore.create_row(Row(TableIdentifier("default", "t"), "MANAGED_TABLE"))
    for run in (catalog.dry_run(NAME, "default.t", "default.new"), catalog):
        with pytest.raises(refusal):
            change(run)


def test_a_namespace_that_does_not_exist_is_refused(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchNamespaceError):
        catalog.dry_run("nowhere.v")


def test_a_view_in_another_namespace_has_that_namespace_with_its_location(catalog: ViewCatalog) -> None:
    catalog.metastore.create_namespace("sales", "memory://sales")
    in_namespaces = ViewCatalog(catalog.metastore)
    view = in_namespaces.dry_run("sales.v").create_view("sales.v", sql={"hive": SELECT}, schema=COLUMNS)
    assert view.location == "memory://sales/v"


def test_a_drifted_row_is_drifted_in_the_dry_run_too(
    catalog: ViewCatalog, metastore: _Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    text = "SELECT `user_id` + 2 AS `user_id`, `ds` FROM `web`.`clicks`"
    row = replace(metastore.load_row(NAME), location="file:///tmp/x", expanded_text=text, original_text=text)
    metastore.swap_row(row, expected=None)
    with pytest.raises(ViewDriftedError):
        catalog.dry_run(NAME).repair_view(NAME)
    mended = catalog.dry_run(NAME).repair_view(NAME, on_drift="adopt")
    assert mended.original_sql("hive") == text
    assert mended.row.location is None
    assert metastore.load_row(NAME).location == "file:///tmp/x"


def test_partitions_survive_in_the_dry_run_what_took_their_keys_away(
    catalog: ViewCatalog, metastore: _Recorder
) -> None:
    row = metastore.load_row(NAME)
    metastore.swap_row(replace(row, columns=(*row.columns, *row.partition_keys), partition_keys=()), expected=None)
    rehearsed = catalog.dry_run(NAME)
    assert rehearsed.repair_view(NAME, on_drift="overwrite").partition_keys == row.partition_keys
    assert rehearsed.partitions(NAME).names() == ["ds=2026-08-21", "ds=2026-08-22"]


def test_files_of_a_dry_run_are_read_back_and_forgotten(catalog: ViewCatalog) -> None:
    files = UnwrittenFiles(catalog.storage)
    files.write_bytes("memory://nowhere/x", b"content")
    assert files.read_bytes("memory://nowhere/x") == b"content"
    files.delete("memory://nowhere/x")
    assert files.deleted == []
    with pytest.raises(CorruptMetadataError):
        files.read_bytes("memory://nowhere/x")


def test_the_server_that_is_reported_is_the_real_one(catalog: ViewCatalog) -> None:
    assert catalog.dry_run().metastore.facts().address == catalog.metastore.facts().address


def test_the_files_of_a_dropped_view_are_of_the_same_metastore_in_a_dry_run(catalog: ViewCatalog) -> None:
    catalog.drop_view(NAME)
    catalog.create_view(NAME, sql={"hive": SELECT}, schema=COLUMNS)
    catalog.release_view(NAME)
    with pytest.raises(AlreadyExistsError) as real:
        catalog.adopt_view(NAME)
    with pytest.raises(AlreadyExistsError) as dry:
        catalog.dry_run(NAME).adopt_view(NAME)
    assert (type(dry.value), str(dry.value)) == (type(real.value), str(real.value))


def test_what_a_dry_run_was_not_given_is_copied_before_its_name_is_taken(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(Row(TableIdentifier("default", "t"), "MANAGED_TABLE"))
    with catalog.dry_run() as copy:
        with pytest.raises(TableAlreadyExistsError):
            copy.create_view("default.t", sql={"hive": SELECT}, schema=COLUMNS)
        with pytest.raises(TableAlreadyExistsError):
            copy.rename_view(NAME, "default.t")
        with pytest.raises(TableAlreadyExistsError):
            copy.metastore.create_row(Row(TableIdentifier("default", "t"), "MANAGED_TABLE"))


def test_namespaces_are_created_changed_and_dropped_in_the_copy_alone(
    catalog: ViewCatalog, metastore: _Recorder
) -> None:
    catalog.create_namespace("sales")
    copy = catalog.dry_run()
    with pytest.raises(AlreadyExistsError):
        copy.create_namespace("sales")
    with pytest.raises(NamespaceNotEmptyError):
        copy.metastore.drop_namespace("default")
    metastore.called.clear()
    copy.create_namespace("web")
    copy.create_view("web.v", sql={"hive": SELECT}, schema=COLUMNS)
    copy.metastore.drop_namespace("sales")
    assert set(metastore.called) <= {*READS, "list_namespaces", "list_table_names"}
    assert copy.list_namespaces() == ["default", "web"]
    with pytest.raises(NoSuchNamespaceError):
        copy.create_view("sales.v", sql={"hive": SELECT}, schema=COLUMNS)
    copy.create_namespace("sales")
    assert copy.list_namespaces() == ["default", "sales", "web"]
    assert catalog.list_namespaces() == ["default", "sales"]


def test_an_archive_that_a_dry_run_writes_is_read_back_and_nowhere_else(catalog: ViewCatalog, tmp_path: Path) -> None:
    archive = tmp_path / "views.zip"
    with catalog.dry_run() as copy:
        assert [one.state for one in estate.backup(copy, str(archive))] == [estate.State.DONE]
        assert [one.view for one in estate.read_archive(copy, str(archive)).views] == [str(NAME)]
    assert list(tmp_path.iterdir()) == []
