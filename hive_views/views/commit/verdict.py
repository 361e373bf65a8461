"""The verdict on a write that was answered with anything but success: of a row, of partitions, of a namespace.

The class of an error only says what to raise; the verdict is made of what came back (``errors.Answer``) and of what
is found then. Of a row:

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

To a creation, "the view's, not ours" is a free name (but after "the name is taken" it is unknown what took it) or
somebody else's row; to a renaming, the old name as it was; to a drop, "ours" is a name that is free or another view's.
To a batch of partitions (partition_outcome.py) and to a namespace (namespace_changes.py), "ours" is what was wanted,
and the rows of the table without another view or file are theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from hive_views.errors import Answer, HiveViewsError, NoSuchTableError

_Seen = TypeVar("_Seen")


class Found(Enum):
    """What reading back after a write has shown."""

    OURS = auto()
    """The write has landed."""
    NOT_OURS = auto()
    """What the write was to replace, or what somebody else has made of it."""
    ANOTHER_VIEW = auto()
    NOTHING = auto()
    UNREADABLE = auto()
    """Nothing could be read, or nothing that tells."""


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
    """What came of a write; ``seen`` is what was read after it, None where nothing was, or could be."""

    verdict: Verdict
    found: Found
    seen: _Seen | None = None


def settled(
    failure: HiveViewsError,
    look: Callable[[], tuple[Found, _Seen | None]],
    unreadable: Callable[[HiveViewsError], Found],
) -> Settled[_Seen]:
    """What came of a write that was sent once and ended in a failure.

    Args:
        failure: its ``answer`` counts.
        look: reads back; not called for what was never sent.
        unreadable: what it means, mostly ``Found.UNREADABLE``, that reading back has failed.
    """
    if failure.answer is Answer.NOT_SENT:
        return Settled(Verdict.NOT_APPLIED, Found.NOT_OURS)
    seen = None
    try:
        found, seen = look()
    except HiveViewsError as error:
        found = unreadable(error)
    return Settled(verdict_on(failure, found), found, seen)
