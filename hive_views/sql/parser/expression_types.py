"""Types of expressions on which Hive and Spark agree.

No other expression has a certain type. Arithmetic has none, because the engines give decimals different precisions, and
the type of Hive's ``/`` depends on a setting; nor does anything with char and varchar, which Spark makes strings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import Token, exp

ColumnType = Callable[[exp.Column], "str | None"]

_PLAIN = frozenset(
    ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "date", "timestamp", "binary")
)
_WHOLE = frozenset(("tinyint", "smallint", "int", "bigint"))
_INT, _BIGINT = 2**31, 2**63

_CAST_TYPES = {
    exp.DType.BOOLEAN: "boolean",
    exp.DType.TINYINT: "tinyint",
    exp.DType.SMALLINT: "smallint",
    exp.DType.INT: "int",
    exp.DType.BIGINT: "bigint",
    exp.DType.FLOAT: "float",
    exp.DType.DOUBLE: "double",
    exp.DType.TEXT: "string",
    exp.DType.DATE: "date",
    exp.DType.TIMESTAMP: "timestamp",
    # What sqlglot makes of Spark's word TIMESTAMP.
    exp.DType.TIMESTAMPTZ: "timestamp",
    exp.DType.BINARY: "binary",
}

_CONDITIONS = (
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.NullSafeEQ,
    exp.And,
    exp.Or,
    exp.Not,
    exp.Is,
    exp.In,
    exp.Between,
    exp.Like,
    exp.RegexpLike,
    exp.Exists,
    exp.Boolean,
)

_RESULTS: dict[type[exp.Expr], str] = {
    exp.Count: "bigint",
    exp.RowNumber: "int",
    exp.Rank: "int",
    exp.DenseRank: "int",
    exp.Length: "int",
    exp.Year: "int",
    exp.Month: "int",
    exp.Day: "int",
    exp.DayOfMonth: "int",
    exp.Hour: "int",
    exp.Minute: "int",
    exp.Second: "int",
    exp.TsOrDsToDate: "date",
    exp.CurrentDate: "date",
    exp.CurrentTimestamp: "timestamp",
    exp.UnixToStr: "string",
    exp.TimeToStr: "string",
    exp.ConcatWs: "string",
    exp.RegexpReplace: "string",
    exp.RegexpExtract: "string",
}
"""Functions with one result type, whatever their arguments."""

_OF_STRINGS = (exp.Upper, exp.Lower, exp.Trim, exp.Substring, exp.Concat)
"""Functions that return a string if their main arguments are strings."""


def has_lengths(tokens: Sequence[Token]) -> bool:
    """Whether a text has CHAR or VARCHAR, which sqlglot's tree has as STRING."""
    return any(token.text.lower() in ("char", "varchar", "character") for token in tokens)


def type_of(expression: Any, column_type: ColumnType, *, lengths: bool) -> str | None:
    """The Hive type of an expression, given that of columns; None where it is not certain.

    ``lengths``: the text ``has_lengths``, so that a cast to STRING may be one to CHAR or VARCHAR.
    """
    plain = expression.unnest()
    if isinstance(plain, exp.Column):
        return column_type(plain)

    def of(part: Any) -> str | None:
        return type_of(part, column_type, lengths=lengths)

    found = _computed(plain, of, lengths=lengths)
    return found if found in _PLAIN or (found or "").startswith("decimal(") else None


def _computed(node: Any, of: Callable[[Any], str | None], *, lengths: bool) -> str | None:
    match node:
        case exp.Literal():
            return _literal(node)
        case exp.Neg(this=exp.Literal()):
            # To Spark, -2147483648 is an int, and to Hive minus a bigint.
            return None if node.this.name.lstrip("0") == str(_INT) else _literal(node.this)
        case exp.Cast():
            return _cast(node, lengths=lengths)
        case exp.Window():
            return of(node.this)
        case exp.Subquery():
            return None
        case exp.TsOrDsAdd():
            # The same node is add_months, which gives a string in Hive 2.
            return "date" if (node.args.get("unit") is None or node.args["unit"].name.upper() == "DAY") else None
        case exp.DateDiff():
            # With a unit it is Spark's own, a bigint.
            return None if node.args.get("unit") else "int"
        case exp.Coalesce():
            return _one_of([node.this, *node.expressions], of)
        case exp.If():
            return _one_of([node.args["true"], node.args.get("false")], of)
        case exp.Case():
            return _one_of([*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")], of)
        case exp.Min() | exp.Max():
            return None if node.expressions else of(node.this)
        case exp.Sum():
            summed = of(_argument(node))
            return "bigint" if summed in _WHOLE else "double" if summed in ("float", "double") else None
        case exp.Anonymous(this="positive"):
            # Of a string, Hive and Spark make a double.
            argument = of(node.expressions[0])
            return argument if argument in {*_WHOLE, "float", "double"} else None
        case exp.Avg():
            return "double" if of(_argument(node)) in {*_WHOLE, "float", "double"} else None
    if isinstance(node, _CONDITIONS):
        return "boolean"
    if isinstance(node, _OF_STRINGS):
        given = node.expressions if isinstance(node, exp.Concat) else [node.this]
        return "string" if {of(part) for part in given} == {"string"} else None
    return _RESULTS.get(type(node))


def _literal(literal: exp.Literal) -> str | None:
    if literal.is_string:
        return "string"
    text = literal.name
    if not (text.isascii() and text.isdigit()) or len(text) > 20 or int(text) >= _BIGINT:
        return None
    return "int" if int(text) < _INT else "bigint"


def _cast(cast: exp.Cast, *, lengths: bool) -> str | None:
    to = cast.to
    if to.this == exp.DType.DECIMAL:
        # The literal 10BD is a cast too.
        sizes = [] if isinstance(cast.this, exp.Literal) else [size.name for size in to.expressions]
        return f"decimal({sizes[0]},{sizes[1] if len(sizes) > 1 else 0})" if sizes else None
    if to.this == exp.DType.TEXT and lengths:
        return None
    return None if to.expressions else _CAST_TYPES.get(to.this)


def _one_of(branches: Sequence[Any], of: Callable[[Any], str | None]) -> str | None:
    """The common type of all branches; NULL has every type."""
    types = {of(branch) for branch in branches if branch is not None and not isinstance(branch, exp.Null)}
    return types.pop() if len(types) == 1 else None


def _argument(function: exp.Expr) -> Any:
    """The argument of a function, without DISTINCT."""
    argument = function.this
    return argument.expressions[0] if isinstance(argument, exp.Distinct) else argument
