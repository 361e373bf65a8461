"""A Java beside that of PySpark's session in one process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import py4j.java_gateway

from hive_views.metastore.embedded.java import find_jars


@contextmanager
def other_java(
    java: Path, options: Sequence[str], jars: Sequence[Path] = (), *, spark_jars: bool = True, **streams: Any
) -> Iterator[Any]:
    """A Java machine with PySpark's jars and others; it ends with the block.

    Args:
        java: the program.
        options: as on its command line.
        jars: those that are not PySpark's.
        spark_jars: whether PySpark's are there; without them, of these only the bridge to Python is.
        streams: ``redirect_stdout`` and ``redirect_stderr`` of ``launch_gateway``.
    """
    spark = find_jars()
    bridge = next(spark.glob("py4j-*.jar"))
    port, process = py4j.java_gateway.launch_gateway(
        classpath=":".join([f"{spark}/*" if spark_jars else str(bridge), *map(str, jars)]),
        jarpath=str(bridge),
        java_path=str(java),
        # It lives for minutes, which is not worth the second compiler, and is small: collectors with threads take more.
        javaopts=["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", *options],
        die_on_exit=True,
        return_proc=True,
        **streams,
    )
    gateway = py4j.java_gateway.JavaGateway(
        gateway_parameters=py4j.java_gateway.GatewayParameters(port=port, auto_convert=True)
    )
    try:
        with _errors_of_their_own(gateway._gateway_client):
            yield gateway.jvm
    finally:
        gateway.shutdown()
        process.stdin.close()
        process.wait(timeout=30)


@contextmanager
def _errors_of_their_own(client: object) -> Iterator[None]:
    """PySpark asks its own Java about errors of all, which has another object by that name, or none."""
    from pyspark.errors.exceptions import captured

    convert = captured.convert_exception

    def unless_of_other(error: Any) -> Any:
        if error._gateway_client is client:
            # What is unknown is raised as it was.
            return captured.UnknownException(desc="", stackTrace="")
        return convert(error)

    captured.convert_exception = unless_of_other
    try:
        yield
    finally:
        captured.convert_exception = convert
