"""Reads the rows of many names in as few calls as possible, and finds those that the metastore cannot read.

A call for a hundred rows fails if the metastore fails on one of them. It is then halved until the failing names are
found, with about fourteen calls for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from hive_views.errors import (
    Answer,
    AuthenticationError,
    HiveViewsError,
    MetastoreUnavailableError,
    NoSuchNamespaceError,
)
from hive_views.hive.row import Row
from hive_views.metastore.port import Rows
from hive_views.spec.identifiers import TableIdentifier, by_namespace

ROWS_IN_A_CALL = 100

OnUnreadable = Callable[[TableIdentifier, HiveViewsError], object]
"""Called with the name of a row that the metastore cannot read, and the error; may raise."""


def refuse(_: TableIdentifier, error: HiveViewsError) -> None:
    """The reaction to an unreadable row if all rows must be known.

    Raises:
        HiveViewsError: the error.
    """
    raise error


def rows_of(
    metastore: Rows, namespace: str, names: Sequence[str], on_unreadable: OnUnreadable = refuse
) -> Iterator[Row]:
    """The rows of these names in a namespace, of tables too; missing ones are left out.

    Raises:
        NoSuchNamespaceError: there is no such database, and the server reports it.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    for start in range(0, len(names), ROWS_IN_A_CALL):
        yield from _halved(metastore, namespace, names[start : start + ROWS_IN_A_CALL], on_unreadable)


def rows_of_names(
    metastore: Rows, names: Iterable[TableIdentifier], on_unreadable: OnUnreadable = refuse
) -> dict[TableIdentifier, Row]:
    """The rows, of tables too, that have one of these names; missing ones, and those of namespaces that are gone, are
    left out.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    found: list[Row] = []
    for namespace, ones in by_namespace(names).items():
        with suppress(NoSuchNamespaceError):
            found += rows_of(metastore, namespace, [one.name for one in ones], on_unreadable)
    return {row.identifier: row for row in found}


def gives_no_answer(error: HiveViewsError) -> bool:
    """Whether a call ended without an answer, so that the next call may wait for one in vain."""
    if isinstance(error, MetastoreUnavailableError):
        return error.answer in (Answer.NOT_SENT, Answer.NONE)
    return isinstance(error, AuthenticationError)


def _halved(metastore: Rows, namespace: str, names: Sequence[str], on_unreadable: OnUnreadable) -> Iterator[Row]:
    try:
        rows = metastore.load_rows(namespace, names)
    except NoSuchNamespaceError:
        raise
    except HiveViewsError as error:
        if gives_no_answer(error):
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
