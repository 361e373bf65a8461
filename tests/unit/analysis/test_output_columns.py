"""Which output columns and types of a query are certain without an engine.

That the engines agree on what is derived, tests/interop/test_certain_types.py proves.
"""

from __future__ import annotations

import pytest

from hive_views.analysis import analyze_query
from hive_views.analysis.query_analysis import OutputColumn
from hive_views.errors import SQLSyntaxError
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText

TABLES = {
    ("web", "clicks"): [("user_id", "bigint"), ("page", "string"), ("code", "varchar(7)"), ("ds", "string")],
    ("web", "users"): [("user_id", "bigint"), ("country", "string")],
    ("other", "clicks"): [("k", "int")],
}
UNKNOWN = "?"


def analyzed(sql: str, dialect: str = "hive") -> tuple[OutputColumn, ...]:
    tables = {name: [Column(*column) for column in columns] for name, columns in TABLES.items()}
    return analyze_query(QueryText(sql, dialect), "WEB", tables).refuse_unknown().columns


def derived(sql: str, dialect: str = "hive") -> list[tuple[str | None, str | None]] | str:
    """Names and types; UNKNOWN where not even the number of columns is known."""
    columns = analyzed(sql, dialect)
    return [(one.name, one.type) for one in columns] if all(one.is_one for one in columns) else UNKNOWN


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT user_id, Page AS P FROM clicks", [("user_id", "bigint"), ("P", "string")]),
        ("SELECT C.page, web.clicks.page FROM clicks c", [("page", "string"), ("page", None)]),
        ("SELECT clicks.page FROM web.clicks", [("page", "string")]),
        ("SELECT page FROM clicks c WHERE EXISTS (SELECT 1 FROM users)", [("page", "string")]),
        ("SELECT nothing, x.page FROM clicks, nowhere", [("nothing", None), ("page", None)]),
        ("SELECT page FROM nowhere", [("page", None)]),
        ("SELECT 1 one", [("one", "int")]),
        ("(SELECT page FROM clicks) LIMIT 3", [("page", "string")]),
        # Joins: who has the name, and who may have it.
        (
            "SELECT page, country FROM clicks c JOIN users u ON c.user_id = u.user_id",
            [("page", "string"), ("country", "string")],
        ),
        ("SELECT user_id FROM clicks c JOIN users u ON c.user_id = u.user_id", [("user_id", None)]),
        ("SELECT user_id FROM clicks JOIN users USING (user_id)", [("user_id", "bigint")]),
        ("SELECT user_id FROM clicks NATURAL JOIN users", [("user_id", "bigint")]),
        ("SELECT page FROM clicks, nowhere", [("page", None)]),
        ("SELECT c.page FROM clicks c, nowhere", [("page", "string")]),
        ("SELECT page FROM clicks c LEFT SEMI JOIN users u ON c.user_id = u.user_id", [("page", "string")]),
        ("SELECT c.page FROM clicks c JOIN users c", [("page", "string")]),
        # Stars.
        ("SELECT * FROM users", [("user_id", "bigint"), ("country", "string")]),
        (
            "SELECT u.*, c.page FROM clicks c JOIN users u",
            [("user_id", "bigint"), ("country", "string"), ("page", "string")],
        ),
        ("SELECT * FROM other.clicks a JOIN users b", [("k", "int"), ("user_id", "bigint"), ("country", "string")]),
        ("SELECT * FROM other.clicks a LEFT SEMI JOIN users b ON a.k = b.user_id", [("k", "int")]),
        ("SELECT * FROM other.clicks LATERAL VIEW explode(array(1)) e AS x", [("k", "int"), ("x", "int")]),
        ("SELECT * FROM nowhere", UNKNOWN),
        ("SELECT * FROM users a JOIN users b USING (user_id)", UNKNOWN),
        ("SELECT * FROM users NATURAL JOIN clicks", UNKNOWN),
        ("SELECT x.* FROM users u", UNKNOWN),
        ("SELECT * FROM (SELECT count(*) FROM users) x", UNKNOWN),
        ("SELECT * FROM (users u JOIN other.clicks c)", [("user_id", "bigint"), ("country", "string"), ("k", "int")]),
        ("SELECT * FROM users LATERAL VIEW explode(array(1)) e AS x JOIN other.clicks", UNKNOWN),
        ("SELECT * FROM other.clicks LATERAL VIEW explode(array(1)) e", [("k", "int"), ("col", "int")]),
        ("SELECT explode(array(1)) FROM users", [("col", "int")]),
        # Queries inside.
        ("SELECT x.n FROM (SELECT count(*) AS n FROM users) x", [("n", "bigint")]),
        ("SELECT b FROM (SELECT user_id, page FROM clicks) x (a, b)", [("b", "string")]),
        ("SELECT b FROM (SELECT user_id FROM clicks) x (a, b)", [("b", None)]),
        ("WITH t AS (SELECT page FROM clicks), u AS (SELECT * FROM t) SELECT * FROM u", [("page", "string")]),
        ("WITH clicks AS (SELECT k FROM other.clicks) SELECT * FROM clicks", [("k", "int")]),
        ("WITH clicks AS (SELECT k FROM other.clicks) SELECT country FROM web.users", [("country", "string")]),
        ("WITH users AS (SELECT * FROM users) SELECT country FROM users", [("country", "string")]),
        ("SELECT 1 AS a UNION ALL SELECT 2", [("a", "int")]),
        ("SELECT 1 AS a UNION ALL SELECT 2L", [("a", "bigint")]),
        ("SELECT code FROM clicks UNION SELECT code FROM clicks", [("code", "varchar(7)")]),
        ("SELECT page FROM clicks EXCEPT SELECT country FROM users", [("page", "string")]),
        ("SELECT page FROM clicks UNION ALL SELECT * FROM nowhere", [("page", None)]),
        # One of several branches of a query, and no more.
        ("SELECT a FROM (SELECT 1 AS a UNION ALL SELECT 2) x", [("a", "int")]),
        ("SELECT (SELECT max(country) FROM users) AS m FROM clicks", [("m", "string")]),
        # sqlglot reads both as STRING.
        ("SELECT cast(page AS varchar(3)) a FROM clicks", [("a", None)]),
        ("SELECT cast(page AS string) a, cast(page AS Char(3)) b FROM clicks", [("a", "string"), ("b", None)]),
    ],
)
def test_columns_are_derived_as_far_as_they_are_certain(sql: str, columns: object) -> None:
    assert derived(sql) == columns


