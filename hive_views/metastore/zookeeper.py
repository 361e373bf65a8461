"""Where metastores are that have registered themselves in ZooKeeper, as Hive's dynamic service discovery has it."""

from __future__ import annotations

import random
from urllib.parse import urlsplit

from hive_views.errors import InvalidInputError, MetastoreUnavailableError, UnsupportedFeatureError
from hive_views.messages.logs import logger_of

ZOOKEEPER = "zookeeper://"
_DEFAULT_PORT = 2181
_DEFAULT_NAMESPACE = "hive_metastore"  # metastore.zookeeper.namespace

log = logger_of(__name__)


def registered_metastores(uri: str, timeout_s: float) -> list[str]:
    """The addresses (``host:port``) of all metastores that are registered now, in random order.

    Args:
        uri: ``zookeeper://zk1:2181,zk2:2181/namespace``; by default port 2181, and the namespace ``hive_metastore``.
        timeout_s: seconds to wait for a connection to ZooKeeper, and for its answers.

    Raises:
        InvalidInputError: the address cannot be read.
        UnsupportedFeatureError: the package ``kazoo`` is missing.
        MetastoreUnavailableError: ZooKeeper does not answer, or no metastore is registered there.
    """
    hosts, path = _parsed(uri)
    try:
        from kazoo.client import KazooClient  # noqa: PLC0415 - an optional package
        from kazoo.exceptions import KazooException, NoNodeError  # noqa: PLC0415
    except ImportError as missing:
        raise UnsupportedFeatureError(
            "Finding metastores in ZooKeeper needs the package kazoo: pip install 'hive_views[zookeeper]'."
        ) from missing
    client = KazooClient(hosts=hosts, timeout=timeout_s, read_only=True, logger=log)
    try:
        client.start(timeout=timeout_s)
        nodes = client.get_children(path)
        found = [client.get(f"{path}/{node}")[0].decode() for node in nodes]
    except NoNodeError:
        found = []
    except (KazooException, client.handler.timeout_exception, OSError) as error:
        raise MetastoreUnavailableError(
            f"Cannot look up metastores at {uri}: {error or type(error).__name__}. Check the addresses of ZooKeeper.",
            server=uri,
        ) from error
    finally:
        client.stop()
        client.close()
    if not found:
        raise MetastoreUnavailableError(
            f"No metastore is registered at {uri}. Check that one runs with "
            f"metastore.service.discovery.mode=zookeeper, and that the path is its metastore.zookeeper.namespace.",
            server=uri,
        )
    # Clients share their servers out among themselves.
    random.shuffle(found)
    return found


def _parsed(uri: str) -> tuple[str, str]:
    split = urlsplit(uri)
    hosts = [host if ":" in host else f"{host}:{_DEFAULT_PORT}" for host in split.netloc.split(",") if host]
    if not hosts or split.query or split.fragment or "@" in split.netloc:
        raise InvalidInputError(
            f"Cannot use {uri!r} as an address of ZooKeeper: write zookeeper://host:2181/{_DEFAULT_NAMESPACE}, several "
            f"hosts with commas between."
        )
    return ",".join(hosts), f"/{split.path.strip('/') or _DEFAULT_NAMESPACE}"
