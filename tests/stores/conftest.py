"""A bucket and a catalog for each test of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from tests.stores.kinds import Store
from tests.support.failing.scripted_http import ScriptedHttp
from tests.support.processes.s3_server import S3Server


@pytest.fixture
def lake(s3: S3Server) -> str:
    """A new bucket."""
    return f"s3://{s3.new_bucket()}"


@pytest.fixture
def user_fs(s3: S3Server) -> Any:
    """The file system that a user's own code gets, which fsspec shares within a process and which keeps listings."""
    import s3fs

    return s3fs.S3FileSystem(**s3.options)


@pytest.fixture
def metastore() -> MemoryMetastore:
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    return metastore


@pytest.fixture
def catalog(s3: S3Server, lake: str, metastore: MemoryMetastore) -> ViewCatalog:
    return ViewCatalog(metastore, MetadataStorage(s3.options), warehouse=f"{lake}/views")


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """The kind of store that the test is given for, with a lake of the test's own."""
    server = request.getfixturevalue(request.param)
    before = ScriptedHttp(behind=server.url)
    yield Store(request.param, server, before, server.new_lake())
    before.close()
