"""One kind of SQL for a Spark user: which statements are executed here, and which by a real Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.errors import (
    InvalidInputError,
    InvalidSchemaError,
    NoSuchIcebergViewError,
    NoSuchTableError,
    SQLSyntaxError,
)
from hive_views.spark import schema_of, sql
from tests.interop.clicks import BASE_COLUMNS

# PySpark leaves the socket open through which it collected rows.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

Rows = list[tuple[Any, ...]]
Run = Callable[..., Rows]


@pytest.fixture(params=["classic", "connect"])
def session(spark: Any, request: pytest.FixtureRequest) -> Any:
    """Statements are the same to a session of either kind."""
    return spark if request.param == "classic" else request.getfixturevalue("remote")


@pytest.fixture
def run(session: Any, catalog: ViewCatalog, namespace: str) -> Iterator[Run]:
    """Executes a statement and returns its rows; the current database is the test's own."""

    def rows(text: str, **arguments: Any) -> Rows:
        return [tuple(row) for row in sql(session, catalog, text, **arguments).collect()]

    session.catalog.setCurrentDatabase(namespace)
    yield rows
    for view in session.catalog.listTables():
        if view.isTemporary:
            session.catalog.dropTempView(view.name)
    session.catalog.setCurrentDatabase("default")


@pytest.fixture
def daily(run: Run, web: str) -> str:
    run(
        f"CREATE VIEW daily (u COMMENT 'user', half, ds) COMMENT 'by day' PARTITIONED ON (ds) AS "
        f"SELECT user_id, count(*) / 2, ds FROM {web}.clicks GROUP BY user_id, ds"
    )
    return "daily"


def test_a_view_lives_from_create_to_drop_in_spark(
    session: Any, catalog: ViewCatalog, run: Run, namespace: str, daily: str, web: str
) -> None:
    assert [(c.name, c.type, c.comment) for c in catalog.load_view(f"{namespace}.daily").columns] == [
        ("u", "bigint", "user"),
        # Nobody but an engine knows that.
        ("half", "double", None),
        ("ds", "string", None),
    ]
    assert run("ALTER VIEW daily ADD PARTITION (ds = '2026-08-21')") == [
        (f"Added the partition ds=2026-08-21 of {namespace}.daily.",)
    ]
    assert run("SHOW PARTITIONS daily") == [("ds=2026-08-21",)]
    assert sorted(run("SELECT u, half FROM daily WHERE ds = '2026-08-21'")) == [(1, 1.0), (2, 0.5)]
    run(f"CREATE OR REPLACE VIEW daily (u, n, ds) PARTITIONED ON (ds) AS SELECT user_id, page, ds FROM {web}.clicks")
    assert run("SHOW COLUMNS IN daily") == [("u",), ("n",), ("ds",)]
    run("ALTER VIEW daily ROLL BACK TO VERSION 1")
    assert [column.name for column in session.table("daily").schema] == ["u", "half", "ds"]
    assert run("DROP VIEW daily") == [(f"Dropped {namespace}.daily.",)]
    assert not session.catalog.tableExists("daily")


def test_rows_are_a_dataframe_with_hives_columns(session: Any, catalog: ViewCatalog, run: Run, daily: str) -> None:
    frame = sql(session, catalog, "DESCRIBE daily")
    assert frame.columns == ["col_name", "data_type", "comment"]
    assert tuple(frame.collect()[0]) == ("u", "bigint", "user")
    assert sql(session, catalog, "SHOW PARTITIONS daily").collect() == []
    assert "PARTITIONED ON (ds)" in run("SHOW CREATE TABLE daily")[0][0]


