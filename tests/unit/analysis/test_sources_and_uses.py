"""Of which tables' columns each output is made, and in which clauses columns are named.

That the sources are those of Spark's analysed plans, tests/interop proves on the queries of TPC and on random ones.
"""

from __future__ import annotations

import pytest

from hive_views.analysis import QueryAnalysis, analyze_query
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText

TABLES = {
    ("web", "clicks"): [
        Column("user_id", "bigint", "who"),
        Column("page", "string"),
        Column("tags", "array<string>"),
        Column("agent", "struct<name:string,version:int>"),
        Column("ds", "string"),
    ],
    ("web", "users"): [Column("user_id", "bigint"), Column("country", "string")],
}


def analyzed(sql: str, dialect: str = "spark") -> QueryAnalysis:
    return analyze_query(QueryText(sql, dialect), "web", TABLES)


def sources(sql: str, dialect: str = "spark") -> dict[str, list[str]]:
    """For each output, the columns that it is made of, without the namespace; "?" if it may be made of more."""
    return {
        column.name or column.text: [str(source).removeprefix("web.") for source in column.sources]
        + ["?"] * column.has_more_sources
        for column in analyzed(sql, dialect).columns
    }


def uses(sql: str, dialect: str = "spark") -> dict[str, list[str]]:
    """For each column of a table, the clauses in which it is named."""
    found: dict[str, list[str]] = {}
    for use in analyzed(sql, dialect).uses:
        found.setdefault(str(use.column).removeprefix("web."), []).append(use.clause.value)
    return found


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT page AS p, 1 AS one, count(*) AS n FROM clicks GROUP BY page",
            {"p": ["clicks.page"], "one": [], "n": []},
        ),
        ("SELECT concat(page, c.ds) AS x FROM web.clicks c WHERE user_id > 1", {"x": ["clicks.ds", "clicks.page"]}),
        ("SELECT * FROM users", {"user_id": ["users.user_id"], "country": ["users.country"]}),
        ("SELECT agent.name AS n, c.agent.version v FROM clicks c", {"n": ["clicks.agent"], "v": ["clicks.agent"]}),
        ("SELECT CASE WHEN page = 'x' THEN ds END AS y FROM clicks", {"y": ["clicks.ds", "clicks.page"]}),
        ("SELECT max(ds) OVER (PARTITION BY page) AS m FROM clicks", {"m": ["clicks.ds", "clicks.page"]}),
        ("SELECT rank() OVER w AS r FROM clicks WINDOW w AS (ORDER BY ds)", {"r": ["clicks.ds"]}),
        # Through queries in FROM, common table expressions and lateral views.
        ("SELECT x.n FROM (SELECT concat(page, ds) AS n FROM clicks) x", {"n": ["clicks.ds", "clicks.page"]}),
        ("WITH x (k) AS (SELECT user_id FROM clicks) SELECT k FROM x", {"k": ["clicks.user_id"]}),
        ("WITH clicks AS (SELECT country AS page FROM users) SELECT page FROM clicks", {"page": ["users.country"]}),
        ("SELECT tag FROM clicks LATERAL VIEW explode(tags) e AS tag", {"tag": ["clicks.tags"]}),
        (
            "SELECT b FROM clicks LATERAL VIEW explode(tags) e AS a LATERAL VIEW explode(array(a, ds)) f AS b",
            {"b": ["clicks.ds", "clicks.tags"]},
        ),
        ("SELECT l.t FROM clicks, LATERAL explode(tags) AS l(t)", {"t": ["clicks.tags"]}),
        ("SELECT b.k FROM clicks c, LATERAL (SELECT c.page AS k) b", {"k": ["clicks.page"]}),
        ("SELECT v.a FROM VALUES (1, 2) AS v(a, b)", {"a": []}),
        # Joins.
        ("SELECT user_id FROM clicks JOIN users USING (user_id)", {"user_id": ["clicks.user_id"]}),
        ("SELECT user_id FROM clicks RIGHT JOIN users USING (user_id)", {"user_id": ["users.user_id"]}),
        (
            "SELECT user_id FROM clicks FULL JOIN users USING (user_id)",
            {"user_id": ["clicks.user_id", "users.user_id"]},
        ),
        ("SELECT j.country FROM (clicks c JOIN users u ON c.user_id = u.user_id) j", {"country": ["users.country"]}),
        (
            "SELECT page FROM clicks c JOIN (users u JOIN clicks d ON u.user_id = d.user_id) ON true",
            {"page": ["clicks.page"]},
        ),
        # Branches: all give values to a union, the first one alone to the others.
        ("SELECT page AS v FROM clicks UNION ALL SELECT country FROM users", {"v": ["clicks.page", "users.country"]}),
        ("SELECT page AS v FROM clicks EXCEPT SELECT country FROM users", {"v": ["clicks.page"]}),
        # Subqueries in expressions, which may name columns around them.
        ("SELECT (SELECT max(country) FROM users) AS m FROM clicks", {"m": ["users.country"]}),
        (
            "SELECT (SELECT max(concat(country, page)) FROM users) AS m FROM clicks",
            {"m": ["clicks.page", "users.country"]},
        ),
        # Spark: aliases before it (SPARK-27561).
        ("SELECT page AS a, upper(a) AS b FROM clicks", {"a": ["clicks.page"], "b": ["clicks.page"]}),
        # What is not known.
        ("SELECT n.a, b FROM nowhere n", {"a": ["nowhere.a"], "b": ["nowhere.b"]}),
        ("SELECT b FROM nowhere, elsewhere", {"b": ["?"]}),
        ("SELECT * FROM nowhere", {"*": ["?"]}),
    ],
)
def test_an_output_is_made_of_the_columns_that_its_value_depends_on(sql: str, expected: dict[str, list[str]]) -> None:
    assert sources(sql) == expected


