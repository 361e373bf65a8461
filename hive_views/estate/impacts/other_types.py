"""Columns of views whose queries give other types, though no engine fails."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from hive_views.analysis import analyze_query
from hive_views.base_tables.declared_columns import columns_of_rows
from hive_views.errors import HiveViewsError
from hive_views.estate.checks.loaded_rows import load
from hive_views.estate.checks.view_texts import queries_of, sources_of
from hive_views.estate.impacts.altered_rows import UNKNOWN_TYPE
from hive_views.estate.impacts.impact_report import TypeChange
from hive_views.hive.row import Column, Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.views.catalog import ViewCatalog

_Types = Sequence[str | None]


def type_changes(
    catalog: ViewCatalog,
    affected: Sequence[TableIdentifier],
    rows: Mapping[TableIdentifier, Row],
    changed: Mapping[TableIdentifier, Row | None],
    failing: Collection[str],
) -> tuple[TypeChange, ...]:
    """The columns of affected views, other than those that fail or are changed themselves, that get another type.

    Hive returns what the query gives, so that a type goes on through views that read each other.
    """
    views = {name: rows[name] for name in affected if name in rows and name not in changed}
    reads = {name: _read(row) for name, row in views.items()}
    others, _ = load(catalog, {one for names in reads.values() for one in names} - views.keys())
    there = {**others, **rows}
    known = dict(columns_of_rows((row for row in there.values() if row), catalog.storage.files).columns)
    ahead = columns_of_rows((row for row in changed.values() if row), catalog.storage.files)
    later = {key: known[key] for key in known if TableIdentifier(*key) not in changed} | dict(ahead.columns)
    found: list[TypeChange] = []
    for name in _sources_first(reads):
        row, key = views[name], (name.namespace, name.name)
        was, becomes = _types(row, known), _types(row, later)
        declared = known.get(key, ())
        if was is None or becomes is None or not len(was) == len(becomes) == len(declared):
            continue
        known[key], later[key] = _typed(declared, was), _typed(declared, becomes)
        if str(name) not in failing:
            found += _compared(name, declared, was, becomes)
    return tuple(sorted(found, key=lambda one: one.view))


def _compared(name: TableIdentifier, declared: Sequence[Column], was: _Types, becomes: _Types) -> Iterator[TypeChange]:
    for column, before, after in zip(declared, was, becomes, strict=True):
        if before is not None and before != after:
            yield TypeChange(str(name), column.name, before, after, column.type)


def _sources_first(reads: Mapping[TableIdentifier, Sequence[TableIdentifier]]) -> list[TableIdentifier]:
    graph = {name: [one for one in names if one in reads] for name, names in reads.items()}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError:
        return []


def _read(row: Row) -> Sequence[TableIdentifier]:
    queries = queries_of(row, None)
    return sources_of(queries[0]).tables if queries and not queries[0].of_other_catalog else ()


def _typed(declared: Sequence[Column], types: _Types) -> list[Column]:
    return [Column(one.name, type_ or UNKNOWN_TYPE) for one, type_ in zip(declared, types, strict=True)]


def _types(row: Row, tables: Mapping[tuple[str, str], Sequence[Column]]) -> _Types | None:
    """The types that the query of a view gives; None where its columns are not known."""
    query = next(iter(queries_of(row, None)), None)
    if query is None or query.dialect not in ROW_DIALECTS or not query.is_readable:
        return None
    with suppress(HiveViewsError):
        columns = analyze_query(QueryText(query.text, query.dialect), query.namespace, tables).columns
        return [one.type for one in columns] if all(one.is_one for one in columns) else None
    return None
