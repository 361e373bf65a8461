r"""Numbers, strings, booleans and NULL as they are written, with suffixes (``1L``) and a minus.

Strings. sqlglot has them without escapes: ``\n``, ``\u0041`` and ``\101`` are characters in the tree, and ``\%`` and
``\_`` are two, as they are to Hive and Spark. In Trino, a backslash is a character like others.
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.analysis.tree.typing.written_values import Number
from hive_views.hive.types import parse_hive_type
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions import constants
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, string, trino_type
from hive_views.translation.translation_findings import Kind, Reason

TWO_QUOTES = Reason(
    "two-quotes",
    Kind.UNSUPPORTED,
    "two quotes within a string are not read alike by all releases",
    (("Spark 4", "reads 'it''s' as it's"), ("Spark 3, Hive", "read it as its")),
)
NUMBER_TOO_LARGE = Reason("number", Kind.UNSUPPORTED, "it is too large for its type")
_DIGITS = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_EXPONENT = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")


def _literal(node: exp.Literal, compiling: Compiling) -> Term:
    if node.is_string:
        return Term(string(str(node.this)), "string")
    return _number(Number(str(node.this)), node, compiling)


def suffixed_number(node: exp.Cast, compiling: Compiling) -> Term | None:
    """A number with a suffix, which is a cast in the tree; None for casts that are written."""
    number = compiling.query.number_of(node)
    return None if number is None else _number(number, node, compiling)


def negative_number(node: exp.Neg, compiling: Compiling) -> Term | None:
    """A minus in front of a number that is written; None in front of anything else."""
    number = compiling.query.number_of(node)
    return None if number is None or not number.is_negative else _number(number, node, compiling)


def _number(number: Number, node: exp.Expr, compiling: Compiling) -> Term:
    type_ = parse_hive_type(compiling.type_of(node))
    sign = "-" if number.is_negative else ""
    if type_.name in ("double", "float") and _EXPONENT.fullmatch(number.digits):
        return Term(f"{trino_type(type_).upper()} '{sign}{number.digits}'", type_.name)
    found = None
    if type_.name in WHOLE and number.digits.isdigit():
        value = int(number.digits)
        # To Hive, a number is one before it has its sign.
        is_read = not sign or compiling.source == "spark" or constants.whole(value, type_.name)
        found = constants.whole(-value if sign else value, type_.name) if is_read else None
    elif type_.name == "decimal" and _DIGITS.fullmatch(number.digits):
        found = constants.decimal(Decimal(sign + number.digits), type_)
    if found is None:
        raise compiling.refused(node, NUMBER_TOO_LARGE)
    return found


def _minus(node: exp.Neg, compiling: Compiling) -> Term:
    found = negative_number(node, compiling)
    if found is None:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return found


def _adjacent(node: exp.Concat, compiling: Compiling) -> Term:
    """Strings beside each other, which are one."""
    parts: Any = node.expressions
    if not all(isinstance(part, exp.Literal) and part.is_string for part in parts):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    if compiling.source == "spark" and _touch(parts, compiling):
        raise compiling.refused(node, TWO_QUOTES)
    return Term(string("".join(part.name for part in parts)), "string")


def _touch(parts: list[exp.Literal], compiling: Compiling) -> bool:
    """Whether there is nothing between two of the strings. Only the first of them has a place."""
    tokens = compiling.query.text.tokens.all
    first = next((at for at, token in enumerate(tokens) if token.start == parts[0].meta.get("start")), None)
    if first is None:
        return True
    found = tokens[first : first + len(parts)]
    return any(one.end + 1 == other.start for one, other in pairwise(found))


def _bytes(node: exp.HexString, compiling: Compiling) -> Term:
    digits = str(node.this)
    if compiling.type_of(node) != "binary" or len(digits) % 2:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return Term(f"X'{digits}'", "binary")


def _boolean(node: exp.Boolean, _compiling: Compiling) -> Term:
    return Term("true" if node.this else "false", "boolean")


def _null(_node: exp.Null, _compiling: Compiling) -> Term:
    return Term("NULL", "void")


NODES: NodeRules = {
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Neg: _minus,
    exp.Concat: _adjacent,
    exp.HexString: _bytes,
}
CALLS: CallRules = {}
