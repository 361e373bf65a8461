"""Authentication and encryption: plain values that open the transport of a new connection."""

from __future__ import annotations

import base64
import getpass
import os
import socket
import ssl
from dataclasses import dataclass, field
from typing import Protocol

from thrift.transport.TTransport import TBufferedTransport, TTransportBase, TTransportException

from hive_views.errors import AuthenticationError, InvalidInputError, MetastoreUnavailableError, UnsupportedFeatureError
from hive_views.metastore.thrift.digest import DigestMechanism
from hive_views.metastore.thrift.hadoop_tokens import TOKEN_FILE, Token, choose, describe_missing, read_tokens
from hive_views.metastore.thrift.sasl import Mechanism, PlainMechanism, RefusedError, negotiate

# Thrift's default of 4 KiB costs a system call, and a copy, for every 4 KiB of a long listing.
_BUFFER_BYTES = 1 << 16
# What Hadoop's servers call themselves to bearers of tokens: no protocol, and SaslRpcServer.SASL_DEFAULT_REALM.
_DIGEST_URI = "null/default"


class Auth(Protocol):
    """A way to authenticate: ``NoAuth``, ``Kerberos``, ``DelegationToken``, ``Plain`` or ``JWT``."""

    @property
    def ugi(self) -> tuple[str, list[str]] | None:
        """User and groups to announce with ``set_ugi``; None where the server learns them from the negotiation."""
        ...

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        """The transport for calls over an open socket.

        Raises:
            AuthenticationError: the server refused, or the credentials cannot be used.
            MetastoreUnavailableError: it did not negotiate.
            UnsupportedFeatureError: a package is missing.
        """
        ...


@dataclass(frozen=True)
class NoAuth:
    """No authentication: the server believes the name it is given.

    Args:
        user: the user that unsecured servers run file operations as; None is the user of this process.
    """

    user: str | None = None
    groups: tuple[str, ...] = ()

    @property
    def ugi(self) -> tuple[str, list[str]]:
        return self.user or os_user(), list(self.groups)

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:  # noqa: ARG002 - nobody is introduced
        """As ``Auth.open``."""
        return TBufferedTransport(wire, _BUFFER_BYTES)


@dataclass(frozen=True)
class Kerberos:
    """Kerberos (SASL GSSAPI). Needs ``pip install 'hive_views[kerberos]'``, unless there is a delegation token.

    As in Hive's own client, a job that was given a delegation token for the metastore, in the file that
    ``HADOOP_TOKEN_FILE_LOCATION`` names, logs in by that token, and needs no ticket.

    The ticket is that of the cache (``KRB5CCNAME``), as ``kinit`` leaves it, or is requested with the keytab that
    ``KRB5_CLIENT_KTNAME`` names, again whenever it has expired. The connection is protected as well as the server
    offers: encrypted, else signed, else not.

    Args:
        service: the first part of the server's principal, ``hive`` in ``hive/host@REALM``.
        hostname_override: the second part, where it is not the host of the address (behind a load balancer).
        token_signature: the service of the delegation token (``hive.metastore.token.signature``).

    Raises:
        InvalidInputError: ``service`` is a whole principal.
    """

    service: str = "hive"
    hostname_override: str | None = None
    token_signature: str = ""

    def __post_init__(self) -> None:
        if {"/", "@"} & set(self.service):
            raise InvalidInputError(
                f"Cannot use {self.service!r} as the service of a Kerberos principal: give its parts, of "
                f"hive/host@REALM the first as service (setting kerberos_service), and the second, unless it is the "
                f"host of the address, as hostname_override (setting kerberos_hostname)."
            )

    @property
    def ugi(self) -> None:
        return None

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        """As ``Auth.open``."""
        path = os.environ.get(TOKEN_FILE)
        if not path:
            return open_by_ticket(self, wire, host)
        tokens = read_tokens(path)
        token = choose(tokens, self.token_signature)
        if token is not None:
            return open_by_token(wire, host, token, f"in {path} ({TOKEN_FILE})")
        return open_by_ticket(self, wire, host, f" {describe_missing(tokens, self.token_signature, path)}")


