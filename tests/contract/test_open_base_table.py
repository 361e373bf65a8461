"""Base tables opened by name and by location, on tables that their own libraries have written."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pypaimon
import pytest
from deltalake import write_deltalake
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform

from hive_views.base_tables.opening import open_base_table
from hive_views.base_tables.port import BaseTable
from hive_views.errors import (
    CorruptMetadataError,
    InvalidInputError,
    NoSuchTableError,
    NotFoundError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from tests.support.tables.paimon_tables import write_rows

NAME = TableIdentifier("web", "clicks")
_ROWS = pa.table({"ds": ["2026-08-21", "2026-08-22"], "n": pa.array([1, 2], pa.int64())})


def make_delta(directory: Path) -> Row:
    write_deltalake(directory / "delta", _ROWS, partition_by=["ds"])
    row = _row({"spark.sql.sources.provider": "delta"}, location=f"{directory}/clicks-__PLACEHOLDER__")
    return _with(row, serde_parameters={"path": f"{directory}/delta", "serialization.format": "1"})


def iceberg_table(directory: Path) -> Table:
    catalog = InMemoryCatalog("c", warehouse=f"file://{directory}")
    catalog.create_namespace("web")
    table = catalog.create_table("web.clicks", _ROWS.schema, location=f"file://{directory}/iceberg")
    with table.update_spec() as spec:
        spec.add_field("ds", IdentityTransform(), "ds")
    table.append(_ROWS)
    return table


def make_iceberg(directory: Path) -> Row:
    return _row({"table_type": "ICEBERG", "metadata_location": iceberg_table(directory).metadata_location})


def make_paimon(directory: Path) -> Row:
    catalog = pypaimon.CatalogFactory.create({"warehouse": str(directory)})
    catalog.create_database("web", False)
    schema = pypaimon.Schema.from_pyarrow_schema(_ROWS.schema, partition_keys=["ds"])
    catalog.create_table("web.clicks", schema, False)
    write_rows(catalog.get_table("web.clicks").new_batch_write_builder(), _ROWS)
    shutil.move(directory / "web.db" / "clicks", directory / "paimon")
    return _row({"table_type": "PAIMON"}, location=f"{directory}/paimon")


MAKERS: dict[str, Callable[[Path], Row]] = {"delta": make_delta, "iceberg": make_iceberg, "paimon": make_paimon}


def _row(parameters: dict[str, str], **changes: Any) -> Row:
    return Row(identifier=NAME, table_type="EXTERNAL_TABLE", parameters=parameters, **changes)


def _with(row: Row, **changes: Any) -> Row:
    return Row(**{**vars(row), **changes})


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Row]]:
    """A directory with a table of each format in a directory of its name, and their rows as engines write them."""
    directory = tmp_path_factory.mktemp("lake")
    return directory, {format_: make(directory) for format_, make in MAKERS.items()}


@pytest.fixture
def metastore() -> MemoryMetastore:
    metastore = MemoryMetastore()
    metastore.create_namespace("web")
    return metastore


def days(table: BaseTable) -> list[tuple[str | None, ...]]:
    return sorted(table.list_partitions().values)


BOTH_DAYS = [("2026-08-21",), ("2026-08-22",)]


@pytest.mark.parametrize("format_", MAKERS)
def test_a_table_is_opened_by_its_name(
    format_: str, lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore
) -> None:
    metastore.create_row(lake[1][format_])
    table = open_base_table(metastore, "web.clicks", files=Files())
    assert (table.name, table.format, days(table)) == ("web.clicks", format_, BOTH_DAYS)


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
@pytest.mark.parametrize("format_", MAKERS)
def test_a_table_is_opened_by_its_location(
    format_: str, scheme: str, lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore
) -> None:
    for location in (f"{scheme}{lake[0]}/{format_}", f"{scheme}{lake[0]}/{format_}/"):
        for asked in (None, format_):
            table = open_base_table(metastore, location, asked, files=Files())
            assert (table.name, table.format, days(table)) == (location, format_, BOTH_DAYS)


def test_an_iceberg_table_is_opened_by_a_metadata_file(
    lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore
) -> None:
    assert days(open_base_table(metastore, lake[1]["iceberg"].parameters["metadata_location"])) == BOTH_DAYS


def test_a_branch_and_a_tag_are_named_as_in_spark(tmp_path: Path, metastore: MemoryMetastore) -> None:
    table = iceberg_table(tmp_path)
    main = table.current_snapshot()
    assert main
    table.manage_snapshots().create_tag(main.snapshot_id, "2026_Q3").create_branch(main.snapshot_id, "audit").commit()
    table.append(pa.table({"ds": ["2026-08-23"], "n": pa.array([3], pa.int64())}), branch="audit")
    metastore.create_row(_row({"table_type": "ICEBERG", "metadata_location": table.metadata_location}))
    audit = open_base_table(metastore, "Web.Clicks.branch_audit")
    assert (audit.name, days(audit)) == ("web.clicks.branch_audit", [*BOTH_DAYS, ("2026-08-23",)])
    assert days(open_base_table(metastore, "web.clicks.tag_2026_Q3")) == BOTH_DAYS
    assert days(open_base_table(metastore, "web.clicks")) == BOTH_DAYS
    with pytest.raises(NotFoundError, match="no branch Audit; its branches and tags are 2026_Q3, audit, main"):
        open_base_table(metastore, "web.clicks.branch_Audit").list_partitions()
    [required] = requires("Web.Clicks.branch_audit", ds=column("ds")).requirements()
    assert required.table == "web.clicks.branch_audit"


def test_a_branch_of_another_format_is_refused(lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore) -> None:
    metastore.create_row(lake[1]["delta"])
    with pytest.raises(InvalidInputError, match=r"web\.clicks has the format delta, and only Iceberg tables"):
        open_base_table(metastore, "web.clicks.branch_audit")


def test_an_iceberg_table_opened_by_name_follows_the_metastore(tmp_path: Path, metastore: MemoryMetastore) -> None:
    """What a commit that was never finished has left in the directory is no state of the table."""
    row = make_iceberg(tmp_path)
    metastore.create_row(row)
    reader = open_base_table(metastore, "web.clicks")
    assert days(reader) == BOTH_DAYS
    first, *_ = sorted((tmp_path / "iceberg" / "metadata").glob("*.metadata.json"))
    metastore.swap_row(_with(row, parameters={**row.parameters, "metadata_location": f"file://{first}"}), expected=None)
    assert days(reader) == [()], "the first metadata file has no partition column yet"


@pytest.mark.parametrize("location", ["nowhere", "plain"])
def test_a_location_without_a_table_is_named_with_what_was_looked_for(
    location: str, tmp_path: Path, metastore: MemoryMetastore
) -> None:
    (tmp_path / "plain" / "ds=2026-08-21").mkdir(parents=True)
    with pytest.raises(NoSuchTableError, match=rf"no table at .*{location}.*_delta_log/.*metadata\.json.*schema-0"):
        open_base_table(metastore, f"{tmp_path}/{location}")


def test_a_location_with_two_tables_is_opened_by_the_format_that_is_given(
    lake: tuple[Path, dict[str, Row]], tmp_path: Path, metastore: MemoryMetastore
) -> None:
    """As Delta writes them with UniForm."""
    location = tmp_path / "both"
    for format_ in ("delta", "iceberg"):
        shutil.copytree(lake[0] / format_, location, dirs_exist_ok=True)
    with pytest.raises(InvalidInputError, match="delta and iceberg tables; say which with format="):
        open_base_table(metastore, str(location))
    with pytest.raises(InvalidInputError, match="say which"):
        open_base_table(metastore, str(location), "paimon")
    for format_ in ("delta", "iceberg"):
        assert open_base_table(metastore, str(location), format_).format == format_


@pytest.mark.parametrize("format_", MAKERS)
def test_a_location_must_have_the_format_that_is_given(
    format_: str, lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore
) -> None:
    other = "delta" if format_ != "delta" else "paimon"
    with pytest.raises(InvalidInputError, match=f"has the format {format_}, not {other}"):
        open_base_table(metastore, f"{lake[0]}/{format_}", other)


@pytest.mark.parametrize("format_", ["hive", "view"])
def test_what_only_the_metastore_knows_has_no_location(format_: str, metastore: MemoryMetastore) -> None:
    with pytest.raises(InvalidInputError, match=r"the metastore alone.*namespace\.name"):
        open_base_table(metastore, "s3://lake/users", format_)


@pytest.mark.parametrize(
    ("table_type", "files_of", "message"),
    [
        ("delta", "paimon", "are those of paimon tables"),
        ("paimon", "iceberg", "are those of iceberg tables"),
        ("delta", "nothing", "have none of _delta_log/"),
    ],
)
def test_a_row_that_says_another_format_than_the_files_is_refused(
    table_type: str, files_of: str, message: str, lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore
) -> None:
    metastore.create_row(_row({"table_type": table_type}, location=f"{lake[0]}/{files_of}"))
    with pytest.raises(CorruptMetadataError, match=rf"web\.clicks has the format {table_type}.*{message}"):
        open_base_table(metastore, "web.clicks")


@pytest.mark.parametrize(
    "row",
    [
        _row({"table_type": "ICEBERG"}, location="s3://lake/clicks"),
        _row({"table_type": "PAIMON"}),
        _row({"spark.sql.sources.provider": "delta"}, location="s3://lake/clicks-__PLACEHOLDER__"),
    ],
    ids=["iceberg", "paimon", "delta"],
)
def test_a_row_that_does_not_say_where_the_files_are_is_refused(row: Row, metastore: MemoryMetastore) -> None:
    metastore.create_row(row)
    with pytest.raises(CorruptMetadataError, match="not where its files are"):
        open_base_table(metastore, "web.clicks")


def test_where_the_row_has_two_locations_the_one_that_the_engine_reads_is_taken(
    lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore
) -> None:
    metastore.create_row(_row({"paimon_location": f"{lake[0]}/paimon"}, location="s3://elsewhere"))
    assert days(open_base_table(metastore, "web.clicks")) == BOTH_DAYS


class TestMarksOfPaimon:
    @pytest.fixture
    def table(self, lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore) -> Any:
        """Its partitions are in the metastore, as with ``metastore.partitioned-table``."""
        ds = Column("ds", "string")
        metastore.create_row(_with(lake[1]["paimon"], partition_keys=(ds,)))
        return open_base_table(metastore, "web.clicks")

    def test_done_partitions_are_marks_and_not_partitions(self, table: Any, metastore: MemoryMetastore) -> None:
        given = [Partition((ds,), has_descriptor=True) for ds in ("2026-08-21", "2026-08-21.done", "2026-08-22")]
        metastore.add_partitions(NAME, given, if_not_exists=False)
        assert days(table) == BOTH_DAYS
        assert table.done_partitions(BOTH_DAYS) == {("2026-08-21",)}

    def test_events_are_those_of_the_metastore(self, table: Any, metastore: MemoryMetastore) -> None:
        metastore.mark_load_done(NAME, "ds=2026-08-22")
        assert table.done_events(BOTH_DAYS) == {("2026-08-22",)}

    def test_files_are_in_the_directories_of_the_partitions(self, tmp_path: Path, metastore: MemoryMetastore) -> None:
        make_paimon(tmp_path)
        table: Any = open_base_table(metastore, f"{tmp_path}/paimon")
        (tmp_path / "paimon" / "ds=2026-08-22" / "_SUCCESS").touch()
        assert table.done_files(BOTH_DAYS) == {("2026-08-22",)}
        assert table.done_files(BOTH_DAYS, "_DONE") == frozenset()

    def test_a_table_known_by_its_location_has_no_marks_in_the_metastore(
        self, lake: tuple[Path, dict[str, Row]], metastore: MemoryMetastore
    ) -> None:
        table: Any = open_base_table(metastore, f"{lake[0]}/paimon")
        for marks in (table.done_events, table.done_partitions):
            with pytest.raises(UnsupportedFeatureError, match=r"Name the table as namespace\.name"):
                marks(BOTH_DAYS)
