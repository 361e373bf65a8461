"""What random expressions found that was translated to something else: each is the same now, or refused."""

from __future__ import annotations

Pair = tuple[str, str]
_HIVE, _SPARK = ("hive", "trino"), ("spark", "trino")
_IN_PLACE, _TO_HIVE = ("hive", "spark"), ("spark", "hive")

SAME: dict[Pair, list[str]] = {
    _HIVE: [
        "encode(cast(s2 as char(5)), 'UTF-8')",
        "CASE WHEN i > 1 THEN 'a' WHEN i > 0 THEN 'bb' ELSE 'ccc' END",
        "to_date(ts) BETWEEN dt AND (date '1970-01-01')",
        "n BETWEEN 1.5 AND n2",
        "l NOT BETWEEN n AND 3",
        "i <=> '7'",
        "s <=> v",
        "nvl(c, 'x')",
        "case i when null then 1 else 0 end",
        "pmod(-2.5, n2)",
    ],
    _SPARK: [
        "exp(cast(i % 5 as float))",
        "cast(s as varchar(3))",
        "pmod(-2.5, n)",
        "CASE NULL WHEN s2 THEN n ELSE -2.5 END",
    ],
    _IN_PLACE: ["CASE i WHEN 1 THEN 'a' ELSE 'bb' END", "cast(v as varchar(12))", "cast('ab' as varchar(3))"],
    _TO_HIVE: ["format_number(i, 1)"],
}

REFUSED: dict[Pair, dict[str, str]] = {
    _HIVE: {
        "CASE WHEN false THEN 'abc' ELSE 'x' END": "constant-condition",
        "CASE WHEN true THEN 'abc' END": "constant-condition",
        "CASE WHEN i > 0 AND NULL = 1 THEN 'abc' END": "constant-condition",
        "coalesce(cast(0 as char(5)), 'a,b')": "constant-condition",
        "CASE WHEN (b AND NOT b) THEN n END": "constant-condition",
        "CASE WHEN false THEN dt END": "constant-condition",
        "b AND NOT b": "contradictory-condition",
        "l NOT BETWEEN 1.5 AND n2": "null-bound",
        "v <=> l": "compared-text",
        "i * '-0'": "negative-zero-text",
    },
    _SPARK: {},
    _IN_PLACE: {
        "CASE WHEN true THEN 'abc' END": "constant-condition",
        "CASE l WHEN 1.5 THEN 1 ELSE 2 END": "case-types",
        "s2 <=> i": "not-known",
        "b OR i > 0 OR NOT b": "contradictory-condition",
        "cast(s as varchar(3))": "varchar-cast",
        "cast(v as varchar(3))": "varchar-cast",
    },
    _TO_HIVE: {"format_number(i, -1)": "not-known", "cast(s as varchar(3))": "varchar-cast"},
}