def test_names_of_a_query_are_in_sparks_current_database_which_stays(
    session: Any, catalog: ViewCatalog, run: Run, namespace: str, web: str
) -> None:
    run(f"USE {web}")
    run(f"CREATE VIEW {namespace}.v AS SELECT * FROM clicks")
    assert session.catalog.currentDatabase() == web
    columns = catalog.load_view(f"{namespace}.v").columns
    assert [(column.name, column.type) for column in columns] == BASE_COLUMNS
    assert len(run(f"SELECT * FROM {namespace}.v")) == 4


def test_a_statement_gives_all_texts_and_types_and_is_printed_and_executed_again(
    catalog: ViewCatalog, run: Run, namespace: str, web: str
) -> None:
    statement = f"""CREATE OR REPLACE VIEW v (a DECIMAL(20,2), page) AS
        SELECT coalesce(cast(user_id AS decimal(5,0)), 10.0), page FROM {web}.clicks
        DIALECT trino AS SELECT 10.0 AS "a", page FROM {web}.clicks"""
    run(statement)
    view = catalog.load_view(f"{namespace}.v")
    assert [column.type for column in view.columns] == ["decimal(20,2)", "string"]
    assert view.dialects == ("hive", "trino")
    assert len(run("SELECT a, page FROM v")) == 4
    assert "is unchanged" in run(statement)[0][0]
    ((text,),) = run("SHOW CREATE TABLE v")
    run("DROP VIEW v")
    run(text.rstrip(";"))
    again = catalog.load_view(f"{namespace}.v")
    assert (again.columns, again.row.expanded_text) == (view.columns, view.row.expanded_text)


def test_expressions_without_an_alias_are_named_as_hive_does(catalog: ViewCatalog, run: Run, namespace: str) -> None:
    run("CREATE VIEW v AS SELECT 1 + 1, 'x' AS b")
    assert [column.name for column in catalog.load_view(f"{namespace}.v").columns] == ["_c0", "b"]


def test_columns_that_spark_reports_have_hives_names_and_types(
    session: Any, catalog: ViewCatalog, run: Run, namespace: str, web: str
) -> None:
    run(
        f"CREATE VIEW v AS SELECT cast(page AS varchar(20)), *, '12', int(user_id), rank() OVER (ORDER BY page), "
        f"cast(ds AS char(3)) AS c, add_months(ds, 1) FROM {web}.clicks"
    )
    found = [(column.name, column.type) for column in catalog.load_view(f"{namespace}.v").columns]
    named = [("_c2", "string"), ("_c3", "int"), ("rank_window_0", "int"), ("c", "char(3)"), ("_c6", "string")]
    assert found == [("_c0", "varchar(20)"), *BASE_COLUMNS, *named]
    assert len(run("SELECT * FROM v")) == 4
    run(f"CREATE VIEW w AS SELECT cast(user_id AS int), page AS `_c1`, 1 FROM {web}.clicks")
    assert [column.name for column in catalog.load_view(f"{namespace}.w").columns] == ["user_id", "page", "_c2"]
    assert run("SELECT _c2 FROM w") == [(1,)] * 4


def test_a_row_that_hive_cannot_have_is_refused_with_the_way_out(run: Run, web: str) -> None:
    with pytest.raises(InvalidSchemaError, match=r"10\.0.*CAST"):
        run("CREATE VIEW v AS SELECT coalesce(cast(1 AS decimal(5,0)), 10.0)")
    with pytest.raises(InvalidSchemaError, match="without a name"):
        run(f"CREATE VIEW v AS SELECT * FROM (SELECT user_id + user_id FROM {web}.clicks) x")
    with pytest.raises(NoSuchTableError, match="10001"):
        run("CREATE VIEW v AS SELECT * FROM nothing_here")
    with pytest.raises(SQLSyntaxError, match="10011"):
        run("CREATE VIEW v AS SELECT no_function(1) AS a")
    with pytest.raises(InvalidSchemaError, match="10036"):
        run(f"CREATE VIEW v AS SELECT *, page FROM {web}.clicks")


