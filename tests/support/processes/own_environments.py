"""Environments of their own for packages that do not go together with those of the tests, kept in a cache directory."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from uv import find_uv_bin

INSTALLATION_TIMEOUT_S = 900


def python_with(name: str, packages: Sequence[str]) -> Path:
    """The Python of an environment with these packages; the test skips where that is not made, or cannot be.

    It is made where ``REQUIRE_PEERS=1`` is set, and again when what it holds changes.
    """
    # An environment belongs to the Python that made it, wherever that is.
    home = _home(name, [sys.version, sys.base_prefix, *packages])
    python = home / "bin" / "python"
    uv = find_uv_bin()
    _make(
        name,
        home,
        [uv, "venv", "--clear", "--python", sys.executable, home],
        [uv, "pip", "install", "--python", python, *packages],
    )
    return python


def node_modules_with(name: str, packages: Sequence[str]) -> Path:
    """The directory with the commands of these packages for Node.js; the test skips as with ``python_with``."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"{name} needs Node.js and its npm")
    home = _home(name, packages)
    _make(name, home, [npm, "install", "--prefix", home, "--no-audit", "--no-fund", "--loglevel", "error", *packages])
    return home / "node_modules" / ".bin"


def _home(name: str, of: Sequence[str]) -> Path:
    key = hashlib.sha256(json.dumps(of).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return cache / "hive_views-tests" / f"{name}-{key}"


def _make(name: str, home: Path, *commands: Sequence[Any]) -> None:
    complete = home / "complete"
    with _alone(home):
        if complete.exists():
            return
        if os.environ.get("REQUIRE_PEERS") != "1":
            pytest.skip(f"{name} is not installed beside the tests; it is where REQUIRE_PEERS=1 is set")
        for command in commands:
            made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALLATION_TIMEOUT_S)
            if made.returncode:
                pytest.skip(f"{name} cannot be installed: {made.stderr.strip()[-500:]}")
        complete.touch()


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Only one test run at a time makes an environment."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with home.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
