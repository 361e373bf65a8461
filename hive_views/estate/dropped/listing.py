"""Views that can be brought back: dropped, replaced by a plain view, or without their pointer.

A view that was renamed, into another namespace too, is not dropped: whose files are a live view's is known from the
rows of all namespaces, which are read where there are files at all. A database that is gone itself is known by its
directory, `<name>.db`, in the warehouse of this library and in that of the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timezone
from types import MappingProxyType

from hive_views.errors import (
    HiveViewsError,
    InvalidIdentifierError,
    NoSuchNamespaceError,
    StorageUnavailableError,
)
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.outcomes import is_unreachable
from hive_views.estate.each.selection import ALL_VIEWS, is_of_namespaces, matches, names_namespace, namespaces_of
from hive_views.hive.row import Row
from hive_views.messages.counted import counted
from hive_views.messages.html import html_table
from hive_views.messages.logs import logger_of
from hive_views.readiness.reasons import shown_timestamp
from hive_views.spec.identifiers import TableIdentifier, by_namespace
from hive_views.storage.files import fetch_ahead
from hive_views.storage.locations import distinct_locations
from hive_views.views.catalog import ViewCatalog
from hive_views.views.recovery.recoverable import LiveRows, Recoverable, find_recoverable
from hive_views.views.view import is_lost

log = logger_of(__name__)

# Hive calls the directory of a database so, and this library that of a namespace in its warehouse.
_DATABASE = ".db"
_DEFAULT = "default"


class RecoverableViews(tuple[Recoverable, ...]):
    """Views that can be brought back; a notebook shows them as a table.

    Attributes:
        not_known: names of which it is unknown whether they can be, as their files cannot be read, each with the
            error.
    """

    not_known: Mapping[TableIdentifier, HiveViewsError]

    def __new__(
        cls, found: Iterable[Recoverable], not_known: Mapping[TableIdentifier, HiveViewsError] = MappingProxyType({})
    ) -> RecoverableViews:
        views = super().__new__(cls, found)
        views.not_known = not_known
        return views

    def _repr_html_(self) -> str:
        rows = []
        for one in self:
            document = one.document()
            changed, noted = shown_timestamp(document["changed_ms"], timezone.utc), "noted" if one.has_journal else ""
            known = f"by {one.known_by}" + (", not certain" if one.doubts else "")
            rows.append((str(one.identifier), str(document["version_id"]), changed, noted, known, str(document["now"])))
        headings = ("view", "version", "last change", "partitions", "last file", "now")
        return html_table(f"{counted(len(self), 'view')} can be brought back", headings, rows)


def list_dropped(catalog: ViewCatalog, *patterns: str) -> RecoverableViews:
    """What can be brought back, sorted by name: the last file of each view, and what has its name now.

    The catalog's warehouse and the directories of the namespaces are searched, also those of databases that are gone.
    Notes of drops, renames and changes of location are there wherever the files are. Not found are views whose files
    were always elsewhere and of which nothing was noted, purged views, whose files are gone, and views that were handed
    back and have not changed. A name that cannot be read is logged as a warning, and is in ``not_known``.

    Args:
        catalog: where the views were.
        patterns: names, or patterns such as ``sales.*``; by default all.

    Raises:
        InvalidInputError: a pattern is invalid.
        NoSuchNamespaceError: a namespace that was given does not exist, and nothing of it is left.
        StorageUnavailableError: the directory of a namespace cannot be read.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    places = _Places(catalog)
    there = sorted({*_with_directories(catalog, places, patterns or (ALL_VIEWS,))})
    found = find_all(catalog, there, places)
    for identifier, error in found.not_known.items():
        log.warning("whether %s can be brought back is unknown: %s", identifier, error)
    return RecoverableViews((one for one in found if not one.is_released), found.not_known)


