"""The address of an engine, as users write it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from hive_views.errors import InvalidInputError
from hive_views.messages.credentials import hide_credentials

PASSWORD_VARIABLE = "HIVE_VIEWS_ENGINE_PASSWORD"  # noqa: S105 - the name of a variable
_FORMS = "spark, trino://user@host:8080/catalog, or hive://user@host:10000"
_OPTIONS = {"trino": ("tls", "ca_cert"), "hive": ("tls", "ca_cert", "auth", "http_path", "kerberos_service_name")}
_PORTS = {("trino", False): 8080, ("trino", True): 8443, ("hive", False): 10000, ("hive", True): 10000}
_AUTH = ("nosasl", "plain", "ldap", "kerberos")


@dataclass(frozen=True)
class EngineAddress:
    """Where an engine is, and how it is reached.

    Attributes:
        kind: ``trino`` or ``hive``.
        host: its name.
        port: by default 8080 for Trino (8443 with TLS), 10000 for Hive.
        user: who asks; None for the user of this process.
        password: of the user.
        catalog: of Trino, which is the metastore.
        tls: whether the connection is encrypted.
        ca_cert: a PEM file with the certificates that are trusted; None for those of the system.
        auth: of Hive: ``nosasl``, ``plain``, ``ldap`` or ``kerberos``.
        http_path: of Hive over HTTP; None for the binary protocol.
        kerberos_service_name: the first part of Hive's principal.
    """

    kind: str
    host: str
    port: int
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    catalog: str | None = None
    tls: bool = False
    ca_cert: str | None = None
    auth: str = "plain"
    http_path: str | None = None
    kerberos_service_name: str = "hive"

    def without_password(self, text: str) -> str:
        """The text with ``***`` for the password."""
        return hide_credentials(text.replace(self.password, "***") if self.password else text)


def read_address(text: str) -> EngineAddress:
    """The address in a text; a password that it lacks is taken from ``HIVE_VIEWS_ENGINE_PASSWORD``.

    Raises:
        InvalidInputError: it is none.
    """
    parts = urlsplit(text)
    if parts.scheme not in _OPTIONS or not parts.hostname:
        raise _error(text, f"expected {_FORMS}")
    options = _options(text, parts)
    tls = options.get("tls", "false")
    if tls not in ("true", "false"):
        raise _error(text, f"tls is true or false, not {tls}")
    auth, catalog = options.get("auth", "plain"), unquote(parts.path.strip("/")) or None
    if auth not in _AUTH:
        raise _error(text, f"auth is {', '.join(_AUTH)}, not {auth}")
    if (parts.scheme == "trino") is not (catalog is not None) or "/" in (catalog or ""):
        what = "the path of a trino:// address is the catalog" if parts.scheme == "trino" else "hive:// has no path"
        raise _error(text, what)
    password = unquote(parts.password) if parts.password else os.environ.get(PASSWORD_VARIABLE)
    if parts.scheme == "trino" and password and tls == "false":
        raise _error(text, "Trino takes passwords over TLS only; add ?tls=true")
    try:
        port = parts.port or _PORTS[parts.scheme, tls == "true"]
    except ValueError as error:
        raise _error(text, "the port is a number") from error
    return EngineAddress(
        parts.scheme,
        parts.hostname,
        port,
        user=unquote(parts.username) if parts.username else None,
        password=password,
        catalog=catalog,
        tls=tls == "true",
        ca_cert=options.get("ca_cert"),
        auth="ldap" if password and auth == "plain" else auth,
        http_path=options.get("http_path"),
        kerberos_service_name=options.get("kerberos_service_name", "hive"),
    )


def _options(text: str, parts: SplitResult) -> dict[str, str]:
    found = dict(parse_qsl(parts.query, keep_blank_values=True))
    for name in found:
        if name not in _OPTIONS[parts.scheme]:
            raise _error(text, f"{parts.scheme}:// has no option {name}, but {', '.join(_OPTIONS[parts.scheme])}")
    return found


def _error(text: str, problem: str) -> InvalidInputError:
    return InvalidInputError(f"Cannot use {hide_credentials(text)!r} as the address of an engine: {problem}.")
