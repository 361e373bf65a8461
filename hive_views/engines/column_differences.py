"""How the columns that an engine finds differ from those that a view gets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hive_views.engines.engine_protocol import EngineColumn
from hive_views.sql.outline import AUTOMATIC_NAME

_LENGTH = re.compile(r"\b(?:var)?char\(\d+\)")


def differences(
    engine: str, found: Sequence[EngineColumn], wanted: Sequence[tuple[str, str]], *, has_names: bool, where: str
) -> tuple[str, ...]:
    """A sentence for each column with another name or type.

    Args:
        engine: as people call it.
        found: the columns of the query, by the engine.
        wanted: names and Hive types of the view's, as many; () where they are not known.
        has_names: whether the view gives its columns names, whatever those of the query are.
        where: the columns are wanted: ``in the plan``.
    """
    said: list[str] = []
    for number, (column, (name, type_)) in enumerate(zip(found, wanted, strict=False), start=1):
        # Each engine has names of its own for expressions.
        if not has_names and column.name.lower() != name.lower() and not AUTOMATIC_NAME.fullmatch(name):
            said.append(f"Column {number} is called {column.name} by {engine}, and {name} {where}.")
        if column.type is not None and _comparable(column.type, engine) != _comparable(type_, engine):
            said.append(f"Column {name} is {column.type} by {engine}, and {type_} {where}.")
    return tuple(said)


def _comparable(type_: str, engine: str) -> str:
    """In Trino, 'abc' is a varchar(3), and a string of Hive a varchar; Spark says string for both in a query."""
    plain = type_.lower().replace(" ", "")
    return plain if engine == "Hive" else _LENGTH.sub("string", plain)
