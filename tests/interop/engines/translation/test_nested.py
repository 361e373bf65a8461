"""Arrays, maps and structs in Trino, and views of their elements: what engines answer."""

from __future__ import annotations

import pytest

from tests.interop.engines.translation.sampling import some
from tests.support.translation.asking import Bench
from tests.support.translation.cases import nested
from tests.support.translation.verdicts import judge_query, judge_values, wrong_among

pytestmark = pytest.mark.parametrize("pair", [("hive", "trino"), ("spark", "trino")], ids="-".join)
Pair = tuple[str, str]


def test_the_same_on_every_row(bench: Bench, pair: Pair) -> None:
    assert not wrong_among(judge_values(bench, *pair, some(nested.SAME[pair])))


def test_arrays_are_sorted_the_same(bench: Bench, pair: Pair) -> None:
    assert not wrong_among(judge_values(bench, *pair, some(nested.SORTED[pair])))


def test_the_same_rows(bench: Bench, pair: Pair) -> None:
    assert not wrong_among([judge_query(bench, *pair, query) for query in some(nested.QUERIES[pair])])


def test_what_is_refused_has_the_reason(bench: Bench, pair: Pair) -> None:
    judged = judge_values(bench, *pair, list(nested.REFUSED[pair]))
    found = {one.text: one.translation.refusals[0].reason.code if one.translation.refusals else None for one in judged}
    assert found == nested.REFUSED[pair]


@pytest.mark.parametrize("query", nested.LOST_IN_HIVE_4)
def test_hive_4_loses_a_condition_on_a_lateral_view(bench: Bench, pair: Pair, query: str) -> None:
    judged = judge_query(bench, *pair, query, allow=["condition-on-lateral-view"])
    if pair[0] == "spark":
        assert judged.verdict == "same", str(judged)
        return
    assert judged.verdict == "told", str(judged)
    (difference,) = judged.differences
    assert difference.startswith("hive-4.0 reads the text otherwise"), difference
