"""Statements as text: what is written is read back as the same value."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views.ddl.grammar.parse import parse_script, parse_statement
from hive_views.ddl.grammar.statement_text import WrittenStatement, script_text, statement_text
from hive_views.ddl.grammar.statements import AddDialect, AddTranslation, CreateView, Name, OutputColumn, TranslatedText
from hive_views.errors import SQLSyntaxError, UnsupportedFeatureError
from hive_views.sql.dialects import PARSED_DIALECTS
from hive_views.sql.query import QueryText

texts = st.text(st.characters(exclude_categories=["Cs"]))
identifiers = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
names = st.builds(Name, st.none() | identifiers, identifiers)
NESTED = (
    "SELECT a FROM (SELECT 1 AS a) dialect -- DIALECT trino AS SELECT\nWHERE a IN (SELECT 2 AS trino)",
    "WITH dialect AS (SELECT 1 AS trino) SELECT trino AS dialect FROM dialect",
    "/* DIALECT trino AS SELECT 1; */ SELECT dialect.trino AS a FROM dialect\tdialect",
)
TEXTS = {
    "hive": (
        *NESTED,
        "SELECT ';' AS a -- not ;\nFROM t",
        "/* first */ WITH t AS (SELECT 1 AS a) SELECT a FROM t WHERE a <> '-- ; \\''",
        "(SELECT `a;b` AS a FROM t)",
        'SELECT \' DIALECT trino AS SELECT \', "\\" DIALECT hive AS SELECT" FROM `t DIALECT trino AS (`',
    ),
    "spark": (
        *NESTED,
        "SELECT r'\\', '\\' DIALECT trino AS SELECT 1' AS a",
        "FROM t SELECT a /* /* */ DIALECT hive AS (*/ WHERE a",
    ),
    "trino": (*NESTED, "SELECT '\\', 'it''s DIALECT hive AS SELECT' AS \"dialect hive as (\"", 'SELECT 1 AS "`"'),
    "impala": ("SELECT 1", "UPSERT what", "MAP ' DIALECT hive AS SELECT'"),
    "acme": ("whatever 'a;b' it is", "x ) DIALECT trino AS FROM", "x ( y", "# DIALECT spark AS SELECT 1", "DIALECT"),
    "my-own": ("SELECT 1", "a DIALECT other:acme AS b", "[ dialect hive as select 1 ]"),
}
"""Texts by dialect, with what would end a text in other places than there."""

types = st.sampled_from(
    ["bigint", "decimal(10,2)", "varchar(7)", "timestamp", "array<map<string,struct<a:int,in b:date>>>"]
)
queries = st.one_of(*(st.builds(QueryText, st.sampled_from(texts), st.just(one)) for one, texts in TEXTS.items()))
allowed = st.lists(texts, unique=True, max_size=3).map(sorted).map(tuple)
columns = st.builds(OutputColumn, identifiers, st.none() | texts, st.none() | types)


@st.composite
def creates(draw: st.DrawFn) -> CreateView:
    first, *others = draw(st.lists(queries, min_size=1, max_size=4, unique_by=lambda query: query.dialect))
    given = [one.dialect for one in (first, *others)]
    missing = sorted({*TEXTS} - {*given})
    translated = st.builds(TranslatedText, st.sampled_from(missing), st.sampled_from(given), allowed)
    return CreateView(
        draw(names),
        first,
        if_not_exists=draw(st.booleans()),
        columns=draw(st.none() | st.lists(columns, min_size=1, max_size=3).map(tuple)),
        comment=draw(st.none() | texts),
        partitioned_on=draw(st.lists(identifiers, max_size=2).map(tuple)),
        properties=tuple(draw(st.dictionaries(texts, texts, max_size=2)).items()),
        others=tuple(others),
        translated=tuple(draw(st.lists(translated, max_size=2, unique_by=lambda one: one.dialect))),
    )


additions = st.builds(AddDialect, names, queries) | st.builds(
    AddTranslation, names, st.builds(TranslatedText, st.just("trino"), st.sampled_from(["hive", "my-own"]), allowed)
)


def texts_of(statement: object) -> dict[str, str]:
    """By dialect, which equality of texts does not see."""
    if isinstance(statement, CreateView):
        texts = {dialect: str(text) for dialect, text in statement.texts.items()}
        return {**texts, **{one.dialect: str(one) for one in statement.translated}}
    if isinstance(statement, AddTranslation):
        return {statement.text.dialect: str(statement.text)}
    assert isinstance(statement, AddDialect)
    return {statement.query.dialect: str(statement.query)}


@settings(max_examples=150, deadline=None)
@given(creates())
def test_a_statement_is_read_back_byte_for_byte_or_not_written(statement: CreateView) -> None:
    try:
        text = statement_text(statement)
    except UnsupportedFeatureError:
        # Only what this library does not parse can hide where it ends.
        assert not {"hive", "spark", "trino"}.issuperset(statement.texts)
        return
    found = parse_statement(text)
    assert found == statement
    assert texts_of(found) == texts_of(statement)


@settings(max_examples=50, deadline=None)
@given(st.lists(creates().filter(lambda one: one.query.dialect in PARSED_DIALECTS) | additions, max_size=3))
def test_a_script_is_read_back_as_the_texts_it_was_written_from(statements: list[WrittenStatement]) -> None:
    found = [each.statement for each in parse_script(script_text(statements))]
    flat = [[(one.name, *text) for one in many for text in texts_of(one).items()] for many in (found, statements)]  # type: ignore[union-attr]
    assert flat[0] == flat[1]
    creates = [[one for one in many if isinstance(one, CreateView)] for many in (found, statements)]
    first, second = ([replace(one, others=(), translated=()) for one in many] for many in creates)
    assert first == second


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


def test_a_statement_is_as_a_person_writes_it() -> None:
    written = """\
CREATE OR REPLACE VIEW sales.`order` (
  user_id BIGINT COMMENT 'who',
  `10` STRUCT<a:DECIMAL(10,2), `in b`:ARRAY<DATE>>,
  ds
)
COMMENT 'by day'
PARTITIONED ON (ds)
TBLPROPERTIES (
  'a' = 'b',
  'k' = 'v'
)
AS
SELECT user_id, x, ds FROM web.clicks
DIALECT trino AS
SELECT user_id, "x", ds FROM web.clicks
DIALECT `other:my-own` AS
clicks | user_id
DIALECT spark TRANSLATED FROM hive
DIALECT impala TRANSLATED FROM `other:my-own` ALLOW 'null-order', 'x'"""
    assert statement_text(parse_statement(written)) == written  # type: ignore[arg-type]


def test_a_text_that_is_not_closed_is_refused() -> None:
    with pytest.raises(SQLSyntaxError, match="is not closed"):
        statement_text(CreateView(Name(None, "v"), QueryText("SELECT 1", "hive"), others=(QueryText("it's", "acme"),)))


def test_a_text_that_hides_where_it_ends_is_refused_with_the_way_out() -> None:
    texts = (QueryText("clicks ( page", "acme"), QueryText("SELECT 2", "trino"))
    with pytest.raises(
        UnsupportedFeatureError, match=r"The acme SQL of d\.v cannot .* ALTER VIEW \.\.\. ADD DIALECT\.$"
    ):
        statement_text(CreateView(Name("d", "v"), QueryText("SELECT 1", "hive"), others=texts))
