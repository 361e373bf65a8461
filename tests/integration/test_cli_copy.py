"""The commands that copy and move views, on the embedded metastore."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.integration.conftest import Run

SELECT = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
COLUMNS = [("user_id", "bigint"), ("clicks", "bigint", "how often"), ("ds", "string")]


@pytest.fixture
def catalog(hms: HiveMetastore, namespace: str) -> ViewCatalog:
    catalog = ViewCatalog(hms)
    catalog.create_view(
        f"{namespace}.daily", sql={"hive": SELECT, "trino": SELECT}, schema=COLUMNS, partitioned_on=["ds"]
    )
    catalog.partitions(f"{namespace}.daily").add([{"ds": "1"}, {"ds": "2"}])
    return catalog


@pytest.fixture
def other(hms: HiveMetastore) -> str:
    name = f"test_{uuid.uuid4().hex[:12]}"
    hms.create_namespace(name)
    return name


def test_views_are_copied_into_other_databases_and_a_repeated_run_changes_nothing(
    run: Run, catalog: ViewCatalog, namespace: str, other: str, metastore_uri: str
) -> None:
    renames = ("--map", f"{namespace}={other}", "--map", "web=site")
    dry = run("copy", "--namespace", namespace, *renames, "--dry-run", "--output", "json")
    assert (dry.code, dry.document["counts"]) == (0, {"planned": 1})
    assert catalog.list_views(other) == []
    done = run("copy", "--namespace", namespace, *renames, "--output", "json")
    assert done.code == 0
    assert done.document["views"][0]["differences"] == []
    assert done.document["views"][0]["to"] == f"{other}.daily"
    assert catalog.load_view(f"{other}.daily").original_sql("trino") == SELECT.replace("web.", "site.")
    assert catalog.partitions(f"{other}.daily").names() == ["ds=1", "ds=2"]
    again = run("copy", f"{namespace}.*", *renames)
    assert again.code == 0
    assert "1 unchanged" in again.out
    assert "to itself" in run("copy", f"{namespace}.*", "--to", metastore_uri).out


def test_a_view_is_moved_to_a_catalog_of_the_configuration_file(
    run: Run, catalog: ViewCatalog, namespace: str, other: str, here: Path, tmp_path: Path, metastore_uri: str
) -> None:
    (here / "hive-views.toml").write_text(f'[catalogs.second]\nuri = "{metastore_uri}"\n')
    before = catalog.load_view(f"{namespace}.daily")
    warehouse = tmp_path / "copies"
    moving = ("--to", "second", "--map", f"{namespace}={other}", "--warehouse", str(warehouse))
    done = run("move", f"{namespace}.daily", *moving)
    assert done.code == 0, done.out
    moved = catalog.load_view(f"{other}.daily")
    assert (moved.uuid, moved.location) == (before.uuid, f"file://{warehouse}/{other}.db/daily")
    assert catalog.list_views(namespace) == []
    assert run("copy", "*.*", "--to", "third").code == 2
