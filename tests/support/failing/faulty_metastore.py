"""A metastore port that fails, or lets somebody else act, around the calls that a test names."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hive_views.errors import Answer, CommitFailedError, HiveViewsError, MetastoreUnavailableError
from hive_views.metastore.port import Lock, Metastore

Run = Callable[[], Any]
Fault = Callable[[Run], Any]


class Killed(BaseException):
    """The writer is gone from here on; no handler of failures sees it."""


class FaultyMetastore:
    """Hands every verb on to ``real``, except where a test says otherwise; used where a Metastore is asked for."""

    def __init__(self, real: Metastore, *, on_call: Callable[[str], object] | None = None) -> None:
        self._real = real
        self._on_call = on_call
        self._faults: dict[str, deque[Fault | None]] = defaultdict(deque)
        self._any: deque[Fault | None] = deque()
        self.is_dead = False
        """Whether whoever uses this was killed: nothing that is still called in its name reaches the metastore."""

    def on(self, verb: str, fault: Fault, *, after: int = 0, times: int = 1) -> None:
        """The next ``times`` calls of ``verb`` go through ``fault``, when ``after`` more calls have passed."""
        self._faults[verb].extend([None] * after + [fault] * times)

    def on_any(self, fault: Fault, *, after: int = 0) -> None:
        """The next call goes through ``fault``, whatever its verb, when ``after`` more calls have passed."""
        self._any.extend([None] * after + [fault])

    def kill(self, _: Run) -> Any:
        """The writer is gone, until ``clear``: its handlers of failures reach the metastore no more."""
        self.is_dead = True
        raise Killed

    def pending(self) -> list[str]:
        """The verbs with faults that have not come true, which a test must not leave behind."""
        return [verb for verb, faults in self._faults.items() if any(faults)]

    def clear(self) -> None:
        self._faults.clear()
        self._any.clear()
        self.is_dead = False

    def __getattr__(self, verb: str) -> Any:
        attribute = getattr(self._real, verb)

        def call(*arguments: Any, **named: Any) -> Any:
            if self.is_dead:
                raise Killed
            if self._on_call:
                self._on_call(verb)
            faults = self._faults[verb] or self._any
            fault = faults.popleft() if faults else None
            answer = fault(lambda: attribute(*arguments, **named)) if fault else attribute(*arguments, **named)
            return self._mortal(answer) if isinstance(answer, Lock) else answer

        return call

    def _mortal(self, lock: Lock) -> Lock:
        """The dead give no lock back."""
        return replace(lock, release=lambda: None if self.is_dead else lock.release())


def never_sent(_: Run) -> Any:
    raise MetastoreUnavailableError("The connection was refused.", answer=Answer.NOT_SENT)


def lost_before(_: Run) -> Any:
    """The request left, and the metastore never saw it."""
    raise MetastoreUnavailableError("The connection broke.")


def lost_after(run: Run) -> Any:
    """The metastore did it, and the answer was lost."""
    run()
    raise MetastoreUnavailableError("The connection broke.")


def repeated(run: Run) -> Any:
    """Something on the way sent the request twice, and gives the second answer."""
    run()
    return run()


def refused(_: Run) -> Any:
    raise CommitFailedError("The table has been modified.", answer=Answer.REFUSED)


def failing_after(error: HiveViewsError) -> Fault:
    """The metastore did it, and a listener of it threw something then, which became the answer."""

    def fault(run: Run) -> Any:
        run()
        error.answer = Answer.FAILED
        raise error

    return fault


def failing_before(error: HiveViewsError) -> Fault:
    """The metastore did nothing, and says something that proves nothing."""

    def fault(_: Run) -> Any:
        error.answer = Answer.FAILED
        raise error

    return fault


def killed_before(_: Run) -> Any:
    raise Killed


def killed_after(run: Run) -> Any:
    run()
    raise Killed


def meanwhile(act: Callable[[], object]) -> Fault:
    """Somebody acts between the last call and this one."""

    def fault(run: Run) -> Any:
        act()
        return run()

    return fault


def then(act: Callable[[], object], fault: Fault) -> Fault:
    """The metastore did it, somebody acts, and then the call fails as ``fault`` says."""

    def both(run: Run) -> Any:
        run()
        act()
        return fault(run)

    return both
