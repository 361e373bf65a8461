"""The calls and files that any library for views must make, and nothing else."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.auth import NoAuth
from hive_views.metastore.thrift.connection import Connection
from hive_views.metastore.thrift.wire import Timeouts, parse_uris

BATCH = 500
ROWS_IN_A_CALL = 100


class Raw:
    """The calls and files of a commit, and nothing else."""

    def __init__(self, uri: str, directory: Path) -> None:
        self._connection = Connection(parse_uris(uri)[0], auth=NoAuth(), tls=None, timeouts=Timeouts())
        self._directory = directory

    def ask(self, method: str, *arguments: Any) -> Any:
        return self._connection.ask(method, arguments)

    def table(self, name: str) -> ttypes.Table:
        return self.ask("get_table_req", ttypes.GetTableRequest(dbName="bench", tblName=name)).table

    def load(self, name: str) -> bytes:
        location = self.table(name).parameters["metadata_location"]
        return Path(location.removeprefix("file://")).read_bytes()

    def replace(self, name: str, content: bytes, *, lock: bool) -> None:
        lock_id = self._lock(name) if lock else None
        table = self.table(name)
        base = table.parameters["metadata_location"]
        path = self.write(content)
        table.parameters["metadata_location"] = f"file://{path}"
        expected = {"expected_parameter_key": "metadata_location", "expected_parameter_value": base}
        context = ttypes.EnvironmentContext({"DO_NOT_UPDATE_STATS": "true", **expected})
        self.ask("alter_table_with_environment_context", "bench", name, table, context)
        if lock_id is not None:
            self.ask("unlock", ttypes.UnlockRequest(lockid=lock_id))

    def add(self, name: str, values: list[str]) -> None:
        for start in range(0, len(values), BATCH):
            parts = [
                ttypes.Partition(values=[value], dbName="bench", tableName=name, parameters={})
                for value in values[start : start + BATCH]
            ]
            request = ttypes.AddPartitionsRequest(
                dbName="bench", tblName=name, parts=parts, ifNotExists=False, needResult=True
            )
            self.ask("add_partitions_req", request)

    def write(self, content: bytes) -> Path:
        """A new file, on the disk when it returns, in a directory of its own as each view's are."""
        directory = self._directory / uuid.uuid4().hex
        directory.mkdir(parents=True)
        path = directory / f"{uuid.uuid4()}.gz.metadata.json"
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        descriptor = os.open(directory, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        return path

    def rows(self, namespace: str) -> list[ttypes.Table]:
        """All rows of a namespace, a hundred in a call."""
        names = self.ask("get_tables_by_type", namespace, "*", "VIRTUAL_VIEW")
        tables: list[ttypes.Table] = []
        for start in range(0, len(names), ROWS_IN_A_CALL):
            request = ttypes.GetTablesRequest(dbName=namespace, tblNames=names[start : start + ROWS_IN_A_CALL])
            tables += self.ask("get_table_objects_by_name_req", request).tables
        return tables

    def adopt(self, table: ttypes.Table, content: bytes, added: Mapping[str, str]) -> None:
        """Read the row, write a file, and swap; the row gets parameters."""
        found = self.ask("get_table_req", ttypes.GetTableRequest(dbName=table.dbName, tblName=table.tableName)).table
        found.parameters |= {**added, "metadata_location": f"file://{self.write(content)}"}
        expected = {
            "expected_parameter_key": "transient_lastDdlTime",
            "expected_parameter_value": found.parameters["transient_lastDdlTime"],
        }
        found.parameters["transient_lastDdlTime"] = str(int(found.parameters["transient_lastDdlTime"]) + 1)
        context = ttypes.EnvironmentContext({"DO_NOT_UPDATE_STATS": "true", **expected})
        self.ask("alter_table_with_environment_context", found.dbName, found.tableName, found, context)

    def _lock(self, name: str) -> int:
        component = ttypes.LockComponent(
            type=ttypes.LockType.EXCLUSIVE,
            level=ttypes.LockLevel.TABLE,
            dbname="bench",
            tablename=name,
            operationType=ttypes.DataOperationType.NO_TXN,
        )
        request = ttypes.LockRequest(component=[component], user="bench", hostname="bench", agentInfo="bench")
        return int(self.ask("lock", request).lockid)
