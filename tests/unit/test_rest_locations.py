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
from hive_views.storage.reach import Reach
from tests.unit.quick_catalog import NAME
from tests.unit.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, rest_client

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
def test_nothing_is_a_location_that_is_on_no_storage_of_lakes(location: str) -> None:
    refused(rest_client(), location)


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


def test_no_redirect_leads_to_a_host_that_is_not_allowed() -> None:
    asked: list[str] = []

    class Asked(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(307)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/secret")  # type: ignore[attr-defined]
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Asked) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        lake = f"webhdfs://127.0.0.1:{server.server_port}/lake"
        client = rest_client(reach=Reach([lake]))
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
    client = rest_client(warehouse="memory://lake/warehouse", reach=Reach(["memory://lake/", f"file://{tmp_path}"]))
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
    client = rest_client(warehouse="memory://lake/warehouse", reach=Reach(["memory://lake"]))
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
    reach = Reach(["s3://lake/views", "/data/lake", "hdfs://"])
    for inside in ("s3a://lake/views/v", "s3://lake/views", "file:/data/lake/v", "file:///data/lake/", "/data/lake/v"):
        reach.check(inside)
    reach.check("hdfs://nn:8020/x")
    for outside in ("s3://lake/views2", "s3://lake", "s3://lake/views/../x", "/data/lake/../x", "/data/lake2"):
        with pytest.raises(InvalidInputError, match="--allowed-location"):
            reach.check(outside)
    for relative in ("x", "", "x/../y"):
        with pytest.raises(InvalidInputError, match="it is relative"):
            reach.check(relative)
    for web in ("http://x", "HTTPS://host/lake", "http://"):
        with pytest.raises(InvalidInputError, match="on no web server"):
            Reach([web])
    Reach(["webhdfs://nn:9870/lake"]).check("webhdfs://nn:9870/lake/v")
    with pytest.raises(InvalidInputError, match="give a URI or an absolute path"):
        Reach(["lake"])
