"""A query analyzed with the columns of the tables that it reads, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, repeat

from hive_views.analysis import OutputColumn, QueryAnalysis, TableColumns, analyze_query
from hive_views.base_tables.declared_columns import GIVE_COLUMNS, DeclaredColumns, columns_of_tables
from hive_views.errors import (
    HiveViewsError,
    InvalidIdentifierError,
    NoSuchNamespaceError,
    NoSuchTableError,
    UncertainColumnsError,
)
from hive_views.messages.did_you_mean import nearest
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier, by_namespace
from hive_views.sql.query import QueryText
from hive_views.sql.syntax_errors import syntax_error
from hive_views.sql.tables import place_of_table, referenced_tables
from hive_views.storage.files import Files
from hive_views.views.row.projection import is_in_iceberg

# Databases that are asked whether they have a table that another one does not have.
_ASKED = 20


@dataclass(frozen=True)
class Tables:
    """Where the columns of tables are read.

    Attributes:
        metastore: where the rows are.
        files: where the metadata of Delta, Iceberg and Paimon tables is.
    """

    metastore: Metastore
    files: Files

    def read_by(self, query: QueryText, namespace: str) -> DeclaredColumns:
        """The columns of what a query reads, as far as they are known: one call for each database that it names.

        Raises:
            InvalidIdentifierError: it reads what can be no table of the metastore, such as a file of Spark's.
            MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        """
        names = [TableIdentifier(*name) for name in referenced_tables(query, namespace) if len(name) == 2]
        return columns_of_tables(self.metastore, self.files, names)

    def known(self, names: Sequence[tuple[str, str]]) -> TableColumns:
        """The columns of tables, by (namespace, name); those that are not known are left out.

        Raises:
            MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        """
        found: list[TableIdentifier] = []
        for name in names:
            with suppress(InvalidIdentifierError):
                found.append(TableIdentifier(*name))
        return columns_of_tables(self.metastore, self.files, found).columns

    def in_iceberg(self, names: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
        """Which of these are tables of Iceberg or views of this library, which Iceberg's catalogs have.

        Raises:
            MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        """
        found: set[tuple[str, str]] = set()
        for namespace, ones in by_namespace([TableIdentifier(*name) for name in names]).items():
            with suppress(NoSuchNamespaceError):
                rows = self.metastore.load_rows(namespace, [one.name for one in ones])
                found |= {(namespace, row.identifier.name) for row in rows if is_in_iceberg(row)}
        return found

    def analyze(self, query: QueryText, namespace: str) -> tuple[QueryAnalysis, DeclaredColumns]:
        """The analysis of a query whose tables and columns all exist, as far as that is known.

        Raises:
            NoSuchTableError: it reads a table that does not exist.
            SQLSyntaxError: it is not one query, or names a column that none of its tables has.
            InvalidIdentifierError, MetastoreUnavailableError, AuthenticationError: as ``read_by``.
        """
        read = self.read_by(query, namespace)
        if read.missing:
            raise self._no_such_table(query, namespace, read.missing[0])
        return analyze_query(query, namespace, read.columns).refuse_unknown(), read

    def _no_such_table(self, query: QueryText, namespace: str, name: TableIdentifier) -> NoSuchTableError:
        near = None
        with suppress(HiveViewsError):  # the error is about the table, whatever else fails
            near = self._nearest(name)
        problem = f"There is no table or view {name}." + (f" Did you mean {near!r}?" if near else "")
        at = place_of_table(query, namespace, (name.namespace, name.name))
        placed = syntax_error(query, query.dialect, f"{problem[0].lower()}{problem[1:]}", at)
        return NoSuchTableError(
            placed.message,
            identifier=str(name),
            line=placed.line,
            column=placed.column,
            offset=at,
            dialect=query.dialect,
        )

    def _nearest(self, name: TableIdentifier) -> str | None:
        """The name that may be meant: a similar one in the database, the same one in another, or a similar database."""
        metastore = self.metastore
        databases = metastore.list_namespaces()
        if name.namespace in databases:
            names = {*metastore.list_table_names(name.namespace), *metastore.list_view_names(name.namespace)}
            if similar := nearest(name.name, names):
                return f"{name.namespace}.{similar}"
        for one in databases[:_ASKED]:
            if one != name.namespace and metastore.load_rows(one, [name.name]):
                return f"{one}.{name.name}"
        similar = None if name.namespace in databases else nearest(name.namespace, databases)
        return similar and f"{similar}.{name.name}"


def refuse_uncertain(analysis: QueryAnalysis, read: DeclaredColumns, given: Sequence[str | None] = ()) -> None:
    """Refuse a query with columns whose types are neither certain nor given, by position.

    Raises:
        UncertainColumnsError: there are some; the error names each with its types, and why these are not certain.
    """
    # Behind a star, nobody knows which column is at which position.
    types = given if all(one.is_one for one in analysis.columns) else ()
    pairs = zip(analysis.columns, chain(types, repeat(None)), strict=False)
    uncertain = [one for one, type_ in pairs if not one.is_one or (type_ or one.type) is None]
    if not uncertain:
        return
    raise uncertain_columns(
        f"Without an engine, the types of these columns of the query are not certain: "
        f"{', '.join(map(_with_types, uncertain))}.{''.join(_why_unknown(analysis, read))}"
        f"{' A CAST makes a type certain.' if any(one.is_one for one in uncertain) else ''}",
        [one.name or one.text for one in uncertain],
    )


def uncertain_columns(problem: str, columns: Sequence[str] = ()) -> UncertainColumnsError:
    """The error for columns that are not certain, with the way out."""
    return UncertainColumnsError(problem, remedy=GIVE_COLUMNS, columns=list(columns))


def _with_types(column: OutputColumn) -> str:
    found = column.derived
    types = [f"{engine}: {type_}" for engine, type_ in (("Hive", found.hive), ("Spark", found.spark)) if type_]
    reasons = [", ".join(types), found.why or ("" if types else "its columns are not known")]
    return f"{column.name or column.text} ({'; '.join(filter(None, reasons))})"


def _why_unknown(analysis: QueryAnalysis, read: DeclaredColumns) -> list[str]:
    """A sentence, with a space before it, for each table whose columns are not known."""
    found = []
    for name in analysis.opaque:
        if len(name) > 2:
            found.append(f" {'.'.join(name)} is in another catalog, whose tables are not known here.")
        elif error := read.unknown.get((name[0], name[1])):
            found.append(f" {error.message}")
    return found
