"""SASL as Thrift speaks it: a negotiation in messages with a status, then requests and responses in frames."""

from __future__ import annotations

import struct
from typing import Protocol

from thrift.transport.TTransport import TBufferedTransport, TTransportBase

_START, _OK, _COMPLETE = 1, 2, 5
_HEADER = struct.Struct("!bI")
_LENGTH = struct.Struct("!I")
_LONGEST_REASON = 1000


class SecurityLayer(Protocol):
    """How the contents of frames are signed or encrypted; both ways raise TTransportException where they cannot be.

    Attributes:
        largest: bytes that may be wrapped as one frame.
    """

    largest: int

    def wrap(self, data: bytes) -> bytes: ...

    def unwrap(self, data: bytes) -> bytes: ...


class Mechanism(Protocol):
    """A client's side of a negotiation.

    Attributes:
        name: of the mechanism, as SASL calls it.
        is_complete: whether it needs nothing more of the server.
        layer: what was agreed on; None is no protection.
    """

    name: str
    is_complete: bool
    layer: SecurityLayer | None

    def respond(self, challenge: bytes) -> bytes:
        """The response to a challenge; the first challenge is empty."""
        ...


class PlainMechanism:
    """SASL PLAIN (RFC 4616): a user and a password."""

    name = "PLAIN"
    layer: SecurityLayer | None = None

    def __init__(self, username: str, password: str) -> None:
        self.is_complete = False
        self._response = f"\0{username}\0{password}".encode()

    def respond(self, challenge: bytes) -> bytes:  # noqa: ARG002 - there is one response
        self.is_complete = True
        return self._response


class RefusedError(Exception):
    """The server ended the negotiation; the message is the server's."""


def negotiate(wire: TTransportBase, mechanism: Mechanism, buffer_bytes: int) -> TTransportBase:
    """The transport for calls over an open socket, after a negotiation.

    Raises:
        RefusedError: the server does not accept us.
        TTransportException, EOFError: there was no negotiation, because the server does not speak SASL, or has gone.
    """
    _send(wire, _START, mechanism.name.encode())
    _send(wire, _OK, mechanism.respond(b""))
    while (message := _receive(wire))[0] == _OK:
        if mechanism.is_complete:
            raise RefusedError("it asks for more than the mechanism has")
        _send(wire, _OK, mechanism.respond(message[1]))
    status, text = message
    if status != _COMPLETE:
        reason = text[:_LONGEST_REASON].decode(errors="replace").rstrip(". ")
        raise RefusedError(reason or "it gave no reason")
    if text and not mechanism.is_complete:
        # Its last message may be its proof.
        mechanism.respond(text)
    if not mechanism.is_complete:
        raise RefusedError("it ended the negotiation before it had proved who it is")
    return TBufferedTransport(_Frames(wire, mechanism.layer), buffer_bytes)


def _send(wire: TTransportBase, status: int, data: bytes) -> None:
    wire.write(_HEADER.pack(status, len(data)) + data)
    wire.flush()


def _receive(wire: TTransportBase) -> tuple[int, bytes]:
    status, length = _HEADER.unpack(wire.readAll(_HEADER.size))
    return status, wire.readAll(length)


class _Frames(TTransportBase):  # type: ignore[misc]
    """Bytes in frames, each of which begins with its length."""

    def __init__(self, wire: TTransportBase, layer: SecurityLayer | None) -> None:
        self._wire = wire
        self._layer = layer
        self._unread = memoryview(b"")

    def read(self, sz: int) -> bytes:
        while not self._unread:
            (length,) = _LENGTH.unpack(self._wire.readAll(_LENGTH.size))
            frame = self._wire.readAll(length)
            self._unread = memoryview(self._layer.unwrap(frame) if self._layer else frame)
        data, self._unread = self._unread[:sz], self._unread[sz:]
        return bytes(data)

    def write(self, buf: bytes) -> None:
        step = self._layer.largest if self._layer else len(buf)
        for start in range(0, len(buf), step or 1):
            frame = buf[start : start + step]
            frame = self._layer.wrap(frame) if self._layer else frame
            self._wire.write(_LENGTH.pack(len(frame)) + frame)

    def flush(self) -> None:
        self._wire.flush()
