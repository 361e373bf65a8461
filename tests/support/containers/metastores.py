"""Metastores in containers: every version on every database, as tests ask for them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from testcontainers.core.container import DockerContainer

from hive_views.errors import MetastoreUnavailableError
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.containers.databases import Databases
from tests.support.containers.images import metastore, provide
from tests.support.containers.session import Session
from tests.support.processes.starting import free_port

_START_TIMEOUT_S = 120.0
# A metastore repeats what its database refuses ten times, by default with two seconds in between.
_SETTINGS = {"hive.hmshandler.retry.interval": "100ms"}
_PORT = 9083


@dataclass(frozen=True)
class MetastoreServer:
    """A running metastore.

    Attributes:
        version: ``2.3.10``, ``3.1.3``, ``4.0.1`` or ``4.2.1``.
        kind: ``postgres``, ``mariadb`` or ``derby``.
        database: the name of its database there; servers of one database are one metastore with two doors.
        uri: where this machine reaches it, also after a restart.
        uri_inside: where other containers of the session reach it.
        warehouse: its warehouse, the same directory inside and on this machine.
        client: our adapter, connected to it.
    """

    version: str
    kind: str
    database: str
    uri: str
    uri_inside: str
    warehouse: Path
    container: DockerContainer
    client: HiveMetastore

    def logs(self) -> str:
        """All that it has logged."""
        return str(self.container.get_wrapped_container().logs().decode(errors="replace"))

    def wait_until_ready(self) -> None:
        """Return when it answers a call.

        Raises:
            RuntimeError: it ended, or did not answer in time; with its log.
        """
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not self._answers():
            self.container.reload()
            if self.container.status == "exited" or time.monotonic() > deadline:
                raise RuntimeError(f"metastore {self.version} on {self.kind} does not start:\n{self.logs()}")
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            return "default" in self.client.list_namespaces()
        except MetastoreUnavailableError:
            return False


class MetastoreServers:
    """The metastores of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._databases = Databases(session)
        self._shared: dict[tuple[str, str], MetastoreServer] = {}
        self._count = 0

    def shared(self, version: str, kind: str) -> MetastoreServer:
        """The session's one server of a version on a kind of database, for tests that leave it as it is."""
        if (version, kind) not in self._shared:
            self._shared[version, kind] = self._start(version, kind, self._databases.create(kind), {}, {})
        return self._shared[version, kind]

    @contextmanager
    def own(
        self,
        version: str,
        kind: str,
        *,
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        database: str | None = None,
        connect: Callable[[str], HiveMetastore] = HiveMetastore,
        jar: Path | None = None,
    ) -> Iterator[MetastoreServer]:
        """A server of a test's own, which may stop and kill it; gone afterwards.

        Args:
            version: of the metastore.
            kind: of the database.
            settings: Hive's settings, such as ``metastore.txn.timeout``.
            environment: more variables of docker/README.md, such as ``NOTIFICATION_LISTENER``.
            database: that of another server, for two of them on one.
            connect: makes our adapter for its address, where that needs more than an address.
            jar: what Java finds beside the metastore's own jars.
        """
        database = database or ("" if kind == "derby" else self._databases.create(kind))
        server = self._start(version, kind, database, settings or {}, environment or {}, connect, jar)
        try:
            yield server
        finally:
            self._end(server)

    def execute(self, server: MetastoreServer, statement: str) -> str:
        """Run an SQL statement in the database of a server, and return what it prints."""
        return self._databases.execute(server.kind, server.database, statement)

    def close(self) -> None:
        """Close the clients; the session ends the servers."""
        for server in self._shared.values():
            server.client.close()

    def _start(
        self,
        version: str,
        kind: str,
        database: str,
        settings: Mapping[str, str],
        environment: Mapping[str, str],
        connect: Callable[[str], HiveMetastore] = HiveMetastore,
        jar: Path | None = None,
    ) -> MetastoreServer:
        self._count += 1
        alias = f"metastore-{self._count}"
        # One warehouse for each database, whoever serves it.
        warehouse = self._session.shared / "warehouse" / (database or alias)
        warehouse.mkdir(parents=True, exist_ok=True)
        port = free_port()
        container = self._session.run(
            provide(self._session.client, metastore(version)),
            alias,
            environment={
                "DATABASE": kind,
                "DATABASE_NAME": database,
                "WAREHOUSE": f"file:{warehouse}",
                "SETTINGS": "\n".join(f"{name}={value}" for name, value in {**_SETTINGS, **settings}.items()),
                "LOG_LEVEL": "WARN",
                "HEAP": "384m",
                **environment,
            },
            # A port that the engine chooses would be another one after a restart.
            ports={_PORT: port},
            # What it writes to the warehouse belongs to who runs the tests.
            user=f"{os.getuid()}:0",
            files={f"/opt/metastore/lib/{jar.name}": jar} if jar else {},
        )
        uri = f"thrift://{container.get_container_host_ip()}:{port}"
        server = MetastoreServer(
            version=version,
            kind=kind,
            database=database,
            uri=uri,
            uri_inside=f"thrift://{alias}:{_PORT}",
            warehouse=warehouse,
            container=container,
            client=connect(uri),
        )
        try:
            server.wait_until_ready()
        except BaseException:
            self._end(server)
            raise
        return server

    def _end(self, server: MetastoreServer) -> None:
        server.client.close()
        self._session.remove(server.container)
