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
from typing import TypeVar

from hive_views.errors import Answer, HiveViewsError, InvalidPartitionError, UnavailableError
from hive_views.messages.logs import logger_of
from hive_views.views.commit.reading_back import read_until_answered
from hive_views.views.commit.verdict import Found, Settled, settled

log = logger_of(__name__)

_Seen = TypeVar("_Seen")


def outcome_of(
    failure: HiveViewsError, read: Callable[[], _Seen], wanted: Callable[[_Seen], bool], timeout_s: float
) -> Settled[_Seen]:
    """The status of a batch whose write did not succeed.

    Args:
        failure: what the write ended with; its ``answer`` counts.
        read: what the metastore has of the batch now; asked again for ``timeout_s`` while the metastore is away.
        wanted: whether that is what the write was to make of it.
        timeout_s: in seconds.
    """

    def look() -> tuple[Found, _Seen | None]:
        seen = read_until_answered(read, lambda failure: isinstance(failure, UnavailableError), timeout_s)
        return Found.OURS if wanted(seen) else Found.NOT_OURS, seen

    def unreadable(error: HiveViewsError) -> Found:
        refused = failure.answer is Answer.FAILED and isinstance(failure, InvalidPartitionError)
        if refused and isinstance(error, InvalidPartitionError):
            # What a database can neither hold nor look for (a latin1 one other characters) is not in it.
            return Found.NOT_OURS
        log.warning("the status of a batch of partitions cannot be read: %s", error)
        return Found.UNREADABLE

    return settled(failure, look, unreadable)
