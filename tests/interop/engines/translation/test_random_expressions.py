"""Random expressions and queries, translated: what engines answer, or a finding says that it may be another value.

``RANDOM_QUERIES_SEED`` sets another seed, which is printed; ``python -m tests.support.translation.random_expressions``
asks for more on engines that are running.
"""

from __future__ import annotations

import os

import pytest

from tests.support.translation.asking import Bench
from tests.support.translation.cases import random_finds
from tests.support.translation.cases.random_finds import Pair
from tests.support.translation.random_expressions import RandomExpressions, hunt_expressions, hunt_queries
from tests.support.translation.verdicts import judge_values

pytestmark = pytest.mark.parametrize("pair", list(random_finds.SAME), ids="-".join)

EXPRESSIONS, QUERIES, SEED = 60, 4, 20_261_127


def test_what_is_translated_is_the_same_or_told(bench: Bench, pair: Pair) -> None:
    seed = int(os.environ.get("RANDOM_QUERIES_SEED") or SEED)
    print(f"RANDOM_QUERIES_SEED={seed}")
    made = RandomExpressions(seed, pair[0])
    expressions = hunt_expressions(bench, pair, [made.expression() for _ in range(EXPRESSIONS)])
    queries = hunt_queries(bench, pair, [made.query() for _ in range(QUERIES)])
    wrong = [*expressions.wrong, *queries.wrong]
    assert not wrong, f"RANDOM_QUERIES_SEED={seed}\n" + "\n".join(wrong[:20])
    # What is refused, or is nothing to the engine that it is written for, proves nothing.
    assert expressions.judged["same"] > EXPRESSIONS / 5


def test_what_was_found_before(bench: Bench, pair: Pair) -> None:
    judged = judge_values(bench, *pair, random_finds.SAME[pair])
    assert not [str(one) for one in judged if one.verdict != "same"]
    expected = random_finds.REFUSED[pair]
    judged = judge_values(bench, *pair, list(expected))
    assert {one.text: one.codes if one.verdict == "refused" else () for one in judged} == {
        text: (code,) for text, code in expected.items()
    }
