"""The databases that metastores keep their rows in: one PostgreSQL and one MariaDB for a test session."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from testcontainers.core.container import DockerContainer

from tests.support.containers.images import MARIADB, POSTGRES, Image, provide
from tests.support.containers.session import Session

_START_TIMEOUT_S = 60.0


def _in_postgres(statement: str, database: str | None) -> list[str]:
    return ["psql", "-U", "metastore", "-d", database or "postgres", "-tA", "-v", "ON_ERROR_STOP=1", "-c", statement]


def _in_mariadb(statement: str, database: str | None) -> list[str]:
    client = ["mariadb", "--no-defaults", "-h127.0.0.1", "-umetastore", "-pmetastore", "-N", "-e", statement]
    return [*client, *([database] if database else [])]


@dataclass(frozen=True)
class _Kind:
    image: Image
    run: Callable[[str, str | None], list[str]]


KINDS = {"postgres": _Kind(POSTGRES, _in_postgres), "mariadb": _Kind(MARIADB, _in_mariadb)}


class Databases:
    """The database servers of a session, each started when it is first needed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._servers: dict[str, DockerContainer] = {}

    def server(self, kind: str) -> DockerContainer:
        """The one server of a kind (``postgres``, ``mariadb``); others find it by the name of the kind."""
        if kind not in self._servers:
            image = provide(self._session.client, KINDS[kind].image)
            self._servers[kind] = self._session.run(image, kind)
        return self._servers[kind]

    def create(self, kind: str) -> str:
        """Make an empty database and return its name."""
        server, name = self.server(kind), f"metastore_{uuid.uuid4().hex[:12]}"
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            code, output = server.exec(KINDS[kind].run(f"CREATE DATABASE {name}", None))
            if code == 0:
                return name
            if time.monotonic() > deadline:
                raise TimeoutError(f"{kind} does not make a database: {output.decode()}")
            time.sleep(0.2)

    def execute(self, kind: str, database: str, statement: str) -> str:
        """Run a statement in a database, and return what it prints.

        Raises:
            RuntimeError: it failed.
        """
        code, output = self.server(kind).exec(KINDS[kind].run(statement, database))
        if code != 0:
            raise RuntimeError(f"{statement!r} failed in {database}: {output.decode()}")
        return output.decode().strip()
