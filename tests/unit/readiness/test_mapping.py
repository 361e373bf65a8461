"""Values that the base table and the view write or divide differently: which mean the same, and what they name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hive_views.base_tables.port import PartitionListing, PartitionValues
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from hive_views.readiness.patterns import Pattern
from hive_views.readiness.rules import all_of, column, requires, timestamp, values_of
from tests.support.tables.publishing_plans import planned

DS = Column("ds", "string")
Types = Mapping[str, str]


def columns(types: Types) -> tuple[Column, ...]:
    return tuple(Column(name, type_) for name, type_ in types.items())


def listing(types: Types, *values: PartitionValues, table: str = "web.clicks") -> PartitionListing:
    return PartitionListing(table, "hive", columns(types), values)


YMD = {"year": column("ds").year, "month": column("ds").month, "day": column("ds").day}
DAY_OF_PARTS = timestamp(year=column("y"), month=column("m"), day=column("d"))


@pytest.mark.parametrize(
    ("base", "row", "conditions", "view", "name"),
    [
        ({"dt": "date"}, ("2026-08-21",), {"dt": column("ds")}, {"ds": "string"}, "ds=2026-08-21"),
        ({"dt": "string"}, ("20260821",), {"dt": column("ds").formatted("yyyyMMdd")}, {"ds": "date"}, "ds=2026-08-21"),
        ({"dt": "int"}, ("20260821",), {"dt": column("ds").formatted("yyyyMMdd")}, {"ds": "string"}, "ds=2026-08-21"),
        ({"dt": "date"}, ("2026-08-21",), {"dt": column("ds").parsed("yyyyMMdd")}, {"ds": "int"}, "ds=20260821"),
        ({"dt": "date"}, ("2026-08-21",), {"dt": column("ds").parsed("d.M.yyyy")}, {"ds": "string"}, "ds=21.8.2026"),
        (dict.fromkeys(YMD, "int"), ("2026", "8", "21"), YMD, {"ds": "date"}, "ds=2026-08-21"),
        (dict.fromkeys(YMD, "string"), ("2026", "08", "21"), YMD, {"ds": "string"}, "ds=2026-08-21"),
        ({"ds": "string"}, ("2026-08-21",), {"ds": DAY_OF_PARTS}, dict.fromkeys("ymd", "int"), "y=2026/m=8/d=21"),
        ({"ds": "date"}, ("2026-08-01",), {"ds": DAY_OF_PARTS}, dict.fromkeys("ymd", "string"), "y=2026/m=08/d=01"),
        (
            {"ts_hour": "string"},
            ("2026-08-21-07",),
            {"ts_hour": timestamp(column("ds"), hour=column("hr")).formatted("yyyy-MM-dd-HH")},
            {"ds": "date", "hr": "int"},
            "ds=2026-08-21/hr=7",
        ),
        (
            {"ds": "string", "hr": "string"},
            ("2026-08-21", "7"),
            {"ds": column("h").parsed("yyyy-MM-dd-HH").date, "hr": column("h").parsed("yyyy-MM-dd-HH").hour},
            {"h": "string"},
            "h=2026-08-21-07",
        ),
        ({"hr": "string"}, ("0",), {"hr": column("hr").parsed("HH").hour}, {"hr": "string"}, "hr=00"),
        (
            {"at": "timestamp"},
            ("2026-08-21 07:00:00",),
            {"at": timestamp(column("ds"), hour=column("hr"))},
            {"ds": "date", "hr": "string"},
            "ds=2026-08-21/hr=07",
        ),
        (
            {"h": "string"},
            ("2026-08-21T07",),
            {"h": column("at").formatted("yyyy-MM-dd'T'HH")},
            {"at": "timestamp"},
            "at=2026-08-21 07%3A00%3A00.0",
        ),
        (
            {"m": "string"},
            ("2026-08",),
            {"m": column("m").parsed("yyyyMM").formatted("yyyy-MM")},
            {"m": "int"},
            "m=202608",
        ),
    ],
)
def test_a_partition_is_the_same_however_it_is_written_or_divided(
    base: Types, row: PartitionValues, conditions: dict[str, object], view: Types, name: str
) -> None:
    rule = requires("web.clicks", conditions)
    named = planned(rule, listing(base, row), keys=columns(view))
    assert list(named.ready) == [name], "the table names the candidate"
    other = listing(base, *[tuple("1999" if text and len(text) == 4 else "x" for text in row)])
    candidate = dict(part.split("=") for part in name.replace("%3A", ":").split("/"))
    waiting = planned(rule, other, keys=columns(view), candidates=[candidate])
    assert list(waiting.waiting) == [name]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyyMMdd", "2026821"),
        ("yyyyMMdd", "20260230"),
        ("yyyy-MM-dd", "2026-8-21"),
        ("yyyy-M-d", "2026-08-21"),
        ("yyyy-MM-dd-HH", "2026-08-21-24"),
        ("yyyyMMdd", "20260821 "),
        ("yyyyMMdd", "٢٠٢٦٠٨٢١"),
    ],
)
def test_a_text_that_is_not_written_in_the_pattern_says_nothing(pattern: str, text: str) -> None:
    rule = requires("web.clicks", dt=column("ds").formatted(pattern))
    assert planned(rule, listing({"dt": "string"}, (text,))).waiting == {}


@pytest.mark.parametrize(
    "pattern", ["", "-", "yy", "yyyyMMdd MM", "yyyy-mm-dd-mm", "YYYY", "MMM", "'x", "e", "yyyyMMddHHH"]
)
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInputError, match="as a pattern"):
        column("ds").formatted(pattern)
    with pytest.raises(InvalidInputError, match="as a pattern"):
        column("ds").parsed(pattern)


def test_quotes_in_patterns_stand_for_letters() -> None:
    pattern = Pattern("'day'd''HH")
    assert pattern.read("day1'07") == {"day": 1, "hour": 7}
    assert pattern.write({"day": 21, "hour": 7}) == "day21'07"


HOURS_OF_DAY = timestamp(column("ds"), hour=range(24)).formatted("yyyy-MM-dd-HH")


def test_of_a_timestamp_with_several_hours_every_one_must_be_there() -> None:
    hours = [(f"2026-08-21-{hour:02d}",) for hour in range(24)]
    rule = requires("web.clicks", ts_hour=HOURS_OF_DAY)
    assert planned(rule, listing({"ts_hour": "string"}, *hours)).ready == {"ds=2026-08-21": {"web.clicks": 24}}
    plan = planned(rule, listing({"ts_hour": "string"}, *hours[:3], *hours[4:17], *hours[18:], ("2026-08-22-03",)))
    assert plan.waiting["ds=2026-08-21"] == ("web.clicks: hour 3, 17 of ds=2026-08-21 are missing",)
    assert len(plan.waiting) == 2


def test_a_missing_partition_is_reported_as_the_table_writes_it() -> None:
    rule = requires("web.clicks", YMD)
    plan = planned(rule, listing(dict.fromkeys(YMD, "int")), candidates=[{"ds": "2026-08-21"}])
    assert plan.waiting == {"ds=2026-08-21": ("web.clicks: year=2026/month=8/day=21 is missing",)}
    rule = requires("web.clicks", dt=column("ds").formatted("yyyyMMdd"))
    plan = planned(rule, listing({"dt": "string"}), candidates=[{"ds": "2026-08-21"}])
    assert plan.waiting == {"ds=2026-08-21": ("web.clicks: dt=20260821 is missing",)}


def test_a_table_that_has_only_the_month_names_no_day_but_is_judged_for_each() -> None:
    rule = requires("web.clicks", m=column("ds").formatted("yyyyMM"))
    table = listing({"m": "string"}, ("202608",))
    with pytest.raises(InvalidInputError, match="Or give candidates="):
        planned(rule, table)
    plan = planned(rule, table, candidates=[{"ds": "2026-08-21"}, {"ds": "2026-09-01"}])
    assert (list(plan.ready), list(plan.waiting)) == (["ds=2026-08-21"], ["ds=2026-09-01"])


def test_a_column_of_times_is_not_named_by_its_day() -> None:
    with pytest.raises(InvalidInputError, match="Or give candidates="):
        planned(
            requires("web.clicks", d=column("at").date),
            listing({"d": "date"}, ("2026-08-21",)),
            keys=columns({"at": "timestamp"}),
        )


def test_numbers_that_are_expected_of_a_column_of_texts_compare_as_numbers() -> None:
    types = {"ds": "string", "hr": "string"}
    rule = requires("web.clicks", ds=column("ds"), hr=range(24))
    for spelled in ("{}", "{:02d}", "{:03d}"):
        hours = [("2026-08-21", spelled.format(hour)) for hour in range(24)]
        assert planned(rule, listing(types, *hours)).ready == {"ds=2026-08-21": {"web.clicks": 24}}
    plan = planned(rule, listing(types, ("2026-08-21", "00"), ("2026-08-21", "x"), ("2026-08-21", "24")))
    assert plan.waiting == {"ds=2026-08-21": ("web.clicks: hr 1..23 of ds=2026-08-21 are missing",)}


def test_texts_that_are_expected_of_a_column_of_texts_compare_as_texts() -> None:
    rule = requires("web.clicks", ds=column("ds"), hr=["00"])
    assert planned(
        rule, listing({"ds": "string", "hr": "string"}, ("2026-08-21", "0")), candidates=[{"ds": "2026-08-21"}]
    ).waiting


# -- values of another table -------------------------------------------------------------------------------------------


def test_another_table_says_which_values_are_expected() -> None:
    rule = requires("web.clicks", ds=column("ds"), region=values_of("web.regions", "Region", {"active": "true"}))
    regions = listing(
        {"region": "string", "active": "boolean"},
        ("eu", "true"), ("us", "true"), ("xx", "false"), (None, "true"),
        table="web.regions",
    )  # fmt: skip
    clicks = listing({"ds": "string", "region": "string"}, ("1", "eu"), ("1", "us"), ("2", "eu"), ("2", "xx"))
    plan = planned(rule, clicks, regions)
    assert plan.ready == {"ds=1": {"web.clicks": 2}}
    assert plan.waiting == {"ds=2": ("web.clicks: region us of ds=2 is missing",)}


def test_values_of_another_table_compare_by_type() -> None:
    rule = requires("web.clicks", ds=column("ds"), hr=values_of("web.hours", "hr"))
    clicks = listing({"ds": "string", "hr": "string"}, ("1", "07"), ("1", "8"))
    assert planned(rule, clicks, listing({"hr": "int"}, ("7",), ("8",), table="web.hours")).ready


def test_a_table_without_values_does_not_mean_that_nothing_is_expected() -> None:
    rule = requires("web.clicks", ds=column("ds"), hr=values_of("web.hours", "hr"))
    clicks = listing({"ds": "string", "hr": "string"}, ("1", "07"))
    plan = planned(rule, clicks, listing({"hr": "int"}, (None,), table="web.hours"), candidates=[{"ds": "1"}])
    assert plan.waiting == {"ds=1": ("web.hours: there is no value that says which hr of web.clicks to expect",)}


# -- known to be empty -------------------------------------------------------------------------------------------------

HOURLY = {"ds": "string", "hr": "int"}


@pytest.mark.parametrize(
    "known_empty",
    [
        [{"ds": "2013-01-01", "hr": 0}],
        [{"DS": "2013-01-01", "hr": ["00", 5]}],
        [{"hr": 0}],
        [{"ds": "2013-01-01"}],
        [{"ds": "2012-12-31"}, {"ds": ["2013-01-01", "2013-02-21"], "hr": 0}],
    ],
)
def test_what_is_known_to_be_empty_need_not_be_there(known_empty: list[dict[str, object]]) -> None:
    hours = [("2013-01-01", str(hour)) for hour in range(1, 24)]
    rule = requires("web.clicks", ds=column("ds"), hr=range(24), known_empty=known_empty)
    assert planned(rule, listing(HOURLY, *hours)).ready == {"ds=2013-01-01": {"web.clicks": 23}}


@pytest.mark.parametrize("known_empty", [[], [{"ds": "2013-01-01", "hr": 1}], [{"ds": "2013-01-02"}]])
def test_what_is_not_known_to_be_empty_must_be_there(known_empty: list[dict[str, object]]) -> None:
    hours = [("2013-01-01", str(hour)) for hour in range(1, 24)]
    rule = requires("web.clicks", ds=column("ds"), hr=range(24), known_empty=known_empty)
    plan = planned(rule, listing(HOURLY, *hours))
    assert plan.waiting == {"ds=2013-01-01": ("web.clicks: hr 0 of ds=2013-01-01 is missing",)}


def test_holes_of_every_day_and_of_one_add_up() -> None:
    hours = [("2013-01-01", str(hour)) for hour in range(24) if hour not in (0, 5, 7)]
    known_empty: list[dict[str, object]] = [
        {"hr": 0},
        {"ds": "2013-01-01", "hr": 5},
        {"ds": "2013-01-01", "hr": 7},
        {"ds": "2013-02-21"},
    ]
    rule = requires("web.clicks", ds=column("ds"), hr=range(24), known_empty=known_empty)
    assert planned(rule, listing(HOURLY, *hours)).ready == {"ds=2013-01-01": {"web.clicks": 21}}


def test_an_hour_of_a_timestamp_can_be_known_to_be_empty() -> None:
    hours = [(f"2013-01-01-{hour:02d}",) for hour in range(1, 24)]
    rule = requires("web.clicks", ts_hour=HOURS_OF_DAY, known_empty=[{"ts_hour": "2013-01-01-00"}])
    assert planned(rule, listing({"ts_hour": "string"}, *hours)).ready


def test_a_number_known_to_be_empty_is_a_text_of_the_column() -> None:
    rule = requires("web.clicks", ds=column("ds"), hr=["00", "01"], known_empty=[{"hr": 0}])
    assert planned(rule, listing({"ds": "string", "hr": "string"}, ("1", "01"))).ready


@pytest.mark.parametrize(
    ("known_empty", "message"),
    [
        ([{"day": "1"}], "names 'day', on which the rule has no condition; it has conditions on ds, hr"),
        ([{"hr": 24}], "hr=24, which the rule does not ask for"),
        ([{"hr": "x"}], "cannot be met"),
        ([{"hr": list(range(24))}], "are all that the rule asks for"),
    ],
)
def test_known_empty_partitions_that_contradict_the_rule_are_refused(known_empty: Any, message: str) -> None:
    rule = requires("web.clicks", ds=column("ds"), hr=range(24), known_empty=known_empty)
    with pytest.raises(InvalidInputError, match=message):
        planned(rule, listing(HOURLY))


@pytest.mark.parametrize("known_empty", ["x", {"ds": 1}, [1], [{}], [{1: 2}], None])
def test_known_empty_is_a_list_of_partitions(known_empty: Any) -> None:
    with pytest.raises(InvalidInputError, match="known_empty"):
        requires("web.clicks", ds=column("ds"), known_empty=known_empty)


# -- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (column("ds").year, r"Cannot compare web\.clicks\.dt \(date\) with the year"),
        (column("ds").formatted("yyyyMMdd"), r"web\.clicks\.dt \(date\) with a text"),
        (column("hr").date, r"hr \(int\).* cannot be read as a date"),
        (column("d").parsed("yyyyMMdd"), r"d \(date\).* cannot be read as a date"),
        (timestamp(column("ds"), hour=column("d")), r"d \(date\).* cannot be the hour"),
        (timestamp(column("ds"), hour=column("hr").parsed("mm")), r"'mm' of column"),
        (timestamp(column("dss")), r"column\('dss'\).* is not a partition column of the view"),
        (timestamp(hour=column("hr")), r"hr of the view has no year"),
        (values_of("web.other", "x"), r"web\.other has no partition column 'x'; it has none"),
    ],
)
def test_what_cannot_be_compared_is_refused(asked: object, message: str) -> None:
    view = columns({"ds": "string", "hr": "int", "d": "date"})
    with pytest.raises(InvalidInputError, match=message):
        planned(
            requires("web.clicks", dt=asked),
            listing({"dt": "date"}),
            PartitionListing("web.other", "hive", (), [()]),
            keys=view,
            candidates=[],
        )


def test_several_values_of_a_part_that_the_table_does_not_show_are_refused() -> None:
    rule = requires("web.clicks", dt=timestamp(column("ds"), hour=range(24)).formatted("yyyyMMdd"))
    with pytest.raises(
        InvalidInputError, match=r"Several values of hour are expected, and web\.clicks\.dt shows no hour"
    ):
        planned(rule, listing({"dt": "string"}))


def test_the_hour_of_a_column_of_days_is_refused() -> None:
    rule = requires("web.clicks", hr=column("ds").hour)
    with pytest.raises(InvalidInputError, match="ds of the view has no hour"):
        planned(rule, listing({"hr": "int"}), keys=columns({"ds": "date"}), candidates=[])


@pytest.mark.parametrize(
    "make",
    [
        timestamp,
        lambda: timestamp("ds"),  # type: ignore[arg-type]  # the mistake
        lambda: timestamp(column("ds"), year=column("y")),
        lambda: timestamp(column("ds"), week=1),
        lambda: timestamp(column("ds"), hour="x"),
        lambda: timestamp(column("ds"), hour=[]),
        lambda: timestamp(column("ds"), hour=True),
        lambda: values_of("web.hours", ""),
        lambda: values_of("web.hours", "hr", {"ds": column("ds")}),
        lambda: requires("web.clicks", hr=[column("ds").year]),
    ],
)
def test_a_timestamp_or_set_that_is_none_is_refused(make: Any) -> None:
    with pytest.raises(InvalidInputError):
        make()


def test_columns_are_asked_of_a_table_without_partitions_in_vain() -> None:
    with pytest.raises(InvalidInputError, match=r"web\.clicks has no partition column 'ds'; it has none"):
        planned(all_of(requires("web.clicks", ds=column("ds"))), PartitionListing("web.clicks", "hive", (), [()]))
