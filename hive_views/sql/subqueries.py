"""Subqueries in place of the views that a query reads, so that an engine can analyze it before these views exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from hive_views.errors import UnsupportedFeatureError
from hive_views.sql import parser
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.sql.outline import NamePart, TablePlace
from hive_views.sql.query import QueryText
from hive_views.sql.text_edits import Edit, edited

_LONGEST = 1_000_000


def subquery_edits(
    query: QueryText,
    namespace: str,
    subqueries: Mapping[tuple[str, str], str],
    catalogs: Collection[str] = METASTORE_CATALOGS,
) -> list[Edit]:
    """The edits that put subqueries in place of views, and give all other tables full names.

    A view without an alias becomes one under its own name; ``namespace.view.column`` becomes ``view.column``.

    Args:
        query: one query.
        namespace: where names of one part are.
        subqueries: queries by ``(namespace, name)`` in lower case.
        catalogs: what the metastore is called in names of three parts, in lower case.

    Raises:
        SQLSyntaxError: it is not one query, or may read tables that are not found.
        UnsupportedFeatureError: something follows a view that cannot follow a subquery (a sample).
    """
    parser.refuse_unread_names(query.tokens)
    places = parser.replaceable_tables(query.statement)
    replaced: set[tuple[str, str]] = set()
    edits: list[Edit] = []
    for place in places:
        name = _in_metastore(place.parts, namespace, catalogs)
        subquery = None if name is None else subqueries.get(name)
        if name is not None and subquery is not None:
            edits.append(_replacement(query, place, subquery))
            replaced.add(name)
        elif len(place.parts) == 1:
            start = place.parts[0].start
            edits.append(Edit(start, start, f"{parser.quoted_name(namespace, query.dialect)}."))
    if replaced:
        edits += _without_namespace(places[0].columns, replaced, catalogs)
    return edits


def without_with(query: QueryText) -> str:
    """The text with subqueries in place of what its WITH clauses define: Hive takes these in few subqueries.

    Raises:
        SQLSyntaxError: it is not one query, or a definition names its columns.
        UnsupportedFeatureError: it would be too long.
    """
    definitions = parser.definitions(query.statement)
    clauses = {one.clause for one in definitions}
    places = [(place, one) for one in definitions for place in one.places]

    @cache
    def part(start: int, end: int) -> str:
        # What is in a clause there is written where it is read.
        removed = [(first, last) for first, last in clauses if start <= first and last <= end]
        edits = [Edit(first, last, "") for first, last in _outermost(removed)]
        for place, definition in places:
            name = place.parts[0]
            inside = any(first <= name.start < last for first, last in removed)
            if start <= name.start < end and not inside:
                edits.append(_replacement(query, place, part(*definition.query)))
        shifted = [Edit(first - start, last - start, text) for first, last, text in edits]
        made = edited(query[start:end], shifted)
        if len(made) > _LONGEST:
            raise UnsupportedFeatureError("With the queries of its WITH clauses where they are read, it is too long.")
        return made

    return part(0, len(query))


def _outermost(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return [
        (start, end)
        for start, end in spans
        if not any((first, last) != (start, end) and first <= start and end <= last for first, last in spans)
    ]


def _replacement(query: QueryText, place: TablePlace, subquery: str) -> Edit:
    if place.has_clause:
        raise UnsupportedFeatureError(
            f"What follows {'.'.join(part.text for part in place.parts)}, a sample or a version, cannot follow a "
            f"subquery."
        )
    # A comment may end the query.
    alias = "" if place.has_alias else f" {parser.quoted_name(place.parts[-1].text, query.dialect)}"
    return Edit(place.parts[0].start, place.parts[-1].end, f"({subquery}\n){alias}")


def _in_metastore(parts: Sequence[NamePart], namespace: str, catalogs: Collection[str]) -> tuple[str, str] | None:
    texts = [part.text.lower() for part in parts]
    if len(texts) == 3 and texts[0] in catalogs:
        texts = texts[1:]
    if len(texts) > 2:
        return None
    return (namespace, texts[0]) if len(texts) == 1 else (texts[0], texts[1])


def _without_namespace(
    columns: Sequence[Sequence[NamePart]], replaced: Collection[tuple[str, str]], catalogs: Collection[str]
) -> Iterator[Edit]:
    for parts in columns:
        texts = [part.text.lower() for part in parts]
        first = 1 if texts[0] in catalogs and tuple(texts[1:3]) in replaced else 0
        if tuple(texts[first : first + 2]) in replaced and len(texts) > first + 2:
            yield Edit(parts[0].start, parts[first + 1].start, "")
