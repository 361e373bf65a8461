"""Regular expressions, JSON and URLs."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino.expressions.strings.java_patterns import (
    JavaPattern,
    UnknownPatternError,
    read_pattern,
)
from hive_views.translation.to_trino.expressions.strings.literal_values import text_of, whole_number_of
from hive_views.translation.to_trino.expressions.strings.string_arguments import (
    ARGUMENTS,
    EMPTY_MATCH,
    count_arguments,
    integer,
    only_in,
    text,
)
from hive_views.translation.to_trino.expressions.strings.urls import parse_url, url_decode, url_encode
from hive_views.translation.to_trino.shared_reasons import NO_RULE_FOR_FUNCTION
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, string
from hive_views.translation.translation_findings import Kind, Reason

PATTERN = Reason(
    "pattern",
    Kind.UNSUPPORTED,
    "it is not known whether Trino reads this regular expression as Java does",
)
LINE_ENDS = Reason(
    "line-ends",
    Kind.EDGE,
    r"for . and $ in a regular expression, \r, U+0085, U+2028 and U+2029 end a line in Java, and only \n in Trino",
)
WORD_BOUNDARIES = Reason(
    "word-boundaries",
    Kind.EDGE,
    r"whether a letter beyond ASCII is part of a word for \b depends on the release of Java",
)
IGNORED_CASE = Reason(
    "ignored-case", Kind.EDGE, "(?i) is about the letters of ASCII in Java, and about all letters in Trino"
)
JSON_TEXT = Reason(
    "json-text",
    Kind.EDGE,
    "texts that are no JSON behind the value, have a key twice, single quotes, line ends in a string, or numbers beyond"
    " a double; in objects and arrays, Hive writes a character beyond U+FFFF, such as an emoji, as an escape",
)
JSON_ARRAY = Reason(
    "json-arrays",
    Kind.DIFFERENT,
    "where there is an array before a key of the path",
    (("Hive", "makes an array of the values of that key in all elements"), ("Trino", "NULL")),
)
PATH = Reason("json-path", Kind.UNSUPPORTED, "it is not known whether Trino reads this path in the same way")

_STEP = re.compile(r"\.([A-Za-z0-9_][A-Za-z0-9_ -]*)|\[(\d+)\]")


def _pattern(node: Any, whole: Any, compiling: Compiling) -> JavaPattern:
    written = text_of(node)
    if written is None:
        raise compiling.refused(whole, PATTERN.because("it is not written there"))
    try:
        found = read_pattern(written)
    except UnknownPatternError:
        raise compiling.refused(whole, PATTERN) from None
    if found.uses_lines:
        compiling.report(whole, LINE_ENDS)
    if found.uses_words:
        compiling.report(whole, WORD_BOUNDARIES)
    if found.ignores_case:
        compiling.report(whole, IGNORED_CASE)
    return found


def _matches(node: Any, subject: Any, pattern: Any, compiling: Compiling) -> Term:
    found = _pattern(pattern, node, compiling)
    if not text_of(pattern):
        # Hive finds it nowhere.
        raise compiling.refused(node, PATTERN)
    return called("regexp_like", "boolean", text(subject, compiling), string(found.text))


def _rlike(node: exp.RegexpLike, compiling: Compiling) -> Term:
    start, end = node.meta.get("start"), node.meta.get("end")
    written = "" if start is None or end is None else str(compiling.query.text[start : end + 1]).lower()
    if node.args.get("flag") is not None or (written == "regexp_like" and compiling.source == "hive"):
        raise compiling.refused(node, NO_RULE_FOR_FUNCTION.because(written))
    return _matches(node, node.this, node.expression, compiling)


def _regexp_like(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    subject, pattern = call.arguments
    return _matches(call.node, subject, pattern, compiling)


def _regexp_replace(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 3)
    subject, pattern, replacement = call.arguments
    found = _pattern(pattern, call.node, compiling)
    if found.may_be_empty:
        compiling.report(call.node, EMPTY_MATCH)
    value, by = text(subject, compiling), text(replacement, compiling)
    return called("regexp_replace", "string", value, string(found.text), by)


def _regexp_extract(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2, 3)
    subject, pattern, *indexes = call.arguments
    found = _pattern(pattern, call.node, compiling)
    group = whole_number_of(indexes[0]) if indexes else 1
    if group is None or not 0 <= group <= found.groups:
        raise compiling.refused(call.node, ARGUMENTS)
    value = text(subject, compiling)
    part = f"regexp_extract({value.sql}, {string(found.text)}{f', {group}' if group else ''})"
    if compiling.source == "hive" and group in found.optional:
        # NULL for a group that has no part in the match, and an empty string where there is no match.
        is_found = f"regexp_like({value.sql}, {string(found.text)})"
        return Term(f"CASE WHEN {is_found} THEN {part} WHEN {value.operand} IS NOT NULL THEN '' END", "string")
    return Term(f"IF({value.operand} IS NOT NULL, coalesce({part}, ''))", "string")


def _regexp_count(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    subject, pattern = call.arguments
    found = _pattern(pattern, call.node, compiling)
    if found.may_be_empty:
        compiling.report(call.node, EMPTY_MATCH)
    return integer(called("regexp_count", "bigint", text(subject, compiling), string(found.text)))


def _regexp_substr(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    subject, pattern = call.arguments
    found = _pattern(pattern, call.node, compiling)
    # An empty match is none.
    part = called("regexp_extract", "string", text(subject, compiling), string(found.text))
    return called("nullif", "string", part, "''") if found.may_be_empty or found.has_places else part


def _regexp_extract_all(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2, 3)
    subject, pattern, *indexes = call.arguments
    found = _pattern(pattern, call.node, compiling)
    group = whole_number_of(indexes[0]) if indexes else 1
    if group is None or not 0 <= group <= found.groups:
        raise compiling.refused(call.node, ARGUMENTS)
    if found.may_be_empty:
        compiling.report(call.node, EMPTY_MATCH)
    parts = called("regexp_extract_all", "array<string>", text(subject, compiling), string(found.text), str(group))
    if group not in found.optional:
        return parts
    return called("transform", parts.type, parts, "x -> coalesce(x, '')")


def _json_array_length(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    compiling.report(call.node, JSON_TEXT)
    return integer(called("json_array_length", "bigint", text(call.arguments[0], compiling)))


def _split(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2, 3)
    subject, pattern, *limits = call.arguments
    limit = whole_number_of(limits[0]) if limits else -1
    found = _pattern(pattern, call.node, compiling)
    if found.may_be_empty or found.has_places or limit is None:
        raise compiling.refused(call.node, ARGUMENTS.because("the pattern may be an empty string"))
    value = text(subject, compiling)
    if found.plain:
        sizes = [str(limit)] if limit > 0 else []
        return called("split", "array<string>", value, string(found.plain), *sizes)
    if limit > 0:
        raise compiling.refused(call.node, ARGUMENTS.because("a regular expression and a limit"))
    return called("regexp_split", "array<string>", value, string(found.text))


def _get_json_object(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    subject, path = call.arguments
    written = text_of(path)
    steps = _steps(written) if written is not None else None
    if not steps:
        raise compiling.refused(call.node, PATH)
    compiling.report(call.node, JSON_TEXT)
    if compiling.source == "hive" and any(name for _, name, _ in steps[1:]):
        compiling.report(call.node, JSON_ARRAY)
    value = text(subject, compiling)
    path = "$" + "".join(_step(name, index) for _, name, index in steps)
    return _at_path(value, path, keeps_null=compiling.source == "spark" and bool(steps[-1][2]))


def value_of_key(subject: Any, key: Any, node: Any, compiling: Compiling) -> Term:
    """The value of a key of a JSON object, as json_tuple finds it.

    Raises:
        RefusedError: the key is not written there, or has characters with a meaning in paths.
    """
    written = text_of(key)
    if written is None or not re.fullmatch(r"[\w .-]+", written, re.ASCII):
        raise compiling.refused(node, PATH)
    compiling.report(node, JSON_TEXT)
    return _at_path(text(subject, compiling), "$" + _step(written, ""), keeps_null=False)


def _at_path(value: Term, path: str, *, keeps_null: bool) -> Term:
    given = f"{value.sql}, {string(path)}"
    as_json = f"json_format(json_extract({given}))"
    # Strings without their quotes; numbers as Java writes them, which are as they are in the text otherwise.
    other = as_json if keeps_null else f"nullif({as_json}, 'null')"
    return Term(f"""IF({as_json} LIKE '"%', json_extract_scalar({given}), {other})""", "string")


def _steps(path: str) -> list[tuple[str, str, str]] | None:
    if not path.startswith("$"):
        return None
    steps, at = [], 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return None
        steps.append((found[0], found[1] or "", found[2] or ""))
        at = found.end()
    return steps


def _step(name: str, index: str) -> str:
    if index:
        return f"[{index}]"
    return f".{name}" if re.fullmatch(r"[A-Za-z_]\w*", name) else f'["{name}"]'


NODES: NodeRules = {exp.RegexpLike: _rlike}
CALLS: CallRules = {
    "regexp_replace": _regexp_replace,
    "regexp_extract": _regexp_extract,
    "split": _split,
    "get_json_object": _get_json_object,
    "parse_url": parse_url,
    **only_in(
        "spark",
        {
            **dict.fromkeys(("regexp", "rlike", "regexp_like"), _regexp_like),
            "regexp_count": _regexp_count,
            "regexp_substr": _regexp_substr,
            "regexp_extract_all": _regexp_extract_all,
            "json_array_length": _json_array_length,
            "url_encode": url_encode,
            "url_decode": url_decode,
        },
    ),
}
