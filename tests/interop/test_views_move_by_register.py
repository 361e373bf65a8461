"""Views move between Iceberg's own catalog and ours as its Catalog Migrator moves them: register, then drop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive_views import View, ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.rest.application import create_app
from hive_views.rest.served import ServedCatalogs
from tests.interop.clicks import DAYS, NAMES, Ask
from tests.support.java.iceberg_java import Iceberg
from tests.support.processes.served_app import served

pytestmark = [
    pytest.mark.peer("iceberg-spark"),
    # PySpark leaves the socket of every collect() and first() to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


@pytest.fixture
def ours(metastore_uri: str, iceberg: Iceberg, tmp_path: Path) -> Iterator[Any]:
    """Iceberg's client of our server."""
    views = ViewCatalog(HiveMetastore(metastore_uri), warehouse=str(tmp_path / "views"))
    with served(create_app(ServedCatalogs({"hive": views}))) as address:
        yield iceberg.rest_catalog(address)


def move(source: Any, target: Any, name: Any, to: Any) -> str:
    """What the migrator does with one view; returns the file that it was."""
    location = str(source.loadView(name).operations().current().metadataFileLocation())
    target.registerView(to, location)
    assert source.dropView(name)
    return location


def test_a_view_of_icebergs_catalog_arrives_with_its_history_and_a_row_for_plain_readers(
    ours: Any, iceberg: Iceberg, catalog: ViewCatalog, namespace: str, web: str, ask: Ask
) -> None:
    text = f"SELECT user_id, page, ds FROM spark_catalog.{web}.clicks"
    iceberg.sql(f"CREATE VIEW ice.{namespace}.theirs COMMENT 'of theirs' TBLPROPERTIES ('k' = 'v') AS {text}")
    iceberg.sql(f"CREATE OR REPLACE VIEW ice.{namespace}.theirs COMMENT 'of theirs' AS {text} WHERE user_id = 2")
    before = catalog.load_view(f"{namespace}.theirs")
    theirs, to = iceberg.catalog(), f"{namespace}.moved"

    file = move(theirs, ours, iceberg.identifier(before.identifier), iceberg.identifier(to))

    # Iceberg's catalogs delete the file that they point to.
    assert not Path(file.removeprefix("file:")).exists()
    moved = ViewCatalog(catalog.metastore).load_view(to)
    assert (moved.uuid, moved.versions, moved.history) == (before.uuid, before.versions, before.history)
    assert (moved.properties, moved.location) == (before.properties, before.location)
    assert (moved.differences, moved.row.location) == ((), None)
    assert [row[0] for row in ask(f"SELECT * FROM {to}")] == [2]
    # It goes on from there, by their client too.
    ours.loadView(iceberg.identifier(to)).updateProperties().set("k", "w").commit()
    assert catalog.roll_back_view(to, to_version=1).properties["k"] == "w"
    assert len(ask(f"SELECT * FROM {to}")) == 4


def test_a_view_of_ours_is_loaded_by_icebergs_catalog_and_comes_back_with_its_partition_columns(
    ours: Any, iceberg: Iceberg, catalog: ViewCatalog, view: View, namespace: str, ask: Ask
) -> None:
    catalog.alter_view(view.identifier, comment="ours")
    before = catalog.tag_view(view.identifier, "release-1")
    expected, name = ask(f"SELECT * FROM {view.identifier}"), iceberg.identifier(view.identifier)
    theirs, there = iceberg.catalog(), iceberg.identifier(f"{namespace}.there")

    file = move(ours, theirs, name, there)

    assert file == before.metadata_location
    written = json.loads(iceberg.metadata(f"{namespace}.there"))
    assert written == before.metadata.model_dump(mode="json", exclude_none=True)
    # It goes on there, and comes back with what was made there.
    theirs.loadView(there).updateProperties().set("team", "theirs").commit()
    move(theirs, ours, there, name)
    back = catalog.load_view(view.identifier)
    assert (back.uuid, back.versions, back.history) == (before.uuid, before.versions, before.history)
    assert (back.properties["team"], back.comment, back.tags) == ("theirs", "ours", before.tags)
    assert (back.differences, back.partitioned_on) == ((), ("ds",))
    # The partitions were the metastore's, and are noted beside the files.
    assert catalog.partitions(back.identifier).restore().added == NAMES
    assert ask(f"SELECT * FROM {view.identifier}") == expected
    assert len(DAYS) == len(NAMES)


def test_a_view_that_both_keep_goes_its_own_way_in_each(
    ours: Any, iceberg: Iceberg, catalog: ViewCatalog, namespace: str, web: str, ask: Ask
) -> None:
    iceberg.sql(f"CREATE VIEW ice.{namespace}.theirs AS SELECT user_id, ds FROM spark_catalog.{web}.clicks")
    theirs, copy = iceberg.catalog(), f"{namespace}.copy"
    name = iceberg.identifier(f"{namespace}.theirs")
    location = str(theirs.loadView(name).operations().current().metadataFileLocation())
    ours.registerView(iceberg.identifier(copy), location)
    ours.loadView(iceberg.identifier(copy)).updateProperties().set("of", "ours").commit()
    theirs.loadView(name).updateProperties().set("of", "theirs").commit()
    assert catalog.load_view(copy).properties["of"] == "ours"
    assert catalog.load_view(f"{namespace}.theirs").properties["of"] == "theirs"
    assert catalog.drop_view(copy, purge=True).deleted
    assert theirs.loadView(name).properties()["of"] == "theirs"
    assert len(ask(f"SELECT * FROM {namespace}.theirs")) == 4
