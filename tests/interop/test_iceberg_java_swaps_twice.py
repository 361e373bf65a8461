"""Iceberg Java without locks, whose swap was answered in vain: its metastore client decides over the view then."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.errors import CorruptMetadataError
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from tests.interop.racing_writers import raced_view
from tests.support.failing.killing import SWAP
from tests.support.failing.wire import WireProxy
from tests.support.java.iceberg_java import SWAP_ONCE, SWAP_ONLY, Iceberg

pytestmark = pytest.mark.peer("iceberg-spark")


def test_by_default_it_deletes_the_file_of_its_own_change(
    iceberg: Iceberg, metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    """The second swap is refused, which it takes for the first: a reason to give it the other setting."""
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    before = raced_view(catalog, namespace, {})
    with WireProxy.before_uri(metastore_uri) as proxy:
        java = iceberg.catalog(properties={"uri": proxy.uri}, **SWAP_ONLY)
        change = java.loadView(iceberg.identifier(before.identifier)).updateProperties().set("java", "1")
        proxy.drop_answer(SWAP)
        with pytest.raises(iceberg.error, match="NotFoundException"):
            change.commit()
        assert proxy.methods.count(SWAP) == 2
    with pytest.raises(CorruptMetadataError):
        catalog.load_view(before.identifier)
    assert Path(before.metadata_location.removeprefix("file://")).exists(), "the version before can be brought back"


def test_without_retries_it_reads_what_became_of_it(
    iceberg: Iceberg, metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    view = raced_view(catalog, namespace, {})
    with WireProxy.before_uri(metastore_uri) as proxy:
        java = iceberg.catalog(properties={"uri": proxy.uri}, **SWAP_ONCE)
        change = java.loadView(iceberg.identifier(view.identifier)).updateProperties().set("java", "1")
        proxy.drop_answer(SWAP)
        change.commit()
        assert proxy.methods.count(SWAP) == 1
    assert catalog.load_view(view.identifier).properties["java"] == "1"
