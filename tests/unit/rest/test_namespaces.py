"""Namespaces over REST are the databases of the metastore."""

from __future__ import annotations

import pytest

from hive_views.errors import MetastoreUnavailableError
from hive_views.hive.row import NamespaceRow
from hive_views.metastore.memory import MemoryMetastore
from tests.support.failing.faulty_metastore import (
    Fault,
    FaultyMetastore,
    failing_after,
    failing_before,
    lost_after,
    lost_before,
    never_sent,
)
from tests.support.processes.rest_client import PREFIX, VIEWS, RestClient, creation, key, rest_client

NAMESPACES = f"{PREFIX}/namespaces"


@pytest.fixture
def client() -> RestClient:
    return rest_client(MemoryMetastore(alters_comments=True))


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
    status, type_, message = client.error("POST", NAMESPACES, json={"namespace": ["sales"]})
    assert (status, type_) == (409, "AlreadyExistsException")
    assert message.startswith("Namespace already exists: sales")
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
    for parent in ("none", "no-name", "sales%1Finner"):
        status, type_, _ = client.error("GET", f"{NAMESPACES}?parent={parent}")
        assert (status, type_) == (404, "NoSuchNamespaceException"), parent


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
    client.post(url, json={"updates": {"a": "1", "b": "2"}})
    answer = client.post(url, json={"updates": {"b": "3", "comment": "new"}, "removals": ["a", "none"]}).json()
    assert answer == {"updated": ["b", "comment"], "removed": ["a"], "missing": ["none"]}
    properties = client.get(f"{NAMESPACES}/sales").json()["properties"]
    assert {key: value for key, value in properties.items() if key != "location"} == {"b": "3", "comment": "new"}
    status, type_, _ = client.error("POST", url, json={"updates": {"a": "1"}, "removals": ["a"]})
    assert (status, type_) == (422, "UnprocessableEntityException")
    assert client.error("POST", url, json={"updates": {"location": "file:///elsewhere"}})[0] == 400


def test_the_namespace_of_every_metastore_cannot_be_dropped(client: RestClient) -> None:
    assert client.error("DELETE", f"{NAMESPACES}/default")[:2] == (400, "IllegalArgumentException")


def test_a_property_without_a_value_is_refused(client: RestClient) -> None:
    body = {"namespace": ["web"], "properties": {"a": None}}
    assert client.error("POST", NAMESPACES, json=body)[0] == 400
    assert client.error("POST", f"{NAMESPACES}/sales/properties", json={"updates": {"a": None}})[0] == 400
    assert client.head(f"{NAMESPACES}/web").status_code == 404


@pytest.mark.parametrize("body", [{"updates": {"comment": "new", "a": "1"}}, {"removals": ["comment", "team"]}])
def test_a_comment_that_the_metastore_keeps_is_not_said_to_be_changed(body: dict[str, object]) -> None:
    client = rest_client(MemoryMetastore())
    client.post(NAMESPACES, json={"namespace": ["web"], "properties": {"comment": "first", "team": "web"}})
    before = client.get(f"{NAMESPACES}/web").json()
    answer = client.error("POST", f"{NAMESPACES}/web/properties", json=body)
    assert answer[:2] == (406, "UnsupportedOperationException")
    assert client.get(f"{NAMESPACES}/web").json() == before


_BODIES = {
    "create_namespace": ("POST", NAMESPACES, {"namespace": ["web"], "properties": {"a": "1"}}),
    "alter_namespace": ("POST", f"{NAMESPACES}/sales/properties", {"updates": {"a": "1"}}),
    "drop_namespace": ("DELETE", f"{NAMESPACES}/sales", None),
}
_FAULTS = {
    "never sent": never_sent,
    "lost before": lost_before,
    "lost after": lost_after,
    "failing before": failing_before(MetastoreUnavailableError("It failed.")),
    "failing after": failing_after(MetastoreUnavailableError("A listener failed.")),
}
_STATUS = {
    ("create_namespace", "never sent"): 424,
    ("create_namespace", "lost before"): 500,
    ("create_namespace", "lost after"): 500,
    ("create_namespace", "failing before"): 424,
    ("create_namespace", "failing after"): 500,
    ("alter_namespace", "never sent"): 424,
    ("alter_namespace", "lost before"): 500,
    ("alter_namespace", "lost after"): 200,
    ("alter_namespace", "failing before"): 424,
    ("alter_namespace", "failing after"): 200,
    ("drop_namespace", "never sent"): 424,
    ("drop_namespace", "lost before"): 500,
    ("drop_namespace", "lost after"): 204,
    ("drop_namespace", "failing before"): 424,
    ("drop_namespace", "failing after"): 204,
}


