"""Delegation tokens as Hadoop writes them: one as text, and the files of them that launchers give to their jobs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from hive_views.errors import Answer, AuthenticationError

TOKEN_FILE = "HADOOP_TOKEN_FILE_LOCATION"  # noqa: S105 - the variable that launchers set
METASTORE_KIND = "HIVE_DELEGATION_TOKEN"
_MAGIC = b"HDTS"
_WRITABLE, _PROTOBUF = 0, 1


@dataclass(frozen=True)
class Token:
    """A delegation token. ``service`` is what a client looks it up by, an empty text unless somebody has set it."""

    identifier: bytes = field(repr=False)
    password: bytes = field(repr=False)
    kind: str
    service: str

    def __str__(self) -> str:
        """Whose it is and until when, as far as it says so; never what logs in."""
        reader = _Reader(self.identifier)
        try:
            reader.take(1)
            owner, _, _ = (reader.text() for _ in range(3))
            issued, last = (_utc(reader.number()) for _ in range(2))
        except (ValueError, OverflowError, OSError):
            return "of an unknown user"
        return f"of {owner} (issued {issued}, valid until {last} at the latest)"


def decode(text: str) -> Token:
    """The token in the text that Hadoop makes of it.

    Raises:
        ValueError: there is none.
    """
    return _Reader(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))).token()


def read_tokens(path: str) -> list[Token]:
    """The tokens in a file, in both formats of Hadoop.

    Raises:
        AuthenticationError: it cannot be read; nothing was sent.
    """
    try:
        return list(_tokens(Path(path).read_bytes()))
    except (OSError, ValueError, KeyError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no token file of Hadoop, or damaged"
        raise AuthenticationError(
            f"Cannot read the delegation tokens in {path}: {reason}. Name the file that the launcher of this job "
            f"has written ({TOKEN_FILE}), or unset {TOKEN_FILE} and log in by a ticket.",
            answer=Answer.NOT_SENT,
        ) from None


def choose(tokens: list[Token], signature: str) -> Token | None:
    """The token for a metastore, as Hive's own client chooses it: by its kind and service alone."""
    return next((token for token in tokens if (token.kind, token.service) == (METASTORE_KIND, signature)), None)


def describe_missing(tokens: list[Token], signature: str, path: str) -> str:
    """That a file has no token for the metastore, and what it has instead, in a sentence."""
    wanted = f"of the kind {METASTORE_KIND} with " + (f"the service {signature!r}" if signature else "an empty service")
    found = ", ".join(f"{token.kind} with the service {token.service!r}" for token in tokens) or "no token"
    return (
        f"{path} has no token {wanted}, but {found} (the service is set by hive.metastore.token.signature, here "
        f"token_signature)."
    )


def _tokens(content: bytes) -> Iterator[Token]:
    reader = _Reader(content)
    if reader.take(4) != _MAGIC:
        raise ValueError("it begins differently")
    (version,) = reader.take(1)
    if version == _WRITABLE:
        for _ in range(reader.number()):
            reader.text()
            yield reader.token()
    elif version == _PROTOBUF:
        for number, entry in _Reader(reader.take(reader.varint())).fields():
            if number == 1:
                token = dict(_Reader(dict(_Reader(entry).fields())[2]).fields())
                yield Token(token[1], token[2], token[3].decode(), token[4].decode())
    else:
        raise ValueError(f"it is of version {version}")


class _Reader:
    """What Hadoop's ``Writable`` and the part of Protocol Buffers that token files use look like."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, length: int) -> bytes:
        taken = self._content[self._at : self._at + length]
        if length < 0 or len(taken) < length:
            raise ValueError("it ends too early")
        self._at += length
        return taken

    def number(self) -> int:
        """A number as ``WritableUtils.writeVLong`` writes it."""
        first = int.from_bytes(self.take(1), "big", signed=True)
        if first >= -112:
            return first
        length = -112 - first if first >= -120 else -120 - first
        value = int.from_bytes(self.take(length), "big")
        return value if first >= -120 else ~value

    def block(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        return self.block().decode()

    def token(self) -> Token:
        return Token(self.block(), self.block(), self.text(), self.text())

    def varint(self) -> int:
        value = shift = 0
        while True:
            (byte,) = self.take(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def fields(self) -> Iterator[tuple[int, bytes]]:
        """The fields of a message, each of which is a block of bytes."""
        while self._at < len(self._content):
            tag = self.varint()
            if tag & 7 != 2:
                raise ValueError("it has a field of another type")
            yield tag >> 3, self.take(self.varint())


def _utc(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, timezone.utc):%Y-%m-%d %H:%M} UTC"
