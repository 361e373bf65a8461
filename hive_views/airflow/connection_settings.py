"""What an Airflow connection of the type ``hive_metastore`` says about a catalog; needs no Airflow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from hive_views.config import Settings, resolve
from hive_views.errors import InvalidInputError
from hive_views.messages.did_you_mean import nearest

_PORT = 9083
# What HiveMetastoreHook calls the ways to authenticate, by the setting ``auth``.
_AUTH = {"NOSASL": "none", "NONE": "none", "GSSAPI": "kerberos", "PLAIN": "plain", "LDAP": "plain", "CUSTOM": "plain"}
_OTHERS = ("auth_mechanism", "authMechanism", "kerberos_service_name", "report_url")


class Connection(Protocol):
    """The fields of Airflow's connections that are read."""

    conn_id: str
    host: str | None
    port: int | None
    login: str | None
    password: str | None

    @property
    def extra_dejson(self) -> Mapping[str, Any]:
        """The JSON object in ``extra``."""
        ...


def settings_of(connection: Connection, *, kerberos: bool = False) -> Settings:
    """The settings of a connection. Those of the environment may be another metastore's, and are not used.

    Args:
        connection: one of Airflow's.
        kerberos: whether connections that do not say how to authenticate use Kerberos (``[core] security``).

    Raises:
        InvalidInputError: there is no host, or an invalid value.
    """
    try:
        return resolve(arguments=_given(connection, kerberos=kerberos), environment={}).settings
    except InvalidInputError as error:
        raise replace(error, message=f"Cannot use connection {connection.conn_id}: {error.message}") from error


def unknown_extras(connection: Connection) -> list[str]:
    """The keys of ``extra`` that are not read, each with the most similar one that is."""
    known = [*Settings.model_fields, *_OTHERS]
    keys = [key for key in connection.extra_dejson if _name(key) not in known]
    found = [(key, nearest(_name(key), known)) for key in keys]
    return [f"{key} (did you mean {near}?)" if near else key for key, near in found]


def _name(key: str) -> str:
    return key.replace("-", "_")


def _given(connection: Connection, *, kerberos: bool) -> dict[str, Any]:
    extra = connection.extra_dejson
    given = {_name(key): value for key, value in extra.items() if _name(key) in Settings.model_fields}
    if "auth" not in given:
        default = "GSSAPI" if kerberos else "NOSASL"
        mechanism = str(extra.get("auth_mechanism") or extra.get("authMechanism") or default).upper()
        if mechanism not in _AUTH:
            raise InvalidInputError(
                f"auth_mechanism in its extra is {mechanism!r}, and not one of {', '.join(_AUTH)}.",
                key="auth_mechanism",
            )
        given["auth"] = _AUTH[mechanism]
    if "kerberos_service_name" in extra:
        given.setdefault("kerberos_service", extra["kerberos_service_name"])
    if connection.login:
        given.setdefault("user", connection.login)
    if connection.password:
        given.setdefault("token" if given["auth"] == "jwt" else "password", connection.password)
    if "uri" not in given:
        if not connection.host:
            raise InvalidInputError("it has no host: give host and port of the metastore, or its uri in extra.")
        hosts = [host.strip() for host in connection.host.split(",")]
        given["uri"] = ",".join(f"thrift://{host}:{connection.port or _PORT}" for host in hosts)
    return given
