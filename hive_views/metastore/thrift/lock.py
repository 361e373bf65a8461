"""The metastore's exclusive table lock: acquiring, waiting, heartbeats, release.

The server expires a lock that sends no heartbeat for `hive.txn.timeout`.
"""

from __future__ import annotations

import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from thrift.Thrift import TApplicationException

from hive_views.errors import (
    Answer,
    CommitFailedError,
    HiveViewsError,
    LockTimeoutError,
    MetastoreUnavailableError,
    UnsupportedFeatureError,
)
from hive_views.messages.logs import logger_of
from hive_views.metastore.port import Lock
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.failures import Call
from hive_views.spec.identifiers import TableIdentifier

log = logger_of(__name__)

DEFAULT_LOCK_TIMEOUT_S = 300.0
HEARTBEAT_S = 60.0
# The server gives the lock to who asked first, and only that one's next question finds it: a long wait between two
# questions leaves the lock idle for half of it, while a commit takes a tenth of a second.
_SHORTEST_WAIT_S, _LONGEST_WAIT_S, _WAIT_GROWTH = 0.02, 0.3, 1.5
# A request whose sender no longer waits reaches the server within a second, or is lost.
_STILL_COMING_S = 1.0


class TableLocks:
    """Locks of tables, each an EXCLUSIVE one without a transaction, as Iceberg Java and Hive understand it."""

    def __init__(self, ask: Callable[..., Any], *, user: str) -> None:
        self._ask = ask
        self._user = user

    def acquire(
        self, identifier: TableIdentifier, timeout_s: float, *, heartbeat_s: float = HEARTBEAT_S
    ) -> Lock | None:
        """The lock, in one call where it is free; None where the server has no lock manager.

        It sends a heartbeat every ``heartbeat_s``, until it is released.

        Raises:
            LockTimeoutError: another holder (field ``holder``) kept it for all of ``timeout_s``.
            MetastoreUnavailableError: no answer. After this, and whatever else ends the wait, a lock that was granted
                nevertheless has been given back, if the metastore can be reached.
        """
        agent = f"hive-views-{uuid.uuid4()}"
        held: _HeldLock | None = None
        try:
            answer = self._ask(Call("lock", str(identifier), writes=True), self._request(identifier, agent))
            held = _HeldLock(self._ask, identifier, answer.lockid, heartbeat_s)
            if answer.state != ttypes.LockState.ACQUIRED:
                self._wait(identifier, answer, timeout_s)
            held.keep_alive()
        except BaseException as error:
            # On any exception, Ctrl-C too: a lock that is not released keeps all other writers out for minutes.
            if held is not None:
                held.lock.release()
            elif self._has_no_locks(identifier, error):
                return None
            elif not isinstance(error, HiveViewsError) or error.answer is not Answer.NOT_SENT:
                self._give_back(identifier, agent)
            raise
        else:
            return held.lock

    def acquired_s(self, identifier: TableIdentifier, lock: Lock) -> float | None:
        """When a held lock was granted by the server's clock, in seconds since 1970; None if that is unknown.

        Raises:
            MetastoreUnavailableError: no answer.
        """
        found = [shown.acquiredat for shown in self._show(identifier) if shown.lockid == lock.lock_id]
        return found[0] / 1000 if found and found[0] else None

    def _request(self, identifier: TableIdentifier, agent: str) -> ttypes.LockRequest:
        component = ttypes.LockComponent(
            type=ttypes.LockType.EXCLUSIVE,
            level=ttypes.LockLevel.TABLE,
            # 2.3 compares the names as they are sent: in any other spelling two writers would not meet.
            dbname=identifier.namespace,
            tablename=identifier.name,
            # Hive's lock manager refuses the default, UNSET, where hive.in.test is set.
            operationType=ttypes.DataOperationType.NO_TXN,
        )
        return ttypes.LockRequest(
            component=[component], user=self._user, hostname=socket.gethostname(), agentInfo=agent
        )

    def _has_no_locks(self, identifier: TableIdentifier, error: BaseException) -> bool:
        """Whether the server does not know the call, or failed for want of lock tables: then it shows no locks too."""
        if isinstance(error, UnsupportedFeatureError):
            return True
        if not isinstance(error.__cause__, TApplicationException):
            return False
        try:
            self._show(identifier)
        except MetastoreUnavailableError as also:
            return isinstance(also.__cause__, TApplicationException)
        return False

    def _wait(self, identifier: TableIdentifier, answer: ttypes.LockResponse, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        pauses_s = _pauses_s()
        state = answer.state
        while state == ttypes.LockState.WAITING:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise self._too_late(identifier, timeout_s)
            time.sleep(min(next(pauses_s), left_s))
            call = Call("check_lock", str(identifier))
            state = self._ask(call, ttypes.CheckLockRequest(lockid=answer.lockid)).state
        if state != ttypes.LockState.ACQUIRED:
            raise CommitFailedError(
                f"The metastore withdrew the lock of {identifier}. Repeat the change.", identifier=str(identifier)
            )

    def _too_late(self, identifier: TableIdentifier, timeout_s: float) -> LockTimeoutError:
        held = ttypes.LockState.ACQUIRED
        try:
            holders = [_describe(lock) for lock in self._show(identifier) if lock.state == held]
        except HiveViewsError:
            holders = []
        holder = ", ".join(holders) or "another writer"
        return LockTimeoutError(
            f"{identifier} is locked by {holder}, and was not released within {timeout_s:g} s. Try again later; "
            f"the lock of a writer that has died expires after the server's hive.txn.timeout.",
            identifier=str(identifier),
            holder=holder,
        )

    def _show(self, identifier: TableIdentifier) -> list[ttypes.ShowLocksResponseElement]:
        request = ttypes.ShowLocksRequest(dbname=identifier.namespace, tablename=identifier.name)
        locks: list[ttypes.ShowLocksResponseElement] = self._ask(Call("show_locks", str(identifier)), request).locks
        return locks or []

    def _give_back(self, identifier: TableIdentifier, agent: str) -> None:
        """Release a lock whose number is unknown, if there is one: its request may still be under way."""
        deadline = time.monotonic() + _STILL_COMING_S
        try:
            for pause_s in _pauses_s():
                ours = [lock.lockid for lock in self._show(identifier) if lock.agentInfo == agent]
                if ours or time.monotonic() > deadline:
                    break
                time.sleep(pause_s)
        except HiveViewsError as error:
            log.warning("a lock of %s may be left behind until the metastore expires it: %s", identifier, error)
            return
        for lock_id in ours:
            _unlock(self._ask, identifier, lock_id)


def _pauses_s() -> Iterator[float]:
    pause_s = _SHORTEST_WAIT_S
    while True:
        yield pause_s
        pause_s = min(pause_s * _WAIT_GROWTH, _LONGEST_WAIT_S)


class _HeldLock:
    """A lock, waited for or granted, and the thread that keeps it alive."""

    def __init__(self, ask: Callable[..., Any], identifier: TableIdentifier, lock_id: int, heartbeat_s: float) -> None:
        self._ask = ask
        self._identifier = identifier
        self._heartbeat_s = heartbeat_s
        self._alive_s = time.monotonic()
        self._lost: str | None = None
        self._released = threading.Event()
        self.lock = Lock(lock_id, ensure_held=self._ensure_held, release=self._release, abandon=self._released.set)

    def keep_alive(self) -> None:
        """From now on, until it is released or abandoned."""
        threading.Thread(target=self._keep_alive, name=f"lock of {self._identifier}", daemon=True).start()

    def _keep_alive(self) -> None:
        while self._lost is None and not self._released.wait(self._heartbeat_s):
            self._try_to_beat()

    def _try_to_beat(self) -> None:
        try:
            self._beat()
        except HiveViewsError as error:
            log.warning("no heartbeat for the lock of %s: %s", self._identifier, error)

    def _beat(self) -> None:
        asked_s = time.monotonic()
        try:
            # Beating twice does no harm, so it may be repeated as a read is.
            self._ask(Call("heartbeat", str(self._identifier)), ttypes.HeartbeatRequest(lockid=self.lock.lock_id))
        except CommitFailedError as lost:
            self._lost = str(lost)
            raise
        self._alive_s = asked_s

    def _ensure_held(self) -> None:
        if self._lost is not None:
            raise CommitFailedError(self._lost, identifier=str(self._identifier))
        if self._released.is_set():
            raise CommitFailedError(f"The lock of {self._identifier} was released.", identifier=str(self._identifier))
        # A process that was stopped for a while finds its thread late too: then ask the server.
        if time.monotonic() - self._alive_s > 2 * self._heartbeat_s:
            self._beat()

    def _release(self) -> None:
        if self._released.is_set():
            return
        self._released.set()
        _unlock(self._ask, self._identifier, self.lock.lock_id)


def _unlock(ask: Callable[..., Any], identifier: TableIdentifier, lock_id: int) -> None:
    try:
        _try_to_unlock(ask, identifier, lock_id)
    except BaseException:
        # It was interrupted, perhaps before it was sent, and what is unlocked twice is unlocked.
        _try_to_unlock(ask, identifier, lock_id)
        raise


def _try_to_unlock(ask: Callable[..., Any], identifier: TableIdentifier, lock_id: int) -> None:
    try:
        ask(Call("unlock", str(identifier)), ttypes.UnlockRequest(lockid=lock_id))
    except HiveViewsError as error:
        log.warning("lock %d of %s stays until the metastore expires it: %s", lock_id, identifier, error)


def _describe(lock: ttypes.ShowLocksResponseElement) -> str:
    return f"{lock.user}@{lock.hostname} ({lock.agentInfo or 'unknown program'}, lock {lock.lockid})"
