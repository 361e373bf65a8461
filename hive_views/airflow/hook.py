"""The hook: the catalog of an Airflow connection of the type ``hive_metastore``."""

from __future__ import annotations

import asyncio
from typing import Any

from airflow.sdk import BaseHook
from airflow.sdk.configuration import conf

from hive_views.airflow.connection_settings import settings_of, unknown_extras
from hive_views.errors import HiveViewsError
from hive_views.views.catalog import ViewCatalog

DEFAULT_CONNECTION = "metastore_default"


class HiveViewsHook(BaseHook):  # type: ignore[misc]
    """Opens the catalog of an Airflow connection of the type ``hive_metastore``.

    Host (several separated by commas), port, and in ``extra`` ``auth_mechanism`` and ``kerberos_service_name`` are read
    as by HiveMetastoreHook of the provider for Apache Hive; README.md has the others.

    Args:
        metastore_conn_id: the connection.
        logger_name: of BaseHook.
    """

    conn_name_attr = "metastore_conn_id"
    default_conn_name = DEFAULT_CONNECTION
    conn_type = "hive_metastore"
    hook_name = "Hive Metastore Thrift"

    def __init__(self, metastore_conn_id: str = DEFAULT_CONNECTION, logger_name: str | None = None) -> None:
        super().__init__(logger_name=logger_name)
        self.metastore_conn_id = metastore_conn_id

    def get_conn(self) -> ViewCatalog:
        """The catalog; the metastore is not asked before its first call.

        Raises:
            InvalidInputError: the connection has no host, or an invalid value.
        """
        return self._catalog_of(self.get_connection(self.metastore_conn_id))

    async def aget_conn(self) -> ViewCatalog:
        """``get_conn`` for triggers: ZooKeeper may be asked for the metastore, and holds nobody else up."""
        connection = await self.aget_connection(self.metastore_conn_id)
        return await asyncio.to_thread(self._catalog_of, connection)

    def report_url(self) -> str:
        """Where the report of ``hive-views report`` is served, or "" if the connection does not say."""
        return str(self.get_connection(self.metastore_conn_id).extra_dejson.get("report_url") or "")

    def test_connection(self) -> tuple[bool, str]:
        """Ask the metastore about itself, for Airflow's button "Test"."""
        try:
            with self.get_conn() as catalog:
                facts = catalog.metastore.facts()
        except HiveViewsError as error:
            return False, str(error)
        return True, f"The metastore at {facts.address} answers (version {facts.version or 'unknown'})."

    def _catalog_of(self, connection: Any) -> ViewCatalog:
        for unknown in unknown_extras(connection):
            self.log.warning("Connection %s: hive_views does not use extra %s", connection.conn_id, unknown)
        is_kerberized = conf.get("core", "security", fallback="") == "kerberos"
        return settings_of(connection, kerberos=is_kerberized).connect()
