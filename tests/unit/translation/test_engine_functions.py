"""The lists of functions can be read, and say what is known of engines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hive_views.errors import InvalidInputError
from hive_views.translation import engine_functions
from hive_views.translation.engine_functions import KINDS, engines, functions_of

HIVE = ("hive-2.3", "hive-3.1", "hive-4.0")
SPARK = ("spark-3.5", "spark-4.1")
TRINO = ("trino-476",)


def having(name: str) -> set[str]:
    return {engine for engine in engines() if name in functions_of(engine).all}


def test_the_engines_are_known_by_their_minor_versions() -> None:
    assert engines() == (*HIVE, *SPARK, *TRINO)
    for engine in engines():
        name, _, minor = engine.partition("-")
        version = functions_of(engine).version
        assert version == minor or version.startswith(f"{minor}."), name
        assert functions_of(engine).engine == engine


@pytest.mark.parametrize("engine", engines())
def test_names_are_in_order_in_lower_case_and_once_in_each_kind(engine: str) -> None:
    file = Path(engine_functions.__file__).with_name(f"{engine}.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    assert list(content) == ["version", "asked", *KINDS, "grammar"]
    for kind in (*KINDS, "grammar"):
        assert content[kind] == sorted(set(content[kind])), kind
        assert [name for name in content[kind] if not re.fullmatch("[a-z][a-z0-9_]*", name)] == [], kind
    assert set(content["grammar"]) <= functions_of(engine).all


@pytest.mark.parametrize("engine", engines())
def test_every_line_can_be_read(engine: str) -> None:
    file = Path(engine_functions.__file__).with_name(f"{engine}.json")
    assert max(map(len, file.read_text(encoding="utf-8").splitlines())) <= 120


@pytest.mark.parametrize("engine", engines())
def test_operators_are_no_functions(engine: str) -> None:
    assert functions_of(engine).all & {"and", "or", "not", "in", "between", "case", "when"} == set()


@pytest.mark.parametrize("engine", engines())
def test_every_engine_has_a_few_functions_of_the_same_kind(engine: str) -> None:
    functions = functions_of(engine)
    assert {"abs", "cast", "coalesce", "concat", "extract", "if", "nullif", "upper"} <= functions.scalars
    assert {"avg", "count", "max", "stddev", "sum"} <= functions.aggregates
    assert {"lag", "lead", "rank", "row_number"} <= functions.windows


def test_some_functions_are_in_some_engines() -> None:
    assert having("get_json_object") == {*HIVE, *SPARK}
    assert having("transform") == {*SPARK, *TRINO}
    assert having("try_cast") == {*SPARK, *TRINO}
    assert having("approx_distinct") == {"hive-4.0", *TRINO}
    assert having("width_bucket") == {"hive-3.1", "hive-4.0", *SPARK, *TRINO}
    assert having("ewah_bitmap") == {"hive-2.3"}
    assert having("nvl2") == {*SPARK}


def test_kinds_are_those_that_engines_say() -> None:
    for engine in (*HIVE, *SPARK):
        assert {"explode", "inline", "json_tuple", "posexplode", "stack"} <= functions_of(engine).generators
    for engine in (*HIVE, *TRINO):
        assert {"first_value", "last_value"} <= functions_of(engine).windows
    for engine in SPARK:
        assert "range" in functions_of(engine).tables
    for engine in ("hive-4.0", *SPARK):
        assert {"percentile_cont", "percentile_disc"} <= functions_of(engine).aggregates
    assert "sequence" in functions_of("trino-476").scalars & functions_of("trino-476").tables
    assert "unnest" in functions_of("trino-476").grammar


def test_an_engine_that_is_not_known_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"'hive-2\.2' are not known\. Did you mean 'hive-2\.3'\?"):
        functions_of("hive-2.2")
    with pytest.raises(InvalidInputError, match=r"There are: hive-2\.3, "):
        functions_of("../x")
