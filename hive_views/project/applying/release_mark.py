"""What the version that a release made says of the release, in its summary: enough to undo it, whoever does it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from hive_views.hive.row import OWNER
from hive_views.persisted import RELEASE
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.strict_json import read_json
from hive_views.views.row.projection import partitioned_on, user_properties
from hive_views.views.version_diff import Definition, compare

_FORMAT = 1


@dataclass(frozen=True)
class Release:
    """One apply of a plan.

    Attributes:
        id: as in its plan; sorts by time.
        project: the name of the project.
        at_ms: when it began, in milliseconds since 1970.
        by: the user.
        undoes: the id of the release that it undoes; None if it does not.
        steps: how many it has, by which an undo knows of a view whose version has expired; None if that is unknown.
    """

    id: str
    project: str
    at_ms: int
    by: str
    undoes: str | None = None
    steps: int | None = None


@dataclass(frozen=True)
class ReleaseMark:
    """What one release did to one view.

    Attributes:
        release: which one.
        step: the number of the step in it, from 1, by which an undo goes backward.
        action: the value of an ``Action``.
        view: the name that the view had.
        view_uuid: that of the view; in a copy, which has another one, the mark says nothing.
        before: the id of the version that was current before; None for a view that the release created or undropped.
        properties_before: those that users set, with the comment, before.
        partitioned_on_before: the partition columns before.
        properties: those that users set, with the comment, after.
        partitioned_on: the partition columns after.
    """

    release: Release
    step: int
    action: str
    view: str
    view_uuid: str
    before: int | None
    properties_before: Mapping[str, str]
    partitioned_on_before: tuple[str, ...]
    properties: Mapping[str, str]
    partitioned_on: tuple[str, ...]

    def summary(self) -> dict[str, str]:
        """The keys of a summary that say so."""
        return {RELEASE: json.dumps({"format-version": _FORMAT, **asdict(self)}, sort_keys=True)}


def mark_of(version: ViewVersion) -> ReleaseMark | None:
    """What a version says of the release that made it; None if it says nothing, or nothing that can be read.

    In a copy of a view it says what was done to the original: see ``marks_in``.
    """
    text = version.summary.get(RELEASE)
    if text is None:
        return None
    try:
        said = read_json(text)
        if said.pop("format-version") != _FORMAT:
            return None
        lists = {key: tuple(said[key]) for key in ("partitioned_on_before", "partitioned_on")}
        return ReleaseMark(**{**said, **lists, "release": Release(**said["release"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def marks_in(metadata: ViewMetadata, project: str | None = None) -> Iterator[tuple[ViewVersion, ReleaseMark]]:
    """The versions of a view that releases made, of a project or of any, with their marks, the newest first."""
    for version in sorted(metadata.versions, key=lambda one: one.version_id, reverse=True):
        mark = mark_of(version)
        if mark and mark.view_uuid == metadata.view_uuid and project in (None, mark.release.project):
            yield version, mark


def last_mark(metadata: ViewMetadata, project: str | None = None) -> tuple[ViewVersion, ReleaseMark] | None:
    """The mark of the last release, of a project or of any, that made a version, with the version."""
    return next(marks_in(metadata, project), None)


def current_mark(metadata: ViewMetadata) -> ReleaseMark | None:
    """The mark of the current version, if a release made it, of this view."""
    mark = mark_of(metadata.current_version)
    return mark if mark and mark.view_uuid == metadata.view_uuid else None


def is_as_left(metadata: ViewMetadata, version: ViewVersion, mark: ReleaseMark) -> bool:
    """Whether a view says what it said when a release had made a version of it, whatever came between."""
    return not differing_from(metadata, version, mark)


def differing_from(metadata: ViewMetadata, version: ViewVersion, mark: ReleaseMark) -> tuple[str, ...]:
    """The parts of a view that are not as a release left them, when it made a version."""
    shown = (_content(metadata, one) for one in (version, metadata.current_version))
    parts = [one.heading for one in compare(*shown)]
    now, then = ({k: v for k, v in each.items() if k != OWNER} for each in (user_properties(metadata), mark.properties))
    parts += ["properties"] if now != then else []
    parts += ["partition columns"] if partitioned_on(metadata) != mark.partitioned_on else []
    return tuple(parts)


def _content(metadata: ViewMetadata, version: ViewVersion) -> Definition:
    """What a version says; which of its texts are stale may be answered later, without changing them."""
    return replace(Definition.of(metadata, version, properties_of=None), stale=())
