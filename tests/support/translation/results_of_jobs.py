"""What Hive's jobs return, exactly: the text that they write it as makes one of NULL, an array of one NULL, and more.

A query that Hive answers where it compiles it has no such text. What has it, and an array, a map or a struct for which
this may matter, is asked again through a table.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence

from tests.support.translation.answers import Answer, NotRead, Refused
from tests.support.translation.rows import DATABASE

Columns = Sequence[tuple[str, str]]

_OF_JOBS = re.compile("Map Reduce|Map Operator Tree|Vertex|Reducer")


def exactly(
    answer: Answer,
    sql: str,
    read: Callable[[str, Columns], Answer],
    run: Callable[[str], object],
    *,
    always: bool = False,
) -> Answer:
    """The answer to a query as the query has it.

    Args:
        answer: as Hive returned it.
        sql: the query.
        read: the rows of a query of one table, or the lines of EXPLAIN, where the columns are known.
        run: runs a statement that returns nothing.
        always: it was answered by a job, whatever the plan says.

    Raises:
        NotRead: no table can be made of what the query returns.
    """
    if not _may_be_others(answer) or not (always or _has_jobs(read(f"EXPLAIN {sql}", [("Explain", "string")]))):
        return answer
    table = f"{DATABASE}.kept_{uuid.uuid4().hex[:8]}"
    try:
        run(f"CREATE TEMPORARY TABLE {table} STORED AS ORC AS {sql}")
    except (Refused, AssertionError) as error:
        raise NotRead(f"NULL and others in what a job returns, as there is no table of it: {error}") from error
    try:
        return read(f"SELECT * FROM {table}", answer.columns)
    finally:
        run(f"DROP TABLE {table}")


def _may_be_others(answer: Answer) -> bool:
    for at, type_ in enumerate(answer.types):
        in_others = any(part.parts for part in type_.parts)
        if type_.parts and any(in_others or not row[at] for row in answer.rows):
            return True
    return False


def _has_jobs(plan: Answer) -> bool:
    return any(_OF_JOBS.search(str(row[0])) for row in plan.rows)
