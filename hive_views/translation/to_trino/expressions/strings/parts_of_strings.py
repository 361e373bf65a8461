"""Functions that cut strings, and find strings in others."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino.expressions.strings.literal_values import text_of, whole_number_of
from hive_views.translation.to_trino.expressions.strings.string_arguments import (
    ARGUMENTS,
    EMPTY_SEARCH,
    count_arguments,
    hive_counts_in_utf_16,
    integer,
    only_in,
    text,
    whole,
)
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, string


def _substr(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2, 3)
    subject, start, *lengths = call.arguments
    length = lengths[0] if lengths else None
    type_ = compiling.type_of(call.node)
    value = compiling.converted(subject, type_) if type_ == "binary" else text(subject, compiling)
    if type_ != "binary":
        hive_counts_in_utf_16(call.node, compiling, subject)
    return substring(value, start, length, compiling)


def substring(value: Term, start: Any, length: Any, compiling: Compiling) -> Term:
    """A part of a string or of bytes; ``length`` may be None.

    Both sources take the place 0 for 1. Of a place before the start, Hive makes an empty string as Trino does, and
    Spark what is left of the part.
    """
    at = whole_number_of(start)
    size = None if length is None else whole_number_of(length)
    if at is not None and at >= 0:
        given = [str(at or 1), *([] if length is None else [whole(length, compiling).sql])]
        return called("substr", value.type, value, *given)
    if at is not None and (length is None or (size is not None and size >= -at)):
        # Trino fails where the place and the length are more than an int.
        place = str(at) if compiling.source == "hive" else f"-least({-at}, length({value.sql}))"
        return called("substr", value.type, value, place)
    place = str(at) if at is not None else whole(start, compiling).operand
    from_one = place if at is not None else f"IF({place} = 0, 1, {place})"
    if length is None:
        if compiling.source == "spark":
            # Before the first character, all; but of -2147483648 Spark's sum of place and length is an int of its own.
            from_one = f"IF({place} = 0, 1, greatest({place}, -length({value.sql})))"
        return called("substr", value.type, value, from_one)
    sized = whole(length, compiling)
    least = sized.sql if size is not None else f"least({sized.sql}, length({value.sql}))"
    part = called("substr", value.type, value, from_one, least)
    if compiling.source == "hive":
        return part
    before = called("substr", value.type, value, "1", f"{sized.operand} + ({place} + length({value.sql}))")
    return Term(f"IF({place} < -length({value.sql}), {before.sql}, {part.sql})", value.type)


def _substring_syntax(node: exp.Substring, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    value = compiling.converted(node.this, type_) if type_ == "binary" else text(node.this, compiling)
    start = node.args.get("start")
    if start is None or compiling.source == "hive":
        raise compiling.refused(node, ARGUMENTS)
    return substring(value, start, node.args.get("length"), compiling)


def _has_border(delimiter: str) -> bool:
    return any(delimiter.endswith(delimiter[:size]) for size in range(1, len(delimiter)))


def _substring_index(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 3)
    subject, delimiter, count = call.arguments
    written, times = text_of(delimiter), whole_number_of(count)
    if not written or times is None or _has_border(written):
        # Where occurrences overlap, each engine counts others.
        raise compiling.refused(call.node, ARGUMENTS)
    value = text(subject, compiling)
    parts = f"split({value.sql}, {string(written)})"
    if times == 0:
        return called("substr", "string", value, "1", "0")
    if times == 1:
        return called("split_part", "string", value, string(written), "1")
    if times == -1:
        return called("element_at", "string", parts, "-1")
    if times > 0:
        return called("array_join", "string", f"slice({parts}, 1, {times})", string(written))
    first = f"greatest(cardinality({parts}) - {-times - 1}, 1)"
    return called("array_join", "string", f"slice({parts}, {first}, {-times})", string(written))


def _left(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    _refuse_bytes(call, compiling)
    return called("substr", "string", text(call.arguments[0], compiling), "1", whole(call.arguments[1], compiling))


def _right(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    _refuse_bytes(call, compiling)
    subject, count = call.arguments
    value, written = text(subject, compiling), whole_number_of(count)
    size = f"greatest({whole(count, compiling).sql}, 0)" if written is None else str(max(written, 0))
    return called("substr", "string", value, f"-least({size}, length({value.sql}))")


def _refuse_bytes(call: Call, compiling: Compiling) -> None:
    if any(compiling.type_of(one) == "binary" for one in call.arguments):
        raise compiling.refused(call.node, ARGUMENTS.because("bytes"))


def _instr(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    subject, search = call.arguments
    # Since Hive 4.
    hive_counts_in_utf_16(call.node, compiling, subject)
    if not text_of(search) and compiling.source == "hive":
        compiling.report(call.node, EMPTY_SEARCH)
    return _place(text(subject, compiling), text(search, compiling))


def _place(value: Term, search: Term) -> Term:
    return integer(called("strpos", "bigint", value, search))


def _locate(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2, 3)
    search, subject, *starts = call.arguments
    return _located(call.node, search, subject, starts[0] if starts else None, compiling)


def _located(node: Any, search: Any, subject: Any, start: Any, compiling: Compiling) -> Term:
    value, searched = text(subject, compiling), text(search, compiling)
    at = 1 if start is None else whole_number_of(start)
    if at == 1:
        return _place(value, searched)
    if text_of(search) == "":
        raise compiling.refused(node, ARGUMENTS)
    if text_of(search) is None:
        compiling.report(node, EMPTY_SEARCH)
    if at is not None and at > 1:
        found = f"strpos(substr({value.sql}, {at}), {searched.sql})"
        return Term(f"CAST(IF({found} = 0, 0, {found} + {at - 1}) AS integer)", "int")
    place = whole(start, compiling)
    found = f"strpos(substr({value.sql}, {place.sql}), {searched.sql})"
    later = f"WHEN {place.operand} >= 1 THEN IF({found} = 0, 0, {found} + {place.operand} - 1)"
    # From NULL, Spark finds nothing even in NULL.
    unknown = f"WHEN {place.operand} IS NULL THEN 0 " if compiling.source == "spark" else ""
    return Term(f"CAST(CASE {unknown}{later} ELSE 0 * strpos({value.sql}, {searched.sql}) END AS integer)", "int")


def _position_syntax(node: exp.StrPosition, compiling: Compiling) -> Term:
    if compiling.source == "hive":
        raise compiling.refused(node, ARGUMENTS)
    return _located(node, node.args.get("substr"), node.this, node.args.get("position"), compiling)


def _find_in_set(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    search, values = (text(one, compiling) for one in call.arguments)
    return integer(called("array_position", "bigint", f"split({values.sql}, ',')", search))


def _elt(call: Call, compiling: Compiling) -> Term:
    index, *values = call.arguments
    type_ = compiling.type_of(call.node)
    terms = [text(one, compiling) if type_ == "string" else compiling.converted(one, type_) for one in values]
    at = whole_number_of(index)
    if at is not None and 1 <= at <= len(terms):
        return Term(terms[at - 1].sql, type_, terms[at - 1].is_whole)
    branches = " ".join(f"WHEN {place} THEN {term.sql}" for place, term in enumerate(terms, 1))
    return Term(f"CASE {whole(index, compiling).operand} {branches} END", type_)


def _field(call: Call, compiling: Compiling) -> Term:
    terms = [compiling.term(one) for one in call.arguments]
    types = {one.type for one in terms} - {"void"}
    if len(terms) < 2 or len(types) > 1 or not types <= {"string", "int", "bigint"} or terms[0].type == "void":
        raise compiling.refused(call.node, ARGUMENTS)
    branches = " ".join(f"WHEN {term.sql} THEN {place}" for place, term in enumerate(terms[1:], 1))
    return Term(f"CASE {terms[0].operand} {branches} ELSE 0 END", "int")


def _two_texts(call: Call, compiling: Compiling) -> tuple[Term, Term]:
    count_arguments(call, compiling, 2)
    _refuse_bytes(call, compiling)
    first, second = call.arguments
    return text(first, compiling), text(second, compiling)


def _starts_with(call: Call, compiling: Compiling) -> Term:
    return called("starts_with", "boolean", *_two_texts(call, compiling))


def _ends_with(call: Call, compiling: Compiling) -> Term:
    value, end = _two_texts(call, compiling)
    written = text_of(call.arguments[1])
    if written:
        return Term(f"substr({value.sql}, -{len(written)}) = {end.sql}", "boolean", is_whole=False)
    return Term(f"starts_with(reverse({value.sql}), reverse({end.sql}))", "boolean")


def _contains(call: Call, compiling: Compiling) -> Term:
    value, search = _two_texts(call, compiling)
    return Term(f"strpos({value.sql}, {search.sql}) > 0", "boolean", is_whole=False)


def _split_part(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 3)
    subject, delimiter, part = call.arguments
    at = whole_number_of(part)
    if not at or not text_of(delimiter):
        raise compiling.refused(call.node, ARGUMENTS)
    value, by = text(subject, compiling), text(delimiter, compiling)
    found = f"element_at(split({value.sql}, {by.sql}), {at})"
    if at in (1, -1):
        return Term(found, "string")
    return Term(f"IF({value.operand} IS NOT NULL, coalesce({found}, ''))", "string")


def _overlay(node: Any, subject: Any, by: Any, start: Any, length: Any, compiling: Compiling) -> Term:
    at = whole_number_of(start)
    size = None if length is None else whole_number_of(length)
    if at is None or at < 1 or (length is not None and (size is None or size < 0)):
        raise compiling.refused(node, ARGUMENTS)
    if any(compiling.type_of(one) == "binary" for one in (subject, by)):
        raise compiling.refused(node, ARGUMENTS.because("bytes"))
    value, put = text(subject, compiling), text(by, compiling)
    behind = f"{at + size}" if size is not None else f"{at} + length({put.sql})"
    return called("concat", "string", f"substr({value.sql}, 1, {at - 1})", put, f"substr({value.sql}, {behind})")


def _overlay_call(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 3, 4)
    subject, by, start, *lengths = call.arguments
    return _overlay(call.node, subject, by, start, lengths[0] if lengths else None, compiling)


def _overlay_syntax(node: exp.Overlay, compiling: Compiling) -> Term:
    return _overlay(node, node.this, node.expression, node.args.get("from_"), node.args.get("for_"), compiling)


NODES: NodeRules = {
    exp.Substring: _substring_syntax,
    exp.StrPosition: _position_syntax,
    exp.Overlay: _overlay_syntax,
}
CALLS: CallRules = {
    **dict.fromkeys(("substr", "substring"), _substr),
    "substring_index": _substring_index,
    "instr": _instr,
    **dict.fromkeys(("locate", "position"), _locate),
    "find_in_set": _find_in_set,
    "elt": _elt,
    **only_in("hive", {"field": _field}),
    **only_in(
        "spark",
        {
            "left": _left,
            "right": _right,
            "startswith": _starts_with,
            "endswith": _ends_with,
            "contains": _contains,
            "split_part": _split_part,
            "overlay": _overlay_call,
        },
    ),
}
