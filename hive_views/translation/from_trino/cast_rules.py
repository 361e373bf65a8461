"""CAST, and the conversions that Trino does by itself, which the target is told."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.common_types import common_type, sizes_of
from hive_views.translation.from_trino.constant_rules import written_text
from hive_views.translation.from_trino.target_terms import WHOLE, CallRules, Compiling, NodeRules, Term, called, cast
from hive_views.translation.to_trino.expressions.casting.conversion_reasons import LARGE_DECIMAL, OTHER_DIGITS

_SIMPLE: dict[Any, str] = {
    exp.DType.BOOLEAN: "boolean",
    exp.DType.TINYINT: "tinyint",
    exp.DType.SMALLINT: "smallint",
    exp.DType.INT: "int",
    exp.DType.BIGINT: "bigint",
    exp.DType.DOUBLE: "double",
    exp.DType.DATE: "date",
}
_MOST_BEFORE_POINT = 26
_DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_TIME = re.compile(_DAY.pattern + r" ([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,3})?)?")


def widened(term: Term, type_: str) -> Term:
    """A value as one of the common type of it and others, or as it is."""
    if term.type == type_ or ({term.name, type_} <= {"string", "varchar"} and term.name == "string"):
        return term
    return cast(term, type_)


def texts(term: Term, node: Any, compiling: Compiling) -> Term:
    """A value that has to be a text of any length.

    Raises:
        RefusedError: it is none, or a char.
    """
    if term.name == "char":
        raise compiling.refused(node, reasons.CHAR)
    if term.name not in ("string", "varchar"):
        raise compiling.refused(node, reasons.TYPES.because(term.type))
    return widened(term, "string")


def common(nodes: list[Any], node: Any, compiling: Compiling) -> list[Term]:
    """Values as ones of the type that Trino makes of theirs.

    Raises:
        RefusedError: it is not certain; findings name ``node``.
    """
    terms = [compiling.term(one) for one in nodes]
    type_ = common_type([term.type for term in terms])
    if type_ is None or type_ == "void" or parse_hive_type(type_).parts:
        kinds = [term.name for term in terms]
        reason = reasons.CHAR if "char" in kinds else reasons.TYPES
        raise compiling.refused(node, reason.because(", ".join(term.type for term in terms)))
    return [converted(term, type_, node, compiling) for term in terms]


def converted(term: Term, type_: str, node: Any, compiling: Compiling) -> Term:
    """A value as one of the common type of it and others; what differs for some values is recorded."""
    if type_ == "double" and compiling.target == "hive" and is_large_decimal(term.type):
        compiling.report(node, LARGE_DECIMAL)
    return widened(term, type_)


def is_large_decimal(type_: str) -> bool:
    """Whether a decimal has values of which Hive makes no double."""
    sizes = sizes_of(type_)
    return sizes is not None and sizes[0] - sizes[1] > _MOST_BEFORE_POINT


def _cast(node: exp.Cast, compiling: Compiling) -> Term:
    wanted = _wanted(node, compiling)
    text = written_text(node.this)
    if text is not None and wanted in ("date", "timestamp"):
        pattern = _DAY if wanted == "date" else _TIME
        if not pattern.fullmatch(text):
            raise compiling.refused(node, reasons.CONVERSION.because(f"{text!r} to {wanted}"))
        seconds = ":00" if wanted == "timestamp" and text.count(":") == 1 else ""
        return Term(f"{wanted.upper()} '{text}{seconds}'", wanted)
    term = compiling.term(node.this)
    if term.type == wanted:
        return term
    found = _converted(term, wanted, node, compiling)
    if found is None:
        raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to {wanted}"))
    return found


def _wanted(node: exp.Cast, compiling: Compiling) -> str:
    to: Any = node.to
    sizes = [one.name for one in to.expressions]
    if to.this in _SIMPLE and not sizes:
        return _SIMPLE[to.this]
    if to.this == exp.DType.VARCHAR and not sizes:
        return "string"
    # The tree has the digits of a literal as those of its type.
    is_literal = written_text(node.this) is not None
    if to.this == exp.DType.TIMESTAMP and (sizes in ([], ["3"]) or (is_literal and sizes in (["0"], ["1"], ["2"]))):
        return "timestamp"
    # A decimal without sizes is a literal in quotes, or one of 38 digits.
    if to.this == exp.DType.DECIMAL and sizes and all(one.isdigit() for one in sizes):
        return f"decimal({sizes[0]},{sizes[1] if len(sizes) > 1 else 0})"
    raise compiling.refused(node, reasons.CONVERSION.because(f"to {to.sql('trino')}"))


def _converted(term: Term, wanted: str, node: Any, compiling: Compiling) -> Term | None:
    one, other = term.name, wanted.partition("(")[0]
    if one == "void":
        return cast(term, wanted)
    if other == "string":
        return _as_text(term)
    if one in WHOLE and other in WHOLE:
        if WHOLE.index(other) < WHOLE.index(one):
            compiling.report(node, reasons.OVERFLOW)
        return cast(term, wanted)
    # Of a text that is written there, Hive 4 makes 0 of '-0'.
    if one in ("string", "varchar") and other in (*WHOLE, "double", "date") and written_text(node.this) is None:
        compiling.report(node, reasons.CAST_FAILS)
        if other in WHOLE:
            compiling.report(node, OTHER_DIGITS)
        # Trino takes away tabs and line breaks at the ends too.
        plain = widened(term, "string").sql
        return cast(Term(f"regexp_replace({plain}, '^\\\\s+|\\\\s+$', '')", "string"), wanted)
    if one in ("decimal", "double") and other in WHOLE:
        compiling.report(node, reasons.OVERFLOW)
        return cast(called("round", term.type, term), wanted)
    own, sizes = sizes_of(term.type), sizes_of(wanted)
    if own and other == "decimal" and sizes:
        if sizes[0] - sizes[1] < own[0] - own[1] or sizes[1] < own[1]:
            compiling.report(node, reasons.OVERFLOW)
        return cast(term, wanted)
    if other == "double" and (own or one == "float"):
        return converted(term, wanted, node, compiling)
    if {one, other} == {"date", "timestamp"}:
        return cast(term, wanted)
    return None


def _as_text(term: Term) -> Term | None:
    if term.name in WHOLE or term.name == "date":
        return cast(term, "string")
    if term.name == "varchar":
        return cast(term, "string")
    return called("lower", "string", cast(term, "string")) if term.name == "boolean" else None


NODES: NodeRules = {exp.Cast: _cast}
CALLS: CallRules = {}
