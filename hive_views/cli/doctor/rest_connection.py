"""Requests to an Iceberg REST catalog server, with the standard library alone.

Redirects are not followed and proxies not used: a token goes to the specified host, and nowhere else.
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from hive_views.errors import InvalidInputError, UnavailableError
from hive_views.messages.credentials import hide_credentials

_MAX_BYTES = 64 * 2**20
_MAX_SHOWN = 300


@dataclass(frozen=True)
class Reply:
    """One answer.

    Attributes:
        status: of HTTP.
        document: the JSON object in it; None where it holds none.
        text: a body that is no JSON object.
        headers: by their names in lower case.
        seconds: from the request to its end.
        received_s: when it had come, in seconds since 1970.
    """

    status: int
    document: Mapping[str, Any] | None
    text: str
    headers: Mapping[str, str]
    seconds: float
    received_s: float

    @property
    def error_type(self) -> str:
        """What kind of error it is, in the specification's words, as ``NoSuchViewException``; "" where it is none."""
        return str(self._error.get("type") or "")

    @property
    def message(self) -> str:
        """The status with what the server says about it, in its own words."""
        shown = " ".join(str(self._error.get("message") or self.text).split())
        return f"{self.status}: {shown[:_MAX_SHOWN]}" if shown else str(self.status)

    @property
    def _error(self) -> Mapping[str, Any]:
        error = self.document.get("error") if self.document else None
        return error if isinstance(error, dict) else {}


@dataclass(frozen=True)
class Encryption:
    """The TLS of a connection: its version, and until when the certificate is valid, in seconds since 1970."""

    version: str
    valid_until_s: float | None


class RestConnection:
    """A connection to the server at an address, and only to it.

    Args:
        address: ``http://HOST:PORT`` or ``https://HOST:PORT``, with the path that is before ``/v1``, if there is one.
        token: sent with each request.
        timeout_s: for the connection, and for each part of an answer.

    Raises:
        InvalidInputError: the address is none of these, or the token cannot be sent.
    """

    def __init__(self, address: str, token: str | None = None, *, timeout_s: float = 10.0) -> None:
        self.address = hide_credentials(address.rstrip("/"))
        if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
            # The error of the standard library would repeat it.
            raise InvalidInputError("Cannot use the token: it has spaces, line breaks or non-ASCII characters.")
        try:
            parts = urlsplit(address.rstrip("/"))
            self.host, port = parts.hostname or "", parts.port
            connection = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            self._connection = connection(self.host, port, timeout=timeout_s)
        except (ValueError, http.client.InvalidURL) as error:
            raise InvalidInputError(f"Cannot use the address {self.address}: {error}.") from error
        if parts.scheme not in ("http", "https") or not self.host or parts.query or parts.fragment or parts.username:
            raise InvalidInputError(
                f"Cannot use the address {self.address}: specify http://HOST:PORT or https://HOST:PORT, with a path if "
                "the server needs one."
            )
        if parts.path.endswith("/v1"):
            raise InvalidInputError(
                f"Cannot use the address {self.address}: omit /v1, which clients append themselves."
            )
        self.is_encrypted = parts.scheme == "https"
        self._path, self._token = parts.path, token

    def encryption(self) -> Encryption | None:
        """The TLS of the connection; None without. Connects, if nothing was asked yet.

        Raises:
            UnavailableError: nobody listens there, or not with a certificate that can be trusted.
        """
        with _reported(self.address):
            if self._connection.sock is None:
                self._connection.connect()
            used = self._connection.sock
            if not isinstance(used, ssl.SSLSocket):
                return None
            until = (used.getpeercert() or {}).get("notAfter")
            return Encryption(used.version() or "TLS", ssl.cert_time_to_seconds(str(until)) if until else None)

    def ask(self, method: str, path: str, query: Mapping[str, str] | None = None, *, with_token: bool = True) -> Reply:
        """Send a request without a body.

        Args:
            method: of HTTP.
            path: below ``/v1``; its parts are quoted already (``quoted``).
            query: what follows the question mark.
            with_token: False leaves the token out.

        Raises:
            UnavailableError: no answer came, or none of HTTP.
        """
        headers = {"Accept": "application/json"}
        if self._token and with_token:
            headers["Authorization"] = f"Bearer {self._token}"
        target = f"{self._path}/v1{path}" + (f"?{urlencode(query)}" if query else "")
        began = time.monotonic()
        with _reported(self.address):
            self._connection.request(method, target, headers=headers)
            answer = self._connection.getresponse()
            body = answer.read(_MAX_BYTES + 1)
        seconds = time.monotonic() - began
        if len(body) > _MAX_BYTES:
            self.close()
            raise UnavailableError(f"{self.address} answers {method} {target} with more than {_MAX_BYTES:,} bytes.")
        found = {name.lower(): value for name, value in answer.getheaders()}
        document = _document(body)
        text = "" if document is not None else body.decode("utf-8", "replace")
        return Reply(answer.status, document, text, found, seconds, time.time())

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> RestConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def quoted(part: str) -> str:
    """A name as one part of a path."""
    return quote(part, safe="")


def _document(body: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


@contextmanager
def _reported(address: str) -> Iterator[None]:
    """Around socket operations: whatever fails there is the server's or the network's fault."""
    try:
        yield
    except (OSError, UnicodeError, http.client.HTTPException) as error:
        raise UnavailableError(f"Cannot use {address}: {_explained(error)}") from error


def _explained(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not trusted: {error.verify_message}. Set SSL_CERT_FILE to the CA certificate, or use "
            "the host name that the certificate is for."
        )
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.reason or error}). If the server does not use TLS, specify http://."
    if isinstance(error, TimeoutError):
        return "timed out. Check for a firewall in between."
    if isinstance(error, (http.client.RemoteDisconnected, http.client.BadStatusLine, ConnectionResetError)):
        return "it closed the connection, or does not speak HTTP. If the server uses TLS, specify https://."
    if isinstance(error, OSError):
        return f"{error.strerror or error}. Check the address, and that the server is running."
    return f"{error or type(error).__name__}. Check the address."
