"""The rows of names, in as few calls as there can be, and which of them the metastore cannot give.

What lives here: reading them by halves. What must not: which names are asked for, what is wrong with a row.

A call for a hundred rows fails where the metastore fails on one of them. Such a call is halved until the names are
found that fail alone: some fourteen calls for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hive_views.errors import HiveViewsError, NoSuchNamespaceError
from hive_views.estate.outcomes import is_gone
from hive_views.hive.row import Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.names import ROWS_IN_A_CALL

OnUnreadable = Callable[[TableIdentifier, HiveViewsError], object]
"""Called with a name whose row the metastore fails on, and how; may raise."""


def refuse(_: TableIdentifier, error: HiveViewsError) -> None:
    """What is done about a row that cannot be read where all must be known.

    Raises:
        HiveViewsError: it.
    """
    raise error


def readable_rows(
    metastore: Metastore, namespace: str, names: Sequence[str], on_unreadable: OnUnreadable = refuse
) -> Iterator[Row]:
    """The rows of these names in a namespace, of tables too; missing ones are left out.

    Raises:
        NoSuchNamespaceError: there is no such database, and the server reports it.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    for start in range(0, len(names), ROWS_IN_A_CALL):
        yield from _halved(metastore, namespace, names[start : start + ROWS_IN_A_CALL], on_unreadable)


def _halved(metastore: Metastore, namespace: str, names: Sequence[str], on_unreadable: OnUnreadable) -> Iterator[Row]:
    try:
        rows = metastore.load_rows(namespace, names)
    except NoSuchNamespaceError:
        raise
    except HiveViewsError as error:
        if is_gone(error):
            raise
        if len(names) == 1:
            name = TableIdentifier(namespace, names[0])
            message = f"The row of {name} cannot be read. {error.message}"
            on_unreadable(name, replace(error, message=message, identifier=str(name)))
            return
        middle = len(names) // 2
        for half in (names[:middle], names[middle:]):
            yield from _halved(metastore, namespace, half, on_unreadable)
        return
    yield from rows
