"""The entry: a text in one dialect, as a text in another one that answers the same, or the reasons why not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

from hive_views.analysis import TableColumns
from hive_views.analysis.tree import read_typed
from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.sql.dialects import check_dialect
from hive_views.sql.query import QueryText
from hive_views.translation.checked_text import functions_of_checked
from hive_views.translation.in_place import edit_in_place
from hive_views.translation.to_trino.compiling import compile_to_trino
from hive_views.translation.translation_findings import Findings, Kind, Reason, check_allowed
from hive_views.translation.translation_result import Status, Translation

_TOO_DEEP = Reason("too-deep", Kind.UNSUPPORTED, "it is nested too deeply, or has too many operators beside each other")
_TRANSLATORS = {
    ("hive", "spark"): edit_in_place,
    ("spark", "hive"): edit_in_place,
    ("hive", "trino"): compile_to_trino,
    ("spark", "trino"): compile_to_trino,
}


def translate(
    text: str,
    source: str = "hive",
    target: str = "trino",
    *,
    tables: TableColumns,
    namespace: str = "default",
    columns: Sequence[Column] | None = None,
    allow: Collection[str] = (),
) -> Translation:
    """A query in another dialect; refused, with all reasons, unless it is known to answer the same.

    Args:
        text: one query.
        source: its dialect, ``hive`` or ``spark``.
        target: the dialect that is wanted, ``hive``, ``spark`` or ``trino``.
        tables: the columns of the tables and views that it reads.
        namespace: the namespace of one-part names.
        columns: names and types that the outputs get; by default those of the query.
        allow: codes of reasons of the kind ``DIFFERENT`` that are no reason to refuse.

    Raises:
        SQLSyntaxError: the text is not exactly one query, or names a column that no table has.
        InvalidInputError: a code in ``allow`` is none.
        UnsupportedFeatureError: there is no translation between these dialects.
    """
    pair = check_dialect(source), check_dialect(target)
    translator = _TRANSLATORS.get(pair)
    if translator is None:
        raise UnsupportedFeatureError(
            f"Cannot translate {pair[0]} SQL to {pair[1]}: the rules are from hive and spark, to hive, spark and trino."
        )
    query = read_typed(QueryText(text, pair[0]), namespace, tables)
    findings = Findings(text, check_allowed(allow))
    found: str | None = None
    try:
        found = translator(query, columns, findings)
    except RecursionError:
        findings.report(_TOO_DEEP, "the query", None)
    functions: tuple[str, ...] = ()
    if found is not None:
        # A star that the analysis does not expand is one of its columns.
        own = takewhile(lambda one: one.is_one, query.columns)
        wanted = [one.name for one in columns] if columns else [one.name for one in own]
        functions = functions_of_checked(found, pair[1], wanted, findings)
    in_order = tuple(sorted(findings.found, key=lambda one: (one.line or 0, one.column or 0)))
    if found is None or findings.refuses:
        return Translation(*pair, None, Status.REFUSED, in_order)
    return Translation(*pair, found, Status.UNCHANGED if found == text else Status.TRANSLATED, in_order, functions)
