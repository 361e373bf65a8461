"""The day and time of now, of the session's zone as in the source."""

from __future__ import annotations

from sqlglot import exp

from hive_views.translation.reading_nodes import Call
from hive_views.translation.time_zones import SESSION_ZONE
from hive_views.translation.to_trino.expressions.dates.read_as_dates import needed
from hive_views.translation.to_trino.terms import CallRule, CallRules, Compiling, NodeRules, Term

_TODAY = Term("current_date", "date")
# Trino's current_timestamp has a zone, which those of Hive and Spark have not.
_NOW = Term("localtimestamp", "timestamp")


def _node(term: Term, node: exp.Expr, compiling: Compiling) -> Term:
    compiling.report(node, SESSION_ZONE)
    return term


def _called(term: Term) -> CallRule:
    def rule(call: Call, compiling: Compiling) -> Term:
        needed(call, (0,), compiling)
        compiling.report(call.node, SESSION_ZONE)
        return term

    return rule


NODES: NodeRules = {
    exp.CurrentDate: lambda node, compiling: _node(_TODAY, node, compiling),
    exp.CurrentTimestamp: lambda node, compiling: _node(_NOW, node, compiling),
}
CALLS: CallRules = {
    **dict.fromkeys(("current_date", "curdate"), _called(_TODAY)),
    **dict.fromkeys(("current_timestamp", "now"), _called(_NOW)),
}
