"""A catalog whose files are in the test's own directory, for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import catalog_on


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return catalog_on(MemoryMetastore(), warehouse=str(tmp_path))
