"""A whole Hive 2.3.10 in one Java: its compiler with the optimizer, on a metastore in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hive_views.metastore.embedded.java import find_jars
from tests.support.java.connectors import fetch_jars
from tests.support.java.other_java import other_java

MODULES = (("org.apache.hive", "hive-exec", "2.3.10"), ("net.hydromatic", "eigenbase-properties", "1.1.5"))
_OPENED = ("lang", "lang.reflect", "net", "util", "util.concurrent", "util.concurrent.atomic")
_BATCH = 100
"""So many rows does Hive give at once."""


class Hive2:
    """One session of Hive.

    Args:
        jvm: that has its classes.
        scratch: for its files.
    """

    def __init__(self, jvm: Any, scratch: Path) -> None:
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
        }.items():
            conf.set(name, value)
        hive.ql.session.SessionState.start(conf)
        self._conf = conf
        self._driver = hive.ql.Driver(conf)
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
        answer = self._driver.run(statement)
        assert answer.getResponseCode() == 0, f"{statement}: {answer.getErrorMessage()}"
        found: list[list[str]] = []
        while statement.startswith(("DESCRIBE", "SELECT")) and len(found) % _BATCH == 0:
            rows = self._new_list()
            if not self._driver.getResults(rows):
                break
            found += [[part.strip() for part in str(row).split("\t")] for row in rows]
        return found


@contextmanager
def hive_2(java: Path, scratch: Path) -> Iterator[Hive2]:
    """A Hive 2.3.10 that ends with the block.

    Raises:
        subprocess.SubprocessError: its jars are not in the cache, and cannot be fetched.
    """
    options = ["-Xmx512m", "-Duser.timezone=UTC", "-Dlog4j2.level=off", "-Djava.security.manager=allow"]
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED]
    own = fetch_jars(java, scratch, MODULES)
    spark = [jar for jar in find_jars().glob("*.jar") if not jar.name.startswith("hive-exec")]
    with other_java(java, [*options, *opened], [*own, *sorted(spark)], spark_jars=False, cwd=scratch) as jvm:
        yield Hive2(jvm, scratch)
