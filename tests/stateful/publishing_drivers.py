"""Real base tables of every format, as the machine of publishing histories writes them."""

from __future__ import annotations

import itertools
import json
import shutil
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deltalake import DeltaTable
from pyiceberg.expressions import And, EqualTo

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.base_tables.opening import open_base_table
from hive_views.base_tables.paimon.table import PaimonBaseTable
from hive_views.base_tables.port import BaseTable
from hive_views.hive.row import Partition
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from tests.stateful.publishing_model import Hour
from tests.support.tables.delta_writer import DeltaWriter, try_again
from tests.support.tables.hive_setup import table_row
from tests.support.tables.iceberg_writer import maker_in
from tests.support.tables.paimon_tables import PaimonTable
from tests.support.tables.writable import DS, HR, WritableTableWithHistory

CLICKS = "web.clicks"


class Driver(ABC):
    """A table ``web.clicks`` by ``ds`` and ``hr``, and what its format can do.

    Attributes:
        can_be_asked: the rules of the model that a format has facts for.
        has_history, needs_its_own: as in the model.
        deletes_rows: single rows of a partition can be deleted.
        marked_by: how a writer marks a partition as done, in the words of ``marked_done``.
        behind_ms: how far the clock of its writer is behind that of the storage.
        commits_again: its writer may commit the same twice.
        keeps_marks: those of a table that is dropped are still there when it is recreated.
        metastore: where the view is, and the table if its format has it there.
    """

    can_be_asked = frozenset({"hole", "expected", "records", "quiet", "commit", "unheld"})
    has_history = True
    needs_its_own = False
    deletes_rows = False
    marked_by = ""
    keeps_marks = True
    behind_ms = 0
    commits_again = False
    line_is_of_oldest = False

    def __init__(self) -> None:
        self.metastore = MemoryMetastore()

    @abstractmethod
    def open(self) -> BaseTable: ...

    @abstractmethod
    def commits(self) -> list[str]:
        """Ids of the table's commits, the oldest first, without or with those that it has forgotten."""

    @abstractmethod
    def append(self, hours: Sequence[Hour], rows: int, says: Mapping[str, str]) -> None:
        """Add rows 0, 1, ... to each of these; ``says`` are properties of the commit."""

    @abstractmethod
    def overwrite(self, hour: Hour, rows: int) -> None: ...

    @abstractmethod
    def compact(self, hour: Hour) -> None: ...

    @abstractmethod
    def drop(self, hour: Hour) -> None: ...

    @abstractmethod
    def expire(self, keep: int) -> None: ...

    @abstractmethod
    def recreate(self) -> None: ...

    def copied(self) -> Callable[[], None] | None:
        """Copy the table; what is returned puts the copy in its place. None: copies of it are not tried."""
        return None

    def try_again(self) -> None:
        """Commit what the newest commit did once more, as a writer does that lost the answer."""
        raise NotImplementedError

    def delete_first_rows(self, hour: Hour) -> None:
        """Delete every row 0 of an hour."""
        raise NotImplementedError

    def mark(self, hour: Hour) -> None:
        raise NotImplementedError

    def timestamp_ms(self) -> int:
        """A time after everything that was written, and before everything that will be."""
        now = time.time_ns() // 1_000_000
        # A file's modification time is of a coarser clock, which counts where the writer's is behind.
        longest_tick_ms = 10 if self.behind_ms else 0
        while time.time_ns() // 1_000_000 <= now + longest_tick_ms:
            time.sleep(0.0005)
        return now


class _Written(Driver):
    """A table of one of the writers that the contract tests have."""

    table: WritableTableWithHistory

    def open(self) -> BaseTable:
        return self.table.open()

    def append(self, hours: Sequence[Hour], rows: int, says: Mapping[str, str]) -> None:
        self.table.append(*hours, rows=rows, properties=says or None)

    def overwrite(self, hour: Hour, rows: int) -> None:
        self.table.overwrite(hour, rows)

    def compact(self, hour: Hour) -> None:
        self.table.compact(hour)

    def drop(self, hour: Hour) -> None:
        self.table.drop(hour)

    def expire(self, keep: int) -> None:
        self.table.expire(keep)

    def recreate(self) -> None:
        self.table.recreate()


