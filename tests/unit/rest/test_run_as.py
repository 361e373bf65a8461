"""With whose rights engines run what a client of the server has made."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from hive_views.hive.row import POINTER
from hive_views.persisted import ROW_AS_FOUND
from hive_views.rest.access import Access, Caller, Role
from hive_views.views.row.content import TRINO_VIEW
from hive_views.views.row.trino_view import document_in, text_with
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, replacement, rest_client
from tests.support.views.quick_catalog import NAME

RUN_AS, OWNER = "trino.run-as-owner", "hive.metastore.table.owner"
REGISTER = f"{PREFIX}/namespaces/sales/register-view"


@pytest.fixture(params=["bound", "listed"])
def client(request: pytest.FixtureRequest) -> RestClient:
    """A client that may name ann and no one else, by its token or by the option of the server."""
    if request.param == "listed":
        return rest_client(users=frozenset({"ann"}))
    token = "w" * 24
    client = rest_client(access=Access({sha256(token.encode()).digest(): Caller("etl", Role.READ_WRITE, "ann")}))
    client.headers["Authorization"] = f"Bearer {token}"
    return client


def made(client: RestClient, owner: str, properties: dict[str, str] | None = None) -> Any:
    """A view that somebody else has made, with the catalog itself."""
    texts, columns = {"hive": "SELECT 1 AS id", "trino": "SELECT 1 AS id"}, [("id", "int")]
    given = {OWNER: owner, **(properties or {})}
    return client.catalog.create_view(NAME, sql=texts, schema=columns, properties=given)


def row_with(columns: list[list[str | None]], text: str) -> dict[str, Any]:
    """A row as it is kept in a file, without its parameters."""
    none = dict.fromkeys(("input-format", "output-format", "serde-library"))
    texts = {"original-text": text, "expanded-text": text}
    return {**texts, **none, "columns": columns, "partition-keys": [], "serde-parameters": {}}


def test_a_text_for_trino_runs_as_nobody_whom_its_request_does_not_name() -> None:
    """Trino sends no name with SECURITY INVOKER, and takes none away: the text had the rights of an earlier author."""
    client = rest_client(users=frozenset({"ann"}))
    view = made(client, "ann", {RUN_AS: "ann"})
    comment = {"updates": [{"action": "set-properties", "updates": {"comment": "x"}}]}
    same = replacement(view.uuid, "SELECT 1 AS id", "trino")
    same["updates"][0]["view-version"]["representations"] += [
        {"type": "sql", "sql": "SELECT 2 AS id", "dialect": "hive"}
    ]
    other = replacement(view.uuid, "SELECT 3 AS id", "trino")
    other["updates"].append({"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}})
    named = replacement(view.uuid, "SELECT 4 AS id", "trino")
    named["updates"].insert(0, {"action": "set-properties", "updates": {RUN_AS: "ann"}})
    elsewhere = replacement(view.uuid, "SELECT 4 AS id", "trino", **{"default-namespace": ["other"]})
    for body, expected in ((comment, "ann"), (same, "ann"), (other, None), (named, "ann"), (elsewhere, None)):
        answer = client.post(VIEW, json=body)
        assert (answer.status_code, answer.json()["metadata"]["properties"].get(RUN_AS)) == (200, expected), body


@pytest.mark.parametrize("key", [RUN_AS, OWNER])
def test_a_view_runs_as_nobody_whom_its_client_may_not_name(client: RestClient, key: str) -> None:
    status, _, message = client.error("POST", VIEWS, json=creation() | {"properties": {key: "admin"}})
    assert (status, "'admin'" in message, key in message) == (400, True, True)
    assert client.post(VIEWS, json=creation() | {"properties": {key: "ann"}}).status_code == 200
    before = client.get(VIEW).json()
    updates = [{"action": "set-properties", "updates": {key: "admin"}}]
    assert client.error("POST", VIEW, json={"updates": updates})[0] == 400
    assert client.get(VIEW).json() == before
    server = client.catalog.settings.owner
    assert client.error("POST", VIEWS, json=creation("other") | {"properties": {RUN_AS: server}})[0] == 400
    # What is as it is may be sent along.
    same = [{"action": "set-properties", "updates": {key: "ann", "team": "x"}}]
    assert client.post(VIEW, json={"updates": same}).status_code == 200


@pytest.mark.parametrize("of_admin", [{RUN_AS: "admin"}, {OWNER: "admin"}])
def test_no_text_runs_with_the_rights_of_somebody_else_than_its_author(
    client: RestClient, of_admin: dict[str, str]
) -> None:
    view = made(client, of_admin.get(OWNER, "ann"), {key: user for key, user in of_admin.items() if key == RUN_AS})
    texts = {"hive": "SELECT 2 AS id", "trino": "SELECT 2 AS id"}
    client.catalog.replace_view(NAME, sql=texts)
    before = client.get(VIEW).json()
    body = replacement(view.uuid, "SELECT secret AS id FROM salaries", "hive")
    body["updates"][0]["view-version"]["representations"] += [
        {"type": "sql", "sql": "SELECT secret AS id FROM salaries", "dialect": "trino"}
    ]
    back = {"updates": [{"action": "set-current-view-version", "view-version-id": 1}]}
    file = client.catalog.create_view("sales.other", sql=texts, schema=[("id", "int")]).metadata_location
    for url, sent in ((VIEW, body), (VIEW, back)):
        status, _, message = client.error("POST", url, json=sent)
        assert (status, "'admin'" in message) == (400, True)
    if OWNER in of_admin:
        over = {"name": "daily", "metadata-location": file, "overwrite": True}
        assert client.error("POST", REGISTER, json=over)[0] == 400
    assert client.get(VIEW).json() == before
    # A comment changes nothing of that, nor does another name.
    said = {"updates": [{"action": "set-properties", "updates": {"comment": "x"}}]}
    assert client.post(VIEW, json=said).status_code == 200
    names = {"namespace": ["sales"], "name": "daily"}, {"namespace": ["sales"], "name": "later"}
    moved = {"source": names[0], "destination": names[1]}
    assert client.post(f"{PREFIX}/views/rename", json=moved).status_code == 204
    later = client.catalog.load_view("sales.later")
    assert (later.owner, later.metadata.properties.get(RUN_AS)) == (of_admin.get(OWNER, "ann"), of_admin.get(RUN_AS))
    assert client.error("POST", f"{VIEWS}/later", json=body)[0] == 400


def test_a_text_of_its_own_view_is_replaced(client: RestClient) -> None:
    uuid = client.post(VIEWS, json=creation() | {"properties": {RUN_AS: "ann"}}).json()["metadata"]["view-uuid"]
    assert client.post(VIEW, json=replacement(uuid, "SELECT 1 AS id, '' AS ds")).status_code == 200


def test_a_file_that_is_registered_makes_no_view_run_as_whom_it_names(client: RestClient, tmp_path: Path) -> None:
    view = made(client, "admin", {RUN_AS: "admin"})
    body = {"name": "again", "metadata-location": view.metadata_location}
    assert client.post(REGISTER, json=body).status_code == 200
    again = client.catalog.load_view("sales.again")
    assert (again.owner != "admin", again.metadata.properties.get(OWNER) != "admin") == (True, True)
    assert RUN_AS not in again.metadata.properties
    # A row in Trino's form, as somebody has written it into a file.
    document = {"originalSql": "SELECT secret", "columns": [{"name": "id", "type": "integer"}], "owner": "admin"}
    row = {
        **row_with([["dummy", "string", None]], text_with({**document, "runAsInvoker": False})),
        "parameters": {TRINO_VIEW: "true", "comment": "Presto View", "EXTERNAL": "TRUE", POINTER: "file:///etc/x"},
    }
    tree = view.metadata.model_dump(mode="json") | {"location": f"file://{tmp_path}/v"}
    tree["versions"][0]["representations"] = [{"type": "sql", "sql": "SELECT 3 AS id", "dialect": "trino"}]
    tree["versions"][0]["summary"] = {ROW_AS_FOUND: json.dumps(row)}
    file = tmp_path / "00000-made.metadata.json"
    file.write_text(json.dumps(tree))
    body = {"name": "third", "metadata-location": f"file://{file}"}
    assert client.post(REGISTER, json=body).status_code == 200
    third = client.catalog.load_view("sales.third").row
    said = document_in(third.original_text)
    assert (said["runAsInvoker"], said.get("owner"), third.owner != "admin") == (True, None, True)
    assert "EXTERNAL" not in third.parameters


def test_a_row_as_it_was_found_brings_no_parameters_of_another_kind(tmp_path: Path) -> None:
    """A file that anybody may have written would make the metastore take the view for something else."""
    client = rest_client()
    view = made(client, "admin")
    row = {**row_with([["id", "int", None]], "SELECT 1 AS id"), "parameters": {"EXTERNAL": "TRUE", "spark.x": "y"}}
    tree = view.metadata.model_dump(mode="json") | {"location": f"file://{tmp_path}/v"}
    tree["versions"][0]["summary"] = {ROW_AS_FOUND: json.dumps(row)}
    file = tmp_path / "00000-made.metadata.json"
    file.write_text(json.dumps(tree))
    body = {"name": "third", "metadata-location": f"file://{file}"}
    assert client.post(REGISTER, json=body).status_code == 200
    assert "EXTERNAL" not in client.catalog.load_view("sales.third").row.parameters


def test_a_namespace_is_given_to_nobody_whom_the_client_may_not_name(client: RestClient) -> None:
    key, spaces = "hive.metastore.database.owner", f"{PREFIX}/namespaces"
    assert client.error("POST", spaces, json={"namespace": ["web"], "properties": {key: "admin"}})[0] == 400
    assert client.post(spaces, json={"namespace": ["web"], "properties": {key: "ann"}}).status_code == 200
    status, _, message = client.error("POST", f"{spaces}/web/properties", json={"updates": {key: "admin"}})
    assert (status, "'admin'" in message) == (400, True)
    assert client.catalog.metastore.load_namespace("web").owner == "ann"
    same = {"updates": {key: "ann", "a": "b"}}
    assert client.post(f"{spaces}/web/properties", json=same).status_code == 200


def test_without_an_owner_and_without_the_option_anybody_may_be_named() -> None:
    """Trino sends the user of its session."""
    client = rest_client()
    assert client.post(VIEWS, json=creation() | {"properties": {RUN_AS: "bob"}}).status_code == 200
    assert client.get(VIEW).json()["metadata"]["properties"][RUN_AS] == "bob"
