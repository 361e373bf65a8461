"""Arrays, maps and structs in Trino, and views of their elements: the texts, and where they are refused."""

from __future__ import annotations

import pytest

from hive_views.translation import Translation
from tests.support.translation.cases import nested
from tests.support.translation.verdicts import translated

FROM_HIVE = {
    "ai[0]": 'element_at("t"."ai", 1)',
    "ai[ti]": """IF("t"."ti" >= 0, element_at("t"."ai", "t"."ti" + 1))""",
    "ai[i]": """IF("t"."i" >= 0, element_at("t"."ai", "t"."i" + BIGINT '1'))""",
    "m['a']": """element_at("t"."m", 'a')""",
    "st.a": '"t"."st"."a"',
    "ars.a": """transform("t"."ars", e -> e."a")""",
    "ars[0].a": 'element_at("t"."ars", 1)."a"',
    "array(i, l)": 'ARRAY[CAST("t"."i" AS bigint), "t"."l"]',
    "map('a', i, 'b', NULL)": """map(ARRAY['a', 'b'], ARRAY["t"."i", NULL])""",
    "named_struct('a', i, 'b', s)": """CAST(ROW("t"."i", "t"."s") AS row("a" integer, "b" varchar))""",
    "size(ai)": 'CAST(coalesce(cardinality("t"."ai"), -1) AS integer)',
    "size(array(1, 2))": "CAST(cardinality(ARRAY[1, 2]) AS integer)",
    "array_contains(ai, 1)": 'coalesce(contains("t"."ai", 1), false)',
    "sort_array(split(s, ','))": """array_sort(split("t"."s", ','))""",
    "sort_array(ai)": ('filter("t"."ai", e -> e IS NULL) || array_sort(filter("t"."ai", e -> e IS NOT NULL))'),
    "map_keys(m)": 'coalesce(map_keys("t"."m"), ARRAY[])',
}
FROM_SPARK = {
    "array_contains(ai, 1)": 'contains("t"."ai", 1)',
    "map_keys(m)": 'map_keys("t"."m")',
    "element_at(ai, -1)": 'element_at("t"."ai", -1)',
    "get(ai, 0)": 'element_at("t"."ai", 1)',
    "array_max(ai)": 'array_max(filter("t"."ai", e -> e IS NOT NULL))',
    "array_append(ai, 1)": '"t"."ai" || ARRAY[1]',
    "flatten(array(ai))": 'IF(none_match(ARRAY["t"."ai"], e -> e IS NULL), flatten(ARRAY["t"."ai"]))',
    "sort_array(split(s, ','), false)": """reverse(array_sort(split("t"."s", ',')))""",
    "sequence(1, 3)": "CAST(sequence(1, 3) AS array(integer))",
    "map_entries(m)": 'CAST(map_entries("t"."m") AS array(row("key" varchar, "value" integer)))',
    "struct(i, s)": """CAST(ROW("t"."i", "t"."s") AS row("i" integer, "s" varchar))""",
}
TEXTS = [("hive", *one) for one in FROM_HIVE.items()] + [("spark", *one) for one in FROM_SPARK.items()]
VIEWS = {
    "inline(ars) x AS a, e": 'CROSS JOIN UNNEST("t"."ars") AS "x" ("a", "e")',
    "OUTER stack(2, 'a', i, 'b') x AS k, e": (
        """LEFT JOIN UNNEST(ARRAY['a', 'b'], ARRAY["t"."i", NULL]) AS "x" ("k", "e") ON TRUE"""
    ),
    "explode(ai) x AS e": 'CROSS JOIN UNNEST("t"."ai") AS "x" ("e")',
    "OUTER explode(ai) x AS e": 'LEFT JOIN UNNEST("t"."ai") AS "x" ("e") ON TRUE',
    "explode(m) x AS k, e": 'CROSS JOIN UNNEST("t"."m") AS "x" ("k", "e")',
    "explode(ars) x AS e": 'CROSS JOIN UNNEST(transform("t"."ars", e -> ROW(e))) AS "x" ("e")',
    "OUTER posexplode(ai) x AS p, e": (
        'LEFT JOIN LATERAL (\nSELECT CAST("n" - 1 AS integer), "c0"\n'
        'FROM UNNEST("t"."ai") WITH ORDINALITY AS "u" ("c0", "n")\n) AS "x" ("p", "e") ON TRUE'
    ),
}


