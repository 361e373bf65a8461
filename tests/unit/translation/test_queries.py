"""The texts of clauses, aggregates and windows in Trino, and what is refused."""

from __future__ import annotations

import pytest

from hive_views.hive.row import Column
from hive_views.translation import translate
from tests.support.translation.cases import queries
from tests.support.translation.verdicts import translated

_AROUND = (
    'SELECT CAST("q"."c0" AS bigint) AS "p", "q"."c1" AS "q" FROM '
    '( SELECT "u"."id" AS "id", "u"."x" AS "x" FROM "u" %s ) AS "q" ("c0", "c1")'
)
"""A query in FROM of another one, which converts its columns."""


def _text(source: str, query: str, *allow: str) -> str:
    """The translation on one line."""
    return " ".join((translated(query, source, "trino", allow).text or "").split())


@pytest.mark.parametrize(
    ("source", "written", "expected"),
    [
        ("hive", "count(distinct i, s)", 'count(DISTINCT ("t"."i", "t"."s")) FILTER (WHERE {both})'),
        ("spark", "count(i, s)", "count_if({both})"),
        ("hive", "sum(n)", 'CAST(sum("t"."n") AS decimal(20, 2))'),
        ("hive", "avg(n)", 'CAST(CAST(sum("t"."n") AS decimal(38, 6)) / count("t"."n") AS decimal(14, 6))'),
        ("hive", "avg(f)", 'avg(CAST("t"."f" AS double))'),
        ("hive", "max(d)", 'max("t"."d")'),
        ("spark", "max(d)", 'if(bool_or(is_nan("t"."d")), nan(), max("t"."d"))'),
        ("hive", "stddev(d)", 'stddev_pop("t"."d")'),
        ("spark", "stddev(d)", 'stddev_samp("t"."d")'),
        ("hive", "corr(i, d)", 'corr(CAST("t"."i" AS double), "t"."d")'),
        (
            "hive",
            "collect_set(i)",
            'coalesce(array_agg(DISTINCT "t"."i") FILTER (WHERE "t"."i" IS NOT NULL), ARRAY[])',
        ),
        ("spark", "sum(i) FILTER (WHERE b)", 'sum("t"."i") FILTER (WHERE "t"."b")'),
        ("spark", "every(b)", 'bool_and("t"."b")'),
    ],
)
def test_aggregates(source: str, written: str, expected: str) -> None:
    text = expected.replace("{both}", '"t"."i" IS NOT NULL AND "t"."s" IS NOT NULL')
    assert _text(source, f"SELECT {written} a FROM bench.t") == f'SELECT {text} AS "a" FROM "bench"."t"'


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("rank() OVER (ORDER BY id)", 'CAST(rank() OVER (ORDER BY "u"."id" ASC NULLS FIRST) AS integer)'),
        (
            "last_value(x, true) OVER (PARTITION BY id ORDER BY x DESC)",
            'last_value("u"."x") IGNORE NULLS OVER (PARTITION BY "u"."id" ORDER BY "u"."x" DESC NULLS LAST)',
        ),
        (
            "sum(x) OVER (ORDER BY x ROWS 2 PRECEDING)",
            'sum("u"."x") OVER (ORDER BY "u"."x" ASC NULLS FIRST ROWS 2 PRECEDING)',
        ),
    ],
)
@pytest.mark.parametrize("source", ["hive", "spark"])
def test_windows(source: str, written: str, expected: str) -> None:
    found = _text(source, f"SELECT {written} a FROM bench.u", "null-order")
    assert found == f'SELECT {expected} AS "a" FROM "bench"."u"'


def test_a_null_that_cannot_be_needs_no_place_in_the_order() -> None:
    query = "SELECT id, rank() OVER (ORDER BY x) r FROM bench.u WHERE x > 0"
    assert not translated(query, "hive", "trino").findings
    assert not translated(f"{query} AND x IS NOT NULL ORDER BY x LIMIT 1", "hive", "trino").findings
    assert translated(query.replace("x > 0", "x > 0 OR id > 0"), "hive", "trino").text is None
    assert translated(query.replace("ORDER BY x", "ORDER BY x NULLS LAST"), "hive", "trino").text


