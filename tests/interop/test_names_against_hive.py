"""Names of columns that a query does not name, by Hive 2.3.10's own compiler."""

from __future__ import annotations

import pytest

from tests.support.java.hive_2 import Hive2
from tests.support.texts.named_columns import ALIKE, NEWER, SIMPLER, TABLES

pytestmark = pytest.mark.peer("java")


def test_hive_2_names_columns_as_was_measured(hive_2: Hive2) -> None:
    for statement in ("CREATE DATABASE names", "USE names", *TABLES):
        hive_2.rows(statement)

    def names(query: str) -> str:
        hive_2.rows(f"CREATE OR REPLACE VIEW v AS {query}")
        return " ".join(row[0] for row in hive_2.rows("DESCRIBE v"))

    assert {query: names(query) for query in ALIKE} == ALIKE
    assert {query: names(query) for query in SIMPLER} == dict.fromkeys(SIMPLER, "_c0")
    assert "_window_" not in "".join(names(query) for query in NEWER)
    without_stars = [query for query in NEWER if "*" not in query]
    hive_2.set("hive.cbo.enable", "false")
    try:
        assert {query: names(query) for query in without_stars} == {query: NEWER[query] for query in without_stars}
    finally:
        hive_2.set("hive.cbo.enable", "true")
