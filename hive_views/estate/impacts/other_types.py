"""Columns whose types change: how that goes on through views, and which views engines refuse then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from hive_views.analysis import analyze_query
from hive_views.analysis.query_analysis import Clause, OutputColumn, QueryAnalysis, TableColumn
from hive_views.base_tables.declared_columns import columns_of_rows
from hive_views.errors import HiveViewsError, InvalidSchemaError
from hive_views.estate.checks.findings import Finding, replace_query
from hive_views.estate.checks.view_texts import sources_of
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.impacts.altered_rows import UNKNOWN_TYPE
from hive_views.estate.impacts.impact_report import TypeChange
from hive_views.hive.row import Column, Row
from hive_views.hive.types import parse_hive_type
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.views.catalog import ViewCatalog
from hive_views.views.text_analysis.texts import ViewText, texts_of

_Known = dict[tuple[str, str], Sequence[Column]]
_Altered = Mapping[TableColumn, tuple[str, str]]
"""By column, its type now and later."""

_COMPARING = frozenset((Clause.WHERE, Clause.JOIN, Clause.HAVING, Clause.LATERAL_VIEW))
_FAMILIES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"), "number"),
    **dict.fromkeys(("string", "varchar", "char"), "text"),
    **dict.fromkeys(("date", "timestamp", "timestamp with local time zone"), "time"),
}
_SIMPLE = frozenset(("number", "text", "time", "boolean", "binary"))
# Hive does not know which of its two kinds of argument a number is.
_OF_TEXT_OR_BYTES = frozenset(("length",))


@dataclass
class OtherTypes:
    """What follows of other types of columns.

    Attributes:
        changes: columns that get another type though no engine fails.
        refused: by view, the finding that an engine refuses an expression in it, or may refuse it.
    """

    changes: list[TypeChange] = field(default_factory=list)
    refused: dict[TableIdentifier, Finding] = field(default_factory=dict)


def other_types(
    catalog: ViewCatalog,
    affected: Sequence[TableIdentifier],
    rows: Mapping[TableIdentifier, Row],
    changed: Mapping[TableIdentifier, Row | None],
    failing: Iterable[TableIdentifier],
) -> OtherTypes:
    """What other types do to the affected views that do not fail, and are not changed themselves.

    Hive returns what the query gives, so that a type goes on through views that read each other. Views on refused ones
    are left out.

    Args:
        catalog: where the views are.
        affected: the views that read what changes, directly or through others.
        rows: those of all views.
        changed: by name, the rows that there will be.
        failing: views that fail for another reason.
    """
    views = {name: rows[name] for name in affected if name in rows and name not in changed}
    texts = {name: query for name, row in views.items() if (query := _readable(row))}
    reads = {name: sources_of(query).tables for name, query in texts.items()}
    others, _ = load(catalog, {one for names in reads.values() for one in names} - rows.keys())
    there = {**others, **rows}
    known = dict(columns_of_rows((row for row in there.values() if row), catalog.storage.files).columns)
    ahead = columns_of_rows((row for row in changed.values() if row), catalog.storage.files)
    later = {key: known[key] for key in known if TableIdentifier(*key) not in changed} | dict(ahead.columns)
    found, bad = OtherTypes(), set(failing)
    for name in _sources_first(reads):
        if name in bad or bad.intersection(reads[name]):
            bad.add(name)
            continue
        now, then = _analysis(texts[name], known), _analysis(texts[name], later)
        if now is None or then is None:
            continue
        altered = dict(_altered(then, known, later))
        if problem := _refusal(now, then, altered):
            details = {"dialect": now.dialect, "source": ", ".join(map(str, altered))}
            remedy = replace_query(str(name), is_plain=texts[name].is_plain)
            found.refused[name] = Finding("column-type-changed", str(name), problem, remedy, details)
            bad.add(name)
            continue
        declared = known.get((name.namespace, name.name), ())
        if len(now.columns) == len(then.columns) == len(declared):
            found.changes += _compared(name, declared, now.columns, then.columns)
            known[name.namespace, name.name] = _typed(declared, now.columns)
            later[name.namespace, name.name] = _typed(declared, then.columns)
    found.changes.sort(key=lambda one: one.view)
    return found


def _readable(row: Row) -> ViewText | None:
    query = next(iter(texts_of(row, None)), None)
    if query is None or query.of_other_catalog or query.dialect not in ROW_DIALECTS or not query.is_readable:
        return None
    return query


def _sources_first(reads: Mapping[TableIdentifier, Sequence[TableIdentifier]]) -> list[TableIdentifier]:
    graph = {name: [one for one in names if one in reads] for name, names in reads.items()}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError:
        return []


def _analysis(query: ViewText, tables: _Known) -> QueryAnalysis | None:
    with suppress(HiveViewsError):
        found = analyze_query(QueryText(query.text, query.dialect), query.namespace, tables)
        return found if all(one.is_one for one in found.columns) else None
    return None


def _typed(declared: Sequence[Column], found: Sequence[OutputColumn]) -> list[Column]:
    return [Column(one.name, given.type or UNKNOWN_TYPE) for one, given in zip(declared, found, strict=True)]


def _compared(
    name: TableIdentifier, declared: Sequence[Column], now: Sequence[OutputColumn], then: Sequence[OutputColumn]
) -> Iterator[TypeChange]:
    for column, before, after in zip(declared, now, then, strict=True):
        types = before.derived.hive, after.derived.hive
        if types[0] is not None and types[0] != types[1]:
            yield TypeChange(str(name), column.name, types[0], types[1], column.type)


def _altered(query: QueryAnalysis, known: _Known, later: _Known) -> Iterator[tuple[TableColumn, tuple[str, str]]]:
    """The columns that a query names and that get another type."""
    for column in dict.fromkeys(use.column for use in query.uses):
        before, after = (_type_of(column, tables) for tables in (known, later))
        if before != after and UNKNOWN_TYPE not in (before, after):
            yield column, (before, after)


def _type_of(column: TableColumn, tables: _Known) -> str:
    columns = tables.get((column.table[-2], column.table[-1]), ())
    return next((one.type for one in columns if one.name == column.name), UNKNOWN_TYPE)


def _refusal(now: QueryAnalysis, then: QueryAnalysis, altered: _Altered) -> str | None:
    """Why an engine refuses an expression, or may refuse it; None where none does."""
    listed = ", ".join(f"{column} from {before} to {after}" for column, (before, after) in altered.items())
    for before, after in zip(now.columns, then.columns, strict=False):
        if _loses_its_type(before, after, altered):
            name = after.name or after.text
            return f"The type of column {name} cannot be told any more, which an engine may refuse: {listed}."
    for column, types in altered.items():
        if not _is_of_another_kind(types):
            is_number = [_family(one) for one in types] == ["text", "number"]
            if (
                is_number
                and _OF_TEXT_OR_BYTES.intersection(then.functions)
                and _is_calculated_with(column, now, then, types)
            ):
                return f"Hive refuses length() of a number: {listed}."
            continue
        clauses = sorted(use.clause.value for use in then.uses if use.column == column and use.clause in _COMPARING)
        if not clauses and _is_calculated_with(column, now, then, types):
            clauses = [Clause.SELECT.value]
        if clauses:
            return f"It uses a column of another kind in {clauses[0]}, which an engine may refuse: {listed}."
    return None


def _loses_its_type(before: OutputColumn, after: OutputColumn, altered: _Altered) -> bool:
    was, becomes = before.derived, after.derived
    if not altered or (was.spark is None and was.hive is None):
        return False
    if becomes.spark is None and becomes.hive is None:
        return True
    # A type that depends on the release of Hive is no refusal, unless kinds were mixed.
    is_mixed = any(_family(one) != _family(other) for one, other in altered.values())
    lost = [one for one, other in ((was.spark, becomes.spark), (was.hive, becomes.hive)) if one and not other]
    return is_mixed and bool(lost)


def _is_calculated_with(column: TableColumn, now: QueryAnalysis, then: QueryAnalysis, types: tuple[str, str]) -> bool:
    """Whether an output column is made of it, and is not just the column itself."""
    made = [each for each in zip(now.columns, then.columns, strict=False) if column in each[1].sources]
    return any(new.sources != (column,) or (old.type, new.type) != types for old, new in made)


def _is_of_another_kind(types: tuple[str, str]) -> bool:
    """Whether expressions of the one type may be none of the other: texts are cast to simple types, and back."""
    one, other = map(_family, types)
    return one != other and not ("text" in (one, other) and {one, other} <= _SIMPLE)


def _family(type_: str) -> str:
    with suppress(InvalidSchemaError):
        name = parse_hive_type(type_).name
        return _FAMILIES.get(name, name)
    return type_
