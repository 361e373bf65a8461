"""Trino 476 on our rows: what its Hive connector reads with Hive views enabled, what it changes, what it refuses."""

from __future__ import annotations

from functools import partial

import pytest

from hive_views import View, ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.clicks import NAMES, ROWS, by_day
from tests.support.containers.engines import EngineError, Trino

proves = partial(pytest.mark.matrix, engine="Trino 476", server="4.0.1 on PostgreSQL")

UNTOUCHED = "row and partitions as before"


class TestReading:
    @proves(operation="SELECT with a predicate on a partition column", result="reads only those partitions below")
    def test_a_predicate_on_the_partition_column_reads_that_partition_of_the_base_table_only(
        self, view: View, trino: Trino
    ) -> None:
        select = f"SELECT * FROM {view.identifier} WHERE ds = '2026-08-22'"
        assert trino.rows(select) == ROWS[2:]
        ((plan,),) = trino.rows(f"EXPLAIN {select}")
        assert ":: [[2026-08-22]]" in plan
        ((plan,),) = trino.rows(f"EXPLAIN SELECT * FROM {view.identifier}")
        assert ":: [[2026-08-21], [2026-08-22]]" in plan

    @proves(operation='SELECT FROM "view$partitions"', result="the declared partitions, typed, with predicates")
    def test_the_declared_partitions_are_a_table(
        self, view: View, catalog: ViewCatalog, namespace: str, trino: Trino
    ) -> None:
        partitions = f'{namespace}."daily$partitions"'
        assert sorted(trino.rows(f"SELECT * FROM {partitions}")) == [("2026-08-21",), ("2026-08-22",)]
        assert trino.rows(f"SELECT * FROM {partitions} WHERE ds > '2026-08-21'") == [("2026-08-22",)]
        catalog.partitions(view.identifier).drop([{"ds": "2026-08-21"}])
        assert trino.rows(f"SELECT * FROM {partitions}") == [("2026-08-22",)]

    @proves(operation='SELECT FROM "view$partitions"', result="the same without hive.hive-views.enabled")
    def test_the_declared_partitions_are_a_table_also_where_views_are_off(
        self, view: View, namespace: str, trino: Trino
    ) -> None:
        found = trino.rows(f'SELECT * FROM hive_off.{namespace}."daily$partitions"')
        assert sorted(found) == [("2026-08-21",), ("2026-08-22",)]

    @proves(operation="DESCRIBE", result="columns and comments; partition columns like others")
    def test_describe_shows_all_columns_with_comments(self, view: View, trino: Trino) -> None:
        reported = [(name, type_, comment) for name, type_, _, comment in trino.rows(f"DESCRIBE {view.identifier}")]
        assert reported == [("user_id", "bigint", "who"), ("clicks", "bigint", ""), ("ds", "varchar", "day")]

    @proves(operation="SHOW CREATE VIEW", result="the text in Trino's SQL")
    def test_show_create_view_shows_a_query_that_runs(self, view: View, trino: Trino) -> None:
        ((reported,),) = trino.rows(f"SHOW CREATE VIEW {view.identifier}")
        assert "COMMENT 'by day'" in reported
        assert "SECURITY DEFINER" in reported
        assert by_day(trino.rows(reported[reported.index("AS\n") + 3 :])) == ROWS

    @proves(operation="information_schema", result="views and columns, partition columns among them")
    def test_the_information_schema_has_view_and_columns(self, view: View, namespace: str, trino: Trino) -> None:
        where = f"WHERE table_schema = '{namespace}'"
        assert trino.rows(f"SELECT table_name FROM information_schema.views {where}") == [("daily",)]
        columns = trino.rows(f"SELECT column_name FROM information_schema.columns {where} ORDER BY ordinal_position")
        assert columns == [("user_id",), ("clicks",), ("ds",)]


class TestRefusals:
    """Pinned, so that we notice when Trino changes."""

    @pytest.mark.parametrize(
        ("statement", "reason"),
        [
            pytest.param(
                "CREATE OR REPLACE VIEW {view} AS SELECT 1 AS a",
                "already exists",
                marks=proves(operation="CREATE OR REPLACE VIEW", result=f"refused; {UNTOUCHED}"),
            ),
            pytest.param(
                "CREATE OR REPLACE VIEW hive_off.{view} AS SELECT 1 AS a",
                "already exists|not supported",
                marks=proves(operation="CREATE OR REPLACE VIEW", result=f"refused; {UNTOUCHED}"),
            ),
            pytest.param(
                "CREATE OR REPLACE VIEW iceberg.{view} AS SELECT 1 AS a",
                "Not an Iceberg table|already exists|UNSUPPORTED",
                marks=proves(operation="CREATE OR REPLACE VIEW, Iceberg connector", result=f"refused; {UNTOUCHED}"),
            ),
            pytest.param(
                "COMMENT ON VIEW {view} IS 'by Trino'",
                "not supported",
                marks=proves(operation="COMMENT ON VIEW", result=f"refused; {UNTOUCHED}"),
            ),
            pytest.param(
                "SELECT * FROM hive_off.{view}",
                "Hive views are not supported",
                marks=proves(operation="SELECT without hive.hive-views.enabled", result="refused"),
            ),
            pytest.param(
                "SELECT * FROM iceberg.{view}",
                "Not an Iceberg table",
                marks=proves(operation="SELECT, Iceberg connector", result="refused: it has no view of ours"),
            ),
            pytest.param(
                "DROP TABLE {view}",
                "DROP VIEW",
                marks=proves(operation="DROP TABLE", result=f"refused; {UNTOUCHED}"),
            ),
        ],
    )
    def test_trino_refuses_and_leaves_the_row_alone(
        self, view: View, hms: HiveMetastore, trino: Trino, statement: str, reason: str
    ) -> None:
        before = hms.load_row(view.identifier)
        with pytest.raises(EngineError, match=reason):
            trino.rows(statement.format(view=view.identifier))
        assert hms.load_row(view.identifier) == before
        assert hms.partition_names(view.identifier) == NAMES


class TestChanges:
    @proves(operation="ALTER VIEW ... SET AUTHORIZATION", result="a new owner; no drift, and our next commit keeps it")
    def test_an_owner_that_trino_sets_is_no_drift_and_is_kept(
        self, view: View, catalog: ViewCatalog, trino: Trino, select: str
    ) -> None:
        trino.rows(f"ALTER VIEW {view.identifier} SET AUTHORIZATION ada")
        changed = catalog.load_view(view.identifier)
        assert (changed.owner, changed.differences) == ("ada", ())
        assert catalog.alter_view(view.identifier, set_properties={"team": "web"}).owner == "ada"
        assert catalog.partitions(view.identifier).names() == NAMES
        assert by_day(trino.rows(f"SELECT * FROM {view.identifier}")) == ROWS
