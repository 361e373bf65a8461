"""Clauses of queries: what both engines have, and read alike."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.kinds_of_nodes.null_order import ordered
from hive_views.translation.in_place.kinds_of_nodes.sorting_keys import check_key
from hive_views.translation.in_place.patching_rules import NodeRules, Patching
from hive_views.translation.translation_findings import Kind, Reason

GROUPED_BY_NUMBER = Reason(
    "group-by-number",
    Kind.UNSUPPORTED,
    "a number in GROUP BY is a constant to Hive 2, and the number of an output column to Spark; name what is grouped",
)
ALIAS_OF_OUTPUT = Reason(
    "alias-in-clause", Kind.UNSUPPORTED, "not every Hive can name an output column here; repeat its expression"
)
LATERAL_ALIAS = Reason(
    "alias-in-clause",
    Kind.UNSUPPORTED,
    "Hive cannot name another output column in a select list; repeat its expression",
)
STAR = Reason("star", Kind.UNSUPPORTED, "it is not known for which columns this star stands")
USING = Reason("using", Kind.UNSUPPORTED, "it is not known whether both engines name the columns alike; use ON")
ANTI_JOIN = Reason("only-in-one-engine", Kind.UNSUPPORTED, "Hive 2 and 3 have no LEFT ANTI JOIN; use NOT EXISTS")
SUBQUERY = Reason(
    "scalar-subquery",
    Kind.UNSUPPORTED,
    "not every Hive can read a subquery as a value, and of one without rows, or with several, engines make different "
    "answers; use a join",
)
SAMPLE = Reason("sample", Kind.UNSUPPORTED, "Hive and Spark choose different rows for a sample")
GROUPING_SETS = Reason(
    "grouping-sets",
    Kind.UNSUPPORTED,
    "what Hive groups by is the list before GROUPING SETS, and Spark has other rules for it; use UNION ALL",
)

_SORTING = frozenset(("order", "sort", "cluster", "distribute", "limit", "offset", "with_"))
_PARTS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(
        ("expressions", "from_", "joins", "laterals", "where", "group", "having", "distinct", "windows", "hint")
    )
    | _SORTING,
    exp.Subquery: frozenset(("this", "alias")) | _SORTING,
    exp.Union: frozenset(("this", "expression", "distinct")) | _SORTING,
    exp.Intersect: frozenset(("this", "expression", "distinct")) | _SORTING,
    exp.Except: frozenset(("this", "expression", "distinct")) | _SORTING,
    exp.With: frozenset(("expressions",)),
    exp.CTE: frozenset(("this", "alias")),
    exp.Table: frozenset(("this", "db", "catalog", "alias", "joins", "laterals")),
    exp.TableAlias: frozenset(("this", "columns")),
    exp.Group: frozenset(("expressions",)),
    exp.Order: frozenset(("expressions",)),
    exp.Sort: frozenset(("expressions",)),
    exp.Cluster: frozenset(("expressions",)),
    exp.Distribute: frozenset(("expressions",)),
    exp.Ordered: frozenset(("this", "desc", "nulls_first")),
    exp.Limit: frozenset(("expression",)),
    exp.Offset: frozenset(("expression",)),
    exp.Join: frozenset(("this", "on", "side", "kind")),
    exp.Identifier: frozenset(("this", "quoted")),
    exp.Alias: frozenset(("this", "alias")),
    exp.Distinct: frozenset(("expressions",)),
    exp.Lateral: frozenset(("this", "view", "outer", "alias")),
    exp.Column: frozenset(("this", "table", "db")),
    exp.Star: frozenset(),
    **dict.fromkeys((exp.From, exp.Where, exp.Having, exp.Paren), frozenset(("this",))),
}


def _parts(node: Any, patching: Patching) -> None:
    """A clause without anything that is not known."""
    known = _PARTS[type(node)]
    unknown = [name for name, value in node.args.items() if value not in (None, False, []) and name not in known]
    if unknown:
        reason = {"using": USING, "method": USING, "sample": SAMPLE}.get(unknown[0], reasons.NOT_KNOWN)
        raise patching.refused(node, reason)


def _table(node: exp.Table, patching: Patching) -> tuple[Any, ...]:
    _parts(node, patching)
    return tuple(one for name in ("joins", "laterals") for one in node.args.get(name) or ())


def _no_parts(node: Any, patching: Patching) -> tuple[Any, ...]:
    _parts(node, patching)
    return ()


def _whole(_node: Any, _patching: Patching) -> tuple[Any, ...]:
    """A word of the expression around it, whose rule looks at it."""
    return ()


def _select(node: exp.Select, patching: Patching) -> tuple[Any, ...]:
    _parts(node, patching)
    for expression in node.expressions:
        is_star = isinstance(expression, exp.Star) or (
            isinstance(expression, exp.Column) and isinstance(expression.this, exp.Star)
        )
        if is_star:
            _star(expression, node, patching)
    if node.args.get("having") is not None and node.args.get("group") is None:
        patching.report(node.args["having"], reasons.NOT_KNOWN)
    return tuple(one for one in node.iter_expressions() if not isinstance(one, exp.Hint))


def _star(star: Any, select: exp.Select, patching: Patching) -> None:
    last = star if isinstance(star, exp.Star) else star.this
    if any(last.args.values()):
        raise patching.refused(star, reasons.ONLY_IN.because("Hive has no EXCEPT behind a star"))
    qualifier = [part.name.lower() for part in star.parts[:-1]] if isinstance(star, exp.Column) else []
    if patching.query.scope_of(select).expanded(qualifier) is None:
        patching.report(star, STAR)


def _column(node: exp.Column, patching: Patching) -> tuple[Any, ...]:
    if isinstance(node.this, exp.Star):
        return ()
    _parts(node, patching)
    if patching.query.is_alias(node):
        _alias_of_output(node, patching)
    return ()


def _alias_of_output(node: exp.Column, patching: Patching) -> None:
    around = node.find_ancestor(exp.Group, exp.Having, exp.Order, exp.Sort, exp.Cluster, exp.Distribute, exp.Select)
    if isinstance(around, exp.Group):
        patching.report(node, ALIAS_OF_OUTPUT)
    elif isinstance(around, exp.Select):
        patching.report(node, LATERAL_ALIAS)


def _group(node: exp.Group, patching: Patching) -> None:
    if any(node.args.get(name) for name in ("grouping_sets", "rollup", "cube")):
        raise patching.refused(node, GROUPING_SETS)
    _parts(node, patching)
    for one in node.expressions:
        if isinstance(one.unnest(), (exp.Literal, exp.Neg)):
            patching.report(one, GROUPED_BY_NUMBER)


def _join(node: exp.Join, patching: Patching) -> None:
    kind = str(node.args.get("kind") or "").upper()
    if kind == "ANTI" and patching.target == "hive":
        raise patching.refused(node, ANTI_JOIN)
    if kind == "SEMI" and str(node.args.get("side") or "").upper() != "LEFT":
        raise patching.refused(node, reasons.NOT_KNOWN)
    _parts(node, patching)


def _ordered(node: exp.Ordered, patching: Patching) -> None:
    _parts(node, patching)
    check_key(node, patching)
    ordered(node, patching)


def _set_operation(node: exp.SetOperation, patching: Patching) -> None:
    _parts(node, patching)
    for left, right, column in zip(
        patching.query.columns_of(node.this),
        patching.query.columns_of(node.expression),
        patching.query.columns_of(node),
        strict=False,
    ):
        kinds = {(one.derived.hive or "?").partition("(")[0] for one in (left, right)}
        if column.derived.certain is None or (len(kinds) > 1 and not kinds <= {"tinyint", "smallint", "int", "bigint"}):
            why = column.derived.why or f"{left.derived.hive} and {right.derived.hive}"
            patching.report(node, reasons.OTHER_TYPE.because(f"column {column.name or column.text}, {why}"))


def _subquery(node: exp.Subquery, patching: Patching) -> None:
    _parts(node, patching)
    if isinstance(node.parent, (exp.From, exp.Join, exp.SetOperation, exp.Subquery, exp.CTE)) or node.parent is None:
        return
    if isinstance(node.parent, exp.In) and node.arg_key in ("query", "expressions"):
        return
    raise patching.refused(node, SUBQUERY)


NODES: NodeRules = {
    **dict.fromkeys(_PARTS, _parts),
    exp.Table: _table,
    exp.TableAlias: _no_parts,
    exp.Identifier: _no_parts,
    exp.Star: _no_parts,
    **dict.fromkeys((exp.DataType, exp.Var, exp.IntervalSpan), _whole),
    exp.Select: _select,
    exp.Column: _column,
    exp.Group: _group,
    exp.Join: _join,
    exp.Ordered: _ordered,
    exp.Subquery: _subquery,
    **dict.fromkeys((exp.Union, exp.Intersect, exp.Except), _set_operation),
}
