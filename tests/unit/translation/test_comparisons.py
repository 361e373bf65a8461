"""Comparisons, LIKE and the choice among values: the texts that Trino gets, and where they are refused."""

from __future__ import annotations

import pytest

from hive_views.translation import Kind
from tests.support.translation.cases.comparisons import REFUSED, SAME, Pair
from tests.support.translation.verdicts import translated
from tests.unit.translation.in_trino import in_trino


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("ds = '2020-01-31'", '"t"."ds" = \'2020-01-31\''),
        ("dt >= '2020-01-01'", '"t"."dt" >= DATE \'2020-01-01\''),
        ("ts < '2020-01-01'", '"t"."ts" < TIMESTAMP \'2020-01-01 00:00:00.000\''),
        ("i = '5'", '"t"."i" = 5'),
        ("i = -7", '"t"."i" = -7'),
        ("l > 5", '"t"."l" > 5'),
        ("n > 1.0", '"t"."n" > DECIMAL \'1.0\''),
        ("i <=> j", '"t"."i" IS NOT DISTINCT FROM "t"."j"'),
        ("i in (1, '7')", '"t"."i" IN (1, 7)'),
        ("i not in (1, null)", '"t"."i" NOT IN (1) AND NULL'),
        ("i not between -7 and 0", '"t"."i" NOT BETWEEN -7 AND 0'),
        ("not s is null", '"t"."s" IS NOT NULL'),
        (r"s like '100\\%'", r""""t"."s" LIKE '100\%' ESCAPE '\'"""),
        ("s not like 'a%'", '"t"."s" NOT LIKE \'a%\''),
        ("i > 1 and b or l < 5", '("t"."i" > 1 AND "t"."b") OR "t"."l" < 5'),
        ("case i when 1 then 'x' else s end", 'CASE "t"."i" WHEN 1 THEN \'x\' ELSE "t"."s" END'),
        ("if(b, i, null)", 'if("t"."b", "t"."i")'),
        ("nvl(l, 0)", 'coalesce("t"."l", BIGINT \'0\')'),
        ("nullif(s, '')", 'nullif("t"."s", \'\')'),
    ],
)
def test_exact_text(expression: str, expected: str) -> None:
    assert in_trino(expression) == (expected, [])
    assert in_trino(expression, "spark") == (expected, [])


@pytest.mark.parametrize(
    ("expression", "in_hive", "in_spark"),
    [
        ("f = 0.1", '"t"."f" = DECIMAL \'0.1\'', 'CAST("t"."f" AS double) = DECIMAL \'0.1\''),
        ("c = s", 'trim(TRAILING \' \' FROM CAST("t"."c" AS varchar)) = "t"."s"', 'CAST("t"."c" AS varchar) = "t"."s"'),
        (
            r"s like 'back\\\\slash'",
            r""""t"."s" LIKE 'back\\\\slash' ESCAPE '\'""",
            r""""t"."s" LIKE 'back\\slash' ESCAPE '\'""",
        ),
        ("greatest(i, j)", 'greatest("t"."i", "t"."j")', 'coalesce(greatest("t"."i", "t"."j"), "t"."i", "t"."j")'),
    ],
)
def test_hive_and_spark_differ(expression: str, in_hive: str, in_spark: str) -> None:
    assert in_trino(expression) == (in_hive, [])
    assert in_trino(expression, "spark") == (in_spark, [])


def test_nan_is_larger_than_a_number_in_spark_and_told_of_elsewhere() -> None:
    assert in_trino("d > 1", "spark") == ('NOT ("t"."d" <= 1)', [])
    assert in_trino("d > 1") == ('"t"."d" > 1', ["nan"])
    assert in_trino("d < 1") == ('"t"."d" < 1', [])
    assert in_trino("d = d2", "spark") == ('"t"."d" = "t"."d2"', ["nan"])


def test_a_text_beside_a_number_is_a_number() -> None:
    assert in_trino("s2 = 5") == ('TRY_CAST("t"."s2" AS double) = 5', [])
    assert in_trino("i < '7.5'") == ('"t"."i" < DOUBLE \'7.5\'', [])
    text, codes = in_trino("s2 = 5", "spark")
    assert text.startswith("TRY_CAST(regexp_replace(")
    assert codes == ["large-text", "other-digits"]


def test_values_within_values_are_translated_in_little_time() -> None:
    expression = "i"
    for number in range(25):
        expression = f"if(i > {number}, coalesce({expression}, {number}), nullif(j, {number}))"
    for source in ("hive", "spark"):
        assert in_trino(expression, source)[1] == []


def test_where_and_why_a_comparison_is_refused() -> None:
    found = translated("SELECT id\nFROM bench.t\nWHERE i > 1 AND b = 'true'", "hive", "trino")
    (finding,) = found.findings
    assert found.text is None
    assert (finding.line, finding.column, finding.construct) == (3, 17, "b = 'true'")
    assert "write b, or NOT b" in str(finding)


@pytest.mark.parametrize("pair", REFUSED, ids="-".join)
def test_refused_with_a_code(pair: Pair) -> None:
    for expression, code in REFUSED[pair].items():
        found = translated(f"SELECT {expression} AS x FROM bench.t", *pair)
        assert found.text is None, expression
        assert code in [one.reason.code for one in found.findings], expression


@pytest.mark.parametrize("pair", SAME, ids="-".join)
def test_no_case_is_refused(pair: Pair) -> None:
    for expression in SAME[pair]:
        found = translated(f"SELECT {expression} AS x FROM bench.t", *pair)
        refusing = [str(one) for one in found.findings if one.reason.kind in (Kind.UNSUPPORTED, Kind.DIFFERENT)]
        assert not refusing, expression
