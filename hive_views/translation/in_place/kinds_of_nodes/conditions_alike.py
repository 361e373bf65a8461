"""Conditions: comparisons, BETWEEN and IN, patterns, AND and OR, IS NULL."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.translation.folded_branches import CONTRADICTORY, is_contradictory
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.kinds_of_nodes.casts_alike import TEXT_AS_DATE, is_date
from hive_views.translation.in_place.kinds_of_nodes.operators_alike import (
    FLOAT_AND_OTHER,
    MANY_DIGITS,
    MOST_DIGITS,
    TEXT_AND_NUMBER,
    as_double,
    digits_of,
)
from hive_views.translation.in_place.patching_rules import FRACTIONS, NUMBERS, WHOLE, NodeRules, Patching, is_text
from hive_views.translation.reading_nodes import only_filters
from hive_views.translation.translation_findings import Kind, Reason

NULL_BOUND = Reason(
    "null-bound",
    Kind.DIFFERENT,
    "BETWEEN with one bound that is NULL; write two comparisons",
    (("Hive", "always NULL"), ("Spark", "false where the other bound is not kept")),
)
PATTERN = Reason(
    "pattern",
    Kind.UNSUPPORTED,
    "a backslash in a pattern of LIKE that is not before % or _ is read differently",
    (("Hive", "takes it as it is"), ("Spark", "takes two for one, and fails for one alone")),
)
PATTERN_OF_COLUMN = Reason(
    "pattern-of-column",
    Kind.DIFFERENT,
    "a pattern that is not written there may have a backslash, or be empty, which is read differently",
)
NOT_IN_QUERY = Reason(
    "not-in-query",
    Kind.UNSUPPORTED,
    "Hive 2 makes a join without a condition of NOT IN, which it refuses by default; use NOT EXISTS",
)
EMPTY_PATTERN = Reason(
    "pattern", Kind.UNSUPPORTED, "the empty pattern is in no text for Hive's RLIKE, and in every text for Spark's"
)
NULL_COLLECTION = Reason(
    "null-collection",
    Kind.DIFFERENT,
    "of an array, map or struct that is NULL in a file",
    (("Hive 2", "IS NULL may be false"), ("Hive 4", "it is true"), ("Spark", "it is true")),
)
OTHER_COMPARISON = Reason(
    "not-known", Kind.UNSUPPORTED, "it is not known whether both engines compare values of these types alike"
)
_PATTERN = re.compile(r"(?:[^\\]|\\[%_])*", re.DOTALL)
_WHOLE_TEXT = re.compile(r"[+-]?\d{1,9}")
_NUMBER_TEXT = re.compile(r"[+-]?\d{1,9}(\.\d{1,9})?")


def compare(node: Any, left: Any, right: Any, patching: Patching, *, is_list: bool = False) -> None:
    """Accept, edit or refuse the comparison of two values; ``is_list``: by IN."""
    kinds = patching.kind(left), patching.kind(right)
    if "char" in kinds:
        raise patching.refused(node, reasons.PADDED)
    if "void" in kinds and "" not in kinds:
        return
    if all(map(is_text, kinds)) or (kinds[0] == kinds[1] and kinds[0] in ("date", "timestamp", "boolean", "binary")):
        return
    if set(kinds) <= set(NUMBERS):
        if "float" in kinds and "decimal" in kinds:
            raise patching.refused(node, FLOAT_AND_OTHER)
        if set(kinds) & set(FRACTIONS) and max(digits_of(left, patching), digits_of(right, patching)) >= MOST_DIGITS:
            raise patching.refused(node, MANY_DIGITS)
        return
    if set(kinds) == {"date", "timestamp"} and not is_list:
        return
    text, other = (left, right) if is_text(kinds[0]) else (right, left)
    if not is_text(patching.kind(text)) or is_text(patching.kind(other)):
        raise patching.refused(node, OTHER_COMPARISON)
    _compare_text(node, text, other, patching, is_list=is_list)


def _compare_text(node: Any, text: Any, other: Any, patching: Patching, *, is_list: bool) -> None:
    """A text with a value of another type."""
    kind, literal = patching.kind(other), text.unnest()
    written = literal.name if isinstance(literal, exp.Literal) else None
    if kind in ("date", "timestamp") and not is_list:
        if written is not None and is_date(written) and (kind == "timestamp" or len(written) == 10):
            return
        if written is not None:
            raise patching.refused(node, TEXT_AS_DATE)
        patching.report(node, TEXT_AS_DATE)
        if patching.target == "spark":
            patching.report(node, reasons.ANSI)
        return
    if kind in NUMBERS and written is not None:
        is_read = _WHOLE_TEXT if kind in WHOLE else _NUMBER_TEXT
        if kind not in ("decimal", "bigint") and is_read.fullmatch(written):
            return
    is_read_as_double = kind in ("tinyint", "smallint", "int", *FRACTIONS) and written is None and not is_list
    if is_read_as_double and as_double(text, patching):
        return
    raise patching.refused(node, TEXT_AND_NUMBER)


def _comparison(node: Any, patching: Patching) -> None:
    are_texts = [is_text(patching.kind(one)) for one in (node.this, node.expression)]
    if isinstance(node, exp.NullSafeEQ) and any(are_texts) and not all(are_texts):
        raise patching.refused(node, OTHER_COMPARISON)
    compare(node, node.this, node.expression, patching)


def _in(node: exp.In, patching: Patching) -> None:
    query = node.args.get("query")
    if any(node.args.get(name) for name in ("unnest", "field", "is_global")):
        raise patching.refused(node, reasons.NOT_KNOWN)
    if query is not None:
        if isinstance(node.this.unnest(), exp.Tuple):
            raise patching.refused(node, reasons.NOT_KNOWN)
        if isinstance(node.find_ancestor(exp.Not, exp.Query), exp.Not) and patching.target == "hive":
            raise patching.refused(node, NOT_IN_QUERY)
        left = patching.type_of(node.this).certain
        inner = query.this if isinstance(query, exp.Subquery) else query
        columns = patching.query.columns_of(inner)
        if left is None or len(columns) != 1 or columns[0].derived.certain != left:
            raise patching.refused(node, OTHER_COMPARISON)
        return
    for one in node.expressions:
        compare(node, node.this, one, patching, is_list=True)
    kinds = {patching.kind(one) for one in (node.this, *node.expressions)} - {"void"}
    is_fraction = any(isinstance(one.unnest(), exp.Literal) and "." in one.unnest().name for one in node.expressions)
    if patching.kind(node.this) in WHOLE and is_fraction:
        raise patching.refused(node, OTHER_COMPARISON.because("Hive 2 converts the list to whole numbers"))
    if all(isinstance(one.unnest(), exp.Null) for one in node.expressions):
        raise patching.refused(node, reasons.NOT_KNOWN)
    if len(kinds) > 1 and not all(map(is_text, kinds)) and not kinds <= set(NUMBERS):
        raise patching.refused(node, OTHER_COMPARISON)


def _between(node: exp.Between, patching: Patching) -> None:
    if node.args.get("symmetric"):
        raise patching.refused(node, reasons.NOT_KNOWN)
    bounds = (node.args["low"], node.args["high"])
    kinds = {patching.kind(one) for one in (node.this, *bounds)}
    for one in bounds:
        compare(node, node.this, one, patching)
    if len({is_text(kind) for kind in kinds}) > 1 and not kinds & {"date", "timestamp"}:
        raise patching.refused(node, TEXT_AND_NUMBER)
    if not all(_is_value(one) for one in bounds) and not only_filters(node):
        patching.report(node, NULL_BOUND)


def _is_value(node: Any) -> bool:
    value = node.unnest()
    while isinstance(value, (exp.Neg, exp.Cast)):
        value = value.this
    return isinstance(value, exp.Literal)


def _like(node: exp.Like, patching: Patching) -> None:
    _of_pattern(node, patching)
    pattern = node.expression.unnest()
    if isinstance(pattern, exp.Literal):
        if not _PATTERN.fullmatch(pattern.name):
            raise patching.refused(node, PATTERN)
    else:
        patching.report(node, PATTERN_OF_COLUMN)


def _rlike(node: exp.RegexpLike, patching: Patching) -> None:
    _of_pattern(node, patching)
    if node.args.get("flag") is not None:
        raise patching.refused(node, reasons.NOT_KNOWN)
    pattern = node.expression.unnest()
    if not isinstance(pattern, exp.Literal):
        patching.report(node, PATTERN_OF_COLUMN)
    elif not pattern.name:
        raise patching.refused(node, EMPTY_PATTERN)


def _of_pattern(node: Any, patching: Patching) -> None:
    kind, pattern = patching.kind(node.this), patching.kind(node.expression)
    if "char" in (kind, pattern):
        raise patching.refused(node, reasons.PADDED)
    if not is_text(pattern) or not (is_text(kind) or kind in ("tinyint", "smallint", "int", "bigint", "date")):
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES)


def _logic(node: Any, patching: Patching) -> None:
    if isinstance(node, exp.Connector) and is_contradictory(node):
        raise patching.refused(node, CONTRADICTORY)
    for one in (node.this, node.args.get("expression")):
        # Hive 2 cannot read TRUE OR NULL.
        if one is not None and patching.kind(one) != "boolean":
            raise patching.refused(one, reasons.NOT_OF_THESE_TYPES.because("it is no truth value"))


def _is(node: exp.Is, patching: Patching) -> tuple[Any, ...]:
    right = node.expression
    right = right.this if isinstance(right, exp.Not) else right
    if isinstance(right, exp.Boolean) and patching.kind(node.this) == "boolean":
        return (node.this,)
    if not isinstance(right, exp.Null):
        raise patching.refused(node, reasons.NOT_KNOWN)
    if patching.kind(node.this) in ("array", "map", "struct"):
        patching.report(node, NULL_COLLECTION)
    return (node.this,)


def _exists(_node: exp.Exists, _patching: Patching) -> None:
    return None


NODES: NodeRules = {
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ), _comparison),
    exp.In: _in,
    exp.Between: _between,
    exp.Like: _like,
    exp.RegexpLike: _rlike,
    **dict.fromkeys((exp.And, exp.Or, exp.Not), _logic),
    exp.Is: _is,
    exp.Exists: _exists,
}
