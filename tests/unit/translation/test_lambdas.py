"""Functions that take a function: the texts that Trino gets."""

from __future__ import annotations

import pytest

from tests.support.translation.verdicts import translated
from tests.unit.translation.in_trino import in_trino


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("transform(ai, x -> x % 2)", 'transform("t"."ai", x_ -> x_ % 2)'),
        ("filter(ast, E -> E LIKE 'a%')", 'filter("t"."ast", e_ -> e_ LIKE \'a%\')'),
        ("exists(ai, x -> x > 1)", 'any_match("t"."ai", x_ -> x_ > 1)'),
        ("forall(ai, x -> x > i)", 'all_match("t"."ai", x_ -> x_ > "t"."i")'),
        ("aggregate(ai, 0, (a, x) -> if(x > a, x, a))", 'reduce("t"."ai", 0, (a_, x_) -> if(x_ > a_, x_, a_), s -> s)'),
        (
            "aggregate(ast, '', (a, x) -> concat(a, x))",
            'reduce("t"."ast", CAST(\'\' AS varchar), (a_, x_) -> CAST(concat(a_, x_) AS varchar), s -> s)',
        ),
        ("transform(ars, x -> x.a)", 'transform("t"."ars", x_ -> x_."a")'),
        ("transform_values(m, (k, v) -> k)", 'transform_values("t"."m", (k_, v_) -> k_)'),
        # The variable of the rule is another one than that of the author.
        (
            "transform(ai, e -> array_max(array(e, 1)))",
            'transform("t"."ai", e_ -> array_max(filter(ARRAY[e_, 1], e -> e IS NOT NULL)))',
        ),
        ("transform(ai, `a b` -> `a b`)", 'transform("t"."ai", "a b_" -> "a b_")'),
    ],
)
def test_exact_text(expression: str, expected: str) -> None:
    assert in_trino(expression, "spark") == (expected, [])


@pytest.mark.parametrize("target", ["trino", "spark"])
def test_hive_has_none(target: str) -> None:
    assert not translated("SELECT exists(ai, x -> true) AS a FROM bench.t", "hive", target).text


def test_none_is_put_into_a_text_of_hive() -> None:
    found = translated("SELECT id, transform(ai, x -> x) AS a FROM bench.t", "spark", "hive")
    assert found.text is None


def test_a_variable_is_no_constant() -> None:
    """Else the branch would be taken for one that is always chosen, or never."""
    assert in_trino("transform(ai, x -> CASE WHEN x > 1 THEN 1 ELSE 2 END)", "spark")[0]
