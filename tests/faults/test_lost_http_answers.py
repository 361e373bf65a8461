"""Requests and answers that are lost between a client and two servers, or between these and what they stand on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.support.failing.http_proxy import HttpProxy
from tests.support.failing.killing import SWAP
from tests.support.failing.wire import PATIENCE_S, WireProxy
from tests.support.processes.rest_client import creation, key, replacement
from tests.support.processes.rest_server import rest_server


class Network:
    """A client, a proxy, two servers, a proxy, a metastore."""

    def __init__(self, http: HttpProxy, wire: WireProxy, hms: HiveMetastore) -> None:
        self.http, self.wire, self.hms = http, wire, hms


@pytest.fixture(scope="module")
def network(metastore_uri: str, hms: HiveMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    directory = tmp_path_factory.mktemp("servers")
    with ExitStack() as stack:
        wire = stack.enter_context(WireProxy.before_uri(metastore_uri))
        variables = {"HIVE_VIEWS_LOCK": "never", "HIVE_VIEWS_READ_TIMEOUT_S": "5"}
        servers = [stack.enter_context(rest_server(wire.uri, directory, **variables)) for _ in range(2)]
        http = stack.enter_context(HttpProxy(*(server.address for server in servers)))
        yield Network(http, wire, hms)


class Site:
    """A namespace with one view, and requests about it."""

    def __init__(self, network: Network, namespace: str) -> None:
        self.network, self.namespace = network, namespace
        self.prefix = f"{network.http.address}/v1/hive"
        self.views = f"{self.prefix}/namespaces/{namespace}/views"
        self.requests: dict[str, tuple[str, str, dict[str, Any] | None]] = {}
        created = self.ask("POST", self.views, creation(**{"default-namespace": [namespace]}))
        uuid, location = created.json()["metadata"]["view-uuid"], created.json()["metadata-location"]
        again = replacement(uuid, "SELECT 5 AS id, '' AS ds", **{"default-namespace": [namespace]})
        names = [{"namespace": [namespace], "name": name} for name in ("daily", "renamed")]
        self.requests = {
            "create": ("POST", self.views, creation("fresh", **{"default-namespace": [namespace]})),
            "commit": ("POST", f"{self.views}/daily", again),
            "register": (
                "POST",
                f"{self.prefix}/namespaces/{namespace}/register-view",
                {"name": "registered", "metadata-location": location},
            ),
            "rename": ("POST", f"{self.prefix}/views/rename", {"source": names[0], "destination": names[1]}),
            "drop": ("DELETE", f"{self.views}/daily", None),
        }

    def ask(self, method: str, url: str, body: object = None, headers: dict[str, str] | None = None) -> httpx2.Response:
        return httpx2.request(method, url, json=body, headers=headers, timeout=PATIENCE_S)

    def send(self, verb: str, headers: dict[str, str] | None = None) -> httpx2.Response:
        method, url, body = self.requests[verb]
        return self.ask(method, url, body, headers)

    def load(self, name: str = "daily") -> View:
        return ViewCatalog(self.network.hms).load_view(f"{self.namespace}.{name}")

    def state(self) -> dict[str, int]:
        """All views, with how many versions each has."""
        names = self.network.hms.list_view_names(self.namespace)
        return {name: len(self.load(name).versions) for name in names}


STATES = {
    "create": {"daily": 1, "fresh": 1},
    "commit": {"daily": 2},
    "register": {"daily": 1, "registered": 1},
    "rename": {"renamed": 1},
    "drop": {},
}
CALLS = {
    "create": "create_table",
    "commit": SWAP,
    "register": "create_table",
    "rename": SWAP,
    "drop": "drop_table",
}


@pytest.fixture
def site(network: Network, namespace: str) -> Site:
    made = Site(network, namespace)
    # Each server has found out by now whether the metastore checks swaps, which takes a swap.
    for _ in range(2):
        body = {"updates": [{"action": "set-properties", "updates": {"a": "1"}}]}
        assert made.ask("POST", f"{made.views}/daily", body).status_code == 200
        body["updates"][0] = {"action": "remove-properties", "removals": ["a"]}
    return made


@pytest.mark.parametrize("lost", ["request", "answer", "half"])
@pytest.mark.parametrize("verb", STATES)
def test_what_is_lost_on_the_way_is_done_once_by_whichever_server_it_is_repeated_at(
    site: Site, verb: str, lost: str
) -> None:
    http, sent = site.network.http, key()
    http.lose(lost)
    with pytest.raises(httpx2.TransportError):
        site.send(verb, sent)
    assert site.state() == ({"daily": 1} if lost == "request" else STATES[verb])
    first, again = site.send(verb, sent), site.send(verb, sent)
    assert first.status_code == again.status_code == (204 if verb in ("rename", "drop") else 200), first.text
    assert first.content == again.content
    assert site.state() == STATES[verb]


@pytest.mark.parametrize("verb", STATES)
def test_what_the_metastore_does_not_answer_is_unknown_and_its_repetition_tells(site: Site, verb: str) -> None:
    wire, sent = site.network.wire, key()
    wire.drop_request(CALLS[verb])
    unknown = site.send(verb, sent)
    assert (unknown.status_code, unknown.json()["error"]["type"]) == (500, "CommitStateUnknownException")
    assert site.state() == {"daily": 1}
    wire.drop_answer(CALLS[verb])
    assert site.send(verb, sent).status_code in (200, 204), "the row tells that it was done"
    assert site.state() == STATES[verb]
    assert site.send(verb, sent).status_code in (200, 204)
    assert site.state() == STATES[verb]


@pytest.mark.parametrize("verb", STATES)
def test_a_request_without_a_key_that_is_unknown_can_be_looked_up(site: Site, verb: str) -> None:
    site.network.http.lose("answer")
    with pytest.raises(httpx2.TransportError):
        site.send(verb)
    listed = site.ask("GET", site.views).json()["identifiers"]
    assert {one["name"] for one in listed} == {*STATES[verb]}
    status = site.send(verb).status_code
    # A replacement without a key is another version; all else is refused, since it was done.
    assert status == {"create": 409, "commit": 200, "register": 409, "rename": 404, "drop": 404}[verb]


def test_a_storage_that_fails_is_424_and_nothing_is_changed(site: Site, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("no directory")
    location = f"file://{in_the_way}/daily"
    method, url, body = site.requests["create"]
    commit = {"updates": [{"action": "set-location", "location": location}]}
    for answer in (
        site.ask(method, url, {**(body or {}), "location": location}, key()),
        site.ask("POST", f"{site.views}/daily", commit, key()),
    ):
        assert (answer.status_code, answer.json()["error"]["type"]) == (424, "FailedDependencyException")
        assert "This attempt changed nothing" in answer.json()["error"]["message"]
    assert site.state() == {"daily": 1}


def test_a_metastore_that_is_away_is_424_for_writes_and_503_for_reads(
    metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        wire = stack.enter_context(WireProxy.before_uri(metastore_uri))
        server = stack.enter_context(rest_server(wire.uri, tmp_path / "server", HIVE_VIEWS_LOCK="never"))
        http = stack.enter_context(HttpProxy(server.address))
        site = Site(Network(http, wire, hms), namespace)
        wire.refuse()
        wire.disconnect()
        for verb in STATES:
            answer = site.send(verb, key())
            assert (answer.status_code, answer.json()["error"]["type"]) == (424, "FailedDependencyException"), verb
        for url in (site.views, f"{site.views}/daily"):
            assert site.ask("GET", url).status_code == 503
        assert server.answers()
    assert site.state() == {"daily": 1}
