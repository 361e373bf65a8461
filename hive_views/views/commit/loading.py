"""Reads views: their rows, and the files that the rows point to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from hive_views.analysis.lineage import Lineage
from hive_views.errors import (
    Answer,
    CommitFailedError,
    HiveViewsError,
    NoSuchTableError,
    NoSuchViewError,
    ReplacedViewError,
)
from hive_views.hive.row import Row
from hive_views.messages.lost_race import CHANGED_BY_ANOTHER_WRITER
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.commit.rows_in_bulk import rows_of_names
from hive_views.views.commit.writes import gone, refuse_taken
from hive_views.views.text_analysis.view_lineage import lineage_of
from hive_views.views.view import View, view_of

# A row that is never the same twice is committed to without pause; then the last look has to do.
_LOOKS = 10


@dataclass(frozen=True)
class Seen:
    """A view, and when its row was read (``time.monotonic``)."""

    view: View
    at_s: float


class SameView:
    """A change is for the view that it was asked for, and not for another one that got its name after a lost race."""

    def __init__(self, identifier: TableIdentifier, view_uuid: str | None = None) -> None:
        self._identifier = identifier
        self._uuid = view_uuid

    def check(self, view: View) -> View:
        """
        Raises:
            ReplacedViewError: it is not the same view as before.
        """
        self.check_uuid(view.uuid)
        return view

    def check_uuid(self, uuid: str) -> None:
        """
        Raises:
            ReplacedViewError: it is not the same view as before.
        """
        self._uuid = self._uuid or uuid
        if uuid.lower() != self._uuid.lower():
            raise ReplacedViewError(
                f"{self._identifier} now refers to a different view: it has the uuid {uuid}, not {self._uuid}.",
                identifier=str(self._identifier),
            )


def refuse_another(row: Row, is_meant: Callable[[Row], bool]) -> None:
    """
    Raises:
        ReplacedViewError: the row that has the name is not the one that is meant.
    """
    if not is_meant(row):
        raise ReplacedViewError(f"{row.identifier} now refers to a different view.", identifier=str(row.identifier))


class ViewReader:
    """Reads the views of one metastore and one storage; thread-safe."""

    def __init__(self, metastore: Metastore, storage: MetadataStorage) -> None:
        self._metastore = metastore
        self._storage = storage

    def read(self, identifier: TableIdentifier) -> Seen:
        """The view; a difference between row and file counts only if a second read finds the same row.

        A metastore reads a row with several statements, and a commit between two of them gives a mixture of both
        states.
        """
        row, at_s = self.load_row(identifier), time.monotonic()
        view = self.view_of(row)
        for _ in range(_LOOKS):
            if not view.differences:
                break
            seen, row, at_s = row, self.load_row(identifier), time.monotonic()
            if row == seen:
                break
            view = self.view_of(row)
        return Seen(view, at_s)

    def view_of(self, row: Row) -> View:
        return self.connected(view_of(row, self._storage))

    def connected(self, view: View) -> View:
        """The view, of which a notebook can show the partitions that it has then, and which can tell its lineage."""
        return view.asking(partial(self._metastore.partition_names, view.identifier), partial(self.lineage, view.row))

    def lineage(self, row: Row, column: str | None = None, *, dialect: str | None = None) -> Lineage:
        """The lineage of a view, managed or plain; raises as ``lineage_of``."""
        return lineage_of(self._rows_or_errors, self._storage, row, column, dialect=dialect)

    def _rows_or_errors(self, names: Iterable[TableIdentifier]) -> Mapping[TableIdentifier, Row | HiveViewsError]:
        unreadable: dict[TableIdentifier, HiveViewsError] = {}
        return rows_of_names(self._metastore, sorted(names), unreadable.__setitem__) | unreadable

    def load_row(self, identifier: TableIdentifier) -> Row:
        try:
            return self._metastore.load_row(identifier)
        except NoSuchTableError as e:
            raise NoSuchViewError(f"There is no view {identifier}.", identifier=str(identifier)) from e

    def load_row_again(self, judged: Row) -> Row:
        """The row, read again with everything that the metastore has of it.

        Raises:
            NoSuchViewError: it is gone.
            CommitFailedError: it is no longer the row that was judged; nothing was sent.
        """
        found = self.load_row(judged.identifier)
        if found != judged:
            raise CommitFailedError(
                CHANGED_BY_ANOTHER_WRITER.format(about=judged.identifier),
                answer=Answer.NOT_SENT,
                identifier=str(judged.identifier),
            )
        return found

    def partition_names(self, row: Row) -> Sequence[str]:
        """The names of the partitions of a row that was read before.

        Raises:
            NoSuchViewError: it is gone.
        """
        try:
            return self._metastore.partition_names(row.identifier) if row.partition_keys else ()
        except NoSuchTableError as e:
            raise gone(row.identifier) from e

    def check_absent(self, identifier: TableIdentifier) -> None:
        """
        Raises:
            ViewAlreadyExistsError, TableAlreadyExistsError: the name is taken.
        """
        with suppress(NoSuchTableError):
            refuse_taken(self._metastore.load_row(identifier))
