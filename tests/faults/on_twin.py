"""The matrix of faults on the metastore in memory, where each write can fail at its exact call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from hive_views.errors import HiveViewsError, MetastoreUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import AddedPartitions, Swap
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.failures import Call, result_of, translate
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
    NOT_SENT,
    Attempt,
    Cell,
    Outcome,
    Point,
    Protection,
    judge,
    points,
)
from tests.faults.saved import Saved, no_files
from tests.faults.verbs import VERBS, in_small_batches
from tests.faults.world import World
from tests.support.failing.faulty_metastore import FaultyMetastore, Killed, Run, never_sent
from tests.support.failing.faulty_storage import FaultyFileSystem

SERVERS: dict[str, dict[str, bool]] = {
    "twin of 2.3.10": {"tells_identity": False},
    "twin of 4.0.1": {"null_descriptor_alter_fails": True},
    "twin of 3.1.3": {"null_descriptor_alter_fails": True, "enforces_swap": False},
}
PROTECTIONS: dict[str, tuple[Protection, ...]] = {
    "twin of 2.3.10": (Protection.LOCK_AND_SWAP, Protection.SWAP),
    "twin of 4.0.1": (Protection.LOCK_AND_SWAP, Protection.SWAP),
    "twin of 3.1.3": (Protection.LOCK,),
}
_WAREHOUSE = "faulty://warehouse"
_NAMESPACE = "sales"

ANSWERED: dict[str, Callable[[], Exception]] = {
    "a null pointer": lambda: ttypes.MetaException("java.lang.NullPointerException"),
    "a null pointer that is named": lambda: ttypes.MetaException(
        'java.lang.NullPointerException: Cannot invoke "org.apache.hadoop.hive.metastore.api.StorageDescriptor.'
        'getLocation()" because the return value of "org.apache.hadoop.hive.metastore.api.Partition.getSd()" is null'
    ),
    "a MetaException": lambda: ttypes.MetaException("the listener failed"),
    "42818": lambda: ttypes.MetaException("the listener failed with code 42818"),
    "a refused swap of its own": lambda: ttypes.MetaException("The table has been modified in the cache"),
    "a refused swap": lambda: ttypes.MetaException(
        "The table has been modified. The parameter value for key 'metadata_location' is 'a'. The expected was value "
        "was 'b'"
    ),
    "an InvalidOperationException": lambda: ttypes.InvalidOperationException("the listener failed"),
    "a name that exists": lambda: ttypes.InvalidOperationException("entry 7 already exists"),
    "a database that is missing": lambda: ttypes.InvalidOperationException("database mirror does not exist"),
    "an InvalidObjectException": lambda: ttypes.InvalidObjectException("listener"),
    "a NoSuchObjectException": lambda: ttypes.NoSuchObjectException("the listener found no entry"),
    "an AlreadyExistsException": lambda: ttypes.AlreadyExistsException("the listener has this entry"),
    "an internal error": lambda: ttypes.TApplicationException(6, "Internal error processing the call"),
}
"""What servers answer after a listener threw."""

NOTHING_DONE = (Swap.CANNOT_COMPARE, Swap.CANNOT_CHANGE_COLUMNS, AddedPartitions(needs_descriptors=True))
"""What verbs return where nothing was committed, so that no listener is called."""


class Twin:
    """Runs cells, one after the other; no two of one process at the same time, since they share one file system."""

    def __init__(self) -> None:
        self._saved: dict[tuple[str, Protection, str], tuple[Saved, dict[str, str]]] = {}
        self._points: dict[tuple[str, Protection, str], list[Point]] = {}

    def points(self, server: str, protection: Protection, verb: str) -> list[Point]:
        """The writes of a verb where nothing fails, and the request for its lock, in their order."""
        key = server, protection, verb
        if key not in self._points:
            world = self.world(*key)
            seen: list[str] = []
            metastore = FaultyMetastore(world.server, on_call=seen.append)
            with FaultyFileSystem.reporting_calls(seen.append), in_small_batches():
                VERBS[verb].run(world, world.catalog(metastore))
            self._points[key] = points(seen)
        return self._points[key]

    def world(self, server: str, protection: Protection, verb: str) -> World:
        """A new world with what the verb works on."""
        metastore = MemoryMetastore(**SERVERS[server], lock_timeout_s=0.0, warehouse=_WAREHOUSE)  # type: ignore[arg-type]
        metastore.create_namespace(_NAMESPACE)
        lock = "never" if protection is Protection.SWAP else "auto"
        world = World(metastore, _NAMESPACE, _WAREHOUSE, lock, checks=protection.checks)
        saved = self._saved.get((server, protection, verb))
        no_files()
        if saved is None:
            VERBS[verb].prepare(world, world.catalog())
            self._saved[server, protection, verb] = Saved.of(metastore), dict(world.files)
        else:
            saved[0].put_into(metastore, is_known=False)
            world.files = dict(saved[1])
        return world

    def expire_locks(self, world: World) -> None:
        world.server.expire_locks()

    def run(self, cell: Cell) -> Outcome | None:
        """What came of a cell; None when the verb never came to the point, or the rival had nothing to change."""
        world = self.world(cell.server, cell.protection, cell.verb)
        before = world.look()
        with in_small_batches():
            attempt = self._attempt(world, cell)
            return judge(self, world, cell, before, attempt) if attempt else None

    def _attempt(self, world: World, cell: Cell) -> Attempt | None:
        metastore = FaultyMetastore(world.server)
        attempt = Attempt()
        fault = _Injection(world, metastore, attempt, cell)
        if cell.point.operation in FILES:
            FaultyFileSystem.on(cell.point.operation, fault.of_a_file, after=cell.point.before)
        else:
            metastore.on(cell.point.operation, fault, after=cell.point.before)
        try:
            attempt.of(lambda: VERBS[cell.verb].run(world, world.catalog(metastore)))
        finally:
            FaultyFileSystem.clear()
        return attempt if fault.came and (attempt.rivals or cell.rival == "none") else None


class _Injection:
    """A fault at one call, with what others do before and after it."""

    def __init__(self, world: World, metastore: FaultyMetastore, attempt: Attempt, cell: Cell) -> None:
        self.world = world
        self.metastore = metastore
        self.attempt = attempt
        self.cell = cell
        self.came = False

    def __call__(self, run: Run) -> Any:
        self.came = True
        if self.cell.rival == "before":
            self._rival()
        first = self.cell.first
        if self.cell.first_look_fails:
            self._fail_first_look()
        if first == KILLED_BEFORE:
            self._die()
        if first == IDLE_RESET:
            return never_sent(run)
        if first in {LOST_ANSWER, KILLED_AFTER}:
            # Whatever the metastore answers, a refusal as well, does not come.
            with suppress(HiveViewsError):
                run()
        if first == ERROR_AFTER:
            result = run()
            if result in NOTHING_DONE:
                return result
        if self.cell.rival == "after":
            self._rival()
        if first == KILLED_AFTER:
            self._die()
        if first == LOST_REQUEST:
            self.attempt.late.append(run)
        if first in {LOST_ANSWER, LOST_REQUEST}:
            raise MetastoreUnavailableError("The connection broke.")
        call = Call(METHODS[self.cell.point.operation], str(self.world.identifier("daily")), writes=True)
        answered = ANSWERED[self.cell.variant]()
        result = result_of(answered, call)
        if result is not None:
            return result
        raise translate(answered, call)

    def of_a_file(self, run: Run) -> Any:
        self.came = True
        if self.cell.fault == KILLED_AFTER:
            with suppress(OSError):
                run()
        self._die()

    def _die(self) -> None:
        FaultyFileSystem.is_dead = self.metastore.is_dead = True
        raise Killed

    def _rival(self) -> None:
        """Somebody who takes no lock, as another program may, changes a property of a view of ours."""
        seen = self.world.look()
        name = VERBS[self.cell.verb].subject(seen)
        if name is None or not seen[name].history:
            return
        self.world.catalog(lock="never").alter_view(
            f"{self.world.namespace}.{name}", set_properties={"theirs": "1"}, on_drift="overwrite"
        )
        self.attempt.rivals = 1

    def _fail_first_look(self) -> None:
        looks = itertools.count()

        def fails_once(run: Run) -> Any:
            if next(looks) == 0:
                raise MetastoreUnavailableError("The metastore is away for a moment.")
            return run()

        for verb in LOOKS:
            self.metastore.on(verb, fails_once)


def cells(twin: Twin, server: str, protection: Protection, verb: str, fault: str) -> Iterator[Cell]:
    """Every injection of a fault in a verb: at each of its writes, with all answers, late arrivals and rivals."""
    first = fault.removesuffix(FIRST_LOOK_FAILS)
    killed = first in {KILLED_BEFORE, KILLED_AFTER}
    variants = tuple(ANSWERED) if first in {ERROR_AFTER, ERROR_INSTEAD} else (NOT_SENT if first == IDLE_RESET else "",)
    arrivals = ("never", "at once", "last") if first == LOST_REQUEST else ("never",)
    # Where only locks protect, nobody writes beside them.
    rivals = ("none", "before") if protection.checks else ("none",)
    if protection.checks and first in {LOST_ANSWER, ERROR_AFTER, KILLED_AFTER}:
        rivals = ("none", "before", "after")
    for point in twin.points(server, protection, verb):
        is_row = point.operation in METHODS
        if killed or is_row:
            for variant, late, rival in itertools.product(variants, arrivals, rivals if is_row else ("none",)):
                yield Cell(server, protection, verb, fault, point, variant, late, rival)
