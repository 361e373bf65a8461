"""Literals, casts and implicit conversions as texts of Trino; refusals with their places."""

from __future__ import annotations

import pytest

from hive_views.hive.row import Column
from hive_views.translation import translate
from tests.support.translation.cases import casting
from tests.support.translation.verdicts import translated, translated_expression

_TABLES = {("bench", "t"): [Column("id", "int"), Column("x", "array<struct<a:int,b:string>>"), Column("c", "char(5)")]}

_STRUCTS = (
    'transform("t"."x", e -> IF(e IS NOT NULL, CAST(ROW(e."a", TRY_CAST(e."b" AS double))'
    ' AS row("a" integer, "b" double))))'
)


def _text(expression: str, source: str = "hive") -> str:
    found = translated(f"SELECT id AS id, {expression} AS c1 FROM bench.t", source, "trino")
    assert found.text is not None, found.findings
    return translated_expression(found.text, "trino")


@pytest.mark.parametrize(
    ("source", "expression", "text"),
    [
        ("hive", "cast('10' as bigint)", "BIGINT '10'"),
        ("hive", "cast(0.5 as double)", "DOUBLE '0.5'"),
        ("hive", "cast(' 2020-01-31' as string)", "' 2020-01-31'"),
        ("hive", "cast('2020-1-5' as date)", "DATE '2020-01-05'"),
        ("hive", "cast('2020-01-31 1:2:3.5' as timestamp)", "TIMESTAMP '2020-01-31 01:02:03.500'"),
        ("hive", "1.50", "DECIMAL '1.5'"),
        ("spark", "1.50", "DECIMAL '1.50'"),
        ("hive", "cast(1.5 as decimal(10,2))", "CAST('1.50' AS decimal(10, 2))"),
        ("hive", "-2147483648", "BIGINT '-2147483648'"),
        ("spark", "-2147483648", "INTEGER '-2147483648'"),
        ("hive", r"'it\'s \u0041\%'", r"'it''s A\%'"),
        ("hive", "cast(i as bigint)", 'CAST("t"."i" AS bigint)'),
        ("hive", "cast(n as int)", 'CAST(truncate("t"."n") AS integer)'),
        ("hive", "cast(n2 as int)", 'TRY_CAST(truncate("t"."n2") AS integer)'),
        ("spark", "try_cast(d as int)", 'TRY_CAST(truncate("t"."d") AS integer)'),
        ("hive", "cast(s2 as double)", 'TRY_CAST("t"."s2" AS double)'),
        ("hive", "cast(d as string)", """IF("t"."d" IS NOT NULL, format('%s', "t"."d"))"""),
        ("hive", "cast(ts as string)", """rtrim(rtrim(CAST("t"."ts" AS varchar), '0'), '.')"""),
        ("hive", "cast(c as string)", 'trim(TRAILING \' \' FROM CAST("t"."c" AS varchar))'),
        ("spark", "cast(c as string)", 'CAST("t"."c" AS varchar)'),
        ("hive", "cast(i as varchar(2))", 'CAST(CAST("t"."i" AS varchar) AS varchar(2))'),
        ("spark", "cast(ai as array<bigint>)", 'CAST("t"."ai" AS array(bigint))'),
        ("spark", "cast(ast as array<double>)", 'transform("t"."ast", e -> TRY_CAST(e AS double))'),
    ],
)
def test_texts(source: str, expression: str, text: str) -> None:
    assert _text(expression, source) == text


@pytest.mark.parametrize("pair", casting.REFUSED, ids="-".join)
def test_refusals(pair: tuple[str, str]) -> None:
    for expression, code in casting.REFUSED[pair].items():
        found = translated(f"SELECT\n  {expression} AS x FROM bench.t", *pair)
        (finding,) = found.refusals
        assert found.text is None
        assert (finding.reason.code, finding.line) == (code, 2), expression


def test_the_place_of_a_refusal() -> None:
    (finding,) = translated("SELECT id,\n  cast(i as timestamp) FROM bench.t", "hive", "trino").refusals
    assert (finding.line, finding.column, finding.construct) == (2, 8, "CAST(i AS TIMESTAMP)")


def test_a_difference_that_is_allowed() -> None:
    query = "SELECT cast(n as string) AS x FROM bench.t"
    assert translated(query, "hive", "trino").text is None
    found = translated(query, "hive", "trino", allow=["decimal-text"])
    assert found.text is not None
    assert [finding.allowed for finding in found.findings] == [True]


@pytest.mark.parametrize(
    ("column", "type_", "text"),
    [
        ("x", "array<struct<a:bigint,b:string>>", 'CAST("t"."x" AS array(row("a" bigint, "b" varchar)))'),
        (
            "x",
            "array<struct<a:int,b:double>>",
            _STRUCTS,
        ),
        ("c", "varchar(3)", 'CAST(trim(TRAILING \' \' FROM CAST("t"."c" AS varchar)) AS varchar(3))'),
        ("id", "decimal(12,2)", 'CAST("t"."id" AS decimal(12, 2))'),
        ("id", "decimal(5,2)", 'TRY_CAST("t"."id" AS decimal(5, 2))'),
    ],
)
def test_columns_get_the_types_of_a_view(column: str, type_: str, text: str) -> None:
    wanted = [Column("y", type_)]
    found = translate(f"SELECT {column} FROM bench.t", tables=_TABLES, namespace="bench", columns=wanted)
    assert found.text == f'SELECT\n  {text} AS "y"\nFROM "bench"."t"'
