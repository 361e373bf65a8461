"""One cell of the matrix of faults: a verb, a fault, a protection; what was reported, what is so, and the verdict.

The judge believes only what a bystander sees (world.py): right after the call, after a request that was late has
arrived, and after another writer has gone on. An outcome is lost when a reported change is not there, when a
row points to nothing, or when an acknowledged change is overwritten; it is a phantom when something was reported not
applied that is there, then or later.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    CommitStateUnknownError,
    HiveViewsError,
    LockTimeoutError,
    NoSuchViewError,
    PartitionAlreadyExistsError,
)
from tests.faults.verbs import VERBS, Verb, changed
from tests.faults.world import COLUMNS, LostError, Seen, State, World, a_text
from tests.support.failing.faulty_metastore import Killed


class Protection(Enum):
    """What keeps two writers apart."""

    LOCK_AND_SWAP = "checked swap with lock"
    SWAP = "checked swap without lock"
    LOCK = "unchecked swap with lock"

    @property
    def checks(self) -> bool:
        return self is not Protection.LOCK


class Reported(Enum):
    """What was reported to the caller."""

    DONE = "done"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    NOTHING = "killed"


class Verdict(Enum):
    KEPT = "kept"
    LOST = "lost"
    PHANTOM = "phantom"
    UNPROMISED = "unpromised"
    """Nothing is lost, but what was reported is not what is promised, as "unknown" where it could be known."""


LOST_ANSWER = "the answer is lost"
LOST_REQUEST = "the request is lost"
ERROR_AFTER = "an error after the commit"
ERROR_INSTEAD = "an error instead of the commit"
IDLE_RESET = "the connection was reset while idle"
NOT_SENT = "what is not sent is not repeated"
"""A variant: below the port nothing finds out in time that a connection was reset."""
KILLED_BEFORE = "kill -9 before the write"
KILLED_AFTER = "kill -9 after the write"
FIRST_LOOK_FAILS = ", and the first look fails"

PROMISES: dict[str, frozenset[Reported]] = {
    LOST_ANSWER: frozenset({Reported.DONE}),
    LOST_ANSWER + FIRST_LOOK_FAILS: frozenset({Reported.DONE}),
    LOST_REQUEST: frozenset({Reported.UNKNOWN}),
    LOST_REQUEST + FIRST_LOOK_FAILS: frozenset({Reported.UNKNOWN}),
    ERROR_AFTER: frozenset({Reported.DONE}),
    ERROR_AFTER + FIRST_LOOK_FAILS: frozenset({Reported.DONE}),
    # Some refusals have another way round, such as two swaps for one.
    ERROR_INSTEAD: frozenset({Reported.REFUSED, Reported.DONE}),
    ERROR_INSTEAD + FIRST_LOOK_FAILS: frozenset({Reported.REFUSED, Reported.DONE}),
    IDLE_RESET: frozenset({Reported.DONE}),
    KILLED_BEFORE: frozenset({Reported.NOTHING}),
    KILLED_AFTER: frozenset({Reported.NOTHING}),
}
"""All faults, and what may be reported to a caller under each."""


METHODS = {
    "create_row": "create_table",
    "swap_row": "alter_table_with_environment_context",
    "rename_row": "alter_table_with_environment_context",
    "drop_row": "drop_table",
    "add_partitions": "add_partitions_req",
    "alter_partitions": "alter_partitions",
    "drop_partitions": "drop_partitions_req",
}
"""The port's writes, and the calls that they are on a wire."""
LOOKS = ("load_row", "load_rows", "load_partitions", "partition_names", "partition_names_within", "list_view_names")
"""The port's reads that show the outcome of a write."""
FILES = ("write", "delete")
"""The storage's writes."""


@dataclass(frozen=True)
class Point:
    """A write of a verb, or its request for a lock, and how many of the same kind come before."""

    operation: str
    before: int


def points(operations: Iterable[str]) -> list[Point]:
    """The writes among operations that came in this order."""
    counts = {operation: itertools.count() for operation in (*METHODS, *FILES, "lock")}
    return [Point(each, next(counts[each])) for each in operations if each in counts]


@dataclass(frozen=True)
class Cell:
    """One injection of a fault in a verb at one of its writes.

    ``variant`` is a way in which the fault is made; ``late`` says when a request that is late arrives (``never``,
    ``at once``, ``last``), ``rival`` when somebody else writes (``none``, ``before``, ``after`` ours has landed).
    """

    server: str
    protection: Protection
    verb: str
    fault: str
    point: Point
    variant: str = ""
    late: str = "never"
    rival: str = "none"

    @property
    def first(self) -> str:
        """The fault without what happens to the look that follows."""
        return self.fault.removesuffix(FIRST_LOOK_FAILS)

    @property
    def first_look_fails(self) -> bool:
        return self.first != self.fault


