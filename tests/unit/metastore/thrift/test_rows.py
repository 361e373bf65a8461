"""Rows and partitions as Thrift structs: nothing is lost on the way there and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.structs import from_partition, from_row, to_partition, to_row
from hive_views.spec.identifiers import TableIdentifier

_VIEW = TableIdentifier("sales", "daily")
_ROW = Row(
    identifier=_VIEW,
    table_type="VIRTUAL_VIEW",
    owner="ada",
    columns=(Column("clicks", "bigint", "how many"), Column("page", "string")),
    partition_keys=(Column("ds", "string"),),
    input_format="TextInputFormat",
    output_format="TextOutputFormat",
    original_text="select 1",
    expanded_text="SELECT 1",
    parameters={"metadata_location": "s3://lake/1.json"},
)


def _filled(kind: int, arguments: Any, depth: int = 0) -> Any:
    """A value of a Thrift type with every field set, so that a lost one shows."""
    scalars = {TType.BOOL: True, TType.DOUBLE: 1.5, TType.BYTE: 1, TType.I16: 2, TType.I32: 3, TType.I64: 4}
    if kind in scalars:
        return scalars[kind]
    if kind == TType.STRING:
        return b"\xff\x00" if arguments == "BINARY" else "text"
    if kind == TType.LIST:
        item = _filled(arguments[0], arguments[1], depth)
        return (item,) if arguments[2] else [item]
    if kind == TType.SET:
        return {_filled(arguments[0], arguments[1], depth)}
    if kind == TType.MAP:
        return {_filled(arguments[0], arguments[1], depth): _filled(arguments[2], arguments[3], depth)}
    assert kind == TType.STRUCT
    return _filled_struct(arguments[0], depth + 1)


def _filled_struct(struct: Any, depth: int = 0) -> Any:
    fields = [field for field in struct.thrift_spec if field is not None]
    # A table holds tables: those of its source.
    fields = [field for field in fields if not (depth > 1 and field[2] == "creationMetadata")]
    if struct.__name__.endswith("StatisticsData"):
        fields = fields[:1]
    return struct(**{field[2]: _filled(field[1], field[3], depth) for field in fields})


def _bytes(struct: Any) -> bytes:
    buffer = TMemoryBuffer()
    struct.write(TBinaryProtocolAccelerated(buffer))
    return bytes(buffer.getvalue())


def _sent(struct: Any) -> Any:
    """The struct as it arrives at the other end of the wire."""
    found = type(struct)()
    found.read(TBinaryProtocolAccelerated(TMemoryBuffer(_bytes(struct))))
    return found


def test_every_field_of_a_table_survives_reading_and_writing_it_back() -> None:
    table = _filled_struct(ttypes.Table)
    assert None not in vars(table).values()
    assert _sent(table) == table
    assert _bytes(from_row(to_row(_sent(table)))) == _bytes(table)


def test_every_field_of_a_partition_survives_reading_and_writing_it_back() -> None:
    partition = _filled_struct(ttypes.Partition)
    partition.dbName, partition.tableName = "sales", "daily"
    assert None not in vars(partition).values()
    assert _bytes(from_partition(_VIEW, to_partition(_sent(partition)))) == _bytes(partition)


def test_a_field_that_was_not_sent_is_not_sent_back() -> None:
    bare = ttypes.Table(dbName="sales", tableName="daily", tableType="VIRTUAL_VIEW", parameters={}, partitionKeys=[])
    bare.sd = ttypes.StorageDescriptor(cols=[], serdeInfo=ttypes.SerDeInfo())
    assert _bytes(from_row(to_row(_sent(bare)))) == _bytes(bare)


def test_writing_changes_the_fields_of_the_row_and_only_those() -> None:
    table = _filled_struct(ttypes.Table)
    before = _bytes(table)
    written = from_row(replace(_ROW, native=table))
    assert to_row(written) == replace(_ROW, create_time_s=table.createTime)
    assert _bytes(table) == before, "what was read must not change under its readers"
    untouched = ("createTime", "privileges", "writeId", "ownerType", "catName", "creationMetadata", "id", "txnId")
    assert [getattr(written, name) for name in untouched] == [getattr(table, name) for name in untouched]
    assert (written.sd.bucketCols, written.sd.serdeInfo.parameters) == (["text"], {"text": "text"})


def test_a_new_row_is_what_hive_writes_for_a_view() -> None:
    assert from_row(_ROW) == ttypes.Table(
        dbName="sales",
        tableName="daily",
        owner="ada",
        retention=0,
        tableType="VIRTUAL_VIEW",
        viewOriginalText="select 1",
        viewExpandedText="SELECT 1",
        parameters={"metadata_location": "s3://lake/1.json"},
        partitionKeys=[ttypes.FieldSchema("ds", "string", None)],
        sd=ttypes.StorageDescriptor(
            cols=[ttypes.FieldSchema("clicks", "bigint", "how many"), ttypes.FieldSchema("page", "string", None)],
            location=None,
            inputFormat="TextInputFormat",
            outputFormat="TextOutputFormat",
            compressed=False,
            numBuckets=-1,
            serdeInfo=ttypes.SerDeInfo(),
            bucketCols=[],
            sortCols=[],
            parameters={},
        ),
    )


def test_where_a_table_and_a_partition_have_their_files_comes_and_goes() -> None:
    """Delta's location is a parameter of the serde."""
    row = replace(_ROW, table_type="EXTERNAL_TABLE", location="s3://lake/t", serde_parameters={"path": "s3://lake/d"})
    assert to_row(_sent(from_row(row))).serde_parameters == {"path": "s3://lake/d"}
    partition = Partition(("a",), has_descriptor=True, location="s3://lake/t/ds=a")
    assert to_partition(_sent(from_partition(_VIEW, partition))).location == "s3://lake/t/ds=a"
    assert to_partition(_sent(from_partition(_VIEW, Partition(("a",))))).location is None


