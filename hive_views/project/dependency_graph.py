"""What reads what: the views of a project, or of the metastore by patterns, and the tables below them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

from hive_views.errors import HiveViewsError, InvalidInputError, NoSuchViewError
from hive_views.estate.analyses.analyses_of_views import analyses_of
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.order import ordered
from hive_views.estate.each.outcomes import OnOutcome, ignore
from hive_views.estate.each.selection import is_name, select_names
from hive_views.hive.row import Row
from hive_views.messages.counted import counted
from hive_views.messages.did_you_mean import nearest
from hive_views.project.directory.project_files import FileError, Project, read_project
from hive_views.project.directory.project_settings import SETTINGS
from hive_views.project.planning.ordering import cycle_through, reached, reads_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from hive_views.sql.tables import refuse_unread_names
from hive_views.views.catalog import ViewCatalog

GRAPH_FORMAT = 1
"""Of the JSON document of a graph, which names it: ``format-version``."""

Names = Mapping[TableIdentifier, Collection[TableIdentifier]]


class Kind(Enum):
    """What something in a graph is."""

    PROJECT = "view of the project"
    VIEW = "view"
    TABLE = "table"
    MISSING = "missing"
    UNKNOWN = "not known"  # no metastore was asked, or the row cannot be read


@dataclass(frozen=True)
class Graph:
    """What reads what.

    Attributes:
        kinds: of each view and table, sorted by name.
        reads: by view, the views and tables that its texts name, in all dialects.
        unread: the views with a text that cannot be read, or may read more than is known, each with the reason.
        errors: what is wrong in the files of the project.
        about: the only view or table that was asked for; None for several.
    """

    kinds: Mapping[TableIdentifier, Kind]
    reads: Names
    unread: Mapping[TableIdentifier, str]
    errors: tuple[FileError, ...] = ()
    about: TableIdentifier | None = None

    @cached_property
    def readers(self) -> Names:
        """By view or table, the views that read it, sorted."""
        return _readers(self.reads)

    @cached_property
    def levels(self) -> tuple[tuple[TableIdentifier, ...], ...]:
        """First what reads nothing here, then what reads only that, and so on; what closes a cycle is passed over."""
        depths: dict[TableIdentifier, int] = {}
        for name in ordered({name: [*self.reads.get(name, ())] for name in self.kinds})[0]:
            depths[name] = 1 + max((depths.get(one, -1) for one in self.reads.get(name, ())), default=-1)
        levels: list[list[TableIdentifier]] = [[] for _ in range(max(depths.values(), default=-1) + 1)]
        for name in self.kinds:
            levels[depths[name]].append(name)
        return tuple(map(tuple, levels))

    @cached_property
    def cycles(self) -> tuple[tuple[TableIdentifier, ...], ...]:
        """Views that read themselves, each cycle once, with both ends."""
        _, circular = ordered({name: [*self.reads.get(name, ())] for name in self.kinds})
        found: dict[frozenset[TableIdentifier], tuple[TableIdentifier, ...]] = {}
        for name in sorted(circular):
            path = cycle_through(name, lambda one: self.reads.get(one, ()))
            if path is not None:
                found.setdefault(frozenset(path), path)
        return tuple(found.values())

    def summary(self) -> str:
        """One line: ``12 views in 4 levels, on 5 tables; 1 is missing.``."""
        found = Counter(self.kinds.values())
        views = found[Kind.PROJECT] + found[Kind.VIEW]
        levels = sum(any(self.kinds[one] in (Kind.PROJECT, Kind.VIEW) for one in level) for level in self.levels)
        parts = [f"{counted(views, 'view')} in {counted(levels, 'level')}, on {counted(found[Kind.TABLE], 'table')}"]
        if found[Kind.UNKNOWN]:
            parts.append(f"{found[Kind.UNKNOWN]:,} not known")
        if found[Kind.MISSING]:
            parts.append(f"{found[Kind.MISSING]:,} missing")
        if self.cycles:
            parts.append(counted(len(self.cycles), "cycle"))
        return f"{'; '.join(parts)}."

    def lines(self) -> Iterator[str]:
        """As text: levels, or of one view what it reads and what reads it; then what is wrong, and the summary."""
        yield from self._levels() if self.about is None else self._around(self.about)
        for cycle in self.cycles:
            yield f"Cycle: {' -> '.join(map(str, cycle))}"
        for view, reason in self.unread.items():
            yield f"Not known: {view} may read more. {reason}"
        for error in self.errors:
            yield from str(error).splitlines()
        yield self.summary()

    def mermaid(self) -> str:
        """As a flowchart of Mermaid, from what is read to its readers."""
        # Names of the metastore have letters, digits and '_' only; as those of nodes, some would be keywords.
        numbers = {name: f"n{number}" for number, name in enumerate(self.kinds)}
        shapes = {Kind.TABLE: ('[("', '")]'), Kind.VIEW: ('("', '")')}
        lines = ["flowchart LR"]
        for name, kind in self.kinds.items():
            start, end = shapes.get(kind, ('["', '"]'))
            shown = f"{name} (missing)" if kind is Kind.MISSING else str(name)
            lines.append(f"  {numbers[name]}{start}{shown}{end}")
        lines += [f"  {numbers[read]} --> {numbers[reader]}" for reader, read in self._edges()]
        return "\n".join(lines) + "\n"

    def dot(self) -> str:
        """In the language of Graphviz, from what is read to its readers."""
        shapes = {Kind.TABLE: "cylinder", Kind.VIEW: "box, style=rounded", Kind.MISSING: "box, style=dashed"}
        lines = ["digraph views {", "  rankdir=LR;"]
        lines += [f'  "{name}" [shape={shapes.get(kind, "box")}];' for name, kind in self.kinds.items()]
        lines += [f'  "{read}" -> "{reader}";' for reader, read in self._edges()]
        return "\n".join([*lines, "}"]) + "\n"

    def document(self) -> dict[str, Any]:
        """As JSON."""
        levels = {name: number for number, level in enumerate(self.levels) for name in level}
        return {
            "format-version": GRAPH_FORMAT,
            "nodes": [
                {
                    "name": str(name),
                    "kind": kind.value,
                    "level": levels[name],
                    "reads": [str(one) for one in self.reads.get(name, ())],
                    "read_by": [str(one) for one in self.readers.get(name, ())],
                }
                for name, kind in self.kinds.items()
            ],
            "cycles": [[str(one) for one in cycle] for cycle in self.cycles],
            "unread": [{"view": str(view), "reason": reason} for view, reason in self.unread.items()],
            "errors": [one.document() for one in self.errors],
        }

    def _edges(self) -> Iterator[tuple[TableIdentifier, TableIdentifier]]:
        for reader in self.kinds:
            for read in self.reads.get(reader, ()):
                yield reader, read

    def _levels(self) -> Iterator[str]:
        width = max((len(str(name)) for name in self.kinds), default=0)
        for number, level in enumerate(self.levels):
            found = Counter(self.kinds[name] for name in level)
            yield f"Level {number}: {', '.join(_counted(kind, found[kind]) for kind in Kind if found[kind])}"
            for name in level:
                reads, readers = len(self.reads.get(name, ())), len(self.readers.get(name, ()))
                yield f"  {name!s:{width}}  {self.kinds[name].value}, reads {reads}, read by {readers}"
            yield ""

    def _around(self, name: TableIdentifier) -> Iterator[str]:
        yield f"{name} ({self.kinds[name].value})"
        for heading, ways in (("reads", self.reads), ("is read by", self.readers)):
            yield f"{heading}{'' if ways.get(name) else ' nothing' if ways is self.reads else ' no view'}"
            yield from self._tree(name, ways)
        yield ""

    def _tree(self, top: TableIdentifier, ways: Names) -> Iterator[str]:
        """Below each what it leads to; what has been shown is not shown again."""
        shown = {top}
        stack = [(1, one) for one in reversed([*ways.get(top, ())])]
        while stack:
            depth, name = stack.pop()
            below = ways.get(name, ())
            is_again = name in shown and bool(below)
            yield f"{'  ' * depth}{name} ({self.kinds[name].value}{', as above' if is_again else ''})"
            if not is_again:
                stack += ((depth + 1, one) for one in reversed([*below]))
            shown.add(name)


def graph(
    catalog: ViewCatalog | None,
    *of: str | Path,
    variables: Mapping[str, str] | None = None,
    on_outcome: OnOutcome = ignore,
) -> Graph:
    """What reads what, by the texts of views in all dialects.

    Of a project, or of views by patterns: these, what they read, and who reads them. Of one view or table: everything
    that it reads, down to tables, and everything that reads it.

    Args:
        catalog: where the views are; None to look at files only, so that it is not known what is a table.
        of: the directory of a project, or patterns such as ``sales.*``; by default all views. A name or patterns after
            a directory are of views there.
        variables: values of the project's variables, in place of those in project.toml.
        on_outcome: called with each view of the metastore that was analyzed.

    Raises:
        InvalidInputError: a pattern does not have two parts, or the directory is no project.
        NoSuchViewError: a pattern matches nothing.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    directory, patterns = None, [str(one) for one in of]
    if of and _is_directory(of[0]):
        directory, patterns = of[0], patterns[1:]
    project, errors = read_project(directory, variables, None) if directory is not None else (None, ())
    if catalog is None and project is None:
        raise InvalidInputError("Without a catalog, there is only the graph of a project: give its directory.")
    reads, kinds, unread = _everything(project, catalog, on_outcome)
    own = {name for name, kind in kinds.items() if kind is Kind.PROJECT}
    if len(patterns) == 1 and is_name(patterns[0]):
        name = TableIdentifier.of(patterns[0])
        if name not in kinds:
            near = nearest(str(name), map(str, kinds))
            hint = f" Did you mean {near!r}?" if near else ""
            raise NoSuchViewError(f"There is no view or table {name}.{hint}", identifier=str(name))
        readers = _readers(reads)
        shown = {*reached(name, reads), *reached(name, readers)}
        return _graph(shown, reads, kinds, unread, errors, about=name)
    chosen = own if project else {*reads}
    if patterns:
        chosen = {TableIdentifier.of(one) for one in select_names(map(str, chosen), patterns)}
    beside = {reader for reader, read in reads.items() if not chosen.isdisjoint(read)}
    shown = {*chosen, *beside, *(read for name in chosen for read in reads.get(name, ()))}
    return _graph(shown, reads, kinds, unread, errors)


