"""Texts of Hive for Spark, and of Spark for Hive: what engines answer to the text and to its edited form."""

from __future__ import annotations

import pytest

from tests.interop.engines.translation.sampling import some
from tests.support.translation.asking import Bench
from tests.support.translation.cases import inplace
from tests.support.translation.verdicts import judge_query, judge_values

Pair = tuple[str, str]
pytestmark = pytest.mark.parametrize("pair", [inplace.HIVE, inplace.SPARK], ids="-".join)


def test_the_same_on_every_row(bench: Bench, pair: Pair) -> None:
    judged = judge_values(bench, *pair, some(inplace.SAME[pair]))
    wrong = [str(one) for one in judged if one.verdict != "same"]
    assert not wrong, "\n".join(wrong)


def test_other_values_are_told_of(bench: Bench, pair: Pair) -> None:
    may_differ = inplace.TOLD[pair]
    judged = judge_values(bench, *pair, list(may_differ))
    wrong = [str(one) for one in judged if one.verdict != "told" or not one.rows <= may_differ[one.text]]
    assert not wrong, "\n".join(wrong)


def test_queries(bench: Bench, pair: Pair) -> None:
    judged = [judge_query(bench, *pair, query) for query in some(inplace.QUERIES[pair])]
    wrong = [str(one) for one in judged if one.verdict != "same"]
    assert not wrong, "\n".join(wrong)
