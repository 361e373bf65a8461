"""What FROM offers to the rest of a SELECT: sources with their columns, and which of them a name means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hive_views.analysis.query_analysis import DerivedType, OutputColumn, TableColumn, TableName
from hive_views.analysis.tree.typing.branches import merged_type
from hive_views.analysis.tree.typing.nested import field_type
from hive_views.messages.did_you_mean import did_you_mean

Columns = tuple[OutputColumn, ...]

_OF_ENGINES = re.compile(r"\w+__\w+|_metadata|spark_grouping_id|(current|session|local)_?\w+|user")
"""Names with a meaning in every query: virtual columns, and functions without parentheses."""


@dataclass(frozen=True)
class Source:
    """One source in FROM.

    Attributes:
        name: its alias or name, in lower case; empty for a subquery without one.
        columns: None where they are not known.
        table: the table or view that it is; None for a query, a function, or a table under other column names.
        reads: what a source with unknown columns is made of.
    """

    name: str
    columns: Columns | None
    table: TableName | None = None
    reads: frozenset[TableColumn] = frozenset()

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[OutputColumn]]:
        """The columns by their names in lower case."""
        found: dict[str, list[OutputColumn]] = {}
        for column in self.columns or ():
            found.setdefault((column.name or "").lower(), []).append(column)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The parts by which the columns of the source may be qualified, the last one being enough."""
        return (*self.table[:-1], self.name) if self.table and self.table[-1] == self.name else (self.name,)

    def unknown_column(self, name: str | None = None) -> OutputColumn:
        """A column of a source whose columns are not known."""
        why = f"the columns of {self.name or 'a source'} are not known"
        own = [TableColumn(self.table, name)] if self.table and name else []
        sources = tuple(sorted({*self.reads, *own}))
        return OutputColumn(name or "*", name, DerivedType(why=why), None, sources, not (self.table and name))

    def renamed(self, names: Sequence[str]) -> Source:
        """The source under the column names of ``AS t (a, b)``."""
        if not names:
            return self
        if self.columns is None:
            columns = tuple(replace(self.unknown_column(), text=name, name=name) for name in names)
            return replace(self, columns=columns, table=None)
        if len(names) != len(self.columns) or not all(one.is_one for one in self.columns):
            return replace(self, columns=None, table=None)
        renamed = tuple(one.renamed(name) for one, name in zip(self.columns, names, strict=True))
        return replace(self, columns=renamed, table=None)


