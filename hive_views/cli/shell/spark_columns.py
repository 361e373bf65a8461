"""The columns of a query, derived by a local Spark session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from tempfile import TemporaryDirectory

from hive_views.cli.shell.progress import waiting
from hive_views.ddl.session import ColumnsOf
from hive_views.errors import InvalidInputError
from hive_views.hive.columns import ColumnsInput
from hive_views.spark.sessions.local_session import local_session
from hive_views.spark.spark_sql import columns_from
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.views.catalog import ViewCatalog


def columns_from_spark(catalog: ViewCatalog, name: str, texts: Mapping[str, str]) -> ColumnsInput:
    """The columns of a query, as a local Spark session derives them with the tables of the catalog's metastore.

    Raises:
        InvalidInputError: there is no SQL that Spark reads.
        SQLSyntaxError, NoSuchTableError, InvalidSchemaError, UnsupportedFeatureError, UnavailableError: as
            ``hive_views.spark`` does.
    """
    dialect = next((dialect for dialect in ROW_DIALECTS if dialect in texts), None)
    if dialect is None:
        raise InvalidInputError("Spark can only derive columns from SQL in dialect hive or spark; specify one of them.")
    with spark_columns(catalog) as columns_of:
        return columns_of(texts[dialect], dialect, TableIdentifier.of(name).namespace)


@contextmanager
def spark_columns(
    catalog: ViewCatalog, *, within_progress: bool = False, any_type: bool = False
) -> Iterator[ColumnsOf]:
    """A function that derives the columns of queries with a local Spark session, which is started on first use.

    Args:
        catalog: whose metastore it is to use.
        within_progress: whether a progress bar is already shown.
        any_type: allow types that Hive does not have.

    Raises (when asked):
        SQLSyntaxError, NoSuchTableError, InvalidSchemaError, UnsupportedFeatureError, UnavailableError: as
            ``hive_views.spark`` does.
    """
    started: list[ColumnsOf] = []
    with ExitStack() as stack:

        def columns_of(query: str, dialect: str, namespace: str) -> list[tuple[str, str, str | None]]:
            with nullcontext() if within_progress else waiting("Deriving the columns with Spark"):
                if not started:
                    unused = stack.enter_context(TemporaryDirectory())
                    address = catalog.metastore.facts().address
                    session = stack.enter_context(local_session(address, unused, app_name="hive-views"))
                    started.append(columns_from(session, any_type=any_type))
                return started[0](query, dialect, namespace)

        yield columns_of
