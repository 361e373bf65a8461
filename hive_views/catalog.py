"""The catalog: all verbs on the views of one metastore, and the ways to it.

What lives here: ``ViewCatalog``, connecting and closing. What must not: what a verb does (verbs.py), a default taken
from the environment (config.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

from hive_views.commit import CommitSettings, LockMode
from hive_views.metastore.auth import TLS, Auth
from hive_views.metastore.open import default_warehouse, open_metastore
from hive_views.storage import MetadataStorage
from hive_views.verbs import ViewVerbs


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

    def __enter__(self) -> ViewCatalog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; an embedded metastore ends with its last user."""
        self.metastore.close()
