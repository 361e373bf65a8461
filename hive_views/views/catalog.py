"""The catalog: all verbs on the views of one metastore, and the ways to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import TracebackType
from typing import Any

from hive_views.errors import (
    AlreadyExistsError,
    CorruptMetadataError,
    InvalidInputError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    NoSuchViewError,
    ViewAlreadyExistsError,
)
from hive_views.hive.columns import ColumnsInput
from hive_views.hive.row import POINTER, NamespaceRow, Row
from hive_views.metastore.copy_on_read import CopyOnReadMetastore
from hive_views.metastore.open import default_warehouse, open_metastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.auth import TLS, Auth
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.locations import absolute_file, absolute_location
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.storage.ownership import is_row_of
from hive_views.storage.unwritten_files import UnwrittenFiles
from hive_views.views.changes.definition import check_texts, define, texts_by_dialect
from hive_views.views.changes.on_drift import Drift, reaction_to
from hive_views.views.changes.query_columns import columns_of_replacement, derive_columns, star_finder
from hive_views.views.changes.relocation import refuse_lost_tags, relocated, versions_without, with_content_of
from hive_views.views.changes.verbs import (
    Change,
    alteration,
    creation,
    own_properties,
    replacement,
    rollback,
    tagging,
    untagging,
)
from hive_views.views.commit import namespace_changes
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.lifecycle import ViewOperations
from hive_views.views.commit.locking import LockMode
from hive_views.views.commit.lookup import ViewNames
from hive_views.views.commit.purge import Purged, delete_files_of
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.recovery.recoverable import (
    LiveRows,
    Recoverable,
    explaining_absence,
    find_recoverable,
    refuse_former,
)
from hive_views.views.row.drift import is_as_written
from hive_views.views.row.plain_view import PlainView, is_begun_adoption, plain_view_of
from hive_views.views.version_lookup import Time
from hive_views.views.view import View, is_iceberg_view, is_lost, is_plain

Identifier = str | tuple[str, str] | TableIdentifier


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
        self._names = ViewNames(self.metastore, self.warehouse)
        self._operations = self.operations(self.settings)

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
        """The views of a metastore.

        Args:
            uri: ``thrift://host:9083``, several servers of one metastore with commas between; ``local:///path``, the
                embedded one of a directory, with views in ``/path/views``; ``memory:``, a new one in this process.
            warehouse: the directory for new views (``<warehouse>/<namespace>.db/<name>``), a path or any URI that
                fsspec knows; by default that of the namespace.
            storage_options: passed to fsspec for every file (``key``, ``secret``, ``endpoint_url``, ...).
            lock: ``auto`` takes the metastore's table lock around each commit where locks are granted, ``always``
                refuses to write without it, ``never`` relies on servers that check a swap.
            auth: ``Kerberos()`` or ``Plain(user, password)``; by default the user of this process, without proof.
            tls: ``TLS(...)`` encrypts the connection.
            connect_timeout_s: seconds to wait for a connection to each server.
            read_timeout_s: seconds to wait for an answer, or for more of it.
            write_timeout_s: seconds to wait for the server to take more of a request.
            lock_timeout_s: seconds to wait for a lock that somebody else holds.
            retry_timeout_s: seconds in which a change is run again after another writer was faster.
            owner: of new views; by default the user of this process.

        Raises:
            InvalidInputError: an argument that cannot be used. Nothing is connected before the first call.
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

    def dry_run(self, *identifiers: Identifier) -> ViewCatalog:
        """A catalog whose verbs do to copies in memory what those of this one would do, or refuse as they would.

            with catalog.dry_run() as copy:
                copy.replace_view("sales.daily", sql={"hive": "SELECT ..."})    # nothing is written

        Views and tables are copied when a verb looks at them for the first time; those that are given, now. Files that
        a verb writes or deletes are kept or forgotten in this process, and parameters of partitions are not copied.
        What a change would find out only by writing stays unknown: whether somebody else is faster, and whether the
        storage can be written.

        Raises:
            NoSuchNamespaceError: the namespace of a name does not exist.
        """
        copies = CopyOnReadMetastore(self.metastore)
        for identifier in identifiers:
            copies.copy(TableIdentifier.of(identifier))
        return ViewCatalog(copies, UnwrittenFiles(self.storage), warehouse=self.warehouse, settings=self.settings)

    def operations(self, settings: CommitSettings) -> ViewOperations:
        """What is done to the views, with other settings than the catalog's own."""
        return ViewOperations(self.metastore, self.storage, settings, self._names)

    # -- reading -----------------------------------------------------------------------------------------------------

    def load_view(self, identifier: Identifier) -> View:
        """The view as it is now; what its row departs in from the metadata file is warned of and in ``differences``.

        Raises:
            NoSuchViewError: there is none (NoSuchIcebergViewError: a table or a plain view has the name).
            CorruptMetadataError: its metadata file is missing or unreadable.
        """
        name = TableIdentifier.of(identifier)
        with self._explaining_absence(name):
            return self._operations.load(name)

    def find_recoverable(self, identifier: Identifier) -> Recoverable | None:
        """The recoverable view of a name that has none any more, or that another view took the place of; else None.

        Looked for in the directories that a view of this name has by default. ``hive_views.estate.undrop`` brings the
        view back.

        Raises:
            CorruptMetadataError, StorageUnavailableError: what is there cannot be read.
        """
        name = TableIdentifier.of(identifier)
        row = self._names.row(name)
        if row and not is_lost(row):
            return None
        return find_recoverable(name, self._names.default_locations(name), row, self.live_rows(), self.storage)

    def live_rows(self) -> LiveRows:
        """What the rows of all views say is theirs, read once, when it is asked: by that other files are left over."""
        return LiveRows(self._names.all_rows, self.metastore.identity)

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
        return sorted(row.identifier for row in self._names.rows(namespace) if is_iceberg_view(row))

    def list_namespaces(self) -> list[str]:
        """The databases of the metastore, sorted."""
        return sorted(self.metastore.list_namespaces())

    def create_namespace(self, namespace: str, *, location: str | None = None, if_not_exists: bool = False) -> None:
        """Create a database in the metastore.

        Args:
            namespace: its name.
            location: its directory; by default where the metastore puts them.
            if_not_exists: do nothing where there is one.

        Raises:
            AlreadyExistsError: there is one, and ``if_not_exists`` is not set.
            CommitStateUnknownError: it may have been created, or may still be.
        """
        try:
            namespace_changes.create(self.metastore, NamespaceRow(check_namespace(namespace), location))
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
        schema: ColumnsInput | None = None,
        query_columns: Sequence[str] | None = None,
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
                fields, or what ``hive_views.spark.schema_of`` finds. Without it they are derived from the text and the
                tables in the metastore, where that is certain: columns of tables, casts, literals, conditions and some
                functions, not arithmetic. They go with the columns of the query by position.
            query_columns: what the query itself calls its columns, in their order, where a star hides them and the view
                has other names; by default what the metastore says or, where it does not, the names in ``schema``.
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
            UncertainColumnsError: there is no schema, and the columns cannot be derived.
            NoSuchTableError: there is no schema, and the query reads a table that does not exist.
            CommitStateUnknownError: the metastore did not answer.
        """
        name, texts = TableIdentifier.of(identifier), texts_by_dialect(sql)
        if schema is None:
            check_texts(texts, properties or {})
            if if_not_exists and self.view_exists(name):
                return self.load_view(name)
            schema = derive_columns(self.metastore, texts, default_namespace or name.namespace)
        definition = define(name, texts, schema, partitioned_on, namespace=default_namespace, properties=properties)
        metadata_at = creation(
            name,
            definition.with_star_columns(star_finder(self.metastore, query_columns)),
            properties,
            comment,
            now_ms=self.settings.clock_ms(),
            view_uuid=self.settings.new_uuid(),
        )
        given = absolute_location(location) if location is not None else None
        # Everything that can be wrong with the call is found out before the metastore is asked anything.
        try:
            self._operations.reader.check_absent(name)
            return self._operations.create(name, metadata_at(given or self._names.location_of_new(name)))
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
        query_columns: Sequence[str] | None = None,
        partitioned_on: Sequence[str] | None = None,
        comment: str | None = None,
        properties: Mapping[str, str] | None = None,
        default_namespace: str | None = None,
        on_drift: Drift = "fail",
    ) -> View:
        """Give a view new texts, in all its dialects, and, where given, new columns; its partitions stay.

        Equal texts and columns make no new version.

        Args:
            identifier: ``"namespace.name"``.
            sql: the query as typed, by dialect: all that the view has.
            schema: the output columns, as for ``create_view``; by default those it has. Where the query has another
                number of columns, they are derived instead, and those that keep their names keep their comments.
            query_columns: as for ``create_view``.
            partitioned_on: names of trailing columns; by default those it has.
            comment: for people; by default the one it has.
            properties: merged into those it has.
            default_namespace: where names in the texts resolve that have no namespace; by default that of the view.
            on_drift: what to do where the row was changed behind the metadata file: ``"fail"``, ``"adopt"`` the change
                into the history, or ``"overwrite"`` it.

        Raises:
            NoSuchViewError, DialectDroppedError (``alter_view`` changes one dialect), InvalidInputError,
            UncertainColumnsError, NoSuchTableError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name, texts = TableIdentifier.of(identifier), texts_by_dialect(sql)

        def columns(base: ViewMetadata) -> ColumnsInput | None:
            if schema is not None:
                return schema
            namespace = default_namespace or name.namespace
            return columns_of_replacement(self.metastore, texts, namespace, base)

        change = replacement(
            name,
            texts,
            columns,
            partitioned_on,
            properties,
            comment,
            default_namespace=default_namespace,
            find=star_finder(self.metastore, query_columns),
        )
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

        Args:
            identifier: ``"namespace.name"``.
            sql: the text of one dialect, as ``{"trino": "SELECT ..."}``. Names without a namespace resolve where those
                of the view's other texts do. Where that is another catalog than the metastore, a text for plain readers
                must name all in full.
            set_properties: to add or change.
            remove_properties: their names. Of our own only ``hive-views.published-with.<publication>``, the rules of a
                publication that ended.
            comment: for people.
            location: the directory for later metadata files; existing ones stay where they are.
            on_drift: what to do where the row was changed behind the metadata file: ``"fail"``, ``"adopt"`` the change
                into the history, or ``"overwrite"`` it.

        Raises:
            NoSuchViewError, InvalidInputError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        change = alteration(
            name, sql, set_properties, remove_properties, comment, location, star_finder(self.metastore)
        )
        return self._commit(name, change, on_drift)

    def roll_back_view(
        self,
        identifier: Identifier,
        *,
        to_version: int | None = None,
        to_time: Time | None = None,
        to_tag: str | None = None,
        on_drift: Drift = "fail",
    ) -> View:
        """Make an earlier version current again: texts and columns, not properties, comment or partitions.

        Args:
            identifier: ``"namespace.name"``.
            to_version: its id, as in ``View.history``.
            to_time: instead of it, a time at which it was current, as for ``View.as_of``.
            to_tag: instead of it, a tag of it.
            on_drift: what to do where the row was changed behind the metadata file: ``"fail"``, ``"adopt"`` the change
                into the history, or ``"overwrite"`` it.

        Raises:
            NoSuchVersionError: there is none, or it has expired.
            NoSuchViewError, DialectDroppedError, InvalidSchemaError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        return self._commit(name, rollback(name, to_version, to_time, to_tag), on_drift)

    def tag_view(
        self,
        identifier: Identifier,
        tag: str,
        *,
        version: int | None = None,
        move: bool = False,
        on_drift: Drift = "fail",
    ) -> View:
        """Give a version a tag, by which it is found again, and with which it does not expire.

        Args:
            identifier: ``"namespace.name"``.
            tag: a name of letters of ASCII, digits, ``.``, ``_`` and ``-``, as ``release-12``.
            version: the id of the version, by default the current one.
            move: take the tag from the version that has it.
            on_drift: as for ``roll_back_view``.

        Raises:
            InvalidInputError: it cannot be a tag.
            AlreadyExistsError: another version has it, and ``move`` is not set.
            NoSuchVersionError: there is no such version, or it has expired.
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        return self._commit(name, tagging(name, tag, version, move=move), on_drift)

    def untag_view(self, identifier: Identifier, tag: str, *, on_drift: Drift = "fail") -> View:
        """Take a tag away; the version may expire then.

        Args:
            identifier: ``"namespace.name"``.
            tag: its name.
            on_drift: as for ``roll_back_view``.

        Raises:
            NoSuchVersionError: there is no such tag.
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        return self._commit(name, untagging(name, tag), on_drift)

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
        name, target = TableIdentifier.of(identifier), TableIdentifier.of(to)
        self._names.namespace(target.namespace)
        self._operations.reader.check_absent(target)
        with self._explaining_absence(name):
            return self._operations.rename(name, target)

    def drop_view(self, identifier: Identifier, *, if_exists: bool = False, purge: bool = False) -> Purged:
        """Drop a view and its partitions. The metadata files stay: ``hive_views.estate.undrop`` can bring it back.

        Args:
            identifier: ``"namespace.name"``.
            if_exists: do nothing where there is no such view.
            purge: delete files too: those that the view proves to have been written for it alone, metadata, the journal
                of its partitions, and what publishing left. Others in its directories stay, and are reported: other
                rows, of this metastore or another, may need them. To be certain of what it drops, it first renames the
                view to ``<name>_dropped_<hex>``.

        Returns:
            The files that were deleted, and those that are left; both empty without ``purge``.

        Raises:
            NoSuchViewError (NoSuchIcebergViewError: a table or a plain view has the name), CommitStateUnknownError.
            CommitFailedError: other writers were faster for too long; of ``purge`` only.
            StorageUnavailableError: it was dropped, but not all of its files were deleted (field ``left``).
        """
        name = TableIdentifier.of(identifier)
        try:
            with nullcontext() if if_exists else self._explaining_absence(name):
                if purge:
                    return self._purge(name)
                self._operations.drop(name)
        except NoSuchIcebergViewError:
            raise
        except (NoSuchViewError, NoSuchNamespaceError):
            if not if_exists:
                raise
        return Purged()

    def register_view(self, identifier: Identifier, metadata_location: str, *, overwrite: bool = False) -> View:
        """Make a view of an existing metadata file: one that was dropped, or came from another metastore.

        The view points to a copy, in the directory that the file names, and goes its own way from there: one file can
        be registered under several names and in several metastores, and whoever has it can purge it. Its journal begins
        with the partitions that are noted beside the file, so that ``restore`` declares them.

        Args:
            identifier: ``"namespace.name"``.
            metadata_location: the file, as a URI or an absolute path.
            overwrite: take the place of a view row that has the name: one that lost its pointer, or that a foreign
                CREATE OR REPLACE VIEW put there.

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

    def adopt_view(
        self,
        identifier: Identifier,
        *,
        row: Row | None = None,
        live: LiveRows | None = None,
        new_history: bool = False,
        dry_run: bool = False,
    ) -> View:
        """Make a plain view of Hive, Impala, Spark, Trino or Presto one of ours, in place.

        Its row stays as it is, but for parameters of ours. Its first version keeps what engines read there, so that
        rolling back to it gives this row again.

        Args:
            identifier: ``"namespace.name"``.
            row: the row, where it has been read already; it is judged without a call.
            live: what ``live_rows`` gave, where several views are adopted, so that all rows are read once.
            new_history: adopt it even where files of a former view of this name are found, which stay.
            dry_run: write nothing; returns the view that it would be.

        Raises:
            NotAdoptableError: it is a table, a materialized view, or a view with a metadata file.
            BrokenViewError: its text and columns do not agree, it was ours and has lost its pointer, or its release was
                interrupted.
            AlreadyExistsError: there are files of a former view of this name, with which ``hive_views.estate.undrop``
                brings its history back (ReleasedViewError: it was released, and is as it was then).
            NoSuchViewError, CommitFailedError, CommitStateUnknownError, StorageUnavailableError.
        """
        name = TableIdentifier.of(identifier)
        with self._explaining_absence(name):
            if row is None and dry_run:
                row = self._operations.reader.load_row(name)
            judged = plain_view_of(row) if row is not None else None
            location = self._names.location_of_existing(name)

            def check(plain: PlainView) -> None:
                if not new_history:
                    refuse_former(self._former(name, location, plain, live), name)

            if dry_run and judged:
                return self._operations.would_adopt(judged, location, check)
            return self._operations.adopt(name, location, judged, check)

    def release_view(self, identifier: Identifier, *, expected: Row | None = None) -> None:
        """Make a view a plain one again: what engines read stays, and so do its partitions and its files.

        ``hive_views.estate.undrop`` brings its history back. A row that was changed
        behind its file stays as it is.

        Args:
            identifier: ``"namespace.name"``.
            expected: its row as it was read, where nothing newer may be given up.

        Raises:
            NoSuchViewError (NoSuchIcebergViewError: a table or a plain view has the name), CommitFailedError,
            CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        with self._explaining_absence(name):
            self._operations.release(name, expected)

    def locations_of_new(self, identifiers: Iterable[TableIdentifier]) -> dict[TableIdentifier, str]:
        """The directories of views that are created under these names; each namespace is read once.

        Raises:
            NoSuchNamespaceError: one is missing.
            InvalidInputError: there is neither a warehouse nor a directory of the namespace.
        """
        return self._names.locations_of_new(identifiers)

    def import_view(
        self,
        identifier: Identifier,
        metadata: ViewMetadata,
        *,
        row: Row,
        location: str | None = None,
        view_uuid: str | None = None,
    ) -> View:
        """Create a view with the whole history of another one, of this metastore or any other, in a file of its own.

        Of what the metadata says, nothing of the other's directories and metastore is taken over.

        Args:
            identifier: ``"namespace.name"``.
            metadata: of the other one.
            row: of the other one; its owner and foreign parameters are taken over, but for those that point to files.
            location: the directory for the metadata files; by default that of a new view.
            view_uuid: by default a new one; that of the other one only where this one takes its place.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
        """
        name = TableIdentifier.of(identifier)
        location = absolute_location(location) if location is not None else self._names.location_of_new(name)
        view_uuid = view_uuid or self.settings.new_uuid()
        placed = relocated(metadata, location=location, view_uuid=view_uuid)
        return self._operations.create_from(name, placed, row, metadata)

    def import_over(
        self,
        row: Row,
        metadata: ViewMetadata,
        *,
        location: str,
        view_uuid: str | None = None,
        judged: ViewMetadata | None = None,
    ) -> View:
        """Give a view the whole history, texts, columns and properties of another one; what it has is no part of it.

        The view keeps its directory, and its files stay. Of one whose metadata file is missing or damaged, the row is
        given a new file if it says what our last commit has written; what anybody else wrote there is nowhere else.

        Args:
            row: of the view, as it was judged; if another view has its name by now, nothing is done.
            metadata: of the other one.
            location: the directory for the metadata files where nobody knows it any more.
            view_uuid: that of the other one, where this one takes its place; by default it keeps its own.
            judged: its metadata, as it was judged; if it has other versions by now, nothing is done.

        Raises:
            InvalidSchemaError: it has partitions, and the other one has other partition columns.
            CorruptMetadataError: its file cannot be read, and its row was changed behind it.
            ViewAlreadyExistsError: another view has its name, it has a new version, or one that has a tag would go.
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = row.identifier

        def change(base: ViewMetadata, _: int) -> ViewMetadata:
            if not is_row_of(row, base):
                message = f"{name} now refers to a different view than the one that was to be replaced."
                raise ViewAlreadyExistsError(message, identifier=str(name))
            if judged is not None and versions_without(base, judged):
                message = f"{name} has got a new version since it was looked at. Do it again."
                raise ViewAlreadyExistsError(message, identifier=str(name))
            refuse_lost_tags(name, base, metadata)
            return with_content_of(base, metadata, view_uuid)

        try:
            return self._commit(name, change, "fail")
        except CorruptMetadataError as error:
            if error.location != row.parameters.get(POINTER) or not is_as_written(row):
                raise
            uuid = view_uuid or self.settings.new_uuid()
            lost = relocated(metadata, location=absolute_location(location), view_uuid=uuid)
            return self._operations.replace_lost(name, lost, row)

    def create_plain_view(self, row: Row) -> None:
        """Create the row of a plain view as it was found, in this metastore or any other, but for what points to files.

        Raises:
            InvalidInputError: it is no row of a plain view.
            AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
        """
        if not is_plain(row):
            raise InvalidInputError(f"The row of {row.identifier} is not that of a plain view.")
        self._operations.create_plain(row)

    def partitions_of(self, view: View) -> ViewPartitions:
        """The declared partitions of a view that was loaded before; no call is made.

        Raises:
            InvalidPartitionError: it is not partitioned.
        """
        return ViewPartitions(self._operations, view)

    def bring_back(self, found: Recoverable, *, on_drift: Drift = "fail") -> View:
        """Make a view again of the last file of one that was dropped or has lost its file; never over a live one.

        ``hive_views.estate.undrop`` finds the file, and declares the partitions again.

        Args:
            found: as ``find_recoverable`` gives it.
            on_drift: where a plain view has the name now that says something else: ``"fail"``, ``"adopt"`` it as the
                newest version, or ``"overwrite"`` it.

        Raises:
            AlreadyExistsError: a view or a table has the name by now.
            ViewDriftedError: what has the name says something else.
            NoSuchNamespaceError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError.
        """
        reaction_to(on_drift)
        if found.row is None:
            declared = found.ended.partitions if found.ended else None
            read = found.metadata
            return self._operations.register(found.identifier, found.metadata_location, declared=declared, read=read)
        return self._operations.bring_back(found.row, found.metadata_location, found.metadata, on_drift)

    def commit_own_properties(
        self, identifier: Identifier, change: Callable[[Mapping[str, str]], Mapping[str, str]]
    ) -> View:
        """Set properties that this library keeps for itself, not for users; returns the view as it is then.

        ``change`` is given all properties and returns those to set, none to leave the view as it is; it is run again
        on the new properties after a lost race. No version of the view is made.

        Raises:
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        return self._operations.commit(TableIdentifier.of(identifier), own_properties(change))

    def _purge(self, name: TableIdentifier) -> Purged:
        view = self._operations.drop_to_purge(name)
        known = replace(view, metadata=self._operations.whereabouts.knowing_former(view.metadata))
        purged = delete_files_of(known, self.storage)
        if any(map(is_metadata_file, purged.left)):
            # It must not come back as what it was brought back from before.
            self._operations.whereabouts.purged(view)
        return purged

    def _commit(self, name: TableIdentifier, change: Change, on_drift: Drift) -> View:
        reaction = reaction_to(on_drift)
        with self._explaining_absence(name):
            return self._operations.commit(name, change, reaction)

    def _former(
        self, name: TableIdentifier, location: str, plain: PlainView, live: LiveRows | None
    ) -> Recoverable | None:
        live = live or self.live_rows()
        found = find_recoverable(name, [location], plain.row, live, self.storage)
        return None if found is None or is_begun_adoption(plain.row, found.metadata) else found

    def _explaining_absence(self, name: TableIdentifier) -> AbstractContextManager[None]:
        return explaining_absence(lambda: self.find_recoverable(name), lambda: self._names.nearest_view(name))
