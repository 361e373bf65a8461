"""Queries that all engines on a metastore read alike, in a form in which those with the same meaning are equal.

Few are: of what is left out here, each engine orders NULLs, divides, pads, rounds, or reads escapes in its own way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from hive_views.analysis.query_analysis import TableColumns
from hive_views.analysis.tree.wording import IGNORE_CASE
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.sql.query import QueryText

_COMPARED_ALIKE = ("bigint", "boolean", "date", "int", "smallint", "string", "tinyint")
_NUMBERS = ("bigint", "int", "smallint", "tinyint")
_PLAIN_TEXT = re.compile(r"[^\\'\"\x00-\x1f]*")
_NUMBER = re.compile(r"\d{1,9}")

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_PARTS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(("expressions", "from_", "from", "joins", "where", "group", "having", "distinct")),
    exp.Table: frozenset(("this", "db", "catalog", "alias")),
    exp.TableAlias: frozenset(("this",)),
    exp.Join: frozenset(("this", "on", "side", "kind")),
    exp.Group: frozenset(("expressions",)),
    exp.Distinct: frozenset(("expressions",)),
    exp.Column: frozenset(("this", "table")),
    exp.Identifier: frozenset(("this", "quoted")),
    exp.Alias: frozenset(("this", "alias")),
    exp.Literal: frozenset(("this", "is_string")),
    exp.Count: frozenset(("this", "big_int")),
    exp.Min: frozenset(("this",)),
    exp.Max: frozenset(("this",)),
    exp.In: frozenset(("this", "expressions")),
    exp.Between: frozenset(("this", "low", "high")),
    exp.Star: frozenset(),
    exp.Null: frozenset(),
    **dict.fromkeys((exp.From, exp.Where, exp.Having, exp.Paren, exp.Not), frozenset(("this",))),
    **dict.fromkeys((*_COMPARISONS, exp.And, exp.Or, exp.Is), frozenset(("this", "expression"))),
}
"""The expressions that are taken, with the arguments that they may have."""


@dataclass(frozen=True)
class CommonQuery:
    """A query in the form in which equal ones mean the same to all engines, if the types of its columns allow that.

    Attributes:
        tree: names in lower case without quotes; tables with their namespaces, and tables and outputs with aliases.
        tables: what it reads.
    """

    tree: exp.Select
    tables: tuple[tuple[str, str], ...]

    def is_read_alike(self, columns: TableColumns) -> bool:
        """Whether every column is known, and those that are compared or grouped have types that allow it."""
        types: dict[str, str] = {}
        for namespace, name in self.tables:
            if (namespace, name) not in columns:
                return False
            for column in columns[namespace, name]:
                if types.setdefault(column.name.lower(), column.type) != column.type:
                    types[column.name.lower()] = "of several types"
        # The alias of one column and the name of another is one or the other to engines, as are tables and structs.
        others = {one.alias for one in self.tree.expressions if one.this.name != one.alias}
        aliases = {table.alias for table in self.tree.find_all(exp.Table)}
        if types.keys() & (others | aliases):
            return False
        columns_named = [*self.tree.find_all(exp.Column)]
        if not {one.table for one in columns_named} <= {"", *aliases}:
            return False
        is_distinct = self.tree.args.get("distinct") is not None
        return all(
            types.get(one.name) in _COMPARED_ALIKE
            or (one.name in types and isinstance(one.parent, exp.Alias) and not is_distinct)
            for one in columns_named
        ) and all(
            len(kinds := {_kind(operand, types) for operand in one.iter_expressions()}) == 1 and None not in kinds
            for one in self.tree.find_all(*_COMPARISONS, exp.In, exp.Between)
        )


def common_query(query: QueryText, namespace: str) -> CommonQuery | None:
    """The query in this form; None if it has anything that engines may read differently.

    Raises:
        SQLSyntaxError: the text is not one query.
    """
    if query.dialect not in IGNORE_CASE:
        return None
    tree = query.statement.tree.copy()
    if not isinstance(tree, exp.Select) or not all(_is_taken(node) for node in tree.walk()):
        return None
    for node in tree.walk():
        node.comments = None
    for join in tree.find_all(exp.Join):
        if str(join.args.get("kind")).upper() in ("INNER", "OUTER"):
            join.set("kind", None)  # of which the side says all
    for name in tree.find_all(exp.Identifier):
        name.set("this", str(name.this).lower())
        name.set("quoted", None)
    tables = [_with_full_name(table, namespace) for table in tree.find_all(exp.Table)]
    if not tables or None in tables:
        return None
    tree.set("expressions", [_with_alias(output) for output in tree.expressions])
    return CommonQuery(tree, tuple(table for table in tables if table))


def _is_taken(node: exp.Expr) -> bool:
    parts = _PARTS.get(type(node))
    if parts is None or any(value for name, value in node.args.items() if name not in parts):
        return False
    match node:
        case exp.Literal():
            return bool((_PLAIN_TEXT if node.is_string else _NUMBER).fullmatch(str(node.this)))
        case exp.Select():
            return node.parent is None
        case exp.Join():
            return bool(node.args.get("on")) != (str(node.args.get("kind") or "").upper() == "CROSS")
        case exp.Group():
            return all(isinstance(one, exp.Column) for one in node.expressions)
        case exp.Star():
            return isinstance(node.parent, exp.Count)
        case exp.Count():
            counted = node.this
            is_distinct = isinstance(counted, exp.Distinct) and len(counted.expressions) == 1
            return isinstance(counted, (exp.Star, exp.Column)) or is_distinct
        case exp.Min() | exp.Max():
            return isinstance(node.this, exp.Column)
        case exp.Is():
            return isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Null)
        case exp.Null():
            return isinstance(node.parent, exp.Is)
    return True


def _with_full_name(table: exp.Table, namespace: str) -> tuple[str, str] | None:
    name = tuple(part.name for part in table.parts)
    if len(name) == 3 and name[0] in METASTORE_CATALOGS:
        name = name[1:]
    full = (namespace.lower(), *name) if len(name) == 1 else name
    if len(full) != 2:
        return None
    namespace, last = full
    alias = table.alias or last
    table.set("catalog", None)
    table.set("db", exp.to_identifier(namespace))
    table.set("this", exp.to_identifier(last))
    table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return namespace, last


def _with_alias(output: exp.Expr) -> exp.Expr:
    return output if isinstance(output, exp.Alias) else exp.Alias(this=output, alias=exp.to_identifier(output.name))


def _kind(operand: exp.Expr, types: dict[str, str]) -> str | None:
    """What an operand is compared as; None if that is not known."""
    if isinstance(operand, exp.Literal):
        return "string" if operand.is_string else "number"
    if isinstance(operand, exp.Count):
        return "number"
    type_ = types.get(operand.name) if isinstance(operand, exp.Column) else None
    return "number" if type_ in _NUMBERS else type_