@pytest.mark.parametrize(
    ("sql", "column", "problem"),
    [
        ("SELECT user_id, pagee FROM clicks", 17, "clicks has no column 'pagee'. Did you mean 'page'?"),
        ("SELECT c.Country FROM clicks c JOIN users u ON true", 10, "c has no column 'Country'. There are: code, ds"),
        (
            "SELECT contry FROM clicks JOIN users ON true",
            8,
            "clicks, users has a column 'contry'. Did you mean 'country'?",
        ),
        ("SELECT x.page FROM clicks c", 8, "x is neither a table in FROM nor a column of one. There are: c."),
        (
            "SELECT country FROM clicks c LEFT SEMI JOIN users u ON c.user_id = u.user_id",
            8,
            "c has no column 'country'",
        ),
        ("SELECT page FROM clicks c LEFT SEMI JOIN users u ON c.user_id = u.userid", 67, "u has no column 'userid'"),
        ("SELECT page FROM clicks WHERE day = '2026'", 31, "clicks has no column 'day'"),
        ("SELECT upper(concat(pages, ds)) AS p FROM clicks", 21, "clicks has no column 'pages'"),
        ("SELECT count(*) AS n FROM clicks GROUP BY pages", 43, "clicks has no column 'pages'"),
        ("SELECT page AS p, p AS q FROM clicks", 19, "clicks has no column 'p'"),
        ("SELECT n FROM (SELECT pages AS n FROM clicks) x", 23, "clicks has no column 'pages'"),
        ("SELECT pages FROM (SELECT page FROM clicks) x", 8, "x has no column 'pages'"),
        ("WITH t AS (SELECT 1 AS a) SELECT b FROM t", 34, "t has no column 'b'"),
        ("SELECT page FROM clicks UNION ALL SELECT pages FROM clicks", 42, "clicks has no column 'pages'"),
        ("SELECT page FROM clicks JOIN users USING (country)", 43, "clicks has no column 'country'"),
        ("SELECT page FROM clicks c LEFT SEMI JOIN users u USING (page)", 57, "u has no column 'page'"),
        ("SELECT e FROM clicks LATERAL VIEW explode(split(pages, ',')) x AS e", 49, "clicks has no column 'pages'"),
        (
            "SELECT f FROM clicks LATERAL VIEW explode(array(page)) x AS e LATERAL VIEW explode(array(g)) y AS f",
            90,
            "clicks, x has a column 'g'",
        ),
        ("SELECT row_number() OVER w AS n FROM clicks WINDOW w AS (PARTITION BY pages)", 71, "has no column 'pages'"),
        ("SELECT filter(array(1), x -> x > pages) AS a FROM clicks", 34, "clicks has no column 'pages'"),
    ],
)
def test_a_column_that_no_table_has_is_named_with_the_nearest(sql: str, column: int, problem: str) -> None:
    with pytest.raises(SQLSyntaxError) as error:
        derived(sql)
    assert problem in str(error.value)
    assert (error.value.line, error.value.column) == (1, column)


