"""Explicitly declared partitions of a view: PARTITIONED ON, ADD PARTITION, DROP PARTITION.

What lives here: the only code that adds, drops and lists view partitions. What must not: when a partition is ready to
be declared (publish), how names and values are spelled (hive/), the pointer (commit.py).

A view partition is a name that somebody declared: values of the partition columns, parameters, no storage descriptor.
Declaring one never makes a version of the view. All reads and writes of many partitions go in batches; a batch is all
or nothing, several are not, and an error says which were done.
"""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from hive_views.commit import ViewOperations
from hive_views.errors import (
    CommitStateUnknownError,
    CorruptMetadataError,
    HiveViewsError,
    InvalidPartitionError,
    MetastoreUnavailableError,
    NoSuchPartitionError,
    PartitionAlreadyExistsError,
    UnsupportedFeatureError,
)
from hive_views.hive.directories import journal_directory
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.hive.partition_names import parse_partition_name, partition_name
from hive_views.hive.partition_values import normalise_partial_spec, normalise_spec, typed_value
from hive_views.hive.projection import PARTITION_DESCRIPTOR
from hive_views.hive.row import Column, Partition
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.updates import SetProperties, apply_updates
from hive_views.storage import MetadataStorage
from hive_views.view import View

log = logging.getLogger("hive_views.partitions")

BATCH = 500
# Entries of one millisecond follow each other in this order.
_entries = itertools.count()

Spec = Mapping[str, object]
"""Values by partition column: Python values or Hive literals' text, ``{"ds": "2026-08-21", "hr": 7}``."""

Parameters = Mapping[str, str] | Callable[[str], Mapping[str, str]] | None
"""The same for all partitions, or by the name of each."""


