"""Views are backed up, purged and restored in the shell, on the embedded metastore."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.estate.each.selection import select_rows
from hive_views.estate.transfer.snapshot import ViewSnapshot, compare, read_snapshots
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.storage.metadata_files import MetadataStorage
from tests.integration.conftest import Run
from tests.support.plain_rows import plain_views

QUERY = "SELECT user_id, ds FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("ds", "string")]


@pytest.fixture
def catalog(hms: HiveMetastore, namespace: str) -> ViewCatalog:
    catalog = ViewCatalog(hms, MetadataStorage())
    for name in ("daily", "weekly"):
        texts = {"hive": QUERY, "trino": QUERY}
        catalog.create_view(
            f"{namespace}.{name}", sql=texts, schema=COLUMNS, partitioned_on=["ds"], properties={"team": name}
        )
    catalog.replace_view(f"{namespace}.daily", sql={"hive": f"{QUERY} WHERE true", "trino": QUERY})
    catalog.tag_view(f"{namespace}.daily", "release-1", version=1)
    catalog.partitions(f"{namespace}.daily").add(
        [{"ds": f"2026-08-{day}"} for day in range(10, 30)], parameters={"hive-views.rows": "7"}
    )
    return catalog


def snapshots(catalog: ViewCatalog, namespace: str) -> list[ViewSnapshot]:
    found = list(read_snapshots(catalog, select_rows(catalog.metastore, [f"{namespace}.*ly"]), cached=False))
    views = [one for one in found if isinstance(one, ViewSnapshot)]
    assert len(views) == len(found)
    return views


def test_views_are_backed_up_purged_and_restored(
    run: Run, catalog: ViewCatalog, namespace: str, tmp_path: Path
) -> None:
    archive = f"{tmp_path}/v.zip"
    plain = [view.moved(namespace) for view in plain_views("hive-4.0.1")][:3]
    for view in plain:
        catalog.metastore.create_row(view.row)
        if view.declared:
            catalog.metastore.add_partitions(view.row.identifier, view.declared, if_not_exists=False)
    rows = {view.row.identifier: catalog.metastore.load_row(view.row.identifier) for view in plain}
    wanted = snapshots(catalog, namespace)

    assert run("backup", archive, "--namespace", namespace, "--dry-run").out.endswith("would be backed up.\n")
    assert not Path(archive).exists()
    made = run("backup", archive, f"{namespace}.*", "--output", "json").document
    assert (made["counts"], made["archive"]) == ({"done": 5}, f"file://{archive}")
    refused = run("backup", archive, f"{namespace}.*")
    assert (refused.code, "already" in refused.err) == (4, True)
    assert [f"{namespace}.daily", "view", "20"] in map(str.split, run("restore", archive, "--list").out.splitlines())
    listed = run("restore", archive, "--list", "--output", "json").document["views"]
    assert [one["kind"] for one in listed if one["identifier"] == f"{namespace}.daily"] == ["managed"]
    assert len(listed) == 5
    assert not [key for one in listed for key in one if "-" in key]

    some = run("restore", archive, f"{namespace}.*ly", "--list", "--output", "json").document["views"]
    assert [one["identifier"] for one in some] == [f"{namespace}.daily", f"{namespace}.weekly"]
    beside = run("restore", archive, "--list", "--on-conflict", "skip", "--no-partitions")
    assert (beside.code, "--partitions, --on-conflict" in beside.err) == (2, True)
    assert "--overwrite" in refused.err

    for name in ("daily", "weekly"):
        catalog.drop_view(f"{namespace}.{name}", purge=True)
    for identifier in rows:
        catalog.metastore.drop_row(identifier)
    rehearsed = run("restore", archive, "--dry-run")
    assert (rehearsed.code, catalog.list_views(namespace)) == (0, [])
    assert run("restore", archive).out.endswith("5 views: 5 restored.\n")
    views = snapshots(catalog, namespace)
    assert [compare(*both, uuid=True) for both in zip(wanted, views, strict=True)] == [[], []]
    for identifier, row in rows.items():
        found = catalog.metastore.load_row(identifier)
        assert (found.columns, found.partition_keys) == (row.columns, row.partition_keys)
        assert (found.original_text, found.expanded_text) == (row.original_text, row.expanded_text)
    assert run("restore", archive, "--output", "json").document["counts"] == {"unchanged": 5}
    catalog.alter_view(f"{namespace}.daily", comment="changed")
    assert run("restore", archive).code == 1
    since = run("backup", f"{archive}.2", f"{namespace}.*ly", "--base", archive, "--output", "json").document
    assert since["counts"]["done"] >= 1
    by_former_name = run("backup", f"{archive}.3", f"{namespace}.*ly", "--since", archive)
    assert (by_former_name.code, "is deprecated. Use --base." in by_former_name.err) == (0, True)
    assert run("restore", archive, f"{namespace}.daily", "--on-conflict", "replace").code == 0


def test_a_damaged_archive_is_told(run: Run, catalog: ViewCatalog, namespace: str, tmp_path: Path) -> None:
    archive = tmp_path / "v.zip"
    run("backup", str(archive), f"{namespace}.daily")
    archive.write_bytes(archive.read_bytes()[:-100])
    damaged = run("restore", str(archive), "--dry-run")
    assert (damaged.code, "is damaged" in damaged.err) == (1, True)
    assert run("restore", f"{archive}.not").code == 3
    assert run("backup", f"{tmp_path}/absent/v.zip", f"{namespace}.daily").code == 2
    assert not (tmp_path / "absent").exists()
    assert run("backup", str(archive), f"{namespace}.nothing").code == 4
    assert run("backup", f"{archive}.2", f"{namespace}.nothing").code == 3
