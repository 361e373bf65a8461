"""Hive 4.0.1 on our rows: what it reads, what it adds and drops, what it changes, and how that is mended."""

from __future__ import annotations

import json
from functools import partial

import pytest

from hive_views import View, ViewCatalog
from hive_views.errors import HiveViewsError, NoSuchIcebergViewError, ViewDriftedError
from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.clicks import NAMES, ROWS, SEVENS, by_day
from tests.support.containers.engines import EngineError, Hive

proves = partial(pytest.mark.matrix, engine="Hive 4.0.1", server="4.0.1 on PostgreSQL")

DRIFT = "taken; we see drift and refuse to commit over it until told to adopt or overwrite"
UNTOUCHED = "row and partitions as before"
REFUSED = f"refused by Hive; {UNTOUCHED}"
ALTER_AS = "ALTER VIEW {view} AS SELECT user_id, CAST(7 AS BIGINT) AS clicks, ds FROM {web}.clicks"
CREATE_OR_REPLACE = (
    "CREATE OR REPLACE VIEW {view} (user_id COMMENT 'who', clicks, ds COMMENT 'day') PARTITIONED ON (ds) "
    "AS SELECT user_id, CAST(7 AS BIGINT), ds FROM {web}.clicks"
)


class TestReading:
    @proves(operation="SELECT with a predicate on a partition column", result="reads only those partitions below")
    def test_a_predicate_on_the_partition_column_reads_that_partition_of_the_base_table_only(
        self, view: View, web: str, hive: Hive
    ) -> None:
        select = f"SELECT * FROM {view.identifier} WHERE ds = '2026-08-22'"
        assert hive.rows(select) == ROWS[2:]
        ((reported,),) = hive.rows(f"EXPLAIN DEPENDENCY {select}")
        assert [one["partitionName"] for one in json.loads(reported)["input_partitions"]] == [
            f"{web}@clicks@ds=2026-08-22"
        ]

    @proves(operation="SHOW PARTITIONS", result="the declared partitions")
    def test_show_partitions_lists_those_that_we_declared(self, view: View, hive: Hive) -> None:
        assert [name for (name,) in hive.rows(f"SHOW PARTITIONS {view.identifier}")] == NAMES

    @proves(operation="DESCRIBE", result="columns, comments, partition columns")
    def test_describe_shows_columns_with_comments_and_the_partition_columns(self, view: View, hive: Hive) -> None:
        reported = [row for row in hive.rows(f"DESCRIBE {view.identifier}") if row[0]]
        assert reported == [
            ("user_id", "bigint", "who"),
            ("clicks", "bigint", ""),
            ("ds", "string", "day"),
            ("# Partition Information", None, None),
            ("# col_name", "data_type", "comment"),
            ("ds", "string", "day"),
        ]

    @proves(operation="SHOW CREATE TABLE", result="a statement that makes the view again")
    def test_show_create_table_makes_the_view_again(self, view: View, namespace: str, hive: Hive) -> None:
        reported = "\n".join(line for (line,) in hive.rows(f"SHOW CREATE TABLE {view.identifier}"))
        assert "PARTITIONED ON (`ds`)" in reported
        hive.rows(reported.replace("`daily`", "`copied`"))
        assert by_day(hive.rows(f"SELECT * FROM {namespace}.copied")) == ROWS

    @proves(operation="SHOW VIEWS", result="lists our views")
    def test_show_views_lists_both_kinds(self, plain: View, view: View, namespace: str, hive: Hive) -> None:
        assert sorted(name for (name,) in hive.rows(f"SHOW VIEWS IN {namespace}")) == ["daily", "plain"]


