"""Functions of dates and times in Trino: what engines answer on every row."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from hive_views.translation import Kind
from tests.interop.engines.translation.sampling import some
from tests.support.translation.answers import Refused
from tests.support.translation.asking import Bench
from tests.support.translation.cases import dates
from tests.support.translation.rows import TABLES, rows_of
from tests.support.translation.verdicts import judge_query, judge_values, translated, wrong_among

pytestmark = pytest.mark.parametrize("pair", [("hive", "trino"), ("spark", "trino")], ids="-".join)
Pair = tuple[str, str]


def _rows_of(texts: Collection[str]) -> set[int]:
    at = [name for name, _ in TABLES["t"]].index("ds")
    return {row[0] for row in rows_of("t") if row[at] in texts}


def test_the_same_on_every_row(bench: Bench, pair: Pair) -> None:
    assert not wrong_among(judge_values(bench, *pair, some(dates.SAME[pair])))
    if pair[0] == "spark":
        # Asked apart, since an engine is asked once more for each that fails.
        assert not wrong_among(judge_values(bench, *pair, some(dates.FAILING_BY_ANSI)))


def test_other_values_are_told_of_and_come_of_no_other_texts(bench: Bench, pair: Pair) -> None:
    may_differ = dates.TOLD[pair]
    judged = judge_values(bench, *pair, list(may_differ))
    assert [one.verdict for one in judged] == ["told"] * len(judged), "\n".join(map(str, judged))
    for one in judged:
        assert one.rows <= _rows_of(may_differ[one.text]), str(one)


def test_what_fails_for_some_texts_is_the_same_for_the_others(bench: Bench, pair: Pair) -> None:
    for expression, texts in dates.STRICTER[pair].items():
        text = f"SELECT id, {expression} AS x FROM bench.t"
        among = " OR ".join(f"ds = '{one}'" for one in texts)
        judged = judge_query(bench, *pair, f"{text} WHERE ds IS NULL OR {among}")
        assert judged.verdict == "same", str(judged)
        assert any(one.reason.kind is Kind.STRICTER for one in judged.translation.findings), str(judged)
        failing = bench.ask_all(translated(text, *pair).text or "", ["trino"])["trino"]
        assert isinstance(failing, Refused), expression
        assert failing.at_run, str(failing)


def test_a_text_of_a_time_alone_fails(bench: Bench, pair: Pair) -> None:
    """Hive 4 and Spark take the day of today for it, and Hive 2 makes NULL of it."""
    for text in ("concat('10:1', x)", "concat(' 10:11:1', x, '.5')"):
        judged = judge_query(bench, *pair, f"SELECT cast({text} AS timestamp) AS t FROM bench.u WHERE x = 1")
        assert judged.fails, str(judged)


def test_what_is_refused_has_the_reason(bench: Bench, pair: Pair) -> None:
    judged = judge_values(bench, *pair, list(dates.REFUSED[pair]))
    found = {one.text: one.translation.refusals[0].reason.code if one.translation.refusals else None for one in judged}
    assert found == dates.REFUSED[pair]
