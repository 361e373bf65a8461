"""The catalog on the in-memory metastore, as each kind of server that it can be."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    InvalidInputError,
    InvalidSchemaError,
    PartitionAlreadyExistsError,
    UnsupportedFeatureError,
    ViewDriftedError,
)
from hive_views.hive.row import NamespaceRow
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.spec.metadata import SQLViewRepresentation, UnknownViewRepresentation, ViewMetadata
from hive_views.spec.schema import Schema
from hive_views.spec.updates import AddSchema, AddViewVersion, SetCurrentViewVersion, apply_updates
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.definition import altered
from tests.contract.catalog_contract import CatalogContract
from tests.contract.catalog_foreign import ForeignWritersContract
from tests.contract.catalog_moves import MovesContract
from tests.contract.catalog_ownership import UnlockedWritersContract
from tests.contract.catalog_partitions import PartitionsContract
from tests.contract.catalog_recovery import RecoveryContract
from tests.contract.catalog_verbs import VerbsContract
from tests.support.views.catalog_setup import BETTER, SELECT, create, files_of, row_of
from tests.support.views.foreign_writers import java_commit


class InMemory(VerbsContract, MovesContract, PartitionsContract, ForeignWritersContract, RecoveryContract):
    """The files are in memory as well; bad input is refused before it matters what the server is."""

    @pytest.fixture
    def warehouse(self) -> str:
        return f"memory://{uuid.uuid4().hex}/warehouse"


class TestWithLocksAndSwaps(CatalogContract, UnlockedWritersContract):
    """Hive 2.3.10, with files on disk."""

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()


class TestWithSwapsAlone(InMemory):
    """A server without a lock manager."""

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(grants_locks=False)


class TestWhereLocksAreNotTaken(InMemory):
    lock = "never"

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()


class TestLikeHive31(InMemory):
    """Swaps are not checked, so that locks alone protect; columns change in two steps."""

    changes_columns_in_one_call = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(enforces_swap=False, null_descriptor_alter_fails=True)


class TestLikeHive4WithAListener(InMemory):
    stores_descriptors = True

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(listener=True, null_descriptor_alter_fails=True)


class TestLikeHive4(InMemory):
    lock = "never"
    changes_columns_in_one_call = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(null_descriptor_alter_fails=True)


class TestWhereTheDatabaseCannotCompare(InMemory):
    """Hive 4.0 on Derby with CLOB columns."""

    lock = "always"

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(compares_swap=False)


# -- what only a metastore made for it can show ------------------------------------------------------------------------


def catalog_on(metastore: Metastore, **settings: Any) -> ViewCatalog:
    return ViewCatalog(metastore, **{"warehouse": f"memory://{uuid.uuid4().hex}", **settings})


def test_a_listener_is_noticed_in_the_first_of_many_batches() -> None:
    calls: list[str] = []
    catalog = catalog_on(MemoryMetastore(listener=True, on_call=calls.append))
    view = create(catalog, "default.v", partitioned_on=["ds"])
    calls.clear()
    assert len(catalog.partitions("default.v").add([{"ds": str(number)} for number in range(1100)])) == 1100
    assert calls.count("add_partitions") == 4, "the first is repeated with descriptors"
    assert {partition.has_descriptor for _, partition in catalog.partitions("default.v").load()} == {True}
    assert catalog.load_view("default.v").history == view.history


def test_a_listener_that_comes_later_is_not_worked_around_by_mixing_two_kinds_of_partitions() -> None:
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore)
    create(catalog, "default.v", partitioned_on=["ds"])
    catalog.partitions("default.v").add([{"ds": "a"}])
    metastore._listener = True
    row = row_of(catalog, "default.v")
    with pytest.raises(UnsupportedFeatureError, match="Drop them, and add all of them again"):
        catalog.partitions("default.v").add([{"ds": "b"}])
    assert row_of(catalog, "default.v") == row
    assert catalog.partitions("default.v").names() == ["ds=a"]
    catalog.partitions("default.v").drop([{"ds": "a"}])
    assert catalog.partitions("default.v").add([{"ds": "a"}, {"ds": "b"}]) == ["ds=a", "ds=b"]


def test_a_namespace_without_a_place_needs_one_to_be_given() -> None:
    metastore = MemoryMetastore()
    metastore._namespaces["bare"] = NamespaceRow("bare", None)
    with pytest.raises(InvalidInputError, match="Give warehouse= or location="):
        create(catalog_on(metastore, warehouse=None), "bare.v")
    view = create(catalog_on(metastore, warehouse=None), "bare.v", location=f"memory://{uuid.uuid4().hex}/v")
    assert view.metadata_location.startswith(f"{view.location}/metadata/")


def test_namespaces_are_listed_and_created() -> None:
    catalog = catalog_on(MemoryMetastore())
    catalog.create_namespace("Sales")
    catalog.create_namespace("sales", if_not_exists=True)
    with pytest.raises(AlreadyExistsError, match="sales"):
        catalog.create_namespace("sales")
    assert catalog.list_namespaces() == ["default", "sales"]


def test_the_error_of_a_later_batch_says_what_was_added_before_it() -> None:
    catalog = catalog_on(MemoryMetastore())
    create(catalog, "default.v", partitioned_on=["ds"])
    partitions = catalog.partitions("default.v")
    partitions.add([{"ds": "700"}])
    with pytest.raises(PartitionAlreadyExistsError) as refusal:
        partitions.add([{"ds": str(number)} for number in range(1100)])
    assert len(refusal.value.added) == 500
    assert refusal.value.partitions == ["ds=700"]
    assert len(partitions.names()) == 501


def test_columns_by_java_that_do_not_end_in_the_keys_are_rolled_back_with_the_partitions_kept() -> None:
    catalog = catalog_on(MemoryMetastore())
    view = create(catalog, "default.v", partitioned_on=["ds"])
    catalog.partitions("default.v").add([{"ds": "a"}])

    def reorder(metadata: ViewMetadata) -> ViewMetadata:
        fields = metadata.current_schema.fields
        schema = Schema(schema_id=9, fields=(fields[2], *fields[:2]))
        version = metadata.current_version.model_copy(update={"schema_id": -1})
        updates = [AddSchema(schema), AddViewVersion(version), SetCurrentViewVersion(-1)]
        return apply_updates(metadata, updates, now_ms=9)

    java_commit(catalog.metastore, catalog.storage, view.identifier, reorder)
    with pytest.raises(ViewDriftedError, match="partition columns"):
        catalog.roll_back_view("default.v", to_version=1)
    with pytest.raises(InvalidSchemaError, match="do not end in these"):
        catalog.repair_view("default.v", on_drift="overwrite")
    back = catalog.roll_back_view("default.v", to_version=1, on_drift="overwrite")
    assert [entry.version_id for entry in back.history] == [1, 2, 1]
    assert catalog.load_view("default.v").differences == ()
    assert catalog.partitions("default.v").names() == ["ds=a"]


def test_a_change_of_one_text_keeps_what_else_a_foreign_version_has() -> None:
    """Representations of unknown kinds, the catalog, and of two texts in one dialect the first."""
    catalog = catalog_on(MemoryMetastore())
    view = create(catalog, "default.v", sql={"spark": SELECT, "hive": SELECT})
    version = view.current_version
    trino = [SQLViewRepresentation(sql=text, dialect=dialect) for text, dialect in ((SELECT, "Trino"), ("x", "trino"))]
    odd = UnknownViewRepresentation.model_validate({"type": "dataframe", "plan": "p"})
    foreign = version.model_copy(
        update={"representations": (odd, *version.representations, *trino), "default_catalog": "spark_catalog"}
    )
    metadata = view.metadata.model_copy(update={"versions": (foreign,)})
    definition = altered(view.identifier, {"hive": BETTER}, metadata, metadata.properties)
    changed = apply_updates(metadata, definition.updates(view.identifier, 9), now_ms=9).current_version
    assert changed.default_catalog == "spark_catalog"
    assert changed.dialects == ("spark", "hive", "trino")
    assert odd in changed.representations
    kept = changed.sql_in("trino")
    assert kept
    assert kept.sql == SELECT


def test_a_schema_given_back_keeps_the_hive_types_of_columns_that_stay() -> None:
    catalog = catalog_on(MemoryMetastore())
    columns = [("code", "varchar(7)"), ("n", "smallint")]
    view = catalog.create_view("default.v", sql={"hive": "SELECT code, n FROM w.t"}, schema=columns)
    replaced = catalog.replace_view("default.v", sql={"hive": "SELECT code, n FROM w.u"}, schema=view.schema)
    assert [column.type for column in replaced.columns] == ["varchar(7)", "smallint"]


def test_the_files_of_a_journal_are_purged_with_their_view_alone() -> None:
    catalog = catalog_on(MemoryMetastore())
    view = create(catalog, "default.v", partitioned_on=["ds"])
    catalog.partitions("default.v").add([{"ds": "a"}])
    stranger = f"{view.location}/partitions/0-x.json"
    catalog.storage.write_bytes(stranger, b'{"view-uuid": "another"}')
    catalog.drop_view("default.v", purge=True)
    assert [file.rsplit("/", 1)[-1] for file in files_of(catalog)] == ["0-x.json"]