class Delta(_Written):
    # A restored copy has the same versions: whether a pin's is of the table as it is, its own file shows.
    needs_its_own = True
    deletes_rows = True
    commits_again = True
    _copies = 0

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.table = self._clicks = DeltaWriter((DS, HR), directory / "clicks")

    def commits(self) -> list[str]:
        return [str(version) for version in range(DeltaTable(self._clicks.directory).version() + 1)]

    def append(self, hours: Sequence[Hour], rows: int, says: Mapping[str, str]) -> None:
        super().append(hours, rows, says)
        if self.behind_ms:
            newest = max((self._clicks.directory / "_delta_log").glob("*.json"))
            actions = [json.loads(line) for line in newest.read_text().splitlines()]
            for action in actions:
                if "commitInfo" in action:
                    action["commitInfo"]["timestamp"] -= self.behind_ms
                if "add" in action:
                    action["add"]["modificationTime"] -= self.behind_ms
            newest.write_text("".join(f"{json.dumps(action)}\n" for action in actions))

    def copied(self) -> Callable[[], None]:
        self._copies += 1
        copy = self._clicks.directory.with_name(f"copy-{self._copies}")
        shutil.copytree(self._clicks.directory, copy)

        def restore() -> None:
            shutil.rmtree(self._clicks.directory)
            shutil.copytree(copy, self._clicks.directory)

        return restore

    def try_again(self) -> None:
        try_again(self._clicks)

    def delete_first_rows(self, hour: Hour) -> None:
        DeltaTable(self._clicks.directory).delete(f"ds = '{hour[0]}' and hr = {hour[1]} and n = 0")


class Iceberg(_Written):
    # When pyiceberg expires a snapshot, it takes its id out of the next one too.
    needs_its_own = True
    line_is_of_oldest = True
    deletes_rows = True

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.table = self._clicks = maker_in(directory)((DS, HR))

    def commits(self) -> list[str]:
        in_order = sorted(self._clicks.table.metadata.snapshots, key=lambda one: one.sequence_number or 0)
        return [str(one.snapshot_id) for one in in_order]

    def overwrite(self, hour: Hour, rows: int) -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Delete operation did not match any records")
            super().overwrite(hour, rows)

    def delete_first_rows(self, hour: Hour) -> None:
        self._clicks.table.delete(And(EqualTo("ds", hour[0]), EqualTo("hr", int(hour[1])), EqualTo("clicks", 0)))


class Paimon(_Written):
    can_be_asked = Driver.can_be_asked | {"mark"}
    needs_its_own = True
    marked_by = "success-file"
    keeps_marks = False

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.table = self._clicks = PaimonTable(directory, (DS, HR))

    def open(self) -> BaseTable:
        return PaimonBaseTable(CLICKS, str(self._clicks.location), Files())

    def commits(self) -> list[str]:
        numbers = [int(path.name[9:]) for path in (self._clicks.location / "snapshot").glob("snapshot-*")]
        return [str(number) for number in sorted(numbers)]

    def mark(self, hour: Hour) -> None:
        directory = self._clicks.location / f"ds={hour[0]}" / f"hr={hour[1]}"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "_SUCCESS").touch()


class _AtGivenTimes(Driver):
    """A table whose writes are made at the times of its own clock."""

    def __init__(self) -> None:
        self._now_ms = 1_787_270_400_000
        self.metastore = MemoryMetastore(clock=lambda: self._now_ms / 1000)

    def timestamp_ms(self) -> int:
        now = self._now_ms
        self._now_ms += 60_000
        return now


