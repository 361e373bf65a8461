"""Whole queries: WITH, UNION, brackets, and what sorts and limits them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.hive.row import Column
from hive_views.sql.quoting import quote_identifier
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.cast_rules import is_large_decimal, widened
from hive_views.translation.from_trino.common_types import common_type
from hive_views.translation.from_trino.made_queries import Made, Queries, all_of, attempted, plain_name, refuse_others
from hive_views.translation.from_trino.named_sources import Named
from hive_views.translation.from_trino.select_rules import of_select, report_zeros, sorted_and_limited
from hive_views.translation.from_trino.target_terms import Term
from hive_views.translation.to_trino.expressions.casting.conversion_reasons import LARGE_DECIMAL

_AROUND = ("order", "limit")
_ALIAS = quote_identifier("q")


def whole_query(tree: Any, queries: Queries, columns: Sequence[Column] | None) -> str:
    """The text of a query in the target.

    Args:
        tree: of the query.
        queries: the translation.
        columns: names and types that its outputs get; by default their own.

    Raises:
        RefusedError: it cannot be translated; all findings in it are recorded.
    """
    definitions = ""
    clause = tree.args.get("with_")
    if clause is not None:
        definitions, queries = _with(clause, queries)
    made = of_query(tree, queries)
    wanted: Sequence[Named] = made.columns
    if columns is not None:
        wanted = [Named(plain_name(one.name, tree, queries), one.type) for one in columns]
        _check_columns(tree, made.columns, wanted, queries)
    if any(one.type == "void" for one in wanted):
        raise queries.refused(tree, reasons.TYPES.because("an output that is only NULL"))
    return definitions + made.write(wanted)


def _check_columns(tree: Any, own: Sequence[Named], wanted: Sequence[Named], queries: Queries) -> None:
    if len(own) != len(wanted):
        raise queries.refused(tree, reasons.STAR)
    for one, other in zip(own, wanted, strict=True):
        if one.type != other.type and common_type([one.type, other.type]) != other.type:
            raise queries.refused(tree, reasons.CONVERSION.because(f"{one.name}, from {one.type} to {other.type}"))


def _with(clause: Any, queries: Queries) -> tuple[str, Queries]:
    refuse_others(clause, ("expressions",), queries)
    tables = {table.name.lower() for table in queries.query.tree.find_all(exp.Table) if table.args.get("db")}
    names_in_with = {one.alias.lower() for one in clause.expressions}
    found = []
    for one in clause.expressions:
        refuse_others(one, ("this", "alias"), queries)
        read = {table.name.lower() for table in one.this.find_all(exp.Table) if not table.args.get("db")}
        # To Trino, a name before its definition is that of a table.
        if read & names_in_with - queries.definitions.keys():
            raise queries.refused(one, reasons.NAME_IN_WITH)
        name = plain_name(one.alias, one, queries).lower()
        if name in queries.definitions or name in tables:
            raise queries.refused(one, reasons.NAME_IN_WITH)
        made = of_query(one.this, queries)
        names = [plain_name(each.name, one, queries) for each in one.args["alias"].args.get("columns") or ()]
        if names and len(names) != len(made.columns):
            raise queries.refused(one, reasons.STAR)
        columns = made.columns
        if names:
            columns = tuple(Named(each, own.type) for each, own in zip(names, made.columns, strict=True))
        if made.has_unnest and queries.target == "hive":
            # What Hive loses of conditions on these rows is not followed into definitions.
            raise queries.refused(one, reasons.PART_OF_QUERY.because("UNNEST in WITH"))
        found.append(f"{quote_identifier(name)} AS (\n{made.write(columns)}\n)")
        queries = queries.defining(name, columns)
    return f"WITH {f',{chr(10)}'.join(found)}\n", queries


def of_query(query: Any, queries: Queries) -> Made:
    """A query in the target.

    Raises:
        RefusedError: it cannot be translated.
    """
    if isinstance(query, exp.Select):
        if query.args.get("with_") is not None and query is not queries.query.tree:
            raise queries.refused(query, reasons.PART_OF_QUERY.because("WITH within a query"))
        return of_select(query, queries, of_query)
    if isinstance(query, exp.Subquery):
        refuse_others(query, ("this", *_AROUND), queries)
        return _around(of_query(query.this, queries), query, queries)
    if isinstance(query, exp.Union):
        refuse_others(query, ("this", "expression", "distinct", "with_", *_AROUND), queries)
        if query.args.get("with_") is not None and query is not queries.query.tree:
            raise queries.refused(query, reasons.PART_OF_QUERY.because("WITH within a query"))
        return _around(_union(query, queries), query, queries)
    raise queries.refused(query, reasons.PART_OF_QUERY.because(type(query).__name__))


def _union(query: exp.Union, queries: Queries) -> Made:
    # A chain of a thousand branches is a thousand levels deep.
    chain: list[Any] = [query]
    while isinstance(chain[-1].this, exp.Union) and not any(chain[-1].this.args.get(one) for one in _AROUND):
        chain.append(chain[-1].this)
        refuse_others(chain[-1], ("this", "expression", "distinct"), queries)
    nodes = [chain[-1].this, *(one.expression for one in reversed(chain))]
    branches = all_of([attempted(queries, partial(of_query, node, queries)) for node in nodes])
    words = ["UNION" if one.args.get("distinct") else "UNION ALL" for one in reversed(chain)]
    if len({len(one.columns) for one in branches}) != 1:
        raise queries.refused(query, reasons.STAR)
    if queries.target == "hive" and any(one.has_unnest for one in branches):
        raise queries.refused(query, reasons.PART_OF_QUERY.because("UNNEST in UNION"))
    columns = []
    for each in zip(*(one.columns for one in branches), strict=True):
        type_ = common_type([one.type for one in each])
        if type_ is None:
            raise queries.refused(query, reasons.TYPES.because(", ".join(one.type for one in each)))
        if type_ == "double" and queries.target == "hive" and any(is_large_decimal(one.type) for one in each):
            queries.report(query, LARGE_DECIMAL)
        columns.append(Named(each[0].name, type_))
    if "UNION" in words:
        report_zeros([one.type for one in columns], query, queries)

    def write(wanted: Sequence[Named]) -> str:
        parts = [_branch(branches[0], nodes[0], wanted)]
        for word, branch, node in zip(words, branches[1:], nodes[1:], strict=True):
            parts += [word, _branch(branch, node, wanted)]
        return "\n".join(parts)

    return Made(tuple(columns), write)


def _branch(made: Made, node: Any, wanted: Sequence[Named]) -> str:
    is_plain = isinstance(node, exp.Select) and not any(node.args.get(one) for one in _AROUND)
    text = made.write(wanted)
    return text if is_plain else _selected(text, [(Term(_column(one), one.type), one.name) for one in wanted])


def _column(one: Named) -> str:
    return f"{_ALIAS}.{quote_identifier(one.name)}"


def _selected(text: str, outputs: Sequence[tuple[Term, str]]) -> str:
    lines = ",\n  ".join(f"{term.sql} AS {quote_identifier(name)}" for term, name in outputs)
    return f"SELECT\n  {lines}\nFROM (\n{text}\n) {_ALIAS}"


def _around(made: Made, query: Any, queries: Queries) -> Made:
    """A query that is sorted and limited by what stands behind its brackets, or behind a UNION."""
    if not any(query.args.get(one) for one in _AROUND):
        return made
    behind: Callable[[Sequence[str]], str] = sorted_and_limited(
        query, [(one.name, one.type) for one in made.columns], queries
    )

    def write(wanted: Sequence[Named]) -> str:
        outputs = [
            (widened(Term(_column(own), own.type), one.type), one.name)
            for own, one in zip(made.columns, wanted, strict=True)
        ]
        return _selected(made.text, outputs) + behind([one.name for one in wanted])

    return Made(made.columns, write, made.has_unnest)
