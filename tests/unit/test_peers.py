"""The rule of tests/conftest.py for tests whose peer is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_TESTS = """
import pytest

@pytest.mark.peer("moon")
def test_with_a_missing_peer():
    pytest.skip("no moon here")

def test_that_skips_for_another_reason():
    pytest.skip("not today")

@pytest.mark.peer("moon")
@pytest.mark.xfail(reason="known")
def test_that_is_expected_to_fail():
    assert False
"""


@pytest.mark.parametrize(
    ("required", "outcome"), [("", "2 skipped, 1 xfailed"), ("1", "1 failed, 1 skipped, 1 xfailed")]
)
def test_a_skip_for_a_missing_peer_fails_where_peers_are_required(tmp_path: Path, required: str, outcome: str) -> None:
    root = Path(__file__).parents[2]
    (tmp_path / "test_it.py").write_text(_TESTS)
    (tmp_path / "conftest.py").write_text((root / "tests" / "conftest.py").read_text())
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "markers=peer(name): a peer", str(tmp_path)],
        cwd=root,
        # A run within the run that measured coverage as well would delete what the outer one has measured so far.
        env={**os.environ, "REQUIRE_PEERS": required, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome in run.stdout
    assert ("The peer 'moon' is required here, and the test skipped: Skipped: no moon here" in run.stdout) is bool(
        required
    )
