"""A table of each format that has a history, with one partition key: a local one, and the directory that it is in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyiceberg.catalog.memory import InMemoryCatalog

from hive_views.hive.row import Column
from tests.support.tables.delta_writer import DeltaWriter
from tests.support.tables.iceberg_writer import IcebergTable
from tests.support.tables.paimon_tables import PaimonTable
from tests.support.tables.writable import WritableTableWithHistory

KEYS = (Column("ds", "string"),)


def iceberg(directory: Path) -> tuple[WritableTableWithHistory, Path]:
    catalog = InMemoryCatalog("c", warehouse=f"file://{directory}")
    catalog.create_namespace("web")
    return IcebergTable(catalog, KEYS, f"file://{directory}/iceberg"), directory / "iceberg"


def iceberg_at(location: str, properties: Mapping[str, str]) -> IcebergTable:
    """A table on a store, whose files name their locations there; the properties are those of its FileIO."""
    catalog = InMemoryCatalog("c", **{"py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO", **properties})
    catalog.create_namespace("web")
    return IcebergTable(catalog, KEYS, location)


def delta(directory: Path) -> tuple[WritableTableWithHistory, Path]:
    return DeltaWriter(KEYS, directory / "delta"), directory / "delta"


def paimon(directory: Path) -> tuple[WritableTableWithHistory, Path]:
    table = PaimonTable(directory, KEYS)
    return table, table.location
