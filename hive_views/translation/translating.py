"""The entry: a text in one dialect, as a text in another one that answers the same, or the reasons why not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from hive_views.analysis import TableColumns
from hive_views.analysis.tree import TypedQuery, read_typed
from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.sql.dialects import check_dialect
from hive_views.sql.query import QueryText
from hive_views.translation.checked_text import functions_of_checked
from hive_views.translation.from_trino.compiler import compile_from_trino
from hive_views.translation.in_place import edit_in_place
from hive_views.translation.session_settings import report_settings
from hive_views.translation.to_trino.compiling import compile_to_trino
from hive_views.translation.translation_findings import Findings, Kind, Reason, check_allowed
from hive_views.translation.translation_result import Status, Translation
from hive_views.translation.user_functions import UserFunction, called_functions, read_user_functions

_TOO_DEEP = Reason("too-deep", Kind.UNSUPPORTED, "it is nested too deeply, or has too many operators beside each other")
_Translator = Callable[[TypedQuery, Sequence[Column] | None, Mapping[str, UserFunction], Findings], str | None]


def _from_trino(target: str) -> _Translator:
    def translator(
        query: TypedQuery, columns: Sequence[Column] | None, _: Mapping[str, UserFunction], findings: Findings
    ) -> str | None:
        # A function of a user in Trino has no rule, so that it is refused.
        return compile_from_trino(query, columns, findings, target=target)

    return translator


_TRANSLATORS: dict[tuple[str, str], _Translator] = {
    ("hive", "spark"): edit_in_place,
    ("spark", "hive"): edit_in_place,
    ("hive", "trino"): compile_to_trino,
    ("spark", "trino"): compile_to_trino,
    ("trino", "hive"): _from_trino("hive"),
    ("trino", "spark"): _from_trino("spark"),
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
    settings: Mapping[str, str] | None = None,
    udfs: Mapping[str, Any] = MappingProxyType({}),
) -> Translation:
    """A query in another dialect; refused, with all reasons, unless it is known to answer the same.

    Args:
        text: one query.
        source: its dialect: ``hive``, ``spark`` or ``trino``.
        target: the dialect that is wanted, ``hive``, ``spark`` or ``trino``.
        tables: the columns of the tables and views that it reads.
        namespace: the namespace of one-part names.
        columns: names and types that the outputs get; by default those of the query.
        allow: codes of reasons of the kind ``DIFFERENT`` that are no reason to refuse.
        settings: of the session in which Spark wrote the text.
        udfs: functions of users, as in the setting of a catalog.

    Raises:
        SQLSyntaxError: the text is not exactly one query, or names a column that no table has.
        InvalidInputError: a code in ``allow`` is none, or an entry in ``udfs`` is not valid.
        UnsupportedFeatureError: there is no translation between these dialects.
    """
    pair = check_dialect(source), check_dialect(target)
    translator = _TRANSLATORS.get(pair)
    if translator is None:
        raise UnsupportedFeatureError(
            f"Cannot translate {pair[0]} SQL to {pair[1]}: the rules are between hive, spark and trino."
        )
    of_users = read_user_functions(udfs)
    called = called_functions(of_users, pair[0])
    types = {name: one.type for name, one in called.items()}
    query = read_typed(QueryText(text, pair[0]), namespace, tables, types)
    findings = Findings(text, check_allowed(allow))
    report_settings(settings or {}, findings)
    found: str | None = None
    try:
        found = translator(query, columns, called, findings)
    except RecursionError:
        findings.report(_TOO_DEEP, "the query", None)
    functions: tuple[str, ...] = ()
    if found is not None:
        # A star that the analysis does not expand is one of its columns.
        wanted = [one.name for one in takewhile(lambda one: one.is_one, query.columns)]
        if columns and translator is edit_in_place:
            # The author's names stay: a view's columns are those of its text by position.
            wanted = [name or one.name for name, one in zip(wanted, columns, strict=False)]
        elif columns:
            wanted = [one.name for one in columns]
        known = [name.lower() for one in of_users for name in one.names.get(pair[1], ())]
        functions = functions_of_checked(found, pair[1], wanted, known, findings)
    in_order = tuple(sorted(findings.found, key=lambda one: (one.line or 0, one.column or 0)))
    if found is None or findings.refuses:
        return Translation(*pair, None, Status.REFUSED, in_order, original=text, namespace=namespace)
    return Translation(
        *pair,
        found,
        Status.UNCHANGED if found == text else Status.TRANSLATED,
        in_order,
        functions,
        original=text,
        namespace=namespace,
        columns=_columns(query, columns),
    )


def allowed_codes(allow: Collection[str]) -> frozenset[str]:
    """The codes of differences that a caller accepts, checked; all rules are read for it.

    Raises:
        InvalidInputError: a code is none of a difference.
    """
    return check_allowed(allow)


def _columns(query: TypedQuery, given: Sequence[Column] | None) -> tuple[tuple[str, str | None], ...]:
    if given is not None:
        return tuple((one.name, one.type) for one in given)
    if not all(one.is_one for one in query.columns):
        return ()
    engine = {"hive": "hive", "spark": "spark"}.get(query.text.dialect)
    types = (getattr(one.derived, engine) if engine else None for one in query.columns)
    return tuple(
        (one.name or f"_c{at}", type_) for at, (one, type_) in enumerate(zip(query.columns, types, strict=True))
    )
