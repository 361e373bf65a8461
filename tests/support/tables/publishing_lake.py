"""A view over tables in memory, published and revalidated."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import fsspec

from hive_views.base_tables.memory import MemoryBaseTable, MemoryTableWithHistory
from hive_views.base_tables.port import BaseTable, PartitionValues, Registered, Statistics, TableWithFingerprints
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.persisted import INPUTS
from hive_views.publishing.plan import Plan
from hive_views.publishing.publish import plan_publish, publish
from hive_views.publishing.report import PublishReport
from hive_views.publishing.revalidation import RevalidationReport, revalidate
from hive_views.readiness.rules import Rule, column, requires
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.views.catalog_setup import create

DS, HR = Column("ds", "string"), Column("hr", "string")
CLICKS, USERS = "web.clicks", "web.users"
FIRST, SECOND = "ds=2026-08-20", "ds=2026-08-21"


class Fingerprinted(MemoryBaseTable, TableWithFingerprints):
    """A table without history that the metastore has, with a file for each partition, and that notes what is asked."""

    def __init__(
        self, name: str, keys: Sequence[Column], values: Iterable[Sequence[str | None]] = (), root: str = ""
    ) -> None:
        values = list(values)
        super().__init__(name, keys, values)
        self.loaded_at: dict[PartitionValues, int] = {}
        self.asked: list[list[PartitionValues]] = []
        self.root = root or f"memory://{uuid.uuid4().hex}"
        for one in values:
            self.write(*map(str, one), content=b"first")

    def load_again(self, *values: str) -> None:
        self.loaded_at[values] = self.loaded_at.get(values, 0) + 1

    def registered(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Registered]:
        asked = list(values)
        self.asked.append(asked)
        there = set(self.list_partitions().values)
        return {one: Registered(str(self.loaded_at.get(one, 0)), self.directory(one)) for one in asked if one in there}

    def directory(self, values: PartitionValues) -> str:
        return "/".join((self.root, *map(str, values)))

    def write(self, *values: str, content: bytes, name: str = "part-0.parquet") -> None:
        """Write a file into a partition's directory, as Spark does: behind the metastore's back."""
        files, path = fsspec.core.url_to_fs(f"{self.directory(values)}/{name}")
        files.makedirs(path.rpartition("/")[0], exist_ok=True)
        files.pipe_file(path, content)

    def load_statistics(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Statistics]:
        return {}

    def load_parameters(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Mapping[str, str]]:
        return {}


@dataclass
class Lake:
    """A view, and tables in memory under it."""

    catalog: ViewCatalog
    tables: dict[str, BaseTable] = field(default_factory=dict)
    view: str = "default.daily"

    def history(self, name: str = CLICKS, keys: Sequence[Column] = (DS,)) -> MemoryTableWithHistory:
        table = MemoryTableWithHistory(name, keys, clock_ms=itertools.count(1).__next__)
        self.tables[name] = table
        return table

    def publish(self, *rules: Rule, **options: Any) -> PublishReport:
        return publish(self.catalog, self.view, *rules, base_tables=self.tables, **options)

    def plan(self, *rules: Rule, **options: Any) -> Plan:
        return plan_publish(self.catalog, self.view, *rules, base_tables=self.tables, **options)

    def revalidate(self, *rules: Rule, **options: Any) -> RevalidationReport:
        return revalidate(self.catalog, self.view, *rules, base_tables=self.tables, **options)

    def declared(self) -> list[str]:
        return sorted(self.catalog.partitions(self.view).names())

    def states(self, *rules: Rule, **options: Any) -> dict[str, str]:
        return {name: one.state for name, one in self.revalidate(*rules, **options).partitions.items()}

    def inputs(self, name: str) -> str:
        [(_, partition)] = self.catalog.partitions(self.view).load([name])
        return partition.parameters[INPUTS]


DAY = requires(CLICKS, ds=column("ds"))
HOURS = requires(CLICKS, ds=column("ds"), hr=["00", "01"])


def make_lake(metastore: Metastore | None = None, clock_ms: Callable[[], int] | None = None) -> Lake:
    settings = CommitSettings(clock_ms=clock_ms or itertools.count(1_787_270_400_000).__next__)
    catalog = ViewCatalog(metastore or MemoryMetastore(), warehouse=f"memory://{uuid.uuid4().hex}", settings=settings)
    create(catalog, "default.daily", partitioned_on=["ds"])
    return Lake(catalog)
