"""Comparisons, IN and BETWEEN."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.reading_nodes import Call, only_filters
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.comparisons import compared_types as types
from hive_views.translation.to_trino.expressions.comparisons.compared_types import compared, is_text, is_written
from hive_views.translation.to_trino.expressions.comparisons.like import like
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, operation
from hive_views.translation.translation_findings import Kind, Reason

NAN = Reason(
    "nan",
    Kind.EDGE,
    "NaN is compared differently",
    (
        ("Hive, Spark", "it is equal to itself, and larger than every number"),
        ("Hive where it is vectorized, Trino", "every comparison with it is false, except <>"),
    ),
)
IN_TYPES = Reason(
    "in-types",
    Kind.UNSUPPORTED,
    "values of different types in IN are not compared as they are by =, and engines differ: write a CAST, or OR",
    (("Hive 2, Spark", "compare 10 and '010' as texts"), ("Hive 4; Spark, ANSI", "as numbers")),
)
NULL_BOUND = Reason(
    "null-bound",
    Kind.DIFFERENT,
    "NOT BETWEEN where the second bound is NULL: write a < b OR a > c",
    (("Hive 2, Trino", "true below the first bound"), ("Hive 4", "NULL")),
)
NULL_SAFE_TEXT = Reason(
    "compared-text",
    Kind.UNSUPPORTED,
    "<=> of a text and a value of another type is compared differently where the text is none of these: write a CAST",
    (("Hive 2", "is NULL where the text is no such value"), ("Hive 4", "is false")),
)
NESTED_ORDER = Reason(
    "nested-order", Kind.UNSUPPORTED, "arrays, maps and structs are not compared alike by all engines, except by ="
)

CONSTANT_IN = Reason(
    "constant-in-list",
    Kind.UNSUPPORTED,
    "among three values or more, Trino compares wrongly with a constant that is NULL: write the constant's value",
    (("Trino", "NULL IN (1, 2, NULL) is true"),),
)

_SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_DISTINCT: dict[type[exp.Expr], str] = {
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.EqualNull: "IS NOT DISTINCT FROM",
}
_SAFE_IN = 2
"""How many values of which one is NULL Trino compares as it should."""

# Numbers that are added or multiplied are never NULL either: what is too large fails.
_LITERAL = re.compile(r"[-+*() 0-9]+|(TINYINT|SMALLINT|INTEGER|BIGINT|DATE) '-?[0-9-]+'")
_NEGATIVE = re.compile(r"-[0-9]+")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]*[1-9])?")


def _compared(node: exp.Binary, compiling: Compiling) -> Term:
    return compare(node.this, _SIGNS[type(node)], node.expression, node, compiling)


def compare(one: Any, sign: str, other: Any, node: Any, compiling: Compiling) -> Term:
    """Two values with a sign between them, as the source compares them; ``node`` is what findings name."""
    left, right = compared(one, other, node, compiling)
    if "NULL" in (left.sql, right.sql):
        # As a comparison, it may become a part of a list: see ``_beside_null``.
        return Term("CAST(NULL AS boolean)", "boolean")
    if parse_hive_type(left.type).parts or parse_hive_type(right.type).parts:
        return _nested(left, sign, right, node, compiling)
    may_be_nan = [_may_be_nan(left, one, compiling), _may_be_nan(right, other, compiling)]
    at = 0 if sign.startswith(">") else 1
    is_ordered = sign in _OPPOSITES
    if may_be_nan[at] if is_ordered else all(may_be_nan):
        is_text_before = types.type_beside((one, other)[at], compiling).name not in types.FRACTIONS
        if not is_ordered or all(may_be_nan) or compiling.source == "hive" or is_text_before:
            compiling.report(node, NAN)
        else:
            # NaN is larger than every number, and no comparison of Trino with it is true.
            return operation("boolean", "NOT", operation("boolean", bare(left), _OPPOSITES[sign], bare(right)))
    return operation("boolean", bare(left), sign, bare(right))


def bare(term: Term) -> str | Term:
    """A negative number as it can stand behind an operator."""
    return term.sql if _NEGATIVE.fullmatch(term.sql) else term


def _may_be_nan(term: Term, node: Any, compiling: Compiling) -> bool:
    return term.type in types.FRACTIONS and not is_written(node, compiling)


def _nested(left: Term, sign: str, right: Term, node: Any, compiling: Compiling) -> Term:
    """Parts that are NULL are equal to each other, unlike values that are NULL."""
    has_fractions = any(name in left.type for name in types.FRACTIONS)
    if sign not in ("=", "<>") or left.type != right.type or "map" in left.type or has_fractions:
        raise compiling.refused(node, NESTED_ORDER)
    word = "IS NOT DISTINCT FROM" if sign == "=" else "IS DISTINCT FROM"
    both = operation("boolean", left, "IS NOT NULL AND", right, "IS NOT NULL")
    return called("if", "boolean", both, operation("boolean", left, word, right))


def _check_null_safe(one: Any, other: Any, node: Any, compiling: Compiling) -> None:
    types_ = [types.type_beside(part, compiling).name for part in (one, other)]
    are_texts = [type_ in types.TEXTS for type_ in types_]
    may_be_none = any(it_is and not is_text(part) for it_is, part in zip(are_texts, (one, other), strict=True))
    if compiling.source == "hive" and "void" not in types_ and may_be_none and not all(are_texts):
        raise compiling.refused(node, NULL_SAFE_TEXT)


def _distinct(node: Any, compiling: Compiling) -> Term:
    _check_null_safe(node.this, node.expression, node, compiling)
    left, right = compared(node.this, node.expression, node, compiling)
    return operation("boolean", bare(left), _DISTINCT[type(node)], bare(right))


def _equal_null(call: Call, compiling: Compiling) -> Term:
    one, other = call.arguments
    left, right = compared(one, other, call.node, compiling)
    return operation("boolean", bare(left), "IS NOT DISTINCT FROM", bare(right))


def _in(node: exp.In, compiling: Compiling, word: str = "IN") -> Term:
    items: Any = node.expressions
    if not items or any(isinstance(one, exp.Query) for one in items):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    for item in items:
        _check_item(node.this, item, node, compiling)
    pairs = [compared(node.this, item, node, compiling) for item in items]
    # One NULL in the list says nothing of the type.
    lefts = {left.sql: left for left, right in pairs if right.type != "void"} or {pairs[0][0].sql: pairs[0][0]}
    if len(lefts) > 1 or any(parse_hive_type(left.type).parts for left in lefts.values()):
        raise compiling.refused(node, IN_TYPES)
    (left,) = lefts.values()
    if any(_may_be_nan(right, item, compiling) for (_, right), item in zip(pairs, items, strict=True)):
        compiling.report(node, NAN)
    rights = [right.sql for _, right in pairs]
    if left.type not in (*WHOLE, "date"):
        return operation("boolean", left, f"{word} ({', '.join(rights)})")
    return _beside_null(left, word, rights, node, compiling)


def _beside_null(left: Term, word: str, rights: list[str], node: exp.In, compiling: Compiling) -> Term:
    """Whether a whole number or a date is one of several, of which any may be NULL.

    Trino 476 answers true for NULL, and false for other values, where one of three or more constants is NULL; it makes
    one list of those that OR connects.
    """
    for item, right in zip(node.expressions, rights, strict=True):
        is_known = right == "NULL" or _LITERAL.fullmatch(right)
        if len(rights) > _SAFE_IN and not is_known and compiling.query.is_constant(item):
            raise compiling.refused(item, CONSTANT_IN)
    known = [right for right in rights if right != "NULL"]
    if len(known) == len(rights):
        return operation("boolean", left, f"{word} ({', '.join(known)})")
    if not known:
        return Term("CAST(NULL AS boolean)", "boolean")
    is_one = operation("boolean", left, f"{word} ({', '.join(known)})")
    return operation("boolean", is_one.sql, "OR" if word == "IN" else "AND", "NULL")


def _check_item(left: Any, item: Any, node: Any, compiling: Compiling) -> None:
    """That a value and one in the list are compared as they are by =; for others, IN has rules of its own."""
    one, other = (types.type_beside(part, compiling) for part in (left, item))
    names = {one.name, other.name}
    if "void" in names or names <= set(types.NUMBERS) or (one.name == other.name and one.name != "char"):
        return
    if one.name in types.TEXTS and other.name in types.TEXTS:
        text = str(item.unnest().this) if is_text(item) else " "
        if "char" in names and (one.name != "char" or text.endswith(" ") or len(text) > one.sizes[0]):
            raise compiling.refused(node, types.LONG_TEXT)
        return
    if names == set(types.TIMES) or (is_text(item) and _is_canonical(str(item.unnest().this), one)):
        return
    raise compiling.refused(node, IN_TYPES)


def _is_canonical(text: str, type_: HiveType) -> bool:
    """Whether a text is just what a value of a type is written as, so that it may be compared as a text too."""
    if type_.name in WHOLE:
        return text.removeprefix("-").isdigit() and str(int(text)) == text
    if type_.name == "date":
        return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None
    return type_.name == "timestamp" and _TIME.fullmatch(text) is not None


def _between(node: exp.Between, compiling: Compiling, word: str = "BETWEEN") -> Term:
    if node.args.get("symmetric"):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    bounds: list[Any] = [node.args["low"], node.args["high"]]
    (left, low), (other, high) = (compared(node.this, bound, node, compiling) for bound in bounds)
    if any(parse_hive_type(term.type).parts for term in (left, low, high)):
        raise compiling.refused(node, NESTED_ORDER)
    if any(_may_be_nan(*one, compiling) for one in zip((low, high), bounds, strict=True)):
        compiling.report(node, NAN)
    parts: tuple[str | Term, ...] = (left, ">=", bare(low), "AND", other, "<=", bare(high))
    if left.sql == other.sql:
        found = operation("boolean", left, word, bare(low), "AND", bare(high))
    elif word == "BETWEEN":
        found = operation("boolean", *parts)
    else:
        found = operation("boolean", "NOT", operation("boolean", *parts))
    if compiling.source != "hive":
        return found
    if word != "BETWEEN" and not _is_value(bounds[1]):
        compiling.report(node, NULL_BOUND)
    if _is_value(bounds[0]) or only_filters(node):
        return found
    # Where the first bound is NULL, Hive makes NULL, even where the other one says false.
    return called("IF", "boolean", operation("boolean", low, "IS NOT NULL"), found)


def _is_value(node: Any) -> bool:
    value = node.unnest()
    while isinstance(value, exp.Neg):
        value = value.this.unnest()
    return isinstance(value, exp.Literal)


def negated(node: Any, compiling: Compiling) -> Term | None:
    """NOT in front of an expression as Trino says it within that one; None for others."""
    if isinstance(node, exp.In) and node.args.get("query") is None:
        return _in(node, compiling, "NOT IN")
    if isinstance(node, exp.Between):
        return _between(node, compiling, "NOT BETWEEN")
    if isinstance(node, (exp.NullSafeEQ, exp.NullSafeNEQ)):
        _check_null_safe(node.this, node.expression, node, compiling)
        left, right = compared(node.this, node.expression, node, compiling)
        word = "IS DISTINCT FROM" if isinstance(node, exp.NullSafeEQ) else "IS NOT DISTINCT FROM"
        return operation("boolean", bare(left), word, bare(right))
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return operation("boolean", compiling.term(node.this), "IS NOT NULL")
    if isinstance(node, exp.Like) and not node.args.get("negate"):
        return like(node, compiling, is_negated=True)
    return None


NODES: NodeRules = {
    **dict.fromkeys(_SIGNS, _compared),
    **dict.fromkeys(_DISTINCT, _distinct),
    exp.In: _in,
    exp.Between: _between,
    exp.Like: like,
    exp.ILike: like,
    exp.Escape: like,
}
CALLS: CallRules = {"equal_null": _equal_null}
