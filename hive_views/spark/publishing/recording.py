"""What published partitions read: recorded when they are declared, and reported to a callback afterwards.

Spark is asked before the partitions are declared, so that none is without its record, whatever happens in between.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.hive.partition_names import parse_partition_name
from hive_views.persisted import PUBLISHED_BY, READS
from hive_views.publishing.notifying.unreported import UnreportedPartitions
from hive_views.publishing.request import PublishRequest
from hive_views.spark.analyser.query_inputs import Inputs, inputs_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

# Then it is not the partition, but the callback.
_MOST_FAILURES_IN_A_ROW = 3


@dataclass(frozen=True)
class PublishedPartition:
    """A partition that was declared.

    Attributes:
        view: the name of the view.
        partition: its name, ``ds=2026-08-21/hr=00``.
        inputs: the tables and views that the view's query reads for it, with their partitions.
    """

    view: str
    partition: str
    inputs: Inputs


OnPublished = Callable[[PublishedPartition], None]


class Recording:
    """What one run of publishing records and reports to the callback."""

    def __init__(
        self, spark: Any, catalog: ViewCatalog, request: PublishRequest, on_published: OnPublished | None
    ) -> None:
        self._spark, self._catalog = spark, catalog
        self._view = str(TableIdentifier.of(request.view))
        self._published_by = request.published_by
        self._on_published = on_published
        self._inputs: dict[str, Inputs] = {}

    def record(self, names: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Ask what partitions that are about to be declared read, and note that they have to be reported.

        Returns:
            The parameters to declare each with, by name.

        Raises:
            as ``inputs_of``; StorageUnavailableError: the note cannot be written.
        """
        if not names:
            return {}
        self._inputs = {name: self._ask(name) for name in names}
        if self._on_published is not None:
            UnreportedPartitions(self._catalog, self._catalog.load_view(self._view), self._published_by).note(names)
        return {name: {READS: reads_text(inputs)} for name, inputs in self._inputs.items()}

    def report(self) -> None:
        """Call back for each partition that is declared and was not reported, by this run or an earlier one.

        Raises:
            the first that a call raises, after the others were tried, or after three in a row failed;
            UnavailableError, and as ``inputs_of``.
        """
        if self._on_published is None:
            return
        partitions = self._catalog.partitions(self._view)
        unreported = UnreportedPartitions(self._catalog, partitions.view, self._published_by)
        names = unreported.names()
        # What is not declared may be about to be, by a run that is still alive.
        declared = {name: found.parameters.get(PUBLISHED_BY) for name, found in partitions.load(names)}
        settled = {name for name, by in declared.items() if by != self._published_by}
        failures: list[Exception] = []
        in_a_row = 0
        try:
            for name in (name for name in names if name in declared and name not in settled):
                failure = self._report_one(name, self._on_published)
                if failure is None:
                    settled.add(name)
                else:
                    failures.append(failure)
                in_a_row = in_a_row + 1 if failure else 0
                if in_a_row == _MOST_FAILURES_IN_A_ROW:
                    break
        finally:
            if settled:
                unreported.forget(settled)
        if failures:
            raise failures[0]

    def _report_one(self, name: str, on_published: OnPublished) -> Exception | None:
        try:
            on_published(PublishedPartition(self._view, name, self._inputs.get(name) or self._ask(name)))
        except Exception as failure:  # noqa: BLE001 - of one partition it must not keep the others from being reported
            return failure
        return None

    def _ask(self, name: str) -> Inputs:
        return inputs_of(self._spark, self._view, parse_partition_name(name))


def reads_text(inputs: Inputs) -> str:
    """The base partitions by table as JSON that any metastore can hold: ASCII, at most 4,000 characters."""
    tables = [table for table in inputs.tables if table.format != "view"]
    names = {table.name: table.partitions for table in tables}
    numbers = {name: None if partitions is None else len(partitions) for name, partitions in names.items()}
    texts = (json.dumps(shortened, separators=(",", ":")) for shortened in (names, numbers, {"tables": len(tables)}))
    return next(text for text in texts if len(text) <= MAX_PARTITION_PARAMETER)
