"""Publishing again and again: what has become ready is declared, and each change is told once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hive_views.errors import (
    AuthenticationError,
    HiveViewsError,
    InvalidInputError,
    MetastoreUnavailableError,
    PermissionDeniedError,
    UnavailableError,
)
from hive_views.publishing.batch.publication import Publication, check_publications, in_waves
from hive_views.publishing.batch.publish_each import columns_of_views, refuse_what_needs_spark
from hive_views.publishing.expected_partitions import NOTHING, ExpectedPartitions, expected_partitions
from hive_views.publishing.listings.rounds import Rounds, Seen
from hive_views.publishing.notifying.telling import Telling, logged_failure
from hive_views.publishing.publish import publish_partitions
from hive_views.publishing.report import PublishReport
from hive_views.publishing.request import PublishRequest
from hive_views.publishing.scope import values_of
from hive_views.readiness.rules.requirements import is_of_partitions_alone
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

ChangeKind = Literal["declared", "retracted", "waiting", "late", "failed", "recovered", "unavailable", "available"]

Ended = Callable[[float], bool]
"""Waits so many seconds, or until the watch is to end; whether it is to end."""

# A partition of a view may have been dropped by hand, which no table that is looked at shows.
_JUDGED_ANEW_AFTER_MS = 3_600_000
_LONGEST_PAUSE_S = 600.0


@dataclass(frozen=True)
class PublicationChange:
    """What has changed since the last round of a watch.

    Attributes:
        kind: ``declared``, ``retracted``: partitions were; ``waiting``: partitions are that were not before; ``late``:
            expected ones are late that were not before; ``failed``: the publication fails, or with another error than
            before; ``recovered``: it no longer fails; ``unavailable``, ``available``: the metastore cannot be asked, or
            again.
        publication: its name; "" where the metastore is meant.
        view: ``namespace.name``; likewise.
        partitions: by name, why they wait; () for what was declared or retracted.
        late_since_s: since when they are late, in seconds since 1970.
        error: why it fails, or why the metastore cannot be asked.
        at_ms: when it was seen, in milliseconds since 1970.
    """

    kind: ChangeKind
    publication: str
    view: str
    partitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    late_since_s: Mapping[str, int] = field(default_factory=dict)
    error: Exception | None = None
    at_ms: int = 0

    def document(self) -> dict[str, Any]:
        """The change as JSON holds it."""
        return {
            "at_ms": self.at_ms,
            "change": self.kind,
            "publication": self.publication,
            "identifier": self.view,
            "partitions": {name: list(reasons) for name, reasons in self.partitions.items()},
            "late_since_s": dict(self.late_since_s),
            "error": str(self.error) if self.error else None,
            "error_type": type(self.error).__name__ if self.error else None,
        }


def watch(
    catalog: ViewCatalog, publications: Sequence[Publication], *, every_s: float = 60.0, ended: Ended
) -> Iterator[PublicationChange]:
    """Run publications in rounds; yields what changes, as it changes.

    If each publication has an expectation, it ends once all that is expected by now is published; otherwise, or until
    then, it runs until ``ended``.

    A round that finds nothing new costs one call for each base table: the partition names of a Hive table, the row of
    an Iceberg table, two files of a Delta or Paimon table; and one call for each 100 views and tables of a namespace.
    No directory is listed. A publication is judged if a table of its rules or the view has changed; while something
    waits by more than partitions (amounts, marks, quiet times, functions) or it failed, in each round; otherwise once
    an hour. What is read twice in a round is read once, unless partitions may be retracted.

    Partitions are declared for the application of a publication, but no round is a run of it: there is no version.
    If the metastore is unavailable, rounds are tried again after growing pauses, of up to ten minutes.

    Args:
        catalog: where the views are.
        publications: of ``read_publications``, ``Publication.of_record``, or made in Python.
        every_s: seconds from the end of a round to the next one.
        ended: waits so many seconds, or until the watch is to end, and returns whether it is; called with 0 between
            publications, so that the one in progress is completed.

    Raises:
        InvalidInputError, UnavailableError, UnsupportedFeatureError: as ``publish_each``, when it is called; or one has
            a version.
    """
    for one in publications:
        if one.run_version is not None:
            raise InvalidInputError(
                f"Publication {one.name} has the run version {one.run_version}, and a watch is no run that ends: leave "
                f"the version out.",
                identifier=one.view,
            )
    # There is no version, which half a run would lack.
    check_publications([one.as_run(None, 0) for one in publications], columns_of_views(catalog))
    refuse_what_needs_spark(publications)
    return _Watch(catalog, publications, every_s, ended).changes()


class _Watched:
    """One publication between rounds."""

    def __init__(self, publication: Publication) -> None:
        self.publication = publication
        self.view = TableIdentifier.of(publication.view)
        self.seen: Seen | None = None
        self.row = ""
        self.asks_more = False
        self.waiting: Mapping[str, tuple[str, ...]] = {}
        self.late: Collection[str] = ()
        self.expected: Callable[[int], ExpectedPartitions] = lambda _: NOTHING
        self.declared: Set[str] = set()
        self.request: PublishRequest | None = None
        self.is_untold = False
        self.error: str | None = None


class _Watch:
    def __init__(self, catalog: ViewCatalog, publications: Sequence[Publication], every_s: float, ended: Ended) -> None:
        self._catalog, self._every_s, self._ended = catalog, every_s, ended
        self._clock_ms = catalog.settings.clock_ms
        self._watched = [_Watched(one) for one in itertools.chain.from_iterable(in_waves(publications))]
        self._rounds = Rounds(catalog.metastore, catalog.storage.files)
        self._judged_all_at_ms = self._clock_ms()

    def changes(self) -> Iterator[PublicationChange]:
        failures = 0
        while True:
            try:
                yield from self._round()
                if failures:
                    failures = 0
                    yield self._of_metastore("available")
            except UnavailableError as error:
                failures += 1
                if failures == 1:
                    yield self._of_metastore("unavailable", error)
            if (not failures and self._has_all()) or self._ended(self._pause_s(failures)):
                return

    def _has_all(self) -> bool:
        """Whether all that is expected is published; False if a publication expects nothing."""
        return all(
            one.publication.expected is not None
            and one.seen is not None
            and one.declared >= one.expected(self._clock_ms()).candidates.keys()
            for one in self._watched
        )

    def _pause_s(self, failures: int) -> float:
        if failures < 2:
            return self._every_s
        return max(self._every_s, min(self._every_s * 2.0 ** min(failures - 1, 16), _LONGEST_PAUSE_S))

    def _round(self) -> Iterator[PublicationChange]:
        """One round. UnavailableError: the metastore cannot be asked."""
        if self._clock_ms() - self._judged_all_at_ms >= _JUDGED_ANEW_AFTER_MS:
            self._judged_all_at_ms = self._clock_ms()
            self._rounds.close_tables()
            for one in self._watched:
                one.seen = None
        seen = [one.seen or {} for one in self._watched]
        rows = itertools.chain(
            (one.view for one in self._watched), *(self._rounds.rows_of(questions) for questions in seen)
        )
        with self._rounds.round(rows):
            for one in self._watched:
                if self._ended(0):
                    return
                if self._is_due(one):
                    yield from self._judged(one)
                elif one.is_untold:
                    self._tell(one, {})
                late = one.expected(self._clock_ms()).late(one.declared)
                new = {name: one.waiting.get(name, ()) for name in late if name not in one.late}
                one.late = late.keys()
                if new:
                    self._tell(one, {name: late[name] for name in new})
                    yield replace(self._change(one, "late", new), late_since_s={name: late[name] for name in new})

    def _tell(self, one: _Watched, late: Mapping[str, int]) -> None:
        """Tell who is notified what is late, and what it did not take in an earlier round."""
        request = one.request
        if request is not None and request.receivers:
            with logged_failure("view %s: the next round tells what is noted", one.view):
                partitions, names = self._catalog.partitions(one.view), (request.publication, request.published_by)
                Telling(self._catalog, partitions, request.receivers, *names).tell_late(late, one.waiting)
            one.is_untold = any(receiver.has_failed for receiver in request.receivers)

    def _is_due(self, one: _Watched) -> bool:
        if one.seen is None or one.row != self._rounds.row(one.view) or (one.asks_more and one.waiting):
            return True
        due = one.expected(self._clock_ms()).candidates
        if any(name not in one.declared and name not in one.waiting for name in due):
            return True
        return not self._rounds.is_as(one.seen)

    def _judged(self, one: _Watched) -> Iterator[PublicationChange]:
        one.seen, one.row = None, self._rounds.row(one.view)
        try:
            report, one.seen = self._published(one)
        except Exception as error:
            if isinstance(error, HiveViewsError):
                yield from self._done(one, error.added, error.dropped)
            if _is_of_metastore(error):
                raise
            if one.error != str(error):
                one.error = str(error)
                yield replace(self._change(one, "failed"), error=error)
            return
        if one.error is not None:
            one.error = None
            yield self._change(one, "recovered")
        yield from self._done(one, report.added, report.retracted)
        new = {name: reasons for name, reasons in report.waiting.items() if name not in one.waiting}
        one.waiting = report.waiting
        if new:
            yield self._change(one, "waiting", new)

    def _done(self, one: _Watched, added: Sequence[str], retracted: Sequence[str]) -> Iterator[PublicationChange]:
        done: dict[ChangeKind, Sequence[str]] = {"declared": added, "retracted": retracted}
        for kind, names in done.items():
            if names:
                # What requires this view comes after it in the round.
                self._rounds.forget(one.view)
                yield self._change(one, kind, dict.fromkeys(names, ()))

    def _published(self, one: _Watched) -> tuple[PublishReport, Seen]:
        partitions = self._catalog.partitions(one.view)
        request = one.publication.request_in_watch(partitions.view)
        one.asks_more = not is_of_partitions_alone(request.rule)
        declared = set(partitions.names()) if request.expected else set()
        with self._rounds.noted(shared=not request.retract) as seen:
            tables = self._rounds.open(request.rule)
            report = publish_partitions(self._catalog, partitions, replace(request, base_tables=tables))
        one.request, one.is_untold = request, any(receiver.has_failed for receiver in request.receivers)
        one.declared = (declared | set(report.added)) - set(report.retracted)
        values = list(values_of(partitions, one.declared))
        one.expected = lambda now_ms: expected_partitions(
            request.expected, partitions.keys, request.scope, values, now_ms / 1000
        )
        return report, seen

    def _change(
        self, one: _Watched, kind: ChangeKind, partitions: Mapping[str, tuple[str, ...]] | None = None
    ) -> PublicationChange:
        return PublicationChange(
            kind, one.publication.name, one.publication.view, partitions or {}, at_ms=self._clock_ms()
        )

    def _of_metastore(self, kind: ChangeKind, error: HiveViewsError | None = None) -> PublicationChange:
        return PublicationChange(kind, "", "", error=error, at_ms=self._clock_ms())


def _is_of_metastore(error: Exception) -> bool:
    """Whether no publication would get an answer, and not this one alone."""
    return isinstance(error, (MetastoreUnavailableError, AuthenticationError)) and not isinstance(
        error, PermissionDeniedError
    )
