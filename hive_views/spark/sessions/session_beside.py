"""A session of our own beside a user's, so that no setting of the user's session ever changes.

Changing a setting and putting it back is not safe: a second thread would take the first one's value for the user's.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4


def is_connect(spark: Any) -> bool:
    """Whether the session is a Spark Connect client."""
    return "connect" in type(spark).__module__.split(".")


@contextmanager
def session_beside(spark: Any, settings: Mapping[str, str], namespace: str | None = None) -> Iterator[Any]:
    """A session with the settings and catalogs of another, and none of its temporary views, functions and variables.

    Args:
        spark: a SparkSession, classic or Connect.
        settings: those that differ from the other's.
        namespace: the current database, if it is not the other's.

    Returns:
        What has ``sql(query)``: a DataFrame, of use within the block. Of a classic session also ``java``, which is the
        thread's active one within the block, since Spark's rules take their settings from that one.
    """
    make = _connect_session if is_connect(spark) else _classic_session
    with make(spark) as session:
        for name, value in settings.items():
            session.conf.set(name, value)
        _stand_where(session.catalog, spark.catalog, namespace)
        yield session


class _ClassicSession:
    """Spark's session without one of PySpark's, which would take ``RDD.toDF`` of the whole process for itself."""

    def __init__(self, spark: Any) -> None:
        from pyspark.sql.conf import RuntimeConfig  # noqa: PLC0415 - an optional package

        self._spark = spark
        self.java = spark._jsparkSession.newSession()
        self.conf = RuntimeConfig(self.java.conf())
        own = self.java.sessionState().conf().settings()
        own.clear()
        own.putAll(spark._jsparkSession.conf().getAllAsJava())

    @property
    def catalog(self) -> Any:
        return _JavaCatalog(self.java.catalog())

    def sql(self, query: str) -> Any:
        from pyspark.sql.classic.dataframe import DataFrame  # noqa: PLC0415 - an optional package

        return DataFrame(self.java.sql(query), self._spark)


class _JavaCatalog:
    """As much of PySpark's catalog as is asked for."""

    def __init__(self, java: Any) -> None:
        for name in ("currentCatalog", "setCurrentCatalog", "currentDatabase", "setCurrentDatabase"):
            setattr(self, name, getattr(java, name))


@contextmanager
def _classic_session(spark: Any) -> Iterator[_ClassicSession]:
    session = _ClassicSession(spark)
    with active(spark, session.java):
        yield session


@contextmanager
def active(spark: Any, java: Any) -> Iterator[None]:
    """Make a session of Java this thread's active one for the block: Spark takes its settings from that one."""
    sessions = spark._jvm.org.apache.spark.sql.classic.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(java)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


@contextmanager
def _connect_session(spark: Any) -> Iterator[Any]:
    """As ``SparkSession.cloneSession`` of Spark 4.1 makes one, which takes temporary objects with it."""
    connection = copy.deepcopy(spark.client._builder)
    connection.set(connection.PARAM_SESSION_ID, str(uuid4()))
    session = type(spark)(connection, userId=spark.client._user_id)
    # Queries that can be taken up again are ended by threads that all sessions of the process share.
    session.client.disable_reattachable_execute()
    try:
        wanted, found = spark.conf.getAll, session.conf.getAll
        for name in found.keys() - wanted.keys():
            session.conf.unset(name)
        for name, value in wanted.items():
            if found.get(name) != value:
                session.conf.set(name, value)
        yield session
    finally:
        # session.stop() would also stop a server that Spark started for the user's session, and client.close() those
        # threads, at times for good.
        with suppress(Exception):  # the server lets go of it by itself, later
            session.client.release_session()
        session.client._channel.close()
        # When it is collected, PySpark would close its client all the same, in the midst of whatever runs then: if that
        # is a hand-over to those threads, it waits for a lock that it holds itself.
        session._client = None


def _stand_where(catalog: Any, other: Any, namespace: str | None) -> None:
    if catalog.currentCatalog() != (current := other.currentCatalog()):
        catalog.setCurrentCatalog(current)
    if catalog.currentDatabase() != (wanted := namespace or other.currentDatabase()):
        catalog.setCurrentDatabase(wanted)
