"""The catalog in which a plan is made: a copy in memory, of rows that were read in bulk."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from hive_views.errors import NoSuchTableError
from hive_views.hive.row import Row
from hive_views.metastore.copy_on_read import CopyOnReadMetastore
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.unwritten_files import UnwrittenFiles
from hive_views.views.catalog import ViewCatalog


def copied_catalog(
    catalog: ViewCatalog, known: Mapping[TableIdentifier, Row | None], with_partitions: Collection[TableIdentifier]
) -> ViewCatalog:
    """As ``catalog.dry_run()``, without a call for each row.

    Args:
        catalog: what is copied.
        known: rows that are not read again; None for names that nothing has.
        with_partitions: views whose declared partitions are copied too.
    """
    real = cast("Metastore", _KnownRows(catalog.metastore, known, with_partitions))
    return ViewCatalog(
        CopyOnReadMetastore(real),
        UnwrittenFiles(catalog.storage),
        warehouse=catalog.warehouse,
        settings=catalog.settings,
    )


class _KnownRows:
    """A metastore some of whose rows are known; everything else is asked of it."""

    def __init__(
        self, real: Metastore, known: Mapping[TableIdentifier, Row | None], with_partitions: Collection[TableIdentifier]
    ) -> None:
        self._real, self._known, self._with_partitions = real, known, with_partitions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def load_row(self, identifier: TableIdentifier) -> Row:
        if identifier not in self._known:
            return self._real.load_row(identifier)
        row = self._known[identifier]
        if row is None:
            raise NoSuchTableError(f"There is no table or view {identifier}.", identifier=str(identifier))
        return row

    def partition_names(self, identifier: TableIdentifier) -> Sequence[str]:
        return self._real.partition_names(identifier) if identifier in self._with_partitions else []
