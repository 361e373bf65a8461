"""Comparisons, LIKE, conditions and the choice among values in Trino: what engines answer on every row."""

from __future__ import annotations

import pytest

from tests.interop.engines.translation.sampling import some
from tests.support.translation.asking import Bench
from tests.support.translation.cases import comparisons
from tests.support.translation.cases.comparisons import Pair
from tests.support.translation.verdicts import judge_values

pytestmark = pytest.mark.parametrize("pair", [("hive", "trino"), ("spark", "trino")], ids="-".join)


def test_the_same_on_every_row(bench: Bench, pair: Pair) -> None:
    judged = judge_values(bench, *pair, some(comparisons.SAME[pair]))
    wrong = [str(one) for one in judged if one.verdict != "same"]
    assert not wrong, "\n".join(wrong)


def test_other_values_are_told_of(bench: Bench, pair: Pair) -> None:
    may_differ = comparisons.TOLD[pair]
    judged = judge_values(bench, *pair, list(may_differ))
    wrong = [str(one) for one in judged if one.verdict != "told" or not one.rows <= may_differ[one.text]]
    assert not wrong, "\n".join(wrong)
