"""Values as engines send them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from hive_views.engines.engine_values import order_of, read_json, reader_of, type_of
from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.types import parse_hive_type


@pytest.mark.parametrize(
    ("type_", "sent", "value"),
    [
        ("boolean", ["TRUE", "true", True], True),
        ("bigint", ["9223372036854775807", 2**63 - 1], 2**63 - 1),
        ("decimal(38,2)", ["150.00", "1.5E2", 150, "1.5E+2"], Decimal(150)),
        ("decimal(38,10)", ["0E-10", "0.0000000000", "-0.00"], Decimal(0)),
        ("float", ["0.1", 0.1, "0.10000000149011612"], 0.10000000149011612),
        ("float", ["3.4028235E38"], 3.4028234663852886e38),
        ("double", ["4.9E-324", 5e-324], 5e-324),
        ("double", ["-Infinity"], float("-inf")),
        ("char(5)", ["abc  ", "abc"], "abc"),
        ("varchar(5)", ["abc  "], "abc  "),
        ("timestamp", ["2020-01-31T10:11:12.5", "2020-01-31 10:11:12.500000"], "2020-01-31 10:11:12.500000000"),
        ("timestamp", ["2020-01-31 10:11:12"], "2020-01-31 10:11:12.000000000"),
        ("timestamp", ["+10000-01-01 10:11:12.0"], "+10000-01-01 10:11:12.000000000"),
        ("binary", ["AP8=", b"\x00\xff"], b"\x00\xff"),
        ("array<struct<a:decimal(3,1),b:string>>", [[["1.0", None], None]], ((Decimal(1), None), None)),
        ("map<int,string>", [{"1": "x", "2": None}], {1: "x", 2: None}),
    ],
)
def test_each_value_has_one_form(type_: str, sent: list[Any], value: Any) -> None:
    read = reader_of(parse_hive_type(type_))
    found = [read(one) for one in sent]
    assert (found, {type(one) for one in found}) == ([value] * len(sent), {type(value)})
    assert read(None) is None


def test_json_keeps_what_stands_in_it() -> None:
    """Numbers with all their digits, and members of one name both: structs of Spark have these."""
    read = reader_of(parse_hive_type("struct<a:decimal(38,20),a2:struct<b:int,b2:int>,m:map<string,int>>"))
    sent = read_json('{"a": 1.00000000000000000001, "a2": {"b": 1, "b": 2}, "m": {"": 3}}')
    assert read(sent) == (Decimal("1.00000000000000000001"), (1, 2), {"": 3})


@pytest.mark.parametrize(
    "type_", ["interval day", "void", "array<void>", "map<date,int>", "map<binary,int>", "variant"]
)
def test_a_type_whose_values_engines_do_not_send_alike_is_refused(type_: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match=f"column since is of type {type_}"):
        type_of("since", type_)


def test_rows_are_ordered_by_exact_values_first_and_not_by_nested_ones() -> None:
    types = [parse_hive_type(one) for one in ("double", "map<string,int>", "string", "float", "int", "array<int>")]
    assert order_of(types) == (2, 4, 0, 3)
