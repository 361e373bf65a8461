"""The processes of a server: one, or several workers beside each other, and how they end.

An end loses no request: no new ones are taken, and those that have begun are answered first.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from socket import socket

import uvicorn
from uvicorn.supervisors import Multiprocess

HEALTHCHECK_S = 10
"""How long a worker may say nothing until it is killed and replaced: a busy machine is no reason."""


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
    """Have this worker end when the process that has started it is gone, and nobody can end it any more."""
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
