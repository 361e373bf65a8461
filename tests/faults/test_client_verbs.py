"""Requests of Iceberg clients that fail at each call and each file, and come again: each is done, and done once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from hive_views.errors import HiveViewsError, MetastoreUnavailableError
from hive_views.rest.request_errors import failure_of
from tests.faults.client_verbs import RIVALS, VERBS, State, World
from tests.support.failing.faulty_metastore import (
    FaultyMetastore,
    Killed,
    Run,
    failing_after,
    lost_after,
    meanwhile,
    never_sent,
)
from tests.support.failing.faulty_storage import FaultyFileSystem, broken, done_but_not_reported

SERVERS: dict[str, Callable[[], World]] = {
    "lock and swap": World,
    "swap": lambda: World("never"),
    "lock": lambda: World(enforces_swap=False, null_descriptor_alter_fails=True),
}
CHECKED = ("lock and swap", "swap")
FILE_OPERATIONS = ("write", "read", "delete", "list", "look")
WRITES = ("create_row", "swap_row", "rename_row", "drop_row")
MAKES = ("create", "register", "register over")
ENDS = ("drops", "drops and recreates", "renames")
KEY = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"

DONE, REFUSED, UNKNOWN, DEAD = "done", "refused", "unknown", "killed"


@pytest.fixture(autouse=True)
def _worlds_of_this_test() -> None:
    """Worlds of one test are as old as each other, and nearly as old as what is done to them."""
    World.saved.clear()


class Wire:
    """What stands between a server and its metastore and files: a fault at one operation of them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.seen: list[str] = []
        self.late: list[Run] = []
        self.rivals = 0
        self.metastore = FaultyMetastore(world.server, on_call=self.seen.append)

    @contextmanager
    def observed(self) -> Iterator[None]:
        with FaultyFileSystem.reporting_calls(self.seen.append):
            try:
                yield
            finally:
                FaultyFileSystem.clear()

    def at(self, operation: str, before: int, fault: Callable[[Run], Any]) -> None:
        self.metastore.on(operation, fault, after=before)

    def at_file(self, operation: str, before: int, fault: Callable[[FaultyFileSystem, str, bytes], object]) -> None:
        def passing(fs: FaultyFileSystem, path: str, value: bytes) -> object:
            return fs._really(operation, path, value) if operation in ("write", "delete") else None

        FaultyFileSystem.faults[operation].extend([passing] * before + [fault])

    def meanwhile_at(self, operation: str, before: int, rival: Callable[[World], None]) -> None:
        """Somebody else acts right before an operation."""

        def act() -> None:
            FaultyFileSystem.faults.clear()
            rival(self.world)
            self.rivals += 1

        def at_file(fs: FaultyFileSystem, path: str, value: bytes) -> object:
            act()
            return fs._really(operation, path, value) if operation in ("write", "delete") else None

        if operation in FILE_OPERATIONS:
            self.at_file(operation, before, at_file)
        else:
            self.at(operation, before, meanwhile(act))

    def lost_request(self, run: Run) -> Any:
        self.late.append(run)
        raise MetastoreUnavailableError("The connection broke.")

    def killed_before(self, _: Run) -> Any:
        FaultyFileSystem.is_dead = self.metastore.is_dead = True
        raise Killed

    def killed_after(self, run: Run) -> Any:
        with suppress(HiveViewsError):
            run()
        return self.killed_before(run)

    def file_killed(self, fs: FaultyFileSystem, path: str, value: bytes) -> object:
        FaultyFileSystem.is_dead = self.metastore.is_dead = True
        raise Killed


def ask(world: World, verb: str, key: str | None, wire: Wire | None = None) -> str:
    """Send a request to a server that was started just now; what its answer says."""
    try:
        VERBS[verb](world, world.client(wire.metastore if wire else None), key)
    except Killed:
        return DEAD
    except HiveViewsError as error:
        return UNKNOWN if failure_of(error, writes=True, about="", namespace="").status >= 500 else REFUSED
    finally:
        FaultyFileSystem.clear()
        world.server.expire_locks()
    return DONE


def operations(make: Callable[[], World], verb: str, key: str | None) -> Sequence[tuple[str, int]]:
    """All calls and file operations of a request that meets nothing, each with how many of its kind come before."""
    wire = Wire(make())
    with wire.observed():
        assert ask(wire.world, verb, key, wire) == DONE
    counts: Counter[str] = Counter()
    found = []
    for operation in wire.seen:
        if operation not in ("connect", "capabilities", "is_catalog", "enforces_swap"):
            found.append((operation, counts[operation]))
        counts[operation] += 1
    return found


def states(make: Callable[[], World], *acts: Callable[[World], object]) -> State:
    """What comes of acts one after the other, where those that are refused do nothing."""
    world = make()
    for act in acts:
        with suppress(HiveViewsError):
            act(world)
    return world.look()


def in_either_order(make: Callable[[], World], verb: str, rival: str) -> Sequence[State]:
    """What comes of a request and a rival, whichever is first."""
    orders = [
        states(make, RIVALS[rival], lambda world: ask(world, verb, KEY)),
        states(make, lambda world: ask(world, verb, KEY), RIVALS[rival]),
    ]
    if verb == "drop":
        # Whoever dropped it: it is gone, and what has its name is another one.
        orders.append(states(make, RIVALS[rival]))
    return orders


