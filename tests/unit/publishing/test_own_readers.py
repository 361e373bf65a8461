"""Readers of base tables that users write themselves."""

from __future__ import annotations

from typing import cast

import pytest

from hive_views.base_tables.memory import MemoryBaseTable, MemoryTableWithHistory
from hive_views.base_tables.port import BaseTable, PartitionListing
from hive_views.errors import InvalidInputError
from hive_views.readiness.rules import column, has_at_least
from tests.support.tables.publishing_lake import CLICKS, DAY, FIRST, Lake
from tests.support.tables.publishing_plans import DS


class Sized(MemoryTableWithHistory):
    """It has a length, as collections do, and is empty."""

    def __len__(self) -> int:
        return 0


def test_a_reader_with_a_length_has_a_history_before_it_has_partitions(lake: Lake) -> None:
    lake.tables[CLICKS] = clicks = Sized(CLICKS, (DS,))
    rule = has_at_least(CLICKS, records=1, ds=column("ds"))
    assert lake.plan(rule, candidates=[{"ds": "2026-08-20"}]).ready == {}
    clicks.append(("2026-08-20",))
    lake.publish(DAY)
    assert lake.states() == {FIRST: "current"}


def test_a_reader_that_derives_from_no_base_table_is_refused_with_what_to_derive_from(lake: Lake) -> None:
    class Structural:
        name, format = CLICKS, "hive"

        def list_partitions(self) -> PartitionListing:
            return MemoryBaseTable(CLICKS, (DS,)).list_partitions()

    lake.tables[CLICKS] = cast("BaseTable", Structural())
    with pytest.raises(InvalidInputError, match=r"with a Structural: .* derives from BaseTable"):
        lake.publish(DAY)
