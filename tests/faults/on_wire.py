"""The matrix of faults on a real metastore: a proxy before it, listeners inside it, writers that are really killed."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.faults.listener import THROWN, Orders
from tests.faults.matrix import (
    ERROR_AFTER,
    ERROR_INSTEAD,
    FILES,
    FIRST_LOOK_FAILS,
    IDLE_RESET,
    KILLED_AFTER,
    KILLED_BEFORE,
    LOOKS,
    LOST_ANSWER,
    LOST_REQUEST,
    METHODS,
    PROMISES,
    Attempt,
    Cell,
    Outcome,
    Point,
    Protection,
    Reported,
    judge,
    points,
)
from tests.faults.verbs import VERBS, in_small_batches
from tests.faults.world import World
from tests.support.failing.faulty_metastore import FaultyMetastore, Killed, Run
from tests.support.failing.wire import PATIENCE_S, Delay, WireProxy

_READS = ("get_table_req", "get_table_objects_by_name_req", "get_partitions_by_names", "get_partition_names")
_EVENTS = {
    "create_row": "create_table",
    "swap_row": "alter_table",
    "rename_row": "alter_table",
    "drop_row": "drop_table",
    "add_partitions": "add_partitions",
    "alter_partitions": "alter_partitions",
    "drop_partitions": "drop_partitions",
}
"""What listeners are notified of for the port's writes."""

IN_TESTS = [fault for fault in PROMISES if not fault.endswith(FIRST_LOOK_FAILS)]
"""The report makes all; a first look that fails is the same on the wire as on the twin."""


def faults_in_tests(verb: str, server: int) -> list[str]:
    """Every other fault for every other verb: the two servers of the tests, 0 and 1, have all pairs together."""
    return IN_TESTS[(list(VERBS).index(verb) + server) % 2 :: 2]


AT_THE_END = "a runtime exception at the end of the call"

VARIANTS: dict[str, tuple[str, ...]] = {
    LOST_ANSWER: ("drop_answer", "cut_answer"),
    LOST_REQUEST: ("drop_request", "cut_request", "hold_request"),
    ERROR_AFTER: (*THROWN, AT_THE_END),
    ERROR_INSTEAD: tuple(THROWN),
}
"""The ways in which faults are made: calls of the proxy, or what a listener throws."""


@dataclass(frozen=True)
class Server:
    """A metastore with listeners, and how it is protected."""

    name: str
    uri: str
    orders: Orders
    protections: tuple[Protection, ...]


class Wire:
    """Runs cells on one server; files go below ``directory``. Closed by ``close``."""

    def __init__(self, server: Server, directory: Path) -> None:
        self.server = server
        self._directory = directory
        self._bystander = HiveMetastore(server.uri, lock_timeout_s=0.0)
        self._proxy = WireProxy.before_uri(server.uri).__enter__()
        self._points: dict[tuple[Protection, str], list[Point]] = {}

    def close(self) -> None:
        self._proxy.__exit__(None, None, None)
        self._bystander.close()

    def points(self, protection: Protection, verb: str) -> list[Point]:
        """The writes of a verb where nothing fails, and the request for its lock, in their order."""
        key = protection, verb
        if key not in self._points:
            world = self.world(*key)
            seen: list[str] = []
            with in_small_batches():
                VERBS[verb].run(world, world.catalog(FaultyMetastore(world.server, on_call=seen.append)))
            self._points[key] = points(seen)
        return self._points[key]

    def world(self, protection: Protection, verb: str) -> World:
        """A new namespace with what the verb works on."""
        namespace = f"faults_{uuid.uuid4().hex[:12]}"
        directory = self._directory / namespace
        self._bystander.create_namespace(namespace, location=f"file:{directory}")
        lock = "never" if protection is Protection.SWAP else "auto"
        world = World(self._bystander, namespace, f"file://{directory}", lock, checks=protection.checks)
        VERBS[verb].prepare(world, world.catalog(lock="never" if protection.checks else "auto"))
        return world

    def expire_locks(self, world: World) -> None:
        """Give back what the dead have left, as the server's time-out does."""
        request = ttypes.ShowLocksRequest(dbname=world.namespace)
        answer = self._bystander._pool.call(Call("show_locks", world.namespace), request)
        for lock in answer.locks or ():
            unlock = ttypes.UnlockRequest(lockid=lock.lockid)
            self._bystander._pool.call(Call("unlock", world.namespace), unlock)

    def run(self, cell: Cell) -> Outcome | None:
        """What came of a cell; None when the verb never came to the point."""
        world = self.world(cell.protection, cell.verb)
        before = world.look()
        with in_small_batches():
            killed = cell.first in {KILLED_BEFORE, KILLED_AFTER}
            attempt = self._killed(world, cell) if killed else self._disturbed(world, cell)
            return judge(self, world, cell, before, attempt) if attempt else None

    def _disturbed(self, world: World, cell: Cell) -> Attempt | None:
        attempt = Attempt()
        with closing(HiveMetastore(self._proxy.uri, read_timeout_s=PATIENCE_S, lock_timeout_s=0.0)) as real:
            # What a server can do is proved before, and not in the middle of a fault.
            self._prove(world, cell, real)
            metastore = FaultyMetastore(real)
            fault = _Injection(metastore, self._proxy, self.server.orders, attempt, cell)
            metastore.on(cell.point.operation, fault, after=cell.point.before)
            try:
                attempt.of(lambda: VERBS[cell.verb].run(world, world.catalog(metastore)))
                assert not self.server.orders.left(), "no listener has obeyed"
            finally:
                self._proxy.clear()
                self.server.orders.clear()
        return attempt if fault.came else None

    def _prove(self, world: World, cell: Cell, real: HiveMetastore) -> None:
        names = real.list_view_names(world.namespace)
        if names and cell.protection is Protection.SWAP:
            real.enforces_swap(world.identifier(names[0]))

    def _killed(self, world: World, cell: Cell) -> Attempt | None:
        process = _PROCESSES.Process(target=_die, args=(world, self.server.uri, cell))
        process.start()
        process.join(PATIENCE_S)
        assert process.exitcode in {0, -signal.SIGKILL}, "the writer neither ended nor was killed"
        return Attempt(Reported.NOTHING, Killed()) if process.exitcode else None


