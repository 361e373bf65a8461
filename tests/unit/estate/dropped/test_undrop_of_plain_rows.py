"""Undropping beside plain views as real engines made them: what they say is never lost unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.errors import NotAdoptableError
from hive_views.estate import list_dropped, undrop
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.content import RowContent
from hive_views.views.view import View
from tests.support.plain_rows import VIEWS, PlainView, plain_views
from tests.support.views.foreign_writers import hive_unset_property
from tests.support.views.quick_catalog import catalog_on

NEVER_TAKEN = ("of_constants", "not_of_hive", "quotes_of_ansi", "without_rows_of_a_table", "only_in_spark", "pipes")
"""Texts that Hive cannot read, or columns that no metadata file can say."""

WITHOUT_COUNTERPART = ("of_constants", "not_of_hive", "variant", "types_of_trino")
"""Views with a column of a type that Iceberg does not have."""

ROWS = [pytest.param(one, id=one.id) for one in plain_views()]
ADOPTABLE = [pytest.param(one, id=one.id) for one in plain_views() if one.name not in WITHOUT_COUNTERPART]
NOT_ADOPTABLE = [pytest.param(one, id=one.id) for one in plain_views() if one.name in WITHOUT_COUNTERPART]


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore(), warehouse=str(tmp_path))
    catalog.create_namespace(VIEWS)
    return catalog


def put(catalog: ViewCatalog, plain: PlainView) -> Row:
    catalog.metastore.create_row(plain.row)
    return catalog.metastore.load_row(plain.row.identifier)


def adopted(catalog: ViewCatalog, plain: PlainView) -> View:
    return catalog.adopt_view(put(catalog, plain).identifier)


@pytest.mark.parametrize("plain", NOT_ADOPTABLE)
def test_the_views_that_are_left_out_below_cannot_be_adopted(catalog: ViewCatalog, plain: PlainView) -> None:
    with pytest.raises(NotAdoptableError):
        adopted(catalog, plain)


@pytest.mark.parametrize("plain", ADOPTABLE)
def test_an_adopted_view_that_was_dropped_comes_back_as_it_was_read(catalog: ViewCatalog, plain: PlainView) -> None:
    view = adopted(catalog, plain)
    catalog.drop_view(view.identifier)
    assert undrop(catalog, str(view.identifier)).failed == ()
    back = catalog.load_view(view.identifier)
    assert RowContent.of(back.row) == RowContent.of(view.row)
    assert (back.versions, back.differences) == (view.versions, ())


@pytest.mark.parametrize("plain", ADOPTABLE)
def test_an_adopted_view_that_lost_its_pointer_comes_back_as_it_was_read(
    catalog: ViewCatalog, plain: PlainView
) -> None:
    view = adopted(catalog, plain)
    catalog.metastore.swap_row(hive_unset_property(view.row, "metadata_location"), expected=None)
    assert undrop(catalog, str(view.identifier)).failed == ()
    back = catalog.load_view(view.identifier)
    assert RowContent.of(back.row) == RowContent.of(view.row)
    assert (back.versions, back.differences) == (view.versions, ())


@pytest.mark.parametrize("plain", ADOPTABLE)
def test_a_released_view_is_not_dropped_and_comes_back_with_its_history(catalog: ViewCatalog, plain: PlainView) -> None:
    view = adopted(catalog, plain)
    catalog.release_view(view.identifier)
    assert list_dropped(catalog) == ()
    assert undrop(catalog, str(view.identifier)).failed == ()
    back = catalog.load_view(view.identifier)
    assert RowContent.of(back.row) == RowContent.of(view.row)
    assert (back.versions, back.differences) == (view.versions, ())


@pytest.mark.parametrize("plain", ROWS)
def test_what_an_engine_put_in_the_place_of_a_view_is_taken_as_it_is_or_left(
    catalog: ViewCatalog, plain: PlainView
) -> None:
    name = plain.row.identifier
    catalog.create_view(name, sql={"hive": "SELECT 42 AS answer"}, schema=[("answer", "int")])
    catalog.drop_view(name)
    before = put(catalog, plain)
    assert [one.state for one in undrop(catalog, str(name))] == [State.FAILED]
    assert catalog.metastore.load_row(name) == before
    [outcome] = undrop(catalog, str(name), on_drift="adopt")
    if outcome.state is State.FAILED:
        assert plain.name in NEVER_TAKEN or "Trino's own format" in str(outcome.error)
        assert catalog.metastore.load_row(name) == before
        return
    back = catalog.load_view(name)
    if plain.name != "three_parts":
        # Spark's own catalog is left out there, which no other reader knows.
        assert back.original_sql("hive") == before.expanded_text
    columns = (*before.columns, *before.partition_keys)
    assert [column.name for column in back.columns] == [column.name for column in columns]
    assert back.differences == ()
    if not back.partitioned_on:
        rolled_back = catalog.roll_back_view(name, to_version=1)
        assert (rolled_back.schema.names, rolled_back.differences) == (("answer",), ())


@pytest.mark.parametrize("maker", ["hive-4.0.1", "spark-4.1.4", "trino-476"])
def test_overwritten_nothing_is_left_of_what_made_it_another_engines_view(catalog: ViewCatalog, maker: str) -> None:
    plain = next(one for one in plain_views() if one.maker == maker and not one.partitions)
    name = plain.row.identifier
    catalog.create_view(name, sql={"hive": "SELECT 42 AS answer"}, schema=[("answer", "int")])
    catalog.drop_view(name)
    put(catalog, plain)
    assert undrop(catalog, str(name), on_drift="overwrite").failed == ()
    back = catalog.load_view(name)
    assert back.schema.names == ("answer",)
    assert back.differences == ()
    assert not any(key.startswith(("presto", "trino", "spark.sql.")) for key in back.row.parameters)
