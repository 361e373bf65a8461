"""Strings and numbers as they are written: escapes, and the digits of decimals."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.decimals import without_zeros
from hive_views.sql.text_edits import Edit
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.kinds_of_nodes.same_types import is_compared
from hive_views.translation.in_place.patching_rules import NodeRules, Patching
from hive_views.translation.translation_findings import Kind, Reason

ESCAPE = Reason(
    "escape",
    Kind.UNSUPPORTED,
    "Hive and Spark may read an escape in this string differently; use one of \\\\ \\' \\\" \\n \\t",
)
VARIABLE = Reason("variable", Kind.UNSUPPORTED, "Spark puts the value of a variable in place of ${...}; write \\u0024{")
RAW_STRING = Reason("only-in-one-engine", Kind.UNSUPPORTED, "Hive has no raw strings")
LITERAL_TYPE = Reason("other-type", Kind.UNSUPPORTED, "engines and releases read this number as different types")

_KNOWN = re.compile(r"(?:[^\\]|\\[\\'\"ntr0%_]|\\u[0-9a-fA-F]{4}|\\[0-3][0-7]{2})*", re.DOTALL)
_ADDED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)


def _literal(node: exp.Literal, patching: Patching) -> tuple[Any, ...]:
    if node.is_string:
        _string(node, patching)
    else:
        _number(node, patching)
    return ()


def adjacent(node: exp.Concat, patching: Patching) -> tuple[Any, ...]:
    """``'it' 's'`` is one string; without a blank, Spark takes ``''`` for a quote in it."""
    for one, following in pairwise(node.expressions):
        if not isinstance(one, exp.Literal) or not isinstance(following, exp.Literal):
            raise patching.refused(node, reasons.NOT_KNOWN)
    start = node.expressions[0].meta.get("start")
    if start is None:
        raise patching.refused(node, reasons.NOT_KNOWN)
    places = patching.places.of_strings(start, len(node.expressions))
    for (_, end), (following_start, _) in pairwise(places):
        if end == following_start:
            if patching.source == "spark":
                raise patching.refused(node, ESCAPE)
            patching.edit(Edit(end, end, " "))
    for place in places:
        _check(node, str(patching.query.text)[slice(*place)], patching)
    return ()


def _string(node: exp.Literal, patching: Patching) -> None:
    start, end = node.meta.get("start"), node.meta.get("end")
    if start is None or end is None:
        return
    _check(node, str(patching.query.text)[start : end + 1], patching)


def _check(node: Any, written: str, patching: Patching) -> None:
    """Refuse a string, as it is written, that engines read differently."""
    if written[:1] not in "'\"":
        raise patching.refused(node, RAW_STRING)
    body = written[1:-1]
    if "${" in body:
        raise patching.refused(node, VARIABLE)
    if written[0] in body.replace("\\\\", "").replace(f"\\{written[0]}", "") or not _KNOWN.fullmatch(body):
        raise patching.refused(node, ESCAPE)


def shortened(node: Any, patching: Patching) -> str | None:
    """A number of a text of Hive without the zeros at its end, which Hive leaves out of its type."""
    derived = patching.type_of(node)
    if patching.source != "hive" or not (derived.hive and derived.spark) or derived.certain or "start" not in node.meta:
        return None
    short = without_zeros(node.name)
    return short if "." in short and short != node.name else None


def _number(node: exp.Literal, patching: Patching) -> None:
    derived = patching.type_of(node)
    if derived.certain is not None:
        return
    if (short := shortened(node, patching)) is not None:
        patching.edit(Edit(node.meta["start"], node.meta["end"] + 1, short))
        return
    parent = node.parent
    while isinstance(parent, (exp.Paren, exp.Neg)):
        parent = parent.parent
    if is_compared(node) or isinstance(parent, _ADDED):
        return  # the type of what is computed is looked at
    raise patching.refused(node, LITERAL_TYPE.because(derived.why or ""))


def _constant(_node: Any, _patching: Patching) -> tuple[Any, ...]:
    return ()


NODES: NodeRules = {exp.Literal: _literal, exp.Boolean: _constant, exp.Null: _constant}
