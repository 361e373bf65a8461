"""What is one query and what is none; the names of output columns."""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys

import pytest

from hive_views.errors import SQLSyntaxError
from hive_views.sql.parser.statement import MAX_DEPTH, MAX_TEXT
from hive_views.sql.query import QueryText


def refusal(sql: str, dialect: str = "hive") -> SQLSyntaxError:
    with pytest.raises(SQLSyntaxError) as error:
        QueryText(sql, dialect).check()
    return error.value


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "select a from t;",
        "SELECT a FROM t ; ;\n-- end",
        "-- head\n/* more */ SELECT a FROM t",
        "WITH c AS (SELECT 1) SELECT * FROM c",
        "(SELECT a FROM t)",
        "(SELECT a FROM t) UNION ALL (SELECT b FROM u)",
        "SELECT a FROM (FROM t SELECT a) x",
        "SELECT transform(a) FROM t",
        "SELECT a FROM t WHERE b = ';' AND c = '${x}'",
    ],
)
def test_one_query_is_taken(sql: str) -> None:
    QueryText(sql, "hive").check()
    QueryText(sql, "spark").check()


@pytest.mark.parametrize(
    ("sql", "line", "column", "problem"),
    [
        ("", None, None, "it is empty; expected a SELECT"),
        (" \n\t", None, None, "it is empty"),
        ("-- only this", None, None, "it is empty"),
        (";", None, None, "it is empty"),
        ("SELECT 1; SELECT 2", 1, 9, "found ';', expected exactly one query"),
        ("INSERT INTO t SELECT 1", 1, 1, "found 'INSERT', expected SELECT"),
        ("CREATE VIEW v AS SELECT 1", 1, 1, "found 'CREATE', expected SELECT"),
        ("DROP TABLE t", 1, 1, "found 'DROP', expected SELECT"),
        ("EXPLAIN SELECT 1", 1, 1, "found 'EXPLAIN', expected SELECT"),
        ("SHOW TABLES", 1, 1, "found 'SHOW', expected SELECT"),
        ("VALUES (1)", 1, 1, "found 'VALUES', expected SELECT"),
        ("(VALUES (1))", 1, 2, "found 'VALUES', expected SELECT"),
        ("\n  selec a FROM t", 2, 3, "found 'selec', expected SELECT"),
        ("FROM t INSERT INTO u SELECT a", 1, 1, "found 'FROM', expected SELECT"),
        ("FROM t SELECT a", 1, 1, "found 'FROM', expected SELECT"),
        ("SELECT", None, None, "has no columns"),
        ("SELECT a b c FROM t", 1, 12, "'c' is not allowed here"),
        ("SELECT a FROM", 1, 10, "'FROM' is not allowed here, or something is missing after it"),
        ("SELECT a\nFROM t\nWHERE (a = 1", 3, 12, "expected ')' near '1'"),
        ("SELECT a FROM t)", 1, 16, "')' is not allowed here"),
        ("SELECT '😀', 'open", 1, 13, "the ' that opens here is not closed"),
        ("SELECT `open", 1, 8, "the ` that opens here is not closed"),
        ("SELECT a /* open", None, None, "a comment or hint in it is not closed"),
        ("SELECT ${day}", 1, 8, "found '$'; the SQL of a view cannot have variables"),
        ("SELECT a FROM {{ table }}", 1, 15, "found '{'; the SQL of a view cannot have variables"),
        ("SELECT a FROM t WHERE b = :day", None, None, "the SQL of a view cannot have variables"),
        ("SELECT a FROM t WHERE b = ?", None, None, "the SQL of a view cannot have variables"),
        ("SELECT TRANSFORM (a) USING 'cat' AS (b) FROM t", None, None, "SELECT TRANSFORM runs a script"),
        ("SELECT * FROM (SELECT TRANSFORM (a) USING 'cat' AS (b) FROM t) x", None, None, "SELECT TRANSFORM"),
        ("SELECT a INTO u FROM t", None, None, "SELECT INTO writes a table"),
        ("SELECT a FROM t FOR UPDATE", None, None, "FOR UPDATE locks rows"),
        ("WITH x AS (INSERT INTO t SELECT 1) SELECT 1", None, None, "only a query can be a view"),
        ("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", 1, 1, "only a query can be a view"),
        ("SELECT a FROM t |> WHERE b", 1, 17, "found '|>'"),
        ("SELECT /*+ */ a FROM t", None, None, "it is not a query"),
        ("SELECT a, b, FROM t", 1, 12, "nothing follows this comma"),
        ("SELECT a,\n  b,\nWHERE a = 1", 2, 4, "nothing follows this comma"),
        ("SELECT a,", 1, 9, "nothing follows this comma"),
        ("SELECT a FROM (SELECT b, FROM t) x", 1, 24, "nothing follows this comma"),
        ("SELECT concat(a, b,) FROM t", 1, 19, "nothing follows this comma"),
        ("SELECT a FROM t GROUP BY a, ORDER BY a", 1, 27, "nothing follows this comma"),
        # Not every failure of the parser is of its own classes.
        ("SELECT map(1) FROM t", None, None, "it cannot be parsed (IndexError: list index out of range)"),
    ],
)
def test_what_is_not_one_query_is_refused_with_its_place(
    sql: str, line: int | None, column: int | None, problem: str
) -> None:
    error = refusal(sql)
    assert problem in str(error)
    assert (error.line, error.column) == (line, column)


def test_the_error_says_what_was_expected_and_survives_pickling() -> None:
    error = refusal("SELECT a FROM t WHERE (a = 1")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.expected, copy.dialect, copy.line, copy.column, str(copy)) == (")", "hive", 1, 28, str(error))


