"""Requests over REST that are nearly right, one after another on one server: each has an answer of the protocol, and
one that is refused leaves no trace.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import fsspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hive_views.persisted import REQUEST_SUFFIX
from tests.support.processes.rest_client import (
    PREFIX,
    SCHEMA,
    VIEW,
    VIEWS,
    RestClient,
    creation,
    replacement,
    rest_client,
    version,
)

STATUSES = {200, 204, 400, 404, 405, 406, 409, 422}
"""All that are documented and no failure of the server, its storage or its metastore."""

UUID = "7d0b1b0c-3c63-4f0f-8f0c-3c634f0f8f0c"
NAMESPACE = f"{PREFIX}/namespaces/sales"
BODIES: tuple[tuple[str, Any], ...] = (
    (VIEWS, creation()),
    (VIEWS, creation("hourly", dialect="hive")),
    (VIEWS, creation("monthly", dialect="trino", **{"default-catalog": "tro"})),
    (VIEWS, creation("hourly") | {"location": "memory://fuzz/hourly"}),
    (VIEW, replacement(UUID, "SELECT id, ds FROM clicks2", "hive")),
    (
        VIEW,
        {
            "updates": [
                {"action": "assign-uuid", "uuid": UUID},
                {"action": "upgrade-format-version", "format-version": 1},
                {"action": "add-schema", "schema": SCHEMA, "last-column-id": 4},
                {"action": "set-location", "location": "memory://fuzz/daily"},
                {"action": "set-properties", "updates": {"a": "b", "write.metadata.path": "memory://fuzz/files"}},
                {"action": "remove-properties", "removals": ["a"]},
                {"action": "add-view-version", "view-version": version(**{"schema-id": -1})},
                {"action": "set-current-view-version", "view-version-id": -1},
            ]
        },
    ),
    (f"{PREFIX}/namespaces", {"namespace": ["web"], "properties": {"comment": "c", "owner": "ann"}}),
    (f"{NAMESPACE}/properties", {"removals": ["x"], "updates": {"a": "b", "comment": "c"}}),
    (
        f"{PREFIX}/views/rename",
        {
            "source": {"namespace": ["sales"], "name": "daily"},
            "destination": {"namespace": ["sales"], "name": "hourly"},
        },
    ),
    (
        f"{NAMESPACE}/register-view",
        {"name": "hourly", "metadata-location": "memory://fuzz/0.metadata.json", "overwrite": True},
    ),
)
NUMBERS = (True, 0, -1, 2**31, 2**63, 10**400, 1.5, float("nan"))
TEXTS = ("", "..", "\ud800", "a\x00b", "x" * 5000, "é", "\n\x1b", "${x}", "%s", "hive", "int")
LOCATIONS = (
    "memory://fuzz",
    "memory://fuzz/0.metadata.json",
    "http://127.0.0.1:1/x.metadata.json",
    "foo://bar/x",
    "zip::x",
)
CONTAINERS: tuple[Any, ...] = ([], {}, [None], {"a": None}, [[]])
WRONG = st.sampled_from([None, *NUMBERS, *TEXTS, *LOCATIONS, *CONTAINERS]) | st.text(max_size=5)
NAMES = ("daily", "hourly", "gone", "é", "a%00b", "..%2F", "x" * 200)


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


@st.composite
def writes(draw: st.DrawFn) -> tuple[str, str, Any]:
    url, body = draw(st.sampled_from(BODIES))
    body = deepcopy(body)
    for _ in range(draw(st.integers(0, 2))):
        *above, last = draw(st.sampled_from(list(places(body))[1:] or [("new",)]))
        part = body
        for key in above:
            part = part[key]
        if draw(st.booleans()) and isinstance(part, dict):
            del part[last]
        else:
            part[last] = deepcopy(draw(WRONG))
    return "POST", url, body


def others() -> st.SearchStrategy[tuple[str, str, Any]]:
    urls = [f"{VIEWS}/{name}" for name in NAMES] + [f"{PREFIX}/namespaces/{name}" for name in ("sales", "web", *NAMES)]
    return st.tuples(st.sampled_from(["GET", "HEAD", "DELETE"]), st.sampled_from([*urls, VIEWS]), st.none())


def contents(client: RestClient) -> Mapping[str, Any]:
    metastore = client.catalog.metastore
    namespaces = metastore.list_namespaces()
    memory = fsspec.filesystem("memory")
    return {
        "namespaces": [metastore.load_namespace(one) for one in namespaces],
        "rows": [metastore.load_rows(one, metastore.list_table_names(one)) for one in namespaces],
        # A note of a request that bears a key stays for a day, whatever came of it.
        "files": [
            found
            for root in (client.catalog.warehouse, "memory://fuzz")
            for found in memory.find(root)
            if not found.endswith(REQUEST_SUFFIX)
        ],
    }


def check(client: RestClient, method: str, url: str, body: Any) -> None:
    before = contents(client)
    content = None if body is None else json.dumps(body).encode()
    key = {"Idempotency-Key": "the same for all"} if body and len(url) % 2 else {}
    answer = client.request(method, url, content=content, headers=key)
    assert answer.status_code in STATUSES, answer.text
    if answer.status_code >= 400:
        assert contents(client) == before
        if method != "HEAD":
            error = answer.json()["error"]
            assert error.keys() == {"message", "type", "code"}
            assert error["code"] == answer.status_code
            assert error["message"]
    if answer.status_code == 200 and url == VIEW:
        metadata = answer.json()["metadata"]
        assert metadata["current-version-id"] in [one["version-id"] for one in metadata["versions"]]
        assert client.catalog.load_view("sales.daily").metadata_location == answer.json()["metadata-location"]


@pytest.mark.parametrize("dialect", ["spark", "hive"])
@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(requests=st.lists(writes() | writes() | others(), min_size=5, max_size=10))
def test_a_request_that_is_nearly_right_is_answered_and_if_refused_leaves_no_trace(
    dialect: str, requests: list[tuple[str, str, Any]]
) -> None:
    memory = fsspec.filesystem("memory")
    if memory.exists("memory://fuzz"):
        memory.rm("memory://fuzz", recursive=True)
    with rest_client() as client:
        body = creation(dialect=dialect) | {"view-version": version(dialect=dialect)}
        assert client.post(VIEWS, json=body).status_code == 200
        for method, url, request in requests:
            check(client, method, url, request)
