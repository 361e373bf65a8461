"""A bucket and a catalog for each test of this folder."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
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
