"""Every verb under every fault, on the metastore in memory as each kind of server and under each protection."""

from __future__ import annotations

import pytest

from tests.faults import on_twin
from tests.faults.matrix import PROMISES, Protection
from tests.faults.on_twin import PROTECTIONS, Twin
from tests.faults.report import chosen
from tests.faults.tally import Tally
from tests.faults.verbs import VERBS

_SEED = 1


@pytest.mark.usefixtures("quiet_log")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("server", "protection"),
    [(server, protection) for server, protections in PROTECTIONS.items() for protection in protections],
    ids=lambda each: each.name if isinstance(each, Protection) else each,
)
def test_nothing_is_lost_and_no_phantom_appears(server: str, protection: Protection, verb: str) -> None:
    twin, tally = Twin(), Tally()
    for fault in PROMISES:
        cells = list(on_twin.cells(twin, server, protection, verb, fault))
        # A verb that fails early does not come to all of its writes.
        attempts = ((cell, twin.run(cell)) for cell in chosen(cells, len(cells), _SEED))
        cell, outcome = next((cell, outcome) for cell, outcome in attempts if outcome is not None)
        tally.add(cell, outcome)
    assert not tally.failures, "\n".join(tally.failures)
