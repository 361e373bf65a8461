"""What a query says: sqlglot's tokens and tree turned into the plain values of sql/outline.py.

The tree has the meaning of a text and the places of its names; only the tokens say where a select list and its entries
end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from sqlglot import Token, TokenType, exp

from hive_views.sql.outline import WRITTEN_NAME, NamePart, OutputItem, ParsedQuery
from hive_views.sql.parser.brackets import closing, same_level
from hive_views.sql.parser.statement import Statement, Tokens

_SET_OPERATIONS = {TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT}
_BEFORE_ITEMS = {TokenType.HINT, TokenType.DISTINCT, TokenType.ALL}
_AFTER_ITEMS = _SET_OPERATIONS | {
    TokenType.FROM,
    TokenType.LATERAL,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.CLUSTER_BY,
    TokenType.DISTRIBUTE_BY,
    TokenType.SORT_BY,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
}
_SORTING = ("order", "sort", "cluster", "distribute")
_SEES_OUTPUT = ("having", "qualify", *_SORTING)
_GENERATORS = frozenset(
    name + outer
    for name in ("explode", "posexplode", "inline", "stack", "json_tuple", "parse_url_tuple")
    for outer in ("", "_outer")
)


def outline(statement: Statement) -> ParsedQuery:
    """What a query says, as plain values.

    Raises:
        SQLSyntaxError: its output columns cannot be told apart.
    """
    first, *others = branches(statement.tree)
    sorted_by = [column for column in _columns_in(statement.tree, _SORTING) if column.table]
    return ParsedQuery(
        dialect=statement.dialect,
        text=statement.text,
        brackets=statement.brackets,
        body=statement.tokens[statement.body].start,
        is_limited_bracket=_is_limited_bracket(statement),
        items=_items(statement, first),
        other_widths=tuple(len(names) if (names := _names(branch)) else None for branch in others),
        tables=_tables(statement.tree),
        names=_bare_names(statement.tree),
        other_in_hive=tuple(name_part(table.parts[0]) for table in _named(statement.tree) if _is_other_in_hive(table)),
        mentioned=_parts(_columns_in(statement.tree, _SEES_OUTPUT)),
        sorted_by_qualified=_parts(sorted_by),
    )


def output_names(statement: Statement) -> tuple[str | None, ...] | None:
    """The names of a query's output columns (None for one without), if its text says."""
    return _names(branches(statement.tree)[0])


def tables(statement: Statement) -> tuple[tuple[NamePart, ...], ...]:
    """The names of tables in a query, without common table expressions."""
    return _tables(statement.tree)


def string_literals(tokens: Tokens) -> tuple[tuple[int, int], ...]:
    """Start and (exclusive) end of every plain string literal, quotes included."""
    return tuple((token.start, token.end + 1) for token in tokens.all if token.token_type == TokenType.STRING)


def _is_limited_bracket(statement: Statement) -> bool:
    tokens, body = statement.tokens, statement.body
    if tokens[body].token_type != TokenType.L_PAREN:
        return False
    behind = closing(tokens, body) + 1
    return behind == len(tokens) or tokens[behind].token_type not in _SET_OPERATIONS


def _items(statement: Statement, query: exp.Expr) -> tuple[OutputItem, ...]:
    tokens = statement.tokens
    bounds = _item_bounds(tokens, statement.select)
    ranges = [(tokens[first].start, tokens[last].end + 1) for first, last in bounds if first <= last]
    alike = len(ranges) == len(bounds) == len(query.expressions)
    if not alike or not all(map(partial(_stands_in, statement.text), query.expressions, ranges)):
        raise statement.error(
            "its output columns cannot be told apart; give each of them an alias in backticks.",
            tokens[statement.select].start,
        )
    return tuple(item_of(expression, *place) for expression, place in zip(query.expressions, ranges, strict=True))


