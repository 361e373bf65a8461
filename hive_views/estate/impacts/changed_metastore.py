"""A metastore as it will be: with other rows of some tables and views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive_views.errors import NoSuchTableError
from hive_views.hive.row import Row
from hive_views.metastore.copy_on_read import CopyOnReadMetastore
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier


class ChangedMetastore(CopyOnReadMetastore):
    """What another metastore has, but for these rows; None for those that are gone. Nothing is written to it."""

    def __init__(self, real: Metastore, changed: Mapping[TableIdentifier, Row | None]) -> None:
        super().__init__(real)
        self._changed = changed

    def load_row(self, identifier: TableIdentifier) -> Row:
        if identifier not in self._changed:
            return self._real.load_row(identifier)
        row = self._changed[identifier]
        if row is None:
            raise NoSuchTableError(f"There is no table or view {identifier}.", identifier=str(identifier))
        return row

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        wanted = [TableIdentifier(namespace, name) for name in names]
        others = [one.name for one in wanted if one not in self._changed]
        found = self._real.load_rows(namespace, others) if others else []
        return [*found, *(row for one in wanted if (row := self._changed.get(one)))]
