"""Which version was current at a time, and how a time is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import InvalidInputError, NoSuchVersionError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.updates import HISTORY_SIZE
from hive_views.views.catalog import ViewCatalog
from hive_views.views.version_lookup import Time, milliseconds
from hive_views.views.view import View
from tests.support.views.quick_catalog import NAME, catalog_on

NOON = 1_785_585_600_000
"""2026-08-01 12:00:00 UTC; a version is made each hour from then on, 450 ms after it."""
HOUR = 3_600_000


@pytest.fixture
def clock() -> Iterator[int]:
    return count(NOON + 450, HOUR)


@pytest.fixture
def catalog(tmp_path: Path, clock: Iterator[int]) -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore(), warehouse=str(tmp_path), clock_ms=lambda: next(clock))
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    return catalog


@pytest.fixture
def view(catalog: ViewCatalog) -> View:
    """Versions 1, 2, 3, and 1 again, current from 12, 13, 14 and 15 o'clock."""
    for number in (2, 3):
        catalog.replace_view(NAME, sql={"hive": f"SELECT {number} AS a"})
    return catalog.roll_back_view(NAME, to_version=1)


@pytest.mark.parametrize(
    ("when", "version_id"),
    [
        (NOON + 450, 1),
        (NOON + HOUR, 1),
        (NOON + HOUR + 449, 1),
        (NOON + HOUR + 450, 2),
        ("2026-08-01T13:30", 2),
        ("2026-08-01 14:30", 3),
        ("2026-08-01T16:30:00+02:00", 3),
        ("2026-08-01T14:30:00Z", 3),
        ("2026-08-01T14:30:00.000Z", 3),
        ("2026-08-02", 1),
        (datetime(2026, 8, 1, 13, 30, tzinfo=timezone.utc), 2),
        (datetime(2026, 8, 1, 15, 30, tzinfo=timezone(timedelta(hours=2))), 2),
        ("2999-01-01", 1),
    ],
)
def test_the_version_of_a_time_is_the_one_that_was_current_then(view: View, when: Time, version_id: int) -> None:
    assert view.as_of(when).version_id == version_id


def test_the_second_that_is_shown_for_a_version_is_one_at_which_it_was_current(view: View) -> None:
    """Times are shown in whole seconds: the one of a version is before it, taken literally."""
    assert view.as_of("2026-08-01 13:00:00 UTC").version_id == 2
    assert view.as_of("2026-08-01T13:00:00").version_id == 2
    assert view.as_of("2026-08-01T13:00").version_id == 2
    assert view.as_of("2026-08-01T13:00:00.449").version_id == 1


def test_before_the_first_version_the_error_says_since_when_there_is_a_history(view: View) -> None:
    with pytest.raises(NoSuchVersionError, match=r"begins at 2026-08-01 12:00:00\.450 UTC"):
        view.as_of("2026-08-01T11:59")


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("2020-01-01", "2020-01-01"),
        ("2020-01-01T12:00+02:00 ", "2020-01-01T12:00+02:00"),
        (NOON - 1, "2026-08-01 11:59:59.999 UTC"),
        (datetime(2020, 1, 1, 12, tzinfo=timezone(timedelta(hours=2))), "2020-01-01 10:00:00.000 UTC"),
    ],
)
def test_the_error_says_the_time_as_it_was_given(view: View, when: Time, said: str) -> None:
    with pytest.raises(NoSuchVersionError) as error:
        view.as_of(when)
    assert f"was current at {said} is unknown" in str(error.value)


def test_what_was_current_before_versions_expired_is_not_guessed(catalog: ViewCatalog) -> None:
    catalog.alter_view(NAME, set_properties={HISTORY_SIZE: "1"})
    for number in (2, 3):
        view = catalog.replace_view(NAME, sql={"hive": f"SELECT {number} AS a"})
    with pytest.raises(NoSuchVersionError, match="earlier versions have expired"):
        view.as_of(NOON + HOUR)


def test_a_version_that_the_log_names_and_the_file_has_not_is_an_error(view: View) -> None:
    kept = tuple(version for version in view.versions if version.version_id != 2)
    shorter = replace(view, metadata=view.metadata.model_copy(update={"versions": kept}))
    with pytest.raises(NoSuchVersionError, match="no version 2"):
        shorter.as_of("2026-08-01T13:30")


def test_a_roll_back_to_a_time_goes_back_to_what_was_current_then(catalog: ViewCatalog, view: View) -> None:
    back = catalog.roll_back_view(NAME, to_time="2026-08-01T13:30")
    assert back.metadata.current_version_id == 2
    assert [entry.version_id for entry in back.history] == [1, 2, 3, 1, 2]


def test_a_roll_back_to_now_leaves_the_view_as_it_is(catalog: ViewCatalog, view: View) -> None:
    assert catalog.roll_back_view(NAME, to_time="2999-01-01").metadata_location == view.metadata_location


@pytest.mark.parametrize(
    "given",
    [{}, {"to_version": 1, "to_tag": "a"}, {"to_time": "2026-08-01", "to_tag": "a"}, {"to_version": 1, "to_time": 1}],
    ids=str,
)
def test_a_roll_back_is_told_in_one_way_where_to(catalog: ViewCatalog, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="exactly one of"):
        catalog.roll_back_view(NAME, **given)


@pytest.mark.parametrize(
    "when",
    ["", "yesterday", "2026-13-01", "12:00", "2026-08-01T25:00", datetime(2026, 8, 1), 1.5, True, None],  # noqa: DTZ001
    ids=repr,
)
def test_what_is_no_time_is_refused(when: Any) -> None:
    with pytest.raises(InvalidInputError, match="as a time"):
        milliseconds(when)


def test_milliseconds_are_not_rounded() -> None:
    assert milliseconds("2026-08-01T12:00:00.0019+00:00") == NOON + 1
    assert milliseconds(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=timezone.utc)) == -1
