"""What verbs say of an object store that refuses, and that they never make a bucket."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.cli.doctor.metastore_checks import examine
from hive_views.errors import StorageFailure, StorageUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from tests.support.processes.s3_server import S3Server

TEXT = {"hive": "SELECT 1 AS a, '2026-08-21' AS ds"}
COLUMNS = [("a", "int"), ("ds", "string")]
VIEW = "sales.v"


@pytest.fixture
def there(catalog: ViewCatalog) -> ViewCatalog:
    """With a view in it that this catalog has not read yet."""
    catalog.create_view(VIEW, sql=TEXT, schema=COLUMNS, partitioned_on=["ds"])
    return catalog


def test_a_slip_of_the_pen_in_a_bucket_s_name_makes_no_bucket(
    s3: S3Server, lake: str, metastore: MemoryMetastore
) -> None:
    catalog = ViewCatalog(metastore, MetadataStorage(s3.options), warehouse=f"{lake}x/views")
    s3.requests()
    with pytest.raises(StorageUnavailableError, match=f"there is no bucket {lake[5:]}x") as raised:
        catalog.create_view(VIEW, sql=TEXT, schema=COLUMNS)
    assert raised.value.failure is StorageFailure.NO_CONTAINER
    assert "PUT bucket" not in s3.requests()
    assert not metastore.list_view_names("sales")


def test_a_view_whose_bucket_is_gone_is_not_called_corrupt(
    s3: S3Server, there: ViewCatalog, metastore: MemoryMetastore, user_fs: Any, lake: str
) -> None:
    user_fs.rm(lake, recursive=True)
    fresh = ViewCatalog(metastore, MetadataStorage(s3.options), warehouse=there.warehouse)
    with pytest.raises(StorageUnavailableError, match="there is no bucket") as raised:
        fresh.load_view(VIEW)
    assert raised.value.failure is StorageFailure.NO_CONTAINER


def test_doctor_does_what_commits_do_and_names_what_configures_the_client(s3: S3Server, catalog: ViewCatalog) -> None:
    found = {check.name: check for check in examine(catalog)}["storage"]
    assert found.ok
    assert "refused under a taken name" in found.found
    assert "storage_options.key, storage_options.secret" in found.found
    assert "love" not in found.found
