"""What tests of Kerberos share: a realm with users, how they log in, and what goes over the wire."""

from __future__ import annotations

import base64
import os
import socket
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from hive_views import Kerberos
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.containers.metastores import MetastoreServer
from tests.support.failing.wire import PATIENCE_S, LoopbackServer
from tests.support.processes.kdc import Kdc

# hadoop.rpc.protection of each server, of which the strongest is to be used.
PROTECTIONS = {
    "2.3.10": "integrity",
    "3.1.3": "authentication",
    "4.0.1": "authentication,integrity,privacy",
    "4.2.1": "privacy",
}


@dataclass(frozen=True)
class Realm:
    """A realm with the users ada, who has a password too, and brief, whose tickets expire in three seconds.

    Attributes:
        centre: its KDC.
        keytabs: by principal.
        expired: a cache with a ticket that has expired.
    """

    centre: Kdc
    keytabs: Mapping[str, Path]
    expired: Path


def log_in(realm: Realm) -> None:
    realm.centre.run("kinit", "-k", "-t", str(realm.keytabs["ada"]), "ada", environment=os.environ)


def site(properties: Mapping[str, str]) -> str:
    listed = (f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items())
    return f"<configuration>{''.join(listed)}</configuration>"


def address(server: MetastoreServer) -> str:
    """Its address by the name that its principal has."""
    return f"localhost:{urlsplit(server.uri).port}"


def is_encrypted(server: MetastoreServer) -> bool:
    return "privacy" in PROTECTIONS[server.version]


def is_signed(server: MetastoreServer) -> bool:
    return PROTECTIONS[server.version] != "authentication"


def connect(uri: str, auth: Kerberos | None = None) -> HiveMetastore:
    return HiveMetastore(uri, auth=auth or Kerberos(hostname_override="localhost"))


class Tap(LoopbackServer):
    """Relays what client and metastore say to each other, and keeps it.

    Attributes:
        asked: what the client said.
        said: what both said.
        damages: whether the next answer is damaged.
    """

    def __init__(self, server: MetastoreServer) -> None:
        super().__init__()
        target = urlsplit(server.uri)
        self._target = (target.hostname, target.port)
        self.asked = bytearray()
        self.said = bytearray()
        self.damages = False

    def serve(self, connection: socket.socket) -> None:
        with socket.create_connection(self._target, PATIENCE_S) as metastore:
            answering = threading.Thread(target=self._relay, args=(metastore, connection), daemon=True)
            answering.start()
            self._relay(connection, metastore)
            answering.join(PATIENCE_S)

    def _relay(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                self.said += data
                is_answer = source.getpeername()[1] == self._target[1]
                self.asked += b"" if is_answer else data
                if self.damages and is_answer:
                    data = data[:-1] + bytes([data[-1] ^ 1])
                    self.damages = False
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def lengths(asked: bytes, negotiated: int) -> list[int]:
    """The lengths of the frames behind so many messages of a negotiation."""
    at, found = 0, []
    while at < len(asked):
        start = at + (5 if len(found) < negotiated else 4)
        found.append(int.from_bytes(asked[start - 4 : start], "big"))
        at = start + found[-1]
    return found[negotiated:]


def request_token(server: MetastoreServer, user: str = "ada") -> str:
    """A delegation token, requested by the ticket that there is, as the text that Hive sends."""
    with closing(connect(server.uri)) as metastore:
        return str(metastore._pool.call(Call("get_delegation_token", user), user, user))


def write_token(path: Path, token: str, service: str = "") -> None:
    """A file of Hadoop with one token, whose service is empty until somebody sets it."""
    binary = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    assert binary[-1] == 0
    path.write_bytes(b"HDTS\0\1\5alias" + binary[:-1] + bytes([len(service)]) + service.encode() + b"\0")
