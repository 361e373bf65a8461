"""Arrays, maps and structs, part by part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hive_views.hive.types import HiveType
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.casting.how_converted import Conversion
from hive_views.translation.to_trino.terms import Term, quoted, trino_type

Convert = Callable[[Conversion], Term]


def convert_parts(given: Conversion, convert: Convert) -> Term:
    """A nested value with its parts converted.

    Raises:
        RefusedError: it is not known how the source converts one of them, or a struct of the type has other parts.
    """
    if len(given.of.parts) != len(given.to.parts):
        raise given.refused(reasons.CONVERSION.because(f"{given.of} to {given.to}"))
    if given.to.name == "array":
        return _array(given, convert)
    return _map(given, convert) if given.to.name == "map" else _struct(given, convert)


def _array(given: Conversion, convert: Convert) -> Term:
    element = _part(given, "e", 0, convert)
    if element is None:
        return given.cast
    return given.made(f"transform({given.term.sql}, e -> {element.sql})")


def _map(given: Conversion, convert: Convert) -> Term:
    key, value = (_part(given, name, at, convert) for at, name in enumerate(("k", "v")))
    if key is None and value is None:
        return given.cast
    if given.of.parts[0] != given.to.parts[0]:
        # Two keys may become one.
        raise given.refused(reasons.CONVERSION.because(f"{given.of} to {given.to}"))
    assert value is not None
    return given.made(f"transform_values({given.term.sql}, (k, v) -> {value.sql})")


def _struct(given: Conversion, convert: Convert) -> Term:
    names = [f"{given.term.operand}.{quoted(name.lower())}" for name in given.of.field_names]
    parts = [_part(given, name, at, convert) for at, name in enumerate(names)]
    if all(part is None for part in parts):
        return given.cast
    row = ", ".join(part.sql if part else name for name, part in zip(names, parts, strict=True))
    return given.made(f"IF({given.term.operand} IS NOT NULL, CAST(ROW({row}) AS {trino_type(given.to)}))")


def _part(given: Conversion, name: str, at: int, convert: Convert) -> Term | None:
    """A part converted; None where the CAST of the whole converts it."""
    of, to = given.of.parts[at], given.to.parts[at]
    inside = convert(replace(given, term=Term(name, str(of)), of=of, to=to))
    return None if _is_cast(inside.sql, name, to) else inside


def _is_cast(sql: str, name: str, to: HiveType) -> bool:
    return sql in (name, f"CAST({name} AS {trino_type(to)})")
