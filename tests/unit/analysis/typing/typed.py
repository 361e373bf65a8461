"""Types of expressions over columns whose types are given, without a query around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.expressions import type_of
from hive_views.analysis.values import DerivedType, both
from hive_views.sql.query import QueryText

COLUMNS = {
    "tiny": "tinyint",
    "small": "smallint",
    "n": "int",
    "big": "bigint",
    "real32": "float",
    "real64": "double",
    "price": "decimal(10,2)",
    "d72": "decimal(7,2)",
    "d20": "decimal(20,0)",
    "d38": "decimal(38,10)",
    "d3818": "decimal(38,18)",
    "d1515": "decimal(15,15)",
    "s": "string",
    "code": "varchar(7)",
    "code9": "varchar(9)",
    "mark": "char(3)",
    "mark5": "char(5)",
    "day": "date",
    "at": "timestamp",
    "flag": "boolean",
    "bytes": "binary",
    "tags": "array<string>",
    "nums": "array<int>",
    "codes": "array<varchar(7)>",
    "m": "map<string,int>",
    "mi": "map<int,decimal(10,2)>",
    "st": "struct<a:int,b:string>",
    "sts": "array<struct<a:int,b:string>>",
}


class ColumnsContext:
    """What a rule is given; columns have the types in a mapping, and subqueries that of their one column."""

    def __init__(self, query: QueryText, columns: Mapping[str, str]) -> None:
        self.dialect: str = query.dialect
        self.text = str(query)
        self._columns = columns

    def of(self, expression: Any) -> DerivedType:
        """See ``Context``."""
        plain = expression.unnest()
        if isinstance(plain, exp.Column):
            return both(self._columns.get(plain.name.lower()), "no such column")
        if isinstance(plain, (exp.Subquery, exp.Select)):
            return self.of((plain.this if isinstance(plain, exp.Subquery) else plain).expressions[0].unalias())
        return type_of(plain, self)

    def written_name(self, function: exp.Expr) -> str:
        """See ``Context``."""
        start = function.meta.get("start")
        return (function.key if start is None else self.text[start : function.meta["end"] + 1]).lower()


def derived(expression: str, dialect: str, columns: Mapping[str, str] | None = None) -> DerivedType:
    """The type of an expression over columns."""
    query = QueryText(f"SELECT {expression} AS x FROM t", dialect)
    item = query.statement.tree.expressions[0].unalias()
    return ColumnsContext(query, COLUMNS if columns is None else columns).of(item)
