"""Clauses of queries, aggregates and windows in Trino: what engines answer."""

from __future__ import annotations

import pytest

from tests.interop.engines.translation.sampling import some
from tests.support.translation.asking import Bench
from tests.support.translation.cases import queries
from tests.support.translation.verdicts import judge_query

pytestmark = pytest.mark.parametrize("pair", [("hive", "trino"), ("spark", "trino")], ids="-".join)
Pair = tuple[str, str]


def test_the_same_rows(bench: Bench, pair: Pair) -> None:
    judged = [judge_query(bench, *pair, query) for query in some(queries.SAME[pair])]
    assert not [str(one) for one in judged if one.verdict != "same"]


def test_the_same_rows_in_the_same_order(bench: Bench, pair: Pair) -> None:
    judged = [judge_query(bench, *pair, query, in_order=True) for query in some(queries.IN_ORDER[pair])]
    assert not [str(one) for one in judged if one.verdict != "same"]


def test_other_answers_are_told_of(bench: Bench, pair: Pair) -> None:
    judged = [judge_query(bench, *pair, query) for query in queries.TOLD[pair]]
    judged += [judge_query(bench, *pair, query, allow=[code]) for query, code in queries.ALLOWED[pair].items()]
    assert not [str(one) for one in judged if one.verdict != "told"]
    expected = {**queries.TOLD[pair], **queries.ALLOWED[pair]}
    assert {one.text: one.codes for one in judged} == {text: (code,) for text, code in expected.items()}
