"""The recorded rows of plain views: complete, and read back as they were."""

from __future__ import annotations

import pytest

from hive_views.metastore.memory import MemoryMetastore
from tests.support.plain_rows import LAKE, VIEWS, PlainView, fields_of, fill, identifier, plain_views
from tests.support.plain_rows.definitions import HIVE, SPARK, SPARK_4, TRINO, Definition

# Spark 3 has no EXCEPT of columns.
_REFUSED = {"spark-3.5.8": {"only_in_spark"}}


@pytest.mark.parametrize(
    ("maker", "definitions"),
    [("hive-4.0.1", HIVE), ("trino-476", TRINO), ("spark-4.1.4", SPARK_4), ("spark-3.5.8", SPARK)],
)
def test_each_definition_has_the_row_that_its_engine_made(maker: str, definitions: list[Definition]) -> None:
    names = [one.name for one in definitions]
    assert [view.name for view in plain_views(maker)] == [
        name for name in names if name not in _REFUSED.get(maker, set())
    ]


@pytest.mark.parametrize("view", plain_views(), ids=lambda view: view.id)
def test_a_recorded_row_is_read_as_it_was_written(view: PlainView) -> None:
    assert fields_of(view.struct) == view.table
    assert view.row.identifier == identifier(view.name)
    assert view.row.is_view


def test_a_metastore_can_be_filled_with_them() -> None:
    metastore = MemoryMetastore()
    views = plain_views("hive")
    fill(metastore, views)
    assert metastore.list_view_names(VIEWS) == sorted(view.name for view in views)
    assert metastore.partition_names(identifier("partitioned")) == ["ds=2026-08-21", "ds=2026-08-22"]
    assert [row.table_type for row in metastore.load_rows(LAKE, ["clicks", "users"])] == ["EXTERNAL_TABLE"] * 2
