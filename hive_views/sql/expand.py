"""The expanded text of a view: what a metastore row carries for plain readers.

Made by edits of the text as typed: one generated from a syntax tree would lose comments, literals and functions as the
user wrote them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

from hive_views.errors import InvalidSchemaError, SQLSyntaxError
from hive_views.messages.remedy import Remedy
from hive_views.sql import parser
from hive_views.sql.dialects import ROW_DIALECTS, row_dialect
from hive_views.sql.hive_grammar.queries import read_query
from hive_views.sql.hive_grammar.words import NotHiveError, is_plain_name
from hive_views.sql.outline import AUTOMATIC_NAME, WRITTEN_NAME, NamePart, OutputItem, ParsedQuery
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_identifier, safe_literals
from hive_views.sql.syntax_errors import syntax_error

_FOR_HIVE = Remedy(
    in_python="Rewrite it, or, if only Hive reads the view, set the property hive-views.for=hive.",
    in_shell="Rewrite it, or, if only Hive reads the view, use --for hive (in SQL, the property hive-views.for=hive).",
)


class _Edit(NamedTuple):
    start: int
    end: int
    replacement: str


def expand(
    query: QueryText,
    *,
    columns: Sequence[str],
    namespace: str,
    view_name: str,
    star_columns: Sequence[str] | None = None,
    readers: Sequence[str] = ROW_DIALECTS,
) -> str:
    r"""The text that Hive, Spark, Impala and Trino read alike, whatever database the reader's session is in.

    It is the text as typed, edited in place: tables get their namespace and backticks, output columns the names of the
    schema as aliases, string literals a spelling that survives (``safe_literals``). Parentheses around the query, and
    semicolons and comments after it, are removed. Where an alias in the select list does not suffice (a star hides the
    columns, the query has an alias of its own, a sort clause refers to names as typed), the whole query is wrapped in a
    SELECT that names the columns. Expanding the result again changes nothing.

    Args:
        query: as typed, in the dialect ``hive`` or ``spark``; in the latter a leading ``spark_catalog.`` is left out.
        columns: the names of the view's columns, partition columns last.
        namespace: the database of unqualified tables.
        view_name: the alias of the wrapped query.
        star_columns: the names of the query's own columns by position, where a star hides them; by default the view's.
        readers: the engines, by dialect, that have to read a Hive text; what one of them cannot read is refused.

    Raises:
        SQLSyntaxError: the text is not one query, is not in Hive's grammar, names a table in another catalog, or
            cannot be read by one of the readers.
        InvalidSchemaError: the query does not have these columns.
        UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
    """
    dialect, outline = row_dialect(query.dialect), query.outline
    edits = _resolved(outline, namespace)
    _check_widths(outline, columns)
    if any(item.is_star for item in outline.items):
        _check_stars(query, columns, star_columns)
    if dialect == "hive" and "hive" in readers and outline.other_widths and parser.is_half_open(query.statement):
        raise InvalidSchemaError(
            "One branch of the query selects a star from a table, and another lists its columns: once the table gets "
            "another column, no engine can read the view. List the columns instead of the star.",
            columns=tuple(columns),
        )
    edits += _named(query, columns, columns if star_columns is None else star_columns, view_name)
    text = _edited(outline.text, edits)
    if dialect == "hive":
        text = _as_hive_reads(outline, text, edits, readers)
    expanded = safe_literals(QueryText(text.strip(), dialect))
    _check_result(query, expanded, columns)
    return str(expanded)


def as_in_row(query: QueryText) -> str:
    """A text of the dialect ``hive`` with the parentheses of the expanded one, and its names as typed.

    An engine that is asked about it answers for the text that the row will have: ``'a' || a + 1`` is a string there, as
    in Hive, but a number in Spark without parentheses.

    Raises:
        SQLSyntaxError: it is not one query, or not in Hive's grammar.
    """
    outline = query.outline
    edits = [*(_Edit(bracket, bracket + 1, "") for bracket in outline.brackets), *_quoted(outline)]
    text = _as_hive_reads(outline, _edited(outline.text, edits), edits, ()).strip()
    return str(safe_literals(QueryText(text, "hive")))


def check_hive_text(query: QueryText, readers: Sequence[str]) -> None:
    """Refuse a text of the dialect ``hive`` that no view can have, whatever its columns.

    Args:
        query: as typed.
        readers: as for ``expand``.

    Raises:
        SQLSyntaxError: as ``expand``.
    """
    outline = query.outline
    edits = _resolved(outline, "default")
    _as_hive_reads(outline, _edited(outline.text, edits), edits, readers)


def _error(
    outline: ParsedQuery, problem: str, start: int, *, expected: str | None = None, remedy: Remedy | None = None
) -> SQLSyntaxError:
    return syntax_error(outline.text, outline.dialect, problem, start, expected=expected, remedy=remedy)


def _resolved(outline: ParsedQuery, namespace: str) -> list[_Edit]:
    """The edits that make every name unambiguous, and remove parentheses around the query."""
    if outline.dialect == "hive" and outline.other_in_hive:
        name = outline.other_in_hive[0]
        raise _error(
            outline,
            f"Hive takes {name.text} for a definition of a WITH clause that is out of scope here in Spark, which takes "
            f"it for another definition or a table. Define it earlier, use another name, or put the database before "
            f"the table name.",
            name.start,
        )
    edits = [_Edit(bracket, bracket + 1, "") for bracket in outline.brackets]
    edits += [edit for parts in outline.tables for edit in _qualified(outline, parts, namespace)]
    edits += _quoted(outline) if outline.dialect == "hive" else ()
    return edits


def _edited(text: str, edits: Sequence[_Edit]) -> str:
    pieces, done = [], 0
    for start, end, replacement in sorted(edits, key=lambda edit: edit.start):
        pieces += [text[done:start], replacement]
        done = end
    return "".join([*pieces, text[done:]])


def _place_before(edits: Sequence[_Edit], position: int) -> int:
    """The position in the text as typed of what is at this position of the edited one; of inserted text, its edit's."""
    shift = 0
    for start, end, replacement in sorted(edits, key=lambda edit: edit.start):
        if position < start + shift:
            break
        if position < start + shift + len(replacement):
            return start
        shift += len(replacement) - (end - start)
    return position - shift