def test_a_merged_column_is_that_of_the_side_that_has_all_rows() -> None:
    joined = "FROM bench.u a {} JOIN bench.e b USING (id)"
    sides = {side: _text("spark", f"SELECT id, b.id y {joined.format(side)}") for side in ("", "RIGHT", "FULL")}
    assert sides[""].startswith('SELECT "a"."id" AS "id", "b"."id" AS "y" FROM')
    assert sides["RIGHT"].startswith('SELECT "b"."id" AS "id",')
    assert sides["FULL"].startswith('SELECT coalesce("a"."id", "b"."id") AS "id",')
    assert all(text.endswith('JOIN "bench"."e" AS "b" ON "a"."id" = "b"."id"') for text in sides.values())


def test_a_star_with_using_is_known_to_trino_only() -> None:
    query = "SELECT *, a.x y FROM bench.u a JOIN bench.u b USING (id, k)"
    names = ["id", "k", "x", "x", "y"]
    found = _text("spark", query)
    assert [part.split('"')[1] for part in found.partition(" FROM ")[0].split(" AS ")[1:]] == names


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT id, x FROM u", 'SELECT CAST("u"."id" AS bigint) AS "p", "u"."x" AS "q" FROM "u"'),
        ("SELECT id, x FROM u ORDER BY x NULLS FIRST LIMIT 3", _AROUND % 'ORDER BY "x" ASC NULLS FIRST LIMIT 3'),
        (
            "SELECT id, x FROM u UNION ALL SELECT NULL, x FROM u",
            _AROUND % 'UNION ALL SELECT CAST(NULL AS integer) AS "id", "u"."x" AS "x" FROM "u"',
        ),
    ],
)
def test_columns_of_a_view(query: str, expected: str) -> None:
    columns = [Column("p", "bigint"), Column("q", "int")]
    tables = {("bench", "u"): [Column("id", "int"), Column("k", "string"), Column("x", "int")]}
    found = translate(query, tables=tables, namespace="bench", columns=columns)
    assert " ".join((found.text or "").split()) == expected


def test_grouping_sets_stand_alone() -> None:
    found = _text("hive", "SELECT id, count(*) c FROM bench.u GROUP BY id, k GROUPING SETS ((id, k), id, ())")
    assert found.endswith('GROUP BY GROUPING SETS (("u"."id", "u"."k"), ("u"."id"), ())')


def test_rows_are_compared_before_they_are_converted() -> None:
    found = _text("hive", "SELECT DISTINCT n a FROM bench.t UNION ALL SELECT d FROM bench.t")
    first, _, second = found.partition(" UNION ALL ")
    distinct = 'SELECT DISTINCT "t"."n" AS "a" FROM "bench"."t"'
    assert first == f'SELECT CAST("q"."c0" AS double) AS "a" FROM ( {distinct} ) AS "q" ("c0")'
    assert second == 'SELECT "t"."d" AS "a" FROM "bench"."t"'


def test_a_name_of_an_output_is_known_in_order_by_only() -> None:
    found = _text("spark", "SELECT id a, max(x) s FROM bench.u GROUP BY a HAVING s > 1 ORDER BY s, a")
    grouped = 'GROUP BY "u"."id" HAVING max("u"."x") > 1'
    assert found.endswith(f'{grouped} ORDER BY "s" ASC NULLS FIRST, "a" ASC NULLS FIRST')


@pytest.mark.parametrize("pair", [("hive", "trino"), ("spark", "trino")], ids="-".join)
def test_refused_with_the_reason(pair: tuple[str, str]) -> None:
    found = {text: translated(text, *pair).refusals[0].reason.code for text in queries.REFUSED[pair]}
    assert found == queries.REFUSED[pair]


def test_the_place_of_what_is_refused() -> None:
    (found,) = translated("SELECT id,\n  first(x) f\nFROM bench.u", "spark", "trino").refusals
    assert (found.reason.code, found.line, found.column) == ("nondeterministic", 2, 3)
