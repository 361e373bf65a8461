"""The processes that serve: sockets, workers, and their end.

What lives here: what is decided before a process listens, and how it ends. What must not: requests (application.py).
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from starlette.applications import Starlette

from hive_views.errors import InvalidInputError
from hive_views.rest.observation import MULTIPROCESS_DIRECTORY


@dataclass(frozen=True)
class Listening:
    """Where and how a server listens.

    Attributes:
        host: the address; by default only this machine reaches it.
        port: 0 takes a free one.
        workers: processes.
        tls_cert_file: PEM file with the certificate; with it, requests are encrypted.
        tls_key_file: PEM file with its key.
        idle_timeout_s: after which a connection without a request is closed.
    """

    host: str = "127.0.0.1"
    port: int = 8181
    workers: int = 1
    tls_cert_file: Path | None = None
    tls_key_file: Path | None = None
    idle_timeout_s: int = field(default=30)

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def check_doors(listening: Listening, *, is_open: bool, allows_open: bool) -> None:
    """
    Raises:
        InvalidInputError: other machines could change views without a token.
    """
    if is_open and not listening.is_local and not allows_open:
        raise InvalidInputError(
            f"Everybody who reaches {listening.host} could change views: give tokens (--tokens), or say that a proxy "
            f"before this server asks for them (--no-tokens)."
        )


def serve(make_app: Callable[[], Starlette], listening: Listening) -> None:
    """Serve until SIGTERM or SIGINT; what has begun is finished first.

    Args:
        make_app: makes the application in each process; a function that can be pickled, for several workers.
        listening: where.
    """
    with TemporaryDirectory(prefix="hive-views-metrics-") as directory:
        if listening.workers > 1:
            # Each worker writes its numbers there, and any of them reads all.
            os.environ[MULTIPROCESS_DIRECTORY] = directory
        uvicorn.run(
            make_app,
            factory=True,
            host=listening.host,
            port=listening.port,
            workers=listening.workers,
            ssl_certfile=listening.tls_cert_file,
            ssl_keyfile=listening.tls_key_file,
            timeout_keep_alive=listening.idle_timeout_s,
            server_header=False,
            access_log=False,
            log_config=None,
        )
