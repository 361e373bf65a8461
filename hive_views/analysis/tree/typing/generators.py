"""The columns of table-generating functions: explode, posexplode, inline, stack, json_tuple and others."""

from __future__ import annotations

from typing import Any

from hive_views.analysis.tree.typing.context import Context
from hive_views.analysis.values import DerivedType

GeneratedColumns = tuple[tuple[str | None, DerivedType], ...]
"""Default names (None where Hive and Spark use different ones) and types."""


def generated_columns(_function: Any, _context: Context) -> GeneratedColumns | None:
    """The columns of a table-generating function, in LATERAL VIEW or a select list; None where they are not known."""
    return None
