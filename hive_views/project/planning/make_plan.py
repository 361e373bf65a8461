"""From the files of a project and a metastore to a plan: everything is read once, and nothing is written.

Each step is made on a copy of the metastore in memory, by the code that applies it: what would fail, fails here, with
the place in the file, and columns, stale texts and rows are those that there will be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hive_views.errors import HiveViewsError, InvalidInputError, TranslationRefusedError
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.order import ordered
from hive_views.estate.each.outcomes import is_unreachable
from hive_views.estate.each.selection import check_patterns, select_or_all
from hive_views.hive.row import Row
from hive_views.messages.remedy import Remedy
from hive_views.persisted import PROJECT
from hive_views.project.applying.release_id import new_release_id
from hive_views.project.applying.release_mark import Release
from hive_views.project.applying.step_commit import StepCommits
from hive_views.project.directory.project_files import FileError, Project, read_project
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.project.found_views import FoundViews, find_views, views_of
from hive_views.project.planning.comparing import action_for, drift_of, is_as_declared, last_change_of
from hive_views.project.planning.copied_catalog import copied_catalog
from hive_views.project.planning.effects import with_effects
from hive_views.project.planning.following import may_follow
from hive_views.project.planning.made_step import column_types, made_step
from hive_views.project.planning.ordering import cycle_through, reads_of
from hive_views.project.planning.translating_again import would_differ
from hive_views.project.plans.project_plan import Action, Plan, Step
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.dependencies import read_by


def plan(
    catalog: ViewCatalog,
    directory: str | Path,
    *,
    variables: Mapping[str, str] | None = None,
    prune: bool = False,
    allow_breaking: Sequence[str] = (),
    overwrite: Sequence[str] = (),
    git_revision: str | None = None,
) -> Plan:
    """What would be done to make views what the files of a project say; nothing is written.

    If nothing has to be done, the rows of its views are read, a hundred in a call, and their metadata files; likewise
    what is read by views with translated texts. Otherwise the rows of all views are read as well, to find those that
    would break.

    Args:
        catalog: where the views are.
        directory: of the project.
        variables: values of variables, in place of those in project.toml.
        prune: whether views that this project created and that have no file any more are dropped.
        allow_breaking: names or patterns of views that may break.
        overwrite: names or patterns of views that somebody else has changed since the last apply, or that belong to
            another project, and that are to become what their files say nevertheless.
        git_revision: plan the files of a commit, branch or tag, in place of those in the directory.

    Raises:
        InvalidInputError: there is no such project or revision, or a pattern has not two parts.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    project, errors = read_project(directory, variables, git_revision)
    return plan_project(catalog, project, errors, prune=prune, allow_breaking=allow_breaking, overwrite=overwrite)


def plan_project(
    catalog: ViewCatalog,
    project: Project,
    errors: Iterable[FileError],
    *,
    prune: bool = False,
    allow_breaking: Sequence[str] = (),
    overwrite: Sequence[str] = (),
) -> Plan:
    """The plan for files that were read, as ``plan``."""
    check_patterns([*allow_breaking, *overwrite])
    settings = catalog.settings
    now_ms = settings.clock_ms()
    release = Release(new_release_id(now_ms), project.settings.name, now_ms, settings.owner)
    wanted = {one.view: one for one in project.definitions.values()}
    found = find_views(catalog, wanted)
    wrong = [
        *errors,
        *(_error_of(_in_shell(found.errors[name]), wanted[name], project) for name in wanted if name in found.errors),
    ]
    sound = {name: one for name, one in wanted.items() if name not in found.errors}
    changing = {
        name: one
        for name, one in sound.items()
        if name not in found.views or not is_as_declared(one, found.views[name])
    }
    as_declared = {name: one for name, one in sound.items() if name not in changing}
    changing |= {name: sound[name] for name in would_differ(catalog, as_declared, found)}
    unchanged = {name: found.views[name] for name in sound if name not in changing}
    following = may_follow(unchanged, lambda name: reads_of(sound[name]))
    rows: Mapping[TableIdentifier, Row] = {}
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    if changing or following or prune:
        rows = {row.identifier: row for row in select_or_all(catalog.metastore, (), unreadable.__setitem__)}
    leftover = tuple(
        sorted(
            name
            for name, row in rows.items()
            if row.parameters.get(PROJECT) == project.settings.name and name not in wanted
        )
    )
    wanting = _Wanting(
        sound if changing or following else {}, {*changing}, following, {*found.errors, *_views_of(errors)}
    )
    steps, failed, copied = _steps(catalog, project, release, wanting, leftover if prune else (), found, rows)
    planned = Plan(
        release.id,
        project.settings.name,
        tuple(steps),
        tuple(sorted(unchanged.keys() - {step.view for step in steps})),
        tuple(sorted([*wrong, *failed], key=lambda one: one.position)),
        leftover=leftover,
    )
    return with_effects(
        planned,
        catalog,
        copied,
        rows,
        unreadable=unreadable,
        texts={path: source.written for path, source in project.sources.items()},
        allow_breaking=allow_breaking,
        overwrite=overwrite,
    )


