"""Finds rows and directories by the names of views, and the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from hive_views.errors import HiveViewsError, InvalidInputError, NoSuchNamespaceError, NoSuchTableError
from hive_views.hive.row import NamespaceRow, Row
from hive_views.messages.did_you_mean import nearest
from hive_views.messages.logs import logger_of
from hive_views.messages.remedy import Remedy
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.locations import distinct_locations, is_within
from hive_views.views.commit.rows_in_bulk import OnUnreadable, refuse, rows_of

log = logger_of(__name__)


class ViewLookup:
    """The names of one metastore.

    Args:
        metastore: where the rows are.
        warehouse: the directory for new views; without it, that of the namespace.
    """

    def __init__(self, metastore: Metastore, warehouse: str | None) -> None:
        self._metastore = metastore
        self._warehouse = warehouse
        self._directories: dict[str, str | None] = {}
        self._has_warned = False

    def rows(self, namespace: str, on_unreadable: OnUnreadable = refuse) -> list[Row]:
        """The rows of all views of a namespace, plain ones too.

        Raises:
            NoSuchNamespaceError: there is no such namespace.
        """
        names = self._metastore.list_view_names(namespace)
        if not names:
            self.namespace(namespace)
        return list(rows_of(self._metastore, namespace, names, on_unreadable))

    def all_rows(self, on_unreadable: OnUnreadable = refuse) -> Iterator[Row]:
        """The rows of all views of the metastore, plain ones too; a namespace dropped in the meantime is skipped."""
        for namespace in self._metastore.list_namespaces():
            with suppress(NoSuchNamespaceError):
                yield from self.rows(namespace, on_unreadable)

    def row(self, name: TableIdentifier) -> Row | None:
        """The row of a name; None if it is free."""
        try:
            return self._metastore.load_row(name)
        except NoSuchTableError:
            return None

    def namespace(self, namespace: str) -> NamespaceRow:
        """
        Raises:
            NoSuchNamespaceError: it does not exist; the error suggests the nearest name.
        """
        try:
            return self._metastore.load_namespace(namespace)
        except NoSuchNamespaceError as missing:
            try:
                near = nearest(namespace, self._metastore.list_namespaces())
            except HiveViewsError:
                near = None
            raise replace(missing, message=f"{missing} Did you mean {near!r}?" if near else str(missing)) from missing

    def nearest_view(self, name: TableIdentifier) -> TableIdentifier | None:
        """The view of the same namespace with the nearest name; None if no name is near.

        Raises:
            NoSuchNamespaceError: the namespace is missing.
        """
        names = self._metastore.list_view_names(name.namespace)
        if not names:
            self.namespace(name.namespace)
        # The name may exist again by now, as another view, which is not a suggestion.
        near = nearest(name.name, [other for other in names if other != name.name])
        return TableIdentifier(name.namespace, near) if near else None

    def default_locations(self, name: TableIdentifier) -> list[str]:
        """Where a view of this name is created, and where it would be without a warehouse.

        Raises:
            NoSuchNamespaceError: the namespace is missing.
        """
        return [f"{directory}/{name.name}" for directory in self.default_directories(name.namespace)]

    def default_directories(self, namespace: str) -> list[str]:
        """The directories below which the views of a namespace are created.

        Raises:
            NoSuchNamespaceError: the namespace is missing.
        """
        location = self._directories[namespace] = self.namespace(namespace).location
        found = [f"{self._warehouse}/{namespace}.db"] if self._warehouse else []
        found += [location.rstrip("/")] if location else []
        return distinct_locations(found)

    def location_of_existing(self, name: TableIdentifier) -> str:
        """As ``location_of_new``, for an existing name: a namespace is read once, or not at all.

        Raises:
            NoSuchNamespaceError, InvalidInputError: as ``location_of_new``.
        """
        if self._warehouse:
            return f"{self._warehouse}/{name.namespace}.db/{name.name}"
        if name.namespace not in self._directories:
            self._directories[name.namespace] = self.namespace(name.namespace).location
        directory = self._directories[name.namespace]
        return f"{directory.rstrip('/')}/{name.name}" if directory else self.location_of_new(name)

    def locations_of_new(self, names: Iterable[TableIdentifier]) -> dict[TableIdentifier, str]:
        """Where views of these names are created; each namespace is read once.

        Raises:
            as ``location_of_new``.
        """
        of_one: dict[str, TableIdentifier] = {}
        found: dict[TableIdentifier, str] = {}
        for name in names:
            one = of_one.setdefault(name.namespace, name)
            found[name] = self.location_of_new(name) if one is name else f"{found[one].rpartition('/')[0]}/{name.name}"
        return found

    def location_of_new(self, name: TableIdentifier) -> str:
        """
        Raises:
            NoSuchNamespaceError: the namespace is missing.
            InvalidInputError: there is neither a warehouse nor a directory of the namespace.
        """
        locations = self.default_locations(name)
        if not locations:
            raise InvalidInputError(
                f"There is no directory for the metadata of {name}: its namespace has no location.",
                remedy=Remedy(
                    in_python="Give warehouse= or location=.",
                    in_shell="Give --location, or --warehouse before the command.",
                ),
            )
        database = self._directories[name.namespace]
        if database and is_within(locations[0], database) and not self._has_warned:
            self._has_warned = True
            log.warning(
                "view %s has its files in the directory of its database, %s: DROP DATABASE ... CASCADE in Hive or "
                "Spark deletes them, with all history. Set a warehouse of their own for views.",
                name,
                database,
            )
        return locations[0]
