"""Subqueries as values and as conditions."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions import comparisons
from hive_views.translation.to_trino.expressions.lambdas import any_element
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, cast, operation
from hive_views.translation.translation_findings import Kind, Reason

COMPARED = Reason(
    "subquery-types", Kind.UNSUPPORTED, "it is not known how the source compares values of these types with a subquery"
)

NEVER_NULL = Reason(
    "in-subquery",
    Kind.UNSUPPORTED,
    "outside of the conditions that WHERE connects with AND",
    (
        ("Hive", "release 2 answers otherwise where a NULL is in the subquery, and release 4 as Trino does"),
        ("Spark", "answers false where a NULL is in the subquery"),
        ("Trino", "answers NULL"),
    ),
)


def _value(node: exp.Subquery, compiling: Compiling) -> Term:
    if any(value for name, value in node.args.items() if name != "this" and value):
        raise compiling.refused(node, reasons.PART_OF_QUERY)
    type_ = compiling.type_of(node)
    if type_ != output_type(node, compiling):
        # Of char and varchar, Spark makes a string.
        raise compiling.refused(node, reasons.CONVERSION.because(f"{output_type(node, compiling)} to {type_}"))
    return Term(f"(\n{compiling.subquery(node.this)}\n)", type_)


def output_type(query: Any, compiling: Compiling) -> str:
    """The type of the one column of a query.

    Raises:
        RefusedError: it has several, or the type is not certain.
    """
    columns = compiling.query.columns_of(query)
    if len(columns) != 1 or not columns[0].is_one:
        raise compiling.refused(query, reasons.NOT_KNOWN)
    derived = columns[0].derived
    type_ = derived.hive if compiling.source == "hive" else derived.spark
    if type_ is None:
        raise compiling.refused(query, reasons.UNKNOWN_TYPE.because(derived.why or "the subquery"))
    return type_


def _exists(node: exp.Exists, compiling: Compiling) -> Term:
    if isinstance(node.args.get("expression"), exp.Lambda):
        return any_element(node, compiling)
    query = node.this.this if isinstance(node.this, exp.Subquery) else node.this
    if not isinstance(query, exp.Query):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return Term(f"EXISTS (\n{compiling.subquery(query)}\n)", "boolean")


def in_subquery(node: exp.In, compiling: Compiling) -> Term:
    """``x IN (SELECT ...)``, with Trino's rules for NULL, which are those of Hive and Spark.

    Raises:
        RefusedError: it cannot be translated.
    """
    query = node.args["query"]
    query = query.this if isinstance(query, exp.Subquery) else query
    if not _only_true_matters(node) and (compiling.source == "spark" or node.find_ancestor(exp.Where) is not None):
        raise compiling.refused(node, NEVER_NULL)
    left, type_ = compiling.term(node.this), output_type(query, compiling)
    if left.type in WHOLE and type_ == "double":
        left = cast(left, type_)
    elif left.type != type_ and not {left.type, type_} <= set(WHOLE):
        raise compiling.refused(node, COMPARED.because(f"{left.type} in {type_}"))
    return operation("boolean", left, f"IN (\n{compiling.subquery(query)}\n)")


def _only_true_matters(node: exp.In) -> bool:
    """Whether false and NULL are the same to what is around IN, or it is one of the conditions that WHERE connects."""
    around: Any = node.parent
    while isinstance(around, (exp.And, exp.Or, exp.Paren)):
        around = around.parent
    if isinstance(around, (exp.Where, exp.Having)):
        return True
    inside = around.parent if around is not None else None
    while isinstance(inside, (exp.Paren, exp.And)):
        inside = inside.parent
    # NOT IN alone is read as it should be.
    return isinstance(around, exp.Not) and around.this.unnest() is node and isinstance(inside, exp.Where)


def _in(node: exp.In, compiling: Compiling) -> Term:
    if node.args.get("query") is not None:
        return in_subquery(node, compiling)
    return comparisons.NODES[exp.In](node, compiling)


NODES: NodeRules = {exp.Subquery: _value, exp.Exists: _exists, exp.In: _in}
CALLS: CallRules = {}
