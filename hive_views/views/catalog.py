"""The catalog: all verbs on the views of one metastore, and the ways to it.

What lives here: ``ViewCatalog``, connecting and closing, and the door to statements in SQL. What must not: what a verb
does (verbs.py), what a statement does (statements/), a default taken from the environment (config.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

from hive_views.ddl.execute import execute
from hive_views.ddl.result import StatementResult
from hive_views.ddl.script import execute_script
from hive_views.ddl.session import Session
from hive_views.hive.columns import ColumnsInput
from hive_views.metastore.open import default_warehouse, open_metastore
from hive_views.metastore.thrift.auth import TLS, Auth
from hive_views.spec.identifiers import check_namespace
from hive_views.sql.dialects import check_dialect
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.commit import CommitSettings
from hive_views.views.exclusive import LockMode
from hive_views.views.verbs import ViewVerbs


class ViewCatalog(ViewVerbs):
    """Views of one metastore. Thread-safe, survives a fork, can be pickled to where the metastore is reached too.

    Args:
        metastore: where the rows are.
        storage: where the metadata files are.
        warehouse: the directory for new views (``<warehouse>/<namespace>.db/<name>``); without it, that of the
            namespace in the metastore.
        settings: locks, retries, clocks.
    """

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

    def execute(
        self, sql: str, *, dialect: str = "hive", schema: ColumnsInput | None = None, namespace: str = "default"
    ) -> StatementResult:
        """Execute one statement about views: Hive's DDL, SHOW and DESCRIBE, and ours beyond it.

        ``hive_views.ddl.grammar`` has the grammar, ``hive_views.ddl`` what differs from Hive. No session is
        kept: what USE says is in the result's ``namespace``, to be given to the next call.

        Args:
            sql: the statement; a semicolon behind it is tolerated.
            dialect: what the queries of CREATE VIEW and ALTER VIEW AS are written in: ``hive`` or ``spark``.
            schema: the output columns of such a query, as for ``create_view``; a column list in the statement renames
                them. Without it they are derived where that is certain: columns of tables that the metastore tells,
                casts, literals, conditions and some functions, not arithmetic. ``hive_views.spark.sql`` asks Spark.
            namespace: the current database, where names without one are.

        Raises:
            SQLSyntaxError: it is no statement that is known here, or more than one.
            InvalidSchemaError: the types of columns are not certain; the error names them.
            HiveViewsError: what the verb raises that it stands for, with the number of Hive's error where it has one.
        """
        return execute(self, sql, Session(check_namespace(namespace), check_dialect(dialect), schema))

    def execute_script(
        self, sql: str, *, dialect: str = "hive", namespace: str = "default", skip: int = 0
    ) -> list[StatementResult]:
        """Execute statements with semicolons between them, in their order; USE holds for those behind it.

        All are read before the first is executed. An error ends the script; it has the fields ``statement`` (a number,
        from 1), ``script_line``, ``text``, and ``done``, the results of the statements before, which stay done.

        Args:
            sql: the statements.
            dialect: as for ``execute``.
            namespace: the current database at the beginning.
            skip: so many statements are left out (USE is not), to go on where an error ended the script.

        Raises:
            SQLSyntaxError: one of them cannot be read; nothing was done.
            HiveViewsError: what the statement raises that failed.
        """
        return execute_script(self, sql, Session(check_namespace(namespace), check_dialect(dialect)), skip=skip)

    def __enter__(self) -> ViewCatalog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; an embedded metastore ends with its last user."""
        self.metastore.close()
