"""Views that can be brought back: dropped, replaced by a plain view, or without their pointer.

What lives here: finding them in the directories that views have by default. What must not: bringing them back
(undrop.py), which file of several is the last (views/recovery.py).

A view that was renamed, into another namespace too, is not dropped: whose files are a live view's is known from the
rows of all namespaces, which are read where there are files at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import partial

from hive_views.errors import InvalidIdentifierError
from hive_views.estate.selection import ALL_VIEWS
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import asked_ahead
from hive_views.views.catalog import ViewCatalog
from hive_views.views.names import ViewNames, rows_of
from hive_views.views.recovery import Recoverable, find_recoverable
from hive_views.views.view import is_lost


def list_dropped(catalog: ViewCatalog, *patterns: str) -> list[Recoverable]:
    """What can be brought back, sorted by name: the last file of each view, and what has its name now.

    Looked for below the catalog's warehouse and the directories of the namespaces; a view whose files were elsewhere is
    not found. Nor is a purged one, whose files are gone, and a released one, which is a plain view that says the same.

    Args:
        catalog: where the views were.
        patterns: names, or patterns such as ``sales.*``; without any, all.

    Raises:
        NoSuchNamespaceError: a namespace that was named does not exist.
        StorageUnavailableError: the storage failed or refused.
    """
    names = ViewNames(catalog.metastore, catalog.warehouse)
    found: dict[TableIdentifier, Recoverable] = {}
    for namespace, wanted in _by_namespace(catalog, patterns or (ALL_VIEWS,)):
        directories = names.default_directories(namespace)
        entries = [entry for each in directories for entry in catalog.storage.list_files(each)]
        there = sorted({one for one in map(partial(_name_of, namespace), entries) if one and wanted(str(one))})
        found |= {one.identifier: one for one in find_all(catalog, there) if not one.is_released}
    return [found[identifier] for identifier in sorted(found)]


def find_all(catalog: ViewCatalog, identifiers: Iterable[TableIdentifier]) -> Iterator[Recoverable]:
    """Of these names those that have lost a view, each with its last file; rows are read a hundred in a call.

    Raises:
        NoSuchNamespaceError: the namespace of a name does not exist.
        StorageUnavailableError: the storage failed or refused.
    """
    names, live = ViewNames(catalog.metastore, catalog.warehouse), catalog.live_rows()
    by_namespace: dict[str, list[TableIdentifier]] = {}
    for identifier in identifiers:
        by_namespace.setdefault(identifier.namespace, []).append(identifier)
    for namespace, there in by_namespace.items():
        directories = names.default_directories(namespace)
        wanted = [one.name for one in there]
        rows = {row.identifier.name: row for row in rows_of(catalog.metastore, namespace, wanted)}

        def find(name: str, directories: list[str] = directories, rows: dict[str, Row] = rows) -> Recoverable | None:
            identifier = TableIdentifier.of(name)
            row = rows.get(identifier.name)
            if row is not None and not is_lost(row):
                return None
            locations = [f"{directory}/{identifier.name}" for directory in directories]
            return find_recoverable(identifier, locations, row, live, catalog.storage)

        yield from (one for one in asked_ahead(find, map(str, there)) if one)


def _by_namespace(catalog: ViewCatalog, patterns: Iterable[str]) -> Iterator[tuple[str, _Wanted]]:
    existing = None
    by_namespace: dict[str, list[str]] = {}
    for pattern in patterns:
        namespace, name = _split(pattern)
        if {*namespace}.isdisjoint("*?["):
            by_namespace.setdefault(namespace, []).append(f"{namespace}.{name}")
            continue
        existing = existing or catalog.list_namespaces()
        for one in existing:
            if re.fullmatch(translate(namespace), one):
                by_namespace.setdefault(one, []).append(f"{one}.{name}")
    for namespace, several in sorted(by_namespace.items()):
        yield namespace, _Wanted(several)


class _Wanted:
    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = [re.compile(translate(pattern)) for pattern in patterns]

    def __call__(self, name: str) -> bool:
        return any(pattern.fullmatch(name) for pattern in self._patterns)


def _split(pattern: str) -> tuple[str, str]:
    namespace, _, name = pattern.lower().partition(".")
    if not {*pattern}.isdisjoint("*?[") and namespace and name:
        return namespace, name
    identifier = TableIdentifier.of(pattern)
    return identifier.namespace, identifier.name


def _name_of(namespace: str, directory: str) -> TableIdentifier | None:
    """The name of the view that has this directory by default; None where no view of this library can have it."""
    name = directory.rpartition("/")[2]
    try:
        identifier = TableIdentifier(namespace, name)
    except InvalidIdentifierError:
        return None
    return identifier if identifier.name == name else None
