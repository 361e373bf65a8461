"""check of views on Delta, Iceberg and Paimon tables: what it finds by their own metadata, and what that costs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pypaimon
import pytest
from deltalake import DeltaTable, Field, Schema
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.schema import Schema as IcebergSchema
from pyiceberg.types import LongType, NestedField, StringType, TimestampType

from hive_views import TableIdentifier, ViewCatalog
from hive_views.estate.checks.checking import check
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.files import Files
from tests.support.views.quick_catalog import catalog_on

TABLE = TableIdentifier("web", "events")
Drop = Callable[[], Row | None]


def _row(parameters: dict[str, str], location: str | None = None) -> Row:
    return Row(TABLE, "EXTERNAL_TABLE", location=location, parameters=parameters)


def make_delta(directory: Path) -> tuple[Row, Drop]:
    types = {"user_id": "long", "page": "string", "at": "timestamp_ntz"}
    fields = [Field(name, type_) for name, type_ in types.items()]
    DeltaTable.create(directory / "t", Schema(fields))

    def drop() -> None:
        # What ALTER TABLE DROP COLUMN commits in Spark, which deltalake cannot do.
        log = directory / "t" / "_delta_log"
        actions = [json.loads(line) for line in (log / f"{0:020d}.json").read_text().splitlines()]
        [metadata] = [one["metaData"] for one in actions if "metaData" in one]
        metadata["schemaString"] = Schema([one for one in fields if one.name != "page"]).to_json()
        (log / f"{1:020d}.json").write_text(json.dumps({"metaData": metadata}))

    return _row({"spark.sql.sources.provider": "delta"}, str(directory / "t")), drop


def make_iceberg(directory: Path) -> tuple[Row, Drop]:
    catalog = InMemoryCatalog("c", warehouse=f"file://{directory}")
    catalog.create_namespace("web")
    types = [LongType(), StringType(), TimestampType()]
    fields = [
        NestedField(n, name, type_)
        for n, (name, type_) in enumerate(zip(("user_id", "page", "at"), types, strict=True), 1)
    ]
    table = catalog.create_table("web.events", IcebergSchema(*fields))

    def drop() -> Row:
        table.update_schema().delete_column("page").commit()
        return row_of(table.metadata_location)

    def row_of(location: str) -> Row:
        return _row({"table_type": "ICEBERG", "metadata_location": location})

    return row_of(table.metadata_location), drop


def make_paimon(directory: Path) -> tuple[Row, Drop]:
    import pyarrow as pa

    catalog = pypaimon.CatalogFactory.create({"warehouse": str(directory)})
    catalog.create_database("web", False)
    columns = pa.schema([("user_id", pa.int64()), ("page", pa.string()), ("at", pa.timestamp("us"))])
    catalog.create_table("web.events", pypaimon.Schema.from_pyarrow_schema(columns), False)
    schemas = directory / "web.db" / "events" / "schema"

    def drop() -> None:
        schema = json.loads((schemas / "schema-0").read_text())
        fields = [one for one in schema["fields"] if one["name"] != "page"]
        (schemas / "schema-1").write_text(json.dumps({**schema, "id": 1, "fields": fields}))

    return _row({"table_type": "PAIMON"}, str(schemas.parent)), drop


MAKERS = {"delta": make_delta, "iceberg": make_iceberg, "paimon": make_paimon}
# Of the table; the views are plain.
REQUESTS = {"delta": {"list": 1, "read": 1}, "iceberg": {"read": 1}, "paimon": {"list": 1, "read": 1}}


def view(name: str, text: str, *columns: tuple[str, str]) -> Row:
    found = tuple(Column(*column) for column in columns)
    return Row(TableIdentifier.of(name), VIRTUAL_VIEW, "ada", columns=found, original_text=text, expanded_text=text)


@pytest.mark.parametrize("format_", MAKERS)
def test_columns_are_those_of_the_tables_own_metadata_which_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_: str
) -> None:
    calls: Counter[str] = Counter()
    metastore = MemoryMetastore(on_call=lambda verb: calls.update([verb]))
    catalog: ViewCatalog = catalog_on(metastore, f"file://{tmp_path}/v")
    catalog.create_namespace("web")
    row, drop = MAKERS[format_](tmp_path)
    metastore.create_row(row)
    for number in range(20):
        text = f"SELECT user_id + {number} AS `n` FROM web.events"
        metastore.create_row(view(f"web.v{number}", text, ("n", "bigint")))
    metastore.create_row(view("web.pages", "SELECT upper(page) AS `page` FROM web.events", ("page", "string")))
    metastore.create_row(view("web.narrow", "SELECT user_id AS `u` FROM web.events", ("u", "int")))
    metastore.create_row(view("web.times", "SELECT at AS `at` FROM web.events", ("at", "timestamp")))
    requests: Counter[str] = Counter()
    directory = (
        (row.location or row.parameters["metadata_location"]).removeprefix("file://").rpartition("/metadata/")[0]
    )

    def counting(verb: str) -> Callable[[Files, str], object]:
        ask = getattr(Files, verb)

        def counted(files: Files, location: str) -> object:
            requests[verb] += (directory or str(row.location)) in location
            return ask(files, location)

        return counted

    for verb in ("read", "list"):
        monkeypatch.setattr(Files, verb, counting(verb))
    calls.clear()
    report = check(catalog, "web.v*", "web.pages", "web.narrow", "web.times")
    assert {key: count for key, count in requests.items() if count} == REQUESTS[format_]
    assert calls["load_rows"] <= 3
    assert [(one.code, one.view, one.details["column"]) for one in report.findings] == [
        ("column-type-changed", "web.narrow", "u")
    ]
    assert [(one.view, one.about) for one in report.not_known] == [("web.times", "types")]
    changed = drop()
    if changed is not None:
        metastore.drop_row(TABLE)
        metastore.create_row(changed)
    [gone] = check(catalog, "web.pages").findings
    assert (gone.code, gone.details["column"]) == ("column-gone", "page")


def test_a_table_that_cannot_be_read_is_not_known_and_no_finding(tmp_path: Path) -> None:
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore, f"file://{tmp_path}/v")
    catalog.create_namespace("web")
    row, _ = make_delta(tmp_path)
    metastore.create_row(replace(row, location=f"{tmp_path}/nothing"))
    metastore.create_row(view("web.v", "SELECT gone FROM web.events", ("gone", "string")))
    report = check(catalog, "web.*")
    assert report.findings == ()
    assert any("There is no Delta table web.events" in one.reason for one in report.not_known)
