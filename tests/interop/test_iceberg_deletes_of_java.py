"""Equality deletes, and replaced tables, as Iceberg's own Java code writes them, read by us beside Spark."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.base_tables.port import TableState
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.iceberg_table import IcebergTable, records
from tests.support.java.iceberg_java import Iceberg
from tests.support.tables.writable import grown, sizes

pytestmark = [
    pytest.mark.peer("iceberg-spark"),
    # PySpark leaves the socket of every collect() and first() to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


class Upserting(IcebergTable):
    """A table that equality deletes are written to, as Flink's upserts do: by the value of ``id``."""

    def __init__(self, iceberg: Iceberg, hms: HiveMetastore, namespace: str, clauses: str) -> None:
        super().__init__(iceberg, hms, namespace, "id INT, ds STRING", clauses)
        self._jvm = iceberg._jvm
        self._load = lambda: iceberg.catalog().loadTable(iceberg.identifier(self.identifier))

    def delete(self, id_: int, ds: str | None = None) -> None:
        """Delete the rows with an id that are there now, in one partition or in all of an unpartitioned spec."""
        table = self._load()
        iceberg, spec = self._jvm.org.apache.iceberg, table.spec()
        by_id = table.schema().select(["id"])
        field_ids = self._jvm.java.lang.reflect.Array.newInstance(self._jvm.java.lang.Integer.TYPE, 1)
        field_ids[0] = table.schema().findField("id").fieldId()
        factory = (
            iceberg.data.GenericFileWriterFactory.Builder(table)
            .equalityFieldIds(field_ids)
            .equalityDeleteRowSchema(by_id)
            .build()
        )
        partition = None
        if ds is not None:
            partition = iceberg.data.GenericRecord.create(spec.partitionType())
            partition.set(0, ds)
        out: Any = iceberg.io.OutputFileFactory.builderFor(table, 1, 1).build()
        file = out.newOutputFile(spec, partition) if partition is not None else out.newOutputFile()
        writer = factory.newEqualityDeleteWriter(file, spec, partition)
        row = iceberg.data.GenericRecord.create(by_id)
        row.setField("id", id_)
        writer.write(row)
        writer.close()
        table.newRowDelta().addDeletes(writer.toDeleteFile()).commit()


@pytest.fixture
def upserting(iceberg: Iceberg, hms: HiveMetastore, namespace: str) -> Upserting:
    return Upserting(iceberg, hms, namespace, "PARTITIONED BY (ds) TBLPROPERTIES ('format-version' = '2')")


def test_equality_deletes_leave_no_number_of_records_for_what_was_there_before(upserting: Upserting) -> None:
    table = upserting
    table.run("INSERT INTO {t} VALUES (1, 'a'), (2, 'a'), (3, 'b')")
    before = table.list()
    table.delete(1, "a")
    after, changes = table.list(), table.changes(before)
    assert table.records("ds") == {("a",): 1, ("b",): 1}
    assert records(after) == {("a",): None, ("b",): 1}, "how many rows it deletes is not recorded"
    assert grown(before, changes) == sizes(after)
    assert changes.partitions["a",].rewrites_only is False

    table.run("INSERT INTO {t} VALUES (1, 'a')")
    assert records(table.list()) == {("a",): None, ("b",): 1}
    assert records(table.list())["a",] is None
    table.delete(9, "c")
    table.run("INSERT INTO {t} VALUES (9, 'c')")
    assert records(table.list())["c",] == table.records("ds")["c",] == 1, "it came after the delete"

    table.call("rewrite_data_files", "options => map('rewrite-all', 'true')")
    assert records(table.list()) == table.records("ds") == {("a",): 2, ("b",): 1, ("c",): 1}, "the deletes are applied"


def test_equality_deletes_of_an_unpartitioned_spec_are_for_all_partitions(upserting: Upserting) -> None:
    """In format version 1 a dropped partition field stays in the spec, with a transform that makes nothing of it."""
    table = upserting
    table.run("INSERT INTO {t} VALUES (1, 'a'), (2, 'b')")
    table.run("ALTER TABLE {t} DROP PARTITION FIELD ds")
    table.delete(1)
    assert table.run("SELECT count(*) FROM {t}") == [(1,)]
    assert records(table.list()) == {(): None}


