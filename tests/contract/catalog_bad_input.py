"""What the catalog refuses, with which error, before anything is written."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import (
    CorruptMetadataError,
    HiveViewsError,
    InvalidIdentifierError,
    InvalidInputError,
    InvalidSchemaError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    NoSuchVersionError,
    NoSuchViewError,
    SQLSyntaxError,
    StorageUnavailableError,
    TableAlreadyExistsError,
    UnsupportedFeatureError,
    ViewAlreadyExistsError,
)
from hive_views.hive.row import POINTER, Row
from hive_views.metastore.port import Metastore
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.view import View
from tests.support.views.catalog_setup import (
    BETTER,
    COLUMNS,
    SELECT,
    WIDER,
    CatalogSetup,
    create,
    nothing_written,
    plain_view_row,
    row_of,
    table_row,
)

NOT_ONE_SELECT = {
    "empty": "",
    "blank": " \n ",
    "a semicolon": ";",
    "a comment": "-- SELECT 1",
    "two": "SELECT 1 AS user_id, 2 AS clicks, '' AS ds; SELECT 1 AS user_id, 2 AS clicks, '' AS ds",
    "a write": "INSERT INTO web.t SELECT user_id, clicks, ds FROM web.clicks",
    "a view": f"CREATE VIEW v AS {SELECT}",
    "a drop": "DROP TABLE web.clicks",
    "unfinished": "SELECT user_id, clicks, ds FROM",
    "no SQL": "user_id, clicks, ds",
}

WRONG_COLUMNS: dict[str, Any] = {
    "none": [],
    "too few": COLUMNS[:2],
    "too many": [*COLUMNS, ("more", "string")],
    "one name in two cases": [("user_id", "bigint"), ("User_ID", "bigint"), ("ds", "string")],
    "no type": [("user_id", ""), *COLUMNS[1:]],
    "an unknown type": [("user_id", "biginteger"), *COLUMNS[1:]],
    "a type without a counterpart": [("user_id", "void"), *COLUMNS[1:]],
    "no name": [("", "bigint"), *COLUMNS[1:]],
    "too long a comment": [("user_id", "bigint", "x" * 257), *COLUMNS[1:]],
    "no pairs": ["user_id", "clicks", "ds"],
}

WRONG_KEYS: dict[str, Any] = {
    "not trailing": ["clicks"],
    "out of order": ["ds", "clicks"],
    "all columns": ["user_id", "clicks", "ds"],
    "unknown": ["day"],
    "twice": ["ds", "ds"],
    "a word": "ds",
}

WRONG_PROPERTIES: dict[str, dict[Any, Any]] = {
    "ours": {"hive-views.partitioned-on": "[]"},
    "Spark's": {"spark.sql.sources.schema": "{}"},
    "a view's": {"view.catalogAndNamespace.numParts": "1"},
    "the pointer": {"metadata_location": "file:///x"},
    "the uuid": {"uuid": "x"},
    "what makes a table external": {"EXTERNAL": "TRUE"},
    "no text": {"a": 1},
    "no name": {"": "a"},
    "too long a name": {"a" * 257: "a"},
    "no history": {"version.history.num-entries": "0"},
    "no number": {"version.history.num-entries": "many"},
    "an unknown codec": {"write.metadata.compression-codec": "zstd"},
    "a path that is not ASCII": {"write.metadata.path": "file:///tmp/Ω"},
    "no Unicode": {"a": "\ud800"},
}

WRONG_NAMES = [
    "v",
    "a.b.c",
    "",
    ".",
    "sales.",
    ".v",
    "sales.day-ly",
    "sales.größe",
    "sales.`a b`",
    f"sales.{'x' * 129}",
]

Change = Callable[[ViewCatalog, Any], Any]
CHANGES: dict[str, Change] = {
    "replace": lambda catalog, name: catalog.replace_view(name, sql={"hive": BETTER}),
    "alter": lambda catalog, name: catalog.alter_view(name, set_properties={"a": "b"}),
    "alter a text": lambda catalog, name: catalog.alter_view(name, sql={"hive": BETTER}),
    "roll back": lambda catalog, name: catalog.roll_back_view(name, to_version=1),
    "repair": lambda catalog, name: catalog.repair_view(name),
    "rename": lambda catalog, name: catalog.rename_view(name, f"{name.rsplit('.', 1)[0]}.renamed"),
    "drop": lambda catalog, name: catalog.drop_view(name),
    "drop if it exists": lambda catalog, name: catalog.drop_view(name, if_exists=True, purge=True),
    "load": lambda catalog, name: catalog.load_view(name),
    "partitions": lambda catalog, name: catalog.partitions(name),
}
_MISSING_ALLOWED = {"drop if it exists"}


def _pointing_to(row: Row, location: str) -> Row:
    return replace(row, parameters={**row.parameters, POINTER: location})


class BadInputContract(CatalogSetup):
    # -- texts, columns, properties ----------------------------------------------------------------------------------

    @pytest.mark.parametrize("dialect", ["hive", "trino", "spark"])
    @pytest.mark.parametrize("text", NOT_ONE_SELECT.values(), ids=NOT_ONE_SELECT)
    def test_a_text_that_is_not_one_select_is_refused(
        self, catalog: ViewCatalog, namespace: str, dialect: str, text: str
    ) -> None:
        with nothing_written(catalog, f"{namespace}.v"), pytest.raises(SQLSyntaxError):
            create(catalog, f"{namespace}.v", sql={"hive": SELECT, dialect: text})

    @pytest.mark.parametrize("text", NOT_ONE_SELECT.values(), ids=NOT_ONE_SELECT)
    def test_a_view_is_not_changed_to_a_text_that_is_not_one_select(
        self, catalog: ViewCatalog, view: View, text: str
    ) -> None:
        with nothing_written(catalog, view.identifier):
            with pytest.raises(SQLSyntaxError):
                catalog.replace_view(view.identifier, sql={"hive": text, "trino": SELECT})
            with pytest.raises(SQLSyntaxError):
                catalog.alter_view(view.identifier, sql={"trino": text})

    def test_a_hive_text_that_names_another_catalog_is_refused(self, catalog: ViewCatalog, namespace: str) -> None:
        text = "SELECT user_id, clicks, ds FROM lake.web.clicks"
        with nothing_written(catalog, f"{namespace}.v"), pytest.raises(SQLSyntaxError, match=r"lake\.web\.clicks"):
            create(catalog, f"{namespace}.v", sql={"hive": text})

    def test_two_texts_for_one_dialect_are_refused(self, catalog: ViewCatalog, view: View) -> None:
        both = {"hive": SELECT, "HIVE": BETTER, "trino": SELECT}
        with nothing_written(catalog, view.identifier, f"{view.identifier.namespace}.v"):
            with pytest.raises(InvalidInputError, match="hive"):
                create(catalog, f"{view.identifier.namespace}.v", sql=both)
            with pytest.raises(InvalidInputError, match="hive"):
                catalog.replace_view(view.identifier, sql=both)
            with pytest.raises(InvalidInputError, match="hive"):
                catalog.alter_view(view.identifier, sql=both)

    @pytest.mark.parametrize("sql", [{}, SELECT, {"": SELECT}, {"my dialect": SELECT}], ids=str)
    def test_texts_need_the_name_of_a_dialect(self, catalog: ViewCatalog, view: View, sql: Any) -> None:
        with nothing_written(catalog, view.identifier, f"{view.identifier.namespace}.v"):
            with pytest.raises(InvalidInputError):
                create(catalog, f"{view.identifier.namespace}.v", sql=sql)
            with pytest.raises(InvalidInputError):
                catalog.replace_view(view.identifier, sql=sql)
            with pytest.raises(InvalidInputError):
                catalog.alter_view(view.identifier, sql=sql)

    def test_a_view_without_a_text_for_plain_readers_is_refused(self, catalog: ViewCatalog, view: View) -> None:
        allowed = {"replace.drop-dialect.allowed": "true"}
        with nothing_written(catalog, view.identifier, f"{view.identifier.namespace}.v"):
            with pytest.raises(InvalidInputError, match="'hive' or 'spark'"):
                create(catalog, f"{view.identifier.namespace}.v", sql={"trino": SELECT})
            with pytest.raises(InvalidInputError, match="'hive' or 'spark'"):
                catalog.replace_view(view.identifier, sql={"trino": SELECT}, properties=allowed)

    @pytest.mark.parametrize("columns", WRONG_COLUMNS.values(), ids=WRONG_COLUMNS)
    def test_columns_that_break_a_rule_are_refused(self, catalog: ViewCatalog, view: View, columns: Any) -> None:
        sql = {"hive": SELECT, "trino": SELECT}
        with nothing_written(catalog, view.identifier, f"{view.identifier.namespace}.v"):
            with pytest.raises(InvalidSchemaError):
                create(catalog, f"{view.identifier.namespace}.v", schema=columns)
            with pytest.raises(InvalidSchemaError):
                catalog.replace_view(view.identifier, sql=sql, schema=columns)

    def test_every_text_must_have_the_columns(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier, f"{view.identifier.namespace}.v"):
            with pytest.raises(InvalidSchemaError, match="trino"):
                create(catalog, f"{view.identifier.namespace}.v", sql={"hive": SELECT, "trino": WIDER})
            with pytest.raises(InvalidSchemaError, match="hive"):
                catalog.alter_view(view.identifier, sql={"hive": WIDER})

    @pytest.mark.parametrize("keys", WRONG_KEYS.values(), ids=WRONG_KEYS)
    def test_partition_columns_that_break_a_rule_are_refused(self, catalog: ViewCatalog, view: View, keys: Any) -> None:
        sql = {"hive": SELECT, "trino": SELECT}
        with nothing_written(catalog, view.identifier, f"{view.identifier.namespace}.v"):
            with pytest.raises(InvalidSchemaError):
                create(catalog, f"{view.identifier.namespace}.v", partitioned_on=keys)
            with pytest.raises(InvalidSchemaError):
                catalog.replace_view(view.identifier, sql=sql, partitioned_on=keys)

    @pytest.mark.parametrize("type_", ["array<string>", "map<string,int>", "struct<a:int>", "binary"])
    def test_a_type_without_text_cannot_be_a_key(self, catalog: ViewCatalog, namespace: str, type_: str) -> None:
        columns = [*COLUMNS[:2], ("ds", type_)]
        with nothing_written(catalog, f"{namespace}.v"), pytest.raises(InvalidSchemaError, match="ds"):
            create(catalog, f"{namespace}.v", schema=columns, partitioned_on=["ds"])

    @pytest.mark.parametrize("properties", WRONG_PROPERTIES.values(), ids=WRONG_PROPERTIES)
    def test_properties_that_break_a_rule_are_refused(
        self, catalog: ViewCatalog, view: View, properties: dict[Any, Any]
    ) -> None:
        sql = {"hive": SELECT, "trino": SELECT}
        with nothing_written(catalog, view.identifier, f"{view.identifier.namespace}.v"):
            with pytest.raises(InvalidInputError):
                create(catalog, f"{view.identifier.namespace}.v", properties=properties)
            with pytest.raises(InvalidInputError):
                catalog.replace_view(view.identifier, sql=sql, properties=properties)
            with pytest.raises(InvalidInputError):
                catalog.alter_view(view.identifier, set_properties=properties)

    def test_a_property_is_not_set_and_removed_at_once(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier), pytest.raises(InvalidInputError, match="a, c"):
            catalog.alter_view(
                view.identifier, set_properties={"c": "1", "a": "1", "b": "2"}, remove_properties=["a", "c"]
            )

    def test_our_own_properties_are_not_removed(self, catalog: ViewCatalog, partitioned: View) -> None:
        with nothing_written(catalog, partitioned.identifier), pytest.raises(InvalidInputError):
            catalog.alter_view(partitioned.identifier, remove_properties=["hive-views.partitioned-on"])

    @pytest.mark.parametrize("location", ["", "file:///tmp/Ω"])
    def test_a_location_that_is_not_ascii_text_is_refused(
        self, catalog: ViewCatalog, view: View, location: str
    ) -> None:
        with nothing_written(catalog, view.identifier, f"{view.identifier.namespace}.v"):
            with pytest.raises(InvalidInputError, match="ASCII"):
                create(catalog, f"{view.identifier.namespace}.v", location=location)
            with pytest.raises(InvalidInputError, match="ASCII"):
                catalog.alter_view(view.identifier, location=location)

    # -- names -------------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("name", WRONG_NAMES)
    def test_names_that_the_metastore_cannot_hold_are_refused(self, catalog: ViewCatalog, name: str) -> None:
        verbs: list[Callable[[], Any]] = [
            lambda: create(catalog, name),
            lambda: catalog.load_view(name),
            lambda: catalog.drop_view(name, if_exists=True),
            lambda: catalog.rename_view("sales.v", name),
            lambda: catalog.view_exists(name),
        ]
        for verb in verbs:
            with pytest.raises(InvalidIdentifierError):
                verb()

    @pytest.mark.parametrize("verb", CHANGES)
    def test_a_table_in_the_way_is_left_alone(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str, verb: str
    ) -> None:
        metastore.create_row(table_row(namespace, "t", table_type="ICEBERG", metadata_location="file:///t"))
        with nothing_written(catalog, f"{namespace}.t"), pytest.raises(NoSuchIcebergViewError, match="a table"):
            CHANGES[verb](catalog, f"{namespace}.t")

    @pytest.mark.parametrize("verb", CHANGES)
    def test_a_plain_hive_view_in_the_way_is_left_alone(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str, verb: str
    ) -> None:
        metastore.create_row(plain_view_row(namespace, "plain"))
        with (
            nothing_written(catalog, f"{namespace}.plain"),
            pytest.raises(NoSuchIcebergViewError, match="without a metadata file"),
        ):
            CHANGES[verb](catalog, f"{namespace}.plain")

    @pytest.mark.parametrize("verb", [verb for verb in CHANGES if verb not in _MISSING_ALLOWED])
    def test_a_missing_view_is_said_to_be_missing(self, catalog: ViewCatalog, namespace: str, verb: str) -> None:
        with nothing_written(catalog), pytest.raises(NoSuchViewError) as refusal:
            CHANGES[verb](catalog, f"{namespace}.nothing")
        assert not isinstance(refusal.value, NoSuchIcebergViewError)
        assert refusal.value.identifier == f"{namespace}.nothing"

    def test_nothing_is_created_where_a_table_or_plain_view_is(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str
    ) -> None:
        metastore.create_row(plain_view_row(namespace, "plain"))
        metastore.create_row(table_row(namespace, "t"))
        with nothing_written(catalog, f"{namespace}.plain", f"{namespace}.t"):
            with pytest.raises(ViewAlreadyExistsError):
                create(catalog, f"{namespace}.plain")
            with pytest.raises(TableAlreadyExistsError):
                create(catalog, f"{namespace}.t")

    def test_a_missing_namespace_is_named(self, catalog: ViewCatalog, view: View, warehouse: str) -> None:
        with nothing_written(catalog):
            for location in (None, f"{warehouse}/elsewhere"):
                with pytest.raises(NoSuchNamespaceError, match="no_such_namespace"):
                    create(catalog, "no_such_namespace.v", location=location)
            with pytest.raises(NoSuchNamespaceError, match="no_such_namespace"):
                catalog.list_views("no_such_namespace")
            with pytest.raises(NoSuchNamespaceError, match="no_such_namespace"):
                catalog.load_view("no_such_namespace.v")

    @pytest.mark.parametrize("version", [0, 2, -1])
    def test_a_roll_back_to_a_version_that_never_was_is_refused(
        self, catalog: ViewCatalog, view: View, version: int
    ) -> None:
        with nothing_written(catalog, view.identifier), pytest.raises(NoSuchVersionError):
            catalog.roll_back_view(view.identifier, to_version=version)

    # -- files -------------------------------------------------------------------------------------------------------

    def bad_files(self, catalog: ViewCatalog, view: View) -> dict[str, tuple[str, type[HiveViewsError]]]:
        """By what is wrong with it, a file in the view's directory, and the error that a reader gets."""
        directory = view.metadata_location.rsplit("/", 1)[0]
        whole = catalog.storage.read_bytes(view.metadata_location)
        tree = json.loads(gzip.decompress(whole))
        contents: dict[str, tuple[bytes, type[HiveViewsError]]] = {
            "truncated.gz": (whole[:-20], CorruptMetadataError),
            "empty.gz": (b"", CorruptMetadataError),
            "empty": (b"", CorruptMetadataError),
            "text": (b"not JSON", CorruptMetadataError),
            "list": (b"[]", CorruptMetadataError),
            "half": (json.dumps(tree).encode()[:-40], CorruptMetadataError),
            "later": (json.dumps({**tree, "format-version": 2}).encode(), UnsupportedFeatureError),
            "none": (json.dumps({**tree, "versions": []}).encode(), NoSuchVersionError),
        }
        files = {}
        for name, (content, error) in contents.items():
            location = f"{directory}/{name}.metadata.json"
            catalog.storage.write_bytes(location, content)
            files[name] = location, error
        return {**files, "missing": (f"{directory}/missing.metadata.json", CorruptMetadataError)}

    def test_a_file_that_cannot_be_read_is_named(self, catalog: ViewCatalog, metastore: Metastore, view: View) -> None:
        for location, error in self.bad_files(catalog, view).values():
            row = metastore.load_row(view.identifier)
            row = _pointing_to(row, location)
            metastore.swap_row(row, expected=None)
            with nothing_written(catalog, view.identifier):
                with pytest.raises(error) as refusal:
                    catalog.load_view(view.identifier)
                for verb in ("replace", "alter", "roll back", "repair", "rename", "partitions"):
                    with pytest.raises(error):
                        CHANGES[verb](catalog, str(view.identifier))
            if error is CorruptMetadataError:
                assert refusal.value.location == location

    def test_a_file_that_cannot_be_read_is_not_registered(self, catalog: ViewCatalog, view: View) -> None:
        name = f"{view.identifier.namespace}.other"
        for location, error in self.bad_files(catalog, view).values():
            with nothing_written(catalog, view.identifier, name):
                with pytest.raises(error):
                    catalog.register_view(name, location)
                with pytest.raises(error):
                    catalog.register_view(view.identifier, location, overwrite=True)

    def test_a_row_that_points_to_the_file_of_another_view_is_refused(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str, view: View
    ) -> None:
        other = create(catalog, f"{namespace}.other")
        row = _pointing_to(metastore.load_row(view.identifier), other.metadata_location)
        metastore.swap_row(row, expected=None)
        with nothing_written(catalog, view.identifier):
            with pytest.raises(CorruptMetadataError, match=other.uuid):
                catalog.load_view(view.identifier)
            with pytest.raises(CorruptMetadataError):
                catalog.alter_view(view.identifier, comment="x")

    def test_a_warehouse_that_cannot_be_written_leaves_no_row(
        self, metastore: Metastore, namespace: str, settings: CommitSettings, tmp_path: Path
    ) -> None:
        (tmp_path / "file").touch()
        catalog = ViewCatalog(metastore, warehouse=f"{tmp_path}/file/views", settings=settings)
        with pytest.raises(StorageUnavailableError, match="file/views"):
            create(catalog, f"{namespace}.v")
        assert row_of(catalog, f"{namespace}.v") is None

    def test_a_storage_that_nobody_knows_leaves_no_row(
        self, metastore: Metastore, namespace: str, settings: CommitSettings
    ) -> None:
        catalog = ViewCatalog(metastore, warehouse="nosuch://bucket", settings=settings)
        with pytest.raises(StorageUnavailableError, match="nosuch"):
            create(catalog, f"{namespace}.v")
        assert row_of(catalog, f"{namespace}.v") is None
