"""Rows by their names, of several namespaces, with what cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hive_views.errors import HiveViewsError
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.rows_in_bulk import rows_of_names


def load(
    catalog: ViewCatalog, names: Iterable[TableIdentifier]
) -> tuple[Mapping[TableIdentifier, Row | None], Mapping[TableIdentifier, HiveViewsError]]:
    """The rows of these names, a hundred in a call: None for those that are gone; and what cannot be read, with why.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    wanted = sorted(names)
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = rows_of_names(catalog.metastore, wanted, unreadable.__setitem__)
    return {name: rows.get(name) for name in wanted if name not in unreadable}, unreadable
