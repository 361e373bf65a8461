"""Where a text names databases: before tables and views, before their columns, before functions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlglot import TokenType, exp

from hive_views.errors import SQLSyntaxError
from hive_views.sql.outline import DatabaseNames
from hive_views.sql.parser.outlines import is_common_table_expression, name_part, own_nodes
from hive_views.sql.parser.statement import Statement, tokenize


def database_names(statement: Statement, namespace: str, catalogs: Collection[str]) -> DatabaseNames:
    """All places where a query names a database of the metastore, and the tables that it reads there.

    ``a.b.c`` names a database where ``a.b`` is a table of the query; otherwise it is a field of a column. Names of
    common table expressions and aliases are not databases. Hints and comments are ignored.

    Args:
        statement: the query, of which ``refuse_unread_names`` refuses nothing.
        namespace: the database of unqualified tables.
        catalogs: what the metastore is called in three-part names, in lower case.

    Raises:
        SQLSyntaxError: a name may be that of a database or of an alias.
    """
    nodes = list(own_nodes(statement.tree))
    named: list[list[exp.Identifier]] = []
    found: list[exp.Identifier] = []
    qualifiers: set[str] = set()
    for node in nodes:
        if isinstance(node, exp.Table) and not is_common_table_expression(node):
            is_function = isinstance(node.this, exp.Func)
            written = _identifiers(node.parts)
            parts = _in_metastore(written, catalogs, most=1 if is_function else 2)
            if not parts and len(written) > 2:
                qualifiers.add(_folded(written[_folded(written[0]) in catalogs]))
            found += parts[:1] if is_function or len(parts) == 2 else []
            named += [parts] if parts and not is_function else []
        elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
            found += _in_metastore(_identifiers(node.this.find_all(exp.Identifier, bfs=False)), catalogs, most=1)
    tables = tuple((_folded(one[0]) if one[1:] else namespace, _folded(one[-1])) for one in named)
    aliases = {_folded(node.this) for node in nodes if isinstance(node, exp.TableAlias) and node.this}
    for node in nodes:
        if isinstance(node, exp.Column):
            database = _qualifying(_identifiers(node.parts), tables, catalogs)
            if database is not None and _folded(database) in aliases:
                problem = f"{database.name} may be a database or an alias here; use another alias."
                raise statement.error(problem, database.meta["start"])
            found += [database] if database is not None else []
    names = sorted(map(name_part, found), key=lambda one: one.start)
    return DatabaseNames(tuple(dict.fromkeys(names)), tables, frozenset(qualifiers))


def is_one_word(name: str, dialect: str) -> bool:
    """Whether the name is a plain word in a dialect, and not a keyword."""
    try:
        tokens = tokenize(name, dialect).all
    except SQLSyntaxError:
        return False
    return len(tokens) == 1 and tokens[0].token_type == TokenType.VAR


def quoted_name(name: str, dialect: str) -> str:
    """The name in the quotes of a dialect."""
    return exp.to_identifier(name, quoted=True).sql(dialect)


def _identifiers(parts: Any) -> list[exp.Identifier]:
    """The parts that are names, without functions and stars."""
    return [part for part in parts if isinstance(part, exp.Identifier) and "start" in part.meta]


def _in_metastore(parts: list[exp.Identifier], catalogs: Collection[str], *, most: int) -> list[exp.Identifier]:
    """The parts without a catalog that is the metastore; [] for a name in another catalog."""
    if len(parts) == most + 1 and _folded(parts[0]) in catalogs:
        return parts[1:]
    return parts if len(parts) <= most else []


def _qualifying(
    parts: list[exp.Identifier], tables: Collection[tuple[str, str]], catalogs: Collection[str]
) -> exp.Identifier | None:
    """The database in ``database.table.column``, if there is one."""
    for start in (0, 1) if parts and _folded(parts[0]) in catalogs else (0,):
        ahead = parts[start : start + 2]
        if len(ahead) == 2 and (_folded(ahead[0]), _folded(ahead[1])) in tables:
            return ahead[0]
    return None


def _folded(part: exp.Identifier) -> str:
    return str(part.name).lower()
