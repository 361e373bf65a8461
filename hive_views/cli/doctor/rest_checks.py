"""Checks of an Iceberg REST catalog server as its clients see it, which change nothing.

The server may be any: `hive-views serve`, Iceberg's reference server, or another catalog. Statements about clients are
what Iceberg 1.11 (Java), Trino 476 and PyIceberg 0.12 do.
"""

from __future__ import annotations

import ipaddress
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from statistics import median
from typing import Any

from hive_views.cli.doctor.metastore_checks import Check
from hive_views.cli.doctor.rest_connection import Reply, RestConnection, quoted
from hive_views.config import REST_TOKEN
from hive_views.errors import AuthenticationError, InvalidInputError, NoSuchViewError, UnavailableError
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import all_of, first_of

_VIEWS = "/v1/{prefix}/namespaces/{namespace}/views"
_VERBS_OF_VIEWS = {
    "list": f"GET {_VIEWS}",
    "load": f"GET {_VIEWS}/{{view}}",
    "exists": f"HEAD {_VIEWS}/{{view}}",
    "create": f"POST {_VIEWS}",
    "replace": f"POST {_VIEWS}/{{view}}",
    "rename": "POST /v1/{prefix}/views/rename",
    "drop": f"DELETE {_VIEWS}/{{view}}",
    "register": "POST /v1/{prefix}/namespaces/{namespace}/register-view",
}
# A minute: clients judge by it whether a token has expired, and histories show it.
_MAX_CLOCK_OFFSET_S = 60.0
_SOON_S = 14 * 24 * 3600
_SLOW_S = 1.0
_MAX_NAMESPACES = 50
_PAGE = "100"


@dataclass(frozen=True)
class _Catalog:
    """A catalog as the server's configuration describes it to a client.

    Attributes:
        path: what comes before the routes, ``/PREFIX`` or nothing.
        separator: between the levels of a namespace, as it is in a path.
        endpoints: that the server has; None where it does not say.
        document: the whole answer.
    """

    path: str
    separator: str
    endpoints: Sequence[str] | None
    document: Mapping[str, Any]


@dataclass(frozen=True)
class _Found:
    """A view to look at, with the namespace that it was found in."""

    namespace: Sequence[str]
    name: str

    def __str__(self) -> str:
        return ".".join([*self.namespace, self.name])


def examine_rest(
    server: RestConnection, *, warehouse: str | None, view: str | None, has_token: bool
) -> Iterator[Check]:
    """Check a server as a client sees it, one thing after the other.

    Only reads, except for one request that cannot change anything: it drops a view in a namespace with a random name,
    to find out whether the token may write.

    Args:
        server: the connection.
        warehouse: the client's setting ``warehouse``.
        view: the view to load; by default the first one found.
        has_token: whether the connection sends a token.

    Raises:
        UnavailableError: the server cannot be used; there is nothing more to check.
        AuthenticationError: it requires a token, or another one.
        InvalidInputError: it does not know the warehouse.
        NoSuchViewError: ``view`` is not there.
    """
    yield _encryption(server, has_token=has_token)
    catalog, reply = _configuration(server, warehouse, has_token=has_token)
    yield Check("server", True, f"{server.address} answers{_named(reply)}")
    yield _prefix(catalog, warehouse)
    yield _token(server, warehouse, has_token=has_token)
    yield _role(server, catalog, has_token=has_token)
    yield _verbs(catalog)
    yield _repetition(catalog)
    namespaces, check = _namespaces(server, catalog)
    yield check
    yield _tables(server, catalog, namespaces)
    found, check = _views(server, catalog, namespaces, view)
    yield check
    times = [reply.seconds]
    if found is not None:
        loaded = _ask(server, catalog, "GET", found.namespace, "views", found.name)
        times = [loaded.seconds]
        if loaded.status == HTTPStatus.NOT_FOUND and view is not None:
            raise NoSuchViewError(f"{server.address} has no view {view} ({loaded.message}).", identifier=view)
        yield from _texts(found, loaded)
        times += [_ask(server, catalog, "GET", found.namespace, "views", found.name).seconds for _ in range(4)]
    yield _latency(times, "loading the view" if found else "the configuration")
    yield _clock(reply)


