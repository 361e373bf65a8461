"""From a URI to a metastore."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from hive_views.errors import InvalidInputError
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.auth import TLS, Auth
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.wire import BINARY, HTTP, HTTPS, Endpoint, parse_uris
from hive_views.metastore.zookeeper import ZOOKEEPER, registered_metastores

LOCAL = "local://"
_THRIFT = tuple(f"{scheme}://" for scheme in (BINARY, HTTP, HTTPS))
_MEMORY = "memory:"


class EmbeddedMetastore(HiveMetastore):
    """The embedded metastore of a directory, which runs at least until this object is closed.

    A copy that was pickled uses the same directory, and so the same server.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self._path = path
        self._settings = settings
        self._server = LocalMetastore(path)
        super().__init__(self._server.start(), **settings)
        self._pool.find_again = partial(_running, self._server)

    def __reduce__(self) -> tuple[Callable[[], HiveMetastore], tuple[()]]:
        return partial(EmbeddedMetastore, self._path, self._settings), ()

    def __repr__(self) -> str:
        return f"EmbeddedMetastore({str(self._path)!r})"

    def close(self) -> None:
        super().close()
        self._server.close()


def _running(server: LocalMetastore) -> tuple[Endpoint, ...]:
    """Where the server of a directory runs that was started since; each has a port of its own."""
    uri = server.status().uri
    return parse_uris(uri) if uri else ()


class DiscoveredMetastore(HiveMetastore):
    """The metastores that are registered in ZooKeeper; it is asked again when none of them can be used."""

    def __init__(self, uri: str, settings: Mapping[str, Any]) -> None:
        self._uri = uri
        self._settings = settings
        super().__init__(registered_metastores(uri, settings["connect_timeout_s"]), **settings)
        self._pool.find_again = self._registered

    def __reduce__(self) -> tuple[Callable[[], HiveMetastore], tuple[()]]:
        return partial(DiscoveredMetastore, self._uri, self._settings), ()

    def __repr__(self) -> str:
        return f"DiscoveredMetastore({self._uri!r})"

    def _registered(self) -> tuple[Endpoint, ...]:
        return parse_uris(registered_metastores(self._uri, self._settings["connect_timeout_s"]))


def open_metastore(
    uri: str,
    *,
    auth: Auth | None = None,
    tls: TLS | None = None,
    connect_timeout_s: float = 10.0,
    read_timeout_s: float = 60.0,
    write_timeout_s: float = 60.0,
    lock_timeout_s: float = 180.0,
    user: str | None = None,
    proxy_user: str | None = None,
    http_headers: Mapping[str, str] | None = None,
) -> Metastore:
    """The metastore that a URI names: ``thrift://host:9083`` or ``thrift+https://host:9083/path`` (several with commas
    between), ``zookeeper://host:2181/namespace`` for those that are registered there, ``local:///path`` for the
    embedded one of a directory, which is started if nobody has, or ``memory:`` for a new, empty one in this process.

    ``auth``, ``tls`` and ``http_headers`` are for servers; the others are those of HiveMetastore.

    Raises:
        InvalidInputError: another scheme, an address that cannot be read, or a proxy user where there are no users.
        UnsupportedFeatureError, MetastoreUnavailableError: the embedded metastore does not start, or ZooKeeper cannot
            be asked.
    """
    common: dict[str, Any] = {
        "user": user,
        "proxy_user": proxy_user,
        "connect_timeout_s": connect_timeout_s,
        "read_timeout_s": read_timeout_s,
        "write_timeout_s": write_timeout_s,
        "lock_timeout_s": lock_timeout_s,
    }
    if uri.startswith(_THRIFT):
        return HiveMetastore(uri, auth=auth, tls=tls, http_headers=http_headers, **common)
    if uri.startswith(ZOOKEEPER):
        return DiscoveredMetastore(uri, {"auth": auth, "tls": tls, **common})
    if uri.startswith(LOCAL):
        return EmbeddedMetastore(local_path(uri), common)
    if uri.rstrip("/") == _MEMORY:
        if proxy_user is not None:
            raise InvalidInputError(
                f"Cannot act for {proxy_user!r} on {uri}, as a metastore in memory has no users: leave out proxy_user "
                f"(the variable HADOOP_PROXY_USER too)."
            )
        return MemoryMetastore(lock_timeout_s=lock_timeout_s)
    raise InvalidInputError(
        f"Cannot use {uri!r} as a metastore: write thrift://host:9083 for a server (thrift+https://host:9083/path over "
        f"HTTP), local:///path for the embedded one of a directory, or memory: for one in this process.",
    )


def local_path(uri: str) -> Path:
    """The directory of a ``local:///path`` URI.

    Raises:
        InvalidInputError: it is not absolute.
    """
    path = uri.removeprefix(LOCAL)
    if not path.startswith("/"):
        raise InvalidInputError(
            f"Cannot use {uri!r} as a metastore: the path of an embedded one is absolute, as in local:///data/views.",
        )
    return Path(path)


def default_warehouse(uri: str) -> str | None:
    """The default directory for new views; None means that of their namespace."""
    if uri.startswith(LOCAL):
        return f"file://{local_path(uri)}/views"
    # Files in memory are those of the whole process: another metastore's views must not look like dropped ones of this.
    return f"memory://views-{uuid.uuid4().hex}" if uri.startswith(_MEMORY) else None
