"""What follows from base data that has changed under published partitions, and what was done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import ConfigDict, TypeAdapter

from hive_views.messages.html import Tone, badge, html_table
from hive_views.publishing.plan import read_saved_plan

RepublishAction = Literal["mark", "redeclare", "complete"]

_TONES: Mapping[str, Tone] = {
    **dict.fromkeys(("mark", "redeclare", "complete"), "new"),
    **dict.fromkeys(("marked", "redeclared", "completed"), "good"),
    "left": "soft",
    "failed": "bad",
}

# Of the text of a saved plan: it rises with each change of the fields.
FORMAT_VERSION = 1


@dataclass(frozen=True)
class UpstreamPartitions:
    """The partitions of another view that a partition depends on, some of which are republished before it.

    Attributes:
        republished: their names.
        others: those of the others that it depends on.
        fingerprint: of what the metastore had of the others when the plan was made.
    """

    republished: tuple[str, ...]
    others: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True)
class PlannedPartition:
    """What is to be done about one partition.

    Attributes:
        action: ``mark``: record the new state of its base data with it; ``redeclare``: retract it and declare it again
            with that state, so that sensors fire anew; ``complete``: declare it, since an interrupted run retracted it.
        reasons: why, for people: what has changed.
        record: the parameters to be set.
        judged: a hash of what was recorded with it when the plan was made.
        upstream: by view, the partitions that are republished before it.
    """

    action: RepublishAction
    reasons: tuple[str, ...]
    record: Mapping[str, str]
    judged: str
    upstream: Mapping[str, UpstreamPartitions] = field(default_factory=dict)


@dataclass(frozen=True)
class ViewRepublishPlan:
    """What follows for one view.

    Attributes:
        view: its name.
        view_uuid: the view that it was made for; another one may have the name later.
        partitions: what is to be done, by name.
        left: partitions whose base data has changed, or of which that is unknown, and that are left alone, and why.
        error: why the view could not be looked at; None if it could.
        is_interrupted: a run has left notes of what it was to declare again, which are removed once that is declared.
    """

    view: str
    view_uuid: str
    partitions: Mapping[str, PlannedPartition] = field(default_factory=dict)
    left: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    error: str | None = None
    is_interrupted: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do, and nothing to report."""
        return not (self.partitions or self.left or self.error or self.is_interrupted)


@dataclass(frozen=True)
class RepublishPlan:
    """What follows from base data that has changed.

    Attributes:
        views: in the order in which it is carried out: each view after those that it is published on.
        format_version: of the saved text.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    views: tuple[ViewRepublishPlan, ...]
    format_version: int = FORMAT_VERSION

    def __str__(self) -> str:
        lines: list[str] = []
        for one in self.views:
            lines.append(f"{one.view}: {one.error or _counted(len(one.partitions), len(one.left))}")
            lines += [f"  {of.action:<9}  {name}: {'; '.join(of.reasons)}" for name, of in one.partitions.items()]
            lines += [f"  left       {name}: {'; '.join(reasons)}" for name, reasons in one.left.items()]
        return "\n".join(lines) or "Nothing follows: no base data has changed."

    def _repr_html_(self) -> str:
        rows = [(one.view, "", "failed", one.error) for one in self.views if one.error]
        for one in self.views:
            rows += [(one.view, name, of.action, "; ".join(of.reasons)) for name, of in one.partitions.items()]
            rows += [(one.view, name, "left", "; ".join(reasons)) for name, reasons in one.left.items()]
        counted = _counted(sum(len(one.partitions) for one in self.views), sum(len(one.left) for one in self.views))
        shown = [(view, name, badge(what, _TONES[what]), why) for view, name, what, why in rows]
        return html_table(counted, ("view", "partition", "action", "why"), shown)

    def to_json(self) -> str:
        """The plan as a JSON object, to be saved and applied later."""
        return _JSON.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> RepublishPlan:
        """The plan that ``to_json`` wrote.

        Raises:
            InvalidInputError: it is not what ``to_json`` writes, or what another version of it wrote.
        """
        return read_saved_plan(_JSON, text, FORMAT_VERSION, "RepublishPlan.to_json")


@dataclass(frozen=True)
class RepublishReport:
    """What was done for one view, by names of partitions.

    Attributes:
        view: its name.
        marked: with the new state of their base data.
        redeclared: retracted, and declared again.
        completed: declared, since an interrupted run had retracted them.
        left: partitions that were left alone, and why.
        error: why the view could not be looked at; None if it could.
    """

    view: str
    marked: tuple[str, ...] = ()
    redeclared: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    left: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    error: str | None = None

    def then(self, later: RepublishReport) -> RepublishReport:
        """What was done by this run and a later one."""
        return replace(
            later,
            marked=tuple(dict.fromkeys((*self.marked, *later.marked))),
            redeclared=tuple(dict.fromkeys((*self.redeclared, *later.redeclared))),
            completed=tuple(dict.fromkeys((*self.completed, *later.completed))),
        )

    def _repr_html_(self) -> str:
        done = {"marked": self.marked, "redeclared": self.redeclared, "completed": self.completed}
        rows = [(name, what, "") for what, names in done.items() for name in names]
        rows += [(name, "left", "; ".join(reasons)) for name, reasons in self.left.items()]
        counted = ", ".join(f"{len(names)} {what}" for what, names in done.items())
        shown = [(name, badge(what, _TONES[what]), why) for name, what, why in rows]
        return html_table(f"{self.view}: {self.error or counted}", ("partition", "state", "why"), shown)


def _counted(to_do: int, left: int) -> str:
    return f"{to_do} to be republished, {left} left alone"


_JSON = TypeAdapter(RepublishPlan)