# Each writer is forked from a process that has read all modules and has no threads.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload([__name__])


def _die(world: World, uri: str, cell: Cell) -> None:
    """A writer that kills itself with ``kill -9`` at a write."""

    def die(run: Run) -> Any:
        if cell.fault == KILLED_AFTER:
            run()
        os.kill(os.getpid(), signal.SIGKILL)

    metastore = FaultyMetastore(HiveMetastore(uri, lock_timeout_s=0.0))
    metastore.on(cell.point.operation, die, after=cell.point.before)
    with in_small_batches():
        VERBS[cell.verb].run(world, world.catalog(metastore))


class _Injection:
    """A fault at one call."""

    def __init__(
        self, metastore: FaultyMetastore, proxy: WireProxy, orders: Orders, attempt: Attempt, cell: Cell
    ) -> None:
        self._metastore = metastore
        self._proxy = proxy
        self._orders = orders
        self._attempt = attempt
        self._cell = cell
        self.came = False

    def __call__(self, run: Run) -> Any:
        self.came = True
        cell, operation = self._cell, self._cell.point.operation
        if cell.first in {LOST_ANSWER, LOST_REQUEST}:
            made = getattr(self._proxy, cell.variant)(METHODS[operation])
            if isinstance(made, Delay):
                self._attempt.late.append(lambda: _release(made))
        elif cell.first == ERROR_AFTER and cell.variant == AT_THE_END:
            self._orders.throw(_EVENTS[operation], THROWN["a runtime exception"], kind="end")
        elif cell.first == ERROR_AFTER:
            self._orders.throw(_EVENTS[operation], THROWN[cell.variant])
        elif cell.first == ERROR_INSTEAD:
            self._orders.throw(_EVENTS[operation], THROWN[cell.variant], kind="transactional")
        elif cell.first == IDLE_RESET:
            self._proxy.reset()
        if cell.first_look_fails:
            self._fail_first_look()
        return run()

    def _fail_first_look(self) -> None:
        looks = itertools.count()

        def fails_once(run: Run) -> Any:
            if next(looks):
                return run()
            for method in _READS:
                # A read is repeated once on a new connection.
                self._proxy.drop_request(method, times=2)
            try:
                return run()
            finally:
                self._proxy.clear()

        for verb in LOOKS:
            self._metastore.on(verb, fails_once)


def _release(delay: Delay) -> None:
    delay.release()
    assert delay.arrived.wait(PATIENCE_S), "the metastore did not answer what was late"


def cells(wire: Wire, protection: Protection, verb: str, fault: str) -> Iterator[Cell]:
    """Every injection of a fault in a verb: at each of its writes, in all the ways it is made."""
    first = fault.removesuffix(FIRST_LOOK_FAILS)
    killed = first in {KILLED_BEFORE, KILLED_AFTER}
    for point in wire.points(protection, verb):
        if point.operation in METHODS or (killed and point.operation not in FILES):
            for variant in VARIANTS.get(first, ("",)):
                if variant == AT_THE_END and point.operation.endswith("partitions"):
                    continue  # the end of these calls is notified to nobody, or under another name
                arrivals = ("at once", "last") if variant == "hold_request" else ("never",)
                for late in arrivals:
                    yield Cell(wire.server.name, protection, verb, fault, point, variant, late)
