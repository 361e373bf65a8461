"""The verdict on a write of a row that was answered with anything but success.

The class of an error only says what to raise; the verdict is made of what came back (``errors.Answer``) and of the row.

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
"""

from __future__ import annotations

from enum import Enum, auto

from hive_views.errors import Answer, HiveViewsError, NoSuchTableError


class Found(Enum):
    """What reading back after a write has shown."""

    OURS = auto()
    """The write has landed."""
    NOT_OURS = auto()
    """What the write was to replace, or what somebody else has made of it."""
    ANOTHER_VIEW = auto()
    NOTHING = auto()
    UNREADABLE = auto()


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
