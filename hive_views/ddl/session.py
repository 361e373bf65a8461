"""What a statement is executed with, besides its text.

Immutable, because one catalog serves many threads: USE yields a new session for the next statements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hive_views.hive.columns import ColumnsInput

ColumnsOf = Callable[[str, str, str], list[tuple[str, str, str | None]]]
"""Finds the output columns of a query: names, Hive types and comments, given text, dialect and namespace.

``hive_views.spark.schema_of`` does it in a session of Spark.
"""


@dataclass(frozen=True)
class Session:
    """The current database, and what is known of the columns of a query.

    Attributes:
        namespace: the current database.
        dialect: the dialect of the queries in CREATE VIEW and ALTER VIEW AS.
        schema: the output columns of the query, for a single statement, if the caller gives them.
        columns_of: asks an engine for them; without it, they are derived where that is certain.
    """

    namespace: str = "default"
    dialect: str = "hive"
    schema: ColumnsInput | None = None
    columns_of: ColumnsOf | None = None
