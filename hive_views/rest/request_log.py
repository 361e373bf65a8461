"""A line in the log for each request, and metrics for Prometheus."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import quote

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest, multiprocess

from hive_views.messages.logs import logger_of

log = logger_of(__name__)

MULTIPROCESS_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"

UNSERVED = "-"
"""The route of requests that have none."""

_METHODS = frozenset(("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"))
_LONGEST = 300
_READ_AS_THEY_ARE = "@:,+"

_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


@dataclass
class RequestRecord:
    """One request as it is logged.

    Attributes:
        method: of HTTP.
        route: the path with the names of its parts.
        client: the address that it came from.
        caller: the name of its token.
        proxy_user: the user that the server acts for.
        prefix: of the catalog.
        about: the view, table or namespace.
        status: of the answer.
        verdict: the type of the error, or ``done``.
    """

    method: str
    route: str
    client: str
    caller: str = "-"
    prefix: str = "-"
    about: str = "-"
    proxy_user: str | None = None
    status: int = 500
    verdict: str = "done"


class RequestLog:
    """The log and the metrics of one process; what Prometheus reads is of all processes of the server."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "hive_views_rest_requests",
            "Requests that were answered.",
            ("method", "route", "status", "verdict"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "hive_views_rest_request_seconds",
            "How long answers took.",
            ("method", "route"),
            registry=self._registry,
            buckets=_BUCKETS_S,
        )

    def add(self, record: RequestRecord, duration_s: float) -> None:
        """Count a request that was answered, and log it."""
        # A client can invent methods, and each would be a metric for ever.
        method = record.method if record.method in _METHODS else "other"
        self._requests.labels(method, record.route, str(record.status), record.verdict).inc()
        self._seconds.labels(method, record.route).observe(duration_s)
        log.info(
            "%s %s %s client=%s token=%s%s catalog=%s status=%d verdict=%s ms=%.1f",
            _word(record.method),
            record.route,
            _word(record.about),
            _word(record.client),
            _word(record.caller),
            f" proxy-user={_word(record.proxy_user)}" if record.proxy_user else "",
            _word(record.prefix),
            record.status,
            record.verdict,
            duration_s * 1000,
        )

    def metrics(self) -> bytes:
        """All metrics as Prometheus reads them."""
        if not os.environ.get(MULTIPROCESS_DIRECTORY):
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def _word(text: str) -> str:
    """A text from a client, which can neither end its word in the line nor fill the line."""
    word = quote(text, safe=_READ_AS_THEY_ARE, errors="backslashreplace")
    return word if len(word) <= _LONGEST else f"{word[:_LONGEST]}..."
