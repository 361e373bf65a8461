"""What a server serves, where it listens, and with which settings of uvicorn."""

from __future__ import annotations

import ipaddress
import logging
import os
import ssl
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from socket import AI_PASSIVE, IPPROTO_TCP, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, getaddrinfo, socket
from tempfile import TemporaryDirectory
from typing import NoReturn

import uvicorn
from starlette.applications import Starlette

from hive_views.config import REST_TOKEN, Settings
from hive_views.errors import InvalidInputError
from hive_views.messages.legible import LegibleFormatter
from hive_views.metastore.open import LOCAL
from hive_views.rest.access import Access
from hive_views.rest.application import create_app
from hive_views.rest.request_limits import Limits
from hive_views.rest.request_log import MULTIPROCESS_DIRECTORY
from hive_views.rest.served import ServedCatalogs
from hive_views.rest.uvicorn_additions import HEALTHCHECK_S, HeaderTimeoutProtocol, end_with_parent, run
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.on_drift import Drift

_WAITING = 2048


@dataclass(frozen=True)
class Listening:
    """Where and how a server listens.

    Attributes:
        host: the address; by default only this machine reaches it.
        port: 0 takes a free one.
        workers: processes.
        tls_cert_file: PEM file with the certificate; with it, requests are encrypted.
        tls_key_file: PEM file with its key.
        idle_timeout_s: after which a connection without a request is closed, in seconds.
    """

    host: str = "127.0.0.1"
    port: int = 8181
    workers: int = 1
    tls_cert_file: Path | None = None
    tls_key_file: Path | None = None
    idle_timeout_s: int = 30

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True)
class Serving:
    """What a server serves: the same for each of its processes.

    Attributes:
        catalogs: the settings of each, by the name that is its prefix.
        client_names: by the name of a catalog, what its clients call it.
        on_drift: what commits do where a row was changed without updating its metadata file.
        access: who may do what.
        limits: of requests.
        threads: how many reads, and how many writes, a process handles concurrently.
        allowed: the locations that are read and written.
        users: the users that clients without an owner may name as owner of a view or namespace; None for any.
    """

    catalogs: Mapping[str, Settings]
    client_names: Mapping[str, str]
    on_drift: Drift
    access: Access
    limits: Limits
    threads: int
    allowed: AllowedLocations = field(default_factory=AllowedLocations)
    users: frozenset[str] | None = None

    def app(self) -> Starlette:
        """The application, with its own connections."""
        end_with_parent()
        _log_to_stderr()
        catalogs = {name: settings.connect() for name, settings in self.catalogs.items()}
        served = ServedCatalogs(
            catalogs,
            client_names=self.client_names,
            on_drift=self.on_drift,
            allowed=self.allowed,
            users=self.users,
            connect_as=self._connect_as,
        )
        return create_app(served, access=self.access, limits=self.limits, threads=self.threads)

    def check_proxy_users(self) -> None:
        """
        Raises:
            InvalidInputError: a token has a proxy user, and a catalog's metastore knows none.
        """
        for user in sorted(self.access.proxy_users)[:1]:
            for name, settings in self.catalogs.items():
                # An embedded one would be started for it, and knows proxy users.
                if not settings.uri.startswith(LOCAL):
                    self._connect_as(name, user).close()

    def _connect_as(self, name: str, user: str) -> ViewCatalog:
        return self.catalogs[name].model_copy(update={"proxy_user": user}).connect()


def check_exposure(listening: Listening, access: Access, *, allows_open: bool) -> None:
    """
    Raises:
        InvalidInputError: other machines could change views without a token, or TLS lacks its files.
    """
    if access.is_open and not listening.is_local and not allows_open:
        raise InvalidInputError(
            f"Anyone who can reach {listening.host} could change views. Set tokens (--tokens FILE, or "
            f"{REST_TOKEN}), or use --no-tokens if a proxy in front of this server checks them."
        )
    if (listening.tls_cert_file is None) != (listening.tls_key_file is None):
        raise InvalidInputError("TLS needs a certificate and its key: --tls-cert-file and --tls-key-file.")
    if listening.tls_cert_file is not None and listening.tls_key_file is not None:
        _check_tls(listening.tls_cert_file, listening.tls_key_file)


