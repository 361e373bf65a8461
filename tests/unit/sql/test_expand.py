"""The expanded text: golden cases, what is refused, and rules that hold for every query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views.errors import InvalidSchemaError, SQLSyntaxError, UnsupportedFeatureError
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.expand import expand
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables
from tests.support.texts.expanded_texts import CASES, NAMESPACE, VIEW, Case
from tests.support.texts.queries import queries, scraps


def expanded(
    sql: str,
    columns: str | list[str],
    *,
    dialect: str = "hive",
    namespace: str = NAMESPACE,
    readers: Sequence[str] = ROW_DIALECTS,
) -> str:
    names = columns.split() if isinstance(columns, str) else columns
    return expand(QueryText(sql, dialect), columns=names, namespace=namespace, view_name=VIEW, readers=readers)


def refused_at(column: int, problem: str, sql: str, columns: str = "a", **given: Any) -> SQLSyntaxError:
    """The error, whose place is this column of the only line."""
    with pytest.raises(SQLSyntaxError, match=problem) as error:
        expanded(sql, columns, **given)
    assert (error.value.line, error.value.column) == (1, column), str(error.value)
    return error.value


@pytest.mark.parametrize("case", CASES, ids=[case.rule for case in CASES])
class TestEveryCase:
    def test_is_expanded_as_written_down(self, case: Case) -> None:
        assert expanded(case.sql, case.columns, dialect=case.dialect) == case.expanded

    def test_does_not_change_when_expanded_again(self, case: Case) -> None:
        assert expanded(case.expanded, case.columns, dialect=case.dialect, namespace="elsewhere") == case.expanded

    def test_names_the_same_tables_as_before(self, case: Case) -> None:
        before = referenced_tables(QueryText(case.sql, case.dialect), NAMESPACE)
        assert referenced_tables(QueryText(case.expanded, case.dialect), "elsewhere") == before

    def test_has_the_columns_of_the_schema(self, case: Case) -> None:
        found = QueryText(case.expanded, case.dialect).output_names
        assert found is not None
        assert [str(name).lower() for name in found] == case.columns.lower().split()


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("sql", "columns", "found", "wanted"),
        [
            ("SELECT a, count(*) FROM t GROUP BY a", "a", "2 output columns (a, count(*))", "1 (a)"),
            ("SELECT a FROM t", "a b", "1 output columns (a)", "2 (a, b)"),
            ("SELECT *, a FROM t", "a", "at least 2 output columns (*, a)", "1 (a)"),
            ("SELECT explode(m), a FROM t", "a", "at least 2 output columns (explode(m), a)", "1 (a)"),
            ("SELECT explode(m) AS (k, v) FROM t", "k", "2 output columns (k, v)", "1 (k)"),
        ],
    )
    def test_a_schema_of_another_width_is_refused_with_both_lists(
        self, sql: str, columns: str, found: str, wanted: str
    ) -> None:
        with pytest.raises(InvalidSchemaError) as error:
            expanded(sql, columns)
        assert f"The query has {found}, but the schema has {wanted}:" in str(error.value)
        assert error.value.columns == tuple(columns.split())

    def test_a_branch_of_another_width_is_refused(self) -> None:
        with pytest.raises(InvalidSchemaError, match=r"Branch 3 of the query has 1 output columns, .* has 2 \(a, b\)"):
            expanded("SELECT a, b FROM t UNION ALL SELECT * FROM u UNION ALL SELECT c FROM v", "a b")

    def test_an_empty_schema_is_refused(self) -> None:
        with pytest.raises(InvalidSchemaError, match="the schema has 0"):
            expanded("SELECT a FROM t", "")

    def test_a_schema_with_one_name_twice_is_refused(self) -> None:
        with pytest.raises(InvalidSchemaError, match=r"have the same name.*: a, A"):
            expanded("SELECT a, b FROM t", "a A")

    def test_two_columns_of_one_name_that_cannot_get_other_names_are_refused(self) -> None:
        with pytest.raises(InvalidSchemaError, match=r"Two output columns .* the same name \(id, id\).* \(id, other\)"):
            expanded("SELECT t.id, u.id FROM t JOIN u ON t.x = u.x ORDER BY t.id", "id other")

    @pytest.mark.parametrize(
        ("sql", "dialect"),
        [
            ("SELECT a FROM spark_catalog.db.t", "hive"),
            ("SELECT a FROM hive.db.t", "hive"),
            ("SELECT a FROM ice.db.t", "spark"),
            ("SELECT a FROM spark_catalog.db.t.snapshots", "spark"),
        ],
    )
    def test_a_table_of_another_catalog_is_refused(self, sql: str, dialect: str) -> None:
        refused_at(15, "names a catalog", sql, dialect=dialect)

    @pytest.mark.parametrize(
        "table",
        ["'clicks'", '"clicks"', "2020.t", "(table t)"],
        ids=["string", "double quotes", "number", "Spark's TABLE"],
    )
    def test_what_is_no_name_of_a_table_to_the_engines_is_refused(self, table: str) -> None:
        with pytest.raises(SQLSyntaxError, match="write it in backticks"):
            expanded(f"SELECT a FROM {table} x", "a")

    @pytest.mark.parametrize(
        "sql",
        ["SELECT a AS 'x' FROM t", "SELECT a limit FROM t"],
        ids=["alias is a string", "alias is a keyword"],
    )
    def test_a_select_list_that_cannot_be_read_for_sure_is_refused(self, sql: str) -> None:
        with pytest.raises(SQLSyntaxError, match="cannot be told apart"):
            expanded(sql, "x")

    @pytest.mark.parametrize(
        ("sql", "column"),
        [
            ("WITH q AS (SELECT a FROM r), r AS (SELECT 1 AS a) SELECT a FROM q", 26),
            ("WITH q AS (SELECT a FROM t WHERE a IN (SELECT a FROM r)), r AS (SELECT 1 AS a) SELECT a FROM q", 54),
            ("SELECT a FROM (WITH q AS (SELECT a FROM r), r AS (SELECT 1 AS a) SELECT a FROM q) x", 41),
            ("WITH q AS (WITH p AS (SELECT a FROM r) SELECT a FROM p), r AS (SELECT 1 AS a) SELECT a FROM q", 37),
            ("WITH r AS (SELECT 1 AS a) SELECT a FROM (WITH r AS (SELECT a FROM r) SELECT a FROM r) x", 67),
            ("WITH q AS (SELECT * FROM r), r AS (SELECT * FROM q) SELECT * FROM q", 26),
        ],
    )
    def test_what_hive_takes_for_a_definition_and_spark_for_a_table_is_refused(self, sql: str, column: int) -> None:
        refused_at(column, "Hive treats r as a definition of a WITH clause", sql)
        assert expanded(sql, "a", dialect="spark")

    @pytest.mark.parametrize(
        "sql",
        [
            "WITH r AS (SELECT a FROM r) SELECT a FROM r",
            "WITH r AS (SELECT a FROM web.r) SELECT a FROM r",
            "WITH r AS (SELECT 1 AS a) SELECT a FROM (WITH r AS (SELECT 2 AS a) SELECT a FROM r) x",
            "WITH q AS (SELECT 1 AS a) SELECT q.a FROM q JOIN (WITH r AS (SELECT a FROM q) SELECT a FROM r) x ON true",
        ],
    )
    def test_what_hive_and_spark_take_for_the_same_definition_or_table_stays(self, sql: str) -> None:
        assert expanded(sql, "a")

    @pytest.mark.parametrize(
        ("sql", "column"),
        [
            ("SELECT a FROM t TABLESAMPLE (BUCKET 1 OUT OF 2) x", 30),
            ("SELECT a FROM t TABLESAMPLE (BUCKET 1 OUT OF 2 ON a) x", 30),
            ("SELECT a FROM t TABLESAMPLE (1M) x", 30),
            ("SELECT floor(c TO day) FROM t", 19),
            ("SELECT interval (a) day FROM t", 17),
            ("SELECT max(a) FROM t GROUP BY ()", 31),
            ("SELECT sum(a) OVER (w ORDER BY a) FROM t WINDOW w AS (PARTITION BY b)", 21),
            ("SELECT _UTF-8 0x41 FROM t", 8),
            ("SELECT /*+ a, , b */ a FROM t", 8),
            ("SELECT a FROM (t LATERAL VIEW explode(b) x)", 43),
        ],
    )
    def test_what_spark_cannot_read_is_refused_unless_the_view_is_for_hive(self, sql: str, column: int) -> None:
        refused_at(column, r"Spark cannot read .*, which only Hive has\. .* hive-views.for=hive", sql)
        assert expanded(sql, "a", readers=["hive"])

    @pytest.mark.parametrize(
        ("sql", "column"),
        [
            ("SELECT t.a FROM t LATERAL VIEW explode(b) x JOIN u ON true", 50),
            ("SELECT t.a FROM t, u LATERAL VIEW explode(b) x", 20),
            ("SELECT a FROM t ORDER BY a SORT BY b", 28),
            ("SELECT a FROM t CLUSTER BY a SORT BY b", 30),
            ("WITH q AS (SELECT 1 AS a), `Q` AS (SELECT 2 AS a) SELECT a FROM q", 28),
            ("SELECT a FROM t WHERE a LIKE ANY ('x', 'y')", 30),
            ("WITH q AS (WITH r AS (SELECT 1 AS a) SELECT a FROM r) SELECT a FROM q", 12),
            ("WITH q AS (SELECT a FROM (WITH r AS (SELECT 1 AS a) SELECT a FROM r) x) SELECT a FROM q", 27),
            ("SELECT a FROM (WITH q AS (WITH q AS (SELECT 1 AS a) SELECT a FROM q) SELECT a FROM q) x", 27),
        ],
    )
    def test_what_the_parser_of_hive_takes_and_hive_refuses_is_refused(self, sql: str, column: int) -> None:
        for readers in (["hive"], ["hive", "spark"]):
            refused_at(column, "Hive", sql, readers=readers)
        assert expanded(sql, "a", readers=[])

    @pytest.mark.parametrize(
        ("sql", "is_refused"),
        [
            ("SELECT * FROM t UNION ALL SELECT a, b FROM u", True),
            ("SELECT a, b FROM t UNION ALL SELECT * FROM u", True),
            ("SELECT a, b FROM t UNION ALL (SELECT a, b FROM t UNION ALL SELECT u.* FROM u JOIN t)", True),
            ("WITH q AS (SELECT * FROM u) SELECT a, b FROM t UNION ALL SELECT * FROM q", True),
            ("SELECT * FROM t UNION ALL SELECT * FROM u", False),
            ("SELECT a, b FROM t UNION ALL SELECT * FROM (SELECT a, b FROM u) x", False),
            ("WITH q AS (SELECT a, b FROM u) SELECT a, b FROM t UNION ALL SELECT q.* FROM q JOIN u", False),
            ("SELECT a, b FROM (SELECT * FROM t UNION ALL SELECT * FROM u) x UNION ALL SELECT a, b FROM t", False),
        ],
    )
    def test_a_star_beside_named_columns_of_another_branch_is_refused(self, sql: str, is_refused: bool) -> None:
        if is_refused:
            with pytest.raises(InvalidSchemaError, match="List the columns instead of the star"):
                expanded(sql, "a b")
        else:
            assert expanded(sql, "a b")
        assert expanded(sql, "a b", dialect="spark")
        assert expanded(sql, "a b", readers=[])

    @pytest.mark.parametrize("sql", ["SELECT 2.0from t", "SELECT 2.FROM t", "SELECT a FROM t WHERE a>3e+5and b"])
    def test_a_number_that_touches_a_word_is_refused(self, sql: str) -> None:
        with pytest.raises(SQLSyntaxError, match="put a space between them"):
            expanded(sql, "a")

    @pytest.mark.parametrize(
        ("sql", "column", "problem"),
        [
            ("SELECT INTERVAL a", 17, "found 'a', expected 'a number'"),
            ("SELECT a JOIN b", 10, "found 'JOIN'"),
            ("SELECT a FROM t GROUP BY", 25, "it ends"),
            ("SELECT a FROM t LIMIT 3 UNION ALL SELECT b FROM u", 25, "found 'UNION'"),
            ("SELECT a FROM t ORDER BY a UNION SELECT b FROM u", 28, "found 'UNION'"),
            ("SELECT a FROM t CLUSTER BY a UNION SELECT b FROM u", 30, "found 'UNION'"),
            ("SELECT a FROM t WHERE a = ANY (SELECT b FROM u)", 27, "found 'ANY'"),
            ("SELECT a::string FROM t", 9, "found ':'"),
            ("SELECT try_cast(b AS int) FROM t", 19, "found 'AS'"),
            ("WITH q (x) AS (SELECT 1) SELECT x AS a FROM q", 8, "found '(', expected 'AS'"),
            ("SELECT a FROM t QUALIFY rank() OVER (ORDER BY a) = 1", 17, "found 'QUALIFY'"),
            ("SELECT a FROM (VALUES (1)) v", 16, "found 'VALUES'"),
            ("SELECT a FROM t WHERE a ILIKE 'x'", 25, "found 'ILIKE'"),
            ("SELECT cast(a AS array<int>) FROM t", 18, "expected 'a type'"),
            ("SELECT a FROM ((SELECT a FROM t)) x", 33, "exactly one pair of parentheses"),
            ("SELECT a = NOT b FROM t", 12, "put parentheses around NOT"),
        ],
    )
    def test_what_hive_does_not_read_is_refused_at_its_place(self, sql: str, column: int, problem: str) -> None:
        error = refused_at(column, re.escape(problem), sql, "x")
        assert "in dialect spark" in str(error)

    @pytest.mark.parametrize(
        ("sql", "column", "problem"),
        [
            ("SELECT a = b IS NULL FROM t", 14, "put parentheses around what it applies to"),
            ("SELECT a || b IS NULL FROM t", 15, "put parentheses around what it applies to"),
            ("SELECT a FROM t UNION SELECT b FROM u INTERSECT SELECT c FROM v", 39, "Spark INTERSECT first"),
            ("SELECT a FROM t NATURAL JOIN u", 17, "Spark as a kind of join"),
            ("SELECT a FROM t ANTI JOIN u ON true", 17, "Spark as a kind of join"),
        ],
    )
    def test_a_text_that_hive_and_spark_take_for_different_things_is_refused(
        self, sql: str, column: int, problem: str
    ) -> None:
        refused_at(column, problem, sql, "x")

    @pytest.mark.parametrize(
        "sql", ["SELECT a FROM t WHERE a ILIKE 'x'", "SELECT a::string FROM t", "SELECT a FROM t NATURAL JOIN u"]
    )
    def test_a_spark_text_is_not_judged_by_hives_grammar(self, sql: str) -> None:
        assert "`web`.`t`" in expanded(sql, "x", dialect="spark")

    def test_an_expression_between_two_stars_needs_an_alias(self) -> None:
        refused_at(13, "hidden by the stars", "SELECT t.*, a + 1, u.* FROM t, u", "a b c d")

    def test_a_table_generating_function_beside_a_star_needs_aliases(self) -> None:
        error = refused_at(13, "hidden by a star", "SELECT t.*, explode(m) FROM t", "a b k v", dialect="spark")
        assert error.expected == "AS"

    @pytest.mark.parametrize("inside", ["SELECT * FROM t ORDER BY a", "(SELECT * FROM t) UNION ALL (SELECT * FROM u)"])
    def test_brackets_with_a_limit_cannot_go_into_another_query_in_hive(self, inside: str) -> None:
        sql = f"({inside}) LIMIT 3"
        with pytest.raises(SQLSyntaxError, match="remove the parentheses"):
            expanded(sql, "a b")
        assert expanded(sql, "a b", dialect="spark").endswith(") LIMIT 3) `daily`")

    def test_only_texts_that_a_row_can_carry_are_expanded(self) -> None:
        with pytest.raises(UnsupportedFeatureError, match="in dialect hive or spark"):
            expanded("SELECT a FROM t", "a", dialect="trino")

    def test_what_is_no_query_is_refused(self) -> None:
        with pytest.raises(SQLSyntaxError, match="expected SELECT"):
            expanded("INSERT INTO t SELECT 1", "a")


class TestEveryQuery:
    @settings(max_examples=150, deadline=None)
    @given(queries())
    def test_keeps_its_tokens_its_tables_and_gets_its_columns(self, query: tuple[str, list[str]]) -> None:
        sql, columns = query
        try:
            text = expanded(sql, columns)
        except InvalidSchemaError:
            # Two of its columns share a name and one of them has to keep it.
            return
        assert expanded(text, columns, namespace="elsewhere") == text
        found = QueryText(text, "hive")
        assert referenced_tables(found, "elsewhere") == referenced_tables(QueryText(sql, "hive"), NAMESPACE)
        assert found.output_names is not None
        assert [str(name).lower() for name in found.output_names] == [name.lower() for name in columns]
        rest = iter(_token_texts(text))
        assert all(any(mine == theirs for theirs in rest) for mine in _token_texts(sql))

    @settings(max_examples=400, deadline=None)
    @given(scraps(), st.lists(st.sampled_from(["a", "b", "c"]), max_size=3, unique=True))
    def test_fails_with_one_of_two_errors_if_at_all(self, sql: str, columns: list[str]) -> None:
        for dialect in ("hive", "spark"):
            try:
                text = expanded(sql, columns, dialect=dialect)
            except (SQLSyntaxError, InvalidSchemaError):
                continue
            assert expanded(text, columns, dialect=dialect, namespace="elsewhere") == text


def _token_texts(sql: str) -> list[str]:
    import sqlglot

    # What goes away on purpose is left out: brackets around the query, and semicolons behind it.
    return [token.text for token in sqlglot.tokenize(sql, read="hive") if token.text not in {"(", ")", ";"}]
