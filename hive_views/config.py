"""Settings of a catalog, and the source of each.

Nothing else in the library reads the environment or searches for configuration files, but for the variables of HTTP
proxies (``HTTPS_PROXY``, ``HTTP_PROXY``, ``NO_PROXY``), Kerberos and token files (``HADOOP_TOKEN_FILE_LOCATION``).

Each value comes from the first of these sources that has it:

1. arguments: of ``load_catalog``, or the options of the command;
2. the environment: ``HIVE_VIEWS_URI``, ``HIVE_VIEWS_LOCK``, ..., one variable for each setting;
3. a catalog of a TOML file: the file named by an argument or ``HIVE_VIEWS_CONFIG``, else ``hive-views.toml`` in the
   current directory, else ``hive-views/config.toml`` in ``XDG_CONFIG_HOME`` (``~/.config``);
4. ``hive-site.xml`` and its like in the directory of the setting ``hive_conf_dir``, else in ``HIVE_CONF_DIR``
   (``/etc/hive/conf``).

The file's default catalog and ``HIVE_CONF_DIR`` each describe one metastore. If another source names the metastore,
they are ignored as a whole, so that no password is sent to the wrong server.

    default = "prod"

    [catalogs.prod]
    uri = "thrift://metastore:9083"
    warehouse = "s3://lake/views"
    storage-options = {anon = false}
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, SecretStr, ValidationError, model_validator

from hive_views.errors import InvalidInputError
from hive_views.hive_site import read_site
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.metastore.thrift.auth import JWT, TLS, Auth, Kerberos, NoAuth, Plain
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.locking import LockMode

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PREFIX = "HIVE_VIEWS_"
_CATALOG, _CONFIG = f"{_PREFIX}CATALOG", f"{_PREFIX}CONFIG"
REST_TOKEN, REST_READ_ONLY_TOKEN = f"{_PREFIX}REST_TOKEN", f"{_PREFIX}REST_READ_ONLY_TOKEN"
"""Variables with the tokens of a REST server, which are not settings of a catalog."""
_HIVE_TOKEN = "HMS_JWT"  # noqa: S105 - the name of the variable that Hive's own clients read
_HADOOP_PROXY_USER = "HADOOP_PROXY_USER"
_CACHE_DIR = f"{_PREFIX}CACHE_DIR"  # of the user, whatever the catalog
_ENGINE_PASSWORD = f"{_PREFIX}ENGINE_PASSWORD"  # of an engine that ``validate`` asks
_OBJECTS = ("storage_options", "http_headers", "udfs")
_OTHERS = (_CATALOG, _CONFIG, _CACHE_DIR, _ENGINE_PASSWORD, REST_TOKEN, REST_READ_ONLY_TOKEN)


class Settings(BaseModel):
    """The settings of a catalog. Secrets are neither in its ``repr`` nor in its errors.

    Raises:
        ValidationError: an invalid value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    uri: str
    """The metastore: `thrift://host:9083` or, over HTTP, `thrift+https://host:9083/path` (comma-separated if several),
    `local:///path` or `memory:`."""
    warehouse: str | None = None
    """The directory for new views; by default that of their namespace (`local:///path`: `/path/views`)."""
    lock: LockMode = "auto"
    """`auto`: take the metastore's lock if it grants one; `always`: require it; `never`: compare-and-swap only."""
    owner: str | None = None
    """The owner of new views; by default the user of the process."""
    auth: Literal["none", "kerberos", "plain", "jwt"] = "none"
    """How to authenticate to the metastore; `jwt` is for HTTP."""
    proxy_user: str | None = None
    """The user to act for, with Kerberos or without authentication; by default that of `HADOOP_PROXY_USER`."""
    user: str | None = None
    """The user for `auth = "plain"`, or the user name to send without authentication."""
    password: SecretStr | None = None
    """The password for `auth = "plain"`."""
    token: SecretStr | None = None
    """The token for `auth = "jwt"`; by default that of the variable `HMS_JWT`."""
    token_file: str | None = None
    """The file with the token for `auth = "jwt"`, which is read before each request."""
    http_headers: dict[str, str] = Field(default_factory=dict, repr=False)
    """More headers of requests over HTTP; a JSON object in the environment."""
    kerberos_service: str = "hive"
    """The first part of the metastore's principal."""
    kerberos_hostname: str | None = None
    """The second part of the metastore's principal, if it is not the host of the URI."""
    token_signature: str = ""
    """The service of the delegation token, in the file of `HADOOP_TOKEN_FILE_LOCATION`, for `auth = "kerberos"`."""
    tls: bool = False
    """Whether to encrypt the connection; implied by each of the files below."""
    tls_ca_file: str | None = None
    """PEM file with the CA certificates to trust; by default those of the system."""
    tls_cert_file: str | None = None
    """PEM file with the client certificate, if the server requires one."""
    tls_key_file: str | None = None
    """PEM file with the private key of the client certificate."""
    hive_conf_dir: str | None = None
    """The directory with `hive-site.xml`, `metastore-site.xml` and `core-site.xml`; other settings override them."""
    connect_timeout_s: PositiveFloat = 10.0
    """Seconds to wait for a connection."""
    read_timeout_s: PositiveFloat = 60.0
    """Seconds to wait for a response, or for the next part of it; a whole one may take ten times as long."""
    write_timeout_s: PositiveFloat = 60.0
    """Seconds to wait for the metastore to accept a request."""
    lock_timeout_s: PositiveFloat = 180.0
    """Seconds to wait for a lock that another client holds."""
    retry_timeout_s: PositiveFloat = 60.0
    """Seconds during which a change that conflicts with other writers is retried."""
    storage_options: dict[str, Any] = Field(default_factory=dict, repr=False)
    """Options for fsspec, such as keys and endpoints; a JSON object in the environment."""
    udfs: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Functions of users, with types and their name in each dialect; a JSON object in the environment."""
    trino_catalog: str | None = None
    """Trino's name for the catalog with the tables of the metastore, for views whose SQL is translated to Trino."""
    notify_token: SecretStr | None = None
    """The bearer token that the command sends to the URLs of `--notify`."""

    @model_validator(mode="after")
    def _credentials_are_complete(self) -> Settings:
        if self.auth == "plain" and (self.user is None or self.password is None):
            raise ValueError('auth = "plain" requires user and password')
        if self.auth == "jwt" and (self.token is None) == (self.token_file is None):
            raise ValueError('auth = "jwt" requires token or token_file (and not both), or the variable HMS_JWT')
        return self

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, hide_credentials(value) if isinstance(value, str) else value

    def connect(self) -> ViewCatalog:
        """Connect to the catalog with these settings.

        Raises:
            InvalidInputError, UnsupportedFeatureError, MetastoreUnavailableError: as ``ViewCatalog.connect``.
        """
        return ViewCatalog.connect(
            self.uri,
            warehouse=self.warehouse,
            storage_options=self.storage_options,
            lock=self.lock,
            auth=self._auth(),
            tls=self._tls(),
            proxy_user=self.proxy_user,
            http_headers=self.http_headers,
            connect_timeout_s=self.connect_timeout_s,
            read_timeout_s=self.read_timeout_s,
            write_timeout_s=self.write_timeout_s,
            lock_timeout_s=self.lock_timeout_s,
            retry_timeout_s=self.retry_timeout_s,
            owner=self.owner,
            udfs=self.udfs,
            trino_catalog=self.trino_catalog,
        )

    def _auth(self) -> Auth:
        if self.auth == "kerberos":
            return Kerberos(self.kerberos_service, self.kerberos_hostname, self.token_signature)
        if self.user is not None and self.password is not None and self.auth == "plain":
            return Plain(self.user, self.password.get_secret_value())
        if self.auth == "jwt":
            return JWT(self.token.get_secret_value() if self.token else None, self.token_file)
        return NoAuth(self.user)

    def _tls(self) -> TLS | None:
        files = self.tls_ca_file, self.tls_cert_file, self.tls_key_file
        return TLS(*files) if self.tls or any(files) else None