class _Places:
    """The directories below which the views of a namespace are by default, of one that is gone too."""

    def __init__(self, catalog: ViewCatalog) -> None:
        self._catalog = catalog
        self._lookup = catalog.engine.lookup
        self._found: dict[str, tuple[list[str], bool]] = {}

    def of(self, namespace: str) -> tuple[list[str], bool]:
        """The directories, and whether there is the namespace.

        Raises:
            NoSuchNamespaceError: there is not, and no directory of it.
        """
        if namespace not in self._found:
            try:
                self._found[namespace] = self._lookup.default_directories(namespace), True
            except NoSuchNamespaceError:
                left = [each for each in self._warehouses() if self._list(f"{each}/{namespace}{_DATABASE}")]
                if not left:
                    raise
                self._found[namespace] = [f"{each}/{namespace}{_DATABASE}" for each in left], False
        return self._found[namespace]

    def gone(self) -> list[str]:
        """The namespaces of which there are only directories."""
        existing = set(self._catalog.list_namespaces())
        names = {
            directory.rpartition("/")[2].removesuffix(_DATABASE)
            for warehouse in self._warehouses()
            for directory in self._list(warehouse)
            if directory.endswith(_DATABASE)
        }
        return sorted(name for name in names - existing if name and _name_of(name, "a") is not None)

    def _list(self, directory: str) -> Sequence[str]:
        try:
            return self._catalog.storage.list_directories(directory)
        except StorageUnavailableError as error:
            log.warning("whether databases that are gone have left views in %s is unknown: %s", directory, error)
            return ()

    def _warehouses(self) -> list[str]:
        """Where databases have their directories unless they are given others: ours, and the server's."""
        found = [self._catalog.warehouse] if self._catalog.warehouse else []
        with suppress(NoSuchNamespaceError):
            location = self._catalog.metastore.load_namespace(_DEFAULT).location
            found += [location.rstrip("/")] if location else []
        return distinct_locations(found)


def find_all(
    catalog: ViewCatalog, identifiers: Iterable[TableIdentifier], places: _Places | None = None
) -> RecoverableViews:
    """Of these names those that have lost a view, each with its last file, sorted; rows are read a hundred in a call.

    Raises:
        NoSuchNamespaceError: the namespace of a name does not exist, and nothing of it is left.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    places = places or _Places(catalog)
    found: dict[TableIdentifier, Recoverable] = {}
    not_known: dict[TableIdentifier, HiveViewsError] = {}
    live = LiveRows(catalog.engine)
    for namespace, of_namespace in by_namespace(identifiers).items():
        directories, is_there = places.of(namespace)
        rows, unreadable = load(catalog, of_namespace if is_there else ())
        # A name whose row cannot be read is not free.
        not_known |= unreadable
        there = [one for one in of_namespace if one not in unreadable]

        def find(
            name: str, directories: list[str] = directories, rows: Mapping[TableIdentifier, Row | None] = rows
        ) -> Recoverable | HiveViewsError | None:
            identifier = TableIdentifier.of(name)
            row = rows.get(identifier)
            if row is not None and not is_lost(row):
                return None
            locations = [f"{directory}/{identifier.name}" for directory in directories]
            try:
                return find_recoverable(identifier, locations, row, live, catalog.storage)
            except HiveViewsError as error:
                if is_unreachable(error, catalog):
                    raise
                return error

        for identifier, one in zip(there, fetch_ahead(find, map(str, there)), strict=True):
            if isinstance(one, HiveViewsError):
                not_known[identifier] = one
            elif one:
                found[identifier] = replace(one, has_namespace=is_there)
    return RecoverableViews((found[identifier] for identifier in sorted(found)), not_known)


def _with_directories(catalog: ViewCatalog, places: _Places, patterns: Sequence[str]) -> Iterator[TableIdentifier]:
    """The names of which there are directories, and which a pattern means."""
    gone = places.gone() if any(is_of_namespaces(pattern) for pattern in patterns) else []
    for namespace in sorted({*namespaces_of(catalog.metastore, patterns), *gone}):
        try:
            directories, _ = places.of(namespace)
        except NoSuchNamespaceError:
            if names_namespace(patterns, namespace):
                raise
            continue  # dropped since it was listed, with its directory
        for directory in directories:
            for entry in catalog.storage.list_files(directory):
                name = _name_of(namespace, entry)
                if name is not None and any(matches(pattern, name) for pattern in patterns):
                    yield name


def _name_of(namespace: str, directory: str) -> TableIdentifier | None:
    """The name of the view that has this directory by default; None where no view of this library can have it."""
    name = directory.rpartition("/")[2]
    try:
        identifier = TableIdentifier(namespace, name)
    except InvalidIdentifierError:
        return None
    return identifier if identifier.name == name else None
