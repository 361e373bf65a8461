"""What the catalog makes of rows that other writers changed: Iceberg Java's need repair, Spark's and Hive's drift."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import (
    InvalidSchemaError,
    NoSuchIcebergViewError,
    SQLSyntaxError,
    ViewAlreadyExistsError,
    ViewDriftedError,
)
from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.updates import (
    AddSchema,
    AddViewVersion,
    SetCurrentViewVersion,
    SetProperties,
    apply_updates,
)
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.drift import RowDifference
from hive_views.views.row.projection import UNREADABLE_TEXT
from hive_views.views.view import View
from tests.support.views import foreign_writers
from tests.support.views.catalog_setup import (
    BETTER,
    COLUMNS,
    SELECT,
    CatalogSetup,
    content_of,
    create,
    files_of,
    nothing_written,
)
from tests.support.views.foreign_writers import java_commit, java_create

SPARK_TEXT = "SELECT user_id, count(*) AS clicks, ds FROM clicks GROUP BY user_id, ds"
SPARK_COLUMNS = (Column("user_id", "bigint"), Column("clicks", "bigint"), Column("ds", "string"))

DRIFTS: dict[str, tuple[Callable[[Row], Row], str]] = {
    "Spark's ALTER VIEW AS": (
        lambda row: foreign_writers.spark_alter_view_as(row, SPARK_TEXT, SPARK_COLUMNS),
        "Spark",
    ),
    "Spark's SET TBLPROPERTIES": (lambda row: foreign_writers.spark_set_properties(row, team="sales"), "Spark"),
    "Hive's CREATE OR REPLACE VIEW": (
        lambda row: foreign_writers.hive_create_or_replace(row, BETTER),
        "another writer",
    ),
    "Hive's SET TBLPROPERTIES": (lambda row: foreign_writers.hive_set_properties(row, team="sales"), "another writer"),
    "Hive's comment": (lambda row: foreign_writers.hive_set_properties(row, comment="mine"), "another writer"),
    "Hive's leave to drop a dialect": (
        lambda row: foreign_writers.hive_set_properties(row, **{"replace.drop-dialect.allowed": "true"}),
        "another writer",
    ),
    "Hive's UNSET TBLPROPERTIES": (lambda row: foreign_writers.hive_unset_property(row, "team"), "another writer"),
    "other keys": (lambda row: replace(row, columns=(*row.columns, *row.partition_keys), partition_keys=()), "another"),
    "another column": (lambda row: replace(row, columns=(*row.columns, Column("more", "int"))), "another writer"),
}

WRITES: dict[str, Callable[[ViewCatalog, TableIdentifier], Any]] = {
    "replace": lambda catalog, name: catalog.replace_view(name, sql={"hive": BETTER, "trino": BETTER}),
    "alter": lambda catalog, name: catalog.alter_view(name, set_properties={"team": "other"}),
    "roll back": lambda catalog, name: catalog.roll_back_view(name, to_version=1),
    "repair": lambda catalog, name: catalog.repair_view(name),
    "rename": lambda catalog, name: catalog.rename_view(name, (name.namespace, "renamed")),
}


def change_row(catalog: ViewCatalog, name: TableIdentifier, change: Callable[[Row], Row]) -> Row:
    """The row as a writer leaves it who neither checks nor moves the pointer."""
    catalog.metastore.swap_row(change(catalog.metastore.load_row(name)), expected=None)
    return catalog.metastore.load_row(name)


def kinds(differences: tuple[RowDifference, ...]) -> set[str]:
    return {difference.kind for difference in differences}


class ForeignWritersContract(CatalogSetup):
    @pytest.fixture
    def team(self, catalog: ViewCatalog, namespace: str) -> View:
        """A partitioned view with the property ``team`` and a comment."""
        return create(
            catalog, f"{namespace}.team", partitioned_on=["ds"], properties={"team": "growth"}, comment="ours"
        )

    # -- Iceberg Java ------------------------------------------------------------------------------------------------

    def test_a_row_that_java_committed_needs_repair_and_is_reported(
        self, catalog: ViewCatalog, team: View, caplog: pytest.LogCaptureFixture
    ) -> None:
        location = java_commit(catalog.metastore, catalog.storage, team.identifier)
        with caplog.at_level(logging.WARNING, "hive_views"):
            loaded = catalog.load_view(team.identifier)
        assert loaded.metadata_location == location
        assert kinds(loaded.differences) == {"needs repair"}
        assert {difference.what for difference in loaded.differences} == {
            "location",
            "input format",
            "columns",
            "original text",
        }
        assert "DROP VIEW would delete the directory" in caplog.text
        assert loaded.original_sql("hive") == SELECT

    @pytest.mark.parametrize("verb", WRITES)
    def test_the_next_commit_repairs_what_java_changed(self, catalog: ViewCatalog, team: View, verb: str) -> None:
        java_commit(
            catalog.metastore,
            catalog.storage,
            team.identifier,
            lambda metadata: apply_updates(metadata, [SetProperties({"by": "java"})], now_ms=1),
        )
        WRITES[verb](catalog, team.identifier)
        name = f"{team.identifier.namespace}.renamed" if verb == "rename" else team.identifier
        mended = catalog.load_view(name)
        assert mended.differences == ()
        assert mended.properties["by"] == "java"
        row = catalog.metastore.load_row(mended.identifier)
        assert row.location is None
        assert row.partition_keys == team.row.partition_keys
        assert row.columns == team.row.columns
        assert row.input_format == team.row.input_format
        assert "current-schema" not in row.parameters

    def test_a_view_that_java_made_is_loaded_and_mended(
        self, catalog: ViewCatalog, namespace: str, warehouse: str
    ) -> None:
        name = TableIdentifier(namespace, "made_by_iceberg")
        java_create(catalog.metastore, catalog.storage, name, f"{warehouse}/made_by_iceberg")
        loaded = catalog.load_view(name)
        assert kinds(loaded.differences) == {"needs repair"}
        assert loaded.comment == "made by iceberg"
        assert [field.id for field in loaded.schema.fields] == [0, 1, 2]
        repaired = catalog.repair_view(name)
        assert catalog.load_view(name).differences == ()
        assert repaired.history == loaded.history
        row = catalog.metastore.load_row(name)
        assert row.location is None
        assert row.expanded_text == "SELECT user_id AS `u`, page AS `p`, ds AS `ds` FROM `web`.`hclicks`"
        assert row.owner == "root"

    def test_a_view_that_java_made_is_partitioned_by_a_replace(
        self, catalog: ViewCatalog, namespace: str, warehouse: str
    ) -> None:
        name = TableIdentifier(namespace, "made_by_iceberg")
        java_create(catalog.metastore, catalog.storage, name, f"{warehouse}/made_by_iceberg")
        text = "SELECT user_id AS u, page AS p, ds FROM web.hclicks"
        catalog.replace_view(name, sql={"spark": text, "hive": text}, partitioned_on=["ds"])
        catalog.partitions(name).add([{"ds": "2026-08-21"}])
        assert catalog.load_view(name).differences == ()

    def test_a_text_with_names_of_another_catalog_is_loaded_but_not_shown_to_plain_readers(
        self, catalog: ViewCatalog, namespace: str, warehouse: str
    ) -> None:
        name = TableIdentifier(namespace, "made_by_iceberg")
        text = "SELECT user_id, page, ds FROM ice.web.hclicks"
        java_create(catalog.metastore, catalog.storage, name, f"{warehouse}/m", sql=text)
        loaded = catalog.load_view(name)
        assert loaded.sql_for("spark").sql == text
        assert kinds(loaded.differences) == {"needs repair"}
        assert "location" in {difference.what for difference in loaded.differences}
        with nothing_written(catalog, name), pytest.raises(SQLSyntaxError, match=r"ice\.web\.hclicks"):
            catalog.alter_view(name, sql={"spark": f"{text} WHERE user_id > 1"})
        commented = catalog.alter_view(name, comment="x")
        assert (commented.row.expanded_text, commented.sql_for("spark").sql) == (UNREADABLE_TEXT, text)
        assert catalog.load_view(name).differences == ()
        altered = catalog.alter_view(name, sql={"hive": "SELECT user_id, page, ds FROM web.hclicks"})
        assert altered.dialects == ("spark", "hive")
        assert altered.sql_for("spark").sql == text
        assert altered.current_version.default_catalog == "spark_catalog"
        assert catalog.load_view(name).differences == ()

    def test_a_new_version_by_java_without_the_comments_of_keys_is_mended_and_rolled_back_under_partitions(
        self, catalog: ViewCatalog, namespace: str
    ) -> None:
        """Its CREATE OR REPLACE VIEW leaves the row's keys as they are, with comments that its schema has not."""
        commented = [*COLUMNS[:2], ("ds", "string", "day")]
        view = create(catalog, f"{namespace}.v", schema=commented, partitioned_on=["ds"])
        earlier = [{"ds": "2026-08-21"}] if self.changes_columns_in_one_call else []
        catalog.partitions(view.identifier).add(earlier)

        def without_comments(metadata: Any) -> Any:
            fields = [field.model_copy(update={"doc": None}) for field in metadata.current_schema.fields]
            schema = metadata.current_schema.model_copy(update={"fields": tuple(fields)})
            version = metadata.current_version.model_copy(update={"schema_id": -1})
            updates = [AddSchema(schema), AddViewVersion(version), SetCurrentViewVersion(-1)]
            return apply_updates(metadata, updates, now_ms=metadata.version_log[-1].timestamp_ms)

        java_commit(catalog.metastore, catalog.storage, view.identifier, without_comments)
        assert kinds(catalog.load_view(view.identifier).differences) == {"needs repair"}
        assert catalog.repair_view(view.identifier).current_version.version_id == 2
        assert catalog.load_view(view.identifier).differences == ()
        catalog.roll_back_view(view.identifier, to_version=1)
        assert catalog.load_view(view.identifier).row.partition_keys == view.row.partition_keys
        assert catalog.partitions(view.identifier).values() == earlier

    def test_partitions_are_added_after_a_commit_by_java(self, catalog: ViewCatalog, team: View) -> None:
        earlier = ["ds=2026-08-21"] if self.changes_columns_in_one_call else []
        if earlier:
            catalog.partitions(team.identifier).add([{"ds": "2026-08-21"}])
        java_commit(catalog.metastore, catalog.storage, team.identifier)
        catalog.partitions(team.identifier).add([{"ds": "2026-08-22"}])
        assert catalog.partitions(team.identifier).names() == [*earlier, "ds=2026-08-22"]
        assert catalog.load_view(team.identifier).differences == ()

    def test_dropping_a_view_that_needs_repair_leaves_all_files(self, catalog: ViewCatalog, team: View) -> None:
        java_commit(catalog.metastore, catalog.storage, team.identifier)
        before = files_of(catalog)
        catalog.drop_view(team.identifier)
        assert files_of(catalog) == before

    def test_columns_by_java_that_do_not_end_in_the_keys_need_a_decision(
        self, catalog: ViewCatalog, team: View
    ) -> None:
        def reorder(metadata: Any) -> Any:
            fields = metadata.current_schema.fields
            schema = metadata.current_schema.model_copy(update={"fields": (fields[2], *fields[:2])})
            return metadata.model_copy(update={"schemas": (schema,)})

        java_commit(catalog.metastore, catalog.storage, team.identifier, reorder)
        loaded = catalog.load_view(team.identifier)
        assert "drifted" in kinds(loaded.differences)
        with nothing_written(catalog, team.identifier), pytest.raises(ViewDriftedError, match="partition columns"):
            catalog.repair_view(team.identifier)

    # -- Spark and Hive ----------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("drift", DRIFTS)
    def test_a_change_behind_the_file_is_reported_and_not_overwritten(
        self, catalog: ViewCatalog, team: View, drift: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        change, who = DRIFTS[drift]
        change_row(catalog, team.identifier, change)
        with caplog.at_level(logging.WARNING, "hive_views"):
            loaded = catalog.load_view(team.identifier)
        assert "drifted" in kinds(loaded.differences)
        assert "(drifted)" in caplog.text
        assert loaded.metadata == team.metadata
        for verb, write in WRITES.items():
            with nothing_written(catalog, team.identifier), pytest.raises(ViewDriftedError, match=who) as refusal:
                write(catalog, team.identifier)
            assert refusal.value.changes, verb
            assert refusal.value.identifier == str(team.identifier)

    @pytest.mark.parametrize("drift", DRIFTS)
    def test_overwriting_a_change_writes_the_row_again(self, catalog: ViewCatalog, team: View, drift: str) -> None:
        change_row(catalog, team.identifier, DRIFTS[drift][0])
        catalog.repair_view(team.identifier, on_drift="overwrite")
        repaired = catalog.load_view(team.identifier)
        assert repaired.differences == ()
        assert repaired.history == team.history
        row = repaired.row
        assert (row.expanded_text, row.original_text, row.columns, row.partition_keys) == (
            team.row.expanded_text,
            team.row.original_text,
            team.row.columns,
            team.row.partition_keys,
        )
        assert row.parameters["team"] == "growth"
        assert row.parameters["comment"] == "ours"
        assert row.parameters["view.catalogAndNamespace.part.1"] == team.identifier.namespace
        assert not any(key.startswith(("spark.sql.", "view.query", "view.schemaMode")) for key in row.parameters)

    def test_adopting_an_alter_view_by_spark_makes_it_the_next_version(self, catalog: ViewCatalog, team: View) -> None:
        """Its namespace moved to the session's database, where the name in its text resolves."""
        change_row(catalog, team.identifier, DRIFTS["Spark's ALTER VIEW AS"][0])
        adopted = catalog.repair_view(team.identifier, on_drift="adopt")
        assert [entry.version_id for entry in adopted.history] == [1, 2]
        assert "FROM `default`.`clicks`" in adopted.sql_for("hive").sql
        assert adopted.original_sql("hive") == SPARK_TEXT
        assert adopted.sql_for("trino").sql == SELECT
        assert adopted.current_version.default_namespace == team.current_version.default_namespace
        assert adopted.partitioned_on == ("ds",)
        # Spark's ALTER VIEW AS loses the comments of columns, which nobody asked it to.
        assert adopted.schema.fields[1].doc == "how often"
        loaded = catalog.load_view(team.identifier)
        assert loaded.differences == ()
        assert loaded.row.parameters["view.catalogAndNamespace.part.1"] == team.identifier.namespace

    def test_adopting_keeps_a_spark_text_in_step(self, catalog: ViewCatalog, namespace: str) -> None:
        view = create(catalog, f"{namespace}.v", sql={"spark": SELECT, "hive": SELECT, "trino": SELECT})
        change_row(catalog, view.identifier, DRIFTS["Spark's ALTER VIEW AS"][0])
        adopted = catalog.repair_view(view.identifier, on_drift="adopt")
        for dialect in ("spark", "hive"):
            assert "FROM `default`.`clicks`" in adopted.sql_for(dialect).sql
        assert adopted.sql_for("trino").sql == SELECT

    def test_adopting_keeps_the_settings_under_which_spark_reads_its_text(
        self, catalog: ViewCatalog, team: View
    ) -> None:
        ansi = "view.sqlConfig.spark.sql.ansi.enabled"
        change_row(catalog, team.identifier, DRIFTS["Spark's ALTER VIEW AS"][0])
        adopted = catalog.repair_view(team.identifier, on_drift="adopt")
        assert adopted.row.parameters[ansi] == "true"
        other = catalog.alter_view(team.identifier, sql={"trino": BETTER})
        assert other.row.parameters[ansi] == "true"
        assert catalog.load_view(team.identifier).differences == ()
        replaced = catalog.alter_view(team.identifier, sql={"hive": SELECT})
        assert ansi not in replaced.row.parameters

    def test_adopting_a_text_that_names_sparks_catalog_gives_one_that_hive_reads(
        self, catalog: ViewCatalog, team: View
    ) -> None:
        def by_spark(row: Row) -> Row:
            drifted = DRIFTS["Spark's ALTER VIEW AS"][0](row)
            text = "SELECT user_id, clicks, ds FROM spark_catalog.web.clicks"
            return replace(drifted, expanded_text=text, original_text=text)

        change_row(catalog, team.identifier, by_spark)
        adopted = catalog.repair_view(team.identifier, on_drift="adopt")
        assert "FROM `web`.`clicks`" in adopted.sql_for("hive").sql

    def test_adopting_a_property_makes_no_version(self, catalog: ViewCatalog, team: View) -> None:
        for drift in ("Spark's SET TBLPROPERTIES", "Hive's SET TBLPROPERTIES"):
            change_row(catalog, team.identifier, DRIFTS[drift][0])
            adopted = catalog.repair_view(team.identifier, on_drift="adopt")
            assert adopted.properties == {"team": "sales", "comment": "ours"}
            assert (adopted.history, adopted.versions) == (team.history, team.versions)
            assert adopted.original_sql("hive") == SELECT
            assert catalog.load_view(team.identifier).differences == ()
            catalog.alter_view(team.identifier, set_properties={"team": "growth"})

    def test_adopting_an_unset_property_removes_it(self, catalog: ViewCatalog, team: View) -> None:
        change_row(catalog, team.identifier, DRIFTS["Hive's UNSET TBLPROPERTIES"][0])
        assert catalog.repair_view(team.identifier, on_drift="adopt").properties == {"comment": "ours"}
        assert catalog.load_view(team.identifier).differences == ()

    def test_a_change_on_top_of_an_adopted_one_has_both(self, catalog: ViewCatalog, team: View) -> None:
        change_row(catalog, team.identifier, DRIFTS["Hive's CREATE OR REPLACE VIEW"][0])
        altered = catalog.alter_view(team.identifier, set_properties={"team": "other"}, on_drift="adopt")
        assert altered.original_sql("hive") == BETTER
        assert altered.properties["team"] == "other"
        assert catalog.load_view(team.identifier).differences == ()

    def test_a_parameter_that_the_file_does_not_know_is_no_difference(self, catalog: ViewCatalog, team: View) -> None:
        change_row(catalog, team.identifier, lambda row: foreign_writers.hive_set_properties(row, tag="pii"))
        assert catalog.load_view(team.identifier).differences == ()

    def test_keys_that_spark_took_from_a_view_with_partitions_are_put_back(
        self, catalog: ViewCatalog, team: View
    ) -> None:
        """Otherwise nobody could drop the view: the values of its partitions do not fit its keys."""
        catalog.partitions(team.identifier).add([{"ds": "2026-08-21"}])
        without = "SELECT user_id, count(*) AS clicks FROM clicks GROUP BY user_id"
        change_row(
            catalog,
            team.identifier,
            lambda row: foreign_writers.spark_alter_view_as(row, without, row.columns),
        )
        with nothing_written(catalog, team.identifier), pytest.raises(InvalidSchemaError, match="10217"):
            catalog.repair_view(team.identifier, on_drift="adopt")
        catalog.repair_view(team.identifier, on_drift="overwrite")
        assert catalog.partitions(team.identifier).names() == ["ds=2026-08-21"]
        catalog.drop_view(team.identifier)

    def test_what_spark_s_create_or_replace_removed_is_registered_and_restored(
        self, catalog: ViewCatalog, metastore: Metastore, team: View
    ) -> None:
        name = team.identifier
        catalog.partitions(name).add([{"ds": "2026-08-21"}])
        replaced = foreign_writers.spark_create_or_replace(metastore.load_row(name), SPARK_TEXT)
        metastore.drop_row(name)
        metastore.create_row(replaced)
        with pytest.raises(NoSuchIcebergViewError):
            catalog.load_view(name)
        with pytest.raises(ViewAlreadyExistsError):
            catalog.register_view(name, team.metadata_location)
        back = catalog.register_view(name, team.metadata_location, overwrite=True)
        loaded = catalog.load_view(name)
        assert loaded.differences == ()
        assert content_of(loaded) == content_of(team)
        assert loaded.row.parameters[POINTER] == back.metadata_location
        assert not any(key.startswith("spark.sql.") for key in loaded.row.parameters)
        partitions = catalog.partitions(name)
        assert partitions.names() == []
        assert partitions.restore().added == ["ds=2026-08-21"]
        assert catalog.load_view(name).differences == ()

    def test_a_pointer_moved_back_by_hand_is_a_view_of_that_time(self, catalog: ViewCatalog, team: View) -> None:
        replaced = catalog.replace_view(team.identifier, sql={"hive": BETTER, "trino": BETTER})
        change_row(
            catalog,
            team.identifier,
            lambda row: replace(row, parameters={**row.parameters, POINTER: team.metadata_location}),
        )
        assert "drifted" in kinds(catalog.load_view(team.identifier).differences)
        catalog.register_view(team.identifier, replaced.metadata_location, overwrite=True)
        assert content_of(catalog.load_view(team.identifier)) == content_of(replaced)