def test_a_text_for_spark_is_read_in_ansi_mode(catalog: ViewCatalog, run: Run, namespace: str) -> None:
    run("CREATE VIEW h AS SELECT '1' + 1 AS a")
    run("CREATE VIEW s AS SELECT '1' + 1 AS a", dialect="spark")
    types = {name: catalog.load_view(f"{namespace}.{name}").columns[0].type for name in ("h", "s")}
    assert types == {"h": "double", "s": "bigint"}
    assert catalog.load_view(f"{namespace}.s").dialects == ("spark",)
    assert run("SELECT * FROM s") == [(2,)]


def test_a_temporary_view_is_sparks_even_if_a_view_of_ours_has_its_name(
    session: Any, catalog: ViewCatalog, run: Run, namespace: str, daily: str
) -> None:
    run("CREATE OR REPLACE TEMPORARY VIEW daily AS SELECT 7 AS seven")
    assert run("DESCRIBE daily") == [("seven", "int", None)]
    assert run("SHOW COLUMNS IN daily") == [("seven",)]
    run("ALTER VIEW daily AS SELECT 8 AS eight")
    assert run("SELECT * FROM daily") == [(8,)]
    # With its database it is ours.
    assert run(f"DESCRIBE {namespace}.daily")[0][0] == "u"
    run("DROP VIEW daily")
    assert run("DESCRIBE daily")[0][0] == "u"
    assert catalog.view_exists(f"{namespace}.daily")


TEMPORARY = {
    "a_view": ("CREATE TEMPORARY VIEW my_clicks AS SELECT 1 AS page", "SELECT page FROM My_Clicks"),
    "a_view_with_the_name_of_a_table": (
        "CREATE TEMPORARY VIEW clicks AS SELECT 1 AS page",
        "SELECT page FROM (SELECT * FROM `clicks`) c",
    ),
    "a_global_view": (
        "CREATE OR REPLACE GLOBAL TEMPORARY VIEW all_clicks AS SELECT 1 AS page",
        "SELECT page FROM global_temp.all_clicks",
    ),
    "a_function": (
        "CREATE OR REPLACE TEMPORARY FUNCTION my_upper(x STRING) RETURNS STRING RETURN upper(x)",
        "SELECT my_upper(page) AS page FROM {}.clicks",
    ),
    "a_variable": (
        "DECLARE OR REPLACE VARIABLE my_page STRING DEFAULT '/'",
        "SELECT user_id FROM {}.clicks WHERE page = my_page",
    ),
}


@pytest.mark.parametrize("kind", TEMPORARY)
def test_a_view_of_what_only_a_session_has_is_refused_by_its_name(
    session: Any, catalog: ViewCatalog, run: Run, namespace: str, web: str, kind: str
) -> None:
    make, query = (text.format(web) for text in TEMPORARY[kind])
    session.sql("CREATE TABLE clicks (page STRING) USING parquet")
    session.sql(make)
    session.sql(query).collect()
    for call in (lambda: run(f"CREATE VIEW v AS {query}"), lambda: schema_of(session, query)):
        with pytest.raises(InvalidInputError, match=r"temporary .* of the Spark session") as refused:
            call()
        assert refused.value.table.lower().split(".")[-1] in make.lower()
    assert not catalog.view_exists(f"{namespace}.v")
    # What has the name in another sense is no such object.
    assert schema_of(
        session, f"WITH my_clicks AS (SELECT page AS my_page FROM {namespace}.clicks) SELECT my_page FROM my_clicks"
    ) == [("my_page", "string", None)]


def test_drop_table_drops_no_view_of_ours_whatever_spark_makes_of_it(
    catalog: ViewCatalog, run: Run, namespace: str, daily: str
) -> None:
    for name in ("daily", f"{namespace}.DAILY", f"IF EXISTS spark_catalog.`{namespace}` . `daily` PURGE -- all;"):
        with pytest.raises(InvalidInputError, match="Use DROP VIEW"):
            run(f"/* for good */ DROP TABLE {name}")
    assert catalog.view_exists(f"{namespace}.daily")


