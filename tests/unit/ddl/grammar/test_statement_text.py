"""Statements as text: what is written is read back as the same value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hive_views.ddl.grammar.parse import parse_script, parse_statement
from hive_views.ddl.grammar.statement_text import script_text, statement_text
from hive_views.ddl.grammar.statements import AddDialect, CreateView, Name, OutputColumn
from hive_views.sql.query import QueryText

texts = st.text(st.characters(exclude_categories=["Cs"]))
identifiers = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
names = st.builds(Name, st.none() | identifiers, identifiers)
queries = st.sampled_from(
    [
        "SELECT 1 AS a",
        "SELECT ';' AS a -- not ;\nFROM t",
        "/* first */ WITH t AS (SELECT 1 AS a) SELECT a FROM t WHERE a <> '-- ; \\''",
        "(SELECT `a;b` AS a FROM t)",
    ]
).map(lambda sql: QueryText(sql, "hive"))
creates = st.builds(
    CreateView,
    names,
    queries,
    replace=st.just(False),
    if_not_exists=st.booleans(),
    columns=st.none()
    | st.lists(st.builds(OutputColumn, identifiers, st.none() | texts), min_size=1, max_size=3).map(tuple),
    comment=st.none() | texts,
    partitioned_on=st.lists(identifiers, max_size=2).map(tuple),
    properties=st.dictionaries(texts, texts, max_size=2).map(lambda pairs: tuple(pairs.items())),
)
additions = st.builds(
    AddDialect,
    names,
    st.builds(QueryText, st.just("SELECT 1 AS a"), st.sampled_from(["spark", "trino", "unheard-of"])),
)


@given(st.lists(creates | additions, max_size=3))
def test_a_script_is_read_back_as_the_statements_it_was_written_from(statements: list[CreateView | AddDialect]) -> None:
    found = [each.statement for each in parse_script(script_text(statements))]
    assert found == statements
    assert [one.query.dialect for one in found] == [one.query.dialect for one in statements]  # type: ignore[union-attr]


def test_or_replace_is_written() -> None:
    statement = CreateView(Name(None, "v"), QueryText("SELECT 1 AS a", "hive"), replace=True)
    assert parse_statement(statement_text(statement)) == statement


def test_semicolons_and_comments_behind_a_query_are_left_out_and_swallow_nothing() -> None:
    statements = [
        AddDialect(Name(None, "v"), QueryText("SELECT 1 AS a -- it's; \n; ; ", "trino")),
        AddDialect(Name(None, "v"), QueryText("SELECT 2 AS a /* ' */", "spark")),
        AddDialect(Name(None, "v"), QueryText("SELECT '--' AS a", "hive")),
    ]
    found = parse_script(script_text(statements))
    assert [each.statement.query for each in found] == ["SELECT 1 AS a", "SELECT 2 AS a", "SELECT '--' AS a"]  # type: ignore[union-attr]
