"""The columns of a view's query, derived from its text and from the tables in the metastore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from hive_views.base_tables.declared_columns import GIVE_COLUMNS, columns_of
from hive_views.errors import InvalidIdentifierError, NoSuchTableError, UnavailableError, UncertainColumnsError
from hive_views.hive.row import Column
from hive_views.metastore.port import Rows
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.hive_names import hive_names, hive_types, named_items
from hive_views.sql.outline import OutputType
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables
from hive_views.views.row.star_columns import FindColumns

NameAndType = tuple[str, str]
"""A column as ``hive_views.hive.columns`` takes it: its name and its Hive type."""


def derive_columns(metastore: Rows, texts: Mapping[str, QueryText], namespace: str) -> list[NameAndType]:
    """The output columns of a view's query, as far as they are certain without an engine.

    Args:
        metastore: where the tables are that the query reads.
        texts: the query by dialect (canonical names); the one that plain readers get decides.
        namespace: where names without one are.

    Raises:
        UncertainColumnsError: they are not certain; the error names them.
        NoSuchTableError: the query reads a table that does not exist.
        SQLSyntaxError: the text is not one query, or names a column that none of its tables has.
    """
    dialect = next((one for one in ROW_DIALECTS if one in texts), None)
    if dialect is None:
        raise _uncertain(f"The columns of SQL in {', '.join(texts)} cannot be derived here.")
    query = texts[dialect]
    found = _found(metastore, query, namespace)
    _refuse_uncertain(found)
    columns = [(one.name or one.text, str(one.type)) for one in found]
    return named_as_in_hive(metastore, query, namespace, columns)


def star_finder(metastore: Rows, names: Sequence[str] | None = None) -> FindColumns:
    """Finds what the columns of a query with a star are called: as these names say, or else the metastore."""
    if names is not None:
        given = tuple(OutputType(name, name) for name in names)
        return lambda *_: given
    return partial(columns_with_star, metastore)


def columns_with_star(metastore: Rows, query: QueryText, namespace: str) -> tuple[OutputType, ...] | None:
    """The columns of a query that has a star, as the query itself calls them; None where nobody knows them here.

    Args:
        metastore: where the tables are that the query reads.
        query: the text, in the dialect ``hive`` or ``spark``.
        namespace: where names without one are.

    Raises:
        SQLSyntaxError: the text is not one query, or names a column that none of its tables has.
        UnavailableError: the metastore does not answer.
    """
    try:
        found = _found(metastore, query, namespace)
    except (UncertainColumnsError, NoSuchTableError, InvalidIdentifierError):
        return None
    return found if all(one.is_one for one in found) else None


def _found(metastore: Rows, query: QueryText, namespace: str) -> tuple[OutputType, ...]:
    tables = {}
    for name in referenced_tables(query, namespace):
        if len(name) > 2:
            raise _uncertain(f"{'.'.join(name)} is in another catalog, whose tables cannot be derived here.")
        identifier = TableIdentifier(*name)
        row = metastore.load_row(identifier)
        tables[identifier.namespace, identifier.name] = [(column.name, column.type) for column in columns_of(row)]
    return query.output_types(namespace, tables)


def known_tables(metastore: Rows, names: Sequence[tuple[str, str]]) -> dict[tuple[str, str], list[Column]]:
    """The columns of tables, by name; those that are not known are left out."""
    found: dict[tuple[str, str], list[Column]] = {}
    for namespace, name in names:
        with suppress(UncertainColumnsError, NoSuchTableError, InvalidIdentifierError, UnavailableError):
            found[namespace, name] = [*columns_of(metastore.load_row(TableIdentifier(namespace, name)))]
    return found


def columns_of_replacement(
    metastore: Rows, texts: Mapping[str, QueryText], namespace: str, base: ViewMetadata
) -> list[Column] | None:
    """The columns of a view whose texts are replaced; None where they stay as they are.

    They stay unless the text says that they are more or fewer. Those that keep their names keep their comments.

    Raises:
        UncertainColumnsError, InvalidSchemaError, NoSuchTableError, SQLSyntaxError: as ``derive_columns``.
    """
    dialect = next((one for one in ROW_DIALECTS if one in texts), None)
    names = texts[dialect].output_names if dialect else None
    if dialect and names is None:
        found = columns_with_star(metastore, texts[dialect], namespace)
        names = tuple(one.name for one in found) if found else None
    if names is None or len(names) == len(base.current_schema.names):
        return None
    comments = {field.name.lower(): field.doc for field in base.current_schema.fields}
    derived = derive_columns(metastore, texts, namespace)
    return [Column(name, type_, comments.get(name.lower())) for name, type_ in derived]


def named_as_in_hive(
    metastore: Rows, query: QueryText, namespace: str, columns: Sequence[NameAndType]
) -> list[NameAndType]:
    """The columns of a query with the names and types that Hive's CREATE VIEW gives them.

    Args:
        metastore: says which of the names in the query are tables.
        query: the text, in the dialect ``hive`` or ``spark``.
        namespace: where names without one are.
        columns: names and types as Spark has them.

    Raises:
        UncertainColumnsError: Hive and Spark give a column different types.
    """

    def is_table(name: tuple[str, ...]) -> bool:
        try:
            return len(name) <= 2 and not metastore.load_row(TableIdentifier(*(namespace, *name)[-2:])).is_view
        except (InvalidIdentifierError, NoSuchTableError):
            return False  # an engine may know more tables than the metastore

    items = named_items(query)
    names = hive_names(items, [name for name, _ in columns], is_table)
    types = hive_types(items, [type_ for _, type_ in columns])
    uncertain = [name for (name, _), type_ in zip(columns, types, strict=True) if type_ is None]
    if uncertain:
        raise _uncertain(
            f"Hive and Spark count the digits of {', '.join(uncertain)} differently: a CAST makes the type certain.",
            uncertain,
        )
    return [(name, str(type_)) for name, type_ in zip(names, types, strict=True)]


def _refuse_uncertain(found: Sequence[OutputType]) -> None:
    uncertain = [one.text for one in found if one.type is None]
    if uncertain:
        raise _uncertain(
            f"Without an engine, the types of these columns of the query are not certain: {', '.join(uncertain)}. A "
            f"CAST makes a type certain.",
            uncertain,
        )


def _uncertain(problem: str, columns: Sequence[str] = ()) -> UncertainColumnsError:
    return UncertainColumnsError(problem, remedy=GIVE_COLUMNS, columns=list(columns))
