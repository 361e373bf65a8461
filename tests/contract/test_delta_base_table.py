"""Delta tables, written by deltalake, through the reader of Delta's log."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.history_contract import HistoryContract
from tests.support.tables.delta_writer import DeltaMaker
from tests.support.tables.writable import HistoryMaker


class TestDeltaBaseTable(HistoryContract):
    @pytest.fixture
    def maker(self, tmp_path: Path) -> HistoryMaker:
        return DeltaMaker(tmp_path)
