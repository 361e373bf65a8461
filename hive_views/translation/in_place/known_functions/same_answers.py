"""Functions that Hive 2.3, Hive 4 and Spark answer alike, by the types of their arguments.

Measured: each signature stands for calls that these engines answered alike for every value of the tables that the tests
of translations read. Letters of types are in ``signatures.py``.
"""

from __future__ import annotations

_TEXT = "swlfdt"
"""What becomes the same text in all engines."""

SAME: dict[str, str] = {
    # texts
    **dict.fromkeys(("lower", "lcase", "upper", "ucase"), f"{_TEXT}by"),
    **dict.fromkeys(("length", "char_length", "character_length", "octet_length"), "s"),
    **dict.fromkeys(("trim", "ltrim", "rtrim"), "s"),
    "reverse": _TEXT,
    **dict.fromkeys(("md5", "sha", "sha1", "crc32"), "sy"),
    "base64": "y",
    "hex": "sylw",
    "concat": f"{_TEXT}0 {_TEXT}0+",
    "concat_ws": "s s0 s0+, s s",
    "repeat": f"{_TEXT} w#",
    "translate": "s s s",
    "find_in_set": "s s",
    "encode": "s s",
    "space": "#",
    "mask": "s",
    "xpath_string": "s s",
    **dict.fromkeys(("xpath_int", "xpath_long", "xpath_short", "xpath_float", "xpath_double"), "s s"),
    **dict.fromkeys(("xpath_number", "xpath_boolean"), "s s"),
    "printf": "s swlf+",
    # numbers
    **dict.fromkeys(("ceil", "ceiling", "floor"), "wfn"),
    **dict.fromkeys(("round", "bround"), "wlfn"),
    "sign": "wl",
    **dict.fromkeys(("exp", "ln"), "wlf"),
    **dict.fromkeys(("atan", "sin", "cos", "tan", "cbrt", "degrees", "radians", "log10", "log2"), "wlf"),
    "positive": "wlfn",
    "bin": "wl",
    "factorial": "w",
    **dict.fromkeys(("pow", "power"), "wlf# wlf#"),
    **dict.fromkeys(("shiftleft", "shiftright", "shiftrightunsigned"), "wl w#"),
    "conv": "w # #",
    **dict.fromkeys(("pi", "e", "rand", "uuid", "current_user", "current_database"), ""),
    # dates and times
    **dict.fromkeys(("year", "month", "day", "dayofmonth", "dayofweek", "weekofyear", "quarter"), "dt"),
    **dict.fromkeys(("hour", "minute", "second"), "t"),
    **dict.fromkeys(("date", "to_date"), "dt@"),
    **dict.fromkeys(("unix_timestamp", "to_unix_timestamp"), "dt s?"),
    "datediff": "dt@ dt@",
    "months_between": "dt@ dt@",
    "from_unixtime": "wl",
    # any values
    **dict.fromkeys(("isnull", "isnotnull"), "wlnfsdtby"),
    # aggregates
    "count": "*+",
    **dict.fromkeys(("min", "max"), "wlfnsdtb"),
    "sum": "fn",
    "percentile": "wl #",
    "avg": "wlfn",
    **dict.fromkeys(("stddev_pop", "stddev_samp", "var_pop", "var_samp"), "wlfn"),
    **dict.fromkeys(("corr", "covar_pop", "covar_samp"), "wlf wlf"),
    # over windows
    **dict.fromkeys(("row_number", "rank", "dense_rank", "percent_rank", "cume_dist"), ""),
    "ntile": "#",
    **dict.fromkeys(("lag", "lead"), "wlfnsdtb #?"),
    **dict.fromkeys(("first_value", "last_value"), "wlfnsdtb"),
}

SAME_BUT_ANSI: dict[str, str] = {
    "sum": "wls",
    "avg": "s",
    "conv": "l # #",
    "abs": "l",
    "negative": "wl",
    **dict.fromkeys(("exp", "ln", "sin", "cos", "tan", "atan"), "s"),
}
"""The same, where Spark fails by the ANSI rules for some values."""

DISTINCT = frozenset(("count", "sum", "avg", "min", "max", "collect_set"))
"""Aggregates whose values with DISTINCT are the same too."""
