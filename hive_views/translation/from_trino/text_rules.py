"""Functions of texts and bytes."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.cast_rules import texts
from hive_views.translation.from_trino.constant_rules import written_number, written_text
from hive_views.translation.from_trino.target_terms import (
    CallRules,
    Compiling,
    NodeRules,
    Term,
    called,
    cast,
    operation,
)
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino.expressions.strings.whole_strings import LETTER_CASE
from hive_views.translation.translation_findings import Kind, Reason

_PATTERN = re.compile(
    r"\^?(?:(?:[\w ,:;/@#=&<>!~%'\"-]|\[\^?(?:[A-Za-z0-9 _](?:-[A-Za-z0-9])?)+\])[*+?]?|[|(]|\)[*+?]?)+", re.ASCII
)

BLANKS = Reason(
    "trimmed-blanks",
    Kind.EDGE,
    "tabs, line breaks and blanks beyond ASCII at the ends",
    (("Trino", "are taken away, too"), ("Hive, Spark", "stay: only blanks are taken away")),
)
BEYOND_BMP = Reason(
    "beyond-bmp",
    Kind.EDGE,
    "of a text with characters beyond U+FFFF, such as emoji",
    (("Hive", "counts two for each"), ("Spark, Trino", "count one")),
)


def arguments(call: Call, least: int, most: int, compiling: Compiling) -> tuple[Any, ...]:
    """The arguments of a call that has from ``least`` to ``most`` of them.

    Raises:
        RefusedError: it has not.
    """
    if not least <= len(call.arguments) <= most or call.is_distinct:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return call.arguments


def _text(node: Any, compiling: Compiling) -> Term:
    return texts(compiling.term(node), node, compiling)


def _letters(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    compiling.report(call.node, LETTER_CASE)
    return called(call.name, "string", _text(one, compiling))


def _length(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    return cast(called("length", "int", _text(one, compiling)), "bigint")


def _trimmed(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    compiling.report(call.node, BLANKS)
    return called(call.name, "string", _text(one, compiling))


def _reversed(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    return called("reverse", "string", _text(one, compiling))


def _concat(call: Call, compiling: Compiling) -> Term:
    given = arguments(call, 2, 100, compiling)
    return called("concat", "string", *(_text(one, compiling) for one in given))


def _part(call: Call, compiling: Compiling) -> Term:
    return _substring(call.node, *arguments(call, 2, 3, compiling), compiling=compiling)


def _part_of(node: exp.Substring, compiling: Compiling) -> Term:
    given = [one for one in (node.args.get("start"), node.args.get("length")) if one is not None]
    return _substring(node, node.this, *given, compiling=compiling)


def _substring(node: Any, text: Any, *sizes: Any, compiling: Compiling) -> Term:
    """Positions from 1: before the text, and from its end, engines count differently."""
    numbers = [written_number(one) for one in sizes]
    is_last = numbers == [-1]
    if not is_last and (not all(one is not None and one >= 0 for one in numbers) or not numbers or not numbers[0]):
        raise compiling.refused(node, reasons.NOT_KNOWN.because("a position or length that is not written there"))
    value = _text(text, compiling)
    if compiling.target == "hive":
        compiling.report(node, BEYOND_BMP)
    return called("substr", "string", value, *map(str, numbers))


def _position(call: Call, compiling: Compiling) -> Term:
    text, part = arguments(call, 2, 2, compiling)
    return _instr(call.node, text, part, compiling)


def _position_in(node: exp.StrPosition, compiling: Compiling) -> Term:
    if any(node.args.get(one) is not None for one in ("position", "occurrence")):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return _instr(node, node.this, node.args["substr"], compiling)


def _instr(node: Any, text: Any, part: Any, compiling: Compiling) -> Term:
    if not written_text(part):
        raise compiling.refused(node, reasons.NOT_KNOWN.because("a text to find that is not written there"))
    if compiling.target == "hive":
        compiling.report(node, BEYOND_BMP)
    return cast(called("instr", "int", _text(text, compiling), _text(part, compiling)), "bigint")


def _starts(call: Call, compiling: Compiling) -> Term:
    text, part = arguments(call, 2, 2, compiling)
    found = written_text(part)
    if not found or not found.isascii():
        raise compiling.refused(call.node, reasons.NOT_KNOWN.because("a beginning that is not written there"))
    beginning = called("substr", "string", _text(text, compiling), "1", str(len(found)))
    return Term(f"{beginning.sql} = {_text(part, compiling).sql}", "boolean", is_whole=False)


def _replaced(call: Call, compiling: Compiling) -> Term:
    text, part, *more = arguments(call, 2, 3, compiling)
    if not written_text(part) or any(written_text(one) is None for one in more):
        raise compiling.refused(call.node, reasons.NOT_KNOWN.because("texts that are not written there"))
    new = _text(more[0], compiling) if more else "''"
    return called("replace", "string", _text(text, compiling), _text(part, compiling), new)


def _padded(call: Call, compiling: Compiling) -> Term:
    text, size, filling = arguments(call, 3, 3, compiling)
    number = written_number(size)
    if number is None or number < 0 or not written_text(filling):
        raise compiling.refused(call.node, reasons.NOT_KNOWN.because("a length or text that is not written there"))
    if compiling.target == "hive":
        compiling.report(call.node, BEYOND_BMP)
    return called(call.name, "string", _text(text, compiling), str(number), _text(filling, compiling))


def _joined(call: Call, compiling: Compiling) -> Term:
    between, *given = arguments(call, 2, 100, compiling)
    if written_text(between) is None:
        raise compiling.refused(call.node, reasons.NOT_KNOWN.because("a text between them that is not written there"))
    return called("concat_ws", "string", _text(between, compiling), *(_text(one, compiling) for one in given))


def _hexadecimal(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    term = compiling.term(one)
    if term.type != "binary":
        raise compiling.refused(call.node, reasons.TYPES.because(term.type))
    return called("hex", "string", term)


def _matched(node: exp.RegexpLike, compiling: Compiling) -> Term:
    """Of patterns in which Java and the library of Trino have nothing that they read differently."""
    pattern = written_text(node.expression) or ""
    if not _PATTERN.fullmatch(pattern) or node.args.get("flag"):
        raise compiling.refused(node, reasons.NOT_KNOWN.because("a pattern with anything but plain characters"))
    return operation("boolean", _text(node.this, compiling), "RLIKE", compiling.term(node.expression))


NODES: NodeRules = {exp.Substring: _part_of, exp.StrPosition: _position_in, exp.RegexpLike: _matched}
CALLS: CallRules = {
    **dict.fromkeys(("lower", "upper"), _letters),
    "length": _length,
    **dict.fromkeys(("trim", "ltrim", "rtrim"), _trimmed),
    "reverse": _reversed,
    "concat": _concat,
    **dict.fromkeys(("substr", "substring"), _part),
    "strpos": _position,
    "starts_with": _starts,
    "replace": _replaced,
    **dict.fromkeys(("lpad", "rpad"), _padded),
    "concat_ws": _joined,
    "to_hex": _hexadecimal,
}
