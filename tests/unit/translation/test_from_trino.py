"""Texts of Trino for Hive and Spark: the texts that are written, and what is refused."""

from __future__ import annotations

import pytest

from hive_views.hive.row import Column
from hive_views.translation import translate
from tests.support.translation.cases import from_trino
from tests.support.translation.verdicts import translated

Pair = tuple[str, str]
PAIRS = [from_trino.TO_HIVE, from_trino.TO_SPARK]
both = pytest.mark.parametrize("pair", PAIRS, ids="-".join)


def written(expression: str, target: str) -> str:
    found = translated(f"SELECT {expression} AS a FROM bench.t", "trino", target).text or ""
    return found.removeprefix("SELECT\n  ").removesuffix(" AS `a`\nFROM `bench`.`t` `t`")


@pytest.mark.parametrize(
    ("expression", "hive", "spark"),
    [
        ("i / 2", "CAST(`t`.`i` div 2 AS int)", None),
        ("l + 1", "`t`.`l` + 1", None),
        ("n = 1.50", "`t`.`n` = CAST(1.50 AS decimal(10,2))", None),
        (r"'it''s a \'", r"'it\'s a \\'", None),
        ("v || s", "concat(CAST(`t`.`v` AS string), `t`.`s`)", None),
        ("ai[1]", "`t`.`ai`[0]", "get(`t`.`ai`, 0)"),
        (
            "greatest(i, 2)",
            "greatest(`t`.`i`, 2)",
            "CASE WHEN `t`.`i` IS NOT NULL AND 2 IS NOT NULL THEN greatest(`t`.`i`, 2) END",
        ),
        ("date_add('week', 2, dt)", "CAST(date_add(`t`.`dt`, 14) AS date)", None),
        ("dt - INTERVAL '1' DAY", "CAST(date_add(`t`.`dt`, -1) AS date)", None),
        ("i NOT BETWEEN 1 AND 2", "NOT ((`t`.`i` >= 1) AND (`t`.`i` <= 2))", None),
        ("CASE i WHEN 1 THEN 'a' END", "CASE WHEN `t`.`i` = 1 THEN 'a' END", None),
        ("-2147483648", "CAST(-2147483648 AS int)", None),
        ("sum(n)", "sum(CAST(`t`.`n` AS decimal(38,2)))", None),
        ("count(*) FILTER (WHERE b)", "count(CASE WHEN `t`.`b` THEN 1 END)", None),
        (
            "row_number() OVER (ORDER BY id)",
            "CAST(row_number() OVER (ORDER BY `t`.`id` ASC NULLS LAST) AS bigint)",
            None,
        ),
    ],
)
def test_the_text_in_hive_and_spark(expression: str, hive: str, spark: str | None) -> None:
    assert (written(expression, "hive"), written(expression, "spark")) == (hive, spark or hive)


@both
def test_what_is_known_is_translated(pair: Pair) -> None:
    queries = [f"SELECT id AS id, {one} AS c1 FROM bench.t" for one in (*from_trino.SAME[pair], *from_trino.TOLD[pair])]
    queries += [*from_trino.QUERIES[pair], *from_trino.IN_ORDER]
    refused = [translated(query, *pair) for query in queries]
    assert [list(map(str, one.refusals)) for one in refused if one.text is None] == []


@both
def test_the_rest_is_refused_with_its_reason(pair: Pair) -> None:
    expected = {f"SELECT {one} AS c1 FROM bench.t": code for one, code in from_trino.REFUSED[pair].items()}
    expected |= from_trino.REFUSED_QUERIES[pair]
    found = {query: translated(query, *pair) for query in expected}
    assert {query: [one.reason.code for one in found[query].refusals] for query in expected} == {
        query: [code] for query, code in expected.items()
    }
    assert [query for query, one in found.items() if one.text is not None] == []


@both
def test_all_that_is_refused_is_found_at_once(pair: Pair) -> None:
    text = (
        "SELECT sqrt(d) AS a, f(i) AS b FROM bench.t WHERE g(i) = 1 GROUP BY h(i) UNION ALL SELECT k(i), 2 FROM bench.t"
    )
    found = translated(text, *pair)
    assert [one.construct for one in found.refusals] == ["sqrt(d)", "f(i)", "g(i)", "h(i)", "k(i)"]


@both
def test_differences_can_be_allowed(pair: Pair) -> None:
    assert translated("SELECT d / d2 AS a FROM bench.t", *pair, allow=["double-by-zero"]).text is not None


def test_a_lost_condition_can_be_allowed() -> None:
    query = "SELECT id, x FROM bench.t CROSS JOIN UNNEST(ai) AS z (x) WHERE x > id"
    found = translated(query, *from_trino.TO_HIVE, allow=["condition-on-lateral-view"])
    assert found.text is not None
    assert "LATERAL VIEW explode(`t`.`ai`) `z` AS `x`" in found.text


TABLES = {"web.clicks": [("page", "string"), ("n", "int"), ("price", "decimal(10,2)")]}


@pytest.mark.parametrize("target", ["hive", "spark"])
def test_columns_of_a_view_widen_its_outputs(target: str) -> None:
    columns = [Column("p", "string"), Column("total", "bigint")]
    tables = {("web", "clicks"): [Column(*one) for one in TABLES["web.clicks"]]}
    text = "SELECT page, n FROM web.clicks"
    found = translate(text, "trino", target, tables=tables, columns=columns)
    assert found.text == (
        "SELECT\n  `clicks`.`page` AS `p`,\n  CAST(`clicks`.`n` AS bigint) AS `total`\nFROM `web`.`clicks` `clicks`"
    )
    narrower = [Column("p", "string"), Column("total", "smallint")]
    refused = translate(text, "trino", target, tables=tables, columns=narrower)
    assert [one.reason.code for one in refused.refusals] == ["conversion"]


@pytest.mark.parametrize("target", ["hive", "spark"])
def test_what_is_nested_in_many_levels_is_translated_or_refused(target: str) -> None:
    text = "i"
    for _ in range(40):
        text = f"nullif({text}, 1)"
    found = translated(f"SELECT {text} AS a FROM bench.t", "trino", target)
    assert [one.reason.code for one in found.refusals] == ["too-long"]
    long = translated(f"SELECT {' || '.join(['s'] * 400)} AS a FROM bench.t", "trino", target)
    assert long.text is not None or long.refusals
