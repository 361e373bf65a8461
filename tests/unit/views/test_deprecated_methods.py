"""What ViewCatalog had while its internals were in it works once more, with a warning."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from operator import attrgetter
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.errors import AlreadyExistsError, CommitFailedError
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.deprecated_methods import _METHODS
from tests.support.views.catalog_setup import create

NAME = "sales.daily"


@pytest.fixture
def catalog() -> Any:
    """Untyped: type checkers do not know these names any more."""
    catalog = ViewCatalog.connect("memory:", warehouse="memory://former-names")
    catalog.create_namespace("sales")
    return catalog


def test_a_dropped_view_is_found_and_brought_back(catalog: Any) -> None:
    view = create(catalog, NAME)
    catalog.drop_view(NAME)
    with pytest.warns(DeprecationWarning, match="list_dropped") as warned:
        found = catalog.find_recoverable(NAME)
    assert warned[0].filename == __file__, "of whoever calls it"
    with pytest.warns(DeprecationWarning, match="undrop"):
        assert catalog.bring_back(found).uuid == view.uuid


def test_a_view_is_imported_and_replaced_by_another(catalog: Any) -> None:
    view = create(catalog, NAME)
    with pytest.warns(DeprecationWarning, match="import_view"):
        copied = catalog.import_view("sales.copy", view.metadata, row=view.row)
    assert copied.versions == view.versions
    with pytest.warns(DeprecationWarning, match="import_over"):
        assert catalog.import_over(copied.row, view.metadata, location=copied.location).uuid == copied.uuid
    with pytest.warns(DeprecationWarning, match="locations_of_new"):
        assert catalog.locations_of_new([TableIdentifier.of(NAME)])[TableIdentifier.of(NAME)] == view.location


def test_partitions_and_properties_of_a_loaded_view(catalog: Any) -> None:
    view = create(catalog, NAME, partitioned_on=["ds"])
    with pytest.warns(DeprecationWarning, match="partitions_of"):
        assert catalog.partitions_of(view).names() == []
    with pytest.warns(DeprecationWarning, match="alter_view"):
        assert catalog.commit_own_properties(NAME, lambda _: {"hive-views.for": "hive"}).properties["hive-views.for"]


def test_rows_that_were_read_are_given_to_adopt_and_release(catalog: Any) -> None:
    create(catalog, NAME)
    expected = catalog.load_view(NAME).row
    with pytest.warns(DeprecationWarning, match=r"expected= of ViewCatalog\.release_view") as warned:
        catalog.release_view(NAME, expected=expected)
    assert warned[0].filename == __file__
    plain = catalog.metastore.load_row(TableIdentifier.of(NAME))
    with pytest.warns(DeprecationWarning, match="live_rows"):
        live = catalog.live_rows()
    with pytest.warns(DeprecationWarning, match="live="), pytest.raises(AlreadyExistsError):
        catalog.adopt_view(NAME, row=plain, live=live)
    with pytest.warns(DeprecationWarning, match="row="):
        catalog.adopt_view(NAME, row=plain, new_history=True)
    with pytest.warns(DeprecationWarning, match="expected="), pytest.raises(CommitFailedError):
        catalog.release_view(NAME, expected=expected)


def test_a_plain_view_is_created_of_its_row(catalog: Any) -> None:
    create(catalog, NAME)
    catalog.release_view(NAME)
    plain = catalog.metastore.load_row(TableIdentifier.of(NAME))
    catalog.metastore.drop_row(plain.identifier)
    with pytest.warns(DeprecationWarning, match="create_plain_view"):
        catalog.create_plain_view(plain)
    assert catalog.metastore.load_row(plain.identifier).expanded_text == plain.expanded_text


@pytest.mark.parametrize("name", _METHODS)
def test_a_warning_names_no_function_that_warns_itself(catalog: Any, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=name) as warned:
        getattr(catalog, name)
    for function in re.findall(r"hive_views\.([\w.]*\w)", str(warned[0].message)):
        with warnings.catch_warnings(action="error"):
            assert callable(attrgetter(function)(hive_views))


def test_other_names_are_none(catalog: Any) -> None:
    with pytest.raises(AttributeError, match="'ViewCatalog' object has no attribute 'find_view'"):
        _ = catalog.find_view
    assert not hasattr(catalog, "operations")
    with pytest.raises(TypeError):
        catalog.adopt_view(NAME, new_histroy=True)
    assert copy.copy(catalog).engine is catalog.engine


def test_a_catalog_is_pickled_with_its_engine() -> None:
    catalog = ViewCatalog.connect("thrift://localhost:1", warehouse="memory://pickled")
    again = pickle.loads(pickle.dumps(catalog))
    assert again.engine.lookup is not catalog.engine.lookup
    assert again.warehouse == catalog.warehouse
