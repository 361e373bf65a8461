"""Iceberg tables of the metastore can be read over REST, and nothing else of tables is offered."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hive_views.rest.routes import ENDPOINTS
from tests.support.processes.rest_client import PREFIX, VIEWS, RestClient, creation, rest_client
from tests.support.views.catalog_setup import table_row

TABLES = f"{PREFIX}/namespaces/sales/tables"
METADATA = {
    "format-version": 2,
    "refs": {"main": {"snapshot-id": 2, "type": "branch"}},
    "snapshots": [{"snapshot-id": 1}, {"snapshot-id": 2}],
}


@pytest.fixture
def client(tmp_path: Path) -> RestClient:
    client = rest_client()
    plain, packed, broken = (tmp_path / f"1.{end}" for end in ("metadata.json", "gz.metadata.json", "b.metadata.json"))
    plain.write_text(json.dumps(METADATA))
    packed.write_bytes(gzip.compress(json.dumps(METADATA).encode()))
    broken.write_text("{")
    metastore = client.catalog.metastore
    for name, file in (("plain", plain), ("packed", packed), ("broken", broken)):
        metastore.create_row(table_row("sales", name, table_type="iceberg", metadata_location=str(file)))
    metastore.create_row(table_row("sales", "clicks"))
    client.post(VIEWS, json=creation())
    return client


def test_iceberg_tables_alone_are_listed(client: RestClient) -> None:
    found = client.get(f"{TABLES}?pageToken=").json()
    assert [one["name"] for one in found["identifiers"]] == ["broken", "packed", "plain"]
    assert client.error("GET", f"{PREFIX}/namespaces/none/tables")[:2] == (404, "NoSuchNamespaceException")


@pytest.mark.parametrize("name", ["plain", "packed"])
def test_a_table_is_what_its_file_says(client: RestClient, name: str) -> None:
    answer = client.get(f"{TABLES}/{name}?snapshots=all").json()
    assert answer["metadata"] == METADATA
    assert answer["metadata-location"].endswith(".metadata.json")
    assert client.head(f"{TABLES}/{name}").status_code == 204


def test_snapshots_without_a_name_are_left_out_where_that_is_asked_for(client: RestClient) -> None:
    assert client.get(f"{TABLES}/plain?snapshots=refs").json()["metadata"]["snapshots"] == [{"snapshot-id": 2}]
    assert client.error("GET", f"{TABLES}/plain?snapshots=some")[0] == 400


@pytest.mark.parametrize("name", ["clicks", "daily", "none"])
def test_a_hive_table_a_view_and_nothing_are_no_tables(client: RestClient, name: str) -> None:
    status, type_, message = client.error("GET", f"{TABLES}/{name}")
    assert (status, type_) == (404, "NoSuchTableException")
    assert message.startswith(f"Table does not exist: sales.{name}")
    assert client.head(f"{TABLES}/{name}").status_code == 404


def test_a_table_with_a_damaged_file_says_so(client: RestClient) -> None:
    assert client.error("GET", f"{TABLES}/broken")[:2] == (422, "UnprocessableEntityException")


def test_writes_name_the_way_and_are_not_announced(client: RestClient) -> None:
    for method, url in (
        ("POST", TABLES),
        ("POST", f"{TABLES}/plain"),
        ("DELETE", f"{TABLES}/plain"),
        ("POST", f"{PREFIX}/tables/rename"),
        ("POST", f"{PREFIX}/namespaces/sales/register"),
        ("POST", f"{PREFIX}/transactions/commit"),
    ):
        status, type_, message = client.error(method, url, json={})
        assert (status, type_) == (406, "UnsupportedOperationException")
        assert "HiveCatalog" in message
    assert not [one for one in ENDPOINTS if "tables" in one and not one.startswith(("GET", "HEAD"))]