def faults_of(operation: str) -> Sequence[str]:
    if operation == "write":
        return ("fails", "is done and fails", "killed before")
    if operation in FILE_OPERATIONS:
        return ("fails", "killed before")
    if operation in WRITES:
        return (
            "not sent",
            "the request is lost",
            "the answer is lost",
            "an error after",
            "killed before",
            "killed after",
        )
    return ("not sent", "the answer is lost", "killed before")


def inject(wire: Wire, operation: str, before: int, fault: str) -> None:
    if operation in FILE_OPERATIONS:
        of_files = {"fails": broken, "is done and fails": done_but_not_reported, "killed before": wire.file_killed}
        wire.at_file(operation, before, of_files[fault])
        return
    of_calls = {
        "not sent": never_sent,
        "the request is lost": wire.lost_request,
        "the answer is lost": lost_after,
        "an error after": failing_after(MetastoreUnavailableError("A listener failed.")),
        "killed before": wire.killed_before,
        "killed after": wire.killed_after,
    }
    wire.at(operation, before, of_calls[fault])


@pytest.mark.parametrize("key", [KEY, None], ids=["with a key", "without"])
@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_request_that_met_a_fault_is_done_once_when_it_comes_again(verb: str, server: str, key: str | None) -> None:
    make = SERVERS[server]
    before = states(make)
    after = states(make, lambda world: ask(world, verb, key))
    assert before != after
    for operation, count in operations(make, verb, key):
        for fault, arrives in itertools.product(faults_of(operation), ("never", "at once", "last")):
            if arrives != "never" and fault != "the request is lost":
                continue
            what = f"{verb}, {operation} {count}: {fault}, arrives {arrives}"
            wire = Wire(make())
            world = wire.world
            inject(wire, operation, count, fault)
            first = ask(world, verb, key, wire)
            found = world.look()
            if first is DONE:
                assert found == after, what
            elif first is REFUSED:
                assert found == before, what
            else:
                assert found in (before, after), what
            if arrives == "at once":
                arrive(wire)
                assert first is UNKNOWN, what
            if key is None:
                continue
            assert ask(world, verb, key) == DONE, what
            assert world.look() == after, what
            if arrives == "last":
                arrive(wire)
            assert ask(world, verb, key) == DONE, what
            assert world.look() == after, what


def arrive(wire: Wire) -> None:
    for request in wire.late:
        with suppress(HiveViewsError):
            request()


@pytest.mark.parametrize("rival", RIVALS)
@pytest.mark.parametrize("server", CHECKED)
@pytest.mark.parametrize("verb", VERBS)
def test_a_rival_at_any_step_loses_nothing_and_nothing_is_done_twice(verb: str, server: str, rival: str) -> None:
    make = SERVERS[server]
    theirs = states(make, RIVALS[rival])
    orders = in_either_order(make, verb, rival)
    for operation, count in operations(make, verb, KEY):
        if operation == "lock" or (rival == "alters as Spark does" and operation in WRITES):
            # What Spark does leaves the pointer alone: no swap sees it, and the row was looked at right before.
            continue
        what = f"{verb}, {rival} at {operation} {count}"
        wire = Wire(make())
        world = wire.world
        wire.meanwhile_at(operation, count, RIVALS[rival])
        first = ask(world, verb, KEY, wire)
        assert wire.rivals == 1, what
        found = world.look()
        assert first is not UNKNOWN, what
        assert found in (orders if first is DONE else (theirs,)), f"{what}: {first}"
        check_repetitions(world, verb, first, orders, what)


@pytest.mark.parametrize("rival", RIVALS)
@pytest.mark.parametrize("server", CHECKED)
@pytest.mark.parametrize("verb", VERBS)
def test_what_a_rival_does_before_a_request_comes_again_stays(verb: str, server: str, rival: str) -> None:
    make = SERVERS[server]
    orders = in_either_order(make, verb, rival)
    after = states(make, lambda world: ask(world, verb, KEY))
    for operation, count in operations(make, verb, KEY):
        for fault in ("the request is lost", "the answer is lost", "killed before", "killed after"):
            if fault not in faults_of(operation):
                continue
            what = f"{verb}, {operation} {count}: {fault}, then {rival}"
            wire = Wire(make())
            world = wire.world
            inject(wire, operation, count, fault)
            first = ask(world, verb, KEY, wire)
            landed = world.look() == after
            if landed and first is DEAD and verb in MAKES and rival in ENDS:
                # The only thing that nobody knows: what made it was killed before it could note it, and it is gone.
                continue
            RIVALS[rival](world)
            check_repetitions(world, verb, DONE if landed else first, orders, what)


def check_repetitions(world: World, verb: str, first: str, orders: Sequence[State], what: str) -> None:
    """What was done is not done again; what was not done may be, and then not again."""
    found = world.look()
    for _ in range(2):
        again = ask(world, verb, KEY)
        assert again in (DONE, REFUSED), what
        now = world.look()
        if first is DONE:
            assert now == found, f"{what}: done again"
        elif again is REFUSED:
            assert now == found, f"{what}: refused, and changed"
        else:
            assert now in orders, f"{what}: {now}"
        first, found = (DONE, now) if again is DONE else (first, found)
