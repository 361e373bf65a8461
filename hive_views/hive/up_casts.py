"""The types that Spark casts to another type when it reads a view: implicitly, or in a view that compensates.

Spark's rules are ``Cast.canUpCast`` and ``Cast.canAnsiCast``.

A view that says ``bigint`` of a query that gives ``int`` is read; the other way round it fails when it is read.
"""

from __future__ import annotations

from hive_views.hive.types import HiveType, parse_hive_type

_WIDER = ("tinyint", "smallint", "int", "bigint", "float", "double")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_TEXTS = ("char", "varchar", "string")
_CASTS = {
    "number": ("number", "boolean", "timestamp"),
    "string": ("number", "boolean", "timestamp", "date", "binary"),
    "boolean": ("number",),
    "timestamp": ("number", "date"),
    "date": ("timestamp",),
    "void": ("number", "boolean", "timestamp", "date", "binary"),
}
"""What Spark casts each family of types to, besides to strings."""


def fits_into(found: str, declared: str) -> bool:
    """Whether every value of one type is one of the other, as Spark sees it.

    There a char or varchar is a string, whose length is not checked.

    Raises:
        InvalidSchemaError: one is not a type of Hive.
    """
    return _fits(parse_hive_type(found), parse_hive_type(declared))


def can_be_cast(found: str, declared: str) -> bool:
    """Whether Spark casts one type to the other at all, in ANSI mode; values may fail.

    Raises:
        InvalidSchemaError: one is not a type of Hive.
    """
    return _can_be_cast(parse_hive_type(found), parse_hive_type(declared))


def _can_be_cast(found: HiveType, declared: HiveType) -> bool:
    if found == declared or declared.name in _TEXTS:
        return True
    if found.parts or declared.parts:
        is_alike = found.name == declared.name and len(found.parts) == len(declared.parts)
        return is_alike and all(map(_can_be_cast, found.parts, declared.parts))
    return _family(declared) in _CASTS.get(_family(found), ())


def _family(type_: HiveType) -> str:
    if type_.name in _WIDER or type_.name == "decimal":
        return "number"
    return "string" if type_.name in _TEXTS else type_.name


def _fits(found: HiveType, declared: HiveType) -> bool:
    if declared.name in _TEXTS:
        return not found.parts
    if found.name in _WIDER and declared.name in _WIDER:
        return _WIDER.index(found.name) <= _WIDER.index(declared.name)
    if declared.name == "decimal" and found.name in ("decimal", *_DIGITS):
        whole, scale = (found.sizes[0] - found.sizes[1], found.sizes[1]) if found.sizes else (_DIGITS[found.name], 0)
        return whole <= declared.sizes[0] - declared.sizes[1] and scale <= declared.sizes[1]
    if (found.name, declared.name) == ("date", "timestamp"):
        return True
    if found.name != declared.name or len(found.parts) != len(declared.parts):
        return False
    return all(map(_fits, found.parts, declared.parts))
