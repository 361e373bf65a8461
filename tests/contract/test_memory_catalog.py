"""The catalog on the in-memory metastore, as each kind of server that it can be."""

from __future__ import annotations

import uuid

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from tests.contract.catalog_contract import CatalogContract
from tests.contract.catalog_foreign import ForeignWritersContract
from tests.contract.catalog_partitions import PartitionsContract
from tests.contract.catalog_verbs import VerbsContract


class InMemory(VerbsContract, PartitionsContract, ForeignWritersContract):
    """The files are in memory as well; bad input is refused before it matters what the server is."""

    @pytest.fixture
    def warehouse(self) -> str:
        return f"memory://{uuid.uuid4().hex}/warehouse"


class TestWithLocksAndSwaps(CatalogContract):
    """Hive 2.3.10, with files on disk."""

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()


class TestWithSwapsAlone(InMemory):
    """A server without a lock manager."""

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(grants_locks=False)


class TestWhereLocksAreNotTaken(InMemory):
    lock = "never"

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()


class TestLikeHive31(InMemory):
    """Swaps are not checked, so that locks alone protect; columns change in two steps."""

    changes_columns_in_one_call = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(enforces_swap=False, null_descriptor_alter_fails=True)


class TestLikeHive4WithAListener(InMemory):
    stores_descriptors = True

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(listener=True, null_descriptor_alter_fails=True)


class TestLikeHive4(InMemory):
    lock = "never"
    changes_columns_in_one_call = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(null_descriptor_alter_fails=True)


class TestWhereTheDatabaseCannotCompare(InMemory):
    """Hive 4.0 on Derby with CLOB columns."""

    lock = "always"

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(compares_swap=False)
