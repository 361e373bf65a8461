"""Any order of any verbs, foreign writers and failures, beside a model of plain values."""

from __future__ import annotations

import copy
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hive_views.errors import (
    CommitFailedError,
    CommitStateUnknownError,
    MetastoreUnavailableError,
    NoSuchViewError,
    PartitionAlreadyExistsError,
    ViewAlreadyExistsError,
    ViewDriftedError,
)
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import FINGERPRINT, PENDING_KEYS
from hive_views.spec.updates import SetProperties, apply_updates
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.row.projection import fingerprint
from tests.stateful.model import NARROW, TEXTS, WIDE, Definition, ModelView
from tests.support.failing.faulty_metastore import (
    Fault,
    FaultyMetastore,
    lost_after,
    lost_before,
    meanwhile,
    never_sent,
    refused,
)
from tests.support.files_in_memory import forget_files_in_memory
from tests.support.views import foreign_writers

NAMES = ["a.v", "a.w", "b.v"]
TYPES = {"user_id": "bigint", "country": "string", "clicks": "bigint", "ds": "string"}

names = st.sampled_from(NAMES)
numbers = st.integers(0, 3)
columns = st.sampled_from([NARROW, WIDE])
days = st.sampled_from(["ds=2026-08-21", "ds=2026-08-22", "ds=a%2Fb"])
values = {"ds=2026-08-21": "2026-08-21", "ds=2026-08-22": "2026-08-22", "ds=a%2Fb": "a/b"}
keys, words = st.sampled_from(["p", "q"]), st.sampled_from(["1", "2", "ü"])


