"""What a part of a query is called in the table of constructs: a function by its name, other parts by their syntax."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree import TypedQuery
from hive_views.translation.reading_nodes import read_call

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.And: "AND",
    exp.Between: "BETWEEN",
    exp.BitwiseAnd: "&",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseNot: "~",
    exp.BitwiseOr: "|",
    exp.BitwiseRightShift: ">>",
    exp.BitwiseXor: "^",
    exp.Boolean: "true, false",
    exp.Chr: "chr",
    exp.Concat: "'a' 'b'",
    exp.CurrentDate: "current_date",
    exp.CurrentTimestamp: "current_timestamp",
    exp.CurrentUser: "current_user",
    exp.Div: "/",
    exp.Dot: "struct.field",
    exp.DPipe: "||",
    exp.EQ: "=",
    exp.Escape: "LIKE ... ESCAPE",
    exp.Exists: "EXISTS (SELECT ...)",
    exp.Extract: "extract(part FROM x)",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.HexString: "X'1CFF'",
    exp.In: "IN (...)",
    exp.IntDiv: "DIV",
    exp.Interval: "INTERVAL",
    exp.Like: "LIKE",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.Mod: "%",
    exp.Mul: "*",
    exp.NEQ: "<>",
    exp.Neg: "-x",
    exp.Not: "NOT",
    exp.Null: "NULL",
    exp.NullSafeEQ: "<=>",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Or: "OR",
    exp.Overlay: "overlay(x PLACING y FROM i)",
    exp.RawString: "r'text'",
    exp.RegexpLike: "RLIKE",
    exp.StrPosition: "position(x IN y)",
    exp.Sub: "-",
    exp.Substring: "substring(x FROM i)",
    exp.Trim: "trim(BOTH x FROM y)",
}
_CONDITIONS_WITH_NOT = (exp.Between, exp.In, exp.Like, exp.RegexpLike, exp.Is, exp.Exists, exp.Escape)
_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "a whole number"),
    **dict.fromkeys(("float", "double"), "float or double"),
    **dict.fromkeys(("char", "varchar"), "char or varchar"),
    **dict.fromkeys(("array", "map", "struct"), "an array, map or struct"),
    "text": "string",
}
_NAMES_OF_TYPES = {"boolean", "date", "string", "binary", "timestamp", "decimal", "double", "int", "bigint"}
_SIMPLE_PARTS = (
    *(exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.Neg, exp.Interval, exp.Var, exp.Paren),
    *(exp.DataType, exp.DataTypeParam, exp.Distinct, exp.Order, exp.Ordered, exp.WindowSpec, exp.Tuple),
)
_CALL = re.compile(r"\s*(\w+)\(")


def name_of(node: Any, query: TypedQuery) -> str:
    """What an expression of a query is called."""
    node = unwrapped(node)
    if isinstance(node, exp.Window):
        return f"{name_of(node.this, query)} OVER (...)"
    if isinstance(node, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
        return name_of(node.this, query)
    if isinstance(node, (exp.Cast, exp.TryCast)):
        return _cast(node, query)
    if call := read_call(node, str(query.text)):
        return _function(call.name)
    return _of_other(node, lambda one: _kind(one, query))


def name_of_construct(construct: str, text: str) -> str | None:
    """What the construct of a finding is called, as the finding shows it; None where that is no expression.

    Args:
        construct: shortened.
        text: in which it stands.
    """
    call = _CALL.match(construct)
    if call is None or call[1].lower() in ("cast", "try_cast", "in", "exists", "over", "extract"):
        return None
    return _function(call[1].lower()) if re.search(rf"\b{call[1]}\b", text, re.IGNORECASE) else None


def unwrapped(node: Any) -> Any:
    """An expression without its alias, its parentheses, and a NOT that is part of another operator."""
    node = node.unalias()
    while isinstance(node, exp.Paren) or (isinstance(node, exp.Not) and isinstance(node.this, _CONDITIONS_WITH_NOT)):
        node = node.this
    return node


def is_simple(node: Any) -> bool:
    """Whether an expression consists of one operator or function, on columns and literals."""
    root = unwrapped(node)
    inner = root.this if isinstance(root, (exp.Window, exp.Filter, exp.IgnoreNulls, exp.WithinGroup)) else root
    branches = (exp.If,) if isinstance(root, exp.Case) else ()
    return all(one is inner or isinstance(one, (*_SIMPLE_PARTS, *branches)) for one in root.walk() if one is not root)


def _function(name: str) -> str:
    if name == "my_udf":
        return "a function of a user"
    return f"{name}(x), a cast" if name in _NAMES_OF_TYPES else name


def _cast(node: Any, query: TypedQuery) -> str:
    start = node.meta.get("start", 0)
    word = "TRY_CAST" if str(query.text)[start:].lower().startswith("try_cast") else "CAST"
    type_ = node.to.sql("hive").lower().partition("(")[0].partition("<")[0]
    return f"{word}(x AS {_KINDS.get(type_, type_)})"


def _of_other(node: Any, kind: Callable[[Any], str]) -> str:
    if isinstance(node, exp.Literal):
        return "'text'" if node.is_string else "a number"
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return "a number"
    if isinstance(node, exp.Case):
        return "CASE x WHEN" if node.this else "CASE WHEN"
    if isinstance(node, exp.Is):
        return "IS NULL" if isinstance(node.expression, exp.Null) else "IS TRUE, IS FALSE, IS UNKNOWN"
    if isinstance(node, exp.In) and node.args.get("query"):
        return "IN (SELECT ...)"
    if isinstance(node, exp.Like) and isinstance(node.expression, (exp.Any, exp.All)):
        return "LIKE ANY, LIKE ALL"
    if isinstance(node, exp.Bracket):
        return f"{kind(node.this)}[x]"
    if isinstance(node, exp.Column):
        return f"a column of {_KINDS.get(kind(node), kind(node))}"
    if isinstance(node, exp.Subquery):
        return "(SELECT ...) as a value"
    if isinstance(node, (exp.Add, exp.Sub)):
        operands = (node.this, node.expression)
        if any(isinstance(one, exp.Interval) for one in operands):
            return "+ INTERVAL, - INTERVAL"
        if any(kind(one) in ("date", "timestamp") for one in operands):
            return "+ and - of dates"
    if type(node) not in _OPERATORS and isinstance(node, exp.Func):
        return str(node.sql_name()).lower()
    return _OPERATORS.get(type(node), type(node).__name__)


def _kind(node: Any, query: TypedQuery) -> str:
    derived = query.type_of(node)
    type_ = (derived.hive if query.text.dialect == "hive" else derived.spark) or "unknown type"
    return type_.partition("(")[0].partition("<")[0]
