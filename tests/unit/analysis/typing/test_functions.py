"""Types of functions and of parts of nested values; that the engines give them these types, tests/interop asks."""

from __future__ import annotations

import re

import pytest

from hive_views.analysis import analyze_query
from hive_views.analysis.query_analysis import DerivedType
from hive_views.analysis.tree.typing import dates, nested, numbers, spark_collections, spark_only, strings
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText
from tests.support.texts.typed_functions import (
    BY_ENGINE,
    CERTAIN,
    COLUMNS,
    UNKNOWN_IN_HIVE,
    UNKNOWN_IN_SPARK,
    listed,
)

DIALECTS = ["hive", "spark"]
TABLES = {
    **{(type_, type_): text for type_, text in CERTAIN.items()},
    **BY_ENGINE,
    **{(None, type_): text for type_, text in UNKNOWN_IN_HIVE.items()},
    **{(type_, None): text for type_, text in UNKNOWN_IN_SPARK.items()},
}


def derived(expressions: list[str], dialect: str) -> dict[str, DerivedType]:
    selected = ", ".join(f"{expression} AS c{number}" for number, expression in enumerate(expressions))
    tables = {("web", "t"): [Column(name, type_) for name, type_ in COLUMNS.items()]}
    found = analyze_query(QueryText(f"SELECT {selected} FROM t", dialect), "web", tables)
    return {expression: column.derived for expression, column in zip(expressions, found.columns, strict=True)}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_call_has_the_type_that_each_engine_gives(dialect: str) -> None:
    expected = {expression: types for types, text in TABLES.items() for expression in listed(text)}
    found = derived([*expected], dialect)
    assert {expression: (one.hive, one.spark) for expression, one in found.items()} == expected
    assert all((one.why is None) == (one.certain is not None) for one in found.values())


def test_every_function_that_has_a_type_is_in_these_tables() -> None:
    called = {name for text in TABLES.values() for name in re.findall(r"(\w+)\(", text)}
    named = (strings, dates, numbers, spark_only, spark_collections, nested)
    known = {name for module in named for name in module.NAMED}
    # The keys of nodes for calls without brackets.
    assert known - called == {"date", "currentuser", "currentdatabase", "currentdate", "currenttimestamp"}


UNCERTAIN = """
    web.upper(s); my_function(s); floor(db, 1); round(de, i); element_at(s, 1); s[0]; s.x; st.none; trunc(de, 1)
    extract(doy FROM da); map_keys(ints); array(s, bn); array(NULL); map('a', NULL); map_values(s)
    named_struct('a b', i); struct(current_date, 1); struct(structs[0].x); sort_array(m); shiftleft(s, 1)
    substring(bn, 1)
"""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_not_known_of_both_engines_has_no_certain_type_and_says_why(dialect: str) -> None:
    found = derived(listed(UNCERTAIN), dialect)
    assert {expression: one.certain for expression, one in found.items() if one.certain or not one.why} == {}


def test_a_part_of_an_array_is_no_element() -> None:
    assert derived(["ints[0:1]"], "spark")["ints[0:1]"].certain is None


def test_the_reason_names_both_types_or_what_is_unknown() -> None:
    found = derived(["add_months(da, 1)", "concat(bn, bn)", "upper(my_function(s))"], "hive")
    assert [one.why for one in found.values()] == [
        "Hive gives string, and Spark date",
        "the result differs between releases of Hive, or from Spark",
        "the result of my_function is not known",
    ]


def test_substr_and_substring_of_bytes_are_told_apart_where_the_tree_does() -> None:
    found = [derived([f"{name}(bn, 1)"], dialect) for name in ("substr", "substring") for dialect in DIALECTS]
    assert [next(iter(one.values())).hive for one in found] == ["binary", None, None, None]


def test_a_unit_makes_another_function_of_datediff() -> None:
    found = derived(["datediff(MONTH, da, ts)"], "spark")["datediff(MONTH, da, ts)"]
    assert (found.hive, found.spark) == (None, "bigint")
