"""A request with an ``Idempotency-Key`` is carried out once, however often it comes and to whichever server."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from hive_views.errors import Answer, MetastoreUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.rest.application import create_app
from hive_views.rest.served import ServedCatalogs
from hive_views.views.changes.client_updates import REMEMBERED_REQUESTS
from tests.support.failing.faulty_metastore import FaultyMetastore, Run, meanwhile
from tests.support.file_ages import files_below, set_written
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, key, replacement, rest_client
from tests.support.views.foreign_writers import spark_set_properties
from tests.support.views.quick_catalog import NAME, catalog_on

NEW_TEXT = "SELECT 1 AS id, '' AS ds"


@pytest.fixture
def client() -> RestClient:
    # Two at once, in one thread, cannot wait for each other's locks.
    return rest_client(MemoryMetastore(grants_locks=False))


def another(client: RestClient) -> RestClient:
    """Another server on the same metastore and the same files."""
    return rest_client(client.catalog.metastore, warehouse=client.catalog.warehouse)


def rename(client: RestClient, source: str, to: str, headers: dict[str, str]) -> httpx2.Response:
    names = {
        "source": {"namespace": ["sales"], "name": source},
        "destination": {"namespace": ["sales"], "name": to},
    }
    return client.post(f"{PREFIX}/views/rename", json=names, headers=headers)


def register(client: RestClient, location: str, headers: dict[str, str], **given: Any) -> httpx2.Response:
    body = {"name": "daily", "metadata-location": location, **given}
    return client.post(f"{PREFIX}/namespaces/sales/register-view", json=body, headers=headers)


def names(client: RestClient) -> list[str]:
    return [one.name for one in client.catalog.list_views("sales")]


def test_another_server_knows_what_was_carried_out(client: RestClient) -> None:
    other, sent = another(client), key()
    first = client.post(VIEWS, json=creation(), headers=sent)
    assert other.post(VIEWS, json=creation(), headers=sent).json() == first.json()
    assert other.post(VIEWS, json=creation(), headers=key()).status_code == 409
    sent, body = key(), replacement(first.json()["metadata"]["view-uuid"], NEW_TEXT)
    first = client.post(VIEW, json=body, headers=sent)
    assert other.post(VIEW, json=body, headers=sent).json() == first.json()
    sent = key()
    assert client.delete(VIEW, headers=sent).status_code == other.delete(VIEW, headers=sent).status_code == 204
    assert other.delete(VIEW, headers=key()).status_code == 404


def test_a_key_is_of_one_operation(client: RestClient) -> None:
    sent = key()
    uuid = client.post(VIEWS, json=creation(), headers=sent).json()["metadata"]["view-uuid"]
    assert client.post(VIEWS, json=creation("other"), headers=sent).status_code == 200
    assert client.post(VIEW, json=replacement(uuid, NEW_TEXT), headers=sent).status_code == 200
    assert len(client.catalog.load_view(NAME).versions) == 2, "what is answered with success was done"
    assert client.delete(VIEW, headers=sent).status_code == 204
    assert names(client) == ["other"]


@pytest.mark.parametrize("prefix", ["hive", "hive@tro"])
def test_a_client_is_the_same_whatever_it_calls_catalog_and_view(client: RestClient, prefix: str) -> None:
    sent = key()
    assert client.post(VIEWS, json=creation(), headers=sent).status_code == 200
    again = client.post(f"/v1/{prefix}/namespaces/SALES/views", json=creation("Daily"), headers=sent)
    assert again.status_code == 200


def test_what_was_refused_may_be_done_later(client: RestClient, view_uuid: str) -> None:
    sent = key()
    assert client.post(VIEWS, json=creation(), headers=sent).status_code == 409
    client.delete(VIEW)
    assert client.post(VIEWS, json=creation(), headers=sent).status_code == 200


def test_notes_that_are_older_than_a_day_go_with_the_next_one(client: RestClient) -> None:
    now_ms, directory = client.catalog.settings.clock_ms(), f"{client.catalog.warehouse}/sales.db/daily/requests"
    client.post(VIEWS, json=creation(), headers=key())
    (first,) = files_below(directory)
    for hours, stays in ((23, True), (25, False)):
        set_written([first], now_ms - hours * 3_600_000)
        client.delete(VIEW, headers=key())
        client.post(VIEWS, json=creation())
        assert (first in files_below(directory)) is stays


# -- a commit --------------------------------------------------------------------------------------------------------


def test_a_commit_that_others_came_on_top_of_is_not_made_again(client: RestClient, view_uuid: str) -> None:
    sent, body = key(), replacement(view_uuid, NEW_TEXT)
    client.post(VIEW, json=body, headers=sent)
    client.post(VIEW, json=replacement(view_uuid, "SELECT 2 AS id, '' AS ds"))
    again = another(client).post(VIEW, json=body, headers=sent)
    assert again.status_code == 200
    assert again.json()["metadata"]["current-version-id"] == 3


def test_a_commit_was_made_although_the_row_has_drifted_since(client: RestClient, view_uuid: str) -> None:
    metastore, sent, body = client.catalog.metastore, key(), replacement(view_uuid, NEW_TEXT)
    client.post(VIEW, json=body, headers=sent)
    metastore.swap_row(spark_set_properties(metastore.load_row(NAME), comment="by Spark"), expected=None)
    assert client.post(VIEW, json=body, headers=sent).status_code == 200
    assert client.post(VIEW, json=body, headers=key()).status_code == 409
    assert len(client.catalog.load_view(NAME).versions) == 2


def test_a_commit_is_not_made_on_another_view_of_the_name(client: RestClient, view_uuid: str) -> None:
    sent, body = key(), replacement(view_uuid, NEW_TEXT)
    client.post(VIEW, json=body, headers=sent)
    client.delete(VIEW)
    assert client.post(VIEW, json=body, headers=sent).status_code == 404
    client.post(VIEWS, json=creation())
    assert client.error("POST", VIEW, json=body, headers=sent)[:2] == (409, "CommitFailedException")
    assert len(client.catalog.load_view(NAME).versions) == 1


def test_two_equal_commits_at_once_are_one(view_uuid: str, client: RestClient) -> None:
    faulty = FaultyMetastore(client.catalog.metastore)
    other = rest_client(faulty, warehouse=client.catalog.warehouse)
    sent, body = key(), replacement(view_uuid, NEW_TEXT)
    faulty.on("swap_row", meanwhile(lambda: client.post(VIEW, json=body, headers=sent)))
    assert other.post(VIEW, json=body, headers=sent).status_code == 200
    assert not faulty.pending()
    assert len(client.catalog.load_view(NAME).versions) == 2


def test_many_requests_are_remembered_and_not_all(client: RestClient, view_uuid: str) -> None:
    sent, body = key(), replacement(view_uuid, NEW_TEXT)
    client.post(VIEW, json=body, headers=sent)
    for number in range(REMEMBERED_REQUESTS - 1):
        updates = [{"action": "set-properties", "updates": {"a": str(number)}}]
        assert client.post(VIEW, json={"updates": updates}, headers=key()).status_code == 200
    assert client.post(VIEW, json=body, headers=sent).status_code == 200
    view = client.catalog.load_view(NAME)
    assert len(view.versions) == 2
    # The databases of old metastores hold 4,000 characters of a parameter.
    assert max(len(value) for value in view.row.parameters.values()) < 4000


# -- a creation ------------------------------------------------------------------------------------------------------


def test_two_equal_creations_at_once_are_one(client: RestClient) -> None:
    faulty = FaultyMetastore(client.catalog.metastore)
    other, sent = rest_client(faulty, warehouse=client.catalog.warehouse), key()
    faulty.on("create_row", meanwhile(lambda: client.post(VIEWS, json=creation(), headers=sent)))
    answer = other.post(VIEWS, json=creation(), headers=sent)
    assert not faulty.pending()
    assert answer.status_code == 200
    assert answer.json()["metadata"]["view-uuid"] == client.catalog.load_view(NAME).uuid


def test_what_was_dropped_since_is_not_created_again(client: RestClient) -> None:
    sent = key()
    first = client.post(VIEWS, json=creation(), headers=sent)
    client.delete(VIEW)
    again = another(client).post(VIEWS, json=creation(), headers=sent)
    assert (again.status_code, again.json()) == (200, first.json())
    assert names(client) == []
    other = client.post(VIEWS, json=creation(), headers=key()).json()["metadata"]["view-uuid"]
    assert client.post(VIEWS, json=creation(), headers=sent).json() == first.json()
    assert client.catalog.load_view(NAME).uuid == other


def test_what_was_renamed_since_is_not_created_again(client: RestClient) -> None:
    sent = key()
    first = client.post(VIEWS, json=creation(), headers=sent)
    rename(client, "daily", "new", {})
    assert client.post(VIEWS, json=creation(), headers=sent).json() == first.json()
    assert names(client) == ["new"]


def test_what_was_purged_since_is_not_created_again(client: RestClient) -> None:
    sent = key()
    client.post(VIEWS, json=creation(), headers=sent)
    client.catalog.drop_view(NAME, purge=True)
    status, type_, message = client.error("POST", VIEWS, json=creation(), headers=sent)
    assert (status, type_) == (404, "NoSuchViewException")
    assert "was created" in message
    assert names(client) == []


def test_what_was_registered_and_dropped_since_is_not_registered_again(client: RestClient, view_uuid: str) -> None:
    location = client.catalog.load_view(NAME).metadata_location
    client.delete(VIEW)
    sent = key()
    first = register(client, location, sent)
    assert register(another(client), location, sent).json() == first.json()
    client.delete(VIEW)
    assert register(client, location, sent).json() == first.json()
    assert names(client) == []


def test_what_was_registered_over_and_changed_since_stays(client: RestClient, view_uuid: str) -> None:
    committed, body = key(), replacement(view_uuid, NEW_TEXT)
    location = client.post(VIEW, json=body, headers=committed).json()["metadata-location"]
    client.post(VIEW, json=replacement(view_uuid, "SELECT 2 AS id, '' AS ds"))
    sent = key()
    assert register(client, location, sent, overwrite=True).status_code == 200
    assert len(client.catalog.load_view(NAME).versions) == 2
    assert client.post(VIEW, json=body, headers=committed).status_code == 200, "the file has this commit"
    client.post(VIEW, json=replacement(view_uuid, "SELECT 3 AS id, '' AS ds"))
    assert register(client, location, sent, overwrite=True).status_code == 200
    assert len(client.catalog.load_view(NAME).versions) == 3
    client.delete(VIEW)
    other = client.post(VIEWS, json=creation()).json()["metadata"]["view-uuid"]
    assert register(client, location, sent, overwrite=True).status_code == 200
    assert client.catalog.load_view(NAME).uuid == other


# -- a renaming ------------------------------------------------------------------------------------------------------


def test_a_view_that_was_renamed_back_stays(client: RestClient, view_uuid: str) -> None:
    there, back = key(), key()
    for sent, source, to in ((there, "daily", "new"), (back, "new", "daily"), (there, "daily", "new")):
        assert rename(client, source, to, sent).status_code == 204
    assert names(client) == ["daily"]
    assert rename(client, "daily", "new", key()).status_code == 204
    assert rename(client, "new", "daily", back).status_code == 204
    assert names(client) == ["new"]


def test_a_renaming_is_not_made_on_another_view_of_the_name(client: RestClient, view_uuid: str) -> None:
    sent = key()
    rename(client, "daily", "new", sent)
    client.post(VIEWS, json=creation())
    assert rename(client, "daily", "new", sent).status_code == 204
    rename(client, "new", "newest", {})
    assert rename(client, "daily", "new", sent).status_code == 404
    assert names(client) == ["daily", "newest"]


def test_two_equal_renamings_at_once_are_one(client: RestClient, view_uuid: str) -> None:
    faulty = FaultyMetastore(client.catalog.metastore)
    other = rest_client(faulty, warehouse=client.catalog.warehouse)
    sent = key()
    faulty.on("rename_row", meanwhile(lambda: rename(client, "daily", "new", sent)))
    assert rename(other, "daily", "new", sent).status_code == 204
    assert not faulty.pending()
    assert names(client) == ["new"]


# -- a drop ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["created", "registered"])
def test_a_view_that_was_recreated_is_not_dropped(client: RestClient, view_uuid: str, again: str) -> None:
    sent, location = key(), client.catalog.load_view(NAME).metadata_location
    client.delete(VIEW, headers=sent)
    if again == "created":
        client.post(VIEWS, json=creation())
    else:
        register(client, location, {})
    assert another(client).delete(VIEW, headers=sent).status_code == 204
    assert names(client) == ["daily"]
    assert client.delete(VIEW, headers=key()).status_code == 204


@pytest.mark.parametrize("looks", [0, 1])
def test_two_equal_drops_at_once_are_one(client: RestClient, view_uuid: str, looks: int) -> None:
    faulty = FaultyMetastore(client.catalog.metastore)
    other, sent = rest_client(faulty, warehouse=client.catalog.warehouse), key()
    faulty.on("load_row", meanwhile(lambda: client.delete(VIEW, headers=sent)), after=looks)
    assert other.delete(VIEW, headers=sent).status_code == 204
    assert not faulty.pending()


def test_a_view_that_was_recreated_while_a_drop_was_on_its_way_stays(client: RestClient, view_uuid: str) -> None:
    faulty = FaultyMetastore(client.catalog.metastore)
    other, sent = rest_client(faulty, warehouse=client.catalog.warehouse), key()

    def dropped_and_recreated() -> None:
        client.delete(VIEW, headers=sent)
        client.post(VIEWS, json=creation())

    faulty.on("load_row", meanwhile(dropped_and_recreated), after=1)
    assert other.delete(VIEW, headers=sent).status_code == 204
    assert not faulty.pending()
    assert names(client) == ["daily"]


def test_a_drop_that_never_came_through_is_done_when_it_is_sent_again(client: RestClient, view_uuid: str) -> None:
    faulty = FaultyMetastore(client.catalog.metastore)
    other, sent = rest_client(faulty, warehouse=client.catalog.warehouse), key()

    def away(_: Run) -> None:
        raise MetastoreUnavailableError("It is away.", answer=Answer.NOT_SENT)

    faulty.on("drop_row", away)
    assert other.delete(VIEW, headers=sent).status_code == 424
    # The view goes on meanwhile, which makes it no other one.
    client.post(VIEW, json=replacement(view_uuid, NEW_TEXT))
    assert other.delete(VIEW, headers=sent).status_code == 204
    assert names(client) == []


def test_a_view_of_others_that_became_ours_meanwhile_is_the_same_one(client: RestClient, view_uuid: str) -> None:
    metastore = client.catalog.metastore
    assert isinstance(metastore, MemoryMetastore)
    row = metastore.load_row(NAME)
    unowned = {name: value for name, value in row.parameters.items() if name != "hive-views.owns"}
    metastore.swap_row(row.__class__(**{**vars(row), "parameters": unowned}), expected=None)
    faulty = FaultyMetastore(metastore)
    other, sent = rest_client(faulty, warehouse=client.catalog.warehouse), key()

    def away(_: Run) -> None:
        raise MetastoreUnavailableError("It is away.", answer=Answer.NOT_SENT)

    faulty.on("drop_row", away)
    assert other.delete(VIEW, headers=sent).status_code == 424
    client.catalog.alter_view(NAME, set_properties={"a": "1"})
    assert other.delete(VIEW, headers=sent).status_code == 204
    assert names(client) == []


def test_who_loses_the_race_against_the_first_attempt_is_told_what_became_of_it(client: RestClient) -> None:
    """A proxy has given up on it, and sent the request again; nothing is left of the time for retries."""
    metastore = FaultyMetastore(client.catalog.metastore)
    impatient = catalog_on(metastore, client.catalog.warehouse, retry_timeout_s=0.0)  # type: ignore[arg-type]
    other = RestClient(create_app(ServedCatalogs({"hive": impatient})))
    uuid = client.post(VIEWS, json=creation(), headers=key()).json()["metadata"]["view-uuid"]
    sent, body = key(), replacement(uuid, NEW_TEXT)
    metastore.on("swap_row", meanwhile(lambda: client.post(VIEW, json=body, headers=sent)))
    assert other.post(VIEW, json=body, headers=sent).status_code == 200
    assert not metastore.pending()
    assert len(client.catalog.load_view(NAME).versions) == 2


def test_who_waits_in_vain_for_a_lock_is_told_what_became_of_the_first_attempt() -> None:
    """A writer that was killed has left its lock; the answer to the first attempt was lost before."""
    client = rest_client(MemoryMetastore(lock_timeout_s=0.01))
    uuid = client.post(VIEWS, json=creation(), headers=key()).json()["metadata"]["view-uuid"]
    sent, body = key(), replacement(uuid, NEW_TEXT)
    first = client.post(VIEW, json=body, headers=sent)
    assert client.catalog.metastore.lock(NAME)
    assert client.post(VIEW, json=body, headers=sent).json() == first.json()
    assert client.error("POST", VIEW, json=body, headers=key())[:2] == (409, "CommitFailedException")
    client.catalog.metastore.drop_row(NAME)
    assert client.error("POST", VIEW, json=body, headers=sent)[:2] == (404, "NoSuchViewException")
