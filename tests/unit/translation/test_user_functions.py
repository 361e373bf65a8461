"""Functions of users (UDFs): the setting, and the calls that it maps."""

from __future__ import annotations

from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.errors import InvalidInputError
from hive_views.translation import Translation

TABLES = {"web.t": [("s", "string"), ("i", "int"), ("f", "float"), ("b", "bigint"), ("c", "char(5)")]}
UDFS: dict[str, Any] = {
    "mask": {
        "type": "STRING",
        "arguments": ["string"],
        "hive": ["default.mask_ip", "mask_ip"],
        "spark": "Mask_IP",
        "trino": "lake.udf.mask_ip",
    },
    "point": {
        "type": "struct<lat:double,lon:double>",
        "arguments": ["bigint", "double"],
        "hive": "geo.point",
        "spark": "spark_catalog.geo.point",
        "trino": "geo-point",
    },
    "upper": {"type": "string", "arguments": ["string"], "hive": "web.upper", "spark": "web.upper", "trino": "upper2"},
    "batch": {"type": "bigint", "arguments": [], "hive": "batch_number", "trino": "batch_number"},
}


def translate(select: str, source: str, target: str, udfs: Any = UDFS) -> Translation:
    return hive_views.translate(f"SELECT {select} AS x FROM web.t", source, target, tables=TABLES, udfs=udfs)


@pytest.mark.parametrize(
    ("source", "target", "call", "expected"),
    [
        ("hive", "trino", "mask_ip(s)", 'lake.udf.mask_ip("t"."s")'),
        ("hive", "trino", "DEFAULT.Mask_IP(i)", 'lake.udf.mask_ip(CAST("t"."i" AS varchar))'),
        ("hive", "trino", "`default`.`mask_ip`(NULL)", "lake.udf.mask_ip(CAST(NULL AS varchar))"),
        ("hive", "trino", "`default.mask_ip`(s)", 'lake.udf.mask_ip("t"."s")'),
        ("hive", "trino", "concat(mask_ip(s), '!')", 'concat(lake.udf.mask_ip("t"."s"), \'!\')'),
        (
            "hive",
            "trino",
            "geo.point(i, f).lat",
            '"geo-point"(CAST("t"."i" AS bigint), CAST("t"."f" AS double))."lat"',
        ),
        ("hive", "trino", "batch_number()", "batch_number()"),
        ("hive", "trino", "web.upper(s)", 'upper2("t"."s")'),
        ("spark", "trino", "mask_ip(s)", 'lake.udf.mask_ip("t"."s")'),
        ("spark", "trino", "spark_catalog.geo.point(b, f).lat", '"geo-point"("t"."b", CAST("t"."f" AS double))."lat"'),
        ("hive", "spark", "default . mask_ip ( s )", "Mask_IP ( s )"),
        ("hive", "spark", "mask_ip(mask_ip(s))", "mask_ip(mask_ip(s))"),
        ("hive", "spark", "`geo.point`(i, f).lat", "geo.point(i, f).lat"),
        ("spark", "hive", "mask_ip(s)", "default.mask_ip(s)"),
        ("spark", "hive", "geo.point(b, 1.0D).lat", "geo.point(b, 1.0D).lat"),
        ("spark", "hive", "spark_catalog.geo.point(b, f).lat", "geo.point(b, f).lat"),
    ],
)
def test_a_call_is_that_of_the_other_dialect(source: str, target: str, call: str, expected: str) -> None:
    found = translate(call, source, target)
    assert found.text is not None, found.findings
    shape = 'SELECT\n  {} AS "x"\nFROM "web"."t"' if target == "trino" else "SELECT {} AS x FROM web.t"
    assert found.text == shape.format(expected)
    assert not found.findings


@pytest.mark.parametrize(
    ("source", "target", "call", "code", "says"),
    [
        ("hive", "trino", "other(s)", "udf", "it has no entry for other"),
        ("hive", "trino", "web.mask_ip(s)", "udf", "it has no entry for web.mask_ip"),
        ("hive", "spark", "web.mask_ip(s)", "udf", "it has no entry for web.mask_ip"),
        ("spark", "trino", "default.mask_ip(s)", "udf", "it has no entry for default.mask_ip"),
        ("spark", "trino", "`spark_catalog.geo.point`(b, f)", "udf", "it has no entry for"),
        ("hive", "spark", "batch_number()", "udf", "add spark = "),
        ("hive", "trino", "mask_ip(s, s)", "udf", "its entry 'mask' has 1 argument(s), and the call 2"),
        ("hive", "spark", "mask_ip()", "udf", "its entry 'mask' has 1 argument(s), and the call 0"),
        ("hive", "trino", "mask_ip(DISTINCT s)", "udf", "as only aggregates are"),
        ("hive", "spark", "mask_ip(s) OVER (PARTITION BY i)", "udf", "as only aggregates are"),
        ("hive", "trino", "mask_ip(s) OVER (PARTITION BY i)", "function", "mask_ip"),
        ("hive", "spark", "mask_ip(i)", "udf", "its entry 'mask' has string here, and the call has int; write a CAST"),
        ("hive", "spark", "geo.point(b, i).lat", "udf", "has double here, and the call has int"),
        ("hive", "spark", "mask_ip(c)", "padded-char", "without the blanks"),
        ("hive", "trino", "mask_ip(array(1))", "nested-text", ""),
        ("hive", "trino", "ngrams(s)", "function", "which function of Trino"),
    ],
)
def test_a_call_that_is_not_mapped_is_refused(source: str, target: str, call: str, code: str, says: str) -> None:
    found = translate(call, source, target)
    assert found.text is None
    assert [one.reason.code for one in found.refusals] == [code]
    assert says in found.refusals[0].reason.says


