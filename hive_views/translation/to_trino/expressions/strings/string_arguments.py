"""Arguments of functions of strings as strings and numbers, and the reasons that several of these functions share."""

from __future__ import annotations

from typing import Any

from hive_views.hive.types import parse_hive_type
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.strings.literal_values import text_of, whole_number_of
from hive_views.translation.to_trino.terms import CallRule, CallRules, Compiling, Term
from hive_views.translation.translation_findings import Kind, Reason

SUPPLEMENTARY = Reason(
    "supplementary-characters",
    Kind.EDGE,
    "Hive counts a character beyond U+FFFF, such as an emoji, as two",
    (("Hive", "substr('😀a', 3) is 'a'"), ("Trino", "substr('😀a', 2) is 'a'")),
)
EMPTY_MATCH = Reason(
    "supplementary-characters",
    Kind.EDGE,
    "an empty match cuts a character beyond U+FFFF, such as an emoji, in two in Java, and not in Trino",
)
EMPTY_SEARCH = Reason(
    "empty-search", Kind.EDGE, "where the string that is looked for is empty, engines and their releases differ"
)
BOOLEAN = Reason(
    "boolean-text",
    Kind.UNSUPPORTED,
    "a boolean is written differently",
    (("Hive 2", "concat(true, 'x') is 'truex'"), ("Hive 4", "it is 'TRUEx'")),
)
ARGUMENTS = Reason("arguments", Kind.UNSUPPORTED, "it is not known how to say it in Trino with these arguments")


def text(node: Any, compiling: Compiling) -> Term:
    """A value as the source makes a string of it.

    Raises:
        RefusedError: that is not known.
    """
    if compiling.source == "hive" and compiling.type_of(node) == "boolean":
        raise compiling.refused(node, BOOLEAN)
    return compiling.converted(node, "string")


def whole(node: Any, compiling: Compiling) -> Term:
    """A value as the source makes an int of it."""
    written = whole_number_of(node)
    return Term(str(written), "int") if written is not None else compiling.converted(node, "int")


def integer(term: Term) -> Term:
    """A count, which is a bigint in Trino, as the int that it is in the source."""
    return Term(f"CAST({term.sql} AS integer)", "int")


def hive_counts_in_utf_16(node: Any, compiling: Compiling, *subjects: Any) -> None:
    """Report that a character beyond U+FFFF is two in Hive, unless none of these strings can have one."""
    if compiling.source == "hive" and any(_may_be_beyond_ascii(one, compiling) for one in subjects):
        compiling.report(node, SUPPLEMENTARY)


def _may_be_beyond_ascii(node: Any, compiling: Compiling) -> bool:
    written = text_of(node)
    if written is not None:
        return not written.isascii()
    return parse_hive_type(compiling.type_of(node)).name in ("string", "varchar", "char", "binary")


def count_arguments(call: Call, compiling: Compiling, *counts: int) -> None:
    """Refuse a call with another number of arguments.

    Raises:
        RefusedError: it has.
    """
    if len(call.arguments) not in counts:
        raise compiling.refused(call.node, ARGUMENTS)


def only_in(source: str, rules: CallRules) -> CallRules:
    """Rules for functions that one source has; by their names, the other one may have functions of its users."""

    def limited(rule: CallRule) -> CallRule:
        def checked(call: Call, compiling: Compiling) -> Term:
            if compiling.source != source:
                raise compiling.refused(call.node, reasons.NO_RULE_FOR_FUNCTION.because(call.name))
            return rule(call, compiling)

        return checked

    return {name: limited(rule) for name, rule in rules.items()}
