"""The catalog: all verbs on the views of one metastore, and the ways to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hive_views.analysis.lineage import Lineage
from hive_views.errors import NoSuchIcebergViewError, NoSuchNamespaceError, NoSuchViewError, ViewAlreadyExistsError
from hive_views.hive.columns import ColumnsInput
from hive_views.metastore.copy_on_read import CopyOnReadMetastore
from hive_views.metastore.open import default_warehouse, open_metastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.auth import TLS, Auth
from hive_views.spec.identifiers import Identifier, TableIdentifier, check_namespace
from hive_views.storage.locations import absolute_file, absolute_location
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.unwritten_files import UnwrittenFiles
from hive_views.translation import Proof
from hive_views.views import conversions
from hive_views.views.changes.definition import check_texts, define, texts_by_dialect
from hive_views.views.changes.query_columns import derive_columns, star_finder
from hive_views.views.changes.translated_texts import translations_asked
from hive_views.views.changes.verbs import creation
from hive_views.views.commit import dropping
from hive_views.views.commit.changing import load, rename
from hive_views.views.commit.creation import create, register, register_over
from hive_views.views.commit.dropping import Purged
from hive_views.views.commit.engine import CommitSettings, Engine
from hive_views.views.commit.locking import LockMode
from hive_views.views.commit.lookup import ViewLookup
from hive_views.views.deprecated_methods import former_method, with_former_arguments
from hive_views.views.namespace_catalog import NamespaceCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.recovery.recoverable import explaining_absence
from hive_views.views.versions import ViewVersions
from hive_views.views.view import View, is_iceberg_view


class ViewCatalog(ViewVersions, NamespaceCatalog):
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
        lookup = ViewLookup(metastore, self.warehouse)
        super().__init__(Engine(metastore, self.storage, self.settings, lookup))

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
        proxy_user: str | None = None,
        http_headers: Mapping[str, str] | None = None,
        connect_timeout_s: float = 10.0,
        read_timeout_s: float = 60.0,
        write_timeout_s: float = 60.0,
        lock_timeout_s: float = 180.0,
        retry_timeout_s: float = 60.0,
        owner: str | None = None,
        udfs: Mapping[str, Mapping[str, Any]] | None = None,
        trino_catalog: str | None = None,
    ) -> ViewCatalog:
        """The views of a metastore.

        Args:
            uri: ``thrift://host:9083`` (over HTTP ``thrift+https://host:9083/path``), or several servers of one
                metastore separated by commas; ``local:///path``, an embedded metastore in a directory, with views in
                ``/path/views``; ``memory:``, one in this process.
            warehouse: the directory for new views (``<warehouse>/<namespace>.db/<name>``), a path or any URI that
                fsspec knows; by default that of the namespace.
            storage_options: passed to fsspec for every file (``key``, ``secret``, ``endpoint_url``, ...).
            lock: ``auto`` holds the metastore's table lock during each commit if the metastore grants locks, ``always``
                refuses to write without it, ``never`` relies on servers that check a swap.
            auth: ``Kerberos()``, ``Plain(user, password)`` or ``JWT(token_file=...)``; by default the user of this
                process, unauthenticated.
            tls: ``TLS(...)`` encrypts the connection; ``thrift+https://`` is always encrypted.
            proxy_user: the user to act for, with Kerberos or without authentication.
            http_headers: sent with each request to ``thrift+http://`` and ``thrift+https://``.
            connect_timeout_s: seconds to wait for a connection to each server.
            read_timeout_s: seconds to wait for an answer, or for more of it.
            write_timeout_s: seconds to wait for the server to take more of a request.
            lock_timeout_s: seconds to wait for a lock that another writer holds.
            retry_timeout_s: seconds for which a change is retried after conflicts with other writers.
            owner: of new views; by default ``proxy_user``, else the user of this process.
            udfs: functions of users that translated queries may call, as ``hive_views.translate`` takes them.
            trino_catalog: Trino's catalog of the metastore, for names in texts of views translated to Trino.

        Raises:
            InvalidInputError: an argument is not valid. No connection is opened before the first call.
            UnsupportedFeatureError, MetastoreUnavailableError: the embedded metastore does not start.
        """
        settings = CommitSettings(
            lock=lock, retry_timeout_s=retry_timeout_s, udfs=udfs or {}, trino_catalog=trino_catalog
        )
        owner = owner or proxy_user
        metastore = open_metastore(
            uri,
            auth=auth,
            tls=tls,
            proxy_user=proxy_user,
            http_headers=http_headers,
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
        """Close the connections; an embedded metastore stops after its last user."""
        self.metastore.close()

    def dry_run(self, *identifiers: Identifier) -> ViewCatalog:
        """A catalog whose methods change copies in memory, and raise the same errors as those of this catalog would.

            with catalog.dry_run() as copy:
                copy.replace_view("sales.daily", sql={"hive": "SELECT ..."})    # nothing is written

        Views and tables are copied when they are first read; those named in the call, at once. Files are written and
        deleted in memory only, and parameters of partitions are not copied. What only a real write would show stays
        unknown: conflicts with other writers, and whether the storage can be written.

        Raises:
            NoSuchNamespaceError: the namespace of a name does not exist.
        """
        copies = CopyOnReadMetastore(self.metastore)
        for identifier in identifiers:
            copies.copy(TableIdentifier.of(identifier))
        return ViewCatalog(copies, UnwrittenFiles(self.storage), warehouse=self.warehouse, settings=self.settings)

    def load_view(self, identifier: Identifier) -> View:
        """Load a view. If its row differs from the metadata file, this logs a warning and sets ``View.differences``.

        Raises:
            NoSuchViewError: it does not exist (NoSuchIcebergViewError: a table or a plain view has the name).
            CorruptMetadataError: its metadata file is missing or unreadable.
        """
        name = TableIdentifier.of(identifier)
        with explaining_absence(self.engine, name):
            return load(self.engine, name)

    def view_exists(self, identifier: Identifier) -> bool:
        """Whether a view of this library or of Iceberg has this name; False for tables and plain views."""
        try:
            load(self.engine, TableIdentifier.of(identifier))
        except NoSuchViewError:
            return False
        return True

    def lineage(self, identifier: Identifier, column: str | None = None, *, dialect: str | None = None) -> Lineage:
        """Where the columns of a view, managed or plain, come from: through the views that it reads, down to tables.

        Views on the way that cannot be read, or that read themselves, are among ``Lineage.problems``.

        Args:
            identifier: ``"namespace.name"``.
            column: one of its columns; by default all.
            dialect: the text to follow, in each view that has one in it; by default the one that plain readers get.

        Raises:
            NoSuchViewError: it does not exist (NoSuchIcebergViewError: it is a table).
            NotFoundError: the view has no such column.
        """
        name = TableIdentifier.of(identifier)
        with explaining_absence(self.engine, name):
            row = self.engine.reader.load_row(name)
        if not row.is_view:
            raise NoSuchIcebergViewError(f"{name} is a table ({row.table_type}), not a view.", identifier=str(name))
        return self.engine.reader.lineage(row, column, dialect=dialect)

    def list_views(self, namespace: str) -> list[TableIdentifier]:
        """The views of this library or of Iceberg in a namespace, sorted; plain views are left out.

        Views whose names are not valid for ``TableIdentifier`` cannot be used here; they are left out with a warning.

        Raises:
            NoSuchNamespaceError: the namespace does not exist.
        """
        namespace = check_namespace(namespace)
        return sorted(row.identifier for row in self.engine.lookup.rows(namespace) if is_iceberg_view(row))

    def partitions(self, identifier: Identifier) -> ViewPartitions:
        """The declared partitions of a view.

        Raises:
            NoSuchViewError: the view does not exist.
            InvalidPartitionError: it is not partitioned.
        """
        return ViewPartitions(self.engine, self.load_view(identifier))

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
        translate: Mapping[str, str] | None = None,
        allow: Collection[str] | Mapping[str, Collection[str]] = (),
        proofs: Sequence[Proof] = (),
    ) -> View:
        """Create a view.

        Args:
            identifier: ``"namespace.name"``.
            sql: the query by dialect; plain readers get the ``hive`` text or, without one, the ``spark`` text.
            schema: the output columns, partition columns last: names and Hive types with optional comments, Iceberg
                fields, or the result of ``hive_views.spark.schema_of``. By default they are derived from the text and
                the columns of its tables, without an engine, where Hive and Spark agree on the types
                (``hive_views.analysis``). They are matched with the columns of the query by position.
            query_columns: the names of the query's own columns in order, if a star hides them and the view has other
                names; by default those found in the metastore or, if it does not know them, the names in ``schema``.
            partitioned_on: names of trailing columns to partition the view on.
            comment: a description for people.
            properties: of the view; also stored as parameters of the row.
            location: the directory for the metadata files.
            if_not_exists: return the existing view instead of raising.
            default_namespace: the namespace of names without one in the texts; by default that of the view.
            translate: as for ``alter_view``: by dialect, the one from whose text it is translated.
            allow: as for ``alter_view``.
            proofs: as for ``alter_view``.

        Raises:
            AlreadyExistsError: a view (ViewAlreadyExistsError) or a table (TableAlreadyExistsError) has the name.
            NoSuchNamespaceError: the namespace does not exist.
            InvalidInputError: a text, the columns, a property or the location is not valid; nothing was written.
            TranslationRefusedError: a text cannot be translated; the error has all reasons.
            UncertainColumnsError: no schema was given, and the columns cannot be derived.
            NoSuchTableError: no schema was given, and the query reads a table that does not exist.
            CommitStateUnknownError: the metastore did not answer.
        """
        name, texts = TableIdentifier.of(identifier), texts_by_dialect(sql)
        claims = self.engine.claims(translations_asked(translate, allow, proofs))
        if schema is None:
            check_texts(texts, properties or {})
            if if_not_exists and self.view_exists(name):
                return self.load_view(name)
            schema = derive_columns(self.engine.tables, texts, default_namespace or name.namespace)
        definition = define(name, texts, schema, partitioned_on, namespace=default_namespace, properties=properties)
        definition = definition.with_translations(name, None, claims)
        metadata_at = creation(
            name,
            definition.with_star_columns(star_finder(self.engine.tables, query_columns)),
            properties,
            comment,
            now_ms=self.engine.settings.clock_ms(),
            view_uuid=self.engine.settings.new_uuid(),
        )
        given = absolute_location(location) if location is not None else None
        # Every mistake in the call is found before the first call to the metastore.
        try:
            self.engine.reader.check_absent(name)
            return create(self.engine, name, metadata_at(given or self.engine.lookup.location_of_new(name)))
        except ViewAlreadyExistsError:
            if if_not_exists:
                return self.load_view(name)
            raise

    def rename_view(self, identifier: Identifier, to: Identifier) -> View:
        """Rename a view, also into another namespace; history, partitions and files stay.

        Raises:
            NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError.
            UnsupportedFeatureError: a translated text would still read tables of the former namespace.
        """
        name, target = TableIdentifier.of(identifier), TableIdentifier.of(to)
        self.engine.lookup.namespace(target.namespace)
        self.engine.reader.check_absent(target)
        with explaining_absence(self.engine, name):
            return rename(self.engine, name, target)

    def drop_view(self, identifier: Identifier, *, if_exists: bool = False, purge: bool = False) -> Purged:
        """Drop a view and its partitions. The metadata files stay: ``hive_views.estate.undrop`` can bring it back.

        Args:
            identifier: ``"namespace.name"``.
            if_exists: do nothing if the view does not exist.
            purge: also delete the files that were provably written for this view alone: metadata, the journal of its
                partitions, and files of publishing. Others in its directories stay and are reported, because rows of
                this or another metastore may need them. To be certain which view it drops, it first renames the view
                to ``<name>_dropped_<hex>``.

        Returns:
            The files that were deleted, and those that were kept; both empty without ``purge``.

        Raises:
            NoSuchViewError (NoSuchIcebergViewError: a table or a plain view has the name), CommitStateUnknownError.
            CommitFailedError: conflicts with other writers lasted too long; with ``purge`` only.
            StorageUnavailableError: the view was dropped, but not all of its files were deleted (field ``left``).
        """
        name = TableIdentifier.of(identifier)
        try:
            with nullcontext() if if_exists else explaining_absence(self.engine, name):
                if purge:
                    return dropping.purge(self.engine, name)
                dropping.drop(self.engine, name)
        except NoSuchIcebergViewError:
            raise
        except (NoSuchViewError, NoSuchNamespaceError):
            if not if_exists:
                raise
        return Purged()

    def register_view(self, identifier: Identifier, metadata_location: str, *, overwrite: bool = False) -> View:
        """Create a view from an existing metadata file, of a dropped view or from another metastore.

        The view points to a copy of the file, in the directory that the file names, and is independent of it: one file
        can be registered under several names and in several metastores, and its owner can purge it. The new view's
        journal begins with the partitions recorded beside the file, so that ``restore`` declares them.

        Args:
            identifier: ``"namespace.name"``.
            metadata_location: the file, as a URI or an absolute path.
            overwrite: replace an existing view row of this name: one that lost its pointer, or that another engine's
                CREATE OR REPLACE VIEW wrote.

        Raises:
            InvalidInputError: the location is relative, or not ASCII.
            AlreadyExistsError: the name is taken, by a table or, without ``overwrite``, by a view.
            CorruptMetadataError: the file is missing or unreadable, or not that of a view.
            StorageUnavailableError: the copy cannot be written; nothing was changed.
            NoSuchNamespaceError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        file = absolute_file(metadata_location)
        try:
            self.engine.reader.check_absent(name)
        except ViewAlreadyExistsError:
            if not overwrite:
                raise
            return register_over(self.engine, name, file)
        return register(self.engine, name, file)

    @with_former_arguments(conversions.adopt, "row", "live")
    def adopt_view(self, identifier: Identifier, *, new_history: bool = False, dry_run: bool = False) -> View:
        """Turn a plain view of Hive, Impala, Spark, Trino or Presto into a view with history, in place.

        Only parameters of this library are added to its row. The first version keeps what engines read there, so that
        rolling back to it restores this row.

        Args:
            identifier: ``"namespace.name"``.
            new_history: adopt it even if files of a former view of this name are found; these files stay.
            dry_run: write nothing; return the view that it would become.

        Raises:
            NotAdoptableError: it is a table, a materialized view, or a view with a metadata file.
            BrokenViewError: its text and columns contradict each other, it was a view of this library and has lost its
                pointer, or its release was interrupted.
            AlreadyExistsError: there are files of a former view of this name, from which ``hive_views.estate.undrop``
                restores its history (ReleasedViewError: it was released and has not changed since).
            NoSuchViewError, CommitFailedError, CommitStateUnknownError, StorageUnavailableError.
        """
        return conversions.adopt(self.engine, identifier, new_history=new_history, dry_run=dry_run)

    @with_former_arguments(conversions.release, "expected")
    def release_view(self, identifier: Identifier) -> None:
        """Turn a view back into a plain one: what engines read, its partitions and its files stay.

        ``hive_views.estate.undrop`` restores its history. A row that has drifted from its file is released as it is.

        Raises:
            NoSuchViewError (NoSuchIcebergViewError: a table or a plain view has the name), CommitFailedError,
            CommitStateUnknownError.
        """
        conversions.release(self.engine, identifier)

    if not TYPE_CHECKING:
        # Hidden from type checkers, which would accept any name as an attribute.
        def __getattr__(self, name: str) -> Any:
            return former_method(self, name)