@dataclass(frozen=True)
class DelegationToken:
    """A delegation token of the metastore (SASL DIGEST-MD5), as a launcher such as YARN, Spark or Oozie gives its jobs.

    Args:
        token_file: a file in Hadoop's format, read for each connection; by default that of the variable
            ``HADOOP_TOKEN_FILE_LOCATION``.
        token_signature: the service of the token in it (``hive.metastore.token.signature``).
    """

    token_file: str | None = None
    token_signature: str = ""

    @property
    def ugi(self) -> None:
        return None

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        """As ``Auth.open``."""
        path = self.token_file or os.environ.get(TOKEN_FILE)
        if not path:
            raise AuthenticationError(
                f"No file with a delegation token is given: set the variable {TOKEN_FILE}, or give token_file."
            )
        tokens = read_tokens(path)
        token = choose(tokens, self.token_signature)
        if token is None:
            raise AuthenticationError(
                f"Cannot log in to the metastore at {host} with a delegation token: "
                f"{describe_missing(tokens, self.token_signature, path)}"
            )
        return open_by_token(wire, host, token, f"in {path}")


def open_by_ticket(kerberos: Kerberos, wire: TTransportBase, host: str, hint: str = "") -> TTransportBase:
    """As ``Kerberos.open``, by a ticket even where there is a delegation token; ``hint`` is added to errors."""
    try:
        from hive_views.metastore.thrift import gss  # noqa: PLC0415 - needs an optional package
    except ImportError as missing:
        raise UnsupportedFeatureError(
            f"Kerberos needs the package gssapi, which cannot be imported ({missing}): pip install "
            f"'hive_views[kerberos]'. On Linux this compiles it, with a C compiler and the headers of Kerberos "
            f"(Debian: libkrb5-dev, Red Hat: krb5-devel)."
        ) from missing
    principal = f"{kerberos.service}/{kerberos.hostname_override or host}"
    try:
        return _negotiate(wire, gss.GssapiMechanism(kerberos.service, kerberos.hostname_override or host), host)
    except gss.GSSError as error:
        raise AuthenticationError(
            f"Cannot log in to the metastore at {host} (principal {principal}) with Kerberos: "
            f"{gss.explain(error, gss.ON_UNKNOWN_PRINCIPAL)}{hint}"
        ) from error
    except RefusedError as error:
        raise AuthenticationError(
            f"The metastore at {host} (principal {principal}) rejected Kerberos: {error}. {gss.ON_REFUSAL}"
        ) from error


_RENEW = (
    f"It may have expired or been cancelled, or be one of another metastore: request a new one (start the job again), "
    f"or unset {TOKEN_FILE} and log in by a ticket."
)


def open_by_token(
    wire: TTransportBase, host: str, token: Token, where: str, if_refused: str = _RENEW
) -> TTransportBase:
    """The transport for calls over an open socket, as the owner of a delegation token; ``where`` it is, for errors.

    Raises:
        AuthenticationError: the metastore does not accept the token.
        MetastoreUnavailableError: it did not negotiate.
    """
    username, password = (base64.b64encode(part).decode() for part in (token.identifier, token.password))
    try:
        return _negotiate(wire, DigestMechanism(username, password, _DIGEST_URI), host)
    except RefusedError as error:
        raise AuthenticationError(
            f"The metastore at {host} rejected the delegation token {where} {token}: {error}. {if_refused}"
        ) from error


@dataclass(frozen=True)
class Plain:
    """User and password (SASL PLAIN), as servers with LDAP or custom authentication want it; use it over TLS."""

    username: str
    password: str = field(repr=False)

    @property
    def ugi(self) -> None:
        return None

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        """As ``Auth.open``."""
        hint = f"Check the password of {self.username!r}, and that the metastore uses LDAP or custom authentication."
        if not f"{self.username}{self.password}".isascii():
            # Measured on 4.0.1, which takes each byte for a character.
            hint += " Hive's metastore accepts user names and passwords in ASCII only."
        try:
            return _negotiate(wire, PlainMechanism(self.username, self.password), host)
        except RefusedError as error:
            raise AuthenticationError(
                f"The metastore at {host} rejected PLAIN authentication: {error}. {hint}"
            ) from error