def test_tables_of_trino_and_its_unnest_are_followed_without_types() -> None:
    sql = (
        "SELECT u.t, o.k, c.page FROM hive.web.clicks c CROSS JOIN UNNEST(tags) AS u(t) JOIN tpch.tiny.orders o ON true"
    )
    analysis = analyzed(sql, "trino")
    assert sources(sql, "trino") == {"t": ["clicks.tags"], "k": ["tpch.tiny.orders.k"], "page": ["clicks.page"]}
    assert analysis.tables == (("web", "clicks"), ("tpch", "tiny", "orders"))
    assert analysis.opaque == (("tpch", "tiny", "orders"),)
    assert [column.type for column in analysis.columns] == [None, None, "string"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT page FROM clicks WHERE ds = 'x' GROUP BY page HAVING max(user_id) > 1 ORDER BY count(tags)",
            {
                "clicks.page": ["GROUP BY", "SELECT"],
                "clicks.ds": ["WHERE"],
                "clicks.user_id": ["HAVING"],
                "clicks.tags": ["ORDER BY"],
            },
        ),
        (
            "SELECT country FROM users u JOIN clicks c ON c.user_id = u.user_id",
            {"users.country": ["SELECT"], "users.user_id": ["JOIN"], "clicks.user_id": ["JOIN"]},
        ),
        (
            "SELECT t FROM clicks LATERAL VIEW explode(tags) e AS t",
            {"clicks.tags": ["LATERAL VIEW", "SELECT"]},
        ),
        (
            "SELECT sum(user_id) OVER (PARTITION BY page ORDER BY ds) AS s FROM clicks",
            {"clicks.user_id": ["SELECT"], "clicks.page": ["WINDOW"], "clicks.ds": ["WINDOW"]},
        ),
        # What filters is used as a filter, whatever computes it.
        (
            "SELECT 1 AS one FROM (SELECT concat(page, ds) AS k FROM clicks) x WHERE k = 'a'",
            {"clicks.page": ["SELECT", "WHERE"], "clicks.ds": ["SELECT", "WHERE"]},
        ),
        (
            "SELECT 1 AS one FROM clicks WHERE user_id IN (SELECT user_id FROM users WHERE country = 'de')",
            {"clicks.user_id": ["WHERE"], "users.user_id": ["WHERE"], "users.country": ["WHERE"]},
        ),
        (
            "SELECT page FROM clicks EXCEPT SELECT country FROM users",
            {"clicks.page": ["SELECT"], "users.country": ["SELECT", "WHERE"]},
        ),
        # Aliases and numbers of output columns stand for what these are made of.
        ("SELECT upper(page) AS p FROM clicks ORDER BY p", {"clicks.page": ["ORDER BY", "SELECT"]}),
        (
            "SELECT page AS p, ds FROM clicks GROUP BY 2, p",
            {"clicks.page": ["GROUP BY", "SELECT"], "clicks.ds": ["GROUP BY", "SELECT"]},
        ),
        (
            "SELECT page FROM clicks UNION ALL SELECT country FROM users ORDER BY page",
            {"clicks.page": ["ORDER BY", "SELECT"], "users.country": ["ORDER BY", "SELECT"]},
        ),
        # A star names every column.
        ("SELECT * FROM users", {"users.user_id": ["SELECT"], "users.country": ["SELECT"]}),
        ("SELECT count(u.*) AS n FROM users u", {"users.user_id": ["SELECT"], "users.country": ["SELECT"]}),
        ("SELECT count(*) AS n FROM users", {}),
    ],
)
def test_a_column_is_used_in_each_clause_that_names_it(sql: str, expected: dict[str, list[str]]) -> None:
    assert uses(sql) == expected


