"""Requests of those who mean no good, and files that no engine writes: each has an answer, and changes nothing."""

from __future__ import annotations

import gzip
import json
import logging
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from hive_views.hive.row import POINTER, TABLE_TYPE, Column, Row
from hive_views.rest.request_limits import Limits
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.updates import HISTORY_SIZE
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, replacement, rest_client
from tests.support.views.quick_catalog import NAME

NAMES = ("", " ", "../../etc", "a/b", "a.b", "`a`", "é", "\U0001f600", "a\x00b", "\x1f", "a\nb", "x" * 129, "%2F")
BODIES = (
    b"1" * 5000,
    b"[" * 100_000,
    b'{"a":' * 5000,
    b"nan",
    b"-Infinity",
    b'{"name":1e999}',
    b"\xff",
    b"\x00",
    b'"\\ud800"',
    gzip.compress(b"{}"),
    b'{"updates":[' + b"{}," * 10_000 + b"{}]}",
)
WRITES = (
    VIEWS,
    VIEW,
    f"{PREFIX}/namespaces",
    f"{PREFIX}/namespaces/sales/properties",
    f"{PREFIX}/views/rename",
    f"{PREFIX}/namespaces/sales/register-view",
)


def contents(client: RestClient) -> dict[str, Any]:
    """All that the metastore has, and all files."""
    metastore = client.catalog.metastore
    namespaces = metastore.list_namespaces()
    rows = [metastore.load_row(one) for space in namespaces for one in client.catalog.list_views(space)]
    return {
        "namespaces": [metastore.load_namespace(space) for space in namespaces],
        "rows": rows,
        "files": [client.catalog.storage.list_files(row.parameters[POINTER].rpartition("/")[0]) for row in rows],
    }


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_body_that_is_no_request_is_refused_and_changes_nothing(body: bytes) -> None:
    client = rest_client()
    client.post(VIEWS, json=creation())
    before = contents(client)
    for url in WRITES:
        for headers in ({}, {"Content-Encoding": "gzip"}, {"Content-Type": "text/xml"}):
            assert client.error("POST", url, content=body, headers=headers)[0] == 400
    assert contents(client) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_no_metastore_has_is_not_found(name: str) -> None:
    client = rest_client()
    client.post(VIEWS, json=creation())
    before = contents(client)
    part = quote(name, safe="")
    for url in (f"{PREFIX}/namespaces/{part}", f"{VIEWS}/{part}", f"{PREFIX}/namespaces/sales/tables/{part}"):
        assert client.error("GET", url)[0] in (404, 405)
        assert client.head(url).status_code in (404, 405)
        assert client.delete(url).status_code in (404, 405, 406)
    for url in (f"/v1/{part or 'none'}/namespaces", f"{PREFIX}/namespaces/{part}/views"):
        assert client.error("GET", url)[0] == 404
    assert client.error("POST", VIEWS, json=creation(name))[0] == 400
    assert contents(client) == before


def test_a_slash_in_a_name_makes_no_other_route_of_it() -> None:
    client = rest_client()
    client.post(VIEWS, json=creation())
    before = contents(client)
    for method, url in (
        ("GET", "namespaces/sales%2Fviews"),
        ("GET", "namespaces%2fsales/views"),
        ("DELETE", "namespaces/sales%2Fviews%2Fdaily"),
        ("POST", "views%2frename"),
    ):
        assert client.error(method, f"{PREFIX}/{url}", **({"json": {}} if method == "POST" else {}))[0] == 404
    assert contents(client) == before


@pytest.mark.parametrize("text", ["\ud800", "a\ud800b", "\x00", "a\x00b"])
def test_what_no_metastore_and_no_file_can_hold_is_refused(text: str) -> None:
    client = rest_client()
    uuid = client.post(VIEWS, json=creation()).json()["metadata"]["view-uuid"]
    before = contents(client)
    bodies = (
        (VIEWS, creation(text)),
        (VIEWS, creation("other") | {"properties": {"a": text}}),
        (VIEWS, creation("other", later=text)),
        (VIEW, replacement(uuid, f"SELECT '{text}' AS id, 1 AS ds")),
        (VIEW, {"updates": [{"action": text}]}),
        (f"{PREFIX}/namespaces", {"namespace": [text]}),
        (f"{PREFIX}/namespaces", {"namespace": ["web"], "properties": {text: "a"}}),
    )
    for url, body in bodies:
        assert client.error("POST", url, content=json.dumps(body).encode())[0] == 400
    assert contents(client) == before


def test_a_number_of_thousands_of_digits_is_no_page_size() -> None:
    client = rest_client()
    for size in ("9" * 5000, "0", "-1", "1e3", "٣", "1_0", ""):
        assert client.error("GET", f"{VIEWS}?pageSize={size}")[0] == 400


@pytest.mark.parametrize("number", ["9" * 5000, "²", "٣", "-1"], ids=["long", "superscript", "arabic", "negative"])
def test_a_number_that_is_none_is_refused_wherever_a_text_has_one(number: str) -> None:
    client = rest_client()
    bodies = [creation() | {"properties": {HISTORY_SIZE: number}}]
    for type_ in (f"decimal({number},2)", f"decimal(2,{number})", f"fixed[{number}]"):
        fields = [{"id": 3, "name": "id", "required": True, "type": type_}]
        bodies.append(creation() | {"schema": {"type": "struct", "schema-id": 5, "fields": fields}})
    for body in bodies:
        assert client.error("POST", VIEWS, json=body)[0] == 400, body


def test_an_error_repeats_no_megabytes() -> None:
    body = creation() | {"schema": {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "a", "type": "x"}]}}
    text = json.dumps(body).replace('"type": "x"', f'"type": "{"x" * 10_000}"')
    status, _, message = rest_client().error("POST", VIEWS, content=text.encode())
    assert (status, len(message)) == (400, 4003)


