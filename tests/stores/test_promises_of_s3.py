"""What is S3's own: permissions, credentials that expire, versions, encryption, who pays; stores that look like it."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.cli.doctor.metastore_checks import examine
from hive_views.errors import StorageFailure, StorageUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage import atomic_writes
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from tests.stores.kinds import EACH, Store
from tests.support.failing.scripted_http import Said, s3_error
from tests.support.processes.s3_server import S3Server

TEXT, BETTER = {"hive": "SELECT 1 AS a, 'x' AS ds"}, {"hive": "SELECT 2 AS a, 'x' AS ds"}
COLUMNS = [("a", "int"), ("ds", "string")]

on_s3 = pytest.mark.parametrize("store", EACH[:1], indirect=True)


def promise(what: str, holds: str) -> Any:
    return pytest.mark.promise(what=what, holds=holds, stores=("S3",))


def new_catalog(store: Store, **options: Any) -> ViewCatalog:
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    return same_views(ViewCatalog(metastore, warehouse=f"{store.lake}/views"), {**store.options, **options})


def same_views(catalog: ViewCatalog, options: dict[str, Any]) -> ViewCatalog:
    """The same views for a process that has read nothing of them."""
    return ViewCatalog(catalog.metastore, MetadataStorage(options), warehouse=catalog.warehouse)


def create(catalog: ViewCatalog) -> Any:
    return catalog.create_view("sales.v", sql=TEXT, schema=COLUMNS, partitioned_on=["ds"])


def every_kind_of_request(catalog: ViewCatalog) -> None:
    """Read, write, list, look for and delete files, one by one and several at once."""
    create(catalog)
    catalog.partitions("sales.v").add([{"ds": "one"}])
    fresh = same_views(catalog, catalog.storage.files.options)
    fresh.replace_view("sales.v", sql=BETTER, schema=COLUMNS)
    hive_views.estate.backup(fresh, f"{catalog.warehouse}/backups/a.zip")
    fresh.storage.files.delete(f"{catalog.warehouse}/backups/a.zip")
    assert not fresh.drop_view("sales.v", purge=True).left


# -- stores that ignore If-None-Match ----------------------------------------------------------------------------------


@pytest.fixture
def overwriting(store: Store) -> Store:
    """A store that writes over what has the name, whatever it is asked."""
    store.before.forwards = lambda headers: {k: v for k, v in headers.items() if k.lower() != "if-none-match"}
    return store


@promise("a store that ignores If-None-Match", "doctor reports it as a failed check")
@on_s3
def test_doctor_finds_a_store_that_ignores_if_none_match(overwriting: Store) -> None:
    found = next(one for one in examine(new_catalog(overwriting)) if one.name == "storage")
    assert found.ok is False
    assert "overwrites an existing file when a new one is created" in found.found


@promise("a store that ignores If-None-Match", "no file of a commit is written twice: each name has a random part")
@on_s3
def test_no_writer_at_the_same_time_has_the_name_of_another_one_s_file(overwriting: Store) -> None:
    catalog = new_catalog(overwriting)
    create(catalog)

    def write(number: int) -> None:
        mine = same_views(catalog, overwriting.options)
        for one in range(3):
            mine.alter_view("sales.v", set_properties={f"by-{number}": str(one)})
            mine.partitions("sales.v").add([{"ds": f"{number}-{one}"}])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    written = overwriting.requests("PUT")
    assert len(written) == len(set(written))
    view = same_views(catalog, overwriting.options).load_view("sales.v")
    assert {view.properties[f"by-{number}"] for number in range(4)} == {"2"}
    assert len(catalog.partitions("sales.v").names()) == 12


# -- 409 ConditionalRequestConflict ------------------------------------------------------------------------------------


BACKUP = "backups/views.zip"
WRITES: dict[str, Callable[[ViewCatalog], Any]] = {
    "commit": lambda catalog: catalog.replace_view("sales.v", sql=BETTER, schema=COLUMNS),
    "partition": lambda catalog: catalog.partitions("sales.v").add([{"ds": "one"}]),
    "backup": lambda catalog: hive_views.estate.backup(catalog, f"{catalog.warehouse}/{BACKUP}"),
}


@pytest.fixture
def conflicts(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Refuses so many of the next files as S3 does while another writer writes one of the name; nobody waits."""
    monkeypatch.setattr(atomic_writes.write_again.retry, "sleep", lambda _: None)

    def refuse(times: float) -> None:
        left = iter(range(int(times))) if times < math.inf else itertools.count()
        conflict = s3_error(409, "ConditionalRequestConflict")
        store.before.requests.clear()
        store.before.says = lambda method, _: conflict if method == "PUT" and next(left, None) is not None else None

    return refuse