def _is_directory(given: str | Path) -> bool:
    """A path, or a directory that is a project: another one may have the name of a database's view."""
    return isinstance(given, Path) or "/" in given or Path(given, SETTINGS).is_file()


def _everything(
    project: Project | None, catalog: ViewCatalog | None, on_outcome: OnOutcome
) -> tuple[dict[TableIdentifier, Sequence[TableIdentifier]], dict[TableIdentifier, Kind], dict[TableIdentifier, str]]:
    """What reads what, what all that is, and what is not known: of the metastore, with the files in place of views."""
    reads: dict[TableIdentifier, Sequence[TableIdentifier]] = {}
    kinds: dict[TableIdentifier, Kind] = {}
    unread: dict[TableIdentifier, str] = {}
    if catalog is not None:
        analyses = analyses_of(catalog, on_outcome=on_outcome)
        reads |= analyses.reads
        for name, row in analyses.rows.items():
            kinds[name] = _kind(row)
        kinds |= dict.fromkeys(analyses.unreadable, Kind.UNKNOWN)
        unread |= {**dict(analyses.unread), **{name: error.message for name, error in analyses.unreadable.items()}}
    for wanted in project.definitions.values() if project else ():
        reads[wanted.view] = reads_of(wanted)
        kinds[wanted.view] = Kind.PROJECT
        unread.pop(wanted.view, None)
        reasons = [reason for text in wanted.texts.values() if (reason := _unread(text))]
        if reasons:
            unread[wanted.view] = reasons[0]
    beyond = {one for read in reads.values() for one in read} - kinds.keys()
    rows = load(catalog, beyond)[0] if catalog is not None else {}
    kinds |= {name: _kind(rows[name]) if name in rows else Kind.UNKNOWN for name in beyond}
    return reads, kinds, unread


