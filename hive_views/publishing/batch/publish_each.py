"""Running publications; one that fails does not stop the others."""

from __future__ import annotations

import itertools
import os
import socket
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from hive_views.errors import HiveViewsError, UnavailableError, UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.messages.counted import counted
from hive_views.messages.html import Tone, badge, html_table
from hive_views.messages.logs import logger_of
from hive_views.messages.notebooks import with_progress_bar
from hive_views.publishing.batch.publication import KeysOf, Publication, check_publications, in_waves
from hive_views.publishing.publish import publish_request
from hive_views.publishing.report import PublishReport
from hive_views.views.catalog import ViewCatalog

_LOG = logger_of("hive_views.publishing.batch")

OutcomeState = Literal["published", "ready", "waiting", "current", "skipped", "failed"]

_TONES: Mapping[OutcomeState, Tone] = {
    "published": "good",
    "ready": "new",
    "waiting": "warn",
    "current": "soft",
    "skipped": "soft",
    "failed": "bad",
}


@dataclass(frozen=True)
class PublicationOutcome:
    """The result of a publication.

    Attributes:
        name: the publication.
        view: its view.
        state: ``published``: partitions were added or retracted (``ready``: they would be, in a dry run); ``waiting``:
            there was nothing to do and something is not ready; ``current``: nothing to do; ``skipped``: this version
            was already completed; ``failed``: see ``error``.
        added: names of partitions; also those that a run added before it failed.
        retracted: names of partitions that were retracted.
        waiting: why, by partition.
        late: expected partitions that are late, and since when, in seconds since 1970.
        already_published: how many candidates were declared before, an interrupted attempt of this run included.
        error: why it failed, for people; ``error_type`` is the error's class.
        seconds: how long it took.
        started_at_ms: when it began, in milliseconds since 1970.
        process: where it ran: host and process id.
    """

    name: str
    view: str
    state: OutcomeState
    added: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()
    waiting: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    already_published: int = 0
    error: str | None = None
    error_type: str | None = None
    seconds: float = 0.0
    started_at_ms: int = 0
    process: str = ""
    late: Mapping[str, int] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The outcome as JSON holds it."""
        names = {"view": "identifier", "late": "late_since_s"}
        return {names.get(key, key): value for key, value in asdict(self).items()}


class PublicationOutcomes(list[PublicationOutcome]):
    """The outcomes of publications; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        counts = Counter(one.state for one in self)
        heading = ", ".join(f"{number:,} {state}" for state, number in counts.items())
        rows = [
            (
                one.name,
                badge(one.state, _TONES[one.state]),
                f"{len(one.added):,}",
                f"{len(one.retracted):,}",
                f"{len(one.waiting):,}",
                one.error or "; ".join(reason for reasons in list(one.waiting.values())[:1] for reason in reasons),
            )
            for one in self
        ]
        columns = ("publication", "state", "declared", "retracted", "waiting", "why")
        return html_table(f"{counted(len(self), 'publication')}: {heading or 'none'}", columns, rows)


def publish_each(
    catalog: ViewCatalog, publications: Sequence[Publication], *, dry_run: bool = False
) -> list[PublicationOutcome]:
    """Run publications one after the other; one that fails does not stop the others.

    They run in their order, but after those whose views they require. ``publish_lazily`` does the same step by step.

    Args:
        catalog: where the views are.
        publications: of ``read_publications``, or created in Python.
        dry_run: judge and report; write nothing.

    Raises:
        InvalidInputError: they exclude each other; nothing was done (``check_publications``).
        UnavailableError: a view is needed to know that, and cannot be read; nothing was done.
        UnsupportedFeatureError: one is strict or records what is read, which needs Spark.
    """
    outcomes = publish_lazily(catalog, publications, dry_run=dry_run)
    return PublicationOutcomes(with_progress_bar(outcomes, len(publications), "publication"))


def publish_lazily(
    catalog: ViewCatalog, publications: Sequence[Publication], *, dry_run: bool = False
) -> Iterator[PublicationOutcome]:
    """``publish_each`` as an iterator: the next publication runs when the next outcome is asked for.

    Args:
        catalog: where the views are.
        publications: of ``read_publications``, or created in Python.
        dry_run: judge and report; write nothing.

    Raises:
        as ``publish_each``, when it is called.
    """
    check_publications(publications, columns_of_views(catalog))
    refuse_what_needs_spark(publications)
    ordered = itertools.chain.from_iterable(in_waves(publications))
    return (publish_one(catalog, one, dry_run=dry_run) for one in ordered)


def refuse_what_needs_spark(publications: Iterable[Publication]) -> None:
    """UnsupportedFeatureError: one is strict or records what is read."""
    for one in publications:
        for option in ("strict", "record_reads"):
            if getattr(one, option):
                raise UnsupportedFeatureError(
                    f"Publication {one.name} has {option}, which needs Spark's plan of the view. Run the publications "
                    f"as a Spark job (hive_views.cli.spark_job), or leave {option} out.",
                )


def columns_of_views(catalog: ViewCatalog) -> KeysOf:
    """What gives the partition columns of a view of this catalog; none of one that its own publication fails of."""

    def keys_of(view: str) -> Sequence[Column]:
        try:
            return catalog.partitions(view).keys
        except UnavailableError:
            raise
        except HiveViewsError:
            return ()

    return keys_of


class Attempt:
    """One attempt at a publication, which measures the time from its making to its outcome."""

    def __init__(self, publication: Publication) -> None:
        process, now_ms = f"{socket.gethostname()}:{os.getpid()}", time.time_ns() // 1_000_000
        self._begun = PublicationOutcome(
            publication.name, publication.view, "failed", started_at_ms=now_ms, process=process
        )
        self._started = time.perf_counter()

    def succeeded(self, report: PublishReport) -> PublicationOutcome:
        """The outcome of an attempt that ended with this report."""
        return self._ended(
            state=_state(report),
            added=report.added,
            retracted=report.retracted,
            waiting=report.waiting,
            late=report.late,
            already_published=len(report.already_published),
        )

    def failed(self, error: Exception) -> PublicationOutcome:
        """The outcome of an attempt that raised this."""
        _LOG.debug("publication %s failed", self._begun.name, exc_info=error)
        added = tuple(error.added) if isinstance(error, HiveViewsError) else ()
        return self._ended(added=added, error=str(error) or type(error).__name__, error_type=type(error).__name__)

    def _ended(self, **found: Any) -> PublicationOutcome:
        return replace(self._begun, seconds=round(time.perf_counter() - self._started, 6), **found)


def publish_one(catalog: ViewCatalog, publication: Publication, *, dry_run: bool = False) -> PublicationOutcome:
    """Carry out one publication; what it raises is in the outcome."""
    attempt = Attempt(publication)
    try:
        return attempt.succeeded(publish_request(catalog, publication.request(dry_run=dry_run)))
    except Exception as error:  # noqa: BLE001 - a user's function may raise anything, and stops nobody else
        return attempt.failed(error)


def _state(report: PublishReport) -> OutcomeState:
    if report.skipped:
        return "skipped"
    if report.added or report.retracted:
        return "ready" if report.dry_run else "published"
    return "waiting" if report.waiting else "current"