@pytest.mark.parametrize(("verb", "fault"), _STATUS)
def test_a_change_is_done_not_done_or_unknown_as_the_answer_says(verb: str, fault: str) -> None:
    faulty = FaultyMetastore(MemoryMetastore())
    client = rest_client(faulty)
    before = client.get(NAMESPACES).json(), client.get(f"{NAMESPACES}/sales").json()
    faulty.on(verb, _FAULTS[fault])
    method, url, body = _BODIES[verb]
    assert client.request(method, url, json=body).status_code == _STATUS[verb, fault]
    is_as_before = (client.get(NAMESPACES).json(), client.get(f"{NAMESPACES}/sales").json()) == before
    assert is_as_before is ("after" not in fault)


@pytest.mark.parametrize("verb", _BODIES)
@pytest.mark.parametrize("fault", [lost_after, _FAULTS["failing before"]])
def test_what_came_of_a_change_is_unknown_where_it_cannot_be_read(verb: str, fault: Fault) -> None:
    faulty = FaultyMetastore(MemoryMetastore())
    client = rest_client(faulty)
    faulty.on(verb, fault)
    faulty.on("load_namespace", lost_before, after=verb == "alter_namespace")
    method, url, body = _BODIES[verb]
    assert client.error(method, url, json=body)[:2] == (500, "CommitStateUnknownException")


def test_a_namespace_that_was_created_is_answered_where_it_cannot_be_read() -> None:
    faulty = FaultyMetastore(MemoryMetastore())
    client = rest_client(faulty)
    faulty.on("load_namespace", lost_before)
    answer = client.post(NAMESPACES, json={"namespace": ["web"], "properties": {"a": "1"}})
    assert (answer.status_code, answer.json()) == (200, {"namespace": ["web"], "properties": {"a": "1"}})
    assert client.head(f"{NAMESPACES}/web").status_code == 204


@pytest.mark.parametrize("fault", ["lost after", "failing after"])
def test_a_namespace_that_a_request_with_a_key_has_created_is_its_own(fault: str) -> None:
    faulty = FaultyMetastore(MemoryMetastore())
    client, sender, body = rest_client(faulty), key(), {"namespace": ["web"], "properties": {"a": "1"}}
    faulty.on("create_namespace", _FAULTS[fault])
    created = client.post(NAMESPACES, json=body, headers=sender)
    assert created.status_code == 200
    assert client.post(NAMESPACES, json=body, headers=sender).json() == created.json()
    assert client.post(NAMESPACES, json=body, headers=key()).status_code == 409
    assert client.post(NAMESPACES, json=body).status_code == 409
    assert created.json()["properties"] == {"a": "1", "location": "memory://warehouse/web.db"}


def test_who_created_a_namespace_is_known_when_its_properties_were_changed(client: RestClient) -> None:
    sender, body = key(), {"namespace": ["web"], "properties": {"a": "1"}}
    client.post(NAMESPACES, json=body, headers=sender)
    client.post(f"{NAMESPACES}/web/properties", json={"updates": {"b": "2"}, "removals": ["a"]})
    answer = client.post(NAMESPACES, json=body, headers=sender).json()
    assert answer["properties"] == {"b": "2", "location": "memory://warehouse/web.db"}


def test_names_of_ours_are_no_properties_of_a_namespace(client: RestClient) -> None:
    url, ours = f"{NAMESPACES}/sales/properties", "hive-views.created-with"
    assert client.error("POST", url, json={"updates": {ours: "x"}})[0] == 400
    assert client.error("POST", url, json={"removals": [ours]})[0] == 400
    assert client.error("POST", NAMESPACES, json={"namespace": ["web"], "properties": {ours: "x"}})[0] == 400


def test_the_owner_of_a_namespace_is_changed_and_not_taken(client: RestClient) -> None:
    url, owner = f"{NAMESPACES}/sales/properties", "hive.metastore.database.owner"
    client.post(url, json={"updates": {owner: "ann"}})
    assert client.error("POST", url, json={"removals": [owner]})[0] == 400
    assert client.error("POST", url, json={"updates": {owner: ""}})[0] == 400
    assert client.get(f"{NAMESPACES}/sales").json()["properties"][owner] == "ann"


def test_a_parameter_that_is_called_comment_is_not_made_the_comment(client: RestClient) -> None:
    client.catalog.metastore.create_namespace("web", comment="of the web", parameters={"comment": "another"})
    client.post(f"{NAMESPACES}/web/properties", json={"updates": {"a": "1"}})
    row = client.catalog.metastore.load_namespace("web")
    assert (row.comment, row.parameters) == ("of the web", {"comment": "another", "a": "1"})
