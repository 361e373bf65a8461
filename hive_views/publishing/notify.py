"""Events about what was found of partitions: published ones that have changed, and expected ones that are late."""

from __future__ import annotations

from collections.abc import Iterable

from hive_views.persisted import PUBLISHED_BY
from hive_views.publishing.notifying.events import event_of
from hive_views.publishing.notifying.receivers import Notify, receivers_of
from hive_views.publishing.notifying.telling import Telling, declaration_of, logged_failure
from hive_views.publishing.revalidation import RevalidationReport
from hive_views.publishing.status import PublicationStatus
from hive_views.views.catalog import ViewCatalog


def notify_changed(catalog: ViewCatalog, report: RevalidationReport, notify: Notify) -> None:
    """Send an event for each partition of a report that has changed, or misses base partitions.

    Each call sends them, under the same ids as before unless something else has changed since. What a receiver did not
    take is noted beside the view, and sent by the next call for it, or by the next ``publish`` that notifies it.
    Failures are logged, and none is raised.

    Args:
        catalog: where the view is.
        report: of ``revalidate``.
        notify: who is told, as for ``publish``.

    Raises:
        InvalidInputError: somebody who cannot be notified.
    """
    receivers = receivers_of(notify)
    if not receivers:
        return
    with logged_failure("view %s: nobody is told what has changed", report.view):
        partitions = catalog.partitions(report.view)
        now_ms = catalog.settings.clock_ms()
        events = []
        for name, partition in partitions.load(list(report.in_state("changed", "missing"))):
            found = report.partitions[name]
            commits = {table: list(ids) for table, ids in found.commits.items()}
            what = {"state": found.state, "reasons": list(found.reasons), "commits": commits}
            events.append(
                event_of(
                    partitions.view,
                    "changed",
                    name,
                    f"{declaration_of(partition)} {what}",
                    now_ms,
                    application=partition.parameters.get(PUBLISHED_BY),
                    **what,
                )
            )
        Telling(catalog, partitions, receivers).tell_found(events)


def notify_late(catalog: ViewCatalog, found: Iterable[PublicationStatus], notify: Notify) -> None:
    """Send an event for each partition that is late, as ``notify_changed`` does; ``publish`` sends the same ones.

    Args:
        catalog: where the views are.
        found: of ``status``.
        notify: who is told, as for ``publish``.

    Raises:
        InvalidInputError: somebody who cannot be notified.
    """
    receivers = receivers_of(notify)
    for one in found:
        if one.late and receivers:
            with logged_failure("view %s: nobody is told what is late", one.view):
                partitions = catalog.partitions(one.view)
                Telling(catalog, partitions, receivers, one.publication).tell_late(one.late, one.waiting)
