"""Python imports this first where its folder is on the path: the wall clock is as far ahead as a file says."""

import os
import time
from pathlib import Path

_FILE = Path(os.environ["STEPPED_CLOCK"])
_time_ns = time.time_ns


def _stepped_ns() -> int:
    return _time_ns() + int(_FILE.read_text()) * 1_000_000_000


time.time_ns = _stepped_ns
time.time = lambda: _stepped_ns() / 1e9