@dataclass
class Attempt:
    """A call that met a fault."""

    reported: Reported = Reported.DONE
    error: BaseException | None = None
    late: list[Callable[[], object]] = field(default_factory=list)
    """Requests that the metastore has not seen yet and may still see."""
    rivals: int = 0
    """Changes of another writer that were acknowledged meanwhile."""

    def of(self, call: Callable[[], object]) -> None:
        """Make the call, and keep what it reports."""
        try:
            call()
        except Killed as killed:
            self.reported, self.error = Reported.NOTHING, killed
        except CommitStateUnknownError as unknown:
            self.reported, self.error = Reported.UNKNOWN, unknown
        except HiveViewsError as refused:
            self.reported, self.error = Reported.REFUSED, refused


@dataclass(frozen=True)
class Outcome:
    reported: Reported
    verdict: Verdict
    why: str = ""


class Setting(Protocol):
    """Where a cell is run: how dead writers' locks end there."""

    def expire_locks(self, world: World) -> None: ...


def judge(setting: Setting, world: World, cell: Cell, before: State, attempt: Attempt) -> Outcome:
    """What came of an attempt. The world is written to: another writer goes on in it."""
    verb = VERBS[cell.verb]
    _report_what_is_gone_as_dropped(verb, attempt)
    try:
        landed = _Judge(setting, world, verb, before, attempt).judge(cell.late)
    except _PhantomError as phantom:
        return Outcome(attempt.reported, Verdict.PHANTOM, str(phantom))
    except LostError as lost:
        return Outcome(attempt.reported, Verdict.LOST, str(lost))
    if attempt.reported not in _promised(cell, attempt, landed=landed):
        return Outcome(attempt.reported, Verdict.UNPROMISED, f"{type(attempt.error).__name__}: {attempt.error}")
    return Outcome(attempt.reported, Verdict.KEPT)


def _report_what_is_gone_as_dropped(verb: Verb, attempt: Attempt) -> None:
    if verb.name.startswith("drop") and isinstance(attempt.error, NoSuchViewError):
        # Whoever dropped it: it reports that the view is gone, which is what was asked for.
        attempt.reported = Reported.DONE


def _promised(cell: Cell, attempt: Attempt, *, landed: bool) -> frozenset[Reported]:
    also = set()
    if attempt.rivals:
        # A change that met another writer's may be refused whatever else has happened; and where the answer is missing,
        # somebody else's change in the row does not show whether ours may still come on top of it.
        also |= {Reported.REFUSED, Reported.UNKNOWN}
    if cell.first == LOST_ANSWER and not landed:
        # It was a refusal, and nobody knows of it.
        also |= {Reported.UNKNOWN}
    if cell.first == ERROR_INSTEAD and attempt.error and isinstance(attempt.error.__cause__, AlreadyExistsError):
        # The name was taken and is free: what took it may have been the first of two requests.
        also |= {Reported.UNKNOWN}
    if cell.variant == NOT_SENT:
        also |= {Reported.REFUSED}
    if cell.verb == "add partitions" and isinstance(attempt.error, PartitionAlreadyExistsError):
        # It reports that they are there, whoever added them.
        also |= {Reported.REFUSED}
    return PROMISES[cell.fault] | also


class _PhantomError(AssertionError):
    pass


