"""What a real Spark says a view reads: tables, partitions, columns; and whether a view is strict."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from hive_views.analysis.query_analysis import Clause
from hive_views.errors import InvalidInputError, InvalidPartitionError, NoSuchTableError, UnavailableError
from hive_views.hive.row import Partition
from hive_views.spark import analyze, check_strict, inputs_of
from hive_views.spec.identifiers import TableIdentifier
from tests.integration.lake import FORMATS, SparkLake, each

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

FALLBACK = "spark.sql.hive.metastorePartitionPruningFallbackOnException"
FORMAT_OF = {"clicks": "hive", "lines": "hive", "delta": "delta", "ice": "iceberg"}


def read(spark: Any, what: str, **partition: object) -> dict[str, tuple[str, ...] | None]:
    return {table.name: table.partitions for table in inputs_of(spark, what, partition or None).tables}


@pytest.fixture
def unfilterable(lake: SparkLake) -> Iterator[str]:
    """A table, and a view ``<table>_hourly`` over it, of which the metastore cannot filter the column of numbers.

    Direct SQL fails at the partition whose value is no number, and what is tried next filters strings only.
    """
    base = f"t_{uuid.uuid4().hex[:12]}"
    name = lake.name(base)
    lake.spark.sql(f"CREATE TABLE {name} (n INT) PARTITIONED BY (ds STRING, hr INT) STORED AS PARQUET")
    lake.spark.sql(f"ALTER TABLE {name} ADD PARTITION (ds = '2026-08-21', hr = 0)")
    schema = [("n", "int"), ("ds", "string"), ("hr", "int")]
    view = lake.view(f"{base}_hourly", f"SELECT n, ds, hr FROM {{}}.{base}", schema, "ds", "hr")
    lake.catalog.partitions(view.identifier).add([{"ds": "2026-08-21", "hr": 0}])
    row = lake.catalog.metastore.load_row(TableIdentifier.of(name))
    noon = Partition(("2026-08-21", "noon"), has_descriptor=True, location=f"{row.location}/noon")
    lake.catalog.metastore.add_partitions(row.identifier, [noon], if_not_exists=False)
    lake.spark.conf.set(FALLBACK, "false")
    yield name
    lake.spark.conf.unset(FALLBACK)


class TestInputs:
    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_a_partition_of_a_view_reads_the_partition_of_its_base_table(self, lake: SparkLake, table: str) -> None:
        found = inputs_of(lake.spark, lake.name(f"hourly_{table}"), {"ds": "2026-08-21", "hr": "1"})
        [only] = found.tables
        assert (only.name, only.format) == (lake.name(table), FORMAT_OF[table])
        assert only.partitions == ("ds=2026-08-21/hr=1",)
        assert found.columns == {"clicks": (), "ds": ((only.name, "ds"),), "hr": ((only.name, "hr"),)}
        assert found.filters == {(only.name, column): (Clause.GROUP_BY,) for column in ("ds", "hr")}

    @pytest.mark.parametrize(
        ("table", "other"), [("clicks", "lines"), pytest.param("delta", "ice", marks=pytest.mark.connectors)]
    )
    def test_tables_of_nested_views_subqueries_and_common_tables_are_reported_once(
        self, lake: SparkLake, table: str, other: str
    ) -> None:
        text = (
            f"WITH d AS (SELECT ds, hr FROM {lake.name(f'hourly_{table}')}) "
            f"SELECT d.ds, u.name FROM d JOIN {lake.name('users')} u ON u.user_id = d.hr "
            f"WHERE d.ds IN (SELECT ds FROM {lake.name(other)}) AND EXISTS (SELECT 1 FROM {lake.name('lines')}) "
            f"AND d.hr < (SELECT count(*) FROM {lake.name('users')})"
        )
        formats = {found.name: found.format for found in inputs_of(lake.spark, text).tables}
        assert formats == {
            lake.name(f"hourly_{table}"): "view",
            lake.name(table): FORMAT_OF[table],
            lake.name("users"): "hive",
            lake.name(other): FORMAT_OF[other],
            lake.name("lines"): "hive",
        }

    @pytest.mark.parametrize("table", each("clicks", "ice"))
    def test_a_branch_that_the_partition_does_not_need_reads_nothing(self, lake: SparkLake, table: str) -> None:
        lake.view(
            f"both_{table}",
            f"SELECT page, 'text' AS origin FROM {{}}.lines UNION ALL SELECT page, 'lake' AS origin FROM {{}}.{table}",
            [("page", "string"), ("origin", "string")],
            "origin",
        )
        found = read(lake.spark, lake.name(f"both_{table}"), origin="lake")
        assert found[lake.name("lines")] == ()
        assert len(found[lake.name(table)] or ()) == 4

    @pytest.mark.connectors
    def test_partitions_of_a_transform_are_named_by_it(self, lake: SparkLake) -> None:
        lake.view("seen", "SELECT user_id, at FROM {}.events", [("user_id", "bigint"), ("at", "timestamp")], "at")
        found = read(lake.spark, lake.name("seen"), at="2026-08-22 00:30:00")
        [name] = found[lake.name("events")] or ()
        assert name.startswith("at_day=2026-08-22/user_id_bucket=")

    def test_a_table_without_partition_columns_is_one_partition_without_a_name(self, lake: SparkLake) -> None:
        assert read(lake.spark, f"SELECT * FROM {lake.name('users')}", user_id=1) == {lake.name("users"): ("",)}

    @pytest.mark.parametrize("table", each("lines", "delta"))
    def test_columns_are_followed_through_views_unions_and_functions_and_left_out_where_not_certain(
        self, lake: SparkLake, table: str
    ) -> None:
        clicks, other = lake.name("clicks"), lake.name(table)
        text = (
            f"SELECT upper(page) || ds AS a, ds AS b, (SELECT max(name) FROM {lake.name('users')}) AS c "
            f"FROM {clicks} UNION ALL SELECT page, ds, page FROM {other}"
        )
        assert inputs_of(lake.spark, text).columns == {
            "a": ((clicks, "ds"), (clicks, "page"), (other, "page")),
            "b": ((clicks, "ds"), (other, "ds")),
            "c": ((other, "page"), (lake.name("users"), "name")),
        }

    def test_a_cached_table_is_reported_all_the_same(self, lake: SparkLake) -> None:
        lake.spark.sql(f"CACHE TABLE {lake.name('hourly_clicks')}")
        try:
            assert read(lake.spark, lake.name("hourly_clicks"), ds="2026-08-22", hr=0) == {
                lake.name("clicks"): ("ds=2026-08-22/hr=0",)
            }
        finally:
            lake.spark.sql(f"UNCACHE TABLE {lake.name('hourly_clicks')}")

    def test_a_metastore_that_cannot_filter_partitions_is_named_with_the_way_out(
        self, lake: SparkLake, unfilterable: str
    ) -> None:
        from pyspark.errors import NumberFormatException

        partition = {"ds": "2026-08-21", "hr": 0}
        with pytest.raises(UnavailableError, match=rf"{FALLBACK}=true") as failed:
            inputs_of(lake.spark, f"{unfilterable}_hourly", partition)
        assert f"the partitions of {unfilterable} were listed: org.apache.spark" in str(failed.value)
        with pytest.raises(UnavailableError, match=rf"the rows of view {unfilterable}_hourly were counted"):
            analyze(lake.spark, lake.catalog, f"{unfilterable}_hourly", [partition])
        lake.spark.conf.set(FALLBACK, "true")
        with pytest.raises(NumberFormatException, match="'noon'"):  # now Spark filters them, and casts each value
            inputs_of(lake.spark, f"{unfilterable}_hourly", partition)

    def test_an_unknown_table_and_an_unknown_column_are_refused(self, lake: SparkLake) -> None:
        with pytest.raises(NoSuchTableError, match="no_such_table"):
            inputs_of(lake.spark, lake.name("no_such_table"))
        with pytest.raises(InvalidPartitionError, match="day"):
            inputs_of(lake.spark, lake.name("hourly_clicks"), {"day": "2026-08-21"})


class TestStrict:
    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_a_view_that_passes_its_partition_columns_through_is_strict(self, lake: SparkLake, table: str) -> None:
        check_strict(lake.spark, lake.name(f"hourly_{table}"))

    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_a_view_that_is_partitioned_on_another_column_is_refused_and_the_table_named(
        self, lake: SparkLake, table: str
    ) -> None:
        columns = [("clicks", "bigint"), ("page", "string")]
        lake.view(
            f"by_page_{table}", f"SELECT count(*) AS clicks, page FROM {{}}.{table} GROUP BY page", columns, "page"
        )
        with pytest.raises(InvalidInputError, match=f"is not strict.* of {lake.name(table)},") as refused:
            check_strict(lake.spark, lake.name(f"by_page_{table}"))
        assert (refused.value.table, refused.value.columns) == (lake.name(table), ["ds", "hr"])

    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_a_transformed_column_prunes_where_the_format_can(self, lake: SparkLake, table: str) -> None:
        name = f"monthly_{table}"
        query = f"SELECT page, concat(ds, '!') AS m FROM {{}}.{table}"
        lake.view(name, query, [("page", "string"), ("m", "string")], "m")
        if table != "ice":
            check_strict(lake.spark, lake.name(name))
        else:
            with pytest.raises(InvalidInputError, match="is not strict"):
                check_strict(lake.spark, lake.name(name))

    @pytest.mark.connectors
    def test_icebergs_transforms_count_where_iceberg_understands_the_condition(self, lake: SparkLake) -> None:
        lake.view("at_once", "SELECT user_id, at FROM {}.events", [("user_id", "bigint"), ("at", "timestamp")], "at")
        check_strict(lake.spark, lake.name("at_once"))

    def test_each_scan_of_a_table_counts(self, lake: SparkLake) -> None:
        lake.view(
            "self_joined",
            "SELECT a.page, a.ds FROM {}.clicks a JOIN {}.clicks b ON a.user_id = b.user_id",
            [("page", "string"), ("ds", "string")],
            "ds",
        )
        with pytest.raises(InvalidInputError, match="is not strict"):
            check_strict(lake.spark, lake.name("self_joined"))

    def test_what_is_known_only_when_the_query_runs_does_not_count(self, lake: SparkLake) -> None:
        lake.view(
            "dynamic",
            "SELECT c.page, u.name FROM {}.clicks c JOIN {}.users u ON c.hr = u.user_id",
            [("page", "string"), ("name", "string")],
            "name",
        )
        with pytest.raises(InvalidInputError, match="is not strict"):
            check_strict(lake.spark, lake.name("dynamic"))

    def test_a_table_without_partition_columns_is_fine(self, lake: SparkLake) -> None:
        lake.view("people", "SELECT user_id, name FROM {}.users", [("user_id", "bigint"), ("name", "string")], "name")
        check_strict(lake.spark, lake.name("people"))

    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_a_condition_that_the_view_has_of_its_own_is_not_its_partition_s(self, lake: SparkLake, table: str) -> None:
        query = f"SELECT user_id, page FROM {{}}.{table} WHERE hr = 0"
        lake.view(f"first_hours_{table}", query, [("user_id", "bigint"), ("page", "string")], "page")
        with pytest.raises(InvalidInputError, match=r"reads what its query leaves of the table anyway\.") as refused:
            check_strict(lake.spark, lake.name(f"first_hours_{table}"))
        assert (refused.value.table, refused.value.columns) == (lake.name(table), ["ds", "hr"])

    @pytest.mark.parametrize("condition", ["ds = '2026-08-21'", "ds >= '2020-01-01'", "hr = 0"])
    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_a_partition_reaches_beside_a_condition_of_the_view_and_where_it_says_the_same(
        self, lake: SparkLake, table: str, condition: str
    ) -> None:
        name = lake.name(f"v_{uuid.uuid4().hex[:12]}")
        query = f"SELECT page, ds FROM {lake.name(table)} WHERE {condition}"
        lake.view(name.partition(".")[2], query, [("page", "string"), ("ds", "string")], "ds")
        check_strict(lake.spark, name, {"ds": "2026-08-21"})

    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_each_scan_is_narrowed_by_the_partition_and_not_by_what_another_has(
        self, lake: SparkLake, table: str
    ) -> None:
        schema = [("page", "string"), ("ds", "string")]
        joined = f"SELECT a.page, a.ds FROM {{}}.{table} a JOIN {{}}.{table} b ON a.user_id = b.user_id"
        lake.view(f"joined_{table}", f"{joined} WHERE b.ds = '2026-08-21'", schema, "ds")
        with pytest.raises(InvalidInputError, match="is not strict"):
            check_strict(lake.spark, lake.name(f"joined_{table}"))
        # One that is determined by the first's column is narrowed with it.
        lake.view(f"joined_by_ds_{table}", f"{joined} AND a.ds = b.ds WHERE b.hr = 0", schema, "ds")
        check_strict(lake.spark, lake.name(f"joined_by_ds_{table}"))
        lake.view(
            f"united_{table}",
            f"SELECT page, ds FROM {{}}.{table} UNION ALL SELECT page, page AS ds FROM {{}}.{table} WHERE hr = 0",
            schema,
            "ds",
        )
        with pytest.raises(InvalidInputError, match="is not strict"):
            check_strict(lake.spark, lake.name(f"united_{table}"))

    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_a_condition_of_an_outer_join_is_not_its_partition_s(self, lake: SparkLake, table: str) -> None:
        # The partition makes the join an inner one, and only then Spark filters the left table by hr.
        query = f"SELECT a.user_id, u.name FROM {{}}.{table} a LEFT JOIN {{}}.users u ON a.user_id = u.user_id"
        schema = [("user_id", "bigint"), ("name", "string")]
        lake.view(f"named_{table}", f"{query} AND a.hr = 0", schema, "name")
        with pytest.raises(InvalidInputError, match="is not strict"):
            check_strict(lake.spark, lake.name(f"named_{table}"))

    @pytest.mark.parametrize("table", each(*FORMATS))
    def test_a_constant_chooses_its_branch_with_the_conditions_of_that(self, lake: SparkLake, table: str) -> None:
        def view(name: str, first: str, second: str) -> str:
            query = (
                f"SELECT user_id, 'a' AS k FROM {{}}.{table} WHERE {first} "
                f"UNION ALL SELECT user_id, 'b' AS k FROM {{}}.{table} WHERE {second}"
            )
            lake.view(f"{name}_{table}", query, [("user_id", "bigint"), ("k", "string")], "k")
            return lake.name(f"{name}_{table}")

        check_strict(lake.spark, view("chosen", "hr = 0", "hr = 1"), {"k": "a"})
        for name, *conditions in (("alike", "hr = 0", "hr = 0"), ("whole", "true", "hr = 1")):
            with pytest.raises(InvalidInputError, match="is not strict"):
                check_strict(lake.spark, view(name, *conditions), {"k": "a"})

    def test_values_that_leave_nothing_to_judge_decide_nothing(self, lake: SparkLake) -> None:
        labelled = "SELECT user_id, ds, 'a' AS k FROM {}.clicks"
        query = f"{labelled} UNION ALL SELECT user_id, ds, page AS k FROM {{}}.clicks"
        schema = [("user_id", "bigint"), ("ds", "string"), ("k", "string")]
        lake.view("labelled", query, schema, "ds", "k")
        with pytest.raises(InvalidInputError, match=r"these values are made up.* partition=\{") as refused:
            check_strict(lake.spark, lake.name("labelled"))
        assert refused.value.table == lake.name("clicks")
        lake.view("all_labelled", labelled, schema, "ds", "k")
        with pytest.raises(InvalidInputError, match="for ds=2026-01-01, k=b Spark leaves that out"):
            check_strict(lake.spark, lake.name("all_labelled"), {"k": "b"})
        # What is not given is made up.
        check_strict(lake.spark, lake.name("all_labelled"), {"K": "a"})

    def test_a_partition_that_still_reads_most_of_a_table_is_warned_of_with_the_share(
        self, lake: SparkLake, caplog: pytest.LogCaptureFixture
    ) -> None:
        base = f"t_{uuid.uuid4().hex[:12]}"
        lake.spark.sql(f"CREATE TABLE {lake.name(base)} (n INT) PARTITIONED BY (ds STRING) STORED AS PARQUET")
        days = " ".join(f"PARTITION (ds = '2026-{month}-{day}')" for month in ("08", "09") for day in range(10, 30))
        lake.spark.sql(f"ALTER TABLE {lake.name(base)} ADD {days}")
        era = "CASE WHEN ds < '2026-08-14' THEN 'old' ELSE 'new' END"
        lake.view(f"eras_{base}", f"SELECT n, {era} AS era FROM {{}}.{base}", [("n", "int"), ("era", "string")], "era")
        lake.view(f"days_{base}", f"SELECT n, ds FROM {{}}.{base}", [("n", "int"), ("ds", "string")], "ds")
        check_strict(lake.spark, lake.name(f"days_{base}"), {"ds": "2026-08-17"})
        check_strict(lake.spark, lake.name(f"eras_{base}"), {"era": "old"})
        assert caplog.messages == []
        check_strict(lake.spark, lake.name(f"eras_{base}"), {"era": "new"})
        [warning] = caplog.messages
        assert f"the partition era=new reads 36 of the 40 partitions (90 %) of {lake.name(base)}" in warning

    def test_a_share_that_cannot_be_known_does_not_fail_the_check(self, lake: SparkLake, unfilterable: str) -> None:
        check_strict(lake.spark, f"{unfilterable}_hourly", {"ds": "2026-08-21", "hr": 0})

    def test_a_constant_alone_narrows_nothing(self, lake: SparkLake) -> None:
        lake.view("constant", "SELECT ds, 'a' AS k FROM {}.clicks", [("ds", "string"), ("k", "string")], "k")
        with pytest.raises(InvalidInputError, match="is not strict"):
            check_strict(lake.spark, lake.name("constant"), {"k": "a"})
        with pytest.raises(InvalidPartitionError, match="is not a partition column"):
            check_strict(lake.spark, lake.name("constant"), {"ds": "2026-08-21"})

    def test_nothing_runs(self, lake: SparkLake) -> None:
        lake.view(
            "fails", "SELECT raise_error(page) AS page, ds FROM {}.clicks", [("page", "string"), ("ds", "string")], "ds"
        )
        check_strict(lake.spark, lake.name("fails"))
        inputs_of(lake.spark, lake.name("fails"), {"ds": "2026-08-21"})

    def test_a_view_without_partition_columns_is_refused(self, lake: SparkLake) -> None:
        lake.view("plain", "SELECT name FROM {}.users", [("name", "string")])
        with pytest.raises(InvalidPartitionError, match="no partition columns"):
            check_strict(lake.spark, lake.name("plain"))
