"""Names and types of output columns, read from sqlglot's tree.

sqlglot's own annotation of types guesses, and is not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import ErrorLevel, exp

from hive_views.messages.did_you_mean import did_you_mean
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.sql.outline import OutputType, TableColumns
from hive_views.sql.parser.expression_types import has_lengths, type_of
from hive_views.sql.parser.outlines import item_of
from hive_views.sql.parser.statement import Statement
from hive_views.sql.syntax_errors import SourceText

_Columns = tuple[OutputType, ...]
_SEEING_ALIASES = ("group", "having", "qualify", "order", "sort", "cluster", "distribute")

_OF_ENGINES = re.compile(r"\w+__\w+|_metadata|spark_grouping_id|(current|session|local)_?\w+|user")
"""Names with a meaning in every query: virtual columns, and functions without parentheses."""

_UNITS = re.compile(r"(microsecond|millisecond|second|minute|hour|day|week|month|quarter|year)s?|dayofyear")
"""Units in arguments of date functions, which the tree has as columns."""

_Definitions = Mapping[str, "_Columns | None"]
"""Columns of the common table expressions in scope, by name in lower case; None where they are not known."""


def output_types(statement: Statement, namespace: str, tables: TableColumns) -> _Columns:
    """The output columns of a query; see ``sql/query.py``."""
    reader = _Reader(statement, namespace.lower(), tables, has_lengths(statement.tokens))
    return reader.query(statement.tree, {})


@dataclass(frozen=True)
class _Source:
    """A source in FROM; ``columns`` is None where they are not known."""

    name: str
    columns: _Columns | None


@dataclass(frozen=True)
class _Scope:
    """The sources of one SELECT, in the order of the text.

    ``merged`` are the names that USING merges into one column; None for NATURAL, which merges all equal names.
    ``in_order`` is False where the tree does not say in which order a star lists the sources. ``only_in_joins`` are
    visible only in the condition of their join: the right sides of SEMI and ANTI JOIN. ``around`` are the sources of
    outer queries, which a subquery in an expression may name as well.
    """

    sources: tuple[_Source, ...] = ()
    merged: frozenset[str] | None = field(default_factory=frozenset)
    in_order: bool = True
    only_in_joins: tuple[_Source, ...] = ()
    around: tuple[_Source, ...] = ()

    def type_of(self, column: exp.Column) -> str | None:
        """The type of a column, if it is certain which column that is."""
        parts = [part.name.lower() for part in column.parts]
        if len(parts) > 2:
            return None
        candidates = self.sources
        if len(parts) == 2:
            candidates = tuple(source for source in self.sources if source.name == parts[0])
            if len(candidates) != 1:
                return None
        if any(source.columns is None for source in candidates):
            return None
        found = [one for source in candidates for one in source.columns or () if (one.name or "").lower() == parts[-1]]
        types = {one.type for one in found}
        is_one = len(found) == 1 or self.merged is None or parts[-1] in self.merged
        return types.pop() if len(types) == 1 and is_one else None

    def missing(self, column: exp.Column) -> tuple[exp.Expr, str] | None:
        """The part of a column's name that is unknown in FROM, and the problem; None where it is, or may be, known."""
        visible = (*self.sources, *self.around)
        if not self.sources or any(source.columns is None for source in visible) or len(column.parts) > 2:
            return None
        columns: dict[str, list[str]] = {}
        for source in visible:
            columns.setdefault(source.name, []).extend((one.name or "").lower() for one in source.columns or ())
        known = {name for names in columns.values() for name in names}
        first, last = column.parts[0], column.parts[-1]
        # A column may be a struct, and what follows its name a field.
        if first.name.lower() in known or any(_OF_ENGINES.fullmatch(part.name.lower()) for part in (first, last)):
            return None
        if first is not last and first.name.lower() not in columns:
            problem = f"{first.name} is neither a table in FROM nor a column of one. "
            return first, problem + did_you_mean(first.name, columns)
        candidates = columns[first.name.lower()] if first is not last else known
        if last.name.lower() in candidates:
            return None
        tables = list(columns) if first is last else [first.name]
        subject = f"{tables[0]} has no column" if len(tables) == 1 else f"none of {', '.join(tables)} has a column"
        return last, f"{subject} {last.name!r}. {did_you_mean(last.name, candidates)}"

    def expanded(self, star: exp.Expr) -> _Columns | None:
        """The columns behind a star, if they and their order are certain."""
        if _has_exceptions(star) or self.merged is None or self.merged:
            return None
        named = star.args.get("table") if isinstance(star, exp.Column) else None
        if isinstance(star, exp.Column) and len(star.parts) > 2:
            return None
        sources = [source for source in self.sources if named is None or source.name == named.name.lower()]
        if not sources or (named is None and not self.in_order) or (named is not None and len(sources) > 1):
            return None
        columns = [one for source in sources for one in source.columns or (OutputType("*", is_one=False),)]
        # Engines name a column without an alias differently, so no text finds it by name in all of them.
        return tuple(columns) if all(one.is_one and one.name for one in columns) else None


