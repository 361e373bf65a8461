"""Statements about views as values: every form, every refusal, scripts, places, bounds."""

from __future__ import annotations

import pickle
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hive_views.ddl.grammar.parse import MAX_SCRIPT, is_view_statement, parse_script, parse_statement
from hive_views.ddl.grammar.statements import (
    AddDialect,
    AddPartitions,
    CreateView,
    DropView,
    Name,
    TranslatedText,
    ViewStatement,
)
from hive_views.errors import InvalidIdentifierError, InvalidInputError, SQLSyntaxError
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from hive_views.sql.syntax_errors import excerpt
from tests.support.texts.found_statements import answer, load_corpus
from tests.support.texts.view_statements import FORMS, OURS, REFUSED, STRICTER, Refused, broken, valid


def dialects_of(statement: ViewStatement) -> list[str]:
    """Those of its queries, which equality of queries does not see."""
    if isinstance(statement, CreateView):
        return list(statement.texts)
    query = getattr(statement, "query", None)
    return [query.dialect] if query is not None else []


def refusal(sql: str) -> SQLSyntaxError:
    with pytest.raises(SQLSyntaxError) as error:
        parse_statement(sql)
    return error.value


@pytest.mark.parametrize(("sql", "value"), [*FORMS, *OURS], ids=[sql for sql, _ in [*FORMS, *OURS]])
def test_every_form_is_read_as_its_value(sql: str, value: ViewStatement) -> None:
    for written in (sql, f"\n-- head\n{sql}\n;;"):
        found = parse_statement(written)
        assert found == value
        assert hash(found) == hash(value)
        assert dialects_of(found) == dialects_of(value)
    assert is_view_statement(sql)


@pytest.mark.parametrize("case", [*REFUSED, *STRICTER.values()], ids=lambda case: case.sql)
def test_what_is_none_is_refused_with_its_place(case: Refused) -> None:
    error = refusal(case.sql)
    assert case.problem in str(error)
    assert (error.line, error.column) == (case.line, case.column)
    moved = refusal(f"\n\n  {case.sql}")
    assert (moved.line, moved.column) == (case.line + 2, case.column + 2 * (case.line == 1))


def test_the_error_says_what_was_found_and_expected_and_survives_pickling() -> None:
    error = refusal("ALTER VIEW v\nADD PARTITION (ds > '1')")
    copy = pickle.loads(pickle.dumps(error))
    facts = (copy.line, copy.column, copy.found, copy.expected)
    assert facts == (2, 19, ">", "'='")
    assert str(copy) == "Cannot read this statement at line 2, column 19: found '>', expected '='."


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("DROP VIEW v, w", "DROP VIEW v, w\n           ^"),
        ("DROP VIEW", "DROP VIEW\n         ^"),
        ("-- one\r\nDROP VIEW v, w\r\n", "DROP VIEW v, w\n           ^"),
        ("DROP\tVIEW\t`日本é\u0301`, w", "DROP\tVIEW\t`日本é\u0301`, w\n    \t    \t       ^"),
        ("DROP VIEW v\x1b[2J", "DROP VIEW v\ufffd[2J\n           ^"),
        ("DROP VIEW " + "v" * 200 + ", w", "..." + "v" * 75 + ", w\n" + " " * 78 + "^"),
        ("DROP VIEW v, " + "w" * 200, "DROP VIEW v, " + "w" * 87 + "...\n           ^"),
    ],
)
def test_the_excerpt_shows_the_place_with_a_caret(sql: str, shown: str) -> None:
    assert excerpt(sql, refusal(sql)) == shown


def test_an_error_inside_a_query_has_its_place_in_the_whole_text() -> None:
    sql = "DROP VIEW v;\nCREATE VIEW v AS\n  SELECT a\n  FROM t WHERE (b = 1"
    with pytest.raises(SQLSyntaxError) as error:
        parse_script(sql)
    assert (error.value.line, error.value.column, error.value.expected) == (4, 21, ")")
    assert excerpt(sql, error.value).splitlines()[1].index("^") == 20


