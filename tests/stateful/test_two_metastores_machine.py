"""Any order of verbs and failures in two metastores on one storage: no file goes that a row needs."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.stateful.two_metastores import TwoMetastores

assert settings.default
# Before files had owners, one was lost in one of some hundred examples.
MANY = 2 * settings.default.max_examples


class TwoMetastoresBySwap(TwoMetastores):
    """Nobody takes locks."""

    lock = "never"


@pytest.mark.parametrize(("machine", "share"), [(TwoMetastores, 1), (TwoMetastoresBySwap, 2)])
def test_no_steps_delete_a_file_that_a_row_needs(machine: type[TwoMetastores], share: int) -> None:
    """What locks change is a small part of it: half of the examples do without."""
    run_state_machine_as_test(machine, settings=settings(max_examples=MANY // share))
