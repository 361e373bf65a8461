"""What verbs ask of an object store, and that it grows with many views as it must, and no faster: users pay for it."""

from __future__ import annotations

from pathlib import Path

from hive_views import ViewCatalog
from hive_views.storage.files import Files
from tests.support.processes.s3_server import S3Server
from tests.support.tables.requests import measure_requests


def test_no_verb_asks_for_more_than_it_needs(s3: S3Server, tmp_path: Path) -> None:
    asked = list(measure_requests(s3, 5, tmp_path))
    assert [str(one) for one in asked if not one.is_held] == []
    # Else nothing was counted.
    assert all(one.found for one in asked)


def test_a_purge_deletes_what_is_the_view_s_own_and_leaves_the_rest(
    s3: S3Server, catalog: ViewCatalog, lake: str
) -> None:
    sql = {"hive": "SELECT 1 AS a, 'x' AS ds"}
    view = catalog.create_view("sales.v", sql=sql, schema=[("a", "int"), ("ds", "string")], partitioned_on=["ds"])
    catalog.alter_view("sales.v", comment="more")
    catalog.partitions("sales.v").add([{"ds": "one"}])
    note = f"{view.metadata_location.rpartition('/')[0]}/note.txt"
    catalog.storage.write_bytes(note, b"somebody's")
    purged = catalog.drop_view("sales.v", purge=True)
    assert (len(purged.deleted), purged.left) == (4, (note,))
    assert [one.location for one in Files(s3.options).list_tree(lake, lambda _: False)] == [note]
