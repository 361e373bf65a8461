"""Hive's classes in a Java of their own, for tests and for commands beside them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.java.other_java import other_java

_OPTIONS = [
    *("-Xmx256m", "-Duser.timezone=UTC", "-Dlog4j2.level=off"),
    # Hive's query compiler interns strings inside java.net.URI, and its client looks into lists that it sends.
    *(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("net", "util")),
]


@contextmanager
def hive_java(java: Path) -> Iterator[Any]:
    """A Java machine with the classes of Hive 2.3.10 from PySpark's jars, without a server or a Spark session."""
    with other_java(java, _OPTIONS) as jvm:
        yield jvm


class Hive4Parser:
    """The parser of Hive 4."""

    def __init__(self, jvm: Any) -> None:
        from py4j.protocol import Py4JJavaError

        self._failure: type[Exception] = Py4JJavaError
        self._parse = jvm.org.apache.hadoop.hive.ql.parse
        self._driver = self._parse.ParseDriver()
        self._conf = jvm.org.apache.hadoop.hive.conf.HiveConf()

    def keywords(self) -> list[str]:
        """The words of its lexer, reserved or not."""
        return [name.removeprefix("KW_") for name in self._parse.HiveParser.tokenNames if name.startswith("KW_")]

    def complaint(self, sql: str) -> str | None:
        """What it has against the text; None when it takes it."""
        try:
            self._driver.parse(sql, self._conf)
        except self._failure as error:
            return str(error.java_exception)  # type: ignore[attr-defined]
        return None


@contextmanager
def hive_4_parser(java: Path, jars: Path) -> Iterator[Hive4Parser]:
    """The parser of the Hive 4 with these jars, in a Java of its own."""
    with other_java(java, _OPTIONS, [jars / "*"], spark_jars=False) as jvm:
        yield Hive4Parser(jvm)
