"""What the texts of a view name, and whether it is still there and gives the view's columns.

Names are resolved with the columns that the metastore knows, as far as they are certain; an engine that is given says
the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from hive_views.analysis import analyze_query
from hive_views.base_tables.declared_columns import DeclaredColumns, columns_of
from hive_views.errors import (
    CorruptMetadataError,
    HiveViewsError,
    InvalidIdentifierError,
    InvalidInputError,
    InvalidSchemaError,
    NoSuchTableError,
    SQLSyntaxError,
    UncertainColumnsError,
    UnsupportedFeatureError,
)
from hive_views.estate.checks.findings import Finding, NotKnown, replace_query
from hive_views.hive.row import Column, Row
from hive_views.hive.types import hive_type
from hive_views.hive.up_casts import can_be_cast, fits_into
from hive_views.messages.counted import counted
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables, refuse_unread_names
from hive_views.views.row import spark_row
from hive_views.views.row.plain_view_checks import check_text
from hive_views.views.row.version import hive_types
from hive_views.views.text_analysis.texts import ViewText, is_drifted
from hive_views.views.view import View

ColumnsOf = Callable[[str, str, str], Sequence[tuple[str, str, str | None]]]
"""Finds the output columns of a query: names, Hive types and comments, given text, dialect and namespace.

``hive_views.spark.schema_of`` does it in a session of Spark.
"""

_QUERY_COLUMNS = "view.query.out."
_UNRESOLVED = "UNRESOLVED_COLUMN"
_NAMED_BY_HIVE = re.compile(r"_c\d+|\w+_window_\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Sources:
    """What a text reads.

    Attributes:
        tables: those of the metastore.
        elsewhere: names that are none of the metastore.
        error: why the text cannot be read, or may read more.
        is_unparsed: whether that is no fault of the text: no parser here knows its dialect, or one that does takes it.
    """

    tables: tuple[TableIdentifier, ...] = ()
    elsewhere: tuple[str, ...] = ()
    error: str | None = None
    is_unparsed: bool = False


def sources_of(query: ViewText) -> Sources:
    """What a text reads."""
    if query.damage:
        return Sources(error=f"{query.damage[0].upper()}{query.damage[1:]}.")
    if query.is_readable:
        return read_sources(query.text, query.dialect, query.namespace)
    return Sources(error=f"Only {query.dialect} itself can parse this SQL.", is_unparsed=True)


@lru_cache(maxsize=4096)
def read_sources(text: str, dialect: str, namespace: str) -> Sources:
    """The tables that a text names; equal texts are parsed once."""
    try:
        query = QueryText(text, dialect)
        names = referenced_tables(query, namespace)
    except SQLSyntaxError as error:
        return Sources(error=str(error), is_unparsed=_is_understood(query))
    except (InvalidInputError, UnsupportedFeatureError) as error:
        return Sources(error=str(error), is_unparsed=True)
    unread = None
    try:
        refuse_unread_names(query)
    except SQLSyntaxError as error:
        unread = str(error)
    read = {".".join(name): _identifier(name) for name in names}
    tables = dict.fromkeys(identifier for identifier in read.values() if identifier)
    elsewhere = tuple(name for name, identifier in read.items() if identifier is None)
    return Sources(tuple(tables), elsewhere, error=unread, is_unparsed=unread is not None)


def _identifier(name: tuple[str, ...]) -> TableIdentifier | None:
    with suppress(InvalidIdentifierError):
        return TableIdentifier(*name) if len(name) == 2 else None
    return None


def _is_understood(query: QueryText) -> bool:
    """Whether the engine's own grammar takes a text that the parser does not know."""
    try:
        check_text(query)
    except SQLSyntaxError:
        return False
    return True


