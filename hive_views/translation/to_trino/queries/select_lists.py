"""The outputs of a SELECT in Trino: each has an alias, as expressions without one have other names in each engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.sources import Scope
from hive_views.hive.row import Column
from hive_views.sql.parser.outlines import item_of
from hive_views.translation.to_trino import expressions
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.using import merged_column
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries
from hive_views.translation.to_trino.queries.equal_rows import report_zeros
from hive_views.translation.to_trino.queries.generators_in_select import is_generator, outputs_of_generator
from hive_views.translation.to_trino.queries.names_of_outputs import all_names
from hive_views.translation.to_trino.terms import Term, quoted


def select_list(select: exp.Select, compiling: CompilingQueries, columns: Sequence[Column] | None) -> str:
    """``SELECT`` with its outputs.

    Raises:
        RefusedError: it cannot be translated.
    """
    items = list(_items(select, compiling))
    if columns is not None and len(columns) != len(items):
        raise compiling.refused(select, reasons.STAR)
    names = all_names(select, [name for name, _ in items], compiling) if columns is None else [""] * len(items)
    lines: list[str] = []
    types: list[str] = []
    for number, (name, (_, item)) in enumerate(zip(names, items, strict=True)):
        wanted = columns[number] if columns is not None else None
        with compiling.going_on():
            if isinstance(item, Term):
                term = expressions.converted_term(item, wanted.type, select, compiling) if wanted else item
            else:
                term = compiling.converted(item, wanted.type) if wanted else compiling.term(item)
            types.append(term.type)
            lines.append(f"{term.sql} AS {quoted(wanted.name if wanted else name)}")
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        raise compiling.refused(select, reasons.PART_OF_QUERY)
    if distinct is not None:
        report_zeros(types, select, compiling)
    return f"SELECT{' DISTINCT' if distinct is not None else ''}\n  " + ",\n  ".join(lines)


def _items(select: exp.Select, compiling: CompilingQueries) -> Iterator[tuple[str | None, Any]]:
    """Names, and either expressions of the source or terms."""
    for expression in select.expressions:
        item = item_of(expression)
        if item.is_star:
            yield from _star(select, expression, compiling)
        elif is_generator(expression):
            yield from outputs_of_generator(expression, select, compiling)
        else:
            yield item.names[0], expression.unalias()


def _star(select: exp.Select, expression: exp.Expr, compiling: CompilingQueries) -> Iterator[tuple[str | None, Term]]:
    qualifier = [part.name.lower() for part in expression.parts[:-1]] if isinstance(expression, exp.Column) else []
    scope = compiling.query.scope_of(select)
    star = expression.this if isinstance(expression, exp.Column) else expression
    merged = () if qualifier else tuple(scope.merged or {})
    is_known = scope.expanded(qualifier) is not None or _is_known_with_using(scope, qualifier)
    if any(star.args.values()) or not is_known:
        raise compiling.refused(expression, reasons.STAR)
    for name in merged:
        yield name, merged_column(name, select, expression, compiling)
    for source in scope.sources_of_star(qualifier):
        for column in source.columns or ():
            name = (column.name or "").lower()
            if name in merged:
                continue
            derived = column.derived
            type_ = derived.hive if compiling.source == "hive" else derived.spark
            if type_ is None:
                raise compiling.refused(expression, reasons.UNKNOWN_TYPE.because(f"column {column.name}"))
            qualified = f"{quoted(source.name)}.{quoted(name)}" if source.name else quoted(name)
            yield column.name, Term(qualified, type_)


def _is_known_with_using(scope: Scope, qualifier: Sequence[str]) -> bool:
    """Whether all columns behind a star are known where USING merges some of them."""
    sources = scope.sources_of_star(qualifier)
    columns = [one for source in sources for one in source.columns or (None,)]
    is_known = all(one is not None and one.is_one and one.name for one in columns)
    return bool(scope.merged) and bool(sources) and scope.in_order and (len(sources) == 1 or not qualifier) and is_known
