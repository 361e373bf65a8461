"""Statements about views, judged by Hive 2.3.10's own parser."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings

from hive_views.ddl.grammar.literals import unescaped
from hive_views.ddl.grammar.parse import parse_statement
from hive_views.ddl.grammar.statements import ViewStatement
from hive_views.sql.hive_grammar.reserved import RESERVED
from tests.support.java.hive_statements import HiveParser, NotAboutViews, RefusedByHive
from tests.support.java.statement_verdicts import OUR_PROBLEMS, as_hive_keeps, disagreement, our_reading
from tests.support.texts.view_statements import FORMS, OURS, REFUSED, STRICTER, Refused, broken, valid

pytestmark = pytest.mark.peer("java")


def slow_peer(examples: int) -> settings:
    unscoped = [HealthCheck.function_scoped_fixture]
    return settings(max_examples=examples, deadline=None, suppress_health_check=unscoped, derandomize=True)


@pytest.fixture(scope="module")
def hive(hive_jvm: Any, tmp_path_factory: pytest.TempPathFactory) -> HiveParser:
    return HiveParser(hive_jvm, tmp_path_factory.mktemp("scratch"))


@pytest.mark.parametrize(("sql", "value"), FORMS, ids=[sql for sql, _ in FORMS])
def test_every_form_is_read_as_hive_reads_it(hive: HiveParser, sql: str, value: ViewStatement) -> None:
    assert hive.statement(sql) == as_hive_keeps(value)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.sql)
def test_what_we_refuse_hive_refuses(hive: HiveParser, case: Refused) -> None:
    try:
        hive.statement(case.sql)
    except RefusedByHive:
        return
    except NotAboutViews:
        assert case.sql.startswith("CREATE TABLE")
        return
    pytest.fail("Hive takes it")


@pytest.mark.parametrize("reason", STRICTER)
def test_what_we_alone_refuse_hives_parser_takes(hive: HiveParser, reason: str) -> None:
    assert hive.complaint(STRICTER[reason].sql) is None
    assert any(problem in STRICTER[reason].problem for problem in OUR_PROBLEMS)


@pytest.mark.parametrize("sql", [sql for sql, _ in OURS])
def test_what_we_alone_take_hive_refuses(hive: HiveParser, sql: str) -> None:
    assert hive.complaint(sql) is not None


def test_the_same_words_are_reserved(hive: HiveParser) -> None:
    words = {*hive.keywords(), *RESERVED}
    assert len(words) > 250
    assert {word for word in words if hive.complaint(f"DROP VIEW {word}")} == RESERVED


@pytest.mark.parametrize(
    "literal",
    [
        *("''", "'a'", '"a"', "'a''b'", "'a'\"b\"'c'", "'a\"b'", "\"a'b\"'c'", r"'a\'b'", r"'\\'", r"'\\\''", "'\\\n'"),
        *(r"'\0\b\n\r\t\Z\'\"\\\%\_'", r"'\a\q\é\u0041\U'", r"'\001\0011\177\200\078\00\01'", r"'\u00e9\uD83D\uDE00x'"),
        *(r"'\\u0041'", r"'\\001'", "'é日本😀'", "'two\nlines'", r"'\u0041''\u0042'", r"'a\''b'"),
    ],
)
def test_a_literal_has_the_text_that_hive_gives_it(hive_jvm: Any, literal: str) -> None:
    assert hive_jvm.org.apache.hadoop.hive.ql.parse.BaseSemanticAnalyzer.unescapeSQLString(literal) == unescaped(
        literal
    )


@slow_peer(400)
@given(valid())
def test_a_statement_of_the_grammar_is_read_as_hive_reads_it(hive: HiveParser, sql: str) -> None:
    assert hive.statement(sql) == as_hive_keeps(parse_statement(sql))


@slow_peer(1500)
@given(broken())
def test_a_broken_statement_is_taken_and_refused_alike(hive: HiveParser, sql: str) -> None:
    event("refused" if isinstance(our_reading(sql), str) else "taken")
    assert disagreement(hive, sql) is None
