"""Limits of a request: its size, its depth, and the time in which it must arrive."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request

from hive_views.rest.request_errors import RequestError, bad_request
from hive_views.spec.strict_json import read_json as parse_json
from hive_views.spec.unpacking import TooLargeError

# No metastore and no UTF-8 file can store it; JSON can hold it as an escape only.
_MAYBE_UNSTORABLE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_UNSTORABLE = re.compile(r"(?<!\\)(?:\\\\)*\\u0000|[\ud800-\udfff]")


@dataclass(frozen=True)
class Limits:
    """
    Attributes:
        max_bytes: size of a body.
        max_depth: levels of objects and arrays in it.
        body_timeout_s: in which it must have arrived.
    """

    max_bytes: int = 16 * 2**20
    max_depth: int = 100
    body_timeout_s: float = 30.0


async def read_json(request: Request, limits: Limits) -> Any:
    """The body as JSON; None if there is none.

    Raises:
        RequestError: it is too large, too deep, too slow, or not JSON.
    """
    try:
        with anyio.fail_after(limits.body_timeout_s):
            content = await _read(request, limits.max_bytes)
    except TimeoutError:
        message = f"The body did not arrive within {limits.body_timeout_s:g} s."
        raise RequestError(408, "RequestTimeoutException", message) from None
    except ClientDisconnect:
        raise bad_request("The client closed the connection before the body was complete.") from None
    if not content:
        return None
    try:
        tree = parse_json(content, max_depth=limits.max_depth)
    except TooLargeError as error:
        raise bad_request(f"Cannot read the request: {error}.") from None
    except ValueError as error:
        raise bad_request(f"Cannot read the request: it is not JSON ({error}).") from None
    if _MAYBE_UNSTORABLE.search(content) and _UNSTORABLE.search(json.dumps(tree, ensure_ascii=False)):
        raise bad_request("Cannot read the request: a string has U+0000 or an unpaired surrogate.")
    return tree


async def _read(request: Request, max_bytes: int) -> bytes:
    message = f"The body is larger than {max_bytes:,} bytes."
    too_large = RequestError(413, "RequestTooLargeException", message, closes=True)
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > max_bytes:
        raise too_large
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > max_bytes:
            raise too_large
    return bytes(content)


def check_framing(request: Request) -> None:
    """
    Raises:
        RequestError: its length is given in two ways, and a proxy may have used the other one (RFC 9112, section 6.1).
    """
    if "content-length" in request.headers and "transfer-encoding" in request.headers:
        raise bad_request("Send either Content-Length or Transfer-Encoding.", closes=True)