def test_a_script_is_split_where_semicolons_are_not_in_literals_or_comments() -> None:
    sql = (
        "CREATE VIEW a COMMENT ';' AS -- ;\n  SELECT ';' AS x /* ; */ FROM `t;` ; -- done;\n\n"
        ";ALTER VIEW a ADD DIALECT trino AS SELECT '\\' AS x; DROP VIEW a;\n/* end; */"
    )
    found = parse_script(sql)
    assert [(one.line, type(one.statement)) for one in found] == [(1, CreateView), (4, AddDialect), (4, DropView)]
    assert [one.text for one in found] == [
        "CREATE VIEW a COMMENT ';' AS -- ;\n  SELECT ';' AS x /* ; */ FROM `t;`",
        "ALTER VIEW a ADD DIALECT trino AS SELECT '\\' AS x",
        "DROP VIEW a",
    ]
    assert [parse_statement(one.text) for one in found] == [one.statement for one in found]


def test_a_query_is_the_text_byte_for_byte_with_comments_before_and_without_those_behind() -> None:
    query = "/* why */ -- this\nSELECT  'é\\'' ,\t`a``b`,\r\n 1.50 -- inner\n FROM t"
    statement = parse_statement(f"CREATE VIEW v AS  {query} -- behind\n/* too */ ;")
    assert isinstance(statement, CreateView)
    assert statement.query == query


def test_an_empty_script_has_no_statements_and_an_empty_statement_is_refused() -> None:
    assert parse_script(" ;; -- nothing\n") == ()
    assert "found the end of the statement, expected a statement" in str(refusal("-- nothing"))


def test_a_statement_is_one() -> None:
    assert "expected the end of the text. Only one statement is allowed here; execute_script executes several." in str(
        refusal("DROP VIEW v; DROP VIEW w")
    )


def test_the_query_of_a_dialect_ends_by_the_rules_of_that_dialect() -> None:
    for dialect, query in {"trino": "SELECT '\\'", "hive": "SELECT '\\';'", "spark": "SELECT r'\\', '\\';'"}.items():
        for sql in (f"CREATE VIEW v AS {query}; DROP VIEW v", f"ALTER VIEW v SELECT {query[7:]}; DROP VIEW v"):
            first, second = parse_script(sql, dialect)
            assert first.statement.query == query  # type: ignore[union-attr]
            assert first.statement.query.dialect == dialect  # type: ignore[union-attr]
            assert second.statement == DropView(Name(None, "v"))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 AS dialect",
        "SELECT t.dialect, dialect FROM dialect t",
        "SELECT ' DIALECT trino AS SELECT 1', \" DIALECT trino AS SELECT '\" FROM `a DIALECT trino AS SELECT`",
        "SELECT 1 /* DIALECT trino AS SELECT */ -- DIALECT spark AS SELECT 1\n AS a",
        "WITH dialect AS (SELECT 1 AS a), x AS (SELECT 2 AS dialect) SELECT a FROM dialect x",
        "SELECT a FROM t dialect LEFT JOIN (SELECT dialect AS trino FROM u) AS v ON dialect.a = v.trino",
        "SELECT sum(a) OVER w AS dialect FROM t WINDOW w AS (PARTITION BY dialect)",
        "SELECT dialect DIV translated FROM t",
        "SELECT CASE WHEN a THEN dialect END translated FROM t",
        "SELECT dialect translated FROM translated",
        "SELECT ' DIALECT trino TRANSLATED FROM hive' /* DIALECT trino TRANSLATED FROM hive */ FROM t",
    ],
)
def test_the_word_dialect_ends_a_text_only_before_another_one(query: str) -> None:
    whole = f"CREATE VIEW v AS {query} DIALECT spark AS {query}\nDIALECT other:acme AS {query}"
    statement = parse_statement(whole)
    assert isinstance(statement, CreateView)
    assert statement.texts == {"hive": query, "spark": query, "acme": query}
    statement = parse_statement(f"CREATE VIEW v AS {query}\nDIALECT trino TRANSLATED FROM hive")
    assert isinstance(statement, CreateView)
    assert (statement.texts, statement.translated) == ({"hive": query}, (TranslatedText("trino", "hive"),))


