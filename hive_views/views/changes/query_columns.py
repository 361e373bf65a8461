"""The columns of a view's query, derived from its text and from the tables that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from typing import TypeVar

from hive_views.analysis import OutputColumn, analyze_query
from hive_views.errors import HiveViewsError, InvalidIdentifierError, NoSuchTableError, UnavailableError
from hive_views.hive.row import Column
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.hive_names import hive_names, named_items
from hive_views.sql.query import QueryText
from hive_views.views.changes.analyzed_query import Tables, refuse_uncertain, uncertain_columns
from hive_views.views.row.star_columns import FindColumns

_One = TypeVar("_One")
NameAndType = tuple[str, str]
"""A column as ``hive_views.hive.columns`` takes it: its name and its Hive type."""


def derive_columns(
    tables: Tables, texts: Mapping[str, QueryText], namespace: str, given: Sequence[str | None] = ()
) -> list[NameAndType]:
    """The output columns of a view's query, as far as they are certain without an engine.

    Args:
        tables: where the columns of tables are read.
        texts: the query by dialect (canonical names); the one that plain readers get decides.
        namespace: where names without one are.
        given: by position, the types that need not be certain; None for the others.

    Raises:
        UncertainColumnsError: they are not certain; the error names them.
        NoSuchTableError: the query reads a table that does not exist.
        SQLSyntaxError: the text is not one query, or names a column that none of its tables has.
    """
    dialect = next((one for one in ROW_DIALECTS if one in texts), None)
    if dialect is None:
        raise uncertain_columns(f"The columns of SQL in {', '.join(texts)} cannot be derived here.")
    query = texts[dialect]
    analysis, read = tables.analyze(query, namespace)
    refuse_uncertain(analysis, read, given)
    names = _hive_names(tables, query, namespace, [one.name or one.text for one in analysis.columns])
    types = [type_ or str(one.type) for one, type_ in _beside(analysis.columns, given)]
    return list(zip(names, types, strict=True))


def star_finder(tables: Tables, names: Sequence[str] | None = None) -> FindColumns:
    """Finds what the columns of a query with a star are called: as these names say, or else the tables."""
    if names is not None:
        given = tuple(OutputColumn(name, name) for name in names)
        return lambda *_: given
    return partial(columns_with_star, tables)


def columns_with_star(tables: Tables, query: QueryText, namespace: str) -> tuple[OutputColumn, ...] | None:
    """The columns of a query that has a star, as the query itself calls them; None where nobody knows them here.

    Args:
        tables: where the columns of tables are read.
        query: the text, in the dialect ``hive`` or ``spark``.
        namespace: where names without one are.

    Raises:
        SQLSyntaxError: the text is not one query, or names a column that none of its tables has.
        UnavailableError: the metastore does not answer.
    """
    try:
        analysis, _ = tables.analyze(query, namespace)
    except (NoSuchTableError, InvalidIdentifierError):
        return None
    return analysis.columns if all(one.is_one for one in analysis.columns) else None


def columns_of_replacement(
    tables: Tables, texts: Mapping[str, QueryText], namespace: str, base: ViewMetadata
) -> list[Column] | None:
    """The columns of a view whose texts are replaced; None where they stay as they are.

    They stay unless the text says that they are more or fewer. Those that keep their names keep their comments.

    Raises:
        UncertainColumnsError, InvalidSchemaError, NoSuchTableError, SQLSyntaxError: as ``derive_columns``.
    """
    dialect = next((one for one in ROW_DIALECTS if one in texts), None)
    names = texts[dialect].output_names if dialect else None
    if dialect and names is None:
        found = columns_with_star(tables, texts[dialect], namespace)
        names = tuple(one.name for one in found) if found else None
    if names is None or len(names) == len(base.current_schema.names):
        return None
    comments = {field.name.lower(): field.doc for field in base.current_schema.fields}
    derived = derive_columns(tables, texts, namespace)
    return [Column(name, type_, comments.get(name.lower())) for name, type_ in derived]


def named_as_in_hive(
    tables: Tables,
    query: QueryText,
    namespace: str,
    columns: Sequence[NameAndType],
    given: Sequence[str | None] = (),
) -> list[NameAndType]:
    """The columns of a query with the names and types that Hive's CREATE VIEW gives them.

    Args:
        tables: says which of the names in the query are tables, and which columns these have.
        query: the text, in the dialect ``hive`` or ``spark``.
        namespace: where names without one are.
        columns: names and types as Spark has them.
        given: by position, the types that are taken instead; None for the others.

    Raises:
        UncertainColumnsError: Spark counts the digits of a decimal, and Hive's are not known.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    names = _hive_names(tables, query, namespace, [name for name, _ in columns])
    types = _hive_types(tables, query, namespace, [type_ for _, type_ in columns], given)
    return [(name, type_ or found) for name, (found, type_) in zip(names, _beside(types, given), strict=True)]


def _beside(columns: Sequence[_One], given: Sequence[str | None]) -> list[tuple[_One, str | None]]:
    return list(zip(columns, chain(given, repeat(None)), strict=False))


def _hive_names(tables: Tables, query: QueryText, namespace: str, names: Sequence[str]) -> list[str]:
    def is_table(name: tuple[str, ...]) -> bool:
        try:
            return len(name) <= 2 and not tables.metastore.load_row(TableIdentifier(*(namespace, *name)[-2:])).is_view
        except (InvalidIdentifierError, NoSuchTableError):
            return False  # an engine may know more tables than the metastore

    return hive_names(named_items(query), names, is_table)


def _hive_types(
    tables: Tables, query: QueryText, namespace: str, by_spark: Sequence[str], given: Sequence[str | None]
) -> list[str]:
    """Hive's types of the columns of a query, given Spark's: those that are derived, and else the same."""
    if query.dialect != "hive":
        return list(by_spark)
    try:
        derived = analyze_query(query, namespace, tables.read_by(query, namespace).columns).columns
    except UnavailableError:
        raise
    except HiveViewsError:
        return list(by_spark)  # an engine may know more tables than the metastore
    if len(derived) != len(by_spark) or not all(one.is_one for one in derived):
        return list(by_spark)
    # Hive and Spark count digits differently, and what is not known here may be such a case.
    unknown = [
        one
        for (one, as_given), type_ in zip(_beside(derived, given), by_spark, strict=True)
        if not as_given and type_.startswith("decimal") and one.derived.spark == type_ and one.derived.hive is None
    ]
    if unknown:
        columns = ", ".join(f"{one.name or one.text} ({one.derived.why})" for one in unknown)
        raise uncertain_columns(
            f"Hive may give other types than Spark to {columns}. A CAST makes a type certain.",
            [one.name or one.text for one in unknown],
        )
    return [
        one.derived.hive if one.derived.hive and one.derived.spark == type_ else type_
        for one, type_ in zip(derived, by_spark, strict=True)
    ]
