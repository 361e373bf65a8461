"""What a statement is executed with besides its text.

What lives here: the session, a value that every statement is given and USE makes another of. What must not: a session
that changes; one catalog serves many threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hive_views.hive.columns import ColumnsInput

ColumnsOf = Callable[[str, str, str], list[tuple[str, str, str | None]]]
"""The output columns of a query, given its text, its dialect, and where its names resolve: names, Hive types, comments.

It is ``hive_views.spark.schema_of`` in a session of Spark.
"""


@dataclass(frozen=True)
class Session:
    """The current database, and what is known of the columns of a query.

    Attributes:
        namespace: the current database.
        dialect: of the queries in CREATE VIEW and ALTER VIEW AS.
        schema: the output columns of the query of one statement, if its user gives them.
        columns_of: an engine that can tell them; without one they are derived where that is certain.
    """

    namespace: str = "default"
    dialect: str = "hive"
    schema: ColumnsInput | None = None
    columns_of: ColumnsOf | None = None
