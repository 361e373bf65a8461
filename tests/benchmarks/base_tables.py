"""What planning costs beside the raw reader of each format, and how much less the next run costs.

The raw reader of a format is what its own library offers to find the partitions of the newest state: their set, and
nothing about them.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pypaimon
from deltalake import DeltaTable
from pyiceberg.table import StaticTable

from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.publish import plan_publish, publish
from hive_views.readiness.rules import Rule, column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.benchmarks.figures import Figure, in_turns
from tests.support.tables.lakes import DAYS, HOURS, DeltaLake, GrowingTable, IcebergLake, PaimonLake, day, fill

_PARTITIONS = DAYS * HOURS
# One run may meet a collection of all garbage, which takes longer than the run.
_NEW_DAYS = 7
_COLUMNS = [("n", "bigint"), ("ds", "string")]
_BATCH = 500
_MILLION, _MOST_MIB = 1_000_000, 1024


def measure_base_tables(uri: str, directory: Path, rounds: int) -> Iterator[Figure]:
    """All figures; the Hive table is in the metastore at ``uri``, all others are in ``directory``."""
    yield from _hive(uri, directory, rounds)
    yield _million()
    for name, make in (("Delta", _delta), ("Iceberg", _iceberg), ("Paimon", _paimon)):
        place = directory / name
        place.mkdir()
        lake, location, raw = make(place)
        fill(lake)
        yield _plan(name, location, raw, rounds)
        yield _next_run(name, location, lake, place)


def _delta(place: Path) -> tuple[GrowingTable, str, Callable[[], object]]:
    def raw() -> object:
        actions = DeltaTable(place).get_add_actions(flatten=True)
        return set(zip(actions["partition.ds"].to_pylist(), actions["partition.hr"].to_pylist(), strict=True))

    return DeltaLake(place), str(place), raw


def _iceberg(place: Path) -> tuple[GrowingTable, str, Callable[[], object]]:
    lake = IcebergLake(f"file://{place}")

    def raw() -> object:
        table = StaticTable.from_metadata(lake.metadata_location)
        snapshot = table.current_snapshot()
        assert snapshot is not None
        manifests = snapshot.manifests(table.io)
        return {tuple(e.data_file.partition) for one in manifests for e in one.fetch_manifest_entry(table.io)}

    return lake, f"{place}/t", raw


def _paimon(place: Path) -> tuple[GrowingTable, str, Callable[[], object]]:
    def raw() -> object:
        catalog = pypaimon.CatalogFactory.create({"warehouse": str(place)})
        return catalog.list_partitions_paged("web.t")

    lake = PaimonLake(place)
    return lake, str(lake.directory), raw


def _plan(name: str, location: str, raw: Callable[[], object], rounds: int) -> Figure:
    catalog = _catalog(MemoryMetastore(), f"memory://{name}")
    ours, theirs = in_turns(rounds, lambda _: _planned(catalog, location), lambda _: raw())
    return Figure(f"plan over {_PARTITIONS:,} {name} partitions", ours, theirs, 1.3)


def _next_run(name: str, location: str, lake: GrowingTable, directory: Path) -> Figure:
    catalog = _catalog(MemoryMetastore(), f"{directory}/views")
    seconds = []
    for later in range(1 + _NEW_DAYS):
        started = time.perf_counter()
        report = publish(catalog, "default.daily", _whole_days(location))
        seconds.append(time.perf_counter() - started)
        assert len(report.added) == (1 if later else DAYS)
        lake.add_days([day(DAYS + later)])
    first, *others = seconds
    return Figure(f"publish a new day of {name}, beside the first run", others, [first], 0.1)


def _hive(uri: str, directory: Path, rounds: int) -> Iterator[Figure]:
    metastore = HiveMetastore(uri)
    identifier = _hive_table(metastore, f"file:{directory}/clicks", _PARTITIONS)
    catalog = _catalog(metastore, f"{directory}/views")
    names = rounds * 3

    def raw() -> object:
        # Their set, as of the other formats: the values that names say.
        listed = metastore.partition_names(identifier)
        return {tuple(unquote(part.partition("=")[2]) for part in name.split("/")) for name in listed}

    def plan() -> None:
        _planned(catalog, str(identifier))

    ours, theirs = in_turns(names, lambda _: plan(), lambda _: raw())
    yield Figure(f"plan over {_PARTITIONS:,} Hive partitions", ours, theirs, 1.3)
    ours, theirs = in_turns(names, lambda _: plan(), lambda _: metastore.partition_names(identifier))
    yield Figure("the same beside the call alone, with no name read", ours, theirs, None)
    metastore.close()


def _million() -> Figure:
    """In a process of its own, for its memory."""
    command = [sys.executable, "-m", "tests.benchmarks.base_tables"]
    measured = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    what = f"plan over {_MILLION:,} Hive partitions in memory, with {measured['mib']} MiB at its peak"
    # Too much memory is a figure that is not reached, however fast it was.
    return Figure(what, [measured["seconds"]], [], 10.0 if measured["mib"] <= _MOST_MIB else 0.0)


def _million_in_this_process() -> None:
    metastore = MemoryMetastore()
    identifier = _hive_table(metastore, "memory://clicks", _MILLION)
    catalog = _catalog(metastore, "memory://views")
    started = time.perf_counter()
    _planned(catalog, str(identifier))
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


def _hive_table(metastore: Metastore, location: str, partitions: int) -> TableIdentifier:
    row = Row(
        identifier=TableIdentifier("default", "clicks"),
        table_type="EXTERNAL_TABLE",
        location=location,
        columns=(Column("n", "bigint"),),
        partition_keys=(Column("ds", "string"), Column("hr", "int")),
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        serde_library="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
        parameters={"EXTERNAL": "TRUE"},
    )
    metastore.create_row(row)
    for start in range(0, partitions, _BATCH):
        numbers = range(start, min(start + _BATCH, partitions))
        given = [Partition((f"d{n // HOURS:06}", str(n % HOURS)), has_descriptor=True) for n in numbers]
        metastore.add_partitions(row.identifier, given, if_not_exists=False)
    return row.identifier


def _catalog(metastore: Metastore, warehouse: str) -> ViewCatalog:
    catalog = ViewCatalog(metastore, warehouse=warehouse)
    catalog.create_view(
        "default.daily", sql={"hive": "SELECT 1 AS n, 'a' AS ds"}, schema=_COLUMNS, partitioned_on=["ds"]
    )
    return catalog


def _whole_days(table: str) -> Rule:
    return requires(table, ds=column("ds"), hr=list(range(HOURS)))


def _planned(catalog: ViewCatalog, table: str) -> None:
    plan = plan_publish(catalog, "default.daily", _whole_days(table))
    assert len(plan.ready) > DAYS - 1


if __name__ == "__main__":
    _million_in_this_process()
