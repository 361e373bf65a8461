"""The matrix of faults on a server that checks no swap (3.1.3), where only the lock keeps two writers apart.

Each pair of a verb and a fault is tried on its twin too (test_every_cell.py).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.faults import on_wire
from tests.faults.matrix import Protection
from tests.faults.on_wire import Wire, faults_in_tests
from tests.faults.report import chosen, server_in_container
from tests.faults.tally import Tally
from tests.faults.verbs import VERBS
from tests.support.containers.metastores import MetastoreServers

_SEED = 1


@pytest.fixture(scope="module")
def wire(metastore_servers: MetastoreServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    directory = tmp_path_factory.mktemp("every_cell")
    log = logging.getLogger("hive_views")
    level = log.level
    # What is warned of is what is injected.
    log.setLevel(logging.CRITICAL)
    with (
        server_in_container(metastore_servers, directory) as server,
        closing(Wire(server, directory / "files")) as made,
    ):
        yield made
    log.setLevel(level)


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_lost_and_no_phantom_appears_where_the_lock_alone_protects(wire: Wire, verb: str) -> None:
    tally = Tally()
    for fault in faults_in_tests(verb, 0):
        for cell in chosen(list(on_wire.cells(wire, Protection.LOCK, verb, fault)), 1, _SEED):
            outcome = wire.run(cell)
            assert outcome, f"the verb never came to {cell.point}"
            tally.add(cell, outcome)
    assert not tally.failures, "\n".join(tally.failures)
    assert {fault for _, _, fault in tally.counts} == set(faults_in_tests(verb, 0))
