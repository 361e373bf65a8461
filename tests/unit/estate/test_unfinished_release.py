"""A release that ended between its two steps is seen by all verbs, and none loses the file that its row names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.errors import BrokenViewError, NoSuchIcebergViewError
from hive_views.estate import adopt, describe_views, hand_back, list_dropped, undrop
from hive_views.estate.checks.checking import check
from hive_views.estate.each.outcomes import State
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.released import half_released
from hive_views.views.view import View
from tests.support.views.catalog_setup import COLUMNS, SELECT
from tests.support.views.quick_catalog import NAME, catalog_on

VIEW = str(NAME)


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return catalog_on(MemoryMetastore(), warehouse=str(tmp_path / "w"))


@pytest.fixture(params=["where views are by default", "at a place of its own"])
def view(catalog: ViewCatalog, tmp_path: Path, request: pytest.FixtureRequest) -> View:
    """The view before its release was interrupted."""
    location = None if request.param == "where views are by default" else f"file://{tmp_path}/own"
    view = catalog.create_view(NAME, sql={"hive": SELECT}, schema=COLUMNS, location=location)
    catalog.metastore.swap_row(half_released(catalog.metastore.load_row(NAME)), expected=None)
    return view


def test_a_check_finds_it_and_names_the_file(catalog: ViewCatalog, view: View) -> None:
    (finding,) = check(catalog).of("unfinished-release")
    assert finding.remedy == remedies.finish_release(VIEW)
    assert finding.details == {"location": view.metadata_location}
    assert [one.state for one in hand_back(catalog, VIEW)] == [State.DONE]
    assert check(catalog).of("unfinished-release", "replaced-row") == ()


@pytest.mark.parametrize("new_history", [False, True])
@pytest.mark.parametrize("dry_run", [False, True])
def test_adopting_it_would_lose_its_file_and_is_refused(
    catalog: ViewCatalog, view: View, *, new_history: bool, dry_run: bool
) -> None:
    before = catalog.metastore.load_row(NAME)
    (outcome,) = adopt(catalog, "sales.*", new_history=new_history, dry_run=dry_run)
    assert outcome.state is State.FAILED
    assert isinstance(outcome.error, BrokenViewError)
    assert outcome.error.remedy == remedies.finish_release(VIEW)
    assert view.metadata_location in str(outcome.reason)
    assert catalog.metastore.load_row(NAME) == before


def test_it_is_brought_back_from_the_file_that_its_row_names(catalog: ViewCatalog, view: View) -> None:
    assert list_dropped(catalog) == ()
    (planned,) = undrop(catalog, VIEW, dry_run=True)
    assert (planned.state, planned.details["metadata_location"]) == (State.PLANNED, view.metadata_location)
    (outcome,) = undrop(catalog, VIEW)
    assert outcome.state is State.DONE
    back = catalog.load_view(NAME)
    assert (back.uuid, back.history, back.differences) == (view.uuid, view.history, ())


def test_without_its_file_there_is_nothing_to_bring_back(catalog: ViewCatalog, view: View) -> None:
    catalog.storage.files.delete(view.metadata_location)
    assert [one.state for one in undrop(catalog_on(catalog.metastore, catalog.warehouse), VIEW)] == [State.LEFT]


def test_a_list_marks_it(catalog: ViewCatalog, view: View) -> None:
    assert [one.kind for one in describe_views(catalog)] == ["releasing"]


def test_what_is_not_for_plain_views_says_how_it_is_finished(catalog: ViewCatalog, view: View) -> None:
    with pytest.raises(NoSuchIcebergViewError, match="was interrupted") as raised:
        catalog.load_view(NAME)
    assert raised.value.remedy == remedies.finish_release(VIEW)
