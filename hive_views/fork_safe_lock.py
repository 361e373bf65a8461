"""A lock that survives a fork."""

from __future__ import annotations

import os
import threading


class ForkSafeLock:
    """A lock of this process: a child of a fork begins with a free one, as no thread of its parent could free it there.

    Used as a context manager.
    """

    def __init__(self) -> None:
        self._by_process: dict[int, threading.Lock] = {}

    def __enter__(self) -> None:
        self._by_process.setdefault(os.getpid(), threading.Lock()).acquire()

    def __exit__(self, *_: object) -> None:
        # Where its holder itself has forked, the child holds nothing.
        if lock := self._by_process.get(os.getpid()):
            lock.release()
