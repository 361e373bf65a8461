"""Everything in which one metastore server differs from another and that this library relies on, in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """What a server can do, as far as it has been found out: None is not yet, or not reported by the server."""

    checks_swaps: bool | None = None
    """Refuses a swap whose expected value differs (HIVE-26882). Asked before the first commit without a lock, by a
    rename that has to fail."""
    compares_pointers: bool | None = None
    """Its database can compare parameters; not so a Derby whose parameters are CLOBs, or a server without direct SQL.
    False when a swap has failed over it; only a lock protects then."""
    grants_locks: bool | None = None
    """Has a lock manager. Asked by the first lock."""
    lock_timeout_s: float | None = None
    """Takes a lock back that sent no heartbeat for so long (hive.txn.timeout). Asked before the first lock."""
    takes_bare_partitions: bool | None = None
    """Takes partitions without a storage descriptor; not so where DbNotificationListener is on. Asked by the setting of
    the listeners, where it is reported, and by the first partitions that are added."""
    changes_columns_in_one_call: bool | None = None
    """Changes the columns of a view that has bare partitions (Hive 2.3; 4.x only if they are appended). False when
    such a change has failed; two swaps do it then."""
