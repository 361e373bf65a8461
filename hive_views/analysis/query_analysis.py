"""What the analysis of a query says, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from hive_views.errors import InvalidSchemaError, SQLSyntaxError
from hive_views.hive.row import Column
from hive_views.hive.types import parse_hive_type

_ZONED = "timestamp with local time zone"

TableName = tuple[str, ...]
"""``(namespace, name)`` in lower case; with a catalog before these, where that is not the metastore."""

# Any, because a mapping by (namespace, name) is none by TableName to a type checker.
TableColumns = Mapping[Any, Sequence[Column]]
"""The columns of tables and views, partition columns last, by (namespace, name) in lower case, and those of other
catalogs by the catalog too.

The type of a column that has none of Hive's types is a text that ``parse_hive_type`` refuses: see ``declared_type``.
"""


class Clause(str, Enum):
    """Where in a query a column is named.

    What stands in a subquery of an expression is in the clause of that expression; what stands in a derived table or
    common table expression is in its own clause there.
    """

    SELECT = "SELECT"
    JOIN = "JOIN"
    LATERAL_VIEW = "LATERAL VIEW"
    WHERE = "WHERE"
    GROUP_BY = "GROUP BY"
    HAVING = "HAVING"
    WINDOW = "WINDOW"
    ORDER_BY = "ORDER BY"
    """Also SORT BY, CLUSTER BY and DISTRIBUTE BY."""

    @property
    def makes_values(self) -> bool:
        """Whether what stands here becomes values, and does not decide which rows there are, or their order."""
        return self in (Clause.SELECT, Clause.WINDOW)


@dataclass(frozen=True, order=True)
class TableColumn:
    """A column of a table or view that a query reads; both names are in lower case."""

    table: TableName
    name: str

    def __str__(self) -> str:
        return ".".join((*self.table, self.name))


@dataclass(frozen=True)
class DerivedType:
    """The type of an expression, derived from its text and the types of columns.

    Attributes:
        hive: the type that Hive (2.3 to 4) gives it, as ``hive_views.hive.types`` spells types; None where that is not
            known, or depends on the release.
        spark: likewise by Spark 4.
        why: why it is not certain, in a few words that follow a colon in a message; None where it is certain.
    """

    hive: str | None = None
    spark: str | None = None
    why: str | None = None

    @property
    def certain(self) -> str | None:
        """The type, if both engines give the expression the same one."""
        return self.hive if self.hive == self.spark else None


def both(type_: str | None, why: str | None = None) -> DerivedType:
    """A type on which the engines agree; None, with a reason, for an unknown one."""
    return DerivedType(type_, type_, why if type_ is None else None)


def beside(hive: str | None, spark: str | None, why: str | None = None) -> DerivedType:
    """A type by each engine; ``why``: the reason, if they differ or one is not known."""
    if hive is not None and hive == spark:
        return DerivedType(hive, spark)
    if why is None and hive and spark:
        why = f"Hive gives {hive}, and Spark {spark}"
    return DerivedType(hive, spark, why or "its type is not known")


def declared_type(text: str) -> DerivedType:
    """The type of a table's column; ``text`` is its type in ``TableColumns``.

    Not certain is a type that Hive does not have, and a timestamp with a local time zone, which Hive has from release 3
    on, and Spark calls a timestamp.
    """
    try:
        type_ = parse_hive_type(text)
    except InvalidSchemaError:
        return DerivedType(spark=text, why=f"Hive has no type {text}")
    if any(part.name == _ZONED for part in type_.everything()):
        return DerivedType(str(type_), str(type_).replace(_ZONED, "timestamp"), "a timestamp of Spark is zoned")
    return both(str(type_))


@dataclass(frozen=True)
class OutputColumn:
    """One output column of a query.

    Attributes:
        text: the column as written, shortened; for messages.
        name: its name, None for an expression without an alias.
        derived: its type by each engine.
        comment: of the table's column, where the output is nothing but that column.
        sources: the columns of tables and views that its values are made of (not those that filter, join, or order
            rows), each once, sorted.
        has_more_sources: whether it may be made of further columns, which are not known.
        is_one: False for a star or table-generating function that cannot be expanded.
        is_constant: whether no column, subquery, aggregate or window has a part in its value.
    """

    text: str
    name: str | None = None
    derived: DerivedType = field(default_factory=DerivedType)
    comment: str | None = None
    sources: tuple[TableColumn, ...] = ()
    has_more_sources: bool = False
    is_one: bool = True
    is_constant: bool = False

    @property
    def type(self) -> str | None:
        """Its Hive type, where that is certain."""
        return self.derived.certain

    def renamed(self, name: str) -> OutputColumn:
        """The column under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, order=True)
class ColumnUse:
    """That a query names a column of a table in a clause; ``start`` is the offset in the text where it first does."""

    column: TableColumn
    clause: Clause
    start: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class QueryAnalysis:
    """What a query returns and reads.

    Attributes:
        dialect: of its text.
        columns: the output columns, in order.
        tables: the tables and views that it names, each once, in the order of the text.
        uses: each column of these that it names anywhere, with each clause, sorted. A column that a star stands for is
            among them.
        stars: the tables whose columns a star in a select list stands for, so that a new column changes the query.
        opaque: the tables among ``tables`` whose columns were not given: uses of their columns may be missing.
        functions: the functions that it calls, in lower case as written, sorted.
        nondeterministic: those among them that may return something else for the same data, such as ``rand``.
        order_dependent: those among them whose result depends on the order of rows, such as ``collect_list``.
        unknown: one error for each name of a column that no table in FROM has, in the order of the text.
    """

    dialect: str
    columns: tuple[OutputColumn, ...]
    tables: tuple[TableName, ...] = ()
    uses: tuple[ColumnUse, ...] = ()
    stars: tuple[TableName, ...] = ()
    opaque: tuple[TableName, ...] = ()
    functions: tuple[str, ...] = ()
    nondeterministic: tuple[str, ...] = ()
    order_dependent: tuple[str, ...] = ()
    unknown: tuple[SQLSyntaxError, ...] = ()

    @property
    def filters(self) -> tuple[TableColumn, ...]:
        """The columns that decide which rows there are, and in which order: used elsewhere than in values."""
        return tuple(sorted({use.column for use in self.uses if not use.clause.makes_values}))

    def refuse_unknown(self) -> QueryAnalysis:
        """This analysis, if every column that the query names may exist.

        Raises:
            SQLSyntaxError: one does not; the error has its place and the nearest name.
        """
        if self.unknown:
            raise self.unknown[0]
        return self
