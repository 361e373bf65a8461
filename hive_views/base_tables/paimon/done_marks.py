"""Paimon tables with the marks that ``partition.mark-done-action`` sets on their complete partitions.

Paimon writes ``.done`` partitions and events into the metastore of a table that has ``metastore.partitioned-table``,
and ``_SUCCESS`` into the directory of a partition.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from datetime import date

from hive_views.base_tables import markers
from hive_views.base_tables.paimon.table import PaimonBaseTable
from hive_views.base_tables.port import PartitionValues
from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.partition_names import partition_name
from hive_views.hive.row import Column
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files

# The default of partition.default-name.
_NULL = "__DEFAULT_PARTITION__"


class MarkedPaimonTable(PaimonBaseTable):
    """A Paimon table whose marks are looked for where Paimon sets them.

    Args:
        name: as messages call it.
        location: as for ``PaimonBaseTable``.
        files: how its files are read.
        metastore: where it is registered as ``identifier``; None for a table that is known by its location only.
    """

    def __init__(
        self,
        name: str,
        location: str,
        files: Files,
        metastore: markers.MarkReader | None = None,
        identifier: TableIdentifier | None = None,
    ) -> None:
        super().__init__(name, location, files)
        self._directory = location.rstrip("/")
        self._storage = files
        self._registration = (metastore, identifier) if metastore and identifier else None

    def done_events(self, values: Iterable[PartitionValues]) -> frozenset[PartitionValues]:
        return markers.done_events(*self._registered("events"), self._names(values))

    def done_files(self, values: Iterable[PartitionValues], name: str = "_SUCCESS") -> frozenset[PartitionValues]:
        directories = {
            one: [f"{self._directory}/{partition}".rstrip("/") for partition in several]
            for one, several in self._names(values).items()
        }
        return markers.done_files(self._storage, directories, name)

    def done_partitions(self, values: Iterable[PartitionValues]) -> frozenset[PartitionValues]:
        return markers.done_partitions(*self._registered("partitions that end in .done"), self._names(values))

    def _registered(self, marks: str) -> tuple[markers.MarkReader, TableIdentifier]:
        if self._registration is None:
            raise UnsupportedFeatureError(
                f"Cannot look for {marks} of {self.name}: the metastore has them. Name the table as namespace.name.",
                table=self.name,
            )
        return self._registration

    def _names(self, values: Iterable[PartitionValues]) -> dict[PartitionValues, list[str]]:
        keys = self.current_state().keys
        columns = [key.name for key in keys]
        return {
            one: [partition_name(columns, texts) for texts in itertools.product(*map(_spellings, keys, one))]
            for one in values
        }


def _spellings(key: Column, text: str | None) -> list[str]:
    if text is None:
        return [_NULL]
    # partition.legacy-name, true by default, writes a date as its days since 1970.
    days = [str((date.fromisoformat(text) - date(1970, 1, 1)).days)] if key.type == "date" else []
    return [text, *days]
