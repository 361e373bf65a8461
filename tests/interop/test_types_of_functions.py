"""Types of functions and of the columns of table-generating ones, by Spark's analyser and Hive's compiler."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from hive_views.spark import schema_of
from tests.support.java.hive_2 import Hive2
from tests.support.texts.typed_functions import (
    GENERATED,
    IN_HIVE,
    IN_SPARK,
    ONE_ENGINE_NAMES,
    create_table,
    selecting,
)


@pytest.fixture(scope="module")
def table(spark: Any) -> str:
    name = f"functions_{uuid.uuid4().hex[:12]}"
    spark.sql(f"CREATE DATABASE {name}")
    spark.sql(create_table(f"{name}.t"))
    return f"{name}.t"


def test_spark_gives_every_call_the_type_in_the_tables(spark: Any, table: str) -> None:
    found = [type_ for _, type_, _ in schema_of(spark, selecting(IN_SPARK, table))]
    assert dict(zip(IN_SPARK, found, strict=True)) == IN_SPARK


def test_spark_makes_the_same_columns_of_table_generating_functions(spark: Any, table: str) -> None:
    def columns(call: str, names: str = "") -> str:
        query = f"SELECT x.* FROM {table} LATERAL VIEW {call} x {names}"
        return ", ".join(f"{name} {type_}" for name, type_, _ in schema_of(spark, query))

    assert {call: columns(call) for call in GENERATED} == GENERATED
    assert [columns(call, f"AS {names}") for call, names, _ in ONE_ENGINE_NAMES] == [one[2] for one in ONE_ENGINE_NAMES]


@pytest.mark.peer("java")
def test_hive_2_gives_every_call_the_type_in_the_tables(hive_2: Hive2) -> None:
    for statement in ("CREATE DATABASE functions", "USE functions", create_table("t")):
        hive_2.rows(statement)
    assert dict(zip(IN_HIVE, hive_2.types(selecting(IN_HIVE, "t")), strict=True)) == IN_HIVE
    views = [f"SELECT x.* FROM t LATERAL VIEW {call} x" for call in GENERATED]
    assert [", ".join(hive_2.types(view)) for view in views] == [
        ", ".join(column.split(" ", 1)[1] for column in columns.split(", ")) for columns in GENERATED.values()
    ]
    assert hive_2.types("SELECT concat(bn, bn), substring(bn, 1) FROM t") == ["binary", "binary"]