def _quoted(outline: ParsedQuery) -> Iterator[_Edit]:
    """Backticks for names that are keywords of Hive, or that its lexer splits."""
    tables = {part.start for parts in outline.tables for part in parts}
    for name in outline.names:
        if name.start not in tables and name.end <= len(outline.text) and not is_plain_name(name.text):
            yield _Edit(name.start, name.end, quote_identifier(name.text))


def _as_hive_reads(outline: ParsedQuery, text: str, edits: Sequence[_Edit], readers: Sequence[str]) -> str:
    """The edited text, with parentheses where Hive and Spark would read it differently.

    Raises:
        SQLSyntaxError: Hive, or one of the readers, does not accept the text.
    """
    try:
        read = read_query(text)
    except (NotHiveError, SQLSyntaxError) as error:
        place = _place_before(edits, error.offset or 0)
        raise _error(outline, error.problem, place, expected=error.expected) from error
    except RecursionError as error:
        raise syntax_error(outline.text, "hive", "it is nested too deeply to be parsed.") from error
    for engine, offset, problem in sorted(read.unread, key=lambda one: one.offset):
        if engine in readers:
            remedy = _FOR_HIVE if engine == "spark" else None
            raise _error(outline, problem, _place_before(edits, offset), remedy=remedy)
    return read.applied_to(text)