def _encryption(server: RestConnection, *, has_token: bool) -> Check:
    used = server.encryption()
    if used is None:
        if _is_this_machine(server.host):
            return Check("encryption", True, "none, and not needed on this machine")
        what = "the token and all SQL" if has_token else "all SQL"
        advice = "Use HTTPS: --tls-cert-file and --tls-key-file of `hive-views serve`, or a reverse proxy."
        return Check("encryption", None, f"none: {what} can be read on the network", advice)
    if used.valid_until_s is None:
        return Check("encryption", True, used.version)
    left_s = used.valid_until_s - time.time()
    found = f"{used.version}; the certificate expires in {counted(int(left_s / 86400), 'day')}"
    return Check("encryption", None if left_s < _SOON_S else True, found, "Renew the certificate.")


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _configuration(server: RestConnection, warehouse: str | None, *, has_token: bool) -> tuple[_Catalog, Reply]:
    reply = server.ask("GET", "/config", {"warehouse": warehouse} if warehouse else None)
    if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        what = "rejected the token" if has_token else f"requires a token: set {REST_TOKEN}"
        raise AuthenticationError(f"{server.address} {what} ({reply.message}).", server=server.address)
    document = reply.document or {}
    overrides, defaults = document.get("overrides"), document.get("defaults")
    if isinstance(document.get("error"), dict):
        if reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise UnavailableError(
                f"{server.address} fails ({reply.message}). See the log of the server.", server=server.address
            )
        what = f"the warehouse {warehouse!r}" if warehouse else "clients without a warehouse setting"
        raise InvalidInputError(f"{server.address} rejects {what} ({reply.message}). Specify one with --warehouse.")
    if reply.headers.get("location"):
        raise UnavailableError(
            f"{server.address} redirects to {reply.headers['location']}, which some clients do not follow. Use that "
            "address instead.",
            server=server.address,
        )
    if reply.status != HTTPStatus.OK or not isinstance(overrides, dict) or not isinstance(defaults, dict):
        raise UnavailableError(
            f"{server.address} is not an Iceberg REST catalog: {server.address}/v1/config answers {reply.message}. "
            "Many servers need a path in the address, such as /catalog, /iceberg or /api/catalog.",
            server=server.address,
        )
    settings = {**defaults, **overrides}
    prefix, endpoints = settings.get("prefix"), document.get("endpoints")
    return _Catalog(
        path=f"/{quoted(str(prefix))}" if prefix else "",
        separator=str(settings.get("namespace-separator") or "%1F"),
        endpoints=[str(one) for one in endpoints] if isinstance(endpoints, list) else None,
        document=document,
    ), reply


def _named(reply: Reply) -> str:
    return f" ({reply.headers['server']})" if reply.headers.get("server") else ""


def _prefix(catalog: _Catalog, warehouse: str | None) -> Check:
    what = f"warehouse {warehouse!r}" if warehouse else "no warehouse"
    where = f"/v1{catalog.path}/..." if catalog.path else "/v1/... (no prefix)"
    return Check("catalog", True, f"with {what}, clients use {where}")


def _token(server: RestConnection, warehouse: str | None, *, has_token: bool) -> Check:
    if not has_token:
        return Check("token", True, "not required")
    without = server.ask("GET", "/config", {"warehouse": warehouse} if warehouse else None, with_token=False)
    if without.status != HTTPStatus.OK:
        return Check("token", True, "accepted")
    found = "accepted, but requests without a token are accepted too"
    return Check("token", None, found, "Make sure that the server verifies tokens (--tokens of `hive-views serve`).")


def _role(server: RestConnection, catalog: _Catalog, *, has_token: bool) -> Check:
    if catalog.endpoints is not None and _VERBS_OF_VIEWS["drop"] not in catalog.endpoints:
        return Check("role", None, "unknown: views cannot be dropped here")
    random = [f"hive_views_doctor_{secrets.token_hex(8)}"]
    refused = _ask(server, catalog, "DELETE", random, "views", "none")
    who = "the token" if has_token else "everyone who can reach the server"
    if refused.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return Check("role", True, f"read-only: {who} may not change views ({refused.message})")
    if refused.status == HTTPStatus.NOT_FOUND and refused.error_type.startswith("NoSuch"):
        return Check("role", True, f"read-write: {who} may change views")
    return Check("role", None, f"unknown: dropping a view that does not exist returned {refused.message}")


