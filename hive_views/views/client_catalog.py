"""The views of a metastore as an Iceberg client changes them: by versions and updates, not by texts and columns.

A request may have a key, which stays the same when its sender repeats it after a missing answer. Applied requests are
recorded with the view, in the same swap, where any process that serves the metastore finds them; for views that are
gone there is a note (journal/requests.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
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
from hive_views.views.changes.on_drift import Drift, check_on_drift, refuse_drift
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
        owner: of new views; by default that of the settings.
        run_as: the other users that a client or a file may name as owner of a view or for it to run as; by default any.
        client_name: the client's name for the catalog, which is left out of metadata files.
        on_drift: what a commit does if another program has changed the row: ``"fail"`` or ``"adopt"``.
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
        self._on_drift = check_on_drift(on_drift)

    def load(self, name: TableIdentifier) -> View:
        """Load a view.

        Engines ask this for every table of a query: if it is not a view, the answer costs one call, and no similar name
        is searched for.

        Raises:
            NoSuchViewError, CorruptMetadataError, UnavailableError
        """
        return load(self._engine, name)

    def check_exists(self, name: TableIdentifier) -> None:
        """
        Raises:
            NoSuchViewError: there is no view, or it points to no file; the file itself is not read.
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
        """Create a view with one version.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, InvalidInputError, CommitStateUnknownError, UnavailableError
            NoSuchViewError: this request created it before, and it has been purged since.
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
            view_uuid: the uuid of the view that they are for.
            key: of the request.

        Raises:
            ReplacedViewError: another view has the name.
            NoSuchViewError, InvalidInputError, InvalidSchemaError, DialectDroppedError, ViewDriftedError,
            CommitFailedError, CommitStateUnknownError, UnavailableError.
        """
        request = request_hash("commit", key)
        change = self._updates_of(name).change(updates, request)
        is_done = partial(has_applied, request=request)
        try:
            return commit(
                self._engine,
                name,
                change,
                self._on_drift,
                view_uuid=view_uuid,
                is_done=is_done,
                check=self._check_change,
            )
        except CommitFailedError:
            if request is None:
                raise
            # It may have been applied when it was sent before: who waits for a lock has not read that, and who loses a
            # race may lose it against that. The view may be gone since.
            view = load(self._engine, name)
            if not is_done(view.metadata):
                raise
            return view

    def register(self, name: TableIdentifier, metadata_location: str, *, overwrite: bool, key: str | None) -> View:
        """Create a view that points to a copy of a metadata file, or let an existing one point to it.

        Raises:
            ViewDriftedError: another program has changed the row of the existing view.
            InvalidInputError: engines run the existing view as a user whom the client may not name.
            AlreadyExistsError, NoSuchNamespaceError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError,
            UnavailableError.
            NoSuchViewError: this request created it before, and it has been purged since.
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
                # The client does not see this view, and the content of the row is stored nowhere else.
                raise
        self._run_as.check_text(row)
        self._refuse_changed(row)
        view = register_over(self._engine, name, file, recorded, row)
        _note_made(note, view)
        return view

    def rename(self, name: TableIdentifier, to: TableIdentifier, *, key: str | None) -> None:
        """Rename a view.

        Raises:
            NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError, UnavailableError
            ReplacedViewError: the name now refers to another view than when this request was first sent.
        """
        note = self._note_of("rename", name, key)
        if note is None:
            rename(self._engine, name, to)
            return
        try:
            row = self._row_of_this_request(name, note)
            if _is_renamed(row, note.request):
                # It was renamed by this request, and back since.
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
            # This request dropped the view before: the name is free, or belongs to another view.
            if note.read() is None:
                raise

    def check_places(self, namespace: str, places: Iterable[str], known: Iterable[str] = ()) -> None:
        """Refuse locations of a namespace and its views, named by a client or an untrusted file, that are not allowed.

        Raises:
            InvalidInputError: one is out of reach, or on a host that neither the namespace nor ``known`` is on.
            NoSuchNamespaceError, UnavailableError
        """
        lookup = self._engine.lookup
        for place in places:
            self._engine.storage.check_named(place, lambda: (*lookup.default_directories(namespace), *known))

    def _updates_of(self, name: TableIdentifier) -> ClientUpdates:
        return ClientUpdates(name, self._client_name, star_finder(self._engine.tables), self._engine.claims())

    def _check_change(self, row: Row, base: ViewMetadata, changed: ViewMetadata) -> None:
        self._run_as.check_change(row, base, changed)
        before = directories(base)
        self.check_places(row.identifier.namespace, set(directories(changed)) - set(before), before)

    def _refuse_changed(self, row: Row) -> None:
        """
        Raises:
            ViewDriftedError, CorruptMetadataError: the row has, or may have, content that no metadata file has.
        """
        try:
            view = self._engine.reader.view_of(row)
        except (CorruptMetadataError, UnsupportedFeatureError):
            if not is_as_written(row):
                raise
        else:
            if view.has_drifted:
                refuse_drift(view)

    # -- what is known of a request --------------------------------------------------------------------------------

    def _note_of(self, verb: str, name: TableIdentifier, key: str | None) -> RequestNote | None:
        """The note of a request; None for one without a key, which cannot be recognised.

        Raises:
            NoSuchNamespaceError, InvalidInputError, UnavailableError
        """
        if key is None:
            return None
        location = self._engine.lookup.location_of_new(name)
        return RequestNote(self._engine.storage, location, request_hash(verb, key), self._engine.settings.clock_ms)

    def _make(self, name: TableIdentifier, note: RequestNote | None, make: Callable[[], View]) -> View:
        """Create a view, unless this request created it before, whatever has happened to it since."""
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
        """The view that this request created, if it did and the view exists."""
        with suppress(NoSuchViewError, CorruptMetadataError, UnsupportedFeatureError):
            if note is not None:
                view = load(self._engine, name)
                return view if has_applied(view.metadata, note.request) else None
        return None

    def _noted(self, name: TableIdentifier, note: RequestNote | None) -> View | None:
        """The view that this request created, as it was then; None if it is unknown to have created one.

        Raises:
            NoSuchViewError: its file no longer exists.
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
        """The row of a name; the first time, it is noted as the one that the request is for.

        Raises:
            NoSuchViewError: there is none.
            ReplacedViewError: the request was for another view.
        """
        identity, row = note.read(), self._engine.reader.load_row(name)
        if identity is None and is_iceberg_view(row):
            try:
                note.write(ViewIdentity.of(row))
            except AlreadyExistsError:
                # Another server has just received the same request.
                identity = note.read()
        if identity is not None and not identity.is_of(row):
            raise ReplacedViewError(f"{name} now refers to a different view.", identifier=str(name))
        return row


def _note_made(note: RequestNote | None, view: View) -> None:
    """Note the new view, in case it is dropped or renamed before the request is repeated."""
    if note is None:
        return
    try:
        note.write(ViewIdentity.of(view.row))
    except HiveViewsError as error:
        log.warning("the request that created %s could not be noted: %s", view.identifier, error)


def _is_renamed(row: Row, request: str) -> bool:
    return request in row.parameters.get(RENAMED_WITH, "").split(",")
