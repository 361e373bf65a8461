"""Functions of dates and times: expressions over ``bench.t`` that must be the same in Trino, or are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.support.translation.rows import COLUMNS

_IN_BOTH = (
    *("year(dt)", "year(ts)", "month(dt)", "month(ts)", "day(dt)", "day(ts)", "dayofmonth(dt)", "quarter(dt)"),
    *("quarter(ts)", "dayofweek(dt)", "dayofweek(ts)", "weekofyear(dt)", "weekofyear(ts)", "hour(ts)", "minute(ts)"),
    *(
        "second(ts)",
        "year('2020-01-31')",
        "month('2020-1-5')",
        "weekofyear('2021-01-03')",
        "hour('2020-01-31 10:11:12')",
    ),
    *("dayofweek('2020-05-31')", "year(NULL)", "year(to_date(ts)) + month(dt)"),
    *("extract(year from dt)", "extract(quarter from ts)", "extract(month from ts)", "extract(week from dt)"),
    *("extract(day from ts)", "extract(dayofweek from dt)", "extract(hour from ts)", "extract(minute from ts)"),
    *("to_date(dt)", "to_date(ts)", "to_date('2020-01-31')", "date(ts)", "to_date(NULL)"),
    *("date_add(dt, 1)", "date_add(ts, -3)", "date_add(dt, ti)", "date_add(dt, si)", "date_add('2020-02-28', 2)"),
    *("date_sub(dt, 1)", "date_sub(dt, -1)", "date_sub(ts, ti)", "date_sub(dt, si)", "date_sub('2020-03-01', 1)"),
    *("datediff(ts, dt)", "datediff(dt, date_sub(dt, ti))", "datediff('2020-03-01', '2020-02-01')"),
    *("datediff(dt, '2020-02-29')", "datediff('2020-02-29', dt)"),
    *("add_months(dt, 1)", "add_months(dt, -1)", "add_months(dt, 12)", "add_months(ts, ti)", "add_months(dt, ti)"),
    *("add_months('2020-01-15', 1)", "add_months('2020-01-31', 1)"),
    *("last_day(dt)", "last_day(ts)", "last_day('2020-02-01')", "last_day(add_months(dt, 1))"),
    *("next_day(dt, 'MO')", "next_day(dt, 'tue')", "next_day(dt, 'Wednesday')", "next_day(dt, 'TH')"),
    *("next_day(dt, 'FRI')", "next_day(dt, 'SA')", "next_day(ts, 'SUNDAY')", "next_day('2020-05-31', 'SU')"),
    *("trunc(dt, 'MM')", "trunc(dt, 'MON')", "trunc(ts, 'MONTH')", "trunc(dt, 'YEAR')", "trunc(ts, 'YY')"),
    *("trunc(dt, 'YYYY')", "trunc(dt, 'QUARTER')", "trunc('2020-05-31', 'MM')"),
    *("months_between(dt, ts)", "months_between(ts, dt)", "months_between(dt, '2020-02-29')"),
    *("months_between(dt, date '2020-01-30')", "months_between(last_day(dt), last_day('2020-02-01'))"),
    *("months_between(ts, timestamp '2020-02-28 10:00:00', false)", "months_between('2020-03-30 10:00:00', dt)"),
    *("datediff(last_day(dt), trunc(dt, 'MM'))", "date_format(next_day(dt, 'MO'), 'yyyyMMdd')", "year(last_day(ts))"),
    *("date_format(dt, 'yyyyMMdd')", "date_format(ts, 'yyyy-MM-dd HH:mm:ss')", "date_format(ts, 'yy y M MM d dd')"),
    *("date_format(ts, 'H HH h hh K k a m mm s ss SSS')", "date_format(ts, 'E EEE EEEE MMM MMMM D DDD')"),
    *("date_format(ts, \"yyyy-MM-dd'T'HH:mm\")", "date_format(dt, 'HH:mm')", "date_format('2020-01-31', 'EEEE')"),
    *("to_date(date_format(ts, 'yyyy-MM-dd'))", "date_format('2020-01-31 10:11:12', 'HH:mm')"),
    *(
        "from_unixtime(i)",
        "from_unixtime(i, 'yyyyMMdd')",
        "from_unixtime(0)",
        "months_between(last_day(dt), dt)",
        "from_unixtime(ti)",
        "year(from_unixtime(i, 'yyyy-MM-dd'))",
    ),
    *("from_unixtime(unix_timestamp(dt), 'yyyyMM')", "from_unixtime(unix_timestamp(ts))", "unix_timestamp(dt)"),
    *("to_date(from_unixtime(i))", "hour(from_unixtime(i))", "months_between(from_unixtime(i), ts)"),
    *("to_date(date_format(ts, 'yyyy-MM-dd HH:mm:ss'))", "second(date_format(ts, 'yyyy-MM-dd HH:mm:ss'))"),
    *("year(from_unixtime(unix_timestamp(date_format(ts, 'yyyyMMdd'), 'yyyyMMdd')))", "datediff(from_unixtime(i), dt)"),
    *("unix_timestamp(ts)", "to_unix_timestamp(ts)", "unix_timestamp('2020-01-31 10:11:12')"),
    *("unix_timestamp('20200131', 'yyyyMMdd')", "unix_timestamp(date_format(ts, 'yyyyMMddHHmm'), 'yyyyMMddHHmm')"),
    *("from_unixtime(unix_timestamp(date_format(dt, 'dd/MM/yyyy'), 'dd/MM/yyyy'), 'yyyy-MM-dd')",),
    *("from_utc_timestamp(ts, 'Europe/Berlin')", "to_utc_timestamp(ts, 'Europe/Berlin')"),
    *("from_utc_timestamp(dt, 'America/New_York')", "from_utc_timestamp(ts, 'UTC')", "to_utc_timestamp(ts, 'GMT')"),
    *("to_utc_timestamp('2020-03-29 02:30:00', 'Europe/Berlin')",),
    *("ts + interval 1 day", "ts - interval '2' hour", "ts + interval '1 2:3:4' day to second", "interval 1 day + ts"),
    *("ts + interval '-1 2:3:4.5' day to second", "ts - interval '1-2' year to month", "ts + interval '1.5' second"),
    *("dt + interval 1 month", "dt - interval 1 year", "dt - interval '14' month", "dt + interval 2 hours"),
    *("date '2020-01-31' + interval 1 month", "ts + interval 1 month + interval 2 days", "ts + interval 90 minutes"),
    *("current_date > date '2020-01-01'", "year(current_date) > 2020", "year(current_timestamp) > 2020"),
    *("unix_timestamp() > unix_timestamp(dt)", "year(current_date()) > 2020"),
)
SAME = {
    ("hive", "trino"): (
        *_IN_BOTH,
        *("trunc(dt, 'Q')", "extract(second from ts)", "dt + interval 1 day", "dt + interval (1 + 1) day"),
        *("dt - interval (ti) month", "ts + interval (ti) hour", "dt - interval 1 day", "year('2020-01-31T10')"),
        *(
            "datediff('2020-03-01 23:00:00', dt)",
            "year(v)",
            "year(c)",
            "hour(c)",
            "unix_timestamp(c)",
            "unix_timestamp(c, 'yyyyMMdd')",
        ),
    ),
    ("spark", "trino"): (
        *_IN_BOTH,
        *("hour(dt)", "extract(second from ts)", "extract(dow from dt)", "extract(doy from ts)", "dayofyear(dt)"),
        *(
            "weekday(ts)",
            "date_part('month', dt)",
            "unix_date(dt)",
            "date_from_unix_date(si)",
            "make_date(2020, 2, 29)",
        ),
        *("make_date(2020, ti, ti)", "trunc(dt, 'month')", "trunc(ts, 'week')", "date_trunc('MM', dt)"),
        *("date_trunc('week', ts)", "date_trunc('hour', ts)", "date_trunc('DAY', ts)", "date_trunc('millisecond', ts)"),
        *("dateadd(dt, 2)", "date_diff(dt, ts)", "dt + interval 1 day", "dt - interval '1' week", "dt + 1", "dt - ti"),
        *("1 + dt", "ts + interval '1 2' day to hour", "ts + interval '2:3' minute to second", "ts + interval -1 day"),
        *(
            "dt + interval '1 year 2 months'",
            "ts + interval 1 day 2 hours",
            "now() > ts",
            "dateadd(day, 1, dt)",
            "dateadd(MONTH, ti, ts)",
            "dateadd(hour, -1, dt)",
            "datediff(day, dt, ts)",
            "datediff(hour, dt, ts)",
            "datediff(week, ts, dt)",
            "datediff(second, ts, dt)",
            "timestampadd(minute, 90, ts)",
            "timestampdiff(day, ts, dt)",
            "dt + interval 24 hours",
            "dt + interval '1 0' day to hour",
            "to_timestamp(dt)",
        ),
        *("to_timestamp(ts, 'yyyy')", "datediff(NULL, dt)"),
    ),
}
"""What is the same on every row."""

FAILING_BY_ANSI = (
    *("to_date(ds, 'yyyyMMdd')", "to_date(ds, 'dd/MM/yyyy')", "to_date(ds, 'yyyy-MM')", "unix_timestamp(ds)"),
    *("to_timestamp(ds, 'yyyy-MM-dd HH:mm:ss')", "from_unixtime(unix_timestamp(ds, 'yyyyMMdd'), 'yyyy-MM-dd')"),
    *("year(ds)", "datediff(ds, '2020-01-01')"),
)
"""From Spark, the same on every row; by the rules of ANSI, Spark fails on some."""

_FAR = ("9999-12-31",)
_IMPOSSIBLE = ("2020-02-30", "2019-02-29", "0000-00-00", "2020-13-01")
_NO_TIME = ("2020-12-31 24:00:00", "2020-01-31 25:00:00")


def _all_but(*texts: str) -> tuple[str, ...]:
    return tuple(one for one in COLUMNS["ds"][1] if one is not None and one not in texts)


Cases = Mapping[tuple[str, str], Mapping[str, Sequence[str]]]

TOLD: Cases = {
    ("hive", "trino"): {
        **dict.fromkeys(("year(ds)", "to_date(ds)", "datediff(ds, '2020-01-01')", "add_months(ds, 1)"), _IMPOSSIBLE),
        **dict.fromkeys(("last_day(ds)", "trunc(ds, 'MM')", "weekofyear(ds)", "dayofweek(ds)"), _IMPOSSIBLE),
        **dict.fromkeys(("datediff(dt, ds)", "date_sub(ds, 1)"), _IMPOSSIBLE),
        **dict.fromkeys(("date_add(ds, 1)", "next_day(ds, 'MO')"), (*_IMPOSSIBLE, *_FAR)),
        "date_format(ds, 'yyyy-MM')": (*_IMPOSSIBLE, *_NO_TIME),
        "unix_timestamp(ds, 'yyyy-MM-dd')": _all_but("2020-01-31", "9999-12-31", "2020-02-29"),
        "from_unixtime(unix_timestamp(ds, 'yyyyMMdd'), 'yyyy-MM-dd')": _all_but("20200131"),
    },
    ("spark", "trino"): {"date_add(ds, 1)": _FAR},
}
"""What may differ, and the texts in ``ds`` for which it may."""

_CLEAN = ("2020-01-31 10:11:12", "2020-01-31 10:11:12.123456", "1970-01-01 00:00:00", "31/01/2020", "", "abc")
_DAYS = ("2020-01-31", "2020-1-5", " 2020-01-31 ", "2020-02-29", "9999-12-31")
STRICTER: Cases = {
    ("hive", "trino"): {
        "hour(ds)": _CLEAN,
        "months_between(ds, dt)": (*_CLEAN, *_DAYS),
        "date_format(ds, 'yyyy-MM-dd HH:mm')": (*_CLEAN, *_DAYS),
        "unix_timestamp(ds)": (*_CLEAN, *_DAYS),
    },
    ("spark", "trino"): {
        "date_trunc('month', ds)": (*_CLEAN, *_DAYS, "2020-01-31T10:11:12", "2020-01-31 10:11"),
        "hour(ds)": (*_CLEAN, *_DAYS, "2020-01-31T10:11:12", "2020-01-31 10:11"),
    },
}
"""What fails in Trino for some texts in ``ds``, and those for which it is the same."""

_REFUSED_IN_BOTH = {
    **dict.fromkeys(("date_format(dt, 'YYYY')", "date_format(dt, 'u')", "date_format(ts, 'S')"), "date-pattern"),
    **dict.fromkeys(("from_unixtime(i, 'yyyy [dd]')", "unix_timestamp(s, 'dd MMM yyyy')"), "date-pattern"),
    **dict.fromkeys(("date_format(ts, s)", "next_day(dt, s)", "from_utc_timestamp(ts, s)"), "not-written"),
    **dict.fromkeys(("from_utc_timestamp(ts, 'PST')", "to_utc_timestamp(ts, '+01:00')"), "zone"),
    **dict.fromkeys(("interval 1 day", "dt - dt", "ts - ts", "ts - dt"), "interval-value"),
    **dict.fromkeys(("trunc(dt, 'xx')", "trunc(dt, 'DD')"), "unit-of-trunc"),
    **dict.fromkeys(("year(i)", "datediff(i, dt)", "date_add(dt, l)", "add_months(dt, s)", "hour(d)"), "conversion"),
    "next_day(dt, 'xx')": "day-of-week",
    "ts + interval '0.0001' second": "interval",
}
REFUSED = {
    ("hive", "trino"): {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(("trunc(dt, 'month')", "trunc(dt, 'WEEK')"), "unit-of-trunc"),
        **dict.fromkeys(("trunc(n, 2)", "to_date(ds, 'yyyy')"), "function"),
        **dict.fromkeys(("hour(dt)", "extract(minute from dt)"), "time-of-date"),
        **dict.fromkeys(("add_months(dt, 1, 'yyyy')", "extract(dow from dt)"), "not-known"),
        "unix_timestamp(ds, 'yyyy-MM')": "date-pattern",
        "hour(last_day(dt))": "time-of-date",
        "hour('2020-01-31T10:11:12')": "conversion",
    },
    ("spark", "trino"): {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(("date_trunc('xx', ts)", "trunc(ts, 'q')"), "unit-of-trunc"),
        **dict.fromkeys(("datediff(month, ts, dt)", "datediff(year, ts, dt)"), "months-between-times"),
        "ts + interval i day": "interval",
    },
}
"""What is refused, and the code of the reason."""
