"""The end of a move: whether the target has newer commits, and handing the source back."""

from __future__ import annotations

from dataclasses import replace

from hive_views.errors import (
    CommitFailedError,
    HiveViewsError,
    InvalidInputError,
    LockTimeoutError,
    ViewAlreadyExistsError,
)
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.estate.transfer.snapshot import ViewSnapshot, compare, listed, read_snapshots, with_partitions_of
from hive_views.hive.row import VIEW_UUID, Row
from hive_views.messages.remedy import Remedy
from hive_views.persisted import FENCING, PUBLISHED_WITH, REDECLARED_SUFFIX, UNREPORTED_SUFFIX
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.ownership import incarnation_of, is_note_of, publishing_directory
from hive_views.views.catalog import ViewCatalog
from hive_views.views.conversions import release
from hive_views.views.recovery.recoverable import LiveRows, find_recoverable
from hive_views.views.row.released import is_half_released
from hive_views.views.view import is_iceberg_view, is_plain


def refuse_unreported(source: ViewCatalog, view: ViewSnapshot) -> None:
    """
    Raises:
        InvalidInputError: a run of publishing was killed before it had called its callback, a receiver of events
            failed, or what it had retracted was not declared again, and only the next one in the source would.
    """
    if not any(key.startswith((FENCING, PUBLISHED_WITH)) for key in view.metadata.properties):
        return
    incarnation = incarnation_of(view.metadata)
    directory = publishing_directory(view.metadata)
    files = source.storage.list_files(directory)
    if any(is_note_of(incarnation, file, REDECLARED_SUFFIX) for file in files):
        raise InvalidInputError(
            f"A run that retracted partitions of {view.identifier}, to declare them again, was interrupted.",
            remedy=Remedy(
                in_python="Republish it (plan_republish, apply_republish_plan), then move it.",
                in_shell=f"Run `hive-views revalidate {view.identifier} --republish`, then move it.",
            ),
            identifier=str(view.identifier),
        )
    if any(is_note_of(incarnation, file, UNREPORTED_SUFFIX) for file in files):
        raise InvalidInputError(
            f"What has happened to partitions of {view.identifier} is not yet reported to a callback or a receiver of "
            f"events, because a run was interrupted or the receiver failed. Publish again for the same one, then move "
            f"it. If there is none any more, delete the files {incarnation}-*{UNREPORTED_SUFFIX} in {directory}.",
            identifier=str(view.identifier),
        )


def moved_already(
    target: ViewCatalog, copied: ViewSnapshot, wanted: ViewSnapshot, current: Row, *, may_leave: bool
) -> Outcome | None:
    """The outcome if the target already is the view and must not be written to; otherwise None.

    Handing back begins only once the target was found to be the same. Whatever has changed in the target since is the
    work of its users, in versions or partitions, so the source only has to be handed back.

    Args:
        target: where the view is moved to.
        copied: the view as it is in the source.
        wanted: what it is to be in the target.
        current: the row that has its name there.
        may_leave: whether a target with newer commits is left rather than refused.

    Raises:
        ViewAlreadyExistsError: the target has newer commits, which would be lost.
        HiveViewsError: handing back has begun, and the target cannot be read.
    """
    if not is_iceberg_view(current):
        return None
    is_begun = is_half_released(copied.row)
    (there,) = read_snapshots(target, [current], with_partitions=is_begun, cached=not is_begun)
    if isinstance(there, HiveViewsError):
        if is_begun:
            raise there
        return None
    if there.metadata.view_uuid != wanted.metadata.view_uuid:
        return None
    to, log, log_there = str(there.identifier), wanted.metadata.version_log, there.metadata.version_log
    # Old versions expire, in either of the two; whoever has an entry of the log has had all before it.
    if is_begun and log and log[-1] in log_there:
        differing = compare(wanted, there, uuid=True)
        since = f" It has changed since: {listed(differing)}." if differing else ""
        details = {
            "to": to,
            "versions": len(there.metadata.versions),
            "partitions": len(there.partitions),
            "differences": differing,
        }
        return Outcome(str(copied.identifier), State.UNCHANGED, f"{to} has taken its place.{since}", details=details)
    if log_there and log_there[-1] not in log and not may_leave:
        raise ViewAlreadyExistsError(
            f"{to} is the same view with newer commits: its version {log_there[-1].version_id} is unknown in the "
            f"source, and is never replaced.",
            remedy=_end_move(str(copied.identifier), to),
            identifier=to,
        )
    return None


