"""What every object store does for views, and what is made of it when it fails: S3, Azure and GCS servers."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.errors import AlreadyExistsError, StorageFailure, StorageUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage import atomic_writes
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from tests.stores.kinds import EACH, STORES, Store
from tests.stores.writers_at_once import not_refused
from tests.support.failing.scripted_http import Said, azure_error, gcs_error, s3_error

TEXT, BETTER = {"hive": "SELECT 1 AS a, 'x' AS ds"}, {"hive": "SELECT 2 AS a, 'x' AS ds"}
COLUMNS = [("a", "int"), ("ds", "string")]
# A client of Azure waits 15 s and more before each repeat, which nobody waits for here.
_LONGEST_WAITING_S = 300.0

promise = pytest.mark.promise
each_store = pytest.mark.parametrize("store", EACH, indirect=True)


def catalog_on(store: Store) -> ViewCatalog:
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    return ViewCatalog(metastore, MetadataStorage(store.options), warehouse=f"{store.lake}/views")


def create(catalog: ViewCatalog) -> Any:
    return catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS, partitioned_on=["ds"])


# -- files -------------------------------------------------------------------------------------------------------------


@promise(what="exclusive create", holds="of writers of one name at once, one wins; the rest are told", stores=STORES)
@each_store
def test_of_writers_of_one_name_at_once_one_wins(store: Store) -> None:
    won = not_refused(store.new_files, f"{store.lake}/d/file")
    assert won == [store.new_files().read(f"{store.lake}/d/file")]


@promise(
    what="listing after write", holds="a file is listed once it is written, and no more once deleted", stores=STORES
)
@each_store
def test_a_file_is_listed_as_soon_as_it_is_written_and_no_more_when_it_is_deleted(store: Store) -> None:
    files, other = store.new_files(), Files(store.server.options)
    for number in range(3):
        files.write(f"{store.lake}/d/{number}", b"1" * number)
        found = [info.location for info in other.list_infos(f"{store.lake}/d")]
        assert found == [f"{store.lake}/d/{one}" for one in range(number + 1)]
        assert [info.location for info in other.list_tree(store.lake, lambda _: False)] == found
        assert other.exists(f"{store.lake}/d/{number}")
    files.delete(f"{store.lake}/d/1")
    assert other.list(f"{store.lake}/d") == [f"{store.lake}/d/{one}" for one in (0, 2)]
    assert not other.exists(f"{store.lake}/d/1")


@promise(what="atomic whole files", holds="who reads has all of the former content or of the new", stores=STORES)
@each_store
def test_a_file_that_is_replaced_is_read_whole_as_it_was_or_as_it_is(store: Store, tmp_path: Path) -> None:
    contents = [letter * (1 << 18) for letter in (b"a", b"b")]
    sources = [tmp_path / "a", tmp_path / "b"]
    for source, content in zip(sources, contents, strict=True):
        source.write_bytes(content)
    writer, reader, done = Files(store.server.options), Files(store.server.options), threading.Event()
    location = f"{store.lake}/archive"
    writer.upload(sources[0], location)

    def read() -> set[bytes]:
        found = {reader.read(location)}
        while not done.is_set():
            found.add(reader.read(location))
        return found

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        for number in range(10):
            writer.upload(sources[number % 2], location, overwrite=True)
        done.set()
        assert reading.result() <= set(contents)
    with pytest.raises(AlreadyExistsError):
        writer.upload(sources[0], location)


@promise(what="a bucket that is missing", holds="reported as such by every verb, and never created", stores=STORES)
@each_store
def test_a_missing_bucket_is_reported_and_never_created(store: Store) -> None:
    missing = f"{store.lake}x"
    files = store.new_files()
    for verb in (files.read, files.exists, files.list, files.list_infos, partial(files.write, content=b"1")):
        with pytest.raises(StorageUnavailableError) as raised:
            verb(f"{missing}/d/file")
        assert raised.value.failure is StorageFailure.NO_CONTAINER
    assert not files.exists(f"{store.lake}/d/file")
    with pytest.raises(FileNotFoundError):
        files.read(f"{store.lake}/d/file")


# -- answers that are lost, cut short, late ----------------------------------------------------------------------------


@promise(what="answers lost or wrong", holds="a write that was done is known as done, and done once", stores=STORES)
@each_store
@pytest.mark.parametrize(
    "answer",
    [{"missing_bytes": 1}, {"missing_bytes": 1, "ends_by_reset": True}, {"status": 503}],
    ids=["lost", "reset", "503"],
)
def test_a_commit_that_is_done_and_answered_wrongly_is_made_once(
    store: Store, waited: list[float], answer: dict[str, Any]
) -> None:
    catalog = catalog_on(store)
    create(catalog)
    store.spoil_once(store.upload, body=b"", headers={}, **answer)
    assert catalog.replace_view("sales.v", sql=BETTER, schema=COLUMNS).metadata.current_version_id == 2
    assert len(store.requests(store.upload)) == 3
    files = [info.location for info in store.new_files().list_tree(f"{store.lake}/views", lambda _: False)]
    assert len(files) == 2
    assert catalog_of_others(catalog, store).load_view("sales.v").metadata.current_version_id == 2


def catalog_of_others(catalog: ViewCatalog, store: Store) -> ViewCatalog:
    """The same views for a process that has read nothing of them."""
    return ViewCatalog(catalog.metastore, MetadataStorage(store.server.options), warehouse=catalog.warehouse)


@promise(what="answers lost or wrong", holds="a response that is cut short is asked for again", stores=STORES)
@each_store
@pytest.mark.parametrize("ends_by_reset", [False, True])
def test_an_answer_that_is_cut_once_is_asked_for_again(
    store: Store, waited: list[float], *, ends_by_reset: bool
) -> None:
    content = b"0123456789" * 10
    store.new_files().write(f"{store.lake}/file", content)
    store.spoil_once("GET", body=content[:-5], missing_bytes=5, ends_by_reset=ends_by_reset)
    assert store.new_files().read(f"{store.lake}/file") == content


@promise(what="answers lost or wrong", holds="if it is cut short every time, that is reported as such", stores=STORES)
@each_store
def test_an_answer_that_is_always_cut_is_no_damaged_file(store: Store, waited: list[float]) -> None:
    catalog = catalog_on(store)
    create(catalog)
    store.before.spoils = lambda method, answer: (
        Said(answer.status, answer.body[:-5], answer.headers, missing_bytes=5) if method == "GET" else answer
    )
    with pytest.raises(StorageUnavailableError) as raised:
        ViewCatalog(catalog.metastore, MetadataStorage(store.options)).load_view("sales.v")
    assert raised.value.failure is StorageFailure.CUT_SHORT
    assert sum(waited) < _LONGEST_WAITING_S


@promise(what="throttling", holds="a commit waits for the end of a storm of 503", stores=STORES)
@each_store
def test_a_storm_that_ends_delays_a_commit(store: Store, waited: list[float]) -> None:
    commit_through(store, 503)


@promise(what="throttling", holds="a commit is repeated after 429 with Retry-After", stores=("S3", "GCS"))
@pytest.mark.parametrize("store", [EACH[0], EACH[2]], indirect=True)
def test_too_many_requests_delay_a_commit(store: Store, waited: list[float]) -> None:
    """Azure's own client gives up at 429, which Azure's storage does not send: it sends 503."""
    commit_through(store, 429)


def commit_through(store: Store, status: int) -> None:
    catalog = catalog_on(store)
    create(catalog)
    left = [refusal(store, status)] * 2
    store.before.says = lambda method, path: left.pop() if method == store.upload and left else None
    assert catalog.replace_view("sales.v", sql=BETTER, schema=COLUMNS).metadata.current_version_id == 2
    assert not left


@promise(what="throttling", holds="a storm that lasts ends a load and a commit, after minutes at most", stores=STORES)
@each_store
@pytest.mark.parametrize("verb", ["load", "commit"])
def test_a_storm_that_lasts_is_bounded_and_told_as_throttling(store: Store, waited: list[float], verb: str) -> None:
    catalog = catalog_on(store)
    create(catalog)
    fresh = ViewCatalog(catalog.metastore, MetadataStorage(store.options), warehouse=catalog.warehouse)
    method = "GET" if verb == "load" else store.upload
    store.before.says = lambda asked, path: refusal(store, 503) if asked == method else None
    store.before.requests.clear()
    with pytest.raises(StorageUnavailableError) as raised:
        fresh.load_view("sales.v") if verb == "load" else fresh.alter_view("sales.v", comment="more")
    assert raised.value.failure is StorageFailure.THROTTLED
    assert 2 <= len(store.requests(method)) <= 20
    assert sum(waited) < _LONGEST_WAITING_S
    store.before.says = lambda asked, path: None
    assert fresh.load_view("sales.v").metadata == catalog.load_view("sales.v").metadata


def refusal(store: Store, status: int) -> Said:
    if store.kind == "s3":
        return s3_error(status, "SlowDown", **{"Retry-After": "1"})
    said = azure_error(status, "ServerBusy") if store.kind == "azure" else gcs_error(status, "rateLimitExceeded")
    return Said(said.status, said.body, {**said.headers, "Retry-After": "1"})


@promise(what="time-outs", holds="a server that accepts requests and is silent ends a load and a commit", stores=STORES)
@each_store
@pytest.mark.parametrize("verb", ["read", "write"])
def test_a_silent_store_ends_a_verb(store: Store, waited: list[float], verb: str) -> None:
    soon: dict[str, dict[str, Any]] = {
        "s3": {"config_kwargs": {"read_timeout": 0.1}},
        "azure": {"read_timeout": 0.1},
        "gcs": {"requests_timeout": 0.1},
    }
    files = Files({**store.options, **soon[store.kind]})
    store.before.always(Said(is_silent=True))
    with pytest.raises(StorageUnavailableError) as raised:
        files.read(f"{store.lake}/file") if verb == "read" else files.write(f"{store.lake}/file", b"1")
    assert raised.value.failure is StorageFailure.UNREACHABLE
    assert len(store.before.requests) <= 20


@promise(what="time-outs", holds="a server that cannot be connected to ends a load and a commit", stores=STORES)
@each_store
@pytest.mark.parametrize("verb", ["read", "write"])
def test_a_store_that_accepts_no_connection_ends_a_verb(store: Store, waited: list[float], verb: str) -> None:
    soon: dict[str, dict[str, Any]] = {
        "s3": {"config_kwargs": {"connect_timeout": 0.1, "retries": {"total_max_attempts": 2}}},
        "azure": {"connection_timeout": 0.1},
        "gcs": {"requests_timeout": 0.1},
    }
    with ExitStack() as opened:
        # Nobody accepts: the first connections wait to be, and later ones are not answered.
        full = opened.enter_context(closing(socket.socket()))
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):
            waiting = opened.enter_context(closing(socket.socket()))
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        options = store.server.options_at(f"http://127.0.0.1:{full.getsockname()[1]}")
        files = Files({**options, **soon[store.kind]})
        with pytest.raises(StorageUnavailableError) as raised:
            files.read(f"{store.lake}/file") if verb == "read" else files.write(f"{store.lake}/file", b"1")
    assert raised.value.failure is StorageFailure.UNREACHABLE
    assert sum(waited) < _LONGEST_WAITING_S


@promise(what="time-outs", holds="a response that comes byte by byte ends a load after ten minutes", stores=STORES)
@each_store
def test_an_answer_that_comes_byte_by_byte_has_an_end(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    files = store.new_files()
    files.write(f"{store.lake}/file", b"1" * 5000)
    monkeypatch.setattr(atomic_writes, "LONGEST_CALL_S", 0.3)
    store.before.spoils = lambda method, answer: replace(answer, drips=method == "GET")
    with pytest.raises(StorageUnavailableError) as raised:
        files.read(f"{store.lake}/file")
    assert raised.value.failure is StorageFailure.UNREACHABLE


# -- verbs on many views -----------------------------------------------------------------------------------------------


@promise(what="backup and restore", holds="an archive on one store makes the views on another", stores=STORES)
@each_store
def test_views_go_from_one_store_to_another_by_an_archive(store: Store, tmp_path: Path) -> None:
    catalog = catalog_on(store)
    create(catalog)
    catalog.replace_view("sales.v", sql=BETTER, schema=COLUMNS)
    catalog.partitions("sales.v").add([{"ds": "one"}, {"ds": "two"}])
    archive = f"{store.lake}/backups/views.zip"
    hive_views.estate.backup(catalog, archive)
    store.new_files().download(archive, content := BytesIO())
    (tmp_path / "views.zip").write_bytes(content.getvalue())
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    local = ViewCatalog(metastore, warehouse=f"file://{tmp_path}/views")
    for elsewhere, taken in ((local, str(tmp_path / "views.zip")), (catalog_on(store), archive)):
        assert not [one.error for one in hive_views.estate.restore(elsewhere, taken).outcomes if one.error]
        view = elsewhere.load_view("sales.v")
        assert [entry.version_id for entry in view.history] == [1, 2]
        assert elsewhere.partitions("sales.v").names() == ["ds=one", "ds=two"]
    for day in (1, 2):
        catalog.settings = replace(catalog.settings, clock_ms=lambda day=day: day * 86_400_000)
        nightly = hive_views.estate.backup(catalog, f"{store.lake}/nightly/views-%Y-%m-%d.zip", keep=1)
    assert nightly.rotation is not None
    assert [*nightly.rotation.deleted, *nightly.rotation.kept] == [
        f"{store.lake}/nightly/views-1970-01-0{day}.zip" for day in (2, 3)
    ]
    assert store.new_files().list(f"{store.lake}/nightly") == list(nightly.rotation.kept)
