"""Literals: numbers, texts, NULL; and names of columns."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.sql.quoting import quote_literal
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.common_types import MOST_DIGITS, MOST_TURNED, sizes_of
from hive_views.translation.from_trino.named_sources import field_of
from hive_views.translation.from_trino.target_terms import CallRules, Compiling, NodeRules, Term, cast

_INT, _BIGINT = 2**31, 2**63
_CHAR = re.compile(r"\bchar\(")
_DECIMAL = re.compile(r"([0-9]*)\.([0-9]*)")
_EXPONENT = re.compile(r"[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]{1,2}")


def whole(value: int) -> Term:
    """A whole number: an int, or a bigint beyond."""
    type_ = "int" if -_INT <= value < _INT else "bigint"
    if value == -_INT:
        # To Hive, it is minus a bigint.
        return Term(f"CAST({value} AS int)", type_)
    return Term(str(value), type_, is_whole=value >= 0)


def written_number(node: Any) -> int | None:
    """The whole number that a node is, with its sign; None for other expressions."""
    plain = node.unnest()
    if isinstance(plain, exp.Neg):
        inside = plain.this.unnest()
        found = written_number(inside) if isinstance(inside, exp.Literal) else None
        return None if found is None else -found
    is_number = isinstance(plain, exp.Literal) and not plain.is_string and plain.name.isascii() and plain.name.isdigit()
    return int(plain.name) if is_number else None


def written_text(node: Any) -> str | None:
    """The text that a node is; None for other expressions."""
    plain = node.unnest()
    return str(plain.this) if isinstance(plain, exp.Literal) and plain.is_string else None


def _literal(node: exp.Literal, compiling: Compiling) -> Term:
    if node.is_string:
        return Term(quote_literal(str(node.this)), "string")
    return _number(node, node.name, "", compiling)


def _number(node: Any, digits: str, sign: str, compiling: Compiling) -> Term:
    if digits.isascii() and digits.isdigit():
        value = int(sign + digits)
        if abs(value) >= _BIGINT:
            raise compiling.refused(node, reasons.TYPES.because("a number that is no bigint"))
        return whole(value)
    if found := _DECIMAL.fullmatch(digits):
        before, behind = found[1].lstrip("0"), found[2]
        size = len(before + behind)
        if not 0 < size < MOST_DIGITS:
            raise compiling.refused(node, reasons.DECIMAL_SIZES)
        text = f"{sign}{before or '0'}.{behind or '0'}"
        return cast(Term(text, "decimal"), f"decimal({size},{len(behind)})")
    if _EXPONENT.fullmatch(digits):
        return Term(sign + digits.upper(), "double", is_whole=not sign)
    raise compiling.refused(node, reasons.NOT_KNOWN)


def _minus(node: exp.Neg, compiling: Compiling) -> Term:
    inside = node.this.unnest()
    if isinstance(inside, exp.Literal) and not inside.is_string:
        return _number(node, inside.name, "-", compiling)
    term = compiling.term(node.this)
    if term.name not in ("tinyint", "smallint", "int", "bigint", "double", "decimal"):
        raise compiling.refused(node, reasons.TYPES.because(f"- of {term.type}"))
    if term.name == "decimal" and (sizes_of(term.type) or (0, 0))[0] > MOST_TURNED:
        raise compiling.refused(node, reasons.DECIMAL_SIZES)
    if term.name not in ("double", "decimal"):
        compiling.report(node, reasons.OVERFLOW)
    return Term(f"- {term.operand}", term.type, is_whole=False)


def _boolean(node: exp.Boolean, _compiling: Compiling) -> Term:
    return Term("true" if node.this else "false", "boolean")


def _null(_node: exp.Null, _compiling: Compiling) -> Term:
    return Term("NULL", "void")


def _brackets(node: exp.Paren, compiling: Compiling) -> Term:
    return compiling.term(node.this)


def _column(node: exp.Column, compiling: Compiling) -> Term:
    if not all(isinstance(part, exp.Identifier) for part in node.parts):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    found = compiling.names.of([part.name.lower() for part in node.parts])
    if found is None:
        raise compiling.refused(node, reasons.UNKNOWN_NAME)
    if compiling.target == "spark" and _CHAR.search(found.type):
        raise compiling.refused(node, reasons.CHAR)
    return Term(found.sql, found.type)


def _field(node: exp.Dot, compiling: Compiling) -> Term:
    if not isinstance(node.expression, exp.Identifier):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    term, name = compiling.term(node.this), node.expression.name.lower()
    type_ = field_of(term.type, name)
    if type_ is None:
        raise compiling.refused(node, reasons.UNKNOWN_NAME)
    return Term(f"{term.operand}.`{name}`", str(type_))


NODES: NodeRules = {
    exp.Literal: _literal,
    exp.Neg: _minus,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Paren: _brackets,
    exp.Column: _column,
    exp.Dot: _field,
}
CALLS: CallRules = {}
