"""A step with what it does to its view, found by making it on a copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hive_views.hive.row import Column
from hive_views.project.applying.step_commit import StepCommits
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.project.plans.project_plan import ColumnChange, Step
from hive_views.sql.query import QueryText
from hive_views.views.version_diff import NOTHING, Definition, columns_of, compare
from hive_views.views.view import View


def made_step(commits: StepCommits, step: Step, number: int, before: View | None) -> Step:
    """The step with what it changes.

    Raises:
        HiveViewsError: it would fail.
    """
    after = commits.commit(step, number)
    columns = _columns(after)
    stale = set(after.stale_dialects if after else ()) - set(before.stale_dialects if before else ())
    return replace(
        step,
        differences=compare(_shown(before, "now"), _shown(after, "planned")),
        columns=tuple(_column_changes(_columns(before), columns)),
        resulting=column_types(after),
        translated=translated_in(after, step.definition) if after and step.definition else {},
        stale=tuple(sorted(stale)),
    )


def translated_in(view: View, wanted: ViewDefinition) -> dict[str, QueryText]:
    """By dialect, the texts of a view that its file says are translated."""
    return {dialect: QueryText(view.original_sql(dialect), dialect) for dialect in wanted.translations}


def column_types(view: View | None) -> tuple[tuple[str, str], ...]:
    """Names and Hive types of all columns; () without a view."""
    return tuple((one.name, one.type) for one in _columns(view))


def _columns(view: View | None) -> tuple[Column, ...]:
    return columns_of(view.metadata, view.current_version) if view else ()


def _shown(view: View | None, label: str) -> Definition:
    if view is None:
        return replace(NOTHING, label=label)
    return Definition.of(view.metadata, view.current_version, properties_of=view.metadata, label=label)


def _column_changes(before: tuple[Column, ...], after: tuple[Column, ...]) -> Iterator[ColumnChange]:
    types, then = ({one.name: one.type for one in each} for each in (before, after))
    for name in dict.fromkeys([*types, *then]):
        if types.get(name) != then.get(name):
            yield ColumnChange(name, types.get(name), then.get(name))
