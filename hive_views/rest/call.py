"""One request as the routes see it, and one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hive_views.errors import InvalidIdentifierError, InvalidInputError
from hive_views.rest.bodies import body_of
from hive_views.rest.request_errors import RequestError
from hive_views.rest.served import Served
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.spec.schema import SpecModel

_Body = TypeVar("_Body", bound=SpecModel)

SEPARATOR = "\x1f"
"""What the specification puts between the levels of a namespace in a path."""


@dataclass(frozen=True)
class Call:
    """What is asked for.

    Attributes:
        served: the catalog.
        path: the parts of the path by name.
        query: what follows the question mark.
        content: the body, read as JSON.
        key: of the request, the same when it is sent again.
        owner: whom views that it creates belong to, where the caller's token says so.
    """

    served: Served
    path: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    content: Any = None
    key: str | None = None
    owner: str | None = None

    def body(self, kind: type[_Body]) -> _Body:
        """
        Raises:
            InvalidInputError: it is another one.
        """
        return body_of(kind, self.content)

    @property
    def namespace(self) -> str:
        """
        Raises:
            RequestError: no metastore has such a one.
        """
        return existing_level(self.path["namespace"])

    @property
    def view(self) -> TableIdentifier:
        """
        Raises:
            RequestError: no metastore has such a one.
        """
        return self._named("view", "NoSuchViewException", "View")

    @property
    def table(self) -> TableIdentifier:
        """
        Raises:
            RequestError: no metastore has such a one.
        """
        return self._named("table", "NoSuchTableException", "Table")

    def _named(self, part: str, type_: str, what: str) -> TableIdentifier:
        levels = self.path["namespace"].split(SEPARATOR)
        try:
            return TableIdentifier(one_level(levels), self.path[part])
        except InvalidInputError as error:
            message = f"{what} does not exist: {'.'.join([*levels, self.path[part]])}"
            raise RequestError(404, type_, f"{message}. {error}") from error


@dataclass(frozen=True)
class Answer:
    """What came of it: a document, or None for an answer without a body."""

    document: Mapping[str, Any] | SpecModel | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


DONE = Answer(status=204)


def existing_level(written: str) -> str:
    """The namespace of a path or a query, which is to be there.

    Raises:
        RequestError: no metastore has such a one.
    """
    levels = written.split(SEPARATOR)
    try:
        return one_level(levels)
    except InvalidInputError as error:
        # Iceberg's tests want these words alone.
        message = f"Namespace does not exist: {'.'.join(levels)}"
        raise RequestError(404, "NoSuchNamespaceException", message) from error


def one_level(levels: Sequence[str]) -> str:
    """The namespace that these levels name.

    Raises:
        InvalidIdentifierError: there is not exactly one, or it is no name of a metastore.
    """
    if len(levels) != 1:
        raise InvalidIdentifierError(
            f"Cannot use {'.'.join(levels)!r} as a namespace: a metastore has namespaces of one level.",
            name=".".join(levels),
        )
    return check_namespace(levels[0])
