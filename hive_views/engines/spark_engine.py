"""Spark, by a session of the caller's or a local one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from hive_views.engines.engine_protocol import EngineColumn, QueryRefusedError, Rows, RowsWanted
from hive_views.engines.engine_values import read_json, reader_of
from hive_views.errors import InvalidInputError, NoSuchTableError, UnavailableError
from hive_views.spark.analyser.query_schema import columns_of
from hive_views.spark.sessions.local_session import errors_not_logged, local_session
from hive_views.spark.sessions.session_beside import session_beside
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.views.catalog import ViewCatalog

_PLACE = re.compile(r";? ?\bline (\d+),? pos(?:ition)? (\d+)")
# Where names without a database would be, if there were any.
_NAMESPACE = "default"
# A text of Spark means the same in both modes, or fails in this one.
_SETTINGS = {"spark.sql.ansi.enabled": "true", "spark.sql.session.timeZone": "UTC"}
# All values of a row in one text, as PySpark's own do not hold all dates and timestamps of Spark.
_AS_JSON = """\
SELECT to_json(struct(*), map('timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS', 'ignoreNullFields', 'false')) AS r FROM (
SELECT * FROM (
{query}
) q ({names}) {order} LIMIT {limit}
)"""


class SparkEngine:
    """Spark, which analyzes each text in a session beside this one, with ANSI mode as for views of its dialect."""

    name = "Spark"
    dialect = "spark"
    dialects: tuple[str, ...] = ROW_DIALECTS
    catalogs: tuple[str, ...] = ("spark_catalog",)
    reads_translated = False
    takes_with_in_subqueries = True

    def __init__(self, session: Any) -> None:
        self._session = session

    def version(self) -> str | None:
        """As ``Engine`` says."""
        return str(self._session.version)

    def columns(self, query: QueryText) -> tuple[EngineColumn, ...]:
        """As ``Engine`` says."""
        try:
            found = columns_of(self._session, query, query.dialect, _NAMESPACE, any_type=True)
        except (InvalidInputError, NoSuchTableError) as error:
            place = _PLACE.search(str(error.__cause__ or ""))
            line, column = (int(place[1]), int(place[2]) + 1) if place else (None, None)
            message = _PLACE.sub("", error.message).removeprefix("Spark cannot analyse the query: ")
            raise QueryRefusedError(message, line or getattr(error, "line", None), column or 1) from error
        return tuple(EngineColumn(name, type_) for name, type_, _ in found)

    def rows(self, query: QueryText, wanted: RowsWanted) -> Rows:
        """As ``Engine`` says; in ANSI mode, and the time zone UTC."""
        from py4j.protocol import Py4JError  # noqa: PLC0415 - what an optional package is made of
        from pyspark.errors import PySparkException  # noqa: PLC0415 - likewise

        names = [f"c{at}" for at in range(len(wanted.types))]
        order = ", ".join(f"{names[at]} ASC NULLS FIRST" for at in wanted.order)
        text = _AS_JSON.format(
            query=query.statement.text,
            names=", ".join(names),
            order=f"ORDER BY {order}" if order else "",
            limit=wanted.limit,
        )
        try:
            with errors_not_logged(), session_beside(self._session, _SETTINGS, _NAMESPACE) as beside:
                found = beside.sql(text).collect()
        except (PySparkException, Py4JError, OSError) as error:
            if isinstance(error, PySparkException) and error.getCondition():
                raise QueryRefusedError(_reason(error)) from error
            raise UnavailableError(f"Spark failed: {_reason(error)}") from error
        readers = [reader_of(one) for one in wanted.types]
        return tuple(
            tuple(read(value) for read, (_, value) in zip(readers, read_json(row[0]), strict=True)) for row in found
        )


def _reason(error: Exception) -> str:
    """Below it are the plan, or Java's stack."""
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


@contextmanager
def local_spark(catalog: ViewCatalog) -> Iterator[SparkEngine]:
    """A local Spark on the metastore of a catalog.

    Raises:
        UnsupportedFeatureError, UnavailableError: as ``local_session``.
    """
    with TemporaryDirectory() as unused:
        address = catalog.metastore.facts().address
        with local_session(address, unused, app_name="hive-views") as session:
            yield SparkEngine(session)
