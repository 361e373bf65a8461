"""Directories of one view are listed by one request, and what that says is what a listing of each says."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.storage import fsspec_listings
from hive_views.storage.metadata_files import MetadataStorage
from tests.support.processes.s3_server import S3Server


@pytest.fixture
def view(lake: str, user_fs: Any) -> str:
    """A directory with one of metadata, one of partitions, files of its own, and a directory in that of metadata."""
    names = ("metadata/1.metadata.json", "metadata/0.metadata.json", "partitions/0.partitions", "note", "metadata/in/x")
    user_fs.pipe({f"{lake}/views/v/{name}": name.encode() for name in names})
    # As consoles make a directory.
    user_fs.call_s3("put_object", Bucket=lake[5:], Key="views/v/metadata/", Body=b"")
    return f"{lake}/views/v"


def directories(view: str) -> list[str]:
    return [f"{view}/{name}" for name in ("metadata", "partitions/", "publishing")]


def test_one_request_tells_the_files_of_all(s3: S3Server, view: str) -> None:
    storage = MetadataStorage(s3.options)
    s3.requests()
    listed = storage.list_together(directories(view))
    assert s3.requests() == {"LIST": 1}
    assert [[info.location.removeprefix(view) for info in infos] for infos in listed.values()] == [
        ["/metadata/0.metadata.json", "/metadata/1.metadata.json"],
        ["/partitions/0.partitions"],
        [],
    ]


@pytest.mark.parametrize("others", [0, 20])
@pytest.mark.parametrize("is_version_aware", [False, True])
def test_each_has_the_files_that_its_own_listing_has(
    s3: S3Server,
    lake: str,
    user_fs: Any,
    view: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    others: int,
    is_version_aware: bool,
) -> None:
    """Whatever lies beside them, which is listed before them here, and versions of files that are gone."""
    monkeypatch.setattr(fsspec_listings, "ON_A_PAGE", 10)
    if is_version_aware:
        enabled = {"Status": "Enabled"}
        user_fs.call_s3("put_bucket_versioning", Bucket=lake[5:], VersioningConfiguration=enabled)
        user_fs.pipe({f"{view}/metadata/0.metadata.json": b"again"})
    user_fs.pipe({f"{view}/a/{number}": b"" for number in range(others)})
    if is_version_aware and others:
        user_fs.rm(f"{view}/a", recursive=True)
    storage = MetadataStorage({**s3.options, "version_aware": is_version_aware})
    listed = storage.list_together(directories(view))
    assert listed == {one: storage.list_infos(one) for one in directories(view)}
    assert list(map(len, listed.values())) == [2, 1, 0]
