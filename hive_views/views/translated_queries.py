"""Queries in another dialect, with the columns of the tables that they read: from a catalog, or as given."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hive_views.analysis import TableColumns
from hive_views.hive.row import Column
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.sql.query import QueryText
from hive_views.translation import Translation
from hive_views.translation import translate as translate_query
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.analyzed_query import Tables

GivenTables = Mapping[str, Sequence[Column] | Sequence[tuple[str, str]]]
"""The columns of tables by ``"namespace.name"``: ``{"web.clicks": [("user_id", "bigint"), ("ds", "string")]}``."""


def translate(
    text: str,
    source: str = "hive",
    target: str = "trino",
    *,
    tables: ViewCatalog | GivenTables,
    namespace: str = "default",
    allow: Collection[str] = (),
) -> Translation:
    """A query in another dialect that answers the same; refused, with all reasons, unless that is known.

    Nothing is executed or written. The text is parsed again in the other dialect, and all its functions exist there.

    >>> found = translate("SELECT size(a) AS n FROM web.t", tables={"web.t": [("a", "array<int>")]})
    >>> found.status
    <Status.TRANSLATED: 'translated'>

    Args:
        text: one query.
        source: its dialect, ``hive`` or ``spark``.
        target: the dialect that is wanted: ``hive``, ``spark`` or ``trino``.
        tables: the catalog that has the tables and views that it reads, or their columns: partition columns last.
        namespace: the namespace of tables without one.
        allow: codes of findings of the kind ``different`` that are no reason to refuse.

    Raises:
        SQLSyntaxError: the text is not exactly one query, or names a column that no table has.
        NoSuchTableError: a table does not exist in the catalog.
        InvalidInputError: a code in ``allow`` is none.
        UnsupportedFeatureError: there are no rules from the one dialect to the other.
    """
    namespace = check_namespace(namespace)
    query = QueryText(text, source)
    known = _columns(tables, query, namespace)
    return translate_query(query, source, target, tables=known, namespace=namespace, allow=allow)


def _columns(tables: ViewCatalog | GivenTables, query: QueryText, namespace: str) -> TableColumns:
    if isinstance(tables, ViewCatalog):
        return Tables(tables.metastore, tables.storage.files).analyze(query, namespace)[1].columns
    found = {TableIdentifier.of(name): columns for name, columns in tables.items()}
    return {
        (name.namespace, name.name): [one if isinstance(one, Column) else Column(*one) for one in columns]
        for name, columns in found.items()
    }