@dataclass(frozen=True)
class _Reader:
    source: SourceText
    namespace: str
    tables: TableColumns
    lengths: bool

    def query(self, query: Any, outer: _Definitions, around: tuple[_Source, ...] = ()) -> _Columns:
        definitions = self._definitions(query, outer)
        if isinstance(query, exp.Subquery):
            return self.query(query.this, definitions, around)
        if isinstance(query, exp.SetOperation):
            return self._set_operation(query, definitions, around)
        if isinstance(query, exp.Select):
            return tuple(self._select(query, definitions, around))
        return (OutputType(self._text(query), is_one=False),)

    def _definitions(self, query: exp.Expr, outer: _Definitions) -> _Definitions:
        clause = query.args.get("with_")
        if clause is None:
            return outer
        found = dict(outer)
        for definition in clause.expressions:
            columns = None if clause.args.get("recursive") else self.query(definition.this, found)
            found[definition.alias.lower()] = _renamed(columns, definition.args.get("alias"))
        return found

    def _set_operation(
        self, query: exp.SetOperation, definitions: _Definitions, around: tuple[_Source, ...]
    ) -> _Columns:
        left, right = (self.query(one, definitions, around) for one in (query.this, query.expression))
        is_plain = not any(query.args.get(word) for word in ("by_name", "on", "side", "kind"))
        if not is_plain or len(left) != len(right) or not all(one.is_one for one in (*left, *right)):
            return tuple(replace(one, type=None) for one in left)
        # Spark makes a char or varchar a string there.
        return tuple(
            replace(one, type=one.type if one.type == other.type and not _has_length(one.type) else None)
            for one, other in zip(left, right, strict=True)
        )

    def _select(
        self, select: exp.Select, definitions: _Definitions, around: tuple[_Source, ...]
    ) -> Iterator[OutputType]:
        scope = replace(self._scope(select, definitions), around=around)
        self._refuse_unknown_columns(select, scope, definitions)
        for expression in select.expressions:
            item = item_of(expression)
            if item.is_star:
                yield from scope.expanded(expression) or (OutputType(self._text(expression), is_one=False),)
            elif not item.names:
                yield OutputType(self._text(expression), is_one=False)
            elif isinstance(expression, exp.Aliases):
                yield from (OutputType(str(name), name) for name in item.names)
            else:
                name = item.names[0]
                type_ = type_of(expression.unalias(), scope.type_of, lengths=self.lengths)
                yield OutputType(name or self._text(expression), name, type_)

    def _refuse_unknown_columns(self, select: exp.Select, scope: _Scope, definitions: _Definitions) -> None:
        """Refuse a column that no table in FROM has, anywhere in the query."""
        names = [one.alias.lower() if isinstance(one, exp.Alias) else "" for one in select.expressions]
        aliases = {name for name in names if name}
        joined = replace(scope, sources=(*scope.sources, *scope.only_in_joins))
        # Spark lets an expression name the aliases before it (SPARK-27561), never its own.
        before = [set(names[:place]) if self.source.dialect == "spark" else set() for place in range(len(names))]
        places: list[tuple[Any, _Scope, set[str]]] = [
            *((one, scope, known) for one, known in zip(select.expressions, before, strict=True)),
            (select.args.get("where"), scope, set()),
            *((select.args.get(clause), scope, aliases) for clause in _SEEING_ALIASES),
            *((join.args.get("on"), joined, set()) for join in select.args.get("joins") or ()),
            *((window, scope, set()) for window in select.args.get("windows") or ()),
            *((lateral.this, before, set()) for lateral, before in _before_laterals(select, scope)),
        ]
        for part, sources, known in places:
            for inner in _queries_in(part):
                self.query(inner, definitions, (*sources.sources, *sources.around))
            self._refuse_unknown((one for one in _columns_of(part) if one.parts[0].name.lower() not in known), sources)

    def _refuse_unknown(self, columns: Iterable[exp.Column], scope: _Scope) -> None:
        for missing in filter(None, map(scope.missing, columns)):
            name, problem = missing
            error = self.source.error(problem, name.meta.get("start"), found=name.name)
            raise replace(error, condition="UNRESOLVED_COLUMN")

    def _scope(self, select: exp.Select, definitions: _Definitions) -> _Scope:
        start = select.args.get("from_")
        joins, laterals = select.args.get("joins") or [], select.args.get("laterals") or []
        sources = list(self._from(start.this, definitions)) if start else []
        only_in_joins: list[_Source] = []
        merged: set[str] | None = set()
        for join in joins:
            is_visible = (join.args.get("kind") or "").upper() not in ("SEMI", "ANTI")
            joined = tuple(self._from(join.this, definitions))
            # A copy, as a name in another node would have another parent.
            shared = [exp.Column(this=name.copy()) for name in join.args.get("using") or ()]
            for side in ((*sources, *map(_lateral, laterals)), joined):
                self._refuse_unknown(shared, _Scope(side))
            (sources if is_visible else only_in_joins).extend(joined)
            if (join.args.get("method") or "").upper() == "NATURAL":
                merged = None
            elif merged is not None:
                merged |= {name.name.lower() for name in join.args.get("using") or ()}
        for lateral in laterals:
            sources.append(_lateral(lateral))
        one_column = None if merged is None else frozenset(merged)
        return _Scope(tuple(sources), one_column, not (joins and laterals), tuple(only_in_joins))

    def _from(self, node: Any, definitions: _Definitions) -> Iterator[_Source]:
        """The sources of one entry of FROM."""
        alias = node.args.get("alias")
        nested = node.args.get("joins") or node.args.get("laterals") or node.args.get("pivots")
        if isinstance(node, exp.Table) and not nested:
            yield _Source((node.alias or node.name).lower(), _renamed(self._table(node, definitions), alias))
        elif isinstance(node, exp.Subquery) and not nested and not isinstance(node.this, exp.Table):
            yield _Source(node.alias.lower(), _renamed(self.query(node, definitions), alias))
        else:
            yield _Source(node.alias_or_name.lower(), None)

    def _table(self, table: exp.Table, definitions: _Definitions) -> _Columns | None:
        if not all(isinstance(part, exp.Identifier) for part in table.parts):
            return None
        parts = [part.name.lower() for part in table.parts]
        if len(parts) == 1 and parts[0] in definitions:
            return definitions[parts[0]]
        if len(parts) == 3 and parts[0] in METASTORE_CATALOGS:
            parts = parts[1:]
        namespace, name = parts if len(parts) == 2 else (self.namespace, parts[-1])
        columns = self.tables.get((namespace, name)) if len(parts) < 3 else None
        return None if columns is None else tuple(OutputType(name, name, type_) for name, type_ in columns)

    def _text(self, expression: exp.Expr) -> str:
        text = expression.sql(self.source.dialect, comments=False, unsupported_level=ErrorLevel.IGNORE)
        return text if len(text) <= 40 else f"{text[:40]}..."


