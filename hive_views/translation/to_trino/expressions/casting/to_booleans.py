"""Conversions to booleans."""

from __future__ import annotations

from hive_views.translation.to_trino.expressions.casting import conversion_reasons as reasons
from hive_views.translation.to_trino.expressions.casting.how_converted import TEXTS, WHOLE, Conversion, Rule
from hive_views.translation.to_trino.expressions.casting.to_texts import as_string
from hive_views.translation.to_trino.terms import Term


def _number(given: Conversion) -> Term:
    return given.cast


def _text(given: Conversion) -> Term:
    text = as_string(given).term.sql
    if given.is_hive:
        given.report(reasons.BOOLEAN_TEXT)
        return Term(f"lower({text}) NOT IN ('', 'false', 'no', 'off', '0')", "boolean", is_whole=False)
    word = f"lower(trim({text}))"
    return given.made(
        f"CASE WHEN {word} IN ('t', 'true', 'y', 'yes', '1') THEN true"
        f" WHEN {word} IN ('f', 'false', 'n', 'no', '0') THEN false END"
    )


RULES: dict[tuple[str, str], Rule] = {
    **{(one, "boolean"): _number for one in (*WHOLE, "float", "double", "decimal")},
    **{(one, "boolean"): _text for one in TEXTS},
}
