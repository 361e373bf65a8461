"""The IDL and the code generated from it."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hmsclient import HMSClient
from hmsclient.genthrift.hive_metastore import ttypes as hive_2
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

from hive_views.metastore.thrift._bindings.hms import HiveViewsMetastore, ttypes
from hive_views.metastore.thrift.connection import MetastoreClient

_ROOT = Path(__file__).parents[4]
_COMMITTED = _ROOT / "hive_views" / "metastore" / "thrift" / "_bindings"

# From the classes of Hive 4.2.0; Decimal has no field 2.
_FIELDS_IN_HIVE_4_2 = {
    "Table": 28,
    "Partition": 13,
    "StorageDescriptor": 12,
    "SerDeInfo": 7,
    "FieldSchema": 3,
    "Order": 2,
    "SkewedInfo": 3,
    "PrincipalPrivilegeSet": 3,
    "PrivilegeGrantInfo": 5,
    "CreationMetadata": 7,
    "SourceTable": 4,
    "FileMetadata": 3,
    "ObjectDictionary": 1,
    "ColumnStatistics": 4,
    "ColumnStatisticsDesc": 6,
    "ColumnStatisticsObj": 3,
    "ColumnStatisticsData": 8,
    "BooleanColumnStatsData": 4,
    "LongColumnStatsData": 6,
    "DoubleColumnStatsData": 6,
    "StringColumnStatsData": 5,
    "BinaryColumnStatsData": 4,
    "DecimalColumnStatsData": 6,
    "DateColumnStatsData": 6,
    "TimestampColumnStatsData": 6,
    "Database": 13,
}


def _structs() -> dict[str, Any]:
    return {
        name: value for name, value in vars(ttypes).items() if inspect.isclass(value) and hasattr(value, "thrift_spec")
    }


def _fields(struct: Any) -> dict[int, tuple[int, str]]:
    return {field[0]: (field[1], field[2]) for field in struct.thrift_spec if field is not None}


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.py")}


@pytest.mark.peer("thrift compiler")
def test_the_committed_bindings_are_what_the_idl_compiles_to(tmp_path: Path) -> None:
    compiler = shutil.which(os.environ.get("THRIFT", "thrift"))
    if compiler is None:
        pytest.skip("no Thrift compiler found: install thrift 0.17 (Debian: thrift-compiler)")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    if not version.startswith("Thrift version 0.17."):
        pytest.skip(f"the bindings are made with thrift 0.17, found {version.strip()}")
    subprocess.run([_ROOT / "thrift_idl" / "regenerate", tmp_path / "made"], check=True)
    made = _files(tmp_path / "made")
    assert "hms/ttypes.py" in made
    assert made == _files(_COMMITTED)


def test_the_bindings_import_without_a_warning_and_beside_other_hive_bindings() -> None:
    program = (
        "import sys\n"
        "import hive_views.metastore.thrift._bindings.hms.HiveViewsMetastore, hmsclient\n"
        "assert 'hive_metastore' not in sys.modules and 'fb303' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=_ROOT, check=True)


@pytest.mark.parametrize(("name", "count"), _FIELDS_IN_HIVE_4_2.items())
def test_a_struct_that_is_written_back_has_every_field_of_the_newest_hive(name: str, count: int) -> None:
    assert list(_fields(_structs()[name])) == list(range(1, count + 1))


def test_no_field_has_a_default_that_would_be_written_back_though_no_server_sent_it() -> None:
    defaults = {
        (name, field[2]): field[4]
        for name, struct in _structs().items()
        for field in struct.thrift_spec
        if field is not None and field[4] is not None
    }
    assert defaults == {}


@pytest.mark.parametrize("name", sorted(set(_structs()) & set(vars(hive_2))))
def test_numbers_types_and_names_of_fields_are_those_of_hive_2(name: str) -> None:
    ours, theirs = _fields(_structs()[name]), _fields(vars(hive_2)[name])
    shared = ours.keys() & theirs.keys()
    # Renamed in Hive 3.
    renamed = {("LockComponent", 7)}
    assert {n: ours[n] for n in shared if (name, n) not in renamed} == {
        n: theirs[n] for n in shared if (name, n) not in renamed
    }
    assert shared


def test_our_calls_win_over_hmsclients_and_all_its_others_are_there() -> None:
    ours = {name for name in vars(HiveViewsMetastore.Client) if not name.startswith("_")}
    assert {"get_table_req", "lock", "drop_partitions_req"} <= ours
    for name in ours:
        assert getattr(MetastoreClient, name) is getattr(HiveViewsMetastore.Client, name)
    assert MetastoreClient.add_partitions_pspec is HMSClient.add_partitions_pspec


def test_a_map_with_lists_as_keys_comes_back() -> None:
    """Tables with skewed columns have one; a Python dictionary takes no list as key."""
    skewed = ttypes.SkewedInfo(
        skewedColNames=["a", "b"],
        skewedColValues=[["1", "2"]],
        skewedColValueLocationMaps={("1", "2"): "s3://lake/t/a=1/b=2"},
    )
    buffer = TMemoryBuffer()
    skewed.write(TBinaryProtocolAccelerated(buffer))
    found = ttypes.SkewedInfo()
    found.read(TBinaryProtocolAccelerated(TMemoryBuffer(buffer.getvalue())))
    assert found == skewed


def test_the_types_that_are_checked_here_cover_all_that_a_table_consists_of() -> None:
    reached, todo = set(), ["Table", "Partition", "Database"]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            for field in _structs()[name].thrift_spec:
                todo.extend(_structs_in(field[1], field[3]) if field is not None else ())
    assert reached - {"Decimal", "Date", "Timestamp"} == set(_FIELDS_IN_HIVE_4_2)


def _structs_in(kind: int, arguments: Any) -> list[str]:
    if kind == TType.STRUCT:
        return [arguments[0].__name__]
    if kind in (TType.LIST, TType.SET):
        return _structs_in(arguments[0], arguments[1])
    if kind == TType.MAP:
        return _structs_in(arguments[0], arguments[1]) + _structs_in(arguments[2], arguments[3])
    return []
