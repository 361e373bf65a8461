"""What ``impact`` says before a change, held against what engines read after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hive_views.estate import ImpactReport
from tests.interop.estates.changes import Change
from tests.interop.estates.living import LivingEstate, Read, Reading

Readings = dict[str, dict[str, Reading]]
"""By engine and view."""


@dataclass(frozen=True)
class Truth:
    """What engines read before and after a change, of the views that read what it changes."""

    change: Change
    before: Readings
    after: Readings

    @property
    def read(self) -> int:
        """How many views read what the change changes."""
        return len(next(iter(self.after.values())))

    @property
    def broken(self) -> dict[str, str]:
        """Why an engine fails to read a view that it read before, by view."""
        return {
            view: f"{engine}: {now.failure}"
            for engine, readings in self.after.items()
            for view, now in readings.items()
            if now.failure
        }

    @property
    def types(self) -> dict[tuple[str, str], str]:
        """The new types of columns of views that all engines still read, by view and column."""
        return {
            (view, name.lower()): type_
            for engine, readings in self.after.items()
            for view, now in readings.items()
            if view not in self.broken and view != self.change.name
            for name, type_ in now.columns
            if dict(self.before[engine][view].columns).get(name, type_) != type_
        }


@dataclass(frozen=True)
class Verdict:
    """How one change was foretold.

    Attributes:
        truth: what happened.
        named: the views that were called broken.
        missed: the broken ones among the others, and why engines do not read them.
        false: views that were called broken, and all engines read, with what was said of them.
        types_missed: columns that an engine gives another type than before, of which nothing was said.
        types_false: columns of which it was said, and that no engine gives another type.
    """

    truth: Truth
    named: frozenset[str]
    missed: Mapping[str, str]
    false: Mapping[str, str]
    types_missed: Mapping[tuple[str, str], str]
    types_false: Mapping[tuple[str, str], str]


def what_happens(living: LivingEstate, reads: Mapping[str, Read], change: Change, before: Readings) -> Truth:
    """Make a change, ask engines, and undo it.

    Args:
        living: the estate.
        reads: the engines.
        change: the change.
        before: what has been asked of the estate as it is, which is not asked again; it is added to.
    """
    views = living.estate.readers(change.name)
    for engine, read in reads.items():
        known = before.setdefault(engine, {})
        known |= {view: read(view) for view in views if view not in known}
        unreadable = {view: known[view].failure for view in views if known[view].failure}
        assert not unreadable, f"{engine} does not read what it was given: {unreadable}"
    undo = living.apply(change)
    try:
        after = {engine: {view: read(view) for view in views} for engine, read in reads.items()}
    finally:
        undo()
    return Truth(change, {engine: dict(readings) for engine, readings in before.items()}, after)


def judge(truth: Truth, said: ImpactReport) -> Verdict:
    """Hold what was said of a change against what happened."""
    broken, named, types = truth.broken, frozenset(said.broken), truth.types
    reasons = {finding.view: f"{finding.code}: {finding.problem}" for finding in said.findings}
    foretold = {
        (one.view, one.column.lower()): str(one.after)
        for one in said.type_changes
        if one.view not in broken and one.view != truth.change.name
    }
    return Verdict(
        truth,
        named,
        missed={view: why for view, why in broken.items() if view not in named},
        false={view: reasons.get(view, "") for view in sorted(named - broken.keys())},
        types_missed={key: type_ for key, type_ in types.items() if key not in foretold and key[0] not in named},
        types_false={key: type_ for key, type_ in foretold.items() if key not in types},
    )


def figures(verdicts: Sequence[Verdict]) -> str:
    """The sums, as a table in Markdown with a line for each kind of change."""
    lines = ["| change | times | readers | broken | named | missed | falsely named |", "|---|---|---|---|---|---|---|"]
    kinds = Counter(verdict.truth.change.kind for verdict in verdicts)
    for kind, times in [*sorted(kinds.items()), ("all", len(verdicts))]:
        of = [verdict for verdict in verdicts if kind in (verdict.truth.change.kind, "all")]
        lines.append(f"| {kind} | {times} | {' | '.join(map(str, _sums(of)))} |")
    types = [sum(len(one) for one in each) for each in zip(*map(_types, verdicts), strict=True)]
    lines.append("\nNew types of columns of views that engines still read: {}, {} missed, {} false.".format(*types))
    return "\n".join(lines)


def _sums(verdicts: Sequence[Verdict]) -> Iterator[int]:
    yield sum(verdict.truth.read for verdict in verdicts)
    yield sum(len(verdict.truth.broken) for verdict in verdicts)
    yield sum(len(verdict.named) for verdict in verdicts)
    yield sum(len(verdict.missed) for verdict in verdicts)
    yield sum(len(verdict.false) for verdict in verdicts)


def _types(verdict: Verdict) -> tuple[Mapping[tuple[str, str], str], ...]:
    return verdict.truth.types, verdict.types_missed, verdict.types_false
