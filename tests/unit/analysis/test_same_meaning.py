"""Two texts are only called the same query if every engine reads them as the same."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hive_views.analysis import TableColumns, is_same_meaning, is_same_wording
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText
from tests.support.views.catalog_setup import BETTER, SELECT

TABLES = {
    ("web", "clicks"): [
        *(Column(name, "string") for name in ("page", "ds")),
        *(Column("user_id", "bigint"), Column("price", "double"), Column("paid", "decimal(9,2)")),
        *(Column("day", "date"), Column("at", "timestamp"), Column("place", "struct<page:int>")),
    ],
    ("web", "users"): [Column("id", "bigint"), Column("name", "string"), Column("ds", "int")],
}

SAME_WORDS = [
    ("hive", SELECT, f"-- new\n{SELECT.replace('SELECT', 'select').replace('count', 'COUNT')} ;"),
    ("hive", "SELECT a FROM t GROUP BY a", "SELECT /* a */ `a`\nFROM `t` GROUP  BY a"),
    ("trino", "SELECT a FROM t", 'SELECT "a" FROM t'),
    ("mysql", "SELECT a FROM t", "SELECT a FROM t"),
]

OTHER_WORDS = {
    "literal": ("hive", "SELECT a FROM t WHERE a > 1", "SELECT a FROM t WHERE a > 2"),
    "operator": ("hive", "SELECT a FROM t WHERE a > 1", "SELECT a FROM t WHERE a >= 1"),
    "case of a string": ("hive", "SELECT 'A' AS a FROM t", "SELECT 'a' AS a FROM t"),
    "spaces in a string": ("hive", "SELECT 'a b' AS a FROM t", "SELECT 'a  b' AS a FROM t"),
    "escape that one engine drops": ("hive", r"SELECT '\d' AS a FROM t", r"SELECT '\\d' AS a FROM t"),
    "a string and a name": ("trino", "SELECT 'a' AS b FROM t", 'SELECT "a" AS b FROM t'),
    "a function and a column": ("spark", "SELECT localtimestamp AS a FROM t", "SELECT `localtimestamp` AS a FROM t"),
    "fields of a struct": ("spark", "SELECT to_json(struct(A)) AS a FROM t", "SELECT to_json(struct(a)) AS a FROM t"),
    "such a field with a keyword's name": (
        *("spark", "SELECT to_json(struct(Date)) AS a FROM t", "SELECT to_json(struct(date)) AS a FROM t"),
    ),
    "order of columns": ("hive", "SELECT a, b FROM t", "SELECT b, a FROM t"),
    "a comment that MySQL runs": ("mysql", "SELECT a /*! + 1 */ AS a FROM t", "SELECT a AS a FROM t"),
    "names that ClickHouse tells apart": ("clickhouse", "SELECT a FROM t", "select a FROM t"),
    "no parser": ("acme", "a b", "a  b"),
    "no query": ("hive", "SELECT a FROM", "select a FROM"),
}


@pytest.mark.parametrize(("dialect", "one", "other"), SAME_WORDS)
def test_spaces_comments_case_and_quotes_of_names_mean_nothing(dialect: str, one: str, other: str) -> None:
    assert is_same_wording(one, other, dialect)
    assert is_same_wording(other, one, dialect)


@pytest.mark.parametrize(("dialect", "one", "other"), OTHER_WORDS.values(), ids=OTHER_WORDS)
def test_other_words_may_mean_something_else(dialect: str, one: str, other: str) -> None:
    assert is_same_wording(one, one, dialect)
    assert not is_same_wording(one, other, dialect)
    assert not is_same_wording(other, one, dialect)


def proved(hive: str, trino: str, tables: TableColumns = TABLES) -> bool:
    def find(names: Sequence[tuple[str, str]]) -> TableColumns:
        return {name: tables[name] for name in names if name in tables}

    texts = QueryText(hive, "hive"), QueryText(trino, "trino")
    both = is_same_meaning(*texts, "web", find), is_same_meaning(*reversed(texts), "web", find)
    assert both[0] == both[1]
    return both[0]


@pytest.mark.parametrize(
    ("hive", "trino"),
    [
        (SELECT, SELECT),
        (BETTER, BETTER.replace("web.", "hive.web.").replace("count", "COUNT")),
        (
            "SELECT `c`.`page`, min(u.name) AS a FROM clicks c LEFT JOIN users u ON c.user_id = u.id GROUP BY c.page",
            """SELECT c."page" AS page, min(u.name) AS A FROM web.clicks AS c LEFT OUTER JOIN web.users u
            ON c.user_id = u.id GROUP BY c.page""",
        ),
        (
            "SELECT price FROM clicks WHERE page IN ('a', 'b') AND NOT user_id BETWEEN 1 AND 7",
            "SELECT price AS price FROM web.clicks WHERE page IN ('a', 'b') AND NOT user_id BETWEEN 1 AND 7",
        ),
    ],
)
def test_queries_that_all_engines_read_alike_are_compared(hive: str, trino: str) -> None:
    assert proved(hive, trino)
    assert not proved(hive, trino, {})


READ_OTHERWISE = {
    "division": "SELECT user_id / 2 AS a FROM clicks",
    "sum, which one engine wraps": "SELECT sum(user_id) AS a FROM clicks",
    "order of NULLs": "SELECT page FROM clicks ORDER BY page",
    "any three rows": "SELECT page FROM clicks LIMIT 3",
    "a star, which Hive expands at creation": "SELECT * FROM clicks",
    "quotes": 'SELECT "page" AS page FROM clicks',
    "escapes": r"SELECT page FROM clicks WHERE page = 'a\nb'",
    "text beside a number": "SELECT page FROM clicks WHERE user_id = '1'",
    "text beside a date": "SELECT page FROM clicks WHERE day = '2026-01-01'",
    "NaN": "SELECT page FROM clicks WHERE price > 1",
    "rounding": "SELECT page FROM clicks WHERE paid > 1",
    "time zones": "SELECT min(at) AS a FROM clicks",
    "zeros of two signs": "SELECT DISTINCT price FROM clicks",
    "groups by position": "SELECT page, count(*) AS n FROM clicks GROUP BY 1",
    "an alias that is a column too": "SELECT page AS ds FROM clicks GROUP BY ds",
    "a column of one of two tables": "SELECT name FROM clicks JOIN users ON page = name WHERE ds = 'a'",
    "a field of a struct": "SELECT place.page FROM clicks",
    "a table that nobody knows": "SELECT page FROM other.clicks",
    "a column that nobody knows": "SELECT more FROM clicks",
    "a subquery": "SELECT page FROM clicks WHERE page IN (SELECT name FROM users)",
    "set operations": "SELECT page FROM clicks UNION SELECT name FROM users",
    "numbers with points": "SELECT 1.0 AS a, page FROM clicks",
    "another function": "SELECT lower(page) AS page FROM clicks",
    "no table": "SELECT 1 AS a",
}


@pytest.mark.parametrize("text", READ_OTHERWISE.values(), ids=READ_OTHERWISE)
def test_what_an_engine_reads_in_its_own_way_is_not_proved(text: str) -> None:
    assert not proved(text, text)


@pytest.mark.parametrize(
    ("text", "other"),
    [("> 1", "> 2"), ("> 1", ">= 1"), ("clicks", "clicks c"), ("'a'", "'b'"), ("AND", "OR"), ("page,", "ds,")],
)
def test_one_difference_is_enough(text: str, other: str) -> None:
    query = "SELECT page, user_id FROM clicks WHERE user_id > 1 AND page = 'a'"
    assert proved(query, query)
    assert not proved(query, query.replace(text, other, 1))
