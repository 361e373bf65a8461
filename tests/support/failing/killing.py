"""Killing a writer process with ``kill -9`` at an exact step of its commit."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hive_views.views.view import View
from tests.support.failing import writer
from tests.support.failing.wire import PATIENCE_S, WireProxy

SWAP = "alter_table_with_environment_context"


class Halt:
    """A point that one thread waits at until a test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._released = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        self._released.wait(PATIENCE_S)

    def release(self) -> None:
        self._released.set()


@contextmanager
def killed_at(
    proxy: WireProxy,
    point: str,
    method: str,
    view: View | str,
    *,
    arrives: bool,
    change: str = "once",
    lock: str = "auto",
    name: str = "n",
    count: int = 1,
    calls_before: int = 0,
) -> Iterator[None]:
    """A writer is stopped at a step of its commit on the wire, killed, and then the wire goes on.

    Args:
        proxy: before the metastore.
        point: ``before`` the metastore sees the request, or ``after`` it has answered.
        method: the call at which it is stopped.
        view: what it writes, or a pattern of names.
        arrives: whether the metastore sees the request.
        change: what it does, as ``writer.start`` takes it.
        lock: the setting it writes with.
        name: the property it sets, the table it publishes on, or the directory for files of views that it adopts.
        count: how often it sets it, or the version that it publishes as.
        calls_before: how many calls of the method go through before.
    """
    written = view if isinstance(view, str) else str(view.identifier)
    halt = Halt()

    def stop() -> None:
        halt()
        if not arrives:
            proxy.drop_request(method)

    at = getattr(proxy, point)
    if calls_before:
        at(method, lambda: None, times=calls_before)
    at(method, stop)
    process = writer.start(change, proxy.uri, written, lock, name, str(count))
    assert halt.reached.wait(PATIENCE_S), "the writer never came to the step"
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    assert process.stdout
    assert process.stdout.read() == "", "nothing was acknowledged"
    process.stdout.close()
    halt.release()
    yield
