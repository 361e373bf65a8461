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


@pytest.fixture(scope="session")
def in_front() -> Iterator[dict[str, ScriptedHttp]]:
    """Of each kind of store that was asked for: at one address, since each has a client of its own, slow to make."""
    made: dict[str, ScriptedHttp] = {}
    yield made
    for one in made.values():
        one.close()


@pytest.fixture
def store(request: pytest.FixtureRequest, in_front: dict[str, ScriptedHttp]) -> Store:
    """The kind of store that the test is given for, with a lake of the test's own."""
    server = request.getfixturevalue(request.param)
    before = in_front.get(request.param) or in_front.setdefault(request.param, ScriptedHttp(behind=server.url))
    before.reset()
    return Store(request.param, server, before, server.new_lake())
