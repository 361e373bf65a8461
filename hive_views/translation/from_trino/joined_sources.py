"""FROM: tables, subqueries and joins in the order of the text, then UNNEST as LATERAL VIEW."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.sql.quoting import quote_identifier
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.common_types import common_type
from hive_views.translation.from_trino.made_queries import Made, Queries, plain_name, refuse_others
from hive_views.translation.from_trino.named_sources import Found, Named, NamedSource, Names
from hive_views.translation.to_trino.queries.equal_rows import NEGATIVE_ZERO

_FRACTIONS = ("float", "double")
_SIDES = ("", "LEFT", "RIGHT", "FULL")


def joined(
    select: exp.Select, queries: Queries, of_query: Callable[[Any, Queries], Made]
) -> tuple[str, Names, list[Any]]:
    """The FROM clause with the line break before it, what names mean behind it, and the conditions in it.

    Raises:
        RefusedError: it cannot be translated.
    """
    clause = select.args.get("from_")
    if clause is None:
        return "", Names(), []
    reader = _Joined(select, queries, of_query)
    reader.first(clause.this)
    for join in select.args.get("joins") or ():
        reader.join(join)
    return reader.text, Names(tuple(reader.sources), reader.shared), reader.conditions


class _Joined:
    """The sources of one FROM so far."""

    def __init__(self, select: exp.Select, queries: Queries, of_query: Callable[[Any, Queries], Made]) -> None:
        self.text = ""
        self.sources: list[NamedSource] = []
        self.shared: dict[str, Found] = {}
        self.conditions: list[Any] = []
        self._select, self._queries, self._of_query = select, queries, of_query
        self._has_unnest = self._has_comma = False

    def first(self, node: Any) -> None:
        if isinstance(node, exp.Unnest):
            raise self._queries.refused(node, reasons.PART_OF_QUERY.because("UNNEST without a table before it"))
        self.text = f"\nFROM {self._source(node)}"

    def join(self, join: Any) -> None:
        queries = self._queries
        refuse_others(join, ("this", "side", "kind", "on", "using"), queries)
        side, kind = (str(join.args.get(one) or "").upper() for one in ("side", "kind"))
        on, using = join.args.get("on"), join.args.get("using")
        if side not in _SIDES or kind not in ("", "INNER", "OUTER", "CROSS"):
            raise queries.refused(join, reasons.PART_OF_QUERY.because(f"{side} {kind} JOIN"))
        if isinstance(join.this, exp.Unnest):
            self._unnest(join, side, on)
            return
        is_cross = on is None and not using
        self._has_comma = self._has_comma or (is_cross and not kind)
        # A comma binds looser than JOIN in Trino, and as close as it in Hive and Spark.
        if self._has_unnest or (is_cross and side) or (self._has_comma and side in ("RIGHT", "FULL")):
            raise queries.refused(join, reasons.PART_OF_QUERY.because("a join behind UNNEST or a comma"))
        text = self._source(join.this)
        if is_cross:
            self.text += f"\nCROSS JOIN {text}"
            return
        condition = self._using(join, using, side) if using else self._condition(on)
        self.text += f"\n{f'{side} ' if side else ''}JOIN {text} ON {condition}"

    def _condition(self, on: Any) -> str:
        queries = self._queries
        inside = queries.within(Names(tuple(self.sources), self.shared))
        term = inside.term(on)
        if term.type != "boolean":
            raise queries.refused(on, reasons.TYPES.because(f"a condition of the type {term.type}"))
        parts = parts_of(on)
        self.conditions += parts
        if any(isinstance(one, exp.EQ) and inside.term(one.this).type in _FRACTIONS for one in parts):
            queries.report(on, NEGATIVE_ZERO)
        if queries.target == "hive" and not all(self._is_equality(one) for one in parts):
            raise queries.refused(on, reasons.NOT_HIVE.because("ON with anything but = between both sides"))
        return term.sql

    def _is_equality(self, part: Any) -> bool:
        """Whether a condition compares a value of the sources so far to one of the last source."""
        if not isinstance(part, exp.EQ):
            return False
        last = self.sources[-1].name
        sides = [
            {self._source_of(column) for column in one.find_all(exp.Column)} for one in (part.this, part.expression)
        ]
        return all(sides) and sorted(last in one for one in sides) == [False, True] and {last} in sides

    def _source_of(self, column: Any) -> str:
        """The alias of the source of a column; empty where it is not certain."""
        found = Names(tuple(self.sources), self.shared).of([part.name.lower() for part in column.parts])
        return found.source if found is not None else ""

    def _using(self, join: Any, using: Sequence[Any], side: str) -> str:
        queries = self._queries
        if side not in ("", "LEFT"):
            raise queries.refused(join, reasons.PART_OF_QUERY.because(f"{side} JOIN with USING"))
        left, right = Names(tuple(self.sources[:-1]), self.shared), Names((self.sources[-1],))
        parts = []
        for name in using:
            one, other = (names.of([name.name.lower()]) for names in (left, right))
            if one is None or other is None:
                raise queries.refused(name, reasons.UNKNOWN_NAME)
            if common_type([one.type, other.type]) != one.type or one.type != other.type:
                raise queries.refused(name, reasons.TYPES.because(f"{one.type} and {other.type} in USING"))
            parts.append(f"{one.sql} = {other.sql}")
            self.shared[name.name.lower()] = one
        return " AND ".join(parts)

    def _unnest(self, join: Any, side: str, on: Any) -> None:
        queries = self._queries
        node = join.this
        refuse_others(node, ("expressions", "alias"), queries)
        is_outer = side == "LEFT"
        if side not in ("", "LEFT") or (is_outer and not _is_true(on)) or (not is_outer and on is not None):
            raise queries.refused(join, reasons.PART_OF_QUERY.because("a condition on UNNEST"))
        alias, given = node.args.get("alias"), node.expressions
        names = [plain_name(one.name, node, queries).lower() for one in alias.columns] if alias is not None else []
        if len(given) != 1:
            raise queries.refused(node, reasons.PART_OF_QUERY.because("UNNEST of several arrays"))
        term = queries.within(Names(tuple(self.sources), self.shared)).term(given[0])
        type_ = parse_hive_type(term.type)
        parts = [str(part) for part in type_.parts]
        if type_.name not in ("array", "map") or parts[0].startswith(("struct<", "char(")) or len(names) != len(parts):
            raise queries.refused(node, reasons.TYPES.because(f"UNNEST of {term.type}"))
        name = self._taken(alias.name, node)
        columns = tuple(Named(*one) for one in zip(names, parts, strict=True))
        self.sources.append(NamedSource(name, columns, has_unnest=True))
        self._has_unnest = True
        quoted = ", ".join(map(quote_identifier, names))
        word = "LATERAL VIEW OUTER" if is_outer else "LATERAL VIEW"
        self.text += f"\n{word} explode({term.sql}) {quote_identifier(name)} AS {quoted}"

    def _taken(self, name: str, node: Any) -> str:
        alias = plain_name(name, node, self._queries).lower()
        if any(source.name == alias for source in self.sources):
            raise self._queries.refused(node, reasons.UNKNOWN_NAME.because(f"two sources are called {name}"))
        return alias

    def _source(self, node: Any) -> str:
        queries = self._queries
        if isinstance(node, exp.Table):
            refuse_others(node, ("this", "db", "catalog", "alias"), queries)
            name = self._taken(node.alias or node.name, node)
            text, columns, has_unnest = *self._table(node), False
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query) and node.alias:
            refuse_others(node, ("this", "alias"), queries)
            name = self._taken(node.alias, node)
            made = self._of_query(node.this, queries.within(Names()))
            text, columns, has_unnest = f"(\n{made.text}\n)", made.columns, made.has_unnest
        else:
            raise queries.refused(node, reasons.PART_OF_QUERY.because(f"{type(node).__name__} in FROM"))
        if any(column.type == "void" for column in columns):
            raise queries.refused(node, reasons.TYPES.because("a column that is only NULL"))
        alias = node.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            raise queries.refused(node, reasons.PART_OF_QUERY.because("names of columns behind an alias"))
        self.sources.append(NamedSource(name, columns, has_unnest))
        return f"{text} {quote_identifier(name)}"

    def _table(self, table: exp.Table) -> tuple[str, tuple[Named, ...]]:
        queries = self._queries
        if not all(isinstance(part, exp.Identifier) for part in table.parts):
            raise queries.refused(table, reasons.PART_OF_QUERY)
        parts = [plain_name(part.name, table, queries).lower() for part in table.parts]
        if len(parts) == 1 and parts[0] in queries.definitions:
            return quote_identifier(parts[0]), queries.definitions[parts[0]]
        if len(parts) == 3 and parts[0] in METASTORE_CATALOGS:
            parts = parts[1:]
        if len(parts) > 2:
            raise queries.refused(table, reasons.CATALOG)
        alias = (table.alias or table.name).lower()
        scope = queries.query.scope_of(self._select)
        found = [one for one in scope.sources if one.name == alias]
        if len(found) != 1 or found[0].columns is None:
            raise queries.refused(table, reasons.UNKNOWN_TYPE)
        columns = []
        for one in found[0].columns:
            if one.name is None or one.derived.certain is None:
                raise queries.refused(table, reasons.UNKNOWN_TYPE.because(one.derived.why or "a column"))
            columns.append(Named(one.name, one.derived.certain))
        return ".".join(map(quote_identifier, parts)), tuple(columns)


def parts_of(condition: Any) -> list[Any]:
    """The conditions that AND makes one of."""
    plain = condition.unnest()
    return [one for part in plain.flatten() for one in parts_of(part)] if isinstance(plain, exp.And) else [plain]


def _is_true(node: Any) -> bool:
    return isinstance(node, exp.Boolean) and bool(node.this)
