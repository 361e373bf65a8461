"""Where the columns of a query come from: through the views that it reads, step by step, down to tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hive_views.analysis.mermaid import Diagram
from hive_views.analysis.query_analysis import Clause, OutputColumn, QueryAnalysis, TableColumn, TableName
from hive_views.errors import NotFoundError
from hive_views.messages.did_you_mean import nearest
from hive_views.messages.html import html_block, html_table, paragraph, source


@dataclass(frozen=True)
class LineageStep:
    """One view, or the query that was asked about, in a lineage.

    Attributes:
        name: of the view.
        dialect: of the text that is followed; None where none can be read.
        columns: the output columns by their names in the view, in lower case, in order.
        filters: the columns of what it reads that decide which rows it has, or their order, each with the clauses.
        tables: the tables and views that it reads.
        problem: why it cannot be followed, or may read more.
    """

    name: TableName
    dialect: str | None = None
    columns: Mapping[str, OutputColumn] = field(default_factory=dict)
    filters: Mapping[TableColumn, tuple[Clause, ...]] = field(default_factory=dict)
    tables: tuple[TableName, ...] = ()
    problem: str | None = None

    @classmethod
    def of(
        cls, name: TableName, query: QueryAnalysis, columns: Mapping[str, OutputColumn], problem: str | None = None
    ) -> LineageStep:
        """The step of a view.

        Args:
            name: of the view.
            query: the analysis of its text.
            columns: those of the query by their names in the view.
            problem: why it may read more than the analysis says.
        """
        clauses: dict[TableColumn, dict[Clause, None]] = {}
        for use in query.uses:
            if not use.clause.makes_values:
                clauses.setdefault(use.column, {})[use.clause] = None
        unknown = "; ".join(one.problem for one in query.unknown) or None
        filters = {column: tuple(ones) for column, ones in clauses.items()}
        return cls(name, query.dialect, dict(columns), filters, query.tables, problem or unknown)

    def document(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {
            "name": ".".join(self.name),
            "dialect": self.dialect,
            "columns": [
                {"name": name, "sources": [*map(str, one.sources)], "is_complete": not one.has_more_sources}
                for name, one in self.columns.items()
            ],
            "filters": [_filter(column, clauses) for column, clauses in self.filters.items()],
            "tables": [".".join(name) for name in self.tables],
            "problem": self.problem,
        }


@dataclass(frozen=True)
class Lineage:
    """Where the columns of a view come from, and what decides which rows it has.

    Attributes:
        name: of the view; its step is the first.
        steps: by name, the view and all views that it reads, directly or through others. A name that columns have and
            that is none of these is a table, or is not known.
        only: the column that was asked for; None for all.
    """

    name: TableName
    steps: Mapping[TableName, LineageStep]
    only: str | None = None

    def column(self, name: str) -> Lineage:
        """The lineage of one column.

        Raises:
            NotFoundError: the view has no such column.
        """
        known = self.steps[self.name].columns
        if name.lower() not in known:
            near = nearest(name.lower(), known)
            hint = f" Did you mean {near!r}?" if near else ""
            raise NotFoundError(f"{'.'.join(self.name)} has no column {name}.{hint}", identifier=".".join(self.name))
        return Lineage(self.name, self.steps, name.lower())

    @property
    def columns(self) -> Mapping[str, OutputColumn]:
        """The output columns, or the one that was asked for, each with the columns that it is directly made of."""
        found = self.steps[self.name].columns
        return {self.only: found[self.only]} if self.only else found

    def base_columns(self, column: str) -> tuple[TableColumn, ...]:
        """The columns of tables that the values of a column are made of, sorted."""
        return tuple(sorted(self._base([TableColumn(self.name, column.lower())])))

    def is_complete(self, column: str) -> bool:
        """Whether it is certain that a column is made of no others: every text on the way could be read."""
        reached = self._reached([TableColumn(self.name, column.lower())])
        return not any(self._is_cut(one) for one in reached)

    @property
    def base_filters(self) -> Mapping[TableColumn, tuple[Clause, ...]]:
        """The columns of tables that decide which rows the view has, in its own text or in that of a view that it
        reads, each with the clauses; sorted.
        """
        found: dict[TableColumn, dict[Clause, None]] = {}
        for step in self.steps.values():
            for column, clauses in step.filters.items():
                for base in self._base([column]):
                    found.setdefault(base, {}).update(dict.fromkeys(clauses))
        return {column: tuple(sorted(found[column], key=[*Clause].index)) for column in sorted(found)}

    @property
    def tables(self) -> tuple[TableName, ...]:
        """The tables at the end of all ways, sorted."""
        return tuple(sorted({name for step in self.steps.values() for name in step.tables if name not in self.steps}))

    @property
    def problems(self) -> Mapping[TableName, str]:
        """By view, why it cannot be followed, or reads itself."""
        found = {name: step.problem for name, step in self.steps.items() if step.problem}
        for name in self.steps:
            if (way := self._way_back(name)) and name not in found:
                found[name] = f"Circular dependency: {' -> '.join('.'.join(one) for one in way)}."
        return found

    def _reached(self, start: Iterable[TableColumn]) -> dict[TableColumn, None]:
        """All columns on the ways from these down."""
        found = dict.fromkeys(start)
        ahead = [*found]
        while ahead:
            for one in self._sources(ahead.pop()):
                if one not in found:
                    found[one] = None
                    ahead.append(one)
        return found

    def _base(self, start: Iterable[TableColumn]) -> set[TableColumn]:
        return {one for one in self._reached(start) if one.table not in self.steps}

    def _sources(self, column: TableColumn) -> tuple[TableColumn, ...]:
        step = self.steps.get(column.table)
        output = step.columns.get(column.name) if step else None
        return output.sources if output else ()

    def _is_cut(self, column: TableColumn) -> bool:
        step = self.steps.get(column.table)
        output = step.columns.get(column.name) if step else None
        return step is not None and (output is None or output.has_more_sources)

    def _way_back(self, name: TableName) -> list[TableName] | None:
        ways = {one: [name, one] for one in self.steps[name].tables}
        ahead = [*ways]
        while ahead and name not in ways:
            last = ahead.pop(0)
            for one in self.steps[last].tables if last in self.steps else ():
                if one not in ways:
                    ways[one] = [*ways[last], one]
                    ahead.append(one)
        return ways.get(name)

    def document(self) -> dict[str, Any]:
        """The lineage as JSON holds it."""
        return {
            "view": ".".join(self.name),
            "columns": [
                {
                    "name": name,
                    "sources": [*map(str, one.sources)],
                    "base": [*map(str, self.base_columns(name))],
                    "is_complete": self.is_complete(name),
                }
                for name, one in self.columns.items()
            ],
            "filters": [_filter(column, clauses) for column, clauses in self.base_filters.items()],
            "steps": [one.document() for one in self.steps.values()],
            "tables": [".".join(name) for name in self.tables],
            "problems": [{"view": ".".join(name), "problem": why} for name, why in self.problems.items()],
        }

    def lines(self) -> Iterator[str]:
        """The lineage as text: below each column what it is made of, step by step; then what decides about rows."""
        told: set[TableColumn] = set()
        for name in self.columns:
            yield name
            yield from self._below(TableColumn(self.name, name), 1, told)
        for step in self.steps.values():
            if step.filters:
                yield f"rows of {'.'.join(step.name)}"
                for column, clauses in step.filters.items():
                    yield f"  {column} ({', '.join(one.value for one in clauses)})"
                    yield from self._below(column, 2, told)
        for view, why in self.problems.items():
            yield f"{'.'.join(view)}: {why}"

    def _below(self, column: TableColumn, depth: int, told: set[TableColumn]) -> Iterator[str]:
        indent, sources = "  " * depth, self._sources(column)
        # Each once: of views that read each other there would be no end, and of many levels there are too many ways.
        if column in told and sources:
            yield f"{indent}(as above)"
            return
        told.add(column)
        for one in sources:
            yield f"{indent}{one}"
            yield from self._below(one, depth + 1, told)
        if self._is_cut(column):
            yield f"{indent}? (more is not known)"
        elif column.table in self.steps and not sources:
            yield f"{indent}(no column)"

    def mermaid(self) -> str:
        """The lineage as a Mermaid flowchart: an arrow from each column to those that are made of it, and a dotted one
        to each view whose rows it decides.
        """
        diagram = Diagram()
        reached = self._reached(TableColumn(self.name, name) for name in self.columns)
        for column in reached:
            for one in self._sources(column):
                diagram.arrow(one, column)
            diagram.node(column)
        for step in self.steps.values():
            for column, clauses in step.filters.items():
                diagram.dotted(column, step.name, ", ".join(one.value for one in clauses))
                for above in self._reached([column]):
                    for one in self._sources(above):
                        diagram.arrow(one, above)
        return str(diagram)

    def _repr_html_(self) -> str:
        rows = [(name, ", ".join(map(str, self.base_columns(name)))) for name in self.columns]
        rows += [
            (f"rows ({', '.join(one.value for one in clauses)})", str(column))
            for column, clauses in self.base_filters.items()
        ]
        shown = html_table(f"Lineage of {'.'.join(self.name)}", ("column", "made of"), rows)
        notes = [paragraph(f"{'.'.join(view)}: {why}") for view, why in self.problems.items()]
        return shown + html_block("Step by step", *notes, source("\n".join(self.lines())))


def _filter(column: TableColumn, clauses: tuple[Clause, ...]) -> dict[str, Any]:
    return {"column": str(column), "clauses": [one.value for one in clauses]}
