"""Hive's classes in a Java of their own, for tests and for commands beside them.

What lives here: starting and ending that Java. What must not: what it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hive_views.metastore.java import find_jars


@contextmanager
def hive_java(java: Path) -> Iterator[Any]:
    """A Java machine with the classes of Hive 2.3.10 from PySpark's jars, without a server or a Spark session."""
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    jars = find_jars()
    port, process = launch_gateway(
        classpath=f"{jars}/*",
        jarpath=str(next(jars.glob("py4j-*.jar"))),
        java_path=str(java),
        # Hive's query compiler interns strings inside java.net.URI.
        javaopts=[
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-Duser.timezone=UTC",
            "-Dlog4j2.level=off",
            "--add-opens=java.base/java.net=ALL-UNNAMED",
        ],
        die_on_exit=True,
        return_proc=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auto_convert=True))
    try:
        yield gateway.jvm
    finally:
        gateway.shutdown()
        process.stdin.close()
        process.wait(timeout=30)
