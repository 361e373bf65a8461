"""Hive, Trino and Spark on a metastore 4.0.1 in containers, and a view for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hive_views import View, ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.clicks import COLUMNS, DAYS, PAGES
from tests.support.containers.engines import EngineError, Hive, Rows, Trino, copy_jars, start_hive, start_trino
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.containers.session import THIS_MACHINE, Session
from tests.support.processes.rest_server import rest_server

SPARK_PROCESS = Path(__file__).with_name("spark_process.py")


TOKENS = {"read-write": 'role = "read-write"', "read-only": 'role = "read-only"'}
TOKENS["of-ann"] = 'role = "read-write"\nowner = "ann"'
RULES = {
    "schemas": [{"owner": True}],
    "tables": [
        {"user": "tests|ann", "privileges": ["SELECT", "OWNERSHIP", "GRANT_SELECT"]},
        {"table": "open_.*", "privileges": ["SELECT", "OWNERSHIP"]},
        {"privileges": []},
    ],
}
"""Trino's, in its catalog ``views_guarded``: others than ``tests`` and ``ann`` may read what is called ``open_``."""


def _token(name: str) -> str:
    return f"token-that-is-{name}"


class SparkProcess:
    """A plain Spark 4.1.4 with the client jars of Hive 4.0.1, started by the first statement."""

    def __init__(self, metastore_uri: str, jars: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SPARK_PROCESS), metastore_uri, str(jars)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def rows(self, statement: str) -> Rows:
        """Run a statement and return its rows.

        Raises:
            EngineError: Spark refuses it.
        """
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(statement) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "Spark has ended; its log is on stderr"}')
        if "error" in answer:
            raise EngineError(answer["error"])
        return [tuple(row) for row in answer["rows"]]

    def close(self) -> None:
        """End it."""
        with self._process as process:
            assert process.stdin
            process.stdin.close()
            process.wait(timeout=60)


class Engines:
    """The engines on one metastore, each started when it is first asked for, and a base table that all of them read."""

    def __init__(self, session: Session, metastore: MetastoreServer, directory: Path, jars: Path) -> None:
        self.metastore = metastore
        self._session = session
        self._directory = directory
        self._jars = jars
        self._closing = ExitStack()

    @cached_property
    def hive(self) -> Hive:
        """Hive 4.0.1."""
        return self._closing.enter_context(closing(start_hive(self._session, self.metastore)))

    @cached_property
    def rest(self) -> str:
        """Where Trino finds ``hive-views serve`` on the metastore."""
        directory = self._directory / "rest"
        directory.mkdir()
        tokens = directory / "tokens.toml"
        tokens.touch(mode=0o600)
        tokens.write_text("".join(f'[tokens.{one}]\ntoken = "{_token(one)}"\n{said}\n' for one, said in TOKENS.items()))
        options = ("--host", "0.0.0.0", "--tokens", str(tokens), "--run-as", "tests", "--run-as", "ann")
        server = self._closing.enter_context(rest_server(self.metastore.uri, directory, *options))
        return f"http://{THIS_MACHINE}:{urlsplit(server.address).port}"

    @cached_property
    def trino(self) -> Trino:
        """Trino 476 with its connectors on the metastore, and over REST, where clients may name ``tests`` and ``ann``.

        Names resolve in ``views``; in the Hive connector's ``hive`` for ``views_in_hive``.
        """
        over_rest = {
            "connector.name": "iceberg",
            "iceberg.catalog.type": "rest",
            "iceberg.rest-catalog.uri": self.rest,
            "iceberg.rest-catalog.security": "OAUTH2",
            "fs.hadoop.enabled": "true",
        }
        catalogs = {
            name: {
                **over_rest,
                "iceberg.rest-catalog.warehouse": f"hive@{called}",
                "iceberg.rest-catalog.oauth2.token": _token(token),
            }
            for name, called, token in (
                ("views", "views", "read-write"),
                ("views_read_only", "views", "read-only"),
                ("views_in_hive", "hive", "read-write"),
                ("views_of_ann", "views_of_ann", "of-ann"),
                ("views_guarded", "views_guarded", "read-write"),
            )
        }
        rules = self._directory / "rules.json"
        rules.write_text(json.dumps(RULES))
        catalogs["views_guarded"] |= {"iceberg.security": "FILE", "security.config-file": str(rules)}
        return self._closing.enter_context(closing(start_trino(self._session, self.metastore, catalogs)))

    @cached_property
    def spark(self) -> SparkProcess:
        """A plain Spark 4.1.4 with the client jars of Hive 4.0.1."""
        return self._closing.enter_context(closing(SparkProcess(self.metastore.uri, self.hive_jars)))

    @property
    def hive_jars(self) -> Path:
        """A directory with the jars of Hive 4.0.1."""
        if not any(self._jars.iterdir()):
            copy_jars(self.hive.container, self._jars)
        return self._jars / "lib"

    @cached_property
    def web(self) -> str:
        """A database with the base table ``clicks``; its files are made here, not by an engine."""
        name = f"web_{uuid.uuid4().hex[:12]}"
        table = self._directory / "clicks"
        self.hive.rows(f"CREATE DATABASE {name} LOCATION 'file:{self._directory}'")
        self.hive.rows(
            f"CREATE EXTERNAL TABLE {name}.clicks (user_id BIGINT, page STRING) PARTITIONED BY (ds STRING) "
            f"ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' STORED AS TEXTFILE LOCATION 'file:{table}'"
        )
        for day in DAYS:
            partition = table / f"ds={day['ds']}"
            partition.mkdir(parents=True)
            lines = [f"{user_id}\t{page}\n" for user_id, page, ds in PAGES if ds == day["ds"]]
            (partition / "rows.tsv").write_text("".join(lines), encoding="utf-8")
            self.hive.rows(f"ALTER TABLE {name}.clicks ADD PARTITION (ds='{day['ds']}')")
        return name

    def close(self) -> None:
        """End what is not a container; the session ends those."""
        self._closing.close()


@pytest.fixture(scope="session")
def engines(
    container_session: Session, metastore_servers: MetastoreServers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engines]:
    """The engines on the metastore 4.0.1 on PostgreSQL; what other databases keep of a text, servers/test_text.py."""
    metastore = metastore_servers.shared("4.0.1", "postgres")
    directory, jars = (tmp_path_factory.mktemp(name) for name in ("engines", "hive-4-jars"))
    with closing(Engines(container_session, metastore, directory, jars)) as made:
        yield made


# These are of each test, since modules put engines on another metastore in place of ``engines``.


@pytest.fixture
def hive(engines: Engines) -> Hive:
    return engines.hive


@pytest.fixture
def trino(engines: Engines) -> Trino:
    return engines.trino


@pytest.fixture
def spark_4(java: Path, engines: Engines) -> SparkProcess:
    return engines.spark


@pytest.fixture
def hms(engines: Engines) -> HiveMetastore:
    """The metastore of the engines over Thrift."""
    return engines.metastore.client


@pytest.fixture
def web(engines: Engines) -> str:
    """A database with the base table ``clicks``, which no test changes."""
    return engines.web


@pytest.fixture
def plain(catalog: ViewCatalog, namespace: str, select: str) -> View:
    """A view without partitions."""
    return catalog.create_view(f"{namespace}.plain", sql={"hive": select, "trino": select}, schema=COLUMNS)
