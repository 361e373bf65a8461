"""A metastore in memory whose calls fail as a test says, for the tests of this folder."""

from __future__ import annotations

import pytest

from hive_views.metastore.memory import MemoryMetastore
from tests.support.failing.faulty_metastore import FaultyMetastore


@pytest.fixture
def server() -> MemoryMetastore:
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    return metastore


@pytest.fixture
def metastore(server: MemoryMetastore) -> FaultyMetastore:
    return FaultyMetastore(server)
