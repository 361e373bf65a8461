"""The catalog on the in-memory metastore, as each kind of server that it can be."""

from __future__ import annotations

import uuid

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from tests.contract.catalog_contract import CatalogContract


class TestWithLocksAndSwaps(CatalogContract):
    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()


class TestWithLocksAlone(CatalogContract):
    """Servers before HIVE-26882."""

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(enforces_swap=False)
