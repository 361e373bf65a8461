"""What each server can do is found out by asking it, and doctor reports it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hive_views.cli.doctor.metastore_checks import Check, examine
from hive_views.errors import UnsupportedFeatureError
from hive_views.metastore.port import Capabilities
from hive_views.metastore.thrift import connection
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from tests.servers.conftest import catalog_on, checks_swaps, new_namespace
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.failing.wire import WireProxy
from tests.support.views.catalog_setup import create, files_of


def examined(catalog: ViewCatalog) -> dict[str, Check]:
    return {check.name: check for check in examine(catalog)}


def test_each_server_is_asked_and_reports_rightly(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    view = create(catalog, f"{namespace}.v")
    before = server.client.load_row(view.identifier)
    with closing(HiveMetastore(server.uri)) as metastore:
        assert metastore.capabilities() == Capabilities(), "nothing is known before something was asked"
        metastore.facts()
        assert metastore.enforces_swap(view.identifier) is checks_swaps(server)
        assert metastore.capabilities() == Capabilities(
            checks_swaps=checks_swaps(server), grants_locks=True, lock_timeout_s=300, takes_bare_partitions=True
        )
    assert server.client.load_row(view.identifier) == before, "asking changed nothing"


def test_every_server_shows_after_a_pause_that_it_is_there(
    server: MetastoreServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one call for it has to be known to all of them."""
    monkeypatch.setattr(connection, "_FRESH_S", 0.0)
    with WireProxy.before_uri(server.uri) as proxy, closing(HiveMetastore(proxy.uri)) as metastore:
        for _ in range(2):
            metastore.load_namespace(namespace)
    assert proxy.methods == ["set_ugi", "get_database", "getName", "get_database"]


def test_doctor_has_no_red_line(server: MetastoreServer, catalog: ViewCatalog, namespace: str) -> None:
    create(catalog, f"{namespace}.v")
    found = examined(catalog)
    assert {name: check.found for name, check in found.items() if check.ok is not True} == {}
    assert ("keep lock = auto" in found["compare-and-swap"].found) is not checks_swaps(server)


@pytest.fixture(scope="module")
def lockless(metastore_servers: MetastoreServers) -> Iterator[MetastoreServer]:
    """A 3.1.3 whose database has no tables for locks, as one that was made without its scripts."""
    with metastore_servers.own("3.1.3", "postgres") as server:
        metastore_servers.execute(server, 'ALTER TABLE "hive_locks" RENAME TO "gone"')
        yield server


def test_a_server_without_check_and_without_locks_is_not_written_to_and_doctor_says_why(
    lockless: MetastoreServer, tmp_path: Path
) -> None:
    catalog = catalog_on(lockless, tmp_path)
    view = create(catalog, f"{new_namespace(lockless)}.v")
    before = files_of(catalog)
    with pytest.raises(UnsupportedFeatureError, match="no lock protects the commit") as refusal:
        catalog.alter_view(view.identifier, comment="x")
    assert "HIVE-26882" in str(refusal.value)
    assert files_of(catalog) == before
    assert catalog.load_view(view.identifier).metadata == view.metadata
    with pytest.raises(UnsupportedFeatureError, match="grants no locks"):
        catalog_on(lockless, tmp_path, lock="always").alter_view(view.identifier, comment="x")
    found = examined(catalog)
    assert (found["locks"].ok, found["compare-and-swap"].ok) == (False, False)
    assert "no lock manager" in found["locks"].found
    assert "all are refused" in str(found["compare-and-swap"].advice)


def test_a_server_without_check_is_not_written_to_without_its_lock(
    metastore_servers: MetastoreServers, tmp_path: Path
) -> None:
    server = metastore_servers.shared("3.1.3", "postgres")
    catalog = catalog_on(server, tmp_path, lock="never")
    view = create(catalog, f"{new_namespace(server)}.v")
    with pytest.raises(UnsupportedFeatureError, match="Use lock='auto'"):
        catalog.alter_view(view.identifier, comment="x")
    assert examined(catalog)["compare-and-swap"].ok is False
