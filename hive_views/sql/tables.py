"""The tables that a query reads."""

from __future__ import annotations

from collections.abc import Sequence

from hive_views.errors import UnsupportedFeatureError
from hive_views.sql import parser
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.sql.outline import NamePart
from hive_views.sql.query import QueryText


def other_catalog(name: str | None) -> str | None:
    """The catalog of this name; None for the metastore, as Spark and Trino call it."""
    return name if name and name.lower() not in METASTORE_CATALOGS else None


def referenced_tables(query: QueryText, namespace: str, catalog: str | None = None) -> tuple[tuple[str, ...], ...]:
    """The tables and views that the query names, in the order of the text, each once (whatever the case).

    Names of common table expressions and table functions are not tables. There may be more: see
    ``refuse_unread_names``.

    Args:
        query: one query.
        namespace: what a name of one part gets.
        catalog: what a name of one or two parts gets before that, where it is not the metastore.

    Returns:
        ``(namespace, name)`` as typed, a catalog that stands for the metastore left out. A name of more parts belongs
        to another catalog, and has all of them.

    Raises:
        SQLSyntaxError: the text is not exactly one query.
        UnsupportedFeatureError: no parser here knows the dialect.
    """
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for written in (_texts(parts) for parts in _written(query)):
        name = (namespace, *written) if len(written) == 1 else written
        if catalog and len(name) == 2:
            name = (catalog, *name)
        elif len(written) == 3 and written[0].lower() in METASTORE_CATALOGS:
            name = written[1:]
        found.setdefault(tuple(part.lower() for part in name), name)
    return tuple(found.values())


def refuse_unread_names(query: QueryText) -> None:
    """Refuse a query of which ``referenced_tables`` may not give all: ``TABLE(t)`` as an argument, ``IDENTIFIER('t')``.

    Raises:
        SQLSyntaxError: it is such a query, or a literal, name or comment in it is not closed.
        UnsupportedFeatureError: as ``referenced_tables``.
    """
    _check_parsed(query)
    parser.refuse_unread_names(query.tokens)


def names_as_written(query: QueryText) -> tuple[tuple[str, ...], ...]:
    """The same names with all the parts, and only those, that are written; not those that are the path of a file.

    Raises:
        SQLSyntaxError, UnsupportedFeatureError: as ``refuse_unread_names``, or it is no query.
    """
    refuse_unread_names(query)
    return tuple(_texts(parts) for parts in _written(query) if not _is_path(parts))


def unqualified_tables(query: QueryText) -> tuple[str, ...]:
    """The names of one part among them, which mean different tables in different databases.

    Raises:
        SQLSyntaxError, UnsupportedFeatureError: as ``refuse_unread_names``, or it is no query.
    """
    refuse_unread_names(query)
    # No namespace is called that.
    return tuple(name[1] for name in referenced_tables(query, "") if name[0] == "")


def with_full_names(query: QueryText, namespace: Sequence[str], catalog: str | None = None) -> str:
    """The text with every table named in full, so that it means the same wherever its names resolve.

    Nothing else is changed. Names of functions stay.

    Args:
        query: one query.
        namespace: what a name of one part gets.
        catalog: what a name of one or two parts gets before that; by default nothing.

    Raises:
        SQLSyntaxError, UnsupportedFeatureError: as ``refuse_unread_names``, or it is no query.
    """
    refuse_unread_names(query)
    full = str(query)
    before = [catalog] if catalog else []
    for parts in sorted(_written(query), key=lambda parts: -parts[0].start):
        added = [*before, *namespace] if len(parts) == 1 else before if len(parts) == 2 and not _is_path(parts) else []
        prefix = "".join(f"{parser.quoted_name(one, query.dialect)}." for one in added)
        full = full[: parts[0].start] + prefix + full[parts[0].start :]
    return full


def _written(query: QueryText) -> tuple[tuple[NamePart, ...], ...]:
    _check_parsed(query)
    return parser.tables(query.statement)


def _check_parsed(query: QueryText) -> None:
    if not query.is_parsed:
        raise UnsupportedFeatureError(
            f"Cannot tell which tables a {query.dialect} text reads, because no parser here knows the dialect.",
        )


def _texts(parts: Sequence[NamePart]) -> tuple[str, ...]:
    return tuple(part.text for part in parts)


def _is_path(parts: Sequence[NamePart]) -> bool:
    """Whether Spark takes it for a file, as in ``parquet.`/data/clicks` ``; no name of a table has a slash."""
    return len(parts) == 2 and "/" in parts[1].text
