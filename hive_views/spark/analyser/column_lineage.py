"""The columns of tables that each output column of a query is made of, by the ids that the analyser gives
attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hive_views.spark.analyser import query_plans
from hive_views.spark.analyser.scans import name_of_relation

TableColumn = tuple[str, str]
"""The name of a table, and of one of its columns."""
_Sources = frozenset[TableColumn] | None


def columns_read(spark: Any, plan: Any, names: Sequence[str]) -> dict[str, tuple[TableColumn, ...]]:
    """The columns of tables that each output column (``names``, in order) is made of; left out where that is uncertain.

    What stands in a condition, an ordering or a subquery is no part of a value.
    """
    sources = _Lineage(spark).of(plan)
    found = zip(names, query_plans.elements(plan.output()), strict=True)
    found_sources = {name: sources.get(_id(attribute)) for name, attribute in found}
    return {name: tuple(sorted(columns)) for name, columns in found_sources.items() if columns is not None}


class _Lineage:
    """What attributes are made of, by their ids, from the tables up."""

    def __init__(self, spark: Any) -> None:
        self._subqueries = spark._jvm.org.apache.spark.sql.catalyst.expressions.SubqueryExpression
        self._common: dict[int, list[_Sources]] = {}

    def of(self, node: Any) -> dict[int, _Sources]:
        below = [self.of(child) for child in query_plans.elements(node.children())]
        known = {id_: columns for sources in below for id_, columns in sources.items()}
        kind, named = query_plans.kind_of(node), name_of_relation(node)
        if named and named[1] != "view":
            return {_id(one): frozenset([(named[0], str(one.name()))]) for one in query_plans.elements(node.output())}
        if kind == "Union":
            branches = [_outputs(child, known) for child in query_plans.elements(node.children())]
            return _by_id(node, [_united(columns) for columns in zip(*branches, strict=True)])
        if kind == "CTERelationDef":
            self._common[int(node.id())] = _outputs(node.child(), known)
        if kind == "CTERelationRef":
            return _by_id(node, self._common.get(int(node.cteId()), []))
        for expression in query_plans.elements(node.expressions()):
            if query_plans.kind_of(expression) == "Alias":
                known[_id(expression)] = self._read_by(expression, known)
        return known

    def _read_by(self, expression: Any, known: Mapping[int, _Sources]) -> _Sources:
        if self._subqueries.hasSubquery(expression):
            return None
        return _united([known.get(_id(part)) for part in query_plans.elements(expression.references())])


def _outputs(node: Any, known: Mapping[int, _Sources]) -> list[_Sources]:
    return [known.get(_id(attribute)) for attribute in query_plans.elements(node.output())]


def _by_id(node: Any, columns: Sequence[_Sources]) -> dict[int, _Sources]:
    ids = [_id(attribute) for attribute in query_plans.elements(node.output())]
    return dict(zip(ids, columns, strict=False))


def _united(parts: Sequence[_Sources]) -> _Sources:
    """All of them; None if one is not certain."""
    found: frozenset[TableColumn] = frozenset()
    for columns in parts:
        if columns is None:
            return None
        found |= columns
    return found


def _id(attribute: Any) -> int:
    return int(attribute.exprId().id())