@promise("409 ConditionalRequestConflict", "a commit, a partition and a backup are repeated, and done once")
@on_s3
@pytest.mark.parametrize("verb", WRITES)
def test_a_conflict_that_ends_delays_a_write(store: Store, conflicts: Callable[[float], None], verb: str) -> None:
    catalog = new_catalog(store)
    create(catalog)
    conflicts(3)
    WRITES[verb](catalog)
    assert len(set(store.requests("PUT")[:4])) == 1
    written = [info.location for info in Files(store.server.options).list_tree(store.lake, lambda _: False)]
    assert len(written) == len(set(store.requests("PUT"))) + 1
    others = same_views(catalog, store.server.options)
    assert others.load_view("sales.v").metadata.current_version_id == (2 if verb == "commit" else 1)
    assert others.partitions("sales.v").names() == (["ds=one"] if verb == "partition" else [])


@promise("409 ConditionalRequestConflict", "if it lasts, a commit and a backup end after five attempts, undone")
@on_s3
@pytest.mark.parametrize("verb", ["commit", "backup"])
def test_a_conflict_that_lasts_ends_a_write(store: Store, conflicts: Callable[[float], None], verb: str) -> None:
    catalog = new_catalog(store)
    view = create(catalog)
    conflicts(math.inf)
    with pytest.raises(StorageUnavailableError, match="ConditionalRequestConflict"):
        WRITES[verb](catalog)
    assert (len(store.requests("PUT")), len(set(store.requests("PUT")))) == (5, 1)
    assert same_views(catalog, store.server.options).load_view("sales.v").metadata == view.metadata


# -- permissions and credentials ---------------------------------------------------------------------------------------


OBJECTS, LISTS = ("s3:GetObject", "s3:PutObject"), ("s3:ListBucket",)


@contextmanager
def enforced(s3: S3Server) -> Iterator[None]:
    """The server asks for permissions."""
    _enforce(s3, "0")
    try:
        yield
    finally:
        _enforce(s3, "inf")


def _enforce(s3: S3Server, from_request: str) -> None:
    head = {"Content-Type": "text/plain"}
    asked = urllib.request.Request(f"{s3.url}/moto-api/reset-auth", from_request.encode(), head)
    urllib.request.urlopen(asked).close()


def user_who_may(s3: S3Server, lake: str, objects: Sequence[str], bucket: Sequence[str]) -> dict[str, Any]:
    """The options of a new user who has these permissions for views/* and for the bucket."""
    iam, name, arn = s3.client("iam"), lake[5:], f"arn:aws:s3:::{lake[5:]}"
    allowed = [(f"{arn}/views/*", objects), (arn, bucket)]
    statements = [{"Effect": "Allow", "Action": actions, "Resource": on} for on, actions in allowed if actions]
    iam.create_user(UserName=name)
    policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
    iam.put_user_policy(UserName=name, PolicyName="views", PolicyDocument=policy)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {**s3.options, "key": key["AccessKeyId"], "secret": key["SecretAccessKey"]}


@promise("least permissions", "GetObject and PutObject on views/*: create, load, replace, partitions, rename, drop")
@on_s3
def test_commits_need_no_other_permission_than_to_get_and_put_objects(s3: S3Server, store: Store) -> None:
    user = user_who_may(s3, store.lake, OBJECTS, ())
    catalog = same_views(new_catalog(store), user)
    with enforced(s3):
        create(catalog)
        catalog.replace_view("sales.v", sql=BETTER, schema=COLUMNS)
        same_views(catalog, user).partitions("sales.v").add([{"ds": "one"}])
        same_views(catalog, user).partitions("sales.v").add([{"ds": "two"}])
        catalog.rename_view("sales.v", "sales.w")
        assert same_views(catalog, user).load_view("sales.w").metadata.current_version_id == 2
        catalog.drop_view("sales.w")
        for outside in (f"{store.lake}/other/file", f"{store.lake}/file"):
            with pytest.raises(StorageUnavailableError, match="denied access"):
                Files(user).write(outside, b"1")
        [failed] = hive_views.estate.undrop(catalog, "sales.w").outcomes
    assert isinstance(failed.error, StorageUnavailableError)
    assert failed.error.failure is StorageFailure.FORBIDDEN
    assert "Cannot list" in failed.error.message


