"""Views that the metastore has not yet, or has otherwise: subqueries in the texts that read them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from hive_views.engines.engine_protocol import Engine, EngineColumn
from hive_views.errors import HiveViewsError, UnsupportedFeatureError
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql import parser
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.expand import expand
from hive_views.sql.query import QueryText
from hive_views.sql.subqueries import subquery_edits, without_with
from hive_views.sql.text_edits import Edit, edited


@dataclass(frozen=True)
class Unusable:
    """Why a view cannot stand as a subquery in a text that reads it."""

    reason: str


class NotYetApplied:
    """The views whose texts stand for them, in the order in which they were added.

    Args:
        engine: that is to read the texts.
        views: those of the project that the metastore has not, or has otherwise, or that read such views.
    """

    def __init__(self, engine: Engine, views: Collection[TableIdentifier]) -> None:
        self._engine, self._views = engine, views
        self._found: dict[tuple[TableIdentifier, str], str | Unusable] = {}

    def edits(self, wanted: ViewDefinition, query: QueryText, reads: Sequence[TableIdentifier]) -> list[Edit]:
        """The edits that make a text one that the engine can analyze now.

        Raises:
            SQLSyntaxError: it is not one query.
            UnsupportedFeatureError: it reads a view that cannot stand in it as a subquery, with the reason.
        """
        subqueries: dict[tuple[str, str], str] = {}
        for name in reads:
            if name in self._views:
                found = self._of(name, query.dialect)
                if isinstance(found, Unusable):
                    raise UnsupportedFeatureError(f"It reads {name}, {found.reason}.")
                subqueries[name.namespace, name.name] = found
        return subquery_edits(query, wanted.namespace, subqueries, self._engine.catalogs)

    def add(
        self, wanted: ViewDefinition, query: QueryText, columns: Sequence[EngineColumn], names: Sequence[str]
    ) -> None:
        """A view with the text that the engine has analyzed, the columns that it found, and the names that they get."""
        if wanted.view not in self._views:
            return
        try:
            text = _subquery(wanted.view, query, columns, names)
            if not self._engine.takes_with_in_subqueries:
                text = without_with(QueryText(text, query.dialect))
            self._found[wanted.view, query.dialect] = text
        except HiveViewsError as error:
            self._found[wanted.view, query.dialect] = Unusable(f"whose text cannot be a subquery: {error.message}")

    def refuse(self, view: TableIdentifier, dialect: str, reason: str) -> None:
        """A view that cannot be used, and why: ``which is invalid``."""
        self._found[view, dialect] = Unusable(reason)

    def _of(self, name: TableIdentifier, dialect: str) -> str | Unusable:
        # Spark reads texts of either dialect.
        for one in (dialect, *self._engine.dialects):
            if (name, one) in self._found:
                return self._found[name, one]
        return Unusable(
            f"which has no text in the dialect {' or '.join(self._engine.dialects)}, and the metastore does not have "
            f"it as its file says"
        )


def _subquery(view: TableIdentifier, query: QueryText, columns: Sequence[EngineColumn], names: Sequence[str]) -> str:
    if query.dialect in ROW_DIALECTS:
        found = [one.name for one in columns]
        return expand(query, columns=names, namespace="", view_name=view.name, star_columns=found, readers=())
    statement = query.statement
    text = edited(statement.text, [Edit(one, one + 1, "") for one in statement.brackets])
    listed = ", ".join(parser.quoted_name(one, query.dialect) for one in names)
    return f"SELECT * FROM (\n{text}\n) {parser.quoted_name(view.name, query.dialect)} ({listed})"  # noqa: S608 - a query that is asked about


def reading(
    changed: Collection[TableIdentifier],
    order: Sequence[TableIdentifier],
    reads: Mapping[TableIdentifier, Sequence[TableIdentifier]],
) -> set[TableIdentifier]:
    """Views that are changed, and those that read them, directly or through others."""
    found = set(changed)
    for name in order:
        if not found.isdisjoint(reads[name]):
            found.add(name)
    return found
