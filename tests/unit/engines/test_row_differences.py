"""Rows of two engines, beside each other."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from hive_views.engines.row_differences import differing_columns, without_like
from hive_views.hive.types import parse_hive_type

NAN, INFINITY = float("nan"), float("inf")
ONE = 1.0000000000000002
"""The double after 1."""


@pytest.mark.parametrize(
    ("type_", "mine", "theirs"),
    [
        ("double", 1.0, ONE),
        ("double", NAN, float("nan")),
        ("double", -INFINITY, -INFINITY),
        ("double", 1e20, 1e20 + 16384),
        ("float", 0.5, 0.5000001),
        ("array<double>", (1.0, None), (ONE, None)),
        ("map<string,double>", {"a": 1.0, "b": 2.0}, {"b": 2.0, "a": ONE}),
        ("struct<a:int,b:double>", (1, 1.0), (1, ONE)),
        ("decimal(10,2)", Decimal("1.5"), Decimal("1.5")),
    ],
)
def test_these_values_are_the_same(type_: str, mine: Any, theirs: Any) -> None:
    assert without_like(((mine,),), ((theirs,),), [parse_hive_type(type_)]) == ([], [])


@pytest.mark.parametrize(
    ("type_", "mine", "theirs"),
    [
        ("double", 1.0, 1.00000000001),
        ("double", 0.0, -0.0),
        ("double", 0.0, None),
        ("double", NAN, None),
        ("double", NAN, 1.0),
        ("double", INFINITY, 1.7976931348623157e308),
        ("float", 0.5, 0.500001),
        ("bigint", 2**53, 2**53 + 1),
        ("decimal(38,20)", Decimal("1.00000000000000000001"), Decimal(1)),
        ("string", "a", "a "),
        ("string", "NULL", None),
        ("binary", b"a", b"b"),
        ("array<int>", (), None),
        ("array<int>", (None,), ()),
        ("array<int>", (1, 2), (2, 1)),
        ("map<string,int>", {"a": None}, {}),
        ("map<string,double>", {"a": 1.0}, {"b": 1.0}),
        ("struct<a:int,b:string>", (None, None), None),
        ("array<double>", (1.0, None), (None, 1.0)),
    ],
)
def test_these_values_are_not(type_: str, mine: Any, theirs: Any) -> None:
    assert without_like(((mine,),), ((theirs,),), [parse_hive_type(type_)]) == ([(mine,)], [(theirs,)])


def test_rows_are_compared_in_any_order_and_as_often_as_they_are_there() -> None:
    types = [parse_hive_type("string"), parse_hive_type("double")]
    mine = (("a", 1.0), ("a", 1.0), ("b", NAN), ("c", 2.0), ("a", 3.0))
    assert without_like(mine, mine[::-1], types) == ([], [])
    assert without_like(mine, (("a", ONE), *mine[1:]), types) == ([], [])
    assert without_like(mine, mine[1:], types) == ([("a", 1.0)], [])
    assert without_like(mine, (*mine, ("b", NAN)), types) == ([], [("b", NAN)])
    assert without_like(mine, (("a", 1.0), ("a", 3.0), *mine[2:]), types) == ([("a", 1.0)], [("a", 3.0)])


def test_fractions_that_are_near_each_other_find_their_like() -> None:
    """Both of the first column are like both of the other side; only one of them is so in the second."""
    types = [parse_hive_type("double")] * 2
    mine, theirs = ((1.0, 5.0), (ONE, 7.0)), ((1.0, 7.0), (ONE, 5.0))
    assert without_like(mine, theirs, types) == ([], [])
    numbers = tuple((float(number),) for number in range(3000))
    others = tuple((float(number) + (1e-6 if number == 1500 else 0),) for number in reversed(range(3000)))
    assert without_like(numbers, others, types[:1]) == ([(1500.0,)], [(1500.000001,)])


def test_the_columns_that_differ_are_named() -> None:
    types = [parse_hive_type(one) for one in ("int", "double", "string")]
    assert differing_columns((1, 1.0, "a"), (1, ONE, "b"), types) == (2,)
