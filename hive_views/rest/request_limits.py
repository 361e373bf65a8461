"""How much of a request is taken: its size, its depth, and the time in which it comes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request

from hive_views.rest.request_errors import RequestError
from hive_views.spec.strict_json import read_json as parse_json
from hive_views.spec.unpacking import TooLargeError

# What no metastore stores, nor any file of UTF-8; JSON can hold it as an escape alone.
_MAYBE_UNSTORABLE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_UNSTORABLE = re.compile(r"(?<!\\)(?:\\\\)*\\u0000|[\ud800-\udfff]")


@dataclass(frozen=True)
class Limits:
    """
    Attributes:
        max_bytes: size of a body.
        max_depth: levels of objects and arrays in it.
        body_timeout_s: in which it must have come.
    """

    max_bytes: int = 16 * 2**20
    max_depth: int = 100
    body_timeout_s: float = 30.0


async def read_json(request: Request, limits: Limits) -> Any:
    """The body as JSON; None where there is none.

    Raises:
        RequestError: it is too large, too deep, too slow, or no JSON.
    """
    try:
        with anyio.fail_after(limits.body_timeout_s):
            content = await _read(request, limits.max_bytes)
    except TimeoutError:
        raise RequestError(
            408, "RequestTimeoutException", f"The body did not arrive within {limits.body_timeout_s:g} s."
        ) from None
    except ClientDisconnect:
        raise RequestError(
            400, "BadRequestException", "The client closed the connection before the body was complete."
        ) from None
    if not content:
        return None
    try:
        tree = parse_json(content, max_depth=limits.max_depth)
    except TooLargeError as error:
        raise RequestError(400, "BadRequestException", f"Cannot read the request: {error}.") from None
    except ValueError as error:
        raise RequestError(400, "BadRequestException", f"Cannot read the request: it is not JSON ({error}).") from None
    if _MAYBE_UNSTORABLE.search(content) and _UNSTORABLE.search(json.dumps(tree, ensure_ascii=False)):
        raise RequestError(
            400, "BadRequestException", "Cannot read the request: a text has U+0000 or half of a surrogate pair."
        )
    return tree


async def _read(request: Request, max_bytes: int) -> bytes:
    content = bytearray()
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > max_bytes:
        raise _too_large(max_bytes)
    async for chunk in request.stream():
        content += chunk
        if len(content) > max_bytes:
            raise _too_large(max_bytes)
    return bytes(content)


def check_framing(request: Request) -> None:
    """
    Raises:
        RequestError: it says twice where it ends: a proxy may have believed the other one (RFC 9112, section 6.1).
    """
    if "content-length" in request.headers and "transfer-encoding" in request.headers:
        message = "Send either Content-Length or Transfer-Encoding."
        raise RequestError(400, "BadRequestException", message, closes=True)


def _too_large(max_bytes: int) -> RequestError:
    return RequestError(413, "RequestTooLargeException", f"The body is larger than {max_bytes:,} bytes.", closes=True)
