"""What changed since each of many snapshots: right for each, and every commit read once."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.base_tables.port import Changes, Snapshot
from hive_views.hive.row import Column
from hive_views.publishing.since_published import ChangesSincePins


class Counted(MemoryTableWithHistory):
    """A table that notes between which snapshots changes are asked for."""

    def __init__(self) -> None:
        super().__init__("web.clicks", [Column("ds", "string")], clock_ms=itertools.count(1).__next__)
        self.asked: list[tuple[str, str]] = []

    def changes(self, since: Snapshot, until: Snapshot) -> Changes:
        self.asked.append((since.id, until.id))
        return super().changes(since, until)

    @property
    def newest(self) -> Snapshot | None:
        return self.current_state().snapshot


def in_this_order(*snapshots: Snapshot) -> dict[Snapshot, int]:
    return {snapshot.without_times(): number for number, snapshot in enumerate(snapshots)}


def commits_after(read: ChangesSincePins, since: Snapshot, day: str) -> list[str]:
    return [commit for change in read.after(since.without_times(), (day,)) for commit in change.commits]


def test_every_commit_is_read_once_however_many_pins_there_are() -> None:
    table = Counted()
    snapshots = [table.append((f"{number % 3}",)) for number in range(6)]
    read = ChangesSincePins(table, in_this_order(*snapshots), table.newest)
    assert table.asked == [("5", "6"), ("4", "5"), ("3", "4"), ("2", "3"), ("1", "2")]
    assert commits_after(read, snapshots[0], "0") == ["4"]
    assert commits_after(read, snapshots[0], "1") == ["2", "5"]
    assert commits_after(read, snapshots[3], "0") == []
    assert commits_after(read, snapshots[5], "2") == []
    assert sorted(read.partitions()) == [("0",), ("1",), ("2",)]


def test_what_has_expired_is_unknown_and_the_rest_is_known() -> None:
    table = Counted()
    first, second, third = (table.append((day,)) for day in ("1", "2", "3"))
    table.expire(2)
    read = ChangesSincePins(table, in_this_order(first, second, third), table.newest)
    assert "expired" in (read.unknown(first.without_times()) or "")
    assert read.unknown(second.without_times()) is None
    assert commits_after(read, second, "3") == ["3"]
    assert read.after(first.without_times(), ("2",)) == []


def test_pins_in_the_order_of_wrong_clocks_are_compared_with_the_state_itself() -> None:
    table = Counted()
    first, second, third = (table.append((day,)) for day in ("1", "2", "3"))
    table.append(("4",))
    read = ChangesSincePins(table, in_this_order(third, second, first), table.newest)
    assert [read.unknown(one.without_times()) for one in (first, second, third)] == [None] * 3
    assert commits_after(read, first, "2") == ["2"]
    assert [commits_after(read, one, "4") for one in (first, second, third)] == [["4"]] * 3
    assert commits_after(read, second, "2") == []


def test_of_a_recreated_table_nothing_is_known_since_before() -> None:
    table = Counted()
    before = table.append(("1",))
    table.recreate()
    assert "no longer has a snapshot" in (
        ChangesSincePins(table, in_this_order(before), table.newest).unknown(before.without_times()) or ""
    )
    after = table.append(("1",))
    read = ChangesSincePins(table, in_this_order(before, after), table.newest)
    assert "recreated" in (read.unknown(before.without_times()) or "")
    assert read.unknown(after.without_times()) is None


@pytest.mark.parametrize("keep", [1, 3, 100])
def test_without_pins_nothing_is_read(keep: int) -> None:
    table = Counted()
    table.append(("1",))
    table.expire(keep)
    assert ChangesSincePins(table, {}, table.newest).partitions() == []
    assert table.asked == []


WRITES = st.lists(st.tuples(st.sampled_from(["append", "compact", "delete"]), st.sampled_from("123")), max_size=12)


@settings(max_examples=60, deadline=None)
@given(writes=WRITES, data=st.data())
def test_for_each_pin_it_is_what_the_table_says_since_then(writes: list[tuple[str, str]], data: st.DataObject) -> None:
    table = Counted()
    snapshots = [table.append(("0",)), *(getattr(table, verb)((day,)) for verb, day in writes)]
    pinned = data.draw(st.lists(st.sampled_from(snapshots), unique=True))
    newest = table.newest
    assert newest
    read = ChangesSincePins(table, in_this_order(*pinned), newest)
    for since in pinned:
        expected = table.changes(since, newest).partitions
        for day in "0123":
            change = expected.get((day,))
            assert commits_after(read, since, day) == list(change.commits if change else ())
            parts = read.after(since.without_times(), (day,))
            assert all(one.rewrites_only for one in parts) == (change.rewrites_only if change else True)
        assert set(expected) <= set(read.partitions())