def test_words_between_two_columns_end_no_text() -> None:
    query = "SELECT dialect ILIKE translated AS a, dialect COLLATE translated AS b FROM t"
    (statement,) = (one.statement for one in parse_script(f"CREATE VIEW v AS {query}", "spark"))
    assert isinstance(statement, CreateView)
    assert statement.texts == {"spark": query}


@pytest.mark.parametrize(
    ("sql", "place", "problem"),
    [
        (
            "AS SELECT 1 DIALECT hive AS SELECT 2",
            35,
            "found 'hive', expected another dialect. A view has one text in h",
        ),
        ("AS SELECT 1 DIALECT trino AS SELECT 2 DIALECT Trino AS SELECT 2", 61, "A view has one text in trino."),
        ("AS SELECT 1 DIALECT trnio AS SELECT 2", 35, "Did you mean 'trino'?"),
        ("AS SELECT 1 DIALECT trino AS", 43, "found the end of the statement, expected SELECT."),
        ("AS SELECT 1 DIALECT trino AS SELECT `a` FROM t", 53, "'`' is not allowed here."),
        ("AS DIALECT trino AS SELECT 1", 18, "found 'DIALECT', expected SELECT."),
        ("DIALECT trino SELECT 1", 29, "found 'SELECT', expected AS or TRANSLATED FROM."),
        ("AS SELECT 1) DIALECT trino AS SELECT 2", 26, "')' is not allowed here"),
        ("AS SELECT 1 DIALECT trino TRANSLATED hive", 52, "found 'hive', expected FROM."),
        ("AS SELECT 1 DIALECT trino TRANSLATED FROM", 56, "found the end of the statement, expected a dialect such as"),
        ("AS SELECT 1 DIALECT trino TRANSLATED FROM hvie", 57, "Did you mean 'hive'?"),
        (
            "AS SELECT 1 DIALECT trino TRANSLATED FROM trino",
            57,
            "expected another dialect. This text is itself the one",
        ),
        (
            "AS SELECT 1 DIALECT trino TRANSLATED FROM spark",
            57,
            "expected the dialect of a text. The statement gives no",
        ),
        ("DIALECT trino TRANSLATED FROM hive", 45, "The statement gives no text in hive, from which the one in trino"),
        (
            "AS SELECT 1 DIALECT hive TRANSLATED FROM spark DIALECT spark AS SELECT 1",
            35,
            "A view has one text in hive.",
        ),
        (
            "AS SELECT 1 DIALECT trino TRANSLATED FROM hive DIALECT trino AS SELECT 1",
            70,
            "A view has one text in trino.",
        ),
        (
            "AS SELECT 1 DIALECT trino TRANSLATED FROM hive ALOW 'a'",
            62,
            "expected ALLOW, DIALECT or the end of the statement",
        ),
        ("AS SELECT 1 DIALECT trino TRANSLATED FROM hive ALLOW a", 68, "expected the code of a difference in quotes."),
        ("AS SELECT 1 DIALECT trino TRANSLATED FROM hive ALLOW 'a' b", 72, "expected ',', DIALECT or the end of the"),
    ],
)
def test_texts_of_a_view_are_refused_with_their_place(sql: str, place: int, problem: str) -> None:
    error = refusal(f"CREATE VIEW v {sql}")
    assert problem in str(error)
    assert (error.line, error.column) == (1, place)


def test_comments_nest_in_a_query_where_they_nest_in_its_dialect() -> None:
    first, second = parse_script("ALTER VIEW v ADD DIALECT trino AS SELECT 1 /* a /* b */; DROP VIEW v")
    assert first.statement == AddDialect(Name(None, "v"), QueryText("SELECT 1", "trino"))
    assert second.statement == DropView(Name(None, "v"))
    (only,) = parse_script("ALTER VIEW v ADD DIALECT spark AS SELECT 1 /* a /* b */; DROP VIEW v */")
    assert only.statement == AddDialect(Name(None, "v"), QueryText("SELECT 1", "spark"))


