"""The types that are derived without an engine are those that Spark's analyser and Hive's own functions give."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from hive_views.analysis import OutputColumn, analyze_query
from hive_views.hive.row import Column
from hive_views.spark import schema_of
from hive_views.sql.query import QueryText

COLUMNS = [
    ("tiny", "tinyint"),
    ("small", "smallint"),
    ("n", "int"),
    ("big", "bigint"),
    ("real32", "float"),
    ("real64", "double"),
    ("price", "decimal(10,2)"),
    ("s", "string"),
    ("code", "varchar(7)"),
    ("mark", "char(3)"),
    ("day", "date"),
    ("at", "timestamp"),
    ("flag", "boolean"),
    ("bytes", "binary"),
    ("tags", "array<string>"),
    ("ds", "string"),
    ("hr", "int"),
]
"""The last two are partition columns."""

PLAIN = """
tiny; small; n; big; real32; real64; price; s; code; mark; day; at; flag; bytes; tags; ds; hr
'x'; 1; -1; 2147483647; 2147483648; -2147483647; 9223372036854775807; 10L; 7S; 7Y; true; DATE '2026-08-01'
TIMESTAMP '2026-08-01 10:00:00'
cast(s AS tinyint); cast(s AS smallint); cast(s AS int); cast(s AS bigint); cast(s AS float); cast(s AS double)
cast(n AS string); cast(s AS date); cast(s AS timestamp); cast(s AS boolean); cast(s AS binary)
cast(s AS decimal(12,3)); cast(s AS decimal(5)); cast(price * n AS decimal(20,2)); cast(n / 2 AS double)
n = 1; n <> 1; n < 1; n <= 1; n > 1; n >= 1; n <=> 1; flag AND n = 1; flag OR n = 1; NOT flag; s IS NULL
s IS NOT NULL; n IN (1, 2); n NOT IN (1, 2); n BETWEEN 1 AND 2; s LIKE 'x%'; s RLIKE 'x'; (n = 1)
length(s); year(day); year(s); month(at); day(s); dayofmonth(day); hour(at); minute(at); second(at)
datediff(s, day); to_date(s); date_add(day, 1); date_sub(s, 1); current_date; current_timestamp
from_unixtime(big); date_format(at, 'yyyy'); concat_ws(',', s, ds); regexp_replace(s, 'a', 'b')
regexp_extract(s, '(a)', 1)
upper(s); lower(s); trim(s); ltrim(s); rtrim(s); substr(s, 1); substring(s, 1, 2); concat(s, '-', ds)
coalesce(n, 1); coalesce(price, NULL); nvl(s, ''); if(flag, s, ds); if(flag, NULL, day)
CASE WHEN flag THEN n ELSE 2 END; CASE s WHEN 'a' THEN day END; CASE WHEN flag THEN NULL WHEN n = 1 THEN price END
row_number() OVER (PARTITION BY s ORDER BY n); rank() OVER (ORDER BY n); dense_rank() OVER (ORDER BY n)
count(*) OVER (PARTITION BY s); sum(n) OVER (ORDER BY n); max(s) OVER (ORDER BY n)
1.5; 1e3; 99999999999999999999; n + 1; price * 2; n / 2; n % 2; s || ds; cast(s AS decimal); cast(tags AS array<int>)
tags[0]; round(real64); abs(n); months_between(day, day); coalesce(code, mark); coalesce(n, big); if(flag, n, big)
array(1); map(1, 2); size(tags); greatest(n, 1)
"""

AGGREGATED = """
count(*); count(n); count(DISTINCT n, s); sum(tiny); sum(small); sum(n); sum(big); sum(DISTINCT n); sum(real32)
sum(real64); avg(tiny); avg(n); avg(big); avg(real32); avg(DISTINCT real64); min(s); max(day); max(price); max(at)
min(flag); sum(price); sum(s); avg(price); avg(s)
"""

UNCERTAIN = """
10BD; -2147483648; cast(s AS varchar(5)); cast(s AS char(5)); add_months(day, 1); last_day(day); upper(code); max(code)
min(mark); concat(tags, tags); concat(bytes, bytes)
"""


def listed(text: str) -> list[str]:
    """The expressions, which have semicolons or ends of lines between them."""
    return [expression.strip() for line in text.split("\n") for expression in line.split(";") if expression.strip()]


def analyzed(query: str, dialect: str, namespace: str) -> tuple[OutputColumn, ...]:
    tables = {(namespace, "t"): [Column(name, type_) for name, type_ in COLUMNS]}
    return analyze_query(QueryText(query, dialect), namespace, tables).refuse_unknown().columns


def derived_type(expression: str, dialect: str) -> str | None:
    (one,) = analyzed(f"SELECT {expression} FROM t", dialect, "web")
    return one.type


@pytest.fixture(scope="module")
def table(spark: Any) -> str:
    name = f"types_{uuid.uuid4().hex[:12]}"
    columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS[:-2])
    spark.sql(f"CREATE DATABASE {name}")
    spark.sql(f"CREATE TABLE {name}.t ({columns}) PARTITIONED BY (ds string, hr int) STORED AS ORC")
    return f"{name}.t"


@pytest.mark.parametrize("dialect", ["hive", "spark"])
@pytest.mark.parametrize("expressions", [PLAIN, AGGREGATED], ids=["plain", "aggregated"])
def test_spark_gives_every_certain_expression_the_type_that_is_derived(
    spark: Any, table: str, expressions: str, dialect: str
) -> None:
    certain = listed(expressions)
    selected = ", ".join(f"{expression} AS c{number}" for number, expression in enumerate(certain))
    found = [type_ for _, type_, _ in schema_of(spark, f"SELECT {selected} FROM {table}", dialect=dialect)]
    expected = dict(zip(certain, found, strict=True))
    assert {expression: derived_type(expression, dialect) for expression in certain} == expected


@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_what_the_engines_may_type_differently_is_not_derived(dialect: str) -> None:
    assert {
        expression: derived_type(expression, dialect)
        for expression in listed(UNCERTAIN)
        if derived_type(expression, dialect)
    } == {}


def test_a_star_and_a_join_have_the_columns_that_spark_finds(spark: Any, table: str) -> None:
    namespace = table.partition(".")[0]
    for query in (
        f"SELECT * FROM {table}",
        f"SELECT a.*, b.n AS other FROM {table} a LEFT JOIN {table} b ON a.n = b.n",
        f"SELECT x.* FROM (SELECT s AS label, count(*) AS n FROM {table} GROUP BY s) x",
        f"WITH x AS (SELECT n, price FROM {table}) SELECT * FROM x UNION ALL SELECT hr, price FROM {table}",
        f"SELECT * FROM {table} a LEFT SEMI JOIN {table} b ON a.n = b.n",
        f"SELECT n, s FROM {table} a JOIN (SELECT n, day AS d FROM {table}) b USING (n)",
    ):
        found = [(name, type_) for name, type_, _ in schema_of(spark, query)]
        columns = analyzed(query, "hive", namespace)
        assert [(one.name, one.type) for one in columns] == found, query


FUNCTIONS = {
    "int": [("Length", "string"), ("DateDiff", "string", "date")],
    "boolean": [("OPEqual", "int", "int"), ("Between", "boolean", "int", "int", "int"), ("In", "int", "int")],
    "date": [("Date", "string"), ("DateAdd", "date", "int"), ("DateSub", "string", "int")],
    "string": [
        ("Upper", "string"),
        ("Lower", "string"),
        ("Trim", "string"),
        ("LTrim", "string"),
        ("RTrim", "string"),
        ("Concat", "string", "string"),
        ("ConcatWS", "string", "string"),
        ("Nvl", "string", "string"),
    ],
    "decimal(10,2)": [
        ("Coalesce", "decimal(10,2)", "decimal(10,2)"),
        ("If", "boolean", "decimal(10,2)", "decimal(10,2)"),
    ],
    "bigint": [("When", "boolean", "bigint", "bigint")],
}
"""Hive's generic functions by the type of their result, with the types of what they are given."""

