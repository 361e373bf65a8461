"""Types of literals, operators, branches, aggregates; that the engines give them these types, tests/interop asks."""

from __future__ import annotations

import pytest

from hive_views.analysis import DerivedType, analyze_query
from hive_views.analysis.query_analysis import both
from hive_views.analysis.tree.typing.branches import common_type, merged_type
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText
from tests.support.texts import typed_aggregates, typed_expressions
from tests.support.texts.typed_expressions import COLUMNS, of_hive_2, of_hive_4, of_spark, released_in_hive_2
from tests.support.texts.typed_functions import listed
from tests.unit.analysis.typing.typed import derived

DIALECTS = ["hive", "spark"]


def expected(dialect: str) -> dict[str, tuple[str | None, str | None]]:
    """Expressions, with their types in Hive and in Spark."""
    types: dict[str, tuple[str | None, str | None]] = {}
    for texts in (typed_expressions, typed_aggregates):
        old = {**of_hive_2(texts), **released_in_hive_2(texts)}
        new, spark = of_hive_4(texts), of_spark(texts, dialect)
        for expression in spark:
            hive = {one[expression] for one in (old, new) if expression in one}
            types[expression] = hive.pop() if len(hive) == 1 else None, spark[expression]
    if dialect == "spark":
        for type_, text in typed_expressions.ONLY_IN_SPARK.items():
            types |= dict.fromkeys(listed(text), (None, type_))
    return types


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_expression_has_the_type_that_each_engine_gives(dialect: str) -> None:
    types = expected(dialect)
    found = derived([*types], dialect, COLUMNS)
    assert {expression: (one.hive, one.spark) for expression, one in found.items()} == types
    assert {expression for expression, one in found.items() if (one.why is None) != (one.certain is not None)} == set()


UNCERTAIN = """
    day - day; price * NULL; day + (day - day); n + my_function(s); if(flag, n, my_function(s)); coalesce(tags, nums)
    sum(my_function(s)); percentile(n, my_function(s)); cast(s as timestamp_ntz); cast(s as interval day); tags + 1
    -9223372036854775808; sum(tags); case when flag then flag else n end; flag + 1; tags & 1; max(n, 1)
"""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_not_known_of_both_engines_has_no_certain_type_and_says_why(dialect: str) -> None:
    found = derived(listed(UNCERTAIN), dialect, COLUMNS)
    assert {expression: one.certain for expression, one in found.items() if one.certain or not one.why} == {}


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("price * big", "beside a decimal, a bigint has 19 digits in Hive and 20 in Spark"),
        ("price / 7.0", "Hive reads 7.0 as decimal(1,0), Spark as decimal(2,1)"),
        ("price * (1 + 1)", "releases of Hive differ on decimals that are computed from constants"),
        ("avg(d38)", "Hive keeps the digits before the point of an average that has too many, Spark those after it"),
        (
            "if(flag, price, 0)",
            "beside a decimal, Hive 4 takes a whole number by its digits, and Hive 2 and Spark as an int",
        ),
        ("max(code)", "outside of plain columns, Spark makes a string of char and varchar"),
        ("day + INTERVAL 1 DAY", "a date and an interval of days are a timestamp in Hive, a date in Spark"),
        ("count_if(flag) + 1", "Hive has no count_if"),
    ],
)
def test_the_reason_says_what_the_engines_do(expression: str, why: str) -> None:
    assert derived([expression], "hive", COLUMNS)[expression].why == why


