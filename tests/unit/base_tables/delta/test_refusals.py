"""What the reader of Delta tables refuses, with which error, and how it describes a storage to its library."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from hive_views.base_tables.delta.object_store import object_store_options, object_store_uri
from hive_views.base_tables.delta.table import DeltaBaseTable
from hive_views.errors import (
    CorruptMetadataError,
    NoSuchTableError,
    StorageUnavailableError,
    UnsupportedFeatureError,
)
from hive_views.storage.files import Files
from tests.unit.base_tables.delta.delta_logs import LogWriter, add, metadata, protocol
from tests.unit.forks import in_a_fork

A, B = {"ds": "2026-08-21", "hr": "7"}, {"ds": "2026-08-22", "hr": "8"}
IN_A, IN_B = tuple(A.values()), tuple(B.values())


class TestRefusals:
    @pytest.mark.parametrize("ask", ["list_partitions", "current_state"])
    def test_unknown_features_are_all_named(self, log: LogWriter, ask: str) -> None:
        log.commit(protocol("sorcery", "deletionVectors", "magic"), metadata(), add("a", A))
        with pytest.raises(UnsupportedFeatureError, match=r"web\.clicks: it needs magic, sorcery"):
            getattr(log.reader(), ask)()

    def test_changes_across_an_unknown_feature_are_unknown_and_those_before_it_are_not(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", A))
        log.commit(add("b", B))
        log.commit(protocol("sorcery"))
        assert log.changes(0, 1).partitions.keys() == {IN_B}
        assert "sorcery" in (log.changes(0, 2).unknown or "")

    @pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
    def test_a_process_that_was_forked_after_a_read_is_told_how_to_start_processes(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", A))
        log.list()

        def ask() -> str:
            with pytest.raises(UnsupportedFeatureError) as raised:
                log.list()
            return raised.value.message

        assert "by spawn or forkserver" in in_a_fork(ask)

    @pytest.mark.parametrize("ask", ["list_partitions", "current_state"])
    def test_a_newer_protocol_is_refused(self, log: LogWriter, ask: str) -> None:
        log.commit(protocol(reader=4), metadata(), add("a", A))
        with pytest.raises(UnsupportedFeatureError, match="it needs reader version 4"):
            getattr(log.reader(), ask)()

    def test_a_catalog_managed_table_is_refused(self, log: LogWriter) -> None:
        log.commit(protocol("catalogManaged"), metadata(), add("a", A))
        with pytest.raises(UnsupportedFeatureError, match="it needs catalogManaged"):
            log.list()

    @pytest.mark.parametrize("ask", ["list_partitions", "current_state"])
    def test_no_log_is_no_table(self, tmp_path: Path, ask: str) -> None:
        table = DeltaBaseTable("web.clicks", str(tmp_path / "nowhere"), Files())
        with pytest.raises(NoSuchTableError, match=r"There is no Delta table web\.clicks: .*nowhere/_delta_log"):
            getattr(table, ask)()
        assert not (tmp_path / "nowhere").exists()

    def test_a_log_without_its_beginning_is_broken(self, log: LogWriter) -> None:
        log.skip()
        log.commit(add("a", A))
        with pytest.raises(CorruptMetadataError, match=r"web\.clicks"):
            log.list()
        with pytest.raises(CorruptMetadataError, match=r"web\.clicks"):
            log.reader().current_state()

    def test_a_value_that_is_none_of_its_type_is_a_broken_log(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", {"ds": "x", "hr": "abc"}))
        with pytest.raises(CorruptMetadataError, match="abc"):
            log.list()

    def test_a_storage_that_the_library_does_not_know_is_refused(self) -> None:
        files = Files()
        content = "".join(f"{json.dumps(action)}\n" for action in (protocol(), metadata(), add("a", A)))
        files.write("memory://known-to-fsspec-only/_delta_log/00000000000000000000.json", content.encode())
        with pytest.raises(UnsupportedFeatureError, match="does not support the storage of memory://"):
            DeltaBaseTable("web.clicks", "memory://known-to-fsspec-only", files).list_partitions()

    def test_a_storage_that_fails_is_unavailable(self, log: LogWriter, monkeypatch: pytest.MonkeyPatch) -> None:
        log.commit(protocol(), metadata(), add("a", A))
        reader = DeltaBaseTable("web.clicks", str(log.directory), Files())
        monkeypatch.setattr(
            "hive_views.base_tables.delta.state.object_store_uri", lambda location: "s3://clicks/nowhere"
        )
        monkeypatch.setattr(
            "hive_views.base_tables.delta.state.object_store_options",
            lambda location, options: {
                "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
                "AWS_ALLOW_HTTP": "true",
                "AWS_REGION": "x",
                "AWS_ACCESS_KEY_ID": "a",
                "AWS_SECRET_ACCESS_KEY": "b",
                "max_retries": "0",
            },
        )
        with pytest.raises(StorageUnavailableError, match=r"web\.clicks"):
            reader.list_partitions()

    def test_without_the_library_the_extra_is_named(self, log: LogWriter, monkeypatch: pytest.MonkeyPatch) -> None:
        log.commit(protocol(), metadata(), add("a", A))
        monkeypatch.setitem(sys.modules, "deltalake", None)
        with pytest.raises(UnsupportedFeatureError, match=r'pip install "hive_views\[delta\]"'):
            log.list()


class TestStorageOptions:
    @pytest.mark.parametrize(
        ("location", "options", "expected"),
        [
            (
                "s3a://b/t",
                {"key": "k", "secret": "s", "token": "t", "client_kwargs": {"region_name": "eu-central-1"}},
                {
                    "AWS_ACCESS_KEY_ID": "k",
                    "AWS_SECRET_ACCESS_KEY": "s",
                    "AWS_SESSION_TOKEN": "t",
                    "AWS_REGION": "eu-central-1",
                },
            ),
            (
                "s3://b/t",
                {"endpoint_url": "http://minio:9000", "anon": False},
                {"AWS_ENDPOINT_URL": "http://minio:9000", "AWS_ALLOW_HTTP": "true"},
            ),
            ("s3://b/t", {"client_kwargs": {"endpoint_url": "https://m"}}, {"AWS_ENDPOINT_URL": "https://m"}),
            ("s3n://b/t", {"anon": True}, {"AWS_SKIP_SIGNATURE": "true"}),
            ("gs://b/t", {"token": __file__, "project": "p"}, {"GOOGLE_SERVICE_ACCOUNT": __file__}),
            ("gs://b/t", {"token": {"a": 1}}, {"GOOGLE_SERVICE_ACCOUNT_KEY": '{"a": 1}'}),
            ("gs://b/t", {"token": "google_default"}, {}),
            ("gcs://b/t", {"endpoint_url": "https://g"}, {"GOOGLE_BASE_URL": "https://g"}),
            (
                "gs://b/t",
                {"token": "anon", "endpoint_url": "http://g"},
                {"GOOGLE_BASE_URL": "http://g", "allow_http": "true", "GOOGLE_SKIP_SIGNATURE": "true"},
            ),
            (
                "abfss://c@a.dfs.core.windows.net/t",
                {"account_name": "a", "account_key": "k", "sas_token": None},
                {"AZURE_STORAGE_ACCOUNT_NAME": "a", "AZURE_STORAGE_ACCOUNT_KEY": "k"},
            ),
            (
                "abfs://c/t",
                {"connection_string": "AccountName=a;AccountKey=k==;BlobEndpoint=http://azurite:10000/a;"},
                {
                    "AZURE_STORAGE_ACCOUNT_NAME": "a",
                    "AZURE_STORAGE_ACCOUNT_KEY": "k==",
                    "AZURE_STORAGE_ENDPOINT": "http://azurite:10000/a",
                    "allow_http": "true",
                },
            ),
            ("/tmp/t", {"auto_mkdir": True}, {}),
        ],
    )
    def test_options_of_fsspec_are_given_in_the_librarys_words(
        self, location: str, options: dict[str, object], expected: dict[str, str]
    ) -> None:
        assert object_store_options(location, options) == expected

    def test_the_variable_of_googles_emulators_is_followed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", "gcs:4443")
        assert object_store_options("gs://b/t", {}) == {
            "GOOGLE_BASE_URL": "http://gcs:4443",
            "allow_http": "true",
            "GOOGLE_SKIP_SIGNATURE": "true",
        }

    def test_an_access_token_of_google_is_refused_and_not_shown(self) -> None:
        with pytest.raises(UnsupportedFeatureError) as raised:
            object_store_options("gs://b/t", {"token": "ya29.secret"})
        assert "ya29" not in str(raised.value)

    def test_locations_of_hadoop_are_understood(self, log: LogWriter) -> None:
        assert object_store_uri("s3n://b/t") == "s3a://b/t"
        assert object_store_uri("gcs://b/t") == "gs://b/t"
        assert object_store_uri("file:/a/b") == "file:///a/b"
        log.commit(protocol(), metadata(), add("a", A))
        assert list(DeltaBaseTable("a.b", f"file:{log.directory}", Files()).list_partitions().values) == [IN_A]
