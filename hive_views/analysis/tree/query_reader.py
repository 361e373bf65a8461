"""One query, from its clauses to its outputs: what each column in it is, and which tables' columns it is made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import ErrorLevel, exp

from hive_views.analysis.query_analysis import (
    Clause,
    ColumnUse,
    DerivedType,
    OutputColumn,
    QueryAnalysis,
    TableColumn,
    TableColumns,
    TableName,
)
from hive_views.analysis.tree.calls import functions_called
from hive_views.analysis.tree.clauses import ALIASES_FIRST, OF_SELECT, inner_clause
from hive_views.analysis.tree.from_clause import FromReader, renamed
from hive_views.analysis.tree.places import Definitions, Place
from hive_views.analysis.tree.sources import Columns, Scope, united
from hive_views.analysis.tree.types_of_nodes import TypesOfNodes
from hive_views.analysis.tree.typing.branches import common_type
from hive_views.analysis.tree.typing.generators import generated_columns
from hive_views.analysis.tree.typing.operands import is_constant
from hive_views.sql.parser.outlines import item_of
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables

_UNITS = re.compile(r"(microsecond|millisecond|second|minute|hour|day|week|month|quarter|year)s?|dayofyear")
"""Units in arguments of date functions, which the tree has as columns."""

_WITHOUT_COLUMNS = (exp.Literal, exp.Identifier, exp.Hint, exp.Star)


def analyze(query: QueryText, namespace: str, tables: TableColumns, catalog: str | None) -> QueryAnalysis:
    """See ``hive_views.analysis.analyze_query``."""
    statement = query.statement
    names = tuple(tuple(part.lower() for part in name) for name in referenced_tables(query, namespace, catalog))
    types = TypesOfNodes(query)
    reader = QueryReader(query, types, FromReader(namespace.lower(), catalog, tables, types))
    columns = reader.query(statement.tree, {}, Place(Clause.SELECT))
    calls = functions_called(statement.tree, query)
    uses = (ColumnUse(column, clause, start) for (column, clause), start in reader.uses.items())
    return QueryAnalysis(
        query.dialect,
        columns,
        names,
        tuple(sorted(uses)),
        tuple(sorted(reader.stars)),
        tuple(name for name in names if name not in tables),
        functions=calls.all,
        nondeterministic=calls.nondeterministic,
        order_dependent=calls.order_dependent,
        unknown=tuple(sorted(reader.unknown, key=lambda error: error.offset or 0)),
    )


class QueryReader:
    """Reads a query and those in it, and keeps what was found on the way.

    Attributes:
        uses: the first offset of each use of a column.
        stars: the tables that stars stand for.
        unknown: the errors about columns that no table has.
        scopes: what each SELECT may name, by the ``id`` of its node.
        outputs: what each query in it returns, likewise.
    """

    def __init__(self, query: QueryText, types: TypesOfNodes, from_: FromReader) -> None:
        self.uses: dict[tuple[TableColumn, Clause], int | None] = {}
        self.stars: dict[TableName, None] = {}
        self.unknown: list[Any] = []
        self.scopes: dict[int, Scope] = {}
        self.outputs: dict[int, Columns] = {}
        self._query = query
        self._types = types
        self._from = from_

    def query(self, query: Any, definitions: Definitions, place: Place) -> Columns:
        """The output columns of a query; ``place`` is where it stands, if in an expression."""
        definitions = self._definitions(query, definitions)
        if isinstance(query, exp.Subquery):
            found = self.query(query.this, definitions, place)
        elif isinstance(query, exp.SetOperation):
            found = self._set_operation(query, definitions, place)
        elif isinstance(query, exp.Select):
            found = tuple(self._select(query, definitions, place))
        else:
            return (OutputColumn(self._text(query), has_more_sources=True, is_one=False),)
        if not isinstance(query, exp.Select):
            self._sorting(query, found, place)
        self._types.remember(query, found)
        self.outputs[id(query)] = found
        return found

    def read(self, part: Any, place: Place) -> list[OutputColumn]:
        """Record what an expression uses; the columns that its value is made of."""
        found: list[OutputColumn] = []
        ahead: list[tuple[Any, Clause]] = [(part, place.clause)] if part is not None else []
        while ahead:
            node, clause = ahead.pop()
            if isinstance(node, _WITHOUT_COLUMNS):
                continue
            if isinstance(node, exp.Column):
                found += self._column(node, replace(place, clause=clause) if clause is not place.clause else place)
            elif isinstance(node, exp.Query):
                inner = replace(place, clause=clause)
                found += self.query(node, place.definitions, inner)
            elif isinstance(node, exp.Window):
                of_window = Clause.WINDOW if clause is Clause.SELECT else clause
                ahead += [(one, clause if one is node.this else of_window) for one in node.iter_expressions()]
            else:
                ahead += [(one, clause) for one in node.iter_expressions()]
        return found

    def _column(self, node: exp.Column, place: Place) -> list[OutputColumn]:
        if isinstance(node.this, exp.Star):
            qualifier = [part.name.lower() for part in node.parts[:-1]]
            columns = [one for source in place.scope.sources_of_star(qualifier) for one in source.columns or ()]
        elif all(isinstance(part, exp.Identifier) for part in node.parts):
            parts = [part.name.lower() for part in node.parts]
            column = place.column(parts)
            if column is None and isinstance(node.parent, exp.Func) and _UNITS.fullmatch(node.name.lower()):
                return []
            if column is None:
                self._missing(node.parts, place)
                why = f"{'.'.join(parts)} is no column of a table in FROM"
                column = OutputColumn(parts[-1], parts[-1], DerivedType(why=why), None, (), True)
            is_alias = len(parts) == 1 and column is place.aliases.get(parts[0])
            self._types.resolve(node, column, is_alias=is_alias)
            columns = [column]
        else:
            return []
        self._use(columns, place.clause, node.parts[0].meta.get("start"))
        return columns

    def use(self, columns: Iterable[OutputColumn], place: Place) -> None:
        """See ``Reads``."""
        self._use(columns, place.clause, None)

    def shared(self, name: Any, place: Place) -> OutputColumn | None:
        """See ``Reads``."""
        column = place.scope.column([name.name.lower()])
        if column is None:
            self._missing([name], place)
        else:
            self._use([column], place.clause, name.meta.get("start"))
        return column

    def _missing(self, names: Sequence[Any], place: Place) -> None:
        found = place.scope.missing([name.name for name in names])
        if found is None:
            return
        at, problem = found
        name = names[at]
        error = self._query.statement.error(problem, name.meta.get("start"), found=name.name)
        self.unknown.append(replace(error, condition="UNRESOLVED_COLUMN"))

    def _use(self, columns: Iterable[OutputColumn], clause: Clause, start: int | None) -> None:
        for column in columns:
            for source in column.sources:
                before = self.uses.setdefault((source, clause), start)
                if start is not None and (before is None or start < before):
                    self.uses[source, clause] = start

    def _definitions(self, query: exp.Expr, outer: Definitions) -> Definitions:
        clause = query.args.get("with_")
        if clause is None:
            return outer
        found = dict(outer)
        for definition in clause.expressions:
            columns = None
            if clause.args.get("recursive"):
                found[definition.alias.lower()] = None
            inner = self.query(definition.this, found, Place(Clause.SELECT))
            if not clause.args.get("recursive"):
                columns = inner
            found[definition.alias.lower()] = renamed(columns, definition.args.get("alias"))
        return found

    def _set_operation(self, query: exp.SetOperation, definitions: Definitions, place: Place) -> Columns:
        # A chain of a thousand branches is a thousand levels deep.
        chain = [query]
        while isinstance(chain[-1].this, exp.SetOperation) and not chain[-1].this.args.get("with_"):
            chain.append(chain[-1].this)
        found = self.query(chain[-1].this, definitions, place)
        for operation in reversed(chain):
            self.outputs[id(operation.this)] = found
            found = self._branches(operation, found, self.query(operation.expression, definitions, place), place)
        return found

    def _branches(self, operation: exp.SetOperation, left: Columns, right: Columns, place: Place) -> Columns:
        """The columns of two branches together."""
        keeps_left = not isinstance(operation, exp.Union)
        if keeps_left:
            # The values of the right side only decide which rows of the left side there are.
            self._use(right, inner_clause(place.clause, Clause.WHERE), None)
        is_plain = not any(operation.args.get(word) for word in ("by_name", "on", "side", "kind"))
        if not is_plain or len(left) != len(right) or not all(one.is_one for one in (*left, *right)):
            why = DerivedType(why="it is not known which columns of the branches go together")
            sources = united((*left, *right)).sources
            return tuple(
                replace(one, derived=why, sources=sources, has_more_sources=True, comment=None) for one in left
            )
        return tuple(
            replace(
                one if keeps_left else united((one, other)),
                derived=common_type([one.derived, other.derived], self._query.dialect),
                comment=None,
            )
            for one, other in zip(left, right, strict=True)
        )

    def _sorting(self, query: exp.Expr, columns: Columns, place: Place) -> None:
        """What follows a set operation, or a query in brackets, which sees the output columns only."""
        aliases = {(one.name or "").lower(): one for one in columns}
        for clause in ALIASES_FIRST:
            part = query.args.get(clause)
            if part is not None:
                of_clause = inner_clause(place.clause, OF_SELECT[clause])
                self.read(part, Place(of_clause, Scope(), {}, aliases, aliases_first=True))

    def _select(self, select: exp.Select, definitions: Definitions, place: Place) -> Iterator[OutputColumn]:
        scope = self._from.scope(self, select, replace(place, definitions=definitions))
        self.scopes[id(select)] = scope
        in_list = Place(place.clause, scope, definitions)
        columns: list[OutputColumn] = []
        for expression in select.expressions:
            if self._query.dialect == "spark":
                # Spark lets an expression name the aliases before it (SPARK-27561), never its own.
                aliases = {one.name.lower(): one for one in columns if one.name and one.is_one}
                in_list = replace(in_list, aliases=aliases)
            columns += self._item(expression, in_list)
        aliases = {one.name.lower(): one for one in columns if one.name and one.is_one}
        for clause, kind in OF_SELECT.items():
            part = select.args.get(clause)
            of_clause = inner_clause(place.clause, kind)
            first = clause in ALIASES_FIRST
            sees = aliases if clause != "where" else {}
            inside = Place(of_clause, scope, definitions, sees, aliases_first=first)
            for one in part if isinstance(part, list) else [part] if part is not None else ():
                self.read(one, inside)
                if clause in ("group", "order"):
                    self._use(_by_number(one, columns), of_clause, None)
        return iter(columns)

    def _item(self, expression: exp.Expr, place: Place) -> Columns:
        """The columns of one entry of a select list."""
        item = item_of(expression)
        if item.is_star:
            return self._star(expression, place)
        made_of = self.read(expression, place)
        made_of += self._of_named_windows(expression, place)
        whole = united([OutputColumn(""), *made_of])
        plain: Any = expression.unalias()
        comment = made_of[0].comment if len(made_of) == 1 and isinstance(plain, exp.Column) else None

        def column(name: str | None, derived: DerivedType) -> OutputColumn:
            text = name or self._text(expression)
            return OutputColumn(text, name, derived, comment, whole.sources, whole.has_more_sources)

        if item_of(plain).generator or isinstance(expression, exp.Aliases):
            generated = generated_columns(plain, self._types)
            names = item.names or tuple(name for name, _ in generated or () if name)
            if not names or (generated is not None and len(generated) != len(names)):
                return (replace(column(None, DerivedType()), is_one=False),)
            why = DerivedType(why="the columns of the function are not known")
            types = [type_ for _, type_ in generated] if generated else [why] * len(names)
            return tuple(column(name, type_) for name, type_ in zip(names, types, strict=True))
        found = column(item.names[0], self._types.of(plain))
        return (replace(found, is_constant=True) if not whole.sources and is_constant(plain, self._types) else found,)

    def _of_named_windows(self, expression: exp.Expr, place: Place) -> list[OutputColumn]:
        """What windows are partitioned and ordered by that are defined in the WINDOW clause."""
        select = expression.find_ancestor(exp.Select)
        windows = (select.args.get("windows") or ()) if select is not None else ()
        if not windows:
            return []
        called = {node.args["alias"].name.lower() for node in expression.find_all(exp.Window) if node.args.get("alias")}
        return [
            one
            for window in windows
            if window.name.lower() in called
            for one in self.read(window, replace(place, clause=inner_clause(place.clause, Clause.WINDOW)))
        ]

    def _star(self, expression: exp.Expr, place: Place) -> Columns:
        qualifier: list[str] = []
        last, first = expression, expression
        if isinstance(expression, exp.Column):
            qualifier, last = [part.name.lower() for part in expression.parts[:-1]], expression.this
            first = expression.parts[0]
        sources = place.scope.sources_of_star(qualifier)
        reads = [column for source in sources for column in source.columns or (source.unknown_column(),)]
        if not sources and qualifier and (struct := place.scope.column(qualifier)):
            reads = [struct]
        self._use(reads, place.clause, first.meta.get("start"))
        self.stars |= {source.table: None for source in sources if source.table}
        has_exceptions = not isinstance(last, exp.Star) or any(last.args.values())
        found = None if has_exceptions else place.scope.expanded(qualifier)
        if found:
            return found
        whole = united([OutputColumn(""), *reads])
        text = self._text(expression)
        return (OutputColumn(text, sources=whole.sources, has_more_sources=True, is_one=False),)

    def _text(self, expression: exp.Expr) -> str:
        try:
            text = expression.sql(self._query.dialect, comments=False, unsupported_level=ErrorLevel.IGNORE)
        except RecursionError:
            return "an expression that is nested deeply"
        return text if len(text) <= 40 else f"{text[:40]}..."


def _by_number(part: exp.Expr, columns: Sequence[OutputColumn]) -> Iterator[OutputColumn]:
    """The output columns that GROUP BY or ORDER BY names by their numbers, from 1."""
    for one in part.expressions:
        key = one.this if isinstance(one, exp.Ordered) else one
        if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit() and all(c.is_one for c in columns):
            yield from columns[int(key.name) - 1 : int(key.name)] if int(key.name) > 0 else ()