def check_sources(
    query: ViewText, tables: Mapping[TableIdentifier, Row | None], trino_catalog: str | None = None
) -> Iterator[Finding | NotKnown]:
    """What a text reads and is not there, or cannot be read as a text at all.

    Args:
        query: the text.
        tables: the rows of all tables that it names, None for those that are gone.
        trino_catalog: what Trino calls the metastore, of which tables are looked for in ``tables`` if they are there.
    """
    found = sources_of(query)
    if found.error and found.is_unparsed:
        yield NotKnown(query.view, "text", found.error)
    elif found.error:
        problem = f"The {query.dialect} SQL cannot be read. {found.error}"
        yield _finding("text-unreadable", query, problem)
    if query.of_other_catalog:
        reason = f"Names in the {query.dialect} SQL resolve in the catalog {query.of_other_catalog}."
        yield NotKnown(query.view, "sources", reason)
        return
    prefix = f"{trino_catalog}." if trino_catalog and query.dialect == "trino" else None
    read = dict.fromkeys(found.tables)
    elsewhere = []
    for name in found.elsewhere:
        in_metastore = None
        if prefix and name.lower().startswith(prefix.lower()):
            in_metastore = _identifier(tuple(name[len(prefix) :].split(".")))
        # What the SQL that it is translated from does not read was not looked for.
        if in_metastore is not None and in_metastore in tables:
            read[in_metastore] = None
        else:
            elsewhere.append(name)
    if elsewhere:
        yield NotKnown(query.view, "sources", f"{', '.join(elsewhere)}: in no database of the metastore.")
    for table in read:
        if tables[table] is None:
            problem = f"The {query.dialect} SQL reads {table}, which does not exist."
            remedy = replace_query(query.view, source=str(table), is_plain=query.is_plain)
            details = {"dialect": query.dialect, "source": str(table)}
            yield Finding("source-gone", query.view, problem, remedy, details)


def check_columns(
    query: ViewText, row: Row, view: View | None, tables: DeclaredColumns, engine: ColumnsOf | None
) -> Iterator[Finding | NotKnown]:
    """Whether the query gives the columns that the view has.

    Args:
        query: one that reads only what is there.
        row: of the view.
        view: None for a plain one.
        tables: what is known of the columns of what the query reads.
        engine: asked instead.
    """
    if query.dialect not in ROW_DIALECTS or not query.is_readable:
        return
    try:
        columns = _declared(view) if view is not None and not is_drifted(view) else columns_of(row)
    except (UncertainColumnsError, CorruptMetadataError) as error:
        yield NotKnown(query.view, "columns", str(error))
        return
    try:
        given, unknown = _given(query.text, query, tables, engine)
        if unknown:
            yield NotKnown(query.view, "columns", " ".join(unknown))
        if given is not None:
            names = _query_columns(row) or [one.name for one in columns]
            yield from _compare(query, columns, names, given, row.parameters.get(spark_row.SCHEMA_MODE, "").upper())
        yield from _check_star(query, columns, tables, engine)
    except NoSuchTableError as error:
        yield _finding("source-gone", query, str(error))
    except SQLSyntaxError as error:
        is_column = (error.condition or "").startswith(_UNRESOLVED)
        code = "column-gone" if is_column else "text-unreadable"
        if not engine and _NAMED_BY_HIVE.fullmatch(error.found or ""):
            yield NotKnown(query.view, "columns", f"Only Hive can say which column {error.found} is.")
        elif is_column or engine:
            yield _finding(code, query, str(error), column=error.found)
    except UnsupportedFeatureError:
        raise
    except HiveViewsError as error:
        yield NotKnown(query.view, "columns", str(error))


_Given = Sequence[tuple[str | None, str | None]]


def _given(
    text: str, query: ViewText, tables: DeclaredColumns, engine: ColumnsOf | None
) -> tuple[_Given | None, list[str]]:
    """Names and types of the columns that a text gives, None where they are not certain; and what nobody can say."""
    if engine:
        # Of a query with one type that Hive does not have, schema_of says nothing.
        with suppress(InvalidSchemaError):
            return [(name, type_) for name, type_, _ in engine(text, query.dialect, query.namespace)], []
    read = read_sources(text, query.dialect, query.namespace).tables
    reasons = (tables.unknown.get((name.namespace, name.name)) for name in read)
    unknown = [error.message for error in reasons if error]
    analysis = analyze_query(QueryText(text, query.dialect), query.namespace, tables.columns)
    found = analysis.refuse_unknown().columns
    several = [one.text for one in found if not one.is_one]
    if several:
        return None, [f"Only an engine can say which columns {', '.join(several)} stands for.", *unknown]
    # A type is compared as Spark compares it.
    return [(one.name, one.type or one.derived.spark) for one in found], unknown


