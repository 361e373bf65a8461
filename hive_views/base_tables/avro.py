"""Avro files from outside, read by fastavro, if no block unpacks to more than a limit.

Records are decoded one by one, but a block is unpacked whole, whatever comes out of it: a few kilobytes can be
gigabytes (see spec/unpacking.py). So each block is measured first (Avro specification, "Object Container
Files"; fastavro has no such bound).
"""

from __future__ import annotations

import bz2
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from hive_views.errors import CorruptMetadataError, HiveViewsError, UnsupportedFeatureError
from hive_views.spec.unpacking import TooLargeError

MOST_BYTES_OF_A_BLOCK = 256 * 2**20

_SYNC = 16
_MOST_PER_BYTE_OF_DEFLATE = 1_032


@contextmanager
def decoding(missing: UnsupportedFeatureError, corrupt: Callable[[str], CorruptMetadataError]) -> Iterator[None]:
    """Raise one of these for what ``open_avro`` and its records raise: a package is missing, or the file is damaged."""
    try:
        yield
    except HiveViewsError:
        raise
    except Exception as e:
        # What decompression raises is known to the package for it only.
        is_missing = isinstance(e, ImportError) or "need to install" in str(e)
        raise (missing if is_missing else corrupt(str(e) or type(e).__name__)) from e


def open_avro(content: bytes, size: int | None = None) -> Any:
    """Fastavro's reader of the records in a file, whose whole ``size`` may be known.

    Raises:
        ImportError: fastavro is missing.
        Exception: the file is damaged; fastavro and its codecs raise anything, also while records are read.
            TooLargeError: a block unpacks to more than ``MOST_BYTES_OF_A_BLOCK``.
    """
    import fastavro  # noqa: PLC0415 - an optional package

    # Avro does not notice that something is missing where it is cut between two blocks.
    if size is not None and len(content) < size:
        raise ValueError(f"it has {len(content)} of {size} bytes")
    file = io.BytesIO(content)
    reader = fastavro.reader(file)
    measure = _MEASURES.get(str(reader.codec))
    if measure:
        for block in _blocks(memoryview(content), file.tell()):
            if measure(block, MOST_BYTES_OF_A_BLOCK) > MOST_BYTES_OF_A_BLOCK:
                raise TooLargeError(
                    f"{len(block):,} bytes of it unpack to more than the limit of {MOST_BYTES_OF_A_BLOCK:,}"
                )
    return reader


def _blocks(content: memoryview, position: int) -> Iterator[memoryview]:
    while position < len(content):
        _, position = _long(content, position)
        size, position = _long(content, position)
        yield content[position : position + size]
        position += size + _SYNC


def _long(content: memoryview, position: int) -> tuple[int, int]:
    """A positive number as Avro writes it, and where it ends."""
    value = shift = 0
    while True:
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            if value & 1:
                raise ValueError("a block has a negative length")
            return value >> 1, position


def _measured(new: Callable[[], Any], block: memoryview | bytes, most: int) -> int:
    """How much the streams in a block unpack to, counted until it is more than ``most``."""
    size, is_whole = 0, True
    while block and is_whole and size <= most:
        stream = new()
        size += len(stream.decompress(block, most + 1 - size))
        block, is_whole = stream.unused_data, stream.eof
    return size


def _deflate(block: memoryview, most: int) -> int:
    if len(block) * _MOST_PER_BYTE_OF_DEFLATE <= most:
        return 0
    return _measured(lambda: zlib.decompressobj(-zlib.MAX_WBITS), block, most)


def _zstandard(block: memoryview, most: int) -> int:
    # Optional packages, that fastavro takes as well.
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return _measured(zstd.ZstdDecompressor, block, most)


def _snappy(block: memoryview, most: int) -> int:  # noqa: ARG001 - the size stands at its beginning
    size = shift = 0
    for byte in block[:5]:
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return size


def _lz4(block: memoryview, most: int) -> int:  # noqa: ARG001 - likewise
    return int.from_bytes(block[:4], "little")


_MEASURES: dict[str, Callable[[memoryview, int], int]] = {
    "deflate": _deflate,
    "bzip2": partial(_measured, bz2.BZ2Decompressor),
    "xz": partial(_measured, lzma.LZMADecompressor),
    "snappy": _snappy,
    "lz4": _lz4,
    "zstandard": _zstandard,
}
