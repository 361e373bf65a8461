"""Paimon tables that pypaimon writes: the contract, random histories, and what pypaimon itself answers."""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hive_views.base_tables.port import PartitionListing, PartitionValues
from hive_views.readiness.rules import column, has_at_least
from tests.contract.history_contract import HistoryContract
from tests.support.tables.paimon_tables import PaimonMaker, PaimonTable
from tests.support.tables.publishing_plans import planned
from tests.support.tables.writable import DS, HR, A, B, C, HistoryMaker, Sizes, grown, sizes

pytestmark = pytest.mark.peer("pypaimon")


class TestPaimonAppendTable(HistoryContract):
    @pytest.fixture
    def maker(self, tmp_path: Path) -> HistoryMaker:
        return PaimonMaker(tmp_path)


class TestPaimonPrimaryKeyTable(HistoryContract):
    merges_files = True

    @pytest.fixture
    def maker(self, tmp_path: Path) -> HistoryMaker:
        return PaimonMaker(tmp_path, has_primary_key=True)

    # No column of a primary key is NULL.
    test_null_is_none = None  # type: ignore[assignment]
    test_values_are_spelled_as_hive_spells_them = None  # type: ignore[assignment]

    # Equal rows become one.
    def test_a_compaction_is_only_a_rewrite(self, table: PaimonTable) -> None:  # type: ignore[override]
        table.append(A, B, rows=2)
        table.append(A)
        before = table.list()
        table.compact(A)
        after = table.list()
        assert before.snapshot
        assert after.snapshot
        changes = table.open().changes(before.snapshot, after.snapshot)
        [change] = changes.partitions.values()
        assert (change.files, change.records, change.rewrites_only) == (-1, None, True)
        assert sizes(before) == {A: (2, None), B: (1, 2)}
        assert sizes(after) == {A: (1, 2), B: (1, 2)}
        self.check_growth(before, changes, after)


@pytest.fixture
def table(tmp_path: Path) -> PaimonTable:
    return PaimonMaker(tmp_path).make([DS, HR])


def test_a_text_none_or_of_the_default_partitions_name_is_no_null(table: PaimonTable) -> None:
    written = [("None", "1"), (None, "1"), ("__DEFAULT_PARTITION__", "1"), ("null", None), ("x" * 200, "1")]
    table.append(*written)
    assert set(table.list().values) == set(written)


def test_a_snapshot_whose_id_was_reused_after_a_roll_back_is_another(table: PaimonTable) -> None:
    table.append(A)
    first = table.snapshot()
    table.append(B)
    rolled_back = table.snapshot()
    table.roll_back(1)
    reader = table.open()
    assert table.snapshot() == first
    assert reader.changes(rolled_back, first).unknown
    table.append(C)
    again = table.snapshot()
    assert again.id == rolled_back.id
    assert not again.is_same_as(rolled_back)
    assert reader.changes(rolled_back, again).unknown
    assert list(reader.commits(rolled_back)) == []
    table.append(A)
    assert reader.changes(rolled_back, table.snapshot()).unknown
    assert set(reader.changes(first, table.snapshot()).partitions) == {A, C}


@pytest.mark.parametrize("has_primary_key", [False, True])
def test_files_rows_and_partitions_are_those_that_pypaimon_plans(tmp_path: Path, has_primary_key: bool) -> None:
    table = PaimonMaker(tmp_path, has_primary_key=has_primary_key).make([DS, HR])
    table.append(A, B, C, rows=5)
    table.append(A, C, rows=2)
    table.overwrite(B, rows=3)
    table.drop(C)
    table.append(("2026-08-23", "0"))
    table.compact(A)
    planned = _planned(table)
    listing = table.list()
    assert listing.statistics
    reported = {v: (s.files, s.records, s.bytes) for v, s in zip(listing.values, listing.statistics, strict=True)}
    assert reported == {
        values: (len(files), sum(one.row_count for one in files), sum(one.file_size for one in files))
        for values, files in planned.items()
    }


