"""Random histories of a Delta table, against a plain model and against what deltalake itself lists."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from deltalake import DeltaTable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hive_views.base_tables.port import PartitionListing, PartitionValues
from tests.support.tables.delta_writer import DeltaWriter, try_again
from tests.support.tables.writable import DS, HR, Sizes, grown, sizes

_PARTITIONS = [("2026-08-21", "7"), ("2026-08-21", "8"), ("a/b=c%", None)]
_some = st.lists(st.sampled_from(_PARTITIONS), min_size=1, max_size=3, unique=True)
_one = st.sampled_from(_PARTITIONS)
_rows = st.integers(1, 3)
_step = st.one_of(
    st.tuples(st.just("append"), _some, _rows),
    st.tuples(st.just("append"), _some, _rows),
    st.tuples(st.just("append by a clock that is behind"), _some, _rows),
    st.tuples(st.just("overwrite"), _one.map(lambda one: [one]), _rows),
    st.tuples(st.just("drop"), _some, st.just(0)),
    st.tuples(st.just("compact"), _one.map(lambda one: [one]), st.just(0)),
    st.tuples(st.sampled_from(["checkpoint", "expire", "try again", "copy", "restore"]), st.just([]), st.just(0)),
)


@dataclass
class _Model:
    """Rows of each file by partition, and what each step touched: by partition, whether its rows changed.

    Attributes:
        expired: the version from which on the log reports commits.
        lost: steps whose commits a restored copy does not have.
        tried_again: the last step that did what was done already, and may be reported as a change.
    """

    files: dict[PartitionValues, list[int]] = field(default_factory=dict)
    touched: list[dict[PartitionValues, bool]] = field(default_factory=list)
    expired: int = 0
    lost: set[int] = field(default_factory=set)
    tried_again: int = -1
    copied: _Model | None = None

    def take(self, verb: str, partitions: list[PartitionValues], rows: int) -> None:
        files = self.files
        touched: dict[PartitionValues, bool] = {}
        for one in partitions:
            if verb.startswith("append"):
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
        if verb == "try again":
            self.tried_again = len(self.touched)
        elif verb == "copy":
            self.copied = deepcopy(self)
        elif verb == "restore" and self.copied:
            self.files, self.expired = deepcopy(self.copied.files), self.copied.expired
            for step in range(len(self.copied.touched) + 1, len(self.touched)):
                self.lost.add(step)
                self.touched[step] = {}
        self.touched.append(touched)

    def sizes(self) -> Sizes:
        return {one: (len(rows), sum(rows)) for one, rows in self.files.items()}

    def touched_since(self, step: int) -> dict[PartitionValues, bool]:
        since: dict[PartitionValues, bool] = {}
        for touched in self.touched[step + 1 :]:
            for one, is_data in touched.items():
                since[one] = since.get(one, False) or is_data
        return since


def _write(table: DeltaWriter, copy: Path, verb: str, partitions: list[PartitionValues], rows: int) -> None:
    verbs: dict[str, Callable[[], object]] = {
        "append": lambda: table.append(*partitions, rows=rows),
        "append by a clock that is behind": lambda: _append_behind(table, partitions, rows),
        "overwrite": lambda: table.overwrite(partitions[0], rows),
        "drop": lambda: table.drop(*partitions),
        "compact": lambda: table.compact(partitions[0]),
        "checkpoint": lambda: DeltaTable(table.directory).create_checkpoint(),
        "expire": table.expire,
        "try again": lambda: try_again(table),
        "copy": lambda: _replace(copy, table.directory),
        "restore": lambda: _replace(table.directory, copy) if copy.exists() else None,
    }
    verbs[verb]()


def _append_behind(table: DeltaWriter, partitions: list[PartitionValues], rows: int) -> None:
    table.append(*partitions, rows=rows)
    newest = max((table.directory / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in newest.read_text().splitlines()]
    for action in actions:
        if "commitInfo" in action:
            action["commitInfo"]["timestamp"] -= 90 * 60_000
    newest.write_text("\n".join(map(json.dumps, actions)))


def _replace(directory: Path, by: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(by, directory)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_step, min_size=1, max_size=9))
def test_a_listing_is_right_after_every_step_and_changes_lead_from_any_earlier_one_to_it(
    steps: list[tuple[str, list[PartitionValues], int]],
) -> None:
    model, seen = _Model(), list[PartitionListing]()
    with tempfile.TemporaryDirectory() as directory:
        table, copy = DeltaWriter([DS, HR], Path(directory) / "t"), Path(directory) / "copy"
        for verb, partitions, rows in steps:
            _write(table, copy, verb, partitions, rows)
            model.take(verb, partitions, rows)
            seen.append(table.list())
            assert sizes(seen[-1]) == model.sizes()
            by_deltalake = {(one["ds"], one["hr"]) for one in DeltaTable(table.directory).partitions()}
            assert set(seen[-1].values) == by_deltalake
            if verb == "expire":
                # The commit that the checkpoint is of stays, and reports what it did.
                model.expired = int(_id(seen[-1]))
        reader, newest = table.open(), seen[-1]
        assert newest.snapshot is not None
        timestamps = [one.snapshot.committed_at_ms or 0 for one in reader.commits(newest.snapshot)]
        assert timestamps == sorted(timestamps, reverse=True)
        for step, before in enumerate(seen):
            assert before.snapshot is not None
            changes = reader.changes(before.snapshot, newest.snapshot)
            if step in model.lost:
                # A step that committed nothing saw what the copy has.
                assert changes.unknown or grown(before, changes) == sizes(newest)
            elif int(before.snapshot.id) < model.expired:
                assert changes.unknown
            else:
                assert grown(before, changes) == sizes(newest)
                is_data = {one: not change.rewrites_only for one, change in changes.partitions.items()}
                touched = model.touched_since(step)
                assert is_data == touched or (model.tried_again > step and touched.keys() <= is_data.keys())


def _id(listing: PartitionListing) -> str:
    assert listing.snapshot is not None
    return listing.snapshot.id
