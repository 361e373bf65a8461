"""Avro files of others: what is read, and what is refused before it is unpacked."""

from __future__ import annotations

import bz2
import io
import lzma
import sys
import zlib
from collections.abc import Callable

import fastavro
import pytest

from hive_views.base_tables import avro
from hive_views.base_tables.avro import open_avro
from hive_views.spec.unpacking import TooLargeError

CODECS = ["deflate", "zstandard", "bzip2", "xz", "snappy", "lz4"]
MOST = 2**20
SCHEMA = {"type": "record", "name": "one", "fields": [{"name": "it", "type": "bytes"}]}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block may be as large here as a test can afford."""
    monkeypatch.setattr(avro, "MOST_BYTES_OF_A_BLOCK", MOST)


def zstd(content: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd as package
    else:
        from backports import zstd as package
    return bytes(package.compress(content))


def file_of(codec: str, *records: int) -> bytes:
    """A file with a record of so many bytes in each of its blocks."""
    file = io.BytesIO()
    try:
        fastavro.writer(file, SCHEMA, [{"it": bytes(size)} for size in records], codec=codec, sync_interval=1)
    except ValueError as missing:
        pytest.skip(str(missing))
    return file.getvalue()


@pytest.mark.parametrize("codec", ["null", *CODECS])
def test_blocks_within_the_bound_are_read_however_many_there_are(codec: str) -> None:
    sizes = [MOST - 100, 0, 10, MOST // 2, MOST - 100]
    assert [len(record["it"]) for record in open_avro(file_of(codec, *sizes))] == sizes


@pytest.mark.parametrize("codec", CODECS)
def test_a_block_that_unpacks_to_more_is_refused_wherever_it_is(codec: str) -> None:
    with pytest.raises(TooLargeError, match=r"unpack to more than the limit of 1,048,576"):
        open_avro(file_of(codec, 10, 10, MOST * 3))


@pytest.mark.parametrize(("codec", "pack"), [("bzip2", bz2.compress), ("xz", lzma.compress), ("zstandard", zstd)])
def test_a_block_of_many_streams_is_measured_as_a_whole(codec: str, pack: Callable[[bytes], bytes]) -> None:
    """Decoders go on behind the end of a stream, so a small one may stand before a large one."""
    block = pack(b"x") + pack(bytes(MOST))
    file = io.BytesIO()
    fastavro.writer(file, SCHEMA, [], codec=codec)
    content = file.getvalue() + _long(1) + _long(len(block)) + block + file.getvalue()[-16:]
    with pytest.raises(TooLargeError):
        open_avro(content)


@pytest.mark.parametrize("damage", [-1, -17, -30])
def test_a_file_that_is_cut_is_an_error_of_its_own(damage: int) -> None:
    with pytest.raises((EOFError, ValueError, IndexError, zlib.error)):
        list(open_avro(file_of("deflate", 10, MOST // 2)[:damage]))


def test_a_block_of_negative_length_is_an_error() -> None:
    file = io.BytesIO()
    fastavro.writer(file, SCHEMA, [], codec="deflate")
    with pytest.raises(ValueError, match="negative length"):
        open_avro(file.getvalue() + _long(1) + b"\x01")


def _long(number: int) -> bytes:
    number *= 2
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])
