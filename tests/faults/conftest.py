"""A view on the embedded metastore, reached through a proxy that loses what a test chooses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from hive_views.views.view import View
from tests.faults.listener import Orders, listening_metastore
from tests.support.failing.wire import PATIENCE_S, WireProxy
from tests.support.views.metastore_setup import view_row

SELECT = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
COLUMNS = [("user_id", "bigint"), ("clicks", "bigint"), ("ds", "string")]


def a_text(number: object) -> str:
    return f"SELECT user_id, {number} AS clicks, ds FROM web.clicks"


class Site:
    """A view, a proxy for its writers, a second writer with a connection of its own, and looks at what they leave."""

    def __init__(self, uri: str, namespace: str, directory: Path) -> None:
        self.name = f"{namespace}.daily"
        self.proxy = WireProxy.before_uri(uri)
        self.warehouse = directory
        self._metastores: list[HiveMetastore] = []
        self.second = self.catalog(uri)

    def catalog(
        self, uri: str, lock: LockMode = "never", read_timeout_s: float = 5.0, connect_timeout_s: float = 10.0
    ) -> ViewCatalog:
        metastore = HiveMetastore(
            uri, connect_timeout_s=connect_timeout_s, read_timeout_s=read_timeout_s, lock_timeout_s=2.0
        )
        self._metastores.append(metastore)
        settings = CommitSettings(lock=lock, settle_timeout_s=2.0)
        return ViewCatalog(metastore, MetadataStorage(), warehouse=str(self.warehouse), settings=settings)

    def create(self) -> View:
        return self.second.create_view(self.name, sql={"hive": SELECT}, schema=COLUMNS, partitioned_on=["ds"])

    def current(self) -> View:
        """The view as a newcomer finds it: nothing cached."""
        return ViewCatalog(self.second.metastore, MetadataStorage()).load_view(self.name)

    def files(self) -> list[str]:
        return sorted(path.name for path in self.warehouse.rglob("*.metadata.json"))

    def close(self) -> None:
        for metastore in self._metastores:
            metastore.close()


@pytest.fixture
def site(metastore_uri: str, namespace: str, tmp_path: Path) -> Iterator[Site]:
    """The view ``daily`` at version 1, one file, and a proxy that is up."""
    made = Site(metastore_uri, namespace, tmp_path / "warehouse")
    made.create()
    with made.proxy:
        yield made
        made.close()


@pytest.fixture
def proxy(metastore_uri: str) -> Iterator[WireProxy]:
    """What stands before the embedded metastore, and fails on demand."""
    with WireProxy.before_uri(metastore_uri) as proxy:
        yield proxy


@pytest.fixture
def calls() -> list[str]:
    """The calls that were made through ``behind_proxy``."""
    return []


@pytest.fixture
def behind_proxy(proxy: WireProxy, calls: list[str]) -> Iterator[HiveMetastore]:
    """The metastore behind the proxy."""
    with closing(HiveMetastore(proxy.uri, read_timeout_s=PATIENCE_S, on_call=calls.append)) as metastore:
        yield metastore


@pytest.fixture
def row(hms: HiveMetastore, namespace: str) -> Row:
    """The row of a view, made without the proxy."""
    hms.create_row(view_row(namespace))
    return hms.load_row(TableIdentifier(namespace, "v"))


@pytest.fixture(scope="session")
def listening(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Orders]]:
    """The URI of an embedded metastore whose listeners throw on demand, and what orders them to."""
    with listening_metastore(tmp_path_factory.mktemp("listening")) as made:
        yield made
