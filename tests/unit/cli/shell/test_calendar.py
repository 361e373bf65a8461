"""The calendar of a view's days, drawn for a terminal."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from hive_views.cli.shell.calendar import Sign, calendar_of

SIGNS = (Sign("waiting", "w", "yellow"), Sign("ready", "+", "green"), Sign("declared", "#"))


def drawn(states: dict[str, str]) -> list[str]:
    return [line.plain for line in calendar_of(states, SIGNS)]


def day_in(line: str, number: int) -> str:
    return line[9 + 2 * (number - 1)]


def test_each_month_is_a_row_and_each_day_a_sign() -> None:
    header, august, september, legend = drawn(
        {"ds=2026-08-30": "declared", "ds=2026-08-31": "ready", "ds=2026-09-02": "waiting"}
    )
    assert header.split() == [str(number) for number in range(1, 32, 2)]
    assert august.startswith("2026-08")
    assert (day_in(august, 30), day_in(august, 31)) == ("#", "+")
    assert august[9:].split() == ["#", "+"], "before the first day there is nothing to be missing"
    assert september[9:].split() == [".", "w"]
    assert header.index("31") == 9 + 2 * 30
    assert legend.split("   ")[-4:] == ["w waiting", "+ ready", "# declared", ". missing"]


def test_only_signs_that_are_used_are_explained() -> None:
    assert drawn({"ds=2026-08-30": "declared"})[-1].split() == ["#", "declared"]


@pytest.mark.parametrize(
    ("hours", "sign"),
    [
        (("declared", "declared"), "#"),
        (("declared", "ready"), "+"),
        (("declared", "waiting"), "w"),
        (("ready", "waiting"), "w"),
    ],
)
def test_a_day_is_ready_when_all_its_partitions_are(hours: tuple[str, ...], sign: str) -> None:
    states = {f"ds=2026-08-21/hr={hour}": state for hour, state in enumerate(hours)}
    assert day_in(drawn(states)[1], 21) == sign


@pytest.mark.parametrize("name", ["day=20260821", "region=eu/ds=2026-08-21", "ds=2026-08-21/hr=7"])
def test_the_column_of_dates_is_found_by_its_values(name: str) -> None:
    assert drawn({name: "declared"})[1].split() == ["2026-08", "#"]


@pytest.mark.parametrize("name", ["year=2026/month=8/day=21", "region=eu/year=2026/month=08/day=21/hr=7"])
def test_a_date_may_be_in_three_columns(name: str) -> None:
    month = drawn({name: "declared"})[1]
    assert month.startswith("2026-08")
    assert day_in(month, 21) == "#"


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["hr=7"],
        ["year=2026/month=8"],
        ["year=2026/month=8/day=all"],
        ["ds=2026-08-21", "ds=all"],
        ["a=2026-08-21/b=2026-08-22"],
        ["ds=2026-02-30"],
    ],
)
def test_without_one_column_of_dates_there_is_no_calendar(names: list[str]) -> None:
    assert drawn(dict.fromkeys(names, "declared")) == []


def test_it_fits_80_columns_and_shows_the_last_two_years() -> None:
    days = [date(2020, 1, 1) + timedelta(number) for number in range(2500)]
    lines = drawn({f"ds={day}": "declared" for day in days})
    assert max(map(len, lines)) <= 80
    months = [line.split()[0] for line in lines[1:-2]]
    assert len(months) == 24
    assert months[-1] == days[-1].strftime("%Y-%m")
    assert lines[-1].split() == ["59", "earlier", "months", "are", "left", "out"]
    assert lines[2].count("#") == 31


def test_the_signs_have_their_colours() -> None:
    line = calendar_of({"ds=2026-08-21": "waiting"}, SIGNS)[1]
    assert "yellow" in [span.style for span in line.spans]


def test_a_state_called_missing_is_not_a_day_without_a_partition() -> None:
    signs = (Sign("missing", "-"), Sign("declared", "#"))
    lines = calendar_of({"ds=2026-08-20": "missing", "ds=2026-08-22": "declared"}, signs)
    assert lines[1].plain[9 + 2 * 19 :].split() == ["-", ".", "#"]
    assert lines[-1].plain.split() == ["-", "missing", "#", "declared", ".", "missing"]
