"""The entry: a value, converted to a type by the rule for both types."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from sqlglot import exp

from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.casting import to_booleans, to_nested, to_numbers, to_texts, to_times
from hive_views.translation.to_trino.expressions.casting.conversion_reasons import ANSI_BRANCHES
from hive_views.translation.to_trino.expressions.casting.how_converted import TEXTS, WHOLE, Conversion, How, Rule
from hive_views.translation.to_trino.expressions.constants import of_number, of_text
from hive_views.translation.to_trino.terms import Compiling, Term, string

_RULES: dict[tuple[str, str], Rule] = {
    pair: rule for module in (to_numbers, to_texts, to_times, to_booleans) for pair, rule in module.RULES.items()
}
"""By the names of both types."""

_AS_TEXTS = (*TEXTS, "binary")
_BRANCHES = (exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least, exp.Array, exp.Map)
_CALLS = frozenset(["array", "coalesce", "greatest", "if", "ifnull", "iff", "least", "map", "nvl", "nvl2"])
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_NUMBER = re.compile(r"(-?[0-9]+)|(?:TINYINT|SMALLINT|INTEGER|BIGINT) '(-?[0-9]+)'")
_DECIMAL = re.compile(r"DECIMAL '(-?[0-9.]+)'")


def converted(node: Any, type_: str, compiling: Compiling) -> Term:
    """See ``Compiling.converted``."""
    return converted_term(compiling.term(node), type_, node, compiling)


def converted_term(term: Term, type_: str, node: Any, compiling: Compiling, how: How = How.IMPLICIT) -> Term:
    """A term, converted to a type as the source converts it.

    Args:
        term: the value.
        type_: the type that it gets.
        node: what it is made of, which findings name.
        compiling: the translation.
        how: by default, without being told.

    Raises:
        RefusedError: it is not known how the source converts it.
    """
    if term.type == type_:
        return term
    of, to = parse_hive_type(term.type), parse_hive_type(type_)
    return convert(Conversion(term, of, to, node, compiling, how))


def convert(given: Conversion) -> Term:
    """The value in the type that it gets.

    Raises:
        RefusedError: it is not known how the source converts it.
    """
    if _same(given.of, given.to):
        return Term(given.term.sql, str(given.to), given.term.is_whole)
    if given.of.name == "void":
        return given.cast
    if _depends_on_ansi(given):
        raise given.refused(ANSI_BRANCHES)
    found = _constant(given)
    if found is not None:
        return found
    if given.to.parts and given.of.name == given.to.name:
        return to_nested.convert_parts(given, convert)
    rule = _RULES.get((given.of.name, given.to.name))
    if rule is None:
        raise given.refused(reasons.CONVERSION.because(f"{given.of} to {given.to}"))
    return rule(given)


def _depends_on_ansi(given: Conversion) -> bool:
    """Whether Spark by the rules of ANSI converts a text, and otherwise what is beside it, in one list of values."""
    if given.is_hive or given.how is not How.IMPLICIT or given.of.name not in TEXTS or given.to.name in _AS_TEXTS:
        return False
    parent = given.node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, _BRANCHES) or (isinstance(parent, exp.Anonymous) and parent.name.lower() in _CALLS)


def _constant(given: Conversion) -> Term | None:
    """The constant; None for what is no constant, and for texts that are read by a rule or not at all."""
    if given.of.name == "string":
        text = _TEXT.fullmatch(given.term.sql)
        return of_text(text[1].replace("''", "'"), given.to) if text else None
    if given.of.name in WHOLE:
        number = _NUMBER.fullmatch(given.term.sql)
        return of_number(Decimal(number[1] or number[2]), given.to) if number else None
    if given.of.name == "decimal":
        digits = _DECIMAL.fullmatch(given.term.sql)
        return of_number(Decimal(digits[1]), given.to) if digits else None
    if given.of.name == "boolean" and given.to.name == "string" and given.how is not How.IMPLICIT:
        word = given.term.sql
        return Term(string(word.upper() if given.is_hive else word), "string") if word in ("true", "false") else None
    return None


def _same(one: HiveType, other: HiveType) -> bool:
    """Whether values of one type are values of the other as they are; the names of fields do not matter."""
    if one.name != other.name or one.sizes != other.sizes or len(one.parts) != len(other.parts):
        return False
    if one.name == "struct" and [name.lower() for name in one.field_names] != [
        name.lower() for name in other.field_names
    ]:
        return False
    return all(map(_same, one.parts, other.parts))
