"""Passwords in addresses and locations: given by mistake or on purpose, nobody is shown one."""

from __future__ import annotations

import logging
import pickle
from contextlib import suppress
from io import StringIO

import pytest
from pyspark.logger.logger import JSONFormatter

from hive_views.config import Settings
from hive_views.errors import CommitFailedError, InvalidInputError, StorageUnavailableError
from hive_views.estate.checks.checking import check
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.logs import logger_of
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.open import open_metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.storage.files import Files
from tests.support.failing.faulty_metastore import FaultyMetastore, refused
from tests.support.failing.faulty_storage import broken, failing
from tests.support.views.quick_catalog import catalog_on

SECRET = "s3cr/t+x"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("thrift://ada:s3cret@host:9083", "thrift://***@host:9083"),
        ("s3://AKIA:s3/c+r=t@bucket/views", "s3://***@bucket/views"),
        ("Cannot read hdfs://ada:s3c@ret@nn:8020/a@b.", "Cannot read hdfs://***@nn:8020/a@b."),
        ("simplecache::s3://k:s@b and s3://k:t@c", "simplecache::s3://***@b and s3://***@c"),
        ("http://:s3cret@proxy", "http://***@proxy"),
        ("https://a.example/c?sv=1&sig=s3cret&se=2", "https://a.example/c?sv=1&sig=***&se=2"),
        ("https://a.example/c?X-Amz-Signature=s3cret", "https://a.example/c?X-Amz-Signature=***"),
        ("jdbc:hive2://a:10000/db;user=ada;password=s3cret", "jdbc:hive2://a:10000/db;user=ada;password=***"),
        ("hdfs://ada:1234@nn/a", "hdfs://***@nn/a"),
    ],
)
def test_what_is_secret_in_a_uri_is_replaced(text: str, shown: str) -> None:
    assert hide_credentials(text) == shown
    assert hide_credentials(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "thrift://a:9083,thrift://b:9083",
        "hdfs://nn:8020/lake/mail@example.org",
        "abfss://container@account.dfs.core.windows.net/views",
        "thrift://[::1]:9083",
        "s3://bucket/token=abc/sig=1",
        "ada@host: SELECT 'a:b@c'",
        "hdfs://nn:8020, asked by ada@host",
    ],
)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert hide_credentials(text) == text


@pytest.mark.parametrize(
    "uri",
    [
        f"thrift://ada:{SECRET}@host:9083",
        f"thrift://:{SECRET}@host:9083",
        f"thrift://a,thrift://ada:{SECRET},x@host:9083",
        f"ada:{SECRET}@host:9083",
        f"thrift://ada:{SECRET} @host:9083",
    ],
)
def test_a_password_in_the_address_of_a_metastore_is_refused_without_repeating_it(uri: str) -> None:
    for given in (uri, [uri]):
        with pytest.raises(InvalidInputError, match=r"@host:9083.*auth=Plain\(user, password\)") as refusal:
            HiveMetastore(given)
        for part in SECRET.split("/"):
            assert part not in f"{refusal.value!r} {vars(refusal.value)}"


@pytest.mark.parametrize("scheme", ["http", "local", "jdbc:hive2"])
def test_a_password_in_what_is_no_metastore_is_not_repeated(scheme: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        open_metastore(f"{scheme}://ada:{SECRET}@host")
    assert SECRET not in f"{refusal.value!r} {vars(refusal.value)}"
    assert "@host" in str(refusal.value)


def test_no_error_of_any_kind_repeats_a_password_of_a_location() -> None:
    """Their texts are made in dozens of places, and files of storages have texts of their own."""
    with pytest.raises(StorageUnavailableError) as failure:
        Files().read(f"unknown://ada:{SECRET}@host/views/v.metadata.json")
    assert SECRET not in str(failure.value)
    assert "unknown://***@host/views/v.metadata.json" in str(failure.value)
    assert str(pickle.loads(pickle.dumps(failure.value))) == str(failure.value)


def test_settings_show_no_password_of_a_uri() -> None:
    settings = Settings(uri=f"thrift://ada:{SECRET}@host", warehouse=f"s3://AKIA:{SECRET}@bucket/views")
    assert SECRET not in f"{settings!r} {settings}"
    assert "s3://***@bucket/views" in repr(settings)
    assert settings.warehouse == f"s3://AKIA:{SECRET}@bucket/views"


def test_a_line_about_an_unused_file_shows_no_password(caplog: pytest.LogCaptureFixture) -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_on(metastore, f"faulty://ada:{SECRET}@host/views")
    metastore.on("create_row", refused)
    with failing("delete", broken), suppress(CommitFailedError):
        catalog.create_view("sales.daily", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    assert "the unused file faulty://***@host/views" in caplog.text
    assert SECRET not in caplog.text


def test_what_is_done_is_logged_without_passwords_whoever_listens_and_wherever(
    caplog: pytest.LogCaptureFixture,
) -> None:
    lines = StringIO()
    handler = logging.StreamHandler(lines)
    committed = logging.getLogger("hive_views.views.commit.dropping")
    committed.addHandler(handler)
    try:
        with caplog.at_level(logging.DEBUG, "hive_views"):
            catalog = catalog_on(MemoryMetastore(), f"faulty://ada:{SECRET}@host/views")
            catalog.create_view("sales.daily", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
            catalog.drop_view("sales.daily")
    finally:
        committed.removeHandler(handler)
    assert "its last file is faulty://***@host/views" in lines.getvalue()
    assert SECRET not in f"{caplog.text} {lines.getvalue()}"


@pytest.mark.parametrize("formatter", [logging.Formatter("%(message)s"), JSONFormatter()])
def test_a_traceback_in_a_log_shows_no_password(formatter: logging.Formatter) -> None:
    """What a storage's own library says of it is in the chain; formatters that write JSON read the error itself."""
    lines = StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(formatter)
    log = logger_of("hive_views.test_of_credentials")
    log.addHandler(handler)
    try:
        raise_with_password()
    except OSError as error:
        log.warning("%s failed", "sales.daily", exc_info=error)
    finally:
        log.removeHandler(handler)
    assert "OSError" in lines.getvalue()
    assert "raise_with_password" in lines.getvalue()
    assert "Cannot reach s3://***@bucket" in lines.getvalue()
    assert SECRET not in lines.getvalue()


def raise_with_password() -> None:
    raise OSError(f"Cannot reach s3://ada:{SECRET}@bucket")


def test_a_notebook_shows_no_password() -> None:
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore, f"faulty://ada:{SECRET}@host/views")
    view = catalog.create_view("sales.daily", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    catalog.storage.delete(view.metadata_location)
    shown = check(catalog_on(metastore, catalog.warehouse), "sales.daily")._repr_html_()
    assert "faulty://***@host/views" in shown
    assert SECRET not in shown
