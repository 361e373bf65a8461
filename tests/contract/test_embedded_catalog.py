"""The catalog on a real Hive 2.3.10 metastore."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hmsclient import HMSClient

from hive_views import execute
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from tests.contract.catalog_contract import CatalogContract
from tests.contract.catalog_ownership import UnlockedWritersContract


class TestEmbeddedCatalog(CatalogContract, UnlockedWritersContract):
    @pytest.fixture
    def metastore(self, hms: HiveMetastore) -> Metastore:
        return hms


def test_a_foreign_name_that_we_would_not_allow_hides_no_other_view(
    hms: HiveMetastore, metastore_uri: str, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    catalog = ViewCatalog(hms, MetadataStorage())
    view = catalog.create_view(f"{namespace}.daily", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
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
