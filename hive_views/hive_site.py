"""The settings that Hadoop's and Hive's own client configuration gives: the XML files of a cluster."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from hive_views.errors import InvalidInputError
from hive_views.hive.durations import parse_duration_s

_FILES = ("core-site.xml", "hive-site.xml", "hivemetastore-site.xml", "metastore-site.xml")
"""A later one overrides an earlier one, as in Hive."""
_URIS, _HEADERS = "metastore.thrift.uris", "metastore.client.http.additional.headers"
_MODES = ("metastore.client.thrift.transport.mode", "metastore.server.thrift.transport.mode")
_PATHS = ("metastore.client.thrift.http.path", "metastore.server.thrift.http.path")
_ZOOKEEPER = ("metastore.zookeeper.namespace", "metastore.zookeeper.client.port")
_REFERENCE = re.compile(r"\$\{([^${}\s]+)\}")
_DEEPEST_REFERENCE = 20  # as in Hadoop
_PEM = b"-----BEGIN CERTIFICATE-----"


class SiteSetting(NamedTuple):
    """The value of a setting, and the key and file that it comes from."""

    value: Any
    source: str


class _Property(NamedTuple):
    value: str
    path: Path
    is_final: bool


def read_site(
    place: Path, environment: Mapping[str, str], *, given: Collection[str] = (), is_required: bool = False
) -> dict[str, SiteSetting]:
    """The settings of a cluster's files; nothing if there are none.

    Args:
        place: the directory of ``hive-site.xml``, or one such file. A directory without a ``core-site.xml`` is
            completed by that of ``HADOOP_CONF_DIR``.
        environment: for ``HADOOP_CONF_DIR``, and for ``${env.NAME}`` in values.
        given: settings that other sources have, which need no value from here.
        is_required: whether it is an error if there is no file.

    Raises:
        InvalidInputError: a file cannot be read, or asks for something that is not supported here.
    """
    paths = _paths(place, environment)
    if not paths and is_required:
        raise InvalidInputError(f"There is no hive-site.xml or metastore-site.xml in {place}.", location=str(place))
    return _Site(_properties(paths), environment).settings(given)


def _paths(place: Path, environment: Mapping[str, str]) -> list[Path]:
    if place.is_file():
        return [place]
    found = [place / name for name in _FILES if (place / name).is_file()]
    hadoop = Path(environment.get("HADOOP_CONF_DIR", "/etc/hadoop/conf")) / _FILES[0]
    if found and found[0].name != _FILES[0] and hadoop.is_file():
        found.insert(0, hadoop)
    return found


def _properties(paths: Collection[Path]) -> dict[str, _Property]:
    properties: dict[str, _Property] = {}
    for path in paths:
        try:
            root = ET.parse(path).getroot()  # noqa: S314 - the administrator's own file
        except (OSError, ET.ParseError) as error:
            raise InvalidInputError(f"Cannot read {path}: {error}.", location=str(path)) from error
        for element in root.iter("property"):
            name, value, final = ((element.findtext(part) or "").strip() for part in ("name", "value", "final"))
            if not (name in properties and properties[name].is_final):
                properties[name] = _Property(value, path, final == "true")
    return properties


class _Site:
    """Properties, asked for under Hive 4's names; each has a former one, which begins with ``hive.``."""

    def __init__(self, properties: Mapping[str, _Property], environment: Mapping[str, str]) -> None:
        self._properties = properties
        self._environment = environment

    def settings(self, given: Collection[str]) -> dict[str, SiteSetting]:
        found = {
            **self._addresses(given),
            **self._authentication(),
            **self._encryption(given),
            "http_headers": self._of(_HEADERS, _headers),
            "read_timeout_s": self._of("metastore.client.socket.timeout", parse_duration_s),
        }
        return {name: setting for name, setting in found.items() if setting is not None and setting.value}

    def _addresses(self, given: Collection[str]) -> dict[str, SiteSetting | None]:
        uris = self._of(_URIS)
        if uris is None or not uris.value or "uri" in given:
            return {}
        mode = self._of("metastore.service.discovery.mode")
        if mode is not None:
            sources = self._sources(_URIS, "metastore.service.discovery.mode", *_ZOOKEEPER)
            return {"uri": SiteSetting(self._in_zookeeper(uris.value, mode), sources)}
        if not self._is_http:
            return {"uri": uris}
        addresses = ",".join(self._over_http(part.strip()) for part in uris.value.split(",") if part.strip())
        return {"uri": SiteSetting(addresses, self._sources(_URIS, *_MODES, *_PATHS))}

    def _in_zookeeper(self, uris: str, mode: SiteSetting) -> str:
        encrypted = self._is_set("metastore.zookeeper.ssl.client.enable")
        if mode.value.lower() != "zookeeper" or self._is_http or encrypted:
            how = " over TLS" if encrypted else " over HTTP" if self._is_http else ""
            raise InvalidInputError(
                f"Cannot find metastores by {mode.value}{how} ({mode.source}). Set their addresses as uri, "
                f"thrift://host:9083 with commas between."
            )
        namespace, port = (self._first(name) for name in _ZOOKEEPER)
        hosts = [part.strip().rpartition("://")[2] for part in uris.split(",")]
        quorum = ",".join(host if ":" in host else f"{host}:{port or 2181}" for host in hosts if host)
        return f"zookeeper://{quorum}/{namespace or 'hive_metastore'}"

    def _over_http(self, address: str) -> str:
        parts = urlsplit(address if "://" in address else f"thrift://{address}")
        path = self._first(*_PATHS) or "metastore"
        is_encrypted = parts.scheme == "https" or self._is_set("metastore.use.SSL")
        return f"thrift+http{'s' if is_encrypted else ''}://{parts.netloc}/{path.strip('/')}"

    def _authentication(self) -> dict[str, SiteSetting | None]:
        mode, sasl = self._of("metastore.client.auth.mode"), self._of("metastore.sasl.enabled")
        user = self._of("metastore.client.plain.username")
        kind = mode.value.upper() if mode else ""
        if self._is_http:
            return {"auth": mode._replace(value="jwt")} if mode and kind == "JWT" else {"user": user}
        if mode and kind == "PLAIN":
            password = self._of("metastore.client.plain.password")
            return {"auth": mode._replace(value="plain"), "user": user, "password": password}
        if not (self._is_set("metastore.sasl.enabled") or kind == "KERBEROS"):
            return {}
        asks = sasl or mode
        return {
            "auth": asks._replace(value="kerberos") if asks else None,
            "kerberos_service": self._of("metastore.kerberos.principal", lambda principal: _parts(principal)[0]),
            "kerberos_hostname": self._of("metastore.kerberos.principal", lambda principal: _parts(principal)[1]),
            "token_signature": self._of("metastore.token.signature"),
        }

    def _encryption(self, given: Collection[str]) -> dict[str, SiteSetting | None]:
        if not self._is_set("metastore.use.SSL"):
            return {}
        store = self._of("metastore.truststore.path", _without_scheme)
        if store is not None and store.value and "tls_ca_file" not in given:
            _check_pem(store)
        return {"tls": self._of("metastore.use.SSL", bool), "tls_ca_file": store}

    @property
    def _is_http(self) -> bool:
        return self._first(*_MODES).lower() == "http" or self._first(_URIS).startswith("http")

    def _sources(self, *names: str) -> str:
        return ", ".join(setting.source for name in names if (setting := self._of(name)) and setting.value)

    def _is_set(self, name: str) -> bool:
        return self._first(name).lower() == "true"

    def _first(self, *names: str) -> str:
        return next((str(setting.value) for name in names if (setting := self._of(name)) and setting.value), "")

    def _of(self, name: str, read: Any = str) -> SiteSetting | None:
        for key in (name, _former(name)):
            found = self._properties.get(key)
            if found is not None and found.value:
                return SiteSetting(read(self._expanded(found.value)), f"{key} in {found.path}")
        return None

    def _expanded(self, text: str) -> str:
        for _ in range(_DEEPEST_REFERENCE):
            expanded = _REFERENCE.sub(lambda reference: self._referred(reference[1]) or reference[0], text)
            if expanded == text:
                break
            text = expanded
        return text

    def _referred(self, name: str) -> str | None:
        if name.startswith("env."):
            return self._environment.get(name.removeprefix("env."))
        found = self._properties.get(name)
        return found.value if found else None


def _former(name: str) -> str:
    if name == _URIS:
        return "hive.metastore.uris"
    return f"hive.{name.removeprefix('metastore.') if name.startswith('metastore.zookeeper.') else name}"


def _headers(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _parts(principal: str) -> tuple[str, str]:
    service, _, host = principal.partition("@")[0].partition("/")
    # Hive replaces _HOST with the host of the address.
    return service, host.replace("_HOST", "")


def _without_scheme(path: str) -> str:
    return urlsplit(path).path if path.startswith("file:") else path


def _check_pem(store: SiteSetting) -> None:
    try:
        with Path(store.value).open("rb") as file:
            is_pem = _PEM in file.read(1 << 20)
    except OSError as error:
        raise InvalidInputError(
            f"Cannot read the certificates in {store.value} ({store.source}): {error.strerror}. Set tls_ca_file to a "
            f"PEM file with the certificates to trust.",
            location=store.value,
        ) from error
    if not is_pem:
        raise InvalidInputError(
            f"Cannot use {store.value} ({store.source}): a Java truststore can be read by Java only. Export it "
            f"(`keytool -list -rfc -keystore {store.value} > ca.pem`), and set tls_ca_file to that PEM file.",
            location=store.value,
        )