def _verbs(catalog: _Catalog) -> Check:
    if catalog.endpoints is None:
        return Check(
            "view routes",
            None,
            "not reported: without a list of endpoints, Java clients do not use views",
            "Set view-endpoints-supported=true in Java clients.",
        )
    missing = [verb for verb, endpoint in _VERBS_OF_VIEWS.items() if endpoint not in catalog.endpoints]
    if not missing:
        return Check("view routes", True, all_of(list(_VERBS_OF_VIEWS)))
    if len(missing) == len(_VERBS_OF_VIEWS):
        return Check("view routes", False, "none: this server does not support views", "Use a server that does.")
    # Clients in Java ask for the view instead, and register without a route of its own.
    ok = None if set(missing) <= {"exists", "register"} else False
    return Check("view routes", ok, f"missing: {all_of(missing)}", "Clients cannot use these verbs on this server.")


def _repetition(catalog: _Catalog) -> Check:
    lifetime = catalog.document.get("idempotency-key-lifetime")
    if lifetime:
        return Check("repeated requests", True, f"recognized by their Idempotency-Key for {lifetime}")
    found = "not recognized: after a lost response, a client must find out itself whether its change was applied"
    return Check("repeated requests", None, found)


def _namespaces(server: RestConnection, catalog: _Catalog) -> tuple[Sequence[Sequence[str]], Check]:
    reply = server.ask("GET", f"{catalog.path}/namespaces", {"pageToken": "", "pageSize": _PAGE})
    listed = reply.document.get("namespaces") if reply.document else None
    if reply.status != HTTPStatus.OK or not isinstance(listed, list):
        return (), Check("namespaces", False, f"not listed: {reply.message}", "See the log of the server.")
    names = [[str(level) for level in one] for one in listed if isinstance(one, list)]
    if not names:
        return (), Check("namespaces", None, "none", "Create one, or specify another --warehouse.")
    more = " and more" if reply.document and reply.document.get("next-page-token") else ""
    shown = first_of([".".join(one) for one in names], 3)
    return names, Check("namespaces", True, f"{len(names):,}{more}: {shown}")


def _tables(server: RestConnection, catalog: _Catalog, namespaces: Sequence[Sequence[str]]) -> Check:
    if not namespaces:
        return Check("tables", None, "not checked: there is no namespace")
    reply = _ask(server, catalog, "GET", namespaces[0], "tables", pageToken="", pageSize=_PAGE)
    listed = reply.document.get("identifiers") if reply.document else None
    if reply.status != HTTPStatus.OK or not isinstance(listed, list):
        return Check(
            "tables",
            None,
            f"not served ({reply.message}): PyIceberg fails when it lists tables, and views cannot read tables through "
            "this catalog",
            "Configure a separate catalog with the tables in clients.",
        )
    can_write = catalog.endpoints is None or f"POST {_VIEWS.replace('views', 'tables')}" in catalog.endpoints
    return Check("tables", True, "served" if can_write else "served, read-only")


def _views(
    server: RestConnection, catalog: _Catalog, namespaces: Sequence[Sequence[str]], wanted: str | None
) -> tuple[_Found | None, Check]:
    if wanted is not None:
        *levels, name = wanted.split(".")
        if not levels or not all((*levels, name)):
            raise InvalidInputError(f"{wanted!r} is not the name of a view: specify NAMESPACE.NAME.")
        return _Found(levels, name), Check("views", True, f"{wanted}, as specified")
    for namespace in namespaces[:_MAX_NAMESPACES]:
        reply = _ask(server, catalog, "GET", namespace, "views", pageToken="", pageSize=_PAGE)
        listed = reply.document.get("identifiers") if reply.document else None
        if reply.status != HTTPStatus.OK or not isinstance(listed, list):
            found = f"those of {'.'.join(namespace)} cannot be listed: {reply.message}"
            return None, Check("views", False, found, "See the log of the server.")
        names = [str(one.get("name")) for one in listed if isinstance(one, dict)]
        if names:
            more = " and more" if reply.document and reply.document.get("next-page-token") else ""
            return _Found(namespace, names[0]), Check(
                "views", True, f"{len(names):,}{more} in {'.'.join(namespace)}: {first_of(names, 3)}"
            )
    looked = counted(min(len(namespaces), _MAX_NAMESPACES), "namespace")
    return None, Check("views", None, f"none in {looked}", "Specify one with --view NAMESPACE.NAME.")


