"""The columns that Spark's analyser finds for a query, in Hive's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.errors import (
    HiveViewsError,
    InvalidSchemaError,
    NoSuchTableError,
    SQLSyntaxError,
    UnsupportedFeatureError,
)
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spark import local_session, schema_of
from hive_views.spark.analyser.query_schema import _column

# PySpark leaves the socket of every collect() and first() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

COLUMNS = [
    ("a_boolean", "boolean"),
    ("a_tinyint", "tinyint"),
    ("a_smallint", "smallint"),
    ("an_int", "int"),
    ("a_bigint", "bigint"),
    ("a_float", "float"),
    ("a_double", "double"),
    ("a_decimal", "decimal(12,3)"),
    ("a_string", "string"),
    ("a_char", "char(5)"),
    ("a_varchar", "varchar(7)"),
    ("a_binary", "binary"),
    ("a_date", "date"),
    ("a_timestamp", "timestamp"),
    ("an_array", "array<smallint>"),
    ("a_map", "map<string,array<decimal(38,10)>>"),
    ("a_struct", "struct<x:int,Nested_One:struct<y:varchar(3),z:array<char(2)>>>"),
]
REFUSED = {
    "void": "NULL",
    "timestamp_ntz": "timestamp_ntz'2026-08-21 00:00:00'",
    "interval day": "INTERVAL 1 DAY",
    "interval year": "INTERVAL 1 YEAR",
    "string with a collation": "'a' COLLATE UTF8_LCASE",
    "variant": "parse_json('{}')",
    "time(6)": "TIME'12:00:00'",
}


@pytest.fixture
def table(spark: Any, namespace: str) -> str:
    columns = ", ".join(f"{name} {type_} COMMENT 'this is {name}'" for name, type_ in COLUMNS)
    spark.sql(f"CREATE TABLE {namespace}.t ({columns}, plain int) STORED AS PARQUET")
    return f"{namespace}.t"


@pytest.fixture
def with_times(spark: Any) -> Iterator[None]:
    """Spark has had times of day since 4.1, only where that is set."""
    spark.conf.set("spark.sql.timeType.enabled", "true")
    yield
    spark.conf.unset("spark.sql.timeType.enabled")


class TestTypes:
    def test_columns_of_a_table_come_back_with_their_types_and_comments(self, spark: Any, table: str) -> None:
        columns = schema_of(spark, f"SELECT * FROM {table}")
        assert columns[:-1] == [(name, type_, f"this is {name}") for name, type_ in COLUMNS]
        assert columns[-1] == ("plain", "int", None)

    def test_char_and_varchar_are_kept_under_another_name_and_lost_in_an_expression(
        self, spark: Any, table: str
    ) -> None:
        columns = schema_of(spark, f"SELECT a_varchar AS v, upper(a_varchar) AS u, a_struct AS s, 1 AS n FROM {table}")
        assert [(name, type_) for name, type_, _ in columns] == [
            ("v", "varchar(7)"),
            ("u", "string"),
            ("s", COLUMNS[-1][1]),
            ("n", "int"),
        ]

    @pytest.mark.parametrize(("type_", "expression"), REFUSED.items())
    @pytest.mark.parametrize("shape", ["{}", "array({})", "map(1, named_struct('inner', {}))"])
    @pytest.mark.usefixtures("with_times")
    def test_a_type_that_hive_lacks_is_refused_by_the_name_of_the_column(
        self, spark: Any, type_: str, expression: str, shape: str
    ) -> None:
        with pytest.raises(InvalidSchemaError, match=r"Column bad .*CAST|Column bad .*COLLATE") as refused:
            schema_of(spark, f"SELECT 1 AS good, {shape.format(expression)} AS bad")
        assert refused.value.columns == ["bad"]
        assert refused.value.type == type_

    @pytest.mark.parametrize("name", ["a:int,b", "a>", "`"])
    def test_a_struct_field_whose_name_hive_would_read_as_something_else_is_refused(
        self, spark: Any, name: str
    ) -> None:
        with pytest.raises(InvalidSchemaError, match="Column s "):
            schema_of(spark, f"SELECT named_struct('{name}', 1) AS s")

    def test_a_type_that_was_defined_by_a_user_is_refused_by_the_name_of_the_column(self) -> None:
        # A vector of Spark's machine learning, which no SQL function makes.
        vector = {"type": "udt", "class": "org.apache.spark.ml.linalg.VectorUDT", "sqlType": "string"}
        with pytest.raises(InvalidSchemaError, match="Column v "):
            _column({"name": "v", "type": vector, "nullable": True, "metadata": {}})

    def test_what_spark_derives_is_taken_by_create_view(
        self, spark: Any, hms: HiveMetastore, table: str, namespace: str, tmp_path: Path
    ) -> None:
        select = f"SELECT * FROM {table}"
        catalog = ViewCatalog(hms, warehouse=str(tmp_path))
        view = catalog.create_view(f"{namespace}.v", sql={"hive": select}, schema=schema_of(spark, select))
        assert [(column.name, column.type) for column in view.columns] == [*COLUMNS, ("plain", "int")]


class TestAnsiMode:
    QUERY = "SELECT '1' + 1 AS n"

    @pytest.mark.parametrize("session", ["true", "false"])
    def test_types_are_those_of_the_mode_in_which_the_text_will_be_read(self, spark: Any, session: str) -> None:
        before = spark.conf.get("spark.sql.ansi.enabled")
        spark.conf.set("spark.sql.ansi.enabled", session)
        try:
            assert schema_of(spark, self.QUERY) == [("n", "double", None)]
            assert schema_of(spark, self.QUERY, dialect="spark") == [("n", "bigint", None)]
            assert spark.conf.get("spark.sql.ansi.enabled") == session
        finally:
            spark.conf.set("spark.sql.ansi.enabled", before)

    def test_the_mode_of_the_session_is_left_alone_by_a_query_that_fails(self, spark: Any) -> None:
        before = spark.conf.get("spark.sql.ansi.enabled")
        with pytest.raises(SQLSyntaxError):
            schema_of(spark, "SELECT no_such_column")
        assert spark.conf.get("spark.sql.ansi.enabled") == before

    @pytest.mark.parametrize(("dialect", "value"), [("hive", 2.0), ("spark", 2)])
    def test_a_view_with_such_columns_can_be_read(
        self, spark: Any, hms: HiveMetastore, namespace: str, tmp_path: Path, dialect: str, value: float
    ) -> None:
        # With the types of the other mode: CANNOT_UP_CAST_DATATYPE.
        catalog = ViewCatalog(hms, warehouse=str(tmp_path))
        schema = schema_of(spark, self.QUERY, dialect=dialect)
        catalog.create_view(f"{namespace}.v", sql={dialect: self.QUERY}, schema=schema)
        assert spark.sql(f"SELECT * FROM {namespace}.v").first()[0] == value


class TestErrors:
    def test_an_unknown_table_is_named(self, spark: Any, namespace: str) -> None:
        with pytest.raises(NoSuchTableError, match="no_such_table"):
            schema_of(spark, f"SELECT * FROM {namespace}.no_such_table")

    def test_a_mistake_is_reported_with_its_place_and_its_cause(self, spark: Any, table: str) -> None:
        from pyspark.errors import AnalysisException

        with pytest.raises(SQLSyntaxError, match="no_such_column") as refused:
            schema_of(spark, f"SELECT an_int,\n       no_such_column FROM {table}")
        assert (refused.value.line, refused.value.column, refused.value.dialect) == (2, 8, "hive")
        assert isinstance(refused.value.__cause__, AnalysisException)

    @pytest.mark.parametrize("statement", ["DROP TABLE {}", "SELECT 1 AS a; DROP TABLE {}", "TRUNCATE TABLE {}", " "])
    def test_a_statement_that_is_no_query_is_refused_and_not_run(self, spark: Any, table: str, statement: str) -> None:
        with pytest.raises(SQLSyntaxError):
            schema_of(spark, statement.format(table))
        assert spark.catalog.tableExists(table)

    def test_the_query_is_not_run(self, spark: Any) -> None:
        assert schema_of(spark, "SELECT raise_error('it was run') IS NULL AS b") == [("b", "boolean", None)]

    def test_nothing_is_printed_but_the_error_raised(self, spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(HiveViewsError):
            schema_of(spark, "SELECT no_such_column")
        assert capfd.readouterr() == ("", "")


def test_a_process_has_one_local_spark(spark: Any, metastore_uri: str, tmp_path: Path) -> None:
    with (
        pytest.raises(UnsupportedFeatureError, match="or start another process"),
        local_session(metastore_uri, tmp_path, app_name="second"),
    ):
        raise AssertionError("a second one has started")
    assert spark.sql("SELECT 1").first()[0] == 1


def test_types_are_those_of_the_text_that_the_row_has(spark: Any) -> None:
    """Hive and Spark bind ``||`` otherwise; Spark reads the row's text, with brackets as in Hive."""
    assert schema_of(spark, "SELECT 'a' || 1 + 1 AS joined")[0][1] == "string"
    assert schema_of(spark, "SELECT 1 AS a UNION ALL SELECT 2 LIMIT 0,1") == [("a", "int", None)]


def test_a_mistake_has_its_place_in_the_text_as_typed(spark: Any) -> None:
    with pytest.raises(SQLSyntaxError) as raised:
        schema_of(spark, "SELECT 'a' || 1 + 1 AS joined, nosuch")
    assert (raised.value.line, raised.value.column) == (1, 32)
