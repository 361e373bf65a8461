"""What is left of a view whose row is gone, is another's now, or lost its pointer: named, and brought back."""

from __future__ import annotations

import pytest

from hive_views.errors import (
    CorruptMetadataError,
    NoSuchIcebergViewError,
    NoSuchViewError,
)
from hive_views.estate.dropped.listing import list_dropped
from hive_views.estate.dropped.undropping import undrop
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import POINTER
from hive_views.spec.serde import next_location
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.on_drift import Drift
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.view import View
from tests.support.views import foreign_writers
from tests.support.views.catalog_setup import BETTER, SELECT, CatalogSetup, create, plain_view_row, table_row
from tests.support.views.foreign_writers import replace_by_spark

DAY = [{"ds": "2026-08-21"}]


class RecoveryContract(CatalogSetup):
    @pytest.fixture
    def last(self, catalog: ViewCatalog, partitioned: View) -> View:
        """A view with two versions and a partition."""
        catalog.partitions(partitioned.identifier).add(DAY)
        return catalog.replace_view(partitioned.identifier, sql={"hive": BETTER, "trino": BETTER})

    @pytest.fixture
    def lost(self, catalog: ViewCatalog, last: View) -> View:
        """The same, after Spark put another view in its place."""
        replace_by_spark(catalog.metastore, last.identifier)
        return last

    @pytest.mark.parametrize("verb", ["load", "replace", "roll back", "repair", "rename", "partitions"])
    def test_every_verb_on_a_view_that_spark_put_away_reports_what_was_lost_and_names_its_last_file(
        self, catalog: ViewCatalog, lost: View, verb: str
    ) -> None:
        name = lost.identifier
        calls = {
            "load": lambda: catalog.load_view(name),
            "replace": lambda: catalog.replace_view(name, sql={"hive": BETTER}),
            "roll back": lambda: catalog.roll_back_view(name, to_version=1),
            "repair": lambda: catalog.repair_view(name, on_drift="overwrite"),
            "rename": lambda: catalog.rename_view(name, f"{name.namespace}.other"),
            "partitions": lambda: catalog.partitions(name),
        }
        with pytest.raises(NoSuchIcebergViewError) as error:
            calls[verb]()
        assert error.value.metadata_location == lost.metadata_location
        assert error.value.identifier == str(name)
        assert "with 2 versions, the partition columns (ds) and the partitions" in str(error.value)
        assert f"undrop(catalog, '{name}', on_drift='adopt')" in str(error.value)

    def test_what_is_left_is_registered_and_restored(self, catalog: ViewCatalog, lost: View) -> None:
        left = find_by_name(catalog.engine, lost.identifier)
        assert left
        assert (left.metadata, left.has_journal) == (lost.metadata, True)
        back = catalog.register_view(lost.identifier, left.metadata_location, overwrite=True)
        assert back.history == lost.history
        assert catalog.partitions(lost.identifier).restore().added == ["ds=2026-08-21"]
        assert find_by_name(catalog.engine, lost.identifier) is None

    def test_one_verb_brings_a_dropped_view_back_with_history_and_partitions(
        self, catalog: ViewCatalog, last: View
    ) -> None:
        catalog.drop_view(last.identifier)
        name = str(last.identifier)
        assert [str(one.identifier) for one in list_dropped(catalog, name)] == [name]
        assert [one.state for one in undrop(catalog, name)] == [State.DONE]
        back = catalog.load_view(name)
        assert (back.history, back.versions, back.differences) == (last.history, last.versions, ())
        assert catalog.partitions(name).values() == DAY
        assert [one.state for one in undrop(catalog, name)] == [State.UNCHANGED]

    @pytest.mark.parametrize(("on_drift", "history"), [("adopt", [1, 2, 3]), ("overwrite", [1, 2])])
    def test_what_spark_put_in_its_place_is_the_newest_version_or_given_up_as_is_decided(
        self, catalog: ViewCatalog, last: View, on_drift: Drift, history: list[int]
    ) -> None:
        name = str(last.identifier)
        replace_by_spark(catalog.metastore, last.identifier, f"{SELECT} LIMIT 7")
        before = catalog.metastore.load_row(last.identifier)
        assert [one.state for one in undrop(catalog, name)] == [State.FAILED]
        assert catalog.metastore.load_row(last.identifier) == before
        assert undrop(catalog, name, on_drift=on_drift).failed == ()
        back = catalog.load_view(name)
        assert [entry.version_id for entry in back.history] == history
        assert ("LIMIT 7" in (back.row.expanded_text or "")) is (on_drift == "adopt")
        assert back.differences == ()
        assert catalog.partitions(name).values() == DAY

    def test_a_dropped_view_is_named_with_its_last_file(self, catalog: ViewCatalog, last: View) -> None:
        catalog.metastore.drop_row(last.identifier)
        with pytest.raises(NoSuchViewError, match=r"There is no view .* was dropped") as error:
            catalog.load_view(last.identifier)
        assert f"undrop(catalog, '{last.identifier}') brings the view back" in str(error.value)

    def test_a_lost_pointer_costs_no_partitions_and_the_file_of_a_killed_writer_is_not_taken_for_the_last(
        self, catalog: ViewCatalog, last: View
    ) -> None:
        row = foreign_writers.hive_unset_property(catalog.metastore.load_row(last.identifier), POINTER)
        catalog.metastore.swap_row(row, expected=None)
        never_swapped = next_location(last.metadata, last.metadata_location, "f" * 36)
        catalog.storage.write(never_swapped, last.metadata)
        with pytest.raises(NoSuchIcebergViewError, match="removed the pointer") as error:
            catalog.load_view(last.identifier)
        assert error.value.metadata_location == last.metadata_location
        assert "its partition" not in str(error.value)
        catalog.register_view(last.identifier, error.value.metadata_location, overwrite=True)
        assert catalog.load_view(last.identifier).differences == ()
        assert catalog.partitions(last.identifier).values() == DAY

    def test_of_two_views_that_had_the_name_the_later_one_is_meant(self, catalog: ViewCatalog, last: View) -> None:
        """The files of the earlier one have higher numbers."""
        catalog.drop_view(last.identifier)
        later = create(catalog, str(last.identifier))
        replace_by_spark(catalog.metastore, later.identifier)
        left = find_by_name(catalog.engine, later.identifier)
        assert left
        assert left.metadata_location == later.metadata_location

    def test_files_that_are_no_metadata_are_passed_over(self, catalog: ViewCatalog, lost: View) -> None:
        directory = lost.metadata_location.rsplit("/", 1)[0]
        catalog.storage.write_bytes(f"{directory}/00099-half.gz.metadata.json", b"\x1f\x8b")
        catalog.storage.write_bytes(f"{directory}/notes.txt", b"")
        left = find_by_name(catalog.engine, lost.identifier)
        assert left
        assert left.metadata_location == lost.metadata_location

    def test_nothing_is_left_of_a_purged_view_of_a_plain_one_or_of_a_table(
        self, catalog: ViewCatalog, last: View, namespace: str
    ) -> None:
        catalog.drop_view(last.identifier, purge=True)
        with pytest.raises(NoSuchViewError) as error:
            catalog.load_view(last.identifier)
        assert str(error.value) == f"There is no view {last.identifier}."
        catalog.metastore.create_row(plain_view_row(namespace, "plain"))
        catalog.metastore.create_row(table_row(namespace, "table"))
        for name in ("plain", "table"):
            with pytest.raises(NoSuchIcebergViewError) as refusal:
                catalog.load_view(f"{namespace}.{name}")
            assert "undrop" not in str(refusal.value)
            assert find_by_name(catalog.engine, f"{namespace}.{name}") is None

    def test_a_table_that_took_the_name_is_not_to_be_registered_over(self, catalog: ViewCatalog, last: View) -> None:
        catalog.metastore.drop_row(last.identifier)
        catalog.metastore.create_row(table_row(last.identifier.namespace, last.identifier.name))
        with pytest.raises(NoSuchIcebergViewError, match="a table") as error:
            catalog.load_view(last.identifier)
        assert "undrop" not in str(error.value)

    def test_a_file_that_was_read_before_and_deleted_since_is_not_registered(
        self, catalog: ViewCatalog, last: View
    ) -> None:
        """An Iceberg engine deletes the newest file with the view."""
        catalog.metastore.drop_row(last.identifier)
        other = type(catalog.storage)()
        other.delete(last.metadata_location)
        with pytest.raises(CorruptMetadataError, match="does not exist"):
            catalog.register_view(last.identifier, last.metadata_location)
        assert not catalog.view_exists(last.identifier)
        catalog.metastore.create_row(plain_view_row(last.identifier.namespace, last.identifier.name))
        with pytest.raises(CorruptMetadataError, match="does not exist"):
            catalog.register_view(last.identifier, last.metadata_location, overwrite=True)
