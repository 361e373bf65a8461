"""Whose a file is: what register writes, what a purge deletes, and what it leaves."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_views.errors import (
    CommitFailedError,
    CommitStateUnknownError,
    CorruptMetadataError,
    HiveViewsError,
    InvalidInputError,
    NoSuchViewError,
)
from hive_views.hive.row import DDL_TIME, POINTER
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.persisted import INCARNATION, OWNS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import incarnation_of, owned_incarnation
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import Fault, FaultyMetastore, lost_before, meanwhile
from tests.support.views.catalog_setup import BETTER, CatalogSetup, create, files_of

DAY = [{"ds": "2026-08-21"}]


def then_lost(act: Callable[[], object]) -> Fault:
    """Somebody acts, and then the request is lost."""
    return lambda run: (act(), lost_before(run))


class OwnershipSetup(CatalogSetup):
    @pytest.fixture
    def elsewhere(self, warehouse: str, settings: CommitSettings, namespace: str) -> ViewCatalog:
        """Another metastore, on the same storage."""
        metastore = MemoryMetastore()
        metastore.create_namespace(namespace)
        return ViewCatalog(metastore, MetadataStorage(), warehouse=warehouse, settings=settings)

    @pytest.fixture
    def faulty(self, metastore: Metastore) -> FaultyMetastore:
        return FaultyMetastore(metastore)

    @pytest.fixture
    def purging(self, faulty: FaultyMetastore, warehouse: str, settings: CommitSettings) -> ViewCatalog:
        """The same catalog, between whose calls something happens."""
        return ViewCatalog(faulty, MetadataStorage(), warehouse=warehouse, settings=settings)

    @pytest.fixture
    def last(self, catalog: ViewCatalog, partitioned: View) -> View:
        """A view with two versions and a partition."""
        catalog.partitions(partitioned.identifier).add(DAY)
        return catalog.replace_view(partitioned.identifier, sql={"hive": BETTER, "trino": BETTER})


class OwnershipContract(OwnershipSetup):
    # -- register ----------------------------------------------------------------------------------------------------

    def test_a_registered_view_points_to_a_copy_of_the_file_that_is_its_own(
        self, catalog: ViewCatalog, last: View, namespace: str
    ) -> None:
        twin = catalog.register_view(f"{namespace}.twin", last.metadata_location)
        assert twin.metadata_location not in (None, last.metadata_location)
        assert twin.metadata_location.rpartition("/")[0] == last.metadata_location.rpartition("/")[0]
        assert twin.uuid == last.uuid
        assert (twin.versions, twin.history, twin.properties) == (last.versions, last.history, last.properties)
        assert catalog.load_view(twin.identifier) == replace(twin, row=catalog.load_view(twin.identifier).row)
        assert catalog.load_view(last.identifier).metadata == last.metadata
        tokens = [owned_incarnation(catalog.load_view(view.identifier).row, view.metadata) for view in (last, twin)]
        assert None not in tokens
        assert len(set(tokens)) == 2

    def test_a_registered_view_begins_a_journal_with_what_was_declared_and_goes_on_alone(
        self, catalog: ViewCatalog, last: View, namespace: str
    ) -> None:
        name = f"{namespace}.twin"
        catalog.register_view(name, last.metadata_location)
        catalog.partitions(last.identifier).drop(DAY)
        catalog.partitions(last.identifier).add([{"ds": "2026-08-22"}])
        assert catalog.partitions(name).names() == []
        assert catalog.partitions(name).restore().added == ["ds=2026-08-21"]
        catalog.partitions(name).add([{"ds": "2026-08-23"}])
        assert catalog.partitions(last.identifier).restore().added == []

    @pytest.mark.parametrize(
        "location",
        [
            "",
            "x.metadata.json",
            "./v/x.metadata.json",
            "s3://ü/x.metadata.json",
            " /v/x.metadata.json",
            "/v\n/x.metadata.json",
        ],
    )
    def test_a_location_that_is_no_absolute_ascii_one_is_not_registered(
        self, catalog: ViewCatalog, namespace: str, location: str
    ) -> None:
        with pytest.raises(InvalidInputError, match="location of a metadata file"):
            catalog.register_view(f"{namespace}.v", location)

    @pytest.mark.parametrize("junk", ["/", " ", "?x=1", "#x"])
    def test_what_comes_after_a_file_s_name_is_no_part_of_it(
        self, catalog: ViewCatalog, last: View, namespace: str, junk: str
    ) -> None:
        with pytest.raises((InvalidInputError, CorruptMetadataError)):
            catalog.register_view(f"{namespace}.v", last.metadata_location + junk)
        assert not catalog.view_exists(f"{namespace}.v")

    def test_a_plain_absolute_path_is_registered(self, catalog: ViewCatalog, last: View, namespace: str) -> None:
        again = catalog.register_view(f"{namespace}.v", last.metadata_location.removeprefix("file://"))
        assert again.metadata_location.startswith("file://")

    # -- one file, several rows --------------------------------------------------------------------------------------

    @pytest.mark.parametrize("purged", [0, 1])
    @pytest.mark.parametrize("drop_first", [False, True])
    def test_of_two_names_that_one_file_was_registered_under_each_can_be_purged(
        self, catalog: ViewCatalog, last: View, namespace: str, purged: int, drop_first: bool
    ) -> None:
        if drop_first:
            catalog.drop_view(last.identifier)
            catalog.register_view(last.identifier, last.metadata_location)
        catalog.register_view(f"{namespace}.twin", last.metadata_location)
        names = [str(last.identifier), f"{namespace}.twin"]
        before = [catalog.load_view(name) for name in names]
        catalog.drop_view(names[purged], purge=True)
        kept = names[1 - purged]
        assert MetadataStorage().read(before[1 - purged].metadata_location) == before[1 - purged].metadata
        assert before[purged].metadata_location not in files_in(catalog, last)
        catalog.partitions(kept).restore()
        assert catalog.partitions(kept).names() == ["ds=2026-08-21"]

    @pytest.mark.parametrize("purged", [0, 1])
    def test_of_two_metastores_that_one_file_was_registered_in_each_can_purge_it(
        self, catalog: ViewCatalog, elsewhere: ViewCatalog, last: View, purged: int
    ) -> None:
        elsewhere.register_view(last.identifier, last.metadata_location)
        catalogs = [catalog, elsewhere]
        catalogs[purged].drop_view(last.identifier, purge=True)
        kept = catalogs[1 - purged].load_view(last.identifier)
        assert MetadataStorage().read(kept.metadata_location) == kept.metadata
        catalogs[1 - purged].partitions(last.identifier).restore()
        assert catalogs[1 - purged].partitions(last.identifier).names() == ["ds=2026-08-21"]

    def test_registering_over_a_view_leaves_the_files_of_both(
        self, catalog: ViewCatalog, elsewhere: ViewCatalog, last: View
    ) -> None:
        elsewhere.register_view(last.identifier, last.metadata_location)
        over = elsewhere.register_view(last.identifier, last.metadata_location, overwrite=True)
        elsewhere.drop_view(last.identifier, purge=True)
        assert over.metadata_location not in files_in(catalog, last)
        assert MetadataStorage().read(last.metadata_location) == last.metadata

    # -- who proves what ---------------------------------------------------------------------------------------------

    def test_a_row_that_another_engine_registered_proves_nothing_until_we_commit_to_it(
        self, catalog: ViewCatalog, metastore: Metastore, last: View, namespace: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        """It copies the properties of the file, as Iceberg's registerView does."""
        foreign = register_by_another_engine(metastore, last, namespace)
        with caplog.at_level(logging.WARNING, "hive_views"):
            catalog.drop_view(foreign, purge=True)
        assert "does not prove" in caplog.text
        assert catalog.load_view(last.identifier).metadata == MetadataStorage().read(last.metadata_location)
        register_by_another_engine(metastore, last, namespace)
        changed = catalog.alter_view(foreign, comment="ours now")
        assert owned_incarnation(changed.row, changed.metadata) not in (None, incarnation_of(last.metadata))
        catalog.drop_view(foreign, purge=True)
        assert changed.metadata_location not in files_in(catalog, last)
        assert catalog.load_view(last.identifier).metadata == MetadataStorage().read(last.metadata_location)

    def test_partitions_that_are_declared_on_such_a_row_are_not_noted_for_the_owner_of_its_file(
        self, catalog: ViewCatalog, metastore: Metastore, last: View, namespace: str
    ) -> None:
        foreign = register_by_another_engine(metastore, last, namespace)
        catalog.partitions(foreign).add([{"ds": "2026-08-25"}])
        assert catalog.partitions(last.identifier).restore().added == []

    def test_of_a_view_from_before_the_proof_nothing_is_deleted_but_what_was_written_since(
        self, catalog: ViewCatalog, metastore: Metastore, last: View, caplog: pytest.LogCaptureFixture
    ) -> None:
        make_as_before_the_proof(catalog, metastore, last)
        before = set(files_in(catalog, last))
        later = catalog.alter_view(last.identifier, comment="later")
        assert catalog.partitions(last.identifier).names() == ["ds=2026-08-21"]
        catalog.drop_view(last.identifier)
        again = catalog.register_view(last.identifier, later.metadata_location)
        assert catalog.partitions(last.identifier).restore().added == ["ds=2026-08-21"]
        with caplog.at_level(logging.WARNING, "hive_views"):
            catalog.drop_view(last.identifier, purge=True)
        assert "files stay in" in caplog.text
        assert before | {later.metadata_location} <= set(files_in(catalog, last))
        assert again.metadata_location not in files_in(catalog, last)

    def test_repairing_a_view_from_before_the_proof_that_needs_no_repair_writes_nothing(
        self, catalog: ViewCatalog, metastore: Metastore, last: View
    ) -> None:
        make_as_before_the_proof(catalog, metastore, last)
        before = files_of(catalog)
        catalog.repair_view(last.identifier)
        assert files_of(catalog) == before

    def test_the_ddl_time_that_registering_over_a_row_without_a_pointer_compares_does_not_come_again(
        self, catalog: ViewCatalog, metastore: Metastore, last: View
    ) -> None:
        row = metastore.load_row(last.identifier)
        parameters = {key: value for key, value in row.parameters.items() if key not in (POINTER, DDL_TIME)}
        metastore.swap_row(replace(row, parameters=parameters), expected=None)
        before = metastore.load_row(last.identifier).parameters[DDL_TIME]
        catalog.register_view(last.identifier, last.metadata_location, overwrite=True)
        catalog.alter_view(last.identifier, comment="in the same second, most likely")
        assert int(metastore.load_row(last.identifier).parameters[DDL_TIME]) > int(before)

    # -- what happens while a view is purged -------------------------------------------------------------------------

    def test_who_asks_for_the_lock_does_not_come_between_while_a_view_is_purged(
        self, metastore: Metastore, catalog: ViewCatalog, purging: ViewCatalog, faulty: FaultyMetastore, last: View
    ) -> None:
        def try_to_come_between() -> None:
            with pytest.raises(CommitFailedError, match="is locked by"):
                metastore.lock(last.identifier, timeout_s=0.1)

        faulty.on("rename_row", meanwhile(try_to_come_between))
        purging.drop_view(last.identifier, purge=True)
        assert faulty.pending() == []
        assert files_in(catalog, last) == []

    def test_a_drop_without_an_answer_deletes_nothing_and_reports_the_name_to_purge(
        self, catalog: ViewCatalog, purging: ViewCatalog, faulty: FaultyMetastore, last: View
    ) -> None:
        before = files_of(catalog)
        faulty.on("drop_row", lost_before)
        with pytest.raises(CommitStateUnknownError) as unknown:
            purging.drop_view(last.identifier, purge=True)
        assert files_of(catalog) == before
        [left] = catalog.list_views(last.identifier.namespace)
        assert str(left) in str(unknown.value)
        catalog.drop_view(left, purge=True)
        assert files_in(catalog, last) == []

    def test_a_view_with_the_longest_name_is_purged(self, catalog: ViewCatalog, namespace: str) -> None:
        view = create(catalog, f"{namespace}.{'v' * 128}")
        catalog.drop_view(view.identifier, purge=True)
        assert catalog.list_views(namespace) == []
        assert files_in(catalog, view) == []

    def test_a_drifted_view_is_purged(self, catalog: ViewCatalog, metastore: Metastore, last: View) -> None:
        row = metastore.load_row(last.identifier)
        metastore.swap_row(replace(row, expanded_text="SELECT 1"), expected=None)
        catalog.drop_view(last.identifier, purge=True)
        assert files_in(catalog, last) == []

    # -- what is left ------------------------------------------------------------------------------------------------

    def test_the_file_of_a_live_row_of_another_name_is_not_what_is_left_of_a_dropped_view(
        self, catalog: ViewCatalog, last: View, namespace: str
    ) -> None:
        twin = catalog.register_view(f"{namespace}.twin", last.metadata_location)
        catalog.alter_view(twin.identifier, comment="twin's")
        catalog.drop_view(last.identifier)
        left = find_by_name(catalog.engine, last.identifier)
        assert left
        assert left.metadata_location == last.metadata_location

    def test_of_a_view_that_was_dropped_twice_the_later_life_is_left(self, catalog: ViewCatalog, last: View) -> None:
        first = catalog.alter_view(last.identifier, comment="first life")
        catalog.drop_view(last.identifier)
        again = catalog.register_view(last.identifier, last.metadata_location)
        catalog.drop_view(last.identifier)
        left = find_by_name(catalog.engine, last.identifier)
        assert left
        assert left.metadata_location == again.metadata_location != first.metadata_location

    def test_nothing_is_left_of_a_view_that_was_renamed(self, catalog: ViewCatalog, last: View, namespace: str) -> None:
        catalog.rename_view(last.identifier, f"{namespace}.renamed")
        assert find_by_name(catalog.engine, last.identifier) is None


