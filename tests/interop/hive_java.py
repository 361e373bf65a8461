"""Hive's classes in a Java of their own, for tests and for commands beside them.

What lives here: starting and ending that Java. What must not: what it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.interop.other_java import other_java


@contextmanager
def hive_java(java: Path) -> Iterator[Any]:
    """A Java machine with the classes of Hive 2.3.10 from PySpark's jars, without a server or a Spark session."""
    # Hive's query compiler interns strings inside java.net.URI.
    opened = "--add-opens=java.base/java.net=ALL-UNNAMED"
    with other_java(java, ["-Xmx256m", "-Duser.timezone=UTC", "-Dlog4j2.level=off", opened]) as jvm:
        yield jvm
