"""What a change would do to views: a report of a check of what there will be, without what there is already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hive_views.estate.checks.codes import CODES
from hive_views.estate.checks.findings import CheckReport, Finding
from hive_views.messages.counted import counted


@dataclass(frozen=True)
class TypeChange:
    """A column of a view whose query gives another type, which fits into the one that the view declares.

    Spark goes on to return the declared type; Hive returns that of the query.

    Attributes:
        view: ``namespace.name``.
        column: its name.
        before: the type that the query gives now.
        after: the type that it will give; None if that is not certain.
        declared: the type that the view says.
    """

    view: str
    column: str
    before: str
    after: str | None
    declared: str

    def document(self) -> dict[str, Any]:
        """The change as JSON holds it."""
        return {
            "identifier": self.view,
            "column": self.column,
            "before": self.before,
            "after": self.after,
            "declared": self.declared,
        }


@dataclass(frozen=True)
class DeclaredPartitions:
    """The partitions of a view with findings, and who publishes them.

    Attributes:
        view: ``namespace.name``.
        count: how many partitions are declared.
        publications: the publications that are recorded with the view.
    """

    view: str
    count: int
    publications: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """The partitions as JSON holds them."""
        return {"identifier": self.view, "partitions": self.count, "publications": list(self.publications)}


@dataclass(frozen=True)
class ImpactReport(CheckReport):
    """What statements would do; ``views`` are those that read what they change, directly or through others.

    ``findings`` are those that there would be and are not there now; of a view that engines cannot read already, none.

    Attributes:
        statements: their texts.
        before: the findings of these views that are there already, and would stay.
        solved: those that would be gone.
        type_changes: columns whose type changes without a finding.
        partitions: those of the views with findings.
    """

    statements: tuple[str, ...] = ()
    before: tuple[Finding, ...] = ()
    solved: tuple[Finding, ...] = ()
    type_changes: tuple[TypeChange, ...] = ()
    partitions: tuple[DeclaredPartitions, ...] = ()

    @property
    def broken(self) -> tuple[str, ...]:
        """The views that engines could no longer read, sorted."""
        return tuple(sorted({one.view for one in self.findings if is_breaking(one)}))

    def summary(self, *, new: bool = False) -> str:  # noqa: ARG002 - all of it is new
        """What would happen, in one sentence."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        read = "reads" if len(self.views) == 1 else "read"
        views = f"{counted(len(self.views), 'view')} {read} what changes"
        if not self.findings:
            yield f"{views}: none would break."
        else:
            codes = ", ".join(f"{number:,} {code}" for code, number in self.counts.items())
            yield f"{views}, {len(self.broken):,} would break: {codes}."
        if self.type_changes:
            yield f"{counted(len(self.type_changes), 'column')} would have another type in Hive."
        if self.partitions:
            number = sum(one.count for one in self.partitions)
            hang = "hangs" if number == 1 else "hang"
            yield f"{counted(number, 'declared partition')} of {counted(len(self.partitions), 'view')} {hang} on them."

    def document(self) -> dict[str, Any]:
        """The report as JSON holds it."""
        return {
            "statements": list(self.statements),
            **super().document(),
            "broken": list(self.broken),
            "before": [one.document() for one in self.before],
            "solved": [one.document() for one in self.solved],
            "type_changes": [one.document() for one in self.type_changes],
            "partitions": [one.document() for one in self.partitions],
        }


def is_breaking(finding: Finding) -> bool:
    """Whether an engine fails on the view."""
    return CODES[finding.code].breaks or finding.code == "source-broken"


def compared(
    before: CheckReport, after: CheckReport, codes: Mapping[str, object]
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """The findings with these codes that are new, that stay, and that are gone."""
    was, will = ([one for one in report.findings if one.code in codes] for report in (before, after))
    fingerprints = {one.fingerprint for one in was}
    broken = {one.view for one in was if is_breaking(one)}
    new: list[Finding] = []
    stay: list[Finding] = []
    for one in will:
        # The first that is wrong with a query hides what else is.
        is_old = one.fingerprint in fingerprints or (one.view in broken and is_breaking(one))
        (stay if is_old else new).append(one)
    left = {one.fingerprint for one in will} | {one.fingerprint for one in stay}
    still = {one.view for one in stay}
    gone = [one for one in was if one.fingerprint not in left and one.view not in still]
    return new, stay, gone
