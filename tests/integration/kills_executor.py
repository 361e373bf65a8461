"""A rule that kills the Spark executor that asks it, once.

It is sent to executors with ``--py-files``, as a user sends rules.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARK = "KILLS_EXECUTOR_MARK"
"""Names a file, in the executor's environment, that is made at the kill and says who was killed."""


def not_again(_: Mapping[str, Any]) -> bool:
    """True, unless it is asked for the first time: then ``kill -9`` of the executor in the midst of its task."""
    # This process was forked by PySpark's daemon, which the executor's Java started.
    executor = _parent_of(os.getppid())
    try:
        with Path(os.environ[MARK]).open("x") as mark:
            mark.write(str(executor))
    except FileExistsError:
        return True
    os.kill(executor, signal.SIGKILL)
    # PySpark's daemon ends this process when it finds its executor gone. Going on until then, it would be killed while
    # it holds a lock, and the repeated task wait for minutes until the server takes the lock back.
    signal.pause()
    return False


def _parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
