"""Lists in parts, as the specification pages them.

What lives here: cutting a sorted list, and the token that says where the next part begins. What must not: keeping
anything between two requests, so that any process gives the next part.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence

from hive_views.errors import InvalidInputError


def page(names: Sequence[str], query: Mapping[str, str]) -> tuple[Sequence[str], str | None]:
    """The part of sorted names that ``pageToken`` and ``pageSize`` ask for, and the token of the next one.

    Without a size all that is left is one part.

    Raises:
        InvalidInputError: the size is no positive number, or the token none of ours.
    """
    size, token = query.get("pageSize"), query.get("pageToken")
    if size is not None and not (size.isascii() and size.isdigit() and 0 < int(size) < 2**31):
        raise InvalidInputError(f"Cannot use {size!r} as pageSize: give a positive number.")
    if token:
        try:
            last = urlsafe_b64decode(token.encode("ascii")).decode("utf-8")
        except ValueError:
            raise InvalidInputError(f"Cannot use {token!r} as pageToken: give the one of the last answer.") from None
        names = [name for name in names if name > last]
    if size is None or int(size) >= len(names):
        return names, None
    part = names[: int(size)]
    return part, urlsafe_b64encode(part[-1].encode()).decode("ascii")
