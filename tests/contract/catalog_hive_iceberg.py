"""Iceberg views of Hive's own (HIVE-29578): Hive reads their text from the metadata file, and goes on doing so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_views.errors import InvalidInputError, NoSuchIcebergViewError
from hive_views.estate import check, hand_back, undrop
from hive_views.hive.row import POINTER, Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import write_metadata
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.projection import INPUT_FORMAT
from hive_views.views.view import View
from tests.support.views.catalog_setup import CatalogSetup
from tests.support.views.foreign_writers import (
    HIVE_ICEBERG_TEXT,
    JAVA_INPUT_FORMAT,
    LAZY_SERDE,
    hive_create_iceberg_view,
    java_commit,
)

TEXT = "SELECT user_id FROM web.hclicks"
PARTITIONED = "SELECT user_id, ds FROM web.hclicks"
CHANGES: dict[str, Callable[[ViewCatalog, TableIdentifier], View]] = {
    "repair": lambda catalog, name: catalog.repair_view(name),
    "replace": lambda catalog, name: catalog.replace_view(name, sql={"hive": TEXT}, schema=[("user_id", "bigint")]),
    "alter": lambda catalog, name: catalog.alter_view(name, comment="clicks", set_properties={"k": "v"}),
    "tag": lambda catalog, name: catalog.tag_view(name, "first"),
    "roll back": lambda catalog, name: catalog.roll_back_view(name, to_version=1),
}


def without_database(metadata: ViewMetadata) -> ViewMetadata:
    document = json.loads(write_metadata(metadata, "v1.metadata.json"))
    document["versions"][0]["representations"][0]["sql"] = "SELECT user_id AS u, page AS p, ds FROM hclicks"
    return ViewMetadata.model_validate(document)


def handler_of(row: Row) -> str | None:
    return row.parameters.get("storage_handler")


class HiveIcebergViewsContract(CatalogSetup):
    @pytest.fixture
    def of_hive(self, catalog: ViewCatalog, namespace: str, warehouse: str) -> Row:
        name = TableIdentifier(namespace, "of_hive")
        return hive_create_iceberg_view(catalog.metastore, catalog.storage, name, f"{warehouse}/of_hive")

    def test_it_is_loaded_listed_and_checked(self, catalog: ViewCatalog, of_hive: Row) -> None:
        view = catalog.load_view(of_hive.identifier)
        assert view.current_version.sql_in("hive").sql == HIVE_ICEBERG_TEXT  # type: ignore[union-attr]
        assert not view.has_drifted
        assert of_hive.identifier in catalog.list_views(of_hive.identifier.namespace)
        found = {one.code for one in check(catalog, str(of_hive.identifier)).findings}
        assert "made-by-hive" in found
        assert not found & {"storage-handler", "misread-by-hive", "drifted"}

    @pytest.mark.parametrize("change", CHANGES)
    def test_a_change_keeps_what_hive_reads_it_by(self, catalog: ViewCatalog, of_hive: Row, change: str) -> None:
        CHANGES[change](catalog, of_hive.identifier)
        view = catalog.load_view(of_hive.identifier)
        assert view.differences == ()
        assert handler_of(view.row) == handler_of(of_hive)
        assert (view.row.input_format, view.row.serde_library) == (JAVA_INPUT_FORMAT, LAZY_SERDE)
        # As in all our rows: DROP VIEW of one that has a location deletes the files.
        assert view.row.location is None
        representation = view.current_version.sql_in("hive")
        assert representation
        assert "`web`.`hclicks`" in representation.sql

    def test_short_names_are_written_in_full_in_the_file(self, catalog: ViewCatalog, of_hive: Row) -> None:
        view = catalog.replace_view(
            of_hive.identifier,
            sql={"hive": "SELECT user_id FROM hclicks"},
            schema=[("user_id", "bigint")],
            default_namespace="web",
        )
        representation = view.current_version.sql_in("hive")
        assert representation
        assert "`web`.`hclicks`" in representation.sql

    def test_partitions_are_refused_unless_the_row_is_to_be_ours(self, catalog: ViewCatalog, of_hive: Row) -> None:
        schema, name = [("user_id", "bigint"), ("ds", "string")], of_hive.identifier
        before = catalog.load_view(name)
        with pytest.raises(InvalidInputError, match="cannot have partitions") as refused:
            catalog.replace_view(name, sql={"hive": PARTITIONED}, schema=schema, partitioned_on=["ds"])
        assert "on_drift='adopt'" in str(refused.value)
        assert catalog.load_view(name) == before
        catalog.replace_view(name, sql={"hive": PARTITIONED}, schema=schema, partitioned_on=["ds"], on_drift="adopt")
        catalog.partitions(name).add([{"ds": "2026-08-21"}])
        view = catalog.load_view(name)
        assert (handler_of(view.row), view.differences) == (None, ())
        assert [one.version_id for one in view.history] == [1, 2]

    def test_a_version_that_hive_cannot_read_from_the_file_is_refused(self, catalog: ViewCatalog, of_hive: Row) -> None:
        with pytest.raises(InvalidInputError, match="it needs SQL in dialect 'hive'"):
            catalog.replace_view(
                of_hive.identifier,
                sql={"spark": TEXT},
                schema=[("user_id", "bigint")],
                properties={"replace.drop-dialect.allowed": "true"},
            )

    def test_one_that_hive_cannot_read_already_is_found_changed_and_taken_over(
        self, catalog: ViewCatalog, of_hive: Row
    ) -> None:
        name = of_hive.identifier

        java_commit(catalog.metastore, catalog.storage, name, without_database)
        (found,) = [one for one in check(catalog, str(name)).findings if one.code == "misread-by-hive"]
        assert "needs the database of hclicks" in found.problem
        # Whatever else is changed is no worse than before.
        assert handler_of(catalog.alter_view(name, comment="clicks").row) == handler_of(of_hive)
        schema = [("user_id", "bigint"), ("ds", "string")]
        with pytest.raises(InvalidInputError, match="cannot have partitions"):
            catalog.replace_view(name, sql={"hive": PARTITIONED}, schema=schema, partitioned_on=["ds"])
        assert handler_of(catalog.repair_view(name, on_drift="adopt").row) is None
        assert "misread-by-hive" not in {one.code for one in check(catalog, str(name)).findings}

    def test_one_that_is_handed_back_is_a_plain_view_that_hive_reads_from_the_row(
        self, catalog: ViewCatalog, of_hive: Row
    ) -> None:
        name = of_hive.identifier
        hand_back(catalog, str(name))
        row = catalog.metastore.load_row(name)
        assert not row.parameters.keys() & {"storage_handler", POINTER, "table_type"}
        assert row.input_format == INPUT_FORMAT
        with pytest.raises(NoSuchIcebergViewError):
            catalog.load_view(name)
        undrop(catalog, str(name))
        assert [one.version_id for one in catalog.load_view(name).history] == [1]

    def test_a_handler_of_somebody_else_stays_in_a_view_that_is_handed_back(
        self, catalog: ViewCatalog, view: View
    ) -> None:
        parameters = {**view.row.parameters, "storage_handler": "org.acme.Handler"}
        catalog.metastore.swap_row(replace(view.row, parameters=parameters), expected=None)
        catalog.release_view(view.identifier)
        assert handler_of(catalog.metastore.load_row(view.identifier)) == "org.acme.Handler"
