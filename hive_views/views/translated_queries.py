"""Queries in another dialect, with the columns of the tables that they read: from a catalog, or as given."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hive_views.analysis import TableColumns
from hive_views.hive.row import Column
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.sql.query import QueryText
from hive_views.translation import Translation
from hive_views.translation import translate as translate_query
from hive_views.views.catalog import ViewCatalog

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
    udfs: Mapping[str, Mapping[str, Any]] | None = None,
) -> Translation:
    """A query in another dialect that answers the same; refused, with all reasons, unless that is known.

    Nothing is executed or written. The text is parsed again in the other dialect, and all its functions exist there.

    >>> found = translate("SELECT size(a) AS n FROM web.t", tables={"web.t": [("a", "array<int>")]})
    >>> found.status
    <Status.TRANSLATED: 'translated'>

    Args:
        text: one query.
        source: its dialect: ``hive``, ``spark`` or ``trino``.
        target: the dialect that is wanted: ``hive``, ``spark`` or ``trino``.
        tables: the catalog that has the tables and views that it reads, or their columns: partition columns last.
        namespace: the namespace of tables without one.
        allow: codes of findings of the kind ``different`` that are no reason to refuse.
        udfs: functions of users, with the types of their results and arguments, and their names in each dialect:
            ``{"mask_ip": {"type": "string", "arguments": ["string"], "hive": "default.mask_ip", "trino": "mask_ip"}}``;
            by default those of the catalog's setting. That they answer the same is what their user says.

    Raises:
        SQLSyntaxError: the text is not exactly one query, or names a column that no table has.
        NoSuchTableError: a table does not exist in the catalog.
        InvalidInputError: a code in ``allow`` is none, or an entry in ``udfs`` is not valid.
        UnsupportedFeatureError: there are no rules from the one dialect to the other.
    """
    namespace = check_namespace(namespace)
    query = QueryText(text, source)
    known = _columns(tables, query, namespace)
    if udfs is None:
        udfs = tables.settings.udfs if isinstance(tables, ViewCatalog) else {}
    return translate_query(query, source, target, tables=known, namespace=namespace, allow=allow, udfs=udfs)


def _columns(tables: ViewCatalog | GivenTables, query: QueryText, namespace: str) -> TableColumns:
    if isinstance(tables, ViewCatalog):
        return tables.engine.tables.analyze(query, namespace)[1].columns
    found = {TableIdentifier.of(name): columns for name, columns in tables.items()}
    return {
        (name.namespace, name.name): [one if isinstance(one, Column) else Column(*one) for one in columns]
        for name, columns in found.items()
    }
