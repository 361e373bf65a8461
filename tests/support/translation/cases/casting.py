r"""Literals and casts: expressions over ``bench.t`` that must be the same in Trino, or are refused."""

from __future__ import annotations

_HIVE, _SPARK = ("hive", "trino"), ("spark", "trino")

_NUMBERS_IN_TEXTS = ("-1.5", "1E+3", "1.5e1", "-.5", "+.5", "1234567.891", "1.005", "-0.005")
_OTHER_NUMBERS_IN_TEXTS = ("-Infinity", "1d", "1.5f", "0x1p3")
_NO_DECIMALS = ("99999999.995", "2147483648", "-", "1.5.2", "1d")
_WHOLE_IN_TEXTS = ("2147483647", "-2147483648")
_CUT_IN_TEXTS = ("-2147483649", "2147483647.9", "-.5", "+.5", "-0.9", "-", "1.5.2", "5.a", "9223372036854775807")
_DAYS_IN_TEXTS = (
    *("2020-1-5 1:2:3", "2020-01-31 10:11:12.1", "1970-01-01 00:00:00.001", "2020-01-31 10:11:12 ", "1583-01-01"),
    "9999-12-31",
)
"""Texts that Hive's releases and Spark read alike, besides those in ``bench.t``.

What Spark refuses by the rules of ANSI is asked of Hive alone: each takes queries of its own there.
"""

_LITERALS = (
    *("1", "-1", "2147483647", "2147483648", "1L", "-1L", "9223372036854775807", "7S", "-7S", "7Y", "-127Y", "1.5"),
    *("-1.5", "1.50", "0.05", "1.5BD", "-1.5BD", "1.5D", "1e3", "-1e3", "1E-3", "12.5e1", "9223372036854775808"),
    *("99999999999999999999999999999999999999", "NULL", "true", "FALSE", "-2147483648", "-9223372036854775807", "(7)"),
    *("'abc'", "''", "'it\\'s'", '"it\'s"', '"say \\"x\\""', "'a' 'b'", "'a' \"b\" 'c'", "'\\u0041\\101'", "'😀 é'"),
    *(r"'a\nb\tc\rd'", r"'back\\slash'", r"'\%\_'", r"'\q'", r"'\Z\0'", "'say \"x\"'", "'$1 {} ?'", "'-- x'"),
    *("date '2020-01-31'", "timestamp '2020-01-31 10:11:12'", "timestamp '2020-01-31 10:11:12.5'"),
    *("cast('2020-01-31 10:11:12.123456' as timestamp)", "date '1970-01-01'", "date '9999-12-31'"),
)

