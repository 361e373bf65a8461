"""Status: the progress of the publications of a catalog, by the rules recorded with their views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from typing import Any

from hive_views.base_tables.port import BaseTable
from hive_views.errors import HiveViewsError
from hive_views.publishing.expected_partitions import expected_by
from hive_views.publishing.judging import declared_candidates, find_candidates, names_candidates, plan_of
from hive_views.publishing.ledger.fencing import unfinished_run
from hive_views.publishing.ledger.recorded_rules import RecordedRules, recorded_rules
from hive_views.publishing.listings.base_table_states import read_base_tables
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.view import is_iceberg_view


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
    namespaces = [namespace] if namespace is not None else catalog.list_namespaces()
    return status_of_views(catalog, [view for each in namespaces for view in _views_of(catalog, each)], base_tables)


def status_of_views(
    catalog: ViewCatalog, identifiers: Iterable[TableIdentifier], base_tables: Mapping[str, BaseTable] | None = None
) -> list[PublicationStatus]:
    """How far the publications of these views are, in the order of ``status``."""
    found = [one for view in identifiers for one in status_of_view(catalog, view, base_tables)]
    return sorted(
        found,
        key=lambda one: (one.error is None, not one.late, one.unfinished_run is None, one.view, one.publication),
    )


def _views_of(catalog: ViewCatalog, namespace: str) -> list[TableIdentifier]:
    """Those with a metadata file, and those of which that is unknown, as their rows cannot be read."""
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = catalog.engine.lookup.rows(check_namespace(namespace), unreadable.__setitem__)
    return sorted([*unreadable, *(row.identifier for row in rows if is_iceberg_view(row))])


def status_of_view(
    catalog: ViewCatalog, identifier: TableIdentifier, base_tables: Mapping[str, BaseTable] | None = None
) -> list[PublicationStatus]:
    """How far the publications of one view are, as ``status`` has it; [] where it was never published."""
    try:
        publications = recorded_rules(catalog.load_view(identifier).metadata.properties)
    except HiveViewsError as error:
        return [PublicationStatus(str(identifier), "", error=str(error))]
    return [_of_publication(catalog, identifier, one, base_tables) for one in publications]


def _of_publication(
    catalog: ViewCatalog,
    identifier: TableIdentifier,
    recorded: RecordedRules,
    base_tables: Mapping[str, BaseTable] | None,
) -> PublicationStatus:
    found, scope = PublicationStatus(str(identifier), recorded.publication, recorded.rule), recorded.scope
    try:
        partitions = catalog.partitions(identifier)
        names = partitions.names()
        published = tuple(declared_candidates(partitions, names, scope))
        found = replace(
            found,
            published=len(published),
            last_published=published[-1] if published else None,
            last_published_at_ms=_declared_at_ms(partitions, published[-1:]),
            published_names=published,
            unfinished_run=unfinished_run(recorded.published_by, partitions.view.metadata.properties),
        )
        expected = expected_by(recorded.expected, partitions, published, scope, catalog.settings.clock_ms())
        declared = set(published)
        found = replace(found, due=expected.due(declared), late=expected.late(declared), skipped=expected.skipped)
        rule = recorded.read_rule()
        states = read_base_tables(catalog, partitions, rule, scope, base_tables)
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
