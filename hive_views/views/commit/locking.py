"""Protection of rows against other writers: the metastore's locks, and servers that check a swap.

Every verb that writes a row holds the lock of every name that it touches, if the metastore grants locks. A lock is
released when the outcome is known. If the outcome of a write that the server does not check is unknown, the lock is
left to expire: the request may still be applied, and would overwrite the next writer's change.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from hive_views.errors import Answer, HiveViewsError, NoSuchTableError, NoSuchViewError, UnsupportedFeatureError
from hive_views.messages.remedy import Remedy
from hive_views.metastore.port import Lock, Locks
from hive_views.spec.identifiers import TableIdentifier

LockMode = Literal["auto", "always", "never"]

_USE_AUTOMATIC_LOCKS = Remedy(
    in_python="Use lock='auto'.", in_shell="Use the setting lock = auto (--lock auto before the command)."
)


@dataclass(frozen=True)
class Protection:
    """The locks that are held, in the order of their names; none if only the swap protects."""

    locks: tuple[Lock, ...] = ()

    def ensure_held(self) -> None:
        """
        Raises:
            CommitFailedError: a lock was lost.
        """
        try:
            for lock in self.locks:
                lock.ensure_held()
        except HiveViewsError as error:
            # The write was not sent.
            error.answer = Answer.NOT_SENT
            raise

    def abandon(self) -> None:
        """Leave the locks to expire on the server."""
        for lock in self.locks:
            lock.abandon()


class Locking:
    """Protects names of one metastore as the setting ``CommitSettings.lock`` requires."""

    def __init__(self, metastore: Locks, mode: LockMode) -> None:
        self._metastore = metastore
        self.mode = mode

    @contextmanager
    def protect(self, *names: TableIdentifier, timeout_s: float | None = None) -> Iterator[Protection]:
        """Hold the locks of these names, if locks are granted; sufficient for creating and dropping.

        Raises:
            LockTimeoutError: another writer held a lock for too long.
            UnsupportedFeatureError: the setting requires locks, and none are granted.
        """
        with ExitStack() as held:
            # Always in the same order, so that two writers of the same names do not wait for each other.
            locks = []
            for name in sorted(set(names)) if self.mode != "never" else ():
                lock = self._metastore.lock(name, timeout_s=timeout_s)
                if lock is None:
                    break
                held.callback(lock.release)
                locks.append(lock)
            if not locks and self.mode == "always":
                raise UnsupportedFeatureError(
                    "This metastore grants no locks, and the setting lock='always' asks for them: "
                    "it needs a lock manager.",
                    remedy=_USE_AUTOMATIC_LOCKS,
                )
            yield Protection(tuple(locks))

    @contextmanager
    def protect_swap(
        self, view: TableIdentifier, *others: TableIdentifier, timeout_s: float | None = None
    ) -> Iterator[Protection]:
        """As ``protect``, for replacing the row of a view.

        Raises:
            NoSuchViewError: there is no such view.
            UnsupportedFeatureError: neither a lock nor the server protects, so that a commit could overwrite another.
        """
        with self.protect(view, *others, timeout_s=timeout_s) as protection:
            self.ensure_swap_is_safe(view, protection)
            yield protection

    @contextmanager
    def protect_plain_view(self, view: TableIdentifier) -> Iterator[Protection]:
        """As ``protect_swap``, for a view without a metadata file: without a lock if the server checks the swap.

        Writers that rely on locks alone, such as Iceberg engines, do not write plain views, and engines that do write
        them take no locks.

        Raises:
            NoSuchViewError, UnsupportedFeatureError: as ``protect_swap``.
        """
        if self.mode != "always" and self._checks_swaps(view):
            yield Protection()
            return
        with self.protect_swap(view) as protection:
            yield protection

    def ensure_swap_is_safe(self, view: TableIdentifier, protection: Protection) -> None:
        """
        Raises:
            NoSuchViewError, UnsupportedFeatureError: as ``protect_swap``.
        """
        if protection.locks or self._is_enforced(view):
            return
        raise UnsupportedFeatureError(
            "Refused to write: this metastore does not check the expected pointer of a swap (servers before "
            "HIVE-26882 ignore it), and no lock protects the commit: two writers could overwrite each other."
            + ("" if self.mode == "never" else " Give the metastore a lock manager."),
            remedy=_USE_AUTOMATIC_LOCKS if self.mode == "never" else None,
        )

    def _checks_swaps(self, view: TableIdentifier) -> bool:
        return self._is_enforced(view) and self._metastore.capabilities().compares_pointers is not False

    def _is_enforced(self, view: TableIdentifier) -> bool:
        try:
            return self._metastore.enforces_swap(view)
        except NoSuchTableError as e:
            raise NoSuchViewError(f"There is no view {view}.", identifier=str(view)) from e
