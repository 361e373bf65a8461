"""Where equal rows become one: GROUP BY, DISTINCT and set operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hive_views.hive.types import parse_hive_type
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries
from hive_views.translation.translation_findings import Kind, Reason

NEGATIVE_ZERO = Reason(
    "negative-zero",
    Kind.EDGE,
    "where equal rows become one, 0.0 and -0.0",
    (
        ("Hive", "one row up to release 3, and two in release 4"),
        ("Spark", "one row, with 0.0"),
        ("Trino", "one row, with either"),
    ),
)


def report_zeros(types: Iterable[str], node: Any, compiling: CompilingQueries) -> None:
    """Record that engines see 0.0 and -0.0 in their own ways, if there are fractions in values of these types."""
    if any(part.name in ("float", "double") for type_ in types for part in parse_hive_type(type_).everything()):
        compiling.report(node, NEGATIVE_ZERO)