def _of(expression: str, source: str) -> Translation:
    return translated(f"SELECT {expression} AS x FROM t", source, "trino")


@pytest.mark.parametrize(("source", "expression", "text"), TEXTS)
def test_the_text_in_trino(source: str, expression: str, text: str) -> None:
    assert _of(expression, source).text == f'SELECT\n  {text} AS "x"\nFROM "t"'


@pytest.mark.parametrize("source", ["hive", "spark"])
@pytest.mark.parametrize("view", VIEWS)
def test_lateral_views(source: str, view: str) -> None:
    found = translated(f"SELECT e FROM t LATERAL VIEW {view}", source, "trino")
    assert found.text == f'SELECT\n  "x"."e" AS "e"\nFROM "t"\n{VIEWS[view]}'
    assert not found.findings


@pytest.mark.parametrize("source", ["hive", "spark"])
def test_what_is_refused_has_one_reason(source: str) -> None:
    cases = nested.REFUSED[source, "trino"]
    found = {one: [finding.reason.code for finding in _of(one, source).refusals] for one in cases}
    assert found == {one: [code] for one, code in cases.items()}


@pytest.mark.parametrize("source", ["hive", "spark"])
def test_queries_that_are_refused(source: str) -> None:
    cases = nested.REFUSED_QUERIES[source, "trino"]
    assert {one: translated(one, source, "trino").refusals[0].reason.code for one in cases} == cases


@pytest.mark.parametrize(
    ("source", "text", "code", "line", "column"),
    [
        ("hive", "SELECT id,\n  ai[l] AS x FROM t", "conversion", 2, 6),
        ("hive", "SELECT sort_array(ars) AS x FROM t", "elements", 1, 8),
        ("spark", "SELECT i, size(ai) AS x FROM t", "size-of-null", 1, 11),
        ("spark", "SELECT array(i, s) AS x FROM t", "ansi-types", 1, 8),
    ],
)
def test_a_refusal_has_its_place(source: str, text: str, code: str, line: int, column: int) -> None:
    (found,) = translated(text, source, "trino").refusals
    assert (found.reason.code, found.line, found.column) == (code, line, column)


@pytest.mark.parametrize(
    ("source", "expression", "codes"),
    [
        ("hive", "map('a', i, 'b', j)", []),
        ("hive", "map(1, i, 01, j)", ["map-keys"]),
        ("hive", "map(s, i)", ["map-keys"]),
        ("spark", "map(s, i)", []),
        ("hive", "map_keys(m)", ["order-of-entries"]),
        ("hive", "map_keys(map('a', 1))", []),
        ("hive", "array_contains(map_keys(m), 'a')", []),
        ("spark", "sequence(1, i)", ["long-array"]),
    ],
)
def test_what_is_reported(source: str, expression: str, codes: list[str]) -> None:
    found = _of(expression, source)
    assert found.text
    assert sorted(one.reason.code for one in found.findings) == codes


def test_the_size_of_null_can_be_allowed() -> None:
    found = translated("SELECT size(ai) AS x FROM t", "spark", "trino", allow=["size-of-null"])
    assert found.text == 'SELECT\n  CAST(cardinality("t"."ai") AS integer) AS "x"\nFROM "t"'


def test_a_condition_that_hive_4_loses_can_be_allowed() -> None:
    text = "SELECT id, w FROM t LATERAL VIEW explode(ai) x AS w WHERE w > 0 AND w = i"
    (found,) = translated(text, "hive", "trino", allow=["condition-on-lateral-view"]).findings
    assert (found.construct, found.line, found.column) == ("w = i", 1, 69)
    assert not translated(text, "spark", "trino").findings


def test_functions_in_select_lists_are_joined() -> None:
    found = translated("SELECT id, explode_outer(m) AS (k, w) FROM t", "spark", "trino")
    outputs = '"t"."id" AS "id",\n  "generated"."k" AS "k",\n  "generated"."w" AS "w"'
    join = 'LEFT JOIN UNNEST("t"."m") AS "generated" ("k", "w") ON TRUE'
    assert found.text == f'SELECT\n  {outputs}\nFROM "t"\n{join}'
