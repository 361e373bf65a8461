"""A table with a primary key, for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.base_tables.paimon.paimon_by_hand import Table


@pytest.fixture
def pk(tmp_path: Path) -> Table:
    """Its snapshots: 1 appends to both hours, 2 and 3 to hour 0, 4 compacts that."""
    return Table("pk", tmp_path)
