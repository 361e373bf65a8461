"""The catalog with its files on object stores: S3 whole, the others as far as they differ in what files do.

What is noted of partitions is files as others are: listed, written once and read, as recovery does it on each store.
"""

from __future__ import annotations

import pytest

from hive_views.errors import CorruptMetadataError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.contract.catalog_contract import WritingContract
from tests.contract.catalog_moves import MovesContract
from tests.contract.catalog_recovery import RecoveryContract
from tests.contract.catalog_verbs import VerbsContract
from tests.support.processes.azure_server import AzureServer
from tests.support.processes.gcs_server import GcsServer
from tests.support.processes.s3_server import S3Server


def lake_by_environment(server: S3Server | AzureServer | GcsServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A warehouse that clients find as they are configured for all programs of a machine: by the environment."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return f"{server.new_lake()}/warehouse"


class TestOnS3(WritingContract):
    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()

    @pytest.fixture
    def warehouse(self, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
        return lake_by_environment(s3, monkeypatch)

    def test_a_plain_absolute_path_is_registered(self, catalog: ViewCatalog, last: View, namespace: str) -> None:
        """It is a local one, and never a file of the bucket."""
        with pytest.raises(CorruptMetadataError, match="does not exist"):
            catalog.register_view(f"{namespace}.v", last.metadata_location.removeprefix("s3:/"))


class OfOthers(VerbsContract, MovesContract, RecoveryContract):
    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()


class TestOnAzure(OfOthers):
    @pytest.fixture
    def warehouse(self, azure: AzureServer, monkeypatch: pytest.MonkeyPatch) -> str:
        return lake_by_environment(azure, monkeypatch)


class TestOnGoogleCloudStorage(OfOthers):
    @pytest.fixture
    def warehouse(self, gcs: GcsServer, monkeypatch: pytest.MonkeyPatch) -> str:
        return lake_by_environment(gcs, monkeypatch)
