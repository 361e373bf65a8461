"""Types of functions and other expressions by Hive 4.0.1: mostly those of Hive 2.3."""

from __future__ import annotations

from tests.support.containers.engines import Hive
from tests.support.texts import typed_aggregates, typed_expressions
from tests.support.texts.typed_functions import GENERATED, IN_HIVE, create_table, selecting


def test_hive_4_gives_every_call_the_type_in_the_tables(hive: Hive, namespace: str) -> None:
    table, view = f"{namespace}.t", f"{namespace}.types"
    hive.rows(create_table(table).replace("TABLE", "EXTERNAL TABLE"))

    def columns(query: str) -> list[tuple[str, str]]:
        hive.rows(f"CREATE OR REPLACE VIEW {view} AS {query}")
        return [(name, type_) for name, type_, _ in hive.rows(f"DESCRIBE {view}")]

    newer = {"concat(bn, bn)": "string", "substring(bn, 1)": "string"}
    expected = {**IN_HIVE, **newer}
    types = [type_ for _, type_ in columns(selecting(expected, table))]
    assert dict(zip(expected, types, strict=True)) == expected
    found = {call: columns(f"SELECT x.* FROM {table} LATERAL VIEW {call} x") for call in GENERATED}
    assert {call: ", ".join(map(" ".join, one)) for call, one in found.items()} == GENERATED


def test_hive_4_gives_every_expression_the_type_in_the_tables(hive: Hive, namespace: str) -> None:
    table, view = f"{namespace}.expressions", f"{namespace}.types_of_expressions"
    hive.rows(create_table(table, typed_expressions.COLUMNS).replace("TABLE", "EXTERNAL TABLE"))
    for texts in (typed_expressions, typed_aggregates):
        types = typed_expressions.of_hive_4(texts)
        hive.rows(f"CREATE OR REPLACE VIEW {view} AS {selecting(types, table)}")
        found = [type_ for _, type_, _ in hive.rows(f"DESCRIBE {view}")]
        assert dict(zip(types, found, strict=True)) == types