@pytest.mark.parametrize("buckets", ["1", "2"])
def test_rows_of_files_with_the_same_keys_are_reported_when_they_are_merged(tmp_path: Path, buckets: str) -> None:
    table = PaimonTable(tmp_path, [DS, HR], has_primary_key=True, options={"bucket": buckets})
    six = has_at_least("web.clicks", ds=column("ds"), hr=column("hr"), records=6)

    def ready() -> set[str]:
        return set(planned(six, table.list(), keys=(DS, HR)).ready)

    table.append(A, B, rows=5)
    assert {values: records for values, (_, records) in sizes(table.list()).items()} == _read(table) == {A: 5, B: 5}
    table.append(A, rows=5)
    assert _read(table)[A] == 5
    assert {values: records for values, (_, records) in sizes(table.list()).items()} == {A: None, B: 5}
    assert ready() == set(), "ten rows of five keys"
    table.append(A, rows=6)
    assert _read(table)[A] == 6
    assert ready() == set(), "nobody knows before they are merged"
    table.compact(A)
    assert {values: records for values, (_, records) in sizes(table.list()).items()} == _read(table) == {A: 6, B: 5}
    assert ready() == {"ds=2026-08-21/hr=7"}


def _planned(table: PaimonTable) -> dict[PartitionValues, list[Any]]:
    """The data files that pypaimon would read of each partition."""
    planned: dict[PartitionValues, list[Any]] = {}
    for split in table.table.new_read_builder().new_scan().plan().splits():
        ds, hr = split.partition.values
        planned.setdefault((ds, str(hr)), []).extend(split.files)
    return planned


def _read(table: PaimonTable) -> Counter[PartitionValues]:
    """How many rows pypaimon reads of each partition."""
    builder = table.table.new_read_builder()
    rows = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    return Counter((row["ds"], str(row["hr"])) for row in rows.to_pylist())


@pytest.mark.parametrize("merges_on_read", ["false", "true"])
def test_files_that_are_not_compacted_are_seen_where_pypaimon_plans_them(tmp_path: Path, merges_on_read: str) -> None:
    options = {"deletion-vectors.enabled": "true", "deletion-vectors.merge-on-read": merges_on_read}
    table = PaimonTable(tmp_path, [DS, HR], has_primary_key=True, options=options)
    table.append(A, B, rows=2)
    assert {values: files for values, (files, _) in sizes(table.list()).items()} == {
        values: len(files) for values, files in _planned(table).items()
    }
    assert bool(table.list().values) is (merges_on_read == "true")


def test_rows_that_pypaimon_deletes_by_vectors_are_not_counted(tmp_path: Path) -> None:
    options = {"row-tracking.enabled": "true", "data-evolution.enabled": "true", "deletion-vectors.enabled": "true"}
    table = PaimonTable(tmp_path, [DS, HR], options=options)
    table.append(A, B, rows=3)
    table.rewrite_ids(1)
    for step in (
        lambda: table.delete_first_row(A),
        lambda: table.append(A, rows=2),
        lambda: table.delete_first_row(A),
        lambda: table.delete_first_row(B),
        lambda: table.overwrite(B, rows=2),
    ):
        step()
        assert {values: records for values, (_, records) in sizes(table.list()).items()} == _read(table)


def test_rows_whose_columns_lie_in_several_files_count_once(tmp_path: Path) -> None:
    options = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
    table = PaimonTable(tmp_path, [DS, HR], options=options)
    table.append(A, rows=5)
    table.append(B, rows=3)
    before = table.list()
    table.rewrite_ids(0, 1)
    table.rewrite_ids(6)
    table.rewrite_ids(2)
    table.append(A, rows=2)
    listing = table.list()
    assert {values: records for values, (_, records) in sizes(listing).items()} == _read(table) == {A: 7, B: 3}
    assert {values: files for values, (files, _) in sizes(listing).items()} == {
        values: len(files) for values, files in _planned(table).items()
    }
    assert before.snapshot
    assert listing.snapshot
    changes = table.open().changes(before.snapshot, listing.snapshot)
    assert {values: (one.records, one.rewrites_only) for values, one in changes.partitions.items()} == {
        A: (None, False),
        B: (None, False),
    }


@dataclass(frozen=True)
class _State:
    """The table after a commit, as the model has it: what it listed, and what the commit did to which partitions."""

    sizes: Sizes
    touched: frozenset[PartitionValues] = frozenset()
    is_rewrite: bool = False


