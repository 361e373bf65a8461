"""Functions that make rows in a select list: they are joined to FROM, as in LATERAL VIEW."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from hive_views.sql.parser.outlines import item_of
from hive_views.translation.reading_nodes import read_call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions import aggregates, windows
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries
from hive_views.translation.to_trino.queries.generators import Generated, generated
from hive_views.translation.to_trino.terms import Term, quoted

_ALIAS = "generated"


def is_generator(expression: exp.Expr) -> bool:
    """Whether an entry of a select list makes rows."""
    plain: Any = expression.unalias()
    return isinstance(expression, exp.Aliases) or item_of(plain).generator


def outputs_of_generator(
    expression: exp.Expr, select: exp.Select, compiling: CompilingQueries
) -> Iterator[tuple[str, Term]]:
    """The names and values of the columns of one entry.

    Raises:
        RefusedError: it cannot be translated.
    """
    found, _ = _read(expression, select, compiling)
    for name, (_, type_) in zip(_names(expression, found, compiling), found.columns, strict=True):
        yield name, Term(f"{quoted(_ALIAS)}.{quoted(name.lower())}", type_)


def joined_generator(select: exp.Select, compiling: CompilingQueries) -> str:
    """What the entry of a select list that makes rows adds to FROM, with the line break before it; empty without one.

    Raises:
        RefusedError: it cannot be translated.
    """
    for expression in select.expressions:
        if is_generator(expression):
            found, is_outer = _read(expression, select, compiling)
            return found.joined(_ALIAS, _names(expression, found, compiling), is_outer=is_outer)
    return ""


def _read(expression: exp.Expr, select: exp.Select, compiling: CompilingQueries) -> tuple[Generated, bool]:
    if sum(map(is_generator, select.expressions)) > 1 or select.args.get("group") or select.args.get("having"):
        raise compiling.refused(expression, reasons.NOT_KNOWN)
    for item in select.expressions:
        if any(_is_of_many_rows(node, compiling) for node in item.walk()):
            raise compiling.refused(expression, reasons.NOT_KNOWN)
    function = expression.this if isinstance(expression, exp.Aliases) else expression.unalias()
    return generated(function, compiling)


def _is_of_many_rows(node: Any, compiling: CompilingQueries) -> bool:
    """Whether an expression is an aggregate or a window, whose rows are those before the function makes more."""
    if isinstance(node, (exp.AggFunc, exp.Window, *aggregates.NODES, *windows.NODES)):
        return True
    call = read_call(node, compiling.query.text)
    return call is not None and call.name in {**aggregates.CALLS, **windows.CALLS}


def _names(expression: exp.Expr, found: Generated, compiling: CompilingQueries) -> list[str]:
    if isinstance(expression, exp.Alias):
        names = [expression.alias]
    elif isinstance(expression, exp.Aliases):
        names = [one.name for one in expression.aliases]
    else:
        names = [name for name, _ in found.columns]
    if len(names) != len(found.columns):
        raise compiling.refused(expression, reasons.PART_OF_QUERY.because("its number of columns"))
    return names
