"""Swaps the row of a view with partitions in two steps, if its columns cannot be changed in one (Hive 3 and 4).

The first swap removes the partition keys and leaves a marker; the pointer moves to a copy of the file, so that a writer
that read the row before is refused. The second puts the keys back with the new columns. If a writer was killed between
the two, the next one that finds the marker puts the keys back.
"""

from __future__ import annotations

from dataclasses import replace

from hive_views.errors import CommitFailedError, HiveViewsError
from hive_views.hive.row import Row
from hive_views.messages.logs import logger_of
from hive_views.metastore.port import Swap
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.serde import next_location
from hive_views.views.commit.engine import Engine
from hive_views.views.commit.loading import Seen
from hive_views.views.commit.locking import Protection
from hive_views.views.commit.writes import NewFile
from hive_views.views.row.drift import differences
from hive_views.views.row.projection import is_same_row, with_keys, without_keys
from hive_views.views.view import View

log = logger_of(__name__)


def swap(engine: Engine, seen: Seen, row: Row, file: NewFile, protection: Protection) -> None:
    """Replace the row that was seen, in two swaps where one does not do.

    Raises: as ``SettledWrites.swap_row``.
    """
    base = seen.view.row
    if not base.partition_keys:
        engine.writes.swap_row(base, row, protection, file)
    elif engine.writes.try_swap_row(base, row, protection, file) is Swap.CANNOT_CHANGE_COLUMNS:
        _swap_twice(engine, seen, row, file, protection)


def _swap_twice(engine: Engine, seen: Seen, row: Row, file: NewFile, protection: Protection) -> None:
    view, copy_id = seen.view, engine.settings.new_uuid()
    copy = next_location(view.metadata, view.metadata_location, copy_id)
    between = without_keys(view.row, copy)
    with engine.writes.new_file(copy, view.metadata, copy_id) as copied:
        engine.ensure_unchanged(seen)
        engine.writes.swap_row(view.row, between, protection, copied)
    # Engines that neither lock nor swap are seen here at least; their ALTER leaves the pointer alone.
    is_same = is_same_row(engine.reader.load_row(view.identifier), between)
    # The keys stay where somebody put them back, on a server that does not check what a swap expects.
    if not is_same or engine.writes.try_swap_row(between, row, protection, file) is Swap.CANNOT_CHANGE_COLUMNS:
        raise CommitFailedError(
            f"{view.identifier} was changed by another writer between the two swaps that change the columns of a view "
            f"with partitions. Load it again and repeat the change.",
            identifier=str(view.identifier),
        )


def mend_interrupted(engine: Engine, view: View) -> View:
    """Put back the keys that a writer killed between its two swaps removed; reading never fails because of that."""
    timeout_s = engine.settings.mend_lock_timeout_s
    try:
        with engine.locking.protect(view.identifier, timeout_s=timeout_s) as protection:
            view = engine.reader.view_of(engine.reader.load_row(view.identifier))
            return put_keys_back(engine, view, protection) if PENDING_KEYS in view.row.parameters else view
    except HiveViewsError as e:
        _log_failed_repair(view, e)
        return view


def put_keys_back(engine: Engine, view: View, protection: Protection) -> View:
    """The view with the keys that an interrupted change removed; unchanged, with a warning, if that fails."""
    row = engine.project(view.metadata, view.identifier, view.metadata_location, view)
    if view.has_drifted:
        row = with_keys(view.row, row.partition_keys)
    try:
        engine.locking.ensure_swap_is_safe(view.identifier, protection)
        engine.swap_judged(view.row, row, protection, None)
    except HiveViewsError as e:
        _log_failed_repair(view, e)
        return view
    log.warning("view %s: put back the partition keys that an interrupted change had removed", view.identifier)
    return replace(view, row=row, differences=differences(row, view.metadata))


def _log_failed_repair(view: View, error: HiveViewsError) -> None:
    log.warning("view %s: the partition keys of an interrupted change were not put back: %s", view.identifier, error)
