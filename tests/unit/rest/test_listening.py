"""The socket that a server listens at."""

from __future__ import annotations

import asyncio
from socket import IPPROTO_TCP, TCP_NODELAY, socket

import pytest

from hive_views.errors import InvalidInputError
from hive_views.rest.server import Listening, open_listener


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_an_answer_does_not_wait_for_the_client_to_acknowledge_its_first_part(host: str) -> None:
    """Otherwise each costs 40 ms: the headers and the body of an answer are two segments."""

    async def accepted(listening: socket) -> int:
        delays: asyncio.Queue[int] = asyncio.Queue()

        async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await delays.put(writer.get_extra_info("socket").getsockopt(IPPROTO_TCP, TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(note, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname()[:2])
            writer.close()
            return await delays.get()

    with open_listener(Listening(host=host, port=0)) as listening:
        assert asyncio.run(accepted(listening)) != 0


def test_a_port_that_is_taken_is_refused() -> None:
    with open_listener(Listening(port=0)) as listening:
        listening.listen()
        port = listening.getsockname()[1]
        with pytest.raises(InvalidInputError, match=f"Cannot listen at 127.0.0.1 port {port}"):
            open_listener(Listening(port=port))
