"""What requests of clients leave with a view, and that nobody but the server takes it for something of the view."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from pathlib import Path

import pytest

from hive_views.ddl.execute import execute
from hive_views.estate import check, describe_views, report
from hive_views.estate.archive.backup import backup
from hive_views.estate.archive.restore import restore
from hive_views.estate.cleanup.cleaning import clean
from hive_views.estate.dropped.listing import list_dropped
from hive_views.estate.dropped.undropping import undrop
from hive_views.estate.each.outcomes import State
from hive_views.estate.transfer.copying import copy_views
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import OWN_PREFIX, RENAMED_WITH, REQUESTS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.changes.client_updates import request_hash
from tests.support.file_ages import files_below, set_written
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, replacement, rest_client
from tests.support.views.quick_catalog import NAME, catalog_on

DAY_MS = 86_400_000
KEYS = ("0197-create", "0197-replace", "0197-rename", "0197-drop")
CREATE, REPLACE, RENAME, DROP = ({"Idempotency-Key": key} for key in KEYS)
HASHES = [request_hash(verb, key) for verb, key in zip(("create", "commit", "rename", "drop"), KEYS, strict=True)]


@pytest.fixture
def client() -> RestClient:
    """A server whose clients have created a view, replaced it and given it its name."""
    client = rest_client()
    first = client.post(VIEWS, json=creation("first"), headers=CREATE).json()["metadata"]
    body = replacement(first["view-uuid"], "SELECT 2 AS id, '' AS ds")
    assert client.post(f"{VIEWS}/first", json=body, headers=REPLACE).status_code == 200
    names = {
        key: {"namespace": ["sales"], "name": name} for key, name in (("source", "first"), ("destination", "daily"))
    }
    assert client.post(f"{PREFIX}/views/rename", json=names, headers=RENAME).status_code == 204
    parameters = client.catalog.load_view(NAME).row.parameters
    assert (parameters[REQUESTS], parameters[RENAMED_WITH]) == (",".join(HASHES[:2]), HASHES[2])
    return client


def dropped(client: RestClient) -> str:
    """The note of a request that has dropped the view."""
    assert client.delete(VIEW, headers=DROP).status_code == 204
    (note,) = [file for file in files_below(str(client.catalog.warehouse)) if file.endswith(f"{HASHES[3]}.request")]
    return note


def test_nothing_that_people_are_shown_has_a_trace_of_a_request(client: RestClient) -> None:
    catalog = client.catalog
    view = catalog.load_view(NAME)
    statements = ("DESCRIBE", "SHOW CREATE TABLE")
    shown = [
        view._repr_html_(),
        view.history._repr_html_(),
        json.dumps(dict(view.properties)),
        *(str(execute(catalog, f"{statement} sales.daily")) for statement in statements),
        str(describe_views(catalog, "sales.*")),
        str(check(catalog, "sales.*")),
        report(catalog, "sales.*").html,
    ]
    for text in shown:
        assert not [one for one in HASHES if one in text], text
    assert view.differences == ()


def test_a_copy_has_carried_out_no_request_and_is_the_same(client: RestClient) -> None:
    there = rest_client()
    for expected in (State.DONE, State.UNCHANGED):
        (outcome,) = copy_views(client.catalog, there.catalog, "sales.daily")
        assert outcome.state is expected, outcome.reason
    copy = there.catalog.load_view(NAME)
    assert not {REQUESTS, RENAMED_WITH} & {*copy.metadata.properties, *copy.row.parameters}
    # Its own requests make it no other view either.
    body = replacement(copy.uuid, "SELECT 2 AS id, '' AS ds")
    there.post(VIEW, json=body, headers={"Idempotency-Key": "0197-there"})
    (outcome,) = copy_views(client.catalog, there.catalog, "sales.daily", on_conflict="replace")
    assert outcome.state in (State.DONE, State.UNCHANGED)


def test_a_restored_view_has_carried_out_no_request(client: RestClient, tmp_path: Path) -> None:
    archive = str(tmp_path / "views.zip")
    backup(client.catalog, archive, "sales.*")
    there = catalog_on(MemoryMetastore())
    (outcome,) = restore(there, archive)
    assert outcome.state is State.DONE
    view = there.load_view(NAME)
    assert not {REQUESTS, RENAMED_WITH} & {*view.metadata.properties, *view.row.parameters}


def test_a_released_view_has_no_parameter_of_ours(client: RestClient) -> None:
    client.catalog.release_view(NAME)
    row = client.catalog.metastore.load_row(NAME)
    assert [key for key in row.parameters if key.startswith(OWN_PREFIX)] == []
    adopted = client.catalog.adopt_view(NAME, new_history=True)
    assert REQUESTS not in adopted.metadata.properties


def test_a_view_that_is_brought_back_has_carried_out_the_requests_that_made_it(client: RestClient) -> None:
    """A client that repeats one, whose answer it has not seen, gets the view."""
    client.catalog.rename_view(NAME, "sales.first")
    client.catalog.drop_view("sales.first")
    undrop(client.catalog, "sales.first")
    assert client.post(VIEWS, json=creation("first"), headers=CREATE).status_code == 200
    assert len(client.catalog.load_view("sales.first").versions) == 2


def test_a_note_is_neither_a_dropped_view_nor_a_file_of_a_view(
    client: RestClient, caplog: pytest.LogCaptureFixture
) -> None:
    note = dropped(client)
    catalog = client.catalog
    assert [str(one.identifier) for one in list_dropped(catalog)] == ["sales.daily"]
    client.post(VIEWS, json=creation())
    assert not [one for one in check(catalog, "sales.*").findings if one.code != "source-gone"]
    with caplog.at_level(logging.WARNING):
        assert catalog.drop_view(NAME, purge=True).left == ()
    assert [record for record in caplog.records if "stay" in record.message] == []
    assert note in files_below(str(catalog.warehouse))
    # The request is still known.
    assert client.delete(VIEW, headers=DROP).status_code == 204
    assert [str(one.identifier) for one in list_dropped(catalog)] == ["sales.daily"]


def test_notes_are_cleaned_after_the_limit_and_never_before_a_day(client: RestClient) -> None:
    note, catalog, now_ms = dropped(client), client.catalog, client.catalog.settings.clock_ms()
    for hours, limit, is_left in (
        (23, timedelta(hours=1), True),
        (24 * 29, timedelta(days=30), True),
        (25, timedelta(hours=1), False),
    ):
        set_written([note], now_ms - hours * DAY_MS // 24)
        outcomes = clean(catalog, "sales.*", older_than=limit)
        assert (note in files_below(str(catalog.warehouse))) is is_left, hours
    assert [(one.view, one.state, [file["location"] for file in one.details["files"]]) for one in outcomes] == [
        ("sales.daily", State.DONE, [note])
    ]
    # The view was made as sales.first, and can still be brought back under the name that it had.
    assert [str(one.identifier) for one in list_dropped(catalog)] == ["sales.daily"]


def test_notes_beside_a_live_view_are_cleaned_too(client: RestClient) -> None:
    note, catalog = dropped(client), client.catalog
    client.post(VIEWS, json=creation())
    set_written([note], catalog.settings.clock_ms() - 31 * DAY_MS)
    (outcome,) = clean(catalog, "sales.daily")
    assert [file["location"] for file in outcome.details["files"]] == [note]
    assert client.get(VIEW).status_code == 200


def test_files_of_a_table_that_are_named_alike_stay(client: RestClient) -> None:
    catalog = client.catalog
    directory = f"{catalog.warehouse}/sales.db/clicks"
    files = [f"{directory}/requests/{name}" for name in ("part-0.parquet", "clicks.request", ".request")]
    files.append(f"{directory}/data/0123456789ab.request")
    for file in files:
        MetadataStorage().write_bytes(file, b"x")
    set_written(files, catalog.settings.clock_ms() - 1000 * DAY_MS)
    clean(catalog, "*.*")
    assert set(files) <= set(files_below(str(catalog.warehouse)))


def test_a_key_is_of_the_view_that_has_the_name(client: RestClient) -> None:
    """The same request, repeated after another view got the name, does not drop that one."""
    dropped(client)
    client.post(VIEWS, json=creation())
    assert client.delete(VIEW, headers=DROP).status_code == 204
    assert client.catalog.view_exists(TableIdentifier.of("sales.daily"))
