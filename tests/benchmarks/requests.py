"""What verbs ask of an object store: requests of each kind, beside the number that is needed.

What lives here: the verbs, and what each may ask for. What must not: the server (tests/s3_server.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import hive_views
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from tests.s3_server import S3Server

COLUMNS = [("a", "int"), ("ds", "string")]
ONE, MANY = [{"ds": "one"}], [{"ds": f"day-{number:04d}"} for number in range(2_000)]


@dataclass(frozen=True)
class Asked:
    """What one verb asked for, and the most that it may ask for."""

    verb: str
    found: Mapping[str, int]
    most: Mapping[str, int]

    @property
    def is_held(self) -> bool:
        return all(count <= self.most.get(kind, 0) for kind, count in self.found.items())

    def cells(self) -> tuple[str, str, str, str]:
        """Of a table: the verb, what it asked for, what is needed, whether that is held."""
        return self.verb, _text(self.found), _text(self.most), "[green]yes[/]" if self.is_held else "[red]no[/]"

    def __str__(self) -> str:
        return f"{self.verb}: {_text(self.found)} (needed: {_text(self.most)})"


def measure_requests(server: S3Server, views: int) -> Iterator[Asked]:
    """Every verb by a process that knows nothing of the views, which have two metadata files and a partition each."""
    metastore, lake = MemoryMetastore(), f"s3://{server.new_bucket()}"

    def fresh(metastore: MemoryMetastore = metastore, warehouse: str = f"{lake}/views") -> ViewCatalog:
        return ViewCatalog(metastore, MetadataStorage(server.options), warehouse=warehouse)

    def asked(verb: str, do: Callable[[ViewCatalog], Any], catalog: ViewCatalog | None = None, **most: int) -> Asked:
        catalog = catalog or fresh()
        server.requests()
        do(catalog)
        return Asked(verb, server.requests(), {kind.replace("_", " "): count for kind, count in most.items()})

    names = [f"sales.v{number:03d}" for number in range(views)]
    elsewhere = MemoryMetastore()
    for one in (metastore, elsewhere):
        one.create_namespace("sales")
    _make(fresh(), names)
    first, rest = names[0], names[1:]
    partitions = "add 1 partition, the first of its view"
    # Each batch begins above what others have noted meanwhile: one listing, and two files.
    yield asked(partitions, lambda catalog: catalog.partitions(first).add(ONE), GET=1, LIST=1, PUT=2)
    yield asked("add 2,000 partitions", lambda catalog: catalog.partitions(first).add(MANY), GET=1, LIST=4, PUT=8)
    yield asked("drop 2,000 partitions", lambda catalog: catalog.partitions(first).drop(MANY), GET=1, LIST=4, PUT=8)
    warm = fresh()
    for name in rest:
        warm.partitions(name).add(ONE)
    yield asked("describe", hive_views.describe_views, GET=views)
    yield asked("check", hive_views.check, GET=views)
    yield asked("report", hive_views.report, GET=views)
    # One for the directories of the namespace; of each view one for its directories, and one for each that is there.
    yield asked("clean", lambda catalog: hive_views.clean(catalog, "sales.*"), GET=views, LIST=3 * views + 1)
    archive = f"{lake}/backups/views.zip"
    # Whether there is an archive of the name is asked before all views are read.
    yield asked("backup", lambda catalog: hive_views.backup(catalog, archive), GET=views, HEAD=1, LIST=1, PUT=1)
    # Every view is read back. Its file gets a number above those that are there, and its partitions one in the journal:
    # a listing each.
    yield asked(
        "restore elsewhere",
        lambda catalog: hive_views.restore(catalog, archive),
        fresh(elsewhere, f"{lake}/elsewhere"),
        HEAD=1,
        GET=views + 1,
        LIST=2 * views,
        PUT=3 * views,
    )
    # Each metadata file proves whose it is; one directory of metadata, one of the journal, and what lists both.
    yield asked("purge", _purging(names), GET=2 * views, LIST=3 * views, DELETE_many=views)


def _make(catalog: ViewCatalog, names: list[str]) -> None:
    for name in names:
        catalog.create_view(name, sql=_text_of(1), schema=COLUMNS, partitioned_on=["ds"])
        catalog.replace_view(name, sql=_text_of(2), schema=COLUMNS)


def _text_of(number: int) -> dict[str, str]:
    return {"hive": f"SELECT {number} AS a, 'x' AS ds"}


def _purging(names: list[str]) -> Callable[[ViewCatalog], None]:
    def purge(catalog: ViewCatalog) -> None:
        for name in names:
            assert not catalog.drop_view(name, purge=True).left

    return purge


def _text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {counts[kind]:,}" for kind in sorted(counts)) or "nothing"
