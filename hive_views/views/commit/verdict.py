"""The verdict on a write that was answered with anything but success: of a row, of partitions, of a namespace.

The class of an error only decides what to raise; the verdict follows from the answer (``errors.Answer``) and from what
is read back. For a row:

    the answer           the row that is found then      verdict                        our new file
    success              not needed                      applied                        kept
    never sent           not needed                      not applied                    deleted
    any other            ours *                          applied                        kept
    any other            unreadable                      unknown                        kept
    refused by the swap  the view's, not ours            not applied: run again         deleted
    another error        the view's, not ours            not applied                    deleted
    no answer            the view's, not ours            unknown: may still land        kept
    refused, or error    another view's                  dropped or renamed meanwhile   kept
    "no such row"        none                            dropped or renamed meanwhile   kept
    any other            none, or another view's         unknown                        kept

    *  the row points to our file, or names it as the previous one, or the current file lists our commit id; of a row
       that points to none, as that of a plain view: it says the same, in all parameters.

For a creation, "the view's, not ours" is a free name (but after "the name is taken" it is unknown what took it) or
another writer's row; for a rename, the old name as it was; for a drop, "ours" is a name that is free or has another
view. For a batch of partitions (partition_outcome.py) and for a namespace (namespace_changes.py), "ours" is the wanted
state, and the rows of the table that name no other view and no file apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from hive_views.errors import Answer, HiveViewsError, NoSuchTableError

_Seen = TypeVar("_Seen")


class Found(Enum):
    """What was found when a write was read back."""

    OURS = auto()
    """The write was applied."""
    NOT_OURS = auto()
    """The state before the write, or a later change of it by another writer."""
    ANOTHER_VIEW = auto()
    NOTHING = auto()
    UNREADABLE = auto()
    """It could not be read, or it does not show the outcome."""


class Verdict(Enum):
    """The status of a write."""

    APPLIED = auto()
    NOT_APPLIED = auto()
    GONE = auto()
    UNKNOWN = auto()


def verdict_on(failure: HiveViewsError, found: Found) -> Verdict:
    """The table above, for a write that was sent and not answered with success."""
    if found is Found.OURS:
        return Verdict.APPLIED
    if found is Found.UNREADABLE or failure.answer is Answer.NONE:
        return Verdict.UNKNOWN
    if found is Found.NOT_OURS:
        return Verdict.NOT_APPLIED
    is_gone = found is Found.ANOTHER_VIEW or isinstance(failure, NoSuchTableError)
    return Verdict.GONE if is_gone else Verdict.UNKNOWN


@dataclass(frozen=True)
class Settled(Generic[_Seen]):
    """The outcome of a write; ``seen`` is what was read back, None if nothing was."""

    verdict: Verdict
    found: Found
    seen: _Seen | None = None


def settled(
    failure: HiveViewsError,
    look: Callable[[], tuple[Found, _Seen | None]],
    unreadable: Callable[[HiveViewsError], Found],
) -> Settled[_Seen]:
    """The outcome of a write that was sent once and ended in a failure.

    Args:
        failure: its ``answer`` counts.
        look: reads back; not called if the write was never sent.
        unreadable: the meaning of a failure to read back, mostly ``Found.UNREADABLE``.
    """
    if failure.answer is Answer.NOT_SENT:
        return Settled(Verdict.NOT_APPLIED, Found.NOT_OURS)
    seen = None
    try:
        found, seen = look()
    except HiveViewsError as error:
        found = unreadable(error)
    return Settled(verdict_on(failure, found), found, seen)
