"""Which views use a table or a column, directly or through others, and where in their texts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hive_views.analysis.query_analysis import Clause, ColumnUse, QueryAnalysis, TableColumn
from hive_views.errors import InvalidIdentifierError, InvalidInputError, NoSuchTableError
from hive_views.estate.analyses.analyses_of_views import Analyses, analyses_of
from hive_views.estate.checks.findings import NotKnown
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.outcomes import OnOutcome, ignore
from hive_views.messages.counted import counted
from hive_views.messages.did_you_mean import nearest
from hive_views.messages.html import html_table
from hive_views.spec.identifiers import TableIdentifier, split_name
from hive_views.views.catalog import ViewCatalog
from hive_views.views.text_analysis.outputs import outputs_of
from hive_views.views.text_analysis.view_analysis import TextAnalysis


@dataclass(frozen=True)
class Place:
    """Where a text names a column.

    Attributes:
        dialect: of the text.
        column: what is used there, ``namespace.name.column``: of the table that was asked about, or of the view through
            which it is used.
        clause: where in the query.
        line: of the text, from 1; None where a star stands for the column.
    """

    dialect: str
    column: str
    clause: Clause
    line: int | None

    def __str__(self) -> str:
        return f"{self.clause.value} {'*' if self.line is None else f'line {self.line}'}"


@dataclass(frozen=True)
class Use:
    """That a view uses a table or column.

    Attributes:
        view: its name.
        path: from the view to the table, with both; more than two for a view that uses it through others.
        places: where its texts use it; () where a text reads a table without naming a column, or where only the rows of
            the view that it reads depend on it.
        columns: the columns of the view that are made of it, sorted.
        decides_rows: whether it decides which rows the view has, or their order: it stands in another clause than
            SELECT and WINDOW.
    """

    view: TableIdentifier
    path: tuple[TableIdentifier, ...]
    places: tuple[Place, ...]
    columns: tuple[str, ...]
    decides_rows: bool

    @property
    def is_direct(self) -> bool:
        return len(self.path) == 2

    @property
    def dialects(self) -> tuple[str, ...]:
        """Of the texts with such a place, each once."""
        return tuple(dict.fromkeys(one.dialect for one in self.places))

    def document(self) -> dict[str, Any]:
        """The use as JSON holds it."""
        return {
            "view": str(self.view),
            "path": [str(one) for one in self.path],
            "places": [
                {"dialect": one.dialect, "column": one.column, "clause": one.clause.value, "line": one.line}
                for one in self.places
            ],
            "columns": list(self.columns),
            "decides_rows": self.decides_rows,
        }


class Uses(tuple[Use, ...]):
    """The views that use a table or column, those that use it directly first; a notebook shows a table.

    Attributes:
        of: ``namespace.name``, with the column.
        not_known: the views that may use it too, and why that is not known.
    """

    of: str
    not_known: tuple[NotKnown, ...]

    def __new__(cls, of: str, uses: Iterable[Use], not_known: Sequence[NotKnown]) -> Uses:
        found = super().__new__(cls, uses)
        found.of, found.not_known = of, tuple(not_known)
        return found

    def __reduce__(self) -> tuple[type[Uses], tuple[str, tuple[Use, ...], tuple[NotKnown, ...]]]:
        return Uses, (self.of, tuple(self), self.not_known)

    def summary(self) -> str:
        """How many views, in a sentence."""
        through = sum(not one.is_direct for one in self)
        others = f", and {counted(through, 'view')} through {'it' if len(self) - through == 1 else 'these'}"
        return f"{counted(len(self) - through, 'view')} {'uses' if len(self) - through == 1 else 'use'} {self.of}" + (
            f"{others}." if through else "."
        )

    def document(self) -> dict[str, Any]:
        """The uses as JSON holds them."""
        return {
            "of": self.of,
            "uses": [one.document() for one in self],
            "not_known": [{"view": one.view, "about": one.about, "reason": one.reason} for one in self.not_known],
        }

    def _repr_html_(self) -> str:
        rows = [
            (
                str(one.view),
                " > ".join(str(step) for step in one.path[1:-1]),
                "; ".join(f"{place.dialect} {place}" for place in one.places),
                ", ".join(one.columns),
            )
            for one in self
        ]
        return html_table(self.summary(), ("view", "through", "where", "columns made of it"), rows)


def uses(catalog: ViewCatalog, name: str, *, through: bool = False, on_outcome: OnOutcome = ignore) -> Uses:
    """Which views use a table, view or column, in the text of any dialect.

    A star uses every column. A view uses a column through another view if it uses a column that is made of it, or if it
    decides which rows the other view has; it uses a table through every view that does. What the texts say is kept in
    the user's cache, so that a second call only reads what has changed.

    Args:
        catalog: where the views are.
        name: ``namespace.name``, or ``namespace.name.column``.
        through: also views that use it through others, each with the shortest way to it.
        on_outcome: called with each view that was analyzed.

    Raises:
        InvalidIdentifierError: the name has not two or three parts.
        NoSuchTableError: no view uses it, and there is no such table or view.
        InvalidInputError: no view uses it, and the table has no such column.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    table, column = _target(name)
    analyses = analyses_of(catalog, on_outcome=on_outcome)
    search = _Search(analyses, table, column)
    found = search.direct()
    if not found and not search.not_known:
        _check_exists(catalog, table, column)
    if through:
        found |= search.through(found)
    ordered = sorted(found.values(), key=lambda one: (not one.is_direct, one.view))
    unread = [NotKnown(str(view), "text", str(error)) for view, error in sorted(analyses.unreadable.items())]
    return Uses(f"{table}.{column}" if column else str(table), ordered, [*search.not_known, *unread])


