"""Functions of users (UDFs) of the same meaning in Hive, Spark and Trino: calls that are mapped answer the same."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from tests.support.translation.asking import Bench
from tests.support.translation.rows import DATABASE
from tests.support.translation.verdicts import judge_values, wrong_among

FUNCTIONS = {
    "digest": ("string", "org.apache.hadoop.hive.ql.udf.UDFMd5", "md5(a)", "lower(to_hex(md5(to_utf8(a))))"),
    "side": ("double", "org.apache.hadoop.hive.ql.udf.UDFSign", "sign(a)", "sign(a)"),
}
"""Functions with the type of argument and result, and what makes them in Hive, in Spark and in Trino."""

CALLS = {
    "hive": ("{digest}(s)", "`{digest}`(v)", "{DIGEST}(NULL)", "concat({side}(d), 'x')", "{side}(f) + 1"),
    "spark": ("{digest}(s)", "spark_catalog.{digest}(ds)", "{DIGEST}(NULL)", "{side}(d) > 0", "{side}(f)"),
}
CONVERTED = ("{digest}(i)", "{digest}(dt)", "{side}(i)", "{side}(l)")
"""Calls whose arguments are converted, which is left to each engine between Hive and Spark."""


@pytest.fixture(scope="module")
def names(bench: Bench) -> Iterator[Mapping[str, str]]:
    """What the functions are called in Hive and Spark, by what they are called in the calls above."""
    names = {own: f"{DATABASE}.{own}_{uuid.uuid4().hex[:8]}" for own in FUNCTIONS}
    with ExitStack() as stack:
        for own, (type_, java, sql, trino) in FUNCTIONS.items():
            name = names[own]
            in_trino = {"string": "varchar"}.get(type_, type_)
            for engine in ("hive-2.3", "hive-4.0"):
                bench.ask(engine, f"CREATE FUNCTION {name} AS '{java}'")
                stack.callback(bench.ask, engine, f"DROP FUNCTION {name}")
            bench.ask("spark", f"CREATE FUNCTION {name}(a {type_}) RETURNS {type_} RETURN {sql}")
            stack.callback(bench.ask, "spark", f"DROP FUNCTION {name}")
            bench.ask("trino", f"CREATE FUNCTION hive.{name}(a {in_trino}) RETURNS {in_trino} RETURN {trino}")
            stack.callback(bench.ask, "trino", f"DROP FUNCTION hive.{name}({in_trino})")
        yield names


@pytest.mark.parametrize("pair", ["hive trino", "spark trino", "hive spark", "spark hive"])
def test_calls_that_are_mapped_answer_the_same(bench: Bench, names: Mapping[str, str], pair: str) -> None:
    source, target = pair.split()
    udfs: dict[str, Any] = {
        own: {
            "type": type_,
            "arguments": [type_],
            **dict.fromkeys(("hive", "spark"), names[own]),
            "trino": f"hive.{names[own]}",
        }
        for own, (type_, *_) in FUNCTIONS.items()
    }
    calls = CALLS[source] + (CONVERTED if target == "trino" else ())
    written = {**names, **{own.upper(): name.upper() for own, name in names.items()}}
    texts = [one.format(**written) for one in calls]
    assert wrong_among(judge_values(bench, source, target, texts, udfs=udfs)) == ""