def test_lengths_in_casts_are_kept_at_any_depth() -> None:
    casts = ["s::varchar(3)", "cast(s as array<struct<a:char(3),b:map<string,varchar(4)>>>)"]
    assert [(one.hive, one.spark) for one in derived(casts, "spark", COLUMNS).values()] == [
        ("varchar(3)", "string"),
        ("array<struct<a:char(3),b:map<string,varchar(4)>>>", "array<struct<a:string,b:map<string,string>>>"),
    ]
    [call] = derived(["char(65)"], "spark", COLUMNS).values()
    assert call.certain == "string"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_of_a_subquery_that_is_a_value_spark_makes_a_string(dialect: str) -> None:
    found = derived(["(SELECT code FROM t)", "(code)"], dialect, COLUMNS)
    assert [(one.hive, one.spark) for one in found.values()] == [("varchar(7)", "string"), ("varchar(7)", "varchar(7)")]


def test_each_engine_goes_on_with_the_type_that_it_gave_a_part() -> None:
    [found] = derived(["(day + INTERVAL 1 DAY) + INTERVAL 1 DAY"], "hive", COLUMNS).values()
    assert (found.hive, found.spark) == ("timestamp", "date")


def test_an_interval_whose_end_is_not_in_the_tree_is_not_taken_for_days() -> None:
    [found] = derived(["day + INTERVAL '1 2' DAY TO HOUR"], "hive", COLUMNS).values()
    assert (found.hive, found.spark) == ("timestamp", None)


SET_OPERATIONS = [
    *(("int", "bigint", "bigint", "bigint"), ("tinyint", "smallint", "smallint", "smallint")),
    *(("int", "decimal(10,2)", "decimal(10,2)", "decimal(12,2)"), ("int", "void", "int", "int")),
    *(("decimal(10,2)", "decimal(38,10)", "decimal(38,10)", "decimal(38,10)"), ("void", "int", "int", "int")),
    *(("int", "string", None, None), ("date", "timestamp", "timestamp", "timestamp")),
    *(("varchar(7)", "varchar(7)", "varchar(7)", "varchar(7)"), ("string", "varchar(7)", "string", "string")),
    *(("varchar(7)", "varchar(9)", "varchar(9)", "varchar(7)"), ("char(3)", "char(5)", "char(5)", "char(3)")),
    *(("varchar(7)", "string", "string", "varchar(7)"), ("char(3)", "varchar(7)", "string", "char(3)")),
    *(("float", "int", "float", None), ("float", "decimal(10,2)", "float", "double")),
    *(("double", "decimal(10,2)", "double", "double"), ("array<string>", "array<int>", None, None)),
]
"""Types of two branches, and of their union in Hive and in Spark in either mode."""


@pytest.mark.parametrize(("left", "right", "hive", "spark"), SET_OPERATIONS)
def test_branches_of_set_operations_become_what_each_engine_makes_of_them(
    left: str, right: str, hive: str | None, spark: str | None
) -> None:
    found = common_type([both(left), both(right)])
    assert (found.hive, found.spark) == (hive, spark)


def test_by_the_dialect_sparks_mode_is_known_in_set_operations() -> None:
    types = [both("float"), both("int")]
    assert [common_type(types, dialect).spark for dialect in DIALECTS] == ["float", "double"]


def test_a_column_that_using_merges_is_no_longer_of_a_length_in_spark() -> None:
    assert merged_type(both("int"), both("decimal(10,2)")) == both("decimal(12,2)")
    found = merged_type(both("varchar(7)"), both("varchar(7)"))
    assert (found.hive, found.spark) == ("varchar(7)", "string")


def test_a_case_of_many_branches_takes_no_time() -> None:
    branches = " ".join(f"WHEN n = {number} THEN {number}Y" for number in range(1000))
    [found] = derived([f"CASE {branches} ELSE price END"], "hive", COLUMNS).values()
    assert found.spark == "decimal(10,2)"


def test_types_pass_through_queries_in_queries() -> None:
    query = QueryText("WITH q AS (SELECT price * 2 AS x FROM t) SELECT sum(x) AS y FROM q", "hive")
    [column] = analyze_query(query, "web", {("web", "t"): [Column("price", "decimal(10,2)")]}).columns
    assert column.derived == DerivedType("decimal(22,2)", "decimal(22,2)")
