"""A whole Hive 2.3.10 in one Java: its compiler with the optimizer, on a metastore in memory or one that is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from hive_views.metastore.embedded.java import find_jars
from tests.support.java.connectors import fetch_jars
from tests.support.java.other_java import other_java

MODULES = (("org.apache.hive", "hive-exec", "2.3.10"), ("net.hydromatic", "eigenbase-properties", "1.1.5"))
_OPENED = ("lang", "lang.reflect", "net", "util", "util.concurrent", "util.concurrent.atomic")
_BATCH = 100
"""So many rows does Hive give at once."""
_AS_HIVE_SERVER = {
    "list.sink.output.formatter": "org.apache.hadoop.hive.serde2.thrift.ThriftFormatter",
    "list.sink.output.protocol": "9",
}


class HiveRefused(Exception):  # noqa: N818 - it is Hive that has an error
    """Hive refuses a query, with its own message; ``at_run`` where it compiled it."""

    def __init__(self, message: str, at_run: bool) -> None:
        super().__init__(message)
        self.at_run = at_run


class Hive2:
    """One session of Hive.

    Args:
        jvm: that has its classes.
        scratch: for its files.
        metastore_uri: of a metastore of that version; by default it has one of its own, in memory.
    """

    def __init__(self, jvm: Any, scratch: Path, metastore_uri: str | None = None) -> None:
        hive = jvm.org.apache.hadoop.hive
        conf = hive.conf.HiveConf()
        for name, value in {
            "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:hive;create=true",
            "datanucleus.schema.autoCreateAll": "true",
            "datanucleus.connectionPoolingType": "HikariCP",
            "hive.metastore.schema.verification": "false",
            "hive.metastore.warehouse.dir": f"file:{scratch / 'warehouse'}",
            "fs.defaultFS": "file:///",
            "hive.exec.scratchdir": str(scratch / "scratch"),
            "hive.exec.local.scratchdir": str(scratch / "local"),
            "hive.downloaded.resources.dir": str(scratch / "resources"),
            "hive.async.log.enabled": "false",
            "hive.support.concurrency": "false",
            # A join in memory starts another Java; jobs are asked once a second whether they are done.
            "hive.auto.convert.join": "false",
            "hive.exec.counters.pull.interval": "50",
            "mapreduce.client.completion.pollinterval": "50",
            **({"hive.metastore.uris": metastore_uri} if metastore_uri else {}),
        }.items():
            conf.set(name, value)
        self._sessions = hive.ql.session.SessionState
        self._session = self._sessions.start(conf)
        self._conf = conf
        self._driver = hive.ql.Driver(conf)
        self._jvm = jvm
        self._new_list = jvm.java.util.ArrayList

    def set(self, name: str, value: str) -> None:
        """Give a setting another value."""
        self._conf.set(name, value)

    def types(self, query: str) -> list[str]:
        """The types of what a query returns, which is only compiled.

        Raises:
            AssertionError: Hive refuses it.
        """
        try:
            assert self._driver.compile(query) == 0, query
            return [field.getType() for field in self._driver.getSchema().getFieldSchemas()]
        finally:
            self._driver.close()

    def rows(self, statement: str) -> list[list[str]]:
        """Run a statement and return its rows.

        Raises:
            AssertionError: Hive refuses it.
        """
        self._attach()
        answer = self._driver.run(statement)
        assert answer.getResponseCode() == 0, f"{statement}: {answer.getErrorMessage()}"
        found: list[list[str]] = []
        while statement.startswith(("DESCRIBE", "SELECT", "SHOW")) and len(found) % _BATCH == 0:
            rows = self._new_list()
            if not self._driver.getResults(rows):
                break
            found += [[part.strip() for part in str(row).split("\t")] for row in rows]
        return found

    def columns(self, query: str) -> list[tuple[str, str]]:
        """Compile a query, and return the names and types of its columns.

        Raises:
            AssertionError: Hive refuses it.
        """
        self._attach()
        answer = self._driver.compileAndRespond(query)
        assert answer.getResponseCode() == 0, f"{query}: {answer.getErrorMessage()}"
        columns = [(str(one.getName()), str(one.getType())) for one in self._driver.getSchema().getFieldSchemas()]
        self._driver.close()
        return columns

    def answer(self, query: str) -> tuple[list[tuple[str, str]], list[list[Any]]]:
        """Run a query, and return its columns, and its rows with values as HiveServer2 sends them; JSON's null is NULL.

        Raises:
            HiveRefused: Hive refuses it, or fails when it runs it.
        """
        from py4j.protocol import Py4JJavaError

        self._attach()
        for name, value in _AS_HIVE_SERVER.items():
            self._conf.set(name, value)
        try:
            compiled = self._driver.compileAndRespond(query)
            if compiled.getResponseCode():
                raise HiveRefused(str(compiled.getErrorMessage()), at_run=False)
            schema = self._driver.getSchema().getFieldSchemas()
            columns = [(str(one.getName()), str(one.getType())) for one in schema or ()]
            ran = self._driver.run()
            if ran.getResponseCode():
                raise HiveRefused(str(ran.getErrorMessage()), at_run=True)
            rows: list[list[Any]] = []
            while self._driver.getResults(batch := self._new_list()):
                found = json.loads(self._as_json.writeValueAsString(batch))
                # What is no query, as EXPLAIN, has lines of text.
                rows += [row if isinstance(row, list) else [row] for row in found]
        except Py4JJavaError as error:
            raise HiveRefused(str(error.java_exception), at_run=True) from error
        finally:
            self._driver.close()
            for name in _AS_HIVE_SERVER:
                self._conf.unset(name)
        return columns, rows

    @cached_property
    def _as_json(self) -> Any:
        """Writes rows; what is no value of Java's own, as its text."""
        jackson = self._jvm.com.fasterxml.jackson.databind
        module = jackson.module.SimpleModule()
        for name in ("sql.Date", "sql.Timestamp", "math.BigDecimal"):
            module.addSerializer(self._class(f"java.{name}"), jackson.ser.std.ToStringSerializer.instance)
        for name in ("HiveDecimal", "HiveChar", "HiveVarchar", "HiveIntervalDayTime", "HiveIntervalYearMonth"):
            of_hive = self._class(f"org.apache.hadoop.hive.common.type.{name}")
            module.addSerializer(of_hive, jackson.ser.std.ToStringSerializer.instance)
        return jackson.ObjectMapper().registerModule(module)

    def _class(self, name: str) -> Any:
        return self._jvm.java.lang.Class.forName(name)

    def _attach(self) -> None:
        """A session is of a thread of Java, and the bridge may take another one when Python has collected an object."""
        self._sessions.setCurrentSessionState(self._session)


@contextmanager
def hive_2(java: Path, scratch: Path, metastore_uri: str | None = None, zone: str = "UTC") -> Iterator[Hive2]:
    """A Hive 2.3.10 in a time zone, which ends with the block.

    Raises:
        subprocess.SubprocessError: its jars are not in the cache, and cannot be fetched.
    """
    options = ["-Xmx512m", f"-Duser.timezone={zone}", "-Dlog4j2.level=off", "-Djava.security.manager=allow"]
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED]
    own = fetch_jars(java, scratch, MODULES)
    spark = [jar for jar in find_jars().glob("*.jar") if not jar.name.startswith("hive-exec")]
    with other_java(java, [*options, *opened], [*own, *sorted(spark)], spark_jars=False, cwd=scratch) as jvm:
        yield Hive2(jvm, scratch, metastore_uri)
