"""The metadata of one view, and the row that it stands for."""

from __future__ import annotations

from typing import Any

from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.updates import AssignUUID, SetLocation, SetProperties, apply_updates
from hive_views.views.changes.definition import define
from hive_views.views.row.projection import project

NAME = TableIdentifier("sales", "daily")
TEXT = "SELECT user_id, count(*) AS clicks, ds FROM clicks GROUP BY user_id, ds"
EXPANDED = "SELECT user_id AS `user_id`, count(*) AS clicks, ds AS `ds` FROM `sales`.`clicks` GROUP BY user_id, ds"
COLUMNS = [("user_id", "bigint", "who"), ("clicks", "smallint"), ("ds", "varchar(10)")]
FILE = "s3://lake/views/sales.db/daily/metadata/00001-b.gz.metadata.json"
BEFORE = "s3://lake/views/sales.db/daily/metadata/00000-a.gz.metadata.json"
UUID = "fa6506c3-7681-40c8-86dc-e36561f83385"


def metadata_of(
    sql: dict[str, str] | None = None, keys: tuple[str, ...] = ("ds",), properties: dict[str, str] | None = None
) -> ViewMetadata:
    definition = define(NAME, sql or {"hive": TEXT, "trino": TEXT}, COLUMNS, keys)
    updates = [AssignUUID(UUID), SetLocation("s3://lake/views/sales.db/daily"), SetProperties(properties or {})]
    return apply_updates(None, [*updates, *definition.updates(NAME, 1000)], now_ms=1000)


def row_of(metadata: ViewMetadata, **changes: Any) -> Row:
    arguments: dict[str, Any] = {
        "identifier": NAME,
        "location": FILE,
        "previous_location": BEFORE,
        "owner": "ada",
        **changes,
    }
    return project(metadata, **arguments)
