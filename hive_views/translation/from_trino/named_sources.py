"""What a name in a SELECT means: the sources of its FROM, and their columns with types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.sql.quoting import quote_identifier


@dataclass(frozen=True)
class Named:
    """A column: its name, and its type as Hive spells types."""

    name: str
    type: str


@dataclass(frozen=True)
class NamedSource:
    """A table, a subquery or UNNEST in FROM.

    Attributes:
        name: its alias or name, in lower case.
        columns: all of them.
        has_unnest: whether rows of it are made by UNNEST.
    """

    name: str
    columns: tuple[Named, ...]
    has_unnest: bool = False


@dataclass(frozen=True)
class Found:
    """A column or a field of one: its text in Hive and Spark, its type, and the name of its source."""

    sql: str
    type: str
    source: str


@dataclass(frozen=True)
class Names:
    """The sources of a SELECT, in the order of the text; ``shared`` are columns that USING makes of two, by name."""

    sources: tuple[NamedSource, ...] = ()
    shared: Mapping[str, Found] = field(default_factory=dict)

    def of(self, parts: list[str]) -> Found | None:
        """What a dotted name in lower case means; None unless it is certain."""
        if len(parts) == 1 and parts[0] in self.shared:
            return self.shared[parts[0]]
        found = [
            (source, column, parts[at:])
            for source in self.sources
            for column in source.columns
            for at in (1, 2)
            if parts[at - 1 : at] == [column.name.lower()] and (at == 1 or parts[0] == source.name)
        ]
        if len(found) != 1:
            return None
        source, column, fields = found[0]
        text, type_ = _column_of(source, column), column.type
        for one in fields:
            inner = field_of(type_, one)
            if inner is None:
                return None
            text, type_ = f"{text}.{quote_identifier(one)}", str(inner)
        return Found(text, type_, source.name)

    def behind_star(self, qualifier: Sequence[str]) -> list[tuple[str, Found]] | None:
        """The columns that a star stands for; None where that is not known."""
        sources = [one for one in self.sources if not qualifier or [one.name] == list(qualifier)]
        if not sources or self.shared or len({one.name for one in self.sources}) < len(self.sources):
            return None
        return [
            (column.name, Found(_column_of(source, column), column.type, source.name))
            for source in sources
            for column in source.columns
        ]


def _column_of(source: NamedSource, column: Named) -> str:
    return f"{quote_identifier(source.name)}.{quote_identifier(column.name.lower())}"


def field_of(type_: str, name: str) -> HiveType | None:
    """The type of a field of a struct; None where there is no such field, or several."""
    parsed = parse_hive_type(type_)
    fields = zip(parsed.field_names, parsed.parts, strict=True) if parsed.name == "struct" else ()
    found = [part for one, part in fields if one.lower() == name]
    return found[0] if len(found) == 1 else None
