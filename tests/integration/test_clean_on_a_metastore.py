"""Cleaning views of a real metastore, with files on a real disk and real locks."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.estate import clean, undrop
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.hive.row import POINTER, VIEW_UUID, VIRTUAL_VIEW, Column, Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.commit.engine import CommitSettings
from tests.support.clocks import Clock

COLUMNS = [("a", "int"), ("ds", "string")]
TEXT = "SELECT 1 AS a, '2026-08-21' AS ds"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def catalog(hms: HiveMetastore, tmp_path: Path, clock: Clock) -> ViewCatalog:
    return ViewCatalog(hms, warehouse=f"file://{tmp_path}/views", settings=CommitSettings(clock_ms=clock))


def make(catalog: ViewCatalog, name: str, commits: int) -> list[str]:
    """A view with two partitions; returns the locations of its files, the current one last."""
    catalog.create_view(name, sql={"hive": TEXT}, schema=COLUMNS, partitioned_on=["ds"])
    catalog.partitions(name).add([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])
    files = [catalog.load_view(name).metadata_location]
    for number in range(commits):
        catalog.alter_view(name, set_properties={"n": str(number)})
        files.append(catalog.load_view(name).metadata_location)
    return files


def make_old(directory: Path) -> None:
    at_s = time.time() - 90 * 86400
    for path in directory.rglob("*"):
        if path.is_file():
            os.utime(path, (at_s, at_s))


def there(locations: list[str]) -> list[bool]:
    return [Path(location.removeprefix("file://")).exists() for location in locations]


def test_old_files_go_and_every_view_is_as_it_was(
    catalog: ViewCatalog, clock: Clock, namespace: str, tmp_path: Path
) -> None:
    live, locked = make(catalog, f"{namespace}.live", 4), make(catalog, f"{namespace}.locked", 4)
    renamed = make(catalog, f"{namespace}.before", 4)
    catalog.rename_view(f"{namespace}.before", f"{namespace}.renamed")
    dropped = make(catalog, f"{namespace}.dropped", 4)
    catalog.drop_view(f"{namespace}.dropped")
    registered = make(catalog, f"{namespace}.registered_from", 4)
    plain = Row(
        TableIdentifier(namespace, "plain"),
        VIRTUAL_VIEW,
        "ada",
        columns=(Column("a", "int"),),
        original_text="SELECT 1 AS a",
        expanded_text="SELECT 1 AS a",
    )
    catalog.metastore.create_row(plain)
    make_old(tmp_path)
    versions = catalog.load_view(f"{namespace}.live").versions
    uuid = catalog.load_view(f"{namespace}.registered_from").metadata.view_uuid

    def register_as_iceberg_does(one: Outcome, _: int, __: int) -> None:
        if one.view == f"{namespace}.live":
            told = {"table_type": "ICEBERG-VIEW", POINTER: registered[1], VIEW_UUID: uuid}
            row = Row(TableIdentifier(namespace, "foreign"), VIRTUAL_VIEW, columns=plain.columns, parameters=told)
            catalog.metastore.create_row(row)
            # Rows are read again as often as costs a tenth of the time.
            clock.ahead_ms += 3_600_000

    held = catalog.metastore.lock(TableIdentifier(namespace, "locked"), timeout_s=10)
    assert held
    try:
        outcomes = clean(catalog, f"{namespace}.*", on_outcome=register_as_iceberg_does)
    finally:
        held.release()
    states = {one.view.partition(".")[2]: one.state for one in outcomes}
    assert states["live"] == states["renamed"] == states["registered_from"] == State.DONE
    assert (states["locked"], states["plain"]) == (State.FAILED, State.LEFT)
    assert there(live) == [False, False, False, True, True]
    assert there(locked) == there(dropped) == [True] * 5
    # The file of a rename is one more.
    assert there(renamed)[:3] == [False] * 3
    assert there(registered)[1]

    for name in ("live", "locked", "renamed", "registered_from"):
        assert len(catalog.partitions(f"{namespace}.{name}").names()) == 2
    assert catalog.load_view(f"{namespace}.live").versions == versions
    assert catalog.load_view(f"{namespace}.foreign").metadata.view_uuid == uuid
    (back,) = undrop(catalog, f"{namespace}.dropped")
    assert back.details["partitions_added"] == 2

    again = clean(catalog, f"{namespace}.*")
    assert Counter(one.state for one in again)[State.DONE] == 1, "the one that was locked"
    assert there(locked) == [False, False, False, True, True]
