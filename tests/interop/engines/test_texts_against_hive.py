"""Queries for views, judged by the parsers of Hive 2.3.10 and 4.0.1: what a row gets both take, and what both take a
row gets, but for a short list (tests/interop/mutated_queries.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive_views.sql.hive_grammar.reserved import RESERVED, RESERVED_LATER
from tests.interop.mutated_queries import NAME_PLACES, QUERIES, Complaint, grammar_problem, mutated, row_problem
from tests.support.containers.engines import copy_jars
from tests.support.containers.images import HIVE, provide
from tests.support.containers.session import Session
from tests.support.java.hive_java import Hive4Parser, hive_4_parser
from tests.support.java.hive_statements import HiveParser


@pytest.fixture(scope="module")
def hive_2(hive_jvm: Any, tmp_path_factory: pytest.TempPathFactory) -> HiveParser:
    return HiveParser(hive_jvm, tmp_path_factory.mktemp("scratch"))


@pytest.fixture(scope="module")
def hive_4(java: Path, container_session: Session, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hive4Parser]:
    """Hive 4.0.1's, from the jars of its image."""
    image = provide(container_session.client, HIVE)
    container = container_session.run(image, "hive-jars", entrypoint=["sleep", "600"])
    directory = tmp_path_factory.mktemp("hive-4-jars")
    copy_jars(container, directory)
    container_session.remove(container)
    with hive_4_parser(java, directory / "lib") as parser:
        yield parser


@pytest.fixture(scope="module")
def parsers(hive_2: HiveParser, hive_4: Hive4Parser) -> list[Complaint]:
    return [hive_2.complaint, hive_4.complaint]


def test_the_judges_refuse_what_is_wrong(parsers: list[Complaint]) -> None:
    for parse in parsers:
        assert parse("SELECT a FROM t") is None
        assert parse("SELECT a AS order FROM t") is not None
    assert [parse("SELECT a FROM t WHERE a IS TRUE") is None for parse in parsers] == [False, True]


def test_hive_takes_what_is_stored_of_written_queries_and_little_else_is_refused(parsers: list[Complaint]) -> None:
    problems = [problem for sql in QUERIES if (problem := row_problem(sql, parsers))]
    assert not problems, "\n\n".join(problems)


def test_the_words_are_reserved_that_one_of_them_reserves(
    parsers: list[Complaint], hive_2: HiveParser, hive_4: Hive4Parser
) -> None:
    words = {*hive_2.keywords(), *hive_4.keywords(), *RESERVED, *RESERVED_LATER}
    refused = [{word for word in words if parse(f"SELECT a AS {word} FROM t")} for parse in parsers]
    assert refused[0] == RESERVED
    assert refused[1] - RESERVED == RESERVED_LATER


def test_every_word_of_hive_can_be_a_name(parsers: list[Complaint], hive_2: HiveParser, hive_4: Hive4Parser) -> None:
    words = {*hive_2.keywords(), *hive_4.keywords(), *RESERVED, *RESERVED_LATER}
    texts = [place.replace("{}", word.lower()) for word in sorted(words) for place in NAME_PLACES]
    problems = [problem for sql in texts if (problem := row_problem(sql, parsers))]
    assert not problems, "\n\n".join(problems)


def test_hive_takes_what_is_stored_of_mutated_queries(parsers: list[Complaint]) -> None:
    problems = [problem for sql in mutated(1_500, seed=12) if (problem := row_problem(sql, parsers))]
    assert not problems, "\n\n".join(problems)


def test_the_grammar_is_that_of_both(parsers: list[Complaint]) -> None:
    problems = [problem for sql in mutated(1_500, seed=2_024) if (problem := grammar_problem(sql, parsers))]
    assert not problems, "\n\n".join(problems)
