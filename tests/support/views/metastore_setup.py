"""What the contract of the metastore port is made of: example rows, fixtures, and how servers differ."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from hive_views.hive.row import POINTER, VIRTUAL_VIEW, Column, Partition, Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier

DS, HR = Column("ds", "string", "day"), Column("hr", "int")
COLUMNS = (Column("user_id", "bigint", "who clicked"), Column("clicks", "bigint"))


def location(number: int) -> str:
    return f"s3://lake/views/v/metadata/{number:05d}-{uuid.UUID(int=number)}.metadata.json"


def view_row(namespace: str, name: str = "v", **changes: Any) -> Row:
    parameters = {POINTER: location(0), "table_type": "ICEBERG-VIEW", "comment": "clicks by user", "foreign": "kept"}
    row = Row(
        identifier=TableIdentifier(namespace, name),
        table_type=VIRTUAL_VIEW,
        owner="ada",
        columns=COLUMNS,
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        original_text="SELECT user_id, clicks FROM t",
        expanded_text="SELECT `t`.`user_id` AS `user_id`, `t`.`clicks` AS `clicks` FROM `web`.`t`",
        parameters=parameters,
    )
    return replace(row, **changes)


def pointing_to(row: Row, pointer: str, **parameters: str) -> Row:
    return replace(row, parameters={**row.parameters, POINTER: pointer, **parameters})


def partition(*values: str, **parameters: str) -> Partition:
    return Partition(values=values, parameters=parameters)


def without_server_fields(parameters: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in parameters.items() if key != "transient_lastDdlTime"}


def contents(row: Row) -> Row:
    """The row without what a server adds on its own."""
    return replace(row, parameters=without_server_fields(dict(row.parameters)), create_time_s=0, native=None)


def values(partitions: Iterable[Partition]) -> list[tuple[str, ...]]:
    return sorted(found.values for found in partitions)


def in_threads(work: Sequence[Callable[[], Any]]) -> list[Any]:
    with ThreadPoolExecutor(len(work)) as pool:
        return [future.result() for future in [pool.submit(one) for one in work]]


class MetastoreSetup:
    """A fixture ``metastore`` is given, and the attributes say how this server differs from Hive 2.3.10."""

    enforces_swap = True
    """Refuses a swap with a wrong expected value (HIVE-26882)."""
    grants_locks = True
    changes_columns_in_one_call = True
    """Changes the columns of a view with bare partitions by one call (Hive 2.3; not 3 and 4)."""
    drops_row_that_lost_a_key = False
    """Drops a row with partitions that has fewer partition columns than these have values (Hive 4)."""
    takes_bare_partitions = True
    """Takes partitions without a storage descriptor: no DbNotificationListener."""
    reports_missing_table_when_listing = True
    """Hive 4 lists no partitions for a table that does not exist."""
    tells_identity = True
    """Says what tells its database from any other (not Hive 2.3)."""
    alters_comments = True
    """Takes another comment for a namespace (not Hive 2.3); none takes it away."""
    holds_any_text = True
    """Not so the official schema for MySQL and MariaDB, which is latin1."""

    @pytest.fixture
    def metastore(self) -> Metastore:
        raise NotImplementedError("a fixture of the class that inherits this")

    @pytest.fixture
    def namespace(self, metastore: Metastore) -> str:
        name = f"contract_{uuid.uuid4().hex[:12]}"
        metastore.create_namespace(name)
        return name

    @pytest.fixture
    def view(self, metastore: Metastore, namespace: str) -> TableIdentifier:
        """A view without partition columns."""
        row = view_row(namespace)
        metastore.create_row(row)
        return row.identifier

    @pytest.fixture
    def partitioned(self, metastore: Metastore, namespace: str) -> TableIdentifier:
        """A view partitioned on ds and hr."""
        row = view_row(namespace, "p", partition_keys=(DS, HR))
        metastore.create_row(row)
        return row.identifier

    def bare(self, *values: str, **parameters: str) -> Partition:
        """A partition as this server takes it, without a descriptor where it can be."""
        return replace(partition(*values, **parameters), has_descriptor=not self.takes_bare_partitions)