def _kind(row: Row | None) -> Kind:
    return Kind.MISSING if row is None else Kind.VIEW if row.is_view else Kind.TABLE


def _unread(text: QueryText) -> str | None:
    """Why a text cannot be read, or may read more than is known."""
    try:
        refuse_unread_names(text)
        text.check()
    except HiveViewsError as error:
        return error.message
    return None


def _readers(reads: Names) -> Names:
    found: dict[TableIdentifier, list[TableIdentifier]] = defaultdict(list)
    for reader in sorted(reads):
        for read in reads[reader]:
            found[read].append(reader)
    return found


def _graph(
    shown: Collection[TableIdentifier],
    reads: Names,
    kinds: Mapping[TableIdentifier, Kind],
    unread: Mapping[TableIdentifier, str],
    errors: tuple[FileError, ...],
    about: TableIdentifier | None = None,
) -> Graph:
    return Graph(
        {name: kinds[name] for name in sorted(shown)},
        {name: [one for one in reads[name] if one in shown] for name in sorted(shown) if name in reads},
        {name: reason for name, reason in sorted(unread.items()) if name in shown},
        errors,
        about,
    )


def _counted(kind: Kind, number: int) -> str:
    nouns: dict[Kind, Callable[[int], str]] = {
        Kind.PROJECT: lambda many: f"{counted(many, 'view')} of the project",
        Kind.VIEW: lambda many: f"{counted(many, 'other view')}",
        Kind.TABLE: lambda many: counted(many, "table"),
    }
    return nouns[kind](number) if kind in nouns else f"{number:,} {kind.value}"
