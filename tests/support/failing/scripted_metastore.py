"""A metastore that answers what a test chooses, for servers that cannot be had where the tests run."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportBase, TTransportException

from hive_views.metastore.thrift._bindings.hms import HiveViewsMetastore, ttypes
from tests.support.failing.wire import LoopbackServer


class ScriptedMetastore(LoopbackServer):
    """A server with an answer for each method: a value, an exception, or a function of the arguments.

    An iterator gives one of these after the other. ``set_ugi`` needs no answer; any other call without one is unknown
    to this server, as old and new calls are to real ones.
    """

    def __init__(self, **answers: Any) -> None:
        super().__init__()
        self._answers = {"set_ugi": [], **answers}
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        """Methods and arguments of all calls, in their order."""

    @property
    def methods(self) -> list[str]:
        return [method for method, _ in self.calls]

    def serve(self, connection: socket.socket) -> None:
        wire = TSocket()
        wire.setHandle(connection)
        self.play(TBufferedTransport(wire))

    def play(self, transport: TTransportBase) -> None:
        """Answer the calls that come over this transport until it ends."""
        processor = HiveViewsMetastore.Processor(_Handler(self))
        for method in set(processor._processMap) - set(self._answers):
            del processor._processMap[method]
        protocol = TBinaryProtocol(transport)
        try:
            while True:
                processor.process(protocol, protocol)
        except TTransportException:
            return

    def answer(self, method: str, arguments: tuple[Any, ...]) -> Any:
        self.calls.append((method, arguments))
        answer = self._answers[method]
        if isinstance(answer, Iterator):
            answer = next(answer)
        if callable(answer):
            answer = answer(*arguments)
        if isinstance(answer, Exception):
            raise answer
        return answer


class _Handler:
    def __init__(self, metastore: ScriptedMetastore) -> None:
        self._metastore = metastore

    def __getattr__(self, method: str) -> Any:
        return lambda *arguments: self._metastore.answer(method, arguments)


def shown_lock(lock_id: int, agent: str) -> ttypes.ShowLocksResponseElement:
    """A lock on ``sales.daily`` as ``show_locks`` has it, of eve's program ``agent``."""
    return ttypes.ShowLocksResponseElement(
        lockid=lock_id,
        dbname="sales",
        tablename="daily",
        state=ttypes.LockState.ACQUIRED,
        type=ttypes.LockType.EXCLUSIVE,
        lastheartbeat=0,
        user="eve",
        hostname="night",
        agentInfo=agent,
    )
