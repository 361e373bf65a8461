"""What Hive 4.0.1 and Trino 476 do alike with our rows: read them, see new versions, rename and drop."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from hive_views import View, ViewCatalog
from tests.interop.clicks import NAMES, ROWS, SEVENS, by_day
from tests.support.containers.engines import Hive, Trino


def proves_of_both(operation: str, result: str) -> pytest.MarkDecorator:
    """Try it in each engine, and have both in the table of what engines do."""
    proves = partial(pytest.mark.matrix, operation=operation, result=result, server="4.0.1 on PostgreSQL")
    engines = {"hive": "Hive 4.0.1", "trino": "Trino 476"}
    tried = [pytest.param(fixture, marks=proves(engine=name)) for fixture, name in engines.items()]
    return pytest.mark.parametrize("engine", tried, indirect=True)


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Hive | Trino:
    started: Hive | Trino = request.getfixturevalue(request.param)
    return started


@proves_of_both("SELECT", "the rows")
@pytest.mark.parametrize("name", ["plain", "view"])
def test_select_returns_the_rows(request: pytest.FixtureRequest, engine: Hive | Trino, name: str) -> None:
    assert by_day(engine.rows(f"SELECT * FROM {request.getfixturevalue(name).identifier}")) == ROWS


@proves_of_both("SELECT after replace and roll back", "the new rows, and the old again")
def test_a_replaced_view_is_seen_at_once_and_a_roll_back_too(
    view: View, catalog: ViewCatalog, web: str, engine: Hive | Trino
) -> None:
    sevens = f"SELECT user_id, CAST(7 AS BIGINT) AS clicks, ds FROM {web}.clicks"
    catalog.replace_view(view.identifier, sql={"hive": sevens, "trino": sevens})
    assert by_day(engine.rows(f"SELECT * FROM {view.identifier}")) == SEVENS
    catalog.roll_back_view(view.identifier, to_version=1)
    assert by_day(engine.rows(f"SELECT * FROM {view.identifier}")) == ROWS


@proves_of_both("ALTER VIEW ... RENAME TO", "the view under its new name, with history and partitions")
def test_a_renamed_view_is_the_same_view(
    view: View, catalog: ViewCatalog, namespace: str, engine: Hive | Trino
) -> None:
    engine.rows(f"ALTER VIEW {view.identifier} RENAME TO {namespace}.renamed")
    found = catalog.load_view(f"{namespace}.renamed")
    assert (found.uuid, found.differences) == (view.uuid, ())
    assert catalog.partitions(found.identifier).names() == NAMES
    assert by_day(engine.rows(f"SELECT * FROM {found.identifier}")) == ROWS


@proves_of_both("DROP VIEW", "the row goes, the files stay; register_view brings it back")
def test_a_dropped_view_leaves_its_files_and_comes_back(view: View, catalog: ViewCatalog, engine: Hive | Trino) -> None:
    engine.rows(f"DROP VIEW {view.identifier}")
    assert not catalog.view_exists(view.identifier)
    assert Path(view.metadata_location.removeprefix("file://")).is_file()
    catalog.register_view(view.identifier, view.metadata_location)
    assert catalog.partitions(view.identifier).restore().added == NAMES
    assert by_day(engine.rows(f"SELECT * FROM {view.identifier}")) == ROWS