@dataclass(frozen=True)
class Scope:
    """The sources of one SELECT, in the order of the text.

    ``merged`` are the columns that USING merges into one; None for NATURAL, which merges all equal names. ``in_order``
    is False where the tree does not say in which order a star lists the sources. ``only_in_joins`` are visible only in
    the condition of their join: the right sides of SEMI and ANTI JOIN. ``around`` is the scope of the outer query,
    which a subquery in an expression may name as well.
    """

    sources: tuple[Source, ...] = ()
    merged: Mapping[str, OutputColumn] | None = field(default_factory=dict)
    in_order: bool = True
    only_in_joins: tuple[Source, ...] = ()
    around: Scope | None = None

    @property
    def of_joins(self) -> Scope:
        """The scope of the conditions of joins."""
        return replace(self, sources=(*self.sources, *self.only_in_joins)) if self.only_in_joins else self

    def column(self, parts: Sequence[str]) -> OutputColumn | None:
        """The column that a dotted name in lower case means, or the field of one; None where nothing is known of it."""
        found = self._own(parts)
        if found is None and self.around is not None:
            return self.around.column(parts)
        return found

    def _own(self, parts: Sequence[str]) -> OutputColumn | None:
        if len(parts) == 1 and self.merged and parts[0] in self.merged:
            return self.merged[parts[0]]
        for size in range(len(parts) - 1, 0, -1):
            named = [source for source in self.sources if source.names[-size:] == tuple(parts[:size])]
            found = self._one(named, parts[size:]) if named else None
            if found is not None or (named and not self._may_have_fields(parts[0])):
                return found
        return self._one(self.sources, parts)

    def _one(self, sources: Sequence[Source], parts: Sequence[str]) -> OutputColumn | None:
        """The column of one of these sources, whose name is the first part; the others are fields."""
        name, *fields = parts
        found = [one for source in sources for one in source.by_name.get(name, ())]
        if not found:
            opaque = [source for source in sources if source.columns is None]
            if len(opaque) == 1 and (len(sources) == 1 or self.around is None):
                found = [opaque[0].unknown_column(name)]
            elif opaque:
                why = DerivedType(why=f"it is not known whose column {name} is")
                return OutputColumn(name, name, why, has_more_sources=True)
            else:
                return None
        column = found[0] if len(found) == 1 else self._ambiguous(found)
        others = [source.name for source in sources if source.columns is None and name not in source.by_name]
        if others and column.derived.certain and len(sources) > 1:
            column = replace(column, derived=DerivedType(why=f"{others[0]} may have a column {name} too"))
        for one in fields:
            column = replace(column, name=one, derived=field_type(column.derived, one), comment=None)
        return column

    def _ambiguous(self, found: Sequence[OutputColumn]) -> OutputColumn:
        first = found[0]
        types = {one.derived for one in found}
        why = f"several tables in FROM have a column {first.name}"
        derived = types.pop() if len(types) == 1 and self.merged is None else DerivedType(why=why)
        return replace(united(found), name=first.name, derived=derived)

    def missing(self, written: Sequence[str]) -> tuple[int, str] | None:
        """Which part of a column's name is unknown, and the problem; None where all are, or may be, known."""
        parts = [part.lower() for part in written]
        visible = self.visible
        if not self.sources or any(source.columns is None for source in visible) or len(parts) > 2:
            return None
        columns: dict[str, list[str]] = {}
        for source in visible:
            columns.setdefault(source.name, []).extend(source.by_name)
        known = {name for names in columns.values() for name in names}
        first, last = parts[0], parts[-1]
        has_fields = len(parts) == 1 or first not in columns or self._may_have_fields(first)
        if (first in known and has_fields) or any(map(_OF_ENGINES.fullmatch, parts)):
            return None
        if len(parts) > 1 and first not in columns:
            return (
                0,
                f"{written[0]} is neither a table in FROM nor a column of one. {did_you_mean(written[0], columns)}",
            )
        candidates = columns[first] if len(parts) > 1 else known
        if last in candidates:
            return None
        tables = list(columns) if len(parts) == 1 else [written[0]]
        subject = f"{tables[0]} has no column" if len(tables) == 1 else f"none of {', '.join(tables)} has a column"
        return len(parts) - 1, f"{subject} {written[-1]!r}. {did_you_mean(written[-1], candidates)}"

    def _may_have_fields(self, name: str) -> bool:
        """Whether a column of that name may be a struct, and what follows the name a field."""
        types = [column.derived.certain for source in self.visible for column in source.by_name.get(name, ())]
        return any(type_ is None or type_.startswith(("struct<", "array<", "map<")) for type_ in types)

    @property
    def visible(self) -> tuple[Source, ...]:
        """The sources of this query and of those around it."""
        return (*self.sources, *self.around.visible) if self.around is not None else self.sources

    def sources_of_star(self, qualifier: Sequence[str]) -> tuple[Source, ...]:
        """The sources that a star stands for: all, or those with this name."""
        size = len(qualifier)
        if not size:
            return self.sources
        return tuple(source for source in self.sources if source.names[-size:] == tuple(qualifier))

    def expanded(self, qualifier: Sequence[str]) -> Columns | None:
        """The columns behind a star, if they and their order are certain."""
        sources = self.sources_of_star(qualifier)
        if self.merged is None or self.merged or not sources:
            return None
        if (not qualifier and not self.in_order) or (qualifier and len(sources) > 1):
            return None
        columns = [one for source in sources for one in source.columns or (source.unknown_column(),)]
        # Engines name a column without an alias differently, so no text finds it by name in all of them.
        return tuple(columns) if all(one.is_one and one.name for one in columns) else None


def united(columns: Iterable[OutputColumn]) -> OutputColumn:
    """One column made of the same tables' columns as all of these; its type is the first one's."""
    first, *others = columns
    sources = tuple(sorted({source for one in (first, *others) for source in one.sources}))
    has_more = any(one.has_more_sources for one in (first, *others))
    comment = first.comment if not others else None
    is_constant = all(one.is_constant for one in (first, *others))
    return replace(first, sources=sources, has_more_sources=has_more, comment=comment, is_constant=is_constant)


def merged(side: str, left: OutputColumn, right: OutputColumn) -> OutputColumn:
    """The column that USING makes of two."""
    if side == "FULL":
        return replace(united((left, right)), derived=merged_type(left.derived, right.derived))
    return right if side == "RIGHT" else left