def test_a_statement_is_refused_without_a_word_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    # Left to itself, the parser takes what it does not know for a command and logs a warning.
    with caplog.at_level(logging.DEBUG):
        refusal("MSCK REPAIR TABLE t")
    assert not caplog.records


def test_spark_may_start_with_from_but_needs_a_select() -> None:
    QueryText("FROM t SELECT a", "spark").check()
    assert "found 'FROM', expected SELECT" in str(refusal("FROM t", "spark"))
    assert "only a query can be a view" in str(refusal("FROM t INSERT INTO u SELECT a", "spark"))


@pytest.mark.parametrize("dialect", ["spark", "trino"])
def test_a_trailing_comma_is_refused_where_the_engine_refuses_it(dialect: str) -> None:
    assert "nothing follows this comma" in str(refusal("SELECT a, FROM t", dialect))
    assert refusal("SELECT a, FROM t", dialect).expected == "a column"
    QueryText("SELECT a, FROM t", "duckdb").check()


def test_a_text_that_is_too_long_is_refused() -> None:
    QueryText("SELECT a FROM t -- ".ljust(MAX_TEXT, "x"), "hive").check()
    assert "the limit is 1,000,000" in str(refusal("SELECT a FROM t -- ".ljust(MAX_TEXT + 1, "x")))


@pytest.mark.parametrize(
    ("opening", "closing", "too_deep"),
    [("(", ")", MAX_DEPTH + 1), ("coalesce(", ")", MAX_DEPTH + 1), ("CASE WHEN a THEN ", " END", 1_000)],
)
def test_what_is_nested_too_deeply_is_refused(opening: str, closing: str, too_deep: int) -> None:
    QueryText(f"SELECT {opening * 15}1{closing * 15}", "hive").check()
    for depth in (too_deep, 20_000):
        assert "nested" in str(refusal(f"SELECT {opening * depth}1{closing * depth}"))


@pytest.mark.parametrize("text", ["SELECT " + "NOT " * 5000 + "a", "SELECT " + "- " * 5000 + "1"])
def test_nesting_without_brackets_is_refused_when_too_deep(text: str) -> None:
    assert "nested too deeply" in str(refusal(text))


def test_long_is_not_deep() -> None:
    QueryText("SELECT " + " + ".join(["a"] * 3000) + " FROM t WHERE " + " OR ".join(["a = 1"] * 3000), "hive").check()
    QueryText(" UNION ALL ".join(["SELECT a FROM t"] * 500), "hive").check()


@pytest.mark.parametrize("dialect", ["flink", "impala", "my-engine"])
def test_a_text_in_an_unknown_dialect_is_taken_unread_unless_empty(dialect: str) -> None:
    QueryText("whatever ${this} may 'mean", dialect).check()
    assert QueryText("whatever ${this} may 'mean", dialect).output_names is None
    assert "it is empty" in str(refusal(" \n", dialect))


def test_trino_quotes_names_with_double_quotes() -> None:
    sql = 'SELECT "a b", count(*) AS "n" FROM "web"."clicks" GROUP BY 1'
    QueryText(sql, "Trino").check()
    assert QueryText(sql, "Trino").output_names == ("a b", "n")


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT a, t.b, `c d`, s.f.g, (e), x.y.z.u.v FROM t", ("a", "b", "c d", "g", "e", "v")),
        ("SELECT a AS B, count(*) n, 1 `x y`", ("B", "n", "x y")),
        ("SELECT count(*), a + 1, 'x', cast(a AS int), arr[0], f(a).b, (SELECT 1) FROM t", (None,) * 7),
        ("SELECT explode(m) AS (k, v), a FROM t", ("k", "v", "a")),
        ("SELECT a FROM t UNION ALL SELECT b FROM u", ("a",)),
        ("(SELECT a AS x FROM t) EXCEPT (SELECT b FROM u)", ("x",)),
        ("WITH c AS (SELECT * FROM t) SELECT a FROM c", ("a",)),
        ("SELECT (SELECT * FROM u) AS x, count(t.*) FROM t", ("x", None)),
    ],
)
def test_output_columns_have_the_names_that_the_text_gives(sql: str, names: tuple[str | None, ...]) -> None:
    assert QueryText(sql, "hive").output_names == names


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t",
        "SELECT a, t.* FROM t",
        "SELECT s.f.* FROM t",
        "SELECT web.t.* FROM web.t",
        "SELECT posexplode_outer(arr) FROM t",
        "SELECT json_tuple(j, 'a') FROM t",
        "SELECT * FROM t UNION ALL SELECT a FROM u",
    ],
)
def test_a_star_or_a_table_generating_function_hides_the_columns(sql: str) -> None:
    assert QueryText(sql, "spark").output_names is None


def test_names_need_one_query() -> None:
    with pytest.raises(SQLSyntaxError, match="expected SELECT"):
        _ = QueryText("DELETE FROM t", "hive").output_names


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from hive_views.sql import dialects, expand, query, tables", "query.QueryText('SELECT 1', 'hive').check()"),
        (
            (
                "import hive_views.views.catalog, hive_views.ddl.execute, hive_views.ddl.grammar.parse as parse\n"
                "parse.parse_statement('ALTER VIEW v ADD PARTITION (a=1)')"
            ),
            "parse.parse_statement('CREATE VIEW v AS SELECT 1')",
        ),
    ],
    ids=["texts", "statements"],
)
def test_the_parser_is_loaded_by_the_first_query_only(before: str, after: str) -> None:
    """It takes 100 to 200 ms, which `import hive_views` and `hive-views --help` must not pay."""
    script = (
        f"import sys; {before}\n"
        f"assert not sys.modules.keys() & {{'sqlglot', 'rich', 'pyspark'}}\n"
        f"{after}\n"
        f"assert 'sqlglot' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
