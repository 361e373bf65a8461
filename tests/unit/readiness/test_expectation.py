"""Which partitions are expected by a time, and since when one is late: schedules, columns, time zones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.row import Column
from hive_views.publishing.expected_partitions import ExpectedPartitions, expected_partitions
from hive_views.publishing.scope import Scope
from hive_views.readiness.expectation import Expectation

BERLIN = "Europe/Berlin"


def expected(
    expectation: Expectation,
    keys: str,
    now: str,
    since: Mapping[str, Any] | None = None,
    declared: tuple[tuple[str, ...], ...] = (),
    until: Mapping[str, Any] | None = None,
) -> ExpectedPartitions:
    columns = [Column(*key.split()) for key in keys.split(", ")]
    now_s = datetime.fromisoformat(now).replace(tzinfo=timezone.utc).timestamp()
    return expected_partitions(expectation, columns, Scope(None, since, until), declared, now_s)


def at(expectation: Expectation, keys: str, now: str, since: Mapping[str, Any] | None = None, **more: Any) -> list[str]:
    return list(expected(expectation, keys, now, since, **more).candidates)


@pytest.mark.parametrize(
    ("every", "keys", "since", "names"),
    [
        ("daily", "ds string", {"ds": "2026-08-22"}, ["ds=2026-08-22", "ds=2026-08-23"]),
        ("daily", "ds date", {"ds": "2026-08-23"}, ["ds=2026-08-23"]),
        ("daily", "ds int", {"ds": 20260823}, ["ds=20260823"]),
        ("daily", "year int, month int, day int", {"year": 2026, "month": 8, "day": 23}, ["year=2026/month=8/day=23"]),
        ("daily", "year string, month string, day string", {"year": 2026, "month": "08", "day": 23},
         ["year=2026/month=08/day=23"]),
        ("hourly", "ds string, hr int", {"ds": "2026-08-24"}, ["ds=2026-08-24/hr=0", "ds=2026-08-24/hr=1"]),
        ("hourly", "ds date, hour string", {"ds": "2026-08-24", "hour": "01"}, ["ds=2026-08-24/hour=01"]),
        ("hourly", "at string", {"at": "2026-08-24-00"}, ["at=2026-08-24-00", "at=2026-08-24-01"]),
        ("weekly", "week string", {"week": "2026-08-06"}, ["week=2026-08-10", "week=2026-08-17"]),
        ("monthly", "month string", {"month": "2026-06"}, ["month=2026-06", "month=2026-07"]),
        ("monthly", "m int", {"m": 202607}, ["m=202607"]),
        # A Friday is due when it is over, not on the next day that the expression names.
        ("0 6 * * 1-5", "ds string", {"ds": "2026-08-20"}, ["ds=2026-08-20", "ds=2026-08-21"]),
        ("0 */6 * * *", "at string", {"at": "2026-08-23-12"},
         ["at=2026-08-23-12", "at=2026-08-23-18", "at=2026-08-24-00"]),
        ("*/30 * * * *", "ds string", {"ds": "2026-08-22"}, None),
    ],
)  # fmt: skip
def test_a_partition_is_expected_when_the_time_that_it_names_has_passed(
    every: str, keys: str, since: dict[str, Any], names: list[str] | None
) -> None:
    found = at(Expectation(every), keys, "2026-08-24T02:00", since)
    if names is None:  # the hour is written, as the expression has several
        assert found[-1] == "ds=2026-08-24-01"
    else:
        assert found == names


def test_late_is_counted_from_the_end_of_the_day_in_its_time_zone() -> None:
    expectation = Expectation("daily", "6h", BERLIN)  # type: ignore[arg-type]
    found = expected(expectation, "ds string", "2026-08-24T03:59", {"ds": "2026-08-22"})
    assert list(found.candidates) == ["ds=2026-08-22", "ds=2026-08-23"]
    assert found.late(()) == {"ds=2026-08-22": int(datetime(2026, 8, 23, 4, tzinfo=timezone.utc).timestamp())}
    assert found.due(()) == ("ds=2026-08-23",)
    assert found.late({"ds=2026-08-22"}) == {}
    assert list(expected(expectation, "ds string", "2026-08-24T04:00", {"ds": "2026-08-22"}).late(())) == [
        "ds=2026-08-22",
        "ds=2026-08-23",
    ]


def test_a_day_of_25_or_23_hours_has_each_hour_once() -> None:
    hours = Expectation("hourly", time_zone=BERLIN)
    autumn = expected(hours, "ds string, hr int", "2026-10-25T23:00", {"ds": "2026-10-25"})
    assert list(autumn.candidates) == [f"ds=2026-10-25/hr={hour}" for hour in range(24)]
    # The second hour that is called 2 ends at 2 o'clock in UTC.
    assert autumn.late_since_s["ds=2026-10-25/hr=2"] == datetime(2026, 10, 25, 2, tzinfo=timezone.utc).timestamp()
    spring = expected(hours, "ds string, hr int", "2026-03-29T22:00", {"ds": "2026-03-29"})
    assert list(spring.candidates) == [f"ds=2026-03-29/hr={hour}" for hour in range(24) if hour != 2]
    assert spring.late_since_s["ds=2026-03-29/hr=1"] == datetime(2026, 3, 29, 1, tzinfo=timezone.utc).timestamp()


def test_days_in_all_regions_are_expected_and_holidays_are_skipped() -> None:
    expectation = Expectation(
        "daily", columns={"region": ("eu", "us")}, known_empty=[{"ds": ("2026-08-23",), "region": ("us",)}]
    )
    found = expected(expectation, "ds string, region string", "2026-08-24T02:00", {"ds": "2026-08-23"})
    assert list(found.candidates) == ["ds=2026-08-23/region=eu"]
    assert found.skipped == ("ds=2026-08-23/region=us",)
    assert list(found.late(())) == ["ds=2026-08-23/region=eu"]


def test_values_are_expected_at_any_time_and_dates_when_they_are_over() -> None:
    regions = expected(Expectation(("eu", "us")), "region string", "2026-08-24T02:00")
    assert (list(regions.candidates), regions.late(())) == (["region=eu", "region=us"], {})
    days = expected(Expectation(("2026-07-31", "2026-08-31")), "ds date", "2026-08-24T02:00")
    assert list(days.candidates) == list(days.late(())) == ["ds=2026-07-31"]


def test_without_a_bound_they_begin_with_the_first_partition_or_with_the_last_that_is_due() -> None:
    daily = Expectation("daily")
    declared = (("2026-08-21",), ("of another writer",))
    assert at(daily, "ds string", "2026-08-24T02:00", declared=declared) == [
        "ds=2026-08-21", "ds=2026-08-22", "ds=2026-08-23"
    ]  # fmt: skip
    for every, keys, name in (
        ("daily", "ds string", "ds=2026-08-23"),
        ("weekly", "ds string", "ds=2026-08-17"),
        ("monthly", "ds string", "ds=2026-07"),
        ("hourly", "ds string", "ds=2026-08-24-01"),
    ):
        assert at(Expectation(every), keys, "2026-08-24T02:00") == [name]


def test_bounds_limit_what_is_expected() -> None:
    found = at(Expectation("daily"), "ds string", "2026-08-24T02:00", {"ds": "2026-08-20"}, until={"ds": "2026-08-21"})
    assert found == ["ds=2026-08-20", "ds=2026-08-21"]


@pytest.mark.parametrize("every", ["dayly", "0 0 31 2 *", "1 2 3", "0 0 0 * * *", ""])
def test_a_schedule_that_never_comes_or_is_none_is_refused(every: str) -> None:
    with pytest.raises(InvalidInputError, match="give hourly, daily, weekly, monthly, a cron expression of five"):
        Expectation(every)


@pytest.mark.parametrize("late_after", ["6", "6 weeks", "-1h", timedelta(-1), 6])
def test_a_duration_needs_a_unit(late_after: Any) -> None:
    with pytest.raises(InvalidInputError, match="give a number with a unit, such as '6h'"):
        Expectation("daily", late_after)


@pytest.mark.parametrize(
    ("expectation", "keys", "error", "message"),
    [
        (Expectation("daily"), "ds string, region string", InvalidInputError, "unknown what is expected in ds"),
        (Expectation("hourly"), "ds date", InvalidInputError, "no partition column of the view .ds. has the hour"),
        (Expectation("daily", columns={"dt": "yyyyMMdd"}), "ds string", InvalidInputError, "names 'dt', which is not"),
        (Expectation("daily", columns={"hr": ("x",)}), "ds string, hr int", InvalidPartitionError, "Cannot use 'x'"),
        (Expectation(("eu",)), "ds string, region string", InvalidInputError, "unknown what is expected in ds"),
    ],
)  # fmt: skip
def test_an_expectation_that_does_not_fit_the_partition_columns_is_refused(
    expectation: Expectation, keys: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        expected(expectation, keys, "2026-08-24T02:00")


def test_a_bound_of_another_century_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"expected hourly since 1900-01-02 00:00, .* give a later since"):
        expected(Expectation("hourly"), "ds string, hr int", "2026-08-24T02:00", {"ds": "1900-01-02"})


def test_an_unknown_time_zone_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="There is no time zone 'Europe/Berlim'; give one such as"):
        Expectation("daily", time_zone="Europe/Berlim")


@pytest.mark.parametrize(
    "expectation",
    [
        Expectation("daily"),
        Expectation("0 6 * * 1-5", timedelta(hours=6), BERLIN, {"ds": "yyyyMMdd", "region": ("eu", "us")},
                    [{"ds": ("20260823",)}]),
        Expectation(("eu", "us")),
    ],
)  # fmt: skip
def test_it_is_read_back_from_what_is_recorded(expectation: Expectation) -> None:
    assert Expectation.of_document(expectation.document()) == expectation
