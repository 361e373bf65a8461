"""What commits of a Delta table did to its partitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hive_views.base_tables.delta.keys import PartitionColumns
from hive_views.base_tables.delta.log import DeltaCommit, FileAction
from hive_views.base_tables.delta.state import LiveFile
from hive_views.base_tables.port import Changes, PartitionChange, PartitionValues

LiveFiles = Callable[[], Mapping[str, LiveFile] | None]
"""The files before the commits, loaded only when asked for; None if they cannot be known any more."""


# Names that no two files have; writers of Delta give these, and who gives others may write a file of the name again.
_UNIQUE_NAME = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class UnknownError(Exception):
    """What the commits did to the partitions cannot be known without the files before them."""


def changes_of(
    commits: Iterable[DeltaCommit], columns: PartitionColumns, live_files: LiveFiles, since_ms: int | None
) -> Changes:
    """What the commits, ascending, did to each partition.

    The newest action on a file, which is its path and deletion vector, replaces the older ones (Delta protocol, "Action
    Reconciliation"): a commit that is tried again adds and removes nothing.

    Args:
        since_ms: when the commit before them was made; what its writers did later is none of an older commit.

    Raises:
        UnknownError: ``live_files`` is needed to know it, and gave None.
    """
    sums = _Sums(columns, live_files, since_ms)
    return Changes.of_commits(map(sums.take, commits))


@dataclass
class _Tally:
    """What one commit did to one partition."""

    is_data_change: bool = False
    files: int = 0
    records: int | None = 0
    bytes: int | None = 0
    modified_at_ms: int | None = None

    def grow(self, by: _File, sign: int) -> None:
        self.files += sign
        self.records = _sum(self.records, by.records, sign)
        self.bytes = _sum(self.bytes, by.bytes, sign)

    def receive(self, committed_at_ms: int | None, written_at_ms: int | None) -> None:
        """New rows, by a commit that may come long after the file that has them, or by a clock that is behind."""
        self.modified_at_ms = max(self.modified_at_ms or 0, committed_at_ms or 0, written_at_ms or 0) or None

    def change(self, version: int) -> PartitionChange:
        return PartitionChange(
            (str(version),),
            not self.is_data_change,
            self.files,
            self.records,
            self.bytes,
            self.modified_at_ms,
        )


@dataclass(frozen=True)
class _File:
    """A file while it is there: its partition, live rows and bytes, the latter where they are known."""

    values: PartitionValues
    records: int | None
    bytes: int | None


class _Sums:
    def __init__(self, columns: PartitionColumns, live_files: LiveFiles, since_ms: int | None) -> None:
        self._tallies: dict[PartitionValues, _Tally] = {}
        self._columns = columns
        self._live_files = live_files
        self._since_ms = since_ms
        self._added: dict[tuple[str, str], _File] = {}
        self._removed: set[tuple[str, str]] = set()
        self._were_there: set[str] = set()

    def take(self, commit: DeltaCommit) -> dict[PartitionValues, PartitionChange]:
        """What the next commit did.

        Removes count first: an update gives a file a new deletion vector by a remove and an add of the same path.
        """
        self._tallies = {}
        removes = [file for file in commit.files if not file.is_added]
        for action in removes:
            self._remove(action)
        were_there = {action.key[0]: action for action in removes}
        for action in commit.files:
            if action.is_added:
                tally = self._add(action)
                before = were_there.get(action.key[0])
                # A new deletion vector takes rows, unless it is an older one that is restored.
                if action.is_data_change and (before is None or action.deleted < before.deleted):
                    tally.receive(commit.file.committed_at_ms, action.acted_at_ms)
        return {values: tally.change(commit.version) for values, tally in self._tallies.items()}

    def _add(self, action: FileAction) -> _Tally:
        values = self._columns.spell(action.partition_values or {})
        tally = self._touched(action, values)
        before = self._added.get(action.key)
        if before is None and action.key not in self._removed:
            before = self._there_already(action)
        if before is not None:
            self._touched(action, before.values).grow(before, -1)
        file = self._added[action.key] = _File(values, action.records, action.size)
        tally.grow(file, 1)
        self._removed.discard(action.key)
        return tally

    def _there_already(self, action: FileAction) -> _File | None:
        """The file from before all the commits that an add means: recomputed statistics, or a commit tried again.

        Where it is unknown so is the change: one file too few could be a partition that is gone, one too many another
        that never goes.
        """
        is_new = _UNIQUE_NAME.search(action.key[0]) and self._is_later(action)
        return None if is_new or action.key[0] in self._were_there else self._looked_up(action)

    def _remove(self, action: FileAction) -> None:
        if action.key in self._removed:
            return
        file = self._added.pop(action.key, None)
        if file is None:
            file = self._of_before(action)
            # Of this path nothing is left from before the commits: what is added from now on is new.
            self._were_there |= {action.key[0]} if file else set()
        self._removed.add(action.key)
        if file is not None:
            self._touched(action, file.values).grow(file, -1)

    def _of_before(self, action: FileAction) -> _File | None:
        """The file that a remove means, one from before all the commits; None if there is no such file."""
        written = action.partition_values
        values = self._columns.spell(written or {}) if written is not None or not self._columns.keys else None
        is_told = values is not None and action.records is not None and action.size is not None
        if values is not None and is_told and self._is_later(action):
            return _File(values, action.records, action.size)
        # Writers may leave all this out of a remove (Delta protocol, "Add File and Remove File").
        try:
            return self._looked_up(action)
        except UnknownError:
            if values is None:
                raise
            return _File(values, None, None)

    def _is_later(self, action: FileAction) -> bool:
        """Whether it was done after all older commits, so that it is none of their actions once more."""
        return self._since_ms is not None and (action.acted_at_ms or 0) > self._since_ms

    def _touched(self, action: FileAction, values: PartitionValues) -> _Tally:
        tally = self._tallies.setdefault(values, _Tally())
        tally.is_data_change |= action.is_data_change
        return tally

    def _looked_up(self, action: FileAction) -> _File | None:
        files = self._live_files()
        if files is None:
            raise UnknownError
        found = files.get(action.key[0])
        if found is None or found.deleted not in (None, action.deleted):
            return None
        return _File(found.values, _sum(found.records, action.deleted, -1), found.size)


def _sum(one: int | None, other: int | None, sign: int) -> int | None:
    return None if one is None or other is None else one + sign * other
