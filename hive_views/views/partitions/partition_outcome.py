"""The status of a batch of partitions whose write was answered with an error, or not at all.

    the write                                       read back               verdict
    answered                                        not needed              applied
    never sent                                      not needed              not applied
    failed (an error, or a listener's after it)     all as it was wanted    applied
    failed                                          anything else           not applied: a batch is all or nothing
    no answer                                       all as it was wanted    applied
    no answer                                       anything else           unknown: it may still land
    failed or no answer                             unreadable              unknown

A metastore calls its event listeners (``hive.metastore.event.listeners``) and end-function listeners when its
transaction is over, and what they throw becomes the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from hive_views.errors import Answer, HiveViewsError, InvalidPartitionError, UnavailableError
from hive_views.messages.logs import logger_of
from hive_views.views.commit.retry import read_patiently

log = logger_of("hive_views.views.partitions.view_partitions")

_Found = TypeVar("_Found")


class Verdict(Enum):
    APPLIED = auto()
    NOT_APPLIED = auto()
    UNKNOWN = auto()


@dataclass(frozen=True)
class Outcome(Generic[_Found]):
    """``found`` is what was read after the write; None where nothing was, or could be."""

    verdict: Verdict
    found: _Found | None = None


def outcome_of(
    failure: HiveViewsError, read: Callable[[], _Found], wanted: Callable[[_Found], bool], patience_s: float
) -> Outcome[_Found]:
    """The status of a batch whose write did not succeed.

    Args:
        failure: what the write ended with; its ``answer`` counts.
        read: what the metastore has of the batch now; asked again for ``patience_s`` while the metastore is away.
        wanted: whether that is what the write was to make of it.
        patience_s: in seconds.
    """
    if failure.answer is Answer.NOT_SENT:
        return Outcome(Verdict.NOT_APPLIED)
    try:
        found = read_patiently(read, lambda failure: isinstance(failure, UnavailableError), patience_s)
    except HiveViewsError as e:
        refused = failure.answer is Answer.FAILED and isinstance(failure, InvalidPartitionError)
        if refused and isinstance(e, InvalidPartitionError):
            # What a database can neither hold nor look for (a latin1 one other characters) is not in it.
            return Outcome(Verdict.NOT_APPLIED)
        log.warning("the status of a batch of partitions cannot be read: %s", e)
        return Outcome(Verdict.UNKNOWN)
    if wanted(found):
        return Outcome(Verdict.APPLIED, found)
    return Outcome(Verdict.UNKNOWN if failure.answer is Answer.NONE else Verdict.NOT_APPLIED, found)
