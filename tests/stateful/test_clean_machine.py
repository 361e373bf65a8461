"""Any order of verbs, failures and cleaning in two metastores on one storage: nothing goes that anybody may need."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import event, settings
from hypothesis.stateful import initialize, invariant, precondition, rule, run_state_machine_as_test

from hive_views.errors import CorruptMetadataError, HiveViewsError
from hive_views.estate.cleanup.cleaning import clean
from hive_views.estate.each.selection import ALL_VIEWS
from hive_views.hive.row import POINTER, VIEW_UUID, VIRTUAL_VIEW, Row
from hive_views.persisted import INCARNATION, OWNS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.tags import tag_property, tagged_ids
from hive_views.storage.files import FileInfo
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.storage.ownership import directories, incarnation_in_name, incarnation_of, publishing_directory
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.changing import commit_own_properties
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from hive_views.views.journal.partition_journal import Journal
from hive_views.views.recovery.last_incarnation import OF_ANOTHER_METASTORE
from hive_views.views.recovery.recoverable import find_by_name
from tests.stateful.two_metastores import (
    NAMES,
    NAMESPACE,
    PLACES,
    TwoMetastores,
    calls_before_faults,
    faults,
    names,
    numbers,
    places,
)
from tests.support.failing.faulty_metastore import Killed
from tests.support.file_ages import files_below, set_written
from tests.support.views import foreign_writers
from tests.support.views.catalog_setup import create

DAY_MS = 86_400_000
FOREIGN = TableIdentifier("engines", "registered")
# Faults in which nobody but the cleaner acts.
ALONE = {"none", "never sent", "lost before", "lost after", "killed before", "killed after"}
faults_of_cleaning = st.one_of(st.just("none"), faults)


class Dated(MetadataStorage):
    """The storage as a writer has it: its files have the machine's time, and one that was killed writes no more."""

    def __init__(self, machine: Cleaning, place: str | None, on_first_list: Callable[[], object] | None = None) -> None:
        super().__init__()
        self._machine = machine
        self._place = place
        self._on_first_list = [on_first_list] if on_first_list else []

    def list_infos(self, directory: str) -> Sequence[FileInfo]:
        # Several threads list at once, and one of them takes it.
        with suppress(IndexError):
            self._on_first_list.pop()()
        return super().list_infos(directory)

    def _ensure_alive(self) -> None:
        if self._place and self._machine.metastores[self._place].is_dead:
            raise Killed

    def write_bytes(self, location: str, content: bytes) -> None:
        self._ensure_alive()
        super().write_bytes(location, content)
        set_written([location], self._machine.now_ms)

    def delete(self, location: str) -> None:
        self._ensure_alive()
        super().delete(location)


