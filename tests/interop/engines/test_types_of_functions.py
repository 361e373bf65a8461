"""Types of functions by Hive 4.0.1: those of Hive 2.3."""

from __future__ import annotations

from tests.support.containers.engines import Hive
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
