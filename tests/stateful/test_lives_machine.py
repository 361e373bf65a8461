"""Any order of verbs, kills and drops by others over a few names: undrop finds no other life than the one dropped."""

from __future__ import annotations

import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import hypothesis.strategies as st
from hypothesis import event
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from hive_views.errors import HiveViewsError
from hive_views.estate import clean, list_dropped, undrop
from hive_views.hive.row import POINTER, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.persisted import INCARNATION, MADE_IN
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.updates import SetProperties, apply_updates
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.storage.ownership import incarnation_of
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.recovery.last_incarnation import OF_ANOTHER_METASTORE
from hive_views.views.recovery.recoverable import Recoverable, find_by_name
from tests.support.failing.faulty_metastore import Fault, FaultyMetastore, Killed, lost_after, lost_before
from tests.support.file_ages import files_below, set_written
from tests.support.files_in_memory import forget_files_in_memory
from tests.support.views.catalog_setup import create
from tests.support.views.foreign_writers import java_commit

NAMES = [TableIdentifier("a", "v"), TableIdentifier("a", "w"), TableIdentifier("b", "v")]
names, numbers = st.sampled_from(NAMES), st.integers(0, 2)
# Rarely enough that long histories come about.
kills = st.sampled_from([None] * 8 + ["killed before", "killed after", "lost before", "lost after"])


@dataclass(frozen=True)
class Life:
    """A row as it was when it went."""

    incarnation: str
    pointer: str
    is_noted: bool
    at: int


class Dated(MetadataStorage):
    """Its files have the times of the machine; a writer that was killed writes no more."""

    def __init__(self, machine: Lives) -> None:
        super().__init__()
        self._machine = machine

    def write_bytes(self, location: str, content: bytes) -> None:
        if self._machine.metastore.is_dead:
            raise Killed
        super().write_bytes(location, content)
        self._machine.now_ms += 10
        set_written([location], self._machine.now_ms)

    def delete(self, location: str) -> None:
        if self._machine.metastore.is_dead:
            raise Killed
        super().delete(location)


