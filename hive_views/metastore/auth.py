"""Who we are to a metastore: plain values that open the transport of a new connection.

What lives here: the kinds of authentication, TLS, and the SASL negotiation. What must not: addresses, time-outs, calls.
"""

from __future__ import annotations

import getpass
import os
import socket
import ssl
from dataclasses import dataclass, field
from typing import Any, Protocol

from thrift.transport.TTransport import (
    TBufferedTransport,
    TSaslClientTransport,
    TTransportBase,
    TTransportException,
)

from hive_views.errors import AuthenticationError, UnsupportedFeatureError

# Thrift's default of 4 KiB costs a system call, and a copy, for every 4 KiB of a long listing.
_BUFFER_BYTES = 1 << 16


class Auth(Protocol):
    """A way to authenticate. ``NoAuth``, ``Kerberos`` and ``Plain`` are the ones a Hive Metastore knows."""

    @property
    def ugi(self) -> tuple[str, list[str]] | None:
        """User and groups to announce with ``set_ugi``; None where the server learns them from the negotiation."""
        ...

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        """The transport for calls over an open socket.

        Raises:
            AuthenticationError: the server refused, or the credentials cannot be used.
            UnsupportedFeatureError: a package is missing.
        """
        ...


@dataclass(frozen=True)
class NoAuth:
    """No authentication: the server believes the name it is told.

    Args:
        user: the user that unsecured servers run file operations as; None is the user of this process.
        groups: the groups of that user.
    """

    user: str | None = None
    groups: tuple[str, ...] = ()

    @property
    def ugi(self) -> tuple[str, list[str]]:
        return self.user or os_user(), list(self.groups)

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:  # noqa: ARG002 - nobody is introduced
        return TBufferedTransport(wire, _BUFFER_BYTES)


@dataclass(frozen=True)
class Kerberos:
    """Kerberos (SASL GSSAPI) with the ticket that ``kinit`` has left. Needs ``pip install 'hive_views[kerberos]'``.

    Args:
        service: the first part of the server's principal, ``hive`` in ``hive/host@REALM``.
        hostname_override: the second part, where it is not the host of the address (behind a load balancer).
    """

    service: str = "hive"
    hostname_override: str | None = None

    @property
    def ugi(self) -> None:
        return None

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        principal = f"{self.service}/{self.hostname_override or host}"
        hint = (
            f"Check that `klist` shows a valid ticket (else run `kinit`), that the clocks agree, and that the "
            f"metastore's principal is {principal} (else give service= and hostname_override=)."
        )
        # pure-sasl raises the errors of whichever Kerberos binding it has found.
        try:
            import kerberos  # noqa: PLC0415 - an optional package
        except ImportError as missing:
            raise _missing("kerberos") from missing
        return _negotiate(
            wire, (kerberos.KrbError,), hint, self.hostname_override or host, service=self.service, mechanism="GSSAPI"
        )


@dataclass(frozen=True)
class Plain:
    """User and password (SASL PLAIN), as servers with LDAP or custom authentication want it; use it over TLS.

    Needs ``pip install 'hive_views[kerberos]'``.
    """

    username: str
    password: str = field(repr=False)

    @property
    def ugi(self) -> None:
        return None

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        hint = f"Check the password of {self.username!r}, and that the metastore uses LDAP or custom authentication."
        return _negotiate(
            wire, (), hint, host, service="hive", mechanism="PLAIN", username=self.username, password=self.password
        )


@dataclass(frozen=True)
class TLS:
    """Encryption of the connection; the server's certificate is always verified.

    Args:
        ca_file: PEM file with the authorities to trust; None trusts those of the system.
        cert_file: PEM file with our own certificate, for servers that ask for one.
        key_file: PEM file with its key, where ``cert_file`` does not hold it.
    """

    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None

    def wrap(self, wire: socket.socket, host: str) -> socket.socket:
        """The encrypted socket. Raises OSError (``ssl.SSLError`` is one) as sockets do."""
        context = ssl.create_default_context(cafile=self.ca_file)
        if self.cert_file is not None:
            context.load_cert_chain(self.cert_file, self.key_file)
        return context.wrap_socket(wire, server_hostname=host)


def os_user() -> str:
    """The user of this process; the number where a container has no name for it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _negotiate(
    wire: TTransportBase, failures: tuple[type[Exception], ...], hint: str, host: str, **sasl: Any
) -> TTransportBase:
    try:
        import puresasl  # noqa: PLC0415 - an optional package
    except ImportError as missing:
        raise _missing("pure-sasl") from missing
    failures += (TTransportException, EOFError, puresasl.SASLError, puresasl.SASLProtocolException)
    try:
        transport = TSaslClientTransport(wire, host, **sasl)
        transport.open()
    except failures as error:
        raise AuthenticationError(
            f"The metastore at {host} did not accept {sasl['mechanism']} authentication: {error}. {hint}",
            mechanism=sasl["mechanism"],
        ) from error
    return transport


def _missing(package: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f"This kind of authentication needs the package {package}: pip install 'hive_views[kerberos]'.", package=package
    )
