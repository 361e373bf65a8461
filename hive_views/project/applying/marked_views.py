"""The views that releases of a project have touched, live and dropped ones, found by what their versions say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hive_views.errors import InvalidInputError
from hive_views.estate.dropped.listing import list_dropped
from hive_views.hive.row import Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import PROJECT
from hive_views.project.applying.release_mark import ReleaseMark, marks_in
from hive_views.project.directory.project_settings import SETTINGS, read_settings
from hive_views.project.found_views import views_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View, is_iceberg_view

log = logger_of(__name__)


@dataclass(frozen=True)
class MarkedView:
    """A view that a release of a project has made a version of, or has created.

    Attributes:
        name: what it is called now, or was when it was dropped.
        location: of its last metadata file.
        metadata: what is in that file.
        view: with its row; None of a view that was dropped.
        marks: the versions that releases of the project made, the newest first.
    """

    name: TableIdentifier
    location: str
    metadata: ViewMetadata
    view: View | None
    marks: tuple[tuple[ViewVersion, ReleaseMark], ...]

    def marked_by(self, release: str) -> tuple[ViewVersion, ReleaseMark] | None:
        """The last version that a release made."""
        return next((one for one in self.marks if one[1].release.id == release), None)


def project_name(project: str | Path) -> str:
    """The name of a project, given its directory or, as a text that is no directory, its name.

    Raises:
        InvalidInputError: the directory has no ``project.toml`` that gives it a name.
    """
    directory = Path(project)
    if isinstance(project, str) and not directory.is_dir():
        return project
    file = directory / SETTINGS
    settings, errors = read_settings(str(project), file.read_text() if file.is_file() else None, {})
    if settings is None:
        raise InvalidInputError(f"{errors[0].file}: {errors[0].message}", location=str(file))
    return settings.name


def find_marked(catalog: ViewCatalog, rows: Iterable[Row], project: str) -> tuple[MarkedView, ...]:
    """The views of a project, by name; of views that have the same uuid, those that were released under their name.

    Reads the metadata files of all views, several at a time, and the directories of all namespaces for dropped ones.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        StorageUnavailableError: the directory of a namespace cannot be read.
    """
    live = views_of(catalog, {row.identifier: row for row in rows if is_iceberg_view(row)})
    for name, error in live.errors.items():
        log.warning("whether a release has changed %s is unknown: %s", name, error)
    found: list[MarkedView] = []
    for view in live.views.values():
        found += _marked(view.identifier, view.metadata_location, view.metadata, view, project)
    for one in list_dropped(catalog):
        found += _marked(one.identifier, one.metadata_location, one.metadata, None, project)
    return tuple(sorted(_without_others(found), key=lambda one: one.name))


def _marked(
    name: TableIdentifier, location: str, metadata: ViewMetadata, view: View | None, project: str
) -> list[MarkedView]:
    marks = tuple(marks_in(metadata, project))
    is_of_project = marks or metadata.properties.get(PROJECT) == project
    return [MarkedView(name, location, metadata, view, marks)] if is_of_project else []


def _without_others(found: list[MarkedView]) -> list[MarkedView]:
    """Of a file that was registered under another name, the view is not the one that was released."""
    by_uuid: dict[str, list[MarkedView]] = defaultdict(list)
    for one in found:
        by_uuid[one.metadata.view_uuid].append(one)
    kept: list[MarkedView] = []
    for ones in by_uuid.values():
        named = [one for one in ones if any(mark.view == str(one.name) for _, mark in one.marks)]
        live = [one for one in named or ones if one.view is not None]
        kept += live or named or ones
    return kept
