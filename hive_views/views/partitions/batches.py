"""One batch of partitions at a time: on the right view, recorded in the journal, with a settled outcome.

A metastore keeps the values of partitions without the names of their columns: a value normalised for ``ds`` would
become one of ``region`` if the keys changed in between. So the row is read right before each batch, at a thousandth of
its cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from hive_views.errors import (
    Answer,
    CommitFailedError,
    CommitStateUnknownError,
    HiveViewsError,
    InvalidPartitionError,
    NoSuchPartitionError,
    NoSuchTableError,
    PartitionAlreadyExistsError,
    UnavailableError,
    UnsupportedFeatureError,
    ViewDriftedError,
)
from hive_views.hive.limits import PARTITIONS_IN_A_CALL
from hive_views.hive.partition_names import partition_name
from hive_views.hive.row import POINTER, VIEW_UUID, Column, Partition, Row
from hive_views.messages.enumerated import first_of
from hive_views.messages.logs import logger_of
from hive_views.messages.remedy import Remedy
from hive_views.persisted import INCARNATION, PARTITION_DESCRIPTOR
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.updates import SetProperties, apply_updates
from hive_views.storage.ownership import owned_incarnation
from hive_views.views.commit.changing import commit, load
from hive_views.views.commit.engine import Engine
from hive_views.views.commit.partition_orphans import keys_of
from hive_views.views.commit.verdict import Settled, Verdict
from hive_views.views.commit.writes import gone
from hive_views.views.journal.partition_journal import Intent, Journal, Known, State
from hive_views.views.partitions.partition_outcome import outcome_of
from hive_views.views.view import View

log = logger_of(__name__)

BATCH = PARTITIONS_IN_A_CALL
# Each read but the first follows a commit by another writer.
_LOOKS = 10
_ALLOW_EXISTING = Remedy(
    in_python="With if_not_exists=True (in SQL IF NOT EXISTS) existing ones are skipped.",
    in_shell="With --if-not-exists (in SQL IF NOT EXISTS) existing ones are skipped.",
)
_ALLOW_MISSING = Remedy(
    in_python="With if_exists=True (in SQL IF EXISTS) missing ones are skipped.",
    in_shell="With --if-exists (in SQL IF EXISTS) missing ones are skipped.",
)


class PartitionBatches:
    """Batches of the partitions of one view, which may change in between but not be replaced; thread-safe.

    ``view`` is the view as it was last read.
    """

    def __init__(self, engine: Engine, view: View) -> None:
        self.keys: tuple[Column, ...] = view.partition_keys
        self._engine = engine
        self._metastore = engine.metastore
        self._see(view)

    def _see(self, view: View) -> None:
        self.view = view
        self.journal = Journal(view.metadata, view.row, self._engine.storage, self._engine.settings.new_uuid)

    # -- reading -----------------------------------------------------------------------------------------------------

    def load(self, names: Sequence[str]) -> Iterator[tuple[str, Partition]]:
        """Those of these names that there are, also such as do not fit the view's keys."""
        by_keys: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name in names:
            by_keys[keys_of(name)].append(name)
        for keys, alike in by_keys.items():
            # What a call gives has values and no names: which is which is certain as long as all have the same keys.
            for batch in batches(alike) if keys else ([name] for name in alike):
                for partition in self._metastore.load_partitions(self.view.identifier, batch):
                    yield partition_name(keys, partition.values) if keys else batch[0], partition

    def _there(self, names: Sequence[str]) -> set[str]:
        try:
            return {name for name, _ in self.load(names)}
        except NoSuchTableError:
            return set()

    def note_others(self, names: Collection[str]) -> None:
        """Have the journal know what others did, from the names of all partitions; read again where it knows others."""
        if self.journal.knows(names):
            return
        self.see_moves()
        identifier = self.view.identifier
        self.journal.note_others(lambda: self._metastore.partition_names(identifier), names)

    def see_moves(self) -> None:
        """Load the view again; if its location has changed, its journal also knows the earlier one."""
        self._follow_row(self._load_row(), adds=False)

    def note_missing(self, names: Sequence[str]) -> None:
        """Record in the journal that these partitions, which were to be dropped, do not exist."""
        self._follow_row(self._load_row(), adds=False)
        self.journal.note_missing(self._there, names)

    # -- writing -----------------------------------------------------------------------------------------------------

    def add(
        self,
        wanted: Mapping[str, tuple[str, ...]],
        parameters: Callable[[str], dict[str, str]],
        *,
        if_not_exists: bool,
        known: Mapping[str, Known] | None = None,
    ) -> list[str]:
        """Declare one batch, values by name; returns the names that were added.

        If only reading back has shown that they exist, all of them: it is unknown which existed before. What was
        ``known`` of them is as for ``Journal.begin``.
        """
        names = list(wanted)
        intent = self._begin(State.ADDING, names, known)
        has_descriptor = self._has_descriptor()
        new = [Partition(wanted[name], parameters(name), has_descriptor=has_descriptor) for name in names]
        try:
            added = self._metastore.add_partitions(self.view.identifier, new, if_not_exists=if_not_exists)
        except HiveViewsError as failure:
            if not self._has_added(intent, names, failure, if_not_exists=if_not_exists):
                raise
            return names
        if added.needs_descriptors:
            refusal = UnsupportedFeatureError(
                f"Cannot add partitions to {self.view.identifier}: this metastore fails with a "
                f"NullPointerException, as its notification listener does when partitions have no storage descriptor.",
                answer=Answer.FAILED,
                identifier=str(self.view.identifier),
            )
            if self._has_added(intent, names, refusal, if_not_exists=if_not_exists):
                return names
            if has_descriptor:
                raise refusal
            self._switch_to_descriptors()
            return self.add(wanted, parameters, if_not_exists=if_not_exists, known=known)
        self.journal.settle(intent, declared=names)
        keys = [key.name for key in self.keys]
        return [partition_name(keys, partition.values) for partition in added.partitions]

    def _has_added(
        self, intent: Intent | None, names: Sequence[str], failure: HiveViewsError, *, if_not_exists: bool
    ) -> bool:
        """Whether a batch whose add ended in ``failure`` was added; if not, it never will be.

        Raises:
            PartitionAlreadyExistsError: naming those that exist. CommitStateUnknownError: it may still be added.
        """
        outcome = outcome_of(failure, lambda: self._there(names), set(names).issubset, self._timeout_s)
        there = self._settle(intent, names, outcome)
        if isinstance(failure, PartitionAlreadyExistsError) and there is not None and not if_not_exists:
            raise self._existing(sorted(there)) from failure
        if outcome.verdict is Verdict.UNKNOWN:
            left = [name for name in names if name not in (there or ())]
            raise self._unknown(left, "added", "Add", _ALLOW_EXISTING, failure) from failure
        if outcome.verdict is Verdict.APPLIED:
            log.warning("view %s: %d partitions were added despite: %s", self.view.identifier, len(names), failure)
            return True
        if isinstance(failure, PartitionAlreadyExistsError):
            failure.partitions = sorted(there or ())
        return False

    def drop(self, names: Sequence[str]) -> None:
        """Drop one batch; it succeeds if they are gone, even if another writer dropped them."""
        intent = self._begin(State.DROPPING, names)
        try:
            self._metastore.drop_partitions(self.view.identifier, names, if_exists=True)
        except HiveViewsError as failure:
            outcome = outcome_of(failure, lambda: self._there(names), lambda there: not there, self._timeout_s)
            if outcome.verdict is Verdict.APPLIED:
                self._ensure_dropped_here(names)
            there = self._settle(intent, names, outcome)
            if outcome.verdict is Verdict.UNKNOWN:
                left = [name for name in names if there is None or name in there]
                raise self._unknown(left, "dropped", "Drop", _ALLOW_MISSING, failure) from failure
            if outcome.verdict is Verdict.NOT_APPLIED:
                raise
            log.warning("view %s: %d partitions were dropped despite: %s", self.view.identifier, len(names), failure)
        else:
            self._ensure_dropped_here(names)
            self.journal.settle(intent, dropped=names)

    def _ensure_dropped_here(self, names: Sequence[str]) -> None:
        """A drop is by name, which another view may have got since it was looked whose it is.

        Raises:
            CommitStateUnknownError: the view has it no more; what is dropped may be another's.
        """
        try:
            now = self._metastore.load_row(self.view.identifier).parameters
        except NoSuchTableError:
            now = {}
        except UnavailableError as e:
            log.warning("view %s: whether it still has its name is unknown: %s", self.view.identifier, e)
            return
        # A row that proves no incarnation may get one in the meantime, by our first commit.
        owned = owned_incarnation(self.view.row, self.view.metadata)
        if now.get(VIEW_UUID) != self.view.uuid or owned not in (None, now.get(INCARNATION)):
            raise CommitStateUnknownError(
                f"{self.view.identifier} was dropped or renamed while {len(names)} partitions were dropped: whether "
                f"it has lost them is unknown, nor whether another view of the name has.",
                identifier=str(self.view.identifier),
                uncertain=list(names),
            )

    def set_parameters(
        self,
        wanted: Mapping[str, Mapping[str, str]],
        where: Callable[[str, Mapping[str, str]], bool] | None = None,
    ) -> list[str]:
        """Write parameters of one batch beside those that are there, under the view's lock where locks are granted.

        Only of those ``where`` says so of the parameters that are there; returns the names of those that were changed.
        """
        names = list(wanted)

        def are_set(found: Mapping[str, Partition]) -> bool:
            return all(name in found and wanted[name].items() <= found[name].parameters.items() for name in names)

        # Not under the lock: what follows the view may have to mend it, under the same one.
        self._follow_row(self._load_row(), adds=False)
        with self._engine.locking.protect(self.view.identifier) as protection:
            found = dict(self.load(names))
            missing = [name for name in names if name not in found]
            if missing and where is None:
                raise self.no_such(missing)
            if where is not None:
                found = {name: one for name, one in found.items() if where(name, one.parameters)}
                names = list(found)
            changed = [replace(p, parameters={**p.parameters, **wanted[name]}) for name, p in found.items()]
            protection.ensure_held()
            try:
                self._metastore.alter_partitions(self.view.identifier, changed)
            except HiveViewsError as failure:
                outcome = outcome_of(failure, lambda: dict(self.load(names)), are_set, self._timeout_s)
                if outcome.verdict is Verdict.UNKNOWN:
                    # It could still be applied, over parameters that another writer sets.
                    protection.abandon()
                    raise self._unknown(names, "changed", "Set", None, failure) from failure
                if outcome.verdict is Verdict.NOT_APPLIED:
                    raise
                log.warning("view %s: parameters were set despite: %s", self.view.identifier, failure)
        return names

    # -- the view around them ----------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Load the view again.

        Raises:
            NoSuchViewError: it is gone.
            CommitFailedError: another view has the name. InvalidPartitionError: it has other partition columns.
        """
        self._follow_row(self._load_row(), adds=True)

    def _begin(self, state: State, names: Sequence[str], known: Mapping[str, Known] | None = None) -> Intent | None:
        """Note what is about to be done; the view is the one that is meant, as the last thing that was read."""
        adds = state is State.ADDING
        if not self.view.row.create_time_s:
            # As it was created, not as it was read: the intent would belong to no row, and would be deleted at once.
            self._follow_row(self._load_row(), adds=adds)
        self._own_journal()
        for _ in range(_LOOKS):
            intent = self.journal.begin(state, names, known)
            journal = self.journal
            try:
                if not self._follow_row(self._load_row(), adds=adds):
                    return intent
            except HiveViewsError:
                journal.withdraw(intent)
                raise
            journal.withdraw(intent)
        raise CommitFailedError(
            f"{self.view.identifier} was changed each time its partitions were about to be changed. Try again.",
            answer=Answer.NOT_SENT,
            identifier=str(self.view.identifier),
        )

    def _own_journal(self) -> None:
        """Have a journal that no other row writes to: that of a row without proof may be another's."""
        if owned_incarnation(self.view.row, self.view.metadata) is None:
            # A drifted row is for people to decide on; until then partitions are noted where they were before.
            with suppress(ViewDriftedError):
                self._see(commit(self._engine, self.view.identifier, lambda metadata, _: metadata.model_copy()))

    def _load_row(self) -> Row:
        try:
            return self._metastore.load_row(self.view.identifier)
        except NoSuchTableError as e:
            raise gone(self.view.identifier) from e

    def _follow_row(self, row: Row, *, adds: bool) -> bool:
        """Whether the view has moved on since it was seen; partitions can be added to it then, if ``adds``."""
        is_known = row.parameters.get(POINTER) == self.view.metadata_location
        is_known = is_known and row.create_time_s == self.view.row.create_time_s
        # A commit by Iceberg Java has set a location, and nothing can be added below it.
        if is_known and not (adds and (row.location is not None or not self._has_keys(row))):
            return False
        identifier = self.view.identifier
        view = load(self._engine, identifier)
        if view.uuid != self.view.uuid:
            raise CommitFailedError(
                f"{identifier} now has the uuid {view.uuid} instead of {self.view.uuid}: it was dropped and recreated. "
                f"Ask the catalog for its partitions again.",
                identifier=str(identifier),
            )
        if adds and not self._has_keys(view.row):
            raise InvalidPartitionError(
                f"The partition columns of {identifier} have changed from ({_listed(self.keys)}) to "
                f"({_listed(view.row.partition_keys)}), so these values would go into other columns.",
                remedy=Remedy(
                    in_python=f"Ask the catalog for its partitions again; if another engine has changed the row, call "
                    f"repair_view('{identifier}') first.",
                    in_shell=f"Run the command again; if another engine has changed the row, run "
                    f"`hive-views repair {identifier}` first.",
                ),
                identifier=str(identifier),
            )
        if adds and view.row.location is not None:
            view = commit(self._engine, identifier, lambda metadata, _: metadata)
        self._see(view)
        return True

    def _has_keys(self, row: Row) -> bool:
        return [(key.name.lower(), key.type.lower()) for key in row.partition_keys] == [
            (key.name.lower(), key.type.lower()) for key in self.keys
        ]

    def _switch_to_descriptors(self) -> None:
        # Both kinds of partitions on one view would fail at the next change of columns, so the switch is made before
        # the first partition, or not at all.
        if self._metastore.partition_names(self.view.identifier):
            raise UnsupportedFeatureError(
                f"The metastore's notification listener refuses partitions without a storage descriptor, and view "
                f"{self.view.identifier} has such partitions already. Drop them, and add all of them again.",
                identifier=str(self.view.identifier),
            )

        def change(metadata: ViewMetadata, now_ms: int) -> ViewMetadata:
            return apply_updates(metadata, [SetProperties({PARTITION_DESCRIPTOR: "empty"})], now_ms=now_ms)

        self._see(commit(self._engine, self.view.identifier, change))

    def _has_descriptor(self) -> bool:
        return self.view.metadata.properties.get(PARTITION_DESCRIPTOR) == "empty"

    # -- outcomes ----------------------------------------------------------------------------------------------------

    @property
    def _timeout_s(self) -> float:
        return self._engine.settings.settle_timeout_s

    def _settle(self, intent: Intent | None, names: Sequence[str], outcome: Settled[set[str]]) -> set[str] | None:
        """Note what is known after a failure, and give the names that are there; None where they were not read."""
        if outcome.seen is None:
            if outcome.verdict is Verdict.NOT_APPLIED:
                self.journal.withdraw(intent)
        elif outcome.verdict is not Verdict.UNKNOWN:
            there = outcome.seen
            self.journal.settle(intent, declared=there, dropped=[name for name in names if name not in there])
        return outcome.seen

    def _unknown(
        self, names: Sequence[str], done: str, verb: str, remedy: Remedy | None, failure: HiveViewsError
    ) -> CommitStateUnknownError:
        return CommitStateUnknownError(
            f"It is unknown whether {len(names)} partitions of {self.view.identifier} were {done}, and they may "
            f"still be: {failure} {verb} the same again, which is harmless.",
            remedy=remedy,
            identifier=str(self.view.identifier),
            uncertain=list(names),
        )

    def _existing(self, names: Sequence[str]) -> PartitionAlreadyExistsError:
        return PartitionAlreadyExistsError(
            f"View {self.view.identifier} already has the partitions {first_of(names, 5)}.",
            remedy=_ALLOW_EXISTING,
            answer=Answer.FAILED,
            partitions=list(names),
        )

    def no_such(self, names: Sequence[str]) -> NoSuchPartitionError:
        """The error for names that are not declared."""
        return NoSuchPartitionError(
            f"View {self.view.identifier} has no partition {first_of(names, 5)}.", partitions=list(names)
        )


def batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """As many names at a time as one call takes."""
    for start in range(0, len(names), BATCH):
        yield names[start : start + BATCH]


def _listed(keys: Sequence[Column]) -> str:
    return ", ".join(f"{key.name} {key.type}" for key in keys)
