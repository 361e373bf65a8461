"""What a user is told when an object store fails: real clients against a server that answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from hive_views.errors import StorageFailure, StorageUnavailableError
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.object_stores import ObjectStore, container_of, object_store_of

pytest.importorskip("s3fs")


class Scripted:
    """An S3 server with one answer for everything."""

    def __init__(self) -> None:
        self.status, self.code, self.body, self.missing_bytes = 200, "", b"", 0
        self.requests: list[str] = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                scripted.requests.append(f"{self.command} {self.path}")
                code = f"<Error><Code>{scripted.code}</Code><Message>as told</Message></Error>".encode()
                body = code if scripted.code else scripted.body
                self.send_response(scripted.status)
                self.send_header("Content-Length", str(len(body) + scripted.missing_bytes))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)
                self.close_connection = scripted.missing_bytes > 0

            do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = _answer  # noqa: N815 - as http.server calls them

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def store() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


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
        (501, "NotImplemented", StorageFailure.OTHER),
    ],
)
@pytest.mark.parametrize("verb", ["read", "write", "list"])
def test_what_an_object_store_refuses_is_named_with_bucket_and_endpoint(
    store: Scripted, verb: str, status: int, code: str, failure: StorageFailure
) -> None:
    store.status, store.code = status, code
    with pytest.raises(StorageUnavailableError) as raised:
        _do(files(store.url), verb)
    assert raised.value.failure is failure
    if failure is not StorageFailure.OTHER:
        assert "bucket lake" in raised.value.message
        assert store.url in raised.value.message
    assert "x-secret-x" not in str(raised.value)


def test_a_store_that_goes_on_throttling_ends_a_write_after_some_repeats_and_is_named_so(store: Scripted) -> None:
    """As the clients are by default, a write repeated 25 times takes 140 s."""
    store.status, store.code = 503, "SlowDown"
    with pytest.raises(StorageUnavailableError, match="is throttling requests") as raised:
        _do(files(store.url), "write")
    assert raised.value.failure is StorageFailure.THROTTLED
    assert {*store.requests} == {"PUT /lake/views/v.json"}
    assert 3 <= len(store.requests) <= 15


def test_a_conflict_with_another_writer_of_the_name_is_repeated_as_its_answer_says(store: Scripted) -> None:
    store.status, store.code = 409, "ConditionalRequestConflict"
    with pytest.raises(StorageUnavailableError):
        _do(files(store.url), "write")
    assert store.requests == ["PUT /lake/views/v.json"] * 5


def _do(storage: Files, verb: str) -> None:
    if verb == "read":
        storage.read("s3://lake/views/v.json")
    elif verb == "write":
        storage.write("s3://lake/views/v.json", b"{}")
    else:
        storage.list("s3://lake/views")


def test_a_body_that_ends_too_early_is_no_content(store: Scripted) -> None:
    store.body, store.missing_bytes = json.dumps({"format-version": 1}).encode(), 10
    with pytest.raises(StorageUnavailableError) as raised:
        files(store.url).read("s3://lake/views/v.json")
    assert raised.value.failure is StorageFailure.CUT_SHORT


def test_a_server_that_is_not_there_is_told_with_the_settings_of_its_address() -> None:
    with pytest.raises(StorageUnavailableError, match="AWS_ENDPOINT_URL") as raised:
        files("http://127.0.0.1:9").read("s3://lake/views/v.json")
    assert raised.value.failure is StorageFailure.UNREACHABLE


def test_without_credentials_the_error_names_where_they_would_come_from(
    store: Scripted, monkeypatch: pytest.MonkeyPatch
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


def test_of_many_files_those_that_the_server_refuses_to_delete_are_named(store: Scripted) -> None:
    store.body = b"<DeleteResult><Error><Key>v/2</Key><Code>AccessDenied</Code></Error></DeleteResult>"
    left = files(store.url).delete_together([f"s3://lake/v/{number}" for number in (1, 2, 3)])
    assert {location: error.failure for location, error in left.items()} == {"s3://lake/v/2": StorageFailure.FORBIDDEN}
    assert store.requests == ["POST /lake?delete"]


def test_many_files_are_deleted_by_a_request_for_a_thousand_and_all_are_left_where_that_is_refused(
    store: Scripted,
) -> None:
    store.status, store.code = 403, "AccessDenied"
    locations = [f"s3://lake/v/{number}" for number in range(1_001)]
    left = files(store.url).delete_together(locations)
    assert list(left) == locations
    assert {error.failure for error in left.values()} == {StorageFailure.FORBIDDEN}
    assert len(store.requests) == 2


def test_directories_are_listed_one_by_one_where_what_holds_them_may_not_be_listed(store: Scripted) -> None:
    store.status, store.code = 403, "AccessDenied"
    with pytest.raises(StorageUnavailableError, match="v/metadata"):
        MetadataStorage(files(store.url).options).list_together(["s3://lake/v/metadata", "s3://lake/v/partitions"])
    prefixes = [parse_qs(urlsplit(one).query)["prefix"][0] for one in store.requests]
    assert prefixes[0] == "v/"
    assert "v/metadata/" in prefixes