class Memory(_AtGivenTimes):
    """The in-memory twin of tables with a history."""

    needs_its_own = True

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self._clicks = MemoryTableWithHistory(
            CLICKS, (DS, HR), clock_ms=lambda: self._now_ms - self.behind_ms, storage_clock_ms=lambda: self._now_ms
        )

    def open(self) -> BaseTable:
        return self._clicks

    def commits(self) -> list[str]:
        newest = self._clicks.current_state().snapshot
        return [str(number) for number in range(1, int(newest.id) + 1)] if newest else []

    def append(self, hours: Sequence[Hour], rows: int, says: Mapping[str, str]) -> None:
        self._clicks.append(*hours, records=rows, properties=says or None)

    def overwrite(self, hour: Hour, rows: int) -> None:
        self._clicks.overwrite(hour, records=rows)

    def compact(self, hour: Hour) -> None:
        self._clicks.compact(hour)

    def drop(self, hour: Hour) -> None:
        self._clicks.delete(hour)

    def expire(self, keep: int) -> None:
        self._clicks.expire(keep)

    def recreate(self) -> None:
        self._clicks.recreate()

    def copied(self) -> Callable[[], None]:
        return self._clicks.copied()


class Hive(_AtGivenTimes):
    """A table in the in-memory metastore, with the statistics that Hive keeps of its partitions, and their directories.

    It has no history: a compaction is a write as any other, and nothing can be forgotten.
    """

    touches_rows = True

    can_be_asked = frozenset({"hole", "expected", "records", "quiet", "mark"})
    has_history = False
    marked_by = "event"

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self._identifier = TableIdentifier("web", "clicks")
        self._directory = directory / "clicks"
        self._written = itertools.count()
        self.metastore.create_namespace(self._identifier.namespace)
        self._create()

    def open(self) -> BaseTable:
        return open_base_table(self.metastore, CLICKS)

    def commits(self) -> list[str]:
        return []

    def append(self, hours: Sequence[Hour], rows: int, says: Mapping[str, str]) -> None:
        for hour in hours:
            self._change(hour, lambda counts: (counts["numFiles"] + 1, counts["numRows"] + rows), is_added=True)

    def overwrite(self, hour: Hour, rows: int) -> None:
        self._change(hour, lambda _: (1, rows))

    def compact(self, hour: Hour) -> None:
        self._change(hour, lambda counts: (1, counts["numRows"]))

    def drop(self, hour: Hour) -> None:
        self.metastore.drop_partitions(self._identifier, [_name(hour)], if_exists=False)
        shutil.rmtree(self._directory / _name(hour))

    def expire(self, keep: int) -> None:
        pass

    def recreate(self) -> None:
        self.metastore.drop_row(self._identifier)
        shutil.rmtree(self._directory)
        self._create()

    def mark(self, hour: Hour) -> None:
        self.metastore.mark_load_done(self._identifier, _name(hour))

    def _create(self) -> None:
        row = table_row(self._identifier.namespace, (DS, HR), f"file://{self._directory}")
        self.metastore.create_row(replace(row, identifier=self._identifier))

    def _change(
        self, hour: Hour, becomes: Callable[[Mapping[str, int]], tuple[int, int]], *, is_added: bool = False
    ) -> None:
        directory = self._directory / _name(hour)
        if not is_added and directory.exists():
            shutil.rmtree(directory)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"part-{next(self._written)}").touch()
        found = self.metastore.load_partitions(self._identifier, [_name(hour)])
        counts = {name: int(found[0].parameters[name]) if found else 0 for name in ("numFiles", "numRows")}
        files, rows = becomes(counts)
        parameters = {
            "COLUMN_STATS_ACCURATE": '{"BASIC_STATS":"true"}',
            "numFiles": str(files),
            "numRows": str(rows),
            "totalSize": str(100 * rows),
        }
        location = f"file:{directory}"
        partition = Partition(hour, parameters, has_descriptor=True, location=location)
        if found and self.touches_rows:
            self.metastore.alter_partitions(self._identifier, [partition])
        elif not found:
            self.metastore.add_partitions(self._identifier, [partition], if_not_exists=False)


class HiveBySpark(Hive):
    """The same, written by Spark: it adds partitions, and leaves the rows of those that are there as they are."""

    # Statistics are those of the first write.
    can_be_asked = frozenset({"hole", "expected", "mark"})
    touches_rows = False


def _name(hour: Hour) -> str:
    return f"ds={hour[0]}/hr={hour[1]}"


DriverMaker = Callable[[Path], Driver]
