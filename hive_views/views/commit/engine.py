"""The engine of commits: parts that read, protect, write and settle, and steps that need several of them.

A commit is: lock (locking.py), load the row, read its file (loading.py), apply the change, write the new file, read the
row again if that took long, swap the pointer, settle the outcome (writes.py), unlock.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar, get_args

import tenacity

from hive_views.errors import (
    CommitFailedError,
    HiveViewsError,
    InvalidInputError,
    LockTimeoutError,
    OutdatedPlanError,
    ViewDriftedError,
)
from hive_views.hive.row import OWNER, POINTER, PREVIOUS_POINTER, Row
from hive_views.messages.logs import logger_of
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.auth import os_user
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import next_location, sequence_number
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import metadata_for_new_row
from hive_views.translation.user_functions import read_user_functions
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.changes.stale_dialects import Claims
from hive_views.views.changes.translated_texts import AskedTranslations, KnownToTranslations
from hive_views.views.commit.inherited_metadata import taking_over
from hive_views.views.commit.loading import Seen, ViewReader
from hive_views.views.commit.locking import Locking, LockMode, Protection
from hive_views.views.commit.lookup import ViewLookup
from hive_views.views.commit.note_writer import NoteWriter
from hive_views.views.commit.writes import NewFile, SettledWrites
from hive_views.views.row.drift import differences
from hive_views.views.row.projection import is_ascii, project
from hive_views.views.row.reader_warnings import warnings_of
from hive_views.views.view import View

_Result = TypeVar("_Result")

log = logger_of(__name__)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _random_uuid() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class CommitSettings:
    """How commits behave.

    Attributes:
        lock: ``auto`` takes the metastore's table lock around a commit wherever the server grants one, beside the swap
            (needed where any other writer, as Iceberg Java by default, relies on locks alone); ``always`` refuses to
            write without it; ``never`` relies on the swap alone.
        retry_timeout_s: how long a change is retried after conflicts with other writers.
        settle_timeout_s: how long the metastore is asked for an outcome after a missing answer.
        mend_lock_timeout_s: how long a load waits for the lock to finish a change of columns that was interrupted.
        look_again_after_s: a row read longer ago is read again before its swap, which sees no ALTER VIEW of Spark.
        owner: of new views.
        udfs: functions of users, which translations of texts may call: see ``translation.user_functions``.
        trino_catalog: what Trino calls the catalog in which it reads the tables of the metastore, for names in texts
            that are translated to Trino.
        clock_ms: the time, in milliseconds since 1970.
        new_uuid: makes the ids of views and commits.
    """

    lock: LockMode = "auto"
    retry_timeout_s: float = 60.0
    settle_timeout_s: float = 5.0
    mend_lock_timeout_s: float = 2.0
    look_again_after_s: float = 0.02
    owner: str = field(default_factory=os_user)
    udfs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    trino_catalog: str | None = None
    clock_ms: Callable[[], int] = _now_ms
    new_uuid: Callable[[], str] = _random_uuid

    def __post_init__(self) -> None:
        if self.lock not in get_args(LockMode):
            modes = ", ".join(get_args(LockMode))
            raise InvalidInputError(f"Cannot use {self.lock!r} as the setting lock: it is one of {modes}.")
        read_user_functions(self.udfs)

    @property
    def trino_catalogs(self) -> tuple[str, ...]:
        """What the settings say that Trino calls the metastore."""
        return (self.trino_catalog,) if self.trino_catalog else ()


class Engine:
    """The parts that every verb is made of, for the views of one metastore on one storage; thread-safe.

    Attributes:
        metastore: where the rows are.
        storage: where the files are.
        settings: how commits behave.
        lookup: finds rows by names, and the directories of names.
        reader: reads views.
        tables: finds the columns of tables.
        locking: protects rows against other writers.
        writes: writes files and rows, and settles what came of that.
        notes: writes where the files of a view are.
    """

    def __init__(
        self, metastore: Metastore, storage: MetadataStorage, settings: CommitSettings, lookup: ViewLookup
    ) -> None:
        self.metastore = metastore
        self.storage = storage
        self.settings = settings
        self.lookup = lookup
        self.reader = ViewReader(metastore, storage)
        self.tables = Tables(metastore, storage.files)
        self.locking = Locking(metastore, settings.lock)
        self.writes = SettledWrites(metastore, storage, settings.settle_timeout_s)
        self.notes = NoteWriter(storage, lookup, settings.clock_ms, metastore.identity)
        self.taking_over = partial(taking_over, storage=storage, new_uuid=settings.new_uuid)

    def with_settings(self, settings: CommitSettings) -> Engine:
        """The same with other settings."""
        return Engine(self.metastore, self.storage, settings, self.lookup)

    def claims(self, asked: AskedTranslations | None = None, **said: Any) -> Claims:
        """What a caller says of texts, with what is known here: columns of tables, functions of users."""
        settings = self.settings
        known = KnownToTranslations(self.tables.known, settings.udfs, settings.trino_catalog, self.tables.in_iceberg)
        return Claims(known=known, asked=asked or AskedTranslations(), **said)

    def again_after_lost_races(
        self, once: Callable[[Protection], _Result], protect: Callable[[], AbstractContextManager[Protection]]
    ) -> _Result:
        """What ``once`` returns under protection; after a conflict it is run again on the other writer's result."""
        for attempt in tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_lost_race),
            wait=tenacity.wait_random_exponential(multiplier=0.05, max=2),
            stop=tenacity.stop_after_delay(self.settings.retry_timeout_s),
            reraise=True,
        ):
            with attempt, protect() as protection:
                return once(protection)
        raise AssertionError("tenacity returns or raises")  # pragma: no cover

    # -- making a row and its file -----------------------------------------------------------------------------------

    def of_new_row(self, metadata: ViewMetadata, name: TableIdentifier, copied: str | None = None) -> ViewMetadata:
        """The metadata with the incarnation of a new row, whose first file is made from a ``copied`` one."""
        token, metastore = self.settings.new_uuid(), self.metastore.identity()
        return self.notes.with_noted_directory(
            name, metadata_for_new_row(metadata, name, token, metastore=metastore, copied=copied)
        )

    def project(
        self,
        metadata: ViewMetadata,
        identifier: TableIdentifier,
        location: str,
        view: View | None = None,
        *,
        owns: bool = False,
    ) -> Row:
        """The row that points to a file, in place of the row of ``view`` if there is one."""
        same_file = view is not None and location == view.metadata_location
        previous = view.row.parameters.get(PREVIOUS_POINTER) if same_file and view else None
        return project(
            metadata,
            identifier=identifier,
            location=location,
            previous_location=previous if same_file else view.metadata_location if view else None,
            owner=metadata.properties.get(OWNER) or self.settings.owner,
            current=view.row if view else None,
            replaced=view.metadata if view else None,
            owns=owns,
        )

    @contextmanager
    def new_file(
        self,
        identifier: TableIdentifier,
        metadata: ViewMetadata,
        location: str,
        commit_id: str,
        base: ViewMetadata | None = None,
    ) -> Iterator[NewFile]:
        """A file for the row of a name, noted where it has to be; both stay unless nothing points to the file."""
        with (
            self.writes.new_file(location, metadata, commit_id) as file,
            self.notes.relocating(identifier, metadata, file, base),
        ):
            yield file

    # -- swapping ----------------------------------------------------------------------------------------------------

    def ensure_unchanged(self, seen: Seen) -> None:
        """
        Raises:
            CommitFailedError: the row was read long ago and has changed since.
        """
        if time.monotonic() - seen.at_s > self.settings.look_again_after_s:
            self.reader.load_row_again(seen.view.row)

    def swap_judged(
        self, judged: Row, row: Row, protection: Protection, file: NewFile | None, *, parameter: str = POINTER
    ) -> None:
        """Replace a row after reading it once more and making sure that it is still the row that was judged.

        An ALTER of Hive or Spark keeps the pointer, and the DDL time counts seconds: no swap detects it for certain.

        Raises: as ``ViewReader.load_row_again`` and ``SettledWrites.swap_row``.
        """
        found = self.reader.load_row_again(judged)
        self.writes.swap_row(found, replace(row, native=found.native), protection, file, parameter=parameter)

    def committed(self, row: Row, metadata: ViewMetadata, before: View | None = None) -> View:
        """The view of a row that was written; logs what readers or the metastore's database cannot handle in it."""
        location = row.parameters[POINTER]
        former = before.metadata_location if before else None
        log.info("committed %s: version %d, %s -> %s", row.identifier, metadata.current_version_id, former, location)
        if before is None or row.expanded_text != before.row.expanded_text:
            for warning in warnings_of(row):
                log.warning("view %s: %s", row.identifier, warning)
        view = self.reader.connected(View(row.identifier, metadata, location, row))
        if is_ascii(row):
            return view
        # The official MySQL schema of the metastore is latin1: other characters become "?", and the call succeeds.
        try:
            stored = self.metastore.load_row(row.identifier)
        except HiveViewsError as e:
            log.warning("view %s: whether the metastore's database kept the row is unknown: %s", row.identifier, e)
            return view
        if stored.parameters.get(POINTER) == location:
            view = self.reader.connected(replace(view, row=stored, differences=differences(stored, metadata)))
        for difference in view.differences:
            log.warning("view %s: the metastore's database did not keep %s", row.identifier, difference)
        return view


def after_all(files: Sequence[str], metadata: ViewMetadata, commit_id: str) -> str:
    """Where a file goes: after all that are there, so that the last of several incarnations has the highest number."""
    last = max(files, key=lambda file: sequence_number(file) or 0, default=None)
    return next_location(metadata, last, commit_id)


def _is_lost_race(failure: BaseException) -> bool:
    """Whether to retry a change; not after a lock timeout, whose wait was long enough."""
    return isinstance(failure, CommitFailedError) and not isinstance(
        failure, (ViewDriftedError, OutdatedPlanError, LockTimeoutError)
    )