def _target(name: str) -> tuple[TableIdentifier, str | None]:
    parts = split_name(name)
    if len(parts) not in (2, 3):
        raise InvalidIdentifierError(
            f"Cannot use {name!r} as the name of a table or column: it has two parts, as web.clicks, or three, as "
            f"web.clicks.page.",
            name=name,
        )
    return TableIdentifier(*parts[:2]), parts[2].lower() if len(parts) == 3 else None


def _check_exists(catalog: ViewCatalog, table: TableIdentifier, column: str | None) -> None:
    row = load(catalog, [table])[0].get(table)
    if row is None:
        raise NoSuchTableError(f"There is no table or view {table}, and no view uses it.", table=str(table))
    names = [one.name.lower() for one in (*row.columns, *row.partition_keys)]
    if column and names and column not in names:
        near = nearest(column, names)
        hint = f" Did you mean {near!r}?" if near else ""
        raise InvalidInputError(f"{table} has no column {column}, and no view uses one.{hint}", table=str(table))


class _Search:
    """From a table or column to the views that use it."""

    def __init__(self, analyses: Analyses, table: TableIdentifier, column: str | None) -> None:
        self._analyses, self._table, self._column = analyses, table, column
        self.not_known: list[NotKnown] = []

    def direct(self) -> dict[TableIdentifier, Use]:
        """The views whose texts name it."""
        found = {}
        for view in self._analyses.readers.get(self._table, ()):
            places, columns, rows = self._look(view, self._table, None if self._column is None else {self._column})
            if places or self._column is None:
                found[view] = Use(view, (view, self._table), places, columns, rows)
        self._note_unread()
        return found

    def through(self, direct: dict[TableIdentifier, Use]) -> dict[TableIdentifier, Use]:
        """The views that use it through these; the shortest way first, then what longer ones add."""
        found = dict(direct)
        ahead = deque(direct)
        while ahead:
            below = found[ahead.popleft()]
            for view in self._analyses.readers.get(below.view, ()):
                # Of a circle, each view once.
                use = None if view in below.path else self._use_through(view, below)
                if use is None:
                    continue
                before = found.get(view)
                if before is not None:
                    use = Use(
                        view,
                        before.path,
                        tuple(dict.fromkeys((*before.places, *use.places))),
                        tuple(sorted({*before.columns, *use.columns})),
                        before.decides_rows or use.decides_rows,
                    )
                if use != before:
                    found[view] = use
                    ahead.append(view)
        return {view: use for view, use in found.items() if view not in direct}

    def _use_through(self, view: TableIdentifier, below: Use) -> Use | None:
        places, columns, rows = self._look(view, below.view, {*below.columns})
        if not places and not below.decides_rows and self._column is not None:
            return None
        return Use(view, (view, *below.path), places, columns, rows or below.decides_rows)

    def _look(
        self, view: TableIdentifier, table: TableIdentifier, names: set[str] | None
    ) -> tuple[tuple[Place, ...], tuple[str, ...], bool]:
        """Where a view uses columns of a table, all for None; which of its own are made of them; whether they decide
        about its rows.
        """
        places: list[Place] = []
        columns: set[str] = set()
        rows = False
        of = (table.namespace, table.name)
        for text in self._analyses.views[view].texts:
            if text.query is None or of not in text.query.tables:
                continue
            places += _places(text, text.query, of, names)
            rows |= any(one.table == of and (names is None or one.name in names) for one in text.query.filters)
            made = outputs_of(self._analyses.rows.get(view), text.query)
            columns |= {
                name
                for name, one in made
                if any(source.table == of and (names is None or source.name in names) for source in one.sources)
            }
            if names and of in text.query.opaque and not any(place.dialect == text.dialect for place in places):
                reason = f"The columns of {table} are unknown, so the {text.dialect} SQL may use some without its name."
                self.not_known.append(NotKnown(str(view), "columns", reason))
        return tuple(dict.fromkeys(places)), tuple(sorted(columns)), rows

    def _note_unread(self) -> None:
        for view, reason in self._analyses.unread:
            self.not_known.append(NotKnown(str(view), "text", reason))


def _places(text: TextAnalysis, query: QueryAnalysis, of: tuple[str, ...], names: set[str] | None) -> Iterator[Place]:
    used: list[ColumnUse] = [
        one for one in query.uses if one.column.table == of and (names is None or one.column.name in names)
    ]
    if names and of in query.stars and of in query.opaque:
        used += [ColumnUse(TableColumn(of, name), Clause.SELECT) for name in sorted(names)]
    for one in sorted(used, key=lambda one: (one.start or 0, one.column)):
        yield Place(text.dialect, str(one.column), one.clause, text.line_of(one.start))