class TestPartitions:
    @proves(operation="ALTER VIEW ... ADD PARTITION", result="seen by us; view and history stay")
    def test_those_that_hive_adds_are_ours(
        self, view: View, catalog: ViewCatalog, hms: HiveMetastore, hive: Hive
    ) -> None:
        before = hms.load_row(view.identifier)
        hive.rows(f"ALTER VIEW {view.identifier} ADD IF NOT EXISTS PARTITION (ds='2026-08-22') PARTITION (ds=20260823)")
        assert catalog.partitions(view.identifier).names() == [*NAMES, "ds=20260823"]
        assert hms.load_row(view.identifier) == before
        assert catalog.load_view(view.identifier).differences == ()

    @proves(operation="ALTER VIEW ... DROP PARTITION", result="seen by us; view and history stay")
    def test_those_that_hive_drops_are_gone(
        self, view: View, catalog: ViewCatalog, hms: HiveMetastore, hive: Hive
    ) -> None:
        before = hms.load_row(view.identifier)
        hive.rows(f"ALTER VIEW {view.identifier} DROP PARTITION (ds > '2026-08-21')")
        assert catalog.partitions(view.identifier).names() == NAMES[:1]
        assert hms.load_row(view.identifier) == before

    def test_those_that_hive_added_are_dropped_by_us_and_the_other_way_round(
        self, view: View, catalog: ViewCatalog, hive: Hive
    ) -> None:
        hive.rows(f"ALTER VIEW {view.identifier} ADD PARTITION (ds='2026-08-23')")
        catalog.partitions(view.identifier).drop([{"ds": "2026-08-23"}])
        catalog.partitions(view.identifier).add([{"ds": "2026-08-24"}])
        hive.rows(f"ALTER VIEW {view.identifier} DROP PARTITION (ds='2026-08-24')")
        assert [name for (name,) in hive.rows(f"SHOW PARTITIONS {view.identifier}")] == NAMES

    def test_one_that_is_there_already_is_refused_whoever_added_it(
        self, view: View, catalog: ViewCatalog, hive: Hive
    ) -> None:
        with pytest.raises(EngineError, match="exists"):
            hive.rows(f"ALTER VIEW {view.identifier} ADD PARTITION (ds='2026-08-21')")
        hive.rows(f"ALTER VIEW {view.identifier} ADD PARTITION (ds='2026-08-23')")
        with pytest.raises(HiveViewsError, match="exist"):
            catalog.partitions(view.identifier).add([{"ds": "2026-08-23"}])


