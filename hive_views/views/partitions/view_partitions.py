"""Explicitly declared partitions of a view: PARTITIONED ON, ADD PARTITION, DROP PARTITION.

A view partition is a declared name: values of the partition columns, parameters, no storage descriptor. Declaring one
never creates a version of the view. Many partitions are read and written in batches; each batch is all or nothing, and
an error names the partitions of the batches before it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hive_views.errors import HiveViewsError, InvalidPartitionError
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.hive.partition_names import parse_partition_name, partition_name
from hive_views.hive.partition_values import normalise_partial_spec, normalise_spec, typed_value
from hive_views.hive.row import Column, Partition
from hive_views.messages.html import folded, html_block, paragraph, table
from hive_views.messages.logs import logger_of
from hive_views.messages.remedy import Remedy
from hive_views.views.commit.engine import Engine
from hive_views.views.commit.partition_orphans import orphans_among
from hive_views.views.journal.partition_journal import Known, State
from hive_views.views.partitions.batches import BATCH, PartitionBatches, batches
from hive_views.views.view import View, shown_partitions

log = logger_of(__name__)

Spec = Mapping[str, object]
"""Values by partition column: Python values or Hive literals' text, ``{"ds": "2026-08-21", "hr": 7}``."""

Parameters = Mapping[str, str] | Callable[[str], Mapping[str, str]] | None
"""The same for all partitions, or by the name of each."""

Progress = Callable[[Sequence[str], int, int], None]
"""Given the names added or dropped so far, how many are done (with those that were there), and of how many."""


@dataclass(frozen=True)
class Restored:
    """What ``restore`` did, by names of partitions.

    Attributes:
        added: declared again.
        uncertain: of these, the ones whose add was begun before and never ended, so that they may not have been there.
        left_out: what the journal knows of and is not declared again, and why.
    """

    added: list[str]
    uncertain: list[str]
    left_out: Mapping[str, str]


