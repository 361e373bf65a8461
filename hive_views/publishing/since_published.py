"""What has happened in a table below partitions that were published on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hive_views.base_tables.port import (
    Changes,
    PartitionChange,
    PartitionValues,
    Snapshot,
    TableWithHistory,
)
from hive_views.messages.enumerated import first_of
from hive_views.publishing.directory_contents import Directory, ListDirectories, directories_of, text_of
from hive_views.publishing.ledger.inputs import Input, fingerprint_of
from hive_views.publishing.listings.base_table_states import BaseTableStates
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.matching.links import Candidate

RevalidationState = Literal["current", "current by the metastore", "rewritten", "changed", "missing", "unknown"]


@dataclass(frozen=True)
class Growth:
    """By how much what a partition depends on in a table has grown, or shrunk (below 0): what came less what went.

    Attributes:
        records: rows; None where the table's metadata does not show it.
        files: data files.
        bytes: size of the data files; None where that is unknown.
    """

    records: int | None
    files: int
    bytes: int | None

    def __str__(self) -> str:
        rows = "an unknown number of rows" if self.records is None else f"{self.records:+,} rows"
        return f"{rows}, {self.files:+,} files"


@dataclass(frozen=True)
class Revalidated:
    """What has happened below one published partition since.

    Attributes:
        state: ``current``: nothing below it changed. ``current by the metastore``: nothing that the metastore knows of,
            and the contents of directories of Hive partitions were not looked at. ``rewritten``: files did, rows did
            not. ``changed``: rows were added, removed or replaced. ``missing``: base partitions that it needs are gone.
            ``unknown``: what happened is unknown, or a rule no longer holds though nothing changed.
        reasons: for people; () when it is current.
        commits: ids of the commits that did it, by table and in the order of numbers; none for tables without history.
        growth: what these commits did together, by table.
    """

    state: RevalidationState
    reasons: tuple[str, ...] = ()
    commits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    growth: Mapping[str, Growth] = field(default_factory=dict)


# Where tables differ, the partition is in the worst state of them; what is certain goes before what is unknown.
_WORST: tuple[RevalidationState, ...] = (
    "missing",
    "changed",
    "unknown",
    "current by the metastore",
    "rewritten",
    "current",
)


def worst_of(judged: Iterable[Revalidated]) -> Revalidated:
    """The judgement of a partition, given those of its tables."""
    ordered = sorted(judged, key=lambda one: _WORST.index(one.state))
    return Revalidated(
        ordered[0].state if ordered else "current",
        tuple(dict.fromkeys(reason for one in ordered for reason in one.reasons)),
        {table: commits for one in ordered for table, commits in one.commits.items()},
        {table: growth for one in ordered for table, growth in one.growth.items()},
    )


class TableSincePublished:
    """What happened in one table under published partitions.

    Everything is read when this is made: changes once for all pins, fingerprints once for all base partitions, and
    then the directories of those that the metastore has unchanged.

    Args:
        states: what the base tables hold now.
        name: the table, as the rule calls it.
        recorded: by published partition, what was recorded of its tables.
        list_directories: lists directories; None: only the metastore is asked.
    """

    def __init__(
        self,
        states: BaseTableStates,
        name: str,
        recorded: Mapping[Candidate, Mapping[str, Input]],
        list_directories: ListDirectories | None,
    ) -> None:
        self._table = table = states.tables[name]
        self._inputs = inputs = {one: tables[name] for one, tables in recorded.items() if name in tables}
        self._now = coverages = states.required()[name]
        listing = states.observed.listings[name]
        self._definition = listing.definition
        self._changes: ChangesSincePins | None = None
        self._as_registered: set[Candidate] = set()
        self._directories: Mapping[PartitionValues, Directory] | None = None
        if table.history is not None:
            self._changes = ChangesSincePins(table.history, _pins(inputs.values()), listing.snapshot)
            # Partitions that are gone are known from the changes only.
            self._changed = [coverage.over(self._changes.partitions()) for coverage in coverages]
        elif table.fingerprints is not None:
            asked = [candidate for candidate, one in inputs.items() if one.fingerprint]
            needed = base_partitions_of(self._now, asked)
            registered = table.fingerprints.registered(needed) if needed else {}
            texts = {values: one.fingerprint for values, one in registered.items()}
            for candidate in asked:
                found = {one: texts.get(one, "") for one in base_partitions_of(self._now, [candidate])}
                if fingerprint_of(found) == inputs[candidate].fingerprint:
                    self._as_registered.add(candidate)
            if list_directories:
                under = base_partitions_of(self._now, [one for one in self._as_registered if inputs[one].directories])
                found_in = {one: registered[one] for one in under if one in registered}
                self._directories = directories_of(found_in, states.files, list_directories)

    def judge(self, candidate: Candidate) -> Revalidated:
        """What happened in the table under one published partition."""
        recorded = self._inputs.get(candidate)
        if recorded is None:
            return self._says("unknown", "the base partitions that it depends on are not recorded")
        if recorded.format != self._table.format:
            return self._says("unknown", f"it was a {recorded.format} table and is now a {self._table.format} table")
        if recorded.definition and self._definition and recorded.definition != self._definition:
            return self._says("changed", "its query has changed")
        if recorded.snapshot and self._changes:
            return self._by_history(candidate, recorded.snapshot.without_times())
        questions = {one.question(candidate): one for one in self._now if one.differs_by_candidate}
        found = self._by_dependencies(candidate, recorded, questions)
        is_current = found.state in ("current", "current by the metastore")
        if is_current and recorded.asked and not questions.keys() <= recorded.asked.keys():
            return self._says("unknown", "these rules require something that was not required when it was published")
        return found

    def _by_dependencies(self, candidate: Candidate, recorded: Input, questions: Mapping[str, Coverage]) -> Revalidated:
        needed = base_partitions_of(self._now, [candidate])
        answered = [
            (recorded.asked[question], one.digest(candidate))
            for question, one in questions.items()
            if question in recorded.asked
        ]
        numbers = [(before.partitions, now.partitions) for before, now in answered]
        for before, now in numbers or [(recorded.partitions, len(needed))]:
            if before != now:
                return self._says("changed", f"now {now} of its partitions instead of {before}")
        if any(before.is_on_other_than(now) for before, now in answered):
            return self._says("changed", "different partitions than when it was published")
        if not needed:
            return Revalidated("current")
        if recorded.fingerprint is None:
            return self._says("unknown", "neither a snapshot nor a fingerprint of its partitions was recorded")
        if candidate not in self._as_registered:
            return self._says("changed", "the statistics or DDL times of its partitions have changed")
        if self._directories is None:
            return self._says("current by the metastore", "only the metastore was asked")
        if self._table.format == "view":
            return self._says(
                "current by the metastore", "it is a view, whose own partitions show whether they are current"
            )
        if recorded.directories is None:
            return self._says("current by the metastore", "the contents of its partition directories were not recorded")
        lies = text_of(self._directories, needed)
        if lies.text is None:
            return self._says("unknown", lies.unknown)
        if lies.text != recorded.directories:
            return self._says("changed", "the contents of its partition directories have changed")
        return Revalidated("current")

    def _by_history(self, candidate: Candidate, pin: Snapshot) -> Revalidated:
        assert self._changes is not None
        unknown = self._changes.unknown(pin)
        if unknown is not None:
            return self._says("unknown", unknown)
        changes = [
            change
            for values in base_partitions_of(self._changed, [candidate])
            for change in self._changes.after(pin, values)
        ]
        if not changes:
            return Revalidated("current")
        rewritten = all(change.rewrites_only for change in changes)
        reported = [change for change in changes if change.rewrites_only == rewritten]
        commits = _in_order(change.commits for change in reported)
        verb = "rewritten, with the same rows," if rewritten else "changed"
        growth = Growth(
            _sum_of(change.records for change in reported),
            sum(change.files for change in reported),
            _sum_of(change.bytes for change in reported),
        )
        grown = f"{growth.files:+,} files" if rewritten else str(growth)
        by = f"{'commit' if len(commits) == 1 else 'commits'} {first_of(commits, 5)}"
        return Revalidated(
            "rewritten" if rewritten else "changed",
            (f"{self._table.name}: {verb} by {by}: {grown}",),
            {self._table.name: commits},
            {self._table.name: growth},
        )

    def _says(self, state: RevalidationState, why: str) -> Revalidated:
        return Revalidated(state, (f"{self._table.name}: {why}",))


class ChangesSincePins:
    """The changes of one table after each of its pins, up to one state.

    The changes from each pin to the next are read, and those of the last to the state: that reads every commit once,
    however many pins there are. Where changes between two neighbours are unknown (their order is that of clocks, or one
    has expired), the older one is compared with the state itself.

    Args:
        table: where changes are read.
        pins: without their times, with the time each was listed at, to put them in order.
        until: the state; None for a table without any commit, of which nothing is known.
    """

    def __init__(self, table: TableWithHistory, pins: Mapping[Snapshot, int], until: Snapshot | None) -> None:
        self._steps: dict[PartitionValues, list[tuple[int, PartitionChange]]] = {}
        self._age: dict[Snapshot, int] = {}
        self._alone: dict[Snapshot, Changes] = {}
        newer = until
        for age, pin in enumerate(sorted(pins, key=lambda pin: (pins[pin], pin.id), reverse=True)):
            if until is None or newer is None:
                self._alone[pin] = Changes(unknown=f"{table.name} no longer has a snapshot")
            elif until.is_same_as(pin):
                self._alone[pin] = Changes()
            elif (step := table.changes(pin, newer)).unknown is None:
                newer, self._age[pin] = pin, age
                for values, change in step.partitions.items():
                    self._steps.setdefault(values, []).append((age, change))
            else:
                self._alone[pin] = step if newer is until else table.changes(pin, until)

    def unknown(self, pin: Snapshot) -> str | None:
        """Why it is unknown what changed since a pin; None where it is."""
        return self._alone[pin].unknown if pin in self._alone else None

    def partitions(self) -> list[PartitionValues]:
        """The partitions that changed since any of the pins."""
        changed = dict.fromkeys(self._steps)
        for alone in self._alone.values():
            changed |= dict.fromkeys(alone.partitions)
        return list(changed)

    def after(self, pin: Snapshot, values: PartitionValues) -> list[PartitionChange]:
        """What happened to a partition after a pin, the oldest first."""
        if pin in self._alone:
            change = self._alone[pin].partitions.get(values)
            return [change] if change else []
        return [change for age, change in reversed(self._steps.get(values, ())) if age <= self._age[pin]]


def _pins(inputs: Iterable[Input]) -> dict[Snapshot, int]:
    """With the time each was listed at first."""
    pins: dict[Snapshot, int] = {}
    for one in inputs:
        if one.snapshot:
            pin = one.snapshot.without_times()
            pins[pin] = min(one.listed_at_ms, pins.get(pin, one.listed_at_ms))
    return pins


def base_partitions_of(coverages: Iterable[Coverage], candidates: Iterable[Candidate]) -> list[PartitionValues]:
    """The partitions of a table that partitions of the view depend on, by any of the rules about it."""
    coverages = list(coverages)
    return list(
        dict.fromkeys(values for candidate in candidates for one in coverages for values in one.partitions(candidate))
    )


def _sum_of(numbers: Iterable[int | None]) -> int | None:
    found = list(numbers)
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None


def _in_order(commits: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    ids: Iterator[str] = (one for each in commits for one in each)
    unique = dict.fromkeys(ids)
    return tuple(sorted(unique, key=lambda one: (0, int(one), "") if one.isdecimal() else (1, 0, one)))