class TestDrift:
    @pytest.mark.parametrize(
        ("statement", "what"),
        [
            pytest.param(
                CREATE_OR_REPLACE,
                {"expanded text", "original text"},
                marks=proves(operation="CREATE OR REPLACE VIEW, same columns", result=DRIFT),
            ),
            pytest.param(
                "ALTER VIEW {view} SET TBLPROPERTIES ('comment' = 'by Hive')",
                {"parameter comment"},
                marks=proves(operation="ALTER VIEW ... SET TBLPROPERTIES", result=DRIFT),
            ),
        ],
    )
    def test_a_change_by_hive_is_seen_and_named_and_undone(
        self, view: View, catalog: ViewCatalog, hms: HiveMetastore, hive: Hive, web: str, statement: str, what: set[str]
    ) -> None:
        hive.rows(statement.format(view=view.identifier, web=web))
        changed = catalog.load_view(view.identifier)
        assert {difference.what for difference in changed.differences if difference.kind == "drifted"} == what
        # The pointer has not moved, so that a swap alone would not see it.
        assert changed.metadata_location == view.metadata_location
        with pytest.raises(ViewDriftedError) as refused:
            catalog.replace_view(view.identifier, sql={"hive": "SELECT 1L, 2L, 'x'", "trino": "SELECT 1, 2, 'x'"})
        assert {difference.what for difference in refused.value.changes} == what
        catalog.repair_view(view.identifier, on_drift="overwrite")
        assert catalog.load_view(view.identifier).differences == ()
        assert _of_the_view(hms.load_row(view.identifier)) == _of_the_view(view.row)
        assert by_day(hive.rows(f"SELECT * FROM {view.identifier}")) == ROWS
        assert [name for (name,) in hive.rows(f"SHOW PARTITIONS {view.identifier}")] == NAMES

    def test_a_text_that_hive_put_there_can_be_adopted_as_a_version(
        self, view: View, catalog: ViewCatalog, hive: Hive, web: str
    ) -> None:
        hive.rows(CREATE_OR_REPLACE.format(view=view.identifier, web=web))
        adopted = catalog.repair_view(view.identifier, on_drift="adopt")
        assert [entry.version_id for entry in adopted.history] == [1, 2]
        assert by_day(hive.rows(f"SELECT * FROM {view.identifier}")) == SEVENS
        catalog.roll_back_view(view.identifier, to_version=1)
        assert by_day(hive.rows(f"SELECT * FROM {view.identifier}")) == ROWS

    @proves(operation="ALTER VIEW ... AS, no partitions", result=DRIFT)
    def test_a_new_text_of_a_view_without_partitions_is_drift(
        self, plain: View, catalog: ViewCatalog, hive: Hive, web: str
    ) -> None:
        hive.rows(ALTER_AS.format(view=plain.identifier, web=web))
        with pytest.raises(ViewDriftedError) as refused:
            catalog.replace_view(plain.identifier, sql={"hive": "SELECT 1L, 2L, 'x'", "trino": "SELECT 1, 2, 'x'"})
        assert {"expanded text", "original text"} <= {difference.what for difference in refused.value.changes}
        catalog.repair_view(plain.identifier, on_drift="overwrite")
        assert by_day(hive.rows(f"SELECT * FROM {plain.identifier}")) == ROWS

    @pytest.mark.parametrize(
        ("statement", "reason"),
        [
            pytest.param(
                ALTER_AS,
                "conflicts with|10217|partition",
                marks=proves(operation="ALTER VIEW ... AS, partitions", result=REFUSED),
            ),
            pytest.param(
                "CREATE OR REPLACE VIEW {view} AS SELECT user_id, ds FROM {web}.clicks",
                "10217|partition",
                marks=proves(operation="CREATE OR REPLACE VIEW without PARTITIONED ON", result=REFUSED),
            ),
            pytest.param(
                "CREATE OR REPLACE VIEW {view} (page, ds COMMENT 'day') PARTITIONED ON (ds) "
                "AS SELECT page, ds FROM {web}.clicks",
                "getSd",
                marks=proves(
                    operation="CREATE OR REPLACE VIEW, other columns", result=f"the metastore fails; {UNTOUCHED}"
                ),
            ),
            pytest.param(
                "INSERT INTO {view} VALUES (1, 1, '2026-08-23')",
                "10090",
                marks=proves(operation="INSERT", result=REFUSED),
            ),
            pytest.param(
                "DROP TABLE {view}",
                "DROP VIEW|view",
                marks=proves(operation="DROP TABLE", result=REFUSED),
            ),
        ],
    )
    def test_hive_refuses_and_leaves_the_row_alone(
        self, view: View, hms: HiveMetastore, hive: Hive, web: str, statement: str, reason: str
    ) -> None:
        before = hms.load_row(view.identifier)
        with pytest.raises(EngineError, match=reason):
            hive.rows(statement.format(view=view.identifier, web=web))
        assert hms.load_row(view.identifier) == before
        assert hms.partition_names(view.identifier) == NAMES

    @proves(
        operation="ALTER VIEW ... UNSET TBLPROPERTIES of the pointer",
        result="taken; no longer one of ours, partitions stay; register_view(..., overwrite=True) brings it back",
    )
    def test_a_pointer_that_hive_removed_is_missed_and_put_back_by_registering(
        self, view: View, catalog: ViewCatalog, hive: Hive
    ) -> None:
        hive.rows(f"ALTER VIEW {view.identifier} UNSET TBLPROPERTIES ('metadata_location')")
        with pytest.raises(NoSuchIcebergViewError, match="undrop"):
            catalog.load_view(view.identifier)
        assert by_day(hive.rows(f"SELECT * FROM {view.identifier}")) == ROWS
        back = catalog.register_view(view.identifier, view.metadata_location, overwrite=True)
        assert back.differences == ()
        assert (back.uuid, back.history, back.properties) == (view.uuid, view.history, view.properties)
        assert catalog.partitions(view.identifier).names() == NAMES
        assert by_day(hive.rows(f"SELECT * FROM {view.identifier}")) == ROWS


def _of_the_view(row: Row) -> tuple[object, ...]:
    return (
        row.columns,
        row.partition_keys,
        row.original_text,
        row.expanded_text,
        row.location,
        row.owner,
        row.parameters["comment"],
    )
