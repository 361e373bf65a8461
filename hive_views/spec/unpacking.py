"""Compressed content from outside, unpacked up to a limit.

A few megabytes can unpack to gigabytes (gzip to a thousandfold). They would end the process, often without an error,
since a machine hands out more memory than it has; so the limit is checked while unpacking.
"""

from __future__ import annotations

import gzip
import io


class TooLargeError(ValueError):
    """The content unpacks to more than it may."""


def gunzip(content: bytes, most_bytes: int) -> bytes:
    """
    Raises:
        TooLargeError: more than ``most_bytes``; not much more than these are unpacked before that is known.
        OSError, EOFError, zlib.error: it is not a complete gzip file.
    """
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        unpacked = file.read(most_bytes + 1)
    if len(unpacked) > most_bytes:
        raise TooLargeError(f"its {len(content):,} bytes unpack to more than {most_bytes:,}")
    return unpacked
