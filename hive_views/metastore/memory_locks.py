"""The exclusive table locks of the metastore in memory."""

from __future__ import annotations

import itertools
import os
import threading
from functools import partial

from hive_views.errors import CommitFailedError, LockTimeoutError
from hive_views.metastore.port import Lock
from hive_views.spec.identifiers import TableIdentifier


class MemoryLocks:
    """Locks by table; ``state`` guards them, and wakes who waits for one."""

    def __init__(self, state: threading.Condition) -> None:
        self._state = state
        self._held: dict[TableIdentifier, tuple[int, str]] = {}
        self._ids = itertools.count(1)

    def __len__(self) -> int:
        return len(self._held)

    def acquire(self, identifier: TableIdentifier, timeout_s: float) -> Lock:
        """
        Raises:
            LockTimeoutError: another holder kept it for all of ``timeout_s``.
        """
        with self._state:
            if not self._state.wait_for(lambda: identifier not in self._held, timeout_s):
                _, holder = self._held[identifier]
                raise LockTimeoutError(
                    f"{identifier} is locked by {holder}, and was not released within {timeout_s:g} s.",
                    identifier=str(identifier),
                    holder=holder,
                )
            lock_id = next(self._ids)
            holder = f"{threading.current_thread().name} of process {os.getpid()} (lock {lock_id})"
            self._held[identifier] = lock_id, holder
        abandoned = threading.Event()

        def release() -> None:
            if not abandoned.is_set():
                self._unlock(identifier, lock_id)

        return Lock(lock_id, partial(self._ensure_held, identifier, lock_id), release, abandoned.set)

    def expire(self) -> None:
        """Take back all locks."""
        with self._state:
            self._held.clear()
            self._state.notify_all()

    def _ensure_held(self, identifier: TableIdentifier, lock_id: int) -> None:
        with self._state:
            if self._held.get(identifier, (None,))[0] != lock_id:
                raise CommitFailedError(f"Lock {lock_id} of {identifier} was lost.", identifier=str(identifier))

    def _unlock(self, identifier: TableIdentifier, lock_id: int) -> None:
        with self._state:
            if self._held.get(identifier, (None,))[0] == lock_id:
                del self._held[identifier]
                self._state.notify_all()
