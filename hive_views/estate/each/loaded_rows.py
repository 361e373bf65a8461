"""Rows by their names, of several namespaces, with what cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hive_views.errors import HiveViewsError, NoSuchNamespaceError
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier, by_namespace
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.rows_in_bulk import rows_of


def load(
    catalog: ViewCatalog, names: Iterable[TableIdentifier]
) -> tuple[Mapping[TableIdentifier, Row | None], Mapping[TableIdentifier, HiveViewsError]]:
    """The rows of these names, a hundred in a call: None for those that are gone; and what cannot be read, with why.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    found: dict[TableIdentifier, Row | None] = {}
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    for namespace, ones in by_namespace(sorted(names)).items():
        try:
            wanted = [one.name for one in ones]
            rows = {
                row.identifier: row for row in rows_of(catalog.metastore, namespace, wanted, unreadable.__setitem__)
            }
        except NoSuchNamespaceError:
            rows = {}
        found |= {name: rows.get(name) for name in ones if name not in unreadable}
    return found, unreadable
