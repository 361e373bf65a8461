"""The views of a metastore as an Iceberg client changes them: by versions and updates, not by texts and columns.

What lives here: the verbs of such a client, each carried out once however often it is asked for. What must not: what
its updates mean (client_changes.py), how a commit is made safe (commit.py), HTTP.

A request may bear a key, which stays the same when its sender repeats it because no answer came. What was carried out
is remembered with the view, in the same swap: any process that serves the metastore knows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from hive_views.errors import (
    AlreadyExistsError,
    CorruptMetadataError,
    NoSuchViewError,
    UnsupportedFeatureError,
    ViewAlreadyExistsError,
)
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.persisted import DROPPED_SUFFIX, FILE_FORMAT, OWNS, RENAMED_WITH, REQUESTS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewVersion
from hive_views.spec.schema import Schema
from hive_views.spec.updates import Update
from hive_views.storage.directories import is_note_of_drop, requests_directory
from hive_views.storage.metadata_files import absolute_file, absolute_location
from hive_views.views.catalog import ViewCatalog
from hive_views.views.client_changes import client_change, client_creation, has_carried_out, recording, request_hash
from hive_views.views.lifecycle import ViewOperations
from hive_views.views.on_drift import Drift, reaction_to
from hive_views.views.view import View, is_iceberg_view, pointer_of

REQUESTS_REMEMBERED = timedelta(days=1)
"""For how long at least a request is known that has dropped a view."""

_LIFE = "view"


class ClientCatalog:
    """A catalog for Iceberg clients. Thread-safe.

    Args:
        catalog: whose views these are.
        owner: of the views that are created; by default that of the catalog.
        called: what the client calls the catalog; the files say nothing of it.
        on_drift: what a commit does where the row was changed behind the metadata file: ``"fail"`` or ``"adopt"``.
    """

    def __init__(
        self, catalog: ViewCatalog, *, owner: str | None = None, called: str | None = None, on_drift: Drift = "fail"
    ) -> None:
        self.catalog = catalog
        self._called = called
        self._settings = replace(catalog.settings, owner=owner) if owner else catalog.settings
        self._operations = ViewOperations(catalog.metastore, catalog.storage, self._settings)
        self._on_drift = reaction_to(on_drift)

    def check_exists(self, name: TableIdentifier) -> None:
        """
        Raises:
            NoSuchViewError: there is no view, or one that points to no file; whether that can be read is not looked at.
        """
        pointer_of(self._operations.reader.load_row(name))

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
        """
        given = absolute_location(location) if location else None
        place = given or self.catalog.locations_of_new([name])[name]
        metadata = client_creation(
            name,
            version,
            schema,
            properties,
            location=place,
            view_uuid=self._settings.new_uuid(),
            called=self._called,
            now_ms=self._settings.clock_ms(),
        )
        try:
            self._operations.reader.check_absent(name)
            return self._operations.create(name, recording(metadata, key))
        except AlreadyExistsError:
            done = self._carried_out(name, key)
            if done is None:
                raise
            return done

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
        return self._operations.commit(name, client_change(name, updates, key, self._called), self._on_drift, view_uuid)

    def register(self, name: TableIdentifier, metadata_location: str, *, overwrite: bool, key: str | None) -> View:
        """Create a view that points to a copy of a metadata file.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError,
            UnavailableError.
        """
        file = absolute_file(metadata_location)
        recorded = {REQUESTS: request_hash(key)} if key else {}
        try:
            self._operations.reader.check_absent(name)
            return self._operations.register(name, file, recorded)
        except AlreadyExistsError as taken:
            done = self._carried_out(name, key)
            if done:
                return done
            if not overwrite or not isinstance(taken, ViewAlreadyExistsError):
                raise
        return self._operations.register_over(name, file, recorded)

    def rename(self, name: TableIdentifier, to: TableIdentifier, *, key: str | None) -> None:
        """Give a view another name.

        Raises:
            NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError, UnavailableError
        """
        recorded = {RENAMED_WITH: request_hash(key)} if key else {}
        try:
            self._operations.rename(name, to, recorded)
        except NoSuchViewError:
            with suppress(NoSuchViewError):
                if recorded.items() <= self._operations.reader.load_row(to).parameters.items() and key:
                    return
            raise

    def drop(self, name: TableIdentifier, *, key: str | None) -> None:
        """Drop a view; its files stay.

        Raises:
            NoSuchViewError, CommitStateUnknownError, UnavailableError
        """
        note = self._note(name, key) if key else None
        if note is not None and not self._is_to_be_dropped(name, note):
            return
        self.catalog.drop_view(name)

    def _note(self, name: TableIdentifier, key: str) -> str:
        directory = requests_directory(self.catalog.locations_of_new([name])[name])
        return f"{directory}/{request_hash(key)}{DROPPED_SUFFIX}"

    def _is_to_be_dropped(self, name: TableIdentifier, note: str) -> bool:
        """False where this request has dropped its view before; the name may be that of another one by now.

        Raises:
            NoSuchViewError: there is none, and no such request is known.
        """
        storage, life = self.catalog.storage, None
        with suppress(CorruptMetadataError):
            life = json.loads(storage.read_bytes(note))[_LIFE]
        try:
            row = self._operations.reader.load_row(name)
        except NoSuchViewError:
            if life is None:
                raise
            return False
        if life is not None:
            return bool(life == _life_of(row))
        if is_iceberg_view(row):
            self._forget_old(note)
            content = {"format-version": FILE_FORMAT, _LIFE: _life_of(row)}
            storage.write_bytes(note, json.dumps(content).encode())
        return True

    def _forget_old(self, note: str) -> None:
        oldest_ms = self._settings.clock_ms() - REQUESTS_REMEMBERED // timedelta(milliseconds=1)
        for info in self.catalog.storage.list_infos(note.rpartition("/")[0]):
            is_old = info.modified_at_ms is not None and info.modified_at_ms < oldest_ms
            if is_old and is_note_of_drop(info.location):
                self.catalog.storage.delete(info.location)

    def _carried_out(self, name: TableIdentifier, key: str | None) -> View | None:
        """The view that a request with this key has made, if it has."""
        with suppress(NoSuchViewError, CorruptMetadataError, UnsupportedFeatureError):
            view = self._operations.load(name)
            return view if has_carried_out(view.metadata, key) else None
        return None


def _life_of(row: Row) -> str:
    """What distinguishes a view from others that have had its name, or will."""
    return row.parameters.get(OWNS) or row.parameters.get(VIEW_UUID) or row.parameters.get(POINTER, "")