class UnlockedWritersContract(OwnershipSetup):
    """Where a server compares pointers: what a writer that heeds no lock does while a view is purged is not lost."""

    @pytest.mark.parametrize(
        "away",
        [
            lambda catalog, name: catalog.rename_view(name, f"{name.namespace}.away"),
            lambda catalog, name: (catalog.rename_view(name, f"{name.namespace}.away"), create(catalog, str(name))),
        ],
        ids=["renamed", "renamed, and another made"],
    )
    @pytest.mark.parametrize("fault", [then_lost, meanwhile], ids=["no answer", "refused"])
    def test_a_view_that_is_renamed_away_while_it_is_purged_keeps_its_files(
        self,
        catalog: ViewCatalog,
        purging: ViewCatalog,
        faulty: FaultyMetastore,
        last: View,
        away: Callable[[ViewCatalog, TableIdentifier], object],
        fault: Callable[[Callable[[], object]], Fault],
    ) -> None:
        faulty.on("rename_row", fault(lambda: away(unlocked(catalog), last.identifier)))
        with pytest.raises(HiveViewsError):
            purging.drop_view(last.identifier, purge=True)
        kept = catalog.load_view(f"{last.identifier.namespace}.away")
        assert MetadataStorage().read(kept.metadata_location) == last.metadata
        assert catalog.partitions(kept.identifier).names() == ["ds=2026-08-21"]

    def test_a_view_that_is_recreated_while_its_predecessor_is_purged_is_left_alone(
        self, catalog: ViewCatalog, purging: ViewCatalog, faulty: FaultyMetastore, last: View
    ) -> None:
        def recreate() -> None:
            unlocked(catalog).drop_view(last.identifier)
            create(unlocked(catalog), str(last.identifier))

        faulty.on("rename_row", meanwhile(recreate))
        with pytest.raises((CommitFailedError, NoSuchViewError)):
            purging.drop_view(last.identifier, purge=True)
        recreated = catalog.load_view(last.identifier)
        assert recreated.uuid != last.uuid
        assert MetadataStorage().read(last.metadata_location) == last.metadata
        assert MetadataStorage().read(recreated.metadata_location) == recreated.metadata

    def test_a_commit_that_comes_in_between_is_purged_too(
        self, catalog: ViewCatalog, purging: ViewCatalog, faulty: FaultyMetastore, last: View
    ) -> None:
        faulty.on("rename_row", meanwhile(lambda: unlocked(catalog).alter_view(last.identifier, comment="late")))
        purging.drop_view(last.identifier, purge=True)
        assert not catalog.view_exists(last.identifier)
        assert files_in(catalog, last) == []


