"""What a user is told when an object store fails: real clients against a server that answers as it is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fsspec.registry import _registry

from hive_views.errors import StorageFailure, StorageUnavailableError
from hive_views.storage.client_errors import _CLASSES_OF, failure_of
from hive_views.storage.file_systems import FileSystems
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.object_stores import ObjectStore, container_of, object_store_of
from tests.support.failing.scripted_http import Said, ScriptedHttp, azure_error, gcs_error, s3_error

pytest.importorskip("s3fs")
pytestmark = pytest.mark.usefixtures("waited")

# Where the classes of a client are.
RAISED_BY = {
    "botocore": "botocore.exceptions",
    "aiohttp": "aiohttp",
    "azure": "azure.core.exceptions",
    "google": "google.auth.exceptions",
    "gcsfs": "gcsfs.retry",
    "requests": "requests.exceptions",
}


@pytest.fixture
def store() -> Iterator[ScriptedHttp]:
    scripted = ScriptedHttp()
    yield scripted
    scripted.close()


@pytest.fixture(scope="module")
def of_several_tests() -> Iterator[ScriptedHttp]:
    scripted = ScriptedHttp()
    yield scripted
    scripted.close()


@pytest.fixture
def same_store(of_several_tests: ScriptedHttp) -> ScriptedHttp:
    """The same for tests whose answers a client keeps nothing of."""
    of_several_tests.reset()
    return of_several_tests


def files(url: str, **options: Any) -> Files:
    region = {"region_name": "us-east-1"}
    return Files({"key": "ada", "secret": "x-secret-x", "endpoint_url": url, "client_kwargs": region, **options})


@pytest.mark.parametrize(
    ("status", "code", "failure"),
    [
        (404, "NoSuchBucket", StorageFailure.NO_CONTAINER),
        (400, "ExpiredToken", StorageFailure.CREDENTIALS),
        (403, "InvalidAccessKeyId", StorageFailure.CREDENTIALS),
        (403, "SignatureDoesNotMatch", StorageFailure.CREDENTIALS),
        (403, "RequestTimeTooSkewed", StorageFailure.CREDENTIALS),
        (400, "AuthorizationHeaderMalformed", StorageFailure.CREDENTIALS),
        (403, "AccessDenied", StorageFailure.FORBIDDEN),
        (429, "TooManyRequests", StorageFailure.THROTTLED),
        (502, "", StorageFailure.THROTTLED),
        (501, "NotImplemented", StorageFailure.OTHER),
    ],
)
@pytest.mark.parametrize("verb", ["read", "write", "list"])
def test_what_an_object_store_refuses_is_named_with_bucket_and_endpoint(
    same_store: ScriptedHttp, verb: str, status: int, code: str, failure: StorageFailure
) -> None:
    same_store.always(s3_error(status, code))
    with pytest.raises(StorageUnavailableError) as raised:
        _do(files(same_store.url), verb)
    assert raised.value.failure is failure
    if failure is not StorageFailure.OTHER:
        assert "bucket lake" in raised.value.message
        assert same_store.url in raised.value.message
    assert "x-secret-x" not in str(raised.value)


@pytest.mark.parametrize("verb", ["read", "look for", "write"])
def test_where_s3_may_mean_that_a_file_is_missing_that_is_said(same_store: ScriptedHttp, verb: str) -> None:
    """It answers 403 for a missing one to whoever may not list the bucket."""
    same_store.always(s3_error(403, "AccessDenied"))
    with pytest.raises(StorageUnavailableError, match="denied access") as raised:
        _do(files(same_store.url), verb)
    assert ("a file that does not exist, too" in raised.value.message) is (verb != "write")


def test_a_store_that_goes_on_throttling_ends_a_write_after_some_repeats_and_is_named_so(store: ScriptedHttp) -> None:
    """As the clients are by default, a write repeated 25 times takes 140 s."""
    store.always(s3_error(503, "SlowDown"))
    with pytest.raises(StorageUnavailableError, match="is throttling requests") as raised:
        _do(files(store.url), "write")
    assert raised.value.failure is StorageFailure.THROTTLED
    assert {*store.requests} == {"PUT /lake/views/v.json"}
    assert 3 <= len(store.requests) <= 15


@pytest.mark.parametrize("given", [{}, {"config_kwargs": {"retries": {"max_attempts": 1}}}])
def test_all_requests_are_of_one_client(store: ScriptedHttp, given: dict[str, Any]) -> None:
    storage = files(store.url, **given)
    fs, _ = FileSystems(storage.options).open("s3://lake")
    storage.exists("s3://lake/views/v.json")
    assert FileSystems(storage.options).open("s3://lake")[0] is fs


def test_a_request_that_is_cancelled_is_no_success(store: ScriptedHttp, tmp_path: Path) -> None:
    """As those are that wait for a connection when a process ends."""
    store.always(Said(is_silent=True))
    storage, location = files(store.url), "s3://lake/views/v.json"
    (tmp_path / "file").touch()
    verbs: list[Callable[[], Any]] = [
        lambda: storage.write(location, b"{}"),
        lambda: storage.upload(tmp_path / "file", location),
        lambda: storage.delete(location),
        lambda: storage.exists(location),
        lambda: storage.read(location),
    ]
    loop = FileSystems(storage.options).open(location)[0].loop
    before = asyncio.all_tasks(loop)
    with ThreadPoolExecutor() as threads:
        asked = [threads.submit(verb) for verb in verbs]
        while len(store.requests) < len(verbs):
            time.sleep(0.01)
        for task in asyncio.all_tasks(loop) - before:
            loop.call_soon_threadsafe(task.cancel)
        assert [type(one.exception()) for one in asked] == [StorageUnavailableError] * len(verbs)


def test_a_conflict_with_another_writer_of_the_name_is_repeated_as_its_answer_says(store: ScriptedHttp) -> None:
    store.always(s3_error(409, "ConditionalRequestConflict"))
    with pytest.raises(StorageUnavailableError):
        _do(files(store.url), "write")
    assert store.requests == ["PUT /lake/views/v.json"] * 5


def _do(storage: Files, verb: str) -> None:
    if verb == "read":
        storage.read("s3://lake/views/v.json")
    elif verb == "write":
        storage.write("s3://lake/views/v.json", b"{}")
    elif verb == "look for":
        storage.exists("s3://lake/views/v.json")
    else:
        storage.list("s3://lake/views")


@pytest.mark.parametrize(
    ("status", "failure"),
    [(400, StorageFailure.CREDENTIALS), (403, StorageFailure.FORBIDDEN), (429, StorageFailure.THROTTLED)],
)
def test_an_answer_without_a_body_is_named_by_its_status(
    same_store: ScriptedHttp, status: int, failure: StorageFailure
) -> None:
    """That to HEAD has none, and says of an expired token "Bad Request"."""
    same_store.always(Said(status))
    with pytest.raises(StorageUnavailableError, match=same_store.url) as raised:
        files(same_store.url).exists("s3://lake/views/v.json")
    assert raised.value.failure is failure


@pytest.mark.parametrize("region", [{"x-amz-bucket-region": "eu-west-1"}, {}])
@pytest.mark.parametrize("verb", ["read", "write", "look for"])
def test_a_bucket_that_is_elsewhere_is_told_with_the_settings_of_its_address(
    store: ScriptedHttp, verb: str, region: dict[str, str]
) -> None:
    """Without a region the client asks for it, and a server that redirects all redirects that question too."""
    store.always(s3_error(301, "PermanentRedirect", **region))
    with pytest.raises(StorageUnavailableError, match="AWS_ENDPOINT_URL") as raised:
        _do(files(store.url), verb)
    assert raised.value.failure is StorageFailure.UNREACHABLE


@pytest.mark.parametrize(("verb", "tries"), [("read", 4), ("write", 2)])
def test_a_store_that_does_not_answer_ends_a_verb_after_few_time_outs(
    store: ScriptedHttp, verb: str, tries: int
) -> None:
    store.always(Said(is_silent=True))
    waiting = {"read_timeout": 0.1, "retries": {"total_max_attempts": 1, "mode": "standard"}}
    with pytest.raises(StorageUnavailableError, match="cannot be reached") as raised:
        _do(files(store.url, config_kwargs=waiting), verb)
    assert raised.value.failure is StorageFailure.UNREACHABLE
    assert len(store.requests) == tries


GCS, AZURE = "gs://lake/views/v.json", "abfs://lake/views/v.json"


@pytest.mark.parametrize(
    ("location", "said", "failure"),
    [
        (GCS, gcs_error(404, "notFound"), StorageFailure.NO_CONTAINER),
        (GCS, gcs_error(403, "forbidden"), StorageFailure.FORBIDDEN),
        (GCS, gcs_error(401, "authError"), StorageFailure.CREDENTIALS),
        (AZURE, azure_error(404, "ContainerNotFound"), StorageFailure.NO_CONTAINER),
        (AZURE, azure_error(403, "AuthorizationPermissionMismatch"), StorageFailure.FORBIDDEN),
        (AZURE, azure_error(403, "AuthenticationFailed"), StorageFailure.CREDENTIALS),
        (AZURE, azure_error(401, "NoAuthenticationInformation"), StorageFailure.CREDENTIALS),
        (AZURE, azure_error(429, "TooManyRequests"), StorageFailure.THROTTLED),
    ],
)
@pytest.mark.parametrize("verb", ["read", "write", "list", "delete"])
def test_google_s_and_azure_s_refusals_are_named_as_those_of_s3(
    same_store: ScriptedHttp,
    monkeypatch: pytest.MonkeyPatch,
    location: str,
    said: Said,
    failure: StorageFailure,
    verb: str,
) -> None:
    storage = on_store(same_store, location, monkeypatch)
    same_store.always(said)
    do = {
        "read": lambda: storage.read(location),
        "write": lambda: storage.write(location, b"{}"),
        "list": lambda: storage.list(location.rpartition("/")[0]),
        "delete": lambda: storage.delete(location),
    }
    with pytest.raises(StorageUnavailableError, match=same_store.url) as raised:
        do[verb]()
    assert raised.value.failure is failure
    assert "x-secret-x" not in str(raised.value)
    assert "<" not in raised.value.message
    assert not any(one.startswith(("PUT /storage/v1/b?", "POST /storage/v1/b?")) for one in same_store.requests)
    assert not any("restype=container" in one and one.startswith("PUT") for one in same_store.requests)


def on_store(store: ScriptedHttp, location: str, monkeypatch: pytest.MonkeyPatch) -> Files:
    if location == GCS:
        # Not the class above it, which asks Google itself what kind of bucket it is, by gRPC.
        core = pytest.importorskip("gcsfs.core").GCSFileSystem
        monkeypatch.setitem(_registry, "gs", core)
        return Files({"endpoint_url": store.url, "token": "anon"})
    pytest.importorskip("adlfs")
    account = "DefaultEndpointsProtocol=http;AccountName=ada;AccountKey=eC1zZWNyZXQteA==;"
    return Files({"connection_string": f"{account}BlobEndpoint={store.url}/ada;"})


@pytest.mark.parametrize("location", [GCS, AZURE])
def test_a_missing_file_of_google_s_and_azure_s_is_no_missing_bucket(
    store: ScriptedHttp, monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    storage = on_store(store, location, monkeypatch)
    missing = gcs_error(404, "notFound") if location == GCS else azure_error(404, "BlobNotFound")
    lists_all = "GET /storage/v1/b/lake/o?maxResults=1"
    for listed in (Said(body=b"{}"), gcs_error(403, "forbidden")):
        answers = {lists_all: listed}
        store.says = lambda method, path, answers=answers: answers.get(f"{method} {path}", missing)  # type: ignore[misc]
        with pytest.raises(FileNotFoundError):
            storage.read(location)
    assert storage.list(location.rpartition("/")[0]) == []


@pytest.mark.parametrize("package", _CLASSES_OF)
def test_the_classes_that_are_known_of_a_client_are_its_own(package: str) -> None:
    module = pytest.importorskip(RAISED_BY[package])
    for failure, names in _CLASSES_OF[package].items():
        for kind in (getattr(module, name) for name in names):
            assert kind.__module__.partition(".")[0] == package
            assert failure_of(kind.__new__(kind)) is failure


@pytest.mark.parametrize(
    ("package", "name", "failure"),
    [
        *(("botocore", f"{one}Error", StorageFailure.UNREACHABLE) for one in ("ReadTimeout", "ConnectTimeout", "SSL")),
        *(
            ("botocore", f"{one}Error", StorageFailure.UNREACHABLE)
            for one in ("EndpointConnection", "ConnectionClosed")
        ),
        *(("aiohttp", one, StorageFailure.UNREACHABLE) for one in ("ClientConnectorError", "ServerDisconnectedError")),
        *(("aiohttp", one, StorageFailure.UNREACHABLE) for one in ("ServerTimeoutError", "ClientOSError")),
        *(("azure", f"Service{one}TimeoutError", StorageFailure.UNREACHABLE) for one in ("Request", "Response")),
        *(("requests", one, StorageFailure.UNREACHABLE) for one in ("ConnectTimeout", "ReadTimeout", "ProxyError")),
    ],
)
def test_what_a_client_derives_from_them_is_known_too(package: str, name: str, failure: StorageFailure) -> None:
    kind = getattr(pytest.importorskip(RAISED_BY[package]), name)
    assert failure_of(kind.__new__(kind)) is failure


@pytest.mark.parametrize(
    ("code", "failure"),
    [(401, StorageFailure.CREDENTIALS), (429, StorageFailure.THROTTLED), (503, StorageFailure.THROTTLED)],
)
def test_what_google_s_client_gives_up_repeating_is_named(code: int, failure: StorageFailure) -> None:
    error = pytest.importorskip("gcsfs.retry").HttpError({"code": code, "message": "as told"})
    assert failure_of(error) is failure


def test_a_class_that_has_another_package_s_name_is_not_taken_for_it() -> None:
    assert failure_of(type("RefreshError", (Exception,), {})()) is StorageFailure.OTHER


@pytest.mark.parametrize(
    "said", [Said(body=b'{"format-version": 1}', missing_bytes=10, ends_by_reset=reset) for reset in (False, True)]
)
def test_a_body_that_ends_too_early_is_no_content(store: ScriptedHttp, said: Said) -> None:
    store.always(said)
    with pytest.raises(StorageUnavailableError) as raised:
        files(store.url).read("s3://lake/views/v.json")
    assert raised.value.failure is StorageFailure.CUT_SHORT


def test_a_server_that_is_not_there_is_told_with_the_settings_of_its_address() -> None:
    with pytest.raises(StorageUnavailableError, match="AWS_ENDPOINT_URL") as raised:
        files("http://127.0.0.1:9").read("s3://lake/views/v.json")
    assert raised.value.failure is StorageFailure.UNREACHABLE


def test_without_credentials_the_error_names_where_they_would_come_from(
    store: ScriptedHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in _store("s3").access_variables:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", "/nonexistent")
    without = Files({"endpoint_url": store.url})
    with pytest.raises(StorageUnavailableError, match=r"AWS_ACCESS_KEY_ID.*storage_options") as raised:
        without.read("s3://lake/views/v.json")
    assert raised.value.failure is StorageFailure.CREDENTIALS


def test_what_configures_a_client_is_told_by_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*_store("s3").access_variables, *_store("s3").endpoint_variables):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x-key-x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://store")
    options = {"secret": "x-secret-x", "client_kwargs": {"endpoint_url": "http://here"}}
    found = _store("s3a").configured_by(options)
    assert found[:2] == _store("s3a").credentials_from(options) == ("AWS_ACCESS_KEY_ID", "storage_options.secret")
    assert found[2:] == ("AWS_ENDPOINT_URL", "storage_options.endpoint_url")
    assert _store("s3a").endpoint(options) == "http://here"


@pytest.mark.parametrize(
    ("location", "container"),
    [("s3://lake/views/v", "lake"), ("gs://lake", "lake"), ("abfs://lake@account.dfs.core.windows.net/v", "lake")],
)
def test_the_bucket_of_a_location_is_named_without_an_account(location: str, container: str) -> None:
    assert container_of(location) == container


def test_file_systems_with_directories_are_no_object_stores() -> None:
    assert [object_store_of(one) for one in ("file:///lake", "/lake", "hdfs://host/lake", "memory://lake")] == [
        None
    ] * 4


def _store(protocol: str) -> ObjectStore:
    found = object_store_of(f"{protocol}://lake")
    assert found is not None
    return found


def test_of_many_files_those_that_the_server_refuses_to_delete_are_named(same_store: ScriptedHttp) -> None:
    refused = b"<DeleteResult><Error><Key>v/2</Key><Code>AccessDenied</Code></Error></DeleteResult>"
    same_store.always(Said(body=refused))
    left = files(same_store.url).delete_together([f"s3://lake/v/{number}" for number in (1, 2, 3)])
    assert {location: error.failure for location, error in left.items()} == {"s3://lake/v/2": StorageFailure.FORBIDDEN}
    assert same_store.requests == ["POST /lake?delete"]


def test_many_files_are_deleted_by_a_request_for_a_thousand_and_all_are_left_where_that_is_refused(
    same_store: ScriptedHttp,
) -> None:
    same_store.always(s3_error(403, "AccessDenied"))
    locations = [f"s3://lake/v/{number}" for number in range(1_001)]
    left = files(same_store.url).delete_together(locations)
    assert list(left) == locations
    assert {error.failure for error in left.values()} == {StorageFailure.FORBIDDEN}
    assert len(same_store.requests) == 2


def test_directories_are_listed_one_by_one_where_what_holds_them_may_not_be_listed(same_store: ScriptedHttp) -> None:
    same_store.always(s3_error(403, "AccessDenied"))
    with pytest.raises(StorageUnavailableError, match="v/metadata"):
        MetadataStorage(files(same_store.url).options).list_together(["s3://lake/v/metadata", "s3://lake/v/partitions"])
    prefixes = [parse_qs(urlsplit(one).query)["prefix"][0] for one in same_store.requests]
    assert prefixes[0] == "v/"
    assert "v/metadata/" in prefixes
