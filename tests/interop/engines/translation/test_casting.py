"""Literals, casts and implicit conversions in Trino: what engines answer on every row."""

from __future__ import annotations

from typing import Any

import pytest

from tests.interop.engines.translation.sampling import some
from tests.support.translation.answers import Refused
from tests.support.translation.asking import Bench
from tests.support.translation.cases import casting
from tests.support.translation.comparing import differing_values
from tests.support.translation.rows import TABLES, rows_of
from tests.support.translation.verdicts import judge_values, translated_expression, wrong_among

pytestmark = pytest.mark.parametrize("pair", [("hive", "trino"), ("spark", "trino")], ids="-".join)
Pair = tuple[str, str]


def _rows_of(column: str, values: tuple[Any, ...]) -> set[int]:
    at = [name for name, _ in TABLES["t"]].index(column)
    return {row[0] for row in rows_of("t") if str(row[at]) in map(str, values)}


def test_the_same_on_every_row(bench: Bench, pair: Pair) -> None:
    assert not wrong_among(judge_values(bench, *pair, some(casting.SAME[pair])))


def test_other_values_are_told_of(bench: Bench, pair: Pair) -> None:
    may_differ = casting.TOLD[pair]
    judged = judge_values(bench, *pair, list(may_differ))
    assert [one.verdict for one in judged] == ["told"] * len(judged), "\n".join(map(str, judged))
    for one in judged:
        column, values = may_differ[one.text]
        assert values is None or one.rows <= _rows_of(column, values), str(one)


def test_other_values_that_are_allowed(bench: Bench, pair: Pair) -> None:
    allowed = casting.ALLOWED[pair]
    judged = judge_values(bench, *pair, list(allowed), allow=set(allowed.values()))
    assert [one.verdict for one in judged] == ["told"] * len(judged), "\n".join(map(str, judged))
    if pair == ("hive", "trino"):
        # It is what Hive 4 makes.
        texts = [one.text for one in judged]
        answers = bench.values("trino", [translated_expression(one.translation.text or "", "trino") for one in judged])
        for answer, meant in zip(answers, bench.values("hive-4.0", texts), strict=True):
            assert differing_values(answer, meant) is None


def test_some_rows_fail_and_no_other_value_comes_out(bench: Bench, pair: Pair) -> None:
    judged = judge_values(bench, *pair, some(casting.STRICTER[pair]))
    assert not wrong_among(judged)
    answers = [bench.ask_all(one.translation.text or "", ["trino"])["trino"] for one in judged]
    assert all(isinstance(answer, Refused) and answer.at_run for answer in answers)


def test_a_text_of_no_day_fails_on_every_row(bench: Bench, pair: Pair) -> None:
    judged = judge_values(bench, *pair, casting.FAILING[pair])
    assert [one.verdict for one in judged] == ["fails"] * len(judged), "\n".join(map(str, judged))


def test_refused_with_the_reason(bench: Bench, pair: Pair) -> None:
    judged = judge_values(bench, *pair, list(casting.REFUSED[pair]))
    found = {one.text: one.translation.refusals[0].reason.code if one.translation.refusals else None for one in judged}
    assert found == casting.REFUSED[pair]