def test_a_dialect_has_a_name() -> None:
    with pytest.raises(InvalidInputError):
        parse_statement("DROP VIEW v", "no dialect")
    assert "expected a dialect" in str(refusal("ALTER VIEW v ADD DIALECT `no dialect` AS SELECT 1"))
    misspelt = refusal("ALTER VIEW v ADD DIALECT trnio AS SELECT 1")
    assert "Did you mean 'trino'?" in str(misspelt)
    assert (misspelt.line, misspelt.column) == (1, 26)
    with pytest.raises(InvalidInputError, match="Did you mean 'hive'"):
        parse_statement("DROP VIEW v", "hvie")


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("ALTER VIEW v ROLL BACK TO 3", "found '3', expected VERSION."),
        ("ALTER VIEW v ROLL BACK TO VERSION -1", "found '-', expected a version number."),
        ("ALTER VIEW v ROLL BACK TO VERSION 1.5", "found '1.5', expected a version number."),
        ("ALTER VIEW v ADD DIALECT trino SELECT 1", "found 'SELECT', expected AS or TRANSLATED FROM."),
        (
            "ALTER VIEW v ADD DIALECT trino TRANSLATED FROM hive DIALECT spark AS SELECT 1",
            "found 'DIALECT', expected ALLOW or the end of the statement.",
        ),
        ("ALTER VIEW v REPLACE DIALECT trino TRANSLATED FROM Trino", "This text is itself the one in trino."),
        ("ALTER VIEW v ADD DIALECT trino AS SELECT `a` FROM t", "line 1, column 44: '`' is not allowed here."),
        ("ALTER VIEW v REPLACE DIALECT trino AS", "expected SELECT."),
        ("PUBLISH v WHEN requires('w.t')", "found 'v', expected VIEW."),
        ("PUBLISH VIEW v (ds='1')", "found '(', expected PARTITION, SINCE, UNTIL, WHEN or the end of the statement."),
        ("PUBLISH VIEW v PARTITION (ds='1') REQUIRES t", "found 'REQUIRES', expected ',', SINCE, UNTIL, WHEN or"),
        ("PUBLISH VIEW v UNTIL (ds='2') SINCE (ds='1')", "found 'SINCE', expected WHEN or the end of the"),
        ("PUBLISH VIEW v WHEN", "line 1, column 20: there is no rule."),
        ("PUBLISH VIEW v WHEN -- nothing\n ; DROP VIEW w", "line 2, column 2: there is no rule."),
        ("PUBLISH VIEW v WHEN requirs('w.t')", "line 1, column 21: there is no requirs(). Did you mean 'requires'?"),
        ("PUBLISH VIEW v\nWHEN requires('w.t',\n  ds=ds)", "line 3, column 6: ds stands alone."),
        ("PUBLISH VIEW v WHEN requires('w.t'; DROP VIEW v", "line 1, column 29: '(' is never closed."),
        ("PUBLISH VIEW v WHEN requires('w.t) ; DROP VIEW v", "line 1, column 30: this string is not closed."),
        ("PUBLISH VIEW v WHEN requires('t')", "a namespace and a name"),
        ("PUBLISH VIEW v WHEN requires('w.t') SINCE (ds='1')", "A rule is a Python expression"),
        ("PUBLISH VIEW v WHEN when('os:getcwd')", "line 1, column 21: when() imports a function"),
    ],
)
def test_our_own_statements_are_refused_as_clearly(sql: str, problem: str) -> None:
    assert problem in str(refusal(sql))


@pytest.mark.parametrize(
    "sql",
    [
        *(
            "",
            "SELECT 1",
            "CREATE TABLE t (a int)",
            "CREATE TEMPORARY VIEW v AS SELECT 1",
            "DROP TABLE t",
            "'open",
            "CREATE",
        ),
        *("DESCRIBE DATABASE d", "DESCRIBE FUNCTION f", "DESCRIBE TABLE t", "SHOW TABLES", "INSERT INTO v SELECT 1"),
    ],
)
def test_other_statements_are_known_by_their_first_words(sql: str) -> None:
    assert not is_view_statement(sql)


def test_a_statement_with_an_error_is_still_one_about_views() -> None:
    assert is_view_statement("/* a */ create or replace view oops oops")
    assert is_view_statement("ALTER VIEW v ADD PARTITION (a = -1)")


