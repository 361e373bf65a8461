"""Where a query reads tables, and what WITH defines: what has to be known to put one query into another."""

from __future__ import annotations

from collections import defaultdict

from sqlglot import TokenType, exp

from hive_views.sql.outline import Definition, TablePlace
from hive_views.sql.parser.brackets import closing
from hive_views.sql.parser.outlines import definition_in_sight, is_common_table_expression, name_part, own_nodes
from hive_views.sql.parser.statement import Statement

# What may stand with a table besides an alias, and not with a subquery, or elsewhere.
_CLAUSES = ("sample", "pivots", "version", "when", "changes", "partition", "rows_from", "only", "hints")


def replaceable_tables(statement: Statement) -> tuple[TablePlace, ...]:
    """The places of the tables and views that a query reads, in the order of the text."""
    nodes = list(own_nodes(statement.tree))
    columns = [
        tuple(name_part(part) for part in node.parts if "start" in part.meta)
        for node in nodes
        if isinstance(node, exp.Column)
    ]
    qualified = tuple(dict.fromkeys(parts for parts in columns if len(parts) > 1))
    found = [
        TablePlace(
            tuple(map(name_part, node.parts)),
            has_alias=isinstance(node.args.get("alias"), exp.TableAlias),
            has_clause=any(node.args.get(clause) for clause in _CLAUSES),
            columns=qualified,
        )
        for node in nodes
        if isinstance(node, exp.Table)
        and all(isinstance(part, exp.Identifier) for part in node.parts)
        and not is_common_table_expression(node)
    ]
    return tuple(sorted(found, key=lambda one: one.parts[0].start))


def definitions(statement: Statement) -> tuple[Definition, ...]:
    """What WITH clauses define, and where it is read.

    Raises:
        SQLSyntaxError: a definition names its columns.
    """
    at = {token.start: number for number, token in enumerate(statement.tokens)}
    nodes = list(own_nodes(statement.tree))
    read: dict[int, list[TablePlace]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, exp.Table) and (definition := definition_in_sight(node)) is not None:
            has_alias = isinstance(node.args.get("alias"), exp.TableAlias)
            read[id(definition)].append(TablePlace((name_part(node.parts[0]),), has_alias, has_clause=False))
    found = []
    for clause in (node for node in nodes if isinstance(node, exp.With)):
        spans = []
        for definition in clause.expressions:
            name = name_part(definition.args["alias"].this)
            opening = at[name.start] + 2
            if statement.tokens[opening].token_type != TokenType.L_PAREN:
                raise statement.error("a definition in WITH names its columns.", name.start)
            end = closing(statement.tokens, opening)
            spans.append((name, opening, end, tuple(read[id(definition)])))
        first, last = at[spans[0][0].start] - 1, spans[-1][2]
        of_clause = (statement.tokens[first].start, statement.tokens[last].end + 1)
        found += [
            Definition(name.text, (statement.tokens[opening].end + 1, statement.tokens[end].start), of_clause, places)
            for name, opening, end, places in spans
        ]
    return tuple(found)