@dataclass
class _Model:
    states: list[_State] = field(default_factory=list)

    def commit(self, after: Sizes, touched: frozenset[PartitionValues], *, is_rewrite: bool = False) -> None:
        self.states.append(_State(after, touched, is_rewrite))

    @property
    def now(self) -> Sizes:
        return dict(self.states[-1].sizes) if self.states else {}


_PARTITIONS = st.sampled_from([A, B, C, ("2026-08-22", "8")])
_STEPS = st.one_of(
    st.tuples(st.just("append"), st.sets(_PARTITIONS, min_size=1, max_size=3), st.integers(1, 3)),
    st.tuples(st.just("overwrite"), _PARTITIONS, st.integers(1, 3)),
    st.tuples(st.just("drop"), st.sets(_PARTITIONS, min_size=1, max_size=3), st.none()),
    st.tuples(st.just("compact"), _PARTITIONS, st.none()),
    st.tuples(st.just("roll back"), st.integers(1, 3), st.none()),
    st.tuples(st.just("expire"), st.none(), st.none()),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_STEPS, min_size=4, max_size=12))
def test_a_random_history_is_reported_as_it_was(steps: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as warehouse:
        table = PaimonMaker(Path(warehouse)).make([DS, HR])
        model = _Model()
        seen: list[tuple[PartitionListing, _State]] = []
        oldest = 0
        for verb, what, rows in steps:
            if verb == "expire" and model.states:
                table.expire()
                oldest = len(model.states) - 1
            elif verb == "roll back" and len(model.states) - what > oldest:
                table.roll_back(len(model.states) - what)
                del model.states[-what:]
            elif verb not in ("expire", "roll back"):
                _commit(table, model, verb, what, rows)
            listing = table.list()
            assert sizes(listing) == model.now
            if model.states:
                assert listing.snapshot
                assert listing.snapshot.id == str(len(model.states))
                seen.append((listing, model.states[-1]))
        for before, after in itertools.combinations(seen, 2):
            _check_changes(table, model, oldest, before, after)


def _commit(table: PaimonTable, model: _Model, verb: str, what: Any, rows: int) -> None:
    after = model.now
    if verb == "append":
        table.append(*sorted(what), rows=rows)
        for one in what:
            files, records = after.get(one, (0, 0))
            after[one] = ((files or 0) + 1, (records or 0) + rows)
        model.commit(after, frozenset(what))
    elif verb == "overwrite":
        table.overwrite(what, rows)
        model.commit({**after, what: (1, rows)}, frozenset([what]))
    elif verb == "drop":
        table.drop(*sorted(what))
        dropped = frozenset(what & after.keys())
        if dropped:
            model.commit({one: size for one, size in after.items() if one not in dropped}, dropped)
    elif what in after:
        table.compact(what)
        model.commit({**after, what: (1, after[what][1])}, frozenset([what]), is_rewrite=True)


def _check_changes(
    table: PaimonTable,
    model: _Model,
    oldest: int,
    before: tuple[PartitionListing, _State],
    after: tuple[PartitionListing, _State],
) -> None:
    """Both states are still there, and in this order: then what changed is reported. Otherwise it is unknown."""
    (since, was), (until, now) = before, after
    assert since.snapshot
    assert until.snapshot
    changes = table.open().changes(since.snapshot, until.snapshot)
    if was is now:
        assert changes.unknown is None
        assert not changes.partitions
        return
    places = [next((i for i, one in enumerate(model.states) if one is state), -1) for state in (was, now)]
    if not oldest <= places[0] < places[1]:
        assert changes.unknown
        assert not changes.partitions
        return
    assert grown(since, changes) == sizes(until)
    between = model.states[places[0] + 1 : places[1] + 1]
    assert set(changes.partitions) == frozenset().union(*(one.touched for one in between))
    for values, change in changes.partitions.items():
        assert change.rewrites_only == all(one.is_rewrite for one in between if values in one.touched)
        assert change.commits == tuple(
            str(number) for number, one in enumerate(between, places[0] + 2) if values in one.touched
        )