_IN_BOTH = (
    *_LITERALS,
    *(f"cast({text!r} as {type_})" for text in ("10", "-7", "007") for type_ in ("int", "smallint", "bigint")),
    *(f"cast('{text}' as double)" for text in (*_NUMBERS_IN_TEXTS, *_OTHER_NUMBERS_IN_TEXTS)),
    *(f"cast('{text}' as decimal(10,2))" for text in _NUMBERS_IN_TEXTS),
    *(f"cast('{text}' as date)" for text in _DAYS_IN_TEXTS),
    *(f"cast('{text}' as timestamp)" for text in _DAYS_IN_TEXTS),
    # To whole numbers.
    *(
        "cast(c as int)",
        "cast(n as int)",
        "cast(n as bigint)",
        "cast(b as int)",
        "cast(b as tinyint)",
        "cast(ti as int)",
    ),
    *("cast(si as bigint)", "cast(i as int)", "cast(i as bigint)", "cast(1.9 as int)", "cast(-1.9 as bigint)"),
    *("cast(1 as bigint)", "cast(true as int)", "cast(n2 as decimal(38,0))", "cast(cast(ti as double) as int)"),
    # To fractions.
    *("cast(s2 as double)", "cast(s2 as float)", "cast(v as double)", "cast(c as double)", "cast(i as double)"),
    *("cast(l as double)", "cast(l as float)", "cast(f as double)", "cast(d as float)", "cast(n as double)"),
    *("cast(n as float)", "cast(b as double)", "cast(b as float)", "cast(5 as double)", "cast(0.5 as double)"),
    # To decimals.
    *("cast(s2 as decimal(5,1))", "cast(v as decimal(10,2))", "cast(c as decimal(10,2))", "cast(i as decimal)"),
    *("cast(i as decimal(5,2))", "cast(l as decimal(10,2))", "cast(l as decimal(20,0))", "cast(ti as decimal(3,0))"),
    *("cast(n as decimal(5,1))", "cast(n as decimal(12,1))", "cast(n as decimal(38,10))", "cast(n2 as decimal(10,2))"),
    *(
        "cast(d2 as decimal(10,2))",
        "cast(f as decimal(10,2))",
        "cast(b as decimal(3,1))",
        "cast(1.555 as decimal(5,2))",
    ),
    *("cast('1.555' as decimal(5,2))", "cast(5 as decimal(5,2))", "cast(f as decimal(20,10))"),
    # To texts.
    *(
        "cast(b as string)",
        "cast(v as varchar(10))",
        "cast(ti as string)",
        "cast(i as string)",
        "cast(l as string)",
        "cast(f as string)",
    ),
    *("cast(d as string)", "cast(d2 as string)", "cast(dt as string)", "cast(ts as string)", "cast(c as string)"),
    *("cast(v as string)", "cast(bin as string)", "cast(s as binary)", "cast(c as binary)", "cast(v as binary)"),
    *("cast(s as varchar(3))", "cast(i as varchar(2))", "cast(d as varchar(3))", "cast(c as varchar(3))"),
    *("cast(v as varchar(20))", "cast(v as varchar(2))", "cast(bin as varchar(2))", "cast(ts as varchar(10))"),
    *("cast(s as char(3))", "cast(v as char(3))", "cast(c as char(7))", "cast(c as char(3))", "cast(dt as varchar(7))"),
    *("cast(7 as string)", "cast(-7 as string)", "cast(true as string)", "cast(cast(n as decimal(10,0)) as string)"),
    *("cast(cast('2020-01-31 10:11:12.120000' as timestamp) as string)", "cast(date '2020-01-31' as string)"),
    # To times and booleans.
    *("cast(v as date)", "cast(c as date)", "cast(dt as timestamp)", "cast(ts as date)", "cast(dt as date)"),
    *("cast(v as timestamp)", "cast(i as boolean)", "cast(d as boolean)", "cast(d2 as boolean)", "cast(n as boolean)"),
    # NULL, nested.
    *("cast(NULL as int)", "cast(NULL as string)", "cast(NULL as timestamp)", "cast(NULL as decimal(5,2))"),
    *("cast(cast(i as string) as int)", "cast(cast(dt as string) as date)", "cast(cast(ts as string) as timestamp)"),
)
_LARGE = "9999999999999999999999999999.9999999999"

SAME = {
    _HIVE: (
        *_IN_BOTH,
        *(f"cast('{text}' as int)" for text in (*_WHOLE_IN_TEXTS, *_CUT_IN_TEXTS)),
        *(f"cast('{text}' as decimal(10,2))" for text in _NO_DECIMALS),
        *("cast('2020/01/31' as date)", "cast('2020/01/31' as timestamp)"),
        *(
            "cast(s2 as decimal(38,10))",
            "cast('.' as int)",
            "'it''s'",
            "cast(n as tinyint)",
            "cast(n2 as int)",
            "cast(n2 as bigint)",
        ),
        *("cast(s2 as varchar(2))", "cast(s2 as char(2))"),
    ),
    _SPARK: (
        *_IN_BOTH,
        *(f"cast('{text}' as int)" for text in (*_WHOLE_IN_TEXTS, " 7", "7 ", "\\t7\\n", ".")),
        *(f"cast('{text}' as boolean)" for text in ("t", "TRUE", "y", "yes", "1", "f", "n", "No", "0", "on")),
        *(f"cast('{text}' as date)" for text in ("2020", "2020-01", "2020-1", "2020-13-01")),
        *(f"cast('2020-01-31{more}' as date)" for more in ("T", "Tabc", " abc", "-01")),
        *(f"cast('2020-01-31{more}' as timestamp)" for more in ("T10:11:12", " 10:11", "T1:2", "T10:11:12.123456")),
        *("-2147483648", "-128Y", "-9223372036854775808L", "10BD", "2.5F", "X'1CFF'", "0.50", "007.50"),
        *("cast(s2 as int)", "cast(s2 as bigint)", "cast(s2 as tinyint)", "cast(v as int)", "cast(s2 as boolean)"),
        *("cast(ds as date)", "cast(s2 as decimal(10,2))", "cast(s2 as decimal(38,10))", "cast(n as string)"),
        *("cast(n2 as double)", "cast(d as decimal(10,2))", "cast(2.5 as string)", "s2::int", "ds::date", "i::string"),
        *("int(s2)", "string(d)", "date(ds)", "decimal(i)", "double(s2)", "boolean(i)", "bigint(n)", "binary(s)"),
        *("try_cast(s2 as int)", "try_cast(l as int)", "try_cast(d as int)", "try_cast(d2 as tinyint)"),
        *("try_cast(n2 as bigint)", "try_cast(ds as date)", "try_cast(s2 as double)", "try_cast(s2 as decimal(5,1))"),
        *(
            "try_cast(s2 as boolean)",
            "cast(ai as array<string>)",
            "cast(ai as array<bigint>)",
            "cast(ast as array<int>)",
        ),
        *("cast(m as map<string,string>)", "cast(m as map<string,bigint>)", "cast(st as struct<a:bigint,b:string>)"),
        *("cast(st as struct<x:string,y:string>)", "cast(ars as array<struct<a:string,b:string>>)"),
        *("cast(ars as array<struct<a:double,b:int>>)", "cast(NULL as array<int>)", "cast(i as long)"),
        *("cast(st as struct<a:double,b:int>)", "cast(m as map<string,boolean>)"),
    ),
}
"""What is the same on every row."""

