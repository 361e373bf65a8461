"""Circular dependencies: views that would read themselves."""

from __future__ import annotations

from hive_views.errors import InvalidInputError, NoSuchTableError
from hive_views.metastore.port import Rows
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from hive_views.views.row.dependencies import read_by, tables_in


def refuse_cycle(metastore: Rows, target: TableIdentifier, query: QueryText, namespace: str) -> None:
    """Make sure that no view which the query reads, directly or through other views, reads ``target``.

    Paths end at texts that cannot be parsed, at tables, and at names that do not exist.

    Raises:
        InvalidInputError: there is such a view; the message has Hive's words and shows the path to it.
    """
    ahead: list[tuple[TableIdentifier, ...]] = [(target, read) for read in tables_in(query, query.dialect, namespace)]
    seen: set[TableIdentifier] = set()
    while ahead:
        path = ahead.pop()
        name = path[-1]
        if name == target:
            cycle = [str(step) for step in path]
            raise InvalidInputError(
                f"Recursive view {target} detected (cycle: {' -> '.join(cycle)}): no engine could read it. "
                f"Remove {cycle[1]} from the query.",
            )
        if name in seen:
            continue
        seen.add(name)
        ahead += [(*path, read) for read in _read_by(metastore, name)]


def _read_by(metastore: Rows, name: TableIdentifier) -> tuple[TableIdentifier, ...]:
    try:
        return read_by(metastore.load_row(name))
    except NoSuchTableError:
        return ()
