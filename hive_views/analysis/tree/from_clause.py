"""FROM: tables, subqueries, joins, LATERAL VIEW and functions, turned into the sources of a SELECT."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import (
    Clause,
    DerivedType,
    OutputColumn,
    TableColumn,
    TableColumns,
    TableName,
    declared_type,
)
from hive_views.analysis.tree.places import Place, Reads
from hive_views.analysis.tree.sources import Columns, Scope, Source, merged
from hive_views.analysis.tree.typing.branches import common_type
from hive_views.analysis.tree.typing.context import Context
from hive_views.analysis.tree.typing.generators import generated_columns
from hive_views.sql.dialects import METASTORE_CATALOGS

_NOT_IN_OUTPUT = ("SEMI", "ANTI")


@dataclass
class _Joined:
    """The sources of one FROM so far; see ``Scope``."""

    sources: list[Source] = field(default_factory=list)
    only_in_joins: list[Source] = field(default_factory=list)
    merged: dict[str, OutputColumn] | None = field(default_factory=dict)
    conditions: list[Any] = field(default_factory=list)

    def scope(self, around: Scope | None) -> Scope:
        one_column = None if self.merged is None else dict(self.merged)
        return Scope(tuple(self.sources), one_column, only_in_joins=tuple(self.only_in_joins), around=around)


class FromReader:
    """Reads the FROM of every SELECT in a query.

    Args:
        namespace: of names without one, in lower case.
        catalog: of names without one, where it is not the metastore.
        tables: the columns that are known.
        types: of the parts of the query.
    """

    def __init__(self, namespace: str, catalog: str | None, tables: TableColumns, types: Context) -> None:
        self._namespace, self._catalog, self._tables, self._types = namespace, catalog, tables, types
        self._columns: dict[TableName, Columns | None] = {}

    def scope(self, reader: Reads, select: exp.Select, place: Place) -> Scope:
        """What the rest of a SELECT may name; ``place`` is where the SELECT stands, with its definitions."""
        around = place.scope if place.scope.sources else None
        start = select.args.get("from_")
        joins, laterals = select.args.get("joins") or (), select.args.get("laterals") or ()
        joined = _Joined()
        if start is not None:
            inside = replace(place, aliases={})
            joined.sources += self._sources(reader, joined, start.this, inside)
            self._add(reader, joined, [*joins, *laterals], inside)
        scope = replace(joined.scope(around), in_order=not (joins and laterals))
        self._read_conditions(reader, joined, scope, place)
        return scope

    def _read_conditions(self, reader: Reads, joined: _Joined, scope: Scope, place: Place) -> None:
        in_joins = replace(place, clause=_clause(place, Clause.JOIN), scope=scope.of_joins, aliases={})
        for condition in joined.conditions:
            reader.read(condition, in_joins)

    def _add(self, reader: Reads, joined: _Joined, entries: Iterable[exp.Expr], place: Place) -> None:
        """Add joins and lateral views, which the tree has apart, in the order of the text."""
        around = place.scope if place.scope.sources else None
        for join in sorted(entries, key=start_of_entry):
            if isinstance(join, exp.Lateral):
                inside = replace(place, clause=_of_function(place), scope=joined.scope(around))
                joined.sources.append(self._function(reader, join, inside))
                continue
            right = self._sources(reader, joined, join.this, place)
            of_join = replace(place, clause=_clause(place, Clause.JOIN))
            sides = (joined.scope(None), Scope(tuple(right)))
            for name in join.args.get("using") or ():
                left, other = (reader.shared(name, replace(of_join, scope=side)) for side in sides)
                if joined.merged is not None and left and other:
                    joined.merged[name.name.lower()] = merged((join.args.get("side") or "").upper(), left, other)
            if (join.args.get("method") or "").upper() == "NATURAL":
                joined.merged = None
            is_visible = (join.args.get("kind") or "").upper() not in _NOT_IN_OUTPUT
            (joined.sources if is_visible else joined.only_in_joins).extend(right)
            if join.args.get("on") is not None:
                joined.conditions.append(join.args["on"])

    def _sources(self, reader: Reads, joined: _Joined, node: Any, place: Place) -> list[Source]:
        """The sources of one entry of FROM: several where it is a join in brackets."""
        names = _column_names(node)
        if isinstance(node, (exp.Lateral, exp.Unnest, exp.Values)):
            before = replace(joined.scope(place.scope if place.scope.sources else None), only_in_joins=())
            inside = replace(place, clause=_of_function(place), scope=before)
            return [self._function(reader, node, inside)]
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            group = _Joined() if node.alias else joined
            found = self._sources(reader, group, node.this, place)
            if node.alias:
                group.sources = found
                self._read_conditions(reader, group, group.scope(None), place)
                found = [_as_one(group, node.alias.lower()).renamed(names)]
        elif isinstance(node, exp.Subquery):
            inner = reader.query(node, place.definitions, Place(place.clause))
            found = [_as_source(node.alias.lower(), inner).renamed(names)]
        elif isinstance(node, exp.Table):
            found = [self._table(reader, node, place).renamed(names)]
        else:
            columns = reader.read(node, place)
            found = [Source(node.alias_or_name.lower(), None, None, _made_of(columns))]
        pivots = node.args.get("pivots") or ()
        for pivot in pivots:
            found = [self._pivoted(reader, pivot, found, place)]
        nested = [*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())]
        if nested:
            group = _Joined(found, merged=joined.merged)
            self._add(reader, group, nested, place)
            joined.conditions += group.conditions
            joined.only_in_joins += group.only_in_joins
            joined.merged = group.merged
            found = group.sources
        return found

    def _function(self, reader: Reads, node: Any, place: Place) -> Source:
        """The source that a table-generating function, or a list of values, makes."""
        alias = node.args.get("alias")
        name = alias.name.lower() if isinstance(alias, exp.TableAlias) else node.alias_or_name.lower()
        names = _column_names(node)
        if isinstance(node, exp.Values):
            return Source(name, self._rows(reader, node, place)).renamed(names)
        function: Any = node.this if isinstance(node, exp.Lateral) else node
        if isinstance(function, exp.Query):
            return _as_source(name, reader.query(function, place.definitions, place)).renamed(names)
        parts = [function] if function is not node else node.expressions
        read = [column for part in parts for column in reader.read(part, place)]
        made_of = _made_of(read)
        generated = generated_columns(function, self._types) if isinstance(node, exp.Lateral) else None
        if generated is None or (names and len(names) != len(generated)):
            offset = node.args.get("offset")
            ordinality = [offset.name] if isinstance(offset, exp.Identifier) else []
            why = DerivedType(why=f"the columns of {name or 'a function'} are not known")
            generated = tuple((one, why) for one in (*names, *ordinality)) if names else ()
        if not generated or not (names or all(default for default, _ in generated)):
            return Source(name, None, None, made_of)
        sources, has_more = tuple(sorted(made_of)), any(one.has_more_sources for one in read)
        called = names if len(names) == len(generated) else [default for default, _ in generated]
        columns = (
            OutputColumn(as_ or "", as_, derived, None, sources, has_more)
            for as_, (_, derived) in zip(called, generated, strict=True)
        )
        return Source(name, tuple(columns))

    def _rows(self, reader: Reads, node: exp.Values, place: Place) -> Columns | None:
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
        for row in rows:
            for one in row:
                reader.read(one, place)
        if len({len(row) for row in rows}) != 1:
            return None
        columns = []
        for number, values in enumerate(zip(*rows, strict=True), 1):
            in_spark = common_type([self._types.of(value) for value in values], self._types.dialect).spark
            derived = DerivedType(None, in_spark, "Hive has no VALUES in FROM")
            columns.append(OutputColumn(f"col{number}", f"col{number}", derived))
        return tuple(columns)

    def _pivoted(self, reader: Reads, pivot: Any, sources: Sequence[Source], place: Place) -> Source:
        inside = replace(place, scope=Scope(tuple(sources)))
        reader.read(pivot, inside)
        columns = [column for source in sources for column in source.columns or (source.unknown_column(),)]
        reader.use(columns, place)
        name = pivot.alias.lower() or next((source.name for source in sources), "")
        return Source(name, None, None, _made_of(columns))

    def _table(self, reader: Reads, table: exp.Table, place: Place) -> Source:
        alias = (table.alias or table.name).lower()
        if not all(isinstance(part, exp.Identifier) for part in table.parts):
            return Source(alias, None, None, _made_of(reader.read(table.this, place)))
        parts = tuple(part.name.lower() for part in table.parts)
        if len(parts) == 1 and parts[0] in place.definitions:
            columns = place.definitions[parts[0]]
            return Source(alias, None) if columns is None else _as_source(alias, columns)
        name = self._full_name(parts)
        if name not in self._columns:
            self._columns[name] = self._of_table(name)
        return Source(alias, self._columns[name], name)

    def _full_name(self, parts: TableName) -> TableName:
        """As ``referenced_tables`` names it."""
        name = (self._namespace, *parts) if len(parts) == 1 else parts
        if self._catalog and len(name) == 2:
            return (self._catalog.lower(), *name)
        return name[1:] if len(parts) == 3 and parts[0] in METASTORE_CATALOGS else name

    def _of_table(self, name: TableName) -> Columns | None:
        columns = self._tables.get(name)
        if columns is None:
            return None
        return tuple(
            OutputColumn(
                one.name, one.name, declared_type(one.type), one.comment, (TableColumn(name, one.name.lower()),)
            )
            for one in columns
        )


def renamed(columns: Columns | None, alias: exp.Expr | None) -> Columns | None:
    """The columns of a common table expression under the names of ``WITH t (a, b) AS``; None where one is unknown."""
    if columns is None:
        return None
    names = [name.name for name in alias.args.get("columns") or ()] if alias is not None else []
    return _as_source("", columns).renamed(names).columns


def _as_source(name: str, columns: Columns) -> Source:
    """The source that a query is; its columns are known only if all are."""
    known = columns if all(one.is_one for one in columns) else None
    return Source(name, known, None, _made_of(columns))


def _as_one(group: _Joined, name: str) -> Source:
    """A join in brackets under one alias."""
    columns = group.scope(None).expanded(())
    everything = [one for source in group.sources for one in source.columns or (source.unknown_column(),)]
    return Source(name, columns, None, _made_of(everything))


def _made_of(columns: Iterable[OutputColumn]) -> frozenset[TableColumn]:
    return frozenset(source for column in columns for source in column.sources)


def _column_names(node: Any) -> list[str]:
    alias = node.args.get("alias")
    return [name.name for name in alias.columns] if isinstance(alias, exp.TableAlias) else []


def start_of_entry(node: exp.Expr) -> int:
    """The offset of the first name in a part of FROM."""
    return next((one.meta["start"] for one in node.find_all(exp.Identifier) if "start" in one.meta), 0)


def _clause(place: Place, own: Clause) -> Clause:
    return own if place.clause is Clause.SELECT else place.clause


def _of_function(place: Place) -> Clause:
    return _clause(place, Clause.LATERAL_VIEW)
