"""Any order of adding, dropping and restoring, with kills between any two writes, beside a model of plain values.

A partition is known to be declared, known not to be, or uncertain: after a kill, until somebody sees it or makes the
change again. What a view has after its row is gone and registered again is what was known of it, and what may have been
added; what may have been dropped is reported.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from hive_views.errors import CommitStateUnknownError
from hive_views.hive.row import Partition
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.failing.faulty_metastore import (
    Fault,
    FaultyMetastore,
    Killed,
    killed_after,
    killed_before,
    lost_after,
    lost_before,
)
from tests.support.files_in_memory import forget_files_in_memory
from tests.support.views.catalog_setup import create

NAME = TableIdentifier("default", "v")
NAMES = [f"ds={day}" for day in "abcdef"]
some_names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)
writers = st.integers(0, 2)
Known = Literal["declared", "dropped", "adding", "dropping", "dropping before"]
"""The last is of a drop that was begun on a row which is gone: nothing shows its outcome any more."""


def specs(names: list[str]) -> list[dict[str, str]]:
    return [{"ds": name.removeprefix("ds=")} for name in names]


class DyingStorage(MetadataStorage):
    """Its user is killed at the n-th write of a journal, half way; what was done before is done."""

    dies_at: int | None = None

    def write_bytes(self, location: str, content: bytes) -> None:
        if self._dies(location):
            super().write_bytes(location, content[: len(content) // 2])
            raise Killed
        super().write_bytes(location, content)

    def delete(self, location: str) -> None:
        if self._dies(location):
            raise Killed
        super().delete(location)

    def _dies(self, location: str) -> bool:
        if self.dies_at is None or not location.endswith(".partitions"):
            return False
        self.dies_at -= 1
        return self.dies_at < 0


class JournalMachine(RuleBasedStateMachine):
    """``there`` is what the metastore has, ``known`` what a journal can know."""

    def __init__(self) -> None:
        super().__init__()
        self.server = MemoryMetastore()
        self.warehouse = f"memory://{uuid.uuid4().hex}"
        self.moves = 0
        self.there: set[str] = set()
        self.known: dict[str, Known] = {}

    def connect(self) -> ViewCatalog:
        settings = CommitSettings(lock="never", settle_timeout_s=0.0)
        metastore = FaultyMetastore(self.server)
        return ViewCatalog(metastore, DyingStorage(), warehouse=self.warehouse, settings=settings)

    def teardown(self) -> None:
        forget_files_in_memory()

    @initialize()
    def view(self) -> None:
        create(self.connect(), str(NAME), partitioned_on=["ds"])
        # Objects that programs hold, whatever becomes of the view meanwhile.
        self.catalogs = [self.connect() for _ in range(3)]
        self.held = [catalog.partitions(NAME) for catalog in self.catalogs]

    # -- ours --------------------------------------------------------------------------------------------------------

    @rule(writer=writers, names=some_names)
    def add(self, writer: int, names: list[str]) -> None:
        added = self.held[writer].add(specs(names), if_not_exists=True)
        assert set(added) == set(names) - self.there
        self.there |= set(names)
        self.know("declared", names)

    @rule(writer=writers, names=some_names)
    def drop(self, writer: int, names: list[str]) -> None:
        dropped = self.held[writer].drop(specs(names), if_exists=True)
        assert set(dropped) == set(names) & self.there
        self.there -= set(names)
        self.know("dropped", names)

    @rule(writer=writers)
    def look_at_all(self, writer: int) -> None:
        self.held[writer].drop(where=lambda _: False)
        self.see_all()

    @rule(writer=writers)
    def restore(self, writer: int) -> None:
        before = set(self.there)
        left = {name for name, state in self.known.items() if state in ("declared", "adding")}
        restored = self.held[writer].restore()
        # From the row as it is nothing comes back but what may have been added.
        assert set(restored.added) == {name for name in left - before if self.known[name] == "adding"}
        assert set(restored.uncertain) == set(restored.added)
        self.see_all()
        self.there |= set(restored.added)
        self.know("declared", restored.added)

    @rule(writer=writers)
    def move(self, writer: int) -> None:
        self.moves += 1
        self.catalogs[writer].alter_view(NAME, location=f"{self.warehouse}/{self.moves}")

    # -- kills and answers that are lost -----------------------------------------------------------------------------

    @rule(writer=writers, names=some_names, adds=st.booleans(), is_done=st.booleans(), dies=st.booleans())
    def a_call_ends_badly(self, writer: int, names: list[str], adds: bool, is_done: bool, dies: bool) -> None:
        faults = {(True, True): killed_after, (True, False): killed_before, (False, True): lost_after}
        fault: Fault = faults.get((dies, is_done), lost_before)
        touched = set(names) if adds else set(names) & self.there
        self.catalogs[writer].metastore.on("add_partitions" if adds else "drop_partitions", fault)  # type: ignore[attr-defined]
        before = set(self.there)
        self.tried(writer, names, adds=adds)
        self.catalogs[writer].metastore.clear()  # type: ignore[attr-defined]
        if is_done and touched:
            self.there = before | touched if adds else before - touched
        if not adds:
            self.know("dropped", [name for name in names if name not in before])
        as_wanted = touched <= before if adds else not touched
        is_known = not dies and (is_done or as_wanted)
        if touched:
            self.know(("declared" if adds else "dropped") if is_known else ("adding" if adds else "dropping"), touched)

    @rule(writer=writers, names=some_names, adds=st.booleans(), step=st.integers(0, 8))
    def a_writer_dies_while_it_notes(self, writer: int, names: list[str], adds: bool, step: int) -> None:
        """The first write is the intent, unless the view has moved on; the second its end; then it may compact."""
        self.held[writer] = self.catalogs[writer].partitions(NAME)
        if not adds:
            names = [name for name in names if name in self.there]
            if not names:
                return
        with self.dying(writer, step):
            self.tried(writer, names, adds=adds)
        if step > 0:
            self.there = self.there | set(names) if adds else self.there - set(names)
            ends: tuple[Known, Known] = ("adding", "declared") if adds else ("dropping", "dropped")
            self.know(ends[step > 1], names)

    @contextmanager
    def dying(self, writer: int, step: int) -> Iterator[None]:
        storage = self.catalogs[writer].storage
        assert isinstance(storage, DyingStorage)
        storage.dies_at = step
        yield
        storage.dies_at = None

    def tried(self, writer: int, names: list[str], *, adds: bool) -> None:
        partitions = self.held[writer]
        call: Callable[[], Any] = lambda: (  # noqa: E731
            partitions.add(specs(names), if_not_exists=True) if adds else partitions.drop(specs(names), if_exists=True)
        )
        try:
            call()
        except (Killed, CommitStateUnknownError):
            # Whoever was killed has no objects any more.
            self.held[writer] = self.catalogs[writer].partitions(NAME)

    # -- others ------------------------------------------------------------------------------------------------------

    @rule(names=some_names)
    def hive_adds(self, names: list[str]) -> None:
        new = [Partition((name.removeprefix("ds="),)) for name in names]
        self.server.add_partitions(NAME, new, if_not_exists=True)
        self.there |= set(names)

    @rule(names=some_names)
    def hive_drops(self, names: list[str]) -> None:
        self.server.drop_partitions(NAME, names, if_exists=True)
        self.there -= set(names)

    @rule(writer=writers)
    def the_row_is_gone_and_registered_again(self, writer: int) -> None:
        catalog = self.catalogs[writer]
        location = catalog.load_view(NAME).metadata_location
        self.server.drop_row(NAME)
        catalog.register_view(NAME, location)
        restored = self.held[writer].restore()
        assert set(restored.added) == {name for name, state in self.known.items() if state in ("declared", "adding")}
        assert set(restored.uncertain) == {name for name, state in self.known.items() if state == "adding"}
        uncertain = {name for name, state in self.known.items() if state.startswith("dropping")}
        assert set(restored.left_out) == uncertain
        self.know("dropping before", uncertain)
        self.there = set(restored.added)
        self.know("declared", restored.added)

    # -- the model ---------------------------------------------------------------------------------------------------

    def know(self, state: Known, names: Any) -> None:
        self.known.update(dict.fromkeys(names, state))

    def see_all(self) -> None:
        for name in NAMES:
            state = self.known.get(name)
            if name in self.there and state not in ("dropping", "dropping before"):
                self.known[name] = "declared"
            if name not in self.there and state in ("declared", "dropping"):
                self.known[name] = "dropped"

    @invariant()
    def the_metastore_has_what_the_model_has(self) -> None:
        if hasattr(self, "held"):
            assert set(self.server.partition_names(NAME)) == self.there


def test_what_is_restored_is_what_was_known_after_any_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.views.journal.partition_journal.MOST_FILES", 4)
    run_state_machine_as_test(JournalMachine)
