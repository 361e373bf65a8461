"""Views on an object store in notebooks, threads, forked and spawned processes, and processes that end: none hangs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stores.other_processes import PROCESSES
from tests.support.processes.s3_server import S3Server


@pytest.mark.parametrize("what", PROCESSES)
def test_no_process_waits_for_ever(s3: S3Server, lake: str, what: str) -> None:
    command = [sys.executable, "-m", "tests.stores.other_processes", what, json.dumps(s3.options), lake]
    ended = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=500, check=False
    )
    # Threads that are at work when all ends may fail.
    assert ended.returncode == 0, ended.stderr