@promise("least permissions", "with ListBucket and DeleteObject: undrop, clean, backup, restore, purge, doctor")
@on_s3
def test_every_verb_is_done_with_these_permissions(s3: S3Server, store: Store) -> None:
    # The server asks for the right to delete several objects at once on the bucket, and S3 on each object.
    user = user_who_may(s3, store.lake, (*OBJECTS, "s3:DeleteObject"), (*LISTS, "s3:DeleteObject"))
    catalog = same_views(new_catalog(store), user)
    with enforced(s3):
        create(catalog)
        catalog.drop_view("sales.v")
        assert not [one.error for one in hive_views.estate.undrop(catalog, "sales.v").outcomes if one.error]
        assert not [one.error for one in hive_views.estate.clean(catalog, "sales.*").outcomes if one.error]
        hive_views.estate.backup(catalog, f"{catalog.warehouse}/backups/a.zip")
        assert catalog.drop_view("sales.v", purge=True).deleted
        restored = hive_views.estate.restore(catalog, f"{catalog.warehouse}/backups/a.zip")
        assert not [one.error for one in restored.outcomes if one.error]
        assert next(one for one in examine(catalog) if one.name == "storage").ok


@promise("credentials that expire", "fetched again in a running process (credential_process of a profile)")
@on_s3
def test_credentials_that_expire_are_fetched_again_in_the_same_process(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that runs for weeks has temporary keys of a process, a container or a web identity."""
    program = tmp_path / "keys.py"
    program.write_text(f"""
import datetime, json, pathlib
calls = pathlib.Path({str(tmp_path / "calls")!r})
calls.touch()
number = len(calls.read_text()) + 1
calls.write_text("x" * number)
ends = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=1)
keys = {{"AccessKeyId": f"key-{{number}}", "SecretAccessKey": "love", "SessionToken": "token"}}
print(json.dumps({{"Version": 1, **keys, "Expiration": ends.isoformat()}}))
""")
    (tmp_path / "config").write_text(f"[profile rotating]\ncredential_process = {sys.executable} {program}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    options = {name: value for name, value in store.options.items() if name not in ("key", "secret")}
    catalog = same_views(new_catalog(store), {**options, "profile": "rotating"})
    create(catalog)
    first = used_key(store)
    store.before.says = lambda method, path: s3_error(400, "ExpiredToken") if used_key(store) == first else None
    catalog.replace_view("sales.v", sql=BETTER, schema=COLUMNS)
    assert first != used_key(store)
    assert same_views(catalog, store.options).load_view("sales.v").metadata.current_version_id == 2


def used_key(store: Store) -> str:
    return str(store.before.headers[-1]["Authorization"]).partition("Credential=")[2].partition("/")[0]


# -- what is left ------------------------------------------------------------------------------------------------------


@promise("purge where the store keeps versions", "every file stays as a version below a delete marker")
@on_s3
def test_a_purge_in_a_versioned_bucket_leaves_versions(s3: S3Server, store: Store) -> None:
    client = s3.client("s3")
    client.put_bucket_versioning(Bucket=store.lake[5:], VersioningConfiguration={"Status": "Enabled"})
    catalog = new_catalog(store)
    create(catalog)
    purged = catalog.drop_view("sales.v", purge=True)
    assert store.new_files().list_tree(catalog.warehouse or "", lambda _: False) == []
    left = client.list_object_versions(Bucket=store.lake[5:])
    versions, markers = ({f"{store.lake}/{one['Key']}" for one in left[kind]} for kind in ("Versions", "DeleteMarkers"))
    assert set(purged.deleted) <= versions
    assert versions == markers


@promise("an upload that is killed", "leaves no file of its name, but the parts of one of 100 MB or more")
@on_s3
def test_a_killed_upload_of_a_large_archive_leaves_parts_and_no_file(
    s3: S3Server, store: Store, tmp_path: Path
) -> None:
    with (tmp_path / "archive").open("wb") as archive:
        archive.truncate(101 << 20)
    store.before.says = lambda method, path: Said(is_silent=True) if "partNumber=3" in path else None
    uploading = f"""
