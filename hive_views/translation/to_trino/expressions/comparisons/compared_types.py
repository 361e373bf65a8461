"""What Hive and Spark compare two values as: both values, written so that Trino compares the same."""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.to_trino.expressions import constants
from hive_views.translation.to_trino.expressions.casting import converted_term
from hive_views.translation.to_trino.expressions.numbers.whole_numbers import written_number
from hive_views.translation.to_trino.terms import Compiling, Term
from hive_views.translation.translation_findings import Kind, Reason

COMPARED_TYPES = Reason(
    "compared-types",
    Kind.UNSUPPORTED,
    "engines, or releases of one, compare values of these types differently; with a CAST of one it can be translated",
)
COMPARED_TEXT = Reason(
    "compared-text",
    Kind.UNSUPPORTED,
    "the text is no plain value of the other type, and engines make different values of it",
    (("Hive 2", "is false where = compares a number with 'abc'"), ("Hive 4, Spark", "NULL"), ("Spark, ANSI", "fails")),
)
TEXT_AND_BOOLEAN = Reason(
    "compared-text",
    Kind.UNSUPPORTED,
    "Hive compares a text and a boolean as numbers, so that b = 'true' is NULL: write b, or NOT b",
)
LARGE_TEXT = Reason(
    "large-text",
    Kind.EDGE,
    "texts of whole numbers that are too large for the type of the other value are compared differently",
    (("Spark", "NULL"), ("Spark, ANSI", "compares them as numbers"), ("Trino", "NULL")),
)
LONG_TEXT = Reason(
    "compared-text",
    Kind.UNSUPPORTED,
    "the text is longer than the char, or ends in blanks",
    (("Hive 2", "cuts it to the length, and compares"), ("Hive 4, Spark", "compare it as it is, or are NULL")),
)
DECIMAL_DIGITS = Reason(
    "decimal-digits",
    Kind.UNSUPPORTED,
    "both values together have more than the 38 digits with which Trino compares them",
)

EXACT = (*WHOLE, "decimal")
FRACTIONS = ("float", "double")
NUMBERS = (*EXACT, *FRACTIONS)
TEXTS = ("string", "varchar", "char")
TIMES = ("date", "timestamp")
_MAX_DIGITS = 38
_DECIMAL = re.compile(r"[0-9]*\.[0-9]+|[0-9]+\.")
_DIGITS_OF_WHOLE = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_DIGITS_OF_HIVE_DOUBLE = 26
_DIGITS_OF_FLOAT = 2**24
_TRUE, _FALSE = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")


def compared(left: Any, right: Any, node: Any, compiling: Compiling) -> tuple[Term, Term]:
    """Two values beside each other, as the source compares them.

    Args:
        left: the first one.
        right: the other.
        node: what compares them, which findings name.
        compiling: the translation.

    Raises:
        RefusedError: it is not known how the source compares them.
    """
    one, other = compared_term(left, compiling), compared_term(right, compiling)
    if is_text(right) and not is_text(left):
        return one, _text_beside(other, right, one, left, node, compiling)
    if is_text(left) and not is_text(right):
        return _text_beside(one, left, other, right, node, compiling), other
    if compiling.source == "hive" and {one.type, other.type} == {"float", "double"}:
        one = _as_float(one, left, right, node, compiling)
        other = _as_float(other, right, left, node, compiling)
    types = parse_hive_type(one.type), parse_hive_type(other.type)
    wanted = _wanted(*types, (left, right), node, compiling)
    if wanted is None:
        return one, other
    return _as(one, wanted, left, compiling), _as(other, wanted, right, compiling)


def is_text(node: Any) -> bool:
    """Whether an expression is a string as it is written."""
    node = node.unnest()
    return isinstance(node, exp.Literal) and bool(node.is_string)


def is_written(node: Any, compiling: Compiling) -> bool:
    """Whether an expression is a string or a number as it is written."""
    return is_text(node) or compiling.query.number_of(node.unnest()) is not None


