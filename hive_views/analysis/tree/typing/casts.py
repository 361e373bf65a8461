"""CAST and its like, to every type."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, beside, both
from hive_views.analysis.tree.typing.context import Context, Rule, Rules
from hive_views.analysis.tree.typing.decimals import MAX_PRECISION
from hive_views.analysis.tree.typing.written_values import number_of, type_of_number

NO_LENGTHS = "outside of plain columns, Spark makes a string of char and varchar"

_NAMES = {
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
_LENGTHS = {exp.DType.NCHAR: "char", exp.DType.NVARCHAR: "varchar"}
_LENGTH = re.compile(r"\b(?:var)?char\(\d+\)")


def in_spark(type_: str | None) -> str | None:
    """The type that Spark gives an expression of a type: char and varchar are strings, at any depth."""
    return type_ and _LENGTH.sub("string", type_)


def one_type(type_: str | None, why: str = "its type is not known") -> DerivedType:
    """A type as Hive has it, and Spark without lengths."""
    return beside(type_, in_spark(type_), NO_LENGTHS if type_ else why)


def written_type(type_: Any) -> str | None:
    """A type in a text, as Hive spells it; None for one that Hive does not have."""
    kind, parts = type_.this, type_.expressions
    if kind == exp.DType.DECIMAL:
        sizes = [int(part.name) for part in parts]
        precision, scale = (*sizes, 0)[:2] if sizes else (10, 0)
        return f"decimal({precision},{scale})" if scale <= precision <= MAX_PRECISION else None
    if kind in _LENGTHS:
        return f"{_LENGTHS[kind]}({parts[0].name})" if len(parts) == 1 else None
    if kind in (exp.DType.ARRAY, exp.DType.MAP):
        inner = [written_type(part) for part in parts]
        return f"{kind.value.lower()}<{','.join(filter(None, inner))}>" if inner and all(inner) else None
    if kind == exp.DType.STRUCT:
        fields = [(part.name, written_type(part.args["kind"])) for part in parts if isinstance(part, exp.ColumnDef)]
        named = len(fields) == len(parts) and all(type_ for _, type_ in fields)
        return f"struct<{','.join(f'{name}:{type_}' for name, type_ in fields)}>" if named else None
    return None if parts else _NAMES.get(kind)


def _cast(cast: exp.Cast, context: Context) -> DerivedType:
    number = number_of(cast, context)
    if number:
        return type_of_number(number)
    type_ = written_type(cast.to)
    if type_ and "struct<" in type_ and type_ != type_.lower():
        return DerivedType(type_.lower(), in_spark(type_), "Hive writes names of fields in lower case")
    return one_type(type_, "it is cast to a type that Hive and Spark do not both have")


def _called(type_: str, _call: Any, _context: Context) -> DerivedType:
    return both(type_)


_BY_NAME = (
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "string",
    "date",
    "timestamp",
    "binary",
)

RULES: Rules = {
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Date: partial(_called, "date"),
    exp.Timestamp: partial(_called, "timestamp"),
    exp.String: partial(_called, "string"),
}
NAMED: dict[str, Rule] = {
    **{name: partial(_called, name) for name in _BY_NAME},
    "decimal": lambda _call, _context: both("decimal(10,0)"),
}
"""Types as functions: ``bigint(s)``."""
