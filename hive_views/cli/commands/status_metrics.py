"""``status --prometheus``: the progress of publications as metrics, in a file for node_exporter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from hive_views.errors import StorageUnavailableError, UnsupportedFeatureError
from hive_views.publishing.status import PublicationStatus

SUFFIX = ".prom"
"""Of the files that the collector reads."""

# None where a publication has no such value.
_METRICS: tuple[tuple[str, str, Callable[[PublicationStatus], float | None]], ...] = (
    ("failed", "1 if the state of the publication could not be determined.", lambda one: bool(one.error)),
    ("published_partitions", "Partitions that are declared.", lambda one: one.published),
    ("ready_partitions", "Partitions that the next run would declare.", lambda one: len(one.ready)),
    ("waiting_partitions", "Partitions that are not ready.", lambda one: len(one.waiting)),
    ("due_partitions", "Expected partitions that are not declared, and not late yet.", lambda one: len(one.due)),
    ("late_partitions", "Expected partitions that are late.", lambda one: len(one.late)),
    (
        "late_since_timestamp_seconds",
        "Since when the first of them is late.",
        lambda one: min(one.late.values(), default=None),
    ),
    (
        "last_published_timestamp_seconds",
        "When the last partition was declared.",
        lambda one: None if one.last_published_at_ms is None else one.last_published_at_ms / 1000,
    ),
)


def write_metrics(path: Path, found: Iterable[PublicationStatus]) -> None:
    """Replace a file by the metrics of these publications; a reader never sees half of it.

    Raises:
        UnsupportedFeatureError: the package is missing.
        StorageUnavailableError: the file cannot be written.
    """
    try:
        from prometheus_client import CollectorRegistry, Gauge, write_to_textfile  # noqa: PLC0415 - an optional package
    except ImportError as error:
        raise UnsupportedFeatureError(
            f"--prometheus needs the package prometheus_client, which cannot be imported ({error}). "
            f'Install it with: pip install "hive_views[prometheus]"'
        ) from error
    registry, several = CollectorRegistry(), list(found)
    for name, meaning, value_of in _METRICS:
        gauge = Gauge(f"hive_views_{name}", meaning, ["view", "publication"], registry=registry)
        for one in several:
            if (value := value_of(one)) is not None:
                gauge.labels(one.view, one.publication).set(value)
    # Of a job that no longer runs, the file stays.
    Gauge("hive_views_status_timestamp_seconds", "When this was determined.", registry=registry).set_to_current_time()
    try:
        write_to_textfile(str(path), registry)
    except OSError as error:
        raise StorageUnavailableError(f"Cannot write {path}: {error.strerror or error}.", location=str(path)) from error
