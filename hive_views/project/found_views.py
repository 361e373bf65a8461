"""The views that a project names, as they are: rows a hundred in a call, and their metadata files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hive_views.errors import HiveViewsError
from hive_views.estate.analyses.kept import row_digest
from hive_views.estate.each.loaded_rows import load
from hive_views.hive.row import POINTER, Row
from hive_views.project.plans.project_plan import FoundView
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View, pointer_of, view_at


@dataclass(frozen=True)
class FoundViews:
    """What is there.

    Attributes:
        rows: by name, the rows that could be read; None for those that are not there.
        views: those of them that are managed views.
        errors: by name, why a view cannot be read, or why what has the name is none.
    """

    rows: Mapping[TableIdentifier, Row | None]
    views: Mapping[TableIdentifier, View]
    errors: Mapping[TableIdentifier, HiveViewsError]

    def as_found(self, name: TableIdentifier) -> FoundView | None:
        """What the plan keeps of a view."""
        view = self.views.get(name)
        return FoundView(view.metadata_location, row_digest(view.row)) if view else None


def find_views(catalog: ViewCatalog, names: Iterable[TableIdentifier]) -> FoundViews:
    """What has these names.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    rows, unreadable = load(catalog, names)
    return views_of(catalog, rows, unreadable)


def views_of(
    catalog: ViewCatalog,
    rows: Mapping[TableIdentifier, Row | None],
    unreadable: Mapping[TableIdentifier, HiveViewsError] = MappingProxyType({}),
) -> FoundViews:
    """The views of rows that were read already, and why others cannot be read, or are none."""
    views: dict[TableIdentifier, View] = {}
    errors = dict(unreadable)
    pointing: list[Row] = []
    for name, row in rows.items():
        if row is None:
            continue
        try:
            pointer_of(row)
            pointing.append(row)
        except HiveViewsError as error:
            errors[name] = error
    files = catalog.storage.read_each(row.parameters[POINTER] for row in pointing)
    for row, metadata in zip(pointing, files, strict=True):
        found = _view(row, metadata)
        if isinstance(found, View):
            views[row.identifier] = _looked_at_again(catalog, found)
        else:
            errors[row.identifier] = found
    return FoundViews(rows, views, errors)


def _looked_at_again(catalog: ViewCatalog, view: View) -> View:
    """A metastore reads a row with several statements: beside a commit, it may return a mixture of two states."""
    try:
        return catalog.engine.reader.read(view.identifier).view if view.differences else view
    except HiveViewsError:
        return view


def _view(row: Row, metadata: ViewMetadata | HiveViewsError) -> View | HiveViewsError:
    if isinstance(metadata, HiveViewsError):
        return metadata
    try:
        view = view_at(row, metadata)
        # What the file names as current may not be in it.
        _ = view.current_version
    except HiveViewsError as error:
        return error
    return view
