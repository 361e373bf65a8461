"""What the steps of a plan do to others: views that break, partitions that get another meaning, contracts; refusals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from hive_views.errors import HiveViewsError, NoSuchTableError
from hive_views.estate.each.selection import matches_any
from hive_views.estate.impacts.impact import impact_of_rows, reads_of
from hive_views.estate.impacts.impact_report import ImpactReport, is_breaking
from hive_views.hive.row import Row
from hive_views.messages.enumerated import first_of
from hive_views.messages.remedy import Remedy
from hive_views.metastore.port import Metastore
from hive_views.project.planning.contracts import contract_errors
from hive_views.project.planning.ordering import reached
from hive_views.project.plans.project_plan import Action, Breakage, Drift, Plan, Step
from hive_views.project.plans.sentences import changed_by
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

_SHOWN = 3


def with_effects(
    plan: Plan,
    catalog: ViewCatalog,
    copied: ViewCatalog,
    rows: Mapping[TableIdentifier, Row],
    *,
    unreadable: Mapping[TableIdentifier, HiveViewsError] = MappingProxyType({}),
    texts: Mapping[str, str] = MappingProxyType({}),
    allow_breaking: Sequence[str] = (),
    overwrite: Sequence[str] = (),
) -> Plan:
    """A plan with what its steps do to others, and why it cannot be applied as it is.

    Costs a call for each partitioned view whose texts change or that is dropped, and what ``impact_of_rows`` costs.

    Args:
        plan: its steps and errors.
        catalog: where the views are.
        copied: the copy in which all steps were made.
        rows: those of all views, as they are.
        unreadable: names whose rows cannot be read, each with the reason.
        texts: those of the files as their authors see them, by path.
        allow_breaking: names or patterns of views that may break.
        overwrite: names or patterns of views that may lose what somebody else has changed.

    Raises:
        InvalidInputError: a pattern has not two parts.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    if not plan.steps:
        return plan
    changed = {step.view: _row(copied.metastore, step.view) for step in plan.steps}
    impact = impact_of_rows(catalog, changed, before=rows, storage=copied.storage, unreadable=unreadable)
    there = [*rows.values(), *(row for row in changed.values() if row is not None)]
    broken = breakages(impact, plan.steps, there, allow_breaking)
    steps = tuple(
        replace(step, published=_published(catalog.metastore, step, rows.get(step.view))) for step in plan.steps
    )
    errors = [
        error
        for step in steps
        if step.definition is not None
        for error in contract_errors(step.definition, step.resulting, texts.get(step.definition.file, ""))
    ]
    return replace(
        plan,
        steps=steps,
        errors=tuple(sorted([*plan.errors, *errors], key=lambda one: one.position)),
        impact=impact,
        breakages=broken,
        refusals=refusals(steps, broken, overwrite),
    )


def breakages(
    report: ImpactReport, steps: Sequence[Step], rows: Iterable[Row], allow_breaking: Sequence[str] = ()
) -> tuple[Breakage, ...]:
    """The views that engines could not read any more, each with the steps that it reads.

    Args:
        report: what the steps do.
        steps: of the plan.
        rows: those of views, as they are and as they will be.
        allow_breaking: names or patterns of views that may break.
    """
    if not report.broken:
        return ()
    reads: dict[TableIdentifier, set[TableIdentifier]] = {}
    for row in rows:
        reads.setdefault(row.identifier, set()).update(*reads_of({row.identifier: row}).values())
    found = []
    for name in report.broken:
        view = TableIdentifier.of(name)
        read = {*reached(view, reads)} - {view}
        found.append(
            Breakage(
                name,
                tuple(one for one in report.findings if one.view == name and is_breaking(one)),
                tuple(step.view for step in steps if step.view in read),
                matches_any(allow_breaking, view),
            )
        )
    return tuple(found)


def refusals(steps: Sequence[Step], breakages: Sequence[Breakage], overwrite: Sequence[str] = ()) -> tuple[Remedy, ...]:
    """Why a plan cannot be applied as it is, each with the way out.

    Args:
        steps: of the plan.
        breakages: the views that would break.
        overwrite: names or patterns of views that may lose what somebody else has changed.
    """
    found = [_of_breakage(one) for one in breakages if not one.is_allowed]
    found += [_of_drift(step, step.drift) for step in steps if step.drift and not matches_any(overwrite, step.view)]
    return tuple(found)


def _of_breakage(one: Breakage) -> Remedy:
    causes = f" by the change of {first_of(list(map(str, one.causes)), _SHOWN)}" if one.causes else ""
    said = f"{one.view} would break{causes}. Change it as well"
    return Remedy.of_view(
        one.view,
        in_python=f"{said}, or pass allow_breaking=['{one.view}'].",
        in_shell=f"{said}, or use --allow-breaking {one.view}.",
    )


def _of_drift(step: Step, drift: Drift) -> Remedy:
    said = f"{step.view} {changed_by(drift)}, and the plan would undo that."
    if drift.project is not None:
        said = f"{step.view} belongs to the project {drift.project}. Remove its file here, or take the view over:"
        return Remedy.of_view(
            str(step.view),
            in_python=f"{said} overwrite=['{step.view}'].",
            in_shell=f"{said} --overwrite {step.view}.",
        )
    return Remedy.of_view(
        str(step.view),
        in_python=f"{said} Take it over into the file (export shows the view), or pass overwrite=['{step.view}'].",
        in_shell=f"{said} Take it over into the file (`hive-views export` writes it), or use --overwrite {step.view}.",
    )


def _row(metastore: Metastore, name: TableIdentifier) -> Row | None:
    try:
        return metastore.load_row(name)
    except NoSuchTableError:
        return None


def _published(metastore: Metastore, step: Step, before: Row | None) -> int:
    if before is None or not before.partition_keys or not (step.action is Action.DROP or _has_other_texts(step)):
        return 0
    try:
        return len(metastore.partition_names(step.view))
    except NoSuchTableError:  # dropped meanwhile
        return 0


def _has_other_texts(step: Step) -> bool:
    parts = (part for one in step.differences for part in one.parts)
    return any(part == "namespace" or part.startswith("sql ") for part in parts)
