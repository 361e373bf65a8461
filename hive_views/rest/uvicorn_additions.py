"""What uvicorn lacks: a limit for the head of every request, and processes that lose no request when they end.

When a server ends, it takes no new connections, and responds to the requests that have begun.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from socket import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

HEALTHCHECK_S = 10
"""How long a worker may be silent before it is killed and replaced: a busy machine is no reason."""


def run(config: uvicorn.Config, listener: socket) -> None:
    """Serve until SIGTERM or SIGINT."""
    if config.workers > 1:
        _Workers(config, sockets=[listener]).run()
        return
    server = uvicorn.Server(config)
    # uvicorn raises the signal again when all is done, and the process would seem to have been killed.
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, server.handle_exit)
    server.run(sockets=[listener])


def end_with_parent() -> None:
    """Let this worker end when the process that started it is gone and can no longer end it."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


class _Workers(Multiprocess):
    def terminate_all(self) -> None:
        # Who connects from here on is refused; else it would wait for a worker that never comes.
        for listener in self.sockets:
            listener.close()
        super().terminate_all()


class HeaderTimeoutProtocol(H11Protocol):
    """uvicorn's protocol, which closes a connection on which no complete head has arrived within the idle time.

    uvicorn has that limit for the second request of a connection only, and not for one that has begun. Without it, each
    connection that sends nothing, or a byte a minute, is kept until there is no room for others.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limit()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._limit()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._limit()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._lift()

    def _limit(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._lift()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.timeout_keep_alive, self.transport.close)

    def _lift(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
