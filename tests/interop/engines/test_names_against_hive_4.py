"""Names of columns that a query does not name, by a live Hive 4.0.1."""

from __future__ import annotations

import uuid

from tests.support.containers.engines import Hive
from tests.support.texts.named_columns import ALIKE, NEWER, SIMPLER, TABLES


def test_hive_4_names_columns_as_was_measured(hive: Hive) -> None:
    database = f"names_{uuid.uuid4().hex[:12]}"
    hive.rows(f"CREATE DATABASE {database}")
    hive.rows(f"USE {database}")
    try:
        for statement in TABLES:
            hive.rows(statement)

        def names(query: str) -> str:
            hive.rows(f"CREATE OR REPLACE VIEW v AS {query}")
            return " ".join(str(row[0]) for row in hive.rows("DESCRIBE v"))

        assert {query: names(query) for query in (*ALIKE, *NEWER)} == {**ALIKE, **NEWER}
        assert {query: names(query) for query in SIMPLER} == dict.fromkeys(SIMPLER, "a")
    finally:
        hive.rows("USE default")
