"""Whether two texts are certainly the same query; where that is not proved, they may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from hive_views.analysis import tree
from hive_views.analysis.query_analysis import TableColumns
from hive_views.errors import InvalidInputError, SQLSyntaxError
from hive_views.sql.query import QueryText

FindTables = Callable[[Sequence[tuple[str, str]]], TableColumns]
"""Finds the columns of tables; those that are not known are left out."""


def is_same_wording(one: str, other: str, dialect: str) -> bool:
    """Whether two texts in one dialect differ only in spaces, comments, case, and quotes of names."""
    if str(one) == str(other):
        return True
    with suppress(InvalidInputError):
        return tree.is_same_wording(QueryText(one, dialect), QueryText(other, dialect))
    return False


def is_same_meaning(one: QueryText, other: QueryText, namespace: str, find: FindTables) -> bool:
    """Whether two texts in any dialects certainly give the same columns of the same rows.

    That is proved of queries that all engines on a metastore read alike: columns of tables, ``count``, ``min`` and
    ``max``, with joins, filters and groups on columns that every engine compares in the same way. Two that differ in a
    literal, an operator or the order of anything are not the same.

    Args:
        one: a query.
        other: another one.
        namespace: the namespace of one-part names, in the metastore.
        find: finds the columns of the tables; only called for two that may be the same.
    """
    if one.dialect == other.dialect:
        return is_same_wording(one, other, one.dialect)
    with suppress(SQLSyntaxError):
        found, wanted = tree.common_query(one, namespace), tree.common_query(other, namespace)
        if found is not None and wanted is not None and found.tree == wanted.tree:
            return found.is_read_alike(find(found.tables))
    return False
