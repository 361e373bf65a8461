"""The analyses of the texts of a view."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from hive_views.analysis.analyzing import analyze_query
from hive_views.analysis.query_analysis import QueryAnalysis, TableColumns
from hive_views.errors import InvalidIdentifierError, InvalidInputError, SQLSyntaxError, UnsupportedFeatureError
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from hive_views.sql.tables import refuse_unread_names
from hive_views.views.row.dependencies import tables_in
from hive_views.views.text_analysis.texts import ViewText

_LINE_END = re.compile("\n")


@dataclass(frozen=True)
class TextAnalysis:
    """What one text of a view returns and reads.

    Attributes:
        dialect: what it is written in.
        query: its analysis; None where it cannot be read.
        error: why it cannot be read, or may read more than its analysis says.
        line_ends: the offsets of the line breaks in the text.
    """

    dialect: str
    query: QueryAnalysis | None
    error: str | None = None
    line_ends: tuple[int, ...] = ()

    def line_of(self, start: int | None) -> int | None:
        """The line of an offset in the text, from 1."""
        return None if start is None else bisect_left(self.line_ends, start) + 1


@dataclass(frozen=True)
class ViewAnalysis:
    """What the texts of a view return and read.

    Attributes:
        view: its name.
        texts: of each dialect; first the one that readers get from its row, if they get one.
    """

    view: TableIdentifier
    texts: tuple[TextAnalysis, ...]

    @property
    def tables(self) -> tuple[TableIdentifier, ...]:
        """The tables and views of the metastore that a text reads, each once."""
        found = (name for one in self.texts if one.query for name in one.query.tables)
        return tuple(dict.fromkeys(_identifiers(found)))

    @property
    def for_readers(self) -> TextAnalysis | None:
        """The analysis of the text that plain readers get; None where there is no text."""
        return self.texts[0] if self.texts else None

    def in_dialect(self, dialect: str | None) -> TextAnalysis | None:
        """The analysis of the text in a dialect; of the first that can be read where it is None, or there is none."""
        read = [one for one in self.texts if one.query]
        return next((one for one in read if one.dialect == dialect), next(iter(read or self.texts), None))


def parsed_once(texts: Sequence[ViewText]) -> list[ViewText]:
    """The same texts, which are parsed once, by whichever of the functions here comes first."""
    found = []
    for one in texts:
        with suppress(InvalidInputError):
            one = replace(one, text=QueryText(one.text, one.dialect))  # noqa: PLW2901 - the same text
        found.append(one)
    return found


def tables_of(texts: Sequence[ViewText]) -> tuple[TableIdentifier, ...]:
    """The tables and views of the metastore that texts name, each once; none of a text that cannot be read."""
    found: dict[TableIdentifier, None] = {}
    for one in texts:
        if _unread(one) is None:
            found |= dict.fromkeys(tables_in(one.text, one.dialect, one.namespace, one.of_other_catalog))
    return tuple(found)


def analyze_texts(view: TableIdentifier, texts: Sequence[ViewText], tables: TableColumns) -> ViewAnalysis:
    """The analyses of the texts of a view; a text that cannot be read is no error, and says why.

    Args:
        view: its name.
        texts: as ``texts_of`` gives them.
        tables: the columns of what they read, as far as they are known.
    """
    return ViewAnalysis(view, tuple(_analyzed(one, tables) for one in texts))


def _analyzed(text: ViewText, tables: TableColumns) -> TextAnalysis:
    error, ends = _unread(text), tuple(found.start() for found in _LINE_END.finditer(text.text))
    if error is not None:
        return TextAnalysis(text.dialect, None, error, ends)
    try:
        query = QueryText(text.text, text.dialect)
        found = analyze_query(query, text.namespace, tables, text.of_other_catalog)
    except (InvalidInputError, UnsupportedFeatureError) as failure:
        return TextAnalysis(text.dialect, None, str(failure), ends)
    try:
        refuse_unread_names(query)
    except SQLSyntaxError as failure:
        error = str(failure)
    return TextAnalysis(text.dialect, found, error, ends)


def _unread(text: ViewText) -> str | None:
    """Why a text is not even parsed."""
    if text.damage:
        return f"{text.damage[0].upper()}{text.damage[1:]}."
    return None if text.is_readable else f"Only {text.dialect} itself can parse this SQL."


def _identifiers(names: Sequence[tuple[str, ...]] | Iterator[tuple[str, ...]]) -> Iterator[TableIdentifier]:
    for name in names:
        with suppress(InvalidIdentifierError):
            if len(name) == 2:
                yield TableIdentifier(*name)
