"""Functions of dates and times in Trino: the texts, and where they are refused."""

from __future__ import annotations

import pytest

from hive_views.translation import Kind, Translation
from tests.support.translation.cases import dates
from tests.support.translation.verdicts import translated

DAY = r"""TRY_CAST(regexp_extract("t"."ds", '^\s*(\d{4}-\d{1,2}-\d{1,2})(?!\d)', 1) AS date)"""

FROM_HIVE = {
    "year('2020-1-31')": "CAST(year(DATE '2020-01-31') AS integer)",
    "month(ds)": f"CAST(month({DAY}) AS integer)",
    "dayofweek(dt)": 'CAST(day_of_week("t"."dt") % 7 + 1 AS integer)',
    "second(ts)": 'CAST(second("t"."ts") AS integer)',
    "datediff(ts, '2020-01-01')": """CAST(date_diff('day', DATE '2020-01-01', CAST("t"."ts" AS date)) AS integer)""",
    "date_sub(ds, 1)": f"date_add('day', -1, {DAY})",
    "add_months('2020-01-15', 1)": "CAST(date_add('month', 1, DATE '2020-01-15') AS varchar)",
    "last_day(dt)": 'CAST(last_day_of_month("t"."dt") AS varchar)',
    "datediff(last_day(dt), dt)": """CAST(date_diff('day', "t"."dt", last_day_of_month("t"."dt")) AS integer)""",
    "next_day(dt, 'MO')": """CAST(date_trunc('week', date_add('day', 7, "t"."dt")) AS varchar)""",
    "trunc(ts, 'MM')": """CAST(date_trunc('month', CAST("t"."ts" AS date)) AS varchar)""",
    "date_format(ts, 'yyyyMMdd')": """format_datetime("t"."ts", 'yyyyMMdd')""",
    "from_unixtime(i)": """format_datetime(from_unixtime("t"."i"), 'yyyy-MM-dd HH:mm:ss')""",
    "from_unixtime(unix_timestamp(ds, 'yyyyMMdd'), 'yyyy-MM-dd')": (
        r"""format_datetime(TRY(date_parse(regexp_extract("t"."ds", '^\d{8}$'), '%Y%m%d')), 'yyyy-MM-dd')"""
    ),
    "to_date(from_unixtime(i))": """CAST(from_unixtime("t"."i") AS date)""",
    "unix_timestamp()": "CAST(floor(to_unixtime(current_timestamp)) AS bigint)",
    "current_timestamp": "localtimestamp",
    "from_utc_timestamp(ts, 'Europe/Berlin')": (
        """CAST(with_timezone("t"."ts", 'UTC') AT TIME ZONE 'Europe/Berlin' AS timestamp(6))"""
    ),
    "dt + interval 1 day": """CAST("t"."dt" AS timestamp) + INTERVAL '1' DAY""",
    "ts - interval '1 2:3:4' day to second": """"t"."ts" - INTERVAL '93784' SECOND""",
    "dt + interval 15 months": """"t"."dt" + INTERVAL '15' MONTH""",
}
FROM_SPARK = {
    "last_day(dt)": 'last_day_of_month("t"."dt")',
    "add_months(dt, 1)": """date_add('month', 1, "t"."dt")""",
    "dt + interval 1 day": """"t"."dt" + INTERVAL '1' DAY""",
    "dt - 1": """date_add('day', -1, "t"."dt")""",
    "to_date(ds, 'dd/MM/yyyy')": (
        r"""CAST(TRY(date_parse(regexp_extract("t"."ds", '^\d{2}/\d{2}/\d{4}$'), '%d/%m/%Y')) AS date)"""
    ),
    "date_trunc('MM', dt)": """date_trunc('month', CAST("t"."dt" AS timestamp))""",
    "extract(second from ts)": """CAST(split_part(CAST("t"."ts" AS varchar), ':', 3) AS decimal(8, 6))""",
}
TEXTS = [("hive", *one) for one in FROM_HIVE.items()] + [("spark", *one) for one in FROM_SPARK.items()]


def _of(expression: str, source: str) -> Translation:
    return translated(f"SELECT {expression} AS x FROM t", source, "trino")


