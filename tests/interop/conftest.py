"""Outsiders as judges. What lives here: how they are started. What must not: what they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive_views.metastore.java import find_jars


@pytest.fixture(scope="session")
def hive_jvm(java: Path) -> Iterator[Any]:
    """A Java machine with the classes of Hive 2.3.10, without a server or a Spark session."""
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    jars = find_jars()
    port, process = launch_gateway(
        classpath=f"{jars}/*",
        jarpath=str(next(jars.glob("py4j-*.jar"))),
        java_path=str(java),
        # Hive's query compiler interns strings inside java.net.URI.
        javaopts=[
            "-Xmx256m",
            "-Duser.timezone=UTC",
            "-Dlog4j2.level=off",
            "--add-opens=java.base/java.net=ALL-UNNAMED",
        ],
        die_on_exit=True,
        return_proc=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auto_convert=True))
    yield gateway.jvm
    gateway.shutdown()
    process.stdin.close()
    process.wait(timeout=30)