def type_beside(node: Any, compiling: Compiling) -> HiveType:
    """The type of a value, without its translation: those of values within values are many.

    Raises:
        RefusedError: it is not certain.
    """
    derived = compiling.query.type_of(node)
    found = derived.hive if compiling.source == "hive" else derived.spark
    if found is None and is_written(node, compiling) and not is_text(node):
        return parse_hive_type(compared_term(node, compiling).type)
    return parse_hive_type(found or compiling.type_of(node))


def compared_term(node: Any, compiling: Compiling) -> Term:
    """A value; a decimal that is written has its own digits, of which releases of Hive keep more or less."""
    inside = node.unnest()
    is_negative = isinstance(inside, exp.Neg)
    inside = inside.this if is_negative else inside
    digits = str(inside.this) if isinstance(inside, exp.Literal) and not inside.is_string else ""
    if not _DECIMAL.fullmatch(digits):
        return compiling.term(node)
    value = Decimal(digits)
    scale = max(-int(value.as_tuple().exponent), 0)
    precision = max(len(value.as_tuple().digits), scale)
    found = constants.decimal(-value if is_negative else value, HiveType("decimal", (precision, scale)))
    return found if found is not None and precision <= _MAX_DIGITS else compiling.term(node)


def _as(term: Term, type_: str, node: Any, compiling: Compiling) -> Term:
    """A value in the type as which it is compared; not cast where Trino casts it by itself, without a difference."""
    of = parse_hive_type(term.type)
    if of.name == type_ or (type_ == "timestamp" and of.name == "date"):
        return term
    if type_ == "double" and of.name in EXACT and not (compiling.source == "hive" and _is_large(of)):
        return term
    return converted_term(term, type_, node, compiling)


def _is_large(type_: HiveType) -> bool:
    """Whether Hive makes NULL of some decimals of a type, where it compares them as doubles."""
    return type_.name == "decimal" and type_.sizes[0] - type_.sizes[1] > _DIGITS_OF_HIVE_DOUBLE


def _text_beside(text: Term, node: Any, other: Term, beside: Any, place: Any, compiling: Compiling) -> Term:
    """A text that is written, as what it is compared with a value of another type."""
    written, type_ = str(node.unnest().this), parse_hive_type(other.type)
    name, is_hive = type_.name, compiling.source == "hive"
    if name == "char" and is_hive:
        if not isinstance(beside.unnest(), exp.Column):
            # Hive 4 fills the char with blanks, and not the text.
            raise compiling.refused(place, COMPARED_TYPES.because(f"{type_} and string"))
        if len(written.rstrip(" ")) > type_.sizes[0]:
            raise compiling.refused(place, LONG_TEXT)
    if name in TEXTS or name == "void":
        return text
    if name == "boolean":
        return _boolean(written, place, compiling)
    if name == "binary" and not is_hive:
        return converted_term(text, "binary", node, compiling)
    found: Term | None = None
    if name in ("double", *TIMES):
        found = constants.of_text(written, type_)
    elif name in WHOLE:
        found = constants.of_text(written, type_)
        if found is None and is_hive:
            found = constants.of_text(written, HiveType("double"))
    elif name == "decimal" and not (is_hive and _is_large(type_)):
        found = constants.of_text(written, HiveType("double"))
    elif name == "float":
        found = constants.of_text(written, type_)
        is_of_float = is_hive and _is_read_as_float(beside, place)
        if found is not None and not is_of_float and not _is_float(float(written)):
            raise compiling.refused(place, COMPARED_TYPES.because(f"{name} and string"))
    if found is None:
        raise compiling.refused(place, COMPARED_TEXT)
    return found


def _as_float(term: Term, node: Any, beside: Any, place: Any, compiling: Compiling) -> Term:
    """A double that is written, as the float that Hive makes of it beside a float."""
    number = compiling.query.number_of(node.unnest())
    if term.type != "double" or number is None or _is_float(float(number.digits)):
        return term
    if not _is_read_as_float(beside, place):
        raise compiling.refused(place, COMPARED_TYPES.because("float and double"))
    return Term(term.sql.replace("DOUBLE", "REAL"), "float")


