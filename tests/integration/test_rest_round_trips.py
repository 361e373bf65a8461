"""How many calls and files each request over REST costs, counted on a real metastore, after a first commit to it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest
from starlette.testclient import TestClient

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.rest.application import create_app
from hive_views.rest.served import ServedCatalogs
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.failing.faulty_storage import FaultyFileSystem
from tests.support.processes.rest_client import creation, key, replacement

READ = "get_table_req"
SWAP = "alter_table_with_environment_context"


@dataclass(frozen=True)
class Counted:
    """A server whose calls of the metastore and of the storage are counted."""

    catalog: ViewCatalog
    calls: list[str]
    files: list[str]
    namespace: str

    @cached_property
    def client(self) -> TestClient:
        served = ServedCatalogs({"hive": self.catalog}, allowed=AllowedLocations([f"faulty://{self.namespace}"]))
        return TestClient(create_app(served))

    @property
    def views(self) -> str:
        return f"/v1/namespaces/{self.namespace}/views"

    def ask(self, method: str, path: str, status: int = 200, **given: Any) -> tuple[list[str], list[str]]:
        """The calls and the operations on files of one request."""
        self.calls.clear()
        self.files.clear()
        assert self.client.request(method, path, **given).status_code == status
        # What a file system asks itself is not counted.
        return list(self.calls), [one for one in self.files if one in ("read", "write", "delete", "list")]

    def beginning_again(self) -> Counted:
        """A server on the same metastore that has read nothing."""
        catalog = ViewCatalog(self.catalog.metastore, warehouse=self.catalog.warehouse, settings=self.catalog.settings)
        return Counted(catalog, self.calls, self.files, self.namespace)


@pytest.fixture(scope="module")
def counted(metastore_uri: str) -> Iterator[Counted]:
    calls: list[str] = []
    files: list[str] = []
    namespace = f"rest_{uuid.uuid4().hex[:12]}"
    with (
        closing(HiveMetastore(metastore_uri, on_call=calls.append)) as metastore,
        FaultyFileSystem.reporting_calls(files.append),
    ):
        # Whether a row is looked at again depends on the speed of a storage, and not of this machine.
        settings = CommitSettings(look_again_after_s=3600.0)
        catalog = ViewCatalog(metastore, warehouse=f"faulty://{namespace}", settings=settings)
        catalog.create_namespace(namespace)
        server = Counted(catalog, calls, files, namespace)
        made(server, "first")
        yield server


def made(server: Counted, name: str) -> str:
    """The uuid of a new view, which was changed once."""
    view = server.client.post(server.views, json=creation(name)).json()["metadata"]["view-uuid"]
    changed = server.client.post(f"{server.views}/{name}", json=replacement(view, "SELECT 1 AS id, '' AS ds"))
    assert changed.status_code == 200, changed.text
    return str(view)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(("name", "status"), [("first", None), ("none", 404)])
def test_a_load_is_one_call_and_so_is_asking_for_a_view_s_existence(
    counted: Counted, method: str, name: str, status: int | None
) -> None:
    """Of what is no view too: engines ask so for every table of a query."""
    found = {"GET": 200, "HEAD": 204}[method]
    assert counted.ask(method, f"{counted.views}/{name}", status or found) == ([READ], [])


def test_a_view_s_file_is_read_once_and_not_to_know_whether_it_exists(counted: Counted) -> None:
    made(counted, "unread")
    forgetting = counted.beginning_again()
    assert forgetting.ask("HEAD", f"{counted.views}/unread", 204) == ([READ], [])
    assert forgetting.ask("GET", f"{counted.views}/unread") == ([READ], ["read"])
    assert forgetting.ask("GET", f"{counted.views}/unread") == ([READ], [])


def test_a_list_is_a_call_for_the_names_and_one_for_the_rows_of_100(counted: Counted) -> None:
    assert counted.ask("GET", f"{counted.views}?pageToken=") == (
        ["get_tables_by_type", "get_table_objects_by_name_req"],
        [],
    )


@pytest.mark.parametrize("headers", [{}, key()], ids=["", "with a key"])
def test_a_commit_is_four_calls_with_the_lock_and_one_file(counted: Counted, headers: dict[str, str]) -> None:
    name = f"v{uuid.uuid4().hex[:8]}"
    body = replacement(made(counted, name), "SELECT 2 AS id, '' AS ds")
    found = counted.ask("POST", f"{counted.views}/{name}", json=body, headers=headers)
    assert found == (["lock", READ, SWAP, "unlock"], ["write"])
    again = counted.ask("POST", f"{counted.views}/{name}", json=body, headers=headers)
    assert again == (["lock", READ, "unlock"], [])


def test_a_creation_asks_for_the_name_and_the_namespace_and_writes_one_file(counted: Counted) -> None:
    found = counted.ask("POST", counted.views, json=creation("new"))
    assert found == (["get_database", READ, "lock", "create_table", "unlock"], ["write"])
    assert counted.ask("POST", counted.views, 409, json=creation("new")) == (["get_database", READ], [])


def test_a_rename_is_one_swap_between_the_locks_of_both_names_and_a_note_under_each(counted: Counted) -> None:
    made(counted, "old")
    source, destination = ({"namespace": [counted.namespace], "name": name} for name in ("old", "renamed"))
    found = counted.ask("POST", "/v1/views/rename", 204, json={"source": source, "destination": destination})
    assert found == (["lock", "lock", READ, SWAP, "unlock", "unlock"], ["write", "write"])


def test_a_drop_notes_the_last_file_and_looks_for_partitions_that_would_keep_the_metastore_from_it(
    counted: Counted,
) -> None:
    made(counted, "dropped")
    found = counted.ask("DELETE", f"{counted.views}/dropped", 204)
    assert found == (["lock", READ, "get_partition_names", "drop_table", "unlock"], ["write"])
    assert counted.ask("DELETE", f"{counted.views}/dropped", 404) == (["lock", READ, "unlock"], [])


def test_a_drop_with_a_key_leaves_a_note_and_its_repetition_reads_it(counted: Counted) -> None:
    made(counted, "noted")
    headers = key()
    calls, files = counted.ask("DELETE", f"{counted.views}/noted", 204, headers=headers)
    assert calls == ["get_database", READ, "lock", READ, "get_partition_names", "drop_table", "unlock"]
    assert sorted(files) == ["list", "read", "write", "write"]
    calls, files = counted.ask("DELETE", f"{counted.views}/noted", 204, headers=headers)
    assert (calls, set(files)) == (["get_database", READ], {"read"})
