"""Expanded texts, judged by the parsers of Hive 2.3.10 and Spark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from hive_views.errors import InvalidSchemaError
from hive_views.sql.expand import expand
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_literal, safe_literals
from tests.interop.mutated_queries import NAME_PLACES, QUERIES, mutated, row_problem
from tests.support.texts.expanded_texts import CASES, NAMESPACE, VIEW, Case
from tests.support.texts.queries import queries

pytestmark = pytest.mark.peer("java")

SLOW_PEER = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)

NO_VALUES = ("INVALID_TYPED_LITERAL", "INVALID_INTERVAL_FORMAT", "UNRESOLVED_WINDOW_REFERENCE")
"""What Spark's parser refuses beyond its grammar, and Hive's compiler too: values, and windows that are not there."""

Complaint = Callable[[str], str | None]
"""What a parser has against a text; None when it takes it."""


@pytest.fixture(scope="module")
def parsers(hive_jvm: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Complaint]:
    from py4j.protocol import Py4JJavaError

    api = hive_jvm.org.apache.hadoop.hive
    scratch: Path = tmp_path_factory.mktemp("scratch")
    conf = api.conf.HiveConf()
    # Without a session, a Context asks the configuration for its scratch directories.
    conf.set("_hive.hdfs.session.path", str(scratch / "hdfs"))
    conf.set("_hive.local.session.path", str(scratch / "local"))
    spark_parser = hive_jvm.org.apache.spark.sql.execution.SparkSqlParser()

    def complaint_of(parse: Callable[[str], Any]) -> Complaint:
        def complaint(sql: str) -> str | None:
            try:
                parse(sql)
            except Py4JJavaError as error:
                return str(error.java_exception.getMessage())
            return None

        return complaint

    return {
        "hive": complaint_of(lambda sql: api.ql.parse.ParseUtils.parse(sql, api.ql.Context(conf))),
        "spark": complaint_of(spark_parser.parsePlan),
    }


@pytest.mark.parametrize("case", CASES, ids=[case.rule for case in CASES])
def test_an_expanded_text_is_in_the_grammar_of_its_readers(case: Case, parsers: dict[str, Complaint]) -> None:
    for reader in case.judges:
        assert parsers[reader](case.expanded) is None


def test_the_judges_refuse_what_is_wrong(parsers: dict[str, Complaint]) -> None:
    assert "cannot recognize input" in str(parsers["hive"]("SELECT a FROM `c`.`d`.`t`"))
    assert "cannot recognize input" in str(parsers["hive"]("SELECT a FROM t;"))
    assert "PARSE_SYNTAX_ERROR" in str(parsers["spark"]("SELECT a b c FROM t"))


def test_hive_refuses_a_bracketed_query_with_a_limit_inside_another(parsers: dict[str, Complaint]) -> None:
    sql = "(SELECT a FROM t ORDER BY a) LIMIT 3"
    assert parsers["hive"](sql) is None
    assert parsers["hive"](f"SELECT a FROM ({sql}) v") is not None


def test_hive_refuses_brackets_around_a_query_inside_another(parsers: dict[str, Complaint]) -> None:
    assert parsers["hive"]("(SELECT a FROM t)") is None
    assert parsers["hive"]("SELECT a FROM ((SELECT a FROM t)) v") is not None


@SLOW_PEER
@given(queries())
def test_a_query_of_hives_grammar_stays_in_it(parsers: dict[str, Complaint], query: tuple[str, list[str]]) -> None:
    sql, columns = query
    typed = sql.strip().removesuffix(";")
    assume(parsers["hive"](typed) is None)
    try:
        text = expand(QueryText(sql, "hive"), columns=columns, namespace=NAMESPACE, view_name=VIEW)
    except InvalidSchemaError:
        assume(False)
    assert parsers["hive"](text) is None
    assert parsers["spark"](text) is None


def test_hive_and_spark_take_what_is_stored_of_written_and_mutated_queries(parsers: dict[str, Complaint]) -> None:
    found = [row_problem(sql, list(parsers.values())) or "" for sql in [*QUERIES, *mutated(2_000, seed=41)]]
    problems = [problem for problem in found if "stored: " in problem and not any(one in problem for one in NO_VALUES)]
    assert not problems, "\n\n".join(problems)


def test_spark_takes_its_own_words_as_names_as_hive_does(hive_jvm: Any, parsers: dict[str, Complaint]) -> None:
    keywords = hive_jvm.org.apache.spark.sql.catalyst.util.SQLKeywordUtils.keywords()
    words = [str(keywords.apply(place)).lower() for place in range(keywords.size())]
    assert "lateral" in words
    texts = [place.replace("{}", word) for word in words for place in NAME_PLACES]
    problems = [problem for sql in texts if "stored: " in (problem := row_problem(sql, list(parsers.values())) or "")]
    assert not problems, "\n\n".join(problems)


@pytest.mark.parametrize(
    "literal",
    [
        "'Zoë'",
        '"日本 \\" é"',
        r"'\\é'",
        r"'\é \\\é'",
        r"'é\n\0é'",
        "'😀😀'",
        r"'\u00e9é'",
        r"'${x} \${y} \\${z} $'",
        "''",
    ],
)
def test_hive_reads_a_safe_literal_as_it_reads_the_typed_one(hive_jvm: Any, literal: str) -> None:
    read = hive_jvm.org.apache.hadoop.hive.ql.parse.BaseSemanticAnalyzer.unescapeSQLString
    written = safe_literals(QueryText(literal, "hive"))
    assert written.isascii()
    assert read(written) == read(literal)


def test_hive_and_spark_read_back_a_quoted_literal(hive_jvm: Any, parsers: dict[str, Complaint]) -> None:
    text = "it's\n\t\r \\ \" ` \0 \x1a é 😀 %_ ${x}"
    literal = quote_literal(text)
    assert literal.isascii()
    assert hive_jvm.org.apache.hadoop.hive.ql.parse.BaseSemanticAnalyzer.unescapeSQLString(literal) == text
    assert parsers["hive"](f"SELECT {literal}") is None
    assert spark_value(hive_jvm, literal) == text


def test_spark_puts_variables_into_literals_but_not_into_safe_ones(hive_jvm: Any) -> None:
    assert spark_value(hive_jvm, "'a ${nobody} b'") == "a  b"
    assert spark_value(hive_jvm, safe_literals(QueryText("'a ${nobody} b'", "hive"))) == "a ${nobody} b"


def spark_value(jvm: Any, literal: str) -> str:
    return str(jvm.org.apache.spark.sql.execution.SparkSqlParser().parseExpression(literal).eval(None).toString())
