"""The catalog: all verbs on the views of one metastore, and the ways to it.

What lives here: ``ViewCatalog``, each verb of it as "check the call, say the change, commit it". What must not: how a
commit is made safe (commit.py), rules of the spec or of Hive (spec/, hive/), statements in SQL (ddl/), a default taken
from the environment (config.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from hive_views.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NoSuchIcebergViewError,
    NoSuchTableError,
    NoSuchVersionError,
    NoSuchViewError,
    ViewAlreadyExistsError,
)
from hive_views.hive.columns import ColumnsInput
from hive_views.hive.row import COMMENT, Row
from hive_views.messages.remedies import GiveLocation
from hive_views.metastore.open import default_warehouse, open_metastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.auth import TLS, Auth
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.updates import (
    AssignUUID,
    RemoveProperties,
    SetCurrentViewVersion,
    SetLocation,
    SetProperties,
    Update,
    apply_updates,
)
from hive_views.storage.metadata_files import MetadataStorage, absolute_file, absolute_location
from hive_views.views.commit import Change, CommitSettings
from hive_views.views.definition import altered, define
from hive_views.views.exclusive import LockMode
from hive_views.views.lifecycle import ViewOperations
from hive_views.views.on_drift import ON_DRIFT, Drift
from hive_views.views.partitions import ViewPartitions
from hive_views.views.projection import check_properties, project
from hive_views.views.purge import Purged, delete_files_of
from hive_views.views.recovery import Recoverable, find_recoverable, telling_what_is_left
from hive_views.views.view import View, is_iceberg_view, is_lost

Identifier = str | tuple[str, str] | TableIdentifier

_ROWS_IN_A_CALL = 100


class ViewCatalog:
    """Views of one metastore. Thread-safe, survives a fork, can be pickled to where the metastore is reached too.

    Args:
        metastore: where the rows are.
        storage: where the metadata files are.
        warehouse: the directory for new views (``<warehouse>/<namespace>.db/<name>``); without it, that of the
            namespace in the metastore.
        settings: locks, retries, clocks.
    """

    def __init__(
        self,
        metastore: Metastore,
        storage: MetadataStorage | None = None,
        *,
        warehouse: str | None = None,
        settings: CommitSettings | None = None,
    ) -> None:
        self.metastore = metastore
        self.storage = storage or MetadataStorage()
        self.settings = settings or CommitSettings()
        self.warehouse = absolute_location(warehouse) if warehouse else None
        self._operations = ViewOperations(self.metastore, self.storage, self.settings)

    @classmethod
    def connect(
        cls,
        uri: str,
        *,
        warehouse: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
        lock: LockMode = "auto",
        auth: Auth | None = None,
        tls: TLS | None = None,
        connect_timeout_s: float = 10.0,
        read_timeout_s: float = 60.0,
        write_timeout_s: float = 60.0,
        lock_timeout_s: float = 180.0,
        retry_timeout_s: float = 60.0,
        owner: str | None = None,
    ) -> ViewCatalog:
        """The views of the metastore at ``thrift://host:9083`` (several with commas between), of the embedded one of a
        directory (``local:///path``, views in ``/path/views``), or of a new one in this process (``memory:``).

        ``storage_options`` go to fsspec, ``lock`` and ``retry_timeout_s`` are those of CommitSettings, ``owner`` owns
        new views (by default the user of this process), the other time-outs are seconds as in HiveMetastore.

        Raises:
            InvalidInputError: a word or an address that cannot be used.
            UnsupportedFeatureError, MetastoreUnavailableError: the embedded metastore does not start.
        """
        settings = CommitSettings(lock=lock, retry_timeout_s=retry_timeout_s)
        metastore = open_metastore(
            uri,
            auth=auth,
            tls=tls,
            connect_timeout_s=connect_timeout_s,
            read_timeout_s=read_timeout_s,
            write_timeout_s=write_timeout_s,
            lock_timeout_s=lock_timeout_s,
        )
        return cls(
            metastore,
            MetadataStorage(storage_options),
            warehouse=warehouse or default_warehouse(uri),
            settings=replace(settings, owner=owner) if owner else settings,
        )

    def __enter__(self) -> ViewCatalog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; an embedded metastore ends with its last user."""
        self.metastore.close()

    # -- reading -----------------------------------------------------------------------------------------------------

    def load_view(self, identifier: Identifier) -> View:
        """The view as it is now; what its row departs in from the metadata file is warned of and in ``differences``.

        Raises:
            NoSuchViewError: there is none (NoSuchIcebergViewError: a table or a plain view has the name).
            CorruptMetadataError: its metadata file is missing or unreadable.
        """
        name = TableIdentifier.of(identifier)
        with telling_what_is_left(lambda: self.find_recoverable(name)):
            return self._operations.load(name)

    def find_recoverable(self, identifier: Identifier) -> Recoverable | None:
        """What is left of a view that is not there any more, or that another view took the place of; else None.

        Looked for in the directories that a view of this name has by default. ``register_view`` with its last file, and
        ``restore`` of its partitions, bring the view back.

        Raises:
            CorruptMetadataError, StorageUnavailableError: what is there cannot be read.
        """
        name = TableIdentifier.of(identifier)
        row = self._row_of(name)
        if row and not is_lost(row):
            return None
        others = lambda: (one for one in self._rows_of(name.namespace) if one.identifier != name)  # noqa: E731
        return find_recoverable(name, self._default_locations(name), row, others, self.storage)

    def view_exists(self, identifier: Identifier) -> bool:
        """Whether a view of this library or of Iceberg has this name; False for tables and plain views."""
        try:
            self._operations.load(TableIdentifier.of(identifier))
        except NoSuchViewError:
            return False
        return True

    def list_views(self, namespace: str) -> list[TableIdentifier]:
        """The views of this library or of Iceberg in a namespace, sorted; plain views are left out.

        Views whose names break the rules of ``TableIdentifier`` cannot be used here; they are left out with a warning.

        Raises:
            NoSuchNamespaceError: there is no such namespace.
        """
        namespace = check_namespace(namespace)
        rows = self._rows_of(namespace)
        if not rows:
            self.metastore.load_namespace(namespace)
        return sorted(row.identifier for row in rows if is_iceberg_view(row))

    def list_namespaces(self) -> list[str]:
        """The databases of the metastore, sorted."""
        return sorted(self.metastore.list_namespaces())

    def create_namespace(self, namespace: str, *, location: str | None = None, if_not_exists: bool = False) -> None:
        """Create a database in the metastore, by default where the metastore puts them.

        Raises:
            AlreadyExistsError: there is one, and ``if_not_exists`` is not set.
        """
        try:
            self.metastore.create_namespace(check_namespace(namespace), location)
        except AlreadyExistsError:
            if not if_not_exists:
                raise

    def partitions(self, identifier: Identifier) -> ViewPartitions:
        """The declared partitions of a view.

        Raises:
            NoSuchViewError: there is no such view.
            InvalidPartitionError: it is not partitioned.
        """
        return ViewPartitions(self._operations, self.load_view(identifier))

    # -- writing -----------------------------------------------------------------------------------------------------

    def create_view(
        self,
        identifier: Identifier,
        *,
        sql: Mapping[str, str],
        schema: ColumnsInput,
        partitioned_on: Sequence[str] = (),
        comment: str | None = None,
        properties: Mapping[str, str] | None = None,
        location: str | None = None,
        if_not_exists: bool = False,
        default_namespace: str | None = None,
    ) -> View:
        """Create a view.

        Args:
            identifier: ``"namespace.name"``.
            sql: the query as typed, by dialect; ``hive`` or, without it, ``spark`` is what plain readers get.
            schema: the output columns, partition columns last: names and Hive types with optional comments, Iceberg
                fields, or what ``hive_views.spark.schema_of`` derives.
            partitioned_on: names of trailing columns to partition the view on.
            comment: for people.
            properties: of the view; parameters of the row too.
            location: the directory for the metadata files.
            if_not_exists: give the existing view back instead of raising.
            default_namespace: where names in the texts resolve that have no namespace; by default that of the view.

        Raises:
            AlreadyExistsError: a view (ViewAlreadyExistsError) or a table (TableAlreadyExistsError) has the name.
            NoSuchNamespaceError: the namespace does not exist.
            InvalidInputError: a text, the columns, a property or the location breaks a rule; nothing was written.
            CommitStateUnknownError: the metastore did not answer.
        """
        name = TableIdentifier.of(identifier)
        definition = define(name, sql, schema, partitioned_on, namespace=default_namespace)
        told = dict(properties or {})
        if comment is not None:
            told[COMMENT] = comment
        check_properties(told)
        now_ms = self.settings.clock_ms()
        updates: list[Update] = [AssignUUID(self.settings.new_uuid()), SetProperties(told)]
        updates += definition.updates(name, now_ms)
        where = absolute_location(location) if location is not None else None
        # Everything that can be wrong with the call is found out before the metastore is asked anything.
        draft = apply_updates(None, [*updates, SetLocation(where or "file:///")], now_ms=now_ms)
        project(draft, identifier=name, location="file:///", previous_location=None, owner=None)
        try:
            self._operations.reader.check_absent(name)
            metadata = apply_updates(None, [*updates, SetLocation(self._location(name, where))], now_ms=now_ms)
            return self._operations.create(name, metadata)
        except ViewAlreadyExistsError:
            if if_not_exists:
                return self.load_view(name)
            raise

    def replace_view(
        self,
        identifier: Identifier,
        *,
        sql: Mapping[str, str],
        schema: ColumnsInput | None = None,
        partitioned_on: Sequence[str] | None = None,
        comment: str | None = None,
        properties: Mapping[str, str] | None = None,
        default_namespace: str | None = None,
        on_drift: Drift = "fail",
    ) -> View:
        """Give a view new texts, in all its dialects, and, where given, new columns; its partitions stay.

        Properties are merged into those it has. Equal texts and columns make no new version. Names in the texts that
        have no namespace resolve in ``default_namespace``, by default that of the view.

        Raises:
            NoSuchViewError, DialectDroppedError (``alter_view`` changes one dialect), InvalidInputError,
            ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        changed = self._checked_properties(properties, comment)

        def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
            definition = define(name, sql, schema, partitioned_on, base=base, namespace=default_namespace)
            return apply_updates(base, [SetProperties(changed), *definition.updates(name, now_ms)], now_ms=now_ms)

        return self._commit(name, change, on_drift)

    def alter_view(
        self,
        identifier: Identifier,
        *,
        sql: Mapping[str, str] | None = None,
        set_properties: Mapping[str, str] | None = None,
        remove_properties: Sequence[str] = (),
        comment: str | None = None,
        location: str | None = None,
        on_drift: Drift = "fail",
    ) -> View:
        """Change parts of a view: the text of one dialect (others stay), properties, comment, location.

        A new location is for later metadata files; existing ones stay where they are.

        Raises:
            NoSuchViewError, InvalidInputError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        changed = self._checked_properties(set_properties, comment)
        both = sorted(set(changed) & set(remove_properties))
        if both:
            raise InvalidInputError(f"Cannot set and remove the same property: {', '.join(both)}.", keys=both)
        check_properties(dict.fromkeys(remove_properties, ""))
        updates: list[Update] = [SetProperties(changed), RemoveProperties(tuple(remove_properties))]
        if location is not None:
            updates.append(SetLocation(absolute_location(location)))

        def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
            texts = altered(name, sql, base).updates(name, now_ms) if sql is not None else []
            return apply_updates(base, [*updates, *texts], now_ms=now_ms)

        return self._commit(name, change, on_drift)

    def roll_back_view(self, identifier: Identifier, *, to_version: int, on_drift: Drift = "fail") -> View:
        """Make an earlier version current again: texts and columns, not properties, comment or partitions.

        Raises:
            NoSuchVersionError: there is none, or it has expired.
            NoSuchViewError, DialectDroppedError, InvalidSchemaError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)

        def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
            if to_version not in {version.version_id for version in base.versions}:
                raise NoSuchVersionError(
                    f"View {name} has no version {to_version}; it holds "
                    f"{', '.join(str(version.version_id) for version in base.versions)}. Older versions expire beyond "
                    f"the property version.history.num-entries.",
                    version_id=to_version,
                )
            return apply_updates(base, [SetCurrentViewVersion(to_version)], now_ms=now_ms)

        return self._commit(name, change, on_drift)

    def repair_view(self, identifier: Identifier, *, on_drift: Drift = "fail") -> View:
        """Write the row anew from the metadata file, if it is not what the file says.

        A row that was changed by somebody needs a decision: ``adopt`` takes the change into the history, ``overwrite``
        undoes it.

        Raises:
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        return self._commit(TableIdentifier.of(identifier), lambda base, _: base, on_drift)

    def rename_view(self, identifier: Identifier, to: Identifier) -> View:
        """Give a view another name, in another namespace too; history, partitions and files stay.

        Raises:
            NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError.
        """
        target = TableIdentifier.of(to)
        self.metastore.load_namespace(target.namespace)
        self._operations.reader.check_absent(target)
        name = TableIdentifier.of(identifier)
        with telling_what_is_left(lambda: self.find_recoverable(name)):
            return self._operations.rename(name, target)

    def drop_view(self, identifier: Identifier, *, if_exists: bool = False, purge: bool = False) -> Purged:
        """Drop a view and its partitions. The metadata files stay, so that ``register_view`` can bring it back.

        ``purge`` deletes files too: those that the view proves to have been written for it alone, metadata, the journal
        of its partitions, and what publishing left. Others in its directories stay, and are told of: other rows, of
        this metastore or another, may need them. To be certain of what it drops, it first renames the view to
        ``<name>_dropped_<hex>``.

        Raises:
            NoSuchViewError (NoSuchIcebergViewError: a table or a plain view has the name), CommitStateUnknownError.
            CommitFailedError: other writers were faster for too long; of ``purge`` only.
            StorageUnavailableError: it was dropped, but not all of its files were deleted (field ``left``).
        """
        name = TableIdentifier.of(identifier)
        try:
            if purge:
                return delete_files_of(self._operations.drop_to_purge(name), self.storage)
            self._operations.drop(name)
        except NoSuchIcebergViewError:
            raise
        except NoSuchViewError:
            if not if_exists:
                raise
        return Purged()

    def register_view(self, identifier: Identifier, metadata_location: str, *, overwrite: bool = False) -> View:
        """Make a view of an existing metadata file: one that was dropped, or came from another metastore.

        The view points to a copy, in the directory that the file names, and goes its own way from there: one file can
        be registered under several names and in several metastores, and whoever has it can purge it. Its journal begins
        with the partitions that are noted beside the file, so that ``restore`` declares them. ``overwrite`` lets it
        take the place of a view row that has the name: one that lost its pointer, or that a foreign CREATE OR REPLACE
        VIEW put there.

        Raises:
            InvalidInputError: the location is relative, or not ASCII.
            AlreadyExistsError: the name is taken, by a table or, without ``overwrite``, by a view.
            CorruptMetadataError: the file is missing, unreadable, or no view.
            StorageUnavailableError: the copy cannot be written; nothing was done.
            NoSuchNamespaceError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        file = absolute_file(metadata_location)
        try:
            self._operations.reader.check_absent(name)
        except ViewAlreadyExistsError:
            if not overwrite:
                raise
            return self._operations.register_over(name, file)
        return self._operations.register(name, file)

    def commit_own_properties(
        self, identifier: Identifier, change: Callable[[Mapping[str, str]], Mapping[str, str]]
    ) -> View:
        """Set properties that this library keeps for itself, not for users; returns the view as it is then.

        ``change`` is given all properties and returns those to set, none to leave the view as it is; it is run again
        on the new properties after a lost race. No version of the view is made.

        Raises:
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """

        def updated(base: ViewMetadata, now_ms: int) -> ViewMetadata:
            return apply_updates(base, [SetProperties(change(base.properties))], now_ms=now_ms)

        return self._operations.commit(TableIdentifier.of(identifier), updated)

    def _commit(self, name: TableIdentifier, change: Change, on_drift: Drift) -> View:
        with telling_what_is_left(lambda: self.find_recoverable(name)):
            return self._operations.commit(name, change, ON_DRIFT[on_drift])

    def _rows_of(self, namespace: str) -> list[Row]:
        """The rows of all views, plain ones too."""
        names = self.metastore.list_view_names(namespace)
        return [
            row
            for start in range(0, len(names), _ROWS_IN_A_CALL)
            for row in self.metastore.load_rows(namespace, names[start : start + _ROWS_IN_A_CALL])
        ]

    def _row_of(self, name: TableIdentifier) -> Row | None:
        try:
            return self.metastore.load_row(name)
        except NoSuchTableError:
            return None

    def _location(self, name: TableIdentifier, given: str | None) -> str:
        locations = self._default_locations(name)
        if given:
            return given
        if not locations:
            raise InvalidInputError(
                f"Where shall the metadata of {name} be? The namespace has no location.", remedy=GiveLocation()
            )
        return locations[0]

    def _default_locations(self, name: TableIdentifier) -> list[str]:
        """Where a view of this name is created, and where it is without a warehouse."""
        namespace = self.metastore.load_namespace(name.namespace)
        found = [f"{self.warehouse}/{name.namespace}.db/{name.name}"] if self.warehouse else []
        found += [f"{namespace.location.rstrip('/')}/{name.name}"] if namespace.location else []
        return list(dict.fromkeys(found))

    @staticmethod
    def _checked_properties(properties: Mapping[str, str] | None, comment: str | None) -> dict[str, str]:
        told = {**(properties or {}), **({COMMENT: comment} if comment is not None else {})}
        check_properties(told)
        return told
