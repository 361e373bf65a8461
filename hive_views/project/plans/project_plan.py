"""A plan: steps in the order in which they are done, each with what it does to its view and to others. Values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from hive_views.estate.checks.findings import Finding
from hive_views.estate.impacts.impact_report import ImpactReport
from hive_views.messages.counted import counted
from hive_views.messages.html import Tone, badge, folded, html_block, table
from hive_views.messages.remedy import Remedy
from hive_views.project.directory.file_error import FileError
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.project.json_values import ShownDifferences, Texts, ViewName
from hive_views.views.version_diff import Differences

PLAN_FORMAT = 1
"""Of the JSON document of a plan, which names it: ``format-version``."""

PLAN_FORMAT_OF_TRANSLATIONS = 2
"""Of one with texts that are translated, which releases that read the other one alone would leave out."""


class Action(Enum):
    """What a step does to its view."""

    CREATE = "create"
    REPLACE = "replace"  # other columns, partition columns or texts
    ALTER = "alter"  # comment, properties, comments of columns, or texts in other dialects than that of the row
    DROP = "drop"
    RESTORE = "restore"  # as it was before a release
    UNDROP = "undrop"  # a view that a release dropped


@dataclass(frozen=True)
class FoundView:
    """A view as the plan found it; ``apply`` refuses a step whose view is not so any more.

    Attributes:
        location: of its metadata file.
        row: the hash of its row (``row_digest``).
    """

    location: str
    row: str


@dataclass(frozen=True)
class Drift:
    """A change of a view by somebody else since the last apply, which the step would undo.

    Attributes:
        by: who: the engine that made the version or wrote the row, with the user where that is known.
        at_ms: when, in milliseconds since 1970; None if that is not known.
        what: what differs from what the last apply left, a sentence each.
        is_of_row: whether the row was changed behind the metadata file (by Spark or Hive).
        project: the other project that the view belongs to; None if it does not.
    """

    by: str
    at_ms: int | None
    what: tuple[str, ...]
    is_of_row: bool = False
    project: str | None = None


@dataclass(frozen=True)
class LastChange:
    """Who made the version of a view that is current, and when, in milliseconds since 1970."""

    by: str
    at_ms: int


@dataclass(frozen=True)
class ColumnChange:
    """A column of a view that comes, goes, or changes type. ``before`` and ``after`` are Hive types, None for none."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Earlier:
    """What an undo takes a view back to.

    Attributes:
        version: the id of the version.
        properties: those that users set, with the comment.
        partitioned_on: the partition columns.
    """

    version: int
    properties: Mapping[str, str]
    partitioned_on: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One view that is created, changed or dropped, in one commit.

    Attributes:
        action: what is done.
        view: its name.
        found: the view as it was found; None if there is none.
        definition: what it will be, for create, replace and alter.
        earlier: what it will be, for restore and undrop.
        needs: the steps (by view) without which this one cannot be done: those of the views that it reads, and for a
            drop those of the views that read it.
        differences: what changes, as a person reads it.
        columns: those that come, go or change type.
        resulting: names and Hive types of all columns after the step; () for a drop.
        stale: dialects whose texts become stale by it.
        drift: what somebody else has changed since the last apply, and the step undoes.
        taken_over: who has changed the view last, if no release of the project has written it yet: nobody knows whether
            the file was written from that version.
        published: declared partitions whose meaning changes, or that are dropped with the view.
        translated: by dialect, the texts after the step of which its file says that they are translated.
    """

    action: Action
    view: ViewName
    found: FoundView | None = None
    definition: ViewDefinition | None = None
    earlier: Earlier | None = None
    needs: tuple[ViewName, ...] = ()
    differences: ShownDifferences = field(default_factory=Differences)
    columns: tuple[ColumnChange, ...] = ()
    resulting: tuple[tuple[str, str], ...] = ()
    stale: tuple[str, ...] = ()
    drift: Drift | None = None
    taken_over: LastChange | None = None
    published: int = 0
    translated: Texts = field(default_factory=dict)


@dataclass(frozen=True)
class Breakage:
    """A view that engines could not read after the plan.

    Attributes:
        view: ``namespace.name``.
        findings: why.
        causes: the steps (by view) that it reads, directly or through others.
        is_allowed: whether the caller has allowed it.
    """

    view: str
    findings: tuple[Finding, ...]
    causes: tuple[ViewName, ...]
    is_allowed: bool = False


@dataclass(frozen=True)
class Plan:
    """What would be done to make views what the files of a project say, or to undo a release.

    Attributes:
        release: the id that an apply of this plan has.
        project: the name of the project.
        steps: in order; none for views that are as their files say.
        unchanged: the views that are as their files say.
        errors: what is wrong in files; a plan with errors cannot be applied, and may lack steps.
        refusals: why it cannot be applied as it is, each with the way out.
        impact: what the steps do to views; None if nothing is done.
        breakages: the views that would break.
        leftover: views that this project created and that have no file any more; dropped if the plan prunes.
        undoes: the id of the release that it undoes; None if it does not.
    """

    release: str
    project: str
    steps: tuple[Step, ...] = ()
    unchanged: tuple[ViewName, ...] = ()
    errors: tuple[FileError, ...] = ()
    refusals: tuple[Remedy, ...] = ()
    impact: ImpactReport | None = None
    breakages: tuple[Breakage, ...] = ()
    leftover: tuple[ViewName, ...] = ()
    undoes: str | None = None

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.steps)

    def summary(self) -> str:
        """What would be done, in one line, as in ``3 to create, 2 to replace; 294 unchanged; 1 view would break``."""
        parts = [f"{counted(len(self.errors), 'error')} in files"] if self.errors else []
        numbers = Counter(step.action for step in self.steps)
        if numbers:
            parts.append(", ".join(f"{numbers[one]:,} to {one.value}" for one in Action if numbers[one]))
        elif not self.errors:
            parts.append("Nothing to do")
        if self.unchanged:
            parts.append(f"{len(self.unchanged):,} unchanged")
        if self.breakages:
            parts.append(f"{counted(len(self.breakages), 'view')} would break")
        left = len(set(self.leftover) - {step.view for step in self.steps})
        if left:
            parts.append(f"{left:,} without a file")
        return f"{'; '.join(parts)}."

    def _repr_html_(self) -> str:
        rows = [
            (str(one.view), badge(one.action.value, _TONES[one.action]), one.definition.file if one.definition else "")
            for one in self.steps
        ]
        broken = [(one.view, "; ".join(finding.problem for finding in one.findings)) for one in self.breakages]
        wrong = [(f"{one.file}:{one.line or 1}", one.message) for one in self.errors]
        return html_block(
            f"Plan of the project {self.project}: {self.summary()}",
            table(("file", "error"), wrong),
            table(("view", "", "file"), rows),
            table(("view that would break", "why"), broken),
            table(("why it cannot be applied",), [(str(one),) for one in self.refusals]),
            *(folded(f"{one.action.value} {one.view}", *one.differences.in_html()) for one in self.steps),
        )


_TONES: Mapping[Action, Tone] = {
    Action.CREATE: "good",
    Action.REPLACE: "warn",
    Action.ALTER: "warn",
    Action.DROP: "bad",
    Action.RESTORE: "warn",
    Action.UNDROP: "good",
}
