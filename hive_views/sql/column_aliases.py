"""The aliases that give the output columns of a query the names of a view's columns."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from hive_views.errors import InvalidSchemaError
from hive_views.sql import parser
from hive_views.sql.outline import AUTOMATIC_NAME, OutputItem, ParsedQuery
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_identifier
from hive_views.sql.text_edits import Edit


def column_edits(
    query: QueryText, columns: Sequence[str], star_columns: Sequence[str], view_name: str
) -> Iterator[Edit]:
    """The edits that give every output column its name: aliases or, where these do not suffice, an outer query."""
    outline = query.outline
    items = _with_generators_counted(outline, columns)
    wraps = any(item.is_star for item in items)
    inner = list(star_columns if wraps else columns)
    placed = list(zip(items, _positions(items, len(columns)), strict=True))
    own = {place for item, at in placed if at is not None for place in range(at, at + len(item.names))}
    starred = {name for place, name in enumerate(folded(inner)) if wraps and place not in own}
    kept = {name for item, at in placed if at is not None for name in _kept_names(outline, item, columns[at:], starred)}
    kept |= starred
    called = parser.names_for_sorting(query.statement) if outline.mentioned else (None,) * len(items)
    for (item, at), name in zip(placed, called, strict=True):
        if at is None:
            _check_between_stars(outline, item)
            continue
        targets = columns[at : at + len(item.names)]
        if edit := _automatic_alias(outline, item, targets):
            yield edit
            inner[at] = targets[0]
            continue
        keeps, names = _names_inside(outline, item, targets, at, name, kept, starred)
        inner[at : at + len(names)] = names
        if not keeps:
            yield Edit(item.end, item.end, f" AS {_alias_list(names)}")
        wraps = wraps or (keeps and not item.aliased) or folded(names) != folded(targets)
    if wraps:
        yield from _wrapped(outline, inner, columns, view_name)


def _wrapped(outline: ParsedQuery, inner: Sequence[str], columns: Sequence[str], view_name: str) -> Iterator[Edit]:
    if outline.is_limited_bracket and outline.dialect == "hive":
        raise outline.error(
            f"Hive allows parentheses followed by LIMIT or a sort clause only at the top level, and this query has to "
            f"become a subquery of one that names its columns ({', '.join(columns)}): remove the parentheses.",
            outline.body,
        )
    if len(set(folded(inner))) < len(inner):
        raise InvalidSchemaError(
            f"Two output columns of the query have the same name ({', '.join(inner)}), so an outer query cannot tell "
            f"them apart: in the SQL, give each column the alias that it has in the schema ({', '.join(columns)}).",
            columns=tuple(columns),
        )
    pairs = zip(inner, columns, strict=True)
    listed = ", ".join(f"{quote_identifier(name)} AS {quote_identifier(column)}" for name, column in pairs)
    yield Edit(outline.body, outline.body, f"SELECT {listed} FROM (")  # noqa: S608 - quoted, and never run here
    yield Edit(len(outline.text), len(outline.text), f") {quote_identifier(view_name)}")


def _kept_names(
    outline: ParsedQuery, item: OutputItem, targets: Sequence[str], starred: AbstractSet[str]
) -> tuple[str, ...]:
    """The names, in lower case, of the columns of an item that stays as typed; () where it gets an alias.

    ``starred`` are the names of the columns behind stars, which no alias may repeat.
    """
    own = folded([name for name in item.names if name is not None])
    if item.aliased or not own:
        return own
    # Hive sorts by output columns only, and an alias removes the table's name: after `SELECT t.a AS a`, it
    # refuses `ORDER BY t.a`. Nor may a new name shadow one that a clause refers to, or capture a reference to another.
    wanted = folded(targets[: len(own)])
    referred_to = outline.sorted_by_qualified if own == wanted else outline.mentioned
    return () if referred_to.isdisjoint({*own, *wanted}) and starred.isdisjoint(wanted) else own


def _names_inside(
    outline: ParsedQuery,
    item: OutputItem,
    targets: Sequence[str],
    at: int,
    called: str | None,
    kept: Container[str],
    starred: AbstractSet[str],
) -> tuple[bool, tuple[str, ...]]:
    """Whether the item stays as typed, and the names of its columns in the query, where others keep ``kept``."""
    if _kept_names(outline, item, targets, starred):
        return True, tuple(name for name in item.names if name is not None)
    if None not in item.names:
        return False, tuple(targets)
    # Clauses may refer to an expression by the name that the engines give it.
    if called in outline.mentioned and called not in kept:
        return False, (called,)
    automatic = [f"_c{position}" for position in range(at, at + len(targets))]
    clash = not outline.mentioned.isdisjoint({*folded(targets), *automatic})
    clash = clash or any(name in kept for name in folded(targets))
    return False, tuple(automatic if clash else targets)


def _automatic_alias(outline: ParsedQuery, item: OutputItem, targets: Sequence[str]) -> Edit | None:
    """The alias of the schema in place of one like ``_c1``, which Hive takes for a generated name.

    Hive would name the column as in the table (SemanticAnalyzer.recommendName), also in a subquery.
    """
    own = item.names[0] if item.aliased and len(item.names) == 1 else None
    if own is None or not AUTOMATIC_NAME.fullmatch(own) or own.lower() == targets[0].lower():
        return None
    if not outline.mentioned.isdisjoint({*folded([own]), *folded(targets)}):
        return None
    written = quote_identifier(own)
    if not outline.text.endswith(written, 0, item.end):  # without backticks, Hive does not allow it
        return None
    return Edit(item.end - len(written), item.end, quote_identifier(targets[0]))


def _with_generators_counted(outline: ParsedQuery, columns: Sequence[str]) -> list[OutputItem]:
    """The items; a table-generating function without aliases is assumed to yield those of no other item."""
    unknown = [item for item in outline.items if not item.names]
    generator = next((item for item in unknown if item.generator), None)
    if generator is None:
        return list(outline.items)
    if len(unknown) > 1:
        raise outline.error(
            "the columns of this function are hidden by a star; add AS (...) to it.",
            generator.start,
            expected="AS",
        )
    rest = len(columns) - sum(len(item.names) for item in outline.items)
    return [replace(item, names=(None,) * rest) if item is generator else item for item in outline.items]


def _positions(items: Sequence[OutputItem], count: int) -> list[int | None]:
    """The number of each item's first column in the schema; None from the first star to the last.

    Before the first star it is counted from the front, after the last from the back.
    """
    stars = [index for index, item in enumerate(items) if item.is_star] or [len(items)]
    widths = [len(item.names) for item in items]
    before = [sum(widths[:index]) if index < stars[0] else None for index in range(len(items))]
    return [count - sum(widths[index:]) if index > stars[-1] else position for index, position in enumerate(before)]


def _check_between_stars(outline: ParsedQuery, item: OutputItem) -> None:
    if not item.is_star and None in item.names:
        raise outline.error(
            "the position of this column is hidden by the stars around it; add AS and its name.",
            item.start,
            expected="AS",
        )


def _alias_list(names: Sequence[str]) -> str:
    quoted = ", ".join(quote_identifier(name) for name in names)
    return f"({quoted})" if len(names) > 1 else quoted


def folded(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)
