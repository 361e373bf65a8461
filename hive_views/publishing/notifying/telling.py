"""Telling receivers what a run has done to the partitions of a view, and what earlier runs have not told.

Before partitions are declared or retracted, a note of that is written for each receiver; afterwards, it is what of the
note has really happened that is told. What a receiver did not take stays in a note as whole events.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hive_views.errors import HiveViewsError
from hive_views.hive.row import Partition
from hive_views.messages.logs import logger_of
from hive_views.persisted import PUBLISHED_BY, PUBLISHED_VERSION
from hive_views.publishing.ledger.inputs import hash_of_inputs
from hive_views.publishing.notifying.events import Event, event_of, late_events
from hive_views.publishing.notifying.receivers import Receiver
from hive_views.publishing.notifying.unreported import UnreportedNotes
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions

log = logger_of("hive_views.publishing")

# No run lives longer: what it noted and has not done until then, it never does.
_LONGEST_RUN_MS = 24 * 3_600_000

_told: dict[str, set[str]] = {}
"""By receiver, the ids of what was found and told by this process."""


@contextmanager
def logged_failure(text: str, *arguments: object) -> Iterator[None]:
    """Log an error of the block, after this text, instead of raising it."""
    try:
        yield
    except HiveViewsError as error:
        log.warning(f"{text}: %s", *arguments, error)  # noqa: G004 - the text has places of its own


@dataclass
class Telling:
    """What one run notes and tells about one view.

    Attributes:
        catalog: where the view is.
        partitions: those of the view.
        receivers: who is told; without any, nothing is noted, read or told.
        publication: the name under which the rules are recorded; by default as the application.
        published_by: what the partitions that the run declares say in ``hive-views.published-by``.
    """

    catalog: ViewCatalog
    partitions: ViewPartitions
    receivers: Sequence[Receiver]
    publication: str | None = None
    published_by: str | None = None
    _own: set[str] = field(default_factory=set)

    def note(self, declare: Collection[str], retract: Sequence[str]) -> None:
        """Note which partitions are about to be declared or retracted.

        Raises:
            StorageUnavailableError: the storage failed or refused; nothing may be declared then.
        """
        if self.receivers and (declare or retract):
            declarations = {name: declaration_of(one) for name, one in self.partitions.load(retract)} if retract else {}
            note = _Written(
                publication=self.publication or self.published_by,
                application=self.published_by,
                at_ms=self.catalog.settings.clock_ms(),
                declare=list(declare),
                retract=declarations,
            )
            self._own |= {self._notes(one).write(note.document()) for one in self.receivers}

    def tell_noted(self) -> None:
        """Tell what earlier runs have noted, as far as it has happened. No failure is raised: it stays noted."""
        self._tell(None, ())

    def tell_done(self, done: Collection[str], late: Mapping[str, int], waiting: Mapping[str, Sequence[str]]) -> None:
        """Tell which partitions this run has added or retracted, and which are late, and forget what else it has noted;
        likewise.
        """
        events = late_events(self.partitions.view, self.publication or self.published_by or "", late, waiting)
        if self._own or any(one["id"] not in _told.get(to.key, ()) for to in self.receivers for one in events):
            self._tell(done, events)

    def tell_late(self, late: Mapping[str, int], waiting: Mapping[str, Sequence[str]]) -> None:
        """Tell since when partitions are late, in seconds since 1970, and what they wait for, as ``tell_found``."""
        publication = self.publication or self.published_by or ""
        self.tell_found(late_events(self.partitions.view, publication, late, waiting))

    def tell_found(self, events: Sequence[Event]) -> None:
        """Tell events about what was found, after those that are noted; likewise.

        What this process has told already is not told again, so that it may look every minute.
        """
        self._tell(None, events)

    def _tell(self, done: Collection[str] | None, found: Sequence[Event]) -> None:
        for receiver in self.receivers:
            name = self.partitions.view.identifier
            with logged_failure("view %s: %s is told the rest by the next run that notifies it", name, receiver):
                self._tell_one(receiver, done, found)

    def _tell_one(self, receiver: Receiver, done: Collection[str] | None, found: Sequence[Event]) -> None:
        notes = self._notes(receiver)
        noted = self._resolved(notes.read(), done)
        happened = {event["id"]: event for one in noted for event in one.events}
        told = _told.setdefault(receiver.key, set())
        new = {event["id"]: event for event in found if event["id"] not in happened and event["id"] not in told}
        due = [*happened.values(), *new.values()]
        delivery = receiver.deliver(due)
        told |= {event["id"] for event in found} & delivery.taken
        for one in noted:
            one.events = [event for event in one.events if event["id"] not in delivery.taken]
            if (left := one.left()) != one.written.document():
                notes.replace(one.location, left)
        # As the last, so that they are told as the last.
        if events := [event for event in new.values() if event["id"] not in delivery.taken]:
            notes.write({"events": events})
        if delivery.failure:
            log.log(
                logging.WARNING if delivery.was_asked else logging.INFO,
                "view %s: %d of %d events were not taken by %s: %s. They are noted, and the next run that notifies it "
                "tells them.",
                self.partitions.view.identifier,
                len(due) - len(delivery.taken),
                len(due),
                receiver,
                delivery.failure,
            )

    def _notes(self, receiver: Receiver) -> UnreportedNotes:
        return UnreportedNotes(self.catalog, self.partitions.view, "receiver", receiver.key)

    def _resolved(self, notes: Mapping[str, Mapping[str, Any]], done: Collection[str] | None) -> list[_Noted]:
        noted = [read for location, note in notes.items() if (read := _Noted.read(location, note))]
        names = {name for one in noted for name in (*one.written.declare, *one.written.retract)}
        there = dict(self.partitions.load(sorted(names))) if names else {}
        for one in noted:
            self._resolve(one, there, done if one.location in self._own else None)
        return noted

    def _resolve(self, noted: _Noted, there: Mapping[str, Partition], done: Collection[str] | None) -> None:
        """Turn what a note says will be done into events, as far as it was.

        Args:
            noted: the note.
            there: the declared partitions among those that are noted.
            done: what the run that wrote it has done; None where it is not this one, and may have been killed.
        """
        note, view = noted.written, self.partitions.view
        may_happen = done is None and self.catalog.settings.clock_ms() - note.at_ms < _LONGEST_RUN_MS
        about = {"publication": note.publication, "application": note.application}
        for name in note.declare:
            partition = there.get(name)
            if done is not None and name not in done:
                continue
            if partition is None:
                noted.declare += [name] if may_happen else []
            # Who declared it instead tells of it.
            elif (parameters := partition.parameters).get(PUBLISHED_BY) == note.application:
                version = parameters.get(PUBLISHED_VERSION)
                run = {"run_version": int(version) if version and version.isdecimal() else None}
                cause = declaration_of(partition)
                noted.events.append(event_of(view, "declared", name, cause, note.at_ms, **about, **run))
        for name, declaration in note.retract.items():
            partition = there.get(name)
            if done is not None and name not in done:
                continue
            # It may have been declared again since.
            is_another = partition is None or not declaration.startswith(f"{partition.create_time_s} ")
            if done is not None or is_another:
                noted.events.append(event_of(view, "retracted", name, declaration, note.at_ms, **about))
            elif may_happen:
                noted.retract[name] = declaration


def declaration_of(partition: Partition) -> str:
    """What tells a declaration of a partition from a later one."""
    return f"{partition.create_time_s} {hash_of_inputs(partition.parameters)}"


class _Written(BaseModel):
    """A note: what a run was about to do, and events that were not taken."""

    publication: str | None = None
    application: str | None = None
    at_ms: int = Field(default=0, alias="at-ms")
    declare: list[str] = Field(default=[])
    retract: dict[str, str] = Field(default={})
    events: list[dict[str, Any]] = Field(default=[])

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, frozen=True)

    def document(self) -> dict[str, Any]:
        """The note as JSON holds it."""
        return self.model_dump(by_alias=True, exclude_defaults=True)


@dataclass
class _Noted:
    """A note, and what of it has happened, or still may."""

    location: str
    written: _Written
    events: list[Event]
    declare: list[str] = field(default_factory=list)
    retract: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, location: str, note: Mapping[str, Any]) -> _Noted | None:
        """None for one that no release of ours has written."""
        try:
            written = _Written.model_validate(note)
            return cls(location, written, [{**event, "id": str(event["id"])} for event in written.events])
        except (ValidationError, KeyError):
            log.warning("%s is no note of what is to be told, and is left alone", location)
            return None

    def left(self) -> dict[str, Any] | None:
        """What the note has to say from now on; None for nothing."""
        left = {"declare": self.declare, "retract": self.retract, "events": self.events}
        return self.written.model_copy(update=left).document() if any(left.values()) else None
