"""Queries that other people wrote for Hive, expanded: LinkedIn Coral's test views."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hive_views.errors import SQLSyntaxError
from hive_views.sql.expand import expand
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables

pytestmark = pytest.mark.peer("shared fixtures")

PAIRS = Path(__file__).parents[3] / "shared" / "fixtures" / "coral_pairs.json"


class Source(NamedTuple):
    sql: str
    schema: str
    runs_in_hive: bool


@pytest.fixture(scope="module")
def coral() -> dict[str, Any]:
    if not PAIRS.exists():
        pytest.skip("the pairs of Coral's tests are not beside this checkout")
    pairs: dict[str, Any] = json.loads(PAIRS.read_text(encoding="utf-8"))
    return pairs


@pytest.fixture(scope="module")
def sources(coral: dict[str, Any]) -> list[Source]:
    found = {pair["source_sql"]: pair for pair in coral["pairs"] if pair["source_dialect"] == "hive"}
    return [
        Source(sql, pair["schema"], (pair.get("hive_2_3_10") or {}).get("ok", False)) for sql, pair in found.items()
    ]


@pytest.fixture(scope="module")
def queries(sources: list[Source]) -> list[Source]:
    return [source for source in sources if not source.sql.upper().startswith("CREATE")]


def test_every_query_is_taken_and_every_statement_refused(sources: list[Source], queries: list[Source]) -> None:
    assert (len(sources), len(queries)) == (466, 458)
    for source in queries:
        QueryText(source.sql, "hive").check()
    for source in set(sources) - set(queries):
        with pytest.raises(SQLSyntaxError, match="found 'CREATE', expected SELECT"):
            QueryText(source.sql, "hive").check()


def test_every_query_is_expanded_with_names_of_our_choice(queries: list[Source]) -> None:
    hidden, refused = 0, []
    for source in queries:
        names = QueryText(source.sql, "hive").output_names
        hidden += names is None
        if _is_refused(source, _names_to_give(names)[0]):
            refused.append(source)
            continue
        for columns in _names_to_give(names):
            text = expand(QueryText(source.sql, "hive"), columns=columns, namespace="default", view_name="v")
            assert [str(name).lower() for name in QueryText(text, "hive").output_names or ()] == columns
            assert expand(QueryText(text, "hive"), columns=columns, namespace="elsewhere", view_name="v") == text
            before = referenced_tables(QueryText(source.sql, "hive"), "default")
            assert referenced_tables(QueryText(text, "hive"), "elsewhere") == before
    assert hidden == 53
    # In the grammar of Trino alone.
    assert [source.sql for source in refused] == [
        "SELECT ROW(1, 2.5, 'abc')",
        "SELECT MAP(ARRAY['a', 'b'], ARRAY[1, 2])",
    ]
    assert not any(source.runs_in_hive for source in refused)


def test_the_tables_of_a_query_that_hive_can_run_are_tables_of_its_schema(
    coral: dict[str, Any], queries: list[Source]
) -> None:
    created = re.compile(r"CREATE (?:TABLE|VIEW)(?: IF NOT EXISTS)? `?(\w+)`?(?:\.`?(\w+)`?)?", re.IGNORECASE)
    known = {schema: set(coral["data"][schema]) for schema in coral["schemas"]}
    for schema, statements in coral["schemas"].items():
        for first, second in created.findall(" ".join(statements)):
            known[schema].add((f"{first}.{second}" if second else f"default.{first}").lower())
    strangers = {
        ".".join(table).lower()
        for source in queries
        if source.runs_in_hive
        for table in referenced_tables(QueryText(source.sql, "hive"), "default")
        if ".".join(table).lower() not in known[source.schema]
    }
    assert strangers == set()


def _is_refused(source: Source, columns: list[str]) -> bool:
    try:
        expand(QueryText(source.sql, "hive"), columns=columns, namespace="default", view_name="v")
    except SQLSyntaxError:
        return True
    return False


def _names_to_give(names: tuple[str | None, ...] | None) -> list[list[str]]:
    """The names that the query has, made unique, and others; for hidden columns, any."""
    if names is None:
        return [["a", "b", "c", "d", "e", "f"]]
    own = [f"{name or 'x'}_{number}" if names.count(name) > 1 else str(name) for number, name in enumerate(names)]
    return [[name.lower() for name in own], [f"col_{number}" for number in range(len(names))]]
