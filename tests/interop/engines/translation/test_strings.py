"""Functions of strings, regular expressions, JSON and URLs in Trino: what engines answer on every row."""

from __future__ import annotations

import pytest

from tests.interop.engines.translation.sampling import some
from tests.support.translation.asking import Bench
from tests.support.translation.cases import patterns, strings
from tests.support.translation.verdicts import Judged, judge_values

pytestmark = pytest.mark.parametrize("pair", [("hive", "trino"), ("spark", "trino")], ids="-".join)
Pair = tuple[str, str]
ALLOWED = ("json-arrays", "base64-lines")
"""What is refused otherwise."""


def _judged(bench: Bench, pair: Pair, expressions: list[str]) -> list[Judged]:
    return judge_values(bench, *pair, expressions, allow=ALLOWED)


def test_the_same_on_every_row(bench: Bench, pair: Pair) -> None:
    asked = some([*strings.SAME[pair], *patterns.SAME[pair]])
    wrong = [str(one) for one in _judged(bench, pair, asked) if one.verdict != "same"]
    assert not wrong, "\n".join(wrong)


def test_other_values_are_told_of(bench: Bench, pair: Pair) -> None:
    may_differ = {**strings.TOLD[pair], **patterns.TOLD[pair]}
    judged = _judged(bench, pair, list(may_differ))
    wrong = [str(one) for one in judged if one.verdict not in ("same", "told") or not one.rows <= may_differ[one.text]]
    assert not wrong, "\n".join(wrong)
    assert any(one.verdict == "told" for one in judged)
    assert all(one.codes for one in judged)
