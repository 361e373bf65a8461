"""A view as its reader holds it: look-ups, what they refuse, and which rows are views at all."""

from __future__ import annotations

import dataclasses
import pickle
import uuid
from dataclasses import replace

import pytest

from hive_views.errors import CorruptMetadataError, NoSuchIcebergViewError, NoSuchVersionError, NotFoundError
from hive_views.hive.row import POINTER, VIEW_UUID, VIRTUAL_VIEW, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import SQLViewRepresentation, UnknownViewRepresentation
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View, check_iceberg_view, is_iceberg_view, view_of
from tests.support.views.catalog_setup import BETTER, SELECT, create


@pytest.fixture
def catalog() -> ViewCatalog:
    return ViewCatalog(MemoryMetastore(), warehouse=f"memory://{uuid.uuid4().hex}")


@pytest.fixture
def view(catalog: ViewCatalog) -> View:
    create(catalog, "default.v", partitioned_on=["ds"], comment="Clicks", properties={"team": "growth"})
    return catalog.replace_view("default.v", sql={"hive": BETTER, "trino": SELECT})


def with_representations(view: View, *representations: SQLViewRepresentation | UnknownViewRepresentation) -> View:
    version = view.current_version.model_copy(update={"representations": representations})
    metadata = view.metadata.model_copy(update={"versions": (version,)})
    return replace(view, metadata=metadata)


def test_a_view_has_what_its_file_and_row_say(view: View) -> None:
    assert view.identifier == TableIdentifier("default", "v")
    assert view.uuid == view.metadata.view_uuid
    assert view.location == view.metadata.location
    assert view.owner == view.row.owner
    assert view.columns == (
        Column("user_id", "bigint"),
        Column("clicks", "bigint", "how often"),
        Column("ds", "string"),
    )
    assert view.partition_keys == (Column("ds", "string"),)
    assert view.partitioned_on == ("ds",)
    assert view.comment == "Clicks"
    assert view.properties == {"comment": "Clicks", "team": "growth"}
    assert view.dialects == ("hive", "trino")
    assert [entry.version_id for entry in view.history] == [1, 2]
    assert [version.version_id for version in view.versions] == [1, 2]
    assert view.schema.names == ("user_id", "clicks", "ds")
    assert "row=" not in repr(view)


def test_a_view_cannot_be_changed(view: View) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.metadata_location = "x"  # type: ignore[misc]


def test_a_view_goes_through_pickle(view: View) -> None:
    assert pickle.loads(pickle.dumps(view)) == view


def test_each_version_is_found_by_its_number(view: View) -> None:
    first = view.version(1).sql_in("trino")
    assert first
    assert first.sql == SELECT
    with pytest.raises(NoSuchVersionError, match=r"it holds 1, 2\."):
        view.version(3)


def test_versions_are_in_the_order_of_their_numbers_whatever_that_of_the_file(view: View) -> None:
    """Iceberg Java puts the current version first and the others behind it, newest first."""
    turned = replace(view, metadata=view.metadata.model_copy(update={"versions": view.metadata.versions[::-1]}))
    assert [version.version_id for version in turned.versions] == [1, 2]


def test_texts_are_found_in_any_case_of_the_dialect(view: View) -> None:
    assert view.sql_for("TRINO").sql == SELECT
    assert view.original_sql("Hive") == BETTER


def test_tables_are_those_of_the_text_for_plain_readers(view: View) -> None:
    assert view.tables() == ("web.clicks",)
    spark = SQLViewRepresentation(sql="SELECT * FROM a JOIN spark_catalog.web.b JOIN ice.web.c", dialect="spark")
    trino = SQLViewRepresentation(sql="SELECT 1 FROM t", dialect="trino")
    assert with_representations(view, trino, spark).tables() == ("default.a", "web.b", "ice.web.c")
    assert with_representations(view, trino).tables() == ("default.t",)


def test_one_part_names_are_those_of_the_version_s_namespace(view: View) -> None:
    trino = SQLViewRepresentation(sql="SELECT 1 FROM t", dialect="trino")
    other = with_representations(view, trino)
    version = other.current_version
    for namespace, table in ((("web",), "web.t"), (("lake", "web"), "web.t"), ((), "default.t")):
        moved = version.model_copy(update={"default_namespace": namespace})
        metadata = other.metadata.model_copy(update={"versions": (moved,)})
        assert replace(other, metadata=metadata).tables() == (table,)