@dataclass(frozen=True)
class JWT:
    """A JSON Web Token, or another bearer token, for a metastore over HTTP; use it with ``thrift+https://``.

    Args:
        token: the token itself; or
        token_file: a file that holds it, which is read before each request, so that a renewed token is used at once.

    Raises:
        InvalidInputError: none of them is given, or both.
    """

    token: str | None = field(default=None, repr=False)
    token_file: str | None = None

    def __post_init__(self) -> None:
        if (self.token is None) == (self.token_file is None):
            raise InvalidInputError("JWT requires token or token_file, and not both.")

    @property
    def ugi(self) -> None:
        return None

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:  # noqa: ARG002 - as Auth has it
        """As ``Auth.open``."""
        raise InvalidInputError(
            f"Cannot send a token to the metastore at {host} without HTTP: write thrift+https://{host}:9083/metastore."
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
        """The encrypted socket.

        Raises:
            InvalidInputError: one of the files cannot be used.
            OSError: as sockets do; of an ``ssl.SSLError`` ``advice_on`` knows more.
        """
        context = self._context()
        try:
            return context.wrap_socket(wire, server_hostname=host)
        except TimeoutError as error:
            raise TimeoutError(f"no handshake within {wire.gettimeout():g} s. {_NO_TLS}") from error

    def _context(self) -> ssl.SSLContext:
        used = f"ca_file={self.ca_file!r}"
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
            if self.cert_file is not None:
                used = f"cert_file={self.cert_file!r}, key_file={self.key_file!r}"
                context.load_cert_chain(self.cert_file, self.key_file)
        except OSError as error:
            raise InvalidInputError(
                f"Cannot use TLS({used}): {error.strerror or error}. Give PEM files that exist and can be read."
            ) from error
        return context


_NO_TLS = "If this port does not use TLS, leave TLS out (over HTTP: write thrift+http://)."
_NO_AUTHORITY = "Name the file with the authority that signed its certificate (ca_file of TLS, setting tls_ca_file)."
_OTHER_HOST = (
    "Give the address by a name that the certificate is made for (its subjectAltName), or have one made for this name."
)
_OUT_OF_TIME = (
    "The certificate, or the one of its authority, has to be renewed, unless the clock of this machine is wrong."
)
_OURS = (
    "It may require a client certificate that it trusts (cert_file and key_file of TLS, settings tls_cert_file and "
    "tls_key_file)."
)
# X509_V_ERR_... of OpenSSL, which Python does not name.
_BY_VERDICT = {9: _OUT_OF_TIME, 10: _OUT_OF_TIME, 62: _OTHER_HOST, 64: _OTHER_HOST} | dict.fromkeys(
    (2, 18, 19, 20, 21, 27), _NO_AUTHORITY
)


def advice_on(error: ssl.SSLError) -> str:
    """What to do about a server that is not trusted, that does not trust its client, or that does not use TLS."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _BY_VERDICT.get(error.verify_code, "The metastore needs another certificate.")
    if isinstance(error, ssl.SSLEOFError):
        return f"{_NO_TLS} {_OURS}"
    reason = error.reason or ""
    if "_ALERT_" in reason and any(word in reason for word in ("CERTIFICATE", "UNKNOWN_CA", "HANDSHAKE_FAILURE")):
        return _OURS
    return _NO_TLS


def os_user() -> str:
    """The user of this process; the number where a container has no name for it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _negotiate(wire: TTransportBase, mechanism: Mechanism, host: str) -> TTransportBase:
    try:
        return negotiate(wire, mechanism, _BUFFER_BYTES)
    except (TTransportException, EOFError) as error:
        raise MetastoreUnavailableError(
            f"The metastore at {host} did not answer {mechanism.name} authentication: {error}. It may not use "
            f"authentication (leave out auth), require TLS (setting tls), or not be a metastore."
        ) from error
