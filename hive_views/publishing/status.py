"""Status: the progress of the publications of a catalog, by the rules recorded with their views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, Literal

from hive_views.base_tables.port import BaseTable, PartitionListing
from hive_views.errors import HiveViewsError
from hive_views.hive.partition_dates import calendar_for_notebooks
from hive_views.messages.counted import counted
from hive_views.messages.html import Tone, badge, folded, html_block, html_table, paragraph, source, table
from hive_views.publishing.expected_partitions import expected_partitions
from hive_views.publishing.judging import declared_candidates, find_candidates, names_candidates, plan_of
from hive_views.publishing.ledger.fencing import NO_APPLICATION, unfinished_run
from hive_views.publishing.ledger.recorded_rules import RecordedRules, recorded_rules
from hive_views.publishing.listings.base_table_states import open_tables, read_base_tables
from hive_views.publishing.listings.rounds import Rounds
from hive_views.readiness.reasons import shown_timestamp
from hive_views.readiness.rules import Rule
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.view import View, is_iceberg_view

PublicationState = Literal["failed", "late", "unfinished", "ready", "waiting", "current"]

# A day with several partitions shows the first of their states.
_TONES: Mapping[str, Tone] = {
    "late": "bad",
    "due": "warn",
    "waiting": "warn",
    "ready": "new",
    "declared": "good",
    "known to be empty": "soft",
}
_TONES_OF_PUBLICATIONS: Mapping[PublicationState, Tone] = {
    "failed": "bad",
    "late": "bad",
    "unfinished": "warn",
    "ready": "new",
    "waiting": "warn",
    "current": "good",
}


@dataclass(frozen=True)
class PublicationStatus:
    """The progress of one publication.

    Attributes:
        view: ``namespace.name``.
        publication: its name; "" for a view that could not be loaded.
        rules: the recorded expression; "" if it could not be recorded.
        published: how many partitions within its bounds are declared.
        last_published: the last of them; None if there is none.
        last_published_at_ms: when that was declared, in milliseconds since 1970; the metastore counts seconds.
        ready: what the next run would declare; empty if each run is given its candidates.
        waiting: what is not ready, and why; likewise. What is expected waits even if nothing of it has arrived.
        due: expected partitions whose time has passed and that are not declared, but not late either.
        late: those that are late, and since when, in seconds since 1970; ``ready`` ones are among them.
        skipped: those whose time has passed and that are known to be empty.
        unfinished_run: the version of its application's run that has begun and not ended; it may still be running.
        error: why it could not be judged; None if it could. The published partitions are known nevertheless, unless the
            view itself could not be read.
        published_names: the declared partitions within its bounds, ascending.
    """

    view: str
    publication: str
    rules: str = ""
    published: int = 0
    last_published: str | None = None
    last_published_at_ms: int | None = None
    ready: tuple[str, ...] = ()
    waiting: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    due: tuple[str, ...] = ()
    late: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    unfinished_run: int | None = None
    error: str | None = None
    published_names: tuple[str, ...] = field(default=(), repr=False)

    def document(self) -> dict[str, Any]:
        """The status as JSON holds it, without ``published_names``, which may be very many."""
        names = {"view": "identifier", "late": "late_since_s"}
        found = {names.get(key, key): value for key, value in asdict(self).items() if key != "published_names"}
        at_ms = found.pop("last_published_at_ms")
        at = None if at_ms is None else datetime.fromtimestamp(at_ms / 1000, timezone.utc).isoformat()
        return found | {"last_published_at": at}

    @property
    def label(self) -> str:
        """The view, and the publication where it has a name of its own."""
        return self.view if self.publication in ("", NO_APPLICATION) else f"{self.view} ({self.publication})"

    @property
    def state(self) -> PublicationState:
        """How it is, in one word."""
        if self.error:
            return "failed"
        if self.late:
            return "late"
        if self.unfinished_run is not None:
            return "unfinished"
        if self.ready:
            return "ready"
        return "waiting" if self.waiting else "current"

    @property
    def why(self) -> str:
        """Why it is so, in short: of what waits, the first, and of what is late, as that is missed most."""
        if self.error:
            return self.error
        run = self.unfinished_run
        unfinished = [f"run {run} was started, but not completed"] if run is not None else []
        name = next(iter([*self.late, *self.waiting]), "")
        since = [f"late since {self._late_since(name)}"] if name in self.late else []
        reasons = [*since, *(["it is ready"] if name in self.ready else self.waiting.get(name, ()))]
        return "; ".join([*unfinished, *([f"{name}: {'; '.join(reasons)}"] if reasons else [])])

    @property
    def states(self) -> dict[str, str]:
        """The state of each partition, as in ``declared``, ``late``, ``due`` and ``waiting``."""
        return {
            **dict.fromkeys(self.published_names, "declared"),
            **dict.fromkeys(self.skipped, "known to be empty"),
            **dict.fromkeys(self.waiting, "waiting"),
            **dict.fromkeys(self.ready, "ready"),
            **dict.fromkeys(self.due, "due"),
            **dict.fromkeys(self.late, "late"),
        }

    def unpublished(self) -> list[tuple[str, str, str, str]]:
        """Names, states, since when those are late that are, and why, of what is not published: late ones first."""
        states = self.states
        return [
            (
                name,
                states[name],
                self._late_since(name) if name in self.late else "",
                "ready to be declared" if name in self.ready else "; ".join(self.waiting.get(name, ())),
            )
            for name in dict.fromkeys([*self.late, *self.due, *self.waiting, *self.ready])
        ]

    def _late_since(self, name: str) -> str:
        return shown_timestamp(self.late[name] * 1000, timezone.utc)

    def _repr_html_(self) -> str:
        rows = [(name, badge(state, _TONES[state]), since, why) for name, state, since, why in self.unpublished()]
        return html_block(
            f"{self.label}: {self.state}",
            *([paragraph(self.why)] if self.why else []),
            paragraph(f"{counted(self.published, 'partition')} published; the last: {_last(self)}"),
            calendar_for_notebooks(self.states, _TONES),
            table(("partition", "state", "late since", "why"), rows),
            *([folded("Rules", source(self.rules))] if self.rules else []),
        )


class PublicationStatuses(list[PublicationStatus]):
    """The progress of several publications; a notebook shows it as a table."""

    def _repr_html_(self) -> str:
        rows = [
            (
                one.label,
                badge(one.state, _TONES_OF_PUBLICATIONS[one.state]),
                f"{one.published:,}",
                _last(one),
                *(f"{len(group):,}" for group in (one.ready, one.waiting, one.late)),
                one.why,
            )
            for one in self
        ]
        columns = ("publication", "state", "published", "last published", "ready", "waiting", "late", "why")
        return html_table(counted(len(self), "publication"), columns, rows)


def _last(one: PublicationStatus) -> str:
    if one.last_published is None:
        return "none yet"
    at_ms = one.last_published_at_ms
    return one.last_published + (f", at {shown_timestamp(at_ms, timezone.utc)}" if at_ms is not None else "")


def status(
    catalog: ViewCatalog, namespace: str | None = None, *, base_tables: Mapping[str, BaseTable] | None = None
) -> list[PublicationStatus]:
    """The progress of the publications of one namespace, or of all, by the rules that they were last published with.

    Each view is loaded, and each base table listed; nothing is written.

    Args:
        catalog: where the views are.
        namespace: whose views to look at; by default those of all namespaces.
        base_tables: readers for tables, by the names that the rules use, as in ``publish``.

    Returns:
        One status for each publication: those that could not be judged first, then those that are late, then those
            whose run has not ended, then the others, each in the order of their views. Views that were never published
            are left out.

    Raises:
        NoSuchNamespaceError: there is no such namespace.
        UnavailableError: the metastore cannot be asked which views there are.
    """
    return status_of_views(catalog, _views_of(catalog, namespace), base_tables)


def status_of_views(
    catalog: ViewCatalog, identifiers: Iterable[TableIdentifier], base_tables: Mapping[str, BaseTable] | None = None
) -> list[PublicationStatus]:
    """How far the publications of these views are, in the order of ``status``. What several of them ask of a table is
    read once.
    """
    tables = TablesOfMany(catalog, base_tables)
    found = [one for view in identifiers for one in status_of_view(catalog, view, tables)]
    return PublicationStatuses(
        sorted(
            found,
            key=lambda one: (one.error is None, not one.late, one.unfinished_run is None, one.view, one.publication),
        )
    )


def _views_of(catalog: ViewCatalog, namespace: str | None) -> list[TableIdentifier]:
    """Those with a metadata file, and those of which that is unknown, as their rows cannot be read."""
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    lookup, noted = catalog.engine.lookup, unreadable.__setitem__
    rows = lookup.all_rows(noted) if namespace is None else lookup.rows(check_namespace(namespace), noted)
    found = [row.identifier for row in rows if is_iceberg_view(row)]
    return sorted([*found, *unreadable])


class TablesOfMany:
    """The base tables of many publications that are judged one after the other: what is asked twice is read once."""

    def __init__(self, catalog: ViewCatalog, base_tables: Mapping[str, BaseTable] | None = None) -> None:
        self._opened = dict(base_tables or {})
        self._files = catalog.storage.files
        self._metastore = Rounds(catalog.metastore, self._files)
        self.listings: dict[str, PartitionListing] = {}

    def of(self, rule: Rule) -> dict[str, BaseTable]:
        """The tables of a rule by its names for them; raises as ``open_tables``."""
        found = open_tables(self._metastore, rule, self._opened, files=self._files)
        self._opened |= found
        return found


def status_of_view(catalog: ViewCatalog, identifier: TableIdentifier, tables: TablesOfMany) -> list[PublicationStatus]:
    """How far the publications of one view are, as ``status`` has it; [] where it was never published."""
    try:
        view = catalog.load_view(identifier)
        publications = recorded_rules(view.metadata.properties)
    except HiveViewsError as error:
        return [PublicationStatus(str(identifier), "", error=str(error))]
    return [_of_publication(catalog, view, one, tables) for one in publications]


def _of_publication(
    catalog: ViewCatalog, view: View, recorded: RecordedRules, tables: TablesOfMany
) -> PublicationStatus:
    found, scope = PublicationStatus(str(view.identifier), recorded.publication, recorded.rule), recorded.scope
    try:
        partitions = ViewPartitions(catalog.engine, view)
        names = partitions.names()
        declared = declared_candidates(partitions, names, scope)
        published = tuple(declared)
        found = replace(
            found,
            published=len(published),
            last_published=published[-1] if published else None,
            last_published_at_ms=_declared_at_ms(partitions, published[-1:]),
            published_names=published,
            unfinished_run=unfinished_run(recorded.published_by, view.metadata.properties),
        )
        now_s = catalog.settings.clock_ms() / 1000
        expected = expected_partitions(recorded.expected, partitions.keys, scope, declared.values(), now_s)
        found = replace(found, due=expected.due(declared), late=expected.late(declared), skipped=expected.skipped)
        rule = recorded.read_rule()
        states = read_base_tables(catalog, partitions, rule, scope, tables.of(rule), tables.listings)
        # Where each run is given its candidates, it is unknown which come next.
        is_named = not recorded.candidates_given and names_candidates(rule, states.observed)
        is_known = is_named or recorded.expected is not None
        candidates = find_candidates(rule, states.observed, scope, expected) if is_known else {}
        plan = plan_of(states, names, candidates, scope)
        return replace(found, ready=tuple(plan.ready), waiting=plan.waiting)
    except HiveViewsError as error:
        return replace(found, error=str(error))


def _declared_at_ms(partitions: ViewPartitions, names: Sequence[str]) -> int | None:
    """When the first of these partitions was declared; None: there is none, or its metastore does not say."""
    return next((found.create_time_s * 1000 or None for _, found in partitions.load(names)), None) if names else None