def serve(serving: Serving, listening: Listening, *, on_listening: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; requests that have begun are finished first.

    Args:
        serving: what is served.
        listening: where.
        on_listening: called with the address, as soon as clients can connect.

    Raises:
        InvalidInputError: it is not possible to listen at the address.
    """
    with TemporaryDirectory(prefix="hive-views-metrics-") as directory, open_listener(listening) as listener:
        if listening.workers > 1:
            # Each worker writes its numbers there, and any of them reads all.
            os.environ[MULTIPROCESS_DIRECTORY] = directory
        config = uvicorn.Config(
            partial(Serving.app, serving),
            factory=True,
            workers=listening.workers,
            ssl_certfile=listening.tls_cert_file,
            ssl_keyfile=listening.tls_key_file,
            http=HeaderTimeoutProtocol,
            ws="none",
            timeout_keep_alive=listening.idle_timeout_s,
            timeout_worker_healthcheck=HEALTHCHECK_S,
            server_header=False,
            access_log=False,
            log_config=None,
        )
        scheme = "https" if listening.tls_cert_file else "http"
        host, port = listener.getsockname()[:2]
        on_listening(f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}")
        run(config, listener)


def open_listener(listening: Listening) -> socket:
    """The socket at which requests arrive.

    Raises:
        InvalidInputError: it is not possible to listen at the address.
    """
    try:
        family, _, _, _, address = getaddrinfo(listening.host, listening.port, type=SOCK_STREAM, flags=AI_PASSIVE)[0]
        # asyncio sets TCP_NODELAY only where the protocol is named; without it each response takes 40 ms longer.
        with ExitStack() as opened:
            listener = opened.enter_context(socket(family, SOCK_STREAM, IPPROTO_TCP))
            listener.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
            listener.bind(address)
            # Whoever connects before the first worker is there waits, and is not refused.
            listener.listen(_WAITING)
            opened.pop_all()
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a host name"
        raise InvalidInputError(f"Cannot listen at {listening.host} port {listening.port}: {why}.") from error
    listener.set_inheritable(True)
    return listener


def _check_tls(certificate: Path, key: Path) -> None:
    try:
        for file in (certificate, key):
            file.read_bytes()
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=_no_password)
    except _PasswordNeededError:
        raise InvalidInputError(
            f"Cannot use the key {key} for TLS: it has a password, and none can be entered here. Remove the password "
            f"(openssl pkey -in {key} -out NEW), and make the file readable by its owner only."
        ) from None
    # OpenSSL's own errors are OSErrors too.
    except ssl.SSLError as error:
        why = error.reason or str(error)
        raise InvalidInputError(
            f"Cannot use the certificate {certificate} and the key {key} for TLS: {why.replace('_', ' ').lower()}. "
            f"Both must be PEM, and the key must belong to the certificate."
        ) from error
    except OSError as error:
        raise InvalidInputError(f"Cannot read {error.filename}, which TLS needs: {error.strerror}.") from error


class _PasswordNeededError(Exception):
    pass


def _no_password() -> NoReturn:
    # Without it OpenSSL asks at the terminal.
    raise _PasswordNeededError


def _log_to_stderr() -> None:
    # A process that was spawned has no log of its own.
    handler = logging.StreamHandler()
    handler.setFormatter(LegibleFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for name, level in (
        ("hive_views", logging.WARNING),
        ("hive_views.rest", logging.INFO),
        ("uvicorn", logging.WARNING),
    ):
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.handlers = [handler] if "." not in name else []
        logger.propagate = "." in name
