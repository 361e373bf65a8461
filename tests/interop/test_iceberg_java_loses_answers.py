"""Iceberg's REST client in Java, whose requests and answers are lost on the way to two servers: it repeats them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.failing.http_proxy import HttpProxy
from tests.support.failing.killing import SWAP
from tests.support.failing.wire import WireProxy
from tests.support.java.iceberg_java import Iceberg
from tests.support.processes.rest_server import rest_server

pytestmark = pytest.mark.peer("iceberg-spark")


@pytest.fixture(scope="module")
def wire(metastore_uri: str) -> Iterator[WireProxy]:
    with WireProxy.before_uri(metastore_uri) as wire:
        yield wire


@pytest.fixture(scope="module")
def http(wire: WireProxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpProxy]:
    directory = tmp_path_factory.mktemp("servers")
    with ExitStack() as stack:
        servers = [stack.enter_context(rest_server(wire.uri, directory)) for _ in range(2)]
        yield stack.enter_context(HttpProxy(*(server.address for server in servers)))


class Java:
    """Iceberg's RESTCatalog, and the view ``daily`` that it has created."""

    def __init__(self, iceberg: Iceberg, http: HttpProxy, hms: HiveMetastore, namespace: str) -> None:
        self.iceberg, self.http, self.hms, self.namespace = iceberg, http, hms, namespace
        self.catalog = iceberg._jvm.org.apache.iceberg.rest.RESTCatalog()
        self.catalog.initialize("rest", {"uri": http.address})
        self._build("daily").create()
        self.location = ViewCatalog(hms).load_view(f"{namespace}.daily").metadata_location
        self.view = self.catalog.loadView(self.name("daily"))
        self.verbs: dict[str, Callable[[], Any]] = {
            "create": lambda: self._build("fresh").create(),
            "replace": lambda: self._replacement().commit(),
            "set properties": lambda: self.view.updateProperties().set("a", "1").commit(),
            "register": lambda: self.catalog.registerView(self.name("registered"), self.location),
            "rename": lambda: self.catalog.renameView(self.name("daily"), self.name("renamed")),
            "drop": lambda: self.catalog.dropView(self.name("daily")),
        }

    def name(self, name: str) -> Any:
        return self.iceberg.identifier(f"{self.namespace}.{name}")

    def _build(self, name: str) -> Any:
        schema = self.iceberg.schema([("one", "int")])
        built = self.catalog.buildView(self.name(name)).withSchema(schema)
        return built.withDefaultNamespace(self.iceberg.namespace(self.namespace)).withQuery("spark", "SELECT 1 AS one")

    def _replacement(self) -> Any:
        replaced = self.view.replaceVersion().withSchema(self.iceberg.schema([("one", "int")]))
        namespace = self.iceberg.namespace(self.namespace)
        return replaced.withDefaultNamespace(namespace).withQuery("spark", "SELECT 2 AS one")

    def ask(self, verb: str) -> str:
        """The class of the exception that it throws, or ``done``."""
        try:
            self.verbs[verb]()
        except self.iceberg.error as error:
            return str(error.java_exception.getClass().getSimpleName())
        return "done"

    def state(self) -> dict[str, tuple[int, str | None]]:
        """All views, with how many versions each has, and the property that is set."""
        catalog = ViewCatalog(self.hms)
        views = [catalog.load_view(f"{self.namespace}.{name}") for name in self.hms.list_view_names(self.namespace)]
        return {one.identifier.name: (len(one.versions), one.properties.get("a")) for one in views}


@pytest.fixture
def java_client(iceberg: Iceberg, http: HttpProxy, hms: HiveMetastore, namespace: str) -> Java:
    return Java(iceberg, http, hms, namespace)


CALLS = {
    **dict.fromkeys(("create", "register"), "create_table"),
    **dict.fromkeys(("replace", "set properties", "rename"), SWAP),
}
"""What the metastore is asked for; after a drop that it has not seen, it keeps a lock for minutes."""
AFTER = {
    "create": {"daily": (1, None), "fresh": (1, None)},
    "replace": {"daily": (2, None)},
    "set properties": {"daily": (1, "1")},
    "register": {"daily": (1, None), "registered": (1, None)},
    "rename": {"renamed": (1, None)},
    "drop": {},
}


@pytest.mark.parametrize("lost", ["request", "answer"])
@pytest.mark.parametrize("verb", AFTER)
def test_what_it_repeats_with_its_key_is_done_once(java_client: Java, verb: str, lost: str) -> None:
    http = java_client.http
    before = len(http.requests)
    http.lose(lost, _is_write)
    assert java_client.ask(verb) == "done"
    assert http.is_lost()
    first, again = [(line, sent) for line, sent in http.requests[before:] if _is_write(line)]
    assert first == again
    assert first[1]
    assert java_client.state() == AFTER[verb]


@pytest.mark.parametrize("verb", ["create", "replace", "set properties", "register"])
def test_half_an_answer_is_an_error_that_says_nothing_and_it_is_done(java_client: Java, verb: str) -> None:
    java_client.http.lose("half", _is_write)
    assert java_client.ask(verb) == "RESTException"
    assert java_client.http.is_lost()
    assert java_client.state() == AFTER[verb]


@pytest.mark.parametrize("verb", CALLS)
def test_an_unknown_outcome_becomes_a_known_one(java_client: Java, wire: WireProxy, verb: str) -> None:
    """It repeats after a 500 too: the metastore had not seen what the server asked for."""
    http = java_client.http
    before = len(http.requests)
    wire.drop_request(CALLS[verb])
    assert java_client.ask(verb) == "done"
    first, again = [(line, sent) for line, sent in http.requests[before:] if _is_write(line)]
    assert first == again
    assert java_client.state() == AFTER[verb]


def _is_write(line: str) -> bool:
    return not line.startswith(("GET ", "HEAD "))