def _compare(
    query: ViewText, columns: Sequence[Column], names: Sequence[str], given: _Given, mode: str
) -> Iterator[Finding | NotKnown]:
    if mode == "EVOLUTION":
        return  # the columns are those of the query
    found = [name.lower() if name else None for name, _ in given]
    wanted = [name.lower() for name in names]
    is_by_place = any(name.startswith("_c") and name[2:].isdigit() for name in wanted)
    is_right = len(found) == len(wanted) if is_by_place or None in found else found == wanted
    # Spark finds columns by name, and hides those that a star gives beyond.
    if not is_right and not (set(wanted) < set(found) and QueryText(query.text, query.dialect).output_names is None):
        problem = f"The query returns ({_listed(found)}), but the view has ({_listed(wanted)})."
        yield _finding("columns-disagree", query, problem, found=found, expected=wanted)
        return
    types = dict(zip(found, (type_ for _, type_ in given), strict=True)) if not is_right else {}
    uncertain: list[str] = []
    for place, column in enumerate(columns):
        type_ = types.get(wanted[place]) if types else given[place][1]
        fits = None if type_ is None else _fits(type_, column.type, mode)
        if fits is None:
            uncertain.append(column.name)
        elif not fits:
            problem = f"Column {column.name} is {column.type}, but the query returns {type_}."
            yield _finding("column-type-changed", query, problem, column=column.name, found=type_, expected=column.type)
    if uncertain:
        yield NotKnown(query.view, "types", f"Only an engine can say what the type of {', '.join(uncertain)} is.")


def _check_star(
    query: ViewText, columns: Sequence[Column], tables: DeclaredColumns, engine: ColumnsOf | None
) -> Iterator[Finding | NotKnown]:
    typed = query.typed
    if not typed or "*" not in typed:
        return
    # In another database its names would be those of other tables.
    read = read_sources(typed, query.dialect, query.namespace)
    same = set(read.tables) == set(sources_of(query).tables)
    if read.error or not same or QueryText(typed, query.dialect).output_names is not None:
        return
    given, unknown = _given(typed, query, tables, engine)
    if given is None:
        yield NotKnown(query.view, "columns", " ".join(unknown))
        return
    found = [name.lower() for name, _ in given if name]
    wanted = [column.name.lower() for column in columns]
    if len(found) == len(given) and len(found) != len(wanted):
        # A view may give the columns other names.
        added = [name for name in found if name not in wanted] if set(wanted) <= set(found) else []
        problem = f"SELECT * now returns {counted(len(found), 'column')}, and the view has {len(wanted)}"
        problem += f"; new: {_listed(added)}." if added else "."
        yield _finding("star-outdated", query, problem, added=added, found=found, expected=wanted)


def _query_columns(row: Row) -> list[str] | None:
    """The names by which Spark finds the view's columns in the query, where the row says them."""
    count = len(row.columns) + len(row.partition_keys)
    if row.parameters.get(f"{_QUERY_COLUMNS}numCols") != str(count):
        return None
    names = [row.parameters.get(f"{_QUERY_COLUMNS}col.{number}") for number in range(count)]
    known = [name for name in names if name is not None]
    return known if len(known) == len(names) else None


def _fits(found: str, declared: str, mode: str) -> bool | None:
    """None where one is no type of Hive, as variant is: of such a column only the name is compared."""
    if found == declared or mode == "TYPE EVOLUTION":
        return True
    with suppress(InvalidSchemaError):
        return (can_be_cast if mode == "COMPENSATION" else fits_into)(found, declared)
    return None


def _declared(view: View) -> tuple[Column, ...]:
    """The columns that a view says it has; a type that Hive does not have is as Iceberg calls it.

    Raises:
        CorruptMetadataError: the types that its version keeps cannot be read.
    """
    narrower = hive_types(view.current_version)
    found: list[Column] = []
    for field in view.metadata.current_schema.fields:
        name = field.name.lower()
        try:
            type_ = narrower.get(name) or hive_type(field.type, column=field.name)
        except InvalidSchemaError:
            type_ = str(field.type)
        found.append(Column(name, type_))
    return tuple(found)


def _finding(code: str, query: ViewText, problem: str, **details: object) -> Finding:
    remedy = replace_query(query.view, is_plain=query.is_plain)
    return Finding(code, query.view, problem, remedy, {"dialect": query.dialect, **details})


def _listed(names: Sequence[str | None]) -> str:
    return ", ".join(name or "?" for name in names)