class FormerViews:
    """What plain views of the source were before a move handed them back, so that moving again does nothing."""

    def __init__(self, source: ViewCatalog, target: ViewCatalog) -> None:
        self._source, self._target = source, target
        self._live = LiveRows(source.engine)

    def outcome_of(self, plain: Row, to: TableIdentifier) -> Outcome | None:
        """The outcome of a plain view where a view of this library has its new name; else None.

        Raises:
            HiveViewsError: what it was, or the view of the target, cannot be read.
        """
        name = str(plain.identifier)
        if not is_plain(plain):
            return None
        current = self._target.engine.lookup.row(to)
        if current is None or not is_iceberg_view(current):
            return None
        if self._is(plain, current):
            return Outcome(name, State.UNCHANGED, f"It was moved to {to}.", details={"to": str(to)})
        return Outcome(name, State.LEFT, f"{name} is a plain view, and {to} is a managed view.")

    def _is(self, plain: Row, current: Row) -> bool:
        """Whether it is certain that a view of the target has the history that the plain one had."""
        places = self._source.engine.lookup.default_locations(plain.identifier)
        former = find_recoverable(plain.identifier, places, plain, self._live, self._source.storage)
        if former is None or not former.is_released or current.parameters.get(VIEW_UUID) != former.metadata.view_uuid:
            return False
        (there,) = read_snapshots(self._target, [current], with_partitions=False, cached=False)
        if isinstance(there, HiveViewsError):
            raise there
        # Whoever has an entry of the log has had all before it.
        return former.metadata.version_log[-1] in there.metadata.version_log


def _end_move(view: str, to: str) -> Remedy:
    return Remedy(
        in_python=f"If the target is right, hive_views.estate.hand_back(source, '{view}') completes the move; if the "
        f"source is right, target.drop_view('{to}') lets you move it again.",
        in_shell=f"If the target is right, `hive-views hand-back {view}` in the source completes the move; if the "
        f"source is right, `hive-views drop {to}` in the target lets you move it again.",
    )


def _move_again(view: str) -> Remedy:
    return Remedy(
        in_python=f"Move {view} again; if that is refused, use on_conflict='replace'.",
        in_shell=f"Move {view} again; if that is refused, use --on-conflict replace.",
    )


def release_source(source: ViewCatalog, copied: ViewSnapshot, to: str) -> None:
    """Hand back a view that is in the target, exactly as it was copied; ``to`` is its name there.

    Partitions are not part of the row that is compared, so they are compared before and after.

    Raises:
        CommitFailedError: it was changed in the meantime; it was handed back only if the error says so.
        HiveViewsError: it was not handed back.
    """
    name = str(copied.identifier)
    if with_partitions_of(source, copied).partitions_by_name != copied.partitions_by_name:
        message = f"Partitions of {name} were changed while it was moved to {to}."
        raise CommitFailedError(message, remedy=_move_again(name), identifier=name)
    try:
        release(source.engine, copied.identifier, expected=copied.row)
    except LockTimeoutError:
        raise
    except CommitFailedError as error:
        raise replace(error, remedy=error.remedy or _move_again(name)) from error
    after = with_partitions_of(source, copied)
    if after.partitions_by_name != copied.partitions_by_name:
        raise CommitFailedError(
            f"{name} was moved to {to} and is now a plain view, but its partitions were changed at that moment, which "
            f"{to} does not have: {listed(compare(after, copied))}. Make the same change there.",
            identifier=name,
        )
