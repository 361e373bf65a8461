"""LIKE and ILIKE, with a backslash in front of what is no wildcard."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.comparisons.compared_types import is_text
from hive_views.translation.to_trino.terms import Compiling, Term, operation, string
from hive_views.translation.translation_findings import Kind, Reason

LIKE_ESCAPE = Reason(
    "like-escape",
    Kind.UNSUPPORTED,
    "the pattern has a backslash in front of a character other than %, _ and a backslash, on which Spark fails",
)
LIKE_NEWLINE = Reason(
    "like-newline",
    Kind.EDGE,
    "texts with line breaks are matched differently, unless the pattern has % at its ends alone",
    (("Hive 2", "% and _ stand for no line break"), ("Hive 4, Trino", "they do")),
)
LIKE_ANY = Reason(
    "like-any",
    Kind.UNSUPPORTED,
    "releases of Hive read LIKE ANY and LIKE ALL differently: write OR, or AND",
)
LETTERS = Reason(
    "ilike-letters",
    Kind.EDGE,
    "letters whose small forms are more than one character, such as 'İ', are matched differently",
)


def like(node: Any, compiling: Compiling, *, is_negated: bool = False) -> Term:
    """LIKE, ILIKE, and either of them with ESCAPE, ANY or ALL."""
    escape = "\\"
    if isinstance(node, exp.Escape):
        escape = str(node.expression.this)
        node = node.this
        if not isinstance(node, (exp.Like, exp.ILike)) or len(escape) != 1 or compiling.source == "hive":
            raise compiling.refused(node, reasons.NOT_KNOWN)
    is_negated = is_negated != bool(node.args.get("negate"))
    patterns: Any = node.expression
    if not isinstance(patterns, (exp.Any, exp.All)):
        return _like(node, patterns, escape, compiling, is_negated=is_negated)
    if compiling.source == "hive" or isinstance(patterns.this, exp.Query):
        raise compiling.refused(node, LIKE_ANY)
    inside = patterns.this
    listed = inside.expressions if isinstance(inside, exp.Tuple) else [inside]
    # NOT LIKE ANY is true where one of them does not match.
    word = "OR" if isinstance(patterns, exp.Any) else "AND"
    parts: list[str | Term] = []
    for one in listed:
        term = _like(node, one, escape, compiling, is_negated=is_negated)
        parts += [word, term.sql] if parts else [term.sql]
    return operation("boolean", *parts)


def _like(node: Any, pattern: Any, escape: str, compiling: Compiling, *, is_negated: bool) -> Term:
    value, text = compiling.converted(node.this, "string"), _pattern(node, pattern, escape, compiling)
    if isinstance(node, exp.ILike):
        compiling.report(node, LETTERS)
        value, text = Term(f"lower({value.sql})", "string"), _small(text)
    # A backslash is a character like others in Trino, unless it is said to be more.
    is_escaped = escape in text or not (is_text(pattern) or text == "NULL")
    behind = [f"ESCAPE {string(escape)}"] if is_escaped else []
    return operation("boolean", value, "NOT LIKE" if is_negated else "LIKE", text, *behind)


def _small(text: str) -> str:
    return text.lower() if text.startswith("'") else f"lower({text})"


def _pattern(node: Any, pattern: Any, escape: str, compiling: Compiling) -> str:
    is_hive = compiling.source == "hive"
    if isinstance(pattern.unnest(), exp.Null):
        return "NULL"
    if not is_text(pattern):
        if is_hive:
            compiling.report(node, LIKE_NEWLINE)
        found = compiling.converted(pattern, "string").operand
        # To Hive, any other backslash is a character like others.
        return rf"regexp_replace({found}, '\\(?![%_])', '\\\\')" if is_hive else found
    text = str(pattern.unnest().this)
    if is_hive:
        if "_" in text or "%" in text.strip("%"):
            compiling.report(node, LIKE_NEWLINE)
        return string(_doubled(text))
    at = 0
    while (at := text.find(escape, at)) >= 0:
        if text[at + 1 : at + 2] not in ("%", "_", escape):
            raise compiling.refused(node, LIKE_ESCAPE)
        at += 2
    return string(text)


def _doubled(text: str) -> str:
    found = ["\\\\" if one == "\\" and text[at + 1 : at + 2] not in ("%", "_") else one for at, one in enumerate(text)]
    return "".join(found)