TOLD: dict[tuple[str, str], dict[str, tuple[str, tuple[object, ...] | None]]] = {
    _HIVE: {
        **dict.fromkeys(("cast(s2 as int)", "cast(s2 as bigint)", "int(s2)"), ("s2", (" 7 ", "\t8\n"))),
        "cast(n2 as double)": (
            "n2",
            ("9999999999999999999999999999.9999999999", "-9999999999999999999999999999.9999999999"),
        ),
        "cast(d as decimal(10,2))": ("d", (5e-324,)),
    },
    _SPARK: {
        "cast('inf' as double)": ("s2", None),
        "cast('10000-01-01' as date)": ("s2", None),
        "cast('\\u0663' as int)": ("s2", None),
    },
}
"""What may differ: on the rows in which a column has one of these values, or, with None, on all."""

ALLOWED = {
    _HIVE: {"cast(s2 as boolean)": "boolean-text", "cast(n as string)": "decimal-text"},
    _SPARK: {"cast(n2 as string)": "decimal-text"},
}
"""What is refused unless the difference is allowed, and differs then."""

STRICTER = {
    _HIVE: (*("cast(ds as date)", "cast(ds as timestamp)", "cast(l as int)", "cast(d2 as int)"),),
    _SPARK: (*("cast(ds as timestamp)", "cast(d as bigint)", "cast(n as tinyint)", "cast(ai as array<tinyint>)"),),
}
"""What fails in Trino for some rows, and is the same on all others."""

_REFUSED_IN_BOTH = {
    **dict.fromkeys(("cast(i as timestamp)", "cast(ts as double)", "cast(ts as bigint)", "cast(dt as int)"), "epoch"),
    **dict.fromkeys(("cast(b as timestamp)", "cast(dt as boolean)"), "epoch"),
    **dict.fromkeys(("date '2020-02-30'", "timestamp '2020-01-31 10:11:12Z'"), "time-literal"),
    **dict.fromkeys(("cast(ai as string)", "cast(st as string)", "cast(m as varchar(5))"), "nested-text"),
    **dict.fromkeys(("cast(i as date)", "cast(bin as int)", "cast(i as binary)"), "conversion"),
    "cast(ds as timestamp_ntz)": "unknown-type",
}
REFUSED = {
    _HIVE: {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(("cast(n as string)", "cast(2.5 as string)", "cast(n2 as varchar(5))"), "decimal-text"),
        **dict.fromkeys(("cast(s2 as boolean)", "cast(c as boolean)"), "boolean-text"),
        **dict.fromkeys(("cast(ai as array<string>)", "cast(m as map<string,bigint>)"), "nested-cast"),
        **dict.fromkeys(("-128Y", "-9223372036854775808L"), "number"),
        "timestamp '2020-01-31 10:11:12.123456'": "time-literal",
        **dict.fromkeys(("10BD", "-9223372036854775808"), "unknown-type"),
    },
    _SPARK: {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(("'it''s'", "'a' 'b''c'"), "two-quotes"),
        "cast(n2 as string)": "decimal-text",
        "cast(m as map<int,int>)": "conversion",
        **dict.fromkeys(("coalesce(s2, i)", "if(b, s2, d)", "case when b then dt else ds end"), "ansi-types"),
        "r'a\\n'": "not-known",
    },
}
"""What is refused, and the code of the reason."""

FAILING = {
    _HIVE: ("cast('2020-00-10' as date)", "cast('2020-00-10' as timestamp)"),
    _SPARK: ("cast('2020-00-10' as timestamp)",),
}
"""Texts of no day: Trino fails on every row."""
