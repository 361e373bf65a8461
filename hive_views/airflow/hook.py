"""Airflow's connection to a Hive metastore (type ``hive_metastore``) as a catalog of views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from airflow.sdk import BaseHook
from airflow.sdk.configuration import conf

from hive_views.config import Settings, resolve
from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.messages.did_you_mean import nearest
from hive_views.views.catalog import ViewCatalog

DEFAULT_CONNECTION = "metastore_default"
_PORT = 9083
# What HiveMetastoreHook calls the ways to authenticate, by the setting ``auth``.
_AUTH = {"NOSASL": "none", "NONE": "none", "GSSAPI": "kerberos", "PLAIN": "plain", "LDAP": "plain", "CUSTOM": "plain"}
_OTHERS = ("auth_mechanism", "authMechanism", "kerberos_service_name", "report_url")


class HiveViewsHook(BaseHook):  # type: ignore[misc]
    """Opens the catalog of an Airflow connection of the type ``hive_metastore``.

    Host (several separated by commas), port, and in ``extra`` ``auth_mechanism`` and ``kerberos_service_name`` are read
    as by HiveMetastoreHook of the provider for Apache Hive; login and password are the user and password of ``PLAIN``
    or, without authentication, login is the user name that is sent. ``extra`` may also have every setting of
    ``hive_views.config.Settings`` (``warehouse``, ``storage_options``, ``tls``, ``uri`` instead of host and port, ...),
    and ``report_url``.

    Args:
        metastore_conn_id: the connection.
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
        """``get_conn`` for triggers."""
        return self._catalog_of(await self.aget_connection(self.metastore_conn_id))

    def report_url(self) -> str | None:
        """Where the report of ``hive-views report`` is served, if the connection says so."""
        url = self.get_connection(self.metastore_conn_id).extra_dejson.get("report_url")
        return None if url is None else str(url)

    def test_connection(self) -> tuple[bool, str]:
        """Ask the metastore about itself, for Airflow's button "Test"."""
        try:
            with self.get_conn() as catalog:
                facts = catalog.metastore.facts()
        except HiveViewsError as error:
            return False, str(error)
        return True, f"The metastore at {facts.address} answers (version {facts.version or 'unknown'})."

    def _catalog_of(self, connection: Any) -> ViewCatalog:
        given = _settings_of(connection)
        for key in connection.extra_dejson:
            name = _name(key)
            if name not in given and key not in _OTHERS:
                near = nearest(name, [*Settings.model_fields, *_OTHERS])
                self.log.warning(
                    "Extra %r of connection %s is not used by hive_views%s",
                    key,
                    connection.conn_id,
                    f"; did you mean {near!r}?" if near else "",
                )
        try:
            # The connection is all there is: the settings of a worker's environment may be those of another metastore.
            return resolve(arguments=given, environment={}).settings.connect()
        except InvalidInputError as error:
            raise replace(error, message=f"Cannot use connection {connection.conn_id}: {error.message}") from error


def _name(key: str) -> str:
    return key.replace("-", "_")


def _settings_of(connection: Any) -> dict[str, Any]:
    """The settings of a catalog that a connection has, by name."""
    extra: Mapping[str, Any] = connection.extra_dejson
    given = {_name(key): value for key, value in extra.items() if _name(key) in Settings.model_fields}
    if "auth" not in given:
        default = "GSSAPI" if conf.get("core", "security", fallback="") == "kerberos" else "NOSASL"
        mechanism = str(extra.get("auth_mechanism") or extra.get("authMechanism") or default).upper()
        if mechanism not in _AUTH:
            raise InvalidInputError(
                f"Cannot use connection {connection.conn_id}: auth_mechanism in its extra is {mechanism!r}, and not one "
                f"of {', '.join(_AUTH)}.",
                key="auth_mechanism",
            )
        given["auth"] = _AUTH[mechanism]
    if "kerberos_service_name" in extra:
        given.setdefault("kerberos_service", extra["kerberos_service_name"])
    given.setdefault("user", connection.login or None)
    if given["auth"] == "plain":
        given.setdefault("password", connection.password)
    elif given["auth"] == "jwt" and "token_file" not in given:
        given.setdefault("token", connection.password)
    if "uri" not in given:
        if not connection.host:
            raise InvalidInputError(
                f"Connection {connection.conn_id} has no host: give the host and port of the metastore, or its uri in "
                f"extra."
            )
        hosts = [host.strip() for host in connection.host.split(",")]
        given["uri"] = ",".join(f"thrift://{host}:{connection.port or _PORT}" for host in hosts)
    return given
