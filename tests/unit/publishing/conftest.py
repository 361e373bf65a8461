"""A view on tables in memory, for the tests of this folder."""

from __future__ import annotations

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from tests.support.tables.publishing_lake import DAY, FIRST, SECOND, Lake, make_lake


@pytest.fixture
def lake() -> Lake:
    return make_lake()


@pytest.fixture
def clicks(lake: Lake) -> MemoryTableWithHistory:
    """Two days, published."""
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",))
    assert lake.publish(DAY).added == (FIRST, SECOND)
    return clicks
