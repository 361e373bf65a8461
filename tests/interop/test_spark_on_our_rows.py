"""Spark SQL without this library, on the rows of our views: what it reads, and what it refuses."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from hive_views import View, ViewCatalog
from hive_views.errors import NoSuchViewError
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.clicks import BASE_COLUMNS, COLUMNS, DAYS, NAMES, ROWS, Ask

# PySpark leaves the socket of every collect() and first() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

proves = partial(pytest.mark.matrix, engine="Spark 4.1.4", server="2.3.10 on Derby")
refused = partial(proves, result="refused, the row untouched")


@pytest.fixture
def plain(catalog: ViewCatalog, namespace: str, web: str) -> View:
    """A view without partitions."""
    select = f"SELECT user_id, count(*) AS clicks, ds FROM {web}.clicks GROUP BY user_id, ds"
    return catalog.create_view(f"{namespace}.plain", sql={"hive": select, "trino": select}, schema=COLUMNS)


class TestReading:
    @proves(operation="SELECT", result="the rows")
    @pytest.mark.parametrize("name", ["plain", "view"])
    def test_select_returns_the_rows(self, request: pytest.FixtureRequest, name: str, ask: Ask) -> None:
        assert ask(f"SELECT * FROM {request.getfixturevalue(name).identifier}") == ROWS

    @proves(operation="SELECT with a predicate on the partition column", result="the base table is pruned")
    def test_a_predicate_on_the_partition_column_reads_that_partition_of_the_base_table_only(
        self, view: View, spark: Any, ask: Ask
    ) -> None:
        select = f"SELECT * FROM {view.identifier} WHERE ds = '2026-08-22'"
        assert ask(select) == ROWS[2:]
        assert {Path(file).parent.name for file in spark.sql(select).inputFiles()} == {"ds=2026-08-22"}

    @proves(operation="DESCRIBE", result="columns, comments and partition columns")
    def test_describe_shows_columns_with_comments_and_the_partition_columns(self, view: View, spark: Any) -> None:
        assert [tuple(row) for row in spark.sql(f"DESCRIBE {view.identifier}").collect()] == [
            ("user_id", "bigint", "who"),
            ("clicks", "bigint", None),
            ("ds", "string", "day"),
            ("# Partition Information", "", ""),
            ("# col_name", "data_type", "comment"),
            ("ds", "string", "day"),
        ]

    @proves(operation="SHOW VIEWS, SHOW TABLES", result="listed")
    def test_show_views_lists_both_kinds(self, plain: View, view: View, ask: Ask) -> None:
        namespace = view.identifier.namespace
        for statement in ("SHOW VIEWS", "SHOW TABLES"):
            assert sorted(name for _, name, _ in ask(f"{statement} IN {namespace}")) == ["daily", "plain"]

    @proves(operation="SHOW TBLPROPERTIES", result="its parameters")
    def test_show_properties_shows_the_parameters(self, view: View, ask: Ask) -> None:
        reported = dict(ask(f"SHOW TBLPROPERTIES {view.identifier}"))
        assert (reported["metadata_location"], reported["uuid"]) == (view.metadata_location, view.uuid)

    def test_show_columns_lists_the_partition_columns_last(self, view: View, spark: Any) -> None:
        assert [row[0] for row in spark.sql(f"SHOW COLUMNS IN {view.identifier}").collect()] == [
            "user_id",
            "clicks",
            "ds",
        ]

    @proves(operation="SHOW CREATE TABLE without partition columns", result="a statement that makes the view again")
    def test_show_create_table_of_a_view_without_partitions_makes_that_view_again(self, plain: View, ask: Ask) -> None:
        ((text,),) = ask(f"SHOW CREATE TABLE {plain.identifier}")
        assert str(plain.row.expanded_text) in text
        copy = f"{plain.identifier.namespace}.copy"
        ask(text[: text.index("TBLPROPERTIES")].replace(str(plain.identifier), copy) + text[text.index("AS SELECT") :])
        assert ask(f"SELECT * FROM {copy}") == ROWS

    def test_names_are_found_in_any_case_and_in_back_quotes(self, view: View, ask: Ask) -> None:
        namespace, name = view.identifier.namespace, view.identifier.name
        assert ask(f"SELECT `USER_ID`, Clicks, `dS` FROM `{namespace.upper()}`.`{name.title()}`") == ROWS

    def test_a_view_created_in_other_case_and_back_quotes_is_the_same_view(
        self, catalog: ViewCatalog, namespace: str, web: str, ask: Ask
    ) -> None:
        made = catalog.create_view(
            f"`{namespace.upper()}`.`Mixed_Case`",
            sql={"hive": f"SELECT `USER_ID` AS `User_Id`, `c`.DS FROM `{web.upper()}`.`Clicks` c"},
            schema=[("User_Id", "bigint"), ("DS", "string")],
            partitioned_on=["ds"],
        )
        assert str(made.identifier) == f"{namespace}.mixed_case"
        assert ask(f"SELECT user_id, ds FROM {namespace}.mixed_case WHERE ds = '2026-08-22'") == [(1, "2026-08-22")]

    def test_the_session_of_the_reader_decides_nothing(
        self, view: View, spark: Any, namespace: str, catalog: ViewCatalog, web: str, ask: Ask
    ) -> None:
        # One-part names are the view's database's, also where the reader is elsewhere and has a table of that name.
        catalog.create_view(f"{namespace}.clicks", sql={"hive": f"SELECT * FROM {web}.clicks"}, schema=BASE_COLUMNS)
        catalog.create_view(
            f"{namespace}.by_name", sql={"hive": "SELECT user_id, ds FROM clicks"}, schema=[COLUMNS[0], COLUMNS[2]]
        )
        spark.sql("CREATE OR REPLACE TEMPORARY VIEW clicks AS SELECT 99L AS user_id, 'wrong' AS ds")
        try:
            assert len(ask(f"SELECT * FROM {namespace}.by_name")) == 4
            assert {day for _, day in ask(f"SELECT * FROM {namespace}.by_name")} == {"2026-08-21", "2026-08-22"}
            assert ask(f"SELECT * FROM {view.identifier}") == ROWS
        finally:
            spark.catalog.dropTempView("clicks")

    def test_characters_beyond_latin1_in_literals_are_compared_rightly(
        self, catalog: ViewCatalog, namespace: str, web: str, ask: Ask
    ) -> None:
        made = catalog.create_view(
            f"{namespace}.unicode",
            sql={
                "hive": f"SELECT user_id, 'caf\u00e9 \U0001f600' AS label, ds FROM {web}.clicks WHERE page = 'Ω / é 😀'"
            },
            schema=[("user_id", "bigint"), ("label", "string"), ("ds", "string")],
        )
        assert str(made.row.expanded_text).isascii()
        assert ask(f"SELECT * FROM {namespace}.unicode") == [(1, "café 😀", "2026-08-21")]

    @pytest.mark.parametrize("ansi", ["true", "false"])
    def test_a_hive_text_keeps_the_meaning_it_has_in_hive_and_a_spark_text_is_ansi(
        self, catalog: ViewCatalog, namespace: str, spark: Any, ask: Ask, ansi: str
    ) -> None:
        from pyspark.errors import PySparkException

        select, schema = "SELECT CAST('abc' AS INT) AS n", [("n", "int")]
        catalog.create_view(f"{namespace}.for_hive", sql={"hive": select}, schema=schema)
        catalog.create_view(f"{namespace}.for_spark", sql={"spark": select}, schema=schema)
        before = spark.conf.get("spark.sql.ansi.enabled")
        spark.conf.set("spark.sql.ansi.enabled", ansi)
        try:
            assert [tuple(row) for row in spark.sql(f"SELECT * FROM {namespace}.for_hive").collect()] == [(None,)]
            with pytest.raises(PySparkException, match="CAST_INVALID_INPUT"):
                ask(f"SELECT * FROM {namespace}.for_spark")
        finally:
            spark.conf.set("spark.sql.ansi.enabled", before)

    def test_a_replaced_view_is_seen_at_once_and_a_roll_back_too(
        self, view: View, catalog: ViewCatalog, web: str, ask: Ask
    ) -> None:
        better = f"SELECT user_id, 7 AS clicks, ds FROM {web}.clicks"
        catalog.replace_view(view.identifier, sql={"hive": better, "trino": better})
        assert {clicks for _, clicks, _ in ask(f"SELECT * FROM {view.identifier}")} == {7}
        catalog.roll_back_view(view.identifier, to_version=1)
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS


def refusal(operation: str, statement: str, reason: str) -> ParameterSet:
    return pytest.param(statement, reason, marks=refused(operation=operation))


class TestRefusals:
    """Pinned, so that we notice when Spark changes: what is refused here must be done with this library."""

    @pytest.mark.parametrize(
        ("statement", "reason"),
        [
            refusal("SHOW PARTITIONS", "SHOW PARTITIONS {}", "EXPECT_TABLE_NOT_VIEW"),
            refusal("SHOW CREATE TABLE with partition columns", "SHOW CREATE TABLE {}", "partitioned view"),
            refusal("SHOW CREATE TABLE AS SERDE", "SHOW CREATE TABLE {} AS SERDE", "partitioned view"),
            refusal("ADD PARTITION", "ALTER VIEW {} ADD PARTITION (ds = '2026-08-23')", "ALTER VIEW ... ADD PARTITION"),
            refusal(
                "DROP PARTITION", "ALTER VIEW {} DROP PARTITION (ds = '2026-08-21')", "ALTER VIEW ... DROP PARTITION"
            ),
            refusal("ADD PARTITION", "ALTER TABLE {} ADD PARTITION (ds = '2026-08-23')", "EXPECT_TABLE_NOT_VIEW"),
            refusal("DROP PARTITION", "ALTER TABLE {} DROP PARTITION (ds = '2026-08-21')", "EXPECT_TABLE_NOT_VIEW"),
            refusal("MSCK REPAIR TABLE", "MSCK REPAIR TABLE {}", "EXPECT_TABLE_NOT_VIEW"),
            refusal("INSERT", "INSERT INTO {} VALUES (1, 1, '2026-08-23')", "EXPECT_TABLE_NOT_VIEW"),
            refusal("TRUNCATE TABLE", "TRUNCATE TABLE {}", "EXPECT_TABLE_NOT_VIEW"),
            refusal("ANALYZE TABLE", "ANALYZE TABLE {} COMPUTE STATISTICS", "."),
            refusal("ALTER TABLE", "ALTER TABLE {} ADD COLUMNS (more INT)", "EXPECT_TABLE_NOT_VIEW"),
            refusal("ALTER TABLE", "ALTER TABLE {} SET TBLPROPERTIES ('k' = 'v')", "EXPECT_TABLE_NOT_VIEW"),
            refusal("CREATE VIEW of its name", "CREATE VIEW {} AS SELECT 1 AS one", "ALREADY_EXISTS"),
            refusal("CREATE TABLE of its name", "CREATE TABLE {} (one INT) USING parquet", "ALREADY_EXISTS"),
            refusal(
                "CREATE VIEW PARTITIONED ON",
                "CREATE VIEW {}_2 PARTITIONED ON (ds) AS SELECT 1 AS a, 2 AS ds",
                "PARTITIONED ON",
            ),
        ],
    )
    def test_spark_refuses_and_leaves_the_row_alone(
        self, view: View, hms: HiveMetastore, spark: Any, statement: str, reason: str
    ) -> None:
        from pyspark.errors import AnalysisException

        before = hms.load_row(view.identifier)
        with pytest.raises(AnalysisException, match=reason):
            spark.sql(statement.format(view.identifier))
        assert hms.load_row(view.identifier) == before
        assert hms.partition_names(view.identifier) == NAMES

    @refused(operation="DROP TABLE")
    def test_drop_table_is_refused_and_where_a_later_spark_takes_it_no_file_is_lost(
        self, view: View, catalog: ViewCatalog, spark: Any
    ) -> None:
        """Spark 4.1.4 refuses it, 4.3.0 drops the view."""
        from pyspark.errors import AnalysisException

        if spark.version.startswith("4.1."):
            with pytest.raises(AnalysisException):
                spark.sql(f"DROP TABLE {view.identifier}")
            assert catalog.partitions(view.identifier).names() == NAMES
        else:
            spark.sql(f"DROP TABLE {view.identifier}")
            with pytest.raises(NoSuchViewError, match="was dropped"):
                catalog.load_view(view.identifier)
            assert catalog.storage.read(view.metadata_location, cached=False) == view.metadata

    def test_it_reads_days_that_are_not_declared(self, view: View, catalog: ViewCatalog, ask: Ask) -> None:
        # Declared partitions are a promise to schedulers, not a filter.
        catalog.partitions(view.identifier).drop(DAYS)
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS


@proves(operation="DROP VIEW", result="row and partitions gone; files stay, and the view comes back from them")
def test_a_view_dropped_by_spark_leaves_its_files_and_comes_back(
    view: View, catalog: ViewCatalog, spark: Any, ask: Ask
) -> None:
    spark.sql(f"DROP VIEW {view.identifier}")
    with pytest.raises(NoSuchViewError, match="was dropped") as gone:
        catalog.load_view(view.identifier)
    assert gone.value.metadata_location == view.metadata_location
    catalog.register_view(view.identifier, gone.value.metadata_location)
    assert catalog.partitions(view.identifier).restore().added == NAMES
    assert ask(f"SELECT * FROM {view.identifier}") == ROWS
