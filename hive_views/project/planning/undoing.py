"""The plan that takes every view back to where it was before a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hive_views.errors import HiveViewsError, NotFoundError
from hive_views.estate.analyses.kept import row_digest
from hive_views.estate.each.outcomes import is_unreachable
from hive_views.estate.each.selection import check_patterns, matches_any, select_or_all
from hive_views.hive.row import Row
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.messages.remedy import Remedy
from hive_views.project.applying.marked_views import MarkedView, find_marked, project_name
from hive_views.project.applying.release_id import new_release_id
from hive_views.project.applying.release_mark import (
    Release,
    ReleaseMark,
    current_mark,
    differing_from,
    is_as_left,
)
from hive_views.project.applying.releases import releases_of
from hive_views.project.applying.step_commit import StepCommits
from hive_views.project.planning.copied_catalog import copied_catalog
from hive_views.project.planning.effects import with_effects
from hive_views.project.planning.made_step import made_step
from hive_views.project.plans.project_plan import Action, Earlier, FoundView, Plan, Step
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewVersion
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.dependencies import read_by


def plan_undo(
    catalog: ViewCatalog,
    project: str | Path,
    release: str,
    *,
    exclude: Sequence[str] = (),
    allow_breaking: Sequence[str] = (),
) -> Plan:
    """What would take every view back to where it was before a release, in reverse order; nothing is written.

    What the release created is dropped, what it dropped is brought back, and what it changed gets the version,
    properties and partition columns that it had. ``apply`` carries the plan out as a release of its own, which can be
    undone in turn. Views that are as they were before are left alone.

    The plan has a refusal for each view that was changed since, other than by a release that was undone itself, for
    each whose earlier version has expired, and for each that would break. Costs what ``releases`` costs.

    Args:
        catalog: where the views are.
        project: the directory of the project, or its name.
        release: the id of the release.
        exclude: names or patterns of views that are left as they are.
        allow_breaking: names or patterns of views that may break.

    Raises:
        NotFoundError: no version tells of such a release.
        InvalidInputError: the directory is no project, or a pattern has not two parts.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        StorageUnavailableError: the directory of a namespace cannot be read.
    """
    check_patterns([*exclude, *allow_breaking])
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = {row.identifier: row for row in select_or_all(catalog.metastore, (), unreadable.__setitem__)}
    name = project_name(project)
    marked = find_marked(catalog, rows.values(), name)
    now_ms = catalog.settings.clock_ms()
    undo = Release(new_release_id(now_ms), name, now_ms, catalog.settings.owner, release)
    touched = _touched(marked, release, name)
    wanted = [one for one in touched if not matches_any(exclude, one.marked.name)]
    refused = [
        _refusal(one.name, f"What the release did to {one.name} is not known: the version has expired.")
        for one in _forgotten(marked, touched, release)
        if not matches_any(exclude, one.name)
    ]
    unchanged: list[TableIdentifier] = []
    steps: list[Step] = []
    for one in wanted:
        step = one.step()
        if isinstance(step, Step):
            steps.append(step)
        elif step is None:
            unchanged.append(one.marked.name)
        else:
            refused.append(step)
    copied, made, failed = _made(catalog, undo, steps, rows, {one.marked.name: one.marked for one in wanted})
    planned = Plan(undo.id, name, tuple(made), tuple(sorted(unchanged)), undoes=release)
    planned = with_effects(planned, catalog, copied, rows, unreadable=unreadable, allow_breaking=allow_breaking)
    return replace(planned, refusals=(*refused, *failed, *planned.refusals))


@dataclass(frozen=True)
class _Touched:
    """What a release did to a view, and what the view is now."""

    marked: MarkedView
    version: ViewVersion
    mark: ReleaseMark

    def step(self) -> Step | Remedy | None:
        """What takes the view back; None if it is as it was, and why not, if somebody has changed it since."""
        if self.mark.action in (Action.CREATE.value, Action.UNDROP.value):
            return self._dropped()
        return self._undropped() if self.mark.action == Action.DROP.value else self._restored()

    def _dropped(self) -> Step | Remedy | None:
        name, view = self.marked.name, self.marked.view
        if view is None:
            return None
        return self._changed() or Step(Action.DROP, name, self._found())

    def _undropped(self) -> Step | Remedy | None:
        name, view = self.marked.name, self.marked.view
        is_last = self.marked.metadata.current_version_id == self.version.version_id
        if view is not None and not is_last:
            return None if self._is_as_before() else self._changed() or self._live_again()
        if not is_last:
            return _refusal(name, f"{name} was brought back, changed and dropped again since.")
        return Step(Action.UNDROP, name, FoundView(self.marked.location, ""), earlier=self._earlier())

    def _restored(self) -> Step | Remedy | None:
        name, view, mark = self.marked.name, self.marked.view, self.mark
        if view is None:
            return _refusal(name, f"{name} was dropped since.")
        if not view.has_drifted and self._is_as_before():
            return None
        if changed := self._changed():
            return changed
        if mark.before not in {one.version_id for one in self.marked.metadata.versions}:
            return _refusal(name, f"The version {mark.before} of {name}, which was current before, has expired.")
        return Step(Action.RESTORE, name, self._found(), earlier=self._earlier())

    def _changed(self) -> Remedy | None:
        name, view, metadata = self.marked.name, self.marked.view, self.marked.metadata
        if view is not None and view.has_drifted:
            return _refusal(name, f"The row of {name} was changed since, behind its metadata file.")
        parts = differing_from(metadata, self.version, self.mark)
        if not parts:
            return None
        later = current_mark(metadata)
        by = f" by the release {later.release.id}" if later and later.release.id != self.mark.release.id else ""
        return _refusal(name, f"{name} was changed since{by} ({', '.join(parts)}).")

    def _live_again(self) -> Remedy:
        return _refusal(self.marked.name, f"{self.marked.name} was brought back since.")

    def _is_as_before(self) -> bool:
        mark, metadata = self.mark, self.marked.metadata
        before = next((one for one in metadata.versions if one.version_id == mark.before), None)
        then = replace(mark, properties=mark.properties_before, partitioned_on=mark.partitioned_on_before)
        return before is not None and is_as_left(metadata, before, then)

    def _earlier(self) -> Earlier:
        assert self.mark.before is not None
        return Earlier(self.mark.before, self.mark.properties_before, self.mark.partitioned_on_before)

    def _found(self) -> FoundView:
        assert self.marked.view is not None
        return FoundView(self.marked.location, row_digest(self.marked.view.row))


def _touched(marked: Iterable[MarkedView], release: str, project: str) -> list[_Touched]:
    """What a release did, the last step first.

    Raises:
        NotFoundError: nothing is known of it.
    """
    views = tuple(marked)
    found = [_Touched(view, *one) for view in views if (one := view.marked_by(release)) is not None]
    if not found:
        known = [one.id for one in releases_of(views)]
        raise NotFoundError(
            f"No version of a view tells of a release {release!r} of the project {project}. "
            f"{did_you_mean(release, known)}",
            remedy=Remedy(
                in_python="hive_views.project.releases lists those that are known.",
                in_shell="`hive-views releases DIR` lists those that are known.",
            ),
        )
    return sorted(found, key=lambda one: one.mark.step, reverse=True)


def _forgotten(marked: Iterable[MarkedView], touched: Sequence[_Touched], release: str) -> list[MarkedView]:
    """Views that a release may have touched, though no version says so any more.

    Of a release that was never completed there are steps of which nothing is said either.
    """
    one = touched[0].mark.release
    if one.steps is None or len(touched) >= one.steps:
        return []
    return [
        view
        for view in marked
        if view.marked_by(release) is None
        and min(version.version_id for version in view.metadata.versions) > 1
        and min(version.timestamp_ms for version in view.metadata.versions) > one.at_ms
    ]


def _made(
    catalog: ViewCatalog,
    undo: Release,
    steps: Sequence[Step],
    rows: Mapping[TableIdentifier, Row],
    marked: Mapping[TableIdentifier, MarkedView],
) -> tuple[ViewCatalog, list[Step], list[Remedy]]:
    """The copy in which the steps were made, the steps with what they change, and why others cannot be made."""
    partitioned = {step.view for step in steps if step.view in rows and rows[step.view].partition_keys}
    known: dict[TableIdentifier, Row | None] = {**rows, **{step.view: rows.get(step.view) for step in steps}}
    copied = copied_catalog(catalog, known, partitioned)
    commits = StepCommits(copied, undo, checked=False)
    made: list[Step] = []
    refused: list[Remedy] = []
    read: dict[TableIdentifier, set[TableIdentifier]] = {}
    readers: dict[TableIdentifier, list[TableIdentifier]] = {}
    for step in steps:
        try:
            changed = made_step(commits, step, len(made) + 1, marked[step.view].view)
        except HiveViewsError as error:
            if is_unreachable(error, catalog):
                raise
            refused.append(_refusal(step.view, f"{step.view} cannot be taken back: {error.message}"))
            continue
        reads = set(read_by(rows[step.view])) if step.view in rows else set()
        if step.action is not Action.DROP:
            reads |= set(read_by(copied.metastore.load_row(step.view)))
        needs = dict.fromkeys([name for name in reads if name in read] + readers.get(step.view, []))
        read[step.view] = reads
        for name in reads:
            readers.setdefault(name, []).append(step.view)
        made.append(replace(changed, needs=tuple(sorted(needs))))
    return copied, made, refused


def _refusal(view: TableIdentifier, problem: str) -> Remedy:
    return Remedy.of_view(
        str(view),
        in_python=f"{problem} Leave it as it is with exclude=['{view}'].",
        in_shell=f"{problem} Leave it as it is with --exclude {view}.",
    )
