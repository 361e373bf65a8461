"""A catalog in memory with one base table, and statements run on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views import StatementResult, TableIdentifier, ViewCatalog, execute
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage

Run = Callable[..., StatementResult]

CLICKS = Row(
    TableIdentifier("web", "clicks"),
    "EXTERNAL_TABLE",
    columns=(Column("user_id", "bigint", "who"), Column("page", "string"), Column("price", "decimal(10,2)")),
    partition_keys=(Column("ds", "string", "day of the base table"), Column("hr", "int")),
    serde_library="org.apache.hadoop.hive.ql.io.orc.OrcSerde",
    location="file:/nowhere",
)


def plain_view(name: str, text: str) -> Row:
    """The view ``sales.name`` as Hive makes it."""
    identifier = TableIdentifier("sales", name)
    return Row(identifier, VIRTUAL_VIEW, columns=(Column("a", "int"),), original_text=text, expanded_text=text)


@pytest.fixture
def metastore() -> MemoryMetastore:
    metastore = MemoryMetastore()
    for namespace in ("web", "sales"):
        metastore.create_namespace(namespace)
    metastore.create_row(CLICKS)
    return metastore


@pytest.fixture
def catalog(metastore: MemoryMetastore, tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(metastore, MetadataStorage(), warehouse=str(tmp_path))


@pytest.fixture
def run(catalog: ViewCatalog) -> Run:
    """Executes a statement; the current database is ``sales``."""

    def run(sql: str, **arguments: Any) -> StatementResult:
        return execute(catalog, sql, **{"namespace": "sales", **arguments})

    return run


@pytest.fixture
def daily(run: Run) -> str:
    """``sales.daily``, partitioned on ``ds`` and ``hr``."""
    run(
        """CREATE VIEW daily (u COMMENT 'user', n COMMENT 'how often', ds COMMENT 'day', hr) COMMENT 'by day'
        PARTITIONED ON (ds, hr) TBLPROPERTIES ('team' = 'x') AS
        SELECT user_id, count(*), ds, hr FROM web.clicks GROUP BY user_id, ds, hr"""
    )
    return "sales.daily"