class Origin(NamedTuple):
    """The value of a setting, with secrets hidden, and its source."""

    value: str
    source: str


@dataclass(frozen=True)
class ResolvedSettings:
    """Settings with the source of each value; ``catalog`` is the name in the TOML file, if that was used."""

    settings: Settings
    sources: Mapping[str, str]
    catalog: str | None

    def origins(self) -> dict[str, Origin]:
        """Every setting with its value, secrets hidden, and its source (``"default"`` if it is not set)."""
        return {
            name: Origin(_shown(name, getattr(self.settings, name)), self.sources.get(name, "default"))
            for name in Settings.model_fields
        }


def load_catalog(
    name: str | None = None, *, config: str | os.PathLike[str] | None = None, **settings: Any
) -> ViewCatalog:
    """Connect to the catalog that arguments, environment, configuration file and hive-site.xml describe, in this order.

    Args:
        name: of a catalog in the configuration file; else ``HIVE_VIEWS_CATALOG``, else the file's ``default``.
        config: the configuration file.
        **settings: values of ``Settings``, which override all others; None means not set.

    Raises:
        InvalidInputError: an unknown setting or catalog, an invalid value, or no metastore is configured.
        UnsupportedFeatureError, MetastoreUnavailableError: the embedded metastore does not start.
    """
    return resolve(name, config=config, arguments=settings).settings.connect()


