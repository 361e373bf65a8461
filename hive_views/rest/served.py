"""The catalogs of a server by their prefix, and the client's own name for each.

A version's ``default-catalog`` is the name of a catalog in the client that wrote it; in another client the name differs
or means another catalog. Our files have none where names resolve in the metastore; a client that needs one gets its own
name (``prod@tro``), and sends it back. What another client has written stays as it is, except for the name that Spark
always has for the metastore.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hive_views.errors import InvalidInputError, UnsupportedFeatureError
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.persisted import STALE_DIALECTS, TRANSLATED
from hive_views.rest.bodies import LoadedView
from hive_views.rest.proxied_catalogs import ProxiedCatalogs
from hive_views.rest.request_errors import RequestError
from hive_views.spec.metadata import ViewVersion
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.on_drift import Drift
from hive_views.views.changes.run_as import RunAs
from hive_views.views.client_catalog import ClientCatalog
from hive_views.views.view import View

_NAME_SEPARATOR = "@"
_METASTORE = "spark_catalog"
_OF_ROUTES = ("namespaces", "views", "tables", "config", "oauth")


@dataclass(frozen=True)
class Served:
    """A catalog as clients with one name for it see it; without a name, we add no ``default-catalog``."""

    prefix: str
    name: str
    catalog: ViewCatalog
    client_name: str | None
    on_drift: Drift
    users: frozenset[str] | None = None

    def run_as(self, owner: str | None) -> RunAs:
        """The users whose views and namespaces a client may make: its owner, or else the users of this server."""
        if owner:
            return RunAs(frozenset((owner,)))
        return RunAs(self.users, self.catalog.settings.owner)

    def client_catalog(self, owner: str | None) -> ClientCatalog:
        """The operations of a client, whose views are owned by ``owner``."""
        run_as, name = self.run_as(owner), self.client_name
        return ClientCatalog(self.catalog.engine, owner=owner, run_as=run_as, client_name=name, on_drift=self.on_drift)

    def loaded(self, view: View) -> LoadedView:
        """A view as its client sees it."""
        metadata = view.metadata
        if self.client_name:
            versions = tuple(self._with_client_name(version) for version in metadata.versions)
            metadata = metadata.model_copy(update={"versions": versions})
        stale = view.stale_dialects
        # Clients ignore what they do not know of it.
        config = {STALE_DIALECTS: json.dumps(sorted(stale))} if stale else {}
        config |= {TRANSLATED + dialect: record.as_json() for dialect, record in view.translations.items()}
        return LoadedView(metadata_location=view.metadata_location, metadata=metadata, config=config)

    def _with_client_name(self, version: ViewVersion) -> ViewVersion:
        if version.default_catalog in (None, _METASTORE):
            return version.model_copy(update={"default_catalog": self.client_name})
        return version


class ServedCatalogs:
    """The catalogs of one server.

    Args:
        catalogs: by name; requests without a prefix are for the only one.
        client_names: by the name of a catalog, what its clients call it by default.
        on_drift: what commits do where a row was changed without updating its metadata file.
        allowed: the locations that are read and written; by default all on the storage of a data lake.
        users: the users that clients without an owner may name as owner of a view or namespace; by default any.
        connect_as: opens the catalog of a name so that its metastore is asked for a user; by default clients whose
            token has a proxy user cannot be served.

    Raises:
        InvalidInputError: a name cannot be a prefix, or a client's name is for a catalog that is not served.
    """

    def __init__(
        self,
        catalogs: Mapping[str, ViewCatalog],
        *,
        client_names: Mapping[str, str] | None = None,
        on_drift: Drift = "fail",
        allowed: AllowedLocations | None = None,
        users: frozenset[str] | None = None,
        connect_as: Callable[[str, str], ViewCatalog] | None = None,
    ) -> None:
        self.catalogs = dict(catalogs)
        for catalog in self.catalogs.values():
            catalog.storage.allow_only(allowed or AllowedLocations())
        self._client_names = dict(client_names or {})
        self._on_drift, self._users = on_drift, users
        self._connect_as = connect_as
        self._proxied = ProxiedCatalogs(self._opened_for)
        for name in self.catalogs:
            if not name or name in _OF_ROUTES or _NAME_SEPARATOR in name or "/" in name:
                raise InvalidInputError(f"Cannot serve a catalog as {name!r}: use another name.")
        for name in self._client_names:
            if name not in self.catalogs:
                raise InvalidInputError(f"The catalog {name!r} is not served. {did_you_mean(name, self.catalogs)}")

    def of(self, prefix: str | None) -> Served:
        """The catalog of a prefix, or of the setting ``warehouse``: ``prod``, or ``prod@tro``.

        Raises:
            RequestError: there is no such catalog.
        """
        if not prefix and len(self.catalogs) == 1:
            prefix = next(iter(self.catalogs))
        name, _, client_name = (prefix or "").partition(_NAME_SEPARATOR)
        if name not in self.catalogs:
            which = f"There is no catalog {name!r}." if name else "There are several catalogs, and none is named."
            message = f"{which} Set the client's warehouse to one of: {', '.join(self.catalogs)}."
            raise RequestError(404, "NoSuchWarehouseException", message)
        known_as = client_name or self._client_names.get(name)
        return Served(prefix or name, name, self.catalogs[name], known_as, self._on_drift, self._users)

    @contextmanager
    def acting_for(self, user: str | None, served: Served) -> Iterator[Served]:
        """A catalog for the requests of a client: its metastore is asked for this user, by default for the server.

        Raises:
            HiveViewsError: the metastore cannot be asked for the user.
        """
        if user is None:
            yield served
            return
        with self._proxied.using(served.name, user) as catalog:
            yield replace(served, catalog=catalog)

    def _opened_for(self, name: str, user: str) -> ViewCatalog:
        if self._connect_as is None:
            raise UnsupportedFeatureError(f"Cannot act for {user!r}: this server has no proxy users.")
        opened, own = self._connect_as(name, user), self.catalogs[name]
        # The files are the server's, whoever asks, and so is where they may be.
        return ViewCatalog(opened.metastore, own.storage, warehouse=own.warehouse, settings=opened.settings)

    def close(self) -> None:
        """Close the connections of all catalogs."""
        self._proxied.close()
        for catalog in self.catalogs.values():
            catalog.close()
