"""The releases of a project, as the versions of its views tell them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timezone
from pathlib import Path
from typing import Any

from hive_views.estate.each.selection import select_or_all
from hive_views.messages.counted import counted
from hive_views.messages.html import html_table
from hive_views.project.applying.marked_views import MarkedView, find_marked, project_name
from hive_views.project.applying.release_mark import Release
from hive_views.readiness.reasons import shown_timestamp
from hive_views.views.catalog import ViewCatalog


@dataclass(frozen=True)
class ReleaseRecord:
    """One release, as far as versions that tell of it have not expired.

    Attributes:
        release: its id, when, by whom, and which release it undoes.
        views: by name, what it did to each: the value of an ``Action``; in the order of its steps.
        undone_by: the id of the release that undid it, unless that was undone itself; None if none did.
    """

    release: Release
    views: Mapping[str, str]
    undone_by: str | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return self.release.id

    @property
    def unknown(self) -> int:
        """How many of its steps no version tells of: they were not done, or the version has expired."""
        return max(0, (self.release.steps or 0) - len(self.views))

    def document(self) -> dict[str, Any]:
        """The release as JSON holds it."""
        one = self.release
        return {
            "id": one.id,
            "at_ms": one.at_ms,
            "by": one.by,
            "undoes": one.undoes,
            "undone_by": self.undone_by,
            "steps": one.steps,
            "views": dict(self.views),
        }


class Releases(tuple[ReleaseRecord, ...]):
    """The releases of a project, the newest first; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        rows = [
            (one.id, shown_timestamp(one.release.at_ms, timezone.utc), one.release.by, told(one), state_of(one))
            for one in self
        ]
        return html_table(counted(len(self), "release"), ("release", "when", "by", "views", ""), rows)


def releases(catalog: ViewCatalog, project: str | Path) -> Releases:
    """The releases of a project: each apply, what it did to which views, and whether it was undone.

    What is known of them is in the versions of the views (``version.history.num-entries``, by default ten of each).
    Reads the rows of all views, a hundred in a call, their metadata files, and, for views that were dropped, the
    directories of all namespaces.

    Args:
        catalog: where the views are.
        project: the directory of the project, or its name.

    Raises:
        InvalidInputError: the directory is no project.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        StorageUnavailableError: the directory of a namespace cannot be read.
    """
    rows = select_or_all(catalog.metastore, (), lambda *_: None)
    return releases_of(find_marked(catalog, rows, project_name(project)))


def releases_of(marked: tuple[MarkedView, ...]) -> Releases:
    """The releases that views tell of."""
    known: dict[str, Release] = {}
    steps: dict[str, list[tuple[int, str, str]]] = {}
    for view in marked:
        for _, mark in reversed(view.marks):
            one = mark.release
            # An apply that was ended, and repeated, began when it first did.
            known[one.id] = min(known.get(one.id, one), one, key=lambda each: each.at_ms)
            steps.setdefault(one.id, []).append((mark.step, str(view.name), mark.action))
    in_order = sorted(known.values(), key=lambda one: (one.at_ms, one.id))
    undoing = {one.undoes: one.id for one in in_order if one.undoes}
    return Releases(
        ReleaseRecord(one, {name: action for _, name, action in sorted(steps[one.id])}, _undone_by(one.id, undoing))
        for one in reversed(in_order)
    )


def _undone_by(id_: str, undoing: Mapping[str, str]) -> str | None:
    by = undoing.get(id_)
    # What was undone, and that undone again, is in force.
    return by if by is not None and _undone_by(by, undoing) is None else None


def told(one: ReleaseRecord) -> str:
    """What a release did, in a line."""
    actions: dict[str, list[str]] = {}
    for name, action in one.views.items():
        actions.setdefault(action, []).append(name)
    return "; ".join(f"{action} {', '.join(names)}" for action, names in actions.items())


def state_of(one: ReleaseRecord) -> str:
    """What became of a release, and what it is, in a line."""
    parts = [f"undoes {one.release.undoes}"] if one.release.undoes else []
    parts += [f"undone by {one.undone_by}"] if one.undone_by else []
    return ", ".join(parts)
