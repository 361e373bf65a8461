"""What ``impact`` says before a change, held against what engines read after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from hive_views import ViewCatalog
from hive_views.estate import impact
from tests.interop.estates.changes import Change, change_at_random
from tests.interop.estates.living import LivingEstate, Read, Reading, readers_of


@dataclass
class Verdict:
    """How one change was foretold.

    Attributes:
        change: the change.
        read: how many views read what it changes.
        broken: why an engine fails to read a view that it read before, by view.
        named: the views that ``impact`` calls broken.
        missed: the broken ones among the views that it does not name.
        false: those that it names, and all engines read, with what it says.
        types_missed: columns that an engine gives another type than before, and ``impact`` does not say so.
        types_false: likewise the other way round.
    """

    change: Change
    read: int
    broken: dict[str, str] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    missed: dict[str, str] = field(default_factory=dict)
    false: dict[str, str] = field(default_factory=dict)
    types_changed: int = 0
    types_missed: list[str] = field(default_factory=list)
    types_false: list[str] = field(default_factory=list)


def prove(
    catalog: ViewCatalog, living: LivingEstate, reads: Mapping[str, Read], seed: int, changes: int
) -> Iterator[Verdict]:
    """Make random changes, one after the other, each undone before the next.

    Args:
        catalog: of the estate's views.
        living: the estate.
        reads: the engines.
        seed: of the changes.
        changes: how many.
    """
    random = Random(f"changes {seed}")
    before = {engine: {} for engine in reads}  # type: dict[str, dict[str, Reading]]
    for _ in range(changes):
        change = change_at_random(random, living.estate)
        yield _judged(catalog, living, reads, change, before)


def _judged(
    catalog: ViewCatalog,
    living: LivingEstate,
    reads: Mapping[str, Read],
    change: Change,
    before: Mapping[str, dict[str, Reading]],
) -> Verdict:
    views = readers_of(living.estate, change.name)
    for engine, read in reads.items():
        before[engine].update({view: read(view) for view in views if view not in before[engine]})
    said = impact(catalog, change.statement)
    verdict = Verdict(change, len(views), named=set(said.broken))
    types: set[tuple[str, str]] = set()
    undo = living.apply(change)
    try:
        for engine, read in reads.items():
            for view in views:
                former, now = before[engine][view], read(view)
                if now.failure and not former.failure:
                    verdict.broken.setdefault(view, f"{engine}: {now.failure}")
                elif not former.failure and view != change.name:
                    types |= {(view, name) for name in _with_another_type(former, now)}
    finally:
        undo()
    verdict.missed = {view: why for view, why in verdict.broken.items() if view not in verdict.named}
    for finding in said.findings:
        if finding.view in verdict.named and finding.view not in verdict.broken:
            verdict.false[finding.view] = f"{finding.code}: {finding.problem}"
    types = {(view, column) for view, column in types if view not in verdict.broken}
    foretold = {(one.view, one.column.lower()) for one in said.type_changes}
    verdict.types_changed = len(types)
    verdict.types_missed = sorted(f"{view}.{column}" for view, column in types - foretold)
    verdict.types_false = sorted(
        f"{view}.{column}" for view, column in foretold - types if view not in verdict.broken and view != change.name
    )
    return verdict


def _with_another_type(former: Reading, now: Reading) -> Iterator[str]:
    types = dict(now.columns)
    for name, type_ in former.columns:
        if name in types and types[name] != type_:
            yield name.lower()


def figures(verdicts: Sequence[Verdict]) -> str:
    """The sums, as a table in Markdown with a line for each kind of change."""
    lines = ["| change | times | readers | broken | named | missed | falsely named |", "|---|---|---|---|---|---|---|"]
    kinds = Counter(verdict.change.kind for verdict in verdicts)
    for kind, times in [*sorted(kinds.items()), ("all", len(verdicts))]:
        of = [verdict for verdict in verdicts if kind in (verdict.change.kind, "all")]
        sums = (
            sum(verdict.read for verdict in of),
            *(sum(len(getattr(verdict, name)) for verdict in of) for name in ("broken", "named", "missed", "false")),
        )
        lines.append(f"| {kind} | {times} | {' | '.join(map(str, sums))} |")
    changed, missed, false = (
        sum(verdict.types_changed for verdict in verdicts),
        sum(len(verdict.types_missed) for verdict in verdicts),
        sum(len(verdict.types_false) for verdict in verdicts),
    )
    lines.append(
        f"\nTypes of columns of views that engines still read: {changed} changed, {missed} missed, {false} false."
    )
    return "\n".join(lines)
