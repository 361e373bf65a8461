"""Partitions of Delta tables: those of the newest version, and what commits did to them.

The partition columns come from the table's own schema; the metastore has an empty one for a Delta table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hive_views.base_tables.delta.log import CommitFile, DeltaCommit, DeltaLog, TableHead
from hive_views.base_tables.delta.reconciliation import UnknownError, changes_of
from hive_views.base_tables.delta.state import DeltaState, LiveFile
from hive_views.base_tables.port import Changes, Commit, PartitionListing, Snapshot, TableState, TableWithHistory
from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.storage.files import Files


class DeltaBaseTable(TableWithHistory):
    """A Delta table, read without Spark.

    Args:
        location: its directory, the one that holds ``_delta_log``.
        files: the storage; its options are handed to ``deltalake`` too.
    """

    format = "delta"

    def __init__(self, name: str, location: str, files: Files) -> None:
        self.name = name
        self._location = location
        self._files = files
        self._log = DeltaLog(name, location, files)
        self._newest: tuple[int, TableHead] | None = None
        self._stamped: tuple[int, int | None] | None = None

    def list_partitions(self) -> PartitionListing:
        """The partitions that have files in the newest version; records are those that no deletion vector marks."""
        version = self._log.newest_version()
        # Before what it is reported as the state of: a table that is restored meanwhile is read anew by the next run.
        commit = self._log.commit_file(version)
        state = self._load(version)
        values, statistics = state.partitions()
        head = state.head
        snapshot = _snapshot(version, head.table_id, commit)
        return PartitionListing(
            self.name, self.format, head.columns.keys, values, snapshot, statistics, note=head.note()
        )

    def current_state(self, known: TableState | None = None) -> TableState:
        """The newest version, mostly from a few files of the log.

        What holds for the table as a whole is in the commit that changed it last, which may be long ago: with ``known``
        only the commits since are read.
        """
        version = self._log.newest_version()
        commit = self._log.commit_file(version)
        head = (self._head_since(known, version, commit) if known else None) or self._head(version)
        self._newest = version, head
        return TableState(_snapshot(version, head.table_id, commit), head.columns.keys, head.note())

    def stamp(self) -> str:
        """The newest version, and when it was written."""
        self._stamped = self._log.stamp(self._stamped)
        return repr(self._stamped)

    def changes(self, since: Snapshot, until: Snapshot) -> Changes:
        """What the versions after ``since`` did.

        Where the removal of a file does not have its rows and size, they are looked up in the version ``since``, which
        costs as much as a listing; so is whether a file is there already, where it may be (a commit that is tried again
        adds and removes the same files once more).
        """
        if since.table_id != until.table_id:
            return Changes(unknown=f"{self.name} was recreated since version {since.id}")
        first, last = int(since.id), int(until.id)
        if last < first:
            return Changes(unknown=f"version {since.id} of {self.name} comes after version {until.id}")
        try:
            commits = list(self._log.commits(range(first, last + 1)))
            missing = first + len(commits)
            if missing <= last:
                return Changes(unknown=f"the log of {self.name} does not have version {missing} any more")
            for one, commit in ((since, commits[0]), (until, commits[-1])):
                if one.commit_id != commit.file.id:
                    return Changes(
                        unknown=f"version {one.id} of {self.name} is now another commit: the table was recreated, or "
                        f"restored from a copy"
                    )
            return self._changes(commits[0], commits[1:], until)
        except (CorruptMetadataError, UnsupportedFeatureError) as e:
            return Changes(unknown=str(e))

    def commits(self, until: Snapshot) -> Iterator[Commit]:
        """The versions down from ``until`` while the log has them and they are of the same table."""
        for commit in self._log.commits(range(int(until.id), -1, -1)):
            snapshot = _snapshot(commit.version, until.table_id, commit.file)
            yield Commit(snapshot, commit.operation, commit.properties, is_first=commit.version == 0)
            older = self._log.head(commit.version - 1) if commit.has_metadata and commit.version else None
            if older is not None and older.table_id != until.table_id:
                return

    def _changes(self, before: DeltaCommit, commits: list[DeltaCommit], until: Snapshot) -> Changes:
        if not commits:
            return Changes()
        since, last = before.version, commits[-1]
        # Mostly asked after the current state; what was read for that is not read twice.
        newest, head = self._newest or (None, None)
        if head is None or newest != last.version:
            head = self._head(last.version)
        if head.table_id != until.table_id:
            return Changes(unknown=f"{self.name} was recreated since version {until.id} was read")
        if any(commit.has_metadata for commit in commits) and self._head(since).columns != head.columns:
            return Changes(unknown=f"the partition columns of {self.name} were changed after version {since}")
        loaded: list[Mapping[str, LiveFile] | None] = []

        def live_files() -> Mapping[str, LiveFile] | None:
            if not loaded:
                loaded.append(self._live_files(since))
            return loaded[0]

        try:
            return changes_of(commits, head.columns, live_files, before.file.committed_at_ms)
        except UnknownError:
            return Changes(unknown=f"version {since} of {self.name} cannot be read any more")

    def _live_files(self, version: int) -> Mapping[str, LiveFile] | None:
        try:
            return self._load(version).live_files()
        except CorruptMetadataError:
            return None

    def _head_since(self, known: TableState, version: int, newest: CommitFile | None) -> TableHead | None:
        """The head of a state that was reported before, if it still holds; None where that is not certain.

        ``version`` is the newest one, and ``newest`` its file.
        """
        snapshot, head = known.snapshot, TableHead.of_note(known.note)
        if head is None or snapshot is None or head.table_id != snapshot.table_id or not snapshot.id.isdecimal():
            return None
        since = int(snapshot.id)
        # A recreated table, or restored from a copy, has another commit of the same number.
        if since > version or snapshot.commit_id is None:
            return None
        commit = newest if since == version else self._log.commit_file(since)
        if commit is None or commit.id != snapshot.commit_id:
            return None
        return None if self._log.may_change_head(range(since + 1, version + 1)) else head

    def _head(self, version: int) -> TableHead:
        head = self._log.head(version) or self._load(version).head
        head.check_readable(self.name)
        return head

    def _load(self, version: int) -> DeltaState:
        try:
            return DeltaState(self.name, self._location, self._files, version)
        except (CorruptMetadataError, UnsupportedFeatureError):
            # The library names one feature at most; the log names them all.
            head = self._log.head(version)
            if head is not None:
                head.check_readable(self.name)
            raise


def _snapshot(version: int, table_id: str, commit: CommitFile | None) -> Snapshot:
    if commit is None:
        return Snapshot(str(version), table_id)
    return Snapshot(str(version), table_id, commit.committed_at_ms, commit_id=commit.id)
