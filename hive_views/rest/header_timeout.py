"""How long a client may take to send the head of a request.

uvicorn has that limit for a second request of a connection, not for its first one, nor for one that has begun.

Without it each connection that sends a byte a minute, or nothing, is kept until there is no room for others.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


class HeaderTimeoutProtocol(H11Protocol):
    """uvicorn's protocol, which closes a connection on which no whole head has come within the idle time."""

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
