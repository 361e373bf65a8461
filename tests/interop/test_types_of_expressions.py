"""Types of literals, operators, branches, windows and aggregates, by Spark's analyser and Hive's compiler."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from hive_views.spark import schema_of
from tests.support.java.hive_2 import Hive2
from tests.support.texts import typed_aggregates, typed_expressions
from tests.support.texts.typed_expressions import COLUMNS, of_hive_2, of_spark, released_in_hive_2
from tests.support.texts.typed_functions import create_table, selecting

TEXTS = pytest.mark.parametrize("texts", [typed_expressions, typed_aggregates], ids=["expressions", "aggregates"])


@pytest.fixture(scope="module")
def table(spark: Any) -> str:
    name = f"expressions_{uuid.uuid4().hex[:12]}"
    spark.sql(f"CREATE DATABASE {name}")
    spark.sql(create_table(f"{name}.t", COLUMNS))
    return f"{name}.t"


@TEXTS
@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_spark_gives_every_expression_the_type_in_the_tables(spark: Any, table: str, texts: Any, dialect: str) -> None:
    types = of_spark(texts, dialect)
    found = [type_ for _, type_, _ in schema_of(spark, selecting(types, table), dialect=dialect)]
    assert dict(zip(types, found, strict=True)) == types


@pytest.fixture(scope="module")
def hive_table(hive_2: Hive2) -> Iterator[str]:
    hive_2.rows("CREATE DATABASE expressions")
    hive_2.rows(create_table("expressions.t", COLUMNS))
    yield "expressions.t"
    hive_2.rows("DROP DATABASE expressions CASCADE")


@TEXTS
@pytest.mark.peer("java")
def test_hive_2_gives_every_expression_the_type_in_the_tables(hive_2: Hive2, hive_table: str, texts: Any) -> None:
    for types in (of_hive_2(texts), released_in_hive_2(texts)):
        assert dict(zip(types, hive_2.types(selecting(types, hive_table)), strict=True)) == types
