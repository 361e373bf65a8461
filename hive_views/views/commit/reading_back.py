"""Reading the outcome of a write while the metastore may be away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import tenacity

_Read = TypeVar("_Read")


def read_until_answered(
    read: Callable[[], _Read], may_pass: Callable[[BaseException], bool], timeout_s: float
) -> _Read:
    """What ``read`` returns; asked again for ``timeout_s`` seconds while it raises what ``may_pass``.

    Raises:
        what ``read`` raised last.
    """
    for attempt in tenacity.Retrying(
        retry=tenacity.retry_if_exception(may_pass),
        wait=tenacity.wait_exponential(multiplier=0.02, max=1),
        stop=tenacity.stop_after_delay(timeout_s),
        reraise=True,
    ):
        with attempt:
            return read()
    raise AssertionError("tenacity returns or raises")  # pragma: no cover
