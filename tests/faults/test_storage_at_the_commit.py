"""A file system that fails on write, on read or half way, under commits on a real metastore.

Each test looks at what was reported to the writer, the current version, the number of files, and the row.
"""

from __future__ import annotations

import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hive_views.errors import (
    CommitStateUnknownError,
    MetastoreUnavailableError,
    StorageUnavailableError,
)
from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.view import View
from tests.support.failing.faulty_storage import (
    Fault,
    FaultyFileSystem,
    broken,
    done_but_not_reported,
    failing,
    foreign,
    half_done,
)
from tests.support.failing.wire import WireProxy
from tests.support.views.catalog_setup import create, files_of, nothing_written

SWAP = "alter_table_with_environment_context"
WRITE_FAULTS = {"before": broken, "half way": half_done, "after": done_but_not_reported, "in its own words": foreign}


@pytest.fixture
def catalog(proxy: WireProxy) -> Iterator[ViewCatalog]:
    metastore = HiveMetastore(proxy.uri)
    settings = CommitSettings(lock="never", settle_timeout_s=1.0)
    yield ViewCatalog(metastore, warehouse=f"faulty://{uuid.uuid4().hex}", settings=settings)
    metastore.close()


@pytest.fixture
def rival(hms: HiveMetastore, catalog: ViewCatalog) -> ViewCatalog:
    return ViewCatalog(hms, warehouse=catalog.warehouse, settings=CommitSettings(lock="never"))


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str) -> View:
    """The view at version 1 with two files; the proof that the server checks swaps is made."""
    create(catalog, f"{namespace}.v")
    return catalog.alter_view(f"{namespace}.v", comment="proved")


def row_of(rival: ViewCatalog, view: View) -> Row:
    return rival.metastore.load_row(view.identifier)


@pytest.mark.parametrize("point", WRITE_FAULTS)
def test_a_commit_whose_file_was_not_written_changes_nothing(
    catalog: ViewCatalog, rival: ViewCatalog, view: View, point: str
) -> None:
    before = row_of(rival, view)
    with failing("write", WRITE_FAULTS[point]), pytest.raises(StorageUnavailableError):
        catalog.alter_view(view.identifier, comment="x")
    assert row_of(rival, view) == before
    assert rival.load_view(view.identifier).metadata == view.metadata
    assert len(files_of(catalog)) == 2
    assert catalog.alter_view(view.identifier, comment="y").comment == "y"


@pytest.mark.parametrize("point", WRITE_FAULTS)
def test_a_creation_whose_file_was_not_written_makes_no_row(
    catalog: ViewCatalog, rival: ViewCatalog, namespace: str, point: str
) -> None:
    with failing("write", WRITE_FAULTS[point]), pytest.raises(StorageUnavailableError):
        create(catalog, f"{namespace}.v")
    assert not rival.view_exists(f"{namespace}.v")
    assert files_of(catalog) == []


@pytest.mark.parametrize("fault", [broken, foreign])
def test_a_view_whose_file_cannot_be_read_now_is_neither_missing_nor_corrupt(
    catalog: ViewCatalog, view: View, fault: Fault
) -> None:
    newcomer = ViewCatalog(catalog.metastore, MetadataStorage(), settings=catalog.settings)
    with failing("read", fault), pytest.raises(StorageUnavailableError):
        newcomer.load_view(view.identifier)
    with failing("read", fault), pytest.raises(StorageUnavailableError):
        newcomer.alter_view(view.identifier, comment="x")
    assert len(files_of(catalog)) == 2
    assert newcomer.load_view(view.identifier).metadata == view.metadata


@pytest.mark.parametrize("point", ["before", "after"])
def test_an_outcome_for_which_a_file_cannot_be_read_is_unknown_and_keeps_the_file(
    catalog: ViewCatalog, rival: ViewCatalog, proxy: WireProxy, view: View, point: str
) -> None:
    """Whether our commit is below others, only the current file says."""

    faults = ExitStack()

    def others() -> None:
        rival.alter_view(view.identifier, comment="first")
        rival.alter_view(view.identifier, comment="second")
        faults.enter_context(failing("read", broken))

    getattr(proxy, point)(SWAP, others)
    if point == "after":
        proxy.drop_answer(SWAP)
    with faults, pytest.raises(CommitStateUnknownError) as failure:
        catalog.alter_view(view.identifier, set_properties={"ours": "1"})
    assert rival.storage.read(failure.value.metadata_location).properties["ours"] == "1"
    current = rival.load_view(view.identifier)
    assert current.comment == "second"
    assert ("ours" in current.properties) is (point == "after")
    assert len(files_of(catalog)) == 5