OLD_FUNCTIONS = {
    "IntWritable": ("Year", "Month", "DayOfMonth", "Hour", "Minute", "Second"),
    "Text": ("RegExpReplace", "FromUnixTime"),
    "String": ("RegExpExtract",),
}

AGGREGATES = {
    "bigint": [("Count", "int"), *(("Sum", type_) for type_ in ("tinyint", "smallint", "int", "bigint"))],
    "double": [
        *(("Sum", type_) for type_ in ("float", "double")),
        *(("Average", t) for t in ("int", "bigint", "float")),
    ],
    "decimal(10,2)": [("Max", "decimal(10,2)"), ("Min", "decimal(10,2)")],
    "date": [("Max", "date")],
    # One for each row, of which a window takes its own.
    "array<int>": [("RowNumber",), ("Rank", "int"), ("DenseRank", "int")],
}

_GENERIC = "org.apache.hadoop.hive.ql.udf.generic.GenericUD"


class HiveFunctions:
    """Hive's functions as objects, without the registry, which wants classes that PySpark leaves out."""

    def __init__(self, jvm: Any) -> None:
        self._class_of = jvm.java.lang.Class.forName
        self._new_array = jvm.java.lang.reflect.Array.newInstance
        self._types = jvm.org.apache.hadoop.hive.serde2.typeinfo.TypeInfoUtils

    def result(self, function: str, *types: str) -> str:
        return str(self._new(f"{_GENERIC}F{function}").initialize(self._inspectors(types)).getTypeName())

    def aggregate_result(self, function: str, *types: str) -> str:
        modes = self._class_of(f"{_GENERIC}AFEvaluator$Mode").getEnumConstants()
        complete = next(mode for mode in modes if mode.toString() == "COMPLETE")
        type_infos = [self._types.getTypeInfoFromTypeString(type_) for type_ in types]
        given = self._array("org.apache.hadoop.hive.serde2.typeinfo.TypeInfo", type_infos)
        evaluator = self._new(f"{_GENERIC}AF{function}").getEvaluator(given)
        return str(evaluator.init(complete, self._inspectors(types)).getTypeName())

    def results_by_signature(self, function: str) -> set[str]:
        methods = self._class_of(f"org.apache.hadoop.hive.ql.udf.UDF{function}").getMethods()
        return {method.getReturnType().getSimpleName() for method in methods if method.getName() == "evaluate"}

    def _new(self, name: str) -> Any:
        constructor = self._class_of(name).getDeclaredConstructor(self._array("java.lang.Class", []))
        return constructor.newInstance(self._array("java.lang.Object", []))

    def _inspectors(self, types: tuple[str, ...]) -> Any:
        of_type = self._types.getStandardJavaObjectInspectorFromTypeInfo
        found = [of_type(self._types.getTypeInfoFromTypeString(type_)) for type_ in types]
        return self._array("org.apache.hadoop.hive.serde2.objectinspector.ObjectInspector", found)

    def _array(self, kind: str, items: list[Any]) -> Any:
        array = self._new_array(self._class_of(kind), len(items))
        for position, item in enumerate(items):
            array[position] = item
        return array


def test_hive_gives_these_functions_the_types_that_are_derived(hive_jvm: Any) -> None:
    hive = HiveFunctions(hive_jvm)
    for type_, calls in FUNCTIONS.items():
        assert {call: hive.result(*call) for call in calls} == dict.fromkeys(calls, type_)
    for returned, names in OLD_FUNCTIONS.items():
        assert [hive.results_by_signature(name) for name in names] == [{returned} for _ in names]
    for type_, calls in AGGREGATES.items():
        assert {call: hive.aggregate_result(*call) for call in calls} == dict.fromkeys(calls, type_)


def test_of_a_string_hives_substr_is_a_string_and_of_bytes_it_is_not(hive_jvm: Any) -> None:
    assert HiveFunctions(hive_jvm).results_by_signature("Substr") == {"Text", "BytesWritable"}
