"""The catalog on a real Hive 2.3.10 metastore."""

from __future__ import annotations

import pytest

from hive_views.metastore.hms import HiveMetastore
from hive_views.metastore.port import Metastore
from tests.contract.catalog_contract import CatalogContract


class TestEmbeddedCatalog(CatalogContract):
    @pytest.fixture
    def metastore(self, hms: HiveMetastore) -> Metastore:
        return hms
