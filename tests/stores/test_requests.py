"""What verbs ask of an object store, and that it grows with many views as it must, and no faster: users pay for it."""

from __future__ import annotations

from pathlib import Path

from tests.support.processes.s3_server import S3Server
from tests.support.tables.requests import measure_requests


def test_no_verb_asks_for_more_than_it_needs(s3: S3Server, tmp_path: Path) -> None:
    asked = list(measure_requests(s3, 5, tmp_path))
    assert [str(one) for one in asked if not one.is_held] == []
    # Else nothing was counted.
    assert all(one.found for one in asked)
