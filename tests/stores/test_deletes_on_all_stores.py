"""What purge and clean delete on every object store, by which requests, and what is told of files that stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.errors import StorageFailure, StorageUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.journal.location_notes import is_note
from tests.stores.kinds import EACH, STORES, Store
from tests.support.failing.scripted_http import Said, azure_error, gcs_error, s3_error

pytestmark = pytest.mark.parametrize("store", EACH, indirect=True)
promise = pytest.mark.promise

FORBIDDEN = {
    "s3": s3_error(403, "AccessDenied"),
    "azure": azure_error(403, "AuthorizationPermissionMismatch"),
    "gcs": gcs_error(403, "forbidden"),
}


@pytest.fixture
def catalog(store: Store, metastore: MemoryMetastore) -> ViewCatalog:
    """In a directory whose name clients take for a pattern where they are not told that it is none."""
    return ViewCatalog(metastore, MetadataStorage(store.options), warehouse=f"{store.lake}/views/[1]*")


def create(catalog: ViewCatalog, name: str) -> Any:
    """A view of three files of metadata, and two of the journal of its partitions."""
    sql = {"hive": "SELECT 1 AS a, 'x' AS ds"}
    catalog.create_view(name, sql=sql, schema=[("a", "int"), ("ds", "string")], partitioned_on=["ds"])
    catalog.partitions(name).add([{"ds": "one"}])
    catalog.alter_view(name, comment="more")
    return catalog.alter_view(name, comment="and more")


def files_there(store: Store) -> list[str]:
    """All files but notes that a view is dropped, asked for by another client."""
    files = MetadataStorage(store.server.options).files
    return [info.location for info in files.list_tree(store.lake, lambda _: False) if not is_note(info.location)]


def deletions(store: Store) -> list[str]:
    return [one for one in store.before.requests if one.startswith("DELETE ") or "?delete" in one]


def refuse_second_deletion(store: Store) -> None:
    """Of S3 the first, since that is of all files."""
    refused, asked = 1 if store.kind == "s3" else 2, list[str]()

    def says(method: str, path: str) -> Said | None:
        if method != "DELETE" and "?delete" not in path:
            return None
        asked.append(path)
        return FORBIDDEN[store.kind] if len(asked) == refused else None

    store.before.says = says


@promise(what="purge", holds="what is the view's own is deleted, and nothing else", stores=STORES)
@promise(what="purge", holds="all files of a view by one request", stores=("S3",))
@promise(what="purge", holds="one request for each file", stores=("Azure",))
def test_a_purge_deletes_what_is_the_view_s_own_and_leaves_the_rest(store: Store, catalog: ViewCatalog) -> None:
    directory = create(catalog, "sales.v").metadata_location.rpartition("/")[0]
    others = [f"{directory}/note.txt", f"{store.lake}/views/1/sales.db/v/metadata/note.txt"]
    for location in others:
        catalog.storage.write_bytes(location, b"somebody's")
    purged = catalog.drop_view("sales.v", purge=True)
    assert (len(purged.deleted), purged.left) == (5, (others[0],))
    assert files_there(store) == sorted(others)
    assert len(deletions(store)) == (1 if store.kind == "s3" else 5)


@promise(what="purge", holds="files that the store refuses to delete are named", stores=STORES)
def test_a_purge_that_is_refused_names_the_files_that_are_left(store: Store, catalog: ViewCatalog) -> None:
    create(catalog, "sales.v")
    before = files_there(store)
    refuse_second_deletion(store)
    with pytest.raises(StorageUnavailableError) as raised:
        catalog.drop_view("sales.v", purge=True)
    assert raised.value.failure is StorageFailure.FORBIDDEN
    assert sorted(raised.value.left) == files_there(store) == sorted(before)[0 if store.kind == "s3" else 1 :]


@promise(what="clean", holds="files that no row needs are deleted once they are old by the store's time", stores=STORES)
def test_clean_deletes_what_is_old_and_not_needed_and_names_what_it_may_not(store: Store, catalog: ViewCatalog) -> None:
    view = create(catalog, "sales.v")
    create(catalog, "sales.gone")
    catalog.drop_view("sales.gone")
    for location in files_there(store):
        if "/gone/" in location and is_metadata_file(location):
            catalog.storage.delete(location)
    before = files_there(store)
    first = min(one for one in before if "/v/metadata/" in one)
    journal = [one for one in before if "/gone/" in one]
    assert len(journal) == 2

    def cleaned(days: float, **given: Any) -> tuple[set[Any], Sequence[str]]:
        newest = max(info.modified_at_ms or 0 for info in catalog.storage.files.list_tree(store.lake, lambda _: False))
        settings = CommitSettings(clock_ms=lambda: newest + int(days * 86_400_000))
        later = ViewCatalog(catalog.metastore, catalog.storage, warehouse=catalog.warehouse, settings=settings)
        found = hive_views.estate.clean(later, "sales.*", older_than=timedelta(days=1), **given)
        errors = {type(one.error) for one in found.outcomes if one.error}
        files = [file["location"] for one in found.outcomes for file in one.details.get("files", ())]
        return errors, sorted(one for one in files if not is_note(one))

    assert cleaned(0.9) == (set(), [])
    assert cleaned(2, dry_run=True) == (set(), sorted([first, *journal]))
    assert files_there(store) == before
    store.before.says = lambda method, path: FORBIDDEN[store.kind] if method == "DELETE" else None
    assert cleaned(2) == ({StorageUnavailableError}, [])
    store.before.says = lambda method, path: None
    assert cleaned(2) == (set(), sorted([first, *journal]))
    assert files_there(store) == [one for one in before if one not in (first, *journal)]
    assert catalog.load_view("sales.v").metadata == view.metadata
