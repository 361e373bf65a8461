"""Arithmetic and functions of numbers: the texts that are made of them for Trino, and where they are refused."""

from __future__ import annotations

import pytest

from hive_views.translation import Kind
from tests.support.translation.cases.numbers import REFUSED, SAME, Pair
from tests.support.translation.verdicts import translated
from tests.unit.translation.in_trino import in_trino


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("i / j", 'CAST("t"."i" AS double) / NULLIF("t"."j", 0)'),
        ("d / 2", '"t"."d" / 2'),
        ("n + 1", '"t"."n" + DECIMAL \'1\''),
        ("n * 2", 'CAST("t"."n" * DECIMAL \'2\' AS decimal(12, 2))'),
        ("n / 3", 'CAST("t"."n" AS decimal(14, 6)) / DECIMAL \'3\''),
        ("i % 7", '"t"."i" % 7'),
        ("pmod(i, 7)", '("t"."i" % 7 + 7) % 7'),
        ("l div 3", '"t"."l" / 3'),
        ("i & 1", 'CAST(bitwise_and("t"."i", 1) AS integer)'),
        ("shiftleft(i, 33)", 'bitwise_left_shift("t"."i", 1)'),
        ("ln(d)", 'IF("t"."d" <= 0, NULL, ln("t"."d"))'),
        ("ln(10)", "ln(10)"),
        ("round(n, 1)", 'CAST("t"."n" AS decimal(10, 1))'),
        ("hex(i)", 'regexp_replace(to_hex(to_big_endian_64("t"."i")), \'^0+(?=.)\')'),
    ],
)
def test_exact_text(expression: str, expected: str) -> None:
    assert in_trino(expression) == (expected, [])


@pytest.mark.parametrize(
    ("expression", "in_hive", "in_spark"),
    [
        ("sqrt(i)", 'IF("t"."i" < 0, NULL, sqrt("t"."i"))', 'sqrt("t"."i")'),
        ("5 div 0", "CAST(5 AS bigint) / 0", "CAST(5 AS bigint) / NULLIF(0, 0)"),
        ("abs(f)", 'abs(CAST("t"."f" AS double))', 'abs("t"."f")'),
        ("sign(n)", 'CAST(sign("t"."n") AS integer)', 'CAST(sign("t"."n") AS double)'),
        ("pmod(7, -3)", "(7 % (-3) + (-3)) % (-3)", "IF(7 % (-3) < 0, (7 % (-3) + (-3)) % (-3), 7 % (-3))"),
    ],
)
def test_hive_and_spark_differ(expression: str, in_hive: str, in_spark: str) -> None:
    assert in_trino(expression) == (in_hive, [])
    assert in_trino(expression, "spark") == (in_spark, [])


def test_fractions_are_rounded_as_they_are_written() -> None:
    expected = 'COALESCE(CAST(TRY_CAST(CAST("t"."d" AS varchar) AS decimal(38, 2)) AS double), "t"."d")'
    assert in_trino("round(d, 2)") == (expected, ["rounded-nan"])
    assert in_trino("round(d, 2)", "spark") == (expected, [])


@pytest.mark.parametrize(
    ("expression", "codes"),
    [
        ("i + 1", ["overflow"]),
        ("-i", ["overflow"]),
        ("l * 2", ["overflow"]),
        ("floor(d)", ["overflow"]),
        ("round(d, 2)", ["rounded-nan"]),
        ("ti + 1", []),
        ("length(s) + 1", []),
        ("year(dt) * 100 + month(dt)", []),
        ("i % 100 * 100", []),
        ("2147483647 + 1", ["overflow"]),
        ("2147483646 + 1", []),
        ("n2 * n", ["decimal-overflow"]),
        ("n * n", []),
    ],
)
def test_what_may_be_out_of_range_is_told(expression: str, codes: list[str]) -> None:
    text, found = in_trino(expression)
    assert text
    assert found == codes


@pytest.mark.parametrize(("pair", "expression"), [(pair, one) for pair, cases in REFUSED.items() for one in cases])
def test_refused(pair: Pair, expression: str) -> None:
    found = translated(f"SELECT id AS id, {expression} AS x FROM bench.t", *pair)
    assert found.text is None
    assert REFUSED[pair][expression] in [one.reason.code for one in found.refusals]


def test_place_of_a_refusal() -> None:
    found = translated("SELECT i,\n  1 + (7 ^ 2 & 3) AS x FROM bench.t", "hive", "trino")
    (refusal,) = found.refusals
    assert (refusal.reason.code, refusal.line, refusal.column) == ("precedence", 2, 8)


def test_different_digits_are_allowed_by_their_code() -> None:
    query = "SELECT format_number(d, 2) AS x FROM bench.t"
    found = translated(query, "hive", "trino", ["rounding-of-halves"])
    assert found.text is not None
    assert [one.reason.kind for one in found.findings] == [Kind.DIFFERENT]


@pytest.mark.parametrize("pair", SAME, ids="-".join)
def test_every_case_has_a_text(pair: Pair) -> None:
    texts = {one: translated(f"SELECT id AS id, {one} AS x FROM bench.t", *pair).text for one in SAME[pair]}
    assert [one for one, text in texts.items() if text is None] == []


def test_a_thousand_operators_are_refused() -> None:
    found = translated(f"SELECT {' + '.join(['d'] * 1000)} AS x FROM bench.t", "hive", "trino")
    assert [one.reason.code for one in found.refusals] == ["depth"]
