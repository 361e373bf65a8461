"""A writer process that is killed with ``kill -9`` at each of its steps leaves the old view or the new one, whole."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.view import View
from tests.support.failing import writer
from tests.support.failing.killing import SWAP, killed_at
from tests.support.failing.wire import PATIENCE_S, WireProxy
from tests.support.views.catalog_setup import create, files_of

# By the step at which it is killed: whether the request that was on its way arrives all the same, the property
# afterwards, and how many files there are.
STEPS: dict[str, tuple[str, str, bool, str, int]] = {
    "it asks for the lock": ("before", "lock", True, "0", 1),
    "it has the lock": ("after", "lock", True, "0", 1),
    "it asks for the row": ("before", "get_table_req", True, "0", 1),
    "it has the row and not written the file": ("after", "get_table_req", True, "0", 1),
    "it has written the file, and its swap is lost": ("before", SWAP, False, "0", 2),
    "it has written the file, and its swap arrives": ("before", SWAP, True, "1", 2),
    "it has swapped and not heard of it": ("after", SWAP, True, "1", 2),
    "it gives the lock back, and that is lost": ("before", "unlock", False, "1", 2),
    "it gives the lock back, and that arrives": ("before", "unlock", True, "1", 2),
}


@pytest.fixture
def catalog(hms: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    """A bystander that takes no locks, so that it does not wait for the lock of a dead writer."""
    return ViewCatalog(hms, warehouse=str(tmp_path / "views"), settings=CommitSettings(lock="never"))


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str) -> View:
    return create(catalog, f"{namespace}.v", properties={"n": "0"}, partitioned_on=["ds"])


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_writer_leaves_the_old_view_or_the_new_one(
    metastore_uri: str, catalog: ViewCatalog, view: View, step: str
) -> None:
    timestamp, method, arrives, value, files = STEPS[step]
    with WireProxy.before_uri(metastore_uri) as proxy, killed_at(proxy, timestamp, method, view, arrives=arrives):
        pass  # leaving the proxy waits until what was on its way has arrived
    loaded = catalog.load_view(view.identifier)
    assert loaded.properties["n"] == value
    assert loaded.differences == ()
    assert len(files_of(catalog)) == files
    assert [catalog.storage.read(f"file://{file}").view_uuid for file in files_of(catalog)] == [view.uuid] * files
    after = catalog.alter_view(view.identifier, set_properties={"n": "2"})
    assert catalog.load_view(view.identifier).metadata == after.metadata
    assert len(files_of(catalog)) == files + 1


def test_a_writer_killed_while_it_writes_leaves_half_a_file_that_nobody_reads(
    metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    catalog = ViewCatalog(hms, warehouse=f"halving://{tmp_path}/views", settings=CommitSettings(lock="never"))
    view = create(catalog, f"{namespace}.v", properties={"n": "0"})
    process = writer.start("half", metastore_uri, str(view.identifier), "never", "n", "1")
    assert process.stdout
    assert process.stdout.readline() == "half\n"
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    process.stdout.close()
    assert catalog.load_view(view.identifier).metadata == view.metadata
    halves = [path for path in tmp_path.rglob("00001-*") if path.is_file()]
    assert len(halves) == 1
    after = catalog.alter_view(view.identifier, set_properties={"n": "2"})
    assert after.metadata_location.rsplit("/", 1)[-1] != halves[0].name
    assert catalog.load_view(view.identifier).properties["n"] == "2"


def test_the_lock_of_a_killed_writer_expires_and_the_next_writer_goes_on(tmp_path: Path) -> None:
    """A server of its own, which takes locks back after three seconds instead of minutes."""
    settings = {"hive.txn.timeout": "3s", "hive.timedout.txn.reaper.interval": "1s"}
    with LocalMetastore(tmp_path / "metastore", settings=settings) as server:
        assert server.uri
        metastore = HiveMetastore(server.uri, lock_timeout_s=60.0)
        metastore.create_namespace("sales")
        catalog = ViewCatalog(metastore, warehouse=str(tmp_path / "views"), settings=CommitSettings(lock="always"))
        view = create(catalog, "sales.v", properties={"n": "0"})
        with (
            WireProxy.before_uri(server.uri) as proxy,
            killed_at(proxy, "after", "lock", view, arrives=True),
        ):
            pass
        assert catalog.alter_view(view.identifier, set_properties={"n": "2"}).properties["n"] == "2"
        assert len(files_of(catalog)) == 2
        metastore.close()
