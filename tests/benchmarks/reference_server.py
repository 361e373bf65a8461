"""Iceberg's reference server of its REST protocol: its own catalog of a metastore, behind a servlet."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hive_views.metastore.embedded.java import find_jars
from tests.support.java.connectors import fetch_jars

_ICEBERG, _JETTY = "1.11.0", "12.1.5"
# What is not here is among PySpark's jars.
JARS = (
    *(("org.apache.iceberg", f"iceberg-{part}", _ICEBERG) for part in ("api", "core", "common", "hive-metastore")),
    ("org.apache.iceberg", "iceberg-bundled-guava", _ICEBERG),
    *(
        ("org.eclipse.jetty", f"jetty-{part}", _JETTY)
        for part in ("http", "io", "security", "server", "session", "util")
    ),
    *(("org.eclipse.jetty.compression", f"jetty-compression-{part}", _JETTY) for part in ("common", "gzip", "server")),
    ("org.eclipse.jetty.ee10", "jetty-ee10-servlet", _JETTY),
    ("jakarta.servlet", "jakarta.servlet-api", "6.0.0"),
    ("com.github.ben-manes.caffeine", "caffeine", "2.9.3"),
    ("org.apache.httpcomponents.client5", "httpclient5", "5.6.1"),
    ("org.apache.httpcomponents.core5", "httpcore5", "5.4"),
    ("org.apache.httpcomponents.core5", "httpcore5-h2", "5.4"),
)
# The server is among Iceberg's own tests, of which there are none of 1.12. Ivy gives one jar of a module at a time.
JARS_OF_TESTS = (
    ("org.apache.iceberg", "iceberg-core", _ICEBERG, "tests"),
    ("org.apache.iceberg", "iceberg-open-api", _ICEBERG, "test-fixtures"),
)
_START_TIMEOUT_S = 60.0


@contextmanager
def reference_server(java: Path, uri: str, scratch: Path, *options: str) -> Iterator[str]:
    """A server of the views and tables of a metastore, until the block ends; its address.

    Args:
        java: the program.
        uri: of the metastore.
        scratch: a directory for its log and its warehouse.
        options: of Java.

    Raises:
        subprocess.SubprocessError: its jars cannot be fetched.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    jars = [*fetch_jars(java, scratch, JARS), *fetch_jars(java, scratch, JARS_OF_TESTS)]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "CATALOG_CATALOG__IMPL": "org.apache.iceberg.hive.HiveCatalog",
        "CATALOG_URI": uri,
        "CATALOG_WAREHOUSE": f"file://{scratch}/warehouse",
        "CATALOG_REST_PORT": str(port),
    }
    log = scratch / "reference.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [java, *options, "-cp", _classpath(jars), "org.apache.iceberg.rest.RESTCatalogServer"],
            env={**os.environ, **settings},
            cwd=scratch,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_ready(process, port, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=60)


def _classpath(jars: Sequence[Path]) -> str:
    """Newer ones before those that PySpark has of the same."""
    return os.pathsep.join([*map(str, jars), f"{find_jars()}/*"])


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while not _is_listening(port):
        if time.monotonic() > deadline or process.poll() is not None:
            raise RuntimeError(f"the reference server does not start:\n{log.read_text()}")
        time.sleep(0.1)


def _is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