class Lives(RuleBasedStateMachine):
    """The model is what the rows were; what nobody can know it allows, if the answer says that it is not certain."""

    def __init__(self) -> None:
        super().__init__()
        self.server = MemoryMetastore(lock_timeout_s=0.0)
        self.metastore = FaultyMetastore(self.server)
        self.other = MemoryMetastore(lock_timeout_s=0.0)
        """It has the same names in the same warehouse."""
        self.warehouse = f"memory://{uuid.uuid4().hex}"
        self.now_ms = int(time.time() * 1000)
        self.steps = 0
        self.ended: dict[TableIdentifier, list[Life]] = defaultdict(list)
        self.committed: set[str] = set()
        self.torn: dict[TableIdentifier, set[str]] = defaultdict(set)
        """By name, incarnations of which a rename, from or to it, was not done, or was done without us."""
        self.strayed: set[str] = set()
        """Incarnations whose files Java has put elsewhere, without our having changed the view since."""
        self.made_of: dict[str, str] = {}
        """By the file of a row, the one that it was made of, of the same row or of one that it was registered from."""

    @initialize()
    def namespaces(self) -> None:
        for server in (self.server, self.other):
            server.create_namespace("a")
            server.create_namespace("b")

    def teardown(self) -> None:
        forget_files_in_memory()

    def catalog(self, metastore: Metastore | None = None) -> ViewCatalog:
        settings = CommitSettings(
            retry_timeout_s=0.05, settle_timeout_s=0.0, mend_lock_timeout_s=0.0, clock_ms=lambda: self.now_ms
        )
        return ViewCatalog(metastore or self.metastore, Dated(self), warehouse=self.warehouse, settings=settings)

    def rows(self) -> dict[TableIdentifier, Row]:
        """The views that have a file."""
        rows = [row for each in "ab" for row in self.server.load_rows(each, self.server.list_view_names(each))]
        return {row.identifier: row for row in rows if POINTER in row.parameters and INCARNATION in row.parameters}

    def run(self, verb: Callable[[ViewCatalog], object], call: str, kill: str | None, *, notes: bool = False) -> None:
        """A verb, which is killed around its ``call`` that changes a row; and what came of it by the rows."""
        self.steps += 1
        self.now_ms += 1000
        before = self.rows()
        faults: dict[str, Fault] = {
            "killed before": self.metastore.kill,
            "killed after": lambda run: (run(), self.metastore.kill(run)),
            "lost before": lost_before,
            "lost after": lost_after,
        }
        if kill:
            self.metastore.on(call, faults[kill])
        with suppress(HiveViewsError, Killed):
            verb(self.catalog())
        self.metastore.clear()
        self.server.expire_locks()
        after = self.rows()
        self.committed |= {row.parameters[POINTER] for row in after.values()}
        there = {row.parameters[INCARNATION] for row in after.values()}
        pointers = {row.parameters[INCARNATION]: row.parameters[POINTER] for row in before.values()}
        for row in after.values():
            file, earlier = row.parameters[POINTER], pointers.get(row.parameters[INCARNATION])
            if earlier not in (None, file):
                self.made_of[file] = earlier
        for name, row in before.items():
            token, now = row.parameters[INCARNATION], after.get(name, row).parameters
            if call and now[INCARNATION] == token and now[POINTER] != row.parameters[POINTER]:
                self.strayed.discard(token)
            if row.parameters[INCARNATION] not in there:
                life = Life(row.parameters[INCARNATION], row.parameters[POINTER], notes, self.steps)
                self.ended[name].append(life)

    # -- ours ----------------------------------------------------------------------------------------------------------

    @rule(name=names, number=numbers, kill=kills)
    def create(self, name: TableIdentifier, number: int, kill: str | None) -> None:
        place = f"{self.warehouse}/elsewhere{number}" if number else None
        self.run(
            lambda catalog: create(catalog, str(name), **({"location": place} if place else {})), "create_row", kill
        )

    @rule(name=names, to=names, kill=kills)
    def rename(self, name: TableIdentifier, to: TableIdentifier, kill: str | None) -> None:
        row = self.rows().get(name)
        self.run(lambda catalog: catalog.rename_view(name, to), "rename_row", kill)
        if row and kill and name != to:
            self.tear(row, name, to)

    def tear(self, row: Row, *names: TableIdentifier) -> None:
        for name in names:
            self.torn[name].add(row.parameters[INCARNATION])

    @rule(name=names, number=numbers, kill=kills)
    def relocate(self, name: TableIdentifier, number: int, kill: str | None) -> None:
        place = f"{self.warehouse}/moved{number}"
        self.run(lambda catalog: catalog.alter_view(name, location=place), "swap_row", kill)

    @rule(name=names, number=numbers, kill=kills)
    def put_metadata_elsewhere(self, name: TableIdentifier, number: int, kill: str | None) -> None:
        path = {"write.metadata.path": f"{self.warehouse}/files{number}"}
        self.run(lambda catalog: catalog.alter_view(name, set_properties=path), "swap_row", kill)

    @rule(name=names, kill=kills)
    def tag(self, name: TableIdentifier, kill: str | None) -> None:
        self.run(lambda catalog: catalog.tag_view(name, f"t{self.steps}"), "swap_row", kill)

    @rule(name=names, kill=kills)
    def alter(self, name: TableIdentifier, kill: str | None) -> None:
        self.run(lambda catalog: catalog.alter_view(name, comment=f"c{self.steps}"), "swap_row", kill)

    @rule(name=names, kill=kills)
    def drop(self, name: TableIdentifier, kill: str | None) -> None:
        self.run(lambda catalog: catalog.drop_view(name), "drop_row", kill, notes=True)

    @rule(name=names, kill=kills)
    def undrop(self, name: TableIdentifier, kill: str | None) -> None:
        found = None if name in self.rows() else self.check(name)
        call = "swap_row" if found and found.row else "create_row"
        self.run(lambda catalog: undrop(catalog, str(name)), call, kill)
        row = self.rows().get(name)
        if found and row:
            back = MetadataStorage().read(row.parameters[POINTER])
            assert back.versions == found.metadata.versions
            assert back.version_log == found.metadata.version_log
            self.made_of[row.parameters[POINTER]] = found.metadata_location
            own = incarnation_of(found.metadata)
            self.ended[name] = [life for life in self.ended[name] if life.incarnation != own]

    @rule(name=names, number=st.integers(0, 99), over=st.booleans(), kill=kills)
    def register(self, name: TableIdentifier, number: int, over: bool, kill: str | None) -> None:
        files = sorted(self.committed)
        if files and (over or name not in self.rows()):
            file, before = files[number % len(files)], self.rows().get(name)
            call = "swap_row" if before else "create_row"
            self.run(lambda catalog: catalog.register_view(name, file, overwrite=over), call, kill)
            row = self.rows().get(name)
            if row not in (None, before):
                self.made_of[row.parameters[POINTER]] = file
                lived_on = {file}
                while file := self.made_of.get(file, ""):
                    lived_on.add(file)
                self.ended[name] = [life for life in self.ended[name] if life.pointer not in lived_on]

    @rule(name=names, kill=kills)
    def purge(self, name: TableIdentifier, kill: str | None) -> None:
        self.run(lambda catalog: catalog.drop_view(name, purge=True), "drop_row", kill)
        lives = self.ended[name]
        if kill in (None, "lost after") and lives and lives[-1].at == self.steps:
            lives.pop()

    @rule(name=names, kill=kills)
    def release(self, name: TableIdentifier, kill: str | None) -> None:
        self.run(lambda catalog: catalog.release_view(name), "swap_row", kill, notes=True)

    @rule(name=names, kill=kills)
    def adopt(self, name: TableIdentifier, kill: str | None) -> None:
        self.run(lambda catalog: catalog.adopt_view(name, new_history=True), "swap_row", kill)

    @rule(days=st.sampled_from([1, 40]))
    def clean(self, days: int) -> None:
        self.now_ms += days * 86_400_000
        self.run(lambda catalog: clean(catalog, "*.*"), "", None)

    # -- others --------------------------------------------------------------------------------------------------------

    @rule(name=names)
    def drop_by_spark(self, name: TableIdentifier) -> None:
        def drop(_: ViewCatalog) -> None:
            self.server.drop_row(name)

        self.run(drop, "", None)

    @rule(name=names, to=names)
    def rename_by_hive(self, name: TableIdentifier, to: TableIdentifier) -> None:
        row = self.rows().get(name)
        if row and name != to:
            with suppress(HiveViewsError):
                self.server.rename_row(name, replace(row, identifier=to), expected=row.parameters[POINTER])
            self.tear(row, name, to)

    @rule(name=names, place=numbers)
    def java_commits(self, name: TableIdentifier, place: int) -> None:
        row = self.rows().get(name)
        if row:
            path = {"write.metadata.path": f"{self.warehouse}/java{place}"} if place else {}
            told = apply_updates(MetadataStorage().read(row.parameters[POINTER]), [SetProperties(path)], now_ms=1)
            self.run(lambda _: java_commit(self.server, Dated(self), name, lambda _: told), "", None)
            self.strayed.add(row.parameters[INCARNATION])

    @rule(name=names, verb=st.sampled_from(["create", "alter", "drop", "drop by spark", "purge"]))
    def in_the_other_metastore(self, name: TableIdentifier, verb: str) -> None:
        self.now_ms += 1000
        catalog = self.catalog(self.other)
        acts: dict[str, Callable[[], object]] = {
            "create": lambda: create(catalog, str(name)),
            "alter": lambda: catalog.alter_view(name, comment=f"c{self.now_ms}"),
            "drop": lambda: catalog.drop_view(name),
            "drop by spark": lambda: self.other.drop_row(name),
            "purge": lambda: catalog.drop_view(name, purge=True),
        }
        with suppress(HiveViewsError):
            acts[verb]()

    # -- what always holds ---------------------------------------------------------------------------------------------

    @invariant()
    def what_is_found_of_each_free_name_is_what_was_dropped_last(self) -> None:
        rows = self.rows()
        found = {name: one for name in NAMES if name not in rows and (one := self.check(name))}
        dropped = {name for name, one in found.items() if not one.is_released}
        assert {one.identifier for one in list_dropped(self.catalog())} == dropped

    def check(self, name: TableIdentifier) -> Recoverable | None:
        found = find_by_name(self.catalog().engine, name)
        last = self.ended[name][-1] if self.ended[name] else None
        files = {file for file in files_below(self.warehouse) if is_metadata_file(file)}
        if found is None:
            # Of what Java had moved an earlier file is found, unless a view was made of that since.
            assert last is None or last.incarnation in self.torn[name] | self.strayed, f"{name} is lost"
            return None
        live = {row.parameters[INCARNATION] for row in self.rows().values()}
        token = incarnation_of(found.metadata)
        assert token not in live, f"{name} has another name now"
        is_phantom = found.metadata_location in files - self.committed
        if OF_ANOTHER_METASTORE in found.doubts:
            assert last is None or last.incarnation in self.torn[name], f"{name}: the other metastore's hides {last}"
            return found
        assert found.metadata.properties[MADE_IN] == self.server.identity(), "the other metastore's"
        if last is not None and found.metadata_location == last.pointer:
            event("as it was, by a note" if last.is_noted and not found.doubts else "as it was")
            return found
        # What Hive renamed and Spark dropped leaves nothing under the name that it had for so long.
        is_last_torn = last is not None and last.incarnation in self.torn[name]
        is_said = bool(found.doubts) or is_last_torn
        assert is_said, f"{name}: {found.metadata_location} is not {last}, and is said to be certain"
        event("doubtful")
        if token in self.strayed:
            event("before Java moved it")
            return found
        if last is not None and token == last.incarnation:
            assert is_phantom, f"{name}: an earlier file of the life that was dropped"
            assert not last.is_noted, f"{name}: a file nobody committed beats one that was noted"
            return found
        is_torn = token in self.torn[name]
        first = MetadataStorage().read(found.metadata_location)
        assert is_torn or is_phantom or is_last_torn, f"{name}: another life, {incarnation_of(first)}, than {last}"
        return found


def test_undrop_finds_no_other_life_than_the_one_that_was_dropped() -> None:
    run_state_machine_as_test(Lives)  # type: ignore[no-untyped-call]
