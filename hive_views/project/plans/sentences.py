"""What a plan says of a step and of what it does, in sentences that text, Markdown and notebooks share."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timezone

from hive_views.estate.checks.findings import Finding, NotKnown
from hive_views.estate.impacts.impact_report import is_breaking
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import all_of
from hive_views.project.plans.project_plan import Action, Breakage, ColumnChange, Drift, LastChange, Plan, Step
from hive_views.readiness.reasons import shown_timestamp
from hive_views.views.version_diff import Difference

SIGNS = {
    Action.CREATE: "+",
    Action.REPLACE: "~",
    Action.ALTER: "~",
    Action.DROP: "-",
    Action.RESTORE: "~",
    Action.UNDROP: "+",
}


def shown_differences(step: Step) -> list[Difference]:
    """The diffs to show: none of what is new, or goes, as a whole, and none of columns that ``column_changes`` says."""
    return [one for one in step.differences if _is_changed(step) and not _is_said(one, step)]


def column_changes(step: Step) -> Iterator[str]:
    """A line for each column of a changed view that comes, goes or changes type."""
    return map(_column_change, step.columns if _is_changed(step) else ())


def other_findings(plan: Plan) -> list[Finding]:
    """What ``check`` would find of other views than those of the steps, and that breaks none."""
    changed = {str(step.view) for step in plan.steps}
    found = plan.impact.findings if plan.impact else ()
    return [one for one in found if not is_breaking(one) and one.view not in changed]


def not_known(plan: Plan) -> list[NotKnown]:
    """What nobody knows any more of other views than those of the steps."""
    changed = {str(step.view) for step in plan.steps}
    return [one for one in plan.impact.not_known if one.view not in changed] if plan.impact else []


def breaks_by(one: Breakage) -> str:
    """Why a view would break."""
    return " ".join(dict.fromkeys(finding.problem for finding in one.findings))


def _is_changed(step: Step) -> bool:
    return step.action not in (Action.CREATE, Action.DROP, Action.UNDROP)


def _is_said(one: Difference, step: Step) -> bool:
    """Whether the columns that come, go or change type are all that a diff of columns has; comments are in it too."""
    changed = sum(line.startswith(("+", "-")) for line in one.lines)
    said = sum((column.before is not None) + (column.after is not None) for column in step.columns)
    return one.parts == ("columns",) and changed == said


def _column_change(one: ColumnChange) -> str:
    if one.before is None:
        return f"column {one.name} is added: {one.after}"
    if one.after is None:
        return f"column {one.name} is removed: {one.before}"
    return f"column {one.name} changes its type: {one.before} -> {one.after}"


def notes(step: Step) -> Iterator[str]:
    """What else is to be known of a step."""
    if step.drift is not None and step.drift.project is None:
        yield f"It {changed_by(step.drift)}. The step would undo that."
    if step.drift is not None and step.drift.project is not None:
        yield f"It belongs to the project {step.drift.project}."
    if step.taken_over is not None:
        yield f"No release of the project has written it yet; {_made_by(step.taken_over)}."
    if step.stale:
        yield f"Its SQL in {all_of(step.stale)} does not follow, and becomes stale."
    if step.published:
        partitions = counted(step.published, "declared partition")
        if step.action is Action.DROP:
            yield f"{partitions} would be dropped with it."
        else:
            yield f"The meaning of {partitions} changes."


def _made_by(last: LastChange) -> str:
    return f"its current version is by {last.by}, of {shown_timestamp(last.at_ms, timezone.utc)}"


def changed_by(drift: Drift) -> str:
    """Who has changed a view since the last apply, when and how: the rest of a sentence that begins with the view."""
    at = f" at {shown_timestamp(drift.at_ms, timezone.utc)}" if drift.at_ms is not None else ""
    what = f" ({'; '.join(one.rstrip('.') for one in drift.what)})" if drift.what else ""
    return f"was changed by {drift.by}{at} since the last apply{what}"
