"""Names of columns that a text does not name, as Hive 2.3.10 and 4.0.1 were seen to give them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hive_views.errors import InvalidSchemaError
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.expand import expand
from hive_views.sql.hive_names import hive_names, named_items
from hive_views.sql.query import QueryText
from tests.support.texts.named_columns import ALIKE, COLUMNS_OF_U, NEWER, SIMPLER


def names(sql: str, sparks_names: list[str] | None = None, *, is_table: bool = True) -> list[str]:
    return hive_names(named_items(QueryText(sql, "hive")), sparks_names or [], lambda _: is_table)


def row_text(sql: str, columns: list[str], readers: Sequence[str] = ROW_DIALECTS) -> str:
    return expand(QueryText(sql, "hive"), columns=columns, namespace="w", view_name="v", readers=readers)


@pytest.mark.parametrize(("sql", "expected"), [*ALIKE.items(), *NEWER.items()])
def test_columns_have_the_names_that_hive_gives_them(sql: str, expected: str) -> None:
    sparks_names = [name if name in COLUMNS_OF_U else "Spark's name" for name in expected.split()]
    assert names(sql, sparks_names) == expected.split()


@pytest.mark.parametrize("sql", SIMPLER)
def test_where_only_the_columns_of_a_subquery_give_a_name_it_is_a_number(sql: str) -> None:
    assert names(sql) == ["_c0"]


def test_a_converted_column_of_a_view_has_a_number() -> None:
    assert names("SELECT cast(a AS bigint) FROM t", is_table=False) == ["_c0"]


def test_what_stands_between_stars_keeps_the_name_that_the_engine_reports() -> None:
    sql = "SELECT 1, a.*, 2, b.*, 3 FROM a JOIN b"
    assert names(sql, ["1", "x", "2", "y", "z", "3"]) == ["_c0", "x", "2", "y", "z", "_c4"]


def test_an_alias_like_an_automatic_name_is_the_columns_own_in_the_expanded_text() -> None:
    sql = "SELECT key AS `_c1`, '12', value `_C7` FROM u"
    assert names(sql) == ["key", "_c1", "value"]
    assert row_text(sql, names(sql)) == ("SELECT key AS `key`, '12' AS `_c1`, value `value` FROM `w`.`u`")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM (SELECT key + key FROM u) x",
        "SELECT a.*, x.* FROM u a JOIN (SELECT key, cast(value AS int) FROM u) x ON x.key = a.key",
        "WITH q AS (SELECT 1), r AS (SELECT * FROM q) SELECT * FROM r",
        "(SELECT * FROM (SELECT key, count(*) FROM u GROUP BY key UNION ALL SELECT 1, 2) x)",
    ],
)
def test_a_star_over_a_column_without_a_name_is_refused(sql: str) -> None:
    with pytest.raises(InvalidSchemaError, match="without a name"):
        row_text(sql, ["a", "b", "c", "d"])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM (SELECT key + key AS k FROM u) x",
        "SELECT x.* FROM (SELECT key FROM u) x JOIN (SELECT 1 FROM u) y",
        "WITH q AS (SELECT 1), r AS (SELECT 1 AS one) SELECT * FROM r",
        "SELECT key FROM (SELECT * FROM (SELECT key, count(*) FROM u GROUP BY key) y) z",
    ],
)
def test_a_star_over_columns_with_names_is_taken(sql: str) -> None:
    assert row_text(sql, ["k"])


@pytest.mark.parametrize(
    "item",
    [
        *("1 day", "'1' day", "'1' day to second", "'1-2' year to month", "d + 1 day"),
        *("last_value(x, false) OVER (ORDER BY y)", "first_value(x, true)", "sum(x) OVER (CLUSTER BY y)"),
        *("trunc(1.5)", "trunc(f(x, y))", "trunc(d, 'MM')", "_UTF-8 0x4142", "_ISO-8859-1 0xc3", "floor(x TO day)"),
    ],
)
def test_what_hives_grammar_has_is_taken_as_it_is_written(item: str) -> None:
    sql = f"SELECT {item}, z FROM t"
    assert names(sql)[1:] == ["z"]
    # Spark wants the word before an interval, and Hive does not mind.
    text = row_text(sql, ["a", "z"], ["hive"])
    assert text.replace("INTERVAL ", "") == f"SELECT {item} AS `a`, z AS `z` FROM `w`.`t`"


@pytest.mark.parametrize("size", ["1K", "100m", "7b", "2G"])
def test_a_sample_may_be_given_in_bytes(size: str) -> None:
    sql = f"SELECT a FROM t TABLESAMPLE ({size}) s"
    assert row_text(sql, ["a"], ["hive"]) == (f"SELECT a AS `a` FROM `w`.`t` TABLESAMPLE ({size}) s")


@pytest.mark.parametrize(
    "sql", ["SELECT 1 AS day", "SELECT 1 `day`", "SELECT a day FROM t", "SELECT date '2026-01-01' day"]
)
def test_day_is_an_alias_where_hive_takes_it_for_one(sql: str) -> None:
    assert names(sql) == ["day"]


@pytest.mark.parametrize("item", ["(1) day", "('1') days", "d - (1) days", "coalesce(d, (1) day)"])
def test_the_unit_of_an_interval_in_brackets_is_no_alias(item: str) -> None:
    assert names(f"SELECT {item}, z FROM t") == ["_c0", "z"]


@pytest.mark.parametrize("item", ["f(1) day", "(1L) day", "(x) day"])
def test_behind_what_is_no_interval_it_is_one(item: str) -> None:
    assert names(f"SELECT {item}, z FROM t") == ["day", "z"]
