"""What the version that a release made says of the release, in its summary: enough to undo it, whoever does it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from hive_views.persisted import RELEASE
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.strict_json import read_json

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
    """

    id: str
    project: str
    at_ms: int
    by: str
    undoes: str | None = None


@dataclass(frozen=True)
class ReleaseMark:
    """What one release did to one view.

    Attributes:
        release: which one.
        step: the number of the step in it, from 1, by which an undo goes backward.
        action: the value of an ``Action``.
        before: the id of the version that was current before; None for a view that the release created or undropped.
        properties_before: those that users set, with the comment, before.
        partitioned_on_before: the partition columns before.
        properties: those that users set, with the comment, after.
        partitioned_on: the partition columns after.
    """

    release: Release
    step: int
    action: str
    before: int | None
    properties_before: Mapping[str, str]
    partitioned_on_before: tuple[str, ...]
    properties: Mapping[str, str]
    partitioned_on: tuple[str, ...]

    def summary(self) -> dict[str, str]:
        """The keys of a summary that say so."""
        return {RELEASE: json.dumps({"format-version": _FORMAT, **asdict(self)}, sort_keys=True)}


def mark_of(version: ViewVersion) -> ReleaseMark | None:
    """What a version says of the release that made it; None if it says nothing, or nothing that can be read."""
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


def last_mark(metadata: ViewMetadata, project: str | None = None) -> tuple[ViewVersion, ReleaseMark] | None:
    """The mark of the last release, of a project or of any, that made a version, with the version."""
    versions = {one.version_id: one for one in metadata.versions}
    for entry in reversed(metadata.version_log):
        version = versions.get(entry.version_id)
        mark = mark_of(version) if version else None
        if version and mark and (project is None or mark.release.project == project):
            return version, mark
    return None
