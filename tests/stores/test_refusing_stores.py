"""Verbs on a bucket that is missing, forbidden, throttled or cut off: a failure of its kind, and nothing half-done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.cli.doctor.metastore_checks import Check, examine
from hive_views.errors import HiveViewsError, StorageFailure, StorageUnavailableError
from hive_views.estate.each.outcomes import State
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from tests.support.failing.scripted_http import Said, ScriptedHttp, s3_error
from tests.support.processes.s3_server import S3Server

pytestmark = pytest.mark.usefixtures("waited")

TEXT, BETTER = {"hive": "SELECT 1 AS a, 'x' AS ds"}, {"hive": "SELECT 2 AS a, 'x' AS ds"}
COLUMNS = [("a", "int"), ("ds", "string")]
DENIED = s3_error(403, "AccessDenied")

COMMITS: Mapping[str, Callable[[ViewCatalog], Any]] = {
    "create": lambda catalog: catalog.create_view("sales.new", sql=TEXT, schema=COLUMNS),
    "replace": lambda catalog: catalog.replace_view("sales.v", sql=BETTER, schema=COLUMNS),
    "alter": lambda catalog: catalog.alter_view("sales.v", comment="more"),
    "tag": lambda catalog: catalog.tag_view("sales.v", "release"),
    "rename": lambda catalog: catalog.rename_view("sales.v", "sales.w"),
    "drop": lambda catalog: catalog.drop_view("sales.v"),
}
OTHERS: Mapping[str, Callable[[ViewCatalog], Any]] = {
    "load": lambda catalog: catalog.load_view("sales.v"),
    "add partition": lambda catalog: catalog.partitions("sales.v").add([{"ds": "one"}]),
    "purge": lambda catalog: catalog.drop_view("sales.v", purge=True),
    "register": lambda catalog: catalog.register_view("sales.r", f"{catalog.warehouse}/v.metadata.json"),
    "list dropped": hive_views.estate.list_dropped,
    "backup": lambda catalog: hive_views.estate.backup(catalog, f"{catalog.warehouse}/backups/a.zip"),
}
# Verbs on many views say of each what became of it.
OF_MANY: Mapping[str, Callable[[ViewCatalog], Any]] = {
    "undrop": lambda catalog: hive_views.estate.undrop(catalog, "sales.gone"),
    "clean": lambda catalog: hive_views.estate.clean(catalog, "sales.*"),
}


@pytest.fixture(scope="module")
def before_s3(s3: S3Server) -> Iterator[ScriptedHttp]:
    scripted = ScriptedHttp(behind=s3.url)
    yield scripted
    scripted.close()


@pytest.fixture
def store(before_s3: ScriptedHttp) -> ScriptedHttp:
    """In front of the server; what it does not refuse is done."""
    before_s3.reset()
    return before_s3


@pytest.fixture
def refused(s3: S3Server, store: ScriptedHttp, catalog: ViewCatalog, metastore: MemoryMetastore) -> ViewCatalog:
    """A catalog in a new process, with a view and a dropped one."""
    catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS, partitioned_on=["ds"])
    catalog.create_view("sales.gone", sql=TEXT, schema=COLUMNS)
    catalog.drop_view("sales.gone")
    storage = MetadataStorage({**s3.options, "endpoint_url": store.url})
    return ViewCatalog(metastore, storage, warehouse=catalog.warehouse)


def objects_alone(method: str, path: str) -> Said | None:
    """No HEAD of the bucket, and no LIST."""
    return DENIED if "/" not in path.partition("?")[0].strip("/") else None


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        (s3_error(404, "NoSuchBucket"), StorageFailure.NO_CONTAINER),
        (DENIED, StorageFailure.FORBIDDEN),
        (s3_error(400, "ExpiredToken"), StorageFailure.CREDENTIALS),
        (s3_error(429, "TooManyRequests"), StorageFailure.THROTTLED),
    ],
)
@pytest.mark.parametrize("verb", [*COMMITS, *OTHERS, *OF_MANY])
def test_a_verb_that_a_store_refuses_says_why_and_changes_nothing(
    store: ScriptedHttp, refused: ViewCatalog, lake: str, verb: str, said: Said, failure: StorageFailure
) -> None:
    before = _rows(refused)
    store.always(said)
    errors: list[HiveViewsError | None]
    if verb in OF_MANY:
        errors = [one.error for one in OF_MANY[verb](refused).outcomes if one.state is State.FAILED]
    else:
        with pytest.raises(StorageUnavailableError) as raised:
            {**COMMITS, **OTHERS}[verb](refused)
        errors = [raised.value]
    assert errors
    for error in errors:
        assert isinstance(error, StorageUnavailableError)
        assert error.failure is failure
        assert f"bucket {lake[5:]} at {store.url}" in error.message
        assert "love" not in str(error)
    assert _rows(refused) == before
    assert not [one for one in store.requests if one.rstrip("/") == f"PUT /{lake[5:]}"]
    assert len(store.requests) <= 10


def test_a_view_whose_store_refuses_is_neither_found_healthy_nor_broken(
    store: ScriptedHttp, refused: ViewCatalog
) -> None:
    store.always(s3_error(404, "NoSuchBucket"))
    report = hive_views.estate.check(refused)
    assert not report.findings
    assert any("there is no bucket" in one.reason for one in report.not_known)
    assert [type(one.error) for one in hive_views.estate.describe_views(refused)] == [StorageUnavailableError]


@pytest.mark.parametrize("verb", ["load", *COMMITS])
def test_loads_and_commits_need_permission_for_objects_alone(
    store: ScriptedHttp, refused: ViewCatalog, verb: str
) -> None:
    store.says = objects_alone
    {**COMMITS, **OTHERS}[verb](refused)
    assert all(objects_alone(*one.split(" ")) is None for one in store.requests)


@pytest.mark.parametrize("cut", [{"missing_bytes": 5}, {"missing_bytes": 5, "ends_by_reset": True}])
def test_an_answer_that_is_cut_short_is_no_damaged_file_and_the_next_one_counts(
    store: ScriptedHttp, refused: ViewCatalog, cut: dict[str, Any]
) -> None:
    store.always(Said(body=b'{"view-uuid": "', **cut))
    before = _rows(refused)
    for verb in ("load", "replace"):
        with pytest.raises(StorageUnavailableError) as raised:
            {**COMMITS, **OTHERS}[verb](refused)
        assert raised.value.failure is StorageFailure.CUT_SHORT
    assert _rows(refused) == before
    store.says = lambda method, path: None
    assert refused.load_view("sales.v").metadata.current_version_id == 1


def test_a_restore_into_a_bucket_that_is_not_there_makes_no_view(
    store: ScriptedHttp, refused: ViewCatalog, tmp_path: Path
) -> None:
    hive_views.estate.backup(refused, str(tmp_path / "views.zip"))
    store.always(s3_error(404, "NoSuchBucket"))
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    elsewhere = ViewCatalog(metastore, refused.storage, warehouse=refused.warehouse)
    outcomes = hive_views.estate.restore(elsewhere, str(tmp_path / "views.zip")).outcomes
    assert [(one.state, type(one.error)) for one in outcomes] == [(State.FAILED, StorageUnavailableError)]
    assert not metastore.list_view_names("sales")


def test_a_misspelled_bucket_is_not_created(s3: S3Server, lake: str, metastore: MemoryMetastore) -> None:
    catalog = ViewCatalog(metastore, MetadataStorage(s3.options), warehouse=f"{lake}x/views")
    s3.requests()
    with pytest.raises(StorageUnavailableError, match=f"there is no bucket {lake[5:]}x") as raised:
        catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS)
    assert raised.value.failure is StorageFailure.NO_CONTAINER
    assert "PUT bucket" not in s3.requests()
    assert not metastore.list_view_names("sales")


def test_a_view_whose_bucket_is_gone_is_not_called_corrupt(
    s3: S3Server, catalog: ViewCatalog, metastore: MemoryMetastore, user_fs: Any, lake: str
) -> None:
    catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS)
    user_fs.rm(lake, recursive=True)
    fresh = ViewCatalog(metastore, MetadataStorage(s3.options), warehouse=catalog.warehouse)
    with pytest.raises(StorageUnavailableError, match="there is no bucket") as raised:
        fresh.load_view("sales.v")
    assert raised.value.failure is StorageFailure.NO_CONTAINER


def test_doctor_does_what_commits_do_and_names_what_configures_the_client(s3: S3Server, catalog: ViewCatalog) -> None:
    found = _storage_of(catalog)
    assert found.ok
    assert "not overwritten" in found.found
    assert "storage_options.key, storage_options.secret" in found.found
    assert "love" not in found.found


@pytest.mark.parametrize(
    ("refuses", "step"),
    [
        (lambda method, path: DENIED, "write"),
        (lambda method, path: DENIED if method == "GET" else None, "read"),
        (lambda method, path: DENIED if method == "DELETE" else None, "delete"),
        (lambda method, path: s3_error(404, "NoSuchBucket"), "write"),
    ],
)
def test_doctor_says_which_step_the_store_refused(
    store: ScriptedHttp, refused: ViewCatalog, refuses: Callable[[str, str], Said | None], step: str
) -> None:
    store.says = refuses
    found = _storage_of(refused)
    assert found.ok is False
    assert found.found.startswith(f"Cannot {step} {refused.warehouse}/.hive-views-")
    assert "storage_options.key, storage_options.secret, storage_options.endpoint_url" in found.found
    assert "love" not in found.found


def test_doctor_needs_permission_for_objects_alone_and_leaves_nothing(
    s3: S3Server, store: ScriptedHttp, refused: ViewCatalog, lake: str
) -> None:
    before = _files(s3, lake)
    store.says = objects_alone
    assert _storage_of(refused).ok
    # Nor does a step that fails leave the file of the one before it.
    store.says = lambda method, path: DENIED if method == "GET" else None
    assert not _storage_of(refused).ok
    assert _files(s3, lake) == before


def _rows(catalog: ViewCatalog) -> list[Any]:
    names = catalog.metastore.list_view_names("sales")
    return [catalog.metastore.load_row(hive_views.TableIdentifier("sales", name)) for name in names]


def _storage_of(catalog: ViewCatalog) -> Check:
    return next(one for one in examine(catalog) if one.name == "storage")


def _files(s3: S3Server, lake: str) -> list[str]:
    return [one.location for one in Files(s3.options).list_tree(lake, lambda name: False)]