def _is_read_as_float(beside: Any, place: Any) -> bool:
    """Whether Hive makes a float of a constant that is compared with one."""
    return isinstance(beside.unnest(), exp.Column) and isinstance(place, exp.Binary)


def _boolean(written: str, place: Any, compiling: Compiling) -> Term:
    if compiling.source == "hive":
        raise compiling.refused(place, TEXT_AND_BOOLEAN)
    word = written.strip().lower()
    if word not in (*_TRUE, *_FALSE):
        raise compiling.refused(place, COMPARED_TEXT)
    return Term("true" if word in _TRUE else "false", "boolean")


def _is_float(value: float) -> bool:
    """Whether a float has all digits of a number."""
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False


def _wanted(one: HiveType, other: HiveType, nodes: tuple[Any, Any], node: Any, compiling: Compiling) -> str | None:
    """The type to which both are converted; None where Trino compares them as they are, as the source does."""
    names = {one.name, other.name}
    texts, others = names & set(TEXTS), names - set(TEXTS)
    if (one.parts or other.parts) and one != other and "void" not in names:
        raise compiling.refused(node, COMPARED_TYPES.because(f"{one} and {other}"))
    if "void" in names or one == other or names <= {"string", "varchar"} or names == {"char"}:
        return None
    if names <= set(NUMBERS):
        return _wanted_of_numbers(one, other, nodes, node, compiling)
    if names == set(TIMES):
        return None
    if len(texts) > 1 or (texts and not others):
        # Trino would fill the other text with blanks.
        return "string"
    if texts and len(others) == 1:
        found = _beside_text(others.pop(), node, compiling)
        if found:
            return found
    if "boolean" in names and len(names) == 2 and names <= {"boolean", *EXACT, "double"}:
        return str(other if one.name == "boolean" else one)
    raise compiling.refused(node, COMPARED_TYPES.because(f"{one} and {other}"))


def _wanted_of_numbers(
    one: HiveType, other: HiveType, nodes: tuple[Any, Any], node: Any, compiling: Compiling
) -> str | None:
    names = {one.name, other.name}
    if names <= set(EXACT):
        _check_digits(one, other, node, compiling)
        return None
    if "double" in names:
        return "double" if _is_large(one) or _is_large(other) else None
    if compiling.source == "hive" or names <= {"float", "tinyint", "smallint"}:
        return None
    if "decimal" in names:
        return "double"
    # Without ANSI, Spark compares them as floats, and with it as doubles.
    number = written_number(nodes[0] if one.name in WHOLE else nodes[1], compiling)
    if number is None or abs(number) > _DIGITS_OF_FLOAT:
        raise compiling.refused(node, COMPARED_TYPES.because(f"{one} and {other}"))
    return None


def _beside_text(name: str, node: Any, compiling: Compiling) -> str | None:
    """What a text that is not written is compared as, beside another type."""
    if name in TIMES:
        return name
    if compiling.source == "hive":
        if name == "boolean":
            raise compiling.refused(node, TEXT_AND_BOOLEAN)
        return "double" if name in NUMBERS else None
    if name in WHOLE:
        if name != "bigint":
            compiling.report(node, LARGE_TEXT)
        return name
    if name in ("boolean", "binary"):
        return name
    return "double" if name in ("decimal", "double") else None


def _check_digits(one: HiveType, other: HiveType, node: Any, compiling: Compiling) -> None:
    (precision, scale), (other_precision, other_scale) = map(_sizes, (one, other))
    if max(precision - scale, other_precision - other_scale) + max(scale, other_scale) > _MAX_DIGITS:
        raise compiling.refused(node, DECIMAL_DIGITS)


def _sizes(type_: HiveType) -> tuple[int, int]:
    if type_.name in _DIGITS_OF_WHOLE:
        return _DIGITS_OF_WHOLE[type_.name], 0
    precision, scale = type_.sizes
    return precision, scale