def test_a_use_is_where_the_text_names_the_column_first() -> None:
    sql = "SELECT c.page,\n  upper(page) FROM clicks c WHERE c.ds = ds"
    assert [(str(use.column), sql[use.start or 0 :].split(maxsplit=1)[0]) for use in analyzed(sql).uses] == [
        ("web.clicks.ds", "c.ds"),
        ("web.clicks.page", "c.page,"),
    ]


def test_filters_are_the_columns_that_decide_which_rows_there_are() -> None:
    sql = "SELECT page, rank() OVER (ORDER BY tags) r FROM clicks JOIN users USING (user_id) WHERE ds = 'x'"
    assert [str(column) for column in analyzed(sql).filters] == [
        "web.clicks.ds",
        "web.clicks.user_id",
        "web.users.user_id",
    ]


def test_stars_in_the_select_list_of_any_query_in_it_name_their_tables() -> None:
    assert analyzed("SELECT x.page FROM (SELECT c.* FROM clicks c, users) x").stars == (("web", "clicks"),)
    assert analyzed("SELECT count(*) AS n FROM clicks").stars == ()
    assert analyzed("SELECT * FROM clicks JOIN nowhere").stars == (("web", "clicks"), ("web", "nowhere"))


def test_a_comment_comes_along_with_a_column_that_is_nothing_but_that_of_a_table() -> None:
    columns = analyzed(
        "SELECT user_id AS u, user_id + 1 AS v, (SELECT max(user_id) FROM users) AS w FROM clicks"
    ).columns
    assert [column.comment for column in columns] == ["who", None, None]


def test_a_table_may_be_called_like_a_column() -> None:
    assert sources("SELECT agent.name AS n FROM clicks, (SELECT 1 AS name) agent") == {"n": []}
    assert sources("SELECT agent.name AS n FROM clicks AS agent") == {"n": ["clicks.agent"]}
    gone = analyzed("SELECT country.page FROM users AS country").unknown
    assert [(error.found, error.offset) for error in gone] == [("page", 15)]


def test_a_text_with_thousands_of_branches_and_operators_is_read() -> None:
    many = " UNION ALL ".join(["SELECT page AS p FROM clicks"] * 600)
    assert sources(many) == {"p": ["clicks.page"]}
    added = " + ".join(["user_id"] * 1100)
    assert uses(f"SELECT {added} AS n FROM clicks WHERE {' AND '.join(['page = ds'] * 1100)}") == {
        "clicks.user_id": ["SELECT"],
        "clicks.page": ["WHERE"],
        "clicks.ds": ["WHERE"],
    }
    assert [column.sources for column in analyzed(f"SELECT {added} FROM clicks").columns] != [()]