def catalog_names(config: str | os.PathLike[str] | None = None) -> list[str]:
    """The names of the catalogs in the configuration file, which is found as by ``load_catalog``.

    Raises:
        InvalidInputError: it cannot be read.
    """
    return sorted(_config_file(config, os.environ).catalogs)


def resolve(
    name: str | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    arguments: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> ResolvedSettings:
    """The effective settings, with the source of each.

    ``environment`` is that of the process unless given; empty variables do not count.

    Raises:
        InvalidInputError: as ``load_catalog``.
    """
    # An empty variable is not set: scripts and containers cannot always unset one.
    variables = {key: value for key, value in (os.environ if environment is None else environment).items() if value}
    given = _from_environment(variables) | _from_arguments(arguments or {})
    file = _config_file(config, variables)
    catalog = name or variables.get(_CATALOG) or (None if "uri" in given else file.default)
    if catalog is not None:
        given = file.settings(catalog) | given
    given = _from_site(variables, given) | given
    if given.get("auth", _NOTHING).value == "jwt" and not {"token", "token_file"} & given.keys():
        # The variable that Hive's own clients read.
        token = variables.get(_HIVE_TOKEN)
        given |= {"token": _Given(token, f"environment variable {_HIVE_TOKEN}")} if token else {}
    if "proxy_user" not in given and variables.get(_HADOOP_PROXY_USER):
        user = variables[_HADOOP_PROXY_USER]
        given |= {"proxy_user": _Given(user, f"environment variable {_HADOOP_PROXY_USER}")}
    if "uri" not in given:
        raise InvalidInputError(
            f"No metastore is configured. Set its URI as an argument (--uri), in {_PREFIX}URI, or in a catalog of "
            f"{file.path}."
        )
    return ResolvedSettings(_validated(given), {key: value.source for key, value in given.items()}, catalog)


def resolve_target(
    target: str, *, config: str | os.PathLike[str] | None = None, warehouse: str | None = None
) -> Settings:
    """The settings of a second catalog, which views are copied to.

    Environment and arguments describe the first catalog and are ignored, except that a URI takes storage options from
    the environment, since it has no others.

    Args:
        target: the name of a catalog in the configuration file, or the URI of a metastore.
        config: the configuration file.
        warehouse: the directory for its views.

    Raises:
        InvalidInputError: as ``load_catalog``.
    """
    is_uri = "://" in target or target == "memory:"
    kept = (_CONFIG, f"{_PREFIX}STORAGE_OPTIONS") if is_uri else (_CONFIG,)
    variables = {key: value for key, value in os.environ.items() if not key.startswith(_PREFIX) or key in kept}
    arguments = {"warehouse": warehouse, "uri": target if is_uri else None}
    return resolve(None if is_uri else target, config=config, arguments=arguments, environment=variables).settings


class _Given(NamedTuple):
    value: Any
    source: str


_NOTHING = _Given(None, "")


@dataclass(frozen=True)
class _ConfigFile:
    path: Path
    default: str | None
    catalogs: Mapping[str, Mapping[str, Any]]

    def settings(self, catalog: str) -> dict[str, _Given]:
        if catalog not in self.catalogs:
            raise _unknown(f"catalog {catalog!r} in {self.path}", catalog, self.catalogs)
        names = {name.replace("_", "-"): name for name in Settings.model_fields}
        given = {}
        for key, value in self.catalogs[catalog].items():
            if key not in names:
                raise _unknown(f"setting {key!r} (catalogs.{catalog} of {self.path})", key, names)
            given[names[key]] = _Given(value, f"catalogs.{catalog} of {self.path}")
        return given


def _config_file(argument: str | os.PathLike[str] | None, variables: Mapping[str, str]) -> _ConfigFile:
    given = argument or variables.get(_CONFIG)
    if given:
        return _read_config(Path(given).expanduser())
    here, at_home = Path("hive-views.toml"), _config_home(variables) / "hive-views" / "config.toml"
    found = next((path for path in (here, at_home) if path.is_file()), None)
    return _read_config(found.absolute()) if found else _ConfigFile(at_home, None, {})


def _config_home(variables: Mapping[str, str]) -> Path:
    home = Path(variables.get("XDG_CONFIG_HOME") or "~/.config")
    # A user without a home, as in a container that runs under a bare number, has no such file.
    with suppress(RuntimeError):
        return home.expanduser()
    return home


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file.

    Raises:
        InvalidInputError: it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInputError(f"Cannot read the configuration file {path}: {error}.", location=str(path)) from error


def _read_config(path: Path) -> _ConfigFile:
    content = read_toml(path)
    for key in content:
        if key not in ("default", "catalogs"):
            raise _unknown(f"key {key!r} (top of {path})", key, ("default", "catalogs"))
    default, catalogs = content.get("default"), content.get("catalogs", {})
    tables = isinstance(catalogs, dict) and all(isinstance(catalog, dict) for catalog in catalogs.values())
    if not tables or not isinstance(default, str | None):
        raise InvalidInputError(
            f'Cannot use {path}: it must have default = "name", and a table [catalogs.name] for each catalog.',
            location=str(path),
        )
    return _ConfigFile(path, default or (next(iter(catalogs)) if len(catalogs) == 1 else None), catalogs)


def _from_arguments(arguments: Mapping[str, Any]) -> dict[str, _Given]:
    for key in arguments:
        if key not in Settings.model_fields:
            raise _unknown(f"setting {key!r}", key, Settings.model_fields)
    return {key: _Given(value, "argument") for key, value in arguments.items() if value is not None}


def _from_environment(variables: Mapping[str, str]) -> dict[str, _Given]:
    names = {_PREFIX + name.upper(): name for name in Settings.model_fields}
    given = {}
    for variable, value in variables.items():
        if not variable.startswith(_PREFIX) or variable in _OTHERS:
            continue
        if variable not in names:
            raise _unknown(f"setting {variable!r} (environment)", variable, (*names, *_OTHERS))
        given[names[variable]] = _Given(value, f"environment variable {variable}")
    return given | {name: _json_object(given[name]) for name in _OBJECTS if name in given}


def _from_site(variables: Mapping[str, str], given: Mapping[str, _Given]) -> dict[str, _Given]:
    chosen = given.get("hive_conf_dir")
    if chosen is None and "uri" in given:
        return {}
    place = Path(str(chosen.value) if chosen else variables.get("HIVE_CONF_DIR", "/etc/hive/conf")).expanduser()
    found = read_site(place, variables, given=given, is_required=chosen is not None)
    return {name: _Given(*setting) for name, setting in found.items()}


def _json_object(given: _Given) -> _Given:
    try:
        return given._replace(value=json.loads(given.value))
    except ValueError:
        # The cause would quote the value, which may have a secret.
        raise InvalidInputError(f"Cannot read the {given.source}: it must be a JSON object.") from None


def _validated(given: Mapping[str, _Given]) -> Settings:
    try:
        return Settings.model_validate({key: value.value for key, value in given.items()})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        key = str(first["loc"][0]) if first["loc"] else "auth"
        source = given[key].source if key in given else "default"
        problem = first["msg"].removeprefix("Value error, ")
    raise InvalidInputError(f"Invalid value of setting {key} ({source}): {problem}.")


def _unknown(what: str, key: str, known: Iterable[str]) -> InvalidInputError:
    return InvalidInputError(f"There is no {what}. {did_you_mean(key, known)}", key=key)


def _shown(name: str, value: Any) -> str:
    if name in _OBJECTS:
        return ", ".join(key if name == "udfs" else f"{key}=***" for key in value)
    return "" if value is None else hide_credentials(str(value))
