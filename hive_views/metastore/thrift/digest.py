"""The SASL mechanism DIGEST-MD5 (RFC 2831), by which Hadoop's servers take delegation tokens."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable
from hashlib import md5

from thrift.transport.TTransport import TTransportException

from hive_views.metastore.thrift.sasl import RefusedError, SecurityLayer

# What a Hadoop cluster calls privacy, integrity and authentication, the strongest first.
_ENCRYPTED, _SIGNED, _UNPROTECTED = "auth-conf", "auth-int", "auth"
_CIPHER = "rc4"
_DEFAULT_LONGEST_FRAME = 1 << 16
# All that maxbuf can say.
_LONGEST_FRAME_BYTES = (1 << 24) - 1
# Of a frame: the signature, the type of message and its number; Java reserves ten more for the padding of ciphers.
_MAC_BYTES, _TRAILER_BYTES, _RESERVED_BYTES = 10, 6, 26
_MESSAGE_TYPE = b"\0\1"
_DIRECTIVE = re.compile(r'([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]*))', re.ASCII)


class DigestMechanism:
    """A client's side of SASL DIGEST-MD5, which takes the strongest layer that the server offers.

    Args:
        username, password: ASCII, without quotes and backslashes.
        digest_uri: the service that the server says it is.
    """

    name = "DIGEST-MD5"

    def __init__(self, username: str, password: str, digest_uri: str) -> None:
        self.is_complete = False
        self.layer: SecurityLayer | None = None
        self._username = username
        self._password = password
        self._digest_uri = digest_uri
        self._proof = ""

    def respond(self, challenge: bytes) -> bytes:
        if not challenge:
            return b""
        directives = _directives(challenge)
        if not self._proof:
            return self._log_in(directives)
        # The server proves that it knows the password too.
        if not hmac.compare_digest(directives.get("rspauth", "").encode(), self._proof.encode()):
            raise RefusedError("it did not prove that it knows the token")
        self.is_complete = True
        return b""

    def _log_in(self, offer: dict[str, str]) -> bytes:
        if "nonce" not in offer or offer.get("algorithm") != "md5-sess":
            raise RefusedError("it sent no challenge of DIGEST-MD5")
        protection = _protection(_words(offer.get("qop", _UNPROTECTED)), _words(offer.get("cipher", "")))
        realm, nonce, cnonce = offer.get("realm", ""), offer["nonce"], secrets.token_hex(16)
        identity = md5(f"{self._username}:{realm}:{self._password}".encode()).digest()  # noqa: S324 - as the RFC has it
        session = md5(identity + f":{nonce}:{cnonce}".encode()).digest()  # noqa: S324

        def proof(of: str) -> str:
            target = f"{of}:{self._digest_uri}" + ("" if protection == _UNPROTECTED else f":{'0' * 32}")
            return _hex(f"{session.hex()}:{nonce}:00000001:{cnonce}:{protection}:{_hex(target)}")

        self._proof = proof("")
        if protection != _UNPROTECTED:
            longest = offer.get("maxbuf", "")
            longest_frame = int(longest) if longest.isdecimal() else _DEFAULT_LONGEST_FRAME
            self.layer = DigestLayer(session, longest_frame, encrypted=protection == _ENCRYPTED)
        response = (
            f'charset=utf-8,username="{self._username}",realm="{realm}",nonce="{nonce}",nc=00000001,cnonce="{cnonce}",'
            f'digest-uri="{self._digest_uri}",maxbuf={_LONGEST_FRAME_BYTES},response={proof("AUTHENTICATE")},'
            f"qop={protection}" + (f",cipher={_CIPHER}" if protection == _ENCRYPTED else "")
        )
        return response.encode()


def _protection(offered: list[str], ciphers: list[str]) -> str:
    if _ENCRYPTED in offered and _CIPHER in ciphers:
        return _ENCRYPTED
    for protection in (_SIGNED, _UNPROTECTED):
        if protection in offered:
            return protection
    raise RefusedError(
        f"it requires {', '.join(offered)} with one of the ciphers {', '.join(ciphers)}, of which only {_CIPHER} is "
        f"supported; let it offer auth-int too (hadoop.rpc.protection), or TLS and auth alone"
    )


def _directives(challenge: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, quoted, plain in _DIRECTIVE.findall(challenge.decode(errors="replace")):
        found.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", quoted) or plain)
    return found


def _words(text: str) -> list[str]:
    return [word.strip().lower() for word in text.split(",") if word.strip()]


def _hex(text: str) -> str:
    return md5(text.encode()).hexdigest()  # noqa: S324


class DigestLayer:
    """Frames that are signed and numbered, and encrypted where the server offers it."""

    def __init__(self, session: bytes, longest_frame: int, *, encrypted: bool) -> None:
        self.largest = max(longest_frame - _RESERVED_BYTES, 1)
        self._sent = self._received = 0
        self._ours, self._theirs = (
            _key(session, f"Digest session key to {way} signing key magic constant")
            for way in ("client-to-server", "server-to-client")
        )
        self._encrypt, self._decrypt = (
            _rc4(_key(session, f"Digest H(A1) to {way} sealing key magic constant")) if encrypted else bytes
            for way in ("client-to-server", "server-to-client")
        )

    def wrap(self, data: bytes) -> bytes:
        number = self._sent.to_bytes(4, "big")
        self._sent += 1
        return self._encrypt(data + _mac(self._ours, number + data)) + _MESSAGE_TYPE + number

    def unwrap(self, data: bytes) -> bytes:
        opened = self._decrypt(data[:-_TRAILER_BYTES])
        content, mac = opened[:-_MAC_BYTES], opened[-_MAC_BYTES:]
        number = self._received.to_bytes(4, "big")
        self._received += 1
        expected = _mac(self._theirs, number + content) + _MESSAGE_TYPE + number
        if not hmac.compare_digest(mac + data[-_TRAILER_BYTES:], expected):
            raise TTransportException(message="its response was changed on the way")
        return content


def _key(session: bytes, purpose: str) -> bytes:
    return md5(session + purpose.encode()).digest()  # noqa: S324


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "md5")[:_MAC_BYTES]


def _rc4(key: bytes) -> Callable[[bytes], bytes]:
    """RC4, which no standard module has: one stream over all frames of a direction."""
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) & 255
        state[i], state[j] = state[j], state[i]
    i = j = 0

    def apply(data: bytes) -> bytes:
        nonlocal i, j
        swapped, stream = state, bytearray(len(data))
        at, other = i, j
        for position in range(len(data)):
            at = (at + 1) & 255
            one = swapped[at]
            other = (other + one) & 255
            two = swapped[at] = swapped[other]
            swapped[other] = one
            stream[position] = swapped[(one + two) & 255]
        i, j = at, other
        return (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(data), "big")

    return apply
