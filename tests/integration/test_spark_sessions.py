"""A user's session while this library asks Spark: nothing of it changes, however many threads ask."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hive_views.errors import InvalidSchemaError
from hive_views.spark import inputs_of, schema_of
from hive_views.spark.sessions.local_session import errors_not_logged
from hive_views.spark.sessions.session_beside import session_beside
from hive_views.spark.spark_sql import columns_from

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

THREADS, ROUNDS = 4, 2


@pytest.fixture
def table(spark: Any, namespace: str) -> str:
    spark.sql(f"CREATE TABLE {namespace}.t (n INT) PARTITIONED BY (ds STRING) STORED AS PARQUET")
    return f"{namespace}.t"


@pytest.fixture(params=["classic", "connect"])
def session(spark: Any, request: pytest.FixtureRequest) -> Any:
    return spark if request.param == "classic" else request.getfixturevalue("remote")


def state(session: Any) -> tuple[Any, ...]:
    return session.conf.getAll, session.catalog.currentCatalog(), session.catalog.currentDatabase()


def test_no_setting_of_a_session_changes_while_four_threads_ask_for_columns_and_inputs(
    session: Any, spark: Any, table: str, namespace: str
) -> None:
    before = state(session)
    together = threading.Barrier(THREADS)

    def ask() -> None:
        together.wait()
        for _ in range(ROUNDS):
            assert schema_of(session, f"SELECT '1' + n AS n FROM {table}") == [("n", "double", None)]
            assert columns_from(session)("SELECT ds FROM t", "spark", namespace) == [("ds", "string", None)]
            if session is spark:
                [read] = inputs_of(session, table, {"ds": "2026-08-21"}).tables
                assert read.partitions == ()

    with ThreadPoolExecutor(THREADS) as pool:
        asking = [pool.submit(ask) for _ in range(THREADS)]
        seen = [state(session)]
        while not all(one.done() for one in asking):
            seen.append(state(session))
        for one in asking:
            one.result()
    assert [one for one in [*seen, state(session)] if one != before] == []


def test_a_session_beside_has_what_was_set_and_unset_and_where_the_session_stands(
    session: Any, table: str, namespace: str
) -> None:
    session.conf.set("spark.sql.timeType.enabled", "true")
    session.catalog.setCurrentDatabase(namespace)
    try:
        with pytest.raises(InvalidSchemaError, match="time"):
            schema_of(session, "SELECT TIME'12:00:00' AS bad")
        assert schema_of(session, "SELECT n FROM t") == [("n", "int", None)]
        with session_beside(session, {"spark.sql.shuffle.partitions": "3"}) as beside:
            beside.conf.set("spark.sql.ansi.enabled", "false")
            assert beside.conf.get("spark.sql.shuffle.partitions") == "3"
    finally:
        session.conf.unset("spark.sql.timeType.enabled")
        session.catalog.setCurrentDatabase("default")
    with session_beside(session, {}) as beside:
        assert beside.conf.getAll == session.conf.getAll


def test_the_active_session_and_what_rdds_become_stay_the_users(spark: Any, table: str) -> None:
    from pyspark import RDD

    before = RDD.toDF
    schema_of(spark, f"SELECT n FROM {table}")
    inputs_of(spark, table, {"ds": "2026-08-21"})
    assert RDD.toDF is before
    active = spark._jvm.org.apache.spark.sql.classic.SparkSession.getActiveSession()
    assert active.isEmpty() or active.get().equals(spark._jsparkSession)


def test_the_log_of_pyspark_is_quiet_in_the_thread_that_asks_and_in_no_other() -> None:
    from pyspark.logger import PySparkLogger

    log = PySparkLogger.getLogger("SQLQueryContextLogger")
    record = log.makeRecord(log.name, logging.ERROR, "", 0, "failed", (), None)
    entered, first_has_left = threading.Event(), threading.Event()

    def second() -> bool:
        with errors_not_logged():
            entered.set()
            first_has_left.wait(60)
        return bool(log.filter(record)) and not log.disabled

    def first() -> bool:
        with errors_not_logged():
            asked = pool.submit(second)
            entered.wait(60)
            was_quiet = not log.filter(record)
        first_has_left.set()
        return was_quiet and asked.result()

    with ThreadPoolExecutor(2) as pool:
        assert pool.submit(first).result()
        assert pool.submit(lambda: bool(log.filter(record)) and not log.disabled).result()