def test_a_file_that_cannot_be_deleted_stays_behind_and_hides_nothing(
    catalog: ViewCatalog, rival: ViewCatalog, proxy: WireProxy, view: View, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.before(SWAP, lambda: rival.alter_view(view.identifier, comment="theirs"))
    with failing("delete", broken):
        assert catalog.alter_view(view.identifier, set_properties={"ours": "1"}).comment == "theirs"
    assert "could not be deleted" in caplog.text
    assert rival.load_view(view.identifier).properties == {"comment": "theirs", "ours": "1"}
    assert len(files_of(catalog)) == 5, "two before, theirs, ours, and that of our lost race"


def test_a_purge_that_stops_half_way_has_dropped_the_view_and_names_the_files_that_nobody_needs(
    catalog: ViewCatalog, rival: ViewCatalog, view: View
) -> None:
    with failing("delete", broken), pytest.raises(StorageUnavailableError, match="was dropped") as stopped:
        catalog.drop_view(view.identifier, purge=True)
    assert not rival.view_exists(view.identifier)
    assert view.metadata_location in stopped.value.left
    for location in stopped.value.left:
        rival.storage.delete(location)
    assert files_of(catalog) == []


@pytest.mark.parametrize("fault", [broken, half_done])
@pytest.mark.parametrize("overwrite", [False, True])
def test_nothing_is_registered_where_the_copy_of_the_file_cannot_be_written(
    catalog: ViewCatalog, view: View, fault: Fault, overwrite: bool
) -> None:
    name = view.identifier if overwrite else f"{view.identifier.namespace}.other"
    with nothing_written(catalog, name), failing("write", fault), pytest.raises(StorageUnavailableError):
        catalog.register_view(name, view.metadata_location, overwrite=overwrite)


def test_nothing_is_registered_where_the_journal_of_the_new_row_cannot_be_begun(
    catalog: ViewCatalog, view: View
) -> None:
    days = create(catalog, f"{view.identifier.namespace}.by_day", partitioned_on=["ds"])
    catalog.partitions(days.identifier).add([{"ds": "2026-08-21"}])
    name = f"{view.identifier.namespace}.other"

    def broken_behind_the_copy(fs: FaultyFileSystem, path: str, value: bytes) -> None:
        MemoryFileSystem.pipe_file(fs, path, value)
        FaultyFileSystem.faults["write"].append(broken)

    fault = failing("write", broken_behind_the_copy)
    with nothing_written(catalog, name), fault, pytest.raises(StorageUnavailableError):
        catalog.register_view(name, days.metadata_location)


@pytest.mark.parametrize("verb", ["alter", "create"])
def test_a_metastore_that_goes_away_while_the_file_is_written_changes_nothing_and_leaves_no_file(
    catalog: ViewCatalog, rival: ViewCatalog, proxy: WireProxy, view: View, verb: str
) -> None:
    """The request never leaves, so that nothing can have happened."""

    def written_and_alone(fs: FaultyFileSystem, path: str, value: bytes) -> None:
        MemoryFileSystem.pipe_file(fs, path, value)
        proxy._listener.shutdown(socket.SHUT_RDWR)
        proxy.disconnect()

    other = f"{view.identifier.namespace}.other"
    verbs: dict[str, Callable[[], View]] = {
        "create": lambda: create(catalog, other),
        "alter": lambda: catalog.alter_view(view.identifier, comment="x"),
    }
    with failing("write", written_and_alone), pytest.raises(MetastoreUnavailableError) as failure:
        verbs[verb]()
    assert not failure.value.sent
    assert rival.load_view(view.identifier).metadata == view.metadata
    assert not rival.view_exists(other)
    assert len(files_of(catalog)) == 2
