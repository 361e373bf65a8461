"""Which views a verb is for: names and patterns, resolved to rows.

A pattern is ``namespace.name`` in which ``*`` stands for any characters, ``?`` for one, and ``[abc]`` for one of these:
``sales.*`` is a namespace, ``*.*`` all views.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import translate

from hive_views.errors import (
    HiveViewsError,
    InvalidIdentifierError,
    InvalidInputError,
    NoSuchNamespaceError,
    NoSuchViewError,
)
from hive_views.hive.row import Row
from hive_views.messages.did_you_mean import nearest
from hive_views.messages.remedy import Remedy
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.views.commit.rows_in_bulk import OnUnreadable, refuse, rows_of

ALL_VIEWS = "*.*"

_WILDCARDS = re.compile(r"[*?\[]")


def select_rows(metastore: Metastore, patterns: Iterable[str], on_unreadable: OnUnreadable = refuse) -> list[Row]:
    """The rows of all views that match one of the patterns, plain views too, sorted by name, each once.

    A name without wildcards gives the row that has it, of a table too, so that a verb can say why it leaves it. Of each
    namespace the names are listed in one call, and the rows read a hundred in a call.

    Args:
        metastore: where the views are.
        patterns: names and patterns.
        on_unreadable: called with each name that matches and whose row the metastore fails on; raises by default.

    Raises:
        InvalidInputError: there is no pattern, or one has not two parts.
        NoSuchNamespaceError: a namespace that was named without wildcards does not exist.
        NoSuchViewError: a pattern matches nothing, with the nearest name.
    """
    split = [_split(pattern) for pattern in _checked(patterns)]
    found: dict[TableIdentifier, Row] = {}
    unmatched = set(split)
    for namespace, ours in _by_namespace(metastore, split).items():
        there: set[str] = set()

        def unreadable(name: TableIdentifier, error: HiveViewsError, there: set[str] = there) -> None:
            there.add(name.name)
            on_unreadable(name, error)

        try:
            rows = list(rows_of(metastore, namespace, _names(metastore, namespace, ours), unreadable))
        except NoSuchNamespaceError:
            if _is_named(namespace, ours):
                raise
            continue  # dropped since it was listed
        found |= {row.identifier: row for row in rows}
        there |= {row.identifier.name for row in rows}
        unmatched -= {(space, name) for space, name in ours if any(_matches(name, one) for one in there)}
        for _, name in ours & unmatched:
            # Of another namespace the pattern may match yet, where its own has a wildcard.
            if not any(_WILDCARDS.search(space) for space, other in ours if other == name):
                raise _nothing_matches(f"{namespace}.{name}", namespace, metastore.list_view_names(namespace))
    for namespace, name in sorted(unmatched):
        raise _nothing_matches(f"{namespace}.{name}", None, ())
    return [found[identifier] for identifier in sorted(found)]


def select_or_all(metastore: Metastore, patterns: Sequence[str], on_unreadable: OnUnreadable = refuse) -> list[Row]:
    """As ``select_rows``; without a pattern the rows of all views, of which there may be none."""
    try:
        return select_rows(metastore, patterns or (ALL_VIEWS,), on_unreadable)
    except NoSuchViewError:
        if patterns:
            raise
        return []


def matches(pattern: str, identifier: TableIdentifier) -> bool:
    """Whether a pattern means this name.

    Raises:
        InvalidInputError: it is no pattern.
    """
    namespace, name = _split(pattern)
    return _matches(namespace, identifier.namespace) and _matches(name, identifier.name)


def check_patterns(patterns: Iterable[str]) -> None:
    """
    Raises:
        InvalidInputError: one is no pattern.
    """
    for pattern in patterns:
        _split(pattern)


def matches_any(patterns: Iterable[str], identifier: TableIdentifier) -> bool:
    """Whether one of the patterns means this name."""
    return any(matches(pattern, identifier) for pattern in patterns)


def namespaces_of(metastore: Metastore, patterns: Iterable[str]) -> list[str]:
    """The namespaces in which names may match, sorted; those that are named without wildcards need not exist.

    Raises:
        InvalidInputError: there is no pattern, or one has not two parts.
    """
    return sorted(_by_namespace(metastore, [_split(pattern) for pattern in _checked(patterns)]))


def names_namespace(patterns: Iterable[str], namespace: str) -> bool:
    """Whether a pattern gives this namespace without wildcards, so that it must exist."""
    return _is_named(namespace, map(_split, patterns))


def is_of_many(pattern: str) -> bool:
    """Whether a pattern may match several names of a namespace."""
    return bool(_WILDCARDS.search(_split(pattern)[1]))


def is_of_namespaces(pattern: str) -> bool:
    """Whether a pattern may match names of several namespaces."""
    return bool(_WILDCARDS.search(_split(pattern)[0]))


def is_name(pattern: str) -> bool:
    """Whether a pattern is the name of one view, without a wildcard.

    Raises:
        InvalidInputError: it is no pattern.
    """
    return not any(_WILDCARDS.search(part) for part in _split(pattern))


def select_names(names: Iterable[str], patterns: Iterable[str], *, missing_ok: bool = False) -> list[str]:
    """Those of the names (``namespace.name``) that match one of the patterns, in their order.

    Args:
        names: to select from.
        patterns: as ``select_rows`` takes them.
        missing_ok: a pattern may match nothing.

    Raises:
        InvalidInputError: there is no pattern, or one has not two parts.
        NoSuchViewError: a pattern matches none of them, with the nearest name.
    """
    known = list(names)
    found: set[str] = set()
    for pattern in _checked(patterns):
        namespace, name = _split(pattern)
        matching = {one for one in known if _matches(f"{namespace}.{name}", one)}
        if not (matching or missing_ok):
            near = nearest(f"{namespace}.{name}", known)
            hint = f" Did you mean {near!r}?" if near else ""
            raise NoSuchViewError(f"{_none(pattern)}{hint}", identifier=pattern)
        found |= matching
    return [one for one in known if one in found]


def _checked(patterns: Iterable[str]) -> Sequence[str]:
    given = [patterns] if isinstance(patterns, str) else list(patterns)
    if not given:
        raise InvalidInputError(
            f"Specify the views: names or patterns such as 'sales.*'; '{ALL_VIEWS}' is all of them."
        )
    return given


def _split(pattern: str) -> tuple[str, str]:
    if not isinstance(pattern, str) or not _WILDCARDS.search(pattern):
        try:
            identifier = TableIdentifier.of(pattern)
        except InvalidIdentifierError as error:
            if not isinstance(pattern, str) or "." in pattern:
                raise
            remedy = Remedy(
                in_python=f"All views of a namespace are '{pattern}.*'.",
                in_shell=f"All views of a namespace are --namespace {pattern}, or the pattern {pattern}.*.",
            )
            raise replace(error, remedy=remedy) from error
        return identifier.namespace, identifier.name
    namespace, dot, name = pattern.lower().partition(".")
    if not (namespace and dot and name) or "." in name:
        raise InvalidInputError(
            f"Cannot use {pattern!r} as a pattern: it has two parts, a namespace and a name, as in 'sales.*'; "
            f"'{ALL_VIEWS}' is all views."
        )
    return namespace if _WILDCARDS.search(namespace) else check_namespace(namespace), name


def _by_namespace(metastore: Metastore, split: Sequence[tuple[str, str]]) -> dict[str, set[tuple[str, str]]]:
    """By namespace, in their order, the patterns that may match there."""
    spaces = {namespace for namespace, _ in split}
    existing: Iterable[str] = spaces
    if any(_WILDCARDS.search(namespace) for namespace in spaces):
        listed = metastore.list_namespaces()
        existing = {*listed, *(space for space in spaces if not _WILDCARDS.search(space))}
    return {
        namespace: ours
        for namespace in sorted(existing)
        if (ours := {(space, name) for space, name in split if _matches(space, namespace)})
    }


def _names(metastore: Metastore, namespace: str, patterns: set[tuple[str, str]]) -> list[str]:
    """The names in a namespace whose rows are to be read, in as few calls as there can be."""
    exact = {name for _, name in patterns if not _WILDCARDS.search(name)}
    if len(exact) == len({name for _, name in patterns}):
        return sorted(exact)
    names = metastore.list_view_names(namespace)
    if not names and _is_named(namespace, patterns):
        metastore.load_namespace(namespace)
    return sorted(exact | {name for name in names if any(_matches(pattern, name) for _, pattern in patterns)})


def _is_named(namespace: str, split: Iterable[tuple[str, str]]) -> bool:
    return any(space == namespace for space, _ in split)


def _matches(pattern: str, name: str) -> bool:
    return re.fullmatch(translate(pattern), name) is not None


def _nothing_matches(pattern: str, namespace: str | None, names: Iterable[str]) -> NoSuchViewError:
    near = nearest(pattern.partition(".")[2], names)
    hint = f" Did you mean {f'{namespace}.{near}'!r}?" if near else ""
    return NoSuchViewError(f"{_none(pattern)}{hint}", identifier=pattern)


def _none(pattern: str) -> str:
    return f"No view matches {pattern!r}." if _WILDCARDS.search(pattern) else f"There is no view {pattern}."