def test_a_name_resolves_in_the_current_database_or_its_own() -> None:
    assert Name(None, "V").resolve("Sales") == TableIdentifier("sales", "v")
    assert Name("D", "V").resolve("sales") == TableIdentifier("d", "v")
    with pytest.raises(InvalidIdentifierError):
        Name(None, "a b").resolve("sales")


def test_a_script_that_is_too_long_is_refused() -> None:
    assert parse_script(" " * MAX_SCRIPT) == ()
    with pytest.raises(SQLSyntaxError, match="the limit is 10,000,000"):
        parse_script(" " * (MAX_SCRIPT + 1))


@pytest.mark.parametrize(
    "sql",
    [
        *(
            "(" * 200_000,
            "/*" * 200_000,
            "'" * 200_001,
            "`" * 200_001,
            "1" * 200_000,
            "e+" * 200_000,
            "-" * 200_001 + "\nx",
        ),
        *(
            "DROP VIEW " + "a." * 200_000,
            "DROP VIEW v" + " -- \n" * 200_000 + ",",
            "ALTER VIEW v ADD " + "PARTITION (a=1) " * 20_000 + "x",
        ),
        *(
            "CREATE VIEW v AS SELECT " + "(" * 200_000,
            "CREATE VIEW v AS SELECT '" + "\\" * 200_001,
            "CREATE VIEW v AS SELECT " + "/*+" * 200_000,
            "USE d; " * 20_000 + "x",
        ),
        *(
            "ALTER VIEW v ADD PARTITION (a=" + "9" * 200_000 + ")",
            "ALTER VIEW v ADD PARTITION (a=1e" + "9" * 500 + "BD)",
        ),
        *("ALTER VIEW v ADD PARTITION (a='" + "\\'" * 200_000, "ALTER VIEW v ADD PARTITION (a=" + "'a' " * 100_000),
    ],
    ids=lambda sql: sql[:40],
)
def test_a_long_text_that_leads_nowhere_is_refused_in_linear_time(sql: str) -> None:
    started = time.process_time()
    with pytest.raises(SQLSyntaxError):
        parse_script(sql)
    assert time.process_time() - started < 10


FRAGMENTS = st.sampled_from(
    [
        "CREATE VIEW v AS ",
        "ALTER VIEW v ",
        "ADD PARTITION (",
        "a='",
        "PUBLISH VIEW v WHEN requires('w.t', hr=range(",
        "'",
        '"',
        "`",
        "\\",
    ]
)


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(), st.lists(st.one_of(FRAGMENTS, st.text(max_size=5))).map("".join), broken()))
@example("CREATE VIEW v AS SELECT '\ud800'")
@example("ALTER VIEW v ADD PARTITION (a='\udfff')")
def test_no_text_crashes_the_reading(sql: str) -> None:
    is_view_statement(sql)
    try:
        found = parse_script(sql)
    except SQLSyntaxError as error:
        refused = error
    else:
        assert all(one.text in sql for one in found)
        return
    assert min(refused.line, refused.column) >= 1
    assert excerpt(sql, refused).endswith("^")


@pytest.mark.parametrize("sql", load_corpus(), ids=range(len(load_corpus())))
def test_a_text_that_the_search_found_gets_an_answer(sql: str) -> None:
    assert answer(sql) is not None


@settings(max_examples=300, deadline=None)
@given(valid())
def test_statements_of_the_grammar_are_read_alike_alone_and_in_a_script(sql: str) -> None:
    alone = parse_statement(sql)
    assert [one.statement for one in parse_script(f"{sql}\n;USE d;{sql}\n")][::2] == [alone, alone]


def test_ten_thousand_partitions_are_one_statement() -> None:
    specs = " ".join(f"PARTITION (ds='2026-01-01', hr={number})" for number in range(10_000))
    statement = parse_statement(f"ALTER VIEW v ADD {specs}")
    assert isinstance(statement, AddPartitions)
    assert [values.as_dict()["hr"] for values in statement.partitions] == list(range(10_000))
