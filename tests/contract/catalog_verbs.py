"""What the catalog does with the definition of a view."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest
from fsspec.core import url_to_fs

from hive_views.errors import (
    DialectDroppedError,
    NoSuchVersionError,
    NotFoundError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
)
from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIRTUAL_VIEW, Column
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.view import View
from tests.support.views.catalog_setup import (
    BETTER,
    COLUMNS,
    SELECT,
    WIDER,
    WIDER_COLUMNS,
    CatalogSetup,
    create,
    files_of,
    nothing_written,
    plain_view_row,
    table_row,
)

EXPANDED = "SELECT user_id AS `user_id`, count(*) AS clicks, ds AS `ds` FROM `web`.`clicks` GROUP BY user_id, ds"


class VerbsContract(CatalogSetup):
    # -- create ------------------------------------------------------------------------------------------------------

    def test_a_created_view_is_version_1_of_one_schema_in_one_file(self, catalog: ViewCatalog, view: View) -> None:
        assert view.metadata.current_version_id == 1
        assert [entry.version_id for entry in view.history] == [1]
        assert [schema.schema_id for schema in view.metadata.schemas] == [0]
        assert view.current_version.default_namespace == (view.identifier.namespace,)
        assert files_of(catalog) == [url_to_fs(view.metadata_location)[1]]
        assert view.metadata_location.startswith(f"{view.location}/metadata/00000-")

    def test_a_loaded_view_is_the_one_that_was_created(self, catalog: ViewCatalog, view: View) -> None:
        loaded = catalog.load_view(view.identifier)
        assert loaded.metadata == view.metadata
        assert loaded.metadata_location == view.metadata_location
        assert loaded.differences == ()

    def test_the_row_is_a_plain_view_for_every_reader(self, metastore: Metastore, partitioned: View) -> None:
        row = metastore.load_row(partitioned.identifier)
        assert row.table_type == VIRTUAL_VIEW
        assert row.location is None
        assert row.columns == (Column("user_id", "bigint"), Column("clicks", "bigint", "how often"))
        assert row.partition_keys == (Column("ds", "string"),)
        assert row.expanded_text == EXPANDED
        assert row.original_text == SELECT
        assert row.owner == partitioned.owner
        assert row.parameters["table_type"] == "ICEBERG-VIEW"
        assert row.parameters[POINTER] == partitioned.metadata_location
        assert row.parameters["uuid"] == partitioned.uuid
        assert row.parameters["view.catalogAndNamespace.part.1"] == partitioned.identifier.namespace
        assert PREVIOUS_POINTER not in row.parameters

    def test_create_takes_properties_comment_location_and_all_dialects(
        self, catalog: ViewCatalog, namespace: str, warehouse: str
    ) -> None:
        view = create(
            catalog,
            f"{namespace}.full",
            sql={"Spark": SELECT, "HIVE": SELECT, "trino": SELECT},
            comment="Clicks by user and day",
            properties={"team": "growth"},
            location=f"{warehouse}/elsewhere/",
        )
        assert view.location == f"{warehouse}/elsewhere"
        assert view.comment == "Clicks by user and day"
        assert view.properties == {"team": "growth", "comment": "Clicks by user and day"}
        # Iceberg Java takes the first text for a dialect that it does not find.
        assert view.dialects == ("spark", "hive", "trino")
        row = catalog.metastore.load_row(view.identifier)
        assert row.parameters["team"] == "growth"
        assert row.parameters["comment"] == "Clicks by user and day"

    def test_without_a_warehouse_the_files_are_below_the_namespace(
        self, metastore: Metastore, namespace: str, warehouse: str, settings: CommitSettings
    ) -> None:
        metastore.create_namespace(f"{namespace}_b", f"{warehouse}/b.db/")
        view = create(ViewCatalog(metastore, settings=settings), f"{namespace}_b.v")
        assert view.location == f"{(metastore.load_namespace(f'{namespace}_b').location or '').rstrip('/')}/v"

    def test_a_custom_metadata_path_is_where_the_files_are(
        self, catalog: ViewCatalog, namespace: str, warehouse: str
    ) -> None:
        view = create(catalog, f"{namespace}.v", properties={"write.metadata.path": f"{warehouse}/apart/"})
        assert view.metadata_location.startswith(f"{warehouse}/apart/00000-")
        view = catalog.alter_view(view.identifier, set_properties={"k": "v"})
        assert view.metadata_location.startswith(f"{warehouse}/apart/00001-")
        assert len(files_of(catalog)) == 2

    def test_files_are_gzip_unless_configured_otherwise(self, catalog: ViewCatalog, namespace: str, view: View) -> None:
        assert view.metadata_location.endswith(".gz.metadata.json")
        assert catalog.storage.read_bytes(view.metadata_location)[:2] == b"\x1f\x8b"
        plain = create(catalog, f"{namespace}.plain", properties={"write.metadata.compression-codec": "none"})
        assert ".gz" not in plain.metadata_location
        assert json.loads(catalog.storage.read_bytes(plain.metadata_location))["view-uuid"] == plain.uuid

    def test_creating_over_a_view_is_refused(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier), pytest.raises(ViewAlreadyExistsError) as refusal:
            create(catalog, str(view.identifier))
        assert refusal.value.identifier == str(view.identifier)

    def test_if_not_exists_gives_the_view_that_is_there(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier):
            found = create(catalog, str(view.identifier), sql={"hive": BETTER}, if_not_exists=True)
        assert found.uuid == view.uuid

    def test_if_not_exists_does_not_pass_over_a_table(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str
    ) -> None:
        metastore.create_row(table_row(namespace, "t"))
        with nothing_written(catalog, f"{namespace}.t"), pytest.raises(TableAlreadyExistsError):
            create(catalog, f"{namespace}.t", if_not_exists=True)

    def test_names_are_one_in_any_case_and_in_back_quotes(self, catalog: ViewCatalog, view: View) -> None:
        namespace, name = view.identifier.namespace, view.identifier.name
        for spelling in (f"{namespace.upper()}.{name.title()}", f"`{namespace}`.`{name}`", (namespace.title(), name)):
            assert catalog.load_view(spelling).uuid == view.uuid
            with pytest.raises(ViewAlreadyExistsError):
                create(catalog, spelling)  # type: ignore[arg-type]

    def test_columns_keep_their_case_in_the_file_and_are_in_lower_case_in_the_row(
        self, catalog: ViewCatalog, namespace: str
    ) -> None:
        view = catalog.create_view(
            f"{namespace}.v", sql={"hive": "SELECT a, b FROM w.t"}, schema=[("userId", "bigint"), ("Ds", "string")],
            partitioned_on=["DS"],
        )  # fmt: skip
        assert view.schema.names == ("userId", "Ds")
        row = catalog.metastore.load_row(view.identifier)
        assert [column.name for column in (*row.columns, *row.partition_keys)] == ["userid", "ds"]

    def test_narrow_hive_types_come_back_in_the_row(self, catalog: ViewCatalog, namespace: str) -> None:
        columns = [("code", "varchar(7)"), ("n", "smallint"), ("d", "decimal(10,2)")]
        view = catalog.create_view(f"{namespace}.v", sql={"hive": "SELECT code, n, d FROM w.t"}, schema=columns)
        view = catalog.alter_view(view.identifier, set_properties={"k": "v"})
        assert [column.type for column in catalog.metastore.load_row(view.identifier).columns] == [
            "varchar(7)",
            "smallint",
            "decimal(10,2)",
        ]

    # -- exists, list ------------------------------------------------------------------------------------------------

    def test_exists_is_true_for_iceberg_views_alone(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str, view: View
    ) -> None:
        metastore.create_row(table_row(namespace, "t"))
        metastore.create_row(plain_view_row(namespace, "plain"))
        assert catalog.view_exists(view.identifier)
        assert not catalog.view_exists(f"{namespace}.t")
        assert not catalog.view_exists(f"{namespace}.plain")
        assert not catalog.view_exists(f"{namespace}.nothing")
        assert not catalog.view_exists("no_such_namespace.v")

    def test_a_list_follows_creates_and_drops_and_leaves_others_out(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str
    ) -> None:
        assert catalog.list_views(namespace) == []
        metastore.create_row(table_row(namespace, "t"))
        metastore.create_row(plain_view_row(namespace, "plain"))
        create(catalog, f"{namespace}.b")
        create(catalog, f"{namespace}.a")
        assert catalog.list_views(namespace.upper()) == [TableIdentifier(namespace, n) for n in ("a", "b")]
        catalog.drop_view(f"{namespace}.a")
        assert catalog.list_views(namespace) == [TableIdentifier(namespace, "b")]

    def test_a_view_that_spells_its_table_type_in_lower_case_is_one(
        self, catalog: ViewCatalog, metastore: Metastore, view: View
    ) -> None:
        row = metastore.load_row(view.identifier)
        changed = replace(row, parameters={**row.parameters, "table_type": "iceberg-view"})
        metastore.swap_row(changed, expected=None)
        assert catalog.load_view(view.identifier).uuid == view.uuid
        assert catalog.list_views(view.identifier.namespace) == [view.identifier]

    # -- replace -----------------------------------------------------------------------------------------------------

    def test_a_replaced_view_has_a_second_version_and_keeps_the_first(self, catalog: ViewCatalog, view: View) -> None:
        replaced = catalog.replace_view(
            view.identifier, sql={"hive": WIDER, "trino": WIDER}, schema=WIDER_COLUMNS, properties={"a": "1"}
        )
        assert [entry.version_id for entry in replaced.history] == [1, 2]
        assert [schema.schema_id for schema in replaced.metadata.schemas] == [0, 1]
        assert replaced.version(1) == view.current_version
        assert replaced.original_sql("hive") == WIDER
        assert replaced.properties == {"a": "1"}
        assert replaced.uuid == view.uuid
        row = catalog.metastore.load_row(view.identifier)
        assert [column.name for column in row.columns] == ["user_id", "country", "clicks", "ds"]
        assert row.original_text == WIDER
        assert row.parameters[PREVIOUS_POINTER] == view.metadata_location
        assert catalog.load_view(view.identifier).metadata == replaced.metadata

    def test_columns_of_the_same_name_keep_their_field_ids(self, catalog: ViewCatalog, view: View) -> None:
        replaced = catalog.replace_view(view.identifier, sql={"hive": WIDER, "trino": WIDER}, schema=WIDER_COLUMNS)
        assert [(field.name, field.id) for field in replaced.schema.fields] == [
            ("user_id", 1),
            ("country", 4),
            ("clicks", 2),
            ("ds", 3),
        ]

    def test_a_reader_s_view_does_not_change_under_it(self, catalog: ViewCatalog, view: View) -> None:
        before = pickle.dumps(view.metadata)
        catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        assert pickle.dumps(view.metadata) == before
        assert view.original_sql("hive") == SELECT

    def test_equal_texts_make_no_version_and_no_file(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier):
            same = catalog.replace_view(view.identifier, sql={"hive": SELECT, "trino": SELECT}, schema=COLUMNS)
        assert same.metadata_location == view.metadata_location

    def test_texts_that_were_there_before_make_that_version_current_again(
        self, catalog: ViewCatalog, view: View
    ) -> None:
        catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        again = catalog.replace_view(view.identifier, sql={"hive": SELECT, "trino": SELECT})
        assert [entry.version_id for entry in again.history] == [1, 2, 1]
        assert [version.version_id for version in again.versions] == [1, 2]

    def test_columns_that_were_there_before_are_found_again_with_their_ids(
        self, catalog: ViewCatalog, namespace: str
    ) -> None:
        nested = [("tags", "array<struct<k:string,v:map<string,int>>>"), *COLUMNS]
        wide = "SELECT collect_set(tag) AS tags, user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
        first = catalog.create_view(f"{namespace}.v", sql={"hive": wide}, schema=nested)
        catalog.replace_view(f"{namespace}.v", sql={"hive": SELECT}, schema=COLUMNS)
        back = catalog.replace_view(f"{namespace}.v", sql={"hive": wide}, schema=nested)
        assert [entry.version_id for entry in back.history] == [1, 2, 1]
        assert [schema.schema_id for schema in back.metadata.schemas] == [0, 1]
        assert back.schema == first.schema

    def test_a_lost_dialect_is_refused_unless_allowed(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier), pytest.raises(DialectDroppedError) as refusal:
            catalog.replace_view(view.identifier, sql={"hive": BETTER})
        assert refusal.value.dialects == ["trino"]
        allowed = catalog.replace_view(
            view.identifier, sql={"hive": BETTER}, properties={"replace.drop-dialect.allowed": "true"}
        )
        assert allowed.dialects == ("hive",)

    def test_replace_can_partition_a_view_and_unpartition_it(self, catalog: ViewCatalog, view: View) -> None:
        sql = {"hive": SELECT, "trino": SELECT}
        assert catalog.replace_view(view.identifier, sql=sql, partitioned_on=["ds"]).partitioned_on == ("ds",)
        row = catalog.metastore.load_row(view.identifier)
        assert [column.name for column in row.columns] == ["user_id", "clicks"]
        assert catalog.replace_view(view.identifier, sql=sql, partitioned_on=[]).partitioned_on == ()
        assert catalog.metastore.load_row(view.identifier).partition_keys == ()

    def test_versions_beyond_the_history_size_expire(self, catalog: ViewCatalog, view: View) -> None:
        catalog.alter_view(view.identifier, set_properties={"version.history.num-entries": "3"})
        for number in range(5):
            text = f"{SELECT} HAVING count(*) > {number}"
            view = catalog.replace_view(view.identifier, sql={"hive": text, "trino": text})
        assert [version.version_id for version in view.versions] == [4, 5, 6]
        assert [entry.version_id for entry in view.history] == [4, 5, 6]
        with nothing_written(catalog, view.identifier), pytest.raises(NoSuchVersionError) as refusal:
            catalog.roll_back_view(view.identifier, to_version=1)
        assert refusal.value.version_id == 1

    # -- alter -------------------------------------------------------------------------------------------------------

    def test_properties_are_set_and_removed_without_a_version(self, catalog: ViewCatalog, view: View) -> None:
        set_ = catalog.alter_view(view.identifier, set_properties={"a": "1", "b": "2"}, remove_properties=["absent"])
        assert set_.properties == {"a": "1", "b": "2"}
        assert (set_.history, set_.versions) == (view.history, view.versions)
        assert catalog.metastore.load_row(view.identifier).parameters["a"] == "1"
        removed = catalog.alter_view(view.identifier, set_properties={"b": "3"}, remove_properties=["a"])
        assert removed.properties == {"b": "3"}
        parameters = catalog.metastore.load_row(view.identifier).parameters
        assert "a" not in parameters
        assert parameters["b"] == "3"

    def test_the_comment_is_a_property_and_a_parameter(self, catalog: ViewCatalog, view: View) -> None:
        altered = catalog.alter_view(view.identifier, comment="for people")
        assert altered.comment == "for people"
        assert catalog.metastore.load_row(view.identifier).parameters["comment"] == "for people"
        assert catalog.alter_view(view.identifier, remove_properties=["comment"]).comment is None

    def test_one_dialect_is_altered_and_the_others_stay(self, catalog: ViewCatalog, view: View) -> None:
        altered = catalog.alter_view(view.identifier, sql={"Trino": BETTER})
        assert altered.original_sql("trino") == BETTER
        assert altered.original_sql("hive") == SELECT
        assert altered.sql_for("HIVE") == view.sql_for("hive")
        assert [entry.version_id for entry in altered.history] == [1, 2]

    def test_a_dialect_is_added(self, catalog: ViewCatalog, view: View) -> None:
        altered = catalog.alter_view(view.identifier, sql={"spark": SELECT})
        assert altered.dialects == ("spark", "hive", "trino")

    def test_a_new_location_is_for_later_files_alone(self, catalog: ViewCatalog, view: View, warehouse: str) -> None:
        moved = catalog.alter_view(view.identifier, location=f"{warehouse}/moved/")
        assert moved.location == f"{warehouse}/moved"
        assert moved.metadata_location.startswith(f"{warehouse}/moved/metadata/00001-")
        assert (moved.history, moved.versions) == (view.history, view.versions)
        assert catalog.storage.read(view.metadata_location) == view.metadata
        assert catalog.metastore.load_row(view.identifier).location is None

    def test_altering_nothing_writes_nothing(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier):
            catalog.alter_view(view.identifier)
            catalog.alter_view(view.identifier, sql={"hive": SELECT}, remove_properties=["absent"])

    def test_foreign_parameters_of_the_row_are_kept(
        self, catalog: ViewCatalog, metastore: Metastore, view: View
    ) -> None:
        row = metastore.load_row(view.identifier)
        metastore.swap_row(replace(row, parameters={**row.parameters, "governance.tag": "pii"}), expected=None)
        catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        assert metastore.load_row(view.identifier).parameters["governance.tag"] == "pii"

    # -- texts -------------------------------------------------------------------------------------------------------

    def test_an_unknown_dialect_is_not_found_rather_than_another_given(self, view: View) -> None:
        with pytest.raises(NotFoundError, match="hive, trino"):
            view.sql_for("presto")
        with pytest.raises(NotFoundError):
            view.original_sql("presto")

    def test_the_text_as_typed_is_kept_byte_for_byte(self, catalog: ViewCatalog, namespace: str) -> None:
        typed = (
            "  SELECT user_id /* é */, count(*) -- how often\n  , ds FROM Web.Clicks WHERE c = 'Ω' "
            "GROUP BY user_id, ds ;\n"
        )
        view = create(catalog, f"{namespace}.v", sql={"hive": typed, "trino": SELECT})
        assert catalog.load_view(view.identifier).original_sql("hive") == typed
        if self.holds_any_text:
            assert catalog.metastore.load_row(view.identifier).original_text == typed
        else:
            assert [lost.what for lost in view.differences] == ["original text"]
        assert "'\\u03a9'" in view.sql_for("hive").sql.lower()
        assert view.tables() == ("Web.Clicks",)

    def test_a_view_without_a_hive_text_shows_plain_readers_its_spark_text(
        self, catalog: ViewCatalog, namespace: str
    ) -> None:
        view = create(catalog, f"{namespace}.v", sql={"spark": SELECT})
        row = catalog.metastore.load_row(view.identifier)
        assert row.expanded_text == EXPANDED
        assert row.parameters["hive-views.text-dialect"] == "spark"
        assert row.parameters["view.sqlConfig.spark.sql.ansi.enabled"] == "true"
        assert view.sql_for("spark").sql == SELECT
        with_hive = catalog.alter_view(view.identifier, sql={"hive": SELECT})
        parameters = catalog.metastore.load_row(view.identifier).parameters
        assert "hive-views.text-dialect" not in parameters
        assert "view.sqlConfig.spark.sql.ansi.enabled" not in parameters
        assert with_hive.differences == ()

    def test_a_long_text_and_long_properties_come_back_whole(self, catalog: ViewCatalog, namespace: str) -> None:
        listed = ", ".join(str(number) for number in range(3000))
        text = f"SELECT user_id, count(*) AS clicks, ds FROM web.clicks WHERE page IN ({listed}) GROUP BY user_id, ds"
        view = create(catalog, f"{namespace}.v", sql={"hive": text}, properties={"long": "x" * 4000})
        loaded = catalog.load_view(view.identifier)
        assert loaded.original_sql("hive") == text
        assert loaded.differences == ()
        assert loaded.row.original_text == text
        assert loaded.row.parameters["long"] == "x" * 4000
