"""Retracting while others write, run, fail or change the base tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.errors import Answer, CommitFailedError, MetastoreUnavailableError, StorageUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing import writing
from hive_views.publishing.publish import apply_plan
from hive_views.readiness.rules import column, requires, when
from tests.support.tables.publishing_lake import DAY, FIRST, SECOND, USERS, Lake, make_lake


def test_a_table_that_cannot_be_read_retracts_nothing(
    lake: Lake, clicks: MemoryTableWithHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise StorageUnavailableError("The storage went away.")

    clicks.delete(("2026-08-20",))
    monkeypatch.setattr(clicks, "current_state", fail)
    monkeypatch.setattr(clicks, "list_partitions", fail)
    with pytest.raises(StorageUnavailableError):
        lake.publish(DAY, retract=True)
    assert lake.declared() == [FIRST, SECOND]


def test_an_old_plan_does_not_retract_what_was_published_again_since(
    lake: Lake, clicks: MemoryTableWithHistory
) -> None:
    clicks.delete(("2026-08-20",))
    plan = lake.plan(DAY, retract=True)
    lake.publish(DAY, retract=True)
    clicks.append(("2026-08-20",))
    lake.publish(DAY)
    assert apply_plan(lake.catalog, plan).retracted == ()
    assert lake.declared() == [FIRST, SECOND]


class Interrupted(MemoryMetastore):
    """A metastore before whose second batch something happens."""

    def __init__(self) -> None:
        super().__init__()
        self.happens: Any = None
        self.verb = ""

    def add_partitions(self, *arguments: Any, **options: Any) -> Any:
        return self._then("add", super().add_partitions(*arguments, **options))

    def drop_partitions(self, *arguments: Any, **options: Any) -> Any:
        return self._then("drop", super().drop_partitions(*arguments, **options))

    def _then(self, verb: str, answer: Any) -> Any:
        if verb == self.verb and self.happens:
            happens, self.happens = self.happens, None
            happens()
        return answer


MANY = [f"{number:04}" for number in range(1100)]


@pytest.fixture
def interrupted() -> Interrupted:
    return Interrupted()


@pytest.fixture
def many(interrupted: Interrupted) -> Lake:
    return make_lake(interrupted)


def test_a_zombie_adds_nothing_between_batches_once_a_later_run_has_begun(many: Lake, interrupted: Interrupted) -> None:
    clicks = many.history()
    clicks.append(*[(day,) for day in MANY])
    interrupted.verb = "add"
    interrupted.happens = lambda: many.publish(when(lambda _: True), candidates=[], app_id="nightly", run_version=8)
    with pytest.raises(CommitFailedError, match=r"Run 7 of nightly .*run 8 has begun") as refused:
        many.publish(DAY, app_id="nightly", run_version=7)
    assert len(refused.value.added) == 500
    assert len(many.declared()) == 500
    report = many.publish(DAY, app_id="nightly", run_version=9)
    assert (len(report.added), len(report.already_published)) == (600, 500)
    assert len(many.declared()) == 1100


def test_a_zombie_retracts_nothing_between_batches_once_a_later_run_has_begun(
    many: Lake, interrupted: Interrupted
) -> None:
    clicks = many.history()
    clicks.append(*[(day,) for day in MANY])
    many.publish(DAY, app_id="nightly", run_version=6)
    clicks.delete(*[(day,) for day in MANY[1:]])
    interrupted.verb = "drop"
    interrupted.happens = lambda: many.publish(when(lambda _: True), candidates=[], app_id="nightly", run_version=8)
    with pytest.raises(CommitFailedError, match="run 8 has begun") as refused:
        many.publish(DAY, retract=True, app_id="nightly", run_version=7)
    assert (refused.value.added, len(refused.value.dropped)) == ([], 500)
    assert len(many.declared()) == 600


def test_a_metastore_that_is_lost_between_batches_of_retracting_is_completed_by_the_next_run(
    many: Lake, interrupted: Interrupted
) -> None:
    clicks = many.history()
    clicks.append(*[(day,) for day in MANY])
    many.publish(DAY)
    clicks.delete(*[(day,) for day in MANY[1:]])
    clicks.append(("2027",))

    def lose() -> None:
        raise MetastoreUnavailableError("The metastore went away.", answer=Answer.NOT_SENT)

    interrupted.verb, interrupted.happens = "drop", lose
    with pytest.raises(MetastoreUnavailableError) as failure:
        many.publish(DAY, retract=True)
    assert failure.value.added == ["ds=2027"]
    report = many.publish(DAY, retract=True)
    assert (report.added, report.already_published) == ((), ("ds=0000", "ds=2027"))
    assert many.declared() == ["ds=0000", "ds=2027"]


def test_what_changes_while_a_table_is_read_does_not_count(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The listing is pinned: the next run sees the rest."""
    clicks, users = lake.history(), lake.history(USERS)
    rules = (DAY, requires(USERS, ds=column("ds")))
    clicks.append(("2026-08-20",))
    users.append(("2026-08-20",), ("2026-08-21",))
    list_clicks = clicks.list_partitions

    def list_while_it_changes() -> Any:
        listing = list_clicks()
        clicks.append(("2026-08-20",), ("2026-08-21",))
        clicks.delete(("2026-08-20",))
        return replace(listing)

    monkeypatch.setattr(clicks, "list_partitions", list_while_it_changes)
    report = lake.publish(*rules)
    assert (report.added, list(report.waiting)) == ((FIRST,), [SECOND])
    monkeypatch.undo()
    assert lake.states(*rules) == {FIRST: "missing"}
    report = lake.publish(*rules, retract=True)
    assert (report.added, report.retracted) == ((SECOND,), (FIRST,))


def test_an_error_at_the_very_end_has_what_was_added(
    lake: Lake, clicks: MemoryTableWithHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    clicks.append(("2026-08-22",))
    commit, calls = writing.commit_own_properties, []

    def fail_at_the_end(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise MetastoreUnavailableError("The metastore went away.")
        return commit(*arguments)

    monkeypatch.setattr(writing, "commit_own_properties", fail_at_the_end)
    with pytest.raises(MetastoreUnavailableError) as caught:
        lake.publish(DAY, app_id="nightly", run_version=1)
    assert caught.value.added == ["ds=2026-08-22"]
