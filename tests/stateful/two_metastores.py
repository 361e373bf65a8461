"""Any verbs and failures in two metastores on one storage, as a machine that tests run and build upon."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, ClassVar

import fsspec
import hypothesis.strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from hive_views.errors import HiveViewsError
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.updates import SetProperties, apply_updates
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from hive_views.views.journal.partition_journal import Journal, State
from hive_views.views.recovery.recoverable import find_by_name
from tests.support.failing.faulty_metastore import (
    Fault,
    FaultyMetastore,
    Killed,
    lost_after,
    lost_before,
    meanwhile,
    never_sent,
)
from tests.support.files_in_memory import forget_files_in_memory
from tests.support.views import foreign_writers
from tests.support.views.catalog_setup import create

NAMESPACE = "a"
NAMES = [f"{NAMESPACE}.v", f"{NAMESPACE}.w", f"{NAMESPACE}.x"]
PLACES = ["here", "there"]

places, names = st.sampled_from(PLACES), st.sampled_from(NAMES)
days = st.sampled_from(["2026-08-21", "2026-08-22", "2026-08-23"])
FAULTS = [
    *["none"] * 4,
    *["never sent", "lost before", "lost after", "delayed", "killed before", "killed after"],
    *["renamed", "renamed, and lost", "dropped", "purged", "committed"],
]
# A metastore adds a partition to whatever has the name then, so that one may come to a row that never asked for it. It
# is noted as soon as it is seen.
faults_of_partitions = st.sampled_from(FAULTS)
faults = st.sampled_from([*FAULTS, "recreated", "renamed, and recreated", "registered over"])
numbers = st.integers(0, 99)
# Of all calls that a verb makes, the one that the fault strikes.
calls_before_faults = st.integers(0, 7)


class Mortal(MetadataStorage):
    """The storage as a writer has it: one that was killed writes and deletes nothing any more."""

    def __init__(self, is_dead: Callable[[], bool]) -> None:
        super().__init__()
        self._is_dead = is_dead

    def write_bytes(self, location: str, content: bytes) -> None:
        if self._is_dead():
            raise Killed
        super().write_bytes(location, content)

    def delete(self, location: str) -> None:
        if self._is_dead():
            raise Killed
        super().delete(location)


class TwoMetastores(RuleBasedStateMachine):
    """Both have the same names in the same warehouse, so that their views meet in the same directories."""

    lock: ClassVar[LockMode] = "auto"

    def __init__(self) -> None:
        super().__init__()
        self.warehouse = f"memory://{uuid.uuid4().hex}"
        self.servers = {place: MemoryMetastore(lock_timeout_s=0.0) for place in PLACES}
        self.metastores = {place: FaultyMetastore(server) for place, server in self.servers.items()}
        self.seen: dict[str, None] = {}
        self.delayed: list[Callable[[], Any]] = []
        self.uuids = itertools.count(1)

    @initialize()
    def namespaces(self) -> None:
        for server in self.servers.values():
            server.create_namespace(NAMESPACE)

    def catalog(self, place: str) -> ViewCatalog:
        """A writer of its own for each verb, as one that was killed remembers nothing."""
        metastore = self.metastores[place]
        return self._connected(metastore, Mortal(lambda: metastore.is_dead), self.lock)

    def rival(self, place: str) -> ViewCatalog:
        """Somebody who does not wait for our locks, and who comes between any two of our calls."""
        return self._connected(self.servers[place], MetadataStorage(), "never")

    def _connected(self, metastore: Any, storage: MetadataStorage, lock: LockMode) -> ViewCatalog:
        settings = CommitSettings(
            lock=lock,
            retry_timeout_s=0.1,
            settle_timeout_s=0.0,
            mend_lock_timeout_s=0.0,
            new_uuid=lambda: str(uuid.UUID(int=next(self.uuids) << 64)),
        )
        return ViewCatalog(metastore, storage, warehouse=self.warehouse, settings=settings)

    def attempt(
        self, place: str, name: str, fault: str, calls_before: int, verb: Callable[[ViewCatalog], object]
    ) -> None:
        """Run a verb; at the call of this number something happens. It may fail in any way that it says."""
        metastore = self.metastores[place]
        if fault != "none":
            metastore.on_any(self._fault(fault, place, name), after=calls_before)
        with suppress(HiveViewsError, Killed):
            verb(self.catalog(place))
        metastore.clear()
        self.servers[place].expire_locks()

    def _fault(self, fault: str, place: str, name: str) -> Fault:
        def delay(run: Callable[[], Any]) -> Any:
            self.delayed.append(run)
            lost_before(run)

        def act() -> None:
            # Where there is nothing to drop or rename, the rival does nothing.
            with suppress(HiveViewsError):
                self._acts()[fault.removesuffix(", and lost")](self.rival(place), name)

        on_the_wire: dict[str, Fault] = {
            "never sent": never_sent,
            "lost before": lost_before,
            "lost after": lost_after,
            "delayed": delay,
            "renamed, and lost": lambda run: (act(), lost_before(run)),
            "killed before": self.metastores[place].kill,
            "killed after": lambda run: (run(), self.metastores[place].kill(run)),
        }
        return on_the_wire.get(fault) or meanwhile(act)

    def _acts(self) -> dict[str, Callable[[ViewCatalog, str], object]]:
        def recreate(catalog: ViewCatalog, name: str) -> None:
            catalog.drop_view(name, if_exists=True)
            create(catalog, name, partitioned_on=["ds"])

        def register_over(catalog: ViewCatalog, name: str) -> None:
            if self.seen:
                catalog.register_view(name, next(iter(self.seen)), overwrite=True)

        def rename(catalog: ViewCatalog, name: str) -> None:
            catalog.rename_view(name, NAMES[NAMES.index(name) - 1])

        def rename_and_recreate(catalog: ViewCatalog, name: str) -> None:
            rename(catalog, name)
            create(catalog, name, partitioned_on=["ds"])

        return {
            "renamed": rename,
            "renamed, and recreated": rename_and_recreate,
            "recreated": recreate,
            "dropped": lambda catalog, name: catalog.drop_view(name),
            "purged": lambda catalog, name: catalog.drop_view(name, purge=True),
            "committed": lambda catalog, name: catalog.alter_view(name, comment=uuid.uuid4().hex),
            "registered over": register_over,
        }

    # -- our verbs ---------------------------------------------------------------------------------------------------

    @rule(place=places, name=names, partitioned=st.booleans(), fault=faults, calls_before=calls_before_faults)
    def create(self, place: str, name: str, partitioned: bool, fault: str, calls_before: int) -> None:
        keys = ["ds"] if partitioned else []
        self.attempt(place, name, fault, calls_before, lambda catalog: create(catalog, name, partitioned_on=keys))

    @precondition(lambda self: self.seen)
    @rule(
        place=places,
        name=names,
        number=numbers,
        overwrite=st.booleans(),
        fault=faults,
        calls_before=calls_before_faults,
    )
    def register(self, place: str, name: str, number: int, overwrite: bool, fault: str, calls_before: int) -> None:
        file = list(self.seen)[number % len(self.seen)]
        self.attempt(
            place, name, fault, calls_before, lambda catalog: catalog.register_view(name, file, overwrite=overwrite)
        )

    @rule(place=places, name=names, to=names, fault=faults, calls_before=calls_before_faults)
    def rename(self, place: str, name: str, to: str, fault: str, calls_before: int) -> None:
        self.attempt(place, name, fault, calls_before, lambda catalog: catalog.rename_view(name, to))

    @rule(place=places, name=names, fault=faults, calls_before=calls_before_faults)
    def alter(self, place: str, name: str, fault: str, calls_before: int) -> None:
        self.attempt(
            place, name, fault, calls_before, lambda catalog: catalog.alter_view(name, comment=uuid.uuid4().hex)
        )

    @rule(place=places, name=names, to=names, fault=faults, calls_before=calls_before_faults)
    def move(self, place: str, name: str, to: str, fault: str, calls_before: int) -> None:
        elsewhere = f"{self.warehouse}/{to}"
        self.attempt(place, name, fault, calls_before, lambda catalog: catalog.alter_view(name, location=elsewhere))

    @rule(place=places, name=names, purge=st.booleans(), fault=faults, calls_before=calls_before_faults)
    def drop(self, place: str, name: str, purge: bool, fault: str, calls_before: int) -> None:
        self.attempt(place, name, fault, calls_before, lambda catalog: catalog.drop_view(name, purge=purge))

    @rule(place=places, name=names, fault=faults_of_partitions, calls_before=calls_before_faults)
    def undo(self, place: str, name: str, fault: str, calls_before: int) -> None:
        """What the error for a view that is gone says."""

        def bring_back(catalog: ViewCatalog) -> None:
            left = find_by_name(catalog.engine, name)
            if left:
                catalog.register_view(name, left.metadata_location, overwrite=left.row is not None)
                if left.has_journal:
                    catalog.partitions(name).restore()

        self.attempt(place, name, fault, calls_before, bring_back)

    @rule(place=places, name=names, day=days, fault=faults_of_partitions, calls_before=calls_before_faults)
    def add_partition(self, place: str, name: str, day: str, fault: str, calls_before: int) -> None:
        self.attempt(
            place,
            name,
            fault,
            calls_before,
            lambda catalog: catalog.partitions(name).add([{"ds": day}], if_not_exists=True),
        )

    @rule(place=places, name=names, day=days, fault=faults, calls_before=calls_before_faults)
    def drop_partition(self, place: str, name: str, day: str, fault: str, calls_before: int) -> None:
        self.attempt(
            place,
            name,
            fault,
            calls_before,
            lambda catalog: catalog.partitions(name).drop([{"ds": day}], if_exists=True),
        )

    @precondition(lambda self: self.delayed)
    @rule()
    def a_delayed_request_arrives(self) -> None:
        with suppress(HiveViewsError):
            self.delayed.pop(0)()

    # -- other writers -----------------------------------------------------------------------------------------------

    @rule(place=places, name=names)
    def spark_puts_another_view_in_its_place(self, place: str, name: str) -> None:
        with suppress(HiveViewsError):
            row = self.servers[place].load_row(TableIdentifier.of(name))
            self.servers[place].drop_row(row.identifier)
            self.servers[place].create_row(foreign_writers.spark_create_or_replace(row, "SELECT 1"))

    @rule(place=places, name=names)
    def java_commits(self, place: str, name: str) -> None:
        with suppress(HiveViewsError):
            foreign_writers.java_commit(
                self.servers[place],
                MetadataStorage(),
                TableIdentifier.of(self.rival(place).load_view(name).identifier),
                lambda metadata: apply_updates(metadata, [SetProperties({"java": uuid.uuid4().hex})], now_ms=1),
            )

    def teardown(self) -> None:
        forget_files_in_memory()

    # -- what always holds -------------------------------------------------------------------------------------------

    def rows(self) -> Iterator[tuple[str, Row]]:
        for place, server in self.servers.items():
            for row in server.load_rows(NAMESPACE, server.list_view_names(NAMESPACE)):
                yield place, row

    @invariant()
    def the_file_of_every_row_is_there_and_is_its_own(self) -> None:
        pointers = []
        for place, row in self.rows():
            pointer = row.parameters.get(POINTER)
            if pointer is not None:
                metadata = MetadataStorage().read(pointer)
                assert metadata.view_uuid == row.parameters[VIEW_UUID], (place, row.identifier)
                pointers.append(pointer)
        assert len(pointers) == len(set(pointers)), "two rows share a file"

    @invariant()
    def the_journal_of_every_row_has_what_is_declared_on_it(self) -> None:
        """As declared, or as what was begun without an answer; so that ``restore`` brings it back or names it."""
        for place, row in self.rows():
            pointer = row.parameters.get(POINTER)
            names = self.servers[place].partition_names(row.identifier) if row.partition_keys else []
            if pointer is None or not names:
                continue
            storage = MetadataStorage()
            known = Journal(storage.read(pointer), row, storage, lambda: "").read()
            lost = [name for name in names if name not in known or known[name].state is State.DROPPED]
            assert not lost, (place, row.identifier)

    @invariant()
    def every_file_is_seen(self) -> None:
        fs, root = fsspec.core.url_to_fs(self.warehouse)
        with suppress(FileNotFoundError):
            found = [f"memory:/{path}" if path.startswith("/") else path for path in fs.find(root)]
            self.seen |= dict.fromkeys(sorted(file for file in found if is_metadata_file(file)))
