"""Spark, by a session of the caller's or a local one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from hive_views.errors import InvalidInputError, NoSuchTableError
from hive_views.project.engines.engine_protocol import EngineColumn, QueryRefusedError
from hive_views.spark.analyser.query_schema import columns_of
from hive_views.spark.sessions.local_session import local_session
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.views.catalog import ViewCatalog

_PLACE = re.compile(r";? ?\bline (\d+),? pos(?:ition)? (\d+)")
# Where names without a database would be, if there were any.
_NAMESPACE = "default"


class SparkEngine:
    """Spark, which analyzes each text in a session beside this one, with ANSI mode as for views of its dialect."""

    name = "Spark"
    dialects: tuple[str, ...] = ROW_DIALECTS
    catalogs: tuple[str, ...] = ("spark_catalog",)
    reads_translated = False
    takes_with_in_subqueries = True

    def __init__(self, session: Any) -> None:
        self._session = session

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