@pytest.mark.parametrize(
    "content",
    [
        b'{"a":NaN}',
        b'{"a":1e999}',
        b'{"refs":[],"snapshots":{}}',
        b'{"refs":{"main":1}}',
        b'{"refs":{},"snapshots":[1]}',
        b"[]",
        b"[" * 5000,
        b"\xff",
        gzip.compress(b"{}")[:-3],
        gzip.compress(b"{}")[:10] + b"\xff" * 20,
    ],
    ids=range(10),
)
def test_a_file_of_a_table_that_is_none_is_422_and_no_failure_of_the_server(content: bytes) -> None:
    client = rest_client()
    name = ".gz" if content.startswith(b"\x1f") else ""
    location = f"memory://hostile/00000-{name}.metadata.json"
    client.catalog.storage.files.delete(location)
    client.catalog.storage.write_bytes(location, content)
    row = Row(
        identifier=TableIdentifier("sales", "facts"),
        table_type="EXTERNAL_TABLE",
        columns=(Column("id", "int"),),
        parameters={TABLE_TYPE: "ICEBERG", POINTER: location},
    )
    client.catalog.metastore.create_row(row)
    status, type_, message = client.error("GET", f"{PREFIX}/namespaces/sales/tables/facts?snapshots=refs")
    assert (status, type_) == (422, "UnprocessableEntityException")
    assert location in message


def test_no_client_is_sent_to_where_its_host_header_says() -> None:
    answer = rest_client().get(f"{VIEWS}/", headers={"Host": "evil.example"}, follow_redirects=False)
    assert answer.status_code == 404


def test_a_request_without_a_route_is_a_line_and_a_number_too(caplog: pytest.LogCaptureFixture) -> None:
    client = rest_client()
    with caplog.at_level(logging.INFO, "hive_views.rest"):
        for method in ("BREW", "BREW2", "BREW3"):
            assert client.error(method, VIEWS)[0] == 405
        assert client.error("OPTIONS", "/nothing")[0] == 404
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 4
    assert lines[0].startswith("BREW - - client=")
    text = client.get("/metrics").text
    assert 'hive_views_rest_requests_total{method="other",route="-",status="405"' in text
    assert "BREW" not in text


def test_a_name_cannot_write_words_of_its_own_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    client = rest_client()
    with caplog.at_level(logging.INFO, "hive_views.rest"):
        client.get(f"{VIEWS}/{quote('x client=1 token=root status=200')}")
        client.get(f"/v1/{quote('hive@x token=root')}/namespaces")
        client.post(VIEWS, json=creation("a\nb token=root"))
        client.post(VIEWS, json=creation("x" * 10_000))
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 4
    for line in lines:
        assert line.count(" token=") == 1
        assert "\n" not in line
        assert len(line) < 600


def test_the_line_of_a_creation_names_the_view(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "hive_views.rest"):
        rest_client().post(VIEWS, json=creation())
    assert " sales.daily client=" in caplog.records[-1].getMessage()


def test_the_depth_that_is_taken_is_a_number_of_brackets() -> None:
    client = rest_client(limits=Limits(max_depth=10))
    for levels, said in ((10, "Cannot read the request: at"), (11, "deeper than 10 levels")):
        status, _, message = client.error("POST", VIEWS, content=b"[" * levels + b"1" + b"]" * levels)
        assert status == 400
        assert said in message


def test_an_escape_that_is_no_such_character_is_a_text_like_others() -> None:
    client = rest_client()
    for text in ("\U0001f600", r"\u0000", r"\\u0000", r"\ud800"):
        body = {"updates": {"a": text}, "removals": []}
        assert client.post(f"{PREFIX}/namespaces/sales/properties", content=json.dumps(body)).status_code == 200
        assert client.catalog.metastore.load_namespace("sales").parameters["a"] == text


@pytest.mark.parametrize("damage", [{"current-version-id": 7}, {"schemas": []}, {"versions": []}], ids=str)
def test_a_file_without_its_current_version_is_none_that_can_be_loaded(damage: dict[str, Any]) -> None:
    """A client that loads all views of a namespace goes on after 404 alone."""
    client = rest_client()
    client.post(VIEWS, json=creation())
    row = client.catalog.metastore.load_row(NAME)
    tree = client.get(VIEW).json()["metadata"] | damage
    file = f"{tree['location']}/00000-damaged.metadata.json"
    client.catalog.storage.write_bytes(file, json.dumps(tree).encode())
    moved = replace(row, parameters={**row.parameters, POINTER: file})
    client.catalog.metastore.swap_row(moved, expected=row.parameters[POINTER])
    assert client.error("GET", VIEW)[:2] == (404, "NotFoundException")
    assert client.head(VIEW).status_code == 204
    register = {"name": "other", "metadata-location": file}
    assert client.error("POST", f"{PREFIX}/namespaces/sales/register-view", json=register)[0] in (400, 422)


def test_a_file_with_half_of_a_surrogate_pair_is_given_as_it_is() -> None:
    client = rest_client()
    client.post(VIEWS, json=creation())
    view = client.catalog.load_view("sales.daily")
    tree = view.metadata.model_dump(mode="json") | {"later": "a\ud800"}
    location = "memory://hostile/00000-surrogate.metadata.json"
    client.catalog.storage.files.delete(location)
    client.catalog.storage.write_bytes(location, json.dumps(tree).encode())
    row = client.catalog.metastore.load_row(view.identifier)
    moved = replace(row, parameters={**row.parameters, POINTER: location})
    client.catalog.metastore.swap_row(moved, expected=row.parameters[POINTER])
    assert client.get(VIEW).json()["metadata"]["later"] == "a\ud800"
