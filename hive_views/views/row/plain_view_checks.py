"""Checks that the text of a plain view and the columns of its row agree.

An engine has accepted the text once, so only certain contradictions are refused: a text that neither parser here can
read, a different number of columns, an alias that differs from the name, a cast to another type.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hive_views.analysis import analyze_query
from hive_views.errors import HiveViewsError, InvalidSchemaError, SQLSyntaxError
from hive_views.hive.row import Column
from hive_views.hive.types import kind_of
from hive_views.messages.counted import counted
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.hive_grammar.queries import read_query
from hive_views.sql.hive_grammar.words import NotHiveError
from hive_views.sql.hive_names import named_items
from hive_views.sql.query import QueryText

_NAMED_BY_HIVE = re.compile(r"_c\d+|\w+_window_\d+", re.IGNORECASE)


def check_text(query: QueryText) -> None:
    """
    Raises:
        SQLSyntaxError: the text is not one query.
    """
    try:
        query.check()
    except SQLSyntaxError:
        if query.dialect != "hive" or not _is_hive(query):
            raise


def _is_hive(text: str) -> bool:
    try:
        read_query(text)
    except (NotHiveError, SQLSyntaxError, RecursionError):
        return False
    return True


def names_in(query: QueryText) -> tuple[str | None, ...] | None:
    """The output columns by name, None for one whose name is unknown; None where their number is not."""
    try:
        return query.output_names
    except SQLSyntaxError:
        return None


def check_columns(query: QueryText, columns: Sequence[Column], namespace: str) -> None:
    """Make sure that the columns are those of the query, in its order.

    Args:
        query: the text of the view.
        columns: those of the row, partition columns last.
        namespace: where its names resolve.

    Raises:
        InvalidSchemaError: another number, a name or a type is certainly not that of the query.
    """
    found = names_in(query)
    if found is not None:
        _check_names(query, columns, found)
        check_types(query, columns, namespace)


def _check_names(query: QueryText, columns: Sequence[Column], found: Sequence[str | None]) -> None:
    if len(found) != len(columns):
        raise InvalidSchemaError(
            f"its SQL returns {counted(len(found), 'column')} ({_listed(found)}), the row has {len(columns)} "
            f"({_listed([column.name for column in columns])}).",
            columns=[column.name for column in columns],
        )
    others = [
        place
        for place, (name, column) in enumerate(zip(found, columns, strict=True))
        if name and name.lower() != column.name.lower() and not _NAMED_BY_HIVE.fullmatch(column.name)
    ]
    by_hive = _names_by_hive(query) if others and query.dialect in ROW_DIALECTS else []
    for place in others:
        name = columns[place].name
        if place >= len(by_hive) or name.lower() not in by_hive[place]:
            raise InvalidSchemaError(
                f"column {place + 1} of its SQL is called {found[place]}, that of the row {name}.", columns=[name]
            )


def _names_by_hive(query: QueryText) -> list[set[str]]:
    """By column, the names that Hive may give it."""
    names: list[set[str]] = []
    for item in named_items(query):
        if not item.names:
            return []
        names += [{name.lower(), (item.preferred or name).lower()} for name in item.names]
    return names


def check_types(query: QueryText, columns: Sequence[Column], namespace: str) -> None:
    """
    Raises:
        InvalidSchemaError: a column that the text casts, or that is a literal, has another type in the row.
    """
    if query.dialect not in ROW_DIALECTS:
        return
    try:
        found = analyze_query(query, namespace, {}).columns
    except HiveViewsError:
        return
    if len(found) != len(columns) or not all(one.is_one for one in found):
        return
    for one, column in zip(found, columns, strict=True):
        if one.type is not None and kind_of(one.type) != kind_of(column.type):
            raise InvalidSchemaError(
                f"column {column.name} is of type {column.type} in the row, and {one.text} is {one.type}.",
                columns=[column.name],
            )


def _listed(names: Sequence[str | None]) -> str:
    return ", ".join(name or "(no name)" for name in names)