class _Judge:
    def __init__(self, setting: Setting, world: World, verb: Verb, before: State, attempt: Attempt) -> None:
        self.setting = setting
        self.world = world
        self.verb = verb
        self.attempt = attempt
        made = _reported_as_made(verb, attempt)
        self.made = max(made)
        self.allowed = [_after_rivals(verb, verb.effect(before, steps), attempt.rivals) for steps in made]
        more = [steps for steps in range(verb.steps + 1) if steps > max(made)]
        self.phantoms = [_after_rivals(verb, verb.effect(before, steps), attempt.rivals) for steps in more]

    def judge(self, late: str) -> bool:
        """Whether something of what was in doubt is there right after the call."""
        landed = self._look("right after the call") != self.allowed[0]
        if late == "at once":
            self._arrive()
        went_on = self._go_on()
        if not went_on:
            # A lock that was left to its time-out keeps others away, so that what is late meets nobody's change.
            if late == "last":
                self._arrive()
            self.setting.expire_locks(self.world)
            if not self._go_on():
                raise LostError("no other writer can go on although the locks of the dead have ended")
        if late == "last" and went_on:
            self._arrive()
        if self.verb.partitions:
            self._restore()
        return landed

    def _look(self, when: str) -> State:
        seen = self.world.look()
        if seen in self.allowed:
            return seen
        reported = f"{self.attempt.reported.value} ({type(self.attempt.error).__name__}: {self.attempt.error})"
        why = f"{when}, reported {reported}: it is {_short(seen)}, and not {' or '.join(map(_short, self.allowed))}"
        if self.attempt.reported is Reported.REFUSED and seen in self.phantoms:
            raise _PhantomError(why)
        raise LostError(why)

    def _arrive(self) -> None:
        """What was late arrives: it changes nothing, or does what it was to do on top of what is there now."""
        for request in self.attempt.late:
            with suppress(HiveViewsError):
                request()
        if self.attempt.reported is Reported.UNKNOWN and (self.verb.partitions or self.verb.name.startswith("drop")):
            # Only a swap sends the server what it expects.
            self.allowed += [self.verb.effect(state, self.made) for state in self.allowed]
        seen = self._look("after what was late had arrived")
        self.allowed = [seen]

    def _go_on(self) -> bool:
        """Another writer changes the view, or makes one of its name; False when a lock keeps it away."""
        here = self._look("before another writer went on")
        name = self.verb.subject(here)
        catalog = self.world.catalog()
        try:
            if name is None:
                name = self.verb.subjects[0]
                catalog.create_view(f"{self.world.namespace}.{name}", sql={"hive": a_text(9)}, schema=COLUMNS)
            elif not here[name].history:
                self.verb.go_on(self.world, catalog)
            else:
                catalog.alter_view(f"{self.world.namespace}.{name}", set_properties={"next": "1"}, on_drift="overwrite")
        except LockTimeoutError:
            return False
        except CommitFailedError as failure:
            raise LostError(f"another writer cannot go on: {failure}") from failure
        except HiveViewsError as failure:
            raise LostError(f"another writer cannot go on: {type(failure).__name__}: {failure}") from failure
        if name not in here:
            self.allowed = [{**here, name: Seen(a_text(9), (1,))}]
        elif not here[name].history:
            self.allowed = [self.verb.effect(here, self.verb.steps)]
        else:
            self.allowed = [changed(here, name, properties={**here[name].properties, "next": "1"}, drifted=False)]
        self._look("after another writer went on")
        return True

    def _restore(self) -> None:
        """What is declared comes back when the row is lost, and what is not stays away where that is certain."""
        name = self.verb.subject(self.world.look())
        assert name is not None
        catalog = self.world.catalog()
        declared = set(catalog.partitions(f"{self.world.namespace}.{name}").names())
        location = catalog.load_view(f"{self.world.namespace}.{name}").metadata_location
        catalog.drop_view(f"{self.world.namespace}.{name}")
        catalog.register_view(f"{self.world.namespace}.{name}", location)
        partitions = catalog.partitions(f"{self.world.namespace}.{name}")
        left_out = set(partitions.restore().left_out)
        restored = set(partitions.names())
        if self.attempt.reported in {Reported.UNKNOWN, Reported.NOTHING}:
            # What was to be dropped when the answer, or the writer, was lost, is reported and not brought back.
            declared -= left_out
        if declared - restored:
            raise LostError(f"the journal does not have {sorted(declared - restored)}")
        if self.verb.name == "restore partitions":
            return  # what it was to bring back comes back the next time
        if restored - declared and self.attempt.reported in {Reported.DONE, Reported.REFUSED}:
            raise _PhantomError(f"the journal brings back {sorted(restored - declared)}")


def _reported_as_made(verb: Verb, attempt: Attempt) -> list[int]:
    """How many steps may have been made, by what was reported."""
    if attempt.reported is Reported.DONE:
        return [verb.steps]
    if attempt.reported is Reported.NOTHING:
        return list(range(verb.steps + 1))
    assert isinstance(attempt.error, HiveViewsError)
    if verb.ends_again:
        return list(range(verb.steps + (attempt.reported is Reported.UNKNOWN)))
    made = verb.reported(attempt.error)
    return [made] if attempt.reported is Reported.REFUSED else [made, made + 1]


def _after_rivals(verb: Verb, state: State, rivals: int) -> State:
    name = verb.subject(state)
    if not rivals or name is None:
        return state
    return changed(state, name, properties={**state[name].properties, "theirs": str(rivals)}, drifted=False)


def _short(state: State) -> str:
    return "{" + ", ".join(f"{name}: {seen}" for name, seen in sorted(state.items())) + "}"
