"""The expanded text of a view: what a metastore row carries for plain readers.

Made by edits of the text as typed: one generated from a syntax tree would lose comments, literals and functions as the
user wrote them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hive_views.errors import InvalidSchemaError, SQLSyntaxError
from hive_views.messages.remedy import Remedy
from hive_views.sql import parser
from hive_views.sql.column_aliases import column_edits, folded
from hive_views.sql.dialects import ROW_DIALECTS, require_row_dialect
from hive_views.sql.hive_grammar.queries import read_query
from hive_views.sql.hive_grammar.words import NotHiveError, is_plain_name
from hive_views.sql.outline import WRITTEN_NAME, NamePart, ParsedQuery
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_identifier, safe_literals
from hive_views.sql.text_edits import Edit, edited, place_before

_FOR_HIVE = Remedy(
    in_python="Rewrite it, or, if only Hive reads the view, set the property hive-views.for=hive.",
    in_shell="Rewrite it, or, if only Hive reads the view, use --for hive (in SQL, set the property hive-views.for to "
    "hive).",
)


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
    dialect, outline = require_row_dialect(query.dialect), query.outline
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
    edits += column_edits(query, columns, columns if star_columns is None else star_columns, view_name)
    text = edited(outline.text, edits)
    if dialect == "hive":
        text = _as_hive_reads(outline, text, edits, readers)
    expanded = safe_literals(QueryText(text.strip(), dialect))
    _check_result(outline, expanded, columns)
    return str(expanded)


def as_in_row(query: QueryText) -> str:
    """A text of the dialect ``hive`` with the parentheses of the expanded one, and its names as typed.

    An engine that is asked about it answers for the text that the row will have: ``'a' || a + 1`` is a string there, as
    in Hive, but a number in Spark without parentheses.

    Raises:
        SQLSyntaxError: it is not one query, or not in Hive's grammar.
    """
    outline = query.outline
    edits = [*(Edit(bracket, bracket + 1, "") for bracket in outline.brackets), *_quoted(outline)]
    text = _as_hive_reads(outline, edited(outline.text, edits), edits, ()).strip()
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
    _as_hive_reads(outline, edited(outline.text, edits), edits, readers)


def _resolved(outline: ParsedQuery, namespace: str) -> list[Edit]:
    """The edits that make every name unambiguous, and remove parentheses around the query."""
    if outline.dialect == "hive" and outline.other_in_hive:
        name = outline.other_in_hive[0]
        raise outline.error(
            f"Hive treats {name.text} as a definition of a WITH clause that is out of scope here in Spark, which "
            f"treats it as another definition or a table. Define it earlier, use another name, or put the database "
            f"before the table name.",
            name.start,
        )
    edits = [Edit(bracket, bracket + 1, "") for bracket in outline.brackets]
    edits += [edit for parts in outline.tables for edit in _qualified(outline, parts, namespace)]
    edits += _quoted(outline) if outline.dialect == "hive" else ()
    return edits


def _quoted(outline: ParsedQuery) -> Iterator[Edit]:
    """Backticks for names that are keywords of Hive, or that its lexer splits."""
    tables = {part.start for parts in outline.tables for part in parts}
    for name in outline.names:
        if name.start not in tables and name.end <= len(outline.text) and not is_plain_name(name.text):
            yield Edit(name.start, name.end, quote_identifier(name.text))


def _as_hive_reads(outline: ParsedQuery, text: str, edits: Sequence[Edit], readers: Sequence[str]) -> str:
    """The edited text, with parentheses where Hive and Spark would read it differently.

    Raises:
        SQLSyntaxError: Hive, or one of the readers, does not accept the text.
    """
    try:
        read = read_query(text)
    except (NotHiveError, SQLSyntaxError) as error:
        place = place_before(edits, error.offset or 0)
        raise outline.error(error.problem, place, expected=error.expected) from error
    except RecursionError as error:
        raise outline.error("it is nested too deeply to be parsed.") from error
    for engine, offset, problem in sorted(read.unread, key=lambda one: one.offset):
        if engine in readers:
            remedy = _FOR_HIVE if engine == "spark" else None
            raise outline.error(problem, place_before(edits, offset), remedy=remedy)
    return read.applied_to(text)


def _qualified(outline: ParsedQuery, parts: tuple[NamePart, ...], namespace: str) -> Iterator[Edit]:
    if len(parts) == 3 and outline.dialect == "spark" and parts[0].text.lower() == "spark_catalog":
        yield Edit(parts[0].start, parts[1].start, "")
        parts = parts[1:]
    if len(parts) > 2:
        name = ".".join(part.text for part in parts)
        raise outline.error(
            f"{name} names a catalog, but plain readers of the metastore find only tables named namespace.table. Use a "
            f"table of this metastore.",
            parts[0].start,
            expected="namespace.table",
        )
    if len(parts) == 1:
        yield Edit(parts[0].start, parts[0].start, quote_identifier(namespace) + ".")
    for part in parts:
        written = outline.text[part.start : part.end]
        # Spark's `(TABLE t)` is the table t, which the parser takes for a table called `table`.
        if not WRITTEN_NAME.fullmatch(written) or written.lower() == "table":
            problem = f"{written} is not a plain table name; write it in backticks."
            raise outline.error(problem, part.start, expected="a name in backticks")
        if not written.startswith("`"):
            yield Edit(part.start, part.end, quote_identifier(part.text))


def _check_widths(outline: ParsedQuery, columns: Sequence[str]) -> None:
    if len(set(folded(columns))) < len(columns):
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


def _check_result(outline: ParsedQuery, expanded: QueryText, columns: Sequence[str]) -> None:
    """The parser accepts texts that no engine does, whose aliases may not be any: better no text than a wrong one."""
    problem = f"its columns cannot be named {', '.join(columns)}; write these aliases in backticks."
    try:
        found = expanded.output_names or ()
    except SQLSyntaxError as error:
        raise outline.error(problem) from error
    if folded([str(name) for name in found]) != folded(columns):
        raise outline.error(problem)


def _check_stars(query: QueryText, columns: Sequence[str], star_columns: Sequence[str] | None) -> None:
    if star_columns is not None and len(star_columns) != len(columns):
        raise InvalidSchemaError(
            f"The columns that a star stands for are not known, and the view has {len(columns)} "
            f"({', '.join(columns)}): list them in the query.",
            columns=tuple(columns),
        )
    unnamed = parser.unnamed_in_star(query.statement)
    if unnamed is not None:
        raise InvalidSchemaError(
            f"A star stands for a column without a name, {unnamed[:60]}, which every engine names differently: add AS "
            f"and a name to it.",
            columns=tuple(columns),
        )


def _listed_items(outline: ParsedQuery) -> str:
    """The select list as the user knows it: names, and the beginning of what has none."""
    texts = [(outline.text[item.start : item.end][:40], item.names or (None,)) for item in outline.items]
    return ", ".join(name or text for text, names in texts for name in names)
