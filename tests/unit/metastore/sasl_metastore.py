"""A metastore behind SASL PLAIN, as Hive's with LDAP is."""

from __future__ import annotations

import socket
import struct

from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TFramedTransport

from tests.support.failing.scripted_metastore import ScriptedMetastore

_START, _OK, _BAD, _COMPLETE = 1, 2, 3, 5


class SaslMetastore(ScriptedMetastore):
    """It takes the user ada with the password üs3cret, or nobody."""

    introductions = 0
    takes_nobody = False

    def serve(self, connection: socket.socket) -> None:
        wire = TSocket()
        wire.setHandle(connection)
        self.introductions += 1
        assert self._receive(wire) == (_START, b"PLAIN")
        _, credentials = self._receive(wire)
        if self.takes_nobody or credentials != b"\0ada\0\xc3\xbcs3cret":
            wire.write(struct.pack("!bi", _BAD, 5) + b"wrong")
            return
        wire.write(struct.pack("!bi", _COMPLETE, 0))
        self.play(TFramedTransport(wire))

    def _receive(self, wire: TSocket) -> tuple[int, bytes]:
        status, length = struct.unpack("!bi", wire.readAll(5))
        return status, wire.readAll(length)
