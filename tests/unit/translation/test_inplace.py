"""Texts of Hive for Spark, and of Spark for Hive: the edits, and what is refused."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from hive_views.translation import Status
from tests.support.translation.cases import inplace
from tests.support.translation.verdicts import translated

Pair = tuple[str, str]
PAIRS = [inplace.HIVE, inplace.SPARK]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select stddev( i ) a from bench.t -- all", "select stddev_pop( i ) a from bench.t -- all"),
        ("select count(*), i from bench.t group by i", "select count(*) AS `_c0`, i from bench.t group by i"),
        ("select cast(b as string) x from bench.t", "select upper(cast(b as string)) x from bench.t"),
        ("select last_day(dt) x from bench.t", "select cast(last_day(dt) as string) x from bench.t"),
        ("select dt + interval 1 day x from bench.t", "select cast(dt as timestamp) + interval 1 day x from bench.t"),
        ("select size(ai) x from bench.t", "select coalesce(size(ai), -1) x from bench.t"),
        ("select 1.50 x from bench.t", "select 1.5 x from bench.t"),
        ("select 'it''s' x from bench.t", "select 'it' 's' x from bench.t"),
        ("select id from bench.t where s2 = 10", "select id from bench.t where cast(s2 as double) = 10"),
        (
            "select greatest(i, j, 3) x from bench.t",
            "select CASE WHEN i IS NOT NULL AND j IS NOT NULL THEN greatest(i, j, 3) END x from bench.t",
        ),
        ("select sqrt(i) x from bench.t", "select CASE WHEN i >= 0 THEN sqrt(i) END x from bench.t"),
        (
            "select z.val from bench.t a lateral view posexplode(a.ai) z",
            "select z.val from bench.t a lateral view posexplode(a.ai) z AS pos, val",
        ),
        (
            "select id from bench.t where id > 0 order by id limit 3, 2",
            "select id from bench.t where id > 0 order by id limit 2 OFFSET 3",
        ),
    ],
)
def test_edits_for_spark(text: str, expected: str) -> None:
    found = translated(text, *inplace.HIVE)
    assert found.text == expected
    assert found.status is Status.TRANSLATED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select variance(i) a from bench.t", "select var_samp(i) a from bench.t"),
        ("select last_day(dt) x from bench.t", "select cast(last_day(dt) as date) x from bench.t"),
        ("select id, i from bench.t order by i limit 5", "select id, i from bench.t order by i NULLS FIRST limit 5"),
        (
            "select id, i from bench.t order by i desc limit 5",
            "select id, i from bench.t order by i desc NULLS LAST limit 5",
        ),
        ("select id from spark_catalog.bench.t", "select id from bench.t"),
        ("select b is true as x from bench.t", "select b <=> true as x from bench.t"),
    ],
)
def test_edits_for_hive(text: str, expected: str) -> None:
    assert translated(text, *inplace.SPARK).text == expected


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_a_text_that_means_the_same_stays_as_it_is(pair: Pair) -> None:
    text = "select  id, upper(s) AS x /* kept */\nfrom bench.t where i in (1, 2)"
    found = translated(text, *pair)
    assert found.text == text
    assert found.status is Status.UNCHANGED


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_what_is_refused(pair: Pair) -> None:
    expressions = {f"SELECT id AS id, {one} AS c1 FROM bench.t": code for one, code in inplace.REFUSED[pair].items()}
    wrong = []
    for text, code in {**expressions, **inplace.REFUSED_QUERIES[pair]}.items():
        found = translated(text, *pair)
        if found.text is not None or code not in {one.reason.code for one in found.refusals}:
            wrong.append((text, code, found.text, [str(one) for one in found.findings]))
    assert not wrong


def test_a_refusal_says_where() -> None:
    found = translated("select id,\n  hash(s) as h from bench.t", *inplace.HIVE)
    (one,) = found.refusals
    assert (one.reason.code, one.line, one.column) == ("hash", 2, 3)


def test_what_is_allowed_is_translated() -> None:
    text = "select year(ds) as y from bench.t"
    assert translated(text, *inplace.HIVE).text is None
    assert translated(text, *inplace.HIVE, allow=["text-as-date"]).text == text


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize(
    "expression",
    [
        *("current_date", "current_timestamp", "from_unixtime(i)", "from_unixtime(l, 'yyyy')"),
        *("unix_timestamp(ts)", "unix_timestamp(dt)", "to_unix_timestamp(ts)", "year(from_unixtime(i, 'yyyy-MM-dd'))"),
    ],
)
def test_what_is_of_the_zone_of_a_session_is_told(pair: Pair, expression: str) -> None:
    assert _told(expression, pair, allow=["text-as-date"]) - {"text-as-date", "ansi"} == {"session-zone"}


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize(
    ("expression", "codes"),
    [
        ("ts + interval 2 hours", {"clock-change"}),
        ("ts - interval 1 day", {"clock-change"}),
        ("ts + interval 1 month", {"clock-change"}),
        ("dt + interval 2 hours", {"clock-change"}),
        ("dt + interval 1 month", set()),
        ("date_add(ts, 1)", set()),
        ("months_between(ts, dt)", {"day-of-change"}),
        ("months_between('2020-01-31', ts)", {"day-of-change"}),
        ("months_between(dt, '2020-01-31')", set()),
        ("from_utc_timestamp(ts, 'Europe/Berlin')", {"local-times"}),
        ("to_utc_timestamp(dt, 'Europe/Berlin')", {"local-times"}),
        ("from_utc_timestamp(ts, 'UTC')", set()),
    ],
)
def test_what_depends_on_when_clocks_change_is_told(pair: Pair, expression: str, codes: set[str]) -> None:
    assert _told(expression, pair) == codes


def _told(expression: str, pair: Pair, allow: Collection[str] = ()) -> set[str]:
    found = translated(f"select id, {expression} x from bench.t", *pair, allow=allow)
    assert found.text
    return {one.reason.code for one in found.findings}
