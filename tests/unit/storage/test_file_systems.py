"""The file systems of the storage room: nobody else's, without listings kept, and one for each server."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hive_views.errors import StorageUnavailableError
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.storage.file_systems import FileSystems
from hive_views.storage.metadata_files import MetadataStorage
from tests.unit.forks import DEADLINE_S, in_a_fork

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

S3 = {"key": "ada", "secret": "love"}
PLACES = [
    ("s3://lake/views", S3),
    ("s3a://lake/views", S3),
    ("gs://lake/views", {"token": "anon"}),
    ("abfs://lake/views", {"account_name": "ada", "account_key": "bG92ZQ=="}),
    ("abfss://lake@ada.dfs.core.windows.net/views", {"account_key": "bG92ZQ=="}),
    ("file:///lake", {}),
    ("memory://lake", {}),
]


@pytest.mark.parametrize(("location", "options"), PLACES)
@pytest.mark.parametrize("wanted", [{}, {"use_listings_cache": True, "listings_expiry_time": 60}])
def test_the_file_systems_of_views_keep_no_listings_and_are_shared_with_nobody(
    location: str, options: dict[str, Any], wanted: dict[str, Any]
) -> None:
    fs, path = FileSystems({**options, **wanted}).open(location)
    fs.dircache[path] = [{"name": path}]
    assert path not in fs.dircache
    assert not getattr(fs, "asynchronous", False)
    shared, _ = fsspec.core.url_to_fs(location.replace("s3a:", "s3:"), **options)
    assert fs is not shared
    assert FileSystems(options).open(location)[0] is fs


def test_another_account_or_server_has_a_file_system_of_its_own() -> None:
    here, _ = FileSystems(S3).open("s3://lake")
    assert FileSystems({**S3, "key": "bob"}).open("s3://lake")[0] is not here
    assert FileSystems({**S3, "endpoint_url": "http://there"}).open("s3://lake")[0] is not here
    key = {"account_key": "bG92ZQ=="}
    of_ada, _ = FileSystems(key).open("abfs://lake@ada.dfs.core.windows.net/views")
    assert FileSystems(key).open("abfs://lake@bob.dfs.core.windows.net/views")[0] is not of_ada
    assert FileSystems(key).open("abfs://lake@ada.dfs.core.windows.net/other")[0] is of_ada


def test_a_forked_process_has_file_systems_of_its_own() -> None:
    """Connections and event loops do not outlive a fork."""
    here, _ = FileSystems(S3).open("s3://lake")
    assert in_a_fork(lambda: FileSystems(S3).open("s3://lake")[0] is here) is False


def test_a_file_system_that_is_slow_to_open_holds_up_neither_others_nor_a_child_of_a_fork() -> None:
    begun, released = threading.Event(), threading.Event()

    class Slow(MemoryFileSystem):
        protocol = "slow"

        def __init__(self, **options: Any) -> None:
            begun.set()
            if threading.current_thread() is opening:
                released.wait()
            super().__init__(**options)

    fsspec.register_implementation("slow", Slow, clobber=True)
    opening = threading.Thread(target=lambda: FileSystems({}).open("slow://lake"), daemon=True)
    opening.start()
    assert begun.wait(DEADLINE_S)
    try:
        assert in_a_fork(lambda: FileSystems({}).open("slow://lake")[0].protocol) == "slow"
        other = threading.Thread(target=lambda: FileSystems(S3).open("s3://other"), daemon=True)
        other.start()
        other.join(DEADLINE_S)
        assert not other.is_alive()
    finally:
        released.set()
        opening.join()


def test_what_a_thread_holds_at_a_fork_is_free_in_the_child(tmp_path: Path) -> None:
    storage, server = MetadataStorage(), LocalMetastore(tmp_path)
    with storage._guard:
        assert in_a_fork(lambda: storage.delete("memory://lake/none") or "done") == "done"
    with server._mutex:
        assert in_a_fork(lambda: server.close() or "done") == "done"


def test_storage_behind_another_is_not_listed_from_memory_either() -> None:
    fs, path = FileSystems({"s3": S3}).open("simplecache::s3://lake/views")
    assert path == "lake/views"
    assert not fs.fs.dircache.use_listings_cache


@pytest.mark.parametrize("location", ["hdfs://lake/views/v", "viewfs://lake/views/v"])
def test_without_hadoop_s_library_the_other_way_is_named(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a line; pyarrow lists every place where it looks."""
    seen: list[Any] = []

    def connect(**options: Any) -> None:
        seen.append(options["host"])
        raise OSError("Unable to load libhdfs: no such file\ndlopen(/usr/lib/libhdfs.so) failed\ndlopen(/lib) failed")

    monkeypatch.setattr("pyarrow.fs.HadoopFileSystem", connect)
    with pytest.raises(StorageUnavailableError) as raised:
        MetadataStorage().read_bytes(location)
    assert "'hdfs': 'webhdfs'" in str(raised.value)
    assert "\n" not in str(raised.value)
    # To pyarrow a host alone is one of hdfs.
    assert seen == ["lake" if location.startswith("hdfs") else "viewfs://lake"]
