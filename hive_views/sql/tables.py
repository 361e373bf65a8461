"""The tables that a query reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hive_views.errors import UnsupportedFeatureError
from hive_views.sql import parser
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.sql.outline import NamePart
from hive_views.sql.query import QueryText
from hive_views.sql.text_edits import Edit, edited


def other_catalog(name: str | None) -> str | None:
    """The catalog of this name; None for the metastore, as Spark and Trino call it."""
    return name if name and name.lower() not in METASTORE_CATALOGS else None


def referenced_tables(query: QueryText, namespace: str, catalog: str | None = None) -> tuple[tuple[str, ...], ...]:
    """The tables and views that the query names, in the order of the text, each once (case-insensitively).

    Common table expressions and table functions are left out. A query may name more tables than are found: see
    ``refuse_unread_names``.

    Args:
        query: one query.
        namespace: the namespace of one-part names.
        catalog: the catalog of one- and two-part names, where it is not the metastore.

    Returns:
        ``(namespace, name)`` as typed, without a catalog that stands for the metastore. A longer name belongs to
        another catalog and keeps all its parts.

    Raises:
        SQLSyntaxError: the text is not exactly one query.
        UnsupportedFeatureError: this library has no parser for the dialect.
    """
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for written in (_texts(parts) for parts in _written(query)):
        name = _full(written, namespace, catalog)
        found.setdefault(tuple(part.lower() for part in name), name)
    return tuple(found.values())


def place_of_table(query: QueryText, namespace: str, name: Sequence[str]) -> int | None:
    """The offset where the query first names a table of the metastore, given as ``(namespace, name)`` in lower case."""
    for parts in _written(query):
        if tuple(part.lower() for part in _full(_texts(parts), namespace, None)) == tuple(name):
            return parts[0].start
    return None


def _full(written: tuple[str, ...], namespace: str, catalog: str | None) -> tuple[str, ...]:
    name = (namespace, *written) if len(written) == 1 else written
    if catalog and len(name) == 2:
        return (catalog, *name)
    return written[1:] if len(written) == 3 and written[0].lower() in METASTORE_CATALOGS else name


def refuse_unread_names(query: QueryText) -> None:
    """Refuse a query that may read tables which ``referenced_tables`` does not find, as ``f(TABLE(t))``.

    Raises:
        SQLSyntaxError: it is such a query, or a literal, name or comment in it is not closed.
        UnsupportedFeatureError: as ``referenced_tables``.
    """
    _check_parsed(query)
    parser.refuse_unread_names(query.tokens)


def names_as_written(query: QueryText) -> tuple[tuple[str, ...], ...]:
    """The names of the tables with exactly the parts that are written; paths of files are left out.

    Raises:
        SQLSyntaxError, UnsupportedFeatureError: as ``refuse_unread_names``, or it is no query.
    """
    refuse_unread_names(query)
    return tuple(_texts(parts) for parts in _written(query) if not _is_path(parts))


def unqualified_tables(query: QueryText) -> tuple[str, ...]:
    """The one-part names among them, which mean different tables in different databases.

    Raises:
        SQLSyntaxError, UnsupportedFeatureError: as ``refuse_unread_names``, or it is no query.
    """
    refuse_unread_names(query)
    # No namespace is called that.
    return tuple(name[1] for name in referenced_tables(query, "") if name[0] == "")


def with_full_names(
    query: QueryText,
    namespace: Sequence[str],
    catalog: str | None = None,
    *,
    leaving: Collection[tuple[str, str]] = (),
) -> str:
    """The text with every table name fully qualified, so that it means the same wherever names resolve.

    Nothing else changes; function names stay.

    Args:
        query: one query.
        namespace: the namespace to add to one-part names.
        catalog: the catalog to add to one- and two-part names; by default none.
        leaving: tables, as (namespace, name) in lower case, whose names stay as they are.

    Raises:
        SQLSyntaxError, UnsupportedFeatureError: as ``refuse_unread_names``, or it is no query.
    """
    refuse_unread_names(query)
    edits = []
    before = [catalog] if catalog else []
    for parts in _written(query):
        added = [*before, *namespace] if len(parts) == 1 else before if len(parts) == 2 and not _is_path(parts) else []
        if tuple(text.lower() for text in (*namespace, *_texts(parts))[-2:]) in leaving:
            continue
        prefix = "".join(f"{parser.quoted_name(one, query.dialect)}." for one in added)
        edits.append(Edit(parts[0].start, parts[0].start, prefix))
    return edited(query, edits)


def _written(query: QueryText) -> tuple[tuple[NamePart, ...], ...]:
    _check_parsed(query)
    return query.table_names


def _check_parsed(query: QueryText) -> None:
    if not query.is_parsed:
        raise UnsupportedFeatureError(
            f"Cannot tell which tables the {query.dialect} SQL reads, because this library has no parser for it.",
        )


def _texts(parts: Sequence[NamePart]) -> tuple[str, ...]:
    return tuple(part.text for part in parts)


def _is_path(parts: Sequence[NamePart]) -> bool:
    """Whether Spark takes it for a file, as in ``parquet.`/data/clicks` ``; no name of a table has a slash."""
    return len(parts) == 2 and "/" in parts[1].text