class ViewPartitions:
    """The partitions of one view, as of the moment the view was loaded; thread-safe.

    Raises:
        InvalidPartitionError: the view is not partitioned.
    """

    def __init__(self, operations: ViewOperations, view: View) -> None:
        self.view = view
        self.keys: tuple[Column, ...] = view.partition_keys
        if not self.keys:
            raise InvalidPartitionError(
                f"View {view.identifier} has no partition columns; create it with partitioned_on=[...].",
                identifier=str(view.identifier),
            )
        self._operations = operations
        self._metastore = operations.metastore

    def name_of(self, spec: Spec) -> str:
        """The name of the partition with these values, which need not exist (``ds=2026-08-21/hr=7``).

        Raises:
            InvalidPartitionError: the values are not one for each partition column, of its type.
        """
        return self._name(normalise_spec(spec, self.keys))

    def fits(self, name: str) -> bool:
        """Whether a name has values of the columns' types, spelled as Hive does; foreign writers declare others."""
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
        """Names and objects with their parameters, in batches; those that are gone meanwhile are left out.

        Partitions that Hive itself declared carry none of our parameters and false statistics (``numRows=0``).
        """
        for batch in _batches(self.names() if names is None else list(names)):
            for partition in self._metastore.load_partitions(self.view.identifier, batch):
                yield self._name(partition.values), partition

    def add(
        self,
        specs: Iterable[Spec],
        *,
        if_not_exists: bool = False,
        parameters: Parameters = None,
        between_batches: Callable[[], None] | None = None,
    ) -> list[str]:
        """Declare partitions, in one call for each 500; returns the names that were really added.

        ``parameters`` (ASCII, values of at most 4,000 characters) are stored with each of them; a function gives those
        of the partition that it is given the name of; it is called before anything is added, and again to add.
        ``between_batches`` is called before each call but the first; what it raises ends the adding.

        Raises:
            InvalidPartitionError: values that Hive's SQL would refuse, or given twice; nothing was added.
            PartitionAlreadyExistsError: one exists, and ``if_not_exists`` is not set.
            Any error after the first batch has the field ``added`` with the names that were added before it.
        """
        # Names and values are all that is kept of many partitions; the objects are made for each batch.
        wanted: dict[str, tuple[str, ...]] = {}
        for spec in specs:
            values = normalise_spec(spec, self.keys)
            name = self._name(values)
            if name in wanted:
                raise InvalidPartitionError(f"Partition {name} is given twice; give each once.", partition=name)
            check_parameters(_parameters_of(name, parameters))
            wanted[name] = values
        if wanted and self.view.row.location is not None:
            # A commit by Iceberg Java has set it, and nothing can be added below it.
            self.view = self._operations.commit(self.view.identifier, lambda metadata, _: metadata)
        added: list[str] = []
        uncertain: list[str] = []
        try:
            for number, names in enumerate(_batches(list(wanted))):
                if between_batches and number:
                    between_batches()
                batch = [Partition(wanted[name], _parameters_of(name, parameters)) for name in names]
                added += [self._name(partition.values) for partition in self._add_batch(batch, if_not_exists)]
                log.debug("view %s: %d of %d partitions added", self.view.identifier, len(added), len(wanted))
        except HiveViewsError as e:
            e.fields["added"] = added
            uncertain = e.fields.get("uncertain", [])
            raise
        finally:
            self._record({"added": [*added, *uncertain]})
        return added

    def drop(
        self,
        specs: Iterable[Spec] = (),
        *,
        where: Callable[[Mapping[str, Any]], bool] | None = None,
        if_exists: bool = False,
        between_batches: Callable[[], None] | None = None,
    ) -> list[str]:
        """Drop partitions by values, by values of some of the columns, or by a predicate; returns the names dropped.

        ``where`` is given each partition's values by column, typed as the column (int, Decimal, date, str, ...; None
        where a foreign writer declared what does not fit). ``between_batches`` as in ``add``.

        Raises:
            InvalidPartitionError: values that no partition can have, or neither ``specs`` nor ``where`` given.
            NoSuchPartitionError: a spec matches none, and ``if_exists`` is not set; nothing was dropped.
            CommitStateUnknownError: no answer; dropping the same again with ``if_exists`` does no harm.
            Any error after the first batch has the field ``dropped`` with the names that were dropped before it.
        """
        partial = [normalise_partial_spec(spec, self.keys) for spec in specs]
        if not all(partial) or (not partial and where is None):
            # An empty spec would match every partition.
            raise InvalidPartitionError("Say which partitions to drop: give specs=[{...}] or where=.")
        names = self._matching(partial, where, if_exists=if_exists)
        dropped: list[str] = []
        uncertain: list[str] = []
        try:
            for batch in _batches(names):
                if between_batches and dropped:
                    between_batches()
                with self._outcome_known(
                    batch, "dropped", "Dropping them again IF EXISTS (if_exists=True) does no harm."
                ):
                    # Another writer may have dropped some since they were listed; what counts is that they are gone.
                    self._metastore.drop_partitions(self.view.identifier, batch, if_exists=True)
                dropped += batch
        except HiveViewsError as e:
            e.fields["dropped"] = dropped
            uncertain = e.fields.get("uncertain", [])
            raise
        finally:
            self._record({"dropped": [*dropped, *uncertain]})
        return dropped

    def set_parameters(self, names: Sequence[str], parameters: Parameters) -> None:
        """Add or overwrite parameters of partitions, reading and writing them in batches.

        ``parameters`` as for ``add``; a function that gives them by name is called for all before anything is written.

        Raises:
            NoSuchPartitionError: one of them is not declared.
            CommitStateUnknownError: no answer; setting the same again does no harm.
        """
        wanted = {name: _parameters_of(name, parameters) for name in names}
        for new in wanted.values():
            check_parameters(new)
        for batch in _batches(list(wanted)):
            found = {self._name(p.values): p for p in self._metastore.load_partitions(self.view.identifier, batch)}
            missing = [name for name in batch if name not in found]
            if missing:
                raise self._no_such(missing)
            changed = [replace(p, parameters={**p.parameters, **wanted[name]}) for name, p in found.items()]
            with self._outcome_known(batch, "changed", "Setting the same again does no harm."):
                self._metastore.alter_partitions(self.view.identifier, changed)

    def restore(self) -> list[str]:
        """Declare again what the journal beside the metadata says was declared; returns the names added.

        For a view whose row was dropped or replaced by a foreign engine and registered again. Parameters are lost.

        Raises:
            CorruptMetadataError: a file of the journal (field ``location``) is not whole; nothing was added.
        """
        names = journaled_names(self.view.metadata, self._operations.storage)
        return self.add([parse_partition_name(name) for name in names], if_not_exists=True)

    def begin_journal(self) -> None:
        """Note all partitions in one entry, since earlier ones stayed where the view's location was before."""
        self._record({"declared": self.names()})

    def _add_batch(self, batch: Sequence[Partition], if_not_exists: bool) -> list[Partition]:
        identifier = self.view.identifier
        new = [replace(partition, has_descriptor=self._has_descriptor()) for partition in batch]
        try:
            with self._outcome_known(
                [self._name(partition.values) for partition in batch],
                "added",
                "Adding them again IF NOT EXISTS (if_not_exists=True) does no harm.",
            ):
                return self._metastore.add_partitions(identifier, new, if_not_exists=if_not_exists)
        except PartitionAlreadyExistsError as e:
            existing = sorted(
                self._name(p.values)
                for p in self._metastore.load_partitions(identifier, [self._name(p.values) for p in batch])
            )
            raise PartitionAlreadyExistsError(
                f"View {identifier} has the partitions {', '.join(existing[:5])}"
                f"{' and more' if len(existing) > 5 else ''} already; "
                f"IF NOT EXISTS (if_not_exists=True, --if-not-exists) leaves them out.",
                partitions=existing,
            ) from e
        except UnsupportedFeatureError as e:
            if not e.fields.get("listener") or self._has_descriptor():
                raise
            self._switch_to_descriptors(e)
            return self._add_batch(batch, if_not_exists)

    @contextmanager
    def _outcome_known(self, names: Sequence[str], done: str, way_out: str) -> Iterator[None]:
        try:
            yield
        except MetastoreUnavailableError as e:
            if not e.sent:
                raise
            raise CommitStateUnknownError(
                f"It is not known whether {len(names)} partitions of {self.view.identifier} were {done}: {e} {way_out}",
                identifier=str(self.view.identifier),
                uncertain=list(names),
            ) from e

    def _switch_to_descriptors(self, cause: UnsupportedFeatureError) -> None:
        # A notification listener reads the storage descriptor of what is added. Both kinds on one view would fail at
        # the next change of columns, so the switch is made before the first partition, or not at all.
        if self.names():
            raise UnsupportedFeatureError(
                f"The metastore's notification listener refuses partitions without a storage descriptor, and view "
                f"{self.view.identifier} has such partitions already. Drop them, and add all of them again.",
                identifier=str(self.view.identifier),
            ) from cause

        def change(metadata: ViewMetadata, now_ms: int) -> ViewMetadata:
            return apply_updates(metadata, [SetProperties({PARTITION_DESCRIPTOR: "empty"})], now_ms=now_ms)

        self.view = self._operations.commit(self.view.identifier, change)

    def _has_descriptor(self) -> bool:
        return self.view.metadata.properties.get(PARTITION_DESCRIPTOR) == "empty"

    def _matching(
        self, partial: list[dict[str, str]], where: Callable[[Mapping[str, Any]], bool] | None, *, if_exists: bool
    ) -> list[str]:
        complete = [spec for spec in partial if len(spec) == len(self.keys)]
        if where is None and len(complete) == len(partial):
            wanted = [self._name([spec[key.name] for key in self.keys]) for spec in partial]
            found = {
                self._name(partition.values)
                for batch in _batches(wanted)
                for partition in self._metastore.load_partitions(self.view.identifier, batch)
            }
            missing = [name for name in wanted if name not in found]
            if missing and not if_exists:
                raise self._no_such(missing)
            return [name for name in dict.fromkeys(wanted) if name in found]
        declared = [(name, parse_partition_name(name)) for name in self.names()]
        matched: dict[str, None] = {}
        for spec in partial:
            names = [name for name, values in declared if spec.items() <= values.items()]
            if not names and not if_exists:
                raise self._no_such(["/".join(f"{key}={value}" for key, value in spec.items())])
            matched |= dict.fromkeys(names)
        if where is not None:
            types = {key.name: key.type for key in self.keys}
            for name, values in declared:
                if where({key: typed_value(value, types[key]) for key, value in values.items()}):
                    matched[name] = None
        return list(matched)

    def _no_such(self, names: Sequence[str]) -> NoSuchPartitionError:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return NoSuchPartitionError(
            f"View {self.view.identifier} has no partition {', '.join(names[:5])}{more}.", partitions=list(names)
        )

    def _name(self, values: Sequence[str]) -> str:
        return partition_name([key.name for key in self.keys], values)

    def _record(self, entry: dict[str, list[str]]) -> None:
        """Note beside the metadata what changed: a CREATE OR REPLACE VIEW by Spark drops all partitions."""
        if not any(entry.values()):
            return
        settings = self._operations.settings
        name = f"{settings.clock_ms():015d}-{next(_entries):06d}-{settings.new_uuid()}.json"
        content = json.dumps({"view-uuid": self.view.uuid, **entry}).encode()
        try:
            self._operations.storage.write_bytes(f"{journal_directory(self.view.metadata)}/{name}", content)
        except HiveViewsError as e:
            log.warning("view %s: the journal of its partitions was not written: %s", self.view.identifier, e)