def unlocked(catalog: ViewCatalog) -> ViewCatalog:
    """Somebody who does not wait for our lock."""
    settings = replace(catalog.settings, lock="never")
    return ViewCatalog(catalog.metastore, MetadataStorage(), warehouse=catalog.warehouse, settings=settings)


def files_in(catalog: ViewCatalog, view: View) -> list[str]:
    return [
        file for part in ("metadata", "partitions") for file in catalog.storage.list_files(f"{view.location}/{part}")
    ]


def register_by_another_engine(metastore: Metastore, view: View, namespace: str) -> TableIdentifier:
    row = metastore.load_row(view.identifier)
    parameters = {key: value for key, value in row.parameters.items() if key != OWNS}
    name = TableIdentifier(namespace, "foreign")
    metastore.create_row(replace(row, identifier=name, parameters=parameters, native=None))
    return name


def make_as_before_the_proof(catalog: ViewCatalog, metastore: Metastore, view: View) -> None:
    """The row and its file as releases wrote them that knew of no incarnation."""
    ours = (INCARNATION, OWNS, "hive-views.made-as")
    properties = {key: value for key, value in view.metadata.properties.items() if key not in ours}
    metadata = view.metadata.model_copy(update={"properties": properties})
    location = view.metadata_location.replace("/metadata/", "/metadata/9", 1)
    catalog.storage.write(location, metadata)
    row = metastore.load_row(view.identifier)
    parameters = {key: value for key, value in row.parameters.items() if key not in ours} | {POINTER: location}
    metastore.swap_row(replace(row, parameters=parameters), expected=None)