class ViewPartitions:
    """The partitions of one view, as of when the view was loaded; thread-safe.

    A notebook shows those that are declared when it asks, as a calendar where they are days.

    Raises:
        InvalidPartitionError: the view is not partitioned.
    """

    def __init__(self, engine: Engine, view: View) -> None:
        self.keys: tuple[Column, ...] = view.partition_keys
        if not self.keys:
            raise InvalidPartitionError(
                f"View {view.identifier} has no partition columns.",
                remedy=Remedy(
                    in_python="Create it with partitioned_on=[...].", in_shell="Create it with --partitioned-on."
                ),
                identifier=str(view.identifier),
            )
        self._batches = PartitionBatches(engine, view)
        self._metastore = engine.metastore

    def _repr_html_(self) -> str:
        columns = [key.name for key in self.keys]
        heading = f"Partitions of {self.view.identifier}, by {', '.join(columns)}"
        try:
            names = self.names()
        except HiveViewsError as error:
            return html_block(heading, paragraph(f"They are unknown: {error}"))
        # The last ones are what somebody looks for.
        rows = ([values.get(column, "") for column in columns] for values in map(parse_partition_name, names[::-1]))
        return html_block(heading, *shown_partitions(names), folded("By values, the last first", table(columns, rows)))

    @property
    def view(self) -> View:
        """The view as it was last read: when it was loaded, or when its partitions were changed."""
        return self._batches.view

    def name_of(self, spec: Spec) -> str:
        """The name of the partition with these values, which need not exist (``ds=2026-08-21/hr=7``).

        Raises:
            InvalidPartitionError: there is not one value of the right type for each partition column.
        """
        return self._name(normalise_spec(spec, self.keys))

    def fits(self, name: str) -> bool:
        """Whether the values in a name have the columns' types and Hive's spelling; other writers declare others."""
        with suppress(InvalidPartitionError):
            return self.name_of(parse_partition_name(name)) == name
        return False

    def names(self, matching: Spec | None = None) -> list[str]:
        """The names of the declared partitions, in one call; ``matching`` gives values of some columns to filter by."""
        prefix = normalise_partial_spec(matching, self.keys) if matching else None
        return self._metastore.partition_names(self.view.identifier, prefix)

    def values(self, matching: Spec | None = None) -> list[dict[str, str]]:
        """The values of the declared partitions, by column and as Hive spells them, in one call."""
        return [parse_partition_name(name) for name in self.names(matching)]

    def load(self, names: Sequence[str] | None = None) -> Iterator[tuple[str, Partition]]:
        """Names and objects with their parameters, in batches; those dropped in the meantime are left out.

        Partitions that Hive itself declared have none of this library's parameters, and false statistics
        (``numRows=0``).
        """
        return self._batches.load(self.names() if names is None else names)

    def add(
        self,
        specs: Iterable[Spec],
        *,
        if_not_exists: bool = False,
        parameters: Parameters = None,
        progress: Progress | None = None,
    ) -> list[str]:
        """Declare partitions, in batches of 500, with two calls for each: one for the view, one for the batch.

        Args:
            specs: their values by column, as ``{"ds": "2026-08-21"}``.
            if_not_exists: skip those that are declared already.
            parameters: stored with each of them (ASCII, values of at most 4,000 characters), or a function that returns
                them for the name of a partition; it is called to check them before anything is added, and again to add.
            progress: called before the first batch and after each batch.

        Returns:
            The names of those that were actually added.

        Raises:
            InvalidPartitionError: values that Hive's SQL would refuse, or that are given twice; nothing was added.
            PartitionAlreadyExistsError: one exists, and ``if_not_exists`` is not set.
            Any error after the first batch has the field ``added`` with the names that were added before it.
        """
        # Names and values are all that is kept of many partitions; the objects are made for each batch.
        wanted: dict[str, tuple[str, ...]] = {}
        for spec in specs:
            values = normalise_spec(spec, self.keys)
            name = self._name(values)
            if name in wanted:
                raise InvalidPartitionError(f"Partition {name} is given twice; give each once.", partitions=[name])
            check_parameters(_parameters_of(name, parameters))
            wanted[name] = values
        return self._add(wanted, parameters, if_not_exists=if_not_exists, progress=progress)

    def _add(
        self,
        wanted: Mapping[str, tuple[str, ...]],
        parameters: Parameters,
        *,
        if_not_exists: bool,
        progress: Progress | None,
        known: Mapping[str, Known] | None = None,
    ) -> list[str]:
        """As ``add`` does, values by name; what was ``known`` of them is as for ``Journal.begin``."""
        added: list[str] = []
        progress = progress or _no_progress
        progress(added, 0, len(wanted))
        try:
            for number, names in enumerate(batches(list(wanted)), start=1):
                added += self._batches.add(
                    {name: wanted[name] for name in names},
                    lambda name: _parameters_of(name, parameters),
                    if_not_exists=if_not_exists,
                    known=known,
                )
                progress(added, min(number * BATCH, len(wanted)), len(wanted))
                log.debug("view %s: %d of %d partitions added", self.view.identifier, len(added), len(wanted))
        except HiveViewsError as e:
            e.added = added
            raise
        return added

    def drop(
        self,
        specs: Iterable[Spec] = (),
        *,
        where: Callable[[Mapping[str, Any]], bool] | None = None,
        if_exists: bool = False,
        progress: Progress | None = None,
    ) -> list[str]:
        """Drop partitions by values, by values of some of the columns, or by a predicate.

        Args:
            specs: values by column; values of some columns select all partitions that have them.
            where: a predicate on each partition's values by column, typed as the column (int, Decimal, date, str, ...;
                None if another writer declared a value that does not fit).
            if_exists: skip specs that match no partition.
            progress: as for ``add``.

        Returns:
            The names of those that were dropped.

        Raises:
            InvalidPartitionError: values that no partition can have, or neither ``specs`` nor ``where`` is given.
            NoSuchPartitionError: a spec matches no partition, and ``if_exists`` is not set; nothing was dropped.
            CommitStateUnknownError: no answer; dropping the same again with ``if_exists`` is harmless.
            Any error after the first batch has the field ``dropped`` with the names that were dropped before it.
        """
        partial = [normalise_partial_spec(spec, self.keys) for spec in specs]
        if not all(partial) or (not partial and where is None):
            # An empty spec would match every partition.
            raise InvalidPartitionError("Say which partitions to drop: give specs=[{...}] or where=.")
        names = self._matching(partial, where, if_exists=if_exists)
        dropped: list[str] = []
        progress = progress or _no_progress
        progress(dropped, 0, len(names))
        try:
            for batch in batches(names):
                self._batches.drop(batch)
                dropped += batch
                progress(dropped, len(dropped), len(names))
        except HiveViewsError as e:
            e.dropped = dropped
            raise
        return dropped

    def set_parameters(
        self,
        names: Sequence[str],
        parameters: Parameters,
        *,
        where: Callable[[str, Mapping[str, str]], bool] | None = None,
    ) -> list[str]:
        """Add or overwrite parameters of partitions, reading and writing them in batches.

        The view's lock is held between reading and writing a batch. Without locks (``lock="never"``, or a server that
        grants none), parameters that another writer sets on the same partitions in between are lost: a metastore cannot
        check what it replaces there.

        Args:
            names: the partitions.
            parameters: as for ``add``; a function is called for all names before anything is written.
            where: only partitions that exist, and for whose name and present parameters this returns True, are changed.

        Returns:
            The names of the partitions that were changed.

        Raises:
            NoSuchPartitionError: one of them is not declared, and ``where`` is not given.
            CommitStateUnknownError: no answer; setting the same again is harmless.
        """
        wanted = {name: _parameters_of(name, parameters) for name in names}
        for new in wanted.values():
            check_parameters(new)
        changed: list[str] = []
        for batch in batches(list(wanted)):
            changed += self._batches.set_parameters({name: wanted[name] for name in batch}, where)
        return changed

    def restore(self, *, progress: Progress | None = None) -> Restored:
        """Declare again the partitions recorded in the journal beside the metadata; ``progress`` is as for ``add``.

        For a view whose row another engine dropped or replaced, and that was registered again. Parameters are lost.
        Partitions that were dropped from the current row stay dropped. If it is unknown whether the add of a
        partition finished, it is declared, since losing it would be worse; if the same is true of a drop, it is left
        out.

        Raises:
            CorruptMetadataError: a file of the journal (field ``location``) was changed; nothing was added.
            Any error that ``add`` raises.
        """
        self._batches.follow()
        journal = self._batches.journal
        there, known = set(self.names()), journal.read()
        if any(one.row == journal.row for one in known.values()):
            # Names that were read before the notes about them might be those of an earlier moment.
            there = set(self.names())
        lost = {name: one for name, one in known.items() if name not in there and one.state is not State.DROPPED}
        left_out = {name: reason for name, one in lost.items() if (reason := self._reason_to_leave_out(name, one))}
        journal.note_seen(known, there)
        wanted = sorted(name for name in lost if name not in left_out)
        return Restored(
            self._add(
                {name: normalise_spec(parse_partition_name(name), self.keys) for name in wanted},
                None,
                if_not_exists=True,
                progress=progress,
                known=known,
            ),
            [name for name in wanted if lost[name].state is State.ADDING],
            left_out,
        )

    def lost(self) -> list[str]:
        """The names that ``restore`` would declare again and that were declared in an earlier row.

        There are some if a view was restored without its partitions. The metastore is not called if the journal knows
        no earlier row.

        Raises:
            CorruptMetadataError, StorageUnavailableError: the journal cannot be read.
        """
        journal = self._batches.journal
        known = journal.read().items()
        before = [name for name, one in known if one.row != journal.row and one.state is State.DECLARED]
        there = set(self.names()) if before else set()
        return [name for name in before if name not in there and self.fits(name)]

    def _reason_to_leave_out(self, name: str, known: Known) -> str | None:
        if known.row == self._batches.journal.row and known.state is not State.ADDING:
            return "it was dropped, and not by this library"
        if known.state is State.DROPPING:
            return "its drop had begun, and it is unknown whether it was dropped"
        if not self.fits(name):
            return "it does not fit the partition columns, or is not spelled as Hive spells their values"
        return None

    def orphans(self) -> list[str]:
        """The names of partitions with keys that the view does not have, which an ALTER by another engine left behind.

        They can be loaded, and are dropped by ``drop_orphans`` or with the view.
        """
        return orphans_among(self.names(), self.keys)

    def drop_orphans(self) -> list[str]:
        """Drop the partitions that ``orphans`` returns; returns their names.

        Raises:
            as ``drop``.
        """
        names = self.orphans()
        for batch in batches(names):
            self._batches.drop(batch)
        return names

    def note_others(self, names: Collection[str]) -> None:
        """Record in the journal what other engines have declared and dropped.

        ``names`` is the result of ``names()``, for the view as this object last read it. If it differs from the
        journal, the partitions are read again.

        Raises:
            NoSuchViewError, CommitFailedError: the view is gone, or another view has its name.
        """
        self._batches.note_others(names)

    def _matching(
        self, partial: list[dict[str, str]], where: Callable[[Mapping[str, Any]], bool] | None, *, if_exists: bool
    ) -> list[str]:
        complete = [spec for spec in partial if len(spec) == len(self.keys)]
        if where is None and len(complete) == len(partial):
            wanted = [self._name([spec[key.name] for key in self.keys]) for spec in partial]
            found = {name for name, _ in self.load(wanted)}
            missing = [name for name in wanted if name not in found]
            if missing and not if_exists:
                raise self._batches.no_such(missing)
            if missing:
                self._batches.note_missing(missing)
            return [name for name in dict.fromkeys(wanted) if name in found]
        all_names = self.names()
        self._batches.see_moves()
        self.note_others(all_names)
        declared = [(name, parse_partition_name(name)) for name in all_names]
        matched: dict[str, None] = {}
        for spec in partial:
            names = [name for name, values in declared if spec.items() <= values.items()]
            if not names and not if_exists:
                raise self._batches.no_such(["/".join(f"{key}={value}" for key, value in spec.items())])
            matched |= dict.fromkeys(names)
        if where is not None:
            for name, values in declared:
                if where({key.name: _typed(values.get(key.name), key.type) for key in self.keys}):
                    matched[name] = None
        return list(matched)

    def _name(self, values: Sequence[str]) -> str:
        return partition_name([key.name for key in self.keys], values)


def check_parameters(parameters: Mapping[str, str]) -> None:
    """Refuse parameters that not every metastore can store with a partition.

    Raises:
        InvalidPartitionError: a name or value is not an ASCII string, or is too long.
    """
    for key, value in parameters.items():
        is_text = isinstance(key, str) and isinstance(value, str) and key.isascii() and value.isascii()
        if not is_text or len(value) > MAX_PARTITION_PARAMETER or len(key) > 256:
            raise InvalidPartitionError(
                f"Cannot store the parameter {key!r} with a partition: a name is a string of at most 256 and a value "
                f"one of at most {MAX_PARTITION_PARAMETER} ASCII characters, which are safe in every metastore.",
                key=key,
            )


def _no_progress(_: Sequence[str], __: int, ___: int) -> None:
    pass


def _parameters_of(name: str, parameters: Parameters) -> dict[str, str]:
    return dict(parameters(name) if callable(parameters) else parameters or {})


def _typed(value: str | None, type_: str) -> Any:
    return None if value is None else typed_value(value, type_)
