"""The lineage of one view: its row and file, and those of all views that it reads, down to tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hive_views.analysis.lineage import Lineage, LineageStep
from hive_views.base_tables.declared_columns import columns_of_rows
from hive_views.errors import HiveViewsError
from hive_views.hive.row import POINTER, Column, Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.text_analysis.outputs import outputs_of
from hive_views.views.text_analysis.texts import ViewText, texts_of
from hive_views.views.text_analysis.view_analysis import ViewAnalysis, analyze_texts, parsed_once, tables_of
from hive_views.views.view import is_lost, view_at

Found = Mapping[TableIdentifier, Row | HiveViewsError]
"""Rows by their names, or why they cannot be read; those that do not exist are left out."""


def lineage_of(
    load: Callable[[Iterable[TableIdentifier]], Found],
    storage: MetadataStorage,
    row: Row,
    column: str | None = None,
    *,
    dialect: str | None = None,
) -> Lineage:
    """Where the columns of a view, managed or plain, come from.

    What cannot be read on the way is told among ``Lineage.problems``.

    Args:
        load: reads the rows of many names.
        storage: where the files of managed views are.
        row: of the view.
        column: of the view; by default all.
        dialect: the text to follow, in each view that has one in it; by default the one that plain readers get.

    Raises:
        NotFoundError: the view has no such column.
        UnavailableError: as ``load``.
    """
    rows: dict[TableIdentifier, Row | HiveViewsError] = {row.identifier: row}
    steps: dict[TableIdentifier, LineageStep] = {}
    columns: dict[tuple[str, str], Sequence[Column]] = {**columns_of_rows([row], storage.files).columns}
    level = [row]
    while level:
        texts = dict(zip((one.identifier for one in level), _texts(storage, level), strict=True))
        read = {name: () if isinstance(ones, HiveViewsError) else tables_of(ones) for name, ones in texts.items()}
        found_rows = load({one for ones in read.values() for one in ones} - {*rows})
        rows |= found_rows
        new = [one for one in found_rows.values() if isinstance(one, Row)]
        columns |= columns_of_rows(new, storage.files).columns
        for one in level:
            name, found = one.identifier, texts[one.identifier]
            if isinstance(found, HiveViewsError):
                steps[name] = LineageStep((name.namespace, name.name), problem=str(found))
            else:
                steps[name] = _step(one, analyze_texts(name, found, columns), dialect, rows)
        level = [one for one in rows.values() if isinstance(one, Row) and one.is_view and one.identifier not in steps]
    name = row.identifier
    whole = Lineage((name.namespace, name.name), {one.name: one for one in steps.values()})
    return whole.column(column) if column else whole


def _texts(storage: MetadataStorage, rows: Sequence[Row]) -> list[list[ViewText] | HiveViewsError]:
    files = storage.read_each(row.parameters[POINTER] for row in rows if not is_lost(row))
    return [_texts_of(row, None if is_lost(row) else next(files)) for row in rows]


def _texts_of(row: Row, file: ViewMetadata | HiveViewsError | None) -> list[ViewText] | HiveViewsError:
    if isinstance(file, HiveViewsError):
        return file
    try:
        return parsed_once(texts_of(row, view_at(row, file) if file else None))
    except HiveViewsError as error:
        return error


def _step(row: Row, analysis: ViewAnalysis, dialect: str | None, rows: Found) -> LineageStep:
    name = (row.identifier.namespace, row.identifier.name)
    text = analysis.in_dialect(dialect)
    if text is None or text.query is None:
        return LineageStep(name, problem=text.error if text else "It has no text.")
    problem = text.error or next(filter(None, (_unread(one, rows) for one in analysis.tables)), None)
    return LineageStep.of(name, text.query, dict(outputs_of(row, text.query)), problem)


def _unread(name: TableIdentifier, rows: Found) -> str | None:
    found = rows.get(name)
    if found is None:
        return f"It reads {name}, which does not exist."
    return str(found) if isinstance(found, HiveViewsError) else None