def _texts(found: _Found, loaded: Reply) -> Iterator[Check]:
    version = _current_version(loaded)
    if version is None:
        yield Check("view", False, f"{found} cannot be loaded: {loaded.message}", "See the log of the server.")
        return
    listed = [one for one in version.get("representations") or [] if isinstance(one, dict)]
    dialects = [str(one.get("dialect")).lower() for one in listed]
    texts = f"SQL for {all_of(dialects)}" if dialects else "no SQL"
    yield Check("view", bool(dialects), f"{found} has {texts}", "Replace the view, with SQL.")
    if not dialects:
        return
    add = "Add it: `hive-views alter {} --sql {}=FILE`, or in the catalog that serves the view."
    if "spark" in dialects:
        yield Check("Spark", True, "reads the SQL for spark")
    else:
        yield Check(
            "Spark",
            None,
            f"there is no SQL for spark, so Spark reads that for {dialects[0]}",
            add.format(found, "spark"),
        )
    if "trino" in dialects:
        yield Check("Trino", True, "reads the SQL for trino")
    else:
        yield Check(
            "Trino",
            None,
            "cannot read the view: there is no SQL for trino (ICEBERG_UNSUPPORTED_VIEW_DIALECT)",
            add.format(found, "trino"),
        )
    catalog, namespace = version.get("default-catalog"), ".".join(version.get("default-namespace") or [])
    where = f"the namespace {namespace}" if namespace else "no namespace"
    if catalog:
        yield Check(
            "default-catalog",
            True,
            f"{catalog}: clients need a catalog with this name; names resolve in it, in {where}",
        )
    else:
        yield Check(
            "default-catalog", True, f"none: names resolve in the catalog that the view is loaded from, in {where}"
        )


def _current_version(loaded: Reply) -> Mapping[str, Any] | None:
    metadata = loaded.document.get("metadata") if loaded.document else None
    if loaded.status != HTTPStatus.OK or not isinstance(metadata, dict):
        return None
    versions = [one for one in metadata.get("versions") or [] if isinstance(one, dict)]
    return next((one for one in versions if one.get("version-id") == metadata.get("current-version-id")), None)


def _latency(times: Sequence[float], what: str) -> Check:
    typical = median(times)
    ok = None if typical > _SLOW_S else True
    advice = "Compare with the milliseconds in the log of the server: the difference is the network."
    return Check("latency", ok, f"{typical * 1000:.0f} ms for {what}", advice)


def _clock(reply: Reply) -> Check:
    try:
        offset_s = parsedate_to_datetime(reply.headers["date"]).timestamp() - reply.received_s
    except (KeyError, ValueError, TypeError):
        return Check("clock", None, "not reported by the server")
    ok = abs(offset_s) <= _MAX_CLOCK_OFFSET_S
    found = f"the server is {abs(offset_s):.0f} s {'ahead' if offset_s > 0 else 'behind'}"
    return Check("clock", ok, found, "Synchronize both clocks (NTP): certificates and tokens expire by them.")


def _ask(
    server: RestConnection,
    catalog: _Catalog,
    method: str,
    namespace: Sequence[str],
    kind: str,
    *name: str,
    **query: str,
) -> Reply:
    levels = catalog.separator.join(quoted(level) for level in namespace)
    path = "/".join([f"{catalog.path}/namespaces/{levels}/{kind}", *map(quoted, name)])
    return server.ask(method, path, query or None)
