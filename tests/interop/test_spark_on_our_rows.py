"""Spark SQL without this library, on the rows of our views: what it reads, what it refuses, what it does to them.

What lives here: a real Spark as reader and as foreign writer. What must not: the query texts as such
(test_spark_reads_expanded_text.py), other writers (tests/foreign_writers.py).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.errors import HiveViewsError, NoSuchIcebergViewError, ViewDriftedError
from hive_views.hive.row import Row
from hive_views.metastore.hms import HiveMetastore
from hive_views.view import View

# PySpark leaves the socket of every collect() and first() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

COLUMNS = [("user_id", "bigint", "who"), ("clicks", "bigint"), ("ds", "string", "day")]
DAYS = [{"ds": "2026-08-21"}, {"ds": "2026-08-22"}]
NAMES = ["ds=2026-08-21", "ds=2026-08-22"]
ROWS = [(1, 2, "2026-08-21"), (2, 1, "2026-08-21"), (1, 1, "2026-08-22")]


@pytest.fixture(scope="module")
def web(spark: Any) -> Iterator[str]:
    """A database with a base table that no test changes."""
    name = f"web_{uuid.uuid4().hex[:12]}"
    spark.sql(f"CREATE DATABASE {name}")
    spark.sql(f"CREATE TABLE {name}.clicks (user_id BIGINT, page STRING) PARTITIONED BY (ds STRING) STORED AS PARQUET")
    spark.sql(
        f"INSERT INTO {name}.clicks VALUES (1, '/', '2026-08-21'), (1, 'Ω / é 😀', '2026-08-21'), "
        f"(2, '/', '2026-08-21'), (1, '/', '2026-08-22')"
    )
    yield name
    spark.sql(f"DROP DATABASE {name} CASCADE")


@pytest.fixture
def ask(spark: Any) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """Rows of a query, sorted by day and user as ROWS are; the session is in ``default`` before and after each test."""

    def rows(statement: str) -> list[tuple[Any, ...]]:
        return sorted((tuple(row) for row in spark.sql(statement).collect()), key=lambda row: (row[-1], row[0]))

    spark.catalog.setCurrentDatabase("default")
    yield rows
    spark.catalog.setCurrentDatabase("default")


@pytest.fixture
def catalog(hms: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(hms, warehouse=str(tmp_path / "views"))


@pytest.fixture
def select(web: str) -> str:
    return f"SELECT user_id, count(*) AS clicks, ds FROM {web}.clicks GROUP BY user_id, ds"


@pytest.fixture
def plain(catalog: ViewCatalog, namespace: str, select: str) -> View:
    """A view without partitions."""
    return catalog.create_view(f"{namespace}.plain", sql={"hive": select, "trino": select}, schema=COLUMNS)


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str, select: str) -> View:
    """A view with two partitions."""
    name = f"{namespace}.daily"
    made = catalog.create_view(
        name, sql={"hive": select, "trino": select}, schema=COLUMNS, partitioned_on=["ds"], comment="by day"
    )
    catalog.partitions(name).add(DAYS)
    return made


Ask = Callable[[str], list[tuple[Any, ...]]]


class TestReading:
    @pytest.mark.parametrize("name", ["plain", "view"])
    def test_select_returns_the_rows(self, request: pytest.FixtureRequest, name: str, ask: Ask) -> None:
        assert ask(f"SELECT * FROM {request.getfixturevalue(name).identifier}") == ROWS

    def test_a_predicate_on_the_partition_column_reads_that_partition_of_the_base_table_only(
        self, view: View, spark: Any, ask: Ask
    ) -> None:
        select = f"SELECT * FROM {view.identifier} WHERE ds = '2026-08-22'"
        assert ask(select) == ROWS[2:]
        assert {Path(file).parent.name for file in spark.sql(select).inputFiles()} == {"ds=2026-08-22"}

    def test_describe_shows_columns_with_comments_and_the_partition_columns(self, view: View, spark: Any) -> None:
        assert [tuple(row) for row in spark.sql(f"DESCRIBE {view.identifier}").collect()] == [
            ("user_id", "bigint", "who"),
            ("clicks", "bigint", None),
            ("ds", "string", "day"),
            ("# Partition Information", "", ""),
            ("# col_name", "data_type", "comment"),
            ("ds", "string", "day"),
        ]

    def test_show_views_lists_both_kinds(self, plain: View, view: View, ask: Ask) -> None:
        namespace = view.identifier.namespace
        assert sorted(name for _, name, _ in ask(f"SHOW VIEWS IN {namespace}")) == ["daily", "plain"]

    def test_show_columns_lists_the_partition_columns_last(self, view: View, spark: Any) -> None:
        assert [row[0] for row in spark.sql(f"SHOW COLUMNS IN {view.identifier}").collect()] == [
            "user_id",
            "clicks",
            "ds",
        ]

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
        catalog.create_view(f"{namespace}.clicks", sql={"hive": f"SELECT * FROM {web}.clicks"}, schema=[*BASE_COLUMNS])
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
        self, view: View, catalog: ViewCatalog, select: str, web: str, ask: Ask
    ) -> None:
        better = f"SELECT user_id, 7 AS clicks, ds FROM {web}.clicks"
        catalog.replace_view(view.identifier, sql={"hive": better, "trino": better})
        assert {clicks for _, clicks, _ in ask(f"SELECT * FROM {view.identifier}")} == {7}
        catalog.roll_back_view(view.identifier, to_version=1)
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS


BASE_COLUMNS = [("user_id", "bigint"), ("page", "string"), ("ds", "string")]


class TestRefusals:
    """Pinned, so that we notice when Spark changes: what is refused here must be done with this library."""

    @pytest.mark.parametrize(
        ("statement", "reason"),
        [
            ("SHOW PARTITIONS {}", "EXPECT_TABLE_NOT_VIEW"),
            ("SHOW CREATE TABLE {}", "partitioned view"),
            ("SHOW CREATE TABLE {} AS SERDE", "partitioned view"),
            ("ALTER VIEW {} ADD PARTITION (ds = '2026-08-23')", "ALTER VIEW ... ADD PARTITION"),
            ("ALTER VIEW {} DROP PARTITION (ds = '2026-08-21')", "ALTER VIEW ... DROP PARTITION"),
            ("ALTER TABLE {} ADD PARTITION (ds = '2026-08-23')", "EXPECT_TABLE_NOT_VIEW"),
            ("ALTER TABLE {} DROP PARTITION (ds = '2026-08-21')", "EXPECT_TABLE_NOT_VIEW"),
            ("MSCK REPAIR TABLE {}", "EXPECT_TABLE_NOT_VIEW"),
            ("INSERT INTO {} VALUES (1, 1, '2026-08-23')", "EXPECT_TABLE_NOT_VIEW"),
            ("CREATE VIEW {}_2 PARTITIONED ON (ds) AS SELECT 1 AS a, 2 AS ds", "PARTITIONED ON"),
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

    def test_it_reads_days_that_are_not_declared(self, view: View, catalog: ViewCatalog, ask: Ask) -> None:
        # Declared partitions are a promise to schedulers, not a filter.
        catalog.partitions(view.identifier).drop(DAYS)
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS


def test_a_view_dropped_by_spark_leaves_its_files_and_comes_back(
    view: View, catalog: ViewCatalog, spark: Any, ask: Ask
) -> None:
    spark.sql(f"DROP VIEW {view.identifier}")
    assert not catalog.view_exists(view.identifier)
    assert Path(view.metadata_location.removeprefix("file://")).is_file()
    catalog.register_view(view.identifier, view.metadata_location)
    assert catalog.partitions(view.identifier).restore() == NAMES
    assert ask(f"SELECT * FROM {view.identifier}") == ROWS


ALTER_VIEW_AS = "ALTER VIEW {view} AS SELECT user_id, 7L AS clicks, ds FROM {web}.clicks"
SET_PROPERTIES = "ALTER VIEW {view} SET TBLPROPERTIES ('comment' = 'by Spark')"
UNSET_PROPERTIES = "ALTER VIEW {view} UNSET TBLPROPERTIES ('no_such_property')"
CREATE_OR_REPLACE = "CREATE OR REPLACE VIEW {view} AS SELECT user_id, 7L AS clicks, ds FROM {web}.clicks"
SHRINK = "ALTER VIEW {view} AS SELECT user_id, count(*) AS clicks FROM {web}.clicks GROUP BY user_id"


@pytest.fixture
def foreign(view: View, spark: Any, web: str, ask: Ask) -> Callable[[str], None]:
    """Run a statement on the view in a session whose current database is ``default``."""
    return lambda statement: spark.sql(statement.format(view=view.identifier, web=web))


def _namespace(row: Row) -> str | None:
    return row.parameters.get("view.catalogAndNamespace.part.1")


class TestDrift:
    @pytest.mark.parametrize(
        ("statement", "what"),
        [
            (ALTER_VIEW_AS, {"expanded text", "original text", "parameter view.catalogAndNamespace.part.1"}),
            (SET_PROPERTIES, {"parameter comment", "parameter spark.sql.sources.schema"}),
            (UNSET_PROPERTIES, {"parameter spark.sql.create.version", "parameter spark.sql.sources.schema"}),
            (SHRINK, {"partition keys", "expanded text"}),
        ],
    )
    def test_a_change_by_spark_is_seen_and_named(
        self, view: View, catalog: ViewCatalog, foreign: Callable[[str], None], statement: str, what: set[str]
    ) -> None:
        foreign(statement)
        changed = catalog.load_view(view.identifier)
        assert what <= {difference.what for difference in changed.differences if difference.kind == "drifted"}
        # The pointer has not moved, so that a swap alone would not see it.
        assert changed.metadata_location == view.metadata_location
        with pytest.raises(ViewDriftedError, match="Spark") as refused:
            catalog.replace_view(view.identifier, sql={"hive": "SELECT 1L, 2L, 'x'", "trino": "SELECT 1, 2, 'x'"})
        assert what <= {difference.what for difference in refused.value.changes}

    @pytest.mark.parametrize(
        ("statement", "namespace_after"),
        [(ALTER_VIEW_AS, "default"), (CREATE_OR_REPLACE, "default"), (SHRINK, "default"), (SET_PROPERTIES, None)],
    )
    def test_a_new_text_moves_the_name_space_to_the_database_of_the_session(
        self,
        view: View,
        hms: HiveMetastore,
        foreign: Callable[[str], None],
        statement: str,
        namespace_after: str | None,
    ) -> None:
        foreign(statement)
        assert _namespace(hms.load_row(view.identifier)) == (namespace_after or view.identifier.namespace)

    @pytest.mark.parametrize("statement", [ALTER_VIEW_AS, SET_PROPERTIES, UNSET_PROPERTIES, SHRINK])
    def test_overwriting_brings_back_the_row_that_was(
        self,
        view: View,
        catalog: ViewCatalog,
        hms: HiveMetastore,
        foreign: Callable[[str], None],
        ask: Ask,
        statement: str,
    ) -> None:
        foreign(statement)
        mended = catalog.repair_view(view.identifier, on_drift="overwrite")
        assert mended.current_version == view.current_version
        assert mended.comment == "by day"
        row = hms.load_row(view.identifier)
        assert (row.columns, row.partition_keys) == (view.row.columns, view.row.partition_keys)
        assert (row.original_text, row.expanded_text) == (view.row.original_text, view.row.expanded_text)
        assert row.location is None
        assert _namespace(row) == view.identifier.namespace
        assert not [key for key in row.parameters if key.startswith(("spark.sql.", "view.query.", "view.sqlConfig."))]
        assert catalog.load_view(view.identifier).differences == ()
        assert catalog.partitions(view.identifier).names() == NAMES
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS

    def test_adopting_a_new_text_makes_it_a_version_that_can_be_rolled_back(
        self, view: View, catalog: ViewCatalog, foreign: Callable[[str], None], ask: Ask
    ) -> None:
        foreign(ALTER_VIEW_AS)
        found = ask(f"SELECT * FROM {view.identifier}")
        adopted = catalog.repair_view(view.identifier, on_drift="adopt")
        assert adopted.current_version.version_id == 2
        assert "7L AS clicks" in adopted.typed_sql("hive")
        # Spark has lost the comments, and none is lost with it; those of partition columns must not change.
        assert adopted.columns == view.columns
        assert ask(f"SELECT * FROM {view.identifier}") == found
        assert catalog.load_view(view.identifier).differences == ()
        assert catalog.partitions(view.identifier).names() == NAMES
        catalog.roll_back_view(view.identifier, to_version=1)
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS

    def test_a_one_part_name_is_adopted_as_a_table_of_the_database_in_which_spark_resolved_it(
        self, view: View, catalog: ViewCatalog, spark: Any, web: str, ask: Ask
    ) -> None:
        spark.catalog.setCurrentDatabase(web)
        spark.sql(f"ALTER VIEW {view.identifier} AS SELECT user_id, 7L AS clicks, ds FROM clicks")
        spark.catalog.setCurrentDatabase("default")
        adopted = catalog.repair_view(view.identifier, on_drift="adopt")
        assert f"`{web}`.`clicks`" in str(adopted.row.expanded_text)
        assert len(ask(f"SELECT * FROM {view.identifier}")) == 4

    def test_adopting_a_property_makes_no_version(
        self, view: View, catalog: ViewCatalog, foreign: Callable[[str], None], ask: Ask
    ) -> None:
        foreign(SET_PROPERTIES)
        adopted = catalog.repair_view(view.identifier, on_drift="adopt")
        assert adopted.comment == "by Spark"
        assert adopted.current_version == view.current_version
        assert adopted.row.original_text == view.row.original_text
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS

    def test_keys_that_spark_took_from_under_the_partitions_cannot_be_adopted(
        self, view: View, catalog: ViewCatalog, spark: Any, foreign: Callable[[str], None]
    ) -> None:
        from pyspark.errors import PySparkException

        foreign(SHRINK)
        with pytest.raises(HiveViewsError, match="10217"):
            catalog.repair_view(view.identifier, on_drift="adopt")
        # Until it is mended, nobody can drop the view.
        with pytest.raises(PySparkException, match="Invalid partition key"):
            spark.sql(f"DROP VIEW {view.identifier}")
        catalog.repair_view(view.identifier, on_drift="overwrite")
        spark.sql(f"DROP VIEW {view.identifier}")

    def test_a_replaced_text_is_committed_over_the_change_when_told_so(
        self, view: View, catalog: ViewCatalog, foreign: Callable[[str], None], web: str, ask: Ask
    ) -> None:
        foreign(ALTER_VIEW_AS)
        better = f"SELECT user_id, 8 AS clicks, ds FROM {web}.clicks"
        catalog.replace_view(view.identifier, sql={"hive": better, "trino": better}, on_drift="overwrite")
        assert {clicks for _, clicks, _ in ask(f"SELECT * FROM {view.identifier}")} == {8}
        assert [entry.version_id for entry in catalog.load_view(view.identifier).history] == [1, 2]

    def test_a_rename_by_spark_spoils_only_the_typed_text(
        self, view: View, catalog: ViewCatalog, spark: Any, ask: Ask
    ) -> None:
        renamed = f"{view.identifier.namespace}.renamed"
        spark.sql(f"ALTER VIEW {view.identifier} RENAME TO {renamed}")
        found = catalog.load_view(renamed)
        assert [(difference.kind, difference.what) for difference in found.differences] == [
            ("spoiled", "original text")
        ]
        mended = catalog.repair_view(renamed)
        assert mended.row.original_text == view.row.original_text
        assert catalog.partitions(renamed).names() == NAMES
        assert ask(f"SELECT * FROM {renamed}") == ROWS


class TestReplacedBySpark:
    """CREATE OR REPLACE VIEW is a drop and a create: pointer, keys and partitions are gone, the files are not."""

    def test_the_view_is_no_longer_one_of_ours_and_the_error_says_so(
        self, view: View, catalog: ViewCatalog, foreign: Callable[[str], None]
    ) -> None:
        foreign(CREATE_OR_REPLACE)
        with pytest.raises(NoSuchIcebergViewError, match="without a metadata file"):
            catalog.load_view(view.identifier)
        assert catalog.list_views(view.identifier.namespace) == []

    def test_registering_its_last_file_and_restoring_the_partitions_bring_everything_back(
        self, view: View, catalog: ViewCatalog, hms: HiveMetastore, foreign: Callable[[str], None], ask: Ask
    ) -> None:
        foreign(CREATE_OR_REPLACE)
        assert hms.partition_names(view.identifier) == []
        back = catalog.register_view(view.identifier, view.metadata_location, overwrite=True)
        assert back.metadata == view.metadata
        assert catalog.partitions(view.identifier).restore() == NAMES
        assert catalog.load_view(view.identifier).differences == ()
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS

    def test_a_lost_pointer_is_told_with_the_way_out(
        self, view: View, catalog: ViewCatalog, spark: Any, ask: Ask
    ) -> None:
        spark.sql(f"ALTER VIEW {view.identifier} UNSET TBLPROPERTIES ('metadata_location')")
        with pytest.raises(NoSuchIcebergViewError, match="register_view"):
            catalog.load_view(view.identifier)
        catalog.register_view(view.identifier, view.metadata_location, overwrite=True)
        assert catalog.partitions(view.identifier).names() == NAMES
        assert ask(f"SELECT * FROM {view.identifier}") == ROWS
