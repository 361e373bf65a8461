"""The judge of the matrix of faults sees what is lost, and what is a phantom: it is shown writers that lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hive_views.errors import CommitStateUnknownError, MetastoreUnavailableError
from tests.faults.matrix import (
    ERROR_AFTER,
    LOST_REQUEST,
    PROMISES,
    Attempt,
    Cell,
    Outcome,
    Point,
    Protection,
    Reported,
    Verdict,
    judge,
)
from tests.faults.on_twin import Twin
from tests.faults.tally import Tally, read, written
from tests.faults.verbs import VERBS
from tests.faults.world import World

SERVER = "twin of 2.3.10"
REFUSED = MetastoreUnavailableError("It failed.")
UNKNOWN = CommitStateUnknownError("It is unknown.")


def a_cell(verb: str, fault: str = ERROR_AFTER, *, late: str = "never") -> Cell:
    return Cell(SERVER, Protection.SWAP, verb, fault, Point("swap_row", 0), late=late)


def judged(verb: str, act: Callable[[World], object], attempt: Attempt, **cell: str) -> Outcome:
    """The verdict on an attempt that did no more than ``act``."""
    twin = Twin()
    world = twin.world(SERVER, Protection.SWAP, verb)
    before = world.look()
    act(world)
    return judge(twin, world, a_cell(verb, **cell), before, attempt)


def does_it(verb: str) -> Callable[[World], object]:
    return lambda world: VERBS[verb].run(world, world.catalog())


def does_nothing(_: World) -> None:
    pass


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_reported_done_and_is_there_is_kept(verb: str) -> None:
    assert judged(verb, does_it(verb), Attempt()) == Outcome(Reported.DONE, Verdict.KEPT)


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_reported_done_and_is_not_there_is_lost(verb: str) -> None:
    assert judged(verb, does_nothing, Attempt()).verdict is Verdict.LOST


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_reported_refused_and_is_there_is_a_phantom(verb: str) -> None:
    assert judged(verb, does_it(verb), Attempt(Reported.REFUSED, REFUSED)).verdict is Verdict.PHANTOM


def test_unknown_is_less_than_promised_where_it_can_be_known() -> None:
    assert judged("alter", does_it("alter"), Attempt(Reported.UNKNOWN, UNKNOWN)).verdict is Verdict.UNPROMISED


def test_a_file_that_a_row_needs_and_that_is_gone_is_lost() -> None:
    def deletes_its_file(world: World) -> None:
        does_it("alter")(world)
        world.catalog().storage.delete(world.row("daily").parameters["metadata_location"])

    outcome = judged("alter", deletes_its_file, Attempt())
    assert outcome.verdict is Verdict.LOST
    assert "does not exist" in outcome.why


def test_an_acknowledged_change_that_is_overwritten_by_a_late_request_is_lost() -> None:
    def overwrites(world: World) -> None:
        row = world.row("daily")
        attempt.late.append(lambda: world.server.swap_row(row, expected=None))

    attempt = Attempt(Reported.UNKNOWN, UNKNOWN)
    outcome = judged("alter", overwrites, attempt, fault=LOST_REQUEST, late="last")
    assert outcome.verdict is Verdict.LOST
    assert outcome.why.startswith("after what was late had arrived")


def test_a_partition_that_the_journal_does_not_have_is_lost() -> None:
    def adds_behind_the_journal(world: World) -> None:
        does_it("add partitions")(world)
        for path in world.catalog().storage.list_files(f"{world.warehouse}/sales.db/daily/partitions"):
            world.catalog().storage.delete(path)

    assert judged("add partitions", adds_behind_the_journal, Attempt()).verdict is Verdict.LOST


def test_a_lock_that_keeps_everybody_out_for_ever_is_reported() -> None:
    def locks_for_ever(world: World) -> None:
        does_it("alter")(world)
        world.lock = "always"
        world.server.lock(world.identifier("daily"))

    twin = Twin()
    twin.expire_locks = does_nothing  # type: ignore[assignment, method-assign]
    world = twin.world(SERVER, Protection.SWAP, "alter")
    before = world.look()
    locks_for_ever(world)
    outcome = judge(twin, world, a_cell("alter"), before, Attempt())
    assert outcome.verdict is Verdict.LOST
    assert "no other writer can go on" in outcome.why


def test_a_table_is_read_as_it_was_written_and_reports_what_it_leaves_out(tmp_path: Path) -> None:
    tally = Tally()
    tally.add(a_cell("alter"), Outcome(Reported.DONE, Verdict.KEPT))
    tally.add(a_cell("alter"), Outcome(Reported.REFUSED, Verdict.PHANTOM, "it is there"))
    text = written(tally, 7)
    assert "| checked swap without lock: twin of 2.3.10 | 2 | 1 | 1 | 0 | 0 | 0 | 1 | 0 |" in text
    again = read(text)
    assert again.counts == tally.counts
    assert again.injected == 2
    assert again.total(Verdict.PHANTOM) == 1
    assert len(again.missing()) == len(Protection) * len(VERBS) * len(PROMISES) - 1
    with pytest.raises(ValueError, match="no table"):
        read("all is well\n")