def _qualified(outline: ParsedQuery, parts: tuple[NamePart, ...], namespace: str) -> Iterator[_Edit]:
    if len(parts) == 3 and outline.dialect == "spark" and parts[0].text.lower() == "spark_catalog":
        yield _Edit(parts[0].start, parts[1].start, "")
        parts = parts[1:]
    if len(parts) > 2:
        name = ".".join(part.text for part in parts)
        raise _error(
            outline,
            f"{name} names a catalog, but plain readers of the metastore find only tables named namespace.table. Use a "
            f"table of this metastore.",
            parts[0].start,
            expected="namespace.table",
        )
    if len(parts) == 1:
        yield _Edit(parts[0].start, parts[0].start, quote_identifier(namespace) + ".")
    for part in parts:
        written = outline.text[part.start : part.end]
        # Spark's `(TABLE t)` is the table t, which the parser takes for a table called `table`.
        if not WRITTEN_NAME.fullmatch(written) or written.lower() == "table":
            problem = f"{written} is not a plain table name; write it in backticks."
            raise _error(outline, problem, part.start, expected="a name in backticks")
        if not written.startswith("`"):
            yield _Edit(part.start, part.end, quote_identifier(part.text))


def _check_widths(outline: ParsedQuery, columns: Sequence[str]) -> None:
    if len(set(_folded(columns))) < len(columns):
        raise InvalidSchemaError(
            f"Two columns of the view have the same name (case does not matter): {', '.join(columns)}. Rename one.",
            columns=tuple(columns),
        )
    found = [name for item in outline.items for name in item.names]
    unknown = sum(not item.names for item in outline.items)
    if len(found) + unknown > len(columns) or (not unknown and len(found) != len(columns)):
        count = f"{'at least ' if unknown else ''}{len(found) + unknown}"
        raise InvalidSchemaError(
            f"The query has {count} output columns ({_listed_items(outline)}), but the schema has {len(columns)} "
            f"({', '.join(columns)}): give the view exactly the columns of its query.",
            columns=tuple(columns),
        )
    for number, width in enumerate(outline.other_widths, start=2):
        if width is not None and width != len(columns):
            raise InvalidSchemaError(
                f"Branch {number} of the query has {width} output columns, but the schema has {len(columns)} "
                f"({', '.join(columns)}): all branches need the same number.",
                columns=tuple(columns),
            )


def _check_result(query: QueryText, expanded: QueryText, columns: Sequence[str]) -> None:
    """The parser accepts texts that no engine does, whose aliases may not be any: better no text than a wrong one."""
    problem = f"its columns cannot be named {', '.join(columns)}; write these aliases in backticks."
    try:
        found = expanded.output_names or ()
    except SQLSyntaxError as error:
        raise syntax_error(query, query.dialect, problem) from error
    if _folded([str(name) for name in found]) != _folded(columns):
        raise syntax_error(query, query.dialect, problem)


def _named(query: QueryText, columns: Sequence[str], star_columns: Sequence[str], view_name: str) -> Iterator[_Edit]:
    """The edits that give every output column its name: aliases or, where these do not suffice, an outer query."""
    outline = query.outline
    items = _with_generators_counted(outline, columns)
    wraps = any(item.is_star for item in items)
    inner = list(star_columns if wraps else columns)
    placed = list(zip(items, _positions(items, len(columns)), strict=True))
    own = {place for item, at in placed if at is not None for place in range(at, at + len(item.names))}
    starred = {name for place, name in enumerate(_folded(inner)) if wraps and place not in own}
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
            yield _Edit(item.end, item.end, f" AS {_alias_list(names)}")
        wraps = wraps or (keeps and not item.aliased) or _folded(names) != _folded(targets)
    if wraps:
        yield from _wrapped(outline, inner, columns, view_name)


def _wrapped(outline: ParsedQuery, inner: Sequence[str], columns: Sequence[str], view_name: str) -> Iterator[_Edit]:
    if outline.is_limited_bracket and outline.dialect == "hive":
        raise _error(
            outline,
            f"Hive allows parentheses followed by LIMIT or a sort clause only at the top level, and this query has to "
            f"become a subquery of one that names its columns ({', '.join(columns)}): remove the parentheses.",
            outline.body,
        )
    if len(set(_folded(inner))) < len(inner):
        raise InvalidSchemaError(
            f"Two output columns of the query have the same name ({', '.join(inner)}), so an outer query cannot tell "
            f"them apart: in the text, give each column the alias that it has in the schema ({', '.join(columns)}).",
            columns=tuple(columns),
        )
    pairs = zip(inner, columns, strict=True)
    listed = ", ".join(f"{quote_identifier(name)} AS {quote_identifier(column)}" for name, column in pairs)
    yield _Edit(outline.body, outline.body, f"SELECT {listed} FROM (")  # noqa: S608 - quoted, and never run here
    yield _Edit(len(outline.text), len(outline.text), f") {quote_identifier(view_name)}")


