"""Namespaces over REST are the databases of the metastore."""

from __future__ import annotations

import pytest

from hive_views.hive.row import NamespaceRow
from tests.unit.rest_client import PREFIX, VIEWS, RestClient, creation, rest_client

NAMESPACES = f"{PREFIX}/namespaces"


@pytest.fixture
def client() -> RestClient:
    return rest_client()


def test_a_created_namespace_has_a_place_an_owner_and_properties(client: RestClient) -> None:
    properties = {"comment": "of the web", "hive.metastore.database.owner": "ann", "team": "web"}
    answer = client.post(NAMESPACES, json={"namespace": ["web"], "properties": properties})
    assert answer.json() == {
        "namespace": ["web"],
        "properties": {**properties, "location": "memory://warehouse/web.db"},
    }
    row = client.catalog.metastore.load_namespace("web")
    assert row == NamespaceRow("web", "memory://warehouse/web.db", "ann", "of the web", {"team": "web"})
    assert client.get(f"{NAMESPACES}/web").json() == answer.json()
    assert client.head(f"{NAMESPACES}/web").status_code == 204


def test_a_namespace_is_created_once_and_in_one_level(client: RestClient) -> None:
    assert client.error("POST", NAMESPACES, json={"namespace": ["sales"]})[:2] == (409, "AlreadyExistsException")
    for levels in (["a", "b"], [], ["a.b"], [""]):
        status, type_, message = client.error("POST", NAMESPACES, json={"namespace": levels})
        assert (status, type_) == (400, "IllegalArgumentException"), levels
        assert "namespace" in message


def test_the_list_has_one_level_and_comes_in_parts(client: RestClient) -> None:
    assert client.get(f"{NAMESPACES}?pageToken=").json() == {
        "namespaces": [["default"], ["sales"]],
        "next-page-token": None,
    }
    part = client.get(f"{NAMESPACES}?pageSize=1").json()
    assert part["namespaces"] == [["default"]]
    assert client.get(NAMESPACES, params={"pageToken": part["next-page-token"]}).json()["namespaces"] == [["sales"]]
    assert client.get(f"{NAMESPACES}?parent=sales").json()["namespaces"] == []
    assert client.error("GET", f"{NAMESPACES}?parent=none")[:2] == (404, "NoSuchNamespaceException")


def test_one_that_is_not_there_is_404(client: RestClient) -> None:
    for method in ("GET", "DELETE"):
        status, type_, message = client.error(method, f"{NAMESPACES}/none")
        assert (status, type_) == (404, "NoSuchNamespaceException")
        assert message.startswith("Namespace does not exist: none")
    assert client.head(f"{NAMESPACES}/none").status_code == 404
    assert client.post(f"{NAMESPACES}/none/properties", json={"updates": {"a": "1"}}).status_code == 404


def test_one_with_views_stays(client: RestClient) -> None:
    client.post(VIEWS, json=creation())
    assert client.error("DELETE", f"{NAMESPACES}/sales")[:2] == (409, "NamespaceNotEmptyException")
    client.delete(f"{VIEWS}/daily")
    assert client.delete(f"{NAMESPACES}/sales").status_code == 204
    assert client.head(f"{NAMESPACES}/sales").status_code == 404


def test_properties_are_set_and_removed(client: RestClient) -> None:
    url = f"{NAMESPACES}/sales/properties"
    client.post(url, json={"updates": {"a": "1", "b": "2", "comment": "first"}})
    answer = client.post(url, json={"updates": {"b": "3"}, "removals": ["a", "none", "comment"]}).json()
    assert answer == {"updated": ["b"], "removed": ["a", "comment"], "missing": ["none"]}
    properties = client.get(f"{NAMESPACES}/sales").json()["properties"]
    assert {key: value for key, value in properties.items() if key != "location"} == {"b": "3"}
    status, type_, _ = client.error("POST", url, json={"updates": {"a": "1"}, "removals": ["a"]})
    assert (status, type_) == (422, "UnprocessableEntityException")
    assert client.error("POST", url, json={"updates": {"location": "file:///elsewhere"}})[0] == 400
