"""An application behind a socket, as clients meet it that are no part of Python."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn


@contextmanager
def served(app: Any, certificate: tuple[Path, Path] | None = None, **settings: Any) -> Iterator[str]:
    """The address of an ASGI application, with TLS where there is a certificate; ``settings`` are uvicorn's."""
    file, key = certificate or (None, None)
    config = uvicorn.Config(
        app,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        ssl_certfile=file,
        ssl_keyfile=key,
        **settings,
    )
    server = uvicorn.Server(config)
    # asyncio sets TCP_NODELAY where the protocol is named; without it each answer takes 40 ms longer.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            deadline = time.monotonic() + 30
            while not server.started:
                assert thread.is_alive()
                assert time.monotonic() < deadline
                time.sleep(0.005)
            yield f"http{'s' if certificate else ''}://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
