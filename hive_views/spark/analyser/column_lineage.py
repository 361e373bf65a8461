"""The columns of tables that each output column of a query is made of, and those that decide which rows there are: by
the analysis of its text, and of those of the views that Spark finds in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hive_views.analysis.analyzing import analyze_query
from hive_views.analysis.lineage import Lineage, LineageStep
from hive_views.analysis.query_analysis import Clause, OutputColumn, TableName
from hive_views.analysis.query_analysis import TableColumn as ColumnOfTable
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from hive_views.spark.analyser import query_plans
from hive_views.spark.analyser.scans import name_of_relation
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog

TableColumn = tuple[str, str]
"""The name of a table, and of one of its columns."""

# No table of a metastore is called that.
_QUERY: TableName = ("",)


class ColumnLineage:
    """What the columns and rows of a query come from.

    Args:
        spark: the session that has analysed the query.
        query: its text.
        plan: what Spark has made of it.
        names: of its output columns, in order.
    """

    def __init__(self, spark: Any, query: str, plan: Any, names: Sequence[str]) -> None:
        self._names = names
        self._written: dict[TableName, str] = {}
        self._columns: dict[TableName, list[Column]] = {}
        views: dict[TableName, Any] = {}
        for node in query_plans.walk(plan):
            if named := name_of_relation(node):
                name = tuple(named[0].lower().split("."))
                self._written[name] = named[0]
                self._columns[name] = [
                    Column(str(one.name()), str(one.dataType().simpleString()))
                    for one in query_plans.elements(node.output())
                ]
                if named[1] == "view":
                    views[name] = node.desc()
        catalog, namespace = str(spark.catalog.currentCatalog()), str(spark.catalog.currentDatabase())
        steps = [self._step(_QUERY, query, namespace, catalog, names)]
        for name, view in views.items():
            of = [str(part) for part in query_plans.elements(view.viewCatalogAndNamespace())] or ["", name[-2]]
            text = query_plans.optional(view.viewText()) or ""
            asked = [str(column) for column in query_plans.elements(view.viewQueryColumnNames())]
            steps.append(self._step(name, str(text), of[-1], of[0], [one.name for one in self._columns[name]], asked))
        self._lineage = Lineage(_QUERY, {one.name: one for one in steps})

    def columns_read(self) -> dict[str, tuple[TableColumn, ...]]:
        """The columns of tables that each output column is made of; left out where that is not certain."""
        found: dict[str, tuple[TableColumn, ...]] = {}
        for name in self._names:
            base = self._lineage.base_columns(name) if name.lower() in self._lineage.columns else ()
            if self._lineage.is_complete(name) and all(one.table in self._written for one in base):
                found[name] = tuple(sorted(map(self._as_written, base)))
        return found

    def filters(self) -> dict[TableColumn, tuple[Clause, ...]]:
        """The columns of tables that decide which rows there are, or their order, each with the clauses."""
        found = self._lineage.base_filters.items()
        return {self._as_written(one): clauses for one, clauses in found if one.table in self._written}

    def _step(
        self, name: TableName, text: str, namespace: str, catalog: str, names: Sequence[str], asked: Sequence[str] = ()
    ) -> LineageStep:
        """The analysis of a text whose columns have these names, and in the text those that are asked for, if any."""
        try:
            query = analyze_query(QueryText(text, "spark"), namespace, self._columns, other_catalog(catalog))
        except InvalidInputError as error:
            return LineageStep(name, problem=str(error))
        by_name = {one.name.lower(): one for one in query.columns if one.name}
        found: Mapping[str, OutputColumn] = {}
        if asked and by_name.keys() >= {one.lower() for one in asked} and len(asked) == len(names):
            found = {one: by_name[other.lower()] for one, other in zip(names, asked, strict=True)}
        elif len(query.columns) == len(names):
            found = dict(zip(names, query.columns, strict=True))
        return LineageStep.of(name, query, {one.lower(): output for one, output in found.items()})

    def _as_written(self, column: ColumnOfTable) -> TableColumn:
        """Both names in the case in which Spark has them."""
        names = (one.name for one in self._columns[column.table])
        return self._written[column.table], next((one for one in names if one.lower() == column.name), column.name)
