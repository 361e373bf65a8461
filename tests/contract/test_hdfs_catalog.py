"""The catalog with its files on HDFS, as far as it differs from a disk in what files do."""

from __future__ import annotations

from pathlib import Path

import pytest
from fsspec.registry import _registry

from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.webhdfs import WebHdfs
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.contract.catalog_moves import MovesContract
from tests.contract.catalog_recovery import RecoveryContract
from tests.contract.catalog_verbs import VerbsContract
from tests.support.processes.hdfs import Hdfs


@pytest.mark.pinned
class TestByWebHdfs(VerbsContract, MovesContract, RecoveryContract):
    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()

    @pytest.fixture
    def warehouse(self, hdfs: Hdfs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
        """What a test asks fsspec for itself is found as well."""
        monkeypatch.setenv("HADOOP_CONF_DIR", str(hdfs.write_configuration(tmp_path)))
        monkeypatch.setitem(_registry, "hdfs", WebHdfs)
        return f"{hdfs.new_directory()}/warehouse"

    @pytest.fixture
    def catalog(self, metastore: Metastore, warehouse: str, settings: CommitSettings) -> ViewCatalog:
        return ViewCatalog(metastore, MetadataStorage({"hdfs": "webhdfs"}), warehouse=warehouse, settings=settings)
