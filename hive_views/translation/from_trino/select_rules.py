"""One SELECT: its outputs, each with an alias; WHERE, GROUP BY, HAVING, ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.sql.parser.outlines import item_of
from hive_views.sql.quoting import quote_identifier
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.cast_rules import widened
from hive_views.translation.from_trino.joined_sources import joined, parts_of
from hive_views.translation.from_trino.made_queries import Made, Queries, all_of, attempted, plain_name, refuse_others
from hive_views.translation.from_trino.named_sources import Named
from hive_views.translation.from_trino.target_terms import Term, operation
from hive_views.translation.to_trino.expressions.sort_keys import NAN_ORDER
from hive_views.translation.to_trino.queries.equal_rows import NEGATIVE_ZERO
from hive_views.translation.to_trino.queries.filters_of_lateral_views import LOST_CONDITION

OfQuery = Callable[[Any, Queries], Made]
_KNOWN = ("with_", "expressions", "distinct", "from_", "joins", "where", "group", "having", "order", "limit")
_FRACTIONS = ("float", "double")


def of_select(select: exp.Select, queries: Queries, of_query: OfQuery) -> Made:
    """A SELECT in the target, without its WITH.

    Args:
        select: its node.
        queries: the translation.
        of_query: translates the subqueries in it.

    Raises:
        RefusedError: it cannot be translated.
    """
    refuse_others(select, _KNOWN, queries)
    from_text, names, conditions = joined(select, queries, of_query)
    inside = queries.within(names)
    where = select.args.get("where")
    having = select.args.get("having")
    made = attempted(inside, lambda: _outputs(select, inside))
    clauses = [
        attempted(inside, lambda: f"\nWHERE {_where(where.this, inside, of_query).sql}" if where is not None else ""),
        attempted(inside, lambda: _group_by(select, inside)),
        attempted(inside, lambda: f"\nHAVING {_truth(having.this, inside).sql}" if having is not None else ""),
    ]
    (outputs,) = all_of([made])
    text = from_text + "".join(all_of(clauses))
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        raise queries.refused(select, reasons.PART_OF_QUERY.because("DISTINCT ON"))
    if distinct is not None:
        report_zeros([term.type for _, term in outputs], select, queries)
    filters = [part for clause in (where, having) if clause is not None for part in parts_of(clause.this)]
    _check_conditions([*conditions, *filters], inside)
    columns = tuple(Named(name, term.type) for name, term in outputs)
    behind = sorted_and_limited(select, [(one.name, one.type) for one in columns], inside, outputs)
    word = "SELECT DISTINCT" if distinct is not None else "SELECT"

    def write(wanted: Sequence[Named]) -> str:
        lines = [
            f"{widened(term, one.type).sql} AS {quote_identifier(one.name)}"
            for (_, term), one in zip(outputs, wanted, strict=True)
        ]
        return f"{word}\n  " + ",\n  ".join(lines) + text + behind([one.name for one in wanted])

    return Made(columns, write, any(source.has_unnest for source in names.sources))


def report_zeros(types: Iterable[str], node: Any, queries: Queries) -> None:
    """Record that engines see 0.0 and -0.0 in their own ways, if there are fractions in values of these types."""
    if any(part.name in _FRACTIONS for type_ in types for part in parse_hive_type(type_).everything()):
        queries.report(node, NEGATIVE_ZERO)


def _outputs(select: exp.Select, queries: Queries) -> list[tuple[str, Term]]:
    items = [attempted(queries, partial(_item, at, one, queries)) for at, one in enumerate(select.expressions)]
    outputs = [one for item in all_of(items) for one in item]
    names = [name.lower() for name, _ in outputs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise queries.refused(select, reasons.PART_OF_QUERY.because(f"two outputs are called {twice[0]}"))
    return outputs


def _item(at: int, expression: Any, queries: Queries) -> list[tuple[str, Term]]:
    item = item_of(expression)
    if item.is_star:
        return _star(expression, queries)
    # Trino gives an output without an alias a name that nothing in the text can use.
    name = item.names[0] if len(item.names) == 1 and item.names[0] else f"_col{at}"
    return [(plain_name(name, expression, queries), queries.term(expression.unalias()))]


def _star(expression: Any, queries: Queries) -> list[tuple[str, Term]]:
    qualifier = [part.name.lower() for part in expression.parts[:-1]] if isinstance(expression, exp.Column) else []
    star = expression.this if isinstance(expression, exp.Column) else expression
    found = queries.names.behind_star(qualifier)
    if not isinstance(star, exp.Star) or any(star.args.values()) or found is None:
        raise queries.refused(expression, reasons.STAR)
    return [(plain_name(name, expression, queries), Term(one.sql, one.type)) for name, one in found]


def _truth(node: Any, queries: Queries) -> Term:
    term = queries.term(node)
    if term.type != "boolean":
        raise queries.refused(node, reasons.TYPES.because(f"a condition of the type {term.type}"))
    return term


def _where(condition: Any, queries: Queries, of_query: OfQuery) -> Term:
    parts = parts_of(condition)
    subqueries = [one for one in parts if isinstance(one, exp.In) and one.args.get("query") is not None]
    if len(subqueries) > 1 and queries.target == "hive":
        raise queries.refused(condition, reasons.PART_OF_QUERY.because("several subqueries in WHERE"))
    if not subqueries:
        return _truth(condition, queries)
    terms = [_in_query(one, queries, of_query) if one in subqueries else _truth(one, queries) for one in parts]
    if len(terms) == 1:
        return terms[0]
    return operation("boolean", *[part for term in terms for part in ("AND", term)][1:])


def _in_query(node: Any, queries: Queries, of_query: OfQuery) -> Term:
    """``x IN (SELECT ...)``, which here only chooses rows."""
    value = queries.term(node.this)
    made = of_query(node.args["query"], queries)
    if len(made.columns) != 1 or made.columns[0].type != value.type or value.name in (*_FRACTIONS, "char", "void"):
        raise queries.refused(node, reasons.TYPES.because("IN of a subquery"))
    return operation("boolean", value, f"IN (\n{made.text}\n)")


def _check_conditions(conditions: Sequence[Any], queries: Queries) -> None:
    """Record conditions that Hive 4.0 loses: on a column that UNNEST makes and on another one together."""
    if queries.target != "hive" or not any(source.has_unnest for source in queries.names.sources):
        return
    for condition in conditions:
        columns = {
            queries.names.of([part.name.lower() for part in one.parts]) for one in condition.find_all(exp.Column)
        }
        made = {source.name for source in queries.names.sources if source.has_unnest}
        if len(columns) > 1 and any(one is None or one.source in made for one in columns):
            queries.report(condition, LOST_CONDITION)


def _group_by(select: exp.Select, queries: Queries) -> str:
    clause = select.args.get("group")
    if clause is None:
        return ""
    refuse_others(clause, ("expressions",), queries)
    keys = []
    for key in clause.expressions:
        node = key.unnest()
        if isinstance(node, exp.Literal) and node.name.isdigit() and 0 < int(node.name) <= len(select.expressions):
            node = select.expressions[int(node.name) - 1].unalias()
            if item_of(node).is_star:
                raise queries.refused(key, reasons.STAR)
        if node.find(exp.Column) is None:
            raise queries.refused(key, reasons.PART_OF_QUERY.because("a group of what is no column"))
        term = queries.term(node)
        report_zeros([term.type], node, queries)
        keys.append(term.sql)
    return f"\nGROUP BY {', '.join(keys)}"


def sorted_and_limited(
    query: Any, columns: Sequence[tuple[str, str]], queries: Queries, outputs: Sequence[tuple[str, Term]] = ()
) -> Callable[[Sequence[str]], str]:
    """ORDER BY and LIMIT with the line breaks before them, given the names that the outputs get.

    Args:
        query: that has these clauses, if any.
        columns: names and types of its outputs.
        queries: the translation.
        outputs: what they are, where a key may be written as one of them.

    Raises:
        RefusedError: they cannot be translated.
    """
    keys: list[tuple[int, str]] = []
    order = query.args.get("order")
    for key in order.expressions if order is not None else ():
        others = [name for name in key.args if name not in ("this", "desc", "nulls_first") and key.args[name]]
        at = _place(key.this, columns, outputs, queries)
        if others or at is None:
            raise queries.refused(key, reasons.SORT_KEY)
        if columns[at][1] in _FRACTIONS:
            queries.report(key, NAN_ORDER)
        if parse_hive_type(columns[at][1]).parts or columns[at][1].startswith("char"):
            raise queries.refused(key, reasons.TYPES.because(columns[at][1]))
        direction = "DESC" if key.args.get("desc") else "ASC"
        keys.append((at, f"{direction} NULLS {'FIRST' if key.args.get('nulls_first') else 'LAST'}"))
    limit = query.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    if limit is not None and not (isinstance(count, exp.Literal) and count.name.isdigit() and not count.is_string):
        raise queries.refused(query, reasons.PART_OF_QUERY.because("limit"))

    def write(names: Sequence[str]) -> str:
        found = ", ".join(f"{quote_identifier(names[at])} {direction}" for at, direction in keys)
        text = f"\nORDER BY {found}" if found else ""
        return f"{text}\nLIMIT {count.name}" if count is not None else text

    return write


def _place(
    key: Any, columns: Sequence[tuple[str, str]], outputs: Sequence[tuple[str, Term]], queries: Queries
) -> int | None:
    """Which output a key is; None if it is none."""
    node = key.unnest()
    if isinstance(node, exp.Literal):
        at = int(node.name) - 1 if node.name.isdigit() and not node.is_string else -1
        return at if 0 <= at < len(columns) else None
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        found = [at for at, (name, _) in enumerate(columns) if name.lower() == node.name.lower()]
        if found:
            return found[0]
    if not outputs:
        return None
    own = queries.term(node).sql
    return next((at for at, (_, term) in enumerate(outputs) if term.sql == own), None)