def test_plain_views_and_tables_are_sparks(
    session: Any, catalog: ViewCatalog, run: Run, namespace: str, web: str
) -> None:
    session.sql(f"CREATE VIEW plain AS SELECT page FROM {web}.clicks")
    assert run("DESCRIBE plain") == [("page", "string", None)]
    run("ALTER VIEW plain SET TBLPROPERTIES ('a' = 'b')")
    assert ("a", "b") in run("SHOW TBLPROPERTIES plain")
    with pytest.raises(NoSuchIcebergViewError, match="plain view"):
        run("CREATE OR REPLACE VIEW plain AS SELECT 1 AS a")
    run("DROP VIEW plain")
    assert not session.catalog.tableExists("plain")
    assert run(f"SHOW PARTITIONS {web}.clicks") == [("ds=2026-08-21",), ("ds=2026-08-22",)]
    assert ("# Partition Information", "", "") in run(f"DESCRIBE {web}.clicks")
    assert (
        "USING" in run(f"SHOW CREATE TABLE {web}.clicks")[0][0]
        or "CREATE" in run(f"SHOW CREATE TABLE {web}.clicks")[0][0]
    )


def test_everything_else_is_sparks(session: Any, run: Run, namespace: str, daily: str) -> None:
    assert run("SELECT 1 AS a; ") == [(1,)]
    assert (namespace, "daily", False) in run("SHOW VIEWS")
    assert run("DESCRIBE QUERY SELECT 1 AS a") == [("a", "int", None)]
    assert run("DESCRIBE FUNCTION upper")
    assert run("SHOW DATABASES LIKE 'default'") == [("default",)]
    assert run("USE default") == []
    assert session.catalog.currentDatabase() == "default"
    assert run("CREATE TABLE IF NOT EXISTS default.nothing_of_ours (a int) USING parquet") == []
    run("DROP TABLE default.nothing_of_ours")


def test_the_metastores_catalog_may_stand_before_a_name(
    session: Any, catalog: ViewCatalog, run: Run, namespace: str, daily: str, web: str
) -> None:
    assert run(f"DESCRIBE spark_catalog.{namespace}.daily")[0] == ("u", "bigint", "user")
    run(f"ALTER VIEW `spark_catalog`.{namespace}.daily ADD PARTITION (ds = 'x')")
    assert run("SHOW PARTITIONS daily") == [("ds=x",)]
    run(f"DROP VIEW spark_catalog . {namespace}.daily")
    # Spark would have left the row's history without a word.
    assert not catalog.view_exists(f"{namespace}.daily")
    assert run(f"SHOW PARTITIONS spark_catalog.{web}.clicks") == [("ds=2026-08-21",), ("ds=2026-08-22",)]


def test_errors_are_of_the_one_who_executes(run: Run, daily: str) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(SQLSyntaxError, match="LOCATION"):
        run("ALTER VIEW daily ADD PARTITION (ds = 'x') LOCATION '/x'")
    with pytest.raises(SQLSyntaxError, match="nothing"):
        run("CREATE VIEW v AS SELECT nothing FROM daily")
    with pytest.raises(InvalidSchemaError, match="10089"):
        run("CREATE VIEW v (a, b) AS SELECT u FROM daily")
    with pytest.raises(AnalysisException):
        run("DROP VIEW nothing_here")
    with pytest.raises(AnalysisException):
        run("SELECT nothing FROM daily")
    assert run("DROP VIEW IF EXISTS nothing_here") == []


def test_publish_is_executed_here(run: Run, daily: str, web: str) -> None:
    rows = run(f"PUBLISH VIEW daily WHEN requires('{web}.clicks', ds=column('ds'))")
    assert rows == [("ds=2026-08-21", "added", None), ("ds=2026-08-22", "added", None)]