def _queries_in(part: Any) -> Iterator[exp.Query]:
    """The subqueries in an expression, without those nested in them."""
    walked = part.walk(prune=lambda node: isinstance(node, (exp.Query, exp.Hint))) if part else ()
    return (node for node in walked if isinstance(node, exp.Query))


def _columns_of(part: Any) -> Iterator[exp.Column]:
    """The columns in a part of a query, without those of subqueries and the parameters of lambdas."""
    if part is None:
        return
    for node in part.walk(prune=lambda node: isinstance(node, (exp.Query, exp.Hint))):
        if isinstance(node, exp.Column) and all(isinstance(one, exp.Identifier) for one in node.parts):
            is_unit = isinstance(node.parent, exp.Func) and _UNITS.fullmatch(node.name.lower())
            if not is_unit:
                yield node


def _before_laterals(select: exp.Select, scope: _Scope) -> Iterator[tuple[exp.Expr, _Scope]]:
    """Each LATERAL VIEW with what its function may refer to: the tables, and the views before it."""
    laterals = select.args.get("laterals") or []
    tables = len(scope.sources) - len(laterals)
    for number, lateral in enumerate(laterals):
        yield lateral, replace(scope, sources=scope.sources[: tables + number])


def _lateral(lateral: exp.Expr) -> _Source:
    """A LATERAL VIEW: it may name its columns, and only an engine knows their types."""
    alias = lateral.args.get("alias")
    names = alias.columns if isinstance(alias, exp.TableAlias) else []
    columns = tuple(OutputType(name.name, name.name) for name in names)
    return _Source(alias.name.lower() if alias else "", columns or None)


def _renamed(columns: _Columns | None, alias: exp.Expr | None) -> _Columns | None:
    """The columns under the names of ``AS t (a, b)``; None where one of them is unknown."""
    if columns is None or not all(one.is_one for one in columns):
        return None
    names: Sequence[exp.Expr] = alias.args.get("columns") or () if alias else ()
    if not names:
        return columns
    if len(names) != len(columns):
        return None
    return tuple(replace(one, name=name.name) for one, name in zip(columns, names, strict=True))


def _has_exceptions(star: exp.Expr) -> bool:
    last = star.this if isinstance(star, exp.Column) else star
    return not isinstance(last, exp.Star) or any(last.args.values())


def _has_length(type_: str | None) -> bool:
    return (type_ or "").startswith(("char", "varchar"))
