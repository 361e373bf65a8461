"""Types of arrays, maps and structs, of their parts, and of functions of them."""

from __future__ import annotations

from hive_views.analysis.tree.typing.context import Rule, Rules
from hive_views.analysis.values import DerivedType

RULES: Rules = {}
NAMED: dict[str, Rule] = {}


def field_type(_struct: DerivedType, name: str) -> DerivedType:
    """The type of a field of a struct, or of a column of structs."""
    return DerivedType(why=f"the type of the field {name} is not known")
