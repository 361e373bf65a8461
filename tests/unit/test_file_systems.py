"""The file systems of the storage room: nobody else's, without listings kept, and one for each server."""

from __future__ import annotations

import multiprocessing
from typing import Any

import fsspec
import pytest

from hive_views.storage.file_systems import FileSystems

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
def test_the_file_systems_of_views_keep_no_listings_and_are_nobody_else_s(
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

    def compare(answer: Any) -> None:
        answer.send(FileSystems(S3).open("s3://lake")[0] is here)

    ours, theirs = multiprocessing.Pipe()
    forked = multiprocessing.get_context("fork").Process(target=compare, args=(theirs,))
    forked.start()
    forked.join(60)
    assert ours.recv() is False


def test_storage_behind_another_is_not_listed_from_memory_either() -> None:
    fs, path = FileSystems({"s3": S3}).open("simplecache::s3://lake/views")
    assert path == "lake/views"
    assert not fs.fs.dircache.use_listings_cache
