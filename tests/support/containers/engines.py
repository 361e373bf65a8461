"""Hive and Trino in containers, on a metastore in another."""

from __future__ import annotations

import os
import tarfile
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import impala.dbapi
import trino.dbapi
from impala.error import Error as HiveError
from testcontainers.core.container import DockerContainer
from thrift.Thrift import TException
from trino.exceptions import Error as TrinoError

from tests.support.containers.images import HIVE, TRINO, provide
from tests.support.containers.metastores import MetastoreServer
from tests.support.containers.session import Session
from tests.support.processes.starting import free_port

_USER = "tests"
_START_TIMEOUT_S = 240.0
_POLL_S = 0.5

Rows = list[tuple[Any, ...]]
_Engine = TypeVar("_Engine")


class EngineError(Exception):
    """An engine refuses a statement; its message is the engine's own."""


class Hive:
    """A running HiveServer2, with one session in it; ``address`` is for ``hive-views validate``."""

    def __init__(self, container: DockerContainer, connection: Any, address: str) -> None:
        self.container = container
        self.address = address
        self._connection = connection
        try:
            self._cursor = connection.cursor()
        except BaseException:
            connection.close()
            raise

    def rows(self, statement: str) -> Rows:
        """Run a statement and return its rows; [] for one without.

        Raises:
            EngineError: Hive refuses it.
        """
        try:
            self._cursor.execute(statement)
            return self._cursor.fetchall() if self._cursor.has_result_set else []
        except HiveError as error:
            raise EngineError(str(error)) from error

    def close(self) -> None:
        """End the session."""
        self._cursor.close()
        self._connection.close()


class Trino:
    """A running Trino, in its catalog ``hive`` when a statement names none."""

    def __init__(self, container: DockerContainer, connection: Any) -> None:
        self.container = container
        self._connection = connection

    def rows(self, statement: str) -> Rows:
        """Run a statement and return its rows.

        Raises:
            EngineError: Trino refuses it.
        """
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            cursor = self._connection.cursor()
            try:
                return [tuple(row) for row in cursor.execute(statement).fetchall()]
            except TrinoError as error:
                # A server that answers already may not have heard yet which of its catalogs its one node serves.
                is_starting = getattr(error, "error_name", None) == "NO_NODES_AVAILABLE"
                if not is_starting or time.monotonic() > deadline:
                    raise EngineError(str(error)) from error
            time.sleep(_POLL_S)

    @property
    def address(self) -> str:
        """For ``hive-views validate``, without the catalog."""
        return f"trino://{_USER}@{self._connection.host}:{self._connection.port}"

    def within(self, catalog: str, schema: str, user: str = _USER) -> Trino:
        """The same server for statements of a user in another catalog and schema: ``USE catalog.schema``."""
        return Trino(self.container, _connected(self._connection.host, self._connection.port, catalog, schema, user))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def start_hive(session: Session, metastore: MetastoreServer, zone: str = "UTC") -> Hive:
    """Hive 4.0.1 on a metastore, in a time zone; the session ends the container."""
    container, address = _run(session, provide(session.client, HIVE), metastore, 10000, zone=zone)

    def connect() -> Hive:
        connection = impala.dbapi.connect(*address, auth_mechanism="NOSASL")
        return Hive(container, connection, f"hive://{address[0]}:{address[1]}?auth=nosasl")

    return _wait_for(connect, container)


def start_trino(
    session: Session,
    metastore: MetastoreServer,
    catalogs: Mapping[str, Mapping[str, str]] | None = None,
    zone: str = "UTC",
) -> Trino:
    """Trino 476 on a metastore; the session ends the container.

    Args:
        session: the containers.
        metastore: that of its catalogs.
        catalogs: the properties of further catalogs, by name; to Trino this machine is ``session.THIS_MACHINE``.
        zone: the time zone of the server.
    """
    files: dict[str, Path] = {}
    directory = session.shared / f"trino-{uuid.uuid4().hex[:8]}"
    for name, properties in (catalogs or {}).items():
        file = directory / f"{name}.properties"
        directory.mkdir(exist_ok=True)
        file.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        files[f"/opt/trino/etc/catalog/{file.name}"] = file
    container, address = _run(session, provide(session.client, TRINO), metastore, 8080, files, zone)

    def connect() -> Trino:
        trino_ = Trino(container, _connected(*address, "hive"))
        trino_.rows("SELECT 1")
        return trino_

    return _wait_for(connect, container)


def copy_jars(container: DockerContainer, directory: Path) -> None:
    """Copy Hive's jars out of its container, for clients that need a Hive of that version."""
    copy_files(container, "/opt/hive/lib", directory)


def copy_files(container: DockerContainer, source: str, directory: Path) -> list[Path]:
    """Copy a file, or a directory as it is, out of a container; the files that are there now."""
    packed, _ = container.get_wrapped_container().get_archive(source)
    archive = directory / "copied.tar"
    with archive.open("wb") as file:
        file.writelines(packed)
    with tarfile.open(archive) as copied:
        copied.extractall(directory, filter="data")
        found = [directory / one.name for one in copied if one.isfile()]
    archive.unlink()
    return found


def _run(
    session: Session,
    image: str,
    metastore: MetastoreServer,
    port: int,
    files: Mapping[str, Path] | None = None,
    zone: str = "UTC",
) -> tuple[DockerContainer, tuple[str, int]]:
    alias = f"engine-{uuid.uuid4().hex[:8]}"
    outside = free_port()
    container = session.run(
        image,
        alias,
        environment={"METASTORE_URI": metastore.uri_inside, "WAREHOUSE": f"file:{metastore.warehouse}", "TZ": zone},
        ports={port: outside},
        files=files,
        # It reads what the tests write.
        user=f"{os.getuid()}:0",
    )
    return container, (container.get_container_host_ip(), outside)


def _connected(
    host: str, port: int, catalog: str, schema: str | None = None, user: str = _USER
) -> trino.dbapi.Connection:
    return trino.dbapi.connect(host, port, user=user, catalog=catalog, schema=schema, max_attempts=1)


def _wait_for(connect: Callable[[], _Engine], container: DockerContainer) -> _Engine:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while not (engine := _engine_or_none(connect)):
        container.reload()
        if container.status == "exited" or time.monotonic() > deadline:
            log = container.get_wrapped_container().logs().decode(errors="replace")
            raise RuntimeError(f"{container.image} does not start:\n{log[-10_000:]}")
        time.sleep(_POLL_S)
    return engine


def _engine_or_none(connect: Callable[[], _Engine]) -> _Engine | None:
    try:
        return connect()
    except (OSError, TException, HiveError, EngineError):
        return None
