"""Subqueries in place of the views that a query reads, and in place of what its WITH clauses define."""

from __future__ import annotations

import pytest

from hive_views.errors import SQLSyntaxError, UnsupportedFeatureError
from hive_views.sql.query import QueryText
from hive_views.sql.subqueries import subquery_edits, without_with
from hive_views.sql.text_edits import edited

VIEWS = {("s", "v"): "SELECT 1 AS x -- one"}


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("hive", "SELECT x FROM v", "SELECT x FROM (SELECT 1 AS x -- one\n) `v`"),
        ("hive", "SELECT d.x FROM s.V AS d", "SELECT d.x FROM (SELECT 1 AS x -- one\n) AS d"),
        ("spark", "SELECT s.v.*, s.v.x.y FROM v", "SELECT v.*, v.x.y FROM (SELECT 1 AS x -- one\n) `v`"),
        # ``s`` is an alias here, of which ``v`` is a column.
        ("spark", "SELECT s.v FROM v, t AS s", "SELECT s.v FROM (SELECT 1 AS x -- one\n) `v`, `s`.t AS s"),
        ("trino", "SELECT x FROM hive.s.v", 'SELECT x FROM (SELECT 1 AS x -- one\n) "v"'),
        ("trino", "SELECT x FROM other.s.v", "SELECT x FROM other.s.v"),
        ("hive", "WITH v AS (SELECT 2 AS x) SELECT x FROM v", "WITH v AS (SELECT 2 AS x) SELECT x FROM v"),
        ("hive", "SELECT x FROM w.v, t", "SELECT x FROM w.v, `s`.t"),
    ],
)
def test_a_subquery_stands_for_a_view_under_its_name_or_alias(dialect: str, text: str, expected: str) -> None:
    query = QueryText(text, dialect)
    assert edited(query, subquery_edits(query, "s", VIEWS)) == expected


@pytest.mark.parametrize("text", ["SELECT x FROM v TABLESAMPLE (10 PERCENT) AS d", "SELECT x FROM v VERSION AS OF 3"])
def test_what_cannot_follow_a_subquery_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match="What follows v"):
        subquery_edits(QueryText(text, "spark"), "s", VIEWS)


def test_a_query_that_may_read_more_than_is_found_is_refused() -> None:
    with pytest.raises(SQLSyntaxError):
        subquery_edits(QueryText("SELECT a FROM TABLE(f(TABLE(v)))", "trino"), "s", VIEWS)


def test_definitions_stand_where_they_are_read() -> None:
    text = "WITH a AS (SELECT 1 x), b AS (WITH i AS (SELECT x FROM a) SELECT z.x FROM i z) SELECT b.x FROM b, t -- end"
    assert without_with(QueryText(text, "hive")) == (
        " SELECT b.x FROM ( SELECT z.x FROM (SELECT x FROM (SELECT 1 x\n) `a`\n) z\n) `b`, t -- end"
    )
    with pytest.raises(SQLSyntaxError, match="names its columns"):
        without_with(QueryText("WITH a (x) AS (SELECT 1) SELECT x FROM a", "hive"))
    # Each reads the one before twice.
    chain = ", ".join(f"c{n} AS (SELECT l.x FROM c{n - 1} l, c{n - 1} r)" for n in range(1, 40))
    with pytest.raises(UnsupportedFeatureError, match="too long"):
        without_with(QueryText(f"WITH c0 AS (SELECT 1 x), {chain} SELECT x FROM c39", "hive"))
