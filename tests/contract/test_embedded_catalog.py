"""The catalog on a real Hive 2.3.10 metastore; which bad input is refused, the metastore in memory proves."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hmsclient import HMSClient

from hive_views import execute
from hive_views.hive.row import DDL_TIME, POINTER, PREVIOUS_POINTER, TABLE_TYPE, VIEW_UUID, Row
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.structs import to_row
from hive_views.persisted import OWN_PREFIX
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views import conversions
from hive_views.views.catalog import ViewCatalog
from tests.contract.catalog_contract import WritingContract
from tests.contract.catalog_ownership import UnlockedWritersContract
from tests.contract.catalog_statements import StatementsContract
from tests.support.plain_rows import fields_of, plain_views

OURS = {POINTER, PREVIOUS_POINTER, TABLE_TYPE, VIEW_UUID, DDL_TIME}
SOME = ("column_list", "altered", "presto", "impala", "spark_2_4", "quotes_of_ansi", "commented", "all_types")
"""Recorded views that are tried on a real metastore, beside those with partitions; all are in tests/unit."""


class TestEmbeddedCatalog(WritingContract, StatementsContract, UnlockedWritersContract):
    @pytest.fixture
    def metastore(self, hms: HiveMetastore) -> Metastore:
        return hms


def test_a_foreign_name_that_we_would_not_allow_hides_no_other_view(
    hms: HiveMetastore, metastore_uri: str, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    catalog = ViewCatalog(hms, MetadataStorage())
    view = catalog.create_view(f"{namespace}.daily", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    assert "DROP DATABASE ... CASCADE" in caplog.text, "its files are in the directory of its database"
    caplog.clear()
    foreign = ["daily/report", "x" * 200]
    address = urlsplit(metastore_uri)
    with HMSClient(host=address.hostname, port=address.port) as engine:
        for name in foreign:
            table = engine.get_table(namespace, "daily")
            table.tableName = name
            engine.create_table(table)
        assert set(foreign) <= set(engine.get_all_tables(namespace))
    assert catalog.list_views(namespace) == [view.identifier]
    assert hms.list_view_names(namespace) == ["daily"]
    assert execute(catalog, f"SHOW VIEWS IN {namespace}").rows == (("daily",),)
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 3
    assert warnings[0].startswith(
        f"2 names are left out of the views of {namespace}, because they are not of ASCII letters"
    )
    assert "'daily/report'" in warnings[0]


@pytest.mark.parametrize("maker", ["hive", "spark", "trino", "by-hand"])
def test_a_row_that_is_adopted_and_released_has_every_field_that_its_engine_wrote(
    hms: HiveMetastore, namespace: str, maker: str, tmp_path: Path
) -> None:
    catalog = ViewCatalog(hms, MetadataStorage(), warehouse=f"file://{tmp_path}/warehouse")

    def fields(row: Row) -> Any:
        found = fields_of(row.native)
        keys = [key for key in found["parameters"] if key in OURS or key.startswith(OWN_PREFIX)]
        return {**found, "parameters": {k: v for k, v in found["parameters"].items() if k not in keys}}

    views = [one for one in plain_views(maker) if one.partitions or one.name in SOME]
    assert views
    for number, view in enumerate(views):
        struct = view.struct
        struct.dbName, struct.tableName = namespace, f"{view.name}_{number}"
        hms.create_row(to_row(struct))
        name = TableIdentifier(namespace, struct.tableName)
        before = hms.load_row(name)
        conversions.adopt(catalog.engine, name, row=before)
        assert fields(hms.load_row(name)) == fields(before)
        assert catalog.load_view(name).differences == ()
        catalog.release_view(name)
        after = hms.load_row(name)
        assert fields(after) == fields(before)
        assert set(after.parameters) == set(before.parameters)
