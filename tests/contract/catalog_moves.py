"""What the catalog does to a view as a whole: back, to another name, away and in again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    NoSuchNamespaceError,
    NoSuchViewError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
)
from hive_views.estate.dropped.undropping import undrop
from hive_views.hive.row import POINTER, PREVIOUS_POINTER
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.view import View
from tests.support.views.catalog_setup import (
    BETTER,
    WIDER,
    WIDER_COLUMNS,
    CatalogSetup,
    content_of,
    create,
    files_of,
    nothing_written,
    row_of,
    table_row,
)


class MovesContract(CatalogSetup):
    # -- roll back ---------------------------------------------------------------------------------------------------

    def test_a_roll_back_brings_texts_and_columns_of_the_version_back(self, catalog: ViewCatalog, view: View) -> None:
        catalog.replace_view(
            view.identifier, sql={"hive": WIDER, "trino": WIDER}, schema=WIDER_COLUMNS, properties={"k": "v"}
        )
        before = row_of(catalog, view.identifier)
        back = catalog.roll_back_view(view.identifier, to_version=1)
        row = catalog.metastore.load_row(view.identifier)
        assert [entry.version_id for entry in back.history] == [1, 2, 1]
        assert back.current_version == view.current_version
        assert (row.original_text, row.expanded_text, row.columns) == (
            view.row.original_text,
            view.row.expanded_text,
            view.row.columns,
        )
        assert back.properties == {"k": "v"}
        assert before
        assert row.parameters[PREVIOUS_POINTER] == before.parameters[POINTER]

    def test_rolling_back_to_the_current_version_writes_nothing(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier):
            catalog.roll_back_view(view.identifier, to_version=1)

    def test_a_roll_back_is_logged_with_its_own_time(
        self, metastore: Metastore, namespace: str, warehouse: str, settings: CommitSettings
    ) -> None:
        ticks = iter(range(1000, 9000, 1000))
        catalog = ViewCatalog(metastore, warehouse=warehouse, settings=replace(settings, clock_ms=lambda: next(ticks)))
        view = create(catalog, f"{namespace}.v")
        catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        back = catalog.roll_back_view(view.identifier, to_version=1)
        assert [(entry.version_id, entry.timestamp_ms) for entry in back.history] == [(1, 1000), (2, 2000), (1, 3000)]
        assert back.current_version.timestamp_ms == 1000

    def test_a_clock_that_goes_back_does_not_turn_the_history_around(
        self, metastore: Metastore, namespace: str, warehouse: str, settings: CommitSettings
    ) -> None:
        ticks = iter([5000, 4000, 3000])
        catalog = ViewCatalog(metastore, warehouse=warehouse, settings=replace(settings, clock_ms=lambda: next(ticks)))
        view = create(catalog, f"{namespace}.v")
        catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        back = catalog.roll_back_view(view.identifier, to_version=1)
        assert [entry.timestamp_ms for entry in back.history] == [5000, 5000, 5000]

    # -- rename ------------------------------------------------------------------------------------------------------

    def test_a_renamed_view_keeps_its_file_and_history(self, catalog: ViewCatalog, view: View) -> None:
        target = TableIdentifier(view.identifier.namespace, "renamed")
        renamed = catalog.rename_view(view.identifier, target)
        assert not catalog.view_exists(view.identifier)
        loaded = catalog.load_view(target)
        assert loaded.metadata == renamed.metadata == view.metadata
        assert loaded.metadata_location == view.metadata_location
        assert loaded.differences == ()
        with pytest.raises(NoSuchViewError):
            catalog.drop_view(view.identifier)
        catalog.drop_view(target)

    def test_a_view_is_renamed_into_another_namespace(
        self, catalog: ViewCatalog, metastore: Metastore, view: View
    ) -> None:
        other = f"{view.identifier.namespace}_other"
        metastore.create_namespace(other)
        catalog.rename_view(view.identifier, f"{other}.v")
        loaded = catalog.load_view(f"{other}.v")
        assert loaded.differences == ()
        # Where Spark looks for functions of the text.
        assert loaded.row.parameters["view.catalogAndNamespace.part.1"] == view.identifier.namespace
        assert catalog.list_views(view.identifier.namespace) == []

    def test_names_in_the_text_resolve_as_before_after_a_rename_into_another_namespace(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str
    ) -> None:
        text = "SELECT a, b FROM t"
        catalog.create_view(f"{namespace}.v", sql={"hive": text, "trino": text}, schema=[("a", "int"), ("b", "int")])
        metastore.create_namespace(f"{namespace}_other")
        catalog.rename_view(f"{namespace}.v", f"{namespace}_other.v")
        altered = catalog.alter_view(f"{namespace}_other.v", sql={"trino": f"{text} WHERE a > 0"})
        assert f"FROM `{namespace}`.`t`" in altered.sql_for("hive").sql
        assert altered.current_version.default_namespace == (namespace,)
        assert altered.tables() == (f"{namespace}.t",)

    def test_a_rename_into_a_missing_namespace_is_refused(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog, view.identifier), pytest.raises(NoSuchNamespaceError):
            catalog.rename_view(view.identifier, "no_such_namespace.v")

    def test_a_rename_of_what_is_not_there_is_refused(self, catalog: ViewCatalog, namespace: str) -> None:
        with pytest.raises(NoSuchViewError):
            catalog.rename_view(f"{namespace}.nothing", f"{namespace}.v")

    def test_a_rename_onto_a_taken_name_is_refused(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str, view: View
    ) -> None:
        create(catalog, f"{namespace}.other")
        metastore.create_row(table_row(namespace, "t"))
        names = [view.identifier, f"{namespace}.other", f"{namespace}.t"]
        with nothing_written(catalog, *names):
            with pytest.raises(ViewAlreadyExistsError):
                catalog.rename_view(view.identifier, f"{namespace}.other")
            with pytest.raises(TableAlreadyExistsError):
                catalog.rename_view(view.identifier, f"{namespace}.t")
            with pytest.raises(ViewAlreadyExistsError):
                catalog.rename_view(view.identifier, view.identifier)

    # -- drop and register -------------------------------------------------------------------------------------------

    def test_a_dropped_view_leaves_its_files_and_can_be_registered_again(
        self, catalog: ViewCatalog, view: View
    ) -> None:
        replaced = catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        catalog.drop_view(view.identifier)
        assert row_of(catalog, view.identifier) is None
        assert len(files_of(catalog)) == 2
        again = catalog.register_view(view.identifier, replaced.metadata_location)
        assert content_of(again) == content_of(replaced)
        assert catalog.load_view(view.identifier).differences == ()
        assert len(files_of(catalog)) == 3

    def test_dropping_what_is_not_there_is_refused_unless_allowed(self, catalog: ViewCatalog, namespace: str) -> None:
        with pytest.raises(NoSuchViewError):
            catalog.drop_view(f"{namespace}.nothing")
        catalog.drop_view(f"{namespace}.nothing", if_exists=True)

    def test_a_view_whose_file_is_gone_can_be_dropped(self, catalog: ViewCatalog, view: View) -> None:
        catalog.storage.delete(view.metadata_location)
        catalog.drop_view(view.identifier)
        assert row_of(catalog, view.identifier) is None

    def test_purge_deletes_the_files_of_this_view_alone(
        self, catalog: ViewCatalog, namespace: str, partitioned: View
    ) -> None:
        catalog.partitions(partitioned.identifier).add([{"ds": "2026-08-21"}])
        catalog.alter_view(partitioned.identifier, comment="more")
        directory = partitioned.metadata_location.rsplit("/", 1)[0]
        stranger = create(catalog, f"{namespace}.s", properties={"write.metadata.path": directory})
        broken = f"{directory}/00009-broken.metadata.json"
        catalog.storage.write_bytes(broken, b"{")
        catalog.drop_view(partitioned.identifier, purge=True)
        left = {file.rsplit("/", 1)[-1] for file in files_of(catalog)}
        assert left == {location.rsplit("/", 1)[-1] for location in (stranger.metadata_location, broken)}

    @pytest.mark.parametrize(
        "move",
        [
            lambda catalog, view, place: catalog.alter_view(view, location=place),
            lambda catalog, view, place: catalog.alter_view(view, set_properties={"write.metadata.path": place}),
        ],
        ids=["location", "metadata path"],
    )
    def test_purge_finds_the_files_at_every_place_where_the_view_has_been(
        self, catalog: ViewCatalog, partitioned: View, move: Callable[[ViewCatalog, str, str], View]
    ) -> None:
        name = str(partitioned.identifier)
        catalog.partitions(name).add([{"ds": "2026-08-21"}])
        for number in range(2):
            move(catalog, name, f"{catalog.warehouse}/moved{number}")
            catalog.partitions(name).add([{"ds": f"2026-08-2{number + 2}"}])
        catalog.alter_view(name, comment="more")
        catalog.drop_view(name, purge=True)
        assert files_of(catalog) == []

    def test_registering_over_a_view_needs_overwrite(self, catalog: ViewCatalog, view: View) -> None:
        replaced = catalog.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
        with nothing_written(catalog, view.identifier), pytest.raises(ViewAlreadyExistsError):
            catalog.register_view(view.identifier, view.metadata_location)
        back = catalog.register_view(view.identifier, view.metadata_location, overwrite=True)
        assert content_of(back) == content_of(view)
        assert catalog.load_view(view.identifier).differences == ()
        assert replaced.metadata_location in [
            f"{view.location}/metadata/{f.rsplit('/', 1)[-1]}" for f in files_of(catalog)
        ]

    def test_registering_over_a_table_is_refused(
        self, catalog: ViewCatalog, metastore: Metastore, namespace: str, view: View
    ) -> None:
        metastore.create_row(table_row(namespace, "t"))
        for overwrite in (False, True):
            with nothing_written(catalog, f"{namespace}.t"), pytest.raises(TableAlreadyExistsError):
                catalog.register_view(f"{namespace}.t", view.metadata_location, overwrite=overwrite)

    def test_registering_into_a_missing_namespace_is_refused(self, catalog: ViewCatalog, view: View) -> None:
        with nothing_written(catalog), pytest.raises(NoSuchNamespaceError):
            catalog.register_view("no_such_namespace.v", view.metadata_location)

    def test_a_view_that_lost_its_pointer_is_brought_back_with_its_partitions(
        self, catalog: ViewCatalog, metastore: Metastore, partitioned: View
    ) -> None:
        catalog.partitions(partitioned.identifier).add([{"ds": "2026-08-21"}])
        row = metastore.load_row(partitioned.identifier)
        lost = {key: value for key, value in row.parameters.items() if key != POINTER}
        metastore.swap_row(replace(row, parameters=lost), expected=None)
        with pytest.raises(NoSuchViewError, match="undrop"):
            catalog.load_view(partitioned.identifier)
        assert undrop(catalog, str(partitioned.identifier)).failed == ()
        assert catalog.load_view(partitioned.identifier).differences == ()
        assert catalog.partitions(partitioned.identifier).names() == ["ds=2026-08-21"]

    # -- the object --------------------------------------------------------------------------------------------------

    def test_settings_can_be_pickled(self, settings: CommitSettings) -> None:
        copied = pickle.loads(pickle.dumps(settings))
        assert copied.lock == settings.lock
        assert copied.new_uuid() != copied.new_uuid()

    def test_an_error_says_what_is_taken(self, catalog: ViewCatalog, view: View) -> None:
        with pytest.raises(AlreadyExistsError, match=str(view.identifier)):
            create(catalog, str(view.identifier))
