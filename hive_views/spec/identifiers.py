"""Names of views, tables and namespaces: reading them, writing them, the rules of the metastore for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hive_views.errors import InvalidIdentifierError

_HIVE_NAME = re.compile(r"[A-Za-z0-9_]+")
MAX_NAME_LENGTH = 128
_PART = re.compile(r"\s*(?:`((?:[^`]|``)+)`|([^`.\s]+))\s*(?:\.|$)")


@dataclass(frozen=True, order=True)
class TableIdentifier:
    """A view or table in a one-level namespace, both folded to lower case as the metastore does.

    Raises:
        InvalidIdentifierError: a part is empty, too long, or has characters other than ASCII letters, digits and
            ``_`` (the only ones every Hive version accepts).
    """

    namespace: str
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "namespace", check_namespace(self.namespace))
        object.__setattr__(self, "name", _checked(self.name, "name"))

    def __str__(self) -> str:
        return f"{self.namespace}.{self.name}"

    @classmethod
    def of(cls, name: str | tuple[str, str] | TableIdentifier) -> TableIdentifier:
        """Read ``"sales.daily"``, ``"`sales`.`daily`"`` or ``("sales", "daily")``.

        Raises:
            InvalidIdentifierError: not exactly a namespace and a name, or a part breaks the metastore's rules.
        """
        if isinstance(name, TableIdentifier):
            return name
        parts = split_name(name) if isinstance(name, str) else name
        if not isinstance(parts, (tuple, list)) or len(parts) != 2:
            raise InvalidIdentifierError(
                f"Cannot use {name!r} as the name of a view: it needs exactly two parts, "
                f"a namespace and a name, as in 'sales.daily_clicks'.",
                name=str(name),
            )
        return cls(*parts)


Identifier = str | tuple[str, str] | TableIdentifier
"""The forms in which a caller names a view or table."""


def split_name(name: str) -> tuple[str, ...]:
    """The parts of a dotted, optionally quoted name; a doubled backtick inside quotes is one.

    Raises:
        InvalidIdentifierError: the text is not a dotted name.
    """
    parts: list[str] = []
    position, open_end = 0, True
    while position < len(name):
        match = _PART.match(name, position)
        if not match:
            break
        quoted, plain = match.groups()
        parts.append(quoted.replace("``", "`") if quoted is not None else plain)
        position, open_end = match.end(), match.group().rstrip().endswith(".")
    if position < len(name) or open_end:
        raise InvalidIdentifierError(
            f"Cannot read {name!r} as a name: write it as namespace.name, each part plain or in backticks.",
            name=name,
        )
    return tuple(parts)


def check_namespace(namespace: str) -> str:
    """The namespace in the metastore's spelling (lower case).

    Raises:
        InvalidIdentifierError: it is not a name that every Hive version accepts.
    """
    return _checked(namespace, "namespace")


def by_namespace(names: Iterable[TableIdentifier]) -> dict[str, list[TableIdentifier]]:
    """Names by their namespaces, each in the order in which they come."""
    found: dict[str, list[TableIdentifier]] = {}
    for name in names:
        found.setdefault(name.namespace, []).append(name)
    return found


def split_usable_names(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Names that a metastore lists, sorted: those that this library can use, and those that it cannot."""
    usable: list[str] = []
    others: list[str] = []
    for name in sorted(names):
        (usable if _HIVE_NAME.fullmatch(name) and len(name) <= MAX_NAME_LENGTH else others).append(name)
    return usable, others


def _checked(part: str, what: str) -> str:
    if not isinstance(part, str) or not _HIVE_NAME.fullmatch(part):
        raise InvalidIdentifierError(
            f"Cannot use {part!r} as a {what}: the metastore takes ASCII letters, digits and '_' only.", name=part
        )
    if len(part) > MAX_NAME_LENGTH:
        raise InvalidIdentifierError(
            f"Cannot use a {what} of {len(part)} characters ({part[:40]}...): the metastore holds {MAX_NAME_LENGTH}.",
            name=part,
        )
    return part.lower()