def journaled_names(metadata: ViewMetadata, storage: MetadataStorage) -> list[str]:
    """The names of the partitions that the journal beside a view's metadata says are declared.

    Raises:
        CorruptMetadataError: a file of the journal (field ``location``) is not whole.
        StorageUnavailableError: the storage failed or refused.
    """
    names: dict[str, None] = {}
    for location in storage.list_files(journal_directory(metadata)):
        entry = _parsed_entry(storage.read_bytes(location), location)
        if entry.get("view-uuid") != metadata.view_uuid:
            continue
        names = dict.fromkeys(entry.get("declared", names)) | dict.fromkeys(entry.get("added", ()))
        for name in entry.get("dropped", ()):
            names.pop(name, None)
    return list(names)


def _parsed_entry(content: bytes, location: str) -> dict[str, Any]:
    try:
        return dict(json.loads(content))
    except (ValueError, TypeError) as e:
        raise CorruptMetadataError(
            f"Cannot read {location}, an entry in the journal of a view's partitions: it is no JSON object. "
            f"Delete it to restore the partitions of the other entries.",
            location=location,
        ) from e


def is_entry_of(view: View, content: bytes) -> bool:
    """Whether a file is an entry in the journal of this view's partitions, whole or half written."""
    return f'"view-uuid": "{view.uuid}"'.encode() in content


def check_parameters(parameters: Mapping[str, str]) -> None:
    """Refuse parameters that not every metastore can store with a partition.

    Raises:
        InvalidPartitionError: a name or value is no ASCII string, or too long.
    """
    for key, value in parameters.items():
        is_text = isinstance(key, str) and isinstance(value, str) and key.isascii() and value.isascii()
        if not is_text or len(value) > MAX_PARTITION_PARAMETER or len(key) > 256:
            raise InvalidPartitionError(
                f"Cannot store the parameter {key!r} with a partition: a name is a string of at most 256 and a value "
                f"one of at most {MAX_PARTITION_PARAMETER} ASCII characters, which are safe in every metastore.",
                key=key,
            )


def _parameters_of(name: str, parameters: Parameters) -> dict[str, str]:
    return dict(parameters(name) if callable(parameters) else parameters or {})


def _batches(items: Sequence[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(items), BATCH):
        yield list(items[start : start + BATCH])
