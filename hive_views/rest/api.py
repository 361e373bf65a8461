"""A request as the routes see it, and what they respond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hive_views.errors import InvalidIdentifierError, InvalidInputError
from hive_views.metastore.port import Metastore
from hive_views.rest.request_errors import RequestError
from hive_views.rest.served import Served
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.spec.schema import SpecModel
from hive_views.views.client_catalog import ClientCatalog

SEPARATOR = "\x1f"
"""What the specification puts between the levels of a namespace in a path."""


@dataclass(frozen=True)
class ApiRequest:
    """One request of a route.

    Attributes:
        served: the catalog.
        path: the parts of the path by name.
        query: the parameters after the question mark.
        body: read as JSON.
        key: the idempotency key, the same when the request is sent again.
        owner: of the views that it creates, if the token of the client has one.
    """

    served: Served
    path: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    key: str | None = None
    owner: str | None = None

    @property
    def metastore(self) -> Metastore:
        return self.served.catalog.metastore

    @property
    def client_catalog(self) -> ClientCatalog:
        return self.served.client_catalog(self.owner)

    @property
    def namespace(self) -> str:
        """
        Raises:
            RequestError: no metastore has a namespace of this name.
        """
        return existing_level(self.path["namespace"])

    @property
    def view(self) -> TableIdentifier:
        """
        Raises:
            RequestError: no metastore has a view of this name.
        """
        return self._named("view", "NoSuchViewException", "View")

    @property
    def table(self) -> TableIdentifier:
        """
        Raises:
            RequestError: no metastore has a table of this name.
        """
        return self._named("table", "NoSuchTableException", "Table")

    def _named(self, part: str, type_: str, what: str) -> TableIdentifier:
        levels = self.path["namespace"].split(SEPARATOR)
        try:
            return TableIdentifier(one_level(levels), self.path[part])
        except InvalidInputError as error:
            message = f"{what} does not exist: {'.'.join([*levels, self.path[part]])}. {error}"
            raise RequestError(404, type_, message) from error


@dataclass(frozen=True)
class ApiResponse:
    """A document, or None for a response without a body."""

    document: Mapping[str, Any] | SpecModel | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


NO_CONTENT = ApiResponse(status=204)


def existing_level(name: str) -> str:
    """The namespace of a path or a query, which must exist.

    Raises:
        RequestError: no metastore has a namespace of this name.
    """
    levels = name.split(SEPARATOR)
    try:
        return one_level(levels)
    except InvalidInputError as error:
        # Iceberg's tests want these words alone.
        message = f"Namespace does not exist: {'.'.join(levels)}"
        raise RequestError(404, "NoSuchNamespaceException", message) from error


def one_level(levels: Sequence[str]) -> str:
    """The namespace of these levels.

    Raises:
        InvalidIdentifierError: there is not exactly one, or the metastore cannot store such a name.
    """
    if len(levels) != 1:
        name = ".".join(levels)
        raise InvalidIdentifierError(
            f"Cannot use {name!r} as a namespace: a metastore has namespaces of one level.", name=name
        )
    return check_namespace(levels[0])