def _item_bounds(tokens: Sequence[Token], select: int) -> list[tuple[int, int]]:
    """First and last token of every entry of the select list."""
    first = select + 1
    while first < len(tokens) and tokens[first].token_type in _BEFORE_ITEMS:
        first += 1
    bounds = []
    last = first - 1
    for index in same_level(tokens, first):
        if tokens[index].token_type == TokenType.COMMA:
            bounds.append((first, last))
            first = index + 1
        elif _ends_items(tokens, index, first):
            break
        last = index
    return [*bounds, (first, last)]


def _ends_items(tokens: Sequence[Token], index: int, first: int) -> bool:
    """Whether the select list ends there: at a keyword that is neither a name nor part of an operator."""
    kind, before = tokens[index].token_type, tokens[index - 1].token_type
    if kind not in _AFTER_ITEMS or index == first or before in {TokenType.DOT, TokenType.ALIAS}:
        return False
    return before != TokenType.DISTINCT and (kind, before) != (TokenType.EXCEPT, TokenType.STAR)


def _stands_in(text: str, expression: exp.Expr, place: tuple[int, int]) -> bool:
    """Whether all names of the expression are in that range, and its alias, if any, is at its end."""
    start, end = place
    for node in own_nodes(expression):
        if isinstance(node, exp.Identifier) and not start <= node.meta.get("start", start) < end:
            return False
    if not isinstance(expression, exp.Alias):
        return True
    alias = expression.args["alias"].meta
    return alias.get("end") == end - 1 and WRITTEN_NAME.fullmatch(text, alias["start"], end) is not None


def item_of(expression: exp.Expr, start: int = 0, end: int = 0) -> OutputItem:
    """The entry of a select list; without a place where only its names matter."""
    if _is_star(expression):
        return OutputItem(start, end, ())
    if isinstance(expression, exp.Alias):
        return OutputItem(start, end, (expression.alias,), aliased=True)
    if isinstance(expression, exp.Aliases):
        return OutputItem(start, end, tuple(alias.name for alias in expression.aliases), aliased=True)
    if _function_names(expression) & _GENERATORS:
        return OutputItem(start, end, (), generator=True)
    return OutputItem(start, end, (_own_name(expression),))


def _is_star(expression: exp.Expr) -> bool:
    """Not sqlglot's ``is_star``, which also says yes to a scalar subquery over a star."""
    last = expression.expression if isinstance(expression, exp.Dot) else expression
    return isinstance(last, exp.Star) or (isinstance(last, exp.Column) and isinstance(last.this, exp.Star))


def _function_names(expression: exp.Expr) -> set[str]:
    if isinstance(expression, exp.Anonymous):
        return {expression.name.lower()}
    return {name.lower() for name in expression.sql_names()} if isinstance(expression, exp.Func) else set()


def _own_name(expression: exp.Expr) -> str | None:
    """The name that a plain column or struct field gives its output column, with or without brackets around it."""
    plain = expression.unnest()
    names_only = all(isinstance(part, (exp.Dot, exp.Column, exp.Identifier)) for part in plain.walk())
    return plain.name if names_only else None


def _names(branch: exp.Expr) -> tuple[str | None, ...] | None:
    """The names of the columns of a branch; None where its text does not say."""
    items = [item_of(expression) for expression in branch.expressions] if isinstance(branch, exp.Select) else []
    known = items and all(item.names for item in items)
    return tuple(name for item in items for name in item.names) if known else None


def _columns_in(tree: exp.Query, clauses: Sequence[str]) -> Iterator[exp.Column]:
    """The columns in these clauses, of the first branch or of any query around it."""
    *_, first = _levels(tree)
    for level in _levels(tree):
        for name in clauses:
            clause = level.args.get(name)
            yield from clause.find_all(exp.Column) if clause else ()
        # Hive replaces a position by the expression at that place of the select list.
        for term in level.args["order"].expressions if "order" in clauses and level.args.get("order") else ():
            if isinstance(term.this, exp.Literal):
                yield from (column for item in first.expressions for column in item.find_all(exp.Column))


