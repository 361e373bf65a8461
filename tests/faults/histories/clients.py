"""Clients of one view: this library, Iceberg's REST protocol and Iceberg Java, with the same five operations."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import httpx2

from hive_views.errors import (
    AlreadyExistsError,
    CommitStateUnknownError,
    HiveViewsError,
    NoSuchViewError,
    ReplacedViewError,
)
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.faults.histories.history import KEYS, Answer, Seen, text
from tests.support.java.iceberg_java import Iceberg
from tests.support.processes.rest_client import creation, key, replacement

COLUMNS = [("one", "int"), ("step", "string")]
PATIENCE_S = 60.0
_SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": number, "name": name, "required": False, "type": type_}
        for number, (name, type_) in enumerate(COLUMNS, 1)
    ],
}
_KEPT = {"version.history.num-entries": "10000"}


def first_properties(value: str) -> dict[str, str]:
    return {**dict.fromkeys(KEYS, value), **_KEPT}


class Client(Protocol):
    """What is asked of all; each call ends with one answer."""

    def read(self, view: str) -> Answer: ...
    def create(self, view: str, value: str) -> Answer: ...
    def set(self, view: str, property_: str, value: str) -> Answer: ...
    def replace(self, view: str, value: str) -> Answer: ...
    def drop(self, view: str) -> Answer: ...


class Ours:
    """This library: an error that does not say "unknown" promises that nothing has changed."""

    def __init__(self, catalog: ViewCatalog) -> None:
        self._catalog = catalog

    def read(self, view: str) -> Answer:
        answer = _ours(lambda: self._catalog.load_view(view))
        # What could not be read says nothing.
        return Answer("unknown", error=answer.error) if answer.outcome == "refused" else answer

    def create(self, view: str, value: str) -> Answer:
        properties = first_properties(value)
        return _ours(
            lambda: self._catalog.create_view(view, sql={"hive": text(value)}, schema=COLUMNS, properties=properties)
        )

    def set(self, view: str, property_: str, value: str) -> Answer:
        return _ours(lambda: self._catalog.alter_view(view, set_properties={property_: value}))

    def replace(self, view: str, value: str) -> Answer:
        return _ours(lambda: self._catalog.replace_view(view, sql={"hive": text(value)}))

    def drop(self, view: str) -> Answer:
        return _ours(lambda: self._catalog.drop_view(view))


def _ours(call: Callable[[], Any]) -> Answer:
    try:
        result = call()
    except HiveViewsError as error:
        outcome = "refused"
        if isinstance(error, CommitStateUnknownError):
            outcome = "unknown"
        elif isinstance(error, AlreadyExistsError):
            outcome = "exists"
        elif isinstance(error, NoSuchViewError) and not isinstance(error, ReplacedViewError):
            outcome = "missing"
        return Answer(outcome, error=type(error).__name__)
    if not isinstance(result, View):
        return Answer("ok")
    return Answer("ok", Seen.of(result.metadata.model_dump(mode="json", by_alias=True)))


class Rest:
    """A client of the protocol: what it has no answer to, it sends again with its key, or leaves unknown."""

    def __init__(self, address: str, chance: random.Random) -> None:
        self._views = f"{address}/v1/hive/namespaces"
        self._chance = chance
        self._http = httpx2.Client(timeout=PATIENCE_S)

    def read(self, view: str) -> Answer:
        return self._send("GET", self._url(view))

    def create(self, view: str, value: str) -> Answer:
        space, _, name = view.partition(".")
        representation = {"type": "sql", "sql": text(value), "dialect": "hive"}
        body = creation(name, representations=[representation], **{"schema-id": 0, "default-namespace": [space]})
        body |= {"schema": _SCHEMA, "properties": first_properties(value)}
        return self._send("POST", f"{self._views}/{space}/views", body)

    def set(self, view: str, property_: str, value: str) -> Answer:
        return self._commit(view, [{"action": "set-properties", "updates": {property_: value}}])

    def replace(self, view: str, value: str) -> Answer:
        space = view.partition(".")[0]
        return self._commit(view, replacement("", text(value), "hive", **{"default-namespace": [space]})["updates"])

    def drop(self, view: str) -> Answer:
        return self._send("DELETE", self._url(view))

    def _commit(self, view: str, updates: object) -> Answer:
        """Change the view that has the name now."""
        try:
            found = self._http.get(self._url(view))
        except httpx2.TransportError as error:
            return Answer("refused", error=f"before: {type(error).__name__}")
        if not found.is_success:
            return _rest(found, is_first=True)
        requirement = {"type": "assert-view-uuid", "uuid": found.json()["metadata"]["view-uuid"]}
        return self._send("POST", self._url(view), {"requirements": [requirement], "updates": updates})

    def _url(self, view: str) -> str:
        space, _, name = view.partition(".")
        return f"{self._views}/{space}/views/{name}"

    def _send(self, method: str, url: str, body: object = None) -> Answer:
        headers = key()
        try:
            return _rest(self._http.request(method, url, json=body, headers=headers), is_first=True)
        except httpx2.TransportError as error:
            if self._chance.random() < 0.5:
                return Answer("unknown", error=type(error).__name__)
        try:
            return _rest(self._http.request(method, url, json=body, headers=headers), is_first=False)
        except httpx2.TransportError as error:
            return Answer("unknown", error=type(error).__name__)


def _rest(answer: httpx2.Response, *, is_first: bool) -> Answer:
    if answer.is_success:
        # The answer to what is sent again may show the view as others have left it meanwhile.
        shown = answer.content and is_first
        return Answer("ok", Seen.of(answer.json()["metadata"]) if shown else None)
    error = answer.json()["error"]
    outcome = {"NoSuchViewException": "missing", "AlreadyExistsException": "exists"}.get(error["type"], "refused")
    # 424 says that this attempt has changed nothing, and no more; so does that the view of a commit is gone.
    is_gone = answer.request.method == "POST" and (outcome == "missing" or "different view" in error["message"])
    if answer.is_server_error or (not is_first and (is_gone or answer.status_code == 424)):
        outcome = "unknown"
    return Answer(outcome, error=f"{answer.status_code} {error['type']}")


class Java:
    """Iceberg's HiveCatalog, whose commits say only that they are done; others create and drop the views."""

    def __init__(self, iceberg: Iceberg, settings: Mapping[str, str], properties: Mapping[str, str]) -> None:
        self._iceberg = iceberg
        self._catalog = iceberg.catalog(properties=properties, **settings)
        self._schema = iceberg.schema(COLUMNS)

    def read(self, view: str) -> Answer:
        parser = self._iceberg._jvm.org.apache.iceberg.view.ViewMetadataParser
        return self._answer(lambda: parser.toJson(self._load(view).operations().current()))

    def create(self, view: str, value: str) -> Answer:
        raise NotImplementedError

    def set(self, view: str, property_: str, value: str) -> Answer:
        return self._answer(lambda: self._load(view).updateProperties().set(property_, value).commit())

    def replace(self, view: str, value: str) -> Answer:
        namespace = self._iceberg.namespace(view.partition(".")[0])

        def commit() -> None:
            change = self._load(view).replaceVersion().withQuery("hive", text(value))
            change.withSchema(self._schema).withDefaultNamespace(namespace).commit()

        return self._answer(commit)

    def drop(self, view: str) -> Answer:
        raise NotImplementedError

    def _load(self, view: str) -> Any:
        return self._catalog.loadView(self._iceberg.identifier(view))

    def _answer(self, call: Callable[[], Any]) -> Answer:
        try:
            shown = call()
        except self._iceberg.error as error:
            name = str(error.java_exception.getClass().getSimpleName())  # type: ignore[attr-defined]
            outcome = {"NoSuchViewException": "missing", "CommitFailedException": "refused"}.get(name, "unknown")
            if outcome == "unknown":
                print(error, file=sys.stderr, flush=True)
            return Answer(outcome, error=name)
        return Answer("ok", Seen.of(json.loads(shown)) if shown else None)
