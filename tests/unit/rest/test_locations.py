"""Where a client of the server can make it read and write."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import InvalidInputError
from hive_views.hive.row import POINTER
from hive_views.persisted import FORMER_DIRECTORIES
from hive_views.storage.allowed_locations import AllowedLocations
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, rest_client
from tests.support.views.quick_catalog import NAME

REGISTER = f"{PREFIX}/namespaces/sales/register-view"
ELSEWHERE = (
    "http://169.254.169.254/latest",
    "https://host/x",
    "github://a:b@c/x",
    "ssh://host/x",
    "zip://inner::file:///tmp/x.zip",
    "data:/x",
    "reference://x",
    "webhdfs://169.254.169.254:80/x",
    "swebhdfs://host/x",
    # Of a host or an account that nobody but the client has named.
    "hdfs://169.254.169.254:80/x",
    "hdfs://root@namenode:8020/x",
    "HDFS://host/x",
    "viewfs://host/x",
    "ofs://host/x",
    "o3fs://bucket.volume.host/x",
    "adl://account.azuredatalakestore.net/x",
    "abfs://views@theirs.dfs.core.windows.net/x",
    "abfss://theirs.dfs.core.windows.net/x",
    "abfss://a@b@theirs.dfs.core.windows.net.evil.example/x",
    "wasbs://views@theirs.blob.core.windows.net/x",
    "az://views:@theirs.blob.core.windows.net:444/x",
    "oci://bucket@theirs/x",
    "oss://bucket.endpoint.example/x",
    "s3://user:secret@bucket/x",
    "s3a://bucket:444/x",
    "s3://arn:aws:s3-object-lambda:eu-west-1:123456789012:accesspoint/theirs/x",
    "gs://user@bucket/x",
    # What fsspec finds in the directory in which the server was started, or in somebody's home.
    "file://views/x",
    "file://~root/x",
    "file://localhost/x",
    "s3:/lake/x",
    "memory:/lake/x",
)


def requests(location: str) -> list[tuple[str, dict[str, Any]]]:
    """All in which a client can name a place."""
    return [
        (VIEWS, creation("other") | {"location": location}),
        (VIEWS, creation("other") | {"properties": {"write.metadata.path": location}}),
        (VIEW, {"updates": [{"action": "set-location", "location": location}]}),
        (VIEW, {"updates": [{"action": "set-properties", "updates": {"write.metadata.path": location}}]}),
        (REGISTER, {"name": "other", "metadata-location": f"{location}/00000-x.metadata.json"}),
        (f"{PREFIX}/namespaces", {"namespace": ["web"], "properties": {"location": location}}),
    ]


def refused(client: RestClient, location: str) -> list[str]:
    """What is said to each of them; nothing is changed by any."""
    client.post(VIEWS, json=creation())
    before = client.get(VIEW).json()
    said = []
    for url, body in requests(location):
        status, _, message = client.error("POST", url, json=body)
        assert status == 400, (url, body)
        said.append(message)
    assert client.get(VIEW).json() == before
    assert client.get(VIEWS).json()["identifiers"] == [{"namespace": ["sales"], "name": "daily"}]
    assert client.head(f"{PREFIX}/namespaces/web").status_code == 404
    return said


@pytest.mark.parametrize("location", ELSEWHERE)
def test_nothing_is_a_location_that_is_on_no_storage_of_lakes_or_on_a_host_of_the_client(location: str) -> None:
    refused(rest_client(), location)


@pytest.mark.parametrize("key", ["location", "write.metadata.path", FORMER_DIRECTORIES])
@pytest.mark.parametrize("overwrite", [False, True])
def test_no_file_that_is_registered_leads_to_a_host_of_its_own(key: str, *, overwrite: bool) -> None:
    client = rest_client()
    client.post(VIEWS, json=creation())
    before = client.get(VIEW).json()
    tree = client.get(VIEW).json()["metadata"]
    theirs = "hdfs://theirs:8020/x"
    if key == "location":
        tree[key] = theirs
    else:
        tree["properties"][key] = json.dumps([theirs]) if key == FORMER_DIRECTORIES else theirs
    file = f"{before['metadata']['location']}/00000-led.metadata.json"
    client.catalog.storage.write_bytes(file, json.dumps(tree).encode())
    body = {"name": "daily" if overwrite else "other", "metadata-location": file, "overwrite": overwrite}
    status, _, message = client.error("POST", REGISTER, json=body)
    assert (status, "theirs:8020" in message, "--allowed-location" in message) == (400, True, True)
    assert client.get(VIEW).json() == before


def test_a_client_names_the_hosts_that_its_namespace_or_its_view_is_on() -> None:
    client = rest_client()
    metastore = client.catalog.metastore
    metastore.create_namespace("far", "hdfs://lake:8020/far")
    namespace = f"{PREFIX}/namespaces/far"
    for place, expected in (("hdfs://lake:8020/v", 424), ("hdfs://lake:8021/v", 400), ("hdfs://root@lake:8020/v", 400)):
        # 424: it is asked for, and nobody answers there.
        given = creation() | {"location": place}
        assert client.error("POST", f"{namespace}/views", json=given)[0] == expected
        register = {"name": "other", "metadata-location": f"{place}/00000-x.metadata.json"}
        assert client.error("POST", f"{namespace}/register-view", json=register)[0] == expected
    client.post(VIEWS, json=creation())
    row = client.catalog.metastore.load_row(NAME)
    tree = client.get(VIEW).json()["metadata"] | {"location": "viewfs://lake/v"}
    file = f"{client.catalog.engine.lookup.location_of_new(NAME)}/00000-moved.metadata.json"
    client.catalog.storage.write_bytes(file, json.dumps(tree).encode())
    metastore.swap_row(replace(row, parameters={**row.parameters, POINTER: file}), expected=row.parameters[POINTER])
    for place, expected in (("viewfs://lake/w", 424), ("viewfs://other/w", 400)):
        body = {"updates": [{"action": "set-location", "location": place}]}
        assert client.error("POST", VIEW, json=body)[0] == expected


def test_a_row_that_another_engine_has_put_on_another_host_is_read() -> None:
    client = rest_client()
    client.post(VIEWS, json=creation())
    row = client.catalog.metastore.load_row(NAME)
    away = replace(row, parameters={**row.parameters, POINTER: "hdfs://other/00000-x.metadata.json"})
    client.catalog.metastore.swap_row(away, expected=row.parameters[POINTER])
    # Nobody answers there.
    assert client.error("GET", VIEW)[:2] == (503, "ServiceUnavailableException")


@pytest.mark.parametrize(
    ("own", "same", "others"),
    [
        (
            "abfss://db@ours.dfs.core.windows.net/db",
            ["abfs://v@ours.dfs.core.windows.net/v", "az://v/x"],
            ["az://v@o/"],
        ),
        ("s3://lake/db", ["s3a://any.other-bucket/v", "gs://b_1/v", "oss://b/v"], ["hdfs://lake/v", "oss://b.c/v"]),
        (
            "/lake/db",
            ["file:///lake/v", "file:/lake", "memory://x/v", "hdfs:///v"],
            ["file://host/v", "hdfs://:8020/v"],
        ),
        ("oci://b@ours/db", ["oci://c@ours/v"], ["oci://c@theirs/v", "oci://b@ours:x@theirs/v"]),
    ],
)
def test_a_host_is_what_decides_whom_a_storage_asks(own: str, same: list[str], others: list[str]) -> None:
    for location in same:
        AllowedLocations().check_named(location, lambda: [own])
    for location in others:
        with pytest.raises(InvalidInputError):
            AllowedLocations().check_named(location, lambda: [own])
        with pytest.raises(InvalidInputError):
            AllowedLocations([own]).check(location)


def test_no_address_is_asked_that_a_client_has_made_up() -> None:
    asked = []

    class Asked(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with HTTPServer(("127.0.0.1", 0), Asked) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        refused(rest_client(), f"http://127.0.0.1:{server.server_port}/secret")
        server.shutdown()
    assert asked == []


@pytest.mark.parametrize("host", ["http://localhost:{}", "//localhost:{}", "http://localhost:{}\\@127.0.0.1:{}"])
def test_no_redirect_leads_to_a_host_that_is_not_allowed(host: str) -> None:
    asked: list[str] = []

    class Asked(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(307)
            self.send_header("Location", host.replace("{}", str(server.server_port)) + "/secret")
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Asked) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        lake = f"webhdfs://127.0.0.1:{server.server_port}/lake"
        client = rest_client(allowed=AllowedLocations([lake]))
        body = {"name": "other", "metadata-location": f"{lake}/00000-x.metadata.json"}
        status, _, message = client.error("POST", REGISTER, json=body)
        server.shutdown()
    assert (status, "--allowed-location" in message) == (424, True)
    assert asked
    assert not [path for path in asked if "secret" in path]


@pytest.mark.parametrize("location", ["views", "~/views", "../views", "~root"])
def test_no_location_is_relative_to_the_server(location: str) -> None:
    client = rest_client()
    for url, body in (requests(location)[0], requests(location)[2], requests(location)[4], requests(location)[5]):
        client.post(VIEWS, json=creation())
        assert client.error("POST", url, json=body)[0] == 400


@pytest.mark.parametrize(
    "location",
    [
        "memory://lake2/x",
        "memory://lake/../lake2/x",
        "memory://lakes",
        "s3://lake/x",
        "file:///lake/x",
        "http://lake/x",
    ],
)
def test_with_allowed_locations_nothing_else_is_read_or_written(location: str, tmp_path: Path) -> None:
    client = rest_client(
        warehouse="memory://lake/warehouse", allowed=AllowedLocations(["memory://lake/", f"file://{tmp_path}"])
    )
    for said in refused(client, location):
        assert "--allowed-location" in said
    row = client.catalog.metastore.load_row(NAME)
    away = replace(row, parameters={**row.parameters, POINTER: "s3://lake/x/00000-x.metadata.json"})
    client.catalog.metastore.swap_row(away, expected=row.parameters[POINTER])
    assert client.error("GET", VIEW)[0] == 404
    body = creation("other") | {"location": f"file://{tmp_path}/other"}
    assert client.post(VIEWS, json=body).status_code == 200
    assert list(tmp_path.iterdir())


def test_a_registered_file_does_not_lead_its_copy_out_of_the_allowed_locations(tmp_path: Path) -> None:
    client = rest_client(warehouse="memory://lake/warehouse", allowed=AllowedLocations(["memory://lake"]))
    client.post(VIEWS, json=creation())
    tree = client.catalog.load_view(NAME).metadata.model_dump(mode="json")
    file = "memory://lake/elsewhere/00000-led.metadata.json"
    client.catalog.storage.files.delete(file)
    client.catalog.storage.write_bytes(file, json.dumps(tree | {"location": f"file://{tmp_path}/v"}).encode())
    status, _, message = client.error("POST", REGISTER, json={"name": "other", "metadata-location": file})
    assert (status, list(tmp_path.iterdir())) == (400, [])
    assert "--allowed-location" in message


def test_no_file_is_opened_that_has_another_name_than_a_metadata_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden text")
    client = rest_client()
    for name in ("secret", "secret?.metadata.json", "none.metadata.json"):
        body = {"name": "other", "metadata-location": f"file://{tmp_path}/{name}"}
        status, _, message = client.error("POST", REGISTER, json=body)
        assert status in (400, 404, 422)
        assert "hidden" not in message


def test_spellings_of_one_place_are_one_and_others_are_others() -> None:
    allowed = AllowedLocations(["s3://lake/views", "/data/lake", "hdfs://"])
    for inside in ("s3a://lake/views/v", "s3://lake/views", "file:/data/lake/v", "file:///data/lake/", "/data/lake/v"):
        allowed.check(inside)
    allowed.check("hdfs://nn:8020/x")
    outside = ["s3://lake/views2", "s3://lake", "s3://lake/views/../x", "/data/lake/../x", "/data/lake2"]
    outside += ["s3:/lake/views", "file://data/lake/v", "s3://lake/views?/x", "s3:///lake/views/v", "hdfs://nn/.\n./x"]
    for location in outside:
        with pytest.raises(InvalidInputError, match="--allowed-location"):
            allowed.check(location)
    for relative in ("x", "", "x/../y"):
        with pytest.raises(InvalidInputError, match="it is relative"):
            allowed.check(relative)
    for web in ("http://x", "HTTPS://host/lake", "http://"):
        with pytest.raises(InvalidInputError, match="not on a web server"):
            AllowedLocations([web])
    AllowedLocations(["webhdfs://nn:9870/lake"]).check("webhdfs://nn:9870/lake/v")
    # The port of a NameNode that names none.
    AllowedLocations(["hdfs://nn:8020/lake"]).check("hdfs://nn/lake/v")
    with pytest.raises(InvalidInputError):
        AllowedLocations(["hdfs://nn/lake"]).check("hdfs://nn:8021/lake/v")
    with pytest.raises(InvalidInputError, match="give a URI or an absolute path"):
        AllowedLocations(["lake"])