def _parts(columns: Iterable[exp.Column]) -> frozenset[str]:
    """All parts of the names: which of them is a column, and which a table or a struct, only an engine can tell."""
    return frozenset(part.name.lower() for column in columns for part in column.parts)


def _levels(tree: exp.Query) -> Iterator[exp.Expr]:
    """From the whole query down to its first branch."""
    node: Any = tree
    while isinstance(node, (exp.SetOperation, exp.Subquery)):
        yield node
        node = node.this
    yield node


def branches(tree: exp.Query) -> list[exp.Expr]:
    """The branches of set operations from left to right; of another query, the query."""
    found: list[exp.Expr] = []
    ahead: list[Any] = [tree]
    while ahead:
        node = ahead.pop()
        if isinstance(node, exp.SetOperation):
            ahead += [node.expression, node.this]
        elif isinstance(node, exp.Subquery):
            ahead.append(node.this)
        else:
            found.append(node)
    return found


def own_nodes(tree: exp.Expr) -> Iterator[exp.Expr]:
    """All nodes but those of hints: sqlglot reads these apart, so their offsets are not in the text."""
    return tree.walk(prune=lambda node: isinstance(node, exp.Hint))


def _bare_names(tree: exp.Query) -> tuple[NamePart, ...]:
    bare = (node for node in own_nodes(tree) if isinstance(node, exp.Identifier) and not node.args.get("quoted"))
    # The tree of ``struct(a)`` has the name twice.
    return tuple(dict.fromkeys(name_part(node) for node in bare if "start" in node.meta))


def name_part(name: exp.Expr) -> NamePart:
    return NamePart(name.name, name.meta["start"], name.meta["end"] + 1)


def _tables(tree: exp.Query) -> tuple[tuple[NamePart, ...], ...]:
    found = [tuple(map(name_part, node.parts)) for node in _named(tree) if not is_common_table_expression(node)]
    return tuple(sorted(found, key=lambda parts: parts[0].start))


def _named(tree: exp.Query) -> Iterator[exp.Table]:
    """The tables and common table expressions that are read."""
    for node in own_nodes(tree):
        if isinstance(node, exp.Table) and all(isinstance(part, exp.Identifier) for part in node.parts):
            yield node


def is_common_table_expression(table: exp.Table) -> bool:
    """Whether a WITH clause in scope defines the name.

    In scope are the clauses of all queries around the table. Inside a clause, only earlier definitions count, and the
    enclosing one if the clause is recursive: in ``WITH t AS (SELECT a FROM t)``, the inner ``t`` is a table.
    """
    return definition_in_sight(table) is not None


def _is_other_in_hive(table: exp.Table) -> bool:
    """Whether Hive resolves the name differently than the standard does.

    Hive refuses a name that it resolves to the definition around it, unless it is a table by the standard.
    """
    found, in_hive = definition_in_sight(table), definition_in_sight(table, in_hive=True)
    if found is in_hive:
        return False
    around = table.parent
    while around is not None and around is not in_hive:
        around = around.parent
    return found is not None or around is None


def definition_in_sight(table: exp.Table, *, in_hive: bool = False) -> exp.Expr | None:
    """The WITH definition in scope with this name; in Hive, later and enclosing definitions are in scope as well."""
    if len(table.parts) > 1:
        return None
    name = table.name.lower()
    inner: exp.Expr = table
    outer = table.parent
    while outer is not None:
        clause = outer.args.get("with_")
        in_sight: list[exp.Expr] = []
        if isinstance(outer, exp.With):
            in_sight = outer.expressions
            if not in_hive:
                in_sight = in_sight[: outer.expressions.index(inner) + bool(outer.recursive)]
        elif clause is not None and clause is not inner:
            in_sight = clause.expressions
        for definition in in_sight:
            if definition.alias.lower() == name:
                return definition
        inner, outer = outer, outer.parent
    return None
