"""Types of functions of values, by their names; the tables are by family: strings, dates, numbers."""

from __future__ import annotations

from sqlglot import exp

from hive_views.analysis.tree.typing import dates, lambdas, numbers, spark_collections, spark_only, strings
from hive_views.analysis.tree.typing.context import Rule, Rules
from hive_views.analysis.tree.typing.results import by_name

NAMED: dict[str, Rule] = {
    **strings.NAMED,
    **dates.NAMED,
    **numbers.NAMED,
    **spark_only.NAMED,
    **spark_collections.NAMED,
    **lambdas.NAMED,
}

_NODES = (
    # strings
    *(exp.Ascii, exp.Chr, exp.Concat, exp.ConcatWs, exp.Decode, exp.Elt, exp.Encode, exp.FromBase64, exp.Hex),
    *(exp.Initcap, exp.JSONExtractScalar, exp.Length, exp.Levenshtein, exp.Lower, exp.MD5, exp.Pad, exp.ParseUrl),
    *(exp.RegexpExtract, exp.RegexpReplace, exp.Repeat, exp.Replace, exp.Reverse, exp.SHA, exp.SHA2, exp.Soundex),
    *(exp.Space, exp.StrPosition, exp.Substring, exp.SubstringIndex, exp.ToBase64, exp.Translate, exp.Trim),
    *(exp.Unhex, exp.Upper, exp.CurrentDatabase, exp.CurrentUser, exp.Uuid),
    # dates
    *(exp.AddMonths, exp.AtTimeZone, exp.CurrentDate, exp.CurrentTimestamp, exp.Date, exp.DateDiff, exp.DateTrunc),
    *(exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.Extract, exp.FromTimeZone, exp.Hour, exp.LastDay, exp.Minute),
    *(exp.Month, exp.MonthsBetween, exp.NextDay, exp.Quarter, exp.Second, exp.StrToUnix, exp.TimeToStr),
    *(exp.TimestampTrunc, exp.TsOrDsAdd, exp.TsOrDsToDate, exp.UnixToStr, exp.WeekOfYear, exp.Year),
    # numbers
    *(exp.Abs, exp.Acos, exp.Asin, exp.Atan, exp.Cbrt, exp.Ceil),
    *(exp.Cos, exp.Degrees, exp.Exp, exp.Factorial, exp.Floor, exp.Ln, exp.Log, exp.Pi, exp.Pow, exp.Radians),
    *(exp.Rand, exp.Round, exp.Sign, exp.Sin, exp.Sqrt, exp.Tan),
    *spark_only.NODES,
    *spark_collections.NODES,
    *lambdas.NODES,
)
"""What calls of these functions become; from the name that is written follows which of them it is."""

RULES: Rules = dict.fromkeys(_NODES, by_name(NAMED))
