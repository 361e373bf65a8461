"""Random histories of a Delta table, against a plain model and against what deltalake itself lists.

What lives here: one property. What must not: single traps (tests/unit/test_delta_log.py).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from deltalake import DeltaTable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hive_views.base_tables.port import PartitionListing, PartitionValues
from tests.contract.base_table_contract import DS, HR
from tests.contract.history_contract import Sizes, grown, sizes
from tests.contract.test_delta_base_table import DeltaWriter

_PARTITIONS = [("2026-08-21", "7"), ("2026-08-21", "8"), ("a/b=c%", None)]
_some = st.lists(st.sampled_from(_PARTITIONS), min_size=1, max_size=3, unique=True)
_one = st.sampled_from(_PARTITIONS)
_rows = st.integers(1, 3)
_step = st.one_of(
    st.tuples(st.just("append"), _some, _rows),
    st.tuples(st.just("append"), _some, _rows),
    st.tuples(st.just("overwrite"), _one.map(lambda one: [one]), _rows),
    st.tuples(st.just("drop"), _some, st.just(0)),
    st.tuples(st.just("compact"), _one.map(lambda one: [one]), st.just(0)),
    st.tuples(st.just("checkpoint"), st.just([]), st.just(0)),
    st.tuples(st.just("expire"), st.just([]), st.just(0)),
)


@dataclass
class _Model:
    """Rows of each file by partition, and what each step touched: by partition, whether its rows changed."""

    files: dict[PartitionValues, list[int]] = field(default_factory=dict)
    touched: list[dict[PartitionValues, bool]] = field(default_factory=list)

    def take(self, verb: str, partitions: list[PartitionValues], rows: int) -> None:
        files = self.files
        touched: dict[PartitionValues, bool] = {}
        for one in partitions:
            if verb == "append":
                files.setdefault(one, []).append(rows)
                touched[one] = True
            elif verb == "overwrite":
                files[one] = [rows]
                touched[one] = True
            elif verb == "drop" and files.pop(one, None):
                touched[one] = True
            elif verb == "compact" and len(files.get(one, [])) > 1:
                files[one] = [sum(files[one])]
                touched[one] = False
        self.touched.append(touched)

    def sizes(self) -> Sizes:
        return {one: (len(rows), sum(rows)) for one, rows in self.files.items()}

    def touched_since(self, step: int) -> dict[PartitionValues, bool]:
        since: dict[PartitionValues, bool] = {}
        for touched in self.touched[step + 1 :]:
            for one, is_data in touched.items():
                since[one] = since.get(one, False) or is_data
        return since


def _write(table: DeltaWriter, verb: str, partitions: list[PartitionValues], rows: int) -> None:
    verbs: dict[str, Callable[[], None]] = {
        "append": lambda: table.append(*partitions, rows=rows),
        "overwrite": lambda: table.overwrite(partitions[0], rows),
        "drop": lambda: table.drop(*partitions),
        "compact": lambda: table.compact(partitions[0]),
        "checkpoint": lambda: DeltaTable(table.directory).create_checkpoint(),
        "expire": table.expire,
    }
    verbs[verb]()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_step, min_size=1, max_size=9))
def test_a_listing_is_right_after_every_step_and_changes_lead_from_any_earlier_one_to_it(
    steps: list[tuple[str, list[PartitionValues], int]],
) -> None:
    model, seen, expired = _Model(), list[PartitionListing](), 0
    with tempfile.TemporaryDirectory() as directory:
        table = DeltaWriter([DS, HR], Path(directory) / "t")
        for verb, partitions, rows in steps:
            _write(table, verb, partitions, rows)
            model.take(verb, partitions, rows)
            seen.append(table.list())
            assert sizes(seen[-1]) == model.sizes()
            by_deltalake = {(one["ds"], one["hr"]) for one in DeltaTable(table.directory).partitions()}
            assert set(seen[-1].values) == by_deltalake
            if verb == "expire":
                # The commit that the checkpoint is of stays, and tells what it did.
                expired = int(_id(seen[-1]))
        reader, newest = table.open(), seen[-1]
        for step, before in enumerate(seen):
            assert before.snapshot is not None
            assert newest.snapshot is not None
            changes = reader.changes(before.snapshot, newest.snapshot)
            if int(before.snapshot.id) < expired - 1:
                assert changes.unknown
                continue
            is_data = {one: not change.rewrites_only for one, change in changes.partitions.items()}
            assert is_data == model.touched_since(step)
            if int(before.snapshot.id) >= expired:
                assert grown(before, changes) == sizes(newest)


def _id(listing: PartitionListing) -> str:
    assert listing.snapshot is not None
    return listing.snapshot.id