class Cleaning(TwoMetastores):
    """Both metastores clean, with the files of the other in the same directories."""

    def __init__(self) -> None:
        super().__init__()
        self.now_ms = int(time.time() * 1000)
        self.written: dict[str, int] = {}
        self.lived: set[str] = set()

    @initialize(place=places, registered=st.booleans())
    def begin_with_history(self, place: str, registered: bool) -> None:
        for server in self.servers.values():
            server.create_namespace(FOREIGN.namespace)
            server.create_namespace(NAMESPACE)
        first, second = NAMES[0], NAMES[1]
        catalog = self.catalog(place)
        create(catalog, first, partitioned_on=["ds"])
        catalog.partitions(first).add([{"ds": "2026-08-21"}])
        self.many_commits(place, first, 4)
        if registered:
            other = PLACES[PLACES.index(place) - 1]
            self.catalog(other).register_view(second, catalog.load_view(first).metadata_location)
            self.many_commits(other, second, 3)

    def namespaces(self) -> None:
        """Made above, before there are views."""

    def catalog(self, place: str) -> ViewCatalog:
        return self._dated(self.metastores[place], Dated(self, place), self.lock)

    def rival(self, place: str) -> ViewCatalog:
        return self._dated(self.servers[place], Dated(self, None), "never")

    def _dated(self, metastore: Any, storage: MetadataStorage, lock: LockMode) -> ViewCatalog:
        catalog = self._connected(metastore, storage, lock)
        settings: CommitSettings = replace(catalog.settings, clock_ms=lambda: self.now_ms)
        return ViewCatalog(metastore, storage, warehouse=self.warehouse, settings=settings)

    def files(self) -> list[str]:
        return files_below(self.warehouse)

    @invariant()
    def every_file_is_dated(self) -> None:
        """Engines write without our storage."""
        new = [location for location in self.files() if location not in self.written]
        set_written(new, self.now_ms)
        self.written |= dict.fromkeys(new, self.now_ms)

    @invariant()
    def every_incarnation_that_has_a_row_is_known(self) -> None:
        """For later, when it may have none."""
        self.lived |= self.living()

    # -- more verbs --------------------------------------------------------------------------------------------------

    @rule(place=places, name=names, commits=st.integers(2, 4))
    def many_commits(self, place: str, name: str, commits: int) -> None:
        for _ in range(commits):
            self.alter(place, name, "none", 0)

    @rule(place=places, name=names)
    def a_commit_stops_before_its_swap(self, place: str, name: str) -> None:
        """Its file is there, and its request comes late."""
        self.metastores[place].on("swap_row", self._fault("delayed", place, name))
        self.alter(place, name, "none", 0)

    @rule(place=places, name=names, number=st.integers(0, 1))
    def metadata_goes_elsewhere(self, place: str, name: str, number: int) -> None:
        elsewhere = {"write.metadata.path": f"{self.warehouse}/metadata-{number}"}
        self.attempt(place, name, "none", 0, lambda catalog: catalog.alter_view(name, set_properties=elsewhere))

    @rule(place=places, name=names)
    def tag(self, place: str, name: str) -> None:
        def set_tag(catalog: ViewCatalog) -> None:
            current = catalog.load_view(name).current_version
            commit_own_properties(catalog.engine, name, lambda _: tag_property("release", current))

        self.attempt(place, name, "none", 0, set_tag)

    @rule(place=places, name=names)
    def java_lets_all_other_versions_expire(self, place: str, name: str) -> None:
        def expire(metadata: ViewMetadata) -> ViewMetadata:
            current, number = metadata.current_version, max(one.version_id for one in metadata.versions) + 1
            new = current.model_copy(update={"version_id": number, "timestamp_ms": current.timestamp_ms + 1})
            entry = metadata.version_log[-1].model_copy(update={"version_id": number})
            return metadata.model_copy(
                update={"versions": (new,), "current_version_id": number, "version_log": (entry,)}
            )

        with suppress(HiveViewsError):
            identifier = self.rival(place).load_view(name).identifier
            foreign_writers.java_commit(self.servers[place], Dated(self, None), identifier, expire)

    @rule(place=places, name=names, suffix=st.sampled_from(["untold", "listing"]))
    def publishing_leaves_a_file(self, place: str, name: str, suffix: str) -> None:
        with suppress(HiveViewsError):
            metadata = self.rival(place).load_view(name).metadata
            file = f"{incarnation_of(metadata)}-{uuid.uuid4()}.{suffix}"
            Dated(self, None).write_bytes(f"{publishing_directory(metadata)}/{file}", b"{}")

    @precondition(lambda self: self.seen)
    @rule(number=numbers, of_all=st.booleans())
    def a_purge_is_interrupted(self, number: int, of_all: bool) -> None:
        """Of a view that was dropped, metadata files are gone before its journal.

        One that never had a row may get it yet, by a request that is late, and nobody purges that.
        """
        incarnations = {incarnation_of(one) for one in self.metadata().values()} & self.lived - self.living()
        gone = {one for index, one in enumerate(sorted(incarnations)) if of_all or index == number % len(incarnations)}
        for location, metadata in self.metadata().items():
            if incarnation_of(metadata) in gone:
                MetadataStorage().delete(location)

    # -- cleaning ----------------------------------------------------------------------------------------------------

    @rule(
        place=places,
        name=st.one_of(names, st.just(f"{NAMESPACE}.*"), st.just(ALL_VIEWS)),
        days=st.sampled_from([5, 40, 40, 40]),
        fault=faults_of_cleaning,
        calls_before=calls_before_faults,
        number=numbers,
        registered=st.sampled_from(["never", "before", "while files are listed"]),
    )
    def clean(
        self, place: str, name: str, days: int, fault: str, calls_before: int, number: int, registered: str
    ) -> None:
        """Some engine may register any file under another name, before the run or during it."""
        self.now_ms += days * DAY_MS
        foreign: list[str] = []

        def register() -> None:
            foreign.extend(self.register_as_an_engine_does(place, number))

        if registered == "before":
            register()
        meanwhile = register if registered == "while files are listed" else None
        acted_on = name if name in NAMES else NAMES[number % len(NAMES)]
        self.clean_and_look(place, name, fault, calls_before, acted_on, meanwhile)
        for file in foreign:
            event(f"registered {registered}")
            # A purge by its owner takes it: whoever registers a file as it is has no proof.
            assert file in self.files() or fault not in ALONE
            with suppress(HiveViewsError):
                self.servers[place].drop_row(FOREIGN)

    def clean_and_look(
        self,
        place: str,
        pattern: str,
        fault: str,
        calls_before: int,
        acted_on: str,
        meanwhile: Callable[[], object] | None = None,
    ) -> None:
        def run(catalog: ViewCatalog) -> None:
            storage = Dated(self, place, meanwhile)
            clean(ViewCatalog(catalog.metastore, storage, warehouse=self.warehouse, settings=catalog.settings), pattern)

        before, recoverable, tagged = set(self.files()), self.recoverable(), self.tagged()
        living, metadata, journals = self.living(), self.metadata(), self.journals()
        self.attempt(place, acted_on, fault, calls_before, run)
        if fault in ALONE:
            gone = before - set(self.files())
            event(f"files deleted: {min(len(gone), 3)}")
            self.check(gone, living, metadata)
            if meanwhile:
                # What an engine has registered by now is no dropped view's.
                with suppress(HiveViewsError):
                    self.servers[place].drop_row(FOREIGN)
            assert self.recoverable() == recoverable
            assert self.tagged() == tagged
            assert self.journals() == journals

    def teardown(self) -> None:
        """Whatever came before: in the end both clean, and then what is late arrives."""
        try:
            self.every_file_is_dated()
            self.now_ms += 40 * DAY_MS
            for place in PLACES:
                self.clean_and_look(place, ALL_VIEWS, "none", 0, NAMES[0])
            while self.delayed:
                self.a_delayed_request_arrives()
                self.the_file_of_every_row_is_there_and_is_its_own()
        finally:
            super().teardown()

    def check(self, gone: set[str], living: set[str], metadata: dict[str, ViewMetadata]) -> None:
        limit_ms = timedelta(days=30) // timedelta(milliseconds=1)
        files_of = {incarnation for one in metadata.values() for incarnation in (incarnation_of(one), one.view_uuid)}
        for location in gone:
            assert self.written[location] <= self.now_ms - limit_ms, location
            if is_metadata_file(location):
                assert incarnation_of(metadata[location]) in living, location
            elif not location.endswith((".listing", ".whereabouts")):
                event("journals or notes deleted")
                assert incarnation_in_name(location) not in living | files_of, location

    def register_as_an_engine_does(self, place: str, number: int) -> Iterator[str]:
        """A row for a file as it is, with no proof that it is its own; gives the file."""
        files = [location for location in self.seen if location in self.files()]
        if not files:
            return
        file = files[number % len(files)]
        with suppress(HiveViewsError):
            metadata = MetadataStorage().read(file)
            told = {"table_type": "ICEBERG-VIEW", POINTER: file, VIEW_UUID: metadata.view_uuid}
            copied = metadata.properties if number % 2 else {}
            self.servers[place].create_row(Row(FOREIGN, VIRTUAL_VIEW, parameters={**copied, **told}))
            yield file

    # -- what there is -----------------------------------------------------------------------------------------------

    def metadata(self) -> dict[str, ViewMetadata]:
        """All metadata files of the storage."""
        found = {}
        for location in self.files():
            if is_metadata_file(location):
                with suppress(HiveViewsError):
                    found[location] = MetadataStorage().read(location)
        return found

    def living(self) -> set[str]:
        """The incarnations that a row of one of the metastores is of."""
        keys = (INCARNATION, OWNS, VIEW_UUID)
        return {row.parameters[key] for _, row in self.rows() for key in keys if key in row.parameters}

    def recoverable(self) -> dict[tuple[str, str], tuple[str, Any]]:
        """What can be brought back, with its partitions."""
        return dict(self._recoverable())

    def _recoverable(self) -> Iterator[tuple[tuple[str, str], tuple[str, Any]]]:
        for place in PLACES:
            for name in NAMES:
                found = None
                with suppress(CorruptMetadataError):
                    # Its last file is gone, and others are left.
                    found = find_by_name(self.rival(place).engine, name)
                # Of what the other metastore has, where this one has had nothing of the name, the last is a guess.
                if found and OF_ANOTHER_METASTORE not in found.doubts:
                    row = Row(found.identifier, VIRTUAL_VIEW)
                    known = Journal(found.metadata, row, MetadataStorage(), lambda: "").read()
                    yield (place, name), (found.metadata_location, known)

    def journals(self) -> dict[tuple[str, str], Any]:
        """What is known of the partitions of each row."""
        storage, found = MetadataStorage(), {}
        for place, row in self.rows():
            if pointer := row.parameters.get(POINTER):
                found[place, str(row.identifier)] = Journal(storage.read(pointer), row, storage, lambda: "").read()
        return found

    def the_journal_of_every_row_has_what_is_declared_on_it(self) -> None:
        """Of changes of partitions, which are the other machine's; here a journal stays as it was."""

    def tagged(self) -> set[tuple[str, tuple[int, int]]]:
        """Tagged versions of living views that a file in their directories still has."""
        found = set()
        metadata = self.metadata()
        for _, row in self.rows():
            current = metadata.get(row.parameters.get(POINTER, ""))
            for tagged in tagged_ids(current.properties) if current else ():
                for location, one in metadata.items():
                    is_beside = location.rpartition("/")[0] in directories(current)
                    if is_beside and tagged in {(v.version_id, v.timestamp_ms) for v in one.versions}:
                        found.add((str(row.identifier), tagged))
        return found


class CleaningBySwap(Cleaning):
    """Nobody takes locks."""

    lock = "never"


@pytest.mark.parametrize(("machine", "share"), [(Cleaning, 1), (CleaningBySwap, 2)])
def test_no_steps_delete_a_file_that_somebody_needs_or_may_need(machine: type[Cleaning], share: int) -> None:
    """What locks change is a small part of it: half of the examples do without."""
    # Each of its examples takes several times as long as one of the others.
    examples = settings().max_examples * 5 // 8 // share
    run_state_machine_as_test(machine, settings=settings(max_examples=examples))