class CatalogMachine(RuleBasedStateMachine):
    """``flags`` say which kind of server the metastore is, ``lock`` how commits are protected."""

    flags: ClassVar[dict[str, bool]] = {}
    lock: Any = "auto"

    dropped = Bundle("dropped")

    def __init__(self) -> None:
        super().__init__()
        self.server = MemoryMetastore(**self.flags)  # type: ignore[arg-type]
        self.metastore = FaultyMetastore(self.server)
        self.warehouse = f"memory://{uuid.uuid4().hex}"
        self.catalog = self.connect(self.lock)
        self.rival = self.connect("never" if self.flags.get("enforces_swap", True) else "auto", self.server)
        self.views: dict[str, ModelView] = {}
        self.uuids: dict[str, str] = {}
        self.files: Counter[str] = Counter()
        self.delayed: list[tuple[str, Callable[[], Any], ModelView]] = []

    def teardown(self) -> None:
        forget_files_in_memory()

    @staticmethod
    def namespace_of(name: str) -> str:
        return name.partition(".")[0]

    def connect(self, lock: Any, metastore: Any = None) -> ViewCatalog:
        settings = CommitSettings(lock=lock, retry_timeout_s=5.0, settle_timeout_s=0.0)
        return ViewCatalog(metastore or self.metastore, MetadataStorage(), warehouse=self.warehouse, settings=settings)

    @initialize()
    def namespaces(self) -> None:
        self.server.create_namespace("a")
        self.server.create_namespace("b")

    def attempt(self, name: str, call: Callable[[], Any], expected: Callable[[ModelView], bool]) -> None:
        """A commit by our catalog: refused as the model says, or done as the model says."""
        view = self.views.get(name)
        if view is None:
            with pytest.raises(NoSuchViewError):
                call()
        elif view.drifted_to is not None:
            with pytest.raises(ViewDriftedError):
                call()
        else:
            call()
            before = view.current.columns
            view.committed(expected(view))
            self.count_copy(view, before)

    def count_copy(self, view: ModelView, before: tuple[str, ...]) -> None:
        if self.flags.get("null_descriptor_alter_fails") and view.partitions and view.current.columns != before:
            # The columns of a view with partitions change in two steps, the first of which points to a copy.
            view.files += 1

    # -- our verbs ---------------------------------------------------------------------------------------------------

    @rule(name=names, number=numbers, columns=columns, partitioned=st.booleans())
    def create(self, name: str, number: int, columns: tuple[str, ...], partitioned: bool) -> None:
        text = TEXTS[columns][number]
        call = lambda: self.catalog.create_view(  # noqa: E731
            name,
            sql={"hive": text, "trino": text},
            schema=[(column, TYPES[column]) for column in columns],
            partitioned_on=["ds"] if partitioned else [],
            properties={"version.history.num-entries": "1000"},
        )
        if name in self.views:
            with pytest.raises(ViewAlreadyExistsError):
                call()
            return
        self.uuids[name] = call().uuid
        definition = Definition(self.namespace_of(name), text, text, columns)
        properties = {"version.history.num-entries": "1000"}
        self.views[name] = ModelView({1: definition}, [1], partitioned, properties)

    @rule(name=names, hive=numbers, trino=numbers, columns=columns)
    def replace(self, name: str, hive: int, trino: int, columns: tuple[str, ...]) -> None:
        sql = {"hive": TEXTS[columns][hive], "trino": TEXTS[columns][trino]}
        schema = [(column, TYPES[column]) for column in columns]
        definition = Definition(self.namespace_of(name), sql["hive"], sql["trino"], columns)
        self.attempt(
            name,
            lambda: self.catalog.replace_view(name, sql=sql, schema=schema),
            lambda view: view.define(definition),
        )

    @rule(name=names, dialect=st.sampled_from(["hive", "trino"]), number=numbers)
    def alter_one_dialect(self, name: str, dialect: str, number: int) -> None:
        view = self.views.get(name)
        text = TEXTS[view.current.columns if view else NARROW][number]
        # Settings of a session belong to the text that was written in it.
        typed = {dialect: text, **({"hive_by_spark": False} if dialect == "hive" else {})}
        self.attempt(
            name,
            lambda: self.catalog.alter_view(name, sql={dialect: text}),
            lambda view: view.define(replace(view.current, **typed)),
        )

    @rule(name=names, key=keys, value=words)
    def set_property(self, name: str, key: str, value: str) -> None:
        self.attempt(
            name,
            lambda: self.catalog.alter_view(name, set_properties={key: value}),
            lambda view: view.set_properties({key: value}),
        )

    @rule(name=names, key=keys)
    def remove_property(self, name: str, key: str) -> None:
        self.attempt(
            name,
            lambda: self.catalog.alter_view(name, remove_properties=[key]),
            lambda view: view.properties.pop(key, None) is not None,
        )

    @rule(name=names, data=st.data())
    def roll_back(self, name: str, data: st.DataObject) -> None:
        view = self.views.get(name)
        number = data.draw(st.sampled_from(sorted(view.versions))) if view else 1
        self.attempt(
            name,
            lambda: self.catalog.roll_back_view(name, to_version=number),
            lambda view: view.activate(number),
        )

    @rule(name=names, on_drift=st.sampled_from(["adopt", "overwrite"]))
    def repair(self, name: str, on_drift: Any) -> None:
        view = self.views.get(name)
        if view is None:
            return
        self.catalog.repair_view(name, on_drift=on_drift)
        before = view.current.columns
        adopted = view.drifted_to is not None and on_drift == "adopt" and view.adopt()
        view.committed(adopted)
        self.count_copy(view, before)

    @rule(name=names, to=names)
    def rename(self, name: str, to: str) -> None:
        view = self.views.get(name)
        call = lambda: self.catalog.rename_view(name, to)  # noqa: E731
        if to in self.views:
            with pytest.raises(ViewAlreadyExistsError):
                call()
        elif view is None:
            with pytest.raises(NoSuchViewError):
                call()
        elif view.drifted_to is not None:
            with pytest.raises(ViewDriftedError):
                call()
        elif not (view.needs_repair and view.partitions and self.flags.get("null_descriptor_alter_fails")):
            call()
            self.views[to], self.uuids[to] = self.views.pop(name), self.uuids.pop(name)
            view.needs_repair = False

    @rule(target=dropped, name=names, purge=st.booleans())
    def drop(self, name: str, purge: bool) -> Any:
        if name not in self.views:
            self.catalog.drop_view(name, if_exists=True, purge=purge)
            return multiple()
        location = self.catalog.load_view(name).metadata_location
        self.catalog.drop_view(name, purge=purge)
        view, view_uuid = self.views.pop(name), self.uuids.pop(name)
        if purge:
            self.files[view_uuid] = view.left
            return multiple()
        self.files[view_uuid] = view.files + view.left
        return view, view_uuid, location

    @rule(gone=consumes(dropped), name=names)
    def register(self, gone: tuple[ModelView, str, str], name: str) -> None:
        view, view_uuid, location = gone
        if name in self.views:
            with pytest.raises(ViewAlreadyExistsError):
                self.catalog.register_view(name, location)
            return
        self.catalog.register_view(name, location)
        view.registered()
        self.views[name], self.uuids[name] = view, view_uuid

    # -- partitions --------------------------------------------------------------------------------------------------

    @rule(name=names, day=days, if_not_exists=st.booleans())
    def add_partition(self, name: str, day: str, if_not_exists: bool) -> None:
        view = self.views.get(name)
        if view is None or not view.partitioned:
            return
        partitions = self.catalog.partitions(name)
        call = lambda: partitions.add([{"ds": values[day]}], if_not_exists=if_not_exists)  # noqa: E731
        if view.needs_repair:
            view.committed(False)
        if day in view.partitions and not if_not_exists:
            with pytest.raises(PartitionAlreadyExistsError):
                call()
            return
        assert call() == ([] if day in view.partitions else [day])
        view.partitions.add(day)
        view.journal.add(day)

    @rule(name=names, day=days)
    def drop_partition(self, name: str, day: str) -> None:
        view = self.views.get(name)
        if view is None or not view.partitioned:
            return
        dropped = self.catalog.partitions(name).drop([{"ds": values[day]}], if_exists=True)
        assert dropped == ([day] if day in view.partitions else [])
        if dropped:
            view.partitions.discard(day)
            view.journal.discard(day)

    @rule(name=names)
    def restore_partitions(self, name: str) -> None:
        view = self.views.get(name)
        if view is None or not view.partitioned or view.needs_repair:
            return
        restored = self.catalog.partitions(name).restore().added
        assert set(restored) == view.journal - view.partitions
        view.partitions |= view.journal

    # -- other writers -----------------------------------------------------------------------------------------------

    @rule(name=names, number=numbers)
    def spark_alters_the_row(self, name: str, number: int) -> None:
        view = self.views.get(name)
        if view is None or view.needs_repair:
            return
        text = TEXTS[view.current.columns][number]
        row = self.server.load_row(self.catalog.load_view(name).identifier)
        all_columns = (*row.columns, *row.partition_keys)
        self.server.swap_row(foreign_writers.spark_alter_view_as(row, text, all_columns), expected=None)
        view.drifted_to = text

    @rule(name=names, value=words)
    def java_commits(self, name: str, value: str) -> None:
        view = self.views.get(name)
        if view is None or view.drifted_to is not None:
            return
        if self.flags.get("null_descriptor_alter_fails") and view.partitions:
            return  # its commit fails inside such a metastore
        foreign_writers.java_commit(
            self.server,
            MetadataStorage(),
            self.catalog.load_view(name).identifier,
            lambda metadata: apply_updates(metadata, [SetProperties({"java": value})], now_ms=1),
        )
        view.properties["java"] = value
        view.files += 1
        view.needs_repair = True

    @rule(name=names, value=words)
    def another_program_commits(self, name: str, value: str) -> None:
        self.attempt(
            name,
            lambda: self.rival.alter_view(name, set_properties={"rival": value}),
            lambda view: view.set_properties({"rival": value}),
        )

    # -- failures at the swap ----------------------------------------------------------------------------------------

    def failing(self, name: str, value: str, fault: Fault) -> Callable[[], Any]:
        self.metastore.on("swap_row", fault)
        return lambda: self.catalog.alter_view(name, set_properties={"failed": value})

    def would_commit(self, name: str, value: str) -> bool:
        view = self.views.get(name)
        return (
            view is not None
            and view.drifted_to is None
            and view.properties.get("failed") != value
            # The first of two swaps would fail.
            and not (view.needs_repair and view.partitions)
        )

    @rule(name=names, value=words, fault=st.sampled_from([refused, lost_after]))
    def a_commit_lands_in_spite_of_its_answer(self, name: str, value: str, fault: Fault) -> None:
        if self.would_commit(name, value):
            self.failing(name, value, fault)()
            view = self.views[name]
            view.committed(view.set_properties({"failed": value}))

    @rule(name=names, value=words)
    def a_request_never_leaves(self, name: str, value: str) -> None:
        if self.would_commit(name, value):
            with pytest.raises(MetastoreUnavailableError):
                self.failing(name, value, never_sent)()

    @rule(name=names, value=words)
    def a_request_is_lost(self, name: str, value: str) -> None:
        if self.would_commit(name, value):
            with pytest.raises(CommitStateUnknownError):
                self.failing(name, value, lost_before)()
            self.views[name].files += 1
            # Where nothing else protects, the writer has left its lock to the server.
            self.server.expire_locks()

    @rule(name=names, value=words)
    def a_request_is_delayed(self, name: str, value: str) -> None:
        """It may land after the verdict, which must be that nothing is known."""
        if not self.would_commit(name, value) or not self.flags.get("enforces_swap", True):
            return  # where nothing is checked, only the server's own order protects from a request that comes late

        def delay(run: Callable[[], Any]) -> Any:
            self.delayed.append((name, run, self.views[name]))
            lost_before(run)

        with pytest.raises(CommitStateUnknownError):
            self.failing(name, value, delay)()
        view = self.views[name]
        view.files += 1
        landed = copy.deepcopy(view)
        landed.set_properties({"failed": value})
        landed.needs_repair, landed.drifted_to = False, None
        self.delayed[-1] = name, self.delayed[-1][1], landed

    @precondition(lambda self: self.delayed)
    @rule()
    def a_delayed_request_arrives(self) -> None:
        name, run, landed = self.delayed.pop(0)
        try:
            run()
        except (CommitFailedError, NoSuchViewError, LookupError):
            return
        # Nobody committed in between: what happened to the row alone is overwritten, partitions and journal stay.
        now = self.views[name]
        landed.partitions, landed.journal = now.partitions, now.journal
        landed.files, landed.left = now.files, now.left
        self.views[name] = landed

    @rule(name=names, value=words)
    def a_rival_is_faster(self, name: str, value: str) -> None:
        if not self.would_commit(name, value) or self.views[name].needs_repair or self.lock == "auto":
            return

        def rival() -> None:
            self.rival.alter_view(name, set_properties={"rival": uuid.uuid4().hex})

        self.failing(name, value, meanwhile(rival))()
        view = self.views[name]
        theirs = self.rival.load_view(name).properties["rival"]
        view.committed(view.set_properties({"rival": theirs}))
        view.committed(view.set_properties({"failed": value}))

    # -- what always holds -------------------------------------------------------------------------------------------

    @invariant()
    def every_view_is_as_the_model_says(self) -> None:
        reader = self.connect(self.lock, self.server)
        for namespace in ("a", "b"):
            listed = [str(identifier) for identifier in reader.list_views(namespace)]
            assert listed == sorted(name for name in self.views if name.startswith(f"{namespace}."))
        for name, model in self.views.items():
            view = reader.load_view(name)
            assert view.uuid == self.uuids[name]
            assert [entry.version_id for entry in view.history] == model.history
            for number, definition in model.versions.items():
                metadata = view.metadata.model_copy(update={"current_version_id": number})
                then = replace(view, metadata=metadata)
                assert then.original_sql("hive") == definition.hive
                assert then.original_sql("trino") == definition.trino
                assert then.schema.names == definition.columns
                assert then.current_version.default_namespace == (definition.namespace,)
            assert view.properties == model.properties
            kinds = {difference.kind for difference in view.differences}
            assert kinds == (
                {"drifted"} if model.drifted_to is not None else {"needs repair"} if model.needs_repair else set()
            )
            if not kinds:
                self.row_is_the_projection(view)
            if model.partitioned:
                assert set(self.server.partition_names(view.identifier)) == model.partitions

    def row_is_the_projection(self, view: Any) -> None:
        row = view.row
        assert row.location is None
        assert row.parameters[FINGERPRINT] == fingerprint(row)
        assert PENDING_KEYS not in row.parameters
        assert [column.name for column in (*row.columns, *row.partition_keys)] == list(view.schema.names)
        assert [key.name for key in row.partition_keys] == list(view.partitioned_on)
        assert row.original_text == view.original_sql("hive")
        assert row.expanded_text == view.sql_for("hive").sql
        assert {key: row.parameters[key] for key in view.properties} == view.properties
        assert not any(key.startswith("spark.sql.") for key in row.parameters)

    @invariant()
    def there_is_one_file_for_each_commit(self) -> None:
        expected = +self.files
        for name, model in self.views.items():
            expected[self.uuids[name]] = model.files + model.left
        storage = MetadataStorage()
        found: Counter[str] = Counter()
        for namespace, name in (name.split(".") for name in NAMES):
            for location in storage.list_metadata_files(f"{self.warehouse}/{namespace}.db/{name}/metadata"):
                found[storage.read(location).view_uuid] += 1
        assert found == expected


class SwapMachine(CatalogMachine):
    """Nobody takes locks; a rival can come between any two steps."""

    lock = "never"


class LockMachine(CatalogMachine):
    """A server before HIVE-26882: a wrong expected value is accepted."""

    flags: ClassVar[dict[str, bool]] = {"enforces_swap": False}


class TwoSwapMachine(CatalogMachine):
    """Hive 4: the columns of a view with partitions change in two steps."""

    flags: ClassVar[dict[str, bool]] = {"null_descriptor_alter_fails": True}
    lock = "never"


@pytest.mark.parametrize("machine", [CatalogMachine, SwapMachine, LockMachine, TwoSwapMachine])
def test_the_catalog_is_as_the_model_after_any_steps(machine: type[CatalogMachine]) -> None:
    run_state_machine_as_test(machine)
