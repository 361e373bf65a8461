"""Names of columns that a query does not name, by Hive 2.3.10's own compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.interop.hive_2 import hive_2
from tests.support.texts.named_columns import ALIKE, NEWER, SIMPLER, TABLES

pytestmark = pytest.mark.peer("java")


def test_hive_2_names_columns_as_was_measured(java: Path, tmp_path: Path) -> None:
    try:
        with hive_2(java, tmp_path) as hive:
            for statement in TABLES:
                hive.rows(statement)

            def names(query: str) -> str:
                hive.rows(f"CREATE OR REPLACE VIEW v AS {query}")
                return " ".join(row[0] for row in hive.rows("DESCRIBE v"))

            assert {query: names(query) for query in ALIKE} == ALIKE
            assert {query: names(query) for query in SIMPLER} == dict.fromkeys(SIMPLER, "_c0")
            assert "_window_" not in "".join(names(query) for query in NEWER)
            hive.set("hive.cbo.enable", "false")
            without_stars = [query for query in NEWER if "*" not in query]
            assert {query: names(query) for query in without_stars} == {query: NEWER[query] for query in without_stars}
    except subprocess.SubprocessError as error:
        pytest.skip(f"Hive's jars cannot be fetched: {error}")
