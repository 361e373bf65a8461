"""Each state that a row can be in, as a client of the protocol meets it: one true answer for each request."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from hive_views.errors import Answer, MetastoreUnavailableError
from hive_views.hive.row import POINTER, TABLE_TYPE, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.row.projection import without_keys
from hive_views.views.row.released import half_released
from tests.support.plain_rows import plain_views
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, key, replacement, rest_client
from tests.support.views import foreign_writers
from tests.support.views.catalog_setup import plain_view_row
from tests.support.views.quick_catalog import NAME

SQL = "SELECT id, ds FROM clicks"
COLUMNS = [("id", "int"), ("ds", "string")]
TABLES = f"{PREFIX}/namespaces/sales/tables"


def row_of(client: RestClient) -> Row:
    return client.catalog.metastore.load_row(NAME)


def swapped(change: Callable[[Row], Row]) -> Callable[[RestClient], None]:
    """Somebody has changed the row of our view."""

    def spoil(client: RestClient) -> None:
        ours(client)
        client.catalog.metastore.swap_row(change(row_of(client)), expected=None)

    return spoil


def with_file(content: bytes | None) -> Callable[[RestClient], None]:
    """Somebody has damaged the file of our view, or deleted it."""

    def spoil(client: RestClient) -> None:
        ours(client)
        location = row_of(client).parameters[POINTER]
        client.catalog.storage.delete(location)
        if content is not None:
            client.catalog.storage.write_bytes(location, gzip.compress(content))

    return spoil


def of_another_view(client: RestClient) -> None:
    ours(client)
    other = client.catalog.create_view("sales.other", sql={"hive": SQL}, schema=COLUMNS)
    row = row_of(client)
    changed = {**row.parameters, POINTER: other.metadata_location}
    client.catalog.metastore.swap_row(replace(row, parameters=changed), expected=None)
    client.catalog.drop_view("sales.other")


def ours(client: RestClient) -> None:
    client.catalog.create_view(NAME, sql={"hive": SQL}, schema=COLUMNS, partitioned_on=["ds"])


def by_java(client: RestClient) -> None:
    directory = f"{client.catalog.warehouse}/sales.db/daily"
    foreign_writers.java_create(client.catalog.metastore, client.catalog.storage, NAME, directory)


def changed_by_java(client: RestClient) -> None:
    ours(client)
    foreign_writers.java_commit(client.catalog.metastore, client.catalog.storage, NAME)


def plain(client: RestClient) -> None:
    client.catalog.metastore.create_row(plain_view_row("sales", "daily"))


def plain_of(maker: str) -> Callable[[RestClient], None]:
    def make(client: RestClient) -> None:
        found = next(one for one in plain_views() if one.maker.startswith(maker))
        client.catalog.metastore.create_row(replace(found.row, identifier=NAME, native=None))

    return make


def table(client: RestClient) -> None:
    client.catalog.metastore.create_row(Row(NAME, "MANAGED_TABLE", columns=(Column("id", "int"),)))


def materialized(client: RestClient) -> None:
    client.catalog.metastore.create_row(Row(NAME, "MATERIALIZED_VIEW", columns=(Column("id", "int"),)))


@dataclass(frozen=True)
class State:
    """A state, and what a client is answered: the status of load, HEAD, replace, rename and drop."""

    name: str
    make: Callable[[RestClient], None]
    is_listed: bool
    load: int
    exists: int
    replaced: int
    renamed: int
    dropped: int


def served(name: str, make: Callable[[RestClient], None]) -> State:
    return State(name, make, True, 200, 204, 200, 204, 204)


def no_view(name: str, make: Callable[[RestClient], None], dropped: int = 404) -> State:
    return State(name, make, False, 404, 404, 404, 404, dropped)


def unreadable(name: str, make: Callable[[RestClient], None], status: int = 422) -> State:
    """It is there; what it says is unknown. It can be dropped, its files stay."""
    return State(name, make, True, 404, 204, status, status, 204)


def without(*names: str) -> Callable[[Row], Row]:
    def change(row: Row) -> Row:
        return replace(row, parameters={key: value for key, value in row.parameters.items() if key not in names})

    return change


def redefined(row: Row) -> Row:
    columns = (Column("id", "int"), Column("ds", "string"))
    return foreign_writers.spark_alter_view_as(row, "SELECT 7 AS id, '' AS ds", columns)


STATES = (
    served("as it was written", ours),
    served("between two swaps", swapped(lambda row: without_keys(row, row.parameters[POINTER]))),
    served("written by Iceberg Java", by_java),
    served("changed by Iceberg Java", changed_by_java),
    served("with foreign parameters", swapped(lambda row: foreign_writers.hive_set_properties(row, theirs="1"))),
    State("drifted", swapped(redefined), True, 200, 204, 409, 409, 204),
    unreadable("file is gone", with_file(None)),
    unreadable("file is damaged", with_file(b"{")),
    unreadable("file is a table's", with_file(b'{"format-version": 2, "table-uuid": "x"}')),
    unreadable("file of a later format", with_file(b'{"format-version": 2}'), 406),
    unreadable("file of another view", of_another_view),
    no_view("without its pointer", swapped(without(POINTER)), 204),
    no_view("without pointer and type", swapped(without(POINTER, TABLE_TYPE))),
    no_view("without its type", swapped(without(TABLE_TYPE))),
    no_view("half released", swapped(half_released)),
    no_view("plain", plain),
    no_view("plain, by Spark", plain_of("spark")),
    no_view("plain, by Trino", plain_of("trino")),
    no_view("a table", table),
    no_view("a materialized view", materialized),
)


def status(client: RestClient, method: str, url: str, **given: Any) -> int:
    answer = client.request(method, url, **given)
    assert answer.status_code < 500, answer.text
    return answer.status_code


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_each_request_is_answered_by_what_the_row_is(state: State) -> None:
    names = {
        name: {"namespace": ["sales"], "name": view} for name, view in (("source", "daily"), ("destination", "new"))
    }
    for with_key in (False, True):
        client = rest_client()
        client.post(VIEWS, json=creation("healthy"))
        state.make(client)
        headers = key() if with_key else {}
        listed = [one["name"] for one in client.get(VIEWS).json()["identifiers"]]
        assert listed == (["daily", "healthy"] if state.is_listed else ["healthy"])
        assert client.get(TABLES).json()["identifiers"] == []
        assert (status(client, "GET", VIEW), status(client, "HEAD", VIEW)) == (state.load, state.exists)
        before = row_of(client)
        assert status(client, "POST", VIEWS, json=creation(), headers=headers) == 409
        assert row_of(client) == before
        assert status(client, "POST", VIEW, json=_replacement(client), headers=headers) == state.replaced
        if state.replaced == 200:
            # Whatever was wrong with the row is mended by the same swap.
            assert client.catalog.load_view(NAME).differences == ()
            assert row_of(client).location is None
        else:
            assert row_of(client) == before
        assert status(client, "POST", f"{PREFIX}/views/rename", json=names, headers=headers) == state.renamed
        url = f"{VIEWS}/new" if state.renamed == 204 else VIEW
        assert status(client, "DELETE", url, headers=headers) == state.dropped
        assert client.catalog.metastore.list_view_names("sales").count("healthy") == 1


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_registering_over_a_view_overwrites_nothing_that_is_in_no_file(state: State) -> None:
    """The protocol lets a client ask for it; what it does not see as a view, it does not mean."""
    client = rest_client()
    source = client.catalog.create_view("sales.source", sql={"hive": SQL}, schema=COLUMNS, partitioned_on=["ds"])
    state.make(client)
    before = row_of(client)
    sent = {"name": "daily", "metadata-location": source.metadata_location, "overwrite": True}
    answered = status(client, "POST", f"{PREFIX}/namespaces/sales/register-view", json=sent)
    if state.replaced == 200 or state.name.startswith(("file is", "file of a later")):
        assert answered == 200
        assert client.get(VIEW).json()["metadata"]["view-uuid"] == source.uuid
    else:
        assert answered in (409, 422)
        assert row_of(client) == before


def _replacement(client: RestClient) -> dict[str, Any]:
    """Another text in the dialect, and for the columns, that the view has."""
    found = client.get(VIEW)
    if found.status_code != 200:
        return replacement("x", "SELECT 2 AS id", "hive")
    metadata = found.json()["metadata"]
    (current,) = metadata["versions"]
    (text,) = current["representations"]
    return replacement(metadata["view-uuid"], f"{text['sql']} LIMIT 7", text["dialect"])


# -- rows that the metastore fails on ----------------------------------------------------------------------------------


class FailingOnSome(MemoryMetastore):
    """Fails on some rows, as where the database behind it has half a row."""

    bad: frozenset[str] = frozenset()
    answer = Answer.FAILED

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        self._fail(names)
        return super().load_rows(namespace, names)

    def load_row(self, identifier: TableIdentifier) -> Row:
        self._fail([identifier.name])
        return super().load_row(identifier)

    def _fail(self, names: Sequence[str]) -> None:
        if not self.bad.isdisjoint(names):
            raise MetastoreUnavailableError("The metastore failed: NullPointerException.", answer=self.answer)


@pytest.mark.parametrize("url", [VIEWS, TABLES])
def test_a_row_that_the_metastore_fails_on_is_left_out_of_the_list_and_breaks_no_other(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    metastore = FailingOnSome()
    client = rest_client(metastore)
    for name in ("a", "b", "c"):
        client.post(VIEWS, json=creation(name))
        parameters = {TABLE_TYPE: "ICEBERG", POINTER: "memory://x.metadata.json"}
        metastore.create_row(Row(TableIdentifier("sales", f"t{name}"), "EXTERNAL_TABLE", parameters=parameters))
    metastore.bad = frozenset(("b", "tb"))
    found = [one["name"] for one in client.get(url).json()["identifiers"]]
    assert found == (["a", "c"] if url == VIEWS else ["ta", "tc"])
    assert f"The row of sales.{'b' if url == VIEWS else 'tb'} cannot be read" in caplog.text
    # Whether it is a view is unknown.
    assert client.get(f"{VIEWS}/b").status_code == client.head(f"{VIEWS}/b").status_code == 503
    assert client.delete(f"{VIEWS}/b").status_code == 424


def test_a_metastore_that_does_not_answer_has_no_empty_list() -> None:
    metastore = FailingOnSome()
    client = rest_client(metastore)
    client.post(VIEWS, json=creation())
    metastore.bad, metastore.answer = frozenset(("daily",)), Answer.NOT_SENT
    assert client.get(VIEWS).status_code == 503
