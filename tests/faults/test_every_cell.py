"""Some cells of the matrix of faults of each verb, fault, protection; ``python -m tests.faults.report`` makes all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.faults import on_twin, on_wire
from tests.faults.listener import Orders
from tests.faults.matrix import PROMISES, Protection, Verdict
from tests.faults.on_twin import PROTECTIONS, Twin
from tests.faults.on_wire import IN_TESTS, Server, Wire, faults_in_tests
from tests.faults.report import ENOUGH, chosen
from tests.faults.tally import REPORT, Tally, read, written
from tests.faults.verbs import VERBS

pytestmark = pytest.mark.usefixtures("quiet_log")

_SEED = 1


@pytest.fixture(scope="module")
def twin() -> Twin:
    return Twin()


@pytest.fixture(scope="module")
def wire(listening: tuple[str, Orders], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    uri, orders = listening
    server = Server("2.3.10", uri, orders, (Protection.LOCK_AND_SWAP, Protection.SWAP))
    with closing(Wire(server, tmp_path_factory.mktemp("every_cell"))) as made:
        yield made


@pytest.mark.parametrize("fault", PROMISES)
@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_lost_and_no_phantom_appears_on_the_twin(twin: Twin, verb: str, fault: str) -> None:
    tally = Tally()
    for server, protections in PROTECTIONS.items():
        for protection in protections:
            cells = list(on_twin.cells(twin, server, protection, verb, fault))
            # Some have a rival who finds nothing to change.
            outcomes = ((cell, twin.run(cell)) for cell in chosen(cells, len(cells), _SEED))
            for cell, outcome in itertools.islice((each for each in outcomes if each[1]), 1):
                assert outcome
                tally.add(cell, outcome)
    assert not tally.failures, "\n".join(tally.failures)
    assert {place.protection for place in tally.places()} == {protection.value for protection in Protection}


@pytest.mark.parametrize(("verb", "fault"), [(verb, fault) for verb in VERBS for fault in faults_in_tests(verb, 1)])
def test_nothing_is_lost_and_no_phantom_appears_on_the_wire(wire: Wire, verb: str, fault: str) -> None:
    """Each verb with and without the lock, the one or the other for each fault; the other faults in a container."""
    turn = list(VERBS).index(verb) // 2 + IN_TESTS.index(fault) // 2
    protection = wire.server.protections[turn % len(wire.server.protections)]
    (cell,) = chosen(list(on_wire.cells(wire, protection, verb, fault)), 1, _SEED)
    tally, outcome = Tally(), wire.run(cell)
    assert outcome, f"the verb never came to {cell.point}"
    tally.add(cell, outcome)
    assert not tally.failures, "\n".join(tally.failures)


def test_the_report_in_the_tree_has_every_cell_and_nothing_lost() -> None:
    text = REPORT.read_text(encoding="utf-8")
    tally = read(text)
    assert tally.missing() == []
    assert tally.injected >= ENOUGH
    assert {verdict.value: tally.total(verdict) for verdict in Verdict if verdict is not Verdict.KEPT} == {
        "lost": 0,
        "phantom": 0,
        "unpromised": 0,
    }
    servers = {place.server for place in tally.places()}
    assert servers == {*PROTECTIONS, "2.3.10", "3.1.3"}
    (seed,) = (int(word) for word in text.partition("took seed ")[2].split(".")[:1])
    assert written(tally, seed) == text, "the head of the table is not the sum of its cells"
