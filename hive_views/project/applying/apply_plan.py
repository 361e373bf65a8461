"""A plan carried out under the lock of its project: each step is one commit, and what needs one that failed is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from hive_views.errors import HiveViewsError, LockTimeoutError, OutdatedPlanError, RefusedPlanError
from hive_views.estate.each.outcomes import OnOutcome, Outcome, Outcomes, State, ignore, is_unreachable, with_bar
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import first_of
from hive_views.messages.html import html_table
from hive_views.messages.logs import logger_of
from hive_views.messages.remedy import Remedy
from hive_views.metastore.port import Lock
from hive_views.project.applying.release_id import lock_of_project
from hive_views.project.applying.release_mark import Release
from hive_views.project.applying.step_commit import StepCommits
from hive_views.project.found_views import find_views
from hive_views.project.plans.project_plan import Plan, Step
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

log = logger_of(__name__)

LOCK_TIMEOUT_S = 10.0
_NAMED = 5


@dataclass(frozen=True)
class ApplyReport:
    """What an apply has done; a notebook shows it as a table.

    Attributes:
        release: its id, by which it can be undone.
        project: the name of the project.
        outcomes: of each step of the plan, by its view: done; unchanged, if an earlier run of the same release had done
            it; failed, with the error; left, because it needs one that failed; or not tried, if the metastore went away
            or another apply has taken the lock. ``details`` have the ``action``.
        undoes: the id of the release that it undoes; None if it does not.
        is_locked: whether the metastore has locked the project meanwhile.
    """

    release: str
    project: str
    outcomes: Outcomes
    undoes: str | None = None
    is_locked: bool = True

    @property
    def is_complete(self) -> bool:
        """Whether all steps are done."""
        return all(one.state in (State.DONE, State.UNCHANGED) for one in self.outcomes)

    @property
    def done(self) -> tuple[Outcome, ...]:
        """The steps that are done, now or by an earlier run."""
        return (*self.outcomes.of(State.UNCHANGED), *self.outcomes.of(State.DONE))

    @property
    def left(self) -> tuple[Outcome, ...]:
        """The steps that were left, since they need one that failed, and those that were not tried."""
        return (*self.outcomes.of(State.LEFT), *self.outcomes.of(State.NOT_TRIED))

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The steps that failed, each with its error."""
        return self.outcomes.of(State.FAILED)

    def summary(self) -> str:
        """What was done, in a sentence or two."""
        if not self.outcomes:
            return "There was nothing to do."
        told = f"Release {self.release}{f' (undoes {self.undoes})' if self.undoes else ''}: {self.outcomes.summary()}"
        return told if self.is_locked else f"{told} The metastore grants no locks: nothing kept another apply away."

    def document(self) -> dict[str, Any]:
        """The report as JSON holds it."""
        release = {"release": self.release, "project": self.project, "undoes": self.undoes, "locked": self.is_locked}
        return {**release, "complete": self.is_complete, **self.outcomes.document()}

    def _repr_html_(self) -> str:
        # Of many rows a notebook hides the last: what failed is first.
        shown = sorted(self.outcomes, key=lambda one: one.state in (State.DONE, State.UNCHANGED))
        rows = [
            (one.view, str(one.details["action"]), self.outcomes.word_for(one.state), one.reason or "") for one in shown
        ]
        return html_table(f"Project {self.project}. {self.summary()}", ("view", "action", "state", "reason"), rows)


def apply(
    catalog: ViewCatalog, plan: Plan, *, on_step: OnOutcome = ignore, lock_timeout_s: float = LOCK_TIMEOUT_S
) -> ApplyReport:
    """Carry out a plan: each step in order, each one commit. Views are replaced in place: readers never miss one.

    A step that fails does not end the others: those that need it are left, and the rest is done. To complete an apply
    that was killed, or that has failed for a reason that is gone, apply the same plan again: what is done is not done
    twice; or plan the directory again, which makes a new release of the rest.

    Meanwhile the metastore locks the project, so that two applies of it do not mix. Each new version says which release
    made it, and what was before (``plan_undo``).

    Costs a call for each hundred views more than the commits alone.

    Args:
        catalog: where the views are.
        plan: as ``plan``, ``plan_undo`` or ``read_plan`` return it.
        on_step: called with each outcome as soon as it is known, how many there are so far, and the total.
        lock_timeout_s: how long to wait, in seconds, for another apply of the project to end.

    Raises:
        RefusedPlanError: the plan has errors or refusals; nothing was written.
        OutdatedPlanError: views (field ``views``) were changed after the plan was made; nothing was written.
        LockTimeoutError: another apply (field ``holder``) has the lock; nothing was written.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer; nothing was written.
    """
    refuse(plan)
    release = Release(
        plan.release, plan.project, catalog.settings.clock_ms(), catalog.settings.owner, plan.undoes, len(plan.steps)
    )
    if not plan.steps:
        return ApplyReport(plan.release, plan.project, Outcomes("applied", ()), plan.undoes)
    with _locked(catalog, plan.project, lock_timeout_s) as lock:
        commits = StepCommits(catalog, release)
        finished = _finished(catalog, plan, commits)
        steps = _Steps(catalog, plan, commits, finished, lock.ensure_held if lock else lambda: None)
        outcomes: list[Outcome] = []
        for outcome in with_bar(steps.outcomes(), len(plan.steps), on_step):
            outcomes.append(outcome)
            on_step(outcome, len(outcomes), len(plan.steps))
    return ApplyReport(plan.release, plan.project, Outcomes("applied", tuple(outcomes)), plan.undoes, lock is not None)