def test_equality_deletes_of_a_spec_whose_fields_are_all_void_are_for_all_partitions(
    iceberg: Iceberg, hms: HiveMetastore, namespace: str
) -> None:
    table = Upserting(iceberg, hms, namespace, "PARTITIONED BY (ds) TBLPROPERTIES ('format-version' = '1')")
    table.run("INSERT INTO {t} VALUES (1, 'a'), (2, 'b')")
    table.run("ALTER TABLE {t} DROP PARTITION FIELD ds")
    table.run("ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '2')")
    table.delete(1)
    assert table.run("SELECT count(*) FROM {t}") == [(1,)]
    # Spark cannot read the table any more then, for two fields have one id (Iceberg 1.12); we can.
    table.run("ALTER TABLE {t} ADD PARTITION FIELD ds")
    assert records(table.list()) == {("a",): None, ("b",): None}


def test_a_deletion_vector_has_the_deletes_of_its_whole_partition_in_it(upserting: Upserting) -> None:
    """Position deletes of format version 2 that name several files stay beside the vectors of version 3."""
    table = upserting
    table.run(
        "ALTER TABLE {t} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', "
        "'write.delete.granularity' = 'partition')"
    )
    table.run("INSERT INTO {t} VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'b')")
    table.run("INSERT INTO {t} VALUES (5, 'a'), (6, 'a'), (7, 'a')")
    table.run("DELETE FROM {t} WHERE id IN (1, 5)")
    assert records(table.list()) == {("a",): 4, ("b",): 1}
    table.run("ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '3')")
    before = table.list()
    table.run("DELETE FROM {t} WHERE id = 2")
    assert table.run("SELECT count(*) FROM {t}.delete_files") == [(2,)]
    assert table.records("ds") == {("a",): 3, ("b",): 1}
    assert records(table.list()) == {("a",): None, ("b",): 1}, "what is left of the older deletes is not recorded"
    table.run("DELETE FROM {t} WHERE id = 6")
    assert records(table.list()) == table.records("ds") == {("a",): 2, ("b",): 1}, "nothing is left of them"
    assert table.changes(before).partitions["a",].records is None, "that rows were deleted before is not recorded"


def test_a_replaced_table_is_another_one_and_one_that_is_written_over_is_not(
    iceberg: Iceberg, hms: HiveMetastore, namespace: str
) -> None:
    table = Upserting(iceberg, hms, namespace, "PARTITIONED BY (ds)")
    ids = [_uuid(table)]
    lines = []
    for statement in (
        "INSERT INTO {t} VALUES (1, 'a')",
        "INSERT INTO {t} VALUES (2, 'b')",
        "INSERT OVERWRITE {t} VALUES (3, 'c')",
        "TRUNCATE TABLE {t}",
        "CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (ds) AS SELECT 1 AS id, 'a' AS ds",
        "INSERT INTO {t} VALUES (2, 'b')",
        "REPLACE TABLE {t} (id INT, ds STRING) USING iceberg PARTITIONED BY (ds)",
        "INSERT INTO {t} VALUES (2, 'b')",
    ):
        table.run(statement)
        snapshot = table.list().snapshot
        ids.append(_uuid(table))
        lines.append(snapshot.table_id if snapshot else None)
    assert len(set(ids)) == 1, "Iceberg keeps the id"
    assert lines[:4] == [lines[0]] * 4
    assert lines[4:6] == [lines[4]] * 2
    assert lines[6] is None
    assert len({lines[0], lines[4], lines[7]}) == 3

    first = table.open().current_state()
    table.run("INSERT INTO {t} VALUES (3, 'c')")
    second = table.open().current_state(first)
    table.call("expire_snapshots", "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1")
    third = table.open().current_state(TableState(first.snapshot, first.keys))
    assert [one.snapshot.table_id for one in (second, third) if one.snapshot] == [lines[7]] * 2
    unknown = table.open().current_state().snapshot
    assert unknown is not None
    assert unknown.table_id != lines[7], "the line that it was of is not recorded any more"


def _uuid(table: Upserting) -> str:
    return str(table._load().uuid())
