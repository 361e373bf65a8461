"""Which elements and keys Trino compares and sorts as the source does."""

from __future__ import annotations

from typing import Any

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.terms import Compiling, Term
from hive_views.translation.translation_findings import Kind, Reason

_TEXTS = ("string", "varchar")
_OTHERS = ("boolean", "decimal", "date", "timestamp")
_FRACTIONS = ("float", "double")

ELEMENTS = Reason(
    "elements",
    Kind.UNSUPPORTED,
    "Trino compares values of this type otherwise than the source, or not at all where a part is NULL",
)


def check_comparable(element: HiveType, node: Any, compiling: Compiling) -> None:
    """Refuse elements that are no plain values: parts that are NULL, fillers of char, NaN and -0.0.

    Raises:
        RefusedError: they are none.
    """
    if element.name not in (*WHOLE, *_TEXTS, *_OTHERS):
        raise compiling.refused(node, ELEMENTS.because(str(element)))


def check_sortable(element: HiveType, node: Any, compiling: Compiling) -> None:
    """Refuse elements that are no plain values; all sort NaN last.

    Raises:
        RefusedError: they are none.
    """
    if element.name not in _FRACTIONS:
        check_comparable(element, node, compiling)


def beside(sought: HiveType, of: HiveType) -> bool:
    """Whether a value can stand beside one of another type that is as wide, and is compared as it."""
    if sought.name in WHOLE and of.name in WHOLE:
        return WHOLE.index(sought.name) <= WHOLE.index(of.name)
    return sought == of or (sought.name in _TEXTS and of.name in _TEXTS)


def sought(node: Any, of: HiveType, compiling: Compiling) -> Term:
    """A value that is looked for among values of a type.

    Raises:
        RefusedError: it is not known how the source compares them.
    """
    term = compiling.term(node)
    type_ = parse_hive_type(term.type)
    is_widened = compiling.source == "spark" and type_.name in WHOLE and of.name in WHOLE
    if not is_widened and not beside(type_, of):
        raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to {of}"))
    return term