def _kept_names(
    outline: ParsedQuery, item: OutputItem, targets: Sequence[str], starred: AbstractSet[str]
) -> tuple[str, ...]:
    """In lower case, what the columns of an item are called that stays as typed; () where it gets an alias.

    ``starred`` are the names of the columns that stars stand for, which no alias may repeat.
    """
    own = _folded([name for name in item.names if name is not None])
    if item.aliased or not own:
        return own
    # Hive sorts by output columns alone, and an alias takes the table's name off: after `SELECT t.a AS a`, it
    # refuses `ORDER BY t.a`. Nor may a new name hide one that a clause means, or catch what means another column.
    wanted = _folded(targets[: len(own)])
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
    """Whether the item stays as typed, and what its columns are called in the query then, where others are ``kept``."""
    if _kept_names(outline, item, targets, starred):
        return True, tuple(name for name in item.names if name is not None)
    if None not in item.names:
        return False, tuple(targets)
    # An expression may be referred to by the name that the engines themselves give it.
    if called in outline.mentioned and called not in kept:
        return False, (called,)
    automatic = [f"_c{position}" for position in range(at, at + len(targets))]
    clash = not outline.mentioned.isdisjoint({*_folded(targets), *automatic})
    clash = clash or any(name in kept for name in _folded(targets))
    return False, tuple(automatic if clash else targets)


def _automatic_alias(outline: ParsedQuery, item: OutputItem, targets: Sequence[str]) -> _Edit | None:
    """The alias that the schema has in place of one like ``_c1``, which Hive takes for its own.

    It calls the column by its name in the table then (SemanticAnalyzer.recommendName), in a query inside as well.
    """
    own = item.names[0] if item.aliased and len(item.names) == 1 else None
    if own is None or not AUTOMATIC_NAME.fullmatch(own) or own.lower() == targets[0].lower():
        return None
    if not outline.mentioned.isdisjoint({*_folded([own]), *_folded(targets)}):
        return None
    written = quote_identifier(own)
    if not outline.text.endswith(written, 0, item.end):  # without backticks, Hive does not take it
        return None
    return _Edit(item.end - len(written), item.end, quote_identifier(targets[0]))


def _check_stars(query: QueryText, columns: Sequence[str], star_columns: Sequence[str] | None) -> None:
    if star_columns is not None and len(star_columns) != len(columns):
        raise InvalidSchemaError(
            f"The columns that a star stands for are not known, and the view has {len(columns)} "
            f"({', '.join(columns)}): list them in the text.",
            columns=tuple(columns),
        )
    unnamed = parser.unnamed_in_star(query.statement)
    if unnamed is not None:
        raise InvalidSchemaError(
            f"A star stands for a column without a name, {unnamed[:60]}, which every engine names differently: add AS "
            f"and a name to it.",
            columns=tuple(columns),
        )


def _with_generators_counted(outline: ParsedQuery, columns: Sequence[str]) -> list[OutputItem]:
    """The items; a table generating function without aliases is taken to yield all columns that no other item does."""
    unknown = [item for item in outline.items if not item.names]
    generator = next((item for item in unknown if item.generator), None)
    if generator is None:
        return list(outline.items)
    if len(unknown) > 1:
        raise _error(
            outline,
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
        raise _error(
            outline,
            "the position of this column is hidden by the stars around it; add AS and its name.",
            item.start,
            expected="AS",
        )


def _alias_list(names: Sequence[str]) -> str:
    quoted = ", ".join(quote_identifier(name) for name in names)
    return f"({quoted})" if len(names) > 1 else quoted


def _folded(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def _listed_items(outline: ParsedQuery) -> str:
    """The select list as the user knows it: names, and the beginning of what has none."""
    texts = [(outline.text[item.start : item.end][:40], item.names or (None,)) for item in outline.items]
    return ", ".join(name or text for text, names in texts for name in names)