def test_the_place_is_that_of_the_argument_or_of_the_whole_name() -> None:
    [finding] = translate("concat(s, default.mask_ip(s, s))", "hive", "trino").refusals
    assert (finding.construct, finding.column) == ("default.mask_ip(s, s)", 18)
    [finding] = translate("concat(s, default.mask_ip(i))", "hive", "spark").refusals
    assert (finding.construct, finding.column) == ("i", 34)


def test_without_a_setting_every_function_of_a_user_is_refused() -> None:
    assert [one.reason.code for one in translate("mask_ip(s)", "hive", "trino", udfs={}).refusals] == ["udf"]


def test_those_of_a_catalog_are_used_unless_others_are_given() -> None:
    with ViewCatalog.connect("memory:", udfs=UDFS) as catalog:
        text = "SELECT mask_ip('a') AS x"
        assert hive_views.translate(text, tables=catalog).functions == ("lake.udf.mask_ip",)
        other = {"mask": {**UDFS["mask"], "trino": "mask2"}}
        assert hive_views.translate(text, tables=catalog, udfs=other).functions == ("mask2",)
        assert hive_views.translate(text, tables=catalog, udfs={}).refusals


VALID = {"type": "string", "arguments": ["string"], "hive": "f", "trino": "f"}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("f", "it must have type, arguments"),
        ({**VALID, "args": []}, "there is no key 'args'. Did you mean 'arguments'?"),
        ({**VALID, "type": None}, "type needs a type as Hive spells it"),
        ({**VALID, "type": "text"}, "type 'text' is no type of Hive"),
        ({**VALID, "arguments": ["integer(3)"]}, "arguments 'integer(3)' is no type of Hive"),
        ({**VALID, "arguments": [1]}, "arguments needs a type as Hive spells it"),
        ({"type": "int", "hive": "f", "trino": "f"}, "it needs arguments, the list of their types"),
        ({**VALID, "arguments": "string"}, "it needs arguments, the list of their types"),
        ({**VALID, "trino": None}, "it needs the function's name in two dialects or more"),
        ({**VALID, "hive": "a.b.c"}, "'a.b.c' is no name of a function in hive: one to 2 parts"),
        ({**VALID, "hive": "`f`"}, "'`f`' is no name of a function in hive"),
        ({**VALID, "trino": "a..f"}, "'a..f' is no name of a function in trino"),
        ({**VALID, "trino": []}, "[] is no name of a function in trino"),
        ({**VALID, "trino": ["f", 3]}, "3 is no name of a function in trino"),
        ({**VALID, "hive": "Upper"}, "hive-2.3 has a function upper of its own"),
        ({**VALID, "trino": "regexp_like"}, "trino-476 has a function regexp_like of its own"),
        ({**VALID, "hive": ["f", "g", "F"]}, "hive = 'f' is there twice"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named_with_the_rule(entry: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        translate("i", "hive", "trino", udfs={"mine": entry})
    assert str(raised.value).startswith("Cannot use the entry 'mine' of udfs: ")
    assert problem in str(raised.value)
    with pytest.raises(InvalidInputError, match="entry 'mine' of udfs"):
        ViewCatalog.connect("memory:", udfs={"mine": entry})


def test_a_name_in_two_entries_is_refused_where_a_call_would_mean_either() -> None:
    one, other = {**VALID, "spark": "web.f"}, {**VALID, "hive": "g", "spark": "spark_catalog.Web.F"}
    with pytest.raises(InvalidInputError, match=r"entry 'one' of udfs: spark = 'web\.f' is there twice"):
        translate("i", "hive", "trino", udfs={"one": one, "other": other})
    assert translate("f(g(s))", "hive", "trino", udfs={"one": VALID, "other": {**VALID, "hive": "g"}}).functions == (
        "f",
    )


def test_udfs_are_entries_by_name() -> None:
    with pytest.raises(InvalidInputError, match="udfs must have an entry for each function"):
        translate("i", "hive", "trino", udfs=[VALID])