from pathlib import Path
from hive_views.storage.files import Files
Files({store.options!r}).upload(Path({str(tmp_path / "archive")!r}), "{store.lake}/archive")
"""
    process = subprocess.Popen([sys.executable, "-c", uploading])
    while not any("partNumber=3" in one for one in store.before.requests):
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)
    process.kill()
    process.wait()
    assert not Files(s3.options).exists(f"{store.lake}/archive")
    [upload] = s3.client("s3").list_multipart_uploads(Bucket=store.lake[5:])["Uploads"]
    assert upload["Key"] == "archive"


# -- settings ----------------------------------------------------------------------------------------------------------


SETTINGS: list[Any] = [
    pytest.param(
        {"requester_pays": True},
        lambda request, headers: headers["x-amz-request-payer"] == "requester",
        marks=promise("requester pays", "`requester_pays = true`: every request says so"),
        id="requester pays",
    ),
    pytest.param(
        {"s3_additional_kwargs": {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": "views"}},
        lambda request, headers: headers["x-amz-server-side-encryption"] == "aws:kms" or not request.startswith("PUT "),
        marks=promise("encryption", "`s3_additional_kwargs`: a key of KMS for each file that is written"),
        id="key of KMS",
    ),
    pytest.param(
        {"client_kwargs": {"region_name": "eu-west-1"}},
        lambda request, headers: "/eu-west-1/s3/" in headers["Authorization"],
        marks=promise("regions", "`client_kwargs.region_name`, or AWS_DEFAULT_REGION"),
        id="region",
    ),
]


@on_s3
@pytest.mark.parametrize(("options", "holds"), SETTINGS)
def test_every_request_says_what_is_set(
    store: Store, options: dict[str, Any], holds: Callable[[str, Any], bool]
) -> None:
    every_kind_of_request(new_catalog(store, **options))
    said = zip(store.before.requests, store.before.headers, strict=True)
    assert [request for request, headers in said if not holds(request, headers)] == []
    assert {one.partition(" ")[0] for one in store.before.requests} == {"PUT", "GET", "HEAD", "POST", "DELETE"}


@promise("path style", "used where an endpoint is given; `config_kwargs.s3.addressing_style` changes it")
@on_s3
def test_an_endpoint_with_a_name_has_the_bucket_in_the_path(store: Store) -> None:
    by_name = store.before.url.replace("127.0.0.1", "localhost")
    create(new_catalog(store, endpoint_url=by_name))
    assert {headers["Host"] for headers in store.before.headers} == {by_name.removeprefix("http://")}
    virtual = {"s3": {"addressing_style": "virtual"}, "retries": {"total_max_attempts": 1}}
    with pytest.raises(StorageUnavailableError, match=rf"http://{store.lake[5:]}\.localhost"):
        create(new_catalog(store, endpoint_url=by_name, config_kwargs=virtual))


@promise("`s3a://` of Hadoop and Iceberg Java", "pointers and warehouses are read, changed and purged as `s3://`")
@on_s3
def test_views_at_s3a_are_those_at_s3(store: Store) -> None:
    catalog = new_catalog(store)
    hadoop = ViewCatalog(catalog.metastore, catalog.storage, warehouse=f"{store.lake.replace('s3:', 's3a:')}/views")
    created = create(hadoop)
    assert created.metadata_location.startswith("s3a://")
    view = catalog.replace_view("sales.v", sql=BETTER, schema=COLUMNS)
    assert [entry.version_id for entry in hadoop.load_view("sales.v").history] == [1, 2]
    registered = catalog.register_view("sales.again", view.metadata_location.replace("s3a://", "s3://"))
    assert registered.metadata.versions == view.metadata.versions
    assert not hive_views.estate.check(catalog).findings
    catalog.drop_view("sales.again", purge=True)
    assert not catalog.drop_view("sales.v", purge=True).left
