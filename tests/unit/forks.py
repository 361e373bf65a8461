"""What a child of a fork of this process makes of something."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

DEADLINE_S = 30.0


def in_a_fork(ask: Callable[[], Any]) -> Any:
    """What a child of a fork answers; None where it does not within the deadline."""
    processes = multiprocessing.get_context("fork")
    ours, theirs = processes.Pipe(duplex=False)
    child = processes.Process(target=lambda: theirs.send(ask()), daemon=True)
    child.start()
    answer = ours.recv() if ours.poll(DEADLINE_S) else None
    child.kill()
    child.join()
    return answer
