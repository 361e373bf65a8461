"""The analyses of many views; those whose texts and tables have not changed are taken from what is kept."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

from hive_views.base_tables.declared_columns import columns_of_rows
from hive_views.errors import HiveViewsError
from hive_views.estate.analyses.kept import (
    KeptAnalysis,
    columns_digest,
    digest_of,
    file_for,
    read_kept,
    row_digest,
    write_kept,
)
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.outcomes import OnOutcome, Outcome, State, ignore, with_bar
from hive_views.estate.each.selection import ALL_VIEWS, select_or_all
from hive_views.hive.row import POINTER, Column, Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.views.catalog import ViewCatalog
from hive_views.views.text_analysis.texts import ViewText, texts_of
from hive_views.views.text_analysis.view_analysis import ViewAnalysis, analyze_texts, parsed_once, tables_of
from hive_views.views.view import View, is_lost, view_at

# What was parsed of more would fill the memory.
_TOGETHER = 500
_RARELY = (100_000, 50, 10)


class Analyses:
    """The analyses of views, and what they were made of.

    Attributes:
        rows: of the views, and of all tables and views that they name; None for those that do not exist.
        unreadable: the names of rows, and of metadata files by their views, that cannot be read, each with the reason.
        columns: those of the tables and views that they name, as far as they are known.
        entries: the analyses as they are kept.
    """

    def __init__(self, catalog: ViewCatalog, rows: Iterable[Row]) -> None:
        self._catalog = catalog
        self.rows: dict[TableIdentifier, Row | None] = {row.identifier: row for row in rows}
        self.unreadable: dict[TableIdentifier, HiveViewsError] = {}
        self.columns: dict[tuple[str, str], Sequence[Column]] = {}
        self.entries: dict[TableIdentifier, KeptAnalysis] = {}
        self._digests: dict[TableIdentifier, str] = {}

    @cached_property
    def views(self) -> Mapping[TableIdentifier, ViewAnalysis]:
        """The analyses by view; made from what is kept when they are asked for."""
        return _Views(self)

    @cached_property
    def reads(self) -> Mapping[TableIdentifier, tuple[TableIdentifier, ...]]:
        """By view, the tables and views that its texts read."""
        return {name: one.tables for name, one in self.entries.items()}

    @cached_property
    def readers(self) -> Mapping[TableIdentifier, tuple[TableIdentifier, ...]]:
        """By table or view, the views that read it directly, sorted."""
        found: dict[TableIdentifier, list[TableIdentifier]] = defaultdict(list)
        for reader in sorted(self.reads):
            for read in self.reads[reader]:
                found[read].append(reader)
        return {name: tuple(ones) for name, ones in found.items()}

    @property
    def unread(self) -> list[tuple[TableIdentifier, str]]:
        """The views with a text that cannot be read, or may read more than is known, each with the reason."""
        return [(name, one.unread) for name, one in sorted(self.entries.items()) if one.unread]

    def texts(self, names: Iterable[TableIdentifier]) -> dict[TableIdentifier, list[ViewText]]:
        """The texts of views; only their files are read. What cannot be read is in ``unreadable`` then."""
        rows = [row for name in names if (row := self.rows.get(name)) is not None and row.is_view]
        files = self._catalog.storage.read_each(row.parameters[POINTER] for row in rows if not is_lost(row))
        found: dict[TableIdentifier, list[ViewText]] = {}
        for row in rows:
            view = None if is_lost(row) else self._view(row, next(files))
            found[row.identifier] = texts_of(row, view)
        return found

    def _view(self, row: Row, metadata: ViewMetadata | HiveViewsError) -> View | None:
        try:
            if isinstance(metadata, HiveViewsError):
                raise metadata
            view = view_at(row, metadata)
            # What the file names as current may not be in it.
            _ = metadata.current_version
        except HiveViewsError as error:
            self.unreadable[row.identifier] = error
            return None
        return view

    def _load(self, names: Iterable[TableIdentifier]) -> None:
        """The rows and columns of tables and views, those that are not known yet."""
        new = {*names} - {*self._digests}
        found, unreadable = load(self._catalog, new - {*self.rows} - {*self.unreadable})
        self.rows |= found
        self.unreadable |= unreadable
        rows = [row for name in new if (row := self.rows.get(name)) is not None]
        self.columns |= columns_of_rows(rows, self._catalog.storage.files).columns
        self._digests |= {name: digest_of(self.columns.get((name.namespace, name.name))) for name in new}

    def _digest(self, tables: Sequence[TableIdentifier]) -> str:
        """That of the columns of these tables, which were loaded."""
        return columns_digest((name, self._digests[name]) for name in tables)

    def take(self, kept: Mapping[TableIdentifier, KeptAnalysis], digests: Mapping[TableIdentifier, str]) -> None:
        """Take those of what is kept whose row and columns are still the same."""
        same = [one for name, digest in digests.items() if (one := kept.get(name)) and one.row == digest]
        self._load(name for one in same for name in one.tables)
        self.entries |= {one.view: one for one in same if one.columns == self._digest(one.tables)}

    def analyze(self, digests: Mapping[TableIdentifier, str]) -> Iterator[KeptAnalysis]:
        """Analyze views, each with the digest of its row."""
        names = list(digests)
        for start in range(0, len(names), _TOGETHER):
            texts = {name: parsed_once(ones) for name, ones in self.texts(names[start : start + _TOGETHER]).items()}
            tables = {name: tables_of(ones) for name, ones in texts.items()}
            self._load(read for ones in tables.values() for read in ones)
            for name, ones in texts.items():
                columns = self._digest(tables[name])
                entry = KeptAnalysis.of(analyze_texts(name, ones, self.columns), tables[name], digests[name], columns)
                self.entries[name] = entry
                yield entry

    def analyzed_again(self, name: TableIdentifier) -> ViewAnalysis:
        """Where what is kept turns out to be garbage."""
        entry = self.entries[name]
        return next(iter(self.analyze({name: entry.row}))).analysis()

    def keep_in(self, kept: Mapping[TableIdentifier, KeptAnalysis]) -> dict[TableIdentifier, KeptAnalysis]:
        """What is to be kept: these, and others that were not asked for; nothing of a view whose file failed."""
        readable = {name: one for name, one in self.entries.items() if name not in self.unreadable}
        return {**kept, **readable}


class _Views(Mapping[TableIdentifier, ViewAnalysis]):
    def __init__(self, analyses: Analyses) -> None:
        self._analyses = analyses
        self._made: dict[TableIdentifier, ViewAnalysis] = {}

    def __getitem__(self, name: TableIdentifier) -> ViewAnalysis:
        if name not in self._made:
            try:
                self._made[name] = self._analyses.entries[name].analysis()
            except ValueError:
                self._made[name] = self._analyses.analyzed_again(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        # Without making the analysis.
        return name in self._analyses.entries

    def __iter__(self) -> Iterator[TableIdentifier]:
        return iter(sorted(self._analyses.entries))

    def __len__(self) -> int:
        return len(self._analyses.entries)


def analyses_of(catalog: ViewCatalog, *patterns: str, on_outcome: OnOutcome = ignore) -> Analyses:
    """The analyses of views. They are kept in the user's cache, and only made anew for what has changed.

    Rows are read a hundred per call, of the tables that the views name as well. Files are only read of views that have
    changed, or that read something whose columns have changed.

    Args:
        catalog: where the views are.
        patterns: names, or patterns such as ``sales.*``; by default all views.
        on_outcome: called with each view that was analyzed.

    Raises:
        InvalidInputError: a pattern does not have two parts.
        NoSuchViewError, NoSuchNamespaceError: a pattern matches nothing.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = select_or_all(catalog.metastore, patterns, unreadable.__setitem__)
    found = Analyses(catalog, rows)
    found.unreadable |= unreadable
    digests = {row.identifier: row_digest(row) for row in rows if row.is_view}
    file = file_for(catalog.metastore)
    kept = read_kept(file)
    found.take(kept, digests)
    changed = {name: digest for name, digest in digests.items() if name not in found.views}
    with _collecting_rarely():
        for number, one in enumerate(with_bar(found.analyze(changed), len(changed), on_outcome), 1):
            on_outcome(Outcome(str(one.view), State.DONE), number, len(changed))
    everything = not patterns or ALL_VIEWS in patterns
    gone = {name for name in kept if name not in digests} if everything else set()
    if changed or gone:
        write_kept(file, found.keep_in({name: one for name, one in kept.items() if name not in gone}))
    return found


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Trees of texts are garbage once hundreds were analyzed; to look for it all the time takes a third of the time."""
    before = gc.get_threshold()
    if before >= _RARELY or not gc.isenabled():
        yield
        return
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