@dataclass(frozen=True)
class _Wanting:
    """The files whose views can be changed.

    Attributes:
        definitions: by view, of files that can be read.
        changing: the views that are not as their files say.
        following: others, whose columns may follow from views that were changed since.
        unreadable: views whose files, or what has their names, cannot be read: nothing is said of what reads them.
    """

    definitions: Mapping[TableIdentifier, ViewDefinition]
    changing: Collection[TableIdentifier]
    following: Collection[TableIdentifier]
    unreadable: Collection[TableIdentifier]


def _views_of(errors: Iterable[FileError]) -> Iterator[TableIdentifier]:
    """The views of files, by their paths."""
    for error in errors:
        with suppress(InvalidInputError):
            yield TableIdentifier.of(error.file.removesuffix(".sql").replace("/", "."))


def _steps(
    catalog: ViewCatalog,
    project: Project,
    release: Release,
    wanting: _Wanting,
    dropping: Sequence[TableIdentifier],
    found: FoundViews,
    rows: Mapping[TableIdentifier, Row],
) -> tuple[list[Step], list[FileError], ViewCatalog]:
    """The steps in order, what is wrong with others, and the copy in which the steps were made.

    Of a view that reads one which is wrong, nothing is said.
    """
    reads = {name: reads_of(one) for name, one in wanting.definitions.items()}

    @cache
    def read(name: TableIdentifier) -> Sequence[TableIdentifier]:
        return reads[name] if name in reads else read_by(rows[name]) if name in rows else ()

    named = {one for names in reads.values() for one in names} - {*found.rows}
    others, _ = load(catalog, [name for name in named if name not in rows])
    known: dict[TableIdentifier, Row | None] = {**rows, **found.rows, **others}
    dropped = views_of(catalog, {name: rows[name] for name in dropping})
    partitioned = {name for name in (*reads, *dropping) if (row := known.get(name)) is not None and row.partition_keys}
    copied = copied_catalog(catalog, known, partitioned)
    commits = StepCommits(copied, release, checked=False)
    order, circular = ordered({name: [one for one in reads[name] if one in reads] for name in reads})
    steps: list[Step] = []
    failed: list[FileError] = []
    unsound = {*wanting.unreadable}
    made: set[TableIdentifier] = set()
    widened: set[TableIdentifier] = set()
    for name in order:
        wanted, view = wanting.definitions[name], found.views.get(name)
        is_changing = name in wanting.changing
        if not is_changing and name not in wanting.following and widened.isdisjoint(reads[name]):
            continue
        path = cycle_through(name, read)
        if path is not None:
            shown = " -> ".join(map(str, path))
            problem = InvalidInputError(f"{name} would read itself ({shown}): no engine could read it.")
            failed.append(_error_of(problem, wanted, project))
        elif name in circular or unsound.intersection(reads[name]):
            pass
        else:
            step = Step(
                Action.CREATE if view is None else action_for(wanted, view) if is_changing else Action.REPLACE,
                name,
                found.as_found(name),
                definition=wanted,
                needs=tuple(one for one in reads[name] if one in made),
                drift=drift_of(view, project.settings.name) if view and is_changing else None,
                taken_over=last_change_of(view, project.settings.name) if view and is_changing else None,
            )
            try:
                step = made_step(commits, step, len(steps) + 1, view)
                has_other_columns = step.resulting != column_types(view)
                if step.action is Action.ALTER and has_other_columns:
                    step = replace(step, action=Action.REPLACE)
                if is_changing or has_other_columns or _has_other_translation(step):
                    made.add(name)
                    steps.append(step)
                if has_other_columns:
                    widened.add(name)
                continue
            except HiveViewsError as error:
                if is_unreachable(error, catalog):
                    raise
                # Of a view whose file is as it was, it is said that it would break.
                if not is_changing and not isinstance(error, TranslationRefusedError):
                    continue
                failed += project.errors_in(wanted, error)
        unsound.add(name)
    for name in reversed(ordered({one: [read_ for read_ in read(one) if read_ in dropping] for one in dropping})[0]):
        needs = [one.view for one in steps if name in (read_by(rows[one.view]) if one.view in rows else ())]
        view = dropped.views.get(name)
        if view is None:
            continue
        step = Step(
            Action.DROP,
            name,
            dropped.as_found(name),
            needs=tuple(needs),
            drift=drift_of(view, project.settings.name),
        )
        steps.append(made_step(commits, step, len(steps) + 1, view))
    return steps, failed, copied


def _has_other_translation(step: Step) -> bool:
    """Whether a text follows what was changed before; those that are given are as they were."""
    return bool(step.translated) and any(part.startswith("sql ") for one in step.differences for part in one.parts)


def _in_shell(error: HiveViewsError) -> HiveViewsError:
    """The error with its way out, which is a command: files are planned in the shell."""
    return replace(error, remedy=Remedy.alike(error.remedy.in_shell)) if error.remedy else error


def _error_of(error: HiveViewsError, wanted: ViewDefinition, project: Project) -> FileError:
    """An error about a view, with its place in the file of the view."""
    return project.error_in(wanted, error)
