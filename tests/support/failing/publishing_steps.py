"""A run of publishing step by step: each of its calls is counted, and something happens at one of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.report import PublishReport
from hive_views.spark import PublishedPartition
from hive_views.spark import publish as publish_with_spark
from hive_views.spark.analyser.query_inputs import Inputs, InputTable
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from tests.support.tables.publishing_lake import CLICKS, DAY, DS, Lake, make_lake


class Killed(BaseException):
    """The process is gone: no code of the run goes on."""


class Steps:
    """Counts the calls of a run, and ends it before or after one of them: none of the later ones is made."""

    def __init__(self) -> None:
        self.done = 0
        self.last: int | None = None
        self.is_after = False

    def watch(self, watched: Any) -> Any:
        return _Watched(watched, self)

    def take(self, call: Any, *arguments: Any, **options: Any) -> Any:
        self.done += 1
        if self.last is not None and self.done >= self.last + self.is_after:
            raise Killed
        answer = call(*arguments, **options)
        if self.done == self.last:
            raise Killed
        return answer


class Meeting(Steps):
    """Steps of a run before one of which somebody else acts."""

    def __init__(self, at: int | None, other: Any) -> None:
        super().__init__()
        self._at, self._other = at, other
        self.has_met = False

    def take(self, call: Any, *arguments: Any, **options: Any) -> Any:
        if self.done + 1 == self._at and not self.has_met:
            self.has_met = True
            self._other()
        return super().take(call, *arguments, **options)


class _Watched:
    def __init__(self, watched: Any, steps: Steps) -> None:
        self._watched, self._steps = watched, steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._watched, name)
        if not callable(found):
            return found
        return lambda *arguments, **options: self._steps.take(found, *arguments, **options)


DAYS = [f"{number:04}" for number in range(4)]


def lost_days(**options: Any) -> tuple[Lake, MemoryTableWithHistory]:
    """One of two days, published with these options, has lost its base partitions, four are new: a run adds two
    batches and drops one.
    """
    lake = make_lake()
    clicks = lake.history(CLICKS, (DS,))
    clicks.append(("2026",), ("2027",))
    lake.publish(DAY, **options)
    clicks.delete(("2026",))
    clicks.append(*[(day,) for day in DAYS])
    return lake, clicks


def watched(lake: Lake, steps: Steps) -> ViewCatalog:
    storage: MetadataStorage = steps.watch(lake.catalog.storage)
    metastore: MemoryMetastore = steps.watch(lake.catalog.metastore)
    # A real metastore frees the lock of a dead process after a while; the one in memory waits for ever.
    return ViewCatalog(metastore, storage, settings=replace(lake.catalog.settings, lock="never"))


def run(lake: Lake, steps: Steps, **options: Any) -> PublishReport:
    in_steps = Lake(watched(lake, steps), lake.tables, lake.view)
    return in_steps.publish(DAY, retract=True, **{"app_id": "nightly", "run_version": 7, **options})


def run_with_callback(lake: Lake, steps: Steps, reported: list[str], **options: Any) -> PublishReport:
    """With Spark beside it, whose answer is a step, as is each call back."""

    def on_published(one: PublishedPartition) -> None:
        assert one.partition in lake.declared(), "nothing is reported early"
        steps.take(reported.append, one.partition)

    return publish_with_spark(
        steps,
        watched(lake, steps),
        lake.view,
        DAY,
        base_tables=lake.tables,
        retract=True,
        strict=False,
        on_published=on_published,
        **options,
    )


def answer_of_spark(spark: Steps, view: str, partition: dict[str, str]) -> Inputs:
    return Inputs(spark.take(lambda: (InputTable(CLICKS, "hive", (f"ds={partition['ds']}",)),)), {})
