"""The tables that a query names."""

from __future__ import annotations

import pytest

from hive_views.errors import SQLSyntaxError, UnsupportedFeatureError
from hive_views.sql.query import QueryText
from hive_views.sql.tables import names_as_written, referenced_tables, unqualified_tables, with_full_names
from tests.unit.sql.unread_names import UNREAD_NAMES


def tables(sql: str, dialect: str = "hive") -> list[str]:
    return [".".join(name) for name in referenced_tables(QueryText(sql, dialect), "web")]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT 1", []),
        ("SELECT a FROM t", ["web.t"]),
        ("SELECT a FROM shop.t", ["shop.t"]),
        ("SELECT a FROM `shop`.`a b`", ["shop.a b"]),
        ("SELECT a FROM b, a JOIN c ON true LEFT JOIN (d CROSS JOIN e)", ["web.b", "web.a", "web.c", "web.d", "web.e"]),
        ("SELECT (SELECT max(x) FROM u) FROM t WHERE a IN (SELECT a FROM v)", ["web.u", "web.t", "web.v"]),
        ("SELECT a FROM t UNION ALL SELECT a FROM (SELECT a FROM u) x", ["web.t", "web.u"]),
        ("SELECT a FROM t LATERAL VIEW explode(arr) u AS e", ["web.t"]),
        ("SELECT t.u.v FROM t", ["web.t"]),
        ("SELECT /*+ MAPJOIN(u) */ a FROM t", ["web.t"]),
        ("SELECT a FROM t -- FROM u\nWHERE b = 'FROM v'", ["web.t"]),
    ],
)
def test_tables_are_named_in_the_order_of_the_text(sql: str, found: list[str]) -> None:
    assert tables(sql) == found


def test_a_table_is_named_once_as_it_is_typed_first() -> None:
    assert tables("SELECT a FROM Web.T UNION ALL SELECT a FROM t UNION ALL SELECT a FROM `WEB`.`t`") == ["Web.T"]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("WITH c AS (SELECT a FROM t) SELECT a FROM C", ["web.t"]),
        ("WITH t AS (SELECT a FROM t) SELECT a FROM t", ["web.t"]),
        ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b", []),
        ("WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", ["web.b"]),
        ("WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT * FROM r) SELECT * FROM r", []),
        ("WITH c AS (SELECT 1) SELECT * FROM c UNION ALL SELECT * FROM c", []),
        ("(WITH c AS (SELECT 1) SELECT * FROM c) UNION ALL SELECT * FROM c", ["web.c"]),
        ("SELECT * FROM (WITH c AS (SELECT 1) SELECT * FROM c) x, c", ["web.c"]),
        ("WITH c AS (SELECT 1) SELECT * FROM (WITH c AS (SELECT * FROM c) SELECT * FROM c) x", []),
        ("WITH c AS (SELECT 1) SELECT * FROM web.c", ["web.c"]),
        ("WITH c AS (WITH d AS (SELECT * FROM t) SELECT * FROM d) SELECT * FROM c, d", ["web.t", "web.d"]),
        ("WITH c AS (SELECT 1) SELECT a FROM t WHERE EXISTS (SELECT 1 FROM c)", ["web.t"]),
    ],
)
def test_common_table_expressions_hide_tables_where_they_are_in_sight(sql: str, found: list[str]) -> None:
    assert tables(sql, "spark") == found


def test_a_catalog_that_is_the_metastore_is_left_out() -> None:
    assert tables("SELECT a FROM Spark_Catalog.shop.t, spark_catalog.web.u", "spark") == ["shop.t", "web.u"]
    assert tables('SELECT a FROM hive."shop"."t", u', "trino") == ["shop.t", "web.u"]


def test_a_table_of_another_catalog_has_all_its_parts() -> None:
    sql = "SELECT a FROM ice.shop.t, ice.shop.t.snapshots, spark_catalog.shop.t.files"
    assert tables(sql, "spark") == ["ice.shop.t", "ice.shop.t.snapshots", "spark_catalog.shop.t.files"]


def test_table_functions_are_no_tables() -> None:
    assert tables("SELECT * FROM range(10), VALUES (1) AS v(x), explode(array(1)), t", "spark") == ["web.t"]


def test_tables_of_an_unknown_dialect_cannot_be_found() -> None:
    with pytest.raises(UnsupportedFeatureError, match="the flink SQL"):
        tables("SELECT a FROM t", "flink")


def test_what_is_no_query_has_no_tables() -> None:
    with pytest.raises(SQLSyntaxError):
        tables("INSERT INTO t SELECT a FROM u")


@pytest.mark.parametrize(
    ("sql", "dialect", "full"),
    [
        ("SELECT t.a FROM t -- FROM t", "spark", "SELECT t.a FROM `web`.t -- FROM t"),
        ("SELECT a FROM `t` x, u, shop.t", "hive", "SELECT a FROM `web`.`t` x, `web`.u, shop.t"),
        ("WITH c AS (SELECT a FROM c) SELECT a FROM c", "spark", "WITH c AS (SELECT a FROM `web`.c) SELECT a FROM c"),
        ("SELECT (SELECT max(x) FROM u) FROM t", "trino", 'SELECT (SELECT max(x) FROM "web".u) FROM "web".t'),
        ("SELECT 1 AS a", "spark", "SELECT 1 AS a"),
    ],
)
def test_names_are_written_in_full_where_they_stand(sql: str, dialect: str, full: str) -> None:
    assert with_full_names(QueryText(sql, dialect), ["web"]) == full
    assert with_full_names(QueryText(full, dialect), ["other"]) == full


def test_names_of_two_parts_get_a_catalog_and_those_of_three_have_one() -> None:
    sql = "SELECT a FROM t, shop.u, ice.shop.v"
    full = with_full_names(QueryText(sql, "spark"), ["a", "b"], "ice")
    assert full == "SELECT a FROM `ice`.`a`.`b`.t, `ice`.shop.u, ice.shop.v"


def test_names_in_a_text_that_nobody_here_reads_are_not_written_in_full() -> None:
    with pytest.raises(UnsupportedFeatureError):
        with_full_names(QueryText("SELECT a FROM t", "flink"), ["web"])


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [*UNREAD_NAMES, ("spark", "SELECT a FROM IDENTIFIER('u')"), ("hive", "SELECT a FROM t JOIN IDENTIFIER('u')")],
)
def test_a_name_that_is_not_seen_is_not_passed_over_where_each_counts(dialect: str, sql: str) -> None:
    for names in (names_as_written, unqualified_tables, lambda query: with_full_names(query, ["web"])):
        with pytest.raises(SQLSyntaxError, match=r"may (be followed by the name of a table|name a database)"):
            names(QueryText(sql, dialect))


def test_the_path_of_a_file_is_no_name_that_could_be_written_in_full() -> None:
    sql = "SELECT a FROM parquet.`/x/y.parquet` JOIN u.t"
    wanted = "SELECT a FROM parquet.`/x/y.parquet` JOIN `c`.u.t"
    assert with_full_names(QueryText(sql, "spark"), ["web"], "c") == wanted
    assert names_as_written(QueryText(sql, "spark")) == (("u", "t"),)
