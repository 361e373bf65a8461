"""The views of a metastore as an Iceberg client changes them: by versions and updates, not by texts and columns.

A request may bear a key, which stays the same when its sender repeats it because no answer came. What was applied
is remembered with the view, in the same swap: any process that serves the metastore knows it. What a view that is gone
cannot say is in a note (journal/requests.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from hive_views.errors import (
    AlreadyExistsError,
    CorruptMetadataError,
    HiveViewsError,
    NoSuchViewError,
    ReplacedViewError,
    UnsupportedFeatureError,
    ViewAlreadyExistsError,
)
from hive_views.hive.row import Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import RENAMED_WITH
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.schema import Schema
from hive_views.spec.updates import Update
from hive_views.storage.locations import absolute_file, client_location
from hive_views.storage.ownership import directories
from hive_views.views.changes.client_updates import ClientUpdates, has_applied, one_more, recording, request_hash
from hive_views.views.changes.on_drift import Drift, reaction_to, refuse_drift
from hive_views.views.changes.query_columns import star_finder
from hive_views.views.changes.run_as import RunAs
from hive_views.views.commit.changing import commit, load, rename
from hive_views.views.commit.creation import create, register, register_over
from hive_views.views.commit.dropping import drop
from hive_views.views.commit.engine import Engine
from hive_views.views.journal.requests import RequestNote, ViewIdentity
from hive_views.views.row.drift import is_as_written
from hive_views.views.row.projection import project
from hive_views.views.view import View, is_iceberg_view, is_lost, pointer_of

log = logger_of(__name__)


class ClientCatalog:
    """A catalog for Iceberg clients. Thread-safe.

    Args:
        engine: of the metastore whose views these are.
        owner: of the views that are created; by default that of the settings.
        run_as: whom else views may be owned by, or run as, where the client or a file says so; by default anybody.
        client_name: what the client calls the catalog; the files say nothing of it.
        on_drift: what a commit does where the row was changed behind the metadata file: ``"fail"`` or ``"adopt"``.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        owner: str | None = None,
        run_as: RunAs | None = None,
        client_name: str | None = None,
        on_drift: Drift = "fail",
    ) -> None:
        self._engine = engine.with_settings(replace(engine.settings, owner=owner)) if owner else engine
        self._client_name = client_name
        self._run_as = run_as or RunAs()
        self._on_drift = reaction_to(on_drift)

    def load(self, name: TableIdentifier) -> View:
        """The view as it is now.

        Engines ask so for every table of a query, whether it is a view: that it is none costs one call, and nothing is
        looked for that a person may have meant.

        Raises:
            NoSuchViewError, CorruptMetadataError, UnavailableError
        """
        return load(self._engine, name)

    def check_exists(self, name: TableIdentifier) -> None:
        """
        Raises:
            NoSuchViewError: there is no view, or one that points to no file; whether that can be read is not looked at.
        """
        pointer_of(self._engine.reader.load_row(name))

    def create(
        self,
        name: TableIdentifier,
        version: ViewVersion,
        schema: Schema,
        *,
        properties: Mapping[str, str],
        location: str | None,
        key: str | None,
    ) -> View:
        """Create a view of one version.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, InvalidInputError, CommitStateUnknownError, UnavailableError
            NoSuchViewError: this request has created it, and it was purged since.
        """
        updates = self._updates_of(name)
        updates.check_texts(version)
        self._run_as.check_properties(name, properties)
        given = client_location(location) if location else None
        place = given or self._engine.lookup.location_of_new(name)
        note = self._note_of("create", name, key)
        metadata = updates.creation(
            version,
            schema,
            properties,
            location=place,
            view_uuid=self._engine.settings.new_uuid(),
            now_ms=self._engine.settings.clock_ms(),
        )
        self.check_places(name.namespace, directories(metadata))
        recorded = recording(metadata, note.request if note else None)
        return self._make(name, note, lambda: create(self._engine, name, recorded))

    def commit(
        self, name: TableIdentifier, updates: Sequence[Update], *, view_uuid: str | None, key: str | None
    ) -> View:
        """Apply updates to a view.

        Args:
            name: its name.
            updates: what to change.
            view_uuid: that of the view that they are meant for.
            key: of the request.

        Raises:
            ReplacedViewError: another view has the name.
            NoSuchViewError, InvalidInputError, InvalidSchemaError, DialectDroppedError, ViewDriftedError,
            CommitFailedError, CommitStateUnknownError, UnavailableError.
        """
        request = request_hash("commit", key)
        change = self._updates_of(name).change(updates, request)
        is_done = partial(has_applied, request=request)
        return commit(
            self._engine, name, change, self._on_drift, view_uuid=view_uuid, is_done=is_done, check=self._check_change
        )

    def register(self, name: TableIdentifier, metadata_location: str, *, overwrite: bool, key: str | None) -> View:
        """Create a view that points to a copy of a metadata file, or have one that is there point to it.

        Raises:
            ViewDriftedError: the row of the one that is there was changed behind its metadata file.
            InvalidInputError: engines run the one that is there as a user whom the client may not name.
            AlreadyExistsError, NoSuchNamespaceError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError,
            UnavailableError.
            NoSuchViewError: this request has made it, and it was purged since.
        """
        file, note = absolute_file(metadata_location), self._note_of("register", name, key)
        self.check_places(name.namespace, [file])

        def recorded(former: ViewMetadata) -> ViewMetadata:
            self.check_places(name.namespace, directories(former))
            return recording(self._run_as.of_file(former), note.request if note else None)

        try:
            return self._make(name, note, lambda: register(self._engine, name, file, recorded))
        except ViewAlreadyExistsError:
            if not overwrite:
                raise
            row = self._engine.reader.load_row(name)
            if not is_iceberg_view(row) or is_lost(row):
                # Its client sees no view there, and what the row says is nowhere else.
                raise
        self._run_as.check_text(row)
        self._refuse_changed(row)
        view = register_over(self._engine, name, file, recorded, row)
        _note_made(note, view)
        return view

    def rename(self, name: TableIdentifier, to: TableIdentifier, *, key: str | None) -> None:
        """Give a view another name.

        Raises:
            NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError, UnavailableError
            ReplacedViewError: another view has the name than the one that this request was for.
        """
        note = self._note_of("rename", name, key)
        if note is None:
            rename(self._engine, name, to)
            return
        try:
            row = self._row_of_this_request(name, note)
            if _is_renamed(row, note.request):
                # And back.
                return
            requests = one_more(row.parameters.get(RENAMED_WITH), note.request)
            rename(self._engine, name, to, {RENAMED_WITH: requests}, is_meant=ViewIdentity.of(row).is_of)
        except (NoSuchViewError, AlreadyExistsError):
            with suppress(NoSuchViewError):
                if _is_renamed(self._engine.reader.load_row(to), note.request):
                    return
            raise

    def drop(self, name: TableIdentifier, *, key: str | None) -> None:
        """Drop a view; its files stay.

        Raises:
            NoSuchViewError, CommitStateUnknownError, UnavailableError
        """
        note = self._note_of("drop", name, key)
        if note is None:
            drop(self._engine, name)
            return
        try:
            row = self._row_of_this_request(name, note)
            drop(self._engine, name, is_meant=ViewIdentity.of(row).is_of)
        except NoSuchViewError:
            # There was such a view, and it is gone: the name is free, or another one's.
            if note.read() is None:
                raise

    def check_places(self, namespace: str, places: Iterable[str], known: Iterable[str] = ()) -> None:
        """Refuse what a client, or a file that anybody may have written, names as places of a namespace and its views.

        Raises:
            InvalidInputError: one is out of reach, or on a host that nothing of the namespace or ``known`` is on.
            NoSuchNamespaceError, UnavailableError
        """
        lookup = self._engine.lookup
        for place in places:
            self._engine.storage.check_named(place, lambda: (*lookup.default_directories(namespace), *known))

    def _updates_of(self, name: TableIdentifier) -> ClientUpdates:
        return ClientUpdates(name, self._client_name, star_finder(self._engine.metastore))

    def _check_change(self, row: Row, base: ViewMetadata, changed: ViewMetadata) -> None:
        self._run_as.check_change(row, base, changed)
        before = directories(base)
        self.check_places(row.identifier.namespace, set(directories(changed)) - set(before), before)

    def _refuse_changed(self, row: Row) -> None:
        """
        Raises:
            ViewDriftedError, CorruptMetadataError: the row says, or may say, what no metadata file knows.
        """
        try:
            view = self._engine.reader.view_of(row)
        except (CorruptMetadataError, UnsupportedFeatureError):
            if not is_as_written(row):
                raise
        else:
            if view.has_drifted:
                refuse_drift(view, 0)

    # -- what is known of a request --------------------------------------------------------------------------------

    def _note_of(self, verb: str, name: TableIdentifier, key: str | None) -> RequestNote | None:
        """The note of a request; None for one without a key, which nobody can tell from others.

        Raises:
            NoSuchNamespaceError, InvalidInputError, UnavailableError
        """
        if key is None:
            return None
        location = self._engine.lookup.location_of_new(name)
        return RequestNote(self._engine.storage, location, request_hash(verb, key), self._engine.settings.clock_ms)

    def _make(self, name: TableIdentifier, note: RequestNote | None, make: Callable[[], View]) -> View:
        """Make a view, unless this request has made it before, whatever has become of it since."""
        try:
            self._engine.reader.check_absent(name)
            view = self._noted(name, note) or make()
        except AlreadyExistsError:
            done = self._applied(name, note) or self._noted(name, note)
            if done is None:
                raise
            return done
        _note_made(note, view)
        return view

    def _applied(self, name: TableIdentifier, note: RequestNote | None) -> View | None:
        """The view that this request has made, if it has."""
        with suppress(NoSuchViewError, CorruptMetadataError, UnsupportedFeatureError):
            if note is not None:
                view = load(self._engine, name)
                return view if has_applied(view.metadata, note.request) else None
        return None

    def _noted(self, name: TableIdentifier, note: RequestNote | None) -> View | None:
        """The view that this request has made, as it was made; None where it is not known to have made one.

        Raises:
            NoSuchViewError: its file is not there any more.
        """
        identity = note.read() if note else None
        if identity is None or identity.pointer is None:
            return None
        try:
            metadata = self._engine.storage.read(identity.pointer, cached=False)
        except CorruptMetadataError as gone:
            raise NoSuchViewError(
                f"{name} was created by this request, and its files have been deleted since.", identifier=str(name)
            ) from gone
        row = project(metadata, identifier=name, location=identity.pointer, previous_location=None, owner=None)
        return View(name, metadata, identity.pointer, row)

    def _row_of_this_request(self, name: TableIdentifier, note: RequestNote) -> Row:
        """The row of a name, which is noted as the one that the request is for when it comes first.

        Raises:
            NoSuchViewError: there is none.
            ReplacedViewError: it was for another one.
        """
        identity, row = note.read(), self._engine.reader.load_row(name)
        if identity is None and is_iceberg_view(row):
            try:
                note.write(ViewIdentity.of(row))
            except AlreadyExistsError:
                # The same request has come to another server just now.
                identity = note.read()
        if identity is not None and not identity.is_of(row):
            raise ReplacedViewError(f"{name} now refers to a different view.", identifier=str(name))
        return row


def _note_made(note: RequestNote | None, view: View) -> None:
    """Note what was made, for the case that it is dropped or renamed before the request comes again."""
    if note is None:
        return
    try:
        note.write(ViewIdentity.of(view.row))
    except HiveViewsError as error:
        log.warning("the request that created %s could not be noted: %s", view.identifier, error)


def _is_renamed(row: Row, request: str) -> bool:
    return request in row.parameters.get(RENAMED_WITH, "").split(",")
