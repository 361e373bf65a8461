"""Several stores and endpoints in one process, and in one catalog: what is set for one reaches no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.base_tables.delta.object_store import object_store_options
from hive_views.errors import StorageUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from tests.stores.kinds import STORES
from tests.support.failing.scripted_http import Said, ScriptedHttp, s3_error
from tests.support.processes.azure_server import AzureServer
from tests.support.processes.gcs_server import GcsServer
from tests.support.processes.s3_server import S3Server

TEXT = {"hive": "SELECT 1 AS a"}
COLUMNS = [("a", "int")]

promise = pytest.mark.promise


@pytest.fixture
def endpoints(s3: S3Server) -> Iterator[tuple[ScriptedHttp, ScriptedHttp]]:
    one, other = ScriptedHttp(behind=s3.url), ScriptedHttp(behind=s3.url)
    yield one, other
    one.close()
    other.close()


def catalog_with(options: dict[str, Any], lake: str) -> ViewCatalog:
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    return ViewCatalog(metastore, MetadataStorage(options), warehouse=f"{lake}/views")


@promise(what="several endpoints in one process", holds="each catalog has its own", stores=("S3",))
def test_each_catalog_has_its_own_endpoint(s3: S3Server, endpoints: tuple[ScriptedHttp, ScriptedHttp]) -> None:
    lakes = [s3.new_lake() for _ in endpoints]
    for store, lake in zip(endpoints, lakes, strict=True):
        catalog_with(s3.options_at(store.url), lake).create_view("sales.v", sql=TEXT, schema=COLUMNS)
    for store, lake in zip(endpoints, lakes, strict=True):
        assert [one.split("/")[1] for one in store.requests] == [lake[5:]]


@promise(
    what="several endpoints in one process",
    holds='a bucket or a scheme may have options of its own in one catalog: `{"s3://lake": {...}, "abfs": {...}}`',
    stores=STORES,
)
def test_a_bucket_and_a_scheme_have_options_of_their_own(
    s3: S3Server, azure: AzureServer, gcs: GcsServer, endpoints: tuple[ScriptedHttp, ScriptedHttp]
) -> None:
    first, second = endpoints
    one, other = s3.new_lake(), s3.new_lake()
    options = {
        **azure.options,
        "gs": gcs.options,
        "s3": s3.options_at(first.url),
        one.replace("s3:", "s3a:"): s3.options_at(second.url),
    }
    catalog = catalog_with(options, one)
    view = catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS)
    archives = [f"{lake}/views.zip" for lake in (other, azure.new_lake(), gcs.new_lake())]
    for archive in archives:
        hive_views.estate.backup(catalog, archive)
        catalog.drop_view("sales.v")
        hive_views.estate.restore(catalog, archive)
        assert catalog.load_view("sales.v").metadata.versions == view.metadata.versions
    assert {request.split("/")[1].partition("?")[0] for request in first.requests} == {other[5:]}
    assert {request.split("/")[1].partition("?")[0] for request in second.requests} == {one[5:]}
    # Whoever is asked is the one that is named, and so is Delta's client.
    second.always(s3_error(403, "AccessDenied"))
    with pytest.raises(StorageUnavailableError, match=f"bucket {one[5:]} at {second.url} denied access"):
        Files(options).read(f"{one}/file")
    assert object_store_options(f"{other}/table", options)["AWS_ENDPOINT_URL"] == first.url
    assert object_store_options("abfs://c/table", options)["AZURE_STORAGE_ACCOUNT_NAME"] == "devstoreaccount1"


def test_options_of_one_bucket_are_not_those_of_one_whose_name_begins_so(s3: S3Server) -> None:
    lake = s3.new_lake()
    silent = ScriptedHttp()
    silent.always(Said(404))
    files = Files({**s3.options, lake[:-1]: s3.options_at(silent.url)})
    files.write(f"{lake}/file", b"1")
    assert silent.requests == []
    silent.close()
