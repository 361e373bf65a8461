"""Fixtures of general use: the embedded metastore of the test session, and the rule for tests whose peer is missing.

A test that needs something a user may lack (Java, Spark, a container engine) has the mark ``peer(name)`` and skips with
a reason. Where ``REQUIRE_PEERS=1``, as in CI, such a skip is a failure.

``-m "spark and not connectors"`` is what runs on a Spark that has no connectors yet: all that has the fixture
``spark``, and what says with the mark that it starts a Spark of its own.

Most runs are of a few quick tests: what takes long to import (PySpark, hypothesis, Docker's client) is imported by the
fixtures and modules that need it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import uuid
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import UnsupportedFeatureError
from hive_views.metastore.embedded.java import find_jars, find_java
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.files_in_memory import forget_files_in_memory
from tests.support.java.metastores import embedded_or_named
from tests.support.java.small_queries import STAGE_BY_STAGE
from tests.support.java.spark_on_hive_4 import HIVE_4_JARS, with_hive_4

pytest_plugins = [
    "tests.support.containers.fixtures",
    "tests.support.processes.store_fixtures",
    "tests.support.processes.hdfs_fixtures",
    "tests.support.compatibility",
    "tests.support.promises",
    "tests.support.spreading",
]

# Assertions of what tests share explain themselves as those of test files do.
pytest.register_assert_rewrite(
    "tests.contract",
    "tests.faults",
    "tests.stateful",
    "tests.support.failing",
    "tests.support.plain_rows",
    "tests.support.tables",
    "tests.support.views",
)


@pytest.fixture(autouse=True)
def _files_in_memory_end_with_the_test() -> Iterator[None]:
    yield
    forget_files_in_memory()


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the library keeps for its user stays in the directory of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIVE_VIEWS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def pytest_pycollect_makemodule(module_path: Path) -> None:
    """Hypothesis times each example by default, and a busy machine is no failure."""
    if "from hypothesis import" in module_path.read_text(encoding="utf-8"):
        from hypothesis import settings

        settings.register_profile("without a clock", settings.get_profile("default"), deadline=None)
        settings.load_profile("without a clock")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        # Fixtures that need other fixtures are listed with all of them.
        if "java" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.peer("java"))
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")
        if "iceberg_jar" in getattr(item, "fixturenames", ()):
            item.add_marker("connectors")
        if item.get_closest_marker("connectors"):
            item.add_marker(pytest.mark.peer("connectors"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    peer = item.get_closest_marker("peer")
    if peer and report.skipped and not hasattr(report, "wasxfail") and os.environ.get("REQUIRE_PEERS") == "1":
        report.outcome = "failed"
        report.longrepr = f"The peer {peer.args[0]!r} is required here, and the test skipped: {report.longrepr[2]}"
    return report


@pytest.fixture
def quiet_log(caplog: pytest.LogCaptureFixture) -> None:
    """Thousands of warnings about what a test injects or damages would hide what went wrong."""
    caplog.set_level(logging.CRITICAL, logger="hive_views")


@pytest.fixture(scope="session")
def java() -> Path:
    """A Java and PySpark's jars are there; the test skips where they are not."""
    try:
        find_jars()
        return find_java()
    except UnsupportedFeatureError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def metastore_uri(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URI of a real Hive 2.3.10 metastore, started once for the session, or of the one that is named."""
    with embedded_or_named(tmp_path_factory.mktemp("metastore")) as uri:
        yield uri


@pytest.fixture(scope="session")
def hms(metastore_uri: str) -> Iterator[HiveMetastore]:
    """The embedded metastore over Thrift."""
    metastore = HiveMetastore(metastore_uri)
    yield metastore
    metastore.close()


@pytest.fixture
def namespace(hms: HiveMetastore, tmp_path: Path) -> str:
    """A new namespace of the embedded metastore, whose location is the test's own directory."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    hms.create_namespace(name, location=f"file:{tmp_path}")
    return name


@pytest.fixture(scope="session")
def connectors(request: pytest.FixtureRequest, java: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The jars of Iceberg's and Delta's connectors, if a test of this run asks for them and they can be had."""
    import pyspark

    from tests.support.java.connectors import DELTA, ICEBERG, SPARK, fetch_jars

    items = (item for item in request.session.items if "lake_spark" in getattr(item, "fixturenames", ()))
    is_asked_for = any(item.get_closest_marker("connectors") for item in items)
    if not is_asked_for or not pyspark.__version__.startswith(f"{SPARK}."):
        return []
    try:
        return fetch_jars(java, tmp_path_factory.mktemp("connectors"), ICEBERG + DELTA)
    except subprocess.SubprocessError:
        return []


@pytest.fixture(scope="session")
def spark(metastore_uri: str, tmp_path_factory: pytest.TempPathFactory, connectors: list[Path]) -> Iterator[Any]:
    """A plain local Spark on the metastore, started once for the session; it has nothing of this library.

    A process has one Spark, so the jars for ``lake_spark`` are on its class path. Nothing in it uses them.
    """
    from hive_views.spark.sessions.local_session import local_session

    jars = os.environ.get(HIVE_4_JARS)
    settings = {**STAGE_BY_STAGE, **(with_hive_4(jars) if jars else {})}
    if connectors:
        settings["spark.jars"] = ",".join(map(str, connectors))
    with local_session(metastore_uri, tmp_path_factory.mktemp("spark"), app_name="tests", settings=settings) as session:
        yield session


@pytest.fixture(scope="session")
def remote(spark: Any) -> Iterator[Any]:
    """A Connect session with a server in the Java of the tests' own Spark."""
    pytest.importorskip("grpc_status", reason="the packages of pyspark[connect] are missing")
    from pyspark.sql.connect.session import SparkSession

    context = spark.sparkContext._jsc.sc()
    context.conf().set("spark.connect.grpc.binding.port", "0").set("spark.connect.grpc.binding.address", "127.0.0.1")
    service = getattr(spark._jvm.org.apache.spark.sql.connect.service, "SparkConnectService$")
    service = getattr(service, "MODULE$")  # an object of Scala
    service.start(context)
    try:
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{service.localPort()}").create()
        yield session
        session.stop()
    finally:
        service.stop(spark._jvm.scala.Option.empty(), spark._jvm.scala.Option.empty())


@pytest.fixture(scope="session")
def lake_spark(spark: Any, metastore_uri: str, connectors: list[Path]) -> Any:
    """A session of the same Spark, for Delta and Iceberg tables beside Hive's where their connectors can be had."""
    from tests.support.java.connectors import session_with_connectors

    session = session_with_connectors(spark, metastore_uri) if connectors else spark.newSession()
    session.conf.set("hive.exec.dynamic.partition.mode", "nonstrict")
    return session