def test_partition_keys_are_sent_even_when_there_are_none() -> None:
    """A table without the field is one without keys to the server, so that a view would lose its own."""
    table = from_row(replace(_ROW, partition_keys=(), native=ttypes.Table()))
    assert _sent(table).partitionKeys == []


def test_a_missing_comment_is_null_and_never_empty() -> None:
    table = from_row(replace(_ROW, columns=(Column("a", "int", ""),), partition_keys=(Column("ds", "string", ""),)))
    assert [field.comment for field in (*table.sd.cols, *table.partitionKeys)] == [None, None]
    table.sd.cols[0].comment = ""
    assert to_row(table).columns == (Column("a", "int"),)


def test_names_and_types_of_columns_are_sent_in_lower_case() -> None:
    """Hive 2.3 refuses a type in capitals."""
    table = from_row(replace(_ROW, columns=(Column("Clicks", "BIGINT"),), partition_keys=(Column("DS", "Varchar(3)"),)))
    assert [(field.name, field.type) for field in (*table.sd.cols, *table.partitionKeys)] == [
        ("clicks", "bigint"),
        ("ds", "varchar(3)"),
    ]


def test_the_time_of_the_last_change_of_a_partition_is_left_to_the_server() -> None:
    """It sets the parameter only where it is missing."""
    parameters = {"transient_lastDdlTime": "1", "k": "v"}
    assert from_partition(_VIEW, Partition(("a",), parameters)).parameters == {"k": "v"}


def test_a_table_without_any_of_the_optional_parts_is_still_a_row() -> None:
    assert to_row(ttypes.Table(dbName="sales", tableName="daily")) == Row(identifier=_VIEW, table_type="")


def test_a_partition_has_no_storage_descriptor_unless_that_is_asked_for() -> None:
    assert from_partition(_VIEW, Partition(("a", "b"))) == ttypes.Partition(
        values=["a", "b"], dbName="sales", tableName="daily", parameters={}
    )
    stub = from_partition(_VIEW, Partition(("a",), has_descriptor=True))
    assert stub.sd == ttypes.StorageDescriptor(cols=[], serdeInfo=ttypes.SerDeInfo())
    assert to_partition(stub).has_descriptor
