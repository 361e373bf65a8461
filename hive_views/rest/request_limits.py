"""How much of a request is taken: its size, its depth, and the time in which it comes.

What lives here: reading a body within limits. What must not: what is in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request

from hive_views.rest.request_errors import RequestError


@dataclass(frozen=True)
class Limits:
    """
    Attributes:
        most_bytes: of a body.
        most_levels: of brackets in it.
        body_timeout_s: in which it must have come.
    """

    most_bytes: int = 16 * 2**20
    most_levels: int = 100
    body_timeout_s: float = 30.0


async def read_json(request: Request, limits: Limits) -> Any:
    """The body as JSON; None where there is none.

    Raises:
        RequestError: it is too large, too deep, too slow, or no JSON.
    """
    try:
        with anyio.fail_after(limits.body_timeout_s):
            content = await _read(request, limits.most_bytes)
    except TimeoutError:
        raise RequestError(
            408, "RequestTimeoutException", f"The request did not come within {limits.body_timeout_s:g} s."
        ) from None
    except ClientDisconnect:
        raise RequestError(400, "BadRequestException", "The request broke off.") from None
    if not content:
        return None
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RequestError(400, "BadRequestException", f"Cannot read the request: it is not JSON ({error}).") from None
    if _levels(tree, limits.most_levels) > limits.most_levels:
        raise RequestError(
            400, "BadRequestException", f"The request has more than {limits.most_levels} levels of brackets."
        )
    return tree


async def _read(request: Request, most_bytes: int) -> bytes:
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most_bytes:
            raise RequestError(413, "RequestTooLargeException", f"The request has more than {most_bytes:,} bytes.")
    return bytes(content)


def _levels(tree: Any, most: int) -> int:
    level, ahead = 0, [tree]
    while ahead and level <= most:
        inner: list[Any] = []
        for part in ahead:
            inner += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        level, ahead = level + bool(ahead), inner
    return level - 1
