"""Runs of an application: which one may act, from the record in the view's properties."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.errors import CorruptMetadataError, InvalidInputError
from hive_views.publishing.ledger.fencing import Run, run_of

KEY = "hive-views.publish.nightly"


def recorded(text: str | None) -> dict[str, str]:
    return {} if text is None else {KEY: text}


@pytest.mark.parametrize(
    ("before", "begun", "finished"),
    [
        (None, "7 started", "7 done"),
        ("6 started", "7 started", "7 done"),
        ("6 done", "7 started", "7 done"),
        ("7 started", None, "7 done"),
        ("7 done", None, "7 done"),
        ("8 started", None, None),
        ("8 done", None, None),
        ("10 done", None, None),
    ],
)
def test_a_run_is_recorded_unless_a_later_one_was(before: str | None, begun: str | None, finished: str | None) -> None:
    run = Run("nightly", 7)
    assert run.begun(recorded(before)) == recorded(begun)
    assert run.finished(recorded(before)) == recorded(finished)


def test_applications_do_not_know_of_each_other() -> None:
    assert Run("hourly", 1).begun(recorded("8 done")) == {"hive-views.publish.hourly": "1 started"}


@pytest.mark.parametrize("text", ["", "seven done", "7 finished", "7", "-7 done"])
def test_a_record_that_nobody_here_wrote_is_corrupt(text: str) -> None:
    with pytest.raises(CorruptMetadataError, match="nightly"):
        Run("nightly", 7).begun(recorded(text))


@pytest.mark.parametrize("app_id", ["", "a b", "a/b", "grün", "a" * 201, "a\n", 7])
def test_an_app_id_that_is_no_plain_name_is_refused(app_id: Any) -> None:
    with pytest.raises(InvalidInputError, match="as the name of an application"):
        Run(app_id, 1)


@pytest.mark.parametrize("version", [-1, 1.0, "1", True])
def test_a_version_that_is_no_whole_number_is_refused(version: Any) -> None:
    with pytest.raises(InvalidInputError, match="version"):
        Run("nightly", version)


def test_app_id_and_version_come_together() -> None:
    assert run_of(None, None) is None
    assert run_of("nightly", 0) == Run("nightly", 0)
    with pytest.raises(InvalidInputError, match="together"):
        run_of("nightly", None)
    with pytest.raises(InvalidInputError, match="together"):
        run_of(None, 7)
