"""A log that the tests of this folder write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.base_tables.delta.delta_logs import LogWriter


@pytest.fixture
def log(tmp_path: Path) -> LogWriter:
    return LogWriter(tmp_path / "t")
