"""What statements refuse, with Hive's error numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from hive_views.ddl.grammar.statements import Name
from hive_views.ddl.session import Session
from hive_views.errors import HiveViewsError, NoSuchIcebergViewError, NoSuchViewError
from hive_views.hive.row import Row
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.released import is_half_released
from hive_views.views.view import View, is_iceberg_view

NO_SUCH_TABLE = 10001
NO_SUCH_COLUMN = 10004
NO_PARTITION_FOUND = 10006
NO_SUCH_FUNCTION = 10011
DUPLICATE_COLUMN = 10036
NO_SUCH_DATABASE = 10072
TABLE_EXISTS = 10073
COLUMN_COUNT = 10089
KEYS_NOT_LAST = 10093
NOT_A_VIEW = 10132
NO_SUCH_PROPERTY = 10215
ALTER_OF_NOTHING = 10216
HAS_PARTITIONS = 10217
REPLACE_OF_TABLE = 10218
NOT_PARTITIONED = 10241


def numbered(message: str, number: int | None) -> str:
    """The message with the number of the corresponding Hive error."""
    return message if number is None else f"{message} (Hive error {number})"


@contextmanager
def hive_error(number: int, *kinds: type[HiveViewsError]) -> Iterator[None]:
    """Add Hive's number to errors of these kinds."""
    try:
        yield
    except kinds as error:
        raise replace(error, message=numbered(error.message, number)) from error


def own_view(
    catalog: ViewCatalog,
    name: Name,
    session: Session,
    *,
    absent: int = NO_SUCH_TABLE,
    table: int = NOT_A_VIEW,
    statement: str = "ALTER VIEW",
) -> View:
    """The view that a statement is about.

    Raises:
        NoSuchViewError: there is none (Hive error ``absent``).
        NoSuchIcebergViewError: the name is that of a table (Hive error ``table``), or of a view without metadata.
    """
    identifier = name.resolve(session.namespace)
    try:
        return catalog.load_view(identifier)
    except NoSuchIcebergViewError as error:
        row = catalog.metastore.load_row(identifier)
        if is_iceberg_view(row) or is_half_released(row):  # it has lost its pointer, or is losing it
            raise
        raise not_ours(row, statement, table) from error
    except NoSuchViewError as error:
        raise replace(error, message=numbered(error.message, absent)) from error


def not_ours(row: Row, statement: str, table: int | None) -> NoSuchIcebergViewError:
    """The error for a row that is not a view of this library: a table, or a view that Hive or Spark created."""
    name = str(row.identifier)
    if row.is_view:
        message = (
            f"{name} is a plain view, without a metadata file or history, and {statement} is executed here only "
            f"on managed views. Run it in Hive or Spark, or adopt the view first:"
        )
        return NoSuchIcebergViewError(message, remedy=remedies.adopt(name), identifier=name)
    message = f"{name} is a table ({row.table_type}), but {statement} works only on views."
    return NoSuchIcebergViewError(numbered(message, table), identifier=name)