def refuse(plan: Plan) -> None:
    """
    Raises:
        RefusedPlanError: the plan has errors or refusals; its message and its fields have all of them.
    """
    wrong = list(map(str, plan.errors))
    if not wrong and not plan.refusals:
        return
    counts = [counted(len(wrong), "error") + " in files"] if wrong else []
    counts += [counted(len(plan.refusals), "refusal")] if plan.refusals else []
    raise RefusedPlanError(
        "\n".join([f"The plan cannot be applied ({' and '.join(counts)}); nothing was written.", *wrong]),
        remedy=Remedy.of_all(plan.refusals) if plan.refusals else None,
        errors=plan.errors,
        refusals=plan.refusals,
    )


@contextmanager
def _locked(catalog: ViewCatalog, project: str, timeout_s: float) -> Iterator[Lock | None]:
    """The lock of a project; None where the metastore grants none, or the settings say that none is taken.

    Raises:
        LockTimeoutError: another apply has it.
    """
    try:
        name = lock_of_project(project)
        lock = catalog.metastore.lock(name, timeout_s=timeout_s) if catalog.settings.lock != "never" else None
    except LockTimeoutError as error:
        message = (
            f"Another apply of the project {project} is under way, by {error.holder}, and did not end within "
            f"{timeout_s:g} s. Nothing was written. Try again later; if that apply was killed, its lock expires after "
            f"the server's hive.txn.timeout."
        )
        raise replace(error, message=message) from error
    if lock is None:
        log.warning("project %s: no lock keeps another apply away", project)
    try:
        yield lock
    finally:
        if lock is not None:
            lock.release()


def _finished(catalog: ViewCatalog, plan: Plan, commits: StepCommits) -> set[TableIdentifier]:
    """The views of steps that an earlier run has done.

    Raises:
        OutdatedPlanError: views were changed after the plan was made.
    """
    found = find_views(catalog, [step.view for step in plan.steps])
    finished: set[TableIdentifier] = set()
    changed: dict[str, str] = {}
    for step in plan.steps:
        # What cannot be read fails when its turn comes, with the reason.
        if step.view in found.errors and step.view not in found.rows:
            continue
        row, view = found.rows[step.view], found.views.get(step.view)
        if commits.is_finished(step, row, view):
            finished.add(step.view)
        elif what := commits.outdated(step, row, view):
            changed[str(step.view)] = what
    if changed:
        named = first_of([f"{view} was {what}" for view, what in changed.items()], _NAMED)
        raise OutdatedPlanError(
            f"After the plan was made, {named}. Nothing was written: plan again.",
            identifier=next(iter(changed)),
            views=list(changed),
        )
    return finished


@dataclass
class _Steps:
    """The steps of a plan, done one after the other."""

    catalog: ViewCatalog
    plan: Plan
    commits: StepCommits
    finished: set[TableIdentifier]
    ensure_locked: Callable[[], None]

    def outcomes(self) -> Iterator[Outcome]:
        """The outcome of each."""
        missing: dict[TableIdentifier, State] = {}
        ended: HiveViewsError | None = None
        for number, step in enumerate(self.plan.steps, 1):
            needed = [name for name in step.needs if name in missing]
            if ended is not None:
                outcome = Outcome(str(step.view), State.NOT_TRIED, f"The apply has ended before it: {ended}", ended)
            elif needed:
                reason = f"It needs {first_of(list(map(str, needed)), _NAMED)}, which was not done."
                outcome = Outcome(str(step.view), State.LEFT, reason)
            else:
                try:
                    self.ensure_locked()
                    outcome = self._done(step, number)
                except HiveViewsError as error:
                    ended = error
                    outcome = Outcome(
                        str(step.view), State.NOT_TRIED, f"The lock of the project is lost: {error}", error
                    )
                if outcome.error is not None and is_unreachable(outcome.error, self.catalog):
                    ended = outcome.error
            if outcome.state not in (State.DONE, State.UNCHANGED):
                missing[step.view] = outcome.state
            yield replace(outcome, details={"action": step.action.value, **outcome.details})

    def _done(self, step: Step, number: int) -> Outcome:
        name = str(step.view)
        if step.view in self.finished:
            return Outcome(name, State.UNCHANGED, "An earlier run of this release has done it.")
        try:
            view = self.commits.commit(step, number)
        except HiveViewsError as error:
            log.debug("%s failed", name, exc_info=error)
            return Outcome(name, State.FAILED, str(error), error)
        return Outcome(name, State.DONE, details={"version_id": view.metadata.current_version_id} if view else {})
