"""Texts of Trino for Hive and Spark: what engines answer."""

from __future__ import annotations

import os

import pytest

from tests.interop.engines.translation.sampling import some
from tests.support.translation.asking import Bench
from tests.support.translation.cases import from_trino
from tests.support.translation.random_expressions import RandomExpressions, hunt_expressions
from tests.support.translation.verdicts import judge_query, judge_values, wrong_among

Pair = tuple[str, str]
pytestmark = pytest.mark.parametrize("pair", [from_trino.TO_HIVE, from_trino.TO_SPARK], ids="-".join)

EXPRESSIONS, SEED = 60, 20_261_128


def test_the_same_on_every_row(bench: Bench, pair: Pair) -> None:
    assert not wrong_among(judge_values(bench, *pair, some(from_trino.SAME[pair])))


def test_other_values_are_told_of(bench: Bench, pair: Pair) -> None:
    expected = from_trino.TOLD[pair]
    judged = judge_values(bench, *pair, list(expected))
    assert {one.text: one.codes if one.verdict == "told" else one.verdict for one in judged} == {
        text: (code,) for text, code in expected.items()
    }


def test_the_same_rows(bench: Bench, pair: Pair) -> None:
    assert not wrong_among([judge_query(bench, *pair, query) for query in some(from_trino.QUERIES[pair])])


def test_the_same_rows_in_the_same_order(bench: Bench, pair: Pair) -> None:
    queries = some(from_trino.IN_ORDER)
    assert not wrong_among([judge_query(bench, *pair, query, in_order=True) for query in queries])


def test_random_expressions_are_the_same_or_told(bench: Bench, pair: Pair) -> None:
    seed = int(os.environ.get("RANDOM_QUERIES_SEED") or SEED)
    print(f"RANDOM_QUERIES_SEED={seed}")
    made = RandomExpressions(seed, "trino")
    found = hunt_expressions(bench, pair, [made.expression() for _ in range(EXPRESSIONS)])
    assert not found.wrong, f"RANDOM_QUERIES_SEED={seed}\n" + "\n".join(found.wrong[:20])
    # What is refused proves nothing.
    assert found.judged["same"] > EXPRESSIONS / 5
