"""ORDER BY and LIMIT in Trino, where NULL is the largest value unless it is told otherwise."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.sort_keys import NULL_ORDER, ORDER_OF_ROWS, direction
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries
from hive_views.translation.to_trino.terms import cast, quoted
from hive_views.translation.translation_findings import Reason


def order_by(query: Any, compiling: CompilingQueries) -> str:
    """The ORDER BY clause of a query, with the line break before it; empty if it has none.

    Raises:
        RefusedError: it cannot be translated.
    """
    clause = query.args.get("order")
    if clause is None:
        return ""
    differs = _matters(query)
    return "\nORDER BY " + ", ".join(_ordered(one, query, compiling, differs) for one in clause.expressions)


def _matters(query: Any) -> Reason | None:
    """What it means where NULL stands in the order: it may decide which rows there are."""
    if query.args.get("limit") is not None or query.args.get("offset") is not None:
        return NULL_ORDER
    around = query
    while isinstance(around.parent, exp.Subquery):
        around = around.parent
    return ORDER_OF_ROWS if around.parent is None else None


def _ordered(key: exp.Expr, query: Any, compiling: CompilingQueries, differs: Reason | None) -> str:
    value: Any = key.this
    if isinstance(value.unnest(), exp.Literal):
        if isinstance(value, exp.Paren) or value.is_string or not value.name.isdigit():
            raise compiling.refused(key, reasons.ORDINAL)
        text = value.name
        outputs = query.expressions if isinstance(query, exp.Select) else ()
        value = outputs[int(text) - 1].unalias() if 0 < int(text) <= len(outputs) else None
        if value is not None and value.is_star:
            value = None
    elif isinstance(value, exp.Column) and compiling.query.is_alias(value):
        text = quoted(value.name)
    else:
        term = compiling.term(value)
        # A plain number would be the place of an output.
        text = cast(term, term.type).sql if term.sql.removeprefix("-").isdigit() else term.sql
    return f"{text} {direction(key, value, compiling, differs)}"


def limited(query: Any, compiling: CompilingQueries) -> str:
    """OFFSET and LIMIT, with the line break before them; empty if there is none.

    Raises:
        RefusedError: it cannot be translated.
    """
    limit, offset = query.args.get("limit"), query.args.get("offset")
    text = ""
    if offset is not None:
        text += f"\nOFFSET {_number(offset, compiling)}"
    if limit is not None:
        if limit.args.get("offset") is not None:
            text += f"\nOFFSET {_number(limit.args['offset'], compiling)}"
        text += f"\nLIMIT {_number(limit, compiling)}"
    return text


def _number(clause: Any, compiling: CompilingQueries) -> str:
    value = clause if isinstance(clause, exp.Literal) else clause.expression
    if not isinstance(value, exp.Literal) or value.is_string or not value.name.isdigit():
        raise compiling.refused(clause, reasons.PART_OF_QUERY)
    return value.name