@pytest.mark.parametrize(("source", "expression", "text"), TEXTS)
def test_the_text_in_trino(source: str, expression: str, text: str) -> None:
    assert _of(expression, source).text == f'SELECT\n  {text} AS "x"\nFROM "t"'


@pytest.mark.parametrize("source", ["hive", "spark"])
def test_what_is_refused_has_one_reason(source: str) -> None:
    cases = dates.REFUSED[source, "trino"]
    found = {one: [finding.reason.code for finding in _of(one, source).refusals] for one in cases}
    assert found == {one: [code] for one, code in cases.items()}


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("SELECT id,\n  date_format(dt, 'YYYY') AS x FROM t", "date-pattern", 2, 19),
        ("SELECT dt - interval 1 day, trunc(dt, 'day') AS x FROM t", "unit-of-trunc", 1, 39),
        ("SELECT from_utc_timestamp(ts, 'CST') AS x FROM t", "zone", 1, 31),
    ],
)
def test_a_refusal_has_its_place(text: str, code: str, line: int, column: int) -> None:
    (found,) = translated(text, "hive", "trino").refusals
    assert (found.reason.code, found.line, found.column) == (code, line, column)


@pytest.mark.parametrize(
    ("source", "expression", "codes"),
    [
        ("hive", "year('2020-01-31')", []),
        ("hive", "year(dt)", []),
        ("hive", "year(ds)", ["impossible-date"]),
        ("hive", "year(last_day(dt))", []),
        ("hive", "year(last_day(ds))", ["impossible-date"]),
        ("hive", "date_add(dt, ti)", []),
        ("hive", "date_add(dt, i)", ["far-date"]),
        ("hive", "hour(ds)", ["time-in-text"]),
        ("hive", "from_unixtime(i)", ["session-zone"]),
        ("hive", "from_unixtime(l)", ["far-time", "session-zone"]),
        ("hive", "from_unixtime(unix_timestamp(dt), 'yyyy')", []),
        ("hive", "unix_timestamp(ds, 'yyyyMMdd')", ["session-zone", "text-of-other-form"]),
        ("hive", "unix_timestamp()", []),
        ("hive", "from_utc_timestamp(ts, 'UTC')", []),
        ("hive", "from_utc_timestamp(ts, 'Asia/Tokyo')", ["local-times"]),
        ("spark", "from_utc_timestamp(ts, 'Asia/Tokyo')", ["local-times"]),
        ("spark", "to_utc_timestamp(ts, 'UTC')", []),
        ("spark", "to_date(ds, 'yyyyMMdd')", []),
        ("spark", "unix_timestamp(ts)", ["session-zone"]),
        ("spark", "current_date()", ["session-zone"]),
        ("hive", "ts + interval 2 hours", ["clock-change"]),
        ("hive", "ts - interval 1 day", ["clock-change"]),
        ("hive", "ts + interval 1 month", ["clock-change"]),
        ("hive", "ts + interval (ti) month", ["clock-change"]),
        ("hive", "dt + interval 1 day", ["clock-change"]),
        ("hive", "dt + interval 1 month", []),
        ("hive", "dt + interval (ti) month", []),
        ("hive", "dt + interval (ti) day", ["clock-change"]),
        ("hive", "months_between(ts, dt)", []),
        ("spark", "ts + interval 2 hours", ["clock-change"]),
        ("spark", "ts + interval '1 2' day to hour", ["clock-change"]),
        ("spark", "dt + interval 2 hours", ["clock-change"]),
        ("spark", "ts - interval 1 day", []),
        ("spark", "ts + interval 48 hours", []),
        ("spark", "ts + interval 1 month", []),
        ("spark", "timestampadd(minute, 90, ts)", ["clock-change"]),
        ("spark", "dateadd(hour, ti, dt)", ["clock-change"]),
        ("spark", "dateadd(day, ti, ts)", []),
        ("spark", "datediff(hour, dt, ts)", []),
        ("spark", "months_between(ts, dt)", ["day-of-change"]),
        ("spark", "months_between(dt, dt)", []),
    ],
)
def test_what_is_reported(source: str, expression: str, codes: list[str]) -> None:
    found = _of(expression, source)
    assert found.text
    assert sorted(one.reason.code for one in found.findings) == codes
    assert not any(one.reason.kind in (Kind.UNSUPPORTED, Kind.DIFFERENT) for one in found.findings)