@pytest.mark.parametrize(
    "sql",
    [
        # Names that clauses behind the select list know, and Spark in it.
        "SELECT page AS p, count(*) AS n FROM clicks GROUP BY page HAVING n > 1 ORDER BY p, n",
        "SELECT page FROM clicks SORT BY page",
        # What engines add, and what is no column at all.
        "SELECT INPUT__FILE__NAME AS f FROM clicks",
        "SELECT current_date AS d, current_timestamp AS t FROM clicks",
        "SELECT date_add(ds, interval 1 day) AS d, extract(day FROM ds) AS e FROM clicks",
        "SELECT row_number() OVER w AS n FROM clicks WINDOW w AS (PARTITION BY page)",
        # Columns that only an engine knows: of a generator, of a struct, of another query.
        "SELECT e.x, y FROM clicks LATERAL VIEW explode(array(1)) e AS x LATERAL VIEW explode(array(1)) f AS y",
        "SELECT col FROM clicks LATERAL VIEW explode(array(1)) e",
        "SELECT y FROM clicks LATERAL VIEW explode(array(ds)) e AS x LATERAL VIEW explode(array(x, e.x)) f AS y",
        "SELECT y FROM clicks LATERAL VIEW explode(array(1)) e LATERAL VIEW explode(array(col)) f AS y",
        "SELECT page FROM clicks c JOIN users u USING (user_id) JOIN other.clicks o ON o.k = u.user_id",
        "SELECT page FROM clicks LATERAL VIEW explode(array('x')) e AS country JOIN users USING (country)",
        "SELECT page FROM nowhere JOIN users USING (country)",
        "SELECT page.field AS f, c.page.field AS g FROM clicks c",
        "SELECT page FROM clicks c WHERE EXISTS (SELECT 1 FROM users u WHERE u.user_id = c.user_id AND page = country)",
        "SELECT (SELECT max(country) FROM users WHERE user_id = c.user_id) AS m FROM clicks c",
    ],
)
def test_names_that_may_mean_something_else_are_no_unknown_columns(sql: str) -> None:
    assert derived(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT page AS p, upper(p) AS q FROM clicks",
        "SELECT transform(array(1), x -> x + user_id) AS a FROM clicks",
        "SELECT reduce(array(1), 0, (acc, x) -> acc + x, acc -> acc * 2) AS a FROM clicks",
        "SELECT transform(array(array(1)), x -> transform(x, y -> x[0] + y)) AS a FROM clicks",
        "SELECT filter(array(named_struct('f', 1)), x -> x.f > 0 AND exists(array(1), y -> y = x.f)) AS a FROM clicks",
        "SELECT map_filter(map('a', 1), (key, value) -> value > user_id) AS a FROM clicks",
        "SELECT timestampadd(HOUR, 1, ds) AS t, dateadd(day, 1, ds) AS d FROM clicks",
        "SELECT _metadata.file_path AS f FROM clicks",
    ],
)
def test_spark_knows_more_names(sql: str) -> None:
    assert derived(sql, "spark")


def test_sparks_own_catalog_is_the_metastore() -> None:
    assert derived("SELECT page FROM spark_catalog.web.clicks", "spark") == [("page", "string")]
    assert derived("SELECT page FROM lake.web.clicks", "spark") == [("page", None)]


def test_columns_without_a_name_are_named_by_their_text() -> None:
    (one,) = analyzed("SELECT user_id   +   1 FROM clicks")
    assert (one.text, one.name, one.type) == ("user_id + 1", None, "bigint")


def test_no_text_is_printed_where_an_expression_has_no_text(caplog: pytest.LogCaptureFixture) -> None:
    analyzed("SELECT struct(1) FROM clicks")
    assert not caplog.records


def test_only_hive_and_spark_have_types_here() -> None:
    assert derived("SELECT 1 AS a", "trino") == [("a", None)]
    with pytest.raises(SQLSyntaxError):
        derived("SELECT 1 AS a; SELECT 2")


def test_a_constant_of_a_subquery_is_one_around_it_too() -> None:
    """Hive 2.3.10 gives decimal(11,6) here, and Spark decimal(18,13)."""
    tables = {("web", "t"): [Column("price", "decimal(7,2)")]}
    for query in (
        "SELECT x.price / x.c AS r FROM (SELECT price, 100 AS c FROM t) x",
        "WITH x AS (SELECT price, 50 + 50 AS c FROM t) SELECT price * c AS r FROM x",
        "SELECT price / (d + 1) AS r FROM (SELECT price, c AS d FROM (SELECT price, 99 AS c FROM t) x) y",
    ):
        (column,) = analyze_query(QueryText(query, "hive"), "web", tables).columns
        assert column.type is None, query
        assert column.derived.why == "releases of Hive differ on decimals that are computed from constants", query
