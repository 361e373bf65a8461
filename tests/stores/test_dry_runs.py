"""A dry run changes nothing on an object store, whose files are deleted by other requests than those of a disk."""

from __future__ import annotations

import pytest

from hive_views import ViewCatalog
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage import file_systems
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.unwritten_files import UnwrittenFiles
from tests.support.processes.s3_server import S3Server

VIEW = "sales.v"


@pytest.mark.parametrize("is_purge", [True, False])
@pytest.mark.parametrize("credentials", ["environment", "options"])
def test_a_dry_run_of_a_drop_leaves_all_files(
    s3: S3Server,
    lake: str,
    metastore: MemoryMetastore,
    monkeypatch: pytest.MonkeyPatch,
    credentials: str,
    is_purge: bool,
) -> None:
    if credentials == "environment":
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ada")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "love")
        monkeypatch.setenv("AWS_ENDPOINT_URL", s3.url)
        # As in a new process: a client keeps the credentials that it has found at first.
        monkeypatch.setattr(file_systems, "_open", {})
    storage = MetadataStorage(s3.options if credentials == "options" else {})
    catalog = ViewCatalog(metastore, storage, warehouse=f"{lake}/views")
    sql = {"hive": "SELECT 1 AS a, 'x' AS ds"}
    view = catalog.create_view(VIEW, sql=sql, schema=[("a", "int"), ("ds", "string")], partitioned_on=["ds"])
    catalog.partitions(VIEW).add([{"ds": "one"}])
    files = catalog.storage.files.list_tree(lake, lambda _: False)
    s3.requests()
    dry = catalog.dry_run(VIEW)
    purged = dry.drop_view(VIEW, purge=is_purge)
    assert {kind for kind in s3.requests() if kind not in ("GET", "LIST")} == set()
    assert catalog.storage.files.list_tree(lake, lambda _: False) == files
    assert catalog.storage.read(view.metadata_location, cached=False) == view.metadata
    assert isinstance(dry.storage, UnwrittenFiles)
    assert sorted(dry.storage.deleted) == sorted(purged.deleted) == [one.location for one in files if is_purge]