def test_a_view_without_any_sql_text_says_so(view: View) -> None:
    odd = with_representations(view, UnknownViewRepresentation(type="dataframe"))
    assert odd.dialects == ()
    with pytest.raises(NotFoundError):
        odd.sql_for("hive")
    with pytest.raises(NotFoundError):
        odd.tables()


@pytest.mark.parametrize(
    ("table_type", "stored", "is_view"),
    [
        (VIRTUAL_VIEW, "ICEBERG-VIEW", True),
        ("virtual_view", "Iceberg-View", True),
        (VIRTUAL_VIEW, "ICEBERG", False),
        (VIRTUAL_VIEW, None, False),
        ("EXTERNAL_TABLE", "ICEBERG-VIEW", False),
        ("MATERIALIZED_VIEW", "ICEBERG-VIEW", False),
    ],
)
def test_a_row_is_a_view_by_iceberg_s_rule(table_type: str, stored: str | None, is_view: bool) -> None:
    parameters = {"table_type": stored} if stored else {}
    row = Row(TableIdentifier("a", "b"), table_type, parameters=parameters)
    assert is_iceberg_view(row) is is_view
    if not is_view:
        with pytest.raises(NoSuchIcebergViewError, match=r"a\.b"):
            check_iceberg_view(row)


def test_a_row_without_a_pointer_is_distinguished_from_a_plain_view(catalog: ViewCatalog, view: View) -> None:
    for lost in ({}, {POINTER: ""}):
        kept = {key: value for key, value in view.row.parameters.items() if key != POINTER}
        with pytest.raises(NoSuchIcebergViewError, match="lost its parameter metadata_location"):
            view_of(replace(view.row, parameters={**kept, **lost}), catalog.storage)


def test_a_row_and_its_file_are_of_one_view(catalog: ViewCatalog, view: View) -> None:
    """The view spec asks readers to check the uuid."""
    other = replace(view.row, parameters={**view.row.parameters, VIEW_UUID: str(uuid.uuid4())})
    with pytest.raises(CorruptMetadataError, match=view.uuid) as refusal:
        view_of(other, catalog.storage)
    assert refusal.value.location == view.metadata_location
    upper = replace(view.row, parameters={**view.row.parameters, VIEW_UUID: view.uuid.upper()})
    assert view_of(upper, catalog.storage).uuid == view.uuid
    unreported = {key: value for key, value in view.row.parameters.items() if key != VIEW_UUID}
    assert view_of(replace(view.row, parameters=unreported), catalog.storage).uuid == view.uuid


def test_a_notebook_shows_the_columns_and_what_the_row_differs_in_with_nothing_of_others_as_markup(
    catalog: ViewCatalog,
) -> None:
    columns = [("page", "string", "<script>alert(1)</script>"), ("ds", "string")]
    view = catalog.create_view(
        "default.shown", sql={"hive": "SELECT page, ds FROM t"}, schema=columns, partitioned_on=["ds"]
    )
    shown = view._repr_html_()
    assert "View default.shown, version 1 (hive)" in shown
    assert "<td>ds</td><td>string</td><td>partition column</td>" in shown
    assert "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in shown
    assert "<script" not in shown
    catalog.metastore.swap_row(replace(view.row, expanded_text="SELECT '<b>' page, ds FROM t"), expected=None)
    drifted = catalog.load_view("default.shown")._repr_html_()
    assert "its row differs: expanded text" in drifted
    assert "<b>" not in drifted


def test_a_notebook_shows_the_columns_of_a_view_whose_columns_do_not_end_in_its_keys(view: View) -> None:
    schema = view.schema.model_copy(update={"fields": view.schema.fields[::-1]})
    turned = replace(view, metadata=view.metadata.model_copy(update={"schemas": (schema,)}))
    assert all(f"<td>{name}</td>" in turned._repr_html_() for name in schema.names)


def test_a_notebook_shows_the_history_and_a_history_is_the_tuple_that_it_was(catalog: ViewCatalog, view: View) -> None:
    history = catalog.alter_view(view.identifier, sql={"hive": BETTER}).history
    shown = history._repr_html_()
    assert shown.count("<tr>") == 1 + len(history) == 3
    assert "<td>2</td><td>hive, trino (stale)</td><td>" in shown
    assert history == history[:] == pickle.loads(pickle.dumps(history))
    assert pickle.loads(pickle.dumps(history))._repr_html_() == shown
