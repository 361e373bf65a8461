"""The entry of translations: what is given, and what comes of it."""

from __future__ import annotations

import pytest

import hive_views
from hive_views.errors import InvalidInputError, SQLSyntaxError, UnsupportedFeatureError
from hive_views.translation import RULES_VERSION, Kind, Status, Translation

TABLES = {"web.clicks": [("user_id", "bigint"), ("page", "string"), ("tags", "array<string>"), ("ds", "string")]}


def translate(text: str, source: str = "hive", target: str = "trino", **more: object) -> Translation:
    return hive_views.translate(text, source, target, tables=TABLES, **more)  # type: ignore[arg-type]


def test_names_without_a_namespace_are_in_the_one_that_is_given() -> None:
    found = translate("SELECT c.page FROM clicks c", namespace="web")
    assert found.status is Status.TRANSLATED
    assert found.text == 'SELECT\n  "c"."page" AS "page"\nFROM "clicks" AS "c"'
    assert found.rules_version == RULES_VERSION


def test_a_column_of_an_unknown_table_has_no_certain_type() -> None:
    found = translate("SELECT a + 1 AS b FROM web.others")
    assert found.text is None
    assert [one.reason.code for one in found.refusals] == ["unknown-type"]


def test_all_that_is_refused_is_found_at_once_in_the_order_of_the_text() -> None:
    found = translate(
        "SELECT hash(page) AS a FROM web.clicks\nWHERE my_udf(page) = 1\nUNION ALL\nSELECT hash(ds) FROM web.clicks"
    )
    assert found.status is Status.REFUSED
    assert [(one.construct, one.line) for one in found.refusals] == [
        ("hash(page)", 1),
        ("my_udf(page)", 2),
        ("hash(ds)", 4),
    ]
    assert found.functions == ()


def test_functions_of_the_text_are_named() -> None:
    assert translate("SELECT lower(page) AS p, count(*) AS n FROM web.clicks GROUP BY lower(page)").functions == (
        "count",
        "lower",
    )


def test_a_difference_is_refused_unless_it_is_allowed() -> None:
    refused = translate("SELECT cast(page AS boolean) AS b FROM web.clicks")
    [finding] = refused.refusals
    assert finding.reason.kind is Kind.DIFFERENT
    allowed = translate("SELECT cast(page AS boolean) AS b FROM web.clicks", allow=[finding.reason.code])
    assert allowed.text is not None
    assert [one.allowed for one in allowed.findings if one.reason.code == finding.reason.code] == [True]


def test_bad_input_is_named() -> None:
    with pytest.raises(UnsupportedFeatureError, match="Cannot translate hive SQL to duckdb"):
        translate("SELECT 1 AS a", "hive", "duckdb")
    with pytest.raises(InvalidInputError, match="Give allow as a list"):
        translate("SELECT 1 AS a", allow="boolean-text")
    with pytest.raises(SQLSyntaxError, match="no column 'pages'"):
        translate("SELECT pages FROM web.clicks")


@pytest.mark.parametrize("target", ["trino", "spark"])
@pytest.mark.parametrize("operator", ["+", "||", "AND", "<=>"])
def test_a_chain_of_hundreds_is_translated_or_refused(operator: str, target: str) -> None:
    part = "true" if operator in ("AND", "<=>") else "page" if operator == "||" else "user_id"
    found = translate(f"SELECT {f' {operator} '.join([part] * 400)} AS a FROM web.clicks", target=target)
    assert found.text is not None or found.refusals


@pytest.mark.parametrize(
    "call", ["round({} + 0.5D, 2)", "concat_ws('-', substr({}, 2), 'a')", "CASE WHEN {} > 1 THEN 1 END"]
)
def test_what_is_nested_in_many_levels_is_translated_or_refused(call: str) -> None:
    inside = "user_id"
    for _ in range(40):
        inside = call.format(inside)
    found = translate(f"SELECT {inside} AS a FROM web.clicks")
    assert found.text is None or len(found.text) < 200_000
